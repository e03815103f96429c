"""Promises of the whole library: its public headers compile alone, it neither prints nor exits, it keeps no global
variables, and every file of it was compiled with -ffp-contract=off and without fast maths."""
import concurrent.futures
import json
import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# Constants that are initialised at their first use, and their guards.
CONSTANTS = re.compile(r"guard variable|^DW\.ref\.|::(source_list|trainer_list|trait_list|writer_list|solver_list)\(\)::list|::kernels\(\)::|::chosen|::k[A-Z]\w*$")  # kName is how constants are called
TALKERS = re.compile(r"\b(stdout|stderr|stdin|exit|_exit|abort|quick_exit|printf|fprintf|puts|fputs|putchar|std::cout|std::cerr|std::clog|setlocale|strtod|atof)(@|$)")


def headers(compiler):
    everything = ["plumb/plumb.h"]
    for header in everything:
        everything += [more for more in re.findall(r'#include "(plumb/[\w/]+\.h)"', (ROOT / header).read_text()) if more not in everything]
    def compiled(header):
        return subprocess.run([compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-fsyntax-only", "-x", "c++", "-I", ROOT, "-"],
                              input=f'#include "{header}"\n', capture_output=True, text=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for header, done in zip(everything, pool.map(compiled, everything)):
            if done.returncode != 0:
                sys.exit(f"{header} does not compile alone:\n{done.stderr}")
    return len(everything)


def symbols(archive):
    bad = []
    member = ""
    for line in subprocess.run(["objdump", "-t", "-C", archive], capture_output=True, text=True, check=True).stdout.splitlines():
        if ".o:" in line:
            member = line.split(":")[0]
        found = re.match(r"[0-9a-f]{16} (.{7}) (\S+)\t[0-9a-f]{16} +(?:\.hidden )?(.*)", line)
        if not found:
            continue
        kind, section, name = found.groups()
        if section == "*UND*" and TALKERS.search(name):
            bad.append(f"{member} uses {name}")
        # .data.rel.ro holds constants with addresses in them: read-only once the program has started.
        if "O" in kind and re.match(r"\.(data|bss|tdata|tbss)", section) and not section.startswith(".data.rel.ro") and not CONSTANTS.search(name):
            bad.append(f"{member} keeps the variable {name}")
    if not member:
        sys.exit(f"{archive}: no symbols were found")
    if bad:
        sys.exit("\n".join(bad))


def flags(commands):
    count = 0
    for entry in json.loads(commands.read_text()):
        name = pathlib.Path(entry["file"]).resolve()
        if ROOT / "plumb" not in name.parents and ROOT / "cli" not in name.parents and name.parent.name != "Unity":
            continue
        count += 1
        if "-ffp-contract=off" not in entry["command"]:
            sys.exit(f"{name.relative_to(ROOT)} is compiled without -ffp-contract=off")
        if re.search(r"fast-math|-Ofast|unsafe-math|march=", entry["command"]):
            sys.exit(f"{name.relative_to(ROOT)} is compiled with {entry['command']}")
    if count < 20:
        sys.exit(f"only {count} compile commands were found")
    return count


def main():
    build, archive, compiler = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    symbols(archive)
    print(f"{headers(compiler)} headers compile alone; {flags(build / 'compile_commands.json')} files compiled with the right flags; the library is silent")


if __name__ == "__main__":
    main()
