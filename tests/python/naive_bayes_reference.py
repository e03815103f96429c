"""Naive Bayes on real data against reference results: the same errors, and the same log loss to 1e-9. Data from $PLUMB_DATA or
../shared/data; skipped where there are none.  # rows: N1 N2 N3 N4 T3
"""
import collections
import csv
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
DATA = pathlib.Path(os.environ.get("PLUMB_DATA", ROOT.parent / "shared" / "data"))
SKIPPED = 77  # as tests/CMakeLists.txt has it

TEXTS = {  # files named train and test
    "20news_19997": ("train.tsv.zst", "test.tsv.zst"), "20news_bydate": ("train.tsv.zst", "test.tsv.zst"), "imdb": ("train.tsv.zst", "test.tsv.zst"),
    "ag_news_7600": ("train.tsv.zst", "test.tsv"), "reuters_r8": ("train.tsv.zst", "test.tsv"), "spamassassin": ("train.tsv.zst", "test.tsv.zst")}
SPARSE = {"a9a": ("train.libsvm.zst", "test.libsvm.zst"), "agaricus": ("train.libsvm", "test.libsvm"), "rcv1_small": ("train.libsvm.zst", "test.libsvm"),
          "mnist10k": ("train.libsvm.zst", "test.libsvm.zst")}
TABLES = {"iris": ["gaussian"], "wine": ["gaussian"], "breast_cancer": ["gaussian"], "breast_w": ["gaussian"], "spambase": ["gaussian"], "covtype15k": ["gaussian"],
          "digits": ["gaussian", "multinomial", "bernoulli"], "car": ["categorical", "bernoulli"], "mushroom": ["categorical", "bernoulli"],
          "nursery": ["categorical", "bernoulli"]}
TOKENS = ["--columns", "label,text", "-t", "label", "--text", "text", "--tokens", "ascii"]


def there(folder, name):
    """The file, compressed or not."""
    for path in (DATA / folder / name, DATA / folder / (name + ".zst"), DATA / folder / name.removesuffix(".zst")):
        if path.exists():
            return path
    sys.exit(f"there is no {folder}/{name}")


def lines_of(path):
    if path.suffix == ".zst":
        return subprocess.run(["zstd", "-dc", path], capture_output=True, check=True).stdout.decode().splitlines(keepends=True)
    return path.read_text().splitlines(keepends=True)


def distinct(header):
    """spambase has two columns of one name."""
    names = header.strip().split(",")
    return ",".join(name if names.count(name) == 1 else f"{name}{i}" for i, name in enumerate(names)) + "\n"


