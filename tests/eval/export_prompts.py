"""Write out what the monitor is asked about each exchange, for somebody who answers by hand.

`python -m tests.eval.export_prompts --out DIR [--half A|B|all] [--embedder bundled]` writes DIR/<case>.txt: the prompt as
it is sent, but with ids that are the same in every run. A line `{"case": "en-001", "answer": "[ADD …] …"}` for each
makes a file that `python -m tests.eval --replay FILE` reads.
"""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from tests.eval.answers import Answerer
from tests.eval.data import half_of, load_cases
from tests.eval.exchanges import SETS, exchange, get_prompt, prepare
from tests.eval.talks import make_stable_id


async def write_prompts(folder: Path, half: str, embedder: str) -> int:
    """Write a file for every exchange; how many there are."""
    cases = [c for name in SETS for c in load_cases(name) if half in {"all", half_of(c["id"])}]
    written = 0
    async with Answerer() as server:
        for case in cases:
            async with prepare(server, case, "export", embedder) as talk:
                await exchange(talk, case)
            parts = [f"=== {m['role']} ===\n{m['content']}\n" for m in get_prompt(talk)]
            prompt = "\n".join(parts)
            for name, memory_id in talk.names.items():
                prompt = prompt.replace(memory_id, make_stable_id(talk.id, name))
            (folder / f"{case['id']}.txt").write_text(prompt, encoding="utf-8")
            written += bool(prompt)
    return written


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--half", choices=("A", "B", "all"), default="all")
    parser.add_argument("--embedder", default="bundled")
    chosen = parser.parse_args()
    chosen.out.mkdir(parents=True, exist_ok=True)
    n = asyncio.run(write_prompts(chosen.out, chosen.half, chosen.embedder))
    print(f"{n} prompts in {chosen.out}")
