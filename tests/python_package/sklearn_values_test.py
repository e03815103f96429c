"""Estimators against scikit-learn's own at their optimum, on real data: a table of estimators and sets."""
# rows: B4
import subprocess
import warnings

import numpy as np
import pytest

pytest.importorskip("sklearn", minversion="1.6")

from scipy.optimize import minimize  # noqa: E402
from sklearn import linear_model as lm  # noqa: E402
from sklearn import naive_bayes as nb  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.svm import LinearSVC  # noqa: E402

import plumb.sklearn as skl  # noqa: E402

NEWTON = {"solver": "newton-cholesky", "tol": 1e-12, "max_iter": 1000}
EXACT = {"tol": 1e-14, "max_iter": 1_000_000}

NUMBERS = {
    "LinearRegression": (skl.LinearRegression(), lm.LinearRegression()),
    "LinearRegression, no intercept": (skl.LinearRegression(fit_intercept=False), lm.LinearRegression(fit_intercept=False)),
    "Ridge": (skl.Ridge(alpha=3.0), lm.Ridge(alpha=3.0)),
    "RidgeCV": (skl.RidgeCV([0.1, 10.0, 1000.0]), lm.RidgeCV([0.1, 10.0, 1000.0])),
    "RidgeCV, folds": (skl.RidgeCV([0.1, 10.0, 1000.0], cv=4), lm.RidgeCV([0.1, 10.0, 1000.0], cv=4)),
    "Lasso": (skl.Lasso(alpha=0.05, tol=1e-14), lm.Lasso(alpha=0.05, **EXACT)),
    "LassoCV": (skl.LassoCV(alphas=[0.01, 0.1, 1.0], cv=3, tol=1e-14), lm.LassoCV(alphas=[0.01, 0.1, 1.0], cv=3, **EXACT)),
    "ElasticNet": (skl.ElasticNet(alpha=0.05, tol=1e-14), lm.ElasticNet(alpha=0.05, **EXACT)),
    "ElasticNetCV": (skl.ElasticNetCV(alphas=[0.01, 0.1, 1.0], cv=3, tol=1e-14), lm.ElasticNetCV(alphas=[0.01, 0.1, 1.0], cv=3, **EXACT)),
    "PoissonRegressor": (skl.PoissonRegressor(alpha=0.01, tol=1e-14), lm.PoissonRegressor(alpha=0.01, **NEWTON)),
}
LABELS = {
    "LogisticRegression": (skl.LogisticRegression(C=0.5, tol=1e-14), lm.LogisticRegression(C=0.5, **NEWTON)),
    "LogisticRegression, balanced": (skl.LogisticRegression(C=0.5, tol=1e-14, class_weight="balanced"),
                                     lm.LogisticRegression(C=0.5, class_weight="balanced", **NEWTON)),
    "LinearSVC": (skl.LinearSVC(C=0.1, tol=1e-16), LinearSVC(C=0.1, dual=False, **EXACT)),
    "LinearSVC, hinge": (skl.LinearSVC("hinge", C=0.1, tol=1e-13), LinearSVC(C=0.1, loss="hinge", tol=1e-11, max_iter=1_000_000)),
    "GaussianNB": (skl.GaussianNB(), nb.GaussianNB()),
}
COUNTS = {
    "MultinomialNB": (skl.MultinomialNB(alpha=0.5), nb.MultinomialNB(alpha=0.5)),
    "ComplementNB": (skl.ComplementNB(), nb.ComplementNB()),
    "ComplementNB, norm": (skl.ComplementNB(norm=True), nb.ComplementNB(norm=True)),
    "BernoulliNB": (skl.BernoulliNB(binarize=4.0), nb.BernoulliNB(binarize=4.0)),
    "CategoricalNB": (skl.CategoricalNB(), nb.CategoricalNB()),
}


def scores_of(fitted, X):
    for name in ("decision_function", "predict_joint_log_proba", "predict"):
        if hasattr(fitted, name):
            return np.asarray(getattr(fitted, name)(X), dtype=np.float64)


def expect_equal(ours, theirs, X, y, weighted=True):
    """Scores agree to 1e-6 of the largest, with and without weights, and so do probabilities and, but on boundaries,
    labels."""
    weights = np.random.default_rng(7).integers(1, 4, len(y)).astype(float)
    for weight in (None, weights) if weighted else (None,):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            mine, other = ours.fit(X, y, sample_weight=weight), theirs.fit(X, y, sample_weight=weight)
        expected = scores_of(other, X)
        np.testing.assert_allclose(scores_of(mine, X), expected, rtol=0, atol=1e-6 * max(1.0, np.abs(expected).max()))
        if hasattr(other, "classes_"):
            lead = np.abs(expected) if expected.ndim == 1 else np.diff(np.sort(expected, axis=1)[:, -2:], axis=1).ravel()
            assert (mine.predict(X) == other.predict(X))[lead > 2e-6 * np.abs(expected).max()].all()
        if hasattr(other, "predict_proba"):
            np.testing.assert_allclose(mine.predict_proba(X), other.predict_proba(X), rtol=0, atol=1e-6)


def table(data, name):
    path = next(data.glob(f"{name}/{name}.csv*"))
    text = subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout.decode() if path.suffix == ".zst" else path.read_text()
    lines = [line.split(",") for line in text.splitlines()]
    X, y = np.array([line[:-1] for line in lines[1:]], dtype=float), np.array([line[-1] for line in lines[1:]])
    return X, y


@pytest.mark.parametrize("estimator", NUMBERS)
@pytest.mark.parametrize("name", ["diabetes", "california"])
def test_numbers(data, name, estimator):
    X, y = (part[:5000] for part in table(data, name))
    y = y.astype(float) / y.astype(float).std()
    ours, theirs = NUMBERS[estimator]
    expect_equal(ours, theirs, StandardScaler().fit_transform(X), y, weighted="CV" not in estimator)


