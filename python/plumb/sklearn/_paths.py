"""Penalties chosen by cross-validation."""
import numbers

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.metrics import get_scorer
from sklearn.model_selection import check_cv
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import _check_sample_weight

from plumb.sklearn._base import constrained
from plumb.sklearn._classify import LogisticRegression, coded, several
from plumb.sklearn._regress import LinearPredictor, Ridge

_LARGEST_DENSE = 50_000_000  # numbers of a sparse matrix that are written out for leave-one-out errors


def fold_scores(estimators, X, y, weight, cv, score):
    """The scores of the estimators on held-out rows: a row for each, a column for each fold."""
    folds = list(check_cv(cv, y, classifier=is_classifier(estimators[0])).split(X, y))
    found = np.empty((len(estimators), len(folds)))
    for k, (train, test) in enumerate(folds):
        inside = {} if weight is None else {"sample_weight": weight[train]}
        outside = {} if weight is None else {"sample_weight": weight[test]}
        for i, each in enumerate(estimators):
            found[i, k] = score(clone(each).fit(X[train], y[train], **inside), X[test], y[test], **outside)
    return found


def log_score(fitted, X, y, sample_weight=None):
    """Minus the log loss; a class that the training rows did not have has a probability of 0, held to be 1e-300."""
    logs = fitted.predict_log_proba(X)
    place = np.searchsorted(fitted.classes_, y).clip(max=len(fitted.classes_) - 1)
    found = np.where(fitted.classes_[place] == y, logs[np.arange(len(y)), place], np.log(1e-300))
    return np.average(found, weights=sample_weight if sample_weight is not None and sample_weight.sum() > 0 else None)


class RidgeCV(LinearPredictor):
    """Ridge regression with the alpha of least error: that of leave-one-out, or with cv that of its folds. A row of
    weight 2 is left out as a whole.

    >>> from plumb.sklearn import RidgeCV
    >>> RidgeCV(alphas=[0.01, 1, 100]).fit([[0.0], [1.0], [2.0], [3.0]], [0.1, 0.9, 2.1, 2.9]).alpha_
    0.01
    """

    _parameter_constraints = constrained("fit_intercept", "n_jobs", alphas=["array-like", Interval(numbers.Real, 0, None, closed="left")],
                                         cv=["cv_object"], scoring=[str, callable, None])

    def __init__(self, alphas=(0.1, 1.0, 10.0), *, fit_intercept=True, scoring=None, cv=None, n_jobs=None):
        self.alphas = alphas
        self.fit_intercept = fit_intercept
        self.scoring = scoring
        self.cv = cv
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None):
        """Chooses alpha and fits with it."""
        self._validate_params()
        X, y = self._rows(X, y, y_numeric=True, ensure_min_samples=2)
        y = np.asarray(y, dtype=np.float64)
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        self._weights(weight, X, y)  # refuses rows that all have weight 0
        values = np.ravel(np.asarray(self.alphas, dtype=np.float64))
        models = [Ridge(alpha, fit_intercept=self.fit_intercept, n_jobs=self.n_jobs) for alpha in values]
        if self.cv is None and self.scoring is None:
            self.cv_results_ = -left_out_errors(X, y, weight, values, self.fit_intercept)[:, np.newaxis]
        else:
            score = get_scorer("neg_mean_squared_error" if self.scoring is None else self.scoring)
            self.cv_results_ = fold_scores(models, X, y, weight, self.cv, score)
        means = self.cv_results_.mean(axis=1)
        best = int(means.argmax())
        self.alpha_, self.best_score_ = float(values[best]), float(means[best])
        fitted = models[best].fit(X, y, weight)
        self.model_, self.coef_, self.intercept_ = fitted.model_, fitted.coef_, fitted.intercept_
        return self


