"""The documentation is true: the program writes the same reference pages, commands in console blocks print what is shown, links work,
every `file: symbol` exists, every trainer has a page, and every page of an algorithm names a test."""
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "tests"))
import run_cli  # noqa: E402


PAGES = {**{name: "logistic_regression" for name in ("logistic", "hinge", "squared-hinge")}, "lasso": "sparse_models", "elastic-net": "sparse_models"}  # trainers that share a page


def reference(program, bad):
    with tempfile.TemporaryDirectory(prefix="plumb-docs-") as scratch:
        subprocess.run([program, "help", "--markdown", scratch, "-q"], check=True)
        made = {path.name: path.read_text() for path in pathlib.Path(scratch).iterdir()}
    kept = {path.name: path.read_text() for path in (ROOT / "docs/reference").glob("*.md")}
    for name in sorted(made.keys() | kept.keys()):
        if made.get(name) != kept.get(name):
            bad.append(f"docs/reference/{name} is not what the program writes: ./run docs")


def consoles(program, page, bad):
    blocks = re.findall(r"```console\n(.*?)```", page.read_text(), re.S)
    if not blocks:
        return 0
    with tempfile.TemporaryDirectory(prefix="plumb-docs-") as scratch:
        script = pathlib.Path(scratch) / "page.txt"
        script.write_text("".join(blocks))
        seen = run_cli.play(script, program)
    if seen != run_cli.normal("".join(blocks)):
        bad.append(f"{page.relative_to(ROOT)}: a console block shows what the program does not print. It prints:\n{seen}")
    return len(blocks)


def names(page, bad):
    text = page.read_text()
    for path, symbol in re.findall(r"`([\w/.-]+\.(?:h|cpp|py)): ([\w:]+)`", text):
        if not (ROOT / path).is_file() or symbol.split("::")[-1] not in (ROOT / path).read_text():
            bad.append(f"{page.relative_to(ROOT)}: {path}: {symbol} is not there")
    for path in re.findall(r"`((?:plumb|cli|tests|tools|fuzz|bench|docs|cmake|examples)/[\w/.-]+\.\w+)`", text):
        if "NAME" not in path and not (ROOT / path).exists():
            bad.append(f"{page.relative_to(ROOT)}: {path} is not there")
    for link in re.findall(r"\]\(([^)#:]+)\)", text):
        if not (page.parent / link).exists():
            bad.append(f"{page.relative_to(ROOT)}: the link {link} leads nowhere")


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    bad = []
    reference(program, bad)
    pages = sorted(ROOT.glob("*.md")) + sorted((ROOT / "docs").glob("**/*.md"))
    run = sum(consoles(program, page, bad) for page in pages)
    for page in pages:
        names(page, bad)
    losses = [path.read_text() for path in (ROOT / "plumb/objective").glob("*_loss.h")]
    models = [re.search(r'kName = "([\w-]+)"', text)[1] for text in losses if "LossModel kModel" in text]
    for trainer in re.findall(r'TrainerEntry\{"([\w-]+)"', (ROOT / "plumb/train/trainers.cpp").read_text()) + models:
        page = ROOT / "docs" / (PAGES.get(trainer, trainer.replace("-", "_")) + ".md")
        if not page.is_file():
            bad.append(f"trainer {trainer} has no page {page.relative_to(ROOT)}")
        elif "_test.cpp" not in page.read_text():
            bad.append(f"{page.relative_to(ROOT)} names no test")
    if run == 0:
        bad.append("no console block was found")
    sys.exit("\n".join(bad) or print(f"{len(pages)} pages, {run} console blocks"))


if __name__ == "__main__":
    main()
