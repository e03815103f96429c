"""./run bench [JOB or PART...] [--quick] [--rounds N] [--patience SECONDS] [--markdown]: the speed of plumb, its peers and the
limits, as one table and as build/bench/bench.json. The contestants of a job take turns, round after round; the best of each counts."""
import argparse
import json
import os
import pathlib
import platform
import subprocess
import sys
import time

import table
from jobs import BOTH, FOLDER, JOBS, LIBLINEAR, LOGISTIC, PROGRAMS, PYTHON, ROOT

PEERS = ("numpy", "pandas", "polars", "pyarrow", "scikit-learn", "liblinear-official", "vowpalwabbit")
QUIET = 0.1   # others may use this share of the processors before a run waits


class Processors:
    """The load on the available processors by other processes, from the start on."""

    def __init__(self):
        self.start = self.now(), self.ours()

    @staticmethod
    def now():
        """(busy, all) seconds of the available processors."""
        allowed = {f"cpu{i}" for i in os.sched_getaffinity(0)}
        busy = total = 0
        for line in pathlib.Path("/proc/stat").read_text().splitlines():
            name, *ticks = line.split()
            if name in allowed:
                ticks = [int(tick) / os.sysconf("SC_CLK_TCK") for tick in ticks[:8]]
                total += sum(ticks)
                busy += sum(ticks) - ticks[3] - ticks[4]
        return busy, total

    @staticmethod
    def ours():
        times = os.times()
        return times.user + times.system + times.children_user + times.children_system

    def others_since_start(self):
        (busy, total), own = self.start
        now = self.now()
        return max(0.0, (now[0] - busy - (self.ours() - own)) / max(now[1] - total, 1e-9))


def wait_until_quiet(patience):
    end = time.monotonic() + patience
    while time.monotonic() < end:
        moment = Processors()
        time.sleep(0.2)
        if moment.others_since_start() <= QUIET:
            return


def use_two_processors():
    """Everything runs on two processors, so that "all threads" means two for plumb and for every peer."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:BOTH[-1]])
    return len(os.sched_getaffinity(0))


def make_data(data, megabytes):
    path, maker = data.path(megabytes), PROGRAMS / "make_data"
    if path.exists() and path.stat().st_mtime > maker.stat().st_mtime:
        return
    if data.packed_from:
        make_data(data.packed_from, megabytes)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name("unfinished_" + path.name)
    source = data.packed_from.path(megabytes) if data.packed_from else str(megabytes)
    print(f"making {path.relative_to(ROOT)}", file=sys.stderr)
    subprocess.run([maker, data.kind, source, unfinished], check=True)
    unfinished.rename(path)


def run_whole(command, environment, times):
    best = None
    for _ in range(times):
        before = os.times()
        start = time.perf_counter()
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        wall, after = time.perf_counter() - start, os.times()
        cpu = after.children_user + after.children_system - before.children_user - before.children_system
        if best is None or wall < best["seconds"]:
            best = {"seconds": wall, "cpu": cpu}
    return best


class Bench:
    def __init__(self, megabytes, rounds, patience):
        self.megabytes, self.rounds, self.patience = megabytes, rounds, patience
        self.processors = Processors()
        self.versions = self.peer_versions()
        self.modules = {}

    @staticmethod
    def peer_versions():
        code = "import importlib.metadata as m, json\nfound = {}\n" + "".join(
            f"try: found[{name!r}] = m.version({name!r})\nexcept m.PackageNotFoundError: pass\n" for name in PEERS) + "print(json.dumps(found))"
        seen = subprocess.run([PYTHON, "-c", code], capture_output=True, text=True) if PYTHON.exists() else None
        versions = json.loads(seen.stdout) if seen and seen.returncode == 0 else {}
        for package in LIBLINEAR.parent.glob("liblinear-tools_*.deb"):
            versions["liblinear-tools"] = package.name.split("_")[1]
        return versions

    def is_there(self, module):
        """A module of the peers' Python, or a file."""
        if module not in self.modules:
            if "/" in module:
                self.modules[module] = pathlib.Path(module).exists()
            else:
                code = f"import importlib.util, sys; sys.exit(importlib.util.find_spec({module!r}) is None)"
                self.modules[module] = PYTHON.exists() and subprocess.run([PYTHON, "-c", code]).returncode == 0
        return self.modules[module]

    def run(self, probe, data):
        command = [str(word).replace("{data}", str(data.path(self.megabytes)) if data else "") for word in probe.command]
        environment = dict(os.environ) | dict(probe.environment)
        wait_until_quiet(self.patience)
        if probe.whole:
            return run_whole(command, environment, probe.whole)
        done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
        return json.loads(done.stdout.splitlines()[-1])

    def samples(self, jobs):
        """The output of each probe of these jobs, which share a file or have none, in each round. A probe that two jobs share runs once."""
        probes, seen, skipped = {}, {}, {}
        for job in jobs:
            for contender in job.contenders():
                probes.setdefault(contender.probe, (contender, job.data))
        for _ in range(self.rounds):
            for probe, (contender, data) in probes.items():
                if probe in skipped:
                    continue
                if probe.module and not self.is_there(probe.module):
                    skipped[probe] = "not installed"
                    continue
                try:
                    seen.setdefault(probe, []).append(self.run(probe, data))
                except subprocess.CalledProcessError as error:
                    if not any(contender in job.peers for job in jobs):
                        sys.exit(f"{' '.join(map(str, error.cmd))}: exit code {error.returncode}\n{error.stderr}")
                    skipped[probe] = "failed: " + (error.stderr.strip().splitlines() or ["without a word"])[-1]
        return seen, skipped

    def entry(self, job, contender, results, rows):
        for result in results:
            if rows and result.get("rows", min(rows)) not in rows:
                sys.exit(f"{job.name}: {contender.label} found {result['rows']} rows, plumb {min(rows)}")
        values = [job.value(contender, result, self.megabytes) for result in results]
        entry = {"best": max(values) if job.more_is_better() else min(values), "values": values}
        if contender.key == ("seconds",):
            entry["cpu_seconds"] = min(result["cpu"] for result in results)
        return entry

    def row(self, job, seen, skipped, others):
        rows = {result["rows"] for contender in job.ours for result in seen[contender.probe] if "rows" in result}
        if len(rows) > 1:
            sys.exit(f"{job.name}: plumb found {min(rows)} rows, and {max(rows)}")
        row = {"name": job.name, "part": job.part, "title": job.title, "unit": job.unit, "others": others, "contenders": []}
        for contender in job.contenders():
            entry = {"label": contender.label, "threads": contender.threads,
                     "role": "ours" if contender in job.ours else "limit" if contender is job.limit else "peer"}
            if contender.probe in skipped:
                entry["skipped"] = skipped[contender.probe]
            else:
                entry |= self.entry(job, contender, seen[contender.probe], rows)
            row["contenders"].append(entry)
        row["missed"] = [text for target in job.targets for text in table.missed(row, target)]
        row["has_target"] = bool(job.targets)
        if job.memory:
            row["memory"] = self.memory(job)
        return row

    def memory(self, job):
        """In a run by itself, because counting takes time."""
        path, found = job.data.path(self.megabytes), {}
        for threads in BOTH:
            done = subprocess.run([PROGRAMS / "read_speed", "memory", str(threads), path], check=True, capture_output=True, text=True)
            found[str(threads)] = {key: json.loads(done.stdout)[key] for key in ("blocks", "peak")}
        return found


