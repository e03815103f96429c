"""The calls of the package, each what the command of that name does."""
import sys

from plumb import _core, _data, _options
from plumb._results import Comparison, Curves, Fit, Model, Report, Scores


class _Bar:
    """A line of progress on a terminal or in a notebook, after a second."""

    PHASES = ("reading", "learning features", "fitting", "evaluating", "predicting", "saving")

    def __init__(self):
        import time

        self._started = time.monotonic()
        self._shown = False

    def __call__(self, phase, done, total):
        import time

        if time.monotonic() - self._started < 1.0:
            return
        part = f" {100 * done // total} %" if total else ""
        sys.stderr.write(f"\r{self.PHASES[phase]}{part}\033[K")
        sys.stderr.flush()
        self._shown = True

    def close(self):
        if self._shown:
            sys.stderr.write("\r\033[K")
            sys.stderr.flush()


def _with_progress(call, threads, max_memory, progress):
    if progress is None:
        progress = sys.stderr is not None and sys.stderr.isatty()
    bar = _Bar() if progress is True else None
    watch = bar if bar is not None else progress if callable(progress) else None
    try:
        return call(_options.run(threads, max_memory, watch))
    finally:
        if bar is not None:
            bar.close()


def fit(data, target=None, model="auto", *, weight=None, test=None, names=None, start=None, threads=None, max_memory=None,
        progress=None, **options):
    """Reads, chooses or takes the model, fits it, and scores it on held-out rows: what ``plumb train`` does.

    data: a path or several, a pandas or polars data frame, a pyarrow table or anything else with
    ``__arrow_c_stream__``, a numpy array, a scipy sparse matrix, a dict of columns, a list of texts.
    target: the name of a column, or an array. model: a name such as "logistic", or "auto".
    test: held-out rows: a fraction, a number of rows, a path, other data, or "none".
    Every option of the command line is a keyword: ``l2="auto"``, ``ngrams="1-2"``, ``drop=["id"]``, ``no_bias=True``.

    >>> import plumb
    >>> rows = {"height": [1.5, 1.6, 1.7, 1.8, 1.9], "weight": [52.0, 57.0, 62.0, 68.0, 74.0]}
    >>> fit = plumb.fit(rows, target="weight", model="least-squares", test="none")
    >>> round(float(fit.model.weights[0, 0]), 2)
    55.0
    """
    given, roles = _data.rows_of(data, target, weight, names)
    held_out = None
    if test is not None and not isinstance(test, (str, int, float)):
        test_data, test_target = test if isinstance(test, tuple) else (test, None if isinstance(target, str) else target)
        held_out = _data.rows_of(test_data, test_target, None, names)[0].rows
        test = None
    named = roles + _options.named({"model": model, "test": test, **options})
    core = start._core if start is not None else None

    def work(run, picture=False):
        return _core.fit(given.rows, named, run, core, held_out, picture)

    found = _with_progress(work, threads, max_memory, progress)
    return Fit(found, given.target_labels, lambda: work(_options.run(threads, max_memory), True).svg())


def cross_validate(data, target=None, model="auto", *, weight=None, names=None, threads=None, max_memory=None, progress=None, **options):
    """Metrics out of fold, with intervals, beside the baseline: ``folds=10``, ``folds="loo"``, ``repeats=5``."""
    given, roles = _data.rows_of(data, target, weight, names)
    named = roles + _options.named({"model": model, **options})
    return Scores(_with_progress(lambda run: _core.cross_validate(given.rows, named, run), threads, max_memory, progress))


def _models(models):
    listed = []
    for each in models or []:
        name, own = each if isinstance(each, tuple) else (each, {})
        listed.append((name, _options.named(own)))
    return listed


def compare(data, target=None, models=None, *, weight=None, names=None, threads=None, max_memory=None, progress=None, **options):
    """Models side by side on the same folds, and a paired test. A model is a name, or a name with options:
    ``models=["naive-bayes", ("logistic", {"l2": 10})]``."""
    given, roles = _data.rows_of(data, target, weight, names)
    named = roles + _options.named(options)
    return Comparison(_with_progress(lambda run: _core.compare(given.rows, _models(models), named, run), threads, max_memory, progress))


def tune(data, target=None, model="", *, grid, one_se=False, weight=None, names=None, threads=None, max_memory=None, progress=None, **options):
    """Chooses option values by cross-validation: ``grid={"l2": [0.1, 1, 10]}`` or ``grid={"l2": "1e-3..1e3:7"}``.

    Returns the report; its ``fit`` has the values chosen."""
    given, roles = _data.rows_of(data, target, weight, names)
    axes = [f"{name.replace('_', '-')}={values if isinstance(values, str) else ','.join(_options.text_of(v) for v in values)}" for name, values in grid.items()]
    named = roles + _options.named(options)
    page, found = _with_progress(lambda run: _core.tune(given.rows, model, axes, one_se, named, run), threads, max_memory, progress)
    report = Report(page)
    report.fit = Fit(found, given.target_labels)
    return report


def learning_curve(data, target=None, models=None, *, sizes=None, weight=None, names=None, threads=None, max_memory=None, progress=None, **options):
    """Scores for growing numbers of training rows."""
    given, roles = _data.rows_of(data, target, weight, names)
    named = roles + _options.named(options)
    texts = [_options.text_of(each) for each in sizes or []]
    return Curves(_with_progress(lambda run: _core.learning_curve(given.rows, _models(models), texts, named, run), threads, max_memory, progress))


def margin(data, target=None, *, weight=None, names=None, threads=None, max_memory=None, progress=None, **options):
    """Whether a hyperplane separates two classes, with proof, and the widest margin."""
    given, roles = _data.rows_of(data, target, weight, names)
    named = roles + _options.named(options)
    return Report(_with_progress(lambda run: _core.margin(given.rows, None, named, run), threads, max_memory, progress))


def load(path):
    """A model from its file."""
    import os

    return Model(_core.load(os.fspath(path)))


def merge(*models):
    """One model of several with kept statistics: exactly that of all their rows."""
    return Model(_core.merge([each._core for each in models]), models[0]._label_type if models else None)


def forget(model, data, target=None):
    """The model without these rows, exactly as if they had never been there."""
    given, _ = _data.rows_of(data, target)
    return Model(_core.forget(model._core, given.rows, _options.run()), model._label_type)
