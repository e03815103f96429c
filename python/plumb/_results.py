"""What calls return: a fit, a model, and reports that show themselves as text, HTML, pictures and frames."""
import html
import json
import sys
import warnings as _warnings

import numpy as np

from plumb import _core, _data, _options
from plumb._errors import UsageError


class Picture(str):
    """An SVG picture: a notebook shows it, ``save(path)`` writes it."""

    def _repr_svg_(self):
        return str(self) or None

    def __repr__(self):
        return f"<picture, {len(self)} bytes of SVG>"

    def save(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(self)


def frame(columns, index=None):
    """A pandas data frame; without pandas a dict of columns, the names of the rows first."""
    try:
        import pandas
    except ImportError:
        return columns if index is None else {"name": index, **columns}
    return pandas.DataFrame(columns, index=index)


def _html_table(head, rows, caption=""):
    cells = lambda tag, row: "".join(f"<{tag}>{html.escape(str(each))}</{tag}>" for each in row)  # noqa: E731
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    title = f"<caption style='text-align:left'>{html.escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{cells('th', head)}</tr></thead><tbody>{body}</tbody></table>"


def _digits(value):
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)


class Report:
    """What a call found: ``str(report)`` is what the program prints, ``data`` every number."""

    def __init__(self, page):
        self._page = page
        self.notes = list(page.notes)
        self.warnings = list(page.warnings)
        self._data = None

    @property
    def data(self):
        """All numbers, as a dict with the keys of ``--json``."""
        if self._data is None:
            self._data = json.loads(self._page.json)
        return self._data

    def plot(self):
        """A picture of it, or None where there is nothing to draw."""
        return Picture(self._page.svg) if self._page.svg else None

    def __str__(self):
        return self._page.text.rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self):
        return f"<pre>{html.escape(str(self))}</pre>"


class Scores(Report):
    """Metrics with intervals, beside the baseline."""

    @property
    def metrics(self):
        """{name: value}"""
        return {name: each["value"] for name, each in self.data["metrics"].items()}

    def to_frame(self):
        """A row for each metric: value, low, high, baseline."""
        base = self.data.get("baseline") or {}
        rows = self.data["metrics"]
        return frame({"value": [each["value"] for each in rows.values()],
                      "low": [each.get("low") for each in rows.values()],
                      "high": [each.get("high") for each in rows.values()],
                      "baseline": [_value(base.get(name)) for name in rows]}, index=list(rows))

    def _repr_html_(self):
        base = self.data.get("baseline") or {}
        rows = [[name, _digits(each["value"]), _digits(each.get("low")), _digits(each.get("high")), _digits(_value(base.get(name)))]
                for name, each in self.data["metrics"].items()]
        return _html_table(["metric", "value", "low", "high", "baseline"], rows)


def _value(each):
    return each.get("value") if isinstance(each, dict) else each


class Comparison(Report):
    """Models side by side on the same folds."""

    def to_frame(self):
        """A row for each model, a column for each metric."""
        models = self.data["models"]
        names = list(dict.fromkeys(name for each in models for name in each["metrics"]))
        return frame({name: [_value(each["metrics"].get(name)) for each in models] for name in names},
                     index=[each.get("name") or each["model"] for each in models])


class Curves(Report):
    """Learning curves."""

    def to_frame(self):
        """A row for each model and number of training rows."""
        points = self.data["points"]
        names = list(dict.fromkeys(name for each in points for name in each["metrics"]))
        return frame({"model": [each["model"] for each in points], "rows": [each["rows"] for each in points],
                      **{name: [_value(each["metrics"].get(name)) for each in points] for name in names}})


class Explanation(Report):
    """Contributions of each feature to the score of each row."""

    def to_frame(self):
        """A row for each row and feature."""
        out = {"row": [], "feature": [], "value": [], "weight": [], "contribution": []}
        for each in self.data["rows"]:
            for part in each.get("contributions", []):
                out["row"].append(each.get("row"))
                for name in ("feature", "value", "weight", "contribution"):
                    out[name].append(part.get(name))
        return frame(out)


def labels_as(labels, kind):
    """Labels in the type of the target: as texts, or as numbers or truth values where all of them are."""
    if kind == "text":
        return np.array(labels, dtype=object)
    if set(labels) <= {"False", "True"}:
        return np.array([each == "True" for each in labels])
    for of in (int, float):
        try:
            return np.array([of(each) for each in labels])
        except ValueError:
            pass
    return np.array(labels, dtype=object)


