"""THE list of what ./run bench measures: JOBS, at the end. A job is a row of the table: the contestants, the
limit, and the targets."""
import dataclasses
import os
import pathlib
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAMS = ROOT / "build/release/bench"
PLUMB = ROOT / "build/release/plumb"
FOLDER = ROOT / "build/bench"          # all that a run leaves
PYTHON = FOLDER / "venv/bin/python"
LIBLINEAR = FOLDER / "liblinear/usr"   # Debian's liblinear-tools, unpacked
LOGISTIC = FOLDER / "logistic"         # what bench/logistic_data.py makes
SHARED = pathlib.Path(os.environ.get("PLUMB_DATA", ROOT.parent / "shared" / "data"))   # real data, where they are
BOTH = (1, 2)                          # threads


@dataclasses.dataclass(frozen=True)
class Data:
    """A file that bench/make_data.cpp makes once."""
    name: str
    kind: str
    packed_from: typing.Optional["Data"] = None

    def path(self, megabytes):
        return FOLDER / f"data_{megabytes}" / self.name

    def text_bytes(self, megabytes):
        return (self.packed_from or self).path(megabytes).stat().st_size


@dataclasses.dataclass(frozen=True)
class Probe:
    """A command, run once a round. It prints a line of JSON; if it is `whole`, the time of the whole process counts."""
    command: tuple                     # "{data}" stands for the path of the job's file
    environment: tuple = ()
    module: str = ""                   # of Python, or a path, that must be there
    whole: int = 0                     # so many times a round, of which the best counts


@dataclasses.dataclass(frozen=True)
class Contender:
    label: str
    threads: int
    probe: Probe
    key: tuple = ("seconds",)          # where the number is in what the probe prints


@dataclasses.dataclass(frozen=True)
class Target:
    """Ours on one thread must be at least `least` or at most `most` (in the job's unit), `scaling` times that on two, `times` as fast as a peer."""
    least: float = 0
    most: float = 0
    scaling: float = 0
    times: float = 0
    peer: str = ""


@dataclasses.dataclass(frozen=True)
class Job:
    name: str                          # what is typed
    part: str                          # read, text, number, math, fit, folds, logistic, inference, online, margin, bayes, program: typed too
    title: str
    unit: str                          # MB/s, GFLOP/s: more is better; ns, ms, s, fits: less is
    ours: tuple
    peers: tuple = ()
    limit: typing.Optional[Contender] = None
    targets: tuple = ()
    data: typing.Optional[Data] = None
    memory: bool = False

    def contenders(self):
        return self.ours + self.peers + ((self.limit,) if self.limit else ())

    def more_is_better(self):
        return self.unit.endswith("/s")

    def value(self, contender, result, megabytes):
        """One thread that reads a warm file waits only for other processes, so if its CPU time is less than the
        wall time, it is the better measure. For two threads, and for the program, which writes files, the wall time counts."""
        cpu = result.get("cpu")
        for key in contender.key:
            result = result[key]
        if contender.key != ("seconds",):
            return result
        if contender.threads == 1 and self.part in ("read", "text"):
            result = min(result, cpu)
        if self.unit == "MB/s":
            return self.data.text_bytes(megabytes) / 1e6 / result
        return result * {"s": 1, "ms": 1e3}[self.unit]


def python(label, threads, work, module):
    environment = tuple((name, str(threads)) for name in ("BENCH_THREADS", "POLARS_MAX_THREADS", "OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"))
    return Contender(label, threads, Probe((PYTHON, ROOT / "bench/peers.py", work, "{data}"), environment, module))


def on_both(label, work, module):
    return tuple(python(label, threads, work, module) for threads in BOTH)


def liblinear_program():
    """Debian's program up to the end of its reading (bench/liblinear_reader.cpp)."""
    libraries = sorted(LIBLINEAR.glob("lib/*")) + sorted(LIBLINEAR.glob("lib/*/blas"))
    environment = (("LD_LIBRARY_PATH", ":".join(map(str, libraries))), ("LD_PRELOAD", str(PROGRAMS / "libliblinear_reader.so")))
    program = LIBLINEAR / "bin/liblinear-train"
    return Contender("LIBLINEAR (C)", 1, Probe((program, "{data}", os.devnull), environment, str(program)))