@pytest.mark.parametrize("name", ["diabetes", "california"])
def test_huber_has_the_least_objective(data, name):
    """scikit-learn's solver stops some 1e-9 of the objective above the optimum; predictions there are as close as that
    leaves them."""
    X, y = table(data, name)
    X, y = StandardScaler().fit_transform(X), y.astype(float) / y.astype(float).std()
    ours, theirs = skl.HuberRegressor(alpha=0.1, tol=1e-12).fit(X, y), lm.HuberRegressor(alpha=0.1, tol=1e-12, max_iter=100_000).fit(X, y)

    def objective(parts):
        weights, intercept, scale = parts[:-2], parts[-2], parts[-1]
        z = np.abs(y - X @ weights - intercept) / scale
        return (scale + scale * np.where(z <= 1.35, z**2, 2 * 1.35 * z - 1.35**2)).sum() + 0.1 * weights @ weights

    mine, other = (np.r_[each.coef_, each.intercept_, each.scale_] for each in (ours, theirs))
    assert objective(mine) <= objective(other)
    polished = minimize(objective, mine, method="BFGS", options={"gtol": 1e-7})
    assert objective(mine) <= polished.fun * (1 + 1e-12)
    np.testing.assert_allclose(ours.predict(X), theirs.predict(X), atol=2e-4 * np.abs(y).max())


@pytest.mark.parametrize("estimator", LABELS)
@pytest.mark.parametrize("name", ["breast_cancer", "digits"])
def test_labels(data, name, estimator):
    X, y = table(data, name)
    X, y = (part[y < "4"][:500] for part in (X, y)) if name == "digits" else (X, y)
    ours, theirs = LABELS[estimator]
    # Weights of rows do not enter what scikit-learn adds to the variances of constant pixels.
    expect_equal(ours, theirs, StandardScaler().fit_transform(X), y, weighted=name == "breast_cancer")


@pytest.mark.parametrize("estimator", COUNTS)
@pytest.mark.parametrize("name", ["breast_cancer", "digits"])
def test_counts(data, name, estimator):
    X, y = table(data, name)
    ours, theirs = COUNTS[estimator]
    expect_equal(ours, theirs, np.floor(X / X.max(axis=0).clip(1e-9) * 8), y)


@pytest.fixture(scope="module")
def news():
    import os
    import pathlib

    folder = pathlib.Path(os.environ.get("PLUMB_DATA", pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"))
    if not folder.exists():
        pytest.skip("skipped: no data")
    text = subprocess.run(["zstd", "-dc", folder / "20news_bydate" / "train.tsv.zst"], capture_output=True, check=True).stdout.decode()
    return [tuple(line.split("\t", 1)) for line in text.splitlines() if "\t" in line]


def subset(news, groups, use_idf=True, rows=800):
    chosen = [(label, text) for label, text in news if label in groups][:rows]
    X = skl.TextVectorizer(use_idf=use_idf, norm="l2" if use_idf else None).fit_transform([text for _, text in chosen])
    return X, np.array([label for label, _ in chosen])


def test_news_counts(news):
    X, y = subset(news, {label for label, _ in news}, use_idf=False, rows=None)
    for ours, theirs in (COUNTS["MultinomialNB"], COUNTS["ComplementNB"], (skl.BernoulliNB(), nb.BernoulliNB())):
        expect_equal(ours, theirs, X, y, weighted=False)


def test_news_of_two_groups(news):
    X, y = subset(news, {"sci.space", "sci.med"})
    expect_equal(skl.LogisticRegression(C=10, tol=1e-14), lm.LogisticRegression(C=10, solver="newton-cg", tol=1e-10, max_iter=1000), X, y)
    expect_equal(skl.LinearSVC(tol=1e-15), LinearSVC(dual=False, tol=1e-10, max_iter=100_000), X, y)


def test_news_of_three_groups(news):
    X, y = subset(news, {"sci.space", "sci.med", "sci.electronics"})
    expect_equal(skl.LogisticRegression(tol=1e-14), lm.LogisticRegression(solver="newton-cg", tol=1e-10, max_iter=1000), X, y, weighted=False)


def test_the_perceptron_in_order_is_that_of_scikit_learn(data):
    X, y = table(data, "breast_cancer")
    X = StandardScaler().fit_transform(X)
    for passes in (1, 3):
        ours = skl.Perceptron(shuffle=False, average=False, max_iter=passes).fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = lm.Perceptron(shuffle=False, tol=None, max_iter=passes).fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9)
        np.testing.assert_allclose(ours.intercept_, theirs.intercept_)


def test_sgd_in_order_is_that_of_scikit_learn(data):
    X, y = table(data, "breast_cancer")
    X = StandardScaler().fit_transform(X)
    for loss in ("hinge", "log_loss"):
        ours = skl.SGDClassifier(loss, shuffle=False, average=False, max_iter=2, eta0=0.01).fit(X, y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = lm.SGDClassifier(loss, penalty=None, shuffle=False, learning_rate="constant", eta0=0.01, tol=None, max_iter=2).fit(X, y)
        np.testing.assert_allclose(ours.coef_, theirs.coef_, rtol=1e-9, atol=1e-12)


def test_an_l1_penalty_on_labels(data):
    X, y = table(data, "breast_cancer")
    X = StandardScaler().fit_transform(X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = lm.LogisticRegression(C=0.1, l1_ratio=0.5, solver="saga", tol=1e-12, max_iter=1_000_000).fit(X, y)
    ours = skl.LogisticRegression(C=0.1, l1_ratio=0.5, tol=1e-14).fit(X, y)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-6)
    assert (ours.coef_ == 0).any()