class Model:
    """Hyperplanes w.x + b and the way from raw rows to x. Made by ``plumb.fit`` or ``plumb.load``."""

    def __init__(self, core, label_type=None):
        self._core = core
        self._label_type = label_type
        self._labels = labels_as(core.labels, label_type) if core.labels else None
        self._json = None

    # What it is.
    @property
    def kind(self):
        """The name of the model, as ``model=`` has it."""
        return self._core.kind

    @property
    def target(self):
        return self._core.target

    @property
    def labels(self):
        """The labels of a classifier, in the order of ``predict_proba``; None for numbers."""
        return None if self._labels is None else self._labels.copy()

    @property
    def features(self):
        """The names of the features, in the order of ``weights``."""
        return self._core.features

    @property
    def columns(self):
        """The columns that rows must have, as pairs of name and kind."""
        return self._core.columns

    @property
    def weights(self):
        """The weights as an array: a row for each hyperplane, one for numbers and for two labels."""
        return self._core.weights

    @property
    def bias(self):
        return self._core.bias

    @property
    def data(self):
        """All that ``plumb inspect --json`` says, as a dict."""
        if self._json is None:
            self._json = json.loads(self._core.json())
        return self._json

    @property
    def certificate(self):
        """How close to the optimum the fit is certified to be, as a dict, or None."""
        return self.data.get("certificate")

    def to_frame(self):
        """A row for each weight: feature, weight and, where they exist, std_error, statistic, p, low, high."""
        out = {"feature": []}
        rows = self.data["rows"]
        several = len(rows) > 1
        if several:
            out["label"] = []
        out["weight"] = []
        extra = [(name, key) for name, key in (("std_error", "standard_errors"), ("t", "t"), ("z", "z"), ("p", "p")) if self.data.get(key)]
        interval = self.data.get("interval") or {}
        for name, _ in extra:
            out[name] = []
        if interval:
            out["low"], out["high"] = [], []
        for k, row in enumerate(rows):
            names = ([("(bias)", None)] if row.get("bias") is not None else []) + [(name, name) for name in row["weights"]]
            for shown, name in names:
                pick = lambda each: None if each is None else each.get("bias") if name is None else each["weights"].get(name)  # noqa: E731
                out["feature"].append(shown)
                if several:
                    out["label"].append(row["label"])
                out["weight"].append(pick(row))
                for column, key in extra:
                    out[column].append(pick(self.data[key][k]) if k < len(self.data[key]) else None)
                for side in ("low", "high"):
                    if interval:
                        out[side].append(pick(interval[side][k]) if k < len(interval[side]) else None)
        return frame(out)

    summary = to_frame

    # Using it.
    def _rows(self, data):
        return _data.rows_of(data)[0]

    @property
    def options(self):
        """The options of the fit, as ``plumb.fit(data, **options)`` takes them."""
        out = {}
        for name, value in self._core.options:
            key = name.replace("-", "_")
            out[key] = [*out[key], value] if isinstance(out.get(key), list) else [out[key], value] if key in out else True if value == "" else value
        return out

    def _predict(self, data, threads=None, **options):
        given = self._rows(data)
        found = _core.predict(self._core, given.rows, _options.named(options), _options.run(threads))
        for each in found["warnings"]:
            _warnings.warn(each, stacklevel=3)
        return found, given

    def predict(self, data, *, threads=None, threshold=None, interval=None, **options):
        """Predictions: labels or numbers, one per row, in the form of the data (array, pandas or polars Series).

        ``interval=0.95`` gives a frame of prediction, low, high, mean_low and mean_high instead.
        """
        found, given = self._predict(data, threads, threshold=threshold, interval=interval, **options)
        values = found["values"] if self._labels is None else self._labels[found["labels"]]
        if interval is None:
            return _shaped(values, given, "prediction")
        bounds = found["interval"]
        names = ["low", "high", "mean_low", "mean_high"][: bounds.shape[1]]
        return _table({"prediction": values, **{name: bounds[:, k] for k, name in enumerate(names)}}, given)

    def predict_proba(self, data, *, threads=None, **options):
        """The probability of each label, a column for each, in the order of ``labels``."""
        found, given = self._predict(data, threads, proba=True, **options)
        proba = found.get("proba", np.empty((0, len(self._labels if self._labels is not None else []))))
        if given.form == "numpy":
            return proba
        return _table({label if given.form == "pandas" else str(label): proba[:, k] for k, label in enumerate(self._labels)}, given)

    def decision_function(self, data, *, threads=None, **options):
        """Scores: with two labels one per row, that of the second; else one for each label."""
        if self._labels is None:
            raise UsageError("decision_function is for labels, and this model predicts numbers", hint="predict(data)")
        found, given = self._predict(data, threads, scores=True, **options)
        scores = found.get("scores", np.empty(0))
        return scores if scores.ndim == 2 or given.form == "numpy" else _shaped(scores, given, "score")

    def evaluate(self, data, target=None, *, weight=None, threads=None, **options):
        """Metrics with intervals on rows with a known target, beside the baseline."""
        given, roles = _data.rows_of(data, target, weight)
        return Scores(_core.evaluate(self._core, given.rows, roles + _options.named(options), _options.run(threads)))

    def explain(self, data, *, threads=None, **options):
        """What each feature adds to the score of each row: ``rows=N``, ``row=[3, 7]`` or ``mistakes=N``."""
        return Explanation(_core.explain(self._core, self._rows(data).rows, _options.named(options), _options.run(threads)))

    def margin(self, data, target=None, *, threads=None, **options):
        """The margin of this model on the rows."""
        given, roles = _data.rows_of(data, target)
        return Report(_core.margin(given.rows, self._core, roles + _options.named(options), _options.run(threads)))

    def sample(self, rows, *, seed=42):
        """Rows drawn from a naive Bayes, as CSV text."""
        return _core.sample(self._core, rows, seed)

    def save(self, path):
        """Writes the model file, whole or not at all."""
        self._core.save(_path(path))

    def __reduce__(self):
        return _unpickled, (self._core.bytes(), self._label_type)

    def __eq__(self, other):
        return isinstance(other, Model) and self._core.bytes() == other._core.bytes()

    def __hash__(self):
        return hash(self._core.bytes())

    def __str__(self):
        return self._core.text().rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self):
        listed = self.to_frame()
        columns = {name: list(listed[name]) for name in listed}
        rows = list(zip(*columns.values()))
        weights = np.abs(np.nan_to_num(np.array(columns["weight"], dtype=float)))
        order = sorted(range(len(rows)), key=lambda k: -weights[k])[:20] if len(rows) > 20 else range(len(rows))
        more = f"; the 20 largest of {len(rows):,} weights" if len(rows) > 20 else ""
        return _html_table(list(columns), [[_digits(each) for each in rows[k]] for k in order], f"{self.kind}: {self.target}{more}")


