"""The search of -m auto: honest, reproducible without it, and calm where rows are few or bad.  # rows: B1
"""
import json
import pathlib
import random
import shlex
import subprocess
import sys
import tempfile


def run(program, folder, *words, ok=(0,)):
    done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True)
    if done.returncode not in ok:
        sys.exit(f"{words}: exit code {done.returncode}, expected one of {ok}\n{done.stderr}")
    return done


def found(program, folder, *words):
    return json.loads(run(program, folder, *words, "--json", "-q", ok=(0, 1)).stdout)


def expect(holds, what):
    if not holds:
        sys.exit(what)


def write_tables(folder):
    draw = random.Random(7)
    words = [a + b for a in ("good", "bad", "old", "new", "big", "wet") for b in ("", "s", "er", "ly", "ish")]
    with (folder / "texts.tsv").open("w") as out:
        out.write("label\ttext\n")
        for i in range(600):
            own = draw.choices(words[:20] if i % 2 else words[10:], k=12)
            out.write(f"{'yes' if i % 2 else 'no'}\t{' '.join(own)}\n")
    with (folder / "table.csv").open("w") as out:
        out.write("a,b,c,y\n")
        for i in range(400):
            a, b = draw.gauss(0, 1), draw.gauss(0, 1000)
            label = "yes" if a + b / 1000 + draw.gauss(0, 0.5) > 0 else "no"
            out.write(f"{a!r},{b!r},{draw.choice('xyz')},{label}\n")
    # Labels by chance: no choice may look better than chance on rows that it did not see.
    with (folder / "noise.tsv").open("w") as out:
        out.write("label\ttext\n")
        for i in range(400):
            out.write(f"{draw.choice(['yes', 'no'])}\t{' '.join(draw.choices(words, k=8))}\n")
    # A leak: every row eight times, and labels by chance. Whoever splits copies apart sees the answers.
    with (folder / "copies.csv").open("w") as out:
        out.write("who," + ",".join(f"x{j}" for j in range(40)) + ",y\n")
        for who in range(60):
            row = ",".join(f"{draw.gauss(0, 1):.4f}" for _ in range(40))
            label = draw.choice(["yes", "no"])
            for _ in range(8):
                out.write(f"p{who},{row},{label}\n")


def honest(program, folder):
    report = found(program, folder, "crossval", "noise.tsv", "-m", "auto", "--folds", "5")
    accuracy = report["metrics"]["accuracy"]
    expect(accuracy["low"] < 0.5 + 0.02, f"labels by chance are predicted: {accuracy}")
    leaking = found(program, folder, "crossval", "copies.csv", "-t", "y", "-m", "auto", "--folds", "5", "--drop", "who")
    caught = found(program, folder, "crossval", "copies.csv", "-t", "y", "-m", "auto", "--folds", "5", "--group", "who", "--drop", "who")
    expect(leaking["metrics"]["accuracy"]["value"] > 0.8, "the planted leak does not leak")
    expect(caught["metrics"]["accuracy"]["value"] < 0.7, "--group does not keep the copies together")
    inside = found(program, folder, "train", "copies.csv", "-t", "y", "--group", "who", "--drop", "who", "-o", "c.plumb")
    best = max(each["metrics"]["accuracy"]["value"] for each in inside["auto"]["tried"] if "accuracy" in each["metrics"])
    expect(best < 0.75, f"the search splits copies apart: it saw {best}")
    words = run(program, folder, "crossval", "copies.csv", "-t", "y", "-m", "auto", "--folds", "5", "--drop", "who").stderr
    expect("the same as a row of another fold" in words, "no warning about the copies")


def reproducible(program, folder):
    for data, target, predicted in (("texts.tsv", "label", "texts.tsv"), ("table.csv", "y", "table.csv")):
        report = found(program, folder, "train", data, "-t", target, "-o", "found.plumb")
        again = shlex.split(report["auto"]["command"])
        expect(again[:2] == ["plumb", "train"], again)
        run(program, folder, *again[1:], "-q", "-o", "again.plumb")
        one = run(program, folder, "predict", "found.plumb", predicted, "--scores", "-q").stdout
        two = run(program, folder, "predict", "again.plumb", predicted, "--scores", "-q").stdout
        expect(one == two, f"{again}: other scores than the search's winner")
        expect(report["auto"]["tried"][0]["stopped"] is None, "the winner was stopped")
        inspected = found(program, folder, "inspect", "found.plumb")
        expect(len(inspected["search"]) == len(report["auto"]["tried"]) + 2, "the record lacks settings")
        none = found(program, folder, "train", data, "-t", target, "--effort", "none", "-o", "none.plumb")
        expect(none["model"] == "logistic" and "auto" not in none, "--effort none searches")
    full = found(program, folder, "train", "texts.tsv", "-t", "label", "--effort", "full", "-o", "full.plumb")
    quick = found(program, folder, "train", "texts.tsv", "-t", "label", "-o", "quick.plumb")
    expect(len(full["auto"]["tried"]) > len(quick["auto"]["tried"]), "--effort full tries no more")
    short = found(program, folder, "train", "texts.tsv", "-t", "label", "--time-limit", "0.02", "-o", "short.plumb")
    expect(short["rows"]["test"] > 0, "--time-limit ends without a model")


def calm(program, folder):
    cases = {
        "two.tsv": "label\ttext\na\tone\nb\ttwo\n",
        "rare.tsv": "label\ttext\n" + "a\tone two\n" * 30 + "b\ttwo three\n",
        "word.tsv": "label\ttext\n" + "a\tone\nb\tone\n" * 20,
        "empty.tsv": "label\ttext\n" + "a\t\nb\tword\n" * 20,
        "feature.csv": "x,label\n" + "1,a\n2,b\n3,a\n" * 15,
        "constant.csv": "x,label\n" + "1,a\n1,b\n" * 15,
        "single.csv": "x,label\n" + "1,a\n2,a\n" * 15,
        "many.csv": "x,label\n" + "".join(f"{i},c{i % 25}\n" for i in range(60)),
    }
    for name, content in cases.items():
        (folder / name).write_text(content)
        done = run(program, folder, "train", name, "-t", "label", "-q", "-o", "x.plumb", ok=(0, 1, 3))
        expect("internal" not in done.stderr, f"{name}: {done.stderr}")
        if name == "single.csv":
            expect(done.returncode == 3 and done.stderr.count("error:") == 1, f"{name}: {done.stderr}")
    blank = "label\ttext\n" + "a\t.\nb\t.\n" * 30
    (folder / "blank.tsv").write_text(blank)
    done = run(program, folder, "train", "blank.tsv", "-t", "label", "--text", "text", "-q", "-o", "x.plumb", ok=(0, 1, 3))
    expect(done.stderr.count("error:") <= 1, done.stderr)
    run(program, folder, "train", "table.csv", "-t", "y", "--metric", "speed", ok=(2,))
    run(program, folder, "crossval", "table.csv", "-t", "y", "-m", "auto", "--folds", "loo", ok=(2,))
    run(program, folder, "compare", "table.csv", "-t", "y", "-m", "auto,logistic", "--l2", "1", ok=(2,))


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="plumb-auto-") as scratch:
        folder = pathlib.Path(scratch)
        write_tables(folder)
        reproducible(program, folder)
        honest(program, folder)
        calm(program, folder)
    print("the search is honest, reproducible and calm")


if __name__ == "__main__":
    main()
