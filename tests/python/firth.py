"""Firth's logistic regression where a maximum-likelihood estimate is infinite: estimates, standard errors, profile intervals and
p-values against an independent profile in 40 digits, which is computed here from the definition alone; with PLUMB_FULL, where R has
brglm2, against that too. The data are from $PLUMB_DATA or ../shared/data. Skipped where there are none.
"""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from decimal import Decimal, getcontext

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(os.environ.get("PLUMB_DATA", ROOT.parent / "shared" / "data"))
FULL = os.environ.get("PLUMB_FULL", "0") not in ("", "0")
SKIPPED = 77  # as tests/CMakeLists.txt has it
LEAST = 8  # correct digits
QUANTILE = Decimal("3.841458820694124032258302669")  # of chi-square with one degree of freedom at 0.95

getcontext().prec = 40


def solve(matrix, right):
    """Gaussian elimination with pivots; also log |det|."""
    n = len(matrix)
    rows = [list(row) + [r] for row, r in zip(matrix, right)]
    log_det = Decimal(0)
    for i in range(n):
        pivot = max(range(i, n), key=lambda k: abs(rows[k][i]))
        rows[i], rows[pivot] = rows[pivot], rows[i]
        log_det += abs(rows[i][i]).ln()
        for k in range(i + 1, n):
            factor = rows[k][i] / rows[i][i]
            for j in range(i, n + 1):
                rows[k][j] -= factor * rows[i][j]
    x = [Decimal(0)] * n
    for i in reversed(range(n)):
        x[i] = (rows[i][n] - sum(rows[i][j] * x[j] for j in range(i + 1, n))) / rows[i][i]
    return x, log_det


class Firth:
    """The penalised log-likelihood of distinct rows with counts, its slope and the information, by their definitions."""

    def __init__(self, rows, labels):
        self.x = [[Decimal(1)] + [Decimal(v) for v in row] for row in rows]
        self.y = [Decimal(v) for v in labels]
        self.p = len(self.x[0])

    def at(self, w):
        p, value = self.p, Decimal(0)
        information = [[Decimal(0)] * p for _ in range(p)]
        probability = []
        for x, y in zip(self.x, self.y):
            z = sum(a * b for a, b in zip(x, w))
            e = (-abs(z)).exp()
            pi = 1 / (1 + e) if z >= 0 else e / (1 + e)
            probability.append(pi)
            value += y * z - max(z, Decimal(0)) - (1 + e).ln()
            d = e / (1 + e) ** 2
            for i in range(p):
                for j in range(i + 1):
                    information[i][j] += d * x[i] * x[j]
        for i in range(p):
            for j in range(i + 1, p):
                information[i][j] = information[j][i]
        inverse, log_det = [], None
        for i in range(p):
            column, log_det = solve(information, [Decimal(int(i == j)) for j in range(p)])
            inverse.append(column)
        slope = [Decimal(0)] * p
        for x, y, pi in zip(self.x, self.y, probability):
            h = pi * (1 - pi) * sum(x[i] * inverse[i][j] * x[j] for i in range(p) for j in range(p))
            residual = y - pi + h * (Decimal("0.5") - pi)
            for i in range(p):
                slope[i] += residual * x[i]
        return value + log_det / 2, slope, information, inverse

    def maximise(self, w, held=None):
        """The maximum with weight `held` fixed: its weights, value and slope."""
        free = [i for i in range(self.p) if i != held]
        value, slope, information, inverse = self.at(w)
        for _ in range(300):
            step, _ = solve([[information[i][j] for j in free] for i in free], [slope[i] for i in free])
            if max(abs(s) for s in step) < Decimal("1e-18") * (1 + max(abs(v) for v in w)):
                return w, value, slope, inverse
            t = Decimal(1)
            while True:
                other = list(w)
                for i, s in zip(free, step):
                    other[i] += t * s
                found = self.at(other)
                if found[0] >= value - Decimal("1e-30"):
                    break
                t /= 2
            w, (value, slope, information, inverse) = other, found
        raise AssertionError("no maximum")

    def end(self, best, held, side):
        """Where twice the loss is the quantile: the secant rule on its root from two points outside the maximum."""
        w, top, _, inverse = best
        goal = QUANTILE.sqrt()

        def root(theta, start):
            start = list(start)
            start[held] = theta
            own = self.maximise(start, held)
            return (2 * (top - own[1])).sqrt() - goal, own[0]

        error = inverse[held][held].sqrt()
        a, b = w[held] + side * error, w[held] + side * 2 * error
        fa, own = root(a, w)
        fb, own = root(b, own)
        for _ in range(50):
            a, b, fa = b, b - fb * (b - a) / (fb - fa), fb
            fb, own = root(b, own)
            if abs(b - a) < Decimal("1e-13") * (1 + abs(b)):
                return b
        raise AssertionError("no end")


