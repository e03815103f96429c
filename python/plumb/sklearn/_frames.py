"""Estimators for tables of any columns: numbers, categories and texts, with missing values."""
import warnings

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_feature_names, _check_n_features, _num_samples, check_array, check_is_fitted, column_or_1d, validate_data

import plumb
from plumb.sklearn._base import AT_LEAST_0, Estimator, constrained
from plumb.sklearn._classify import coded, several


class TableEstimator(Estimator):
    """The base: data frames go to the engine as they are, arrays are checked as scikit-learn does."""

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

    def _table(self, X, reset):
        """The columns by the names that the engine is to know them by."""
        if not (hasattr(X, "columns") or hasattr(X, "__arrow_c_stream__")):
            kind = getattr(X, "dtype", None)
            texts = kind is not None and getattr(kind, "kind", "") in "OU"
            X = validate_data(self, X, reset=reset, dtype=None if texts else [np.float64, np.float32],
                              ensure_all_finite="allow-nan")
            if X.dtype.kind in "OU":
                X = _of_texts(X)
            return X
        _check_feature_names(self, X, reset=reset)
        _check_n_features(self, X, reset=reset)
        if _num_samples(X) == 0:
            raise ValueError(f"Found array with 0 sample(s) (shape={X.shape}) while a minimum of 1 is required by {type(self).__name__}.")
        return X

    def _begin(self, X, y):
        self._validate_params()
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        X = self._table(X, True)
        y = column_or_1d(y, warn=True)
        if len(y) != len(X):
            raise ValueError(f"Found input variables with inconsistent numbers of samples: {[len(X), len(y)]}")
        return X, y

    def _train(self, X, target, kind):
        fit = plumb.fit(X, target=target, test="none", target_kind=kind, progress=False, **self._options(float(len(target))))
        for said in fit.warnings:
            warnings.warn(said, UserWarning, stacklevel=3)
        self.model_ = fit.model


def _of_texts(X):
    """Numbers where all values are numbers; otherwise texts and numbers as they are."""
    try:
        return X.astype(np.float64)
    except (TypeError, ValueError):
        pass
    for each in X.ravel():
        if not (each is None or isinstance(each, (str, int, float, bool, np.generic))):
            raise TypeError(f"argument must be a string or a real number, not {type(each).__name__!r}")
    return X


class TableClassifier(ClassifierMixin, TableEstimator):
    """The base of those for labels."""

    def fit(self, X, y):
        """Fits the model."""
        X, y = self._begin(X, y)
        check_classification_targets(y)
        self.classes_, codes = coded(y)
        several(self.classes_)
        self._train(X, codes.astype(np.float64), "labels")
        return self

    def predict_proba(self, X):
        """The probability of each class, in the order of ``classes_``."""
        check_is_fitted(self)
        return np.asarray(self.model_.predict_proba(self._table(X, False)))

    def predict(self, X):
        """The label of each row."""
        check_is_fitted(self)
        return self.classes_.take(np.asarray(self.model_.predict(self._table(X, False))).astype(np.intp))


def _events(event):
    """The event of each column; one that is categorical is read as a category, whatever its values are."""
    if event == "auto":
        return {}
    categories = [name for name, each in event.items() if each == "categorical"] if isinstance(event, dict) else []
    return {"event": event, "categorical": categories or None}


class MixedNB(TableClassifier):
    """Naive Bayes for a table: numbers are Gaussian, categories categorical, texts bags of words, unless event says
    otherwise, for all columns or by column: event={"age": "gaussian", "city": "categorical"}.

    >>> import pandas
    >>> from plumb.sklearn import MixedNB
    >>> rows = pandas.DataFrame({"size": [1.0, 1.2, 3.0, 3.1], "colour": ["red", "red", "blue", "blue"]})
    >>> MixedNB().fit(rows, ["a", "a", "b", "b"]).predict(rows).tolist()
    ['a', 'a', 'b', 'b']
    """

    _engine = "naive-bayes"
    _mapped = {"event": lambda value, total: _events(value),
               "alpha": lambda value, total: {"smoothing": float(value)},
               "fit_prior": lambda value, total: {"prior": "empirical" if value else "uniform"},
               "var_smoothing": lambda value, total: {"variance_add": float(value)}}
    _fixed = {"variance_divisor": "n"}
    _parameter_constraints = {"alpha": [AT_LEAST_0], "event": [str, dict], "fit_prior": ["boolean"], "var_smoothing": [AT_LEAST_0]}

    def __init__(self, *, event="auto", alpha=1.0, fit_prior=True, var_smoothing=1e-9):
        self.event = event
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.var_smoothing = var_smoothing


_EFFORT = {"effort": [StrOptions({"none", "quick", "full"})], "metric": [str, None]}


class AutoClassifier(TableClassifier):
    """The best of several classifiers, by cross-validation on the rows of the fit, as ``plumb train`` without a model.
    ``model_.data["options"]`` says what was chosen.

    >>> from plumb.sklearn import AutoClassifier
    >>> x = [[k / 10] for k in range(40)]
    >>> fit = AutoClassifier().fit(x, [k >= 20 for k in range(40)])
    >>> fit.predict([[0.0], [4.0]]).tolist()
    [False, True]
    """

    _engine = "auto"
    _mapped = {"effort": lambda value, total: {"effort": value}, "metric": lambda value, total: {"metric": value}}
    _parameter_constraints = constrained("random_state", "n_jobs", **_EFFORT)

    def __init__(self, *, effort="quick", metric=None, random_state=None, n_jobs=None):
        self.effort = effort
        self.metric = metric
        self.random_state = random_state
        self.n_jobs = n_jobs


class AutoRegressor(RegressorMixin, TableEstimator):
    """Least squares or ridge regression, by leave-one-out errors, as ``plumb train`` without a model.

    >>> from plumb.sklearn import AutoRegressor
    >>> fit = AutoRegressor().fit([[k / 10] for k in range(40)], [k / 5 + k % 2 / 100 for k in range(40)])
    >>> fit.predict([[10.0]]).round(1)
    array([20.])
    """

    _engine = "auto"
    _mapped = AutoClassifier._mapped
    _parameter_constraints = AutoClassifier._parameter_constraints

    def __init__(self, *, effort="quick", metric=None, random_state=None, n_jobs=None):
        self.effort = effort
        self.metric = metric
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X, y):
        """Fits the model."""
        X, y = self._begin(X, y)
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        self._train(X, y, "number")
        return self

    def predict(self, X):
        """The predicted number of each row."""
        check_is_fitted(self)
        return np.asarray(self.model_.predict(self._table(X, False)))
