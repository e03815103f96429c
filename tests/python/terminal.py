"""Output on a terminal: colour only there, and progress on standard error."""
import os
import pathlib
import pty
import re
import select
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def require(holds, message):
    if not holds:
        sys.exit(message)


def on_terminal(words, folder, feed=None, **environment):
    """Runs with standard output and error on a terminal; returns everything written there. `feed` yields the input for a pipe."""
    master, slave = pty.openpty()
    process = subprocess.Popen(words, cwd=folder, stdin=subprocess.PIPE, stdout=slave, stderr=slave, env={"PATH": os.environ["PATH"], "TERM": "xterm", **environment})
    os.close(slave)
    seen = b""
    for piece in feed or []:
        process.stdin.write(piece)
        process.stdin.flush()
    process.stdin.close()
    while True:
        ready, _, _ = select.select([master], [], [], 60)
        try:
            piece = os.read(master, 65536) if ready else b""
        except OSError:
            piece = b""
        if not piece:
            break
        seen += piece
    require(process.wait(60) == 0, f"{words}: exit code {process.returncode}\n{seen.decode()}")
    return seen


def slow_rows():
    yield b"x,y\n"
    row = 0
    for _ in range(8):  # more than a wave of pieces each, with a pause in which progress is drawn
        rows = b"".join(b"%d.123456789,%d\n" % (n, n % 7) for n in range(row, row + 200_000))
        row += 200_000
        yield rows
        time.sleep(0.15)


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="plumb-terminal-") as scratch:
        folder = pathlib.Path(scratch)
        (folder / "data.csv").write_bytes((ROOT / "examples/height_weight.csv").read_bytes())
        train = [program, "train", "data.csv", "-t", "weight", "--test", "none"]
        require(b"\x1b[1mleast-squares" in on_terminal(train, folder), "no colour on a terminal")
        for silent in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
            require(b"\x1b" not in on_terminal(train, folder, **silent), f"colour in spite of {silent}")
        require(b"\x1b" not in on_terminal(train + ["--color", "never"], folder), "colour in spite of --color never")
        piped = subprocess.run(train, cwd=folder, capture_output=True, check=True)
        require(b"\x1b" not in piped.stdout + piped.stderr, "colour in a pipe")

        long = [program, "train", "-", "-t", "y", "--test", "none"]
        seen = on_terminal(long, folder, slow_rows())
        require(b"\r\x1b[Kreading" in seen, f"no progress was drawn: {seen!r}")
        require(b"reading" not in on_terminal(long + ["-q"], folder, slow_rows()), "progress in spite of --quiet")

        # Folds after a fit show how many are done and the time left, not the steps of that fit.
        rows = "".join("%d,%d,%d,%s\n" % (i * 37 % 101, i * 53 % 97, i * 29 % 89, "up" if i * 37 % 101 + i * 53 % 97 > 90 + i % 31 else "down") for i in range(4000))
        (folder / "points.csv").write_text("a,b,c,kind\n" + rows)
        crossval = [program, "crossval", "points.csv", "-t", "kind", "-m", "logistic", "--splits", "random", "--repeats", "1500", "-j", "1"]
        seen = on_terminal(crossval, folder).decode()
        drawn = [piece for piece in seen.replace("\x1b[K", "").split("\r") if piece.startswith("fitting")]
        late = drawn[len(drawn) // 2 :]
        require(len(drawn) > 5, f"little progress was drawn: {drawn}")
        require(all(re.match(r"fitting \d+ %, \d+ (s|min \d+ s) left", piece) for piece in late), f"no time left: {late}")
        shares = [int(piece.split()[1]) for piece in late]
        require(shares == sorted(shares) and shares[-1] > 80, f"progress does not grow: {shares}")
    print("colour and progress as they should be")


if __name__ == "__main__":
    main()
