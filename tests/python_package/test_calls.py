"""Fits, reports, options, errors, signals, threads and pickles."""
# rows: B4
import json
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import plumb

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent.parent / "examples"


@pytest.fixture
def rows():
    random = np.random.default_rng(0)
    x = random.normal(size=(500, 5))
    return x, (x[:, 0] + x[:, 1] + random.normal(size=500) > 0).astype(int)


def test_importing_plumb_imports_nothing_but_numpy():
    code = "import sys, numpy; before = set(sys.modules); import plumb; new = {m.split('.')[0] for m in set(sys.modules) - before}; print(new & {'pandas', 'polars', 'pyarrow', 'scipy', 'sklearn'})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "set()"


def test_least_squares_has_a_table_of_estimates():
    fit = plumb.fit(EXAMPLES / "height_weight.csv", target="weight", model="least-squares", test="none")
    table = fit.summary()
    height = [list(table[name])[1] for name in ("weight", "std_error", "low", "high")]
    assert height == pytest.approx([61.128667, 1.799558, 57.240958, 65.016377], rel=1e-6)  # docs/inference.md
    assert "R^2 0.9889" in str(fit) and "height" in fit.model._repr_html_()
    assert fit.certificate["value"] < 1e-10 and fit.converged


def test_every_option_of_the_command_line_is_a_keyword(rows, tmp_path):
    x, y = rows
    fit = plumb.fit(x, y, model="logistic", l2="auto", class_weight={"1": 2}, no_bias=True, seed=7, test=0.3, drop=["x5"])
    assert fit.model.features == ["x1", "x2", "x3", "x4"] and fit.data["rows"]["test"] == 150
    assert fit.model.bias.tolist() == [0.0]
    assert fit.model.options["l2"] == "auto" and fit.model.options["no_bias"] is True
    for wrong, said in (({"l22": 3}, "did you mean"), ({"l2": -1}, "was expected"), ({"output": "m"}, "save"), ({"diagnostics": "d"}, "train --diagnostics"), ({"no_bias": 3}, "True or False")):
        with pytest.raises(plumb.UsageError, match=said):
            plumb.fit(x, y, model="logistic", **wrong)


def test_python_and_the_program_save_the_same_bytes(tmp_path):
    file = EXAMPLES / "height_weight.csv"
    plumb.fit(file, target="weight", model="ridge", seed=3).save(tmp_path / "python.plumb")
    command = [sys.executable, "-m", "plumb", "train", file, "-t", "weight", "-m", "ridge", "--seed", "3", "-q", "-o", tmp_path / "program.plumb"]
    subprocess.run(command, check=True, capture_output=True)
    assert (tmp_path / "python.plumb").read_bytes() == (tmp_path / "program.plumb").read_bytes()


def test_models_are_saved_loaded_and_pickled_with_the_same_predictions(rows, tmp_path):
    x, y = rows
    model = plumb.fit(x, y).model
    model.save(tmp_path / "m.plumb")
    for other in (plumb.load(tmp_path / "m.plumb"), pickle.loads(pickle.dumps(model))):
        assert other == model and (other.predict_proba(x) == model.predict_proba(x)).all()
        assert other.labels.tolist() == [0, 1]
    with pytest.raises(plumb.ModelError) as caught:
        plumb.load(tmp_path / "none.plumb")
    assert caught.value.path == str(tmp_path / "none.plumb")
    assert pickle.loads(pickle.dumps(caught.value)).path == caught.value.path


def test_scores_probabilities_and_labels_agree(rows):
    x, y = rows
    model = plumb.fit(x, y, model="logistic").model
    scores, proba = model.decision_function(x), model.predict_proba(x)
    assert np.allclose(scores, x @ model.weights[0] + model.bias[0])
    assert np.allclose(proba[:, 1], 1 / (1 + np.exp(-scores)))
    assert (model.predict(x) == (scores >= 0)).all()
    assert (model.predict(x, threshold=0.9) == (proba[:, 1] >= 0.9)).all()


def test_reports_have_numbers_texts_and_pictures(rows):
    x, y = rows
    crossed = plumb.cross_validate(x, y, model="logistic", folds=5)
    assert crossed.metrics["accuracy"] == crossed.data["metrics"]["accuracy"]["value"] > 0.7
    assert str(crossed).startswith("logistic") and crossed.plot().startswith("<svg")
    compared = plumb.compare(x, y, ["logistic", ("logistic", {"l2": 1000}), "naive-bayes"], folds=5)
    assert len(compared.to_frame()["accuracy"]) == 3
    tuned = plumb.tune(x, y, "logistic", grid={"l2": [0.1, 10, 1000]}, folds=5)
    assert tuned.fit.heldout["accuracy"] > 0.7 and "l2" in str(tuned)
    curve = plumb.learning_curve(x, y, ["logistic"], sizes=[20, 100], repeats=2)
    assert list(curve.to_frame()["rows"]) == [20, 100]
    apart = plumb.margin(np.array([[0.0], [1.0], [3.0], [5.0]]), [0, 0, 1, 1])
    assert apart.data["separable"] is True and apart.data["margin"]["low"] == pytest.approx(1.0)
    model = plumb.fit(x, y, model="logistic").model
    assert model.evaluate(x, y).metrics["accuracy"] == pytest.approx((model.predict(x) == y).mean())
    explained = model.explain(x, row=[3])
    parts = explained.data["rows"][0]["contributions"]
    assert sum(part["contribution"] for part in parts) + model.bias[0] == pytest.approx(model.decision_function(x)[2])
    assert plumb.fit(x[:, :2], y, model="logistic").plot().startswith("<svg")
    json.dumps(crossed.data)


