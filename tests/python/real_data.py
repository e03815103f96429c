"""Where tests find real data ($PLUMB_DATA or ../shared/data), and the split of its reference results: a file named test, or every
fifth row."""
import csv
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(os.environ.get("PLUMB_DATA", ROOT.parent / "shared" / "data"))
SKIPPED = 77  # as tests/CMakeLists.txt has it


def need():
    """Ends the test if there are no data."""
    if not DATA.is_dir():
        print(f"skipped: there is no folder {DATA}; PLUMB_DATA names another")
        sys.exit(SKIPPED)


def lines_of(path):
    raw = subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout if path.suffix == ".zst" else path.read_bytes()
    return raw.decode("utf-8").removesuffix("\n").split("\n")


def distinct(header):
    """spambase has two columns of one name."""
    names = header.split(",")
    return ",".join(name if names.count(name) == 1 else f"{name}{i}" for i, name in enumerate(names))


def train_and_test(name, scratch, file=None, complete=False, for_test=lambda i: i % 5 == 4):
    """Training and test file of a set, or of one file of it. complete: rows with a missing value are left out first."""
    folder = DATA / name
    if file is None and list(folder.glob("train.*")):
        return [next(folder.glob(part + ".*")) for part in ("train", "test")]
    path = next(p for p in sorted(folder.iterdir()) if p.name.startswith((file or "all") + ".") or p.name.startswith((file or name) + "."))
    lines = lines_of(path)
    plain = path.name.removesuffix(".zst")
    header = [distinct(lines.pop(0))] if plain.endswith(".csv") else []
    if complete:
        lines = [line for line in lines if all(next(csv.reader([line])))]
    parts = []
    for part, wanted in (("train", False), ("test", True)):
        parts.append(scratch / f"{part}-{name}-{plain}")
        parts[-1].write_text("\n".join(header + [line for i, line in enumerate(lines) if for_test(i) == wanted]) + "\n")
    return parts
