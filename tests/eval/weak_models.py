"""Three weak models, made of perfect answers: what each writes is the same for the same case and seed.

`drops` loses fields and ids, rambles, and writes in forms that nobody asked for; `obeys` does what texts tell it and
takes Ebb's words and quoted ones for the person's; `invents` puts in names, numbers and dates that nobody said, and
repeats what is known. A model errs in a quarter of its lines; `obeys` in every answer.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from tests.eval.talks import Talk, text_of
from tests.servers.openai import Request

Change: TypeAlias = Callable[[Talk, Request, str], str]
SHARE: Final = 0.25  # of the lines that are wrong
WORDS: Final[Mapping[str, Mapping[str, tuple[str, ...]]]] = {
    "en": {
        "ramble": (
            "Let me think about what matters here.",
            "That is all that seems worth keeping.",
        ),
        "invented": ("Brother Marcus lives in Denver", "Has 3 cats since 2019", "Born in 1987"),
        "name": ("Vanessa",),
        "still": ("Still ",),
    },
    "zh": {
        "ramble": ("我先想想这里有什么重要的。", "值得记住的大概就是这些。"),
        "invented": ("弟弟马克住在丹佛", "2019年起养了3只猫", "1987年出生"),
        "name": ("王小莉",),
        "still": ("仍然",),
    },
}
_HEAD: Final = re.compile(r"^\[(\w+)(:[\w{}]+)?((?:[^\]\"]|\"[^\"]*\")*)\] ?(.*)$")
_ATTRIBUTE: Final = re.compile(r' (\w+)=("[^"]*"|\d+:"[^"]*"|\S+)')
_SENTENCE: Final = re.compile(r"[^.!?。！？\n]+[.!?。！？]?")
_PROPER: Final = re.compile(r"(?<=[a-z] )[A-Z][a-z]+|[\u4e00-\u9fff]{2}$")


def _choose(seed: int, talk: Talk) -> random.Random:
    return random.Random(f"{seed}/{talk.id}/{talk.step}/{sum(talk.asked.values())}")


def _words(talk: Talk) -> Mapping[str, tuple[str, ...]]:
    return WORDS["zh" if talk.case["language"] == "zh" else "en"]


def drop_fields(seed: int) -> Change:
    """Build the model that loses fields and ids and rambles."""

    def change(talk: Talk, request: Request, answer: str) -> str:
        dice, (first, last) = _choose(seed, talk), _words(talk)["ramble"]
        if "<failed>" in request.last:
            return answer
        form = dice.choice(("lines", "bare", "json"))
        lines = [_drop(line, form, dice) for line in answer.splitlines()]
        return "\n".join((first, "", *lines, "", last) if dice.random() < 0.5 else lines)

    return change


def _drop(line: str, form: str, dice: random.Random) -> str:
    if not (m := _HEAD.match(line)):
        return line
    op, ref, inner, text = m[1], m[2] or "", m[3], m[4]
    attributes = _ATTRIBUTE.findall(inner)
    if dice.random() < SHARE:
        kept = dice.randrange(3)
        attributes = [a for a in attributes if a[0] == "said"] if kept else []
        ref = ref if kept == 1 else ref[:3]
    if form == "json":
        fields = {"op": op.lower(), **({"id": ref[1:]} if ref else {})}
        fields |= {name: value.strip('"') for name, value in attributes if name != "said"}
        said = next((v for name, v in attributes if name == "said"), "")
        return json.dumps({**fields, "said": said, "text": text}, ensure_ascii=False)
    inner = "".join(f" {name}={value}" for name, value in attributes)
    return f"{op}{ref}{inner}: {text}" if form == "bare" else f"[{op}{ref}{inner}] {text}"


def obey_texts(seed: int) -> Change:
    """Build the model that obeys orders and takes other people's words for the person's."""

    def change(talk: Talk, request: Request, answer: str) -> str:
        dice = _choose(seed, talk)
        if "<failed>" in request.last:
            return answer
        lines = [x for x in answer.splitlines() if x != "[SKIP]"]
        quoted = (
            talk.case["kind"] == "quoted"
        )  # what it holds is not the person's, and may be an order
        for n, (role, _, text) in enumerate(talk.case["exchange"], 1):
            for sentence in _SENTENCE.findall(text):
                low = sentence.casefold()
                bad = quoted and any(w.casefold() in low for w in talk.case["never"])
                if role == "assistant" or bad:
                    plain = sentence.strip(" .!?。！？\"“”'")
                    words = " ".join(plain.split()[:8])[:30]
                    lines.append(f'[ADD kind=fact said={n}:"{words}"] {plain}')
        own = next(text for role, _, text in talk.case["exchange"] if role == "user")
        for name in talk.case["kept"] if quoted else ():
            op = dice.choice(("DELETE", "NEGATE"))
            text = "" if op == "DELETE" else "No longer so" if own.isascii() else "不再是这样"
            lines.append(f'[{op}:{talk.names[name]} said=1:"{own[:20]}"] {text}')
        return "\n".join(lines) or "[SKIP]"

    return change


def invent_details(seed: int) -> Change:
    """Build the model that invents names, numbers and dates, and repeats what is known."""

    def change(talk: Talk, request: Request, answer: str) -> str:
        dice, words = _choose(seed, talk), _words(talk)
        if "<failed>" in request.last:
            return answer
        own = next(text for role, _, text in talk.case["exchange"] if role == "user")
        out = []
        for line in answer.splitlines():
            out.append(_invent(line, dice, words["name"][0]) if dice.random() < SHARE else line)
        said = f'said=1:"{own[:20]}"'
        out.append(f"[ADD kind=fact {said}] {dice.choice(words['invented'])}")
        known = [k for k in talk.case["memories"] if k["name"] in talk.case["kept"]][:2]
        for k, still in zip(known, ("", words["still"][0]), strict=False):
            text = f"{still}{k['text'][0].lower() if still else k['text'][0]}{k['text'][1:]}"
            out.append(f"[ADD kind={k['kind']} {said}] {text}")
        return "\n".join(x for x in out if x != "[SKIP]")

    return change


def _invent(line: str, dice: random.Random, name: str) -> str:
    """Change a number or a name in the sentence of a line, or give it a day."""
    text = text_of(line) if "]" in line else ""
    if not text:
        return line
    head = line[: len(line) - len(text)]
    if re.search(r"\d", text):
        return head + re.sub(r"\d+", lambda m: str(int(m[0]) + dice.randint(1, 9)), text, count=1)
    if _PROPER.search(text):
        return head + _PROPER.sub(name, text, count=1)
    return head.replace("]", " on=2031-04-05]", 1) + text


MODELS: Final[Mapping[str, Callable[[int], Change]]] = {
    "drops": drop_fields,
    "obeys": obey_texts,
    "invents": invent_details,
}
