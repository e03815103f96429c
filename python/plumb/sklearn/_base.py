"""What the estimators share: arguments as options of the engine, checks of arrays, and the way to the engine and back."""
import math
import numbers
import warnings

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

import plumb

AT_LEAST_0 = Interval(numbers.Real, 0, None, closed="left")
ABOVE_0 = Interval(numbers.Real, 0, None, closed="neither")
COUNT = Interval(numbers.Integral, 1, None, closed="left")

_MANY_NUMBERS = 1_000_000  # of X, beyond which least squares stops at nine certain digits

# Arguments that mean the same in every estimator: a function of the value and of the total weight of the rows, that
# gives options of the engine.
OPTIONS = {
    "fit_intercept": lambda value, total: {"no_bias": not value},
    "max_iter": lambda value, total: {"max_iterations": value},
    "tol": lambda value, total: {"tolerance": value},
    "n_jobs": lambda value, total: {"threads": None if value is None or value < 1 else value},
    "C": lambda value, total: {"l2": 0.0 if math.isinf(value) else 1.0 / value},
    "random_state": lambda value, total: {"seed": seed_of(value)},
}
CONSTRAINTS = {
    "fit_intercept": ["boolean"],
    "max_iter": [COUNT, None],
    "tol": [AT_LEAST_0],
    "n_jobs": [numbers.Integral, None],
    "C": [Interval(numbers.Real, 0, None, closed="right"), ABOVE_0],
    "alpha": [AT_LEAST_0],
    "random_state": ["random_state"],
    "class_weight": [dict, str, None],
}


def constrained(*names, **own):
    """The constraints of these arguments, and others of one's own."""
    return {**{name: CONSTRAINTS[name] for name in names}, **own}


def seed_of(random_state):
    """A seed from what scikit-learn calls a random state; 42 if none is given, so that a fit can be repeated."""
    if random_state is None:
        return 42
    if isinstance(random_state, numbers.Integral):
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31))


class Estimator(BaseEstimator):
    """The base of all estimators. A subclass names its model for the engine and maps its own arguments."""

    _engine = ""  # the model
    _fixed = {}  # options that always hold
    _mapped = {}  # beside OPTIONS, or instead of theirs
    _parameter_constraints = {}

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _options(self, total):
        """The arguments as options of the engine."""
        options = {"model": self._engine, "inference": "none", **self._fixed}
        for name, value in self.get_params(deep=False).items():
            of = self._mapped.get(name) or OPTIONS.get(name)
            if of is not None:
                options.update(of(value, total))
        return options

    def _rows(self, X, y, reset=True, **checks):
        """X and y as arrays that the engine takes as they are."""
        return validate_data(self, X, y, reset=reset, accept_sparse="csr", dtype=[np.float64, np.float32], **checks)

    def _weights(self, sample_weight, X, y):
        """Rows, targets and weights without the rows of weight 0, since a weight is a number of copies."""
        if sample_weight is None:
            return X, y, None
        weight = _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        there = weight > 0
        if not there.any():
            raise ValueError("Sample weights must contain at least one non-zero number.")
        return (X, y, weight) if there.all() else (X[there], y[there], weight[there])

    def _fit(self, X, target, weight, kind, start=None, **own):
        """The engine's fit to these rows."""
        total = float(len(target) if weight is None else weight.sum())
        options = {**self._options(total), **own}
        tall = X.shape[0] > X.shape[1] and X.shape[0] * X.shape[1] > _MANY_NUMBERS
        if options["model"] == "least-squares" and "l1" not in options and tall:
            options["digits"] = 9  # more would take another pass
        fit = plumb.fit(ordered(X), target=np.asarray(target, dtype=np.float64), weight=weight, test="none",
                        target_kind=kind if start is None else None, start=start, progress=False, **options)
        if not fit.converged and self._engine != "perceptron":
            warnings.warn("\n".join(fit.warnings) or "the fit stopped before its optimum", ConvergenceWarning, stacklevel=3)
        self.model_ = fit.model
        self.n_iter_ = max(1, int(fit.model._core.iterations))
        return fit.model

    def _hyperplanes(self, model):
        """Weights for all columns of X, and biases. Columns of a sparse matrix without an entry have no weight."""
        weights, columns = model.weights, self.n_features_in_
        features = model.features
        if len(features) < columns:
            all_weights = np.zeros((weights.shape[0], columns))
            all_weights[:, [int(name[1:]) - 1 for name in features]] = weights
            weights = all_weights
        bias = model.bias
        return weights, bias if bias.size else np.zeros(weights.shape[0])

    def _checked(self, X, **checks):
        check_is_fitted(self)
        return validate_data(self, X, reset=False, accept_sparse="csr", dtype=[np.float64, np.float32], **checks)

    def _plain(self, X):
        """Whether X can go into a product at once; a NaN or an infinity then shows in the result."""
        state = self.__dict__
        return (type(X) is np.ndarray and X.ndim == 2 and X.dtype == np.float64 and X.shape[1] == state.get("n_features_in_", -1)
                and X.shape[0] > 0 and "feature_names_in_" not in state)


def ordered(X):
    """A sparse matrix with sorted indices that occur once, and at least one entry; arrays as they are."""
    if not hasattr(X, "indptr"):
        return X
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    if X.nnz == 0 and X.shape[0] and X.shape[1]:  # an explicit 0, since the engine names columns by their entries
        X = X.copy()
        X.data = np.zeros(1, dtype=X.dtype)
        X.indices = np.zeros(1, dtype=X.indices.dtype)
        X.indptr = np.minimum(np.arange(X.shape[0] + 1), 1).astype(X.indptr.dtype)
    return X


def all_finite(values):
    """Whether all numbers are finite. A sum beyond the doubles is taken for one that is not, and looked at again."""
    return math.isfinite(values.item() if values.size == 1 else values.sum())
