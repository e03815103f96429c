"""CONTRIBUTING's promises for every command in THE list, including future ones: --help and -h work, --json prints one object with
the schema and the command, --dry-run writes nothing, the examples of its page run, and it has a file in tests/cli."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent

# A command line for each command that makes it do its whole work, output files included.
WORK = {
    "train": "people.csv -t weight -o new.plumb",
    "predict": "model.plumb new.csv -o new_predictions.csv",
    "evaluate": "model.plumb new.csv",
    "crossval": "people.csv -t weight",
    "sample": "bayes.plumb -n 5 -o new_rows.csv",
    "merge": "bayes.plumb other.plumb -o new_merged.plumb",
    "forget": "bayes.plumb gone.csv -o new_rest.plumb",
    "compare": "people.csv -t weight --with no-bias",
    "tune": "points.csv -t label -m logistic --grid l2=1,10 --folds 3 -o new_tuned.plumb",
    "curve": "people.csv -t weight --sizes 5,12 --repeats 2",
    "confusables": "weather,whether harbour.txt --correct letter.txt -o new_spelling.plumb",
    "inspect": "model.plumb",
    "explain": "model.plumb new.csv",
    "margin": "points.csv -t label",
    "check": "people.csv -t weight",
    "convert": "people.csv -o new_rows.jsonl",
    "help": "--markdown pages",
    "man": "",
    "completion": "bash",
}


def prepare(program, folder):
    """The files named in examples."""
    for name in ("people.csv", "new.csv"):
        shutil.copy(ROOT / "examples/height_weight.csv", folder / name)
    rows = (ROOT / "examples/height_weight.csv").read_text().splitlines()
    tall = [rows[0] + ",tall"] + [f"{row},{'yes' if i % 2 else 'no'}" for i, row in enumerate(rows[1:])]
    (folder / "tall.csv").write_text("\n".join(tall) + "\n")
    (folder / "gone.csv").write_text("\n".join(tall[:3]) + "\n")
    for name in ("other", "bayes"):
        subprocess.run([program, "train", "tall.csv", "-t", "tall", "-m", "naive-bayes", "--keep-statistics", "--test", "none", "-o", f"{name}.plumb"], cwd=folder, check=True, capture_output=True)
    for name in ("points.csv", "harbour.txt", "letter.txt"):
        shutil.copy(ROOT / "examples" / name, folder / name)
    for name in ("pages", "bin", ".config/fish/completions"):
        (folder / name).mkdir(parents=True)
    (folder / "bin/plumb").symlink_to(program)
    (folder / "bin/man").write_text("#!/bin/sh\nexec cat\n")  # a pager is not what is tested
    (folder / "bin/man").chmod(0o755)


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    bad = []
    with tempfile.TemporaryDirectory(prefix="plumb-commands-") as scratch:
        folder = pathlib.Path(scratch)
        prepare(program, folder)
        environment = {"PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "HOME": scratch, "TERM": "dumb", "LC_ALL": "C.UTF-8"}

        def run(line):
            return subprocess.run(["bash", "-o", "pipefail", "-c", line], cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL)

        def require(holds, message, done=None):
            if not holds:
                bad.append(message + (f": exit code {done.returncode}\n{done.stdout}{done.stderr}" if done else ""))

        def files():
            return {str(path): path.stat().st_mtime_ns for path in folder.rglob("*")}

        require(run("plumb train people.csv -t weight").returncode == 0, "no model to work with")
        commands = json.loads(run("plumb help --json").stdout)["commands"]
        names = [command["name"] for command in commands]
        require(set(names) == set(WORK), f"WORK has {sorted(WORK)}, the program has {sorted(names)}: add a line for the new command")
        for command in commands:
            name = command["name"]
            if name not in WORK:
                continue
            line = f"plumb {name} {WORK[name]}"
            for form in (f"plumb {name} --help", f"plumb {name} -h", f"plumb help {name}"):
                done = run(form)
                require(done.returncode == 0 and done.stdout.startswith(f"plumb {name}: ") and not done.stderr, form, done)
                if form.endswith(" -h"):
                    lines = done.stdout.count("\n")
                    require(lines <= 50, f"{form} has {lines} lines, more than a screen")
                    continue
                require(all(f"--{option['name']}" in done.stdout for option in command["options"]), f"{form} leaves out an option", done)

            before = files()
            for form in (f"{line} --dry-run", f"{line} --json --dry-run", f"{line} --json"):
                done = run(form)
                require(done.returncode == 0, form, done)
                if "--dry-run" in form:
                    require(files() == before, f"{form} changed files: {sorted(set(files().items()) ^ set(before.items()))}")
                if "--json" not in form:
                    continue
                try:
                    said = json.loads(done.stdout)
                    require((said["schema"], said["command"]) == (1, name), f"{form} says {said['schema']}, {said['command']}")
                except (ValueError, KeyError) as error:
                    require(False, f"{form} prints no such object ({error!r})", done)

            require(command["examples"], f"{name} has no example")
            for example in command["examples"]:
                done = run(example)
                require(done.returncode == 0, f"the example {example}", done)
            page = ROOT / "tests/cli" / f"{name}.txt"
            require(page.is_file() and f"$ plumb {name}" in page.read_text(), f"{page.relative_to(ROOT)} has no `$ plumb {name}`")
    sys.exit("\n".join(bad) or print(f"{len(names)} commands keep what is promised of them"))


if __name__ == "__main__":
    main()
