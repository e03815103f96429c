"""Signals: each asks the program to stop, wherever it waits; the code is 128 + its number; no temporary file is left; a second one ends
it at once. And no file that was written is reported as unwritten."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU)
ROWS = b"height,weight\n" + b"1.5,50\n" * 200_000


def require(holds, message):
    if not holds:
        sys.exit(message)


def usual_signals():
    """The parent of the tests may ignore some; a program keeps ignoring those."""
    for number in STOPPING:
        signal.signal(number, signal.SIG_DFL)


def start(words, folder, **handles):
    handles = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "preexec_fn": usual_signals, **handles}
    return subprocess.Popen(words, cwd=folder, **handles)


def wait_until(holds, what):
    for _ in range(3000):
        if holds():
            return
        time.sleep(0.01)
    sys.exit(f"{what} did not come about")


def waits_in(process, call):
    """Whether the main thread is inside this system call: its number comes first in /proc/PID/syscall."""
    numbers = {"x86_64": {"read": 0, "write": 1, "openat": 257}, "aarch64": {"read": 63, "write": 64, "openat": 56}}[os.uname().machine]
    try:
        return pathlib.Path(f"/proc/{process.pid}/syscall").read_text().split()[0] == str(numbers[call])
    except OSError:
        return False


def settled(process, call):
    """Twice in a row, with time in between: not just passing through."""
    def holds():
        if not waits_in(process, call):
            return False
        time.sleep(0.05)
        return waits_in(process, call)
    wait_until(holds, f"waiting in {call}")


def ends_by(process, number, what):
    output, error = process.communicate(timeout=60)
    require(process.returncode == 128 + number, f"{what}: exit code {process.returncode} after {signal.Signals(number).name}\n{error.decode()}")
    return output, error.decode()


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="plumb-signals-") as scratch:
        folder = pathlib.Path(scratch)
        (folder / "data.csv").write_bytes((ROOT / "examples/height_weight.csv").read_bytes())
        (folder / "many.csv").write_bytes(ROWS)
        subprocess.run([program, "train", "data.csv", "-t", "weight", "-q"], cwd=folder, check=True, capture_output=True)
        os.mkfifo(folder / "fifo")
        before = sorted(p.name for p in folder.iterdir())

        def nothing_left(what):
            after = sorted(p.name for p in folder.iterdir())
            require(after == before, f"{what} left {set(after) - set(before)} behind")

        train = [program, "train", "-", "-t", "weight", "-o", "new.plumb"]
        predict = [program, "predict", "model.plumb", "-", "-o", "new.csv"]
        for number in STOPPING:
            for words in (train, predict):  # waiting for more of standard input
                process = start(words, folder)
                process.stdin.write(ROWS)
                process.stdin.flush()
                settled(process, "read")
                process.send_signal(number)
                wait_until(lambda: process.poll() is not None, f"the end of {words[1]} by {number}")
                output, error = ends_by(process, number, words[1])
                require(error.splitlines()[-1] == f"error: interrupted by {number.name}; nothing was saved" and output == b"", f"{words[1]} said: {error} {output!r}")
                nothing_left(words[1])

        # A FIFO by name: one without a writer, then one that stops delivering.
        process = start([program, "train", "fifo", "-t", "weight"], folder)
        settled(process, "openat")
        process.send_signal(signal.SIGINT)
        ends_by(process, signal.SIGINT, "opening a FIFO")
        process = start([program, "train", "fifo", "-t", "weight"], folder)
        with open(folder / "fifo", "wb") as fifo:
            fifo.write(ROWS[:1000])
            fifo.flush()
            settled(process, "read")
            process.send_signal(signal.SIGINT)
            ends_by(process, signal.SIGINT, "reading a FIFO")
        nothing_left("a FIFO")

        # A reader that does not read. Delivered output stays delivered, and no message denies it.
        process = start([program, "predict", "model.plumb", "many.csv"], folder)
        settled(process, "write")
        process.send_signal(signal.SIGINT)
        wait_until(lambda: process.poll() is not None, "the end of a blocked write")
        output, error = ends_by(process, signal.SIGINT, "a blocked write")
        require(output.startswith(b"prediction\n") and error == "error: interrupted by SIGINT; nothing was saved\n", f"a blocked write: {error}")

        # Two at once: however it ends, no file is left.
        for _ in range(5):
            process = start(predict, folder)
            process.stdin.write(ROWS)
            process.stdin.flush()
            settled(process, "read")
            require(any(".tmp" in p.name for p in folder.iterdir()), "predict -o has no temporary file")
            process.send_signal(signal.SIGSTOP)
            process.send_signal(signal.SIGINT)
            process.send_signal(signal.SIGTERM)
            process.send_signal(signal.SIGCONT)
            process.communicate(timeout=60)
            require(process.returncode in (130, 143), f"two signals: exit code {process.returncode}")
            nothing_left("a second signal")

        # A fit that would take hours: its best so far is saved, and marked.
        rows = "".join(f"{i % 97},{'yes' if i * 7 % 13 < 6 else 'no'}\n" for i in range(20_000))
        (folder / "classes.csv").write_text("x,label\n" + rows)
        endless = ["--solver", "gradient-descent", "--step", "fixed", "--rate", "1e-12", "--stop", "change", "--tolerance", "0", "--max-iterations", "1000000000"]
        process = start([program, "train", "classes.csv", "-t", "label", "-o", "cut.plumb", "--json", *endless], folder)
        wait_until(lambda: os.sysconf("SC_CLK_TCK") < sum(map(int, pathlib.Path(f"/proc/{process.pid}/stat").read_text().split()[13:15])), "a second of work")
        process.send_signal(signal.SIGINT)
        output, error = ends_by(process, signal.SIGINT, "a long fit")
        require(json.loads(output)["converged"] is False and (folder / "cut.plumb").exists(), f"a long fit: {output} {error}")
        require("is saved and marked" in " ".join(error.split()), f"a long fit said: {error}")
        shown = subprocess.run([program, "inspect", "cut.plumb", "--json"], cwd=folder, check=True, capture_output=True).stdout
        require(json.loads(shown)["converged"] is False, "a model cut short is not marked")
        (folder / "cut.plumb").unlink()
        (folder / "classes.csv").unlink()

        # nohup: signals ignored at the start stay ignored.
        process = start(train, folder, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        process.stdin.write(ROWS)
        process.stdin.flush()
        settled(process, "read")
        process.send_signal(signal.SIGHUP)
        _, error = process.communicate(timeout=60)
        require(process.returncode == 0, f"an ignored SIGHUP ended the program: {error.decode()}")
    print(f"{len(STOPPING)} signals end waits, and leave nothing behind")


if __name__ == "__main__":
    main()
