"""Naive Bayes for columns of categories and for columns of numbers."""
import numbers

import numpy as np
from sklearn.utils._param_validation import Interval
from sklearn.utils.validation import check_is_fitted, check_non_negative, validate_data

from plumb.sklearn._base import AT_LEAST_0
from plumb.sklearn._bayes import PRIORS, NaiveBayes, log_shares


class CategoricalNB(NaiveBayes):
    """Naive Bayes for columns of categories, coded 0, 1, 2, ...; each column has those up to its largest, or
    min_categories. A category that no training row had says nothing about the class.

    >>> from plumb.sklearn import CategoricalNB
    >>> CategoricalNB().fit([[0, 1], [0, 0], [1, 1]], ["a", "a", "b"]).predict([[0, 0], [1, 1]]).tolist()
    ['a', 'b']
    """

    _parameter_constraints = {"alpha": [AT_LEAST_0], **PRIORS,
                              "min_categories": [None, "array-like", Interval(numbers.Integral, 1, None, closed="left")]}

    def __init__(self, *, alpha=1.0, fit_prior=True, class_prior=None, min_categories=None):
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior
        self.min_categories = min_categories

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.sparse = False
        tags.input_tags.positive_only = True
        return tags

    def _rows(self, X, y, reset=True, **checks):
        return validate_data(self, X, y, reset=reset, dtype="int", ensure_all_finite=True)

    def _checked(self, X, **checks):
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype="int", ensure_all_finite=True)
        check_non_negative(X, "CategoricalNB (input X)")
        return X

    def _plain(self, X):
        return False

    def _input(self, X, y):
        if y is not None:
            check_non_negative(X, "CategoricalNB (input X)")
        return X, y

    def _add(self, X, codes, weight, first):
        least = np.broadcast_to(1 if self.min_categories is None else np.asarray(self.min_categories), (X.shape[1],))
        before = [np.zeros((len(self.classes_), 0))] * X.shape[1] if first else self.category_count_
        found = []
        for j in range(X.shape[1]):
            width = max(int(X[:, j].max()) + 1, int(least[j]), before[j].shape[1])
            sums = np.bincount(codes * width + X[:, j], weights=weight, minlength=width * len(self.classes_))
            sums = sums.reshape(len(self.classes_), width).astype(np.float64)
            sums[:, : before[j].shape[1]] += before[j]
            found.append(sums)
        self.category_count_ = found
        self.n_categories_ = np.array([each.shape[1] for each in found])

    def _estimate(self):
        self.class_log_prior_ = self._prior()
        self.feature_log_prob_ = [log_shares(each, self.alpha) for each in self.category_count_]

    def _joint(self, X):
        joint = np.tile(self.class_log_prior_, (X.shape[0], 1))
        for j, logs in enumerate(self.feature_log_prob_):
            known = X[:, j] < logs.shape[1]
            joint[known] += logs.T[X[known, j]]
        return joint


class GaussianNB(NaiveBayes):
    """Naive Bayes for numbers: a Gaussian for each column and class, with variances of all rows of the class plus
    var_smoothing times the largest variance of a column.

    >>> from plumb.sklearn import GaussianNB
    >>> GaussianNB().fit([[1.0], [1.2], [3.0], [3.1]], ["a", "a", "b", "b"]).predict([[1.1], [2.9]]).tolist()
    ['a', 'b']
    """

    _parameter_constraints = {"priors": ["array-like", None], "var_smoothing": [AT_LEAST_0]}

    def __init__(self, *, priors=None, var_smoothing=1e-9):
        self.priors = priors
        self.var_smoothing = var_smoothing

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = False
        return tags

    def _rows(self, X, y, reset=True, **checks):
        return validate_data(self, X, y, reset=reset, dtype=np.float64)

    def _checked(self, X, **checks):
        check_is_fitted(self)
        return validate_data(self, X, reset=False, dtype=np.float64)

    def _add(self, X, codes, weight, first):
        shape = (len(self.classes_), X.shape[1])
        count, mean, squares = np.zeros(shape[0]), np.zeros(shape), np.zeros(shape)
        for k in np.unique(codes):
            rows = codes == k
            own = np.ones(rows.sum()) if weight is None else weight[rows]
            count[k] = own.sum()
            mean[k] = own @ X[rows] / count[k]
            squares[k] = own @ (X[rows] - mean[k]) ** 2
        if not first:  # squares about the common mean, as of all rows together
            both = count + self._counts
            part = np.divide(count, both, out=np.zeros_like(both), where=both > 0)[:, np.newaxis]
            move = mean - self.theta_
            squares = squares + self._squares + (part * self._counts[:, np.newaxis]) * move**2
            mean, count = self.theta_ + part * move, both
        self.theta_, self._squares, self._counts = mean, squares, count

    def _estimate(self):
        total = self._counts.sum()
        overall = self._counts @ self.theta_ / total
        spread = (self._squares.sum(axis=0) + self._counts @ (self.theta_ - overall) ** 2) / total
        self.epsilon_ = self.var_smoothing * spread.max()
        rows = np.maximum(self._counts, np.finfo(float).tiny)[:, np.newaxis]
        self.var_ = self._squares / rows + self.epsilon_
        if self.priors is None:
            self.class_prior_ = self._counts / total
        else:
            self.class_prior_ = np.asarray(self.priors, dtype=np.float64)
            if self.class_prior_.shape != self.classes_.shape:
                raise ValueError(f"Number of priors must match number of classes: {self.class_prior_.size} and {len(self.classes_)}")
            if not np.isclose(self.class_prior_.sum(), 1.0):
                raise ValueError(f"The sum of the priors should be 1; it is {self.class_prior_.sum():.4g}")
            if (self.class_prior_ < 0).any():
                raise ValueError("Priors must be non-negative")

    def _joint(self, X):
        joint = np.empty((X.shape[0], len(self.classes_)))
        with np.errstate(divide="ignore", invalid="ignore"):
            for k in range(len(self.classes_)):
                if self._counts[k] == 0:
                    joint[:, k] = -np.inf
                    continue
                logs = -0.5 * np.log(2.0 * np.pi * self.var_[k]).sum() + np.log(self.class_prior_[k])
                joint[:, k] = logs - 0.5 * ((X - self.theta_[k]) ** 2 / self.var_[k]).sum(axis=1)
        return joint
