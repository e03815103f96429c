"""python3 bench/where.py: where each reader's time goes on one thread, a line each, by perf. ./run bench makes the files it needs."""
import collections
import subprocess
import tempfile

from jobs import JOBS, PROGRAMS

MEGABYTES = 128
LEAST = 0.03   # of the time: what takes less is not named

# The first word that occurs in a sample's stack is its category.
KERNEL = (("page_fault", "page faults"), ("vfs_read", "read(2)"))


def kind_of(stack):
    """stack: (symbol, file), innermost first."""
    symbol, file = stack[0]
    if "kernel" in file:
        return next((kind for word, kind in KERNEL if any(word in symbol for symbol, _ in stack)), "the rest of the kernel")
    if symbol == "[unknown]":
        return file.rpartition("/")[2].partition(".so")[0]
    symbol = symbol.replace("(anonymous namespace)::", "").replace("plumb::", "").split("(")[0].split("<")[0]
    if symbol.startswith("XXH"):
        return "digest"
    for name in ("memchr", "memcmp", "memmove", "memset"):
        if name in symbol:
            return name
    return symbol


def stacks(text):
    """The output of `perf script -F ip,sym,dso`: a frame a line, an empty line after each stack."""
    stack = []
    for line in text.splitlines() + [""]:
        words = line.split(None, 1)
        if len(words) == 2:
            symbol, _, place = words[1].rpartition(" (")
            stack.append((symbol, place.rstrip(")")))
        elif stack:
            yield stack
            stack = []


def profile(path):
    with tempfile.NamedTemporaryFile(prefix="plumb-perf-") as record:
        subprocess.run(["perf", "record", "-q", "-F", "5000", "-g", "-o", record.name, PROGRAMS / "read_speed", "read", "1", path],
                       check=True, capture_output=True)
        text = subprocess.run(["perf", "script", "-i", record.name, "-F", "ip,sym,dso"], check=True, capture_output=True, text=True).stdout
    counts = collections.Counter(map(kind_of, stacks(text)))
    total = sum(counts.values())
    named = [f"{kind} {count / total:.0%}" for kind, count in counts.most_common() if count >= LEAST * total]
    return ", ".join(named)


def main():
    for job in JOBS:
        if job.part == "read":
            print(f"{job.title}: {profile(job.data.path(MEGABYTES))}")


if __name__ == "__main__":
    main()
