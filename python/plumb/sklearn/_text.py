"""Texts as counts of terms, or as tf-idf."""
import numbers
import re

import numpy as np
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from plumb import _core, _options
from plumb.sklearn._base import OPTIONS

_ANALYZERS = {"word": "word", "char": "char", "char_wb": "char-word"}
_WORDS = re.compile(r"\(\?u\)\\b(\\w(?:\\w)*)(?:\{(\d+),\}|(\+))\\b")
_LIMIT = [Interval(numbers.Integral, 1, None, closed="left"), Interval(numbers.Real, 0, 1, closed="both")]


class TextVectorizer(BaseEstimator):
    """Texts as counts of terms, as scikit-learn's CountVectorizer has them; with use_idf, norm or sublinear_tf as its
    TfidfVectorizer: ``TextVectorizer(use_idf=True, norm="l2")`` is that with its own defaults.

    Terms, their order and their counts are scikit-learn's. token_pattern is a word of at least so many characters:
    the default, ``(?u)\\b\\w+\\b``, or ``(?u)\\b\\w{3,}\\b``.

    >>> from plumb.sklearn import TextVectorizer
    >>> texts = TextVectorizer(ngram_range=(1, 2))
    >>> texts.fit_transform(["a good film", "not a good idea, not at all"]).toarray()
    array([[0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0, 0],
           [1, 1, 1, 0, 1, 0, 1, 1, 1, 2, 1, 1]])
    >>> texts.get_feature_names_out()[:4].tolist()
    ['all', 'at', 'at all', 'film']
    """

    _parameter_constraints = {
        "input": [StrOptions({"content"})], "lowercase": ["boolean"], "ngram_range": [tuple], "min_df": _LIMIT, "max_df": _LIMIT,
        "max_features": [Interval(numbers.Integral, 1, None, closed="left"), None], "vocabulary": [dict, "array-like", set, None],
        "binary": ["boolean"], "stop_words": [StrOptions({"english"}), list, set, frozenset, tuple, None],
        "analyzer": [StrOptions(set(_ANALYZERS))], "token_pattern": [str], "use_idf": ["boolean"], "smooth_idf": ["boolean"],
        "sublinear_tf": ["boolean"], "norm": [StrOptions({"l1", "l2"}), None], "n_jobs": [numbers.Integral, None],
    }

    def __init__(self, *, input="content", lowercase=True, stop_words=None, token_pattern=r"(?u)\b\w\w+\b", ngram_range=(1, 1),
                 analyzer="word", max_df=1.0, min_df=1, max_features=None, vocabulary=None, binary=False, use_idf=False, norm=None,
                 smooth_idf=True, sublinear_tf=False, n_jobs=None):
        self.input = input
        self.lowercase = lowercase
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.max_df = max_df
        self.min_df = min_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.binary = binary
        self.use_idf = use_idf
        self.norm = norm
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf
        self.n_jobs = n_jobs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.two_d_array = False
        tags.requires_fit = self.vocabulary is None or self.use_idf
        return tags

    # Learning.
    def fit(self, raw_documents, y=None):
        """Learns the terms."""
        self.fit_transform(raw_documents)
        return self

    def fit_transform(self, raw_documents, y=None):
        """Learns the terms, and gives a row for each text."""
        self._validate_params()
        texts = _listed(raw_documents)
        for name in ("_reader", "_places"):
            self.__dict__.pop(name, None)
        self.fixed_vocabulary_ = self.vocabulary is not None
        if self.fixed_vocabulary_:
            self._terms = _given(self.vocabulary)
            counts = self._counts(texts)
            documents = np.bincount(counts.indices, minlength=counts.shape[1])
        else:
            found = self._rules().count(texts, self._run())
            kept, documents = self._selected(found, len(texts))
            self._terms = found.terms(kept)
            counts = _matrix(found.rows(kept, self._run()), len(self._terms))
        if self.use_idf:
            smooth = int(self.smooth_idf)
            self.idf_ = np.log((len(texts) + smooth) / (documents.astype(np.float64) + smooth)) + 1.0
        return self._weighted(counts)

    def _selected(self, found, texts):
        """The places of the terms that are kept, in order, and how many texts have them."""
        documents = found.documents
        if self._stops_apart():
            documents[found.find(self._stops())] = 0
        if not documents.any():
            raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
        most, least = (each if isinstance(each, numbers.Integral) else each * texts for each in (self.max_df, self.min_df))
        if most < least:
            raise ValueError("max_df corresponds to < documents than min_df")
        kept = np.flatnonzero((documents >= max(least, 1)) & (documents <= most))
        if self.max_features is not None and len(kept) > self.max_features:
            kept = np.sort(kept[(-self._occurrences(found)[kept]).argsort()[: self.max_features]])
        if not len(kept):
            raise ValueError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
        return kept, documents[kept]

    def _occurrences(self, found):
        return found.documents if self.binary else found.counts

    # Using what was learnt.
    def transform(self, raw_documents):
        """A row for each text."""
        if not hasattr(self, "_terms"):
            if self.vocabulary is None or self.use_idf:
                check_is_fitted(self)
            self._validate_params()
            self._terms = _given(self.vocabulary)
        return self._weighted(self._counts(_listed(raw_documents)))

    def get_feature_names_out(self, input_features=None):
        """The terms, in the order of the columns."""
        check_is_fitted(self)
        return np.asarray(self._terms, dtype=object)

    @property
    def vocabulary_(self):
        """The column of each term, as a dict; it is made when it is asked for."""
        if "_terms" not in self.__dict__:
            raise AttributeError("vocabulary_ is there after fit")
        if "_places" not in self.__dict__:
            self._places = dict(zip(self._terms, range(len(self._terms))))
        return self._places

    def __sklearn_is_fitted__(self):
        return "_terms" in self.__dict__

    def build_analyzer(self):
        """A function from a text to its terms."""
        self._validate_params()
        return self._rules(all_stops=True).terms_of

    def _counts(self, texts):
        reader = self.__dict__.get("_reader")
        if reader is None:
            reader = self._rules()
            reader.know(self._terms)
            self._reader = reader
        return _matrix(reader.rows(texts, self._run()), len(self._terms))

    def _weighted(self, counts):
        if self.binary:
            counts.data.fill(1)
        if not (self.use_idf or self.norm or self.sublinear_tf):
            return counts
        values = counts.data.astype(np.float64)
        if self.sublinear_tf:
            values = np.log(values) + 1.0
        if self.use_idf:
            values *= self.idf_[counts.indices]
        if self.norm is not None:
            lengths = np.diff(counts.indptr)
            there = lengths > 0
            parts = np.add.reduceat(values**2 if self.norm == "l2" else values, counts.indptr[:-1][there]) if there.any() else np.empty(0)
            norms = np.ones(len(lengths))
            norms[there] = np.sqrt(parts) if self.norm == "l2" else parts
            values /= np.repeat(norms, lengths)
        return csr_matrix((values, counts.indices, counts.indptr), shape=counts.shape)

    def _stops_apart(self):
        """Whether stop words can be left out after counting, which is faster: single words, none of them given as terms."""
        return self.stop_words is not None and self.vocabulary is None and self.analyzer == "word" and tuple(self.ngram_range) == (1, 1)

    def _rules(self, all_stops=False):
        """The reader of texts."""
        shortest, longest = self.ngram_range
        if not 1 <= shortest <= longest <= 255:
            raise ValueError(f"Invalid value for ngram_range={self.ngram_range}: a pair such as (1, 2), with the smaller first and "
                             "at most 255, was expected")
        words = self.analyzer == "word"
        return _core.TermReader(_ANALYZERS[self.analyzer], _shortest(self.token_pattern) if words else 1, shortest, longest,
                                self.lowercase, self._stops() if words and (all_stops or not self._stops_apart()) else [])

    def _stops(self):
        """The stop words that a token can be: tokens are in lowercase, and stop words are compared as they are."""
        if self.stop_words is None:
            return []
        if self.stop_words == "english":
            from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

            return sorted(ENGLISH_STOP_WORDS)
        return sorted(each for each in set(self.stop_words) if not self.lowercase or each == each.lower())

    def _run(self):
        return _options.run(**OPTIONS["n_jobs"](self.n_jobs, None))

    def __getstate__(self):
        return {name: value for name, value in super().__getstate__().items() if name not in ("_reader", "_places")}


