"""Tests of the installed package; without other packages their tests are skipped."""
import importlib.abc
import os
import pathlib
import sys


class Without(importlib.abc.MetaPathFinder):
    """As if the packages that PLUMB_WITHOUT names were not installed."""

    names = set(filter(None, os.environ.get("PLUMB_WITHOUT", "").split(",")))

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.names:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


sys.meta_path.insert(0, Without())

import numpy as np  # noqa: E402
import pytest  # noqa: E402


def pytest_addoption(parser):
    parser.addoption("--full", action="store_true", help="the long tests too")


ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def data():
    """The folder of the real data, outside the project."""
    folder = pathlib.Path(os.environ.get("PLUMB_DATA", ROOT.parent / "shared" / "data"))
    if not folder.exists():
        pytest.skip("skipped: no data")
    return folder


@pytest.fixture
def people():
    """Columns of many kinds with a target that they predict, as a dict."""
    random = np.random.default_rng(1)
    rows = 300
    columns = {
        "x": random.normal(size=rows), "k": random.integers(0, 5, rows), "city": random.choice(["Paris", "Rome", "Oslo"], rows),
        "flag": random.random(rows) > 0.5, "f32": random.normal(size=rows).astype(np.float32),
        "miss": np.where(random.random(rows) < 0.1, np.nan, random.normal(size=rows)),
    }
    columns["y"] = np.where(columns["x"] + columns["flag"] + (columns["city"] == "Rome") > 0.8, "yes", "no")
    return columns
