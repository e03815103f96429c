"""TextVectorizer has the terms, counts and weights of scikit-learn's CountVectorizer and TfidfVectorizer."""
# rows: B4
import os
import pathlib
import pickle
import random
import subprocess
import unicodedata

import numpy as np
import pytest

pytest.importorskip("sklearn", minversion="1.6")

from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer  # noqa: E402
from sklearn.model_selection import GridSearchCV  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402

from plumb.sklearn import MultinomialNB, TextVectorizer  # noqa: E402

OPTIONS = [
    {}, {"lowercase": False}, {"token_pattern": r"(?u)\b\w+\b"}, {"token_pattern": r"(?u)\b\w{3,}\b"}, {"ngram_range": (2, 3)},
    {"ngram_range": (1, 2), "min_df": 2}, {"analyzer": "char", "ngram_range": (1, 3)}, {"analyzer": "char_wb", "ngram_range": (2, 5)},
    {"analyzer": "char_wb", "ngram_range": (3, 3), "lowercase": False}, {"stop_words": ["the", "NOT", "and", "a"]},
    {"stop_words": "english", "ngram_range": (1, 2)}, {"min_df": 2, "max_df": 0.3}, {"max_features": 50}, {"max_features": 50, "binary": True},
    {"vocabulary": ["the", "of", "zzz", "ab"]}, {"vocabulary": {"of": 1, "the": 0}},
]
WEIGHTS = [{"use_idf": True, "norm": "l2"}, {"use_idf": True, "norm": "l1", "smooth_idf": False}, {"sublinear_tf": True, "norm": "l2"},
           {"use_idf": True, "binary": True}, {"use_idf": True, "norm": "l2", "vocabulary": ["the", "of", "ab"]}]


def odd_texts():
    """Letters that change when lowered, marks, digits of all kinds, separators and controls, scripts without spaces."""
    texts = ["İstanbul ΣΑΣ ΟΔΟΣ ß straße STRASSE", "naïve cafe\u0301 e\u0301", "１２ ２x ①② ½ x²", "日本語 テスト 한국어 ไทย ก็", "a_b __ _ x_",
             "tab\there\n\nline\r\n  two  spaces \u00a0nbsp\u2003em\u2028ls", "emoji 😀😀 👨‍👩‍👧 flag", "\x00nul\x00 x\x1fy\x1cz \x85nel",
             "ǅ Ǆ ǆ ﬁne ŉ ΐ", "", "   ", "a", "I'm don't", "\u200bzero\u200bwidth \ufeffbom", "𝔘𝔫𝔦 𝟙𝟚𝟛", "ᾳ ᾼ ΑΣ Σ ΑΣΑ αΣ'", "Ωhm Kelvin Å",
             "\U0010ffff x\ufffe y", "the of the ab"]
    draw = random.Random(1)
    few = [chr(c) for c in [*range(0x250), *range(0x300, 0x600), *range(0x1E00, 0x2100), 0x130, 0x3A3, 0x1D7D8, 0x2028]] + [" "] * 200 + list("abcΣİ") * 20
    texts += ["".join(draw.choice(few) for _ in range(draw.randint(0, 60))) for _ in range(1500)]
    # Characters that this Python's Unicode knows, since what is a letter depends on its version.
    known = [each for each in map(chr, range(0x110000)) if unicodedata.category(each) not in ("Cn", "Cs")]
    texts += ["".join(draw.choice(known) + draw.choice("a b") for _ in range(60)) for _ in range(500)]
    return texts


def news():
    folder = pathlib.Path(os.environ.get("PLUMB_DATA", pathlib.Path(__file__).resolve().parents[3] / "shared" / "data"))
    if not folder.exists():
        pytest.skip("skipped: no data")
    raw = subprocess.run(["zstd", "-dc", folder / "20news_bydate" / "train.tsv.zst"], capture_output=True, check=True).stdout.decode()
    return [line.split("\t", 1)[1] for line in raw.splitlines() if "\t" in line]


