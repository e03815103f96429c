"""The program: ``python -m plumb train people.csv`` is ``plumb train people.csv``."""
import os
import pathlib
import sys


def main():
    program = pathlib.Path(__file__).parent / "bin" / "plumb"
    if not program.exists():
        sys.exit("error: this installation has no program; install the wheel again")
    os.execv(program, ["plumb", *sys.argv[1:]])


if __name__ == "__main__":
    main()
