"""The bash completion in a bash with a terminal: the completions of a few beginnings, including names with blanks and quotes."""
import os
import pathlib
import pty
import subprocess
import sys
import tempfile
import threading
import time

TYPED = {  # up to Tab, and the words that the program is then given
    "plumb tr\t": ["train"],
    "plumb inspect a\t": ["inspect", "a b.csv"],
    "plumb inspect a\\ \t": ["inspect", "a b.csv"],
    "plumb inspect \"a\t": ["inspect", "a b.csv"],
    "plumb predict m.plumb it\t": ["predict", "m.plumb", "it's $here.csv"],
    "plumb predict m.plumb sub/d\t": ["predict", "m.plumb", "sub/deep name.csv"],
    "plumb predict m.plumb a --output-f\tjs\t": ["predict", "m.plumb", "a", "--output-format", "jsonl"],
    "plumb help insp\t": ["help", "inspect"],
    "plumb completion fi\t": ["completion", "fish"],
    "plumb train -m least\t": ["train", "-m", "least-squares"],
}


def wait_for(path):
    for _ in range(3000):
        if path.exists():
            text = path.read_text()
            path.unlink()
            return text
        time.sleep(0.01)
    sys.exit("the shell does not answer")


def drain(master):
    try:
        while os.read(master, 65536):
            pass
    except OSError:
        pass  # the shell has gone


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="plumb-completion-") as scratch:
        folder = pathlib.Path(scratch)
        (folder / "sub").mkdir()
        for name in ("a b.csv", "it's $here.csv", "sub/deep name.csv"):
            (folder / name).touch()
        (folder / ".bin").mkdir()  # the program may have another name
        (folder / ".bin/plumb").symlink_to(program)
        master, slave = pty.openpty()
        environment = {"PATH": f"{folder}/.bin:{os.environ['PATH']}", "TERM": "dumb", "HOME": scratch, "LC_ALL": "C.UTF-8"}
        shell = subprocess.Popen(["bash", "--norc", "--noprofile", "-i"], cwd=folder, stdin=slave, stdout=slave, stderr=slave, env=environment, start_new_session=True)
        os.close(slave)
        threading.Thread(target=drain, args=[master], daemon=True).start()
        # In two steps, so that the shell never sees half of the words.
        said = "plumb() { printf '%s\\n' \"$@\" > .words; mv .words words; }"
        os.write(master, f"source <(plumb completion bash); {said}; plumb ready\n".encode())
        wait_for(folder / "words")
        bad = []
        for typed, expected in TYPED.items():
            os.write(master, typed.encode() + b"\n")
            words = wait_for(folder / "words").splitlines()
            if words != expected:
                bad.append(f"{typed!r} became {words}, expected {expected}")
        os.write(master, b"exit\n")
        shell.wait(60)
    sys.exit("\n".join(bad) or print(f"{len(TYPED)} beginnings completed"))


if __name__ == "__main__":
    main()
