"""Linear models of a number."""
import numbers

import numpy as np
from sklearn.base import RegressorMixin
from sklearn.utils._param_validation import Interval

from plumb.sklearn._base import Estimator, all_finite, constrained


class LinearPredictor(RegressorMixin, Estimator):
    """The base of models whose prediction is X @ coef_ + intercept_."""

    def fit(self, X, y, sample_weight=None):
        """Fits the model. A weight of 2 counts as two copies of the row."""
        self._validate_params()
        X, y = self._rows(X, y, y_numeric=True)
        X, y, weight = self._weights(sample_weight, X, np.asarray(y, dtype=np.float64))
        self._keep(self._fit(X, y, weight, "number"))
        return self

    def _keep(self, model):
        weights, bias = self._hyperplanes(model)
        self.coef_ = weights[0]
        self.intercept_ = float(bias[0])

    def _scores(self, X):
        if self._plain(X):
            scores = X @ self.coef_
            scores += self.intercept_
            if all_finite(scores):
                return scores
        return self._checked(X) @ self.coef_ + self.intercept_

    def predict(self, X):
        """The predicted number of each row."""
        return self._scores(X)


class LinearRegression(LinearPredictor):
    """Least squares: minimises sum_i s_i (y_i - w.x_i - b)^2; among several optima the w of least norm.

    >>> from plumb.sklearn import LinearRegression
    >>> fit = LinearRegression().fit([[0.0], [1.0], [2.0]], [1.0, 3.0, 5.0])
    >>> fit.predict([[10.0]]).round(6)
    array([21.])
    """

    _engine = "least-squares"
    _fixed = {"rank": "min-norm"}
    _parameter_constraints = constrained("fit_intercept", "n_jobs")

    def __init__(self, *, fit_intercept=True, n_jobs=None):
        self.fit_intercept = fit_intercept
        self.n_jobs = n_jobs


class Ridge(LinearPredictor):
    """Ridge regression: minimises sum_i s_i (y_i - w.x_i - b)^2 + alpha |w|^2, so alpha is the engine's l2.

    >>> from plumb.sklearn import Ridge
    >>> Ridge(alpha=2.0).fit([[-1.0], [1.0]], [-2.0, 2.0]).coef_.round(6)
    array([1.])
    """

    _engine = "least-squares"
    _fixed = {"rank": "min-norm"}
    _mapped = {"alpha": lambda value, total: {"l2": float(value)}}
    _parameter_constraints = constrained("alpha", "fit_intercept", "n_jobs")

    def __init__(self, alpha=1.0, *, fit_intercept=True, n_jobs=None):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.n_jobs = n_jobs


class HuberRegressor(LinearPredictor):
    """Robust regression: minimises sum_i s_i (sigma + H(r_i / sigma) sigma) + alpha |w|^2, where H is quadratic up to
    epsilon and linear beyond; alpha is half of the engine's l2. ``scale_`` is sigma.

    >>> from plumb.sklearn import HuberRegressor
    >>> x = [[0.0], [1.0], [2.0], [3.0], [4.0]]
    >>> bool(HuberRegressor().fit(x, [0.1, 0.9, 2.1, 2.9, 400.0]).coef_[0] < 2)
    True
    """

    _engine = "huber"
    _mapped = {"alpha": lambda value, total: {"l2": 2.0 * value}, "epsilon": lambda value, total: {"huber": float(value)}}
    _parameter_constraints = constrained("alpha", "max_iter", "fit_intercept", "tol",
                                         epsilon=[Interval(numbers.Real, 1.001, None, closed="left")])

    def __init__(self, *, epsilon=1.35, max_iter=None, alpha=0.0001, fit_intercept=True, tol=1e-10):
        self.epsilon = epsilon
        self.max_iter = max_iter
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.tol = tol

    def _keep(self, model):
        super()._keep(model)
        self.scale_ = dict(model._core.numbers)["scale"]


class PoissonRegressor(LinearPredictor):
    """Counts: the logarithm of the mean is w.x + b. Minimises the mean of half the deviance + alpha/2 |w|^2, so the
    engine's l2 is alpha times the number of rows (the sum of their weights).

    >>> from plumb.sklearn import PoissonRegressor
    >>> fit = PoissonRegressor(alpha=0).fit([[0.0], [0.0], [1.0], [1.0]], [1, 3, 3, 5])
    >>> fit.predict([[0.0], [1.0]]).round(6)
    array([2., 4.])
    """

    _engine = "poisson"
    _mapped = {"alpha": lambda value, total: {"l2": value * total}}
    _parameter_constraints = constrained("alpha", "fit_intercept", "max_iter", "tol")

    def __init__(self, *, alpha=1.0, fit_intercept=True, max_iter=None, tol=1e-10):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.positive_only = True
        return tags

    def predict(self, X):
        """The mean of each row."""
        return np.exp(self._scores(X))

    def score(self, X, y, sample_weight=None):
        """The share of the deviance that is explained: 1 is perfect, 0 is as good as the mean."""
        from sklearn.metrics import d2_tweedie_score

        return d2_tweedie_score(y, self.predict(X), sample_weight=sample_weight, power=1)
