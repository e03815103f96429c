"""Every include of a layer is one that plumb/LAYERS allows it; a layer names only layers above its own line."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent / "plumb"


def read_layers(text):
    allowed = {}
    for line in text.splitlines():
        layer, colon, below = line.partition(":")
        if not colon or line.startswith("#"):
            continue
        unknown = set(below.split()) - allowed.keys()
        if unknown:
            sys.exit(f"LAYERS: {layer.strip()} names {', '.join(sorted(unknown))}, not listed above it")
        allowed[layer.strip()] = set(below.split()) | {layer.strip()}
    return allowed


def main():
    allowed = read_layers((ROOT / "LAYERS").read_text())
    bad = []
    for path in sorted(ROOT.glob("*/**/*.[hc]*")):
        layer = path.relative_to(ROOT).parts[0]
        if layer not in allowed:
            bad.append(f"{path.relative_to(ROOT.parent)}: folder {layer} is not in plumb/LAYERS")
            continue
        for number, text in enumerate(path.read_text().splitlines(), 1):
            found = re.match(r'\s*#\s*include\s*[<"]plumb/(\w+)/', text)
            if found and found[1] not in allowed[layer]:
                bad.append(f"{path.relative_to(ROOT.parent)}:{number}: {layer} may not include {found[1]} (plumb/LAYERS)")
    sys.exit("\n".join(bad) or 0)


if __name__ == "__main__":
    main()
