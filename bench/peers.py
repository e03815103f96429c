"""peers.py JOB FILE: one piece of work by another library, timed inside the process, so that starting Python and importing
do not count. Prints a line of JSON. The caller sets the number of threads in the environment."""
import json
import os
import sys
import time

THREADS = int(os.environ.get("BENCH_THREADS", "1"))


# Each function imports its library and returns the work, which returns its number of rows.
def csv_pandas(path):
    import pandas
    return lambda: len(pandas.read_csv(path, engine="c"))


def csv_pyarrow(path):
    import pyarrow.csv
    return lambda: pyarrow.csv.read_csv(path, read_options=pyarrow.csv.ReadOptions(use_threads=THREADS > 1)).num_rows


def csv_polars(path):
    import polars
    return lambda: polars.read_csv(path).height


def jsonl_pandas(path):
    import pandas
    return lambda: len(pandas.read_json(path, lines=True))


def jsonl_pyarrow(path):
    import pyarrow.json
    return lambda: pyarrow.json.read_json(path, read_options=pyarrow.json.ReadOptions(use_threads=THREADS > 1)).num_rows


def jsonl_polars(path):
    import polars
    return lambda: polars.read_ndjson(path).height


def libsvm_sklearn(path):
    from sklearn.datasets import load_svmlight_file
    return lambda: load_svmlight_file(path)[0].shape[0]


def libsvm_liblinear_python(path):
    from liblinear.commonutil import svm_read_problem
    return lambda: len(svm_read_problem(path, return_scipy=True)[0])


def vw_noop(path):
    """Parses and hashes all examples without learning."""
    import vowpalwabbit
    return lambda: int(vowpalwabbit.Workspace(f"--noop --quiet -d {path}").get_weighted_examples())


def text_count(path, longest):
    """The work of text_speed rows: from the file to a sparse matrix."""
    from sklearn.feature_extraction.text import CountVectorizer

    def work():
        with open(path, encoding="utf-8") as file:
            texts = [line.split("\t", 1)[1] for line in file]
        return CountVectorizer(ngram_range=(1, int(longest))).fit_transform(texts).shape[0]
    return work


