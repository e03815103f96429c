"""plumb train FILE against pipelines of scikit-learn whose model, features and strength were chosen by 5-fold cross-validation on the
training rows: accuracy on the same test rows, beside the paired standard error. For docs/quality.md; not a test.

  python3 bench/quality.py build/release/plumb DATA [SET...]      needs scikit-learn and pandas; DATA is the folder of the sets
"""
import csv
import io
import json
import math
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.naive_bayes import ComplementNB, MultinomialNB
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import MaxAbsScaler, OneHotEncoder, StandardScaler
from sklearn.svm import LinearSVC

SETS = {  # name: training file, test file or None, target
    "reuters_r8": ("reuters_r8/train.tsv.zst", "reuters_r8/test.tsv.zst", "label"), "rt_polarity": ("rt_polarity/all.tsv.zst", None, "label"),
    "sms_spam": ("sms_spam/all.tsv", None, "label"), "ag_news_7600": ("ag_news_7600/train.tsv.zst", "ag_news_7600/test.tsv", "label"),
    "movie_reviews": ("movie_reviews/all.tsv.zst", None, "label"), "spamassassin": ("spamassassin/train.tsv.zst", "spamassassin/test.tsv.zst", "label"),
    "20news_bydate": ("20news_bydate/train.tsv.zst", "20news_bydate/test.tsv.zst", "label"), "imdb": ("imdb/train.tsv.zst", "imdb/test.tsv.zst", "label"),
    "adult": ("adult/train.csv.zst", "adult/test.csv.zst", None), "titanic": ("titanic/titanic.csv", None, None), "wine": ("wine/wine.csv", None, None),
    "breast_cancer": ("breast_cancer/breast_cancer.csv", None, None), "spambase": ("spambase/spambase.csv", None, None), "digits": ("digits/digits.csv", None, None),
    "car": ("car/car.csv", None, None), "nursery": ("nursery/nursery.csv.zst", None, None), "mushroom": ("mushroom/mushroom.csv", None, None),
    "covtype15k": ("covtype15k/covtype15k.csv.zst", None, None),
    "a9a": ("a9a/train.libsvm.zst", "a9a/test.libsvm.zst", None), "rcv1_small": ("rcv1_small/train.libsvm.zst", "rcv1_small/test.libsvm", None),
    "mnist10k": ("mnist10k/train.libsvm.zst", "mnist10k/test.libsvm.zst", None)}


def content(path):
    return subprocess.run(["zstd", "-dcq", path] if path.suffix == ".zst" else ["cat", path], capture_output=True, check=True).stdout


def rows_of(path, target):
    name = path.name.removesuffix(".zst")
    if name.endswith(".libsvm"):
        x, y = load_svmlight_file(io.BytesIO(content(path)), n_features=None)
        x.indices, x.indptr = x.indices.astype(np.int32), x.indptr.astype(np.int32)  # what LinearSVC takes
        return x, y
    if name.endswith(".tsv"):
        lines = content(path).decode("utf-8", "replace").rstrip("\n").split("\n")
        return np.array([line.split("\t", 1)[1] for line in lines], dtype=object), np.array([line.split("\t", 1)[0] for line in lines])
    table = pd.read_csv(io.BytesIO(content(path)))
    target = next((c for c in ("class", "label", "target", "y") if c in [str(x).lower() for x in table.columns]), None) or table.columns[-1]
    target = next(c for c in table.columns if str(c).lower() == str(target).lower())
    return table.drop(columns=target), table[target].astype(str).to_numpy()


def candidates(x):
    """Pipelines with their grids."""
    strengths = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100]
    lr, svc = LogisticRegression(max_iter=5000, tol=1e-6), LinearSVC(tol=1e-6, max_iter=20000)
    if isinstance(x, np.ndarray):
        both = [(1, 1), (1, 2)]
        tfidf = {"text__ngram_range": both}
        return [(Pipeline([("text", TfidfVectorizer(sublinear_tf=True)), ("fit", svc)]), {**tfidf, "fit__C": [0.1, 0.3, 1, 3, 10]}),
                (Pipeline([("text", TfidfVectorizer(sublinear_tf=True)), ("fit", lr)]), {**tfidf, "fit__C": [1, 10, 100]}),
                (Pipeline([("text", TfidfVectorizer(sublinear_tf=True)), ("fit", ComplementNB())]), {**tfidf, "fit__alpha": [0.1, 0.3, 1]}),
                (Pipeline([("text", CountVectorizer()), ("fit", MultinomialNB())]), {**tfidf, "fit__alpha": [0.1, 0.3, 1]})]
    if isinstance(x, pd.DataFrame):
        prepare = make_column_transformer(
            (make_pipeline(SimpleImputer(strategy="median"), StandardScaler()), make_column_selector(dtype_include="number")),
            (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_exclude="number")))
        return [(Pipeline([("x", prepare), ("fit", fit)]), {"fit__C": strengths}) for fit in (lr, svc)]
    return [(Pipeline([("x", scale), ("fit", fit)]), {"fit__C": strengths[:7]}) for scale in ("passthrough", MaxAbsScaler()) for fit in (lr, svc)]


