"""Tests, intervals and diagnostics of least squares on real data, against results known to 25 digits, from $PLUMB_DATA or
../shared/data. Skipped where there are no data.
"""
import csv
import json
import os
import pathlib
import subprocess
import sys
import tempfile
from decimal import Decimal

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(os.environ.get("PLUMB_DATA", ROOT.parent / "shared" / "data"))
SKIPPED = 77  # as tests/CMakeLists.txt has it
LEAST = 10  # correct digits

# The names of the numbers of a fit in the reference and in plumb.
FIT = {"residual_sd": "residual_sd", "r_squared": "r_squared", "adj_r_squared": "adjusted_r_squared", "f": "f_statistic", "f_p": "f_p",
       "log_likelihood": "log_likelihood", "aic": "aic", "bic": "bic"}


def digits(value, reference):
    """Correct digits: -log10 of the relative error, at most 17."""
    value, reference = Decimal(value), Decimal(reference)
    error = abs(value - reference) / (abs(reference) if reference else 1)
    return min(17.0, float(-error.log10())) if error else 17.0


def feature_name(term, columns):
    """R's cylc6 is cyl=c6 in plumb."""
    if term in columns:
        return term
    column = next(c for c in columns if term.startswith(c))
    return f"{column}={term[len(column):]}"


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    if not (DATA / "glm_reference").is_dir():
        print(f"skipped: no data in {DATA}; PLUMB_DATA names another folder")
        sys.exit(SKIPPED)
    failures = []
    models = [m for m in json.loads((DATA / "glm_reference/reference.json").read_text())["models"] if "OLS" in m["family"]]
    assert len(models) >= 4
    with tempfile.TemporaryDirectory(prefix="plumb-inference-") as scratch:
        scratch = pathlib.Path(scratch)

        def run(*words):
            return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout

        for model in models:
            path = DATA / "glm_reference" / model["file"]
            columns = path.read_text().splitlines()[0].split(",")
            target = model["formula"].split(" ~ ")[0]
            run("train", path, "-t", target, "--test", "none", "-q", "-o", scratch / "m.plumb", "--diagnostics", scratch / "rows.csv")
            found, exact = json.loads(run("inspect", scratch / "m.plumb", "--json")), model["exact_25_digits"]
            least = {}

            def judge(what, value, reference):
                least[what] = min(least.get(what, 17.0), digits(value, reference))

            for key, name in FIT.items():
                judge(name, found["fit"][name], exact[key])
            for key, name in {"std_error": "standard_errors", "t": "t", "p": "p"}.items():
                row = found[name][0]
                for term, reference in zip(model["terms"], exact[key]):
                    judge(name, row["bias"] if term == "(Intercept)" else row["weights"][feature_name(term, columns)], reference)
            # Leverages add up to the rank; predictions without a row give PRESS.
            rows = list(csv.DictReader((scratch / "rows.csv").read_text().splitlines()))
            assert len(rows) == model["rows"], len(rows)
            judge("leverages", sum(float(r["leverage"]) for r in rows), len(model["terms"]))
            judge("press", sum((float(r["actual"]) - float(r["left_out"])) ** 2 for r in rows), found["fit"]["press"])
            # Intervals are centred on the prediction; the ratio of the two gives the leverage, and those add up again.
            leverages = 0.0
            for line in csv.DictReader(run("predict", scratch / "m.plumb", path, "--interval", "0.95").splitlines()):
                low, mean_low, middle, mean_high, high = (float(line[k]) for k in ("low", "mean_low", "prediction", "mean_high", "high"))
                assert low < mean_low < middle < mean_high < high, line
                leverages += (mean_high - middle) ** 2 / ((high - middle) ** 2 - (mean_high - middle) ** 2)
            judge("intervals", leverages, len(model["terms"]))
            print(f"{model['name']:12} " + ", ".join(f"{what} {count:.1f}" for what, count in least.items()))
            failures += [f"{model['name']}: {what} has {count:.2f} correct digits" for what, count in least.items() if count < LEAST]
    sys.exit("\n".join(failures) or 0)


if __name__ == "__main__":
    main()
