"""Data from anywhere give the same model, and numbers stay where they are."""
# rows: B4
import datetime
import decimal

import numpy as np
import pytest

import plumb
from plumb import _core, _data


def forms(people):
    """The same rows in every form that is installed."""
    yield "dict", people
    try:
        import pandas
    except ImportError:
        return
    frame = pandas.DataFrame(people)
    yield "pandas", frame
    yield "pandas, categories", frame.astype({"city": "category"})
    try:
        import pyarrow
    except ImportError:
        return
    table = pyarrow.Table.from_pandas(frame, preserve_index=False)
    yield "pyarrow", table
    yield "pyarrow, in chunks", pyarrow.concat_tables([table.slice(0, 100), table.slice(100, 7), table.slice(107)])
    yield "pyarrow, a slice with an offset", pyarrow.concat_tables([table.slice(290), table]).slice(10)
    yield "a reader", table.to_reader(max_chunksize=64)
    yield "dictionaries", table.set_column(2, "city", table["city"].dictionary_encode())
    yield "large texts", table.set_column(2, "city", table["city"].cast(pyarrow.large_string()))
    yield "views of texts", table.set_column(2, "city", table["city"].cast(pyarrow.string_view()))
    try:
        import polars
    except ImportError:
        return
    yield "polars", polars.from_pandas(frame)
    yield "polars, lazy", polars.from_pandas(frame).lazy()
    try:
        import duckdb
    except ImportError:
        return
    yield "duckdb", duckdb.sql("select * from frame")


def test_every_form_of_the_same_rows_gives_the_same_model(people):
    first = None
    for name, data in forms(people):
        model = plumb.fit(data, target="y", model="logistic").model
        if first is None:
            first = model
        assert model.features == first.features, name
        assert (model.weights == first.weights).all() and (model.bias == first.bias).all(), name
    assert first.features == ["x", "k", "city=Oslo", "city=Paris", "city=Rome", "flag=False", "flag=True", "f32", "miss", "miss missing"]


def test_a_file_gives_the_same_model_as_the_frame_it_was_written_from(people, tmp_path):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(people).drop(columns="f32")
    frame.to_csv(tmp_path / "people.csv", index=False)
    of_file = plumb.fit(tmp_path / "people.csv", target="y", model="logistic").model
    of_frame = plumb.fit(frame, target="y", model="logistic").model
    assert of_file.features == of_frame.features
    assert (of_file.weights == of_frame.weights).all()
    assert (of_file.predict(frame) == of_frame.predict(frame)).all()
    assert (of_frame.predict(tmp_path / "people.csv") == of_frame.predict(frame)).all()


def test_doubles_and_floats_are_not_copied():
    for of in (np.float64, np.float32):
        values = np.arange(1000, dtype=of)
        assert _data.column("a", values).address == values.ctypes.data
        pandas = pytest.importorskip("pandas")
        frame = pandas.DataFrame({"a": values, "b": values}, copy=False)
        assert _data.column("a", frame["a"]).address == frame["a"].to_numpy().ctypes.data
        pyarrow = pytest.importorskip("pyarrow")
        table = pyarrow.table({"a": values})
        assert _core.arrow_columns(table)[0].address == table["a"].chunk(0).buffers()[1].address
        assert _core.arrow_columns(table.slice(10))[0].address == values[10:].ctypes.data
        polars = pytest.importorskip("polars")
        frame = polars.DataFrame({"a": values})
        assert _core.arrow_columns(frame)[0].address == frame["a"].to_numpy(allow_copy=False).ctypes.data


def test_nulls_decimals_dates_and_whole_numbers_are_read_right():
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table({
        "price": pyarrow.array([decimal.Decimal("1.10"), None, decimal.Decimal("-22.75"), decimal.Decimal("0.01")]),
        "day": pyarrow.array([datetime.date(2020, 1, 2), datetime.date(1960, 5, 6), datetime.date(1970, 1, 1), datetime.date(2024, 2, 29)]),
        "count": pyarrow.array([1, None, 3, 4], pyarrow.int8()), "none": pyarrow.nulls(4), "y": [1.5, 2.0, 3.25, 4.0]})
    fit = plumb.fit(table, target="y", model="ridge", l2=1, test="none", derive="year(day)", drop=["none"])
    assert sorted(fit.model.columns) == [("count", "number"), ("day", "date"), ("price", "number")]
    explained = fit.model.explain(table, rows=4).data["rows"]
    values = {part["feature"]: part.get("value") for part in explained[2]["contributions"]}
    assert values["price"] == -22.75 and values["year(day)"] == 1970
    assert {part["feature"]: part.get("value") for part in explained[1]["contributions"]}["price"] == pytest.approx(0.01)  # the median


