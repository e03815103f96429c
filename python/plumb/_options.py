"""Keyword arguments as options of the command line: the same names with underscores, the same values."""
import numbers

from plumb import _core
from plumb._errors import UsageError

# Written on the command line only; here the result has them.
_FILES_WRITTEN = {"output": "Fit.save(path)", "trace": "plumb train --trace", "plot": "Fit.plot()", "diagnostics": "plumb train --diagnostics",
                  "cache": "plumb train --cache"}

_table = None


def table():
    """The options of ``plumb.fit`` by name: a dict of name, meaning, value, default, choices, repeats."""
    global _table
    if _table is None:
        _table = {}
        for _, options in _core.option_groups():
            for each in options:
                _table.setdefault(each["name"], each)
    return _table


def text_of(value):
    """A value as it is typed on the command line."""
    if isinstance(value, str):
        return value
    if isinstance(value, numbers.Integral):
        return str(int(value))
    if isinstance(value, numbers.Real):
        return repr(float(value))
    if hasattr(value, "__fspath__"):
        return value.__fspath__()
    if isinstance(value, range):
        return ",".join(str(each) for each in value)
    raise UsageError(f"an option has a value of type {type(value).__name__}; a number, a str, a list or a dict was expected")


def _one(name, value, out):
    info = table().get(name)
    flag = info is not None and not info["value"]
    if value is None or (flag and value is False):
        return
    if value is True and (flag or info is None):
        out.append((name, ""))
    elif flag:
        raise UsageError(f"{name.replace('-', '_')} is {value!r}; True or False was expected")
    elif isinstance(value, bool):
        raise UsageError(f"{name.replace('-', '_')} is {value!r}; {info['value']} was expected")
    elif isinstance(value, dict):
        for key, each in value.items():
            out.append((name, f"{key}={text_of(each)}"))
    elif isinstance(value, (list, tuple, set)):
        texts = [text_of(each) for each in value]
        if info is not None and info["repeats"]:
            out.extend((name, each) for each in texts)
        else:
            out.append((name, ",".join(texts)))
    else:
        out.append((name, text_of(value)))


def named(options):
    """The options as pairs of name and text."""
    out = []
    for key, value in options.items():
        name = key.rstrip("_").replace("_", "-")
        if name in ("c",):
            name = "C"
        if name in _FILES_WRITTEN:
            raise UsageError(f"there is no option {key} here; use {_FILES_WRITTEN[name]}")
        _one(name, value, out)
    return out


def run(threads=None, max_memory=None, progress=None):
    """How a call runs."""
    if threads is None or threads == -1:
        import os

        threads = int(os.environ.get("PLUMB_THREADS", 0))
    if isinstance(threads, bool) or not isinstance(threads, numbers.Integral) or threads < 0:
        raise UsageError(f"threads is {threads!r}; a whole number of at least 1, or None for all, was expected")
    return _core.Run(int(threads), _bytes_of(max_memory), progress)


def _bytes_of(size):
    if size is None:
        return 0
    if isinstance(size, str):
        units = {"k": 10**3, "m": 10**6, "g": 10**9, "ki": 2**10, "mi": 2**20, "gi": 2**30}
        digits = size.rstrip("kKmMgGi")
        unit = units.get(size[len(digits):].lower(), 1 if digits == size else None)
        try:
            return int(float(digits) * unit)
        except (ValueError, TypeError):
            raise UsageError(f"max_memory is {size!r}; a size such as '500M' or '4G' was expected") from None
    return int(size)
