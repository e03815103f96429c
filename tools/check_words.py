"""Keeps phrases that nobody says out of what people read: messages and option texts in plumb/ and cli/, the documentation and the transcripts. Each
has the words to use in its place. Comments are not looked at."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
BANNED = {  # a pattern, in small letters: what to write
    r"what it was taken for": "Confusion matrix",
    r"false alarms?\b": "false positive",
    r"share found": "recall",
    r"share right": "precision or accuracy",
    r"can its probabilities be trusted": "Calibration",
    r"every row in its turn": "cross-validation",
    r"which values of options": "choose option values by cross-validation",
    r"has (two classes|the labels|the rows) apart": "separates",
    r"\btried rows|rows tried\b": "validation rows",
    r"rows? (that )?a fit has not seen": "held-out rows",
    r"(held|left)-?out rows ask": "cross-validation chose",
    r"always saying": "always predicting",
    r"few enough for a matrix": "small enough for Newton's method",
    r"stands? in for": "filled ... with",
    r"(it does|they do) not count\b": "is ignored",
    r"needs more to work on": "needs DATA",
    r"bell curves?|\bbells\b": "Gaussian",
    r"what is left to gain": "optimality gap",
    r"what becomes of": "what happens to, or what to do with",
    r"\bso many\b": "a number, or that many",
    r"\banew\b": "again",
    r"\bis said\b": "is predicted, or is printed",
    r"\bis none of\b": "is not one of",
    r"\bno row is left of\b": "has no rows",
    r"sums? of multiples of": "linear combination of",
}
LITERAL = r'"(?:[^"\\\n]|\\.)*"'
RUN = re.compile(LITERAL + r"(?:\s+" + LITERAL + ")*")


def literals(path):
    """Text in quotes, with the line that it begins on; what is split over lines is one text."""
    source = re.sub(r"^\s*//.*$|(?<=[;{},])\s+//.*$", "", path.read_text(), flags=re.M)
    for run in RUN.finditer(source):
        yield source.count("\n", 0, run.start()) + 1, "".join(each[1:-1] for each in re.findall(LITERAL, run[0]))


def prose(path):
    """Paragraphs with the line that they begin on."""
    line = 1
    text = path.read_text()
    if path.suffix == ".txt":
        text = re.sub(r"^#.*$", "", text, flags=re.M)  # comments of a transcript
    for paragraph in re.split(r"(\n\s*\n)", text):
        yield line, re.sub(r"\s+", " ", paragraph)
        line += paragraph.count("\n")


def main():
    texts = []
    for folder in ("plumb", "cli"):
        for path in sorted((ROOT / folder).rglob("*")):
            if path.suffix in (".cpp", ".h") and not path.name.endswith(("_test.cpp", "testing.h")):
                texts += [(path, line, text) for line, text in literals(path)]
    for path in [*sorted(ROOT.glob("*.md")), *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "tests/cli").glob("*.txt"))]:
        texts += [(path, line, text) for line, text in prose(path)]
    bad = []
    for path, line, text in texts:
        for pattern, better in BANNED.items():
            if found := re.search(pattern, text.lower()):
                bad.append(f"{path.relative_to(ROOT)}:{line}: \"{found[0]}\"; write: {better}")
    sys.exit("\n".join(bad) or print(f"{len(texts)} texts without the phrases that are banned"))


if __name__ == "__main__":
    main()