def bayes_text(path):
    """From the file to probabilities of words, in the usual scikit-learn way."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB

    def work():
        with open(path, encoding="utf-8") as file:
            labels, texts = zip(*(line.split("\t", 1) for line in file))
        return len(MultinomialNB().fit(CountVectorizer().fit_transform(texts), labels).classes_)
    return work


def bayes_libsvm(path):
    from sklearn.datasets import load_svmlight_file
    from sklearn.naive_bayes import MultinomialNB

    def work():
        x, y = load_svmlight_file(path)
        return len(MultinomialNB().fit(x, y).classes_)
    return work


def lasso_path(rows, columns):
    """Like the rows of bench/sparse_speed.cpp."""
    import numpy
    import warnings
    from sklearn.linear_model import LassoCV
    warnings.filterwarnings("ignore")   # it does not converge everywhere
    draw = numpy.random.default_rng(1)
    rows, columns = int(rows), int(columns)
    x = draw.uniform(-1, 1, (rows, columns)) + draw.uniform(-0.5, 0.5, (rows, 1))
    y = x[:, ::columns // 50].sum(axis=1) + draw.uniform(-20, 20, rows)
    return lambda: len(LassoCV(cv=10, alphas=100, eps=1e-4).fit(x, y).coef_)


def bayes_gaussian(rows, columns):
    import numpy
    from sklearn.naive_bayes import GaussianNB
    draw = numpy.random.default_rng(1)
    x, y = draw.uniform(0, 1, (int(rows), int(columns))), draw.integers(0, 2, int(rows))
    return lambda: len(GaussianNB().fit(x, y).classes_)


def bayes_predict(rows, columns):
    """The rows of bench/bayes_speed.cpp: 100 of the columns each."""
    import numpy
    import scipy.sparse
    from sklearn.naive_bayes import MultinomialNB
    draw = numpy.random.default_rng(1)
    rows, columns, entries = int(rows), int(columns), 100
    index = numpy.arange(entries) * (columns // entries) + draw.integers(0, columns // entries, (rows, entries))
    x = scipy.sparse.csr_matrix((draw.integers(1, 4, rows * entries).astype(float), index.ravel(), numpy.arange(rows + 1) * entries), (rows, columns))
    model = MultinomialNB().fit(x, draw.integers(0, 2, rows))
    return lambda: len(model.predict(x))


def bayes_documents(path):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    with open(path, encoding="utf-8") as file:
        labels, texts = zip(*(line.split("\t", 1) for line in file))
    words = CountVectorizer()
    model = MultinomialNB().fit(words.fit_transform(texts), labels)
    return lambda: len(model.predict(words.transform(texts)))


def fit_from(read):
    """From the file to weights, in the usual scikit-learn way."""
    from sklearn.linear_model import LinearRegression

    def work():
        table = read()
        LinearRegression().fit(table[:, :-1], table[:, -1])
        return len(table)
    return work


def fit_pandas(path):
    import pandas
    return fit_from(lambda: pandas.read_csv(path, engine="c").to_numpy())


def fit_polars(path):
    import polars
    return fit_from(lambda: polars.read_csv(path).to_numpy())


def memory(rows, columns):
    """The problem of bench/fit_speed.cpp: a sum of all columns and noise."""
    import numpy
    draw = numpy.random.default_rng(1)
    x = draw.uniform(-1, 1, (int(rows), int(columns)))
    return x, x.sum(axis=1) + draw.uniform(-1, 1, len(x))


def fit_linear(rows, columns):
    from sklearn.linear_model import LinearRegression
    x, y = memory(rows, columns)
    return lambda: len(LinearRegression().fit(x, y).coef_)


def fit_ridge(rows, columns):
    from sklearn.linear_model import Ridge
    x, y = memory(rows, columns)
    return lambda: len(Ridge(alpha=1e-6, solver="cholesky").fit(x, y).coef_)


def gram_numpy(rows, columns):
    x, _ = memory(rows, columns)
    return lambda: len(x.T @ x)


def logistic_value(x, y, weights, bias=0.0):
    """sum of losses + |w|^2 / 2, for two classes (-1 and 1) or softmax: recomputed here, independent of the peer."""
    import numpy
    import scipy.special
    z = x @ weights.T + bias
    if z.ndim == 1 or z.shape[1] == 1:
        loss = numpy.logaddexp(0, -numpy.where(y > 0, 1, -1) * z.ravel()).sum()
    else:
        loss = (scipy.special.logsumexp(z, axis=1) - z[numpy.arange(len(y)), y.astype(int)]).sum()
    return {"objective": float(loss + (weights ** 2).sum() / 2)}


def logistic_liblinear(path, solver, tolerance):
    """Training alone, C = 1, no bias."""
    import numpy
    from liblinear.liblinear import parameter, problem
    from liblinear.liblinearutil import train
    from sklearn.datasets import load_svmlight_file
    x, y = load_svmlight_file(path)
    prepared, options = problem(y, x, bias=-1), parameter(f"-s {solver} -c 1 -e {tolerance} -q")

    def work():
        model = train(prepared, options)
        sign = 1 if model.get_labels()[0] > 0 else -1
        return lambda: logistic_value(x, y, sign * numpy.array(model.get_decfun()[0]))
    return work


def logistic_sklearn(path, solver, tolerance):
    """Training alone, C = 1; "dense" is the data of bench/logistic_speed.cpp, with a bias; files have none."""
    import numpy
    from sklearn.datasets import load_svmlight_file
    from sklearn.linear_model import LogisticRegression
    if path == "dense":
        draw = numpy.random.default_rng(1)
        x = draw.uniform(-1, 1, (500_000, 54))
        score = x @ ((numpy.arange(54) % 3 - 1.0) / 2)
        x *= 10 ** (4 * numpy.arange(54) / 53)
        y = numpy.where(draw.uniform(size=len(x)) < 1 / (1 + numpy.exp(-score)), 1, -1)
    else:
        x, y = load_svmlight_file(path)

    def work():
        model = LogisticRegression(C=1, solver=solver, tol=float(tolerance), max_iter=10_000, fit_intercept=path == "dense").fit(x, y)
        return lambda: logistic_value(x, y, model.coef_, model.intercept_)
    return work


def online_sklearn(kind):
    """A pass of scikit-learn's online learners over rows like those of bench/online_speed.cpp: a tenth of the extra time of a fit of twenty
    over one of ten; and a tenth of a fit of ten."""
    import numpy
    import scipy.sparse
    from sklearn.linear_model import Perceptron, SGDClassifier
    draw, rows, features, words = numpy.random.default_rng(1), 25_000, 75_000, 280
    ids = (float(features) ** draw.random((rows, words))).astype(numpy.int64) - 1
    x = scipy.sparse.csr_matrix((numpy.ones(ids.size), (numpy.repeat(numpy.arange(rows), words), ids.ravel())), shape=(rows, features))
    x.sum_duplicates()
    score = x @ (draw.random(features) - 0.5) + 4 * (draw.random(rows) - 0.5)
    y = score > numpy.median(score)

    def seconds(passes):
        model = (Perceptron(max_iter=passes, tol=None) if kind == "perceptron" else
                 SGDClassifier(loss="log_loss", average=True, max_iter=passes, tol=None))
        begin = time.thread_time()
        model.fit(x, y)
        return time.thread_time() - begin
    ten, twenty = (min(seconds(passes) for _ in range(3)) for passes in (10, 20))
    return {"pass": (twenty - ten) / 10, "pass_of_ten": ten / 10, "entries": int(x.nnz)}


def tune_sklearn(path):
    """Ten folds, seven penalties, two workers; the best is refitted to all rows."""
    import numpy
    from sklearn.datasets import load_svmlight_file
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    x, y = load_svmlight_file(path)
    x.indices, x.indptr = x.indices.astype(numpy.int32), x.indptr.astype(numpy.int32)
    search = GridSearchCV(LogisticRegression(max_iter=1000), {"C": [10.0 ** k for k in range(-3, 4)]}, cv=10, n_jobs=2, scoring="neg_log_loss")
    return lambda: len(search.fit(x, y).cv_results_["params"])


def best_seconds(work):
    """As in bench/measure.h: the best of half a second of calls, by the thread's clock."""
    first = time.thread_time()
    work()
    repeats = 1 + int(1e-4 / (time.thread_time() - first + 1e-9))
    best, end = float("inf"), time.thread_time() + 0.5
    while time.thread_time() < end:
        begin = time.thread_time()
        for _ in range(repeats):
            work()
        best = min(best, (time.thread_time() - begin) / repeats)
    return best