def _unpickled(content, label_type):
    return Model(_core.model_of_bytes(content), label_type)


def _path(path):
    return path if isinstance(path, str) else path.__fspath__()


def _shaped(values, given, name):
    if given.form == "pandas":
        return sys.modules["pandas"].Series(values, index=given.index, name=name)
    if given.form == "polars":
        return sys.modules["polars"].Series(name, values.tolist() if values.dtype == object else values)
    return values


def _table(columns, given):
    if given.form == "polars":
        return sys.modules["polars"].DataFrame({name: _shaped(each, given, name) for name, each in columns.items()})
    if given.form == "pandas":
        return sys.modules["pandas"].DataFrame(columns, index=given.index)
    return frame(columns) if columns else columns


class Fit:
    """A fit: its model, its scores on held-out rows beside the baseline, and what was said on the way."""

    def __init__(self, core, label_type=None, drawn=None):
        self._core = core
        self.model = Model(core.model, label_type)
        self.notes = list(core.notes)
        self.warnings = list(core.warnings)
        self._draw = drawn
        self._json = None

    @property
    def data(self):
        """All that ``plumb train --json`` says, as a dict."""
        if self._json is None:
            self._json = json.loads(self._core.json())
        return self._json

    @property
    def heldout(self):
        """{metric: value} on the held-out rows."""
        return {name: value for name, value, _, _ in self._core.heldout}

    @property
    def baseline(self):
        """The same for the most common label, or for the mean."""
        return {name: value for name, value, _, _ in self._core.baseline}

    @property
    def converged(self):
        return self._core.converged

    @property
    def certificate(self):
        return self.data.get("certificate")

    def to_frame(self):
        """The weights as a frame (``Model.to_frame``)."""
        return self.model.to_frame()

    def summary(self):
        """Estimates with errors, tests and intervals, as a frame."""
        return self.model.to_frame()

    def plot(self):
        """A picture of rows and fit, or None if the model has too many dimensions to draw."""
        picture = self._draw() if self._draw is not None else ""
        return Picture(picture) if picture else None

    def save(self, path):
        """Writes the model file, whole or not at all."""
        self._core.save(_path(path))

    def predict(self, data, **options):
        return self.model.predict(data, **options)

    def predict_proba(self, data, **options):
        return self.model.predict_proba(data, **options)

    def explain(self, data, **options):
        return self.model.explain(data, **options)

    def evaluate(self, data, target=None, **options):
        return self.model.evaluate(data, target, **options)

    def __str__(self):
        return self._core.text().rstrip("\n")

    __repr__ = __str__

    def _repr_html_(self):
        base = self.baseline
        rows = [[name, _digits(value), _digits(low), _digits(high), _digits(base.get(name))] for name, value, low, high in self._core.heldout]
        text = str(self).splitlines()[0] if str(self) else ""
        scores = _html_table(["metric", "held out", "low", "high", "baseline"], rows, text) if rows else ""
        return scores + self.model._repr_html_()

    def __reduce__(self):
        raise TypeError("a fit is not pickled; pickle fit.model")
