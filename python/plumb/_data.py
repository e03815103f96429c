"""Rows for the engine from whatever a caller has: paths, frames, arrays, sparse matrices, dicts, lists of texts.

Numbers in float64 or float32 and sparse matrices stay where they are; other types are converted column by column.
"""
import os
import sys

import numpy as np

from plumb import _core
from plumb._errors import DataError, UsageError


class Input:
    """Rows, and what is needed to give results in the same form."""

    __slots__ = ("rows", "form", "index", "count", "target_labels", "is_texts")

    def __init__(self, rows, form="numpy", index=None, count=None, target_labels=None):
        self.rows = rows
        self.form = form
        self.index = index
        self.count = count
        self.target_labels = target_labels
        self.is_texts = False


def _module(name):
    """A module that the caller has imported already: plumb never imports pandas, polars or scipy."""
    return sys.modules.get(name)


def _is_pandas(value):
    pandas = _module("pandas")
    return pandas is not None and isinstance(value, (pandas.DataFrame, pandas.Series))


def _is_sparse(value):
    sparse = _module("scipy.sparse")
    return sparse is not None and sparse.issparse(value)


def _missing(value):
    return value is None or value != value


def _exact(values, name):
    """Whole numbers as doubles, unless that changes one."""
    if values.dtype.itemsize == 8 and values.size and max(abs(int(values.max())), abs(int(values.min()))) > 2**53:
        raise DataError(f'column "{name}" has whole numbers that a double cannot hold', hint="an identifier is a str: .astype(str)")
    return values.astype(np.float64)


def column(name, values):
    """A column of the engine from an array, a Series or a list."""
    name = str(name)
    if _is_pandas(values):
        return _pandas_column(name, values)
    polars = _module("polars")
    if polars is not None and isinstance(values, polars.Series):
        return _core.arrow_columns(values.to_frame(name))[0]
    if hasattr(values, "__arrow_c_stream__") and hasattr(values, "type") and _module("pyarrow") is not None:
        return _core.arrow_columns(_module("pyarrow").table({name: values}))[0]
    if isinstance(values, np.ma.MaskedArray):
        values = values.astype(np.float64).filled(np.nan)
    if not isinstance(values, np.ndarray):
        values = list(values)
        if any(isinstance(each, str) for each in values):
            return _core.texts(name, values)
        values = np.array([None if _missing(each) else each for each in values]) if values else np.empty(0)
    if values.ndim == 2 and values.shape[1] == 1:
        values = values.ravel()
    if values.ndim != 1:
        raise DataError(f'"{name}" has {values.ndim} dimensions; one was expected')
    kind = values.dtype.kind
    if kind == "f":
        if values.dtype not in (np.float32, np.float64):
            values = values.astype(np.float64)
        values = np.ascontiguousarray(values)
        return _core.numbers(name, values, values)
    if kind in "iu":
        values = _exact(values, name)
        return _core.numbers(name, values, values)
    if kind == "b":  # as files have them
        return _core.coded(name, values.astype(np.int64), ["False", "True"])
    if kind == "M":
        return _core.texts(name, _dates(values))
    if kind == "O":
        listed = values.tolist()
        if all(_missing(each) or isinstance(each, (int, float)) and not isinstance(each, bool) for each in listed):
            values = np.array([np.nan if _missing(each) else each for each in listed], dtype=np.float64)
            return _core.numbers(name, values, values)
        return _core.texts(name, listed)
    if kind in "US":
        if kind == "S":
            raise DataError(f'"{name}" holds bytes; str was expected', hint=".astype(str), or decode it")
        return _core.texts(name, values.tolist())
    if kind == "c":
        raise DataError(f'"{name}": Complex data not supported', hint="take the real part, or the absolute value")
    raise DataError(f'column "{name}" is of type {values.dtype}; numbers, texts, booleans or dates were expected')


def _dates(values):
    whole = values.astype("datetime64[D]")
    listed = np.datetime_as_string(whole if (whole == values).all() else values, unit="auto").tolist()
    return [None if each == "NaT" else each.replace("T", " ") for each in listed]