def peer(x, y, test):
    best = None
    for pipeline, grid in candidates(x):
        search = GridSearchCV(pipeline, grid, cv=StratifiedKFold(5, shuffle=True, random_state=0), n_jobs=1).fit(x, y)
        if best is None or search.best_score_ > best.best_score_:
            best = search
    words = f"{type(best.best_estimator_.steps[-1][1]).__name__} {best.best_params_}"
    return best.predict(test), words


def own(program, folder, train, test, x, y, tx, ty):
    """The program on the same rows: written again where they were split here."""
    name = train.name.removesuffix(".zst")
    columns = ["--columns", "label,text", "-t", "label"] if name.endswith(".tsv") else []
    if test is None:
        for path, rows, labels in ((folder / "train", x, y), (folder / "test", tx, ty)):
            if isinstance(rows, pd.DataFrame):
                rows.assign(label_to_predict=labels).to_csv(f"{path}.csv", index=False, quoting=csv.QUOTE_MINIMAL)
            else:
                pathlib.Path(f"{path}.tsv").write_text("".join(f"{label}\t{text}\n" for label, text in zip(labels, rows)))
        columns = columns or ["-t", "label_to_predict", "--target-kind", "labels"]
        kind = "csv" if isinstance(x, pd.DataFrame) else "tsv"
        train, test = folder / f"train.{kind}", folder / f"test.{kind}"
    elif isinstance(x, pd.DataFrame):
        table = pd.read_csv(io.BytesIO(content(train)))
        columns = ["-t", next((c for c in table.columns if str(c).lower() in ("class", "label", "target", "y")), table.columns[-1])]
    report = json.loads(subprocess.run([program, "train", train, *columns, "--test", test, "-o", folder / "m.plumb", "--json", "-q"], capture_output=True, check=True).stdout)
    out = subprocess.run([program, "predict", folder / "m.plumb", test, "-q"], capture_output=True, text=True, check=True).stdout
    return np.array([row[0] for row in csv.reader(out.splitlines()[1:])]), report["auto"]["command"].split(" -m ")[1]


def main():
    program, data = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    print("| set | plumb | tuned peer | difference | paired SE | plumb chose | the peer |\n|---|---|---|---|---|---|---|", flush=True)
    differences = []
    for name in sys.argv[3:] or SETS:
        train, test, target = SETS[name]
        train, test = data / train, data / test if test else None
        x, y = rows_of(train, target)
        if test is None:
            x, tx, y, ty = train_test_split(x, y, test_size=0.2, stratify=y, random_state=0)
        else:
            tx, ty = rows_of(test, target)
            if hasattr(tx, "shape") and len(tx.shape) == 2 and not isinstance(tx, pd.DataFrame):
                width = max(x.shape[1], tx.shape[1])
                x.resize(x.shape[0], width), tx.resize(tx.shape[0], width)
        with tempfile.TemporaryDirectory() as scratch:
            mine, words = own(program, pathlib.Path(scratch), train, test, x, y, tx, ty)
        theirs, peer_words = peer(x, y, tx)
        as_text = np.vectorize(lambda v: str(int(v)) if isinstance(v, float) else str(v))
        truth = as_text(ty)
        a, b = mine == truth, as_text(theirs) == truth
        gap = a.astype(float) - b.astype(float)
        differences.append(gap.mean())
        print(f"| {name} | {100 * a.mean():.2f} | {100 * b.mean():.2f} | {100 * gap.mean():+.2f} | {100 * gap.std() / math.sqrt(len(gap)):.2f} | "
              f"{words} | {peer_words} |", flush=True)
    print(f"\nMean difference over {len(differences)} sets: {100 * np.mean(differences):+.2f} points.")


if __name__ == "__main__":
    main()
