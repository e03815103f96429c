"""Prints which rows of docs/rows.md have a test. A test names the rows it serves in a comment: `rows: R1 R3`."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    rows = re.findall(r"^\| ([A-Z]\d+) \|", (ROOT / "docs/rows.md").read_text(), re.M)
    tests = {}
    files = list(ROOT.glob("plumb/**/*_test.cpp")) + [p for p in ROOT.glob("tests/**/*") if p.suffix in (".py", ".cpp", ".txt")]
    for path in sorted(files):
        for named in re.findall(r"(?://|#) rows: ([A-Z0-9 ]+)", path.read_text()):
            for row in named.split():
                if row not in rows:
                    sys.exit(f"{path.relative_to(ROOT)}: row {row} is not in docs/rows.md")
                tests.setdefault(row, []).append(str(path.relative_to(ROOT)))
    print("\nrows with a test:")
    for row in rows:
        if row in tests:
            print(f"  {row:4} {', '.join(tests[row])}")
    print("rows that wait for one: " + " ".join(row for row in rows if row not in tests))


if __name__ == "__main__":
    main()