def digits(value, reference):
    error = abs(Decimal(value) - reference) / (abs(reference) if reference else 1)
    return min(17.0, float(-error.log10())) if error else 17.0


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    path = DATA / "glm_reference" / "endometrial_quasi_separated.csv"
    if not path.is_file():
        print(f"skipped: no data in {DATA}; PLUMB_DATA names another folder")
        sys.exit(SKIPPED)
    failures = []
    with tempfile.TemporaryDirectory(prefix="plumb-firth-") as scratch:
        model = pathlib.Path(scratch) / "m.plumb"
        subprocess.run([program, "train", path, "-t", "HG", "-m", "logistic", "--firth", "--test", "none", "-q", "-o", model,
                        *[w for c in ("NV", "PI", "EH") for w in ("--numeric", c)]], check=True, stdout=subprocess.DEVNULL)
        found = json.loads(subprocess.run([program, "inspect", model, "--json"], check=True, capture_output=True, text=True).stdout)
    table = list(csv.DictReader(path.read_text().splitlines()))
    names = ["NV", "PI", "EH"]
    firth = Firth([[row[c] for c in names] for row in table], [row["HG"] for row in table])
    best = firth.maximise([Decimal(0)] * 4)

    def of(row, i):
        return row["bias"] if i == 0 else row["weights"][names[i - 1]]

    least = {}

    def judge(what, value, reference):
        least[what] = min(least.get(what, 17.0), digits(value, reference))

    judge("penalised likelihood", found["fit"]["penalised_log_likelihood"], best[1])
    for i in range(4):
        judge("estimate", of(found["rows"][0], i), best[0][i])
        judge("std error", of(found["standard_errors"][0], i), best[3][i][i].sqrt())
        without = list(best[0])
        without[i] = Decimal(0)
        judge("chi square", of(found["chi_square"][0], i), 2 * (best[1] - firth.maximise(without, i)[1]))
        # An interval takes a second a weight in 40 digits; those of the infinite estimate and of another are enough.
        if FULL or i in (1, 3):
            judge("low", of(found["interval"]["low"][0], i), firth.end(best, i, -1))
            judge("high", of(found["interval"]["high"][0], i), firth.end(best, i, 1))
    print(", ".join(f"{what} {count:.1f}" for what, count in least.items()))
    failures += [f"{what} has {count:.2f} correct digits" for what, count in least.items() if count < LEAST]
    if FULL and shutil.which("Rscript"):
        script = (f'ok <- requireNamespace("brglm2", quietly = TRUE); if (!ok) quit(status = 3); d <- read.csv("{path}"); '
                  'f <- glm(HG ~ NV + PI + EH, binomial, d, method = brglm2::brglmFit, type = "AS_mean", '
                  'epsilon = 1e-12, maxit = 1000); cat(format(coef(f), digits = 15))')
        done = subprocess.run(["Rscript", "-e", script], capture_output=True, text=True)
        if done.returncode == 0:
            for i, text in enumerate(done.stdout.split()):
                if digits(of(found["rows"][0], i), Decimal(text)) < 6:
                    failures.append(f"weight {i} is {of(found['rows'][0], i)}, and {text} by brglm2")
    sys.exit("\n".join(failures) or 0)


if __name__ == "__main__":
    main()
