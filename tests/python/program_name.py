"""tests/run_cli.py runs the program that it was given, whatever its name, and not another plumb on the PATH."""
import os
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import run_cli  # noqa: E402


def main():
    with tempfile.TemporaryDirectory(prefix="plumb-name-") as scratch:
        folder = pathlib.Path(scratch)
        for name, says in (("path/plumb", "found on the PATH"), ("given/plumb-old", "given")):
            program = folder / name
            program.parent.mkdir()
            program.write_text(f"#!/bin/sh\necho {says}\n")
            program.chmod(0o755)
        os.environ["PATH"] = f"{folder}/path:{os.environ['PATH']}"
        script = folder / "script.txt"
        script.write_text("$ plumb\n")
        seen = run_cli.play(script, folder / "given/plumb-old")
    sys.exit(None if seen == "$ plumb\ngiven\n" else f"the program that was given was not run: {seen!r}")


if __name__ == "__main__":
    main()