def math_numpy():
    """The jobs of math_speed json, with numpy and its OpenBLAS on one thread."""
    import numpy
    draw = numpy.random.default_rng(1)

    def function(f, low, high):
        x, y = draw.uniform(low, high, 4096), numpy.empty(4096)
        return 1e9 * best_seconds(lambda: f(x, out=y)) / len(x)

    def gram(p):
        x = draw.uniform(-1, 1, (2_000_000 // p, p))
        return 1e-9 * len(x) * p * (p + 1) / best_seconds(lambda: x.T @ x)

    def cholesky(p):
        x = draw.uniform(-1, 1, (2 * p, p))
        a = x.T @ x
        return 1e-9 * p ** 3 / 3 / best_seconds(lambda: numpy.linalg.cholesky(a))

    return {"exp": function(numpy.exp, -20, 20), "log": function(numpy.log, 1e-3, 1e3), "gram_50": gram(50),
            "gram_500": gram(500), "cholesky_500": cholesky(500)}


def timed(work):
    wall, cpu = time.perf_counter(), time.process_time()
    rows = work()
    result = {"seconds": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    return {**result, **rows()} if callable(rows) else {**result, "rows": rows}


def main():
    work = globals()[sys.argv[1]](*sys.argv[2:])
    print(json.dumps(timed(work) if callable(work) else work))   # a number was measured by the job itself


if __name__ == "__main__":
    main()
