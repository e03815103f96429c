"""Linear models of labels."""
import numbers

import numpy as np
from scipy.special import expit, softmax
from sklearn.base import ClassifierMixin
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets

from plumb.sklearn._base import Estimator, all_finite, constrained


def coded(y):
    """The labels, sorted, and the place of each row's among them."""
    if y.dtype.kind == "U":  # sorting all texts would take longer than a fit by counting
        listed = y.tolist()
        classes = sorted(set(listed))
        place = {label: k for k, label in enumerate(classes)}
        return np.array(classes, dtype=y.dtype), np.fromiter(map(place.__getitem__, listed), np.intp, len(listed))
    if y.dtype.kind not in "iub":  # which are labels whatever they hold
        check_classification_targets(y)
    return np.unique(y, return_inverse=True)


def several(classes):
    """Refuses a single class."""
    if len(classes) < 2:
        raise ValueError("a classifier needs samples of at least 2 classes in the data, but the data contains only one class: "
                         f"{classes.tolist()[0]!r}")


def class_weighted(class_weight, classes, codes, weight):
    """The weights of the rows times those of their classes, as scikit-learn means class_weight."""
    if class_weight is None:
        return weight
    weight = np.ones(len(codes)) if weight is None else weight
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise ValueError(f"class_weight is {class_weight!r}; a dict, 'balanced' or None was expected")
        sums = np.bincount(codes, weights=weight, minlength=len(classes))
        factor = weight.sum() / (len(classes) * sums)
    else:
        strange = set(class_weight) - set(classes.tolist())
        if strange:
            raise ValueError(f"class_weight has the class {sorted(map(str, strange))[0]!r}, which y has not")
        factor = np.array([float(class_weight.get(label, 1.0)) for label in classes.tolist()])
    return weight * factor[codes]


class LinearClassifier(ClassifierMixin, Estimator):
    """The base of classifiers by hyperplanes: one for two classes, otherwise one for each."""

    def fit(self, X, y, sample_weight=None):
        """Fits the model. A weight of 2 counts as two copies of the row."""
        self._validate_params()
        X, y = self._rows(X, y)
        X, y, weight = self._weights(sample_weight, X, y)
        classes, codes = coded(y)
        several(classes)
        weight = class_weighted(getattr(self, "class_weight", None), classes, codes, weight)
        self.classes_ = classes
        self._keep(self._fit(X, codes, weight, "labels"))
        return self

    def _keep(self, model):
        self.coef_, self.intercept_ = self._hyperplanes(model)

    def decision_function(self, X):
        """Scores: with two classes one per row, that of the second; else one for each class."""
        if self._plain(X):
            scores = X @ self.coef_[0] if len(self.coef_) == 1 else X @ self.coef_.T
            scores += self.intercept_
            if all_finite(scores):
                return scores
        scores = self._checked(X) @ self.coef_.T + self.intercept_
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict(self, X):
        """The label of each row."""
        scores = self.decision_function(X)
        return self.classes_.take(scores > 0 if scores.ndim == 1 else scores.argmax(axis=1))


class LogisticRegression(LinearClassifier):
    """Logistic regression: minimises C sum_i s_i loss_i + (1 - l1_ratio) |w|^2 / 2 + l1_ratio |w|_1, with three classes
    or more over all of them at once (softmax). The engine's l2 is (1 - l1_ratio) / C, its l1 l1_ratio / C; C=inf means no
    penalty. tol is the certified distance from the optimum, relative to the loss of the constant model.

    >>> from plumb.sklearn import LogisticRegression
    >>> fit = LogisticRegression().fit([[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"])
    >>> fit.predict([[0.5], [2.5]]).tolist()
    ['no', 'yes']
    >>> fit.predict_proba([[1.5]]).round(6)
    array([[0.5, 0.5]])
    """

    _engine = "logistic"
    _parameter_constraints = constrained("C", "tol", "fit_intercept", "class_weight", "max_iter", "n_jobs",
                                         l1_ratio=[Interval(numbers.Real, 0, 1, closed="both")])

    def __init__(self, *, C=1.0, l1_ratio=0.0, tol=1e-6, fit_intercept=True, class_weight=None, max_iter=None, n_jobs=None):
        self.C = C
        self.l1_ratio = l1_ratio
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def _options(self, total):
        options = super()._options(total)
        ratio = getattr(self, "l1_ratio", 0.0)
        if ratio > 0:
            options.update(l1=options["l2"] * ratio, l2=options["l2"] * (1.0 - ratio))
        return options

    def _keep(self, model):
        super()._keep(model)
        self.n_iter_ = np.array([self.n_iter_], dtype=np.int32)

    def predict_proba(self, X):
        """The probability of each class, in the order of ``classes_``."""
        scores = self.decision_function(X)
        if scores.ndim == 2:
            return softmax(scores, axis=1)
        found = np.empty((len(scores), 2))
        expit(scores, out=found[:, 1])
        expit(-scores, out=found[:, 0])
        return found

    def predict_log_proba(self, X):
        """The logarithms of the probabilities."""
        scores = self.decision_function(X)
        if scores.ndim == 1:
            scores = np.column_stack((np.zeros(len(scores)), scores))
        return scores - np.logaddexp.reduce(scores, axis=1)[:, np.newaxis]


class LinearSVC(LinearClassifier):
    """Linear support vector machine: minimises C sum_i s_i max(0, 1 - y_i z_i)^2 + (|w|^2 + b^2) / 2, or with
    loss="hinge" without the square. With three classes or more one against the rest. penalise_intercept=False leaves b
    out of the penalty.

    >>> from plumb.sklearn import LinearSVC
    >>> LinearSVC().fit([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1]).predict([[0.5], [2.5]])
    array([0, 1])
    """

    _parameter_constraints = constrained("C", "tol", "fit_intercept", "class_weight", "max_iter", "n_jobs",
                                         loss=[StrOptions({"hinge", "squared_hinge"})], penalise_intercept=["boolean"])
    _mapped = {"loss": lambda value, total: {"model": value.replace("_", "-")},
               "penalise_intercept": lambda value, total: {"penalise_bias": value}}

    def __init__(self, loss="squared_hinge", *, C=1.0, tol=1e-6, fit_intercept=True, penalise_intercept=True, class_weight=None,
                 max_iter=None, n_jobs=None):
        self.loss = loss
        self.C = C
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.penalise_intercept = penalise_intercept
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.n_jobs = n_jobs

    def _options(self, total):
        options = super()._options(total)
        return {**options, "penalise_bias": self.penalise_intercept and self.fit_intercept}