def _pandas_column(name, series):
    pandas = sys.modules["pandas"]
    if isinstance(series, pandas.DataFrame):
        if series.shape[1] != 1:
            raise DataError(f'"{name}" has {series.shape[1]} columns; one was expected')
        series = series.iloc[:, 0]
    dtype = series.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        categories = series.cat.categories
        levels = [str(each) for each in categories]
        return _core.coded(name, np.ascontiguousarray(series.cat.codes.to_numpy(), dtype=np.int64), levels)
    if isinstance(dtype, np.dtype) and dtype.kind != "O":
        return column(name, series.to_numpy())
    if isinstance(dtype, pandas.DatetimeTZDtype):
        return column(name, series.dt.tz_convert("UTC").dt.tz_localize(None).to_numpy())
    if pandas.api.types.is_bool_dtype(dtype):
        codes = series.to_numpy(dtype=np.float64, na_value=-1.0).astype(np.int64)
        return _core.coded(name, codes, ["False", "True"])
    if pandas.api.types.is_numeric_dtype(dtype):
        return column(name, series.to_numpy(dtype=np.float64, na_value=np.nan))
    return column(name, series.to_numpy(dtype=object))


def _pandas_rows(frame, target, weight):
    names = [str(each) for each in frame.columns]
    floats = [dtype for dtype in frame.dtypes]
    if names and all(isinstance(each, np.dtype) and each in (np.float64, np.float32) and each == floats[0] for each in floats):
        values = frame.to_numpy(copy=False)
        if _has_stride(values) and len(frame.dtypes) > 0 and np.shares_memory(values, frame.iloc[:, 0].to_numpy(copy=False)):
            return _core.dense(values, (frame, values), names, target, weight)
    return _core.columns([_pandas_column(name, frame.iloc[:, k]) for k, name in enumerate(names)], target, weight)


def _has_stride(values):
    """Whether rows or columns are contiguous, and forwards."""
    size = values.itemsize
    return values.size > 0 and (
        (values.strides[1] == size and values.strides[0] >= size * values.shape[1]) or
        (values.strides[0] == size and values.strides[1] >= size * values.shape[0]))


def _numpy_rows(values, names, target, weight):
    if values.ndim != 2:
        hint = "reshape(-1, 1) makes a column of it" if values.ndim == 1 else ""
        raise DataError(f"Expected 2D array, got {values.ndim}D array instead: the array has shape {values.shape}", hint=hint)
    kind = values.dtype.kind
    if kind in "OUS":
        count = values.shape[1]
        return _core.columns([column(names[k] if names else f"x{k + 1}", values[:, k]) for k in range(count)], target, weight)
    if kind == "c":
        raise DataError("Complex data not supported", hint="take the real part, or the absolute value")
    if kind not in "fiub":
        raise DataError(f"the array is of type {values.dtype}; numbers were expected")
    if values.dtype not in (np.float64, np.float32):
        values = values.astype(np.float64)
    if not _has_stride(values):
        values = np.ascontiguousarray(values)
    return _core.dense(values, values, names or [], target, weight)


def _sparse_rows(matrix, names, target, weight):
    matrix = matrix.tocsr()
    if matrix.dtype not in (np.float64, np.float32):
        if matrix.dtype.kind == "c":
            raise DataError("Complex data not supported")
        matrix = matrix.astype(np.float64)
    return _core.csr(matrix.data, matrix.indices, matrix.indptr, matrix.shape[1], matrix, names or [], target, weight)


def _label_type(values):
    """The type in which predicted labels come back, from the target's; None where the labels decide."""
    if values is None:
        return None
    if _is_pandas(values):
        pandas = sys.modules["pandas"]
        if isinstance(values, pandas.DataFrame):
            values = values.iloc[:, 0]
        if isinstance(values.dtype, pandas.CategoricalDtype):
            values = values.cat.categories
        return "text" if values.dtype == object or str(values.dtype).startswith(("str", "string")) else "any"
    dtype = getattr(values, "dtype", None)
    if dtype is None:
        return "text" if any(isinstance(each, str) for each in list(values)[:100]) else "any"
    return "text" if getattr(dtype, "kind", "") in "OU" or str(dtype) in ("String", "Utf8", "Categorical") else "any"


