"""Readers that know nothing of plumb can open the program's model files (check_safetensors.py)."""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SKIPPED = 77  # as tests/CMakeLists.txt has it


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="plumb-safetensors-") as scratch:
        folder = pathlib.Path(scratch)
        (folder / "cities.csv").write_text("city,x,y\nOslo,1,10\nRome,2,20\n,3,29\nRome,4,41\nOslo,5,50\n")
        for name, data, target in [("line", ROOT / "examples/height_weight.csv", "weight"), ("cities", folder / "cities.csv", "y")]:
            subprocess.run([program, "train", data, "-t", target, "--test", "none", "-q", "-o", folder / f"{name}.plumb"], check=True, stdout=subprocess.DEVNULL)
        done = subprocess.run([sys.executable, ROOT / "tests/python/check_safetensors.py", folder / "line.plumb", folder / "cities.plumb"], capture_output=True, text=True)
        print(done.stdout + done.stderr)
        try:
            from safetensors import safe_open
        except ImportError:
            print("skipped: the package safetensors is not installed; our own reader found nothing wrong" if done.returncode == 0 else "")
            sys.exit(done.returncode or SKIPPED)
        with safe_open(folder / "line.plumb", framework="np") as opened:
            weights, bias = opened.get_tensor("weights"), opened.get_tensor("bias")
            if weights.shape != (1, 1) or abs(weights[0, 0] - 61.128667347832436) > 1e-12 or abs(bias[0] + 38.883053568822076) > 1e-12:
                sys.exit(f"safetensors reads other weights: {weights} {bias}")
        sys.exit(done.returncode)


if __name__ == "__main__":
    main()
