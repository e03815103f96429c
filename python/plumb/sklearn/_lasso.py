"""Least squares with an L1 penalty, that makes weights 0."""
import numbers

import numpy as np
from sklearn.metrics import get_scorer
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_sample_weight

from plumb.sklearn._base import constrained
from plumb.sklearn._paths import fold_scores
from plumb.sklearn._regress import LinearPredictor

_SHARE = Interval(numbers.Real, 0, 1, closed="both")


class ElasticNet(LinearPredictor):
    """Minimises sum_i s_i (y_i - w.x_i - b)^2 / (2 n) + alpha (l1_ratio |w|_1 + (1 - l1_ratio) |w|^2 / 2), where n is
    the number of rows (the sum of their weights): the engine's l1 is n alpha l1_ratio, its l2 n alpha (1 - l1_ratio).

    >>> from plumb.sklearn import ElasticNet
    >>> ElasticNet(alpha=0.1).fit([[-1.0, 1.0], [1.0, 1.0]], [-2.0, 2.0]).coef_.round(3).tolist()
    [1.857, 0.0]
    """

    _engine = "least-squares"
    _parameter_constraints = constrained("alpha", "fit_intercept", "max_iter", "tol", "n_jobs", l1_ratio=[_SHARE])

    def __init__(self, alpha=1.0, *, l1_ratio=0.5, fit_intercept=True, max_iter=None, tol=1e-10, n_jobs=None):
        self.alpha = alpha
        self.l1_ratio = l1_ratio
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs

    def _options(self, total):
        ratio = getattr(self, "l1_ratio", 1.0)
        found = {**super()._options(total), "l1": self.alpha * ratio * total, "l2": self.alpha * (1.0 - ratio) * total}
        if found["l1"] == 0:  # the closed form
            for name in ("l1", "tolerance", "max_iterations"):
                found.pop(name, None)
            found["rank"] = "min-norm"
        return found


class Lasso(ElasticNet):
    """Minimises sum_i s_i (y_i - w.x_i - b)^2 / (2 n) + alpha |w|_1, where n is the number of rows (the sum of their
    weights): the engine's l1 is n alpha.

    >>> from plumb.sklearn import Lasso
    >>> Lasso(alpha=0.1).fit([[-1.0, 1.0], [1.0, 1.0]], [-2.0, 2.0]).coef_.round(3).tolist()
    [1.9, 0.0]
    """

    _parameter_constraints = constrained("alpha", "fit_intercept", "max_iter", "tol", "n_jobs")

    def __init__(self, alpha=1.0, *, fit_intercept=True, max_iter=None, tol=1e-10, n_jobs=None):
        self.alpha = alpha
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.n_jobs = n_jobs


class ElasticNetCV(LinearPredictor):
    """ElasticNet with the alpha (and the l1_ratio, if several are given) of least squared error on held-out rows. alphas
    is a list, or how many from the least that makes all weights 0 downwards. Without cv the engine follows its path of
    penalties on 5 folds drawn at random (random_state); with cv every alpha is fitted on the folds that cv says.

    >>> from plumb.sklearn import ElasticNetCV
    >>> ElasticNetCV(alphas=[0.001, 10.0], cv=2).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]).alpha_
    0.001
    """

    _engine = "elastic-net"
    _parameter_constraints = constrained("fit_intercept", "max_iter", "tol", "n_jobs", "random_state", l1_ratio=[_SHARE, "array-like"],
                                         cv=["cv_object"], alphas=[Interval(numbers.Integral, 2, None, closed="left"), "array-like"])

    def __init__(self, *, l1_ratio=0.5, alphas=100, fit_intercept=True, max_iter=None, tol=1e-6, cv=None, n_jobs=None, random_state=None):
        self.l1_ratio = l1_ratio
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X, y, sample_weight=None):
        """Chooses alpha and fits with it."""
        self._validate_params()
        X, y = self._rows(X, y, y_numeric=True, ensure_min_samples=2)
        y = np.asarray(y, dtype=np.float64)
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        there = self._weights(weight, X, y)
        ratios = np.ravel(getattr(self, "l1_ratio", 1.0)).tolist()
        if self.cv is None and isinstance(self.alphas, numbers.Integral):
            return self._follow(*there, ratios)
        shared = {name: getattr(self, name) for name in ("fit_intercept", "max_iter", "tol", "n_jobs")}
        models = [ElasticNet(alpha, l1_ratio=ratio, **shared) for ratio in ratios for alpha in self._grid(*there, ratio)]
        self.mse_path_ = -fold_scores(models, X, y, weight, self.cv, get_scorer("neg_mean_squared_error"))
        chosen = models[int(self.mse_path_.mean(axis=1).argmin())]
        self.alphas_ = np.array([each.alpha for each in models])
        self.alpha_, self.l1_ratio_ = float(chosen.alpha), float(chosen.l1_ratio)
        fitted = chosen.fit(X, y, weight)
        for name in ("model_", "coef_", "intercept_", "n_iter_"):
            setattr(self, name, getattr(fitted, name))
        return self

    def _follow(self, X, y, weight, ratios):
        """The engine's own choice."""
        model, points = self._path(X, y, weight, ratios, min(5, len(y)))
        found = dict(model._core.numbers)
        self.l1_ratio_ = float(found["l1_ratio"])
        self.alphas_ = points / self.l1_ratio_
        self.alpha_ = float(self.alphas_[int(found["path_chosen"])])
        self.mse_path_ = np.array([[each["heldout_loss"]] for each in model.data["path"]["points"]])
        self._keep(model)
        return self

    def _path(self, X, y, weight, ratios, folds):
        """The engine's path, and alpha times l1_ratio at its points."""
        own = {} if self._engine == "lasso" else {"l1_ratio": ratios}
        points = self.alphas if isinstance(self.alphas, numbers.Integral) else 2
        model = self._fit(X, y, weight, "number", l1="auto", no_standardise=True, path_points=points, path_folds=folds, **own)
        total = len(y) if weight is None else weight.sum()
        return model, np.array([each["l1"] for each in model.data["path"]["points"]]) / total

    def _grid(self, X, y, weight, ratio):
        """The alphas, from the largest."""
        if isinstance(self.alphas, numbers.Integral):
            return self._path(X, y, weight, [ratio], 2)[1] / ratio
        return sorted(np.asarray(self.alphas, dtype=np.float64), reverse=True)


class LassoCV(ElasticNetCV):
    """Lasso with the alpha of least squared error on held-out rows; alphas and cv as for ElasticNetCV.

    >>> from plumb.sklearn import LassoCV
    >>> LassoCV(alphas=[0.001, 10.0], cv=2).fit([[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 2.0, 3.0]).alpha_
    0.001
    """

    _engine = "lasso"
    _parameter_constraints = {name: each for name, each in ElasticNetCV._parameter_constraints.items() if name != "l1_ratio"}

    def __init__(self, *, alphas=100, fit_intercept=True, max_iter=None, tol=1e-6, cv=None, n_jobs=None, random_state=None):
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.max_iter = max_iter
        self.tol = tol
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state
