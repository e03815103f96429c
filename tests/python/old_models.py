"""old_models.py PROGRAM [--make]: every model file of an earlier release loads, and predicts the same bytes. tests/old_models/list.txt has a line for each:
NAME | DATA | how it was trained | how it predicts. NAME.txt is what `plumb predict` said when the file was made. No file there is ever changed: --make writes
those that do not exist yet, and nothing else."""
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "old_models"


def run(words):
    done = subprocess.run(words, cwd=FOLDER, capture_output=True)
    return done.returncode, done.stdout, done.stderr.decode()


def main():
    program, make = str(pathlib.Path(sys.argv[1]).resolve()), "--make" in sys.argv
    bad, seen, models = [], {"list.txt"}, 0
    for line in (FOLDER / "list.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, data, trained, predicted = (field.strip() for field in line.split("|"))
        model, expected = FOLDER / f"{name}.plumb", FOLDER / f"{name}.txt"
        seen |= {data, model.name, expected.name}
        models += 1
        if make and not model.exists():
            code, _, said = run([program, "train", data, *trained.split(), "--test", "none", "-q", "-o", model.name])
            if code not in (0, 1):
                sys.exit(f"{name}: {said}")
        code, out, said = run([program, "predict", model.name, data, *predicted.split(), "-q"])
        if make and not expected.exists():
            expected.write_bytes(out)
        if code != 0:
            bad.append(f"{name}: exit code {code}: {said}")
        elif out != expected.read_bytes():
            bad.append(f"{name}: other predictions than when the file was made")
    # Files of a later release, with a part that this one does not know.
    code, out, said = run([program, "predict", "later_optional.plumb", "numbers.csv", "-q"])
    if code != 0 or out != (FOLDER / "least_squares.txt").read_bytes():
        bad.append(f"later_optional: an unknown part that predictions do not need is not ignored: {said}")
    code, out, said = run([program, "predict", "later_required.plumb", "numbers.csv", "-q"])
    if code != 4 or 'part "isotonic"' not in said:
        bad.append(f"later_required: an unknown part that predictions need is not refused by name: exit code {code}, {said}")
    strange = {path.name for path in FOLDER.iterdir()} - seen - {"later_optional.plumb", "later_required.plumb"}
    if strange:
        bad.append(f"not in list.txt: {', '.join(sorted(strange))}")
    if bad:
        sys.exit("\n".join(bad))
    print(f"{models} kinds of models load and predict the same bytes")


if __name__ == "__main__":
    main()
