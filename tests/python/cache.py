"""A block cache changes nothing but the time: one model file, byte for byte, whether the cache is absent, made or used, for any number of
threads; writers at once do not disturb each other; signals leave nothing behind."""
import gzip
import json
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time


def require(holds, message):
    if not holds:
        sys.exit(message)


def write_inputs(folder):
    draw = random.Random(7)
    rows = "".join(f"{draw.gauss(0, 1)!r},{draw.randrange(9)},{draw.choice(['Oslo', 'Rome', ''])},{draw.gauss(0, 1):.3f}\n" for _ in range(60_000))
    (folder / "data.csv").write_text("a,b,city,y\n" + rows)
    (folder / "packed.csv.gz").write_bytes(gzip.compress(("a,b,city,y\n" + rows).encode(), 1))
    lines = "".join(f"{draw.gauss(0, 1):.3f} {draw.randrange(1, 20)}:{draw.random()!r} {draw.randrange(20, 40)}:1\n" for _ in range(30_000))
    (folder / "data.svm").write_text(lines)
    (folder / "long.csv").write_text("a,b,city,y\n" + rows * 10)
    return [["data.csv", "-t", "y"], ["packed.csv.gz", "-t", "y"], ["data.svm"], ["data.csv", "data.csv", "-t", "y", "--derive", "a^2"]]


def same_models(program, folder, inputs):
    def model(words):
        done = subprocess.run([program, "train", *words, "-o", "m.plumb"], cwd=folder, capture_output=True, text=True)
        require(done.returncode == 0, f"{words}: {done.stderr}")
        return (folder / "m.plumb").read_bytes(), done.stderr

    for words in inputs:
        expected, _ = model(words)
        for threads in ("1", "2", "7"):
            (folder / "b.cache").unlink(missing_ok=True)
            for word in ("was made", "was used", "was used"):
                seen, said = model([*words, "--cache", "b.cache", "-j", threads])
                require(seen == expected, f"{words} with {threads} threads: another model when the cache {word}")
                require(word in said, f"{words}: expected that the cache {word}, but: {said}")


def writers_at_once(program, folder):
    (folder / "b.cache").unlink()
    words = [program, "train", "data.csv", "-t", "y", "--cache", "b.cache", "--json", "-q"]
    processes = [subprocess.Popen([*words, "-o", f"m{i}.plumb"], cwd=folder, stdout=subprocess.PIPE, text=True) for i in range(4)]
    for process in processes:
        output, _ = process.communicate(timeout=120)
        require(process.returncode == 0 and json.loads(output)["warnings"] == [], f"one of four writers: {output}")
    require(len({(folder / f"m{i}.plumb").read_bytes() for i in range(4)}) == 1, "writers at once made different models")
    done = subprocess.run([program, "train", "data.csv", "-t", "y", "--cache", "b.cache"], cwd=folder, capture_output=True, text=True)
    require("was used" in done.stderr, f"after four writers the cache is no good: {done.stderr}")


def being_written(folder, name):
    """Whether the temporary file of this one has bytes in it."""
    try:
        return any(path.stat().st_size > 0 for path in folder.glob(f".{name}.tmp-*"))
    except FileNotFoundError:  # it has its name now
        return False


def two_signals(program, folder):
    before = sorted(p.name for p in folder.iterdir())
    stopped = 0
    for _ in range(5):
        process = subprocess.Popen([program, "train", "long.csv", "-t", "y", "--cache", "c.cache", "-o", "new.plumb", "-j", "1"], cwd=folder,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while process.poll() is None and not being_written(folder, "c.cache"):
            time.sleep(0.001)
        for number in (signal.SIGSTOP, signal.SIGINT, signal.SIGTERM, signal.SIGCONT):
            process.send_signal(number)
        process.communicate(timeout=60)
        stopped += process.returncode in (130, 143)
        for name in ("c.cache", "new.plumb"):  # where it was faster than the signals
            (folder / name).unlink(missing_ok=True)
        after = sorted(p.name for p in folder.iterdir())
        require(after == before, f"two signals left {set(after) - set(before)} behind")
    require(stopped > 0, "no run was stopped while it wrote its cache")


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="plumb-cache-") as scratch:
        folder = pathlib.Path(scratch)
        inputs = write_inputs(folder)
        same_models(program, folder, inputs)
        writers_at_once(program, folder)
        two_signals(program, folder)
    print(f"{len(inputs)} inputs: one model each, with and without a cache")


if __name__ == "__main__":
    main()