def rows_of(data, target=None, weight=None, names=None):
    """The rows, and the options that say which column is the target: an array as a target is called "y"."""
    options = []
    given = {}
    for option, values, default in (("target", target, "y"), ("weight", weight, "weight")):
        if values is None:
            continue
        if isinstance(values, str):
            options.append((option, values))
            given[option] = None
        else:
            name = str(getattr(values, "name", None) or default)
            given[option] = column(name, _checked(values, option))
            options.append((option, name))
    found = _rows_of(data, names, given.get("target"), given.get("weight"))
    if found.is_texts:
        options.append(("text", "text"))
    if target is not None and not isinstance(target, str):
        found.target_labels = _label_type(target)
    elif isinstance(target, str):
        found.target_labels = _label_type(_column_of(data, target))
    return found, options


def _checked(values, option):
    return _bool_labels(values) if option == "target" else values


def _bool_labels(values):
    """A target of truth values has the labels False and True."""
    dtype = getattr(values, "dtype", None)
    if dtype is not None and str(dtype) in ("bool", "boolean"):
        return np.asarray(values).astype(str)
    return values


def _column_of(data, name):
    """A column of a frame or a dict; None of anything else."""
    frames = ["pandas.DataFrame", "polars.DataFrame", "pyarrow.Table"]
    known = tuple(getattr(_module(each.split(".")[0]), each.split(".")[1]) for each in frames if _module(each.split(".")[0]))
    return data[name] if isinstance(data, (dict, *known)) and name in _names_of(data) else None


def _names_of(data):
    return data.column_names if hasattr(data, "column_names") else list(data.keys() if isinstance(data, dict) else data.columns)


def _rows_of(data, names, target, weight):
    if isinstance(data, (str, os.PathLike)):
        return _of_files([data], target, weight)
    if _is_sparse(data):
        return Input(_sparse_rows(data, names, target, weight), count=data.shape[0])
    if _is_pandas(data):
        if data.ndim == 1:
            data = data.to_frame(data.name if data.name is not None else "text")
        return Input(_pandas_rows(data, target, weight), "pandas", data.index, len(data))
    if isinstance(data, np.ndarray):
        if data.ndim == 1 and data.dtype.kind in "OU" and data.size and isinstance(data[0], str):
            return _texts(data.tolist(), target, weight)
        return Input(_numpy_rows(data, names, target, weight), count=len(data) if data.ndim else None)
    polars = _module("polars")
    if polars is not None and isinstance(data, polars.LazyFrame):
        data = data.collect()
    if hasattr(data, "__arrow_c_stream__"):
        columns = _core.arrow_columns(data)
        form = "polars" if polars is not None and isinstance(data, polars.DataFrame) else "numpy"
        return Input(_core.columns(columns, target, weight), form, count=len(columns[0]) if columns else 0)
    if isinstance(data, dict):
        return Input(_core.columns([column(name, values) for name, values in data.items()], target, weight))
    if isinstance(data, (list, tuple)):
        if data and all(isinstance(each, (str, os.PathLike)) for each in data):
            if target is None and all(os.path.exists(each) for each in data):
                return _of_files(data, target, weight)
            return _texts([str(each) for each in data], target, weight)
        if data and all(isinstance(each, dict) for each in data):
            keys = list(dict.fromkeys(key for each in data for key in each))
            return _rows_of({key: [each.get(key) for each in data] for key in keys}, names, target, weight)
        return _rows_of(np.asarray(data), names, target, weight)
    if hasattr(data, "__array__"):
        return _rows_of(np.asarray(data), names, target, weight)
    raise UsageError(f"data is of type {type(data).__name__}; a path, a data frame, an array, a sparse matrix, a dict of columns "
                     "or a list of texts was expected")


def _texts(texts, target, weight):
    """A list of texts is a column called "text"."""
    found = Input(_core.columns([_core.texts("text", texts)], target, weight), count=len(texts))
    found.is_texts = True
    return found


def _of_files(paths, target, weight):
    if target is not None or weight is not None:
        raise UsageError("the data are in files, so target and weight are names of columns")
    return Input(_core.files([os.fspath(each) for each in paths]))
