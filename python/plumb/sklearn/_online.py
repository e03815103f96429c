"""Classifiers that learn row by row."""
import numpy as np
from sklearn.utils._param_validation import StrOptions
from sklearn.utils.multiclass import _check_partial_fit_first_call

from plumb import _core
from plumb._results import Model
from plumb.sklearn._base import ABOVE_0, AT_LEAST_0, COUNT, constrained
from plumb.sklearn._classify import LinearClassifier, class_weighted, several

_LOSSES = {"hinge": "hinge", "log_loss": "logistic", "squared_error": "squared", "perceptron": "perceptron"}


class OnlineClassifier(LinearClassifier):
    """The base: rows are looked at one by one, so their order matters unless it is shuffled by random_state."""

    _engine = "perceptron"
    _mapped = {
        "max_iter": lambda value, total: {"passes": value},
        "eta0": lambda value, total: {"rate": float(value)},
        "shuffle": lambda value, total: {"order": "shuffled" if value else "given"},
        "average": lambda value, total: {"variant": "averaged" if value else "plain"},
        "loss": lambda value, total: {"loss": _LOSSES[value]},
    }

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """One more pass, over these rows. The first call needs all classes."""
        self._validate_params()
        first = _check_partial_fit_first_call(self, classes)
        X, y = self._rows(X, y, reset=first)
        X, y, weight = self._weights(sample_weight, X, y)
        codes = places(self.classes_, y)
        if first:
            several(self.classes_)
            self.model_ = self._blank(X)
        weight = class_weighted(self.class_weight, self.classes_, codes, weight)
        self._keep(self._fit(X, codes, weight, "labels", start=self.model_, passes=1))
        return self

    def _weights(self, sample_weight, X, y):
        """Whole weights as copies, one after another: two visits are not one with twice the step. Other weights multiply
        the step."""
        X, y, weight = super()._weights(sample_weight, X, y)
        if weight is None or (weight != np.floor(weight)).any():
            return X, y, weight
        copies = np.repeat(np.arange(len(y)), weight.astype(np.intp))
        return X[copies], y[copies], None

    def _blank(self, X):
        """A model with these columns and classes that has not seen a row."""
        count = len(self.classes_)
        model = self._fit(np.zeros((count, X.shape[1])) if not hasattr(X, "indptr") else _full(X, count), np.arange(count), None,
                          "labels", passes=1)
        return Model(_core.without_weights(model._core), model._label_type)


def _full(X, rows):
    """A sparse matrix whose first row has an explicit 0 in every column: the engine learns the columns from it."""
    from scipy.sparse import csr_matrix

    columns = X.shape[1]
    return csr_matrix((np.zeros(columns), np.arange(columns), np.r_[0, np.full(rows, columns)]), shape=(rows, columns))


def places(classes, y):
    """The place of each label among the classes."""
    found = np.searchsorted(classes, y).clip(max=len(classes) - 1)
    strange = classes[found] != y
    if strange.any():
        raise ValueError(f"y has the class {np.asarray(y)[strange].tolist()[0]!r}, which classes has not: {classes.tolist()}")
    return found


class Perceptron(OnlineClassifier):
    """The perceptron: a row that is on the wrong side moves the hyperplane towards itself by eta0. average=True, the
    default, is the mean of all hyperplanes on the way, which is more stable than the last. With three classes or more
    an update moves the right class up and the best of the others down.

    >>> from plumb.sklearn import Perceptron
    >>> Perceptron().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[-1.0], [5.0]])
    array([0, 1])
    """

    _parameter_constraints = constrained("fit_intercept", "class_weight", "random_state", max_iter=[COUNT], eta0=[ABOVE_0],
                                         shuffle=["boolean"], average=["boolean"], margin=[AT_LEAST_0])
    _mapped = {**OnlineClassifier._mapped, "margin": lambda value, total: {"margin": float(value)}}

    def __init__(self, *, max_iter=100, eta0=1.0, margin=0.0, shuffle=True, average=True, fit_intercept=True, random_state=None,
                 class_weight=None):
        self.max_iter = max_iter
        self.eta0 = eta0
        self.margin = margin
        self.shuffle = shuffle
        self.average = average
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.class_weight = class_weight


class SGDClassifier(OnlineClassifier):
    """Stochastic gradient descent without a penalty: each row moves the hyperplane along the slope of its loss times
    eta0, a constant rate. average=True, the default, is the mean of all hyperplanes on the way.

    >>> from plumb.sklearn import SGDClassifier
    >>> SGDClassifier(max_iter=100).fit([[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]).predict([[-3.0], [3.0]])
    array([0, 1])
    """

    _parameter_constraints = constrained("fit_intercept", "class_weight", "random_state", max_iter=[COUNT], eta0=[ABOVE_0],
                                         shuffle=["boolean"], average=["boolean"], loss=[StrOptions(set(_LOSSES))])

    def __init__(self, loss="hinge", *, max_iter=100, eta0=0.01, shuffle=True, average=True, fit_intercept=True, random_state=None,
                 class_weight=None):
        self.loss = loss
        self.max_iter = max_iter
        self.eta0 = eta0
        self.shuffle = shuffle
        self.average = average
        self.fit_intercept = fit_intercept
        self.random_state = random_state
        self.class_weight = class_weight
