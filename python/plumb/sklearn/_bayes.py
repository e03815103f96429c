"""Naive Bayes: classes by counting. Counts add up, so every estimator has partial_fit."""
import numbers

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.preprocessing import binarize
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
from sklearn.utils.validation import check_non_negative

from plumb import _core
from plumb.sklearn._base import AT_LEAST_0, Estimator, all_finite, ordered
from plumb.sklearn._classify import coded
from plumb.sklearn._online import places

_PRIORS = {"fit_prior": ["boolean"], "class_prior": ["array-like", None]}


class NaiveBayes(ClassifierMixin, Estimator):
    """The base: the counts of a subclass give the logarithm of P(x, class) for each row and class."""

    def fit(self, X, y, sample_weight=None):
        """Counts the rows. A weight of 2 counts as two copies of the row."""
        return self._count(X, y, None, sample_weight, True)

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Counts more rows: the result is that of a fit to all rows so far. The first call needs all classes."""
        return self._count(X, y, classes, sample_weight, False)

    def _count(self, X, y, classes, sample_weight, whole):
        self._validate_params()
        first = whole or _check_partial_fit_first_call(self, classes)
        X, y = self._input(*self._rows(X, y, reset=first))
        check_classification_targets(y)
        X, y, weight = self._weights(sample_weight, X, y)
        if whole:
            self.classes_, codes = coded(y)
        else:
            codes = places(self.classes_, y)
        sums = np.bincount(codes, weights=weight, minlength=len(self.classes_)).astype(np.float64)
        self.class_count_ = sums if first else self.class_count_ + sums
        self._add(X, codes, weight, first)
        self._estimate()
        return self

    def _input(self, X, y):
        return X, y

    def _prior(self):
        """The logarithms of the class priors."""
        classes = len(self.classes_)
        if getattr(self, "class_prior", None) is not None:
            prior = np.asarray(self.class_prior, dtype=np.float64)
            if prior.shape != (classes,):
                raise ValueError(f"class_prior has {prior.size} numbers, and there are {classes} classes")
            return np.log(prior)
        if not self.fit_prior:
            return np.full(classes, -np.log(classes))
        with np.errstate(divide="ignore"):
            return np.log(self.class_count_) - np.log(self.class_count_.sum())

    def predict_joint_log_proba(self, X):
        """ln P(x, class) of each row, a column for each class, up to a number that is the same for all classes."""
        if self._plain(X) and all_finite(X):
            return self._joint(X)
        return self._joint(self._input(self._checked(X), None)[0])

    def predict(self, X):
        """The most probable label of each row."""
        best = self.predict_joint_log_proba(X).argmax(axis=1)
        return self.classes_.take(best)

    def predict_log_proba(self, X):
        """The logarithms of the probabilities."""
        joint = self.predict_joint_log_proba(X)
        return joint - np.logaddexp.reduce(joint, axis=1)[:, np.newaxis]

    def predict_proba(self, X):
        """The probability of each class, in the order of ``classes_``."""
        return np.exp(self.predict_log_proba(X))


class CountedNB(NaiveBayes):
    """The base of those that sum the columns of each class."""

    _parameter_constraints = {"alpha": [AT_LEAST_0], **_PRIORS}

    def __init__(self, *, alpha=1.0, fit_prior=True, class_prior=None):
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True  # on columns that are no counts, as the checks of scikit-learn have them
        return tags

    def _input(self, X, y):
        if y is not None:
            check_non_negative(X, f"{type(self).__name__} (input X)")
        return X, y

    def _add(self, X, codes, weight, first):
        sums = class_sums(X, codes, weight, len(self.classes_))
        self.feature_count_ = sums if first else self.feature_count_ + sums

    def _joint(self, X):
        return X @ self.feature_log_prob_.T + self.class_log_prior_


def class_sums(X, codes, weight, classes):
    """The sums of the columns over the rows of each class."""
    if hasattr(X, "indptr"):
        X = ordered(X)
        data = X.data if X.dtype == np.float64 else X.data.astype(np.float64)
        return _core.class_sums(data, X.indices, X.indptr, codes.astype(np.int64), weight, classes, X.shape[1])
    member = np.zeros((classes, X.shape[0]))
    member[codes, np.arange(X.shape[0])] = 1.0 if weight is None else weight
    return member @ X


class MultinomialNB(CountedNB):
    """Naive Bayes for counts of words: each word of a row is drawn from the words of its class. alpha is added to
    every count.

    >>> from plumb.sklearn import MultinomialNB
    >>> MultinomialNB().fit([[2, 0], [3, 1], [0, 2]], ["a", "a", "b"]).predict([[1, 0], [0, 1]]).tolist()
    ['a', 'b']
    """

    def _estimate(self):
        self.class_log_prior_ = self._prior()
        self.feature_log_prob_ = _core.log_shares(self.feature_count_, max(float(self.alpha), 1e-300))


class ComplementNB(CountedNB):
    """Naive Bayes in which a class is judged by the words of all others. norm=True divides the weights of each class by
    their sum.

    >>> from plumb.sklearn import ComplementNB
    >>> ComplementNB().fit([[2, 0], [3, 1], [0, 2]], ["a", "a", "b"]).predict([[1, 0], [0, 1]]).tolist()
    ['a', 'b']
    """

    _parameter_constraints = {**CountedNB._parameter_constraints, "norm": ["boolean"]}

    def __init__(self, *, alpha=1.0, fit_prior=True, class_prior=None, norm=False):
        super().__init__(alpha=alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.norm = norm

    def _estimate(self):
        self.class_log_prior_ = self._prior()
        self.feature_all_ = self.feature_count_.sum(axis=0)
        logs = _core.log_shares(self.feature_all_ - self.feature_count_, max(float(self.alpha), 1e-300))
        self.feature_log_prob_ = logs / logs.sum(axis=1, keepdims=True) if self.norm else -logs

    def _joint(self, X):
        scores = X @ self.feature_log_prob_.T
        return scores + self.class_log_prior_ if len(self.classes_) == 1 else scores


class BernoulliNB(CountedNB):
    """Naive Bayes for columns that are there or not: a number above binarize is there. binarize=None takes X as 0 or 1.

    >>> from plumb.sklearn import BernoulliNB
    >>> BernoulliNB().fit([[1, 0], [1, 1], [0, 1]], ["a", "a", "b"]).predict([[1, 0], [0, 1]]).tolist()
    ['a', 'b']
    """

    _parameter_constraints = {**CountedNB._parameter_constraints, "binarize": [Interval(numbers.Real, 0, None, closed="left"), None]}

    def __init__(self, *, alpha=1.0, binarize=0.0, fit_prior=True, class_prior=None):
        super().__init__(alpha=alpha, fit_prior=fit_prior, class_prior=class_prior)
        self.binarize = binarize

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = False
        return tags

    def _plain(self, X):
        return False

    def _input(self, X, y):
        return X if self.binarize is None else binarize(X, threshold=self.binarize), y

    def _estimate(self):
        self.class_log_prior_ = self._prior()
        alpha = max(float(self.alpha), 1e-300)
        rows = np.log(self.class_count_ + 2 * alpha)[:, np.newaxis]
        self.feature_log_prob_ = np.log(self.feature_count_ + alpha) - rows
        absent = np.log(np.maximum(self.class_count_[:, np.newaxis] - self.feature_count_, 0.0) + alpha) - rows
        self._slopes = (self.feature_log_prob_ - absent).T
        self._base = self.class_log_prior_ + absent.sum(axis=1)

    def _joint(self, X):
        return X @ self._slopes + self._base


class CategoricalNB(NaiveBayes):
    """Naive Bayes for columns of categories, coded 0, 1, 2, ...; each column has those up to its largest, or
    min_categories. A category that no training row had says nothing about the class.

    >>> from plumb.sklearn import CategoricalNB
    >>> CategoricalNB().fit([[0, 1], [0, 0], [1, 1]], ["a", "a", "b"]).predict([[0, 0], [1, 1]]).tolist()
    ['a', 'b']
    """

    _parameter_constraints = {"alpha": [AT_LEAST_0], **_PRIORS,
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
        from sklearn.utils.validation import validate_data

        return validate_data(self, X, y, reset=reset, dtype="int", ensure_all_finite=True)

    def _checked(self, X, **checks):
        from sklearn.utils.validation import check_is_fitted, validate_data

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
        self.feature_log_prob_ = [_core.log_shares(each, max(float(self.alpha), 1e-300)) for each in self.category_count_]

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
        from sklearn.utils.validation import validate_data

        return validate_data(self, X, y, reset=reset, dtype=np.float64)

    def _checked(self, X, **checks):
        from sklearn.utils.validation import check_is_fitted, validate_data

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