def chosen(words):
    unknown = set(words) - {job.name for job in JOBS} - {job.part for job in JOBS}
    if unknown:
        sys.exit(f"there is no job {min(unknown)}; jobs: {', '.join(job.name for job in JOBS)}; "
                 f"parts: {', '.join(dict.fromkeys(job.part for job in JOBS))}")
    return [job for job in JOBS if not words or job.name in words or job.part in words]


def batches(jobs):
    """Jobs whose contenders take turns with each other: those of a part without a file, otherwise each by itself."""
    found = {}
    for job in jobs:
        found.setdefault(job.name if job.data else job.part, []).append(job)
    return found.values()


def machine(processors):
    model = next((line.split(":")[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
                  if line.startswith("model name")), platform.processor() or platform.machine())
    return f"{model}, {processors} cores"


def main():
    parser = argparse.ArgumentParser(prog="./run bench", description=__doc__)
    parser.add_argument("jobs", nargs="*", metavar="JOB")
    parser.add_argument("--quick", action="store_true", help="small files and one round: to see that it works, not how fast")
    parser.add_argument("--rounds", type=int, default=0, help="5 unless told")
    parser.add_argument("--patience", type=float, default=0, metavar="SECONDS", help="how long each run waits for others to leave the machine")
    parser.add_argument("--markdown", action="store_true", help="put the tables into docs/speed.md")
    asked = parser.parse_args()
    if asked.markdown and (asked.quick or asked.jobs):
        sys.exit("docs/speed.md shows all jobs at full size: --markdown goes without --quick and without jobs")
    jobs = chosen(asked.jobs)
    processors = use_two_processors()
    bench = Bench(8 if asked.quick else 128, asked.rounds or (1 if asked.quick else 5), asked.patience)
    for data in dict.fromkeys(job.data for job in jobs if job.data):
        make_data(data, bench.megabytes)
    if any(job.part == "logistic" for job in jobs):
        subprocess.run([PYTHON, ROOT / "bench/logistic_data.py", LOGISTIC], check=True)
    rows = []
    for batch in batches(jobs):
        print("measuring " + ", ".join(job.name for job in batch), file=sys.stderr, flush=True)
        before = Processors()
        seen, skipped = bench.samples(batch)
        others = before.others_since_start()
        rows += [bench.row(job, seen, skipped, others) for job in batch]
    found = {"machine": machine(processors), "megabytes": bench.megabytes, "rounds": bench.rounds, "versions": bench.versions,
             "others": bench.processors.others_since_start(), "rows": rows}
    FOLDER.mkdir(parents=True, exist_ok=True)
    (FOLDER / "bench.json").write_text(json.dumps(found, indent=1) + "\n")
    print(table.as_text(found))
    if asked.markdown:
        table.update(ROOT / "docs/speed.md", table.as_markdown(found))


if __name__ == "__main__":
    main()
