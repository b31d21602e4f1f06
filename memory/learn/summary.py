"""Reading the summariser's answer (pure).

    EPISODE: one line
    SUMMARY: the running summary, one or more lines

Labels in either language, JSON with the same two names, or plain text, which then serves as both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from memory import privacy
from memory.learn.answer import objects, plain
from memory.learn.tokens import clip
from memory.text.notes import strip_subject

EPISODE_CHARS, SUMMARY_TOKENS = 400, 1_200

_LABEL = re.compile(
    r"^[\s#>*_`\-•]{0,9}(?:\d[.)、]\s{0,9})?[\[【]?\s{0,9}(?P<name>EPISODE|SUMMARY|情境|情景|片段|摘要|概要|总结)\s{0,9}[\]】]?[\s*_`]{0,9}[:：][\s*_`]{0,9}",
    re.I | re.M,
)
_DATE_IN_FRONT = re.compile(r"^[\[【(（]\s{0,9}\d{4}[-/.年][^\]】)）]{0,30}[\]】)）]\s{0,9}")
_SENTENCE = re.compile(r"[^。！？!?;；\n.]*(?:[。！？!?;；\n]|\.(?=\s|$)|$|\.)")


@dataclass(frozen=True, slots=True)
class Summary:
    """A readable answer."""

    episode: str
    running: str


def parse(answer: str, previous: str) -> Summary | None:
    """Read an answer; None if there is nothing in it to use. Text without labels is both parts at once."""
    text = re.sub(r"^\s{0,9}(?:```|~~~)\w*\s{0,9}$", "", plain(answer), flags=re.M).strip()
    episode, running = _labelled(text)
    if not episode and not running:
        text = _DATE_IN_FRONT.sub("", text)
        if not any(c.isalnum() for c in text) or text.startswith(("[", "{", "【")):
            return None
        running = "\n".join(p for p in (previous, text) if p)
        episode = text
    running = running or "\n".join(p for p in (previous, episode) if p)
    episode = one_line(_harmless(_DATE_IN_FRONT.sub("", episode or _first(running))))
    running = clip(_harmless(running).strip(), SUMMARY_TOKENS)
    return Summary(strip_subject(episode), running) if running else None


def _labelled(text: str) -> tuple[str, str]:
    if text.startswith("{") and (found := objects(text)):
        return str(found[0].get("episode") or ""), str(found[0].get("summary") or "")
    labels = list(_LABEL.finditer(text))
    ends = [*(m.start() for m in labels[1:]), len(text)]
    parts = {"episode": "", "summary": ""}
    for m, end in zip(labels, ends, strict=False):
        name = "summary" if m["name"].casefold() in {"summary", "摘要", "概要", "总结"} else "episode"
        parts[name] = parts[name] or text[m.end() : end].strip()
    return parts["episode"], parts["summary"]


def _first(text: str) -> str:
    return re.split(r"(?<=[。！？!?])|\n|(?<=\.)\s", text.strip(), maxsplit=1)[0]


def _harmless(text: str) -> str:
    """Without secrets, and without sentences that read like orders to the assistant."""
    text = privacy.redact(text)[0]
    if not privacy.instruction_like(text):
        return text
    return "".join(m[0] for m in _SENTENCE.finditer(text) if not privacy.instruction_like(m[0]))


def one_line(text: str) -> str:
    """The text on one line, at most as long as an episode may be."""
    line = " ".join(text.split())
    return line if len(line) <= EPISODE_CHARS else line[: EPISODE_CHARS - 1].rstrip() + "…"
