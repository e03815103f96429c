"""A kill, or a failing system call, at any system call of a save leaves the old model or the new one, complete.

The program trains over an existing model under strace, which kills it (or fails the call) at the k-th system call of the save, for
every k until the run is through. Exhaustive from the opening of the temporary file to the end of the program.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = 77  # as tests/CMakeLists.txt has it
CALLS = "openat,write,fsync,close,rename,renameat,renameat2,fchmod,fchown,ftruncate,unlink,newfstatat,fstat,lseek,exit_group,munmap,brk"


def train(program, folder, *strace_options):
    words = [program, "train", "data.csv", "-t", "weight", "--features", "height^3", "--test", "none", "-o", "model.plumb", "-q", "-j", "1"]
    words = ["strace", "-f", "-o", "trace", "-e", f"trace={CALLS}", *strace_options, *words]
    return subprocess.run(words, cwd=folder, capture_output=True, text=True)


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="plumb-kill-") as scratch:
        folder = pathlib.Path(scratch)
        (folder / "data.csv").write_bytes((ROOT / "examples/height_weight.csv").read_bytes())
        model = folder / "model.plumb"
        old = subprocess.run([program, "train", "data.csv", "-t", "weight", "--test", "none", "-o", "model.plumb", "-q"], cwd=folder, capture_output=True)
        if old.returncode != 0:
            sys.exit(old.stderr.decode())
        old_bytes = model.read_bytes()
        traced = train(program, folder, "-e", "verbose=none")
        new_bytes = model.read_bytes()
        if traced.returncode != 0 and new_bytes == old_bytes:
            print(f"skipped: this machine does not let strace trace ({traced.stderr.strip().splitlines()[-1]})")
            sys.exit(SKIPPED)
        assert old_bytes != new_bytes
        calls = (folder / "trace").read_text().splitlines()
        first = next(i for i, line in enumerate(calls) if ".tmp" in line and "openat" in line)
        names = [re.match(r"(?:\d+ +)?(\w+)\(", line) for line in calls]
        names = [found[1] if found else "" for found in names]

        outcomes = {"old": 0, "new": 0}
        tried = 0
        for kind, inject in [("kill", "signal=KILL"), ("ENOSPC", "error=ENOSPC"), ("EIO", "error=EIO"), ("EINTR", "error=EINTR")]:
            for i in range(first, len(calls)):
                name = names[i]
                if not name or (kind != "kill" and name in ("exit_group", "munmap", "brk", "newfstatat", "fstat")):
                    continue
                k = sum(1 for other in names[: i + 1] if other == name)  # it is the k-th call of this name
                model.write_bytes(old_bytes)
                done = train(program, folder, "-e", f"inject={name}:{inject}:when={k}")
                tried += 1
                after = model.read_bytes() if model.exists() else b""
                if after not in (old_bytes, new_bytes):
                    sys.exit(f"{kind} at call {k} of {name} ({calls[i]}): the model has {len(after)} bytes that are neither the old nor the new file")
                outcomes["old" if after == old_bytes else "new"] += 1
                left = [p.name for p in folder.iterdir() if ".tmp" in p.name]
                if kind != "kill" and left and name != "unlink":
                    sys.exit(f"{kind} at call {k} of {name}: {left} was left behind\n{done.stderr}")
                if kind != "kill" and done.returncode == 0 and after != new_bytes:
                    sys.exit(f"{kind} at call {k} of {name}: exit code 0, but the model is the old one")
                for name_left in left:
                    (folder / name_left).unlink()
        if tried < 20 or not outcomes["old"] or not outcomes["new"]:
            sys.exit(f"the test did not reach the save: {tried} tries, {outcomes}")
        print(f"{tried} kills and failures: {outcomes['old']} left the old model, {outcomes['new']} the new one, none a mix")


if __name__ == "__main__":
    main()
