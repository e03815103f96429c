"""plumb margin against an LP solver: on generated sets, small whole numbers that often touch, both say the same about separability. Needs glpsol (Debian: glpk-utils), and
runs only under ./run test --full.  # rows: C3
"""
import json
import os
import pathlib
import random
import re
import shutil
import subprocess
import sys
import tempfile

SKIPPED = 77  # as tests/CMakeLists.txt has it
SETS = 300


def rows_of(draw):
    features, rows = draw.randint(1, 5), draw.randint(4, 24)
    plane = [draw.uniform(-1, 1) for _ in range(features + 1)]
    noisy = draw.random() < 0.5
    made = []
    for i in range(rows):
        x = [draw.randint(-4, 4) for _ in range(features)]
        label = sum(a * b for a, b in zip(plane, x)) + plane[-1] > 0
        made.append((x, label != (noisy and draw.random() < 0.15)))
    return made if len({label for _, label in made}) == 2 else rows_of(draw)


def largest(rows, path):
    """max t with y (w.x + b) >= t, all of w and b between -1 and 1: positive for separable rows, else 0."""
    term = lambda value, name: f"{'+' if value >= 0 else '-'} {abs(value)} {name}"
    lines = ["Maximize", " best: t", "Subject To"]
    for i, (x, label) in enumerate(rows):
        sign = 1 if label else -1
        lines.append(f" r{i}: " + " ".join(term(sign * v, f"w{j}") for j, v in enumerate(x)) + f" {term(sign, 'b')} - t >= 0")
    lines += ["Bounds"] + [f" -1 <= w{j} <= 1" for j in range(len(rows[0][0]))] + [" -1 <= b <= 1", " -1 <= t <= 1", "End"]
    path.write_text("\n".join(lines) + "\n")
    out = subprocess.run(["glpsol", "--lp", path, "--exact", "-o", "/dev/stdout"], capture_output=True, text=True, check=True).stdout
    return float(re.search(r"Objective:\s+best = (\S+)", out)[1])


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    if not os.environ.get("PLUMB_FULL") or not shutil.which("glpsol"):
        print("skipped: for ./run test --full with glpsol, of the package glpk-utils")
        sys.exit(SKIPPED)
    draw, bad, separable = random.Random(7), [], 0
    with tempfile.TemporaryDirectory(prefix="plumb-margin-") as scratch:
        for number in range(SETS):
            rows = rows_of(draw)
            data = pathlib.Path(scratch) / "rows.csv"
            data.write_text(",".join(f"x{j}" for j in range(len(rows[0][0]))) + ",y\n" + "".join(",".join(map(str, x)) + f",{'yes' if label else 'no'}\n" for x, label in rows))
            found = json.loads(subprocess.run([program, "margin", data, "-t", "y", "--json", "-q"], capture_output=True, text=True, check=True).stdout)
            known = largest(rows, pathlib.Path(scratch) / "rows.lp") > 1e-9
            separable += known
            if found["separable"] is not known:
                bad.append(f"set {number}: separable {found['separable']}, the LP solver says {known}")
    print(f"{SETS} sets, {separable} separable")
    sys.exit("\n".join(bad) or 0)


if __name__ == "__main__":
    main()
