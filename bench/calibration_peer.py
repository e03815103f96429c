"""Log loss and calibration error of naive Bayes on held-out texts: plumb --calibrate beside scikit-learn's CalibratedClassifierCV.

    python3 bench/calibration_peer.py PLUMB TRAIN.tsv TEST.tsv     (lines of label, tab, text; needs scikit-learn)
"""
import json
import pathlib
import subprocess
import sys
import tempfile

import numpy as np
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.metrics import log_loss
from sklearn.naive_bayes import MultinomialNB


def read(path):
    rows = [line.rstrip("\n").split("\t", 1) for line in open(path, encoding="utf-8", newline="\n")]
    return [text for _, text in rows], np.array([label for label, _ in rows])


def calibration_error(p, labels, classes):
    """The mean difference between confidence and accuracy, over tenths of confidence."""
    confidence, right = p.max(1), classes[p.argmax(1)] == labels
    place = np.minimum((confidence * 10).astype(int), 9)
    return sum(abs(confidence[place == b].mean() - right[place == b].mean()) * (place == b).mean() for b in set(place))


def peer(train, test):
    texts, labels = read(train)
    others, actual = read(test)
    words = CountVectorizer()
    x, z = words.fit_transform(texts), words.transform(others)
    for method in "sigmoid", "isotonic":
        model = CalibratedClassifierCV(MultinomialNB(), method=method, cv=5).fit(x, labels)
        p = model.predict_proba(z)
        yield f"scikit-learn {method}", log_loss(actual, p, labels=model.classes_), calibration_error(p, actual, model.classes_)


def own(program, train, test):
    with tempfile.TemporaryDirectory() as scratch:
        model = str(pathlib.Path(scratch) / "bayes.plumb")
        columns = ["--columns", "label,text", "-q"]
        for way in "none", "sigmoid":
            subprocess.run([program, "train", train, *columns, "-t", "label", "-m", "naive-bayes", "--test", "none", "--calibrate", way,
                            "-o", model], check=True, capture_output=True)
            report = json.loads(subprocess.run([program, "evaluate", model, test, *columns, "--resamples", "0", "--json"], check=True,
                                               capture_output=True).stdout)
            yield f"plumb {way}", report["metrics"]["log_loss"]["value"], report["calibration_error"]


if __name__ == "__main__":
    for name, loss, error in [*own(*sys.argv[1:4]), *peer(*sys.argv[2:4])]:
        print(f"{name:24} log loss {loss:.4f}  calibration error {error:.4f}")
