"""./run bench: how fast the parts and the program are, each beside a peer in the same run. Needs a quiet machine; best of several rounds."""
import os
import pathlib
import random
import resource
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / "build/release"
PLUMB = BUILD / "plumb"


def best(rounds, words):
    """Wall and CPU seconds of the fastest of some runs."""
    results = []
    for _ in range(rounds):
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
        results.append((wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    return min(results)


def write_table(path, rows, columns):
    draw = random.Random(1)
    with path.open("w") as out:
        out.write(",".join(f"x{j}" for j in range(columns)) + ",y\n")
        for _ in range(rows):
            x = [draw.gauss(0, 1) for _ in range(columns)]
            out.write(",".join(f"{v:.6f}" for v in x) + f",{sum(x) + draw.gauss(0, 1):.6f}\n")


PEER = """
import sys, numpy as np
try:
    import pandas as pd
    table = pd.read_csv(sys.argv[1]).to_numpy()
except ImportError:
    table = np.loadtxt(sys.argv[1], delimiter=",", skiprows=1)
x = np.c_[np.ones(len(table)), table[:, :-1]]
print(np.linalg.lstsq(x, table[:, -1], rcond=None)[0])
"""


def main():
    for name in sorted(path.name for path in (BUILD / "bench").iterdir() if os.access(path, os.X_OK) and path.is_file()):
        print(f"--- {name}", flush=True)
        subprocess.run([BUILD / "bench" / name], check=True)
    print("--- start")
    wall, cpu = best(50, [PLUMB, "--version"])
    print(f"plumb --version: {1e3 * wall:.2f} ms")
    print("--- a CSV of 100,000 rows and 30 numbers to a saved least-squares model")
    with tempfile.TemporaryDirectory(prefix="plumb-bench-") as scratch:
        data = pathlib.Path(scratch) / "data.csv"
        write_table(data, 100_000, 30)
        size = data.stat().st_size / 1e6
        own = {}
        for threads in ("1", "2"):
            own[threads] = best(5, [PLUMB, "train", data, "-t", "y", "-q", "-o", pathlib.Path(scratch) / "m.plumb", "-j", threads, "--test", "none"])
            print(f"plumb -j {threads}: {own[threads][0]:.3f} s wall, {own[threads][1]:.3f} s CPU, {size / own[threads][0]:.0f} MB/s")
        peer = next((python for python in (sys.executable, ROOT / ".venv/bin/python") if pathlib.Path(python).exists()
                     and subprocess.run([python, "-c", "import numpy"], capture_output=True).returncode == 0), None)
        if peer is None:
            print("numpy: skipped, not installed")
        else:
            wall, cpu = best(3, [peer, "-c", PEER, data])
            print(f"numpy (pandas.read_csv or loadtxt, lstsq): {wall:.3f} s wall, {cpu:.3f} s CPU: {wall / own['2'][0]:.1f} times plumb -j 2")


if __name__ == "__main__":
    main()
