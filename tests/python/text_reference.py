"""The counts and tf-idf of texts against a second definition: the token rule of scikit-learn's CountVectorizer, (?u)\\b\\w\\w+\\b after
lower(), by Python's own re; and the vocabulary sizes of the ascii rule from expected.json. On real data, from $PLUMB_DATA or
../shared/data. Skipped where there are none.  # rows: T1
"""
import collections
import csv
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(os.environ.get("PLUMB_DATA", ROOT.parent / "shared" / "data"))
SKIPPED = 77  # as tests/CMakeLists.txt has it
WORD = re.compile(r"(?u)\b\w\w+\b")


def features(program, path, scratch, *options):
    """Rows of {term: value} as plumb convert writes them, and the terms in their order."""
    out, names = scratch / "rows.libsvm", scratch / "names.csv"
    run = subprocess.run([program, "convert", path, "--columns", "label,text", "-t", "label", "--text", "text", "-q", "-o", out, "--names", names, *options],
                         capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{path}: {run.stderr}")
    terms = {}
    for row in csv.DictReader(names.open(newline="")):
        if row["what"] == "feature":
            terms[int(row["number"])] = row["name"].removeprefix("text:")
    rows = []
    for line in out.open():
        pairs = (item.split(":") for item in line.split()[1:])
        rows.append({terms[int(index)]: float(value) for index, value in pairs})
    return rows, list(terms.values())


def texts_of(path):
    text = subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout.decode() if path.suffix == ".zst" else path.read_text()
    return [line.split("\t", 1)[1] for line in text.split("\n") if line]


def weighted(counts, frequency, documents):
    row = {term: count * (math.log((1 + documents) / (1 + frequency[term])) + 1) for term, count in counts.items()}
    length = math.sqrt(sum(value * value for value in row.values()))
    return {term: value / length for term, value in row.items()}


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    if not DATA.is_dir():
        print(f"skipped: there is no folder {DATA}; PLUMB_DATA names another")
        sys.exit(SKIPPED)
    expected = json.loads((DATA / "expected.json").read_text())["datasets"]
    failures = []

    def judge(what, holds):
        print(f"{'ok  ' if holds else 'FAIL'} {what}")
        if not holds:
            failures.append(what)

    with tempfile.TemporaryDirectory(prefix="plumb-text-") as folder:
        scratch = pathlib.Path(folder)
        path = DATA / "20news_bydate" / "train.tsv.zst"
        rows, terms = features(program, path, scratch, "--tokens", "ascii")
        known = expected["20news_bydate"]
        judge("20news, ascii: vocabulary", len(terms) == known["vocabulary"])
        judge("20news, ascii: entries", sum(len(row) for row in rows) == known["train_nonzeros"])
        judge("20news, ascii: tokens", sum(sum(row.values()) for row in rows) == known["train_tokens"])

        counted = [collections.Counter(WORD.findall(text.lower())) for text in texts_of(path)]
        frequency = collections.Counter(term for row in counted for term in row)
        rows, terms = features(program, path, scratch)
        judge("20news, word: every count", rows == counted)
        judge("20news, word: terms by falling document frequency", [frequency[term] for term in terms] == sorted(frequency.values(), reverse=True))
        rows, _ = features(program, path, scratch, "--tfidf", "--min-df", "5")
        kept = [{term: count for term, count in row.items() if frequency[term] >= 5} for row in counted]
        worst = 0.0
        for found, counts in zip(rows, kept):
            reference = weighted(counts, frequency, len(counted))
            if found.keys() != reference.keys():
                worst = math.inf
            else:
                worst = max([worst] + [abs(found[term] - value) for term, value in reference.items()])
        judge(f"20news, word: tf-idf within 1e-14 (largest difference {worst:.1e})", worst <= 1e-14)
    sys.exit("\n".join(failures) or 0)


if __name__ == "__main__":
    main()
