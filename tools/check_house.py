"""The house's rules that a script can check. Each rule is one entry of RULES: a name, the files it applies to, and the pattern it forbids."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LONGEST_FILE = 500


def tracked():
    listed = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    return [ROOT / name for name in listed.stdout.splitlines() if (ROOT / name).is_file()]


def library(path):
    return path.parts[0] == "plumb" and not path.name.endswith("_test.cpp") and path.name != "testing.h"


def source(path):
    return path.suffix in (".h", ".cpp")


def public_headers():
    """The headers that plumb.h includes, directly or not: everything that is installed."""
    found, waiting = [], ["plumb/plumb.h"]
    while waiting:
        for header in re.findall(r'#include "(plumb/[\w/]+\.h)"', (ROOT / waiting.pop()).read_text()):
            if header not in found:
                found.append(header)
                waiting.append(header)
    return found


PUBLIC = set(public_headers())
OS_HEADERS = r"<(unistd|fcntl|poll|pthread|sched|signal|csignal|thread|mutex|condition_variable|filesystem|fstream|sys/\w+)(\.h)?>"

# The headers that cli/ may use beside the public one and the workflow's: for words, the terminal and signals.
CLI_HEADERS = [f"base/{name}" for name in ("choices", "error", "file", "folder", "foreseen", "json_writer", "machine", "memory", "number", "options", "pattern",
                                           "run", "text", "utf8")]
CLI_HEADERS += ["report/style", "report/plot", "report/check", "math/simd"]
# check and convert read and write tables without a model.
CLI_HEADERS += ["data/summary", "data/source", "data/writer", "data/sparse_writer", "data/entry_names", "feature/feature_options", "feature/text_options"]
MOST_PUBLIC = 15  # headers that plumb.h includes

# name, which files, pattern that must not occur in a line
LINES = [
    ("the library never prints, exits or aborts", library,
     r"\b(std::(cout|cerr|clog|exit|abort|terminate|quick_exit)|printf|puts|fputs|fprintf)\b\s*[(<;]|#\s*include\s*<(iostream|cstdio)>"),
    ("threads and the operating system only in base/", lambda p: library(p) and p.parts[1] != "base", r"#\s*include\s*" + OS_HEADERS),
    ("the environment only in base/, and PLUMB_SIMD in math/", lambda p: library(p) and p.parts[1] != "base" and p.name != "kernels.cpp", r"\bgetenv\s*\("),
    ("cli/ includes plumb.h, the workflow, and what CLI_HEADERS lists", lambda p: p.parts[0] == "cli" and source(p),
     r'#\s*include\s*"plumb/(?!plumb\.h"|workflow/|(?:' + "|".join(CLI_HEADERS) + r')\.h")'),
    ("public headers include only public headers",
     lambda p: str(p) in PUBLIC, r'#\s*include\s*"(?!(?:' + "|".join(map(re.escape, sorted(PUBLIC))) + r')")'),
    ("public headers show no third-party type", lambda p: str(p) in PUBLIC, r"#\s*include\s*<(hwy/|xxhash|gtest|rapidcheck|mpfr|gmp)"),
    ("numbers without locale or rounding surprises", lambda p: source(p) and p.parts[0] in ("plumb", "cli") and not p.name.endswith("_test.cpp"),
     r"\b(strtod|strtof|strtold|atof|atoi|sscanf|setlocale|stod|stof|stoi|stol|stoul)\s*\("),
    ("no absolute paths of a machine", lambda p: p.suffix not in (".safetensors", ".plumb"), r"/(work|root|home)/\w"),
    ("no third-party source is fetched", lambda p: p.name == "CMakeLists.txt" or p.suffix == ".cmake", r"FetchContent|ExternalProject|file\(DOWNLOAD"),
    ("nothing is built for one machine alone, or with fast maths", lambda p: p.name == "CMakeLists.txt" or p.suffix in (".cmake", ".json") or p.name == "run",
     r"march=native|ffast-math|Ofast|funsafe-math|fassociative-math"),
]
ALLOWED = {("no absolute paths of a machine", "tools/check_house.py"), ("nothing is built for one machine alone, or with fast maths", "tools/check_house.py")}


def main():
    bad = []
    for path in tracked():
        name = path.relative_to(ROOT)
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        lines = text.splitlines()
        if source(name) and len(lines) > LONGEST_FILE and "generated" not in lines[0]:
            bad.append(f"{name}: {len(lines)} lines; at most {LONGEST_FILE} were expected")
        if source(name) and name.suffix == ".h" and "#pragma once" not in text and not name.name.endswith("-inl.h"):
            bad.append(f"{name}: no #pragma once")
        for rule, holds_for, pattern in LINES:
            if not holds_for(name) or (rule, str(name)) in ALLOWED:
                continue
            for number, line in enumerate(lines, 1):
                if re.search(pattern, re.sub(r"//.*", "", line)):
                    bad.append(f"{name}:{number}: {rule}")
    for header in sorted(PUBLIC):
        if not (ROOT / header).is_file():
            bad.append(f"plumb/plumb.h includes {header}, which is not there")
    sys.exit("\n".join(bad) or 0)


if __name__ == "__main__":
    main()
