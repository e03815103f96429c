"""join_tests.py OUTPUT TEST...: several *_test.cpp as one source, since reading the headers is most of what it takes to compile
one. Each file keeps its names to itself: what it puts into namespace plumb goes into a namespace of its own there."""
import pathlib
import re
import sys

OPENS = re.compile(r"^namespace plumb[a-z_:]* \{$", re.M)
CLOSES = re.compile(r"^\}  // namespace plumb.*$", re.M)


def joined(path):
    text = path.read_text()
    if not OPENS.search(text) or "TEST" not in text:   # names of its own alone, or for the tests of other files
        return f'#line 1 "{path}"\n{text}'
    if len(OPENS.findall(text)) != 1 or len(CLOSES.findall(text)) != 1:
        sys.exit(f"{path}: a test opens and closes namespace plumb once")
    text = OPENS.sub(lambda found: f"{found[0]} namespace {path.stem} {{", text)
    return f'#line 1 "{path}"\n' + CLOSES.sub(lambda found: "}" + found[0], text)


output = pathlib.Path(sys.argv[1])
output.parent.mkdir(parents=True, exist_ok=True)
output.write_text("".join(joined(pathlib.Path(name)) for name in sys.argv[2:]))