def test_whole_numbers_that_a_double_cannot_hold_are_refused():
    with pytest.raises(plumb.DataError, match="cannot hold") as caught:
        plumb.fit({"id": np.array([2**53 + 1, 1, 2]), "y": [1.0, 2.0, 3.0]}, target="y")
    assert "str" in caught.value.hint


def test_matrices_in_either_order_and_sparse_ones_give_the_same_model():
    random = np.random.default_rng(2)
    x = random.normal(size=(400, 6)) * (random.random((400, 6)) < 0.6)
    y = (x.sum(axis=1) + random.normal(size=400) > 0).astype(int)
    rows = plumb.fit(x, y, model="logistic", l2=2).model
    columns = plumb.fit(np.asfortranarray(x), y, model="logistic", l2=2).model
    steps = plumb.fit(np.repeat(x, 2, axis=0)[::2], y, model="logistic", l2=2).model
    assert (rows.weights == columns.weights).all() and (rows.weights == steps.weights).all()
    sparse = pytest.importorskip("scipy.sparse")
    for of in (sparse.csr_matrix, sparse.csc_matrix, sparse.coo_matrix, sparse.csr_array):
        model = plumb.fit(of(x), y, model="logistic", l2=2).model
        assert np.allclose(model.weights, rows.weights, atol=1e-6)
        assert (model.predict(of(x)) == rows.predict(x)).all()


def test_predictions_come_in_the_form_of_the_data(people):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(people, index=[f"row {k}" for k in range(300)])
    model = plumb.fit(frame, target="y", model="logistic").model
    assert isinstance(model.predict(people), np.ndarray)
    series = model.predict(frame[5:9])
    assert list(series.index) == ["row 5", "row 6", "row 7", "row 8"]
    proba = model.predict_proba(frame)
    assert list(proba.columns) == ["no", "yes"] and np.allclose(proba.sum(axis=1), 1)
    polars = pytest.importorskip("polars")
    other = model.predict(polars.from_pandas(frame))
    assert isinstance(other, polars.Series) and other.to_list() == model.predict(frame).tolist()
    assert model.predict_proba(polars.from_pandas(frame)).columns == ["no", "yes"]


def test_labels_keep_the_type_of_the_target():
    x = np.arange(40.0).reshape(-1, 1)
    for labels in ([0, 1], [-1.5, 2.5], [False, True], ["a", "b"], ["0", "1"]):
        y = np.array(labels)[(x[:, 0] > 20).astype(int)]
        model = plumb.fit(x, y, model="logistic", target_kind="labels").model
        assert model.labels.tolist() == labels
        assert model.predict(np.array([[0.0], [39.0]])).tolist() == labels
        assert type(model.predict(x)[0]) is type(y[0]) or y.dtype.kind in "US"


def test_texts_are_a_column_of_words():
    texts = ["good film", "bad film", "good day", "bad day"] * 10
    labels = ["p", "n"] * 20
    fit = plumb.fit(texts, labels, model="naive-bayes")
    assert fit.model.columns == [("text", "text")]
    assert fit.model.predict(["what a good thing", "bad, bad"]).tolist() == ["p", "n"]


def test_rows_held_out_may_be_other_data(people):
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(people)
    fit = plumb.fit(frame[:200], target="y", model="logistic", test=frame[200:])
    assert fit.data["rows"] == {"train": 200, "test": 100}
    assert fit.heldout["accuracy"] == pytest.approx((fit.model.predict(frame[200:]) == frame["y"][200:]).mean())


def test_weights_are_copies():
    random = np.random.default_rng(3)
    x, y = random.normal(size=(60, 2)), random.normal(size=60)
    weight = random.integers(1, 4, 60)
    weighed = plumb.fit(x, y, model="least-squares", weight=weight.astype(float), test="none").model
    copied = plumb.fit(np.repeat(x, weight, axis=0), np.repeat(y, weight), model="least-squares", test="none").model
    assert np.allclose(weighed.weights, copied.weights, rtol=1e-12)
    assert weighed.data["standard_errors"][0]["weights"]["x1"] == pytest.approx(copied.data["standard_errors"][0]["weights"]["x1"], rel=1e-12)


def test_what_cannot_be_used_is_an_error_of_its_kind():
    for data, kind in ((3, plumb.UsageError), (np.zeros(3), plumb.DataError), (np.zeros((2, 2)) * 1j, plumb.DataError),
                       ({"a": [b"x", b"y"]}, plumb.DataError), (np.zeros((0, 2)), ValueError)):
        with pytest.raises(kind):
            plumb.fit(data, [1.0, 2.0])
    with pytest.raises(plumb.DataError, match="the model needs"):
        plumb.fit({"a": [1.0, 2, 3], "y": [1.0, 2, 4]}, target="y", test="none").model.predict({"b": [1.0]})
    with pytest.raises(plumb.DataError, match="Unicode"):
        plumb.fit({"a": ["\ud800", "b"], "y": [1.0, 2.0]}, target="y")
