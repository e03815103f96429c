"""Text fits the terminal: every command of the documentation and every page of help, in terminals of 60, 80 and 120 columns, prints no line that is
wider. Left out: data (predictions, CSV, JSON, scripts for a shell), and words that cannot be broken, such as paths."""
import concurrent.futures
import fcntl
import json
import os
import pathlib
import pty
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import termios

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
WIDTHS = (60, 80, 120)
DATA = re.compile(r"^plumb (convert|sample|man|completion)\b|^plumb predict(?!.* -o )|--json\b|--output-format")


def on_terminal(command, folder, environment, width):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    process = subprocess.Popen(["bash", "-c", command], cwd=folder, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave, env=environment)
    os.close(slave)
    seen = b""
    while True:
        try:
            piece = os.read(master, 65536)
        except OSError:
            piece = b""
        if not piece:
            break
        seen += piece
    os.close(master)
    process.wait(120)
    lines = seen.decode(errors="replace").replace("\r\n", "\n").split("\n")
    return [re.sub(r"\x1b\[[0-9;]*[mK]", "", line.split("\r")[-1]) for line in lines]  # progress ends with \r


def too_wide(lines, width):
    return [line for line in lines if len(line) > width and " " in line.strip()]


def environment_of(folder, program):
    (folder / "bin").mkdir()
    (folder / "bin/plumb").symlink_to(program)
    for data in [*(ROOT / "examples").glob("*.csv"), *(ROOT / "examples").glob("*.tsv"), *(ROOT / "examples").glob("*.txt")]:
        shutil.copy(data, folder)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PLUMB_") and name not in ("COLUMNS", "NO_COLOR")}
    return {**kept, "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "TERM": "xterm", "LC_ALL": "C.UTF-8", "HOME": str(folder)}


def play(program, title, commands, width):
    """The lines wider than the terminal, each with its command."""
    bad = []
    with tempfile.TemporaryDirectory(prefix="plumb-screens-") as scratch:
        folder = pathlib.Path(scratch)
        environment = environment_of(folder, program)
        for command in commands:
            seen = on_terminal(command, folder, environment, width)
            if not command.startswith("plumb ") or DATA.search(command):
                continue
            limit = max(width, 80) if "|" in command else width  # a pipe has no width
            bad += [f"{title}, {width} columns: $ {command}\n{line}" for line in too_wide(seen, limit)]
    return bad


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    scripts = []
    for page in sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").glob("**/*.md")):
        blocks = re.findall(r"```console\n(.*?)```", page.read_text(), re.S)
        commands = re.findall(r"^\$ (.*)$", "".join(blocks), re.M)
        if commands:
            scripts.append((str(page.relative_to(ROOT)), commands))
    known = json.loads(subprocess.run([program, "help", "--json"], capture_output=True, check=True).stdout)
    names = [each["name"] for each in known["commands"]]
    pages = [f"plumb {name} {flag}" for name in names for flag in ("-h", "--help")]
    pages += ["plumb", "plumb help", "plumb --help"] + [f"plumb help {topic}" for topic in known.get("topics", [])]
    scripts.append(("help", pages))
    if not any(commands for title, commands in scripts if title != "help"):
        sys.exit("no console block was found")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(play, program, title, commands, width) for title, commands in scripts for width in WIDTHS]
        bad = [each for job in jobs for each in job.result()]
    sys.exit("\n".join(bad[:200]) or print(f"{sum(len(commands) for _, commands in scripts)} commands in terminals of {WIDTHS} columns"))


if __name__ == "__main__":
    main()