def reading(name, title, data, peers=(), targets=(), limit="lines"):
    ours = tuple(Contender("plumb", threads, Probe((PROGRAMS / "read_speed", "read", str(threads), "{data}"))) for threads in BOTH)
    label = {"lines": "scan", "unpack": "unpack"}[limit]
    return Job(name, "read", title, "MB/s", ours, peers, Contender(label, 1, Probe((PROGRAMS / "read_speed", limit, "{data}"))),
               targets, data, memory=True)


def parsing(name, title, texts):
    probe = Probe((PROGRAMS / "number_speed", "json"))
    return Job(name, "number", title, "ns", (Contender("plumb", 1, probe, (texts, "ours")),),
               (Contender("from_chars", 1, probe, (texts, "from_chars")), Contender("strtod", 1, probe, (texts, "strtod"))))


def kernel(name, title, unit, limited=True):
    ours, numpy = Probe((PROGRAMS / "math_speed", "json")), python("numpy", 1, "math_numpy", "numpy").probe
    return Job(name, "math", title, unit, (Contender("plumb", 1, ours, (name,)),), (Contender("numpy", 1, numpy, (name,)),),
               Contender("FMA", 1, ours, ("fma_peak",)) if limited else None)


def fitting(name, title, rows, columns, peers=(), digits=0, spread=0, targets=(), limit=None):
    """Least squares from memory. digits 0: the default; spread: about log10 of the condition number."""
    size = tuple(map(str, (rows, columns)))
    ours = tuple(Contender("plumb", threads, Probe((PROGRAMS / "fit_speed", str(threads)) + size + (str(digits), str(spread)))) for threads in BOTH)
    def peer(label, work):
        return tuple(Contender(label, threads, dataclasses.replace(python(label, threads, work, "sklearn").probe,
                                                                   command=(PYTHON, ROOT / "bench/peers.py", work) + size)) for threads in BOTH)
    both = tuple(contender for label, work in peers for contender in peer(label, work))
    return Job(name, "fit", title, "ms", ours, both, peer("X'X", "gram_numpy")[0] if limit else None, targets)


def sparse(name, title, rows, columns, targets=()):
    """A lasso path of 100 penalties with 10 folds, from memory."""
    size = tuple(map(str, (rows, columns)))
    ours = tuple(Contender("plumb", threads, Probe((PROGRAMS / "sparse_speed", str(threads)) + size)) for threads in BOTH)
    peer = python("LassoCV", 1, "lasso_path", "sklearn")
    peer = dataclasses.replace(peer, probe=dataclasses.replace(peer.probe, command=(PYTHON, ROOT / "bench/peers.py", "lasso_path") + size))
    return Job(name, "fit", title, "s", ours, (peer,), targets=targets)


def texts(name, title, data, mode, longest=1, peers=False, targets=()):
    """Documents to counts. The limit: words found and hashed, without counting."""
    def speed(mode, threads):
        return Probe((PROGRAMS / "text_speed", mode, str(threads), "{data}", str(longest)))
    ours = tuple(Contender("plumb", threads, speed(mode, threads)) for threads in BOTH)
    sklearn = python("CountVectorizer", 1, "text_count", "sklearn")
    sklearn = dataclasses.replace(sklearn, probe=dataclasses.replace(sklearn.probe, command=sklearn.probe.command + (str(longest),)))
    return Job(name, "text", title, "MB/s", ours, (sklearn,) if peers else (), Contender("words", 1, speed("words", 1)), targets, data)


def training(data):
    def train(threads):
        return Probe((PLUMB, "train", "{data}", "-t", "y", "-q", "--test", "none", "-o", FOLDER / "model.plumb", "-j", str(threads)), whole=1)
    return Job("train", "program", "CSV to model", "s", tuple(Contender("plumb train", threads, train(threads)) for threads in BOTH),
               on_both("pandas, LinearRegression", "fit_pandas", "pandas") + on_both("polars, LinearRegression", "fit_polars", "polars"),
               Contender("scan", 1, Probe((PROGRAMS / "read_speed", "lines", "{data}"))), (Target(times=8, peer="pandas, LinearRegression"),), data)


