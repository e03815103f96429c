"""unity_groups.py BYTES SOURCE...: which sources may be compiled as one, as a list of CMake: a number of a group for each. Two
files of a group share no name that they keep to themselves (in `namespace {`), and a group has no more than so many bytes."""
import pathlib
import re
import sys

NAME = re.compile(r"^(?:[^\s/#}].*?[\s&*])?([A-Za-z_]\w*)\s*(?:\(|=|\{|;|\[|:(?!:))")
TYPE = re.compile(r"^(?:template <.*> )?(?:struct|class|enum class|enum)\s+(\w+)")


def own_names(text):
    """What stands in the first column inside of `namespace {`."""
    names, inside = set(), False
    for line in text.splitlines():
        if line == "namespace {":
            inside = True
        elif line.startswith("}  // namespace"):
            inside = False
        elif inside:
            for pattern in (TYPE, NAME):
                found = pattern.match(line)
                if found:
                    names.add(found[1])
    return names - {"if", "for", "return", "requires", "operator", "const", "noexcept", "final"}


most, groups, numbers = int(sys.argv[1]), [], []
for source in sys.argv[2:]:
    text = pathlib.Path(source).read_text()
    names, size = own_names(text), len(text)
    for number, group in enumerate(groups):
        if group["size"] + size <= most and not group["names"] & names:
            break
    else:
        number = len(groups)
        groups.append({"size": 0, "names": set()})
    groups[number]["size"] += size
    groups[number]["names"] |= names
    numbers.append(str(number))
print(";".join(numbers), end="")
