"""Every check of scikit-learn for every estimator, and its tools around them."""
# rows: B4
import pickle

import numpy as np
import pytest

pytest.importorskip("sklearn", minversion="1.6")

from sklearn.base import clone, is_classifier  # noqa: E402
from sklearn.calibration import CalibratedClassifierCV  # noqa: E402
from sklearn.datasets import make_classification, make_regression  # noqa: E402
from sklearn.model_selection import GridSearchCV, cross_val_score  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import StandardScaler  # noqa: E402
from sklearn.utils.estimator_checks import parametrize_with_checks  # noqa: E402

import plumb.sklearn as skl  # noqa: E402

FEWER = {"LassoCV": {"alphas": 3, "cv": 3}, "ElasticNetCV": {"alphas": 3, "cv": 3}, "LogisticRegressionCV": {"Cs": 2, "cv": 3}}
NAMES = [name for name in skl.__all__ if name != "TextVectorizer"]  # which takes texts, and scikit-learn has no checks for those
ESTIMATORS = [getattr(skl, name)(**FEWER.get(name, {})) for name in NAMES]
ONLINE = (skl.Perceptron, skl.SGDClassifier)


def expected_failures(estimator):
    """None, but that row-by-row learners depend on the order of the rows, which these two checks shuffle."""
    if not isinstance(estimator, ONLINE):
        return {}
    return {f"check_sample_weight_equivalence_on_{kind}_data": "rows are shuffled" for kind in ("dense", "sparse")}


@pytest.mark.filterwarnings("ignore")
@parametrize_with_checks(ESTIMATORS, expected_failed_checks=expected_failures)
def test_checks_of_scikit_learn(estimator, check):
    check(estimator)


def rows_for(estimator):
    if is_classifier(estimator):
        X, y = make_classification(120, 6, n_informative=4, random_state=3)
    else:
        X, y = make_regression(120, 6, noise=5.0, random_state=3)
        y = np.abs(y) / 50
    return np.abs(np.round(X * 2)), y


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=NAMES)
def test_pickles_clones_and_models_give_the_same(estimator):
    X, y = rows_for(estimator)
    fitted = clone(estimator).fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    np.testing.assert_array_equal(clone(fitted).fit(X, y).predict(X), fitted.predict(X))
    if hasattr(fitted, "coef_") and not is_classifier(fitted) and fitted.model_.kind != "poisson":
        np.testing.assert_allclose(fitted.model_.predict(X), fitted.predict(X), rtol=1e-12)
    if hasattr(fitted, "coef_") and is_classifier(fitted):
        np.testing.assert_allclose(fitted.model_.decision_function(X), fitted.decision_function(X), rtol=1e-9, atol=1e-9)
    assert 0.0 < fitted.score(X, y) <= 1.0


@pytest.mark.parametrize("estimator", [each for each in ESTIMATORS if is_classifier(each)], ids=lambda each: type(each).__name__)
def test_labels_keep_their_type(estimator):
    X, y = rows_for(estimator)
    for labels in (np.array(["ham", "spam"]), np.array([False, True]), np.array([-3, 7]), np.array(["a", "b"], dtype=object)):
        fitted = clone(estimator).fit(X, labels[y])
        assert fitted.predict(X).dtype == labels.dtype and list(fitted.classes_) == list(labels)


def test_searches_pipelines_and_calibration():
    X, y = make_classification(300, 8, n_informative=5, n_classes=3, random_state=0)
    pipe = make_pipeline(StandardScaler(), skl.LogisticRegression())
    found = GridSearchCV(pipe, {"logisticregression__C": [1e-4, 1.0]}, cv=3).fit(X, y)
    assert found.best_params_ == {"logisticregression__C": 1.0} and found.best_score_ > 0.5
    calibrated = CalibratedClassifierCV(skl.LinearSVC(), cv=3).fit(X, y)
    np.testing.assert_allclose(calibrated.predict_proba(X).sum(axis=1), 1.0)
    assert cross_val_score(skl.GaussianNB(), X, y, cv=3).mean() > 0.5


def test_weights_are_routed():
    import sklearn

    X, y = make_classification(60, 5, random_state=0)
    weight = np.random.default_rng(0).integers(1, 4, 60).astype(float)
    with sklearn.config_context(enable_metadata_routing=True):
        pipe = make_pipeline(StandardScaler().set_fit_request(sample_weight=False), skl.LogisticRegression().set_fit_request(sample_weight=True))
        routed = pipe.fit(X, y, sample_weight=weight)[-1].coef_
    direct = skl.LogisticRegression().fit(StandardScaler().fit_transform(X), y, sample_weight=weight).coef_
    np.testing.assert_allclose(routed, direct, rtol=1e-12)


@pytest.mark.parametrize("estimator", [skl.Perceptron(shuffle=False), skl.SGDClassifier(shuffle=False), skl.SGDClassifier(loss="log_loss", shuffle=False, average=False)])
def test_online_weights_are_copies_in_the_given_order(estimator):
    X, y = make_classification(80, 6, n_informative=4, n_classes=3, random_state=1)
    weight = np.random.default_rng(1).integers(0, 4, 80)
    copies = np.repeat(np.arange(80), weight)
    weighted = clone(estimator).fit(X, y, sample_weight=weight)
    repeated = clone(estimator).fit(X[copies], y[copies])
    np.testing.assert_array_equal(weighted.coef_, repeated.coef_)
    assert not np.array_equal(weighted.coef_, clone(estimator).fit(X, y).coef_)


