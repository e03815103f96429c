#!/usr/bin/env python3
"""Times of plumb.sklearn beside scikit-learn's own estimators, from memory, at equal accuracy.

    PYTHONPATH=python python bench/python_speed.py [--data FOLDER] [--full]

Prints a table: CPU seconds and wall seconds of each (the least of several runs), their ratios, and how the two compare:
the objective of a fit relative to scikit-learn's, or whether results are equal. --full takes a million rows.
"""
import argparse
import os
import pathlib
import subprocess
import time
import warnings

import numpy as np
from scipy.sparse import random as random_sparse
from scipy.special import logsumexp

warnings.simplefilter("ignore")

ROOT = pathlib.Path(__file__).resolve().parent.parent


def least(call, runs):
    """The least CPU time and wall time of a call, and its result."""
    found, cpu, wall = None, [], []
    for _ in range(runs):
        begin, clock = time.process_time(), time.perf_counter()
        found = call()
        cpu.append(time.process_time() - begin)
        wall.append(time.perf_counter() - clock)
    return min(cpu), min(wall), found


def line(name, ours, theirs, verdict, runs=3):
    """One line of the table."""
    cpu, wall, mine = least(ours, runs)
    other_cpu, other_wall, other = least(theirs, runs)
    print(f"{name:34} {cpu:9.4f} {other_cpu:9.4f} {other_cpu / max(cpu, 1e-9):7.1f} {wall:9.4f} {other_wall:9.4f} {other_wall / wall:7.1f}  {verdict(mine, other)}", flush=True)


def objective(fitted, X, y):
    """That of logistic regression with C = 1."""
    scores = fitted.decision_function(X)
    codes = np.searchsorted(fitted.classes_, y)
    if scores.ndim == 1:
        scores = np.column_stack((np.zeros(len(scores)), scores))
    return (logsumexp(scores, axis=1) - scores[np.arange(len(codes)), codes]).sum() + (fitted.coef_**2).sum() / 2


def news(folder):
    """The labels and texts of the 20 Newsgroups."""
    raw = subprocess.run(["zstd", "-dc", folder / "20news_bydate" / "train.tsv.zst"], capture_output=True, check=True).stdout.decode()
    rows = [each.split("\t", 1) for each in raw.splitlines() if "\t" in each]
    return np.unique([label for label, _ in rows], return_inverse=True)[1], [text for _, text in rows]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(os.environ.get("PLUMB_DATA", ROOT.parent / "shared" / "data")))
    parser.add_argument("--full", action="store_true", help="a million rows for least squares")
    given = parser.parse_args()

    from sklearn import linear_model as lm
    from sklearn import naive_bayes as nb
    from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

    import plumb.sklearn as skl

    random = np.random.default_rng(0)
    print(f"{'':34} {'plumb':>9} {'sklearn':>9} {'':>7} {'plumb':>9} {'sklearn':>9}")
    print(f"{'':34} {'CPU s':>9} {'CPU s':>9} {'ratio':>7} {'wall s':>9} {'wall s':>9} {'ratio':>7}")

    rows = 1_000_000 if given.full else 200_000
    X = random.normal(size=(rows, 50))
    y = X @ random.normal(size=50) + random.normal(size=rows)
    close = lambda a, b: f"predictions differ by {np.abs(a.predict(X) - b.predict(X)).max():.1e}"  # noqa: E731
    line(f"LinearRegression {rows:,} x 50", lambda: skl.LinearRegression().fit(X, y), lambda: lm.LinearRegression().fit(X, y), close)
    line(f"Ridge {rows:,} x 50", lambda: skl.Ridge().fit(X, y), lambda: lm.Ridge().fit(X, y), close)
    mine, other = skl.LinearRegression().fit(X, y), lm.LinearRegression().fit(X, y)
    line("predict, all rows", lambda: mine.predict(X), lambda: other.predict(X), lambda a, b: f"differ by {np.abs(a - b).max():.1e}")
    times = lambda each: lambda: [each.predict(X[:1]) for _ in range(1000)]  # noqa: E731
    line("predict, one row, 1,000 times", times(mine), times(other), lambda a, b: "")

    X = X[:100_000]
    y = (X @ random.normal(size=50) / 5 + random.logistic(size=len(X)) > 0).astype(int)
    same = lambda a, b: f"objective {objective(a, X, y) / objective(b, X, y) - 1:+.1e}"  # noqa: E731
    line("LogisticRegression 100,000 x 50", lambda: skl.LogisticRegression().fit(X, y), lambda: lm.LogisticRegression().fit(X, y), same)
    mine, other = skl.LogisticRegression().fit(X, y), lm.LogisticRegression().fit(X, y)
    line("predict_proba, one row, 1,000 times", lambda: [mine.predict_proba(X[:1]) for _ in range(1000)],
         lambda: [other.predict_proba(X[:1]) for _ in range(1000)], lambda a, b: "")

    if not given.data.exists():
        S = random_sparse(10_000, 50_000, density=2e-3, format="csr", random_state=0)
        groups = random.integers(0, 20, S.shape[0])
        print("skipped: no data; counts are drawn at random")
    else:
        groups, texts = news(given.data)
        equal = lambda a, b: f"equal: {bool((a != b).nnz == 0)}"  # noqa: E731
        near = lambda a, b: f"differ by {abs(a - b).max():.1e}"  # noqa: E731
        line("TextVectorizer", lambda: skl.TextVectorizer().fit_transform(texts), lambda: CountVectorizer().fit_transform(texts), equal)
        line("TextVectorizer, tf-idf", lambda: skl.TextVectorizer(use_idf=True, norm="l2").fit_transform(texts),
             lambda: TfidfVectorizer().fit_transform(texts), near)
        line("TextVectorizer, ngrams 1-2", lambda: skl.TextVectorizer(ngram_range=(1, 2)).fit_transform(texts),
             lambda: CountVectorizer(ngram_range=(1, 2)).fit_transform(texts), equal, runs=1)
        line("TextVectorizer, stop words", lambda: skl.TextVectorizer(stop_words="english").fit_transform(texts),
             lambda: CountVectorizer(stop_words="english").fit_transform(texts), equal, runs=2)
        reader, writer = skl.TextVectorizer().fit(texts), CountVectorizer().fit(texts)
        line("TextVectorizer.transform", lambda: reader.transform(texts), lambda: writer.transform(texts), equal, runs=2)
        counts = reader.transform(texts).astype(np.float64)
        line("MultinomialNB", lambda: skl.MultinomialNB().fit(counts, groups), lambda: nb.MultinomialNB().fit(counts, groups),
             lambda a, b: f"weights differ by {np.abs(a.feature_log_prob_ - b.feature_log_prob_).max():.1e}")
        S = skl.TextVectorizer(use_idf=True, norm="l2").fit_transform(texts)
    two = (groups >= 10).astype(int)
    line("LogisticRegression, sparse, 2", lambda: skl.LogisticRegression().fit(S, two), lambda: lm.LogisticRegression().fit(S, two),
         lambda a, b: f"objective {objective(a, S, two) / objective(b, S, two) - 1:+.1e}", runs=1)
    line("LogisticRegression, sparse, 20", lambda: skl.LogisticRegression().fit(S, groups), lambda: lm.LogisticRegression().fit(S, groups),
         lambda a, b: f"objective {objective(a, S, groups) / objective(b, S, groups) - 1:+.1e}", runs=1)


if __name__ == "__main__":
    main()
