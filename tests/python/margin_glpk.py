"""plumb margin against an LP solver: on generated sets, small whole numbers that often touch, both agree about separability, and the margin of plumb lies within
the bounds that the LP solver finds by itself. Needs glpsol (Debian: glpk-utils), and runs only under ./run test --full.  # rows: C3
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
MARGINS = 60  # separable sets of which the margin is compared too


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


def largest(rows, path, cuts=(), exact=True, augmented=False):
    """max t with y (w.x + b) >= t, all of w (and b for an augmented hyperplane) between -1 and 1, and u.w <= 1 for every cut u: t, and w. t is positive for separable
    rows, otherwise 0."""
    term = lambda value, name: f"{'+' if value >= 0 else '-'} {abs(value)!r} {name}"
    names = [f"w{j}" for j in range(len(rows[0][0]))] + ["b"]
    lines = ["Maximize", " best: t", "Subject To"]
    for i, (x, label) in enumerate(rows):
        sign = 1 if label else -1
        lines.append(f" r{i}: " + " ".join(term(sign * v, name) for v, name in zip([*x, 1], names)) + " - t >= 0")
    for i, u in enumerate(cuts):
        lines.append(f" c{i}: " + " ".join(term(v, name) for v, name in zip(u, names)) + " <= 1")
    bounded = names if augmented else names[:-1]
    lines += ["Bounds"] + [f" -1 <= {name} <= 1" for name in bounded] + ([] if augmented else [" -1000 <= b <= 1000"]) + [" -1000 <= t <= 1000", "End"]
    path.write_text("\n".join(lines) + "\n")
    said = path.with_suffix(".out")
    subprocess.run(["glpsol", "--lp", path, *(["--exact"] if exact else []), "-w", said], capture_output=True, text=True, check=True)
    values = [float(line.split()[3]) for line in said.read_text().splitlines() if line.startswith("j ")]
    order = [m[1] for m in re.finditer(r"\b(w\d+|b|t)\b", path.read_text())]  # glpsol numbers columns as they are met
    by_name = dict(zip(dict.fromkeys(order), values))
    return by_name["t"], [by_name[name] for name in bounded]


def margin_bounds(rows, path, augmented):
    """Kelley's cutting planes: a unit ball is inside of all half-spaces u.w <= 1 with |u| = 1, so t is never below the margin; and a hyperplane that was found has margin t / |w|."""
    cuts, low = [], 0.0
    for _ in range(60):
        t, w = largest(rows, path, cuts, exact=False, augmented=augmented)
        norm = sum(v * v for v in w) ** 0.5
        low = max(low, t / norm)
        if t <= low * (1 + 2e-5):
            break
        cuts.append([v / norm for v in w])
    return low, t


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
            known = largest(rows, pathlib.Path(scratch) / "rows.lp")[0] > 1e-9
            separable += known
            if found["separable"] is not known:
                bad.append(f"set {number}: separable {found['separable']}, the LP solver says {known}")
            elif known and separable <= MARGINS:
                for key in ("margin", "augmented_margin"):
                    low, high = margin_bounds(rows, pathlib.Path(scratch) / "rows.lp", key == "augmented_margin")
                    ours = found[key]
                    if ours["low"] > high * (1 + 1e-6) or ours["high"] < low * (1 - 1e-6) or ours["high"] > ours["low"] * (1 + 1.01e-4):
                        bad.append(f"set {number}: {key} {ours}, the LP solver says {low} to {high}")
    print(f"{SETS} sets, {separable} separable")
    sys.exit("\n".join(bad) or 0)


if __name__ == "__main__":
    main()
