"""Measure how well a model learns with Ebb: exchanges and stories through the real loop.

    python -m tests.eval --base-url URL --model NAME [--api-key K] --out DIR     a model of yours; --resume goes on
    python -m tests.eval --replay FILE                                           answers that were recorded or written
    python -m tests.eval --answers gold [--weak drops|obeys|invents]             what a perfect model says, or a weak one

What a recorded file holds says `tests/eval/answers.py`.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.eval import exchanges, stories, weak_models
from tests.eval.answers import Answerer, list_recorded, load_answers
from tests.eval.data import half_of, load_cases
from tests.eval.report import write_html, write_text
from tests.eval.talks import Row


def list_cases(only: str | None, half: str, held: bool) -> list[tuple[str, Row]]:
    """What is to be run, in the order of the sets; `held`: of the sets that nobody tuned on."""
    names = exchanges.HELD if held else exchanges.SETS
    sets = [("exchange", name) for name in names if only != "stories"]
    told = stories.HELD if held else stories.SETS
    sets += [("story", name) for name in told if only != "exchanges"]
    found = [(sort, case) for sort, name in sets for case in load_cases(name)]
    return [(sort, case) for sort, case in found if half in {"all", half_of(case["id"])}]


async def run(args: argparse.Namespace, keep: Any, done: set[str]) -> None:
    """Run everything that is not done yet, several at a time; `keep` takes each row and its calls."""
    recorded = load_answers(args.replay) if args.replay else {}
    endpoint = (args.base_url, args.api_key) if args.base_url else None
    change = weak_models.MODELS[args.weak](args.seed) if args.weak else None
    turn = asyncio.Semaphore(args.parallel)
    async with Answerer(endpoint, change) as server:

        async def run_one(sort: str, case: Row) -> None:
            how = exchanges if sort == "exchange" else stories
            answers = how.list_gold(case) if args.answers else recorded.get(case["id"], {})
            if args.replay and not answers:
                return  # nobody answered it
            async with turn:
                keep(*await how.measure(server, case, answers, args.model, args.embedder))
            server.requests.clear()

        todo = [x for x in list_cases(args.only, args.half, args.held) if x[1]["id"] not in done]
        await asyncio.gather(*(run_one(sort, case) for sort, case in todo))


def main() -> None:
    """Run, and write the report."""
    args = read_arguments()
    logging.disable(logging.WARNING)  # what is left out shows in the report
    rows: list[Row] = []
    kept = args.out / "results.jsonl" if args.out else None
    if args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        if args.resume and kept is not None and kept.exists():
            rows += map(json.loads, kept.read_text(encoding="utf-8").splitlines())
        elif kept is not None:
            kept.write_text("", encoding="utf-8")
    if args.record and not args.resume:
        args.record.write_text("", encoding="utf-8")

    def keep(row: Row, calls: Sequence[Row]) -> None:
        rows.append(row)
        for path, lines in (
            (kept, [json.dumps(row, ensure_ascii=False)]),
            (args.record, list_recorded(row["id"], calls)),
        ):
            if path is not None:
                with path.open("a", encoding="utf-8") as file:
                    file.writelines(f"{line}\n" for line in lines)

    asyncio.run(run(args, keep, {row["id"] for row in rows}))
    order = {case["id"]: i for i, (_, case) in enumerate(list_cases(None, "all", args.held))}
    rows.sort(key=lambda row: order[row["id"]])
    text = write_text(rows)
    if args.out:
        about = {"model": args.model, "endpoint": args.base_url or "", "half": args.half}
        (args.out / "report.txt").write_text(text, encoding="utf-8")
        (args.out / "report.html").write_text(write_html(rows, about), encoding="utf-8")
    print(write_text(rows, misses=not args.out))


def read_arguments() -> argparse.Namespace:
    """Read the command line."""
    formatter = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=formatter)
    add = parser.add_argument
    add("--base-url", help="an endpoint that speaks OpenAI's protocol")
    add("--model", default="recorded")
    add("--api-key")
    add("--only", choices=("exchanges", "stories"))
    add("--held", action="store_true", help="run the sets that nobody tuned on")
    add("--half", choices=("A", "B", "all"), default="all")
    add("--parallel", type=int, default=1)
    add("--out", type=Path, help="a folder for results.jsonl, report.txt and report.html")
    add("--resume", action="store_true", help="leave out what is in --out already")
    add(
        "--replay",
        type=Path,
        help="answer from a recorded file; cases without an answer are left out",
    )
    add("--record", type=Path, help="write the answers to a file that --replay reads")
    add("--answers", choices=("gold",), help="answer what a perfect model would")
    add(
        "--weak",
        choices=tuple(weak_models.MODELS),
        help="spoil these answers as a weak model would",
    )
    add("--seed", type=int, default=1)
    add("--embedder", default="bundled")
    args = parser.parse_args()
    if not (args.base_url or args.replay or args.answers):
        parser.error("say who answers: --base-url, --replay or --answers gold")
    return args


if __name__ == "__main__":
    main()
