"""logistic_data.py FOLDER: the files of the logistic jobs, as LIBSVM text, each made once: IMDB and 20 Newsgroups as tf-idf and a9a from
$PLUMB_DATA or ../shared/data, if they are there, and generated text: 200,000 rows, 200,000 words by Zipf's law."""
import os
import pathlib
import subprocess
import sys

import numpy
import scipy.sparse
from sklearn.datasets import dump_svmlight_file
from sklearn.feature_extraction.text import TfidfVectorizer

DATA = pathlib.Path(os.environ.get("PLUMB_DATA", pathlib.Path(__file__).resolve().parent.parent.parent / "shared" / "data"))


def content(folder):
    path = next(p for p in sorted((DATA / folder).glob("train.*")))
    return subprocess.run(["zstd", "-dcf", path], capture_output=True, check=True).stdout.decode("utf-8", "replace") if path.suffix == ".zst" else path.read_text()


def text(folder):
    rows = [line.split("\t", 1) for line in content(folder).splitlines()]
    labels = sorted({row[0] for row in rows})
    x = TfidfVectorizer().fit_transform([row[1] for row in rows])
    return x, numpy.array([2 * labels.index(row[0]) - 1 if len(labels) == 2 else labels.index(row[0]) for row in rows])


def zipf():
    draw, n, p, words = numpy.random.default_rng(1), 200_000, 200_000, 200
    ids = (float(p) ** draw.random((n, words)) - 1).astype(numpy.int64)
    x = scipy.sparse.csr_matrix((numpy.ones(ids.size), (numpy.repeat(numpy.arange(n), words), ids.ravel())), shape=(n, p))
    x.sum_duplicates()
    x = x.multiply(numpy.log((1 + n) / (1 + numpy.bincount(x.indices, minlength=p))) + 1).tocsr()
    x = (scipy.sparse.diags(1 / numpy.sqrt(numpy.asarray(x.multiply(x).sum(1)).ravel())) @ x).tocsr()
    score = x @ (8 * draw.normal(size=p))
    return x, numpy.where(draw.random(n) < 1 / (1 + numpy.exp(-score)), 1, -1)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in (("imdb", lambda: text("imdb")), ("news", lambda: text("20news_bydate")), ("zipf", zipf)):
        path = folder / f"{name}.libsvm"
        if path.exists() or (name != "zipf" and not DATA.is_dir()):
            continue
        x, y = make()
        dump_svmlight_file(x.astype(numpy.float32), y, str(path) + ".part", zero_based=False)
        os.replace(str(path) + ".part", path)
    if DATA.is_dir() and not (folder / "a9a.libsvm").exists():
        (folder / "a9a.libsvm").write_text(content("a9a"))


if __name__ == "__main__":
    main()
