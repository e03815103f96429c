"""Counts and tf-idf against scikit-learn's CountVectorizer and TfidfVectorizer: vocabulary sizes, entries, sums, a digest of every term
with its document frequency and count, and column sums of tf-idf, as tests/python/text_sklearn.json has them. `text_sklearn.py --make`
makes that file, with scikit-learn, from the same texts. Real data, from $PLUMB_DATA or ../shared/data; skipped where there are none.  # rows: T1
"""
import collections
import csv
import hashlib
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(os.environ.get("PLUMB_DATA", ROOT.parent / "shared" / "data"))
STORED = pathlib.Path(__file__).with_suffix(".json")
SKIPPED = 77  # as tests/CMakeLists.txt has it
COLUMNS = 30  # of tf-idf: those of the commonest terms

# name: file, options of scikit-learn, options of plumb
CASES = {
    "20news words": ("20news_bydate/train.tsv.zst", {}, []),
    "20news tf-idf": ("20news_bydate/train.tsv.zst", {"tfidf": True}, ["--tfidf"]),
    "rt pairs": ("rt_polarity/all.tsv.zst", {"ngram_range": (1, 2)}, ["--ngrams", "1-2"]),
    "rt pairs, tf-idf": ("rt_polarity/all.tsv.zst", {"ngram_range": (1, 2), "tfidf": True, "min_df": 3}, ["--ngrams", "1-2", "--tfidf", "--min-df", "3"]),
    "rt triples alone": ("rt_polarity/all.tsv.zst", {"ngram_range": (3, 3), "lowercase": False}, ["--ngrams", "3-3", "--no-lowercase"]),
    "rt limits": ("rt_polarity/all.tsv.zst", {"min_df": 5, "max_df": 0.02}, ["--min-df", "5", "--max-df", "0.02"]),
    "rt characters": ("rt_polarity/all.tsv.zst", {"analyzer": "char", "ngram_range": (1, 2)}, ["--tokens", "char", "--ngrams", "1-2"]),
    "rt characters in words": ("rt_polarity/all.tsv.zst", {"analyzer": "char_wb", "ngram_range": (2, 3)}, ["--tokens", "char-word", "--ngrams", "2-3"]),
}


def summary(columns):
    """columns: term -> values of its entries."""
    exact = all(value == int(value) for values in columns.values() for value in values)
    found = {"terms": len(columns), "entries": sum(map(len, columns.values()))}
    if exact:
        lines = "".join(f"{term}\t{len(columns[term])}\t{int(sum(columns[term]))}\n" for term in sorted(columns))
        found["digest"] = hashlib.sha256(lines.encode()).hexdigest()
    else:
        common = sorted(columns, key=lambda term: (-len(columns[term]), term))[:COLUMNS]
        found["documents"] = hashlib.sha256("".join(f"{term}\t{len(columns[term])}\n" for term in sorted(columns)).encode()).hexdigest()
        found["sums"] = {term: math.fsum(columns[term]) for term in common}
        found["squares"] = math.fsum(value * value for values in columns.values() for value in values)
    return found


def by_plumb(program, path, options, scratch):
    out, names = scratch / "rows.libsvm", scratch / "names.csv"
    done = subprocess.run([program, "convert", path, "--columns", "label,text", "-t", "label", "--text", "text", "-q", "-o", out, "--names", names, *options],
                          capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{path}: {done.stderr}")
    with names.open(newline="") as file:
        terms = {row["number"]: row["name"].removeprefix("text:") for row in csv.DictReader(file) if row["what"] == "feature"}
    columns = collections.defaultdict(list)
    with out.open() as file:
        for line in file:
            for item in line.split()[1:]:
                index, _, value = item.partition(":")
                columns[terms[index]].append(float(value))
    return summary(columns)


def by_sklearn(path, wanted):
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
    wanted = dict(wanted)
    vectorizer = (TfidfVectorizer if wanted.pop("tfidf", False) else CountVectorizer)(**wanted)
    text = subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout.decode()
    matrix = vectorizer.fit_transform([line.split("\t", 1)[1] for line in text.split("\n") if line]).tocsc()
    return summary({term: matrix.data[matrix.indptr[i]:matrix.indptr[i + 1]].tolist() for i, term in enumerate(vectorizer.get_feature_names_out())})


def same(found, stored):
    near = lambda a, b: math.isclose(a, b, rel_tol=1e-12)
    sums, known = found.pop("sums", {}), stored.pop("sums", {})
    squares, known_squares = found.pop("squares", 0.0), stored.pop("squares", 0.0)
    return found == stored and sums.keys() == known.keys() and all(near(sums[term], known[term]) for term in sums) and near(squares, known_squares)


def main():
    if not DATA.is_dir():
        print(f"skipped: there is no folder {DATA}; PLUMB_DATA names another")
        sys.exit(SKIPPED)
    if sys.argv[1] == "--make":
        import sklearn
        made = {name: by_sklearn(DATA / path, wanted) for name, (path, wanted, _) in CASES.items()}
        STORED.write_text(json.dumps({"scikit-learn": sklearn.__version__, "cases": made}, indent=1) + "\n")
        return
    program, stored, failures = pathlib.Path(sys.argv[1]).resolve(), json.loads(STORED.read_text())["cases"], []
    with tempfile.TemporaryDirectory(prefix="plumb-text-") as folder:
        for name, (path, _, options) in CASES.items():
            found = by_plumb(program, DATA / path, options, pathlib.Path(folder))
            holds = same(dict(found), dict(stored[name]))
            print(f"{'ok  ' if holds else 'FAIL'} {name}: {found['terms']} terms, {found['entries']} entries")
            if not holds:
                failures.append(f"{name}: found {found}, scikit-learn has {stored[name]}")
    sys.exit("\n".join(failures) or 0)


if __name__ == "__main__":
    main()