class Judge:
    def __init__(self, program, scratch):
        self.program, self.scratch, self.failures = program, pathlib.Path(scratch), []

    def split(self, path, header, chosen=None, keep=lambda line: True):
        """Row i is a test row if i % 5 == 4."""
        lines = [line for line in lines_of(path) if keep(line)]
        head, rows = ([distinct(lines[0])], lines[1:]) if header else ([], lines)
        chosen = chosen or (lambda i: i % 5 == 4)
        suffix = path.name.removesuffix(".zst").split(".")[-1]
        parts = []
        for name, wanted in (("train", False), ("test", True)):
            out = self.scratch / f"{path.parent.name}_{path.name.split('.')[0]}_{name}.{suffix}"
            out.write_text("".join(head + [row for i, row in enumerate(rows) if chosen(i) == wanted]))
            parts.append(out)
        return parts

    def compare(self, name, event, files, options, expected, by_loss=True):
        # A text without a known word is a tie of two equally common classes: the last class here, the first there.
        ties = 1 if (name, event) == ("rt_polarity", "multinomial") else 0
        model = self.scratch / "m.plumb"
        command = [self.program, "train", files[0], "--test", files[1], "-m", "naive-bayes", "--event", event, "-q", "--json", "-o", model, *options]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            self.failures.append(f"{name} {event}: {done.stderr}")
            return
        found = json.loads(done.stdout)
        rows = found["rows"]["test"]
        errors = round(found["heldout"]["error"]["value"] * rows)
        loss = found["heldout"]["log_loss"]["value"]
        wanted = expected["errors"] if "errors" in expected else round((1 - expected["accuracy"]) * rows)
        wanted += ties
        off = abs(loss - expected["log_loss"]) / expected["log_loss"]
        good = errors == wanted and (off <= 1e-9 or not by_loss)
        print(f"{name:34} {event:12} {errors:6} errors of {rows:6}, log loss {loss:.12g}, off by {off:.1e}{'' if good else '   NOT ' + str(wanted)}")
        if by_loss and "joint_log_likelihood_of_first_test_row" in expected:
            self.compare_evidence(name, event, files[1], model, options, expected["joint_log_likelihood_of_first_test_row"])
        if not good:
            self.failures.append(f"{name} {event}: {errors} errors where {wanted} were expected, log loss {loss} where {expected['log_loss']}")


    def compare_evidence(self, name, event, path, model, options, joint):
        """ln P(x) of the first test row is the sum of ln P(x, y) over the classes."""
        first = self.scratch / ("first." + path.name.removesuffix(".zst").split(".")[-1])
        lines = lines_of(path)
        first.write_text("".join(lines[:2] if path.suffix == ".csv" else lines[:1]))
        reading = options[:2] if options[:1] == ["--columns"] else []
        done = subprocess.run([self.program, "predict", model, first, "-q", "--evidence", *reading], capture_output=True, text=True, check=True)
        found = float(done.stdout.splitlines()[1].split(",")[-1])
        most = max(joint.values())
        wanted = most + math.log(sum(math.exp(each - most) for each in joint.values()))
        if abs(found - wanted) > 1e-9 * abs(wanted):
            self.failures.append(f"{name} {event}: ln P(x) of the first test row {found} where {wanted} was expected")

    def trained(self, files, options):
        command = [self.program, "train", files[0], "--test", files[1], "-m", "naive-bayes", "-q", "--json", "-o", self.scratch / "m.plumb", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    def compare_folds(self, path, expected):
        """Ten folds of 100 neighbours of each class: the mean of their accuracies."""
        for event in ("multinomial", "bernoulli"):
            accuracies = []
            for fold in range(10):
                files = self.split(path, False, lambda i, fold=fold: i % 1000 // 100 == fold)
                found = self.trained(files, [*TOKENS, "--event", event])
                accuracies.append(found["heldout"]["accuracy"]["value"])
            mean, wanted = sum(accuracies) / 10, expected[event + "_nb"]
            print(f"{'movie_reviews, 10 folds':34} {event:12} mean accuracy {mean:.6g}")
            if abs(mean - wanted) > 1e-9:
                self.failures.append(f"movie_reviews {event}: mean accuracy {mean} where {wanted} was expected")

    def compare_variants(self, name, files, variants):
        """T3 among them: without the 100 most common words and those seen less than 3 times 89 %."""
        selected = ["--drop-top", "100", "--min-count", "3"]
        letters = [self.changed(path, r"[A-Za-z0-9]*[0-9][A-Za-z0-9]*", " ", f"letters{i}.tsv") for i, path in enumerate(files)]
        counts = collections.Counter(word for line in lines_of(files[0]) for word in re.findall("[a-z0-9]{2,}", line.split("\t", 1)[1].lower()))
        commonest = sum(word.isalpha() for word, _ in counts.most_common(100))  # of letters only among the 100
        for title, options, used in (("all words, alpha 1", [], files), ("all words, alpha 0.01", ["--smoothing", "0.01"], files),
                                     ("without the 100 most frequent words and those seen fewer than 3 times, alpha 1", selected, files),
                                     ("without the 100 most frequent and the rare words, alpha 0.1", [*selected, "--smoothing", "0.1"], files),
                                     ("same, letters only", ["--drop-top", str(commonest), "--min-count", "3"], letters)):
            self.compare(f"{name}, {title}", "multinomial", used, [*TOKENS, *options], variants[title])
        if name == "20news_19997":  # headers name the group; what the articles say by themselves is worth this much
            body = [self.changed(path, r"\t(?:[^ ]| (?! ))*  ", "\t", f"body{i}.tsv") for i, path in enumerate(files)]
            accuracy = self.trained(body, [*TOKENS, *selected])["heldout"]["accuracy"]["value"]
            print(f"{name}, body only: accuracy {accuracy:.6g}")
            if abs(accuracy - 0.825) > 0.005:
                self.failures.append(f"{name}, body only: accuracy {accuracy} where about 0.825 was expected")

    def changed(self, path, pattern, by, name):
        """Texts with the first match (for digits: every one) replaced; labels stay."""
        count = 1 if by == "\t" else 0
        out = self.scratch / name
        with open(out, "w") as file:
            for line in lines_of(path):
                label, text = line.split("\t", 1)
                file.write(label + re.sub(pattern, by, "\t" + text, count=count))
        return out


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    only = sys.argv[2:]
    if not DATA.is_dir():
        print(f"skipped: there is no folder {DATA}; PLUMB_DATA names another")
        sys.exit(SKIPPED)
    sets = json.loads((DATA / "expected.json").read_text())["datasets"]
    with tempfile.TemporaryDirectory(prefix="plumb-bayes-") as scratch:
        judge = Judge(program, scratch)

        def texts(name, files, expected):
            if not only or any(word in name for word in only):
                for event in ("multinomial", "bernoulli"):
                    judge.compare(name, event, files, TOKENS, expected[event + "_nb"])

        for name, files in TEXTS.items():
            texts(name, [there(name, each) for each in files], sets[name])
        texts("rt_polarity", judge.split(there("rt_polarity", "all.tsv.zst"), False), sets["rt_polarity"])
        texts("sms_spam fifth", judge.split(there("sms_spam", "all.tsv"), False), sets["sms_spam"]["every_fifth"])
        third = len(lines_of(there("sms_spam", "all.tsv"))) * 3 // 10
        texts("sms_spam 30%", judge.split(there("sms_spam", "all.tsv"), False, lambda i: i >= third), sets["sms_spam"]["first_30_percent"])
        texts("movie_reviews", judge.split(there("movie_reviews", "all.tsv.zst"), False, lambda i: i % 1000 < 100), sets["movie_reviews"]["fold_0"])
        for pair, expected in sets["confusables"].items():
            texts("confusables " + pair, judge.split(there("confusables", pair + ".tsv"), False), expected)

        for name, files in SPARSE.items():
            if only and not any(word in name for word in only):
                continue
            paths = [there(name, each) for each in files]
            for event in ("multinomial", "bernoulli", "gaussian"):
                if event + "_nb" in sets[name]:
                    options = ["--entries", "784"] if name == "mnist10k" else []
                    options += ["--variance-divisor", "n"] if event == "gaussian" else []
                    judge.compare(name, event, paths, options, sets[name][event + "_nb"], by_loss=(name, event) != ("mnist10k", "gaussian"))
        if not only or "heart_scale" in only:
            judge.compare("heart_scale", "gaussian", judge.split(there("heart_scale", "heart_scale.libsvm"), False), ["--variance-divisor", "n"],
                          sets["heart_scale"]["gaussian_nb"])

        for name, events in TABLES.items():
            if only and name not in only:
                continue
            complete = (lambda line: all(next(csv.reader([line])))) if name == "breast_w" else (lambda line: True)
            files = judge.split(there(name, name + ".csv"), True, keep=complete)
            for event in events:
                options = ["-t", "class"]
                if event == "gaussian":
                    options += ["--variance-divisor", "n"]
                if "categorical" in events:
                    with open(files[0]) as head:
                        options += ["--categorical", ",".join(head.readline().strip().split(",")[:-1])]
                judge.compare(name, event, files, options, sets[name][event + "_nb"], by_loss=(name, event) != ("digits", "gaussian"))
        if not only or "movie_reviews" in only:
            judge.compare_folds(there("movie_reviews", "all.tsv.zst"), sets["movie_reviews"])
        for name in ("20news_19997", "20news_bydate"):
            if not only or name in only:
                judge.compare_variants(name, [there(name, each) for each in TEXTS[name]], sets[name]["multinomial_nb_variants"])
        if judge.failures:
            sys.exit("\n".join(judge.failures))


if __name__ == "__main__":
    main()
