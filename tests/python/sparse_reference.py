"""Fits with an L1 penalty against the objectives of other programs on real data, from $PLUMB_DATA or ../shared/data: to 1e-9. The
references are scikit-learn 1.9.1's (liblinear and coordinate descent, tolerance 1e-12); --make prints them again. With PLUMB_FULL=1
and R's glmnet, which is run as a program, whole paths too: to 1e-6. Skipped where there are no data.  # rows: L7
"""
import csv
import io
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(os.environ.get("PLUMB_DATA", ROOT.parent / "shared" / "data"))
FULL = os.environ.get("PLUMB_FULL") is not None
SKIPPED = 77  # as tests/CMakeLists.txt has it

# (data, loss, l1, l2): the least objective. All without a bias but those of diabetes and california.
REFERENCES = {
    ("diabetes", "least-squares", 1.0, 0.0): 108.35380785636487,
    ("diabetes", "least-squares", 100.0, 0.0): 183.32516343065944,
    ("diabetes", "least-squares", 5.0, 10.0): 114.81120278701079,
    ("california", "least-squares", 1.0, 0.0): 3748.495486776916,
    ("california", "least-squares", 100.0, 0.0): 4070.3502107760282,
    ("california", "least-squares", 5.0, 10.0): 3771.9946945213733,
    ("a9a", "logistic", 1.0, 0.0): 10558.723370626636,
    ("a9a", "logistic", 10.0, 0.0): 10826.166706337142,
    ("adult", "logistic", 1.0, 0.0): 10363.738295003595,
}


def content(path):
    return subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout.decode() if path.suffix == ".zst" else path.read_text()


def as_libsvm(rows):
    return "".join(f"{label} " + " ".join(f"{j}:{x}" for j, x in sorted(row.items())) + "\n" for label, row in rows)


def adult():
    """Numbers divided by 100, a column for every level."""
    table = list(csv.reader(io.StringIO(content(DATA / "adult/train.csv.zst"))))
    numeric = [all(re.fullmatch(r"-?\d+", row[j].strip()) for row in table[1:]) for j in range(len(table[0]) - 1)]
    places = {}
    for row in table[1:]:
        own = {}
        for j, cell in enumerate(row[:-1]):
            place = places.setdefault(j if numeric[j] else (j, cell), len(places) + 1)
            own[place] = float(cell) / 100 if numeric[j] else 1
        yield ("+1" if row[-1].strip().startswith(">") else "-1"), own


def news():
    """Whether a text is about computers, from the set of its words."""
    places = {}
    for line in content(DATA / "20news_bydate/train.tsv.zst").splitlines():
        label, text = line.split("\t", 1)
        own = {places.setdefault(word, len(places) + 1): 1 for word in re.findall(r"[a-z0-9]{2,}", text.lower())}
        yield ("+1" if label.startswith("comp.") else "-1"), own


def spread(table, name):
    column = [float(row[table[0].index(name)]) for row in table[1:]]
    mean = sum(column) / len(column)
    return mean, (sum((x - mean) ** 2 for x in column) / len(column)) ** 0.5


def standardised(table):
    for j, name in enumerate(table[0]):
        mean, sd = spread(table, name)
        for row in table[1:]:
            row[j] = repr((float(row[j]) - mean) / sd)
    return table


def data(name, scratch):
    """A file and the options that say its target."""
    tables = {"diabetes": "diabetes/diabetes.csv", "california": "california/california.csv.zst"}
    if name in tables:
        out = scratch / f"{name}.csv"
        out.write_text("".join(",".join(row) + "\n" for row in standardised(list(csv.reader(io.StringIO(content(DATA / tables[name])))))))
        return out, ["-t", "target"]
    out = scratch / f"{name}.libsvm"
    if not out.exists():
        made = {"a9a": lambda: content(DATA / "a9a/train.libsvm.zst"), "rcv1": lambda: content(DATA / "rcv1_small/train.libsvm.zst"),
                "adult": lambda: as_libsvm(adult()), "20news": lambda: as_libsvm(news())}
        out.write_text(made[name]())
    return out, ["--no-bias"]


CASES = list(REFERENCES)


