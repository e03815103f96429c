"""The eleven linear sets of NIST's Statistical Reference Datasets: at least 13 correct digits in every certified weight, standard error and residual sd.
Their files are in Debian's gretl-data, which ./run test unpacks into build/nist, and in $PLUMB_DATA/nist_strd. Skipped where there are none.  # rows: R1 R2 R3
"""
import math
import pathlib
import re
import sys
import tempfile
from decimal import Decimal

from reference_data import DATA, ROOT, SKIPPED, digits, fit

FOLDERS = (ROOT / "build/nist/usr/share/gretl/data/nist", DATA / "nist_strd/original")
SETS = ("Norris", "Pontius", "NoInt1", "NoInt2", "Filip", "Longley", "Wampler1", "Wampler2", "Wampler3", "Wampler4", "Wampler5")
LEAST = 13.0


class Certified:
    """One file: the rows below "Data:", and the certified numbers above them."""

    def __init__(self, path):
        head, _, data = path.read_text(encoding="latin-1").rpartition("Data:")
        names, *rows = [line.split() for line in data.strip().splitlines() if line.strip()]
        self.csv = "".join(",".join(row) + "\n" for row in [names] + rows)
        self.parameters = {int(i): (estimate, error) for i, estimate, error in re.findall(r"^ +B(\d+) +(\S+) +(\S+)", head, re.M)}
        self.residual_sd = re.search(r"Residual\s+Standard Deviation +(\S+)", head).group(1)
        self.inputs = names[1:]

    def features(self):
        """By the number of the parameter; the first is the bias."""
        if len(self.inputs) > 1:
            return {i + 1: name for i, name in enumerate(self.inputs)}
        return {i: "x" if i == 1 else f"x^{i}" for i in self.parameters if i > 0}


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    folder = next((folder for folder in FOLDERS if all((folder / f"{name}.dat").exists() for name in SETS)), None)
    if folder is None:
        print("skipped: no data; gretl-data could not be fetched, and there is no nist_strd in PLUMB_DATA")
        sys.exit(SKIPPED)
    failures = []
    for name in SETS:
        known = Certified(folder / f"{name}.dat")
        features, bias = known.features(), 0 in known.parameters
        with tempfile.TemporaryDirectory(prefix="plumb-nist-") as scratch:
            path = pathlib.Path(scratch) / "data.csv"
            path.write_text(known.csv)
            found = fit(program, path, "y", "-m", "least-squares", "--features", ",".join(features.values()), *([] if bias else ["--no-bias"]))
        row, errors = found["rows"][0], found["standard_errors"][0]
        value = lambda of, i: of["weights"][features[i]] if i else of["bias"]
        pairs = [(value(row, i), estimate) for i, (estimate, _) in known.parameters.items()]
        spread = [(value(errors, i), error) for i, (_, error) in known.parameters.items()] + [(found["fit"]["residual_sd"], known.residual_sd)]
        exact = [abs(found_sd) for found_sd, certified in spread if Decimal(certified) == 0]   # a perfect fit
        by_weights = min(digits(v, text) for v, text in pairs)
        by_errors = min((digits(v, text) for v, text in spread if Decimal(text) != 0), default=math.inf)
        print(f"{name:9} weights {by_weights:5.2f} digits, standard errors {by_errors:5.2f}, stated {found['fit']['digits']:.1f}")
        if len(pairs) != len(features) + bias or min(by_weights, by_errors) < LEAST or max(exact, default=0) > 1e-10:
            failures.append(f"{name}: {by_weights:.2f} and {by_errors:.2f} correct digits")
    sys.exit("\n".join(failures) or 0)


if __name__ == "__main__":
    main()
