"""Runs the commands of tests/cli/*.txt in a scratch folder and compares their output with the text below them.

A file holds blocks: `$ COMMAND` (run by bash; plumb is on the PATH), its standard output, its standard error with `2> ` before each
line, and `[exit N]` if that is not 0. A printed line that begins with # or $ has a backslash before it. Times are written as `T s`. --update writes what was seen: read the difference before you commit.
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def normal(text):
    text = re.sub(r"\b\d+(\.\d+)?(e-?\d+)? s\b", "T s", text)
    text = re.sub(r'"seconds": [0-9.e-]+', '"seconds": T', text)
    text = re.sub(r'"limit": [0-9]+', '"limit": N', text)
    text = re.sub(r"[0-9.]+ [kMGT]B granted", "N granted", text)
    return text


def run(command, folder, environment):
    done = subprocess.run(["bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    seen = normal(done.stdout)
    if seen and not seen.endswith("\n"):
        seen += "(no newline)\n"
    seen += "".join(f"2> {line}\n" for line in normal(done.stderr).splitlines())
    seen = re.sub(r"^(?=[#$])", r"\\", seen, flags=re.M)
    if done.returncode != 0:
        seen += f"[exit {done.returncode}]\n"
    return seen


def play(path, program):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="plumb-cli-"))
    named = pathlib.Path(tempfile.mkdtemp(prefix="plumb-bin-"))  # the program may have another name, and another plumb be on the PATH
    try:
        (named / "plumb").symlink_to(program)
        for data in [*(ROOT / "examples").glob("*.csv"), *(ROOT / "examples").glob("*.tsv"), *(ROOT / "examples").glob("*.txt")]:
            shutil.copy(data, folder)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PLUMB_")}
        environment.update(PATH=f"{named}:{environment['PATH']}", TERM="dumb", LC_ALL="C.UTF-8", HOME=str(folder))
        seen = ""
        comments = True
        for line in path.read_text().splitlines():
            if line.startswith("#") or (comments and not line):
                seen += line + "\n"
            elif line.startswith("$ "):
                comments = False
                seen += line + "\n" + run(line[2:], folder, environment)
        left = [p.name for p in folder.iterdir() if ".tmp" in p.name]
        if left:
            seen += f"left behind: {left}\n"
        return seen
    finally:
        shutil.rmtree(folder)
        shutil.rmtree(named)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--update", action="store_true")
    given = parser.parse_args()
    if not os.access(given.program, os.X_OK) or given.program.is_dir():
        sys.exit(f"{given.program} is no program that can be run")
    failed = 0
    files = given.files or sorted((ROOT / "tests/cli").glob("*.txt"))
    for path in files:
        seen, expected = play(path, given.program.resolve()), path.read_text()
        if seen == expected:
            continue
        if given.update:
            path.write_text(seen)
            print(f"updated {path.name}")
            continue
        failed += 1
        sys.stdout.writelines(difflib.unified_diff(expected.splitlines(True), seen.splitlines(True), f"{path.name} (expected)", f"{path.name} (seen)"))
    print(f"{len(files) - failed} of {len(files)} files as expected")
    sys.exit(failed != 0)


if __name__ == "__main__":
    main()