def test_statistics_are_merged_and_forgotten(rows):
    x, y = rows
    options = dict(model="naive-bayes", keep_statistics=True, test="none")
    first, second, both = (plumb.fit(x[part], y[part], **options).model for part in (slice(0, 200), slice(200, 500), slice(0, 500)))
    assert np.allclose(plumb.merge(first, second).weights, both.weights, rtol=1e-12)
    names = {f"x{k + 1}": x[200:, k] for k in range(5)}
    assert np.allclose(plumb.forget(both, {**names, "y": y[200:]}).weights, first.weights, rtol=1e-9)


def test_the_same_bits_for_any_threads_and_several_fits_at_once(rows):
    x, y = rows
    expected = plumb.fit(x, y, model="logistic", threads=1).model
    found = []
    workers = [threading.Thread(target=lambda k=k: found.append(plumb.fit(x, y, model="logistic", threads=k % 3 + 1).model)) for k in range(6)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    assert len(found) == 6 and all(each == expected for each in found)


def test_ctrl_c_ends_a_fit_and_leaves_the_process_sane():
    code = """
import numpy as np, plumb, sys
random = np.random.default_rng(0)
x = random.normal(size=(40000, 300)); y = random.integers(0, 2, 40000)
print("ready", flush=True)
try:
    while True: plumb.cross_validate(x, y, model="logistic", folds=50, l2="auto")
except KeyboardInterrupt:
    print("stopped", plumb.fit(x[:50, :2], y[:50], model="logistic", test="none").converged)
"""
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    time.sleep(1.5)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0].strip() == "stopped True"


def test_a_callback_sees_progress_and_may_end_the_work(rows):
    x, y = rows

    def stop(phase, done, total):
        raise RuntimeError("enough")

    big = np.tile(x, (400, 4))
    with pytest.raises(RuntimeError, match="enough"):
        while True:
            plumb.cross_validate(big, np.tile(y, 400), model="logistic", folds=20, progress=stop)


def test_a_forked_process_can_fit(rows):
    x, y = rows
    expected = plumb.fit(x, y, model="logistic").model
    child = os.fork()
    if child == 0:
        os._exit(0 if plumb.fit(x, y, model="logistic").model == expected else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_thousand_fits_do_not_grow_the_process(rows):
    x, y = rows

    def resident():
        return int(pathlib.Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    def fits(count):
        for _ in range(count):
            plumb.fit({"a": x[:50, 0], "b": ["u", "v"] * 25}, y[:50], model="logistic", test="none", threads=1)

    fits(200)
    before = resident()
    fits(800)
    assert resident() - before < 4e6


def test_the_program_is_inside():
    shown = subprocess.run([sys.executable, "-m", "plumb", "--version"], capture_output=True, text=True, check=True).stdout
    assert plumb.__version__ in shown


OPTIONAL = ("pandas", "polars", "pyarrow", "scipy", "sklearn", "duckdb")


@pytest.mark.skipif("PLUMB_WITHOUT" in os.environ, reason="it is what this test runs")
def test_everything_works_without_the_optional_packages(request):
    sets = [OPTIONAL] + ([(each,) for each in OPTIONAL] if request.config.getoption("--full") else [])
    for names in sets:
        tests = [str(pathlib.Path(__file__).parent / name) for name in ("test_calls.py", "test_frames.py")]
        shown = subprocess.run([sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests],
                               env={**os.environ, "PLUMB_WITHOUT": ",".join(names)}, capture_output=True, text=True)
        assert shown.returncode == 0, shown.stdout


def test_the_examples_in_docstrings_run():
    import doctest
    import importlib
    import pkgutil

    tried = 0
    for module in pkgutil.walk_packages(plumb.__path__, "plumb."):
        if module.name == "plumb.__main__" or "sklearn" in module.name and not has_sklearn():
            continue
        found = doctest.testmod(importlib.import_module(module.name))
        assert found.failed == 0, module.name
        tried += found.attempted
    assert tried + doctest.testmod(plumb).attempted > 5


def has_sklearn():
    try:
        import sklearn  # noqa: F401
    except ImportError:
        return False
    return True


@pytest.mark.parametrize("name", ["spam_filter", "inference", "tuning"])
def test_the_example_scripts_run(name, tmp_path):
    for file in EXAMPLES.glob("*.*sv"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    shown = subprocess.run([sys.executable, EXAMPLES / "python" / f"{name}.py"], cwd=tmp_path, capture_output=True, text=True)
    assert shown.returncode == 0, shown.stderr
    assert shown.stdout


def test_the_examples_of_the_page_run():
    import doctest

    found = doctest.testfile(str(EXAMPLES.parent / "docs" / "python.md"), module_relative=False)
    assert found.failed == 0 and found.attempted > 5
