"""What a run of the measure found, as text and as one HTML file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from html import escape
from typing import Any, Final, TypeAlias

from tests.eval.scores import summarise

Row: TypeAlias = dict[str, Any]
Table: TypeAlias = tuple[str, Sequence[str], list[list[str]]]  # title, heads, rows
COLUMNS: Final = (
    *("cases", "truths", "stored", "recall", "precision", "kinds", "details", "dates", "certainty"),
    *("junk", "swapped", "invented", "duplicate", "false", "stale", "held back", "deleted truth"),
)
SORTS: Final = ("current", "history", "as of", "coming", "cascade", "leak")
TOLD: Final = {"current", "history", "as of", "coming"}
STYLE: Final = """body{font:15px/1.5 system-ui,sans-serif;max-width:80rem;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;margin:.5rem 0 2rem}td,th{padding:.15rem .6rem;border-bottom:1px solid #ccc;text-align:right}
td:first-child,th:first-child{text-align:left}pre{white-space:pre-wrap;background:#f4f4f4;padding:.5rem}"""


def _write(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _table(rows: Iterable[Row], name: str, key: Callable[[Row], str]) -> Table:
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    lines = []
    for group, some in groups.items():
        found = summarise(some)
        lines.append([group, *(_write(found[c]) for c in COLUMNS)])
    return name, ("", *COLUMNS), lines


def judge_stories(stories: Sequence[Row]) -> dict[str, tuple[int, int]]:
    """Of each sort of question: how many are as they should be, and how many there are."""
    asked = [a for s in stories for a in s["asked"]]
    out = {}
    for sort in SORTS:
        some = [a for a in asked if a["sort"] == sort]
        out[sort] = (sum(not a["missing"] and not a["brought"] for a in some), len(some))
    return out


def compute_paper_figures(exchanges: Sequence[Row], stories: Sequence[Row]) -> list[list[str]]:
    """The figures that the product paper sets itself, its aim beside each."""
    found = summarise(exchanges)
    asked = [a for s in stories for a in s["asked"] if a["sort"] in TOLD and a["finds"]]
    again = sum(bool(a["missing"]) for a in asked)  # would have to be told again
    alone = sum(not a["said just now"] for a in asked)  # with the open conversation alone
    years = [round(365 * s["memories"] / s["messages"]) for s in stories]
    span = f"{min(years)} to {max(years)}" if years else "-"
    less = 1 - again / alone if alone else None
    return [
        ["extraction: truths that are stored", _write(found["recall"]), "> .80"],
        ["details kept: names, numbers", _write(found["details"]), "> .70"],
        ["memories of a person after a year, at one such message a day", span, "100 to 500"],
        ["less telling again, beside a chat without memory", _write(less), "> .50"],
    ]


def sum_tokens(rows: Iterable[Row]) -> list[list[str]]:
    """Calls and tokens by role and task: prompt, of it cached, and completion."""
    total: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        for role, task, *tokens in row["tokens"]:
            sums = total.setdefault((role, task), [0, 0, 0, 0])
            for i, n in enumerate((1, *tokens)):
                sums[i] += n
    return [
        [f"{role}: {task}", *map(str, sums), *(f"{n / sums[0]:.0f}" for n in sums[1:])]
        for (role, task), sums in sorted(total.items())
    ]


def list_tables(rows: Sequence[Row]) -> list[Table]:
    """Everything that is counted."""
    exchanges = [r for r in rows if r["type"] == "exchange"]
    stories = [r for r in rows if r["type"] == "story"]
    tables: list[Table] = []
    if exchanges:
        tables += [
            _table(exchanges, "Exchanges", lambda _: "all"),
            _table(exchanges, "By language", lambda r: str(r["language"])),
            _table(exchanges, "By half", lambda r: str(r["half"])),
            _table(exchanges, "By kind of case", lambda r: str(r["kind"])),
        ]
    if stories:
        lines = []
        for name, some in [("all", stories), *((s["id"], [s]) for s in stories)]:
            judged = judge_stories(some)
            counts = [f"{good} of {n}" for good, n in judged.values()]
            lines.append([name, *counts, str(sum(s["memories"] for s in some))])
        tables.append(("Stories: questions answered rightly", ("", *SORTS, "memories"), lines))
    if exchanges or stories:
        figures = compute_paper_figures(exchanges, stories)
        tables.append(("The product paper's figures", ("", "here", "aim"), figures))
    heads = ("", "calls", "prompt", "cached", "completion", "prompt a call", "cached a call")
    tables.append(("Tokens", (*heads, "completion a call"), sum_tokens(rows)))
    return tables


def list_misses(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Of each case that is not as it should be: its name, and everything about it."""
    out = []
    for row in rows:
        if row["type"] == "exchange" and (row["misses"] or row["failed"]):
            parts = [*row["misses"], *filter(None, [row["failed"]]), "", "Exchange:", *row["said"]]
            parts += ["", "Answer:", *row["answers"], "", "Refused:", *row["refused"]]
            parts += ["", "Stored:", *row["stored"]]
            out.append((f"{row['id']} ({row['kind']})", "\n".join(parts)))
        elif row["type"] == "story":
            for a in row["asked"]:
                if a["missing"] or a["brought"]:
                    head = f"{row['id']} step {a['step']} ({a['sort']}): {a['ask']}"
                    wrong = [f"missing: {a['missing']}", f"brought: {a['brought']}", "", "Shown:"]
                    out.append((head, "\n".join([*wrong, *a["shown"]])))
            failed = [f"step {x['step']}: {x['failed']}" for x in row["learned"] if "failed" in x]
            if failed:
                out.append((f"{row['id']}: failed", "\n".join(failed)))
    return out


def write_text(rows: Sequence[Row], *, misses: bool = True) -> str:
    """The report as text."""
    out: list[str] = []
    for title, heads, lines in list_tables(rows):
        widths = [max(len(r[i]) for r in [list(heads), *lines]) for i in range(len(heads))]
        out += [title, ""]
        for line in (heads, *lines):
            first, *rest = (
                cell.rjust(w) if i else cell.ljust(w)
                for i, (cell, w) in enumerate(zip(line, widths, strict=True))
            )
            out.append("  ".join([first, *rest]).rstrip())
        out.append("")
    if misses:
        for head, text in list_misses(rows):
            out += [head, *(f"    {x}" for x in text.splitlines()), ""]
    return "\n".join(out)


def write_html(rows: Sequence[Row], about: Mapping[str, str]) -> str:
    """The report as one HTML file that needs nothing else."""
    parts = [f"<!doctype html><meta charset=utf-8><title>Ebb: the measure</title><style>{STYLE}"]
    parts.append("</style><h1>What Ebb learned</h1><p>")
    parts.append(escape(", ".join(f"{k}: {v}" for k, v in about.items() if v)) + "</p>")
    for title, heads, lines in list_tables(rows):
        parts.append(f"<h2>{escape(title)}</h2><table><tr>")
        parts += [f"<th>{escape(h)}</th>" for h in heads]
        for line in lines:
            parts.append("</tr><tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in line))
        parts.append("</tr></table>")
    parts.append("<h2>What is not as it should be</h2>")
    for head, text in list_misses(rows):
        body = f"<pre>{escape(text)}</pre>"
        parts.append(f"<details><summary>{escape(head)}</summary>{body}</details>")
    return "\n".join(parts)
