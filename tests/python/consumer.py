"""An installed plumb serves a small project through find_package and through pkg-config, and both programs print the same."""
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def run(*words, **more):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, **more)
    if done.returncode != 0:
        sys.exit(f"$ {shlex.join(map(str, words))}\n{done.stdout}{done.stderr}exit code {done.returncode}")
    return done.stdout


def product_is_enough(build):
    """`./run build` builds everything that is installed (the target product): every file of the build tree that the install rules name."""
    if ':-product}' not in (ROOT / "run").read_text():
        sys.exit("./run build does not build the target product")
    named = set(re.findall(rf'"{re.escape(str(build))}/([^"$]+)"', (build / "cmake_install.cmake").read_text()))
    written_by_cmake = re.compile(r".*cmake_install\.cmake|CMakeFiles/.*|plumb-config(-version)?\.cmake|plumb\.pc")
    needed = {name for name in named if not written_by_cmake.fullmatch(name)}
    missing = needed - set(re.findall(r'label="([^"]+)"', run("ninja", "-C", build, "-t", "graph", "product")))
    if missing or not {"plumb", "pages/plumb.1"} <= needed:
        sys.exit(f"installed: {sorted(needed)}; not built by the target product: {sorted(missing)}")


def main():
    build, compiler = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    product_is_enough(build)
    with tempfile.TemporaryDirectory(prefix="plumb-consumer-") as scratch:
        scratch = pathlib.Path(scratch)
        first, prefix = scratch / "first", scratch / "moved"
        run("cmake", "--install", build, "--prefix", first)
        first.rename(prefix)  # an installed tree may be moved
        for name in ("bin/plumb", "share/man/man1/plumb.1", "share/bash-completion/completions/plumb", "share/zsh/vendor-completions/_plumb",
                     "share/fish/vendor_completions.d/plumb.fish", "share/doc/plumb/LICENSE", "share/doc/plumb/THIRD_PARTY_NOTICES"):
            if not (prefix / name).is_file():
                sys.exit(f"{name} is not installed")
        installed = {str(path.relative_to(prefix / "include")) for path in (prefix / "include").rglob("*.h")}
        public, waiting = {"plumb/plumb.h"}, ["plumb/plumb.h"]
        while waiting:
            more = set(re.findall(r'#include "(plumb/[^"]+)"', (ROOT / waiting.pop()).read_text())) - public
            public |= more
            waiting += more
        if installed != public:
            sys.exit(f"installed headers differ from those of plumb.h: {sorted(installed ^ public)}")

        run("cmake", "-S", ROOT / "tests/consumer", "-B", scratch / "cmake", "-G", "Ninja", f"-DCMAKE_PREFIX_PATH={prefix}", f"-DCMAKE_CXX_COMPILER={compiler}",
            "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror")
        run("cmake", "--build", scratch / "cmake")
        pc = next(prefix.rglob("plumb.pc"))
        flags = run("pkg-config", "--cflags", "--libs", "plumb", env={**os.environ, "PKG_CONFIG_PATH": str(pc.parent)}).split()
        run(compiler, "-std=c++20", "-Wall", "-Wextra", "-Werror", ROOT / "examples/file_to_predictions.cpp", *flags, "-o", scratch / "by_pkg_config")
        outputs = [run(program, ROOT / "examples/height_weight.csv", "weight", scratch / "m.plumb") for program in (scratch / "cmake/consumer", scratch / "by_pkg_config")]
        outputs = [re.sub(r"time .* s", "time T s", output) for output in outputs]
        if outputs[0] != outputs[1] or "\n50.9761\n" not in outputs[0]:
            sys.exit(f"unexpected predictions:\n{outputs[0]}\n{outputs[1]}")
        for name in ("memory", "custom_loss", "front_door"):
            print(run(scratch / "cmake" / name, cwd=scratch), end="")
        by_program = run(prefix / "bin/plumb", "inspect", scratch / "m.plumb")
        if "61.13" not in by_program:
            sys.exit(f"the program cannot read the library's model:\n{by_program}")
    print("find_package and pkg-config both serve")


if __name__ == "__main__":
    main()
