"""Real data against reference results: weights and fits known to 25 digits, from $PLUMB_DATA or ../shared/data. Skipped if there
are no data.  # rows: R1
"""
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
from decimal import Decimal

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(os.environ.get("PLUMB_DATA", ROOT.parent / "shared" / "data"))
SKIPPED = 77  # as tests/CMakeLists.txt has it


def fit(program, path, target, *options):
    with tempfile.TemporaryDirectory(prefix="plumb-reference-") as scratch:
        model = pathlib.Path(scratch) / "m.plumb"
        named = [] if "-m" in options else ["-m", "least-squares"]
        train = subprocess.run([program, "train", path, "-t", target, *named, "--test", "none", "-q", "--json", "-o", model, *options], capture_output=True, text=True)
        if train.returncode != 0:
            sys.exit(f"{path}: {train.stderr}")
        inspect = subprocess.run([program, "inspect", model, "--json"], capture_output=True, text=True, check=True)
        return json.loads(inspect.stdout)


def digits(value, reference):
    """Correct digits: -log10 of the relative error, at most 17."""
    value, reference = Decimal(value), Decimal(reference)
    error = abs(value - reference) / (abs(reference) if reference else 1)
    return min(17.0, float(-error.log10())) if error else 17.0


def least_digits(found, weights, errors, residual_sd):
    """The fewest correct digits among weights, and among standard errors and residual sd; reference values by feature, "" the bias."""
    row, standard = found["rows"][0], found["standard_errors"][0]
    value = lambda row, name: row["weights"][name] if name else row["bias"]
    known = [(value(row, name), text) for name, text in weights.items()]
    spread = [(value(standard, name), text) for name, text in errors.items() if Decimal(text) != 0]
    if Decimal(residual_sd) != 0:
        spread.append((found["fit"]["residual_sd"], residual_sd))
    of = lambda pairs: min([digits(v, text) for v, text in pairs], default=17.0)
    return of(known), of(spread)


def complete_rows(path, scratch):
    """autompg has six rows with an empty field, which its reference left out."""
    rows = [row for row in csv.reader(path.read_text().splitlines()) if all(row)]
    out = scratch / path.name
    out.write_text("".join(",".join(row) + "\n" for row in rows))
    return out


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    if not DATA.is_dir():
        print(f"skipped: there is no folder {DATA}; PLUMB_DATA names another")
        sys.exit(SKIPPED)
    expected = json.loads((DATA / "expected.json").read_text())["datasets"]
    failures = []

    def judge(name, found, weights, errors, residual_sd, least):
        by_weights, by_errors = least_digits(found, weights, errors, residual_sd)
        print(f"{name:12} weights {by_weights:5.2f} digits, standard errors {by_errors:5.2f}")
        if by_weights < least or by_errors < least:
            failures.append(f"{name}: {by_weights:.2f} and {by_errors:.2f} correct digits")

    with tempfile.TemporaryDirectory(prefix="plumb-reference-") as scratch:
        sets = {"diabetes": (DATA / "diabetes/diabetes.csv", "target", []), "boston": (DATA / "boston/boston.csv", "target", []),
                "flights20k": (DATA / "flights20k/flights20k.csv", "target", ["--categorical", "month", "--features", "month,weekday,minute_of_day,distance"]),
                "autompg": (complete_rows(DATA / "autompg/autompg.csv", pathlib.Path(scratch)), "target", [])}
        for name, (path, target, options) in sets.items():
            exact = expected[name]["linear_regression"]["exact_25_digits"]
            found = fit(program, path, target, *options)
            weights = {"": exact["intercept"], **exact["coefficients"]}
            errors = {("" if key == "intercept" else key): text for key, text in exact["std_error"].items()}
            judge(name, found, weights, errors, exact["residual_sd"], 13)
    sys.exit("\n".join(failures) or 0)


if __name__ == "__main__":
    main()