def bayes_program(name, title, data, options, work, times):
    """From a file to a saved naive Bayes. The limit: reading the same file, without training."""
    def train(threads):
        return Probe((PLUMB, "train", "{data}", "-m", "naive-bayes", "-q", "--test", "none", "-o", FOLDER / "model.plumb", "-j", str(threads)) + options, whole=1)
    reads = Probe((PROGRAMS / "text_speed", "rows", "1", "{data}", "1") if data is TEXT else (PROGRAMS / "read_speed", "read", "1", "{data}"))
    return Job(name, "bayes", title, "s", tuple(Contender("plumb train", threads, train(threads)) for threads in BOTH),
               (python("MultinomialNB", 1, work, "sklearn"),), Contender("rows read", 1, reads), (Target(times=times, peer="MultinomialNB"),), data)


def bayes(name, title, work, peer, arguments, limit=None, data=None, targets=()):
    """From memory, or from raw documents to predictions."""
    arguments = tuple(map(str, arguments))
    def speed(work, threads):
        return Probe((PROGRAMS / "bayes_speed", work, str(threads)) + arguments)
    ours = tuple(Contender("plumb", threads, speed(work, threads)) for threads in BOTH)
    probe = dataclasses.replace(python("", 1, peer, "sklearn").probe, command=(PYTHON, ROOT / "bench/peers.py", peer) + arguments)
    return Job(name, "bayes", title, "MB/s" if data else "ms", ours, (Contender("scikit-learn", 1, probe),),
               Contender("one read", 1, speed(limit, 1)) if limit else None, targets, data)


def folding(name, title, work, key, most):
    """Cross-validation, in units of a fit to the same rows: CPU time over CPU time, so that other processes do not count."""
    ours = tuple(Contender("plumb", threads, Probe((PROGRAMS / "fold_speed", work[0], str(threads)) + tuple(map(str, work[1:]))), (key,))
                 for threads in BOTH)
    return Job(name, "folds", title, "fits", ours, targets=(Target(most=most),))


def logistic(name, title, file, peers, one):
    """Logistic regression from memory to a relative suboptimality of 1e-6, l2 = 1. A peer: label, work, its solver, and the loosest tolerance
    that reaches it, by the objective recomputed here."""
    path = "dense" if file == "dense" else LOGISTIC / file
    ours = tuple(Contender("plumb", threads, Probe((PROGRAMS / "logistic_speed", path, str(threads), "auto"))) for threads in BOTH)
    def peer(label, work, solver, tolerance):
        contender = python(label, 1, work, "liblinear" if work == "logistic_liblinear" else "sklearn")
        command = (PYTHON, ROOT / "bench/peers.py", work, path, solver, tolerance)
        return dataclasses.replace(contender, probe=dataclasses.replace(contender.probe, command=command))
    targets = tuple(Target(times=one, peer=label) for label, *_ in peers)
    return Job(name, "logistic", title, "s", ours, tuple(peer(*each) for each in peers), targets=targets)


def logistic_program(name, title, file, solver, tolerance):
    """From a LIBSVM file to a saved model."""
    def train(threads):
        words = ("train", LOGISTIC / file, "-m", "logistic", "--no-bias", "-q", "--test", "none", "-o", FOLDER / "model.plumb", "-j", str(threads))
        return Contender("plumb train", threads, Probe((PLUMB,) + words, whole=1))
    program = liblinear_program()
    environment = tuple(pair for pair in program.probe.environment if pair[0] != "LD_PRELOAD")
    command = (LIBLINEAR / "bin/liblinear-train", "-q", "-s", solver, "-c", "1", "-e", tolerance, LOGISTIC / file, FOLDER / "liblinear.model")
    peer = Contender("LIBLINEAR (C)", 1, Probe(command, environment, program.probe.module, whole=1))
    return Job(name, "logistic", title, "s", tuple(map(train, BOTH)), (peer,), targets=(Target(times=5, peer="LIBLINEAR (C)"),))


def tuning(name, title, file):
    """From a LIBSVM file to the model of the best of seven penalties by ten folds; the peer has its rows in memory already."""
    words = ("tune", LOGISTIC / file, "-m", "logistic", "--grid", "l2=1e-3..1e3:7", "--folds", "10", "-q", "--test", "none", "-o", FOLDER / "model.plumb")
    ours = tuple(Contender("plumb tune", threads, Probe((PLUMB,) + words + ("-j", str(threads)), whole=1)) for threads in BOTH)
    peer = python("GridSearchCV", 2, "tune_sklearn", "sklearn")
    one = tuple((key, "1" if key != "BENCH_THREADS" else value) for key, value in peer.probe.environment)   # each of its workers
    probe = dataclasses.replace(peer.probe, command=(PYTHON, ROOT / "bench/peers.py", "tune_sklearn", LOGISTIC / file), environment=one)
    return Job(name, "logistic", title, "s", ours, (dataclasses.replace(peer, probe=probe),), targets=(Target(times=5, peer="GridSearchCV"),))


