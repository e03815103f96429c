"""Outside plumb/train/ no code asks for the type of a trainer: no dynamic_cast to a trainer, no comparison with a model's name.

Other layers use facts of its entry in trainer_list, or its skills (plumb/train/trainer.h). Tests are left out.
"""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CAST = re.compile(r"\b(?:dynamic_cast|static_cast)\s*<[^<>()]*\b(?:Trainer|ConvexClassifier|\w+Trainer)\b")


def model_names(root):
    text = (root / "plumb/train/trainers.cpp").read_text()
    names = re.findall(r'TrainerEntry\{\s*"([a-z0-9-]+)"', text)
    for path in (root / "plumb/objective").glob("*_loss.h"):  # those of losses that are models by themselves
        text = path.read_text()
        if "kModel" in text and path.name != "scalar_loss.h":
            names += re.findall(r'kName = "([a-z0-9-]+)"', text)
    if len(names) < 5:
        sys.exit("plumb/train/trainers.cpp: the names of trainer_list were not found; check_seams.py must be told how it looks")
    return names


def without_comments(text):
    return re.sub(r"//[^\n]*", "", text)


def faults(root):
    names = "|".join(map(re.escape, model_names(root)))
    # == "name", "name" ==, find_trainer("name"), and lists of several names to look in.
    compared = re.compile(rf'[=!]=\s*"(?:{names})"|"(?:{names})"\s*[=!]=|find_trainer\(\s*"|(?<!names\[\] = )\{{\s*"(?:{names})"\s*,\s*"(?:{names})"')
    bad = []
    for folder in ("plumb", "cli"):
        for path in sorted((root / folder).rglob("*.[hc]*")):
            place = path.relative_to(root)
            if place.parts[:2] == ("plumb", "train") or place.name.endswith(("_test.cpp", "testing.h")):
                continue
            text = without_comments(path.read_text())
            for pattern, what in ((CAST, "a cast to a trainer"), (compared, "a comparison with the name of a model")):
                for found in pattern.finditer(text):
                    line = text.count("\n", 0, found.start()) + 1
                    bad.append(f"{place}:{line}: {what}: {found[0].strip()}")
    return bad


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT
    sys.exit("\n".join(faults(root)) or 0)


if __name__ == "__main__":
    main()
