"""recipes.py COMPILER: the recipes of CONTRIBUTING.md are true. Applies those of tests/recipes to a copy of the sources and compiles what they touch; with
PLUMB_FULL set it builds the program with them, and looks for each in its help."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
RECIPES = ROOT / "tests/recipes"
SEEN = {"option": "--recipe X", "trainer": "recipe-mean", "format": "recipe-ssv", "command": "plumb recipe", "solver": "recipe-descent"}


def apply(recipe, copy):
    """The sources that the recipe adds or edits."""
    touched = set()
    for path in recipe.rglob("*"):
        if path.is_file() and path.name != "edits":
            target = copy / path.relative_to(recipe)
            if target.exists():
                sys.exit(f"{recipe.name}: {path.relative_to(recipe)} is there already")
            shutil.copy(path, target)
            touched.add(target)
    file, lines, at = None, [], 0
    for edit in (recipe / "edits").read_text().splitlines() + [""]:
        mark, text = edit[:2], edit[2:]
        if mark == "! ":
            touched.add(copy / text)
        elif mark == "@ ":
            at = next((i for i, line in enumerate(lines) if text in line), None)
            if at is None:
                sys.exit(f"{recipe.name}: {file.relative_to(copy)} has no line with {text!r}: is CONTRIBUTING.md still right?")
        elif mark == "+ ":
            lines.insert(at, text)
            at += 1
        else:
            if file is not None:
                file.write_text("\n".join(lines) + "\n")
                touched.add(file)
            if edit:
                file = copy / edit
                lines = file.read_text().splitlines()
    return touched


def users(headers, copy):
    """The sources of the same folders that include one of these headers, to find a list entry that needs more than its includes."""
    names = {str(header.relative_to(copy)) for header in headers}
    return {source for header in headers for source in header.parent.glob("*.cpp")
            if not source.name.endswith("_test.cpp") and any(f'#include "{name}"' in source.read_text() for name in names)}


def main():
    compiler = sys.argv[1]
    with tempfile.TemporaryDirectory(prefix="plumb-recipes-") as scratch:
        copy = pathlib.Path(scratch)
        for name in ("plumb", "cli", "cmake"):
            shutil.copytree(ROOT / name, copy / name)
        for name in ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "THIRD_PARTY_NOTICES"):
            shutil.copy(ROOT / name, copy / name)
        touched = set()
        recipes = sorted(path for path in RECIPES.iterdir() if path.is_dir())
        for recipe in recipes:
            touched |= apply(recipe, copy)
        sources = {path for path in touched if path.suffix == ".cpp"}
        sources |= users({path for path in touched if path.suffix == ".h" and "recipe" in path.name}, copy)

        def compile(source):
            words = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", f"-I{copy}", '-DPLUMB_VERSION="0"', str(source)]
            done = subprocess.run(words, capture_output=True, text=True)
            return "" if done.returncode == 0 else f"{source.relative_to(copy)}:\n{done.stderr}"

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            faults = [fault for fault in pool.map(compile, sorted(sources)) if fault]
        if faults:
            sys.exit("\n".join(faults))
        if os.environ.get("PLUMB_FULL"):
            build = copy / "build"
            words = ["cmake", "-S", copy, "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", "-DPLUMB_TESTS=OFF", f"-DCMAKE_CXX_COMPILER={compiler}",
                     "-DCMAKE_UNITY_BUILD=ON", "-DCMAKE_UNITY_BUILD_BATCH_SIZE=24"]
            for step in (words, ["cmake", "--build", build, "--target", "plumb_program"]):
                done = subprocess.run(step, capture_output=True, text=True)
                if done.returncode != 0:
                    sys.exit(done.stdout + done.stderr)
            pages = copy / "pages"
            pages.mkdir()
            subprocess.run([build / "plumb", "help", "--markdown", pages], check=True, capture_output=True)
            text = "\n".join(page.read_text() for page in pages.iterdir())
            missing = [name for name, seen in SEEN.items() if seen not in text]
            if missing:
                sys.exit(f"not in the help: {', '.join(missing)}")
        print(f"{len(recipes)} recipes: {len(sources)} sources compile")


if __name__ == "__main__":
    main()