def online(name, title, learner, kind, times=0, key="pass"):
    """A pass over 25,000 sparse rows in random order, or a tenth of ten including the copy of the rows. The limit: gathers and multiply-adds over the same rows, without learning."""
    ours = Probe((PROGRAMS / "online_speed",))
    peer = dataclasses.replace(python("", 1, "", "sklearn").probe, command=(PYTHON, ROOT / "bench/peers.py", "online_sklearn", kind))
    return Job(name, "online", title, "s", (Contender("plumb", 1, ours, (learner,)),), (Contender("scikit-learn", 1, peer, (key,)),),
               Contender("gather", 1, ours, ("gather_shuffled",)), (Target(times=times, peer="scikit-learn"),) if times else ())


def inferring(name, title, rows, columns, most):
    """What Wald results add to a logistic fit without a penalty, in units of one Newton step on the same rows in the same run."""
    ours = tuple(Contender("plumb", threads, Probe((PROGRAMS / "inference_speed", str(threads), str(rows), str(columns))), ("steps",))
                 for threads in BOTH)
    return Job(name, "inference", title, "steps", ours, targets=(Target(most=most),))


def voting(name, title, key, targets=()):
    """Votes of all hypotheses of a perceptron on IMDB, in units of the CPU time of one hyperplane."""
    probe = Probe((PROGRAMS / "vote_speed", SHARED / "imdb/train.tsv.zst"))
    return Job(name, "online", title, "times", (Contender("plumb", 1, probe, (key,)),), targets=targets)


def margin(name, title, file, most, *words):
    """From a text file to both bounds on the margin."""
    probe = Probe((PLUMB, "margin", SHARED / file, "--columns", "label,text", "-t", "label", "-q", "-j", "1") + words, whole=1)
    return Job(name, "margin", title, "s", (Contender("plumb", 1, probe),), targets=(Target(most=most),))


START = Job("start", "program", "plumb --version", "ms", (Contender("plumb", 1, Probe((PLUMB, "--version"), whole=20)),),
            limit=Contender("true", 1, Probe(("/bin/true",), whole=20)))

LIBSVM_ONES = Data("ones.libsvm", "libsvm_ones")
LIBSVM_DECIMALS = Data("decimals.libsvm", "libsvm_decimals")
CSV = Data("numbers.csv", "csv")
CSV_GZIP = Data("numbers.csv.gz", "gzip", CSV)
CSV_ZSTD = Data("numbers.csv.zst", "zstd", CSV)
JSONL_NUMBERS = Data("numbers.jsonl", "jsonl_numbers")
JSONL_MIXED = Data("mixed.jsonl", "jsonl_mixed")
VW = Data("words.vw", "vw_words")
TEXT = Data("words.tsv", "text_words")
TEXT_BEYOND_ASCII = Data("beyond_ascii.tsv", "text_beyond_ascii")

LIBSVM_PEERS = (python("scikit-learn", 1, "libsvm_sklearn", "sklearn"), liblinear_program(),
                python("LIBLINEAR (Python)", 1, "libsvm_liblinear_python", "liblinear"))
LIBSVM_TARGETS = (Target(least=700), Target(scaling=1.5), Target(times=8, peer="scikit-learn"), Target(times=8, peer="LIBLINEAR (C)"))
CSV_PEERS = (python("pandas", 1, "csv_pandas", "pandas"),) + on_both("pyarrow", "csv_pyarrow", "pyarrow") + on_both("polars", "csv_polars", "polars")
JSONL_PEERS = ((python("pandas", 1, "jsonl_pandas", "pandas"),) + on_both("pyarrow", "jsonl_pyarrow", "pyarrow") +
               on_both("polars", "jsonl_polars", "polars"))

FIT_PEERS = (("LinearRegression", "fit_linear"), ("Ridge", "fit_ridge"))   # of scikit-learn; Ridge by its Cholesky solver

