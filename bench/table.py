"""The results of ./run bench as tables: text of at most 120 columns, or Markdown for docs/speed.md."""
import textwrap

MEMORY_OVER = 64e6   # bytes of anonymous memory beyond the parsed pieces
BUSY = 0.05          # of the processors, used by others: more makes the numbers doubtful
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
HEADER = ("job", "unit", "ours 1 / 2", "best peer", "its 1 / 2", "times 1 / 2", "limit", "target")


def of_role(row, role):
    return [entry for entry in row["contenders"] if entry["role"] == role and "best" in entry]


def ours(row, threads):
    return next((entry["best"] for entry in of_role(row, "ours") if entry["threads"] == threads), None)


def better(row, a, b):
    return a > b if row["unit"].endswith("/s") else a < b


def best_peer(row):
    """The label of the best with any number of threads."""
    best = None
    for entry in of_role(row, "peer"):
        if best is None or better(row, entry["best"], best["best"]):
            best = entry
    return best and best["label"]


def peer(row, label, threads):
    return next((entry["best"] for entry in of_role(row, "peer") if entry["label"] == label and entry["threads"] == threads), None)


def times_as_fast(row, a, b):
    """How many times as fast a is; None if either is missing."""
    if a is None or b is None:
        return None
    return a / b if row["unit"].endswith("/s") else b / a


def missed(row, target):
    """A text for a target that was not met, or that cannot be checked: two threads need two processors to themselves."""
    one, two = ours(row, 1), ours(row, 2)
    if target.most and one > target.most:
        yield f"{one:.2f} of {target.most:g} {row['unit']}"
    if target.least and one < target.least:
        yield f"{one / target.least:.2f}x of {target.least:.0f} {row['unit']}"
    if target.scaling and two / one < target.scaling:
        yield f"? 2 threads: {row['others']:.0%} taken" if row["others"] > BUSY else f"{two / one:.2f}x of {target.scaling}x on 2"
    if target.times:
        alone = peer(row, target.peer, 1)
        ratio = times_as_fast(row, one, alone) if alone is not None else times_as_fast(row, two, peer(row, target.peer, 2))
        if ratio is None:
            yield f"? no {target.peer}"
        elif ratio < target.times:
            yield f"{ratio:.1f}x of {target.times:.0f}x {target.peer}"


def number(value):
    if value is None:
        return "-"
    digits = 0 if value >= 99.5 else 1 if value >= 9.95 else 2 if value >= 0.0995 else 3
    return f"{value:.{digits}f}"


def pair(one, two):
    return number(one) if two is None else f"{number(one)} / {number(two)}"


def limit(row):
    entries = of_role(row, "limit")
    return f"{entries[0]['label']} {number(entries[0]['best'])}" if entries else "-"


def peer_cells(row, label):
    """Name, rates, and how many times as fast plumb is: thread for thread, and on 2 against a peer that has only 1."""
    one, two = peer(row, label, 1), peer(row, label, 2)
    ratios = [times_as_fast(row, ours(row, 1), one), times_as_fast(row, ours(row, 2), one if two is None else two)]
    return label, pair(one, two), pair(*ratios)


def speed_rows(rows):
    for row in rows:
        label = best_peer(row)
        cells = (row["title"], row["unit"], pair(ours(row, 1), ours(row, 2))) + (peer_cells(row, label) if label else ("-", "-", "-"))
        notes = row["missed"] or ["ok" if row["has_target"] else "-"]
        yield cells + (limit(row), notes[0])
        yield from (("",) * (len(HEADER) - 1) + (note,) for note in notes[1:])


def peer_rows(rows):
    for row in rows:
        labels = dict.fromkeys(entry["label"] for entry in row["contenders"] if entry["role"] == "peer")
        for label in labels:
            skipped = next((entry["skipped"] for entry in row["contenders"] if entry["label"] == label and "skipped" in entry), None)
            cells = (label, "-", "skipped: " + skipped) if skipped else peer_cells(row, label)
            yield (row["title"], row["unit"]) + cells


def memory_rows(rows):
    for row in rows:
        if "memory" not in row:
            continue
        found = [row["memory"][threads] for threads in ("1", "2")]
        over = [each["peak"] - each["blocks"] for each in found]
        yield (row["title"], number(found[0]["blocks"] / 1e6), " / ".join(number(each["peak"] / 1e6) for each in found),
               " / ".join(number(max(0, each) / 1e6) for each in over),
               "ok" if max(over) <= MEMORY_OVER else f"{max(over) / MEMORY_OVER:.1f}x of {MEMORY_OVER / 1e6:.0f} MB")


PEER_HEADER = ("job", "unit", "peer", "its 1 / 2", "we are, times")
MEMORY_HEADER = ("memory, MB", "pieces", "peak 1 / 2", "beyond 1 / 2", "target")


def text_table(header, rows):
    lines = [header] + list(rows)
    widths = [max(len(line[i]) for line in lines) for i in range(len(header))]
    out = ["  ".join(cell.ljust(width) for cell, width in zip(line, widths)).rstrip() for line in lines]
    return "\n".join([out[0], "-" * max(map(len, out))] + out[1:])


def markdown_table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    merged = []
    for row in rows:
        if row[0]:
            merged.append(list(row))
        else:
            merged[-1][-1] += "; " + row[-1]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in merged])


def facts(found):
    versions = ", ".join(f"{name} {version}" for name, version in found["versions"].items())
    yield f"{found['machine']}; files of {found['megabytes']} MB in the page cache; best of {found['rounds']}, taking turns."
    yield f"Peers: {versions or 'none installed'}."
    if found["others"] > BUSY:
        yield (f"Other processes used {found['others']:.0%} of the processors meanwhile: the numbers are too low, "
               "those of 2 threads most of all.")


def tables(found):
    for header, rows in ((HEADER, speed_rows(found["rows"])), (PEER_HEADER, peer_rows(found["rows"])),
                         (MEMORY_HEADER, memory_rows(found["rows"]))):
        rows = list(rows)
        if rows:
            yield header, rows


def as_text(found):
    return "\n\n".join([text_table(*each) for each in tables(found)] + ["\n".join(textwrap.fill(fact, 120) for fact in facts(found))])


def as_markdown(found):
    return "\n\n".join([" ".join(facts(found))] + [markdown_table(*each) for each in tables(found)])


def update(page, text):
    """Puts the text between the two markers of a page."""
    before, _, rest = page.read_text().partition(BEGIN)
    _, _, after = rest.partition(END)
    page.write_text(f"{before}{BEGIN}\n\n{text}\n\n{END}{after}")
