"""plumb: linear models, from raw data to a trusted model in one call.

>>> import plumb
>>> fit = plumb.fit({"x": [0.0, 1.0, 2.0, 3.0], "y": [1.0, 3.0, 5.0, 7.0]}, target="y", model="least-squares", test="none")
>>> fit.model.predict({"x": [10.0]})
array([21.])
"""
from plumb._core import __version__
from plumb._calls import compare, cross_validate, fit, forget, learning_curve, load, margin, merge, tune
from plumb._errors import DataError, InternalError, Interrupted, ModelError, PlumbError, ResourceError, UsageError
from plumb._results import Comparison, Curves, Explanation, Fit, Model, Picture, Report, Scores

__all__ = [
    "fit", "cross_validate", "compare", "tune", "learning_curve", "margin", "load", "merge", "forget", "Fit", "Model", "Report",
    "Scores", "Comparison", "Curves", "Explanation", "Picture", "PlumbError", "UsageError", "DataError", "ModelError",
    "ResourceError", "Interrupted", "InternalError", "__version__",
]
