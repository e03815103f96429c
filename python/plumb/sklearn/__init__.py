"""Estimators for scikit-learn: the engine's models with the arguments and attributes that scikit-learn's have.

>>> from plumb.sklearn import Ridge
>>> Ridge(alpha=1.0)
Ridge()
"""
from plumb.sklearn._classify import LinearSVC, LogisticRegression
from plumb.sklearn._regress import HuberRegressor, LinearRegression, PoissonRegressor, Ridge

__all__ = ["HuberRegressor", "LinearRegression", "LinearSVC", "LogisticRegression", "PoissonRegressor", "Ridge"]