def left_out_errors(X, y, weight, alphas, intercept):
    """The mean squared leave-one-out error of each alpha: residual / (1 - leverage), from one decomposition."""
    weight = np.ones(len(y)) if weight is None else weight
    share = weight / weight.sum()
    constant = share if intercept else np.zeros(len(y))
    mean = constant @ X  # 0 without an intercept
    y = y - constant @ y
    root = np.sqrt(weight)
    if hasattr(X, "toarray") and X.shape[0] * X.shape[1] > _LARGEST_DENSE:
        left, squares = _of_products(X, np.ravel(mean), root)
    else:
        X = X.toarray() if hasattr(X, "toarray") else X
        left, values, _ = np.linalg.svd((X.astype(np.float64) - mean) * root[:, np.newaxis], full_matrices=False)
        squares = values**2
    seen = squares > squares.max(initial=0.0) * 1e-15
    left, squares, target = left[:, seen], squares[seen], y * root
    errors = np.empty(len(alphas))
    for k, alpha in enumerate(alphas):
        shrunk = squares / (squares + alpha)
        rest = target - left @ (shrunk * (left.T @ target))
        free = np.maximum(1.0 - constant - left**2 @ shrunk, 1e-12)
        errors[k] = ((rest / free) ** 2).sum() / weight.sum()
    return errors


def _of_products(X, mean, root):
    """The same decomposition of a sparse matrix from the products of its rows, which stays sparse."""
    if X.shape[0] ** 2 > _LARGEST_DENSE:
        raise ValueError(f"leave-one-out errors of a sparse matrix of {X.shape[0]} rows and {X.shape[1]} columns need too much memory; set cv=5")
    along = X @ mean
    products = (X @ X.T).toarray() - along[:, np.newaxis] - along + mean @ mean
    squares, left = np.linalg.eigh(products * root[:, np.newaxis] * root)
    return left, np.maximum(squares, 0.0)


class LogisticRegressionCV(LogisticRegression):
    """Logistic regression with the C that has the best score on held-out rows; by default the log loss on 5 folds. Cs
    is a list, or how many between 1e-4 and 1e4.

    >>> from plumb.sklearn import LogisticRegressionCV
    >>> x = [[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [7.0]]
    >>> LogisticRegressionCV(Cs=[0.001, 1], cv=2).fit(x, [0, 0, 0, 0, 1, 1, 1, 1]).C_
    1.0
    """

    _mapped = {"C": lambda value, total: {}}
    _parameter_constraints = constrained("tol", "fit_intercept", "class_weight", "max_iter", "n_jobs", cv=["cv_object"],
                                         scoring=[str, callable, None], Cs=[Interval(numbers.Integral, 1, None, closed="left"), "array-like"])

    def __init__(self, *, Cs=10, cv=None, scoring=None, tol=1e-6, fit_intercept=True, class_weight=None, max_iter=None, n_jobs=None):
        self.Cs = Cs
        self.cv = cv
        self.scoring = scoring
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def fit(self, X, y, sample_weight=None):
        """Chooses C and fits with it."""
        self._validate_params()
        X, y = self._rows(X, y)
        weight = None if sample_weight is None else _check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        classes = coded(self._weights(weight, X, y)[1])[0]
        several(classes)
        values = np.logspace(-4, 4, self.Cs) if isinstance(self.Cs, numbers.Integral) else np.asarray(self.Cs, dtype=np.float64)
        shared = {name: getattr(self, name) for name in ("tol", "fit_intercept", "class_weight", "max_iter", "n_jobs")}
        models = [LogisticRegression(C=each, **shared) for each in values]
        score = log_score if self.scoring is None else get_scorer(self.scoring)
        self.Cs_ = values
        self.scores_ = fold_scores(models, X, y, weight, self.cv, score)
        best = int(self.scores_.mean(axis=1).argmax())
        self.C_ = float(values[best])
        fitted = models[best].fit(X, y, weight)
        for name in ("model_", "coef_", "intercept_", "classes_", "n_iter_"):
            setattr(self, name, getattr(fitted, name))
        return self
