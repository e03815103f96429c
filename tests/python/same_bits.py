"""One model file, byte for byte, whatever the number of threads, the instruction set or the way the bytes arrive; and the same
predictions.  # rows: R1
"""
import pathlib
import random
import subprocess
import sys
import tempfile


def write_data(path, rows):
    draw = random.Random(5)
    with path.open("w", encoding="utf-8") as out:
        out.write("a,b,city,big,note,y\n")
        words = [a + b for a in ("good", "bad", "old", "caf\u00e9") for b in ("", "s", "er", "ly")]
        for _ in range(rows):
            a, b = draw.gauss(0, 1), draw.random() * 1e6
            city = draw.choice(["Oslo", "Rome", "Lima", ""])
            note = " ".join(draw.choices(words, k=draw.randrange(4, 9)))
            out.write(f"{a!r},{b!r},{city},{1e9 + draw.gauss(0, 5)!r},{note},{3 * a - b * 1e-5 + len(city) + draw.gauss(0, 1)!r}\n")


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="plumb-bits-") as scratch:
        folder = pathlib.Path(scratch)
        write_data(folder / "data.csv", 30000)

        def run(words, simd="", stdin=None):
            environment = {"PLUMB_SIMD": simd, "PATH": "/usr/bin:/bin"}
            done = subprocess.run(words, cwd=folder, capture_output=True, env=environment, stdin=stdin)
            if done.returncode != 0:
                sys.exit(f"{words}: {done.stderr.decode()}")
            return done.stdout

        seen, counted, chosen = {}, {}, {}
        few = "--few" in sys.argv   # under a sanitizer each takes many times as long
        for simd in ("", "scalar") if few else ("", "scalar", "avx2", "avx512", "neon"):
            if simd and subprocess.run([program, "help"], capture_output=True, env={"PLUMB_SIMD": simd}).returncode == 2:
                continue  # the machine lacks it
            for threads in ("1", "7") if few else ("1", "2", "3", "7"):
                run([program, "train", "data.csv", "-t", "y", "-o", "m.plumb", "-q", "-j", threads, "--derive", "a^2", "--derive", "a*b", "--tfidf", "--derive", 'count(note, "good")'], simd)
                predictions = run([program, "predict", "m.plumb", "data.csv", "-j", threads], simd)
                seen.setdefault(((folder / "m.plumb").read_bytes(), predictions), []).append((simd or "best", threads))
                run([program, "train", "data.csv", "-t", "city", "--missing", "drop-row", "--rows", "400" if few else "4000", "-o", "c.plumb", "-q", "-j", threads], simd)
                chosen.setdefault((folder / "c.plumb").read_bytes(), []).append((simd or "best", threads))
                run([program, "train", "data.csv", "-t", "city", "--missing", "drop-row", "-m", "naive-bayes", "--keep-statistics", "-o", "n.plumb", "-q", "-j", threads], simd)
                predictions = run([program, "predict", "n.plumb", "data.csv", "--scores", "-j", threads], simd)
                counted.setdefault(((folder / "n.plumb").read_bytes(), predictions), []).append((simd or "best", threads))
        cat = subprocess.Popen(["cat", "data.csv"], cwd=folder, stdout=subprocess.PIPE)
        run([program, "train", "-", "-t", "y", "-o", "m.plumb", "-q", "--derive", "a^2", "--derive", "a*b", "--tfidf", "--derive", 'count(note, "good")'], stdin=cat.stdout)
        predictions = run([program, "predict", "m.plumb", "data.csv"])
        seen.setdefault(((folder / "m.plumb").read_bytes(), predictions), []).append(("pipe", "all"))
        if len(seen) != 1:
            sys.exit(f"{len(seen)} different results: {list(seen.values())}")
        if len(counted) != 1:
            sys.exit(f"{len(counted)} different results of naive Bayes: {list(counted.values())}")
        if len(chosen) != 1:
            sys.exit(f"{len(chosen)} different results of a search: {list(chosen.values())}")
        print(f"one result from {sum(map(len, seen.values()))} runs")


if __name__ == "__main__":
    main()
