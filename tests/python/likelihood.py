"""Inference for logistic and Poisson regression against results known to 25 digits, from $PLUMB_DATA or ../shared/data. Skipped where
there are no data.  # rows: B3
"""
import csv
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile

from inference import digits, feature_name

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(os.environ.get("PLUMB_DATA", ROOT.parent / "shared" / "data"))
SKIPPED = 77  # as tests/CMakeLists.txt has it
LEAST = 9  # correct digits

# The names of the numbers of a fit in the reference and in plumb.
FIT = {"null_deviance": "null_deviance", "residual_deviance": "residual_deviance", "aic": "aic", "bic": "bic", "log_likelihood": "log_likelihood"}


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    if not (DATA / "glm_reference").is_dir():
        print(f"skipped: no data in {DATA}; PLUMB_DATA names another folder")
        sys.exit(SKIPPED)
    failures = []
    models = [m for m in json.loads((DATA / "glm_reference/reference.json").read_text())["models"] if "OLS" not in m["family"]]
    assert len(models) >= 6
    with tempfile.TemporaryDirectory(prefix="plumb-likelihood-") as scratch:
        scratch = pathlib.Path(scratch)

        def run(*words):
            return subprocess.run([program, *words], capture_output=True, text=True, check=True).stdout

        for model in models:
            path = DATA / "glm_reference" / model["file"]
            columns = path.read_text().splitlines()[0].split(",")
            target, right = model["formula"].split(" ~ ")
            numbers = [c for c in right.split(" + ") if c in model["terms"]]
            levels = [c for c in right.split(" + ") if c not in numbers]
            words = ["--features", ",".join(numbers + levels), *[w for c in numbers for w in ("--numeric", c)],
                     *[w for c in levels for w in ("--categorical", c)]]
            if model["name"] == "birthwt":
                words += ["--base", "race=white"]
            run("train", path, "-t", target, "-m", "logistic", "--l2", "0", "--test", "none", "-q", "-o", scratch / "m.plumb", *words)
            found, exact = json.loads(run("inspect", scratch / "m.plumb", "--json")), model["exact_25_digits"]
            least = {}

            def judge(what, value, reference):
                least[what] = min(least.get(what, 17.0), digits(value, reference))

            for key, name in FIT.items():
                if key in exact:
                    judge(name, found["fit"][name], exact[key])
            deviance = float(exact["null_deviance"]) - float(exact["residual_deviance"])
            judge("likelihood_ratio", found["fit"]["likelihood_ratio"], deviance)
            judge("mcfadden", found["fit"]["mcfadden_r_squared"], deviance / float(exact["null_deviance"]))
            if "statsmodels" in model:
                assert digits(found["fit"]["likelihood_ratio_p"], model["statsmodels"]["llr_p"]) > 7, found["fit"]
            for name in ("rank", "residual_degrees_of_freedom", "null_degrees_of_freedom"):
                wanted = {"rank": len(model["terms"]), "residual_degrees_of_freedom": model["rows"] - len(model["terms"]),
                          "null_degrees_of_freedom": model["rows"] - 1}[name]
                assert found["fit"][name] == wanted, (model["name"], name, found["fit"][name])
            # The positive label is the second, as the level that R counts as 1.
            for key, row in {"estimate": found["rows"][0], "std_error": found["standard_errors"][0], "z": found["z"][0], "p": found["p"][0]}.items():
                for term, reference in zip(model["terms"], exact[key]):
                    value = row["bias"] if term == "(Intercept)" else row["weights"][feature_name(term, columns)]
                    judge(key, value, reference)
            low, high = found["interval"]["low"][0]["weights"], found["odds_ratios"]["high"][0]["weights"]
            for term, estimate, error in zip(model["terms"][1:], exact["estimate"][1:], exact["std_error"][1:]):
                name, quantile = feature_name(term, columns), 1.9599639845400545
                judge("interval", low[name], float(estimate) - quantile * float(error))
                judge("odds ratio", high[name], math.exp(float(estimate) + quantile * float(error)))
            # A probability lies within its interval, whose width on the link scale is the error of the score.
            label = found["labels"][1]
            for line in csv.DictReader(run("predict", scratch / "m.plumb", path, "--interval", "0.95", "--proba").splitlines()):
                assert float(line[f"low:{label}"]) < float(line[f"proba:{label}"]) < float(line[f"high:{label}"]), line
            print(f"{model['name']:12} " + ", ".join(f"{what} {count:.1f}" for what, count in least.items()))
            failures += [f"{model['name']}: {what} has {count:.2f} correct digits" for what, count in least.items() if count < LEAST]
    sys.exit("\n".join(failures) or 0)


if __name__ == "__main__":
    main()
