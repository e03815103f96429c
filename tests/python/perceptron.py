"""Averaged perceptrons on real data: accuracies near those of another one, of the same settings, from $PLUMB_DATA or ../shared/data. Orders differ, so
equal they cannot be; the reference itself moves by about a point between seeds.  # rows: P3 P8
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(os.environ.get("PLUMB_DATA", ROOT.parent / "shared" / "data"))
SKIPPED = 77  # as tests/CMakeLists.txt has it
TEXT = ["--columns", "label,text", "-t", "label", "--text", "text", "--tokens", "ascii"]
# Set, options beside -m perceptron. Where there is one file, every fifth row is for testing.
SETS = {
    "reuters_r8": TEXT,
    "20news_bydate": TEXT,
    "imdb": TEXT,
    "spamassassin": TEXT,
    "rt_polarity": TEXT,
    "sms_spam": TEXT,
    "rcv1_small": [],
    "a9a": [],
    "mushroom": ["-t", "class", "--coding", "full"],
    "nursery": ["-t", "class", "--coding", "full"],
}
SMALL = {"reuters_r8", "spamassassin", "sms_spam", "rcv1_small", "mushroom", "nursery"}


def files(name, scratch):
    """Training and test file."""
    folder = DATA / name
    found = sorted(folder.glob("train.*"))
    if found:
        return found[0], sorted(folder.glob("test.*"))[0]
    path = next(p for p in sorted(folder.iterdir()) if p.name.startswith(("all.", name)))
    text = subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout if path.suffix == ".zst" else path.read_bytes()
    lines = text.decode("utf-8").split("\n")[:-1]
    name = path.name.removesuffix(".zst")
    header = [lines.pop(0)] if name.endswith(".csv") else []
    parts = scratch / f"train-{name}", scratch / f"test-{name}"
    parts[0].write_text("\n".join(header + [line for i, line in enumerate(lines) if i % 5 != 4]) + "\n")
    parts[1].write_text("\n".join(header + [line for i, line in enumerate(lines) if i % 5 == 4]) + "\n")
    return parts


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    if not DATA.is_dir():
        print(f"skipped: there is no folder {DATA}; PLUMB_DATA names another")
        sys.exit(SKIPPED)
    expected = json.loads((DATA / "expected.json").read_text())["datasets"]
    bad = []
    for name, options in SETS.items():
        if name not in SMALL and not os.environ.get("PLUMB_FULL"):
            continue
        known = expected[name].get("every_fifth", expected[name]).get("perceptron_averaged")
        if known is None:
            bad.append(f"{name}: no figure is known")
            continue
        with tempfile.TemporaryDirectory(prefix="plumb-perceptron-") as scratch:
            train, test = files(name, pathlib.Path(scratch))
            command = [program, "train", train, *options, "-m", "perceptron", "--passes", str(known["epochs"]), "--test", test, "--json", "-q", "-o", pathlib.Path(scratch) / "m.plumb"]
            done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            bad.append(f"{name}: {done.stderr}")
            continue
        accuracy = json.loads(done.stdout)["heldout"]["accuracy"]["value"]
        shuffled = known["accuracy_shuffled"]
        low = min(shuffled["min"], known["accuracy_fixed_order"]) - 0.015
        print(f"{name}: {accuracy:.4f}, reference {shuffled['mean']:.4f}")
        if accuracy < low:
            bad.append(f"{name}: accuracy {accuracy}, at least {low} was expected")
    sys.exit("\n".join(bad) or 0)


if __name__ == "__main__":
    main()
