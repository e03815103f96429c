"""Naive Bayes: classes by counting. Counts add up, so every estimator has partial_fit."""
import numbers

import numpy as np
from sklearn.base import ClassifierMixin
from sklearn.preprocessing import binarize
from sklearn.utils._param_validation import Interval
from sklearn.utils.multiclass import _check_partial_fit_first_call, check_classification_targets
from sklearn.utils.validation import check_non_negative

from plumb import _core, _options
from plumb.sklearn._base import AT_LEAST_0, Estimator, all_finite, ordered
from plumb.sklearn._classify import coded
from plumb.sklearn._online import places

PRIORS = {"fit_prior": ["boolean"], "class_prior": ["array-like", None]}


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
        X, y, weight = self._weights(sample_weight, X, y)
        if whole:
            self.classes_, codes = coded(y)
        else:
            check_classification_targets(y)
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

    _parameter_constraints = {"alpha": [AT_LEAST_0], **PRIORS}

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
        return _core.class_sums(data, X.indices, X.indptr, codes.astype(np.int64), weight, classes, X.shape[1], _options.run())
    member = np.zeros((classes, X.shape[0]))
    member[codes, np.arange(X.shape[0])] = 1.0 if weight is None else weight
    return member @ X


def log_shares(counts, alpha):
    """The logarithm of each count plus alpha, as a share of its row; a share of 0 is held to be about 1e-300."""
    return _core.log_shares(np.ascontiguousarray(counts), max(float(alpha), 1e-300), _options.run())


class MultinomialNB(CountedNB):
    """Naive Bayes for counts of words: each word of a row is drawn from the words of its class. alpha is added to
    every count.

    >>> from plumb.sklearn import MultinomialNB
    >>> MultinomialNB().fit([[2, 0], [3, 1], [0, 2]], ["a", "a", "b"]).predict([[1, 0], [0, 1]]).tolist()
    ['a', 'b']
    """

    def _estimate(self):
        self.class_log_prior_ = self._prior()
        self.feature_log_prob_ = log_shares(self.feature_count_, self.alpha)


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
        logs = log_shares(self.feature_all_ - self.feature_count_, self.alpha)
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
