"""confusables.py PROGRAM: plumb confusables learns every pair of ../shared/data/confusables from running text, and is at least as accurate on the
test rows as every reference result of expected.json, and as logistic regression on words alone; skipped where there are no data.  # rows: T4"""
import json
import pathlib
import subprocess
import sys
import tempfile

import real_data

def accuracies(entry):
    """Every accuracy of the reference results of a pair, by the name of the model."""
    found = {}
    for name, result in entry.items():
        if not isinstance(result, dict):
            continue
        for key in ("accuracy", "accuracy_fixed_order"):
            if key in result:
                found[name] = result[key]
        if "optimum" in result:
            found[name] = result["optimum"]["accuracy"]
    return found


def main():
    real_data.need()
    program = str(pathlib.Path(sys.argv[1]).resolve())
    expected = json.loads((real_data.DATA / "expected.json").read_text())["datasets"]["confusables"]
    bad, right, rows = [], 0.0, 0
    with tempfile.TemporaryDirectory(prefix="plumb-confusables-") as scratch:
        folder = pathlib.Path(scratch)
        for pair, entry in expected.items():
            parts = {"train.txt": [], "test.txt": []}
            words = set()
            for i, line in enumerate((real_data.DATA / "confusables" / f"{pair}.tsv").read_text().rstrip("\n").split("\n")):
                word, text = line.split("\t")
                words.add(word)
                parts["test.txt" if i % 5 == 4 else "train.txt"].append(text.replace("____", word))
            for name, texts in parts.items():
                (folder / name).write_text("\n\n".join(texts) + "\n")
            done = subprocess.run([program, "confusables", ",".join(sorted(words)), "train.txt", "--test", "test.txt", "-q", "--json", "-o", "m.plumb"],
                                  cwd=folder, capture_output=True, text=True)
            if done.returncode != 0:
                bad.append(f"{pair}: exit code {done.returncode}: {done.stderr}")
                continue
            found = json.loads(done.stdout)
            accuracy, tested = found["heldout"]["accuracy"]["value"], found["training"]["rows"]["test"]
            best = max(accuracies(entry).items(), key=lambda item: item[1])
            right, rows = right + accuracy * tested, rows + tested
            print(f"{pair:24} accuracy {accuracy:.4f} on {tested} rows, reference {best[1]:.4f} ({best[0]}), baseline {found['baseline']['accuracy']['value']:.4f}")
            if accuracy < best[1]:
                bad.append(f"{pair}: accuracy {accuracy}, reference {best[1]} of {best[0]}")
    print(f"{'together':24} accuracy {right / max(rows, 1):.4f} on {rows} rows")
    sys.exit("\n".join(bad) or 0)


if __name__ == "__main__":
    main()
