"""Estimators for scikit-learn: the engine's models with the arguments and attributes that scikit-learn's have.

>>> from plumb.sklearn import Ridge
>>> Ridge(alpha=1.0)
Ridge()
"""
from plumb.sklearn._bayes import BernoulliNB, ComplementNB, MultinomialNB
from plumb.sklearn._bayes_columns import CategoricalNB, GaussianNB
from plumb.sklearn._classify import LinearSVC, LogisticRegression
from plumb.sklearn._frames import AutoClassifier, AutoRegressor, MixedNB
from plumb.sklearn._lasso import ElasticNet, ElasticNetCV, Lasso, LassoCV
from plumb.sklearn._online import Perceptron, SGDClassifier
from plumb.sklearn._paths import LogisticRegressionCV, RidgeCV
from plumb.sklearn._regress import HuberRegressor, LinearRegression, PoissonRegressor, Ridge
from plumb.sklearn._text import TextVectorizer

__all__ = [
    "AutoClassifier", "AutoRegressor", "BernoulliNB", "CategoricalNB", "ComplementNB", "ElasticNet", "ElasticNetCV", "GaussianNB",
    "HuberRegressor", "Lasso", "LassoCV", "LinearRegression", "LinearSVC", "LogisticRegression", "LogisticRegressionCV", "MixedNB",
    "MultinomialNB", "Perceptron", "PoissonRegressor", "Ridge", "RidgeCV", "SGDClassifier", "TextVectorizer",
]