def make():
    import numpy
    from sklearn.datasets import load_svmlight_file
    from sklearn.linear_model import ElasticNet, LogisticRegression
    with tempfile.TemporaryDirectory() as folder:
        for name, loss, l1, l2 in CASES:
            file, _ = data(name, pathlib.Path(folder))
            if loss == "least-squares":
                table = numpy.genfromtxt(file, delimiter=",", names=True)
                y = table["target"]
                x = numpy.column_stack([table[each] for each in table.dtype.names if each != "target"])
                fit = ElasticNet(alpha=(l1 + l2) / len(y), l1_ratio=l1 / (l1 + l2), tol=1e-15, max_iter=10_000_000).fit(x, y)
                w = fit.coef_
                least = ((y - fit.predict(x)) ** 2).sum() / 2 + l2 / 2 * (w ** 2).sum()
            else:
                x, y = load_svmlight_file(str(file))
                x.indices, x.indptr = x.indices.astype(numpy.int32), x.indptr.astype(numpy.int32)
                settings = dict(C=1 / l1, tol=1e-12, max_iter=100_000, fit_intercept=False)
                w = LogisticRegression(l1_ratio=1, solver="liblinear", **settings).fit(x, y).coef_[0]
                least = numpy.logaddexp(0, -numpy.where(y > 0, 1.0, -1.0) * (x @ w)).sum()
            print(f"    {(name, loss, l1, l2)}: {float(least + l1 * abs(w).sum())!r},", flush=True)


def objective(program, name, loss, l1, l2, scratch):
    file, said = data(name, scratch)
    command = [program, "train", file, "-m", loss, *said, "--l1", repr(l1), "--l2", repr(l2), "--test", "none", "--tolerance", "1e-11",
               "-o", scratch / "model.plumb", "--json", "-q"]
    return json.loads(subprocess.run(command, capture_output=True, check=True, text=True).stdout)


GLMNET = """
library(glmnet)
given <- commandArgs(trailingOnly = TRUE)
table <- read.csv(given[1])
l1 <- scan(given[2], quiet = TRUE)
x <- as.matrix(table[, names(table) != "target"])
y <- table$target
fit <- glmnet(x, y, family = given[3], alpha = as.numeric(given[4]), lambda = l1 / nrow(x) / as.numeric(given[4]), thresh = 1e-16, maxit = 1e8)
write.table(format(t(as.matrix(coef(fit))), digits = 17), given[5], row.names = FALSE, quote = FALSE)
"""


def paths(program, scratch, bad):
    """Every weight of every point of a path, in units of the standard deviation of the column, against glmnet's, of columns as they are. It
    divides the target by its standard deviation before it applies the L2 penalty, so that is done for both."""
    table = list(csv.reader(io.StringIO(content(DATA / "diabetes/diabetes.csv"))))
    place, unit, file = table[0].index("target"), spread(table, "target")[1], scratch / "scaled.csv"
    for row in table[1:]:
        row[place] = repr(float(row[place]) / unit)
    file.write_text("".join(",".join(row) + "\n" for row in table))
    (scratch / "path.R").write_text(GLMNET)
    for ratio in (1.0, 0.5):
        model = scratch / "path.plumb"
        subprocess.run([program, "train", file, "-t", "target", "-m", "elastic-net", "--l1-ratio", repr(ratio), "--test", "none", "-q", "-o", model,
                        "--tolerance", "1e-13"], check=True, capture_output=True)
        path = json.loads(subprocess.run([program, "inspect", model, "--json"], check=True, capture_output=True, text=True).stdout)
        points = path["path"]["points"]
        (scratch / "l1.txt").write_text("\n".join(repr(point["l1"]) for point in points))
        subprocess.run(["Rscript", scratch / "path.R", file, scratch / "l1.txt", "gaussian", repr(ratio), scratch / "out.txt"], check=True, capture_output=True)
        lines = (scratch / "out.txt").read_text().splitlines()
        names = lines[0].split()[1:]
        rows = [[float(x) for x in line.split()] for line in lines[1:]]
        worst = 0.0
        for point, row in zip(points, rows):
            own = {each["feature"]: each["weight"] for each in point["weights"]}
            for name, theirs in zip(names, row[1:]):
                worst = max(worst, abs(own.get(name, 0.0) - theirs) * spread(table, name)[1])
        print(f"glmnet, ratio {ratio}: {len(points)} points, largest difference {worst:.1e}")
        if not worst <= 1e-6 or len(rows) != len(points):
            bad.append(f"the path of ratio {ratio} differs from glmnet's by {worst:.1e}")


def main():
    if sys.argv[1] == "--make":
        return make()
    if not DATA.is_dir():
        print(f"skipped: no data at {DATA}")
        sys.exit(SKIPPED)
    program, bad = pathlib.Path(sys.argv[1]).resolve(), []
    with tempfile.TemporaryDirectory(prefix="plumb-sparse-") as folder:
        scratch = pathlib.Path(folder)
        for case in CASES:
            report = objective(program, *case, scratch)
            off = abs(report["objective"] - REFERENCES[case]) / REFERENCES[case]
            if not off <= 1e-9 or not report["converged"]:
                bad.append(f"{case}: objective {report['objective']!r}, {off:.1e} from {REFERENCES[case]!r}; converged {report['converged']}")
        if FULL and shutil.which("Rscript"):
            paths(program, scratch, bad)
        elif FULL:
            print("no Rscript: not compared with glmnet")
    print(f"{len(CASES)} objectives")
    sys.exit("\n".join(bad) or 0)


if __name__ == "__main__":
    main()