JOBS = (
    reading("libsvm_ones", "LIBSVM, ones", LIBSVM_ONES, LIBSVM_PEERS, LIBSVM_TARGETS),
    reading("libsvm_decimals", "LIBSVM, 6 digits", LIBSVM_DECIMALS, LIBSVM_PEERS, LIBSVM_TARGETS),
    reading("csv", "CSV, 50 numbers", CSV, CSV_PEERS, (Target(least=450), Target(scaling=1.5), Target(times=5, peer="pandas"))),
    reading("csv_gzip", "CSV .gz", CSV_GZIP, limit="unpack"),
    reading("csv_zstd", "CSV .zst", CSV_ZSTD, limit="unpack"),
    reading("jsonl_numbers", "JSON, numbers", JSONL_NUMBERS, JSONL_PEERS, (Target(least=300),)),
    reading("jsonl_mixed", "JSON, mixed", JSONL_MIXED, JSONL_PEERS, (Target(least=300),)),
    reading("vw", "VW, words", VW, (python("vw --noop", 1, "vw_noop", "vowpalwabbit"),)),
    texts("text_count", "text, counts", TEXT, "count", targets=(Target(least=400), Target(scaling=1.7))),
    texts("text_count_2", "... and of pairs", TEXT, "count", longest=2, targets=(Target(least=150), Target(scaling=1.7))),
    texts("text_beyond_ascii", "text, Greek and Chinese", TEXT_BEYOND_ASCII, "count", targets=(Target(least=60),)),
    texts("text_rows", "text file to rows", TEXT, "rows", peers=True, targets=(Target(times=25, peer="CountVectorizer"),)),
    texts("text_rows_2", "... with pairs", TEXT, "rows", longest=2, peers=True),
    parsing("number_2", "number, 2 decimals", "two decimals"),
    parsing("number_6", "number, 6 digits", "6 digits"),
    parsing("number_17", "number, 17 digits", "17 digits"),
    kernel("exp", "exp", "ns", limited=False),
    kernel("log", "log", "ns", limited=False),
    kernel("gram_50", "Gram, 50", "GFLOP/s"),
    kernel("gram_500", "Gram, 500", "GFLOP/s"),
    kernel("cholesky_500", "Cholesky, 500", "GFLOP/s"),
    fitting("fit_50", "least squares, 1,000,000 x 50", 1_000_000, 50, FIT_PEERS, limit=True,
            targets=(Target(times=30, peer="LinearRegression"), Target(times=4, peer="Ridge"))),
    fitting("fit_50_refined", "... to the last digit", 1_000_000, 50, digits=15),
    fitting("fit_50_condition_4", "... of condition 1e4", 1_000_000, 50, spread=4),
    fitting("fit_50_condition_6", "... of condition 1e6", 1_000_000, 50, spread=6),
    fitting("fit_50_few", "least squares, 10,000 x 50", 10_000, 50, FIT_PEERS),
    fitting("fit_200", "least squares, 100,000 x 200", 100_000, 200, FIT_PEERS, limit=True),
    fitting("fit_500", "least squares, 100,000 x 500", 100_000, 500, FIT_PEERS, limit=True, targets=(Target(times=8, peer="LinearRegression"),)),
    fitting("fit_10", "least squares, 100,000 x 10", 100_000, 10, FIT_PEERS, limit=True),
    sparse("lasso_path", "lasso path of 100, 10 folds, 20,000 x 2,000", 20_000, 2_000, targets=(Target(times=5, peer="LassoCV"),)),
    bayes_program("bayes_text", "text to naive Bayes", TEXT, ("--columns", "label,text", "-t", "label"), "bayes_text", 25),
    bayes_program("bayes_libsvm", "LIBSVM to naive Bayes", LIBSVM_ONES, (), "bayes_libsvm", 10),
    bayes("bayes_gaussian", "Gaussian, 200,000 x 50", "gaussian", "bayes_gaussian", (200_000, 50), limit="sum"),
    bayes("bayes_wide", "Gaussian, 1,000 x 15,000", "gaussian", "bayes_gaussian", (1_000, 15_000), limit="sum"),
    bayes("bayes_predict", "predict 100,000 sparse rows", "predict", "bayes_predict", (100_000, 50_000), targets=(Target(times=4, peer="scikit-learn"),)),
    bayes("bayes_documents", "predict raw documents", "documents", "bayes_documents", ("{data}",), data=TEXT, targets=(Target(least=300),)),
    folding("folds_text", "naive Bayes, 10 folds, words", ("text",), "folds", 1.3),
    folding("folds_categories", "... categories", ("categories",), "folds", 1.3),
    folding("folds_gaussian", "... numbers", ("gaussian",), "folds", 1.3),
    folding("loo_text", "naive Bayes, leave-one-out, words", ("text",), "left_out", 1.5),
    folding("loo_categories", "... categories", ("categories",), "left_out", 1.5),
    folding("loo_gaussian", "... numbers", ("gaussian",), "left_out", 1.5),
    folding("loo_gaussian_feature", "... numbers, `--variance feature`", ("gaussian",), "left_out_feature", 1.5),
    folding("loo_gaussian_weighted", "... numbers, rows with weights", ("gaussian",), "left_out_weighted", 1.5),
    folding("loo_gaussian_4", "... numbers, four classes", ("gaussian", 4), "left_out", 1.5),
    folding("ridge_50", "ridge, 50 penalties, 100,000 x 50", ("ridge", 100_000, 50), "path_50", 2),
    folding("ridge_50_spread", "... of condition 1e4", ("ridge", 100_000, 50, 100), "path_50", 2),
    folding("ridge_50_all", "... 105 penalties", ("ridge", 100_000, 50), "path", 2),
    folding("ridge_200", "ridge, 50 penalties, 20,000 x 200", ("ridge", 20_000, 200), "path_50", 2),
    folding("ridge_200_spread", "... of condition 1e4", ("ridge", 20_000, 200, 100), "path_50", 2),
    folding("ridge_200_all", "... 105 penalties", ("ridge", 20_000, 200), "path", 2),
    logistic("logistic_imdb", "logistic, IMDB tf-idf", "imdb.libsvm", (("LIBLINEAR -s 7", "logistic_liblinear", "7", "1"),
             ("LIBLINEAR -s 0", "logistic_liblinear", "0", "0.001")), 1.7),
    logistic("logistic_zipf", "... Zipf text, 200,000 x 200,000", "zipf.libsvm", (("LIBLINEAR -s 7", "logistic_liblinear", "7", "1"),
             ("LIBLINEAR -s 0", "logistic_liblinear", "0", "0.001")), 2.7),
    logistic("logistic_a9a", "... a9a", "a9a.libsvm", (("LIBLINEAR -s 0", "logistic_liblinear", "0", "0.00005"),
             ("LIBLINEAR -s 7", "logistic_liblinear", "7", "0.02")), 4),
    logistic("logistic_dense", "... 500,000 x 54", "dense", (("newton-cholesky", "logistic_sklearn", "newton-cholesky", "0.01"),), 6),
    logistic("logistic_news", "softmax, 20 Newsgroups", "news.libsvm", (("lbfgs", "logistic_sklearn", "lbfgs", "1e-6"),
             ("newton-cg", "logistic_sklearn", "newton-cg", "1e-4")), 8),
    logistic_program("logistic_imdb_file", "IMDB, LIBSVM to model", "imdb.libsvm", "7", "0.1"),
    logistic_program("logistic_zipf_file", "Zipf text, LIBSVM to model", "zipf.libsvm", "7", "0.1"),
    inferring("wald_20", "Wald results, logistic, 500,000 x 20", 500_000, 20, 1),
    inferring("wald_100", "... 100,000 x 100", 100_000, 100, 1),
    tuning("tune_a9a", "tune logistic, a9a", "a9a.libsvm"),
    tuning("tune_imdb", "... IMDB tf-idf", "imdb.libsvm"),
    online("online_perceptron", "perceptron, a pass", "perceptron", "perceptron", 7),
    online("online_perceptron_ten", "... a tenth of ten, all told", "perceptron_of_ten", "perceptron", key="pass_of_ten"),
    online("online_logistic", "logistic SGD, averaged, a pass", "logistic_averaged", "logistic", 3.5),
    online("online_logistic_ten", "... a tenth of ten, all told", "logistic_averaged_of_ten", "logistic", key="pass_of_ten"),
    training(CSV),
    START,
)
if SHARED.is_dir():
    JOBS += (margin("margin_rt_polarity", "margin, rt_polarity, words and pairs", "rt_polarity/all.tsv.zst", 2, "--ngrams", "1-2"),
             margin("margin_imdb", "... IMDB, words, to 1e-3", "imdb/train.tsv.zst", 15, "--tolerance", "1e-3"),
             voting("vote_documents", "votes, IMDB, from raw text, of one plane", "documents", (Target(most=20),)),
             voting("vote_rows", "... of rows in memory", "in_memory"))