def expect_equal(ours, theirs, texts):
    mine, other = ours.fit_transform(texts), theirs.fit_transform(texts)
    assert list(ours.get_feature_names_out()) == list(theirs.get_feature_names_out())
    assert ours.vocabulary_ == theirs.vocabulary_
    for a, b in ((mine, other), (ours.transform(texts[::3]), theirs.transform(texts[::3]))):
        b.sort_indices()
        assert a.dtype == b.dtype and a.shape == b.shape and a.has_sorted_indices
        np.testing.assert_array_equal(a.indptr, b.indptr)
        np.testing.assert_array_equal(a.indices, b.indices)
        np.testing.assert_allclose(a.data, b.data, rtol=0 if a.dtype == np.int64 else 1e-12)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_counts_of_odd_texts(options):
    expect_equal(TextVectorizer(**options), CountVectorizer(**options), odd_texts())


@pytest.mark.parametrize("options", WEIGHTS, ids=str)
def test_weights_of_odd_texts(options):
    expect_equal(TextVectorizer(**options), TfidfVectorizer(**{"use_idf": False, "norm": None, **options}), odd_texts())


def test_terms_and_counts_of_all_news():
    expect_equal(TextVectorizer(), CountVectorizer(), news())


@pytest.mark.parametrize("options", OPTIONS[4:12:2], ids=str)
def test_options_on_news(options):
    expect_equal(TextVectorizer(**options), CountVectorizer(**options), news()[:800])


def test_threads_change_nothing():
    texts = odd_texts()
    one, two = (TextVectorizer(ngram_range=(1, 2), n_jobs=threads) for threads in (1, 2))
    a, b = one.fit_transform(texts), two.fit_transform(texts)
    assert (a != b).nnz == 0 and one.vocabulary_ == two.vocabulary_


def test_forms_of_texts():
    pandas = pytest.importorskip("pandas")
    texts = ["one two", "two three"]
    expected = TextVectorizer().fit_transform(texts).toarray()
    for form in (tuple(texts), np.array(texts), np.array(texts, dtype=object), pandas.Series(texts), (each for each in texts), [b"one two", "two three"]):
        np.testing.assert_array_equal(TextVectorizer().fit_transform(form).toarray(), expected)


def test_bad_texts_and_options_are_refused():
    for texts, words in (("one text", "string object"), ([1, 2], "invalid document"), ([None], "invalid document"), (["\ud800"], "surrogates"),
                         (["a", "b"], "empty vocabulary"), ([], "empty vocabulary")):
        with pytest.raises(ValueError, match=words):
            TextVectorizer().fit(texts)
    for options, words in (({"token_pattern": "[a-z]+"}, "token_pattern"), ({"analyzer": len}, "analyzer"), ({"input": "file"}, "input"),
                           ({"ngram_range": (2, 1)}, "ngram_range"), ({"vocabulary": ["a", "a"]}, "Duplicate"), ({"vocabulary": {"a": 3}}, "0 to 0"),
                           ({"min_df": 3}, "no terms remain|min_df"), ({"vocabulary": []}, "empty vocabulary"), ({"norm": "l3"}, "norm")):
        with pytest.raises(ValueError, match=words):
            TextVectorizer(**options).fit(["one two", "two three"])
    with pytest.raises(ValueError, match="fit"):
        TextVectorizer().transform(["one"])
    with pytest.raises(TypeError):
        TextVectorizer(tokenizer=str.split)


def test_pickles_pipelines_and_searches():
    texts = ["good film", "bad film", "good plot", "bad plot"] * 6
    labels = np.array(["pos", "neg"] * 12)
    pipe = make_pipeline(TextVectorizer(), MultinomialNB())
    found = GridSearchCV(pipe, {"textvectorizer__ngram_range": [(1, 1), (1, 2)], "multinomialnb__alpha": [0.1, 1.0]}, cv=2).fit(texts, labels)
    assert found.best_score_ == 1.0
    again = pickle.loads(pickle.dumps(found.best_estimator_))
    assert again.predict(["a good one"]) == ["pos"] and TextVectorizer(vocabulary=["bad"]).transform(["bad bad"]).toarray() == [[2]]
    assert TextVectorizer(ngram_range=(1, 2)).build_analyzer()("Not a good") == ["not", "good", "not good"]
