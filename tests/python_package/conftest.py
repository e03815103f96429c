"""Tests of the installed package; without other packages their tests are skipped."""
import os
import pathlib

import numpy as np
import pytest

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
