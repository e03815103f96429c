"""Exceptions: each says what is wrong, where, and what to type next."""


class PlumbError(Exception):
    """The base of all errors of plumb.

    ``path``, ``line`` and ``column`` say where in a file (None if unknown), ``hint`` what to do about it.
    """

    def __init__(self, message, path="", line=0, column=0, hint=""):
        self.message = message
        self.path = path or None
        self.line = line or None
        self.column = column or None
        self.hint = hint or None
        place = ":".join(str(part) for part in (self.path, self.line, self.column) if part)
        text = f"{place}: {message}" if place else message
        super().__init__(f"{text}\nhint: {hint}" if hint else text)

    def __reduce__(self):
        return type(self), (self.message, self.path or "", self.line or 0, self.column or 0, self.hint or "")


class UsageError(PlumbError, ValueError):
    """An option or an argument that does not exist, or has a value out of its range."""


class DataError(PlumbError, ValueError):
    """Data that cannot be read, or cannot be used for this."""


class ModelError(PlumbError, ValueError):
    """A model file that is missing or damaged."""


class ResourceError(PlumbError, MemoryError):
    """Too little memory or disk space."""


class Interrupted(PlumbError, RuntimeError):
    """The work was stopped, by a time limit for example."""


class InternalError(PlumbError, RuntimeError):
    """A fault of plumb itself."""