def _shortest(pattern):
    """The least number of characters of a word, from the pattern of a token."""
    found = _WORDS.fullmatch(pattern)
    if found is None:
        raise ValueError(f"token_pattern is {pattern!r}; words of at least so many characters were expected: "
                         r"'(?u)\b\w\w+\b', '(?u)\b\w+\b' or '(?u)\b\w{3,}\b'")
    run, least, _ = found.groups()
    return max(1, run.count("w") - 1 + (int(least) if least else 1))


def _listed(texts):
    """A list of str."""
    if isinstance(texts, str):
        raise ValueError("Iterable over raw text documents expected, string object received.")
    listed = texts.tolist() if hasattr(texts, "tolist") else texts.to_list() if hasattr(texts, "to_list") else list(texts)
    if all(type(each) is str for each in listed):
        return listed
    made = []
    for k, each in enumerate(listed):
        if isinstance(each, bytes):
            each = each.decode("utf-8")
        if not isinstance(each, str):
            raise ValueError(f"text {k + 1} is {each!r}, an invalid document: str or bytes was expected")
        made.append(str(each))
    return made


def _given(vocabulary):
    """The terms of a given vocabulary in the order of their columns."""
    if isinstance(vocabulary, dict):
        if sorted(vocabulary.values()) != list(range(len(vocabulary))):
            raise ValueError(f"the columns of the vocabulary should be 0 to {len(vocabulary) - 1}, each once")
        listed = sorted(vocabulary, key=vocabulary.get)
    else:
        listed = sorted(vocabulary) if isinstance(vocabulary, (set, frozenset)) else list(vocabulary)
        seen = set()
        for term in listed:
            if term in seen:
                raise ValueError(f"Duplicate term in vocabulary: {term!r}")
            seen.add(term)
    if not listed:
        raise ValueError("empty vocabulary passed to fit")
    return listed


def _matrix(parts, columns):
    values, indices, offsets = (each.view(f"i{each.itemsize}") for each in parts)
    if offsets[-1] < 2**31:
        offsets = offsets.astype(np.int32)
    found = csr_matrix((values, indices, offsets), shape=(len(offsets) - 1, columns), copy=False)
    found.has_sorted_indices = found.has_canonical_format = True
    return found