@pytest.mark.parametrize("name", ["MultinomialNB", "BernoulliNB", "ComplementNB", "CategoricalNB", "GaussianNB"])
def test_counts_of_parts_are_those_of_all_rows(name):
    X, y = rows_for(skl.GaussianNB())
    whole, parts = getattr(skl, name)().fit(X, y), getattr(skl, name)()
    for part in np.array_split(np.arange(len(y)), 5):
        parts.partial_fit(X[part], y[part], classes=[0, 1])
    np.testing.assert_allclose(parts.predict_proba(X), whole.predict_proba(X), rtol=1e-9)


@pytest.mark.parametrize("estimator", [skl.Perceptron(shuffle=False, average=False, max_iter=1), skl.SGDClassifier(shuffle=False, average=False, max_iter=1)])
def test_online_parts_in_order_are_one_pass(estimator):
    X, y = make_classification(90, 6, n_informative=4, n_classes=3, random_state=1)
    y[:20] = 0  # the first part has one class only
    parts = clone(estimator)
    for part in np.array_split(np.arange(90), 6):
        parts.partial_fit(X[part], y[part], classes=[0, 1, 2])
    np.testing.assert_allclose(parts.coef_, clone(estimator).fit(X, y).coef_, rtol=1e-12)
    with pytest.raises(ValueError, match="class 7"):
        parts.partial_fit(X, np.full(90, 7))


def test_one_row_is_predicted_at_once_and_checked():
    X, y = make_classification(100, 30, random_state=0)
    fitted = skl.LogisticRegression().fit(X, y)
    np.testing.assert_allclose(fitted.decision_function(X[:1]), fitted.model_.decision_function(X[:1]), rtol=1e-12)
    for bad in (np.nan, np.inf, -np.inf):
        row = X[:1].copy()
        row[0, 3] = bad
        for method in (fitted.predict, fitted.predict_proba, fitted.decision_function):
            with pytest.raises(ValueError, match="NaN|infinity"):
                method(row)
    with pytest.raises(ValueError, match="29 features"):
        fitted.predict(X[:1, :29])


def test_bad_arguments_are_refused():
    X, y = make_classification(30, 5, random_state=0)
    for estimator in (skl.Ridge(alpha=-1), skl.LogisticRegression(C=0), skl.LinearSVC("logistic"), skl.MultinomialNB(alpha=-1),
                      skl.SGDClassifier("huber"), skl.HuberRegressor(epsilon=1), skl.LogisticRegression(l1_ratio=2)):
        with pytest.raises(ValueError, match="parameter of"):
            estimator.fit(np.abs(X), y)
    with pytest.raises(ValueError, match="one class"):
        skl.LogisticRegression().fit(X, np.zeros(30))
    with pytest.raises(ValueError, match="non-zero"):
        skl.Ridge().fit(X, y, sample_weight=np.zeros(30))
    with pytest.raises(ValueError, match="has not"):
        skl.LogisticRegression(class_weight={5: 2.0}).fit(X, y)
    with pytest.warns(Warning, match="iteration"):
        skl.LogisticRegression(max_iter=1).fit(X, y)


def test_tables_of_mixed_columns():
    pandas = pytest.importorskip("pandas")
    random = np.random.default_rng(0)
    frame = pandas.DataFrame({"x": random.normal(size=200), "city": random.choice(["Oslo", "Rome"], 200), "k": random.integers(0, 4, 200)})
    frame.loc[::17, "x"] = np.nan
    y = np.where((frame["city"] == "Rome") & (frame["k"] > 1), "yes", "no")
    for fitted in (skl.MixedNB().fit(frame, y), skl.AutoClassifier().fit(frame, y), skl.MixedNB(event={"k": "categorical"}).fit(frame, y)):
        assert fitted.score(frame, y) > 0.8 and list(fitted.feature_names_in_) == ["x", "city", "k"]
        np.testing.assert_allclose(fitted.predict_proba(frame).sum(axis=1), 1.0)
        with pytest.raises(ValueError, match="feature names"):
            fitted.predict(frame[["city", "x", "k"]])
    number = skl.AutoRegressor().fit(frame, frame["k"] * 2.0 + (frame["city"] == "Rome"))
    assert number.score(frame, frame["k"] * 2.0 + (frame["city"] == "Rome")) > 0.99


@pytest.mark.parametrize("module", sorted({getattr(skl, name).__module__ for name in skl.__all__}))
def test_examples_of_docstrings_run(module):
    import doctest
    import importlib

    found = doctest.testmod(importlib.import_module(module))
    assert found.attempted > 0 and found.failed == 0


def test_everything_public_says_what_it_is():
    for name in skl.__all__:
        assert ">>>" in getattr(skl, name).__doc__, name
