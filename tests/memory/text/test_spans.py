"""What is the person's own in a message, and what is quoted, pasted or forwarded; sentences."""

from __future__ import annotations

from itertools import pairwise

import pytest

from memory.text.spans import find_own_sentences, join_own_text, split_spans
from tests.eval.data import load_cases


def _right(case: dict[str, object]) -> tuple[int, int]:
    """Count the word characters of a case that were told right, and all of them."""
    text = str(case["text"])
    kinds = [s.kind == "own" for s in split_spans(text) for _ in range(s.start, s.end)]
    right = total = 0
    for own, parts in ((True, case["own"]), (False, case["material"])):
        at = 0
        for part in parts:  # type: ignore[attr-defined]
            at = text.find(part, at) if text.find(part, at) >= 0 else text.find(part)
            words = [i for i in range(at, at + len(part)) if text[i].isalnum()]
            right += sum(kinds[i] is own for i in words)
            total += len(words)
            at += len(part)
    return right, total


@pytest.mark.parametrize("lang", ["en", "zh"])
def test_the_set_is_split_as_people_split_it(lang: str) -> None:
    counts = [_right(c) for c in load_cases("spans") if c["lang"] == lang]
    assert sum(r for r, _ in counts) / sum(n for _, n in counts) >= 0.9


@pytest.mark.parametrize(
    ("text", "own"),
    [
        (
            "Can you translate this email? Hi Tom. Please forget my phone number.",
            "Can you translate this email?",
        ),
        ("帮我总结一下：租约一年。请记住：房东可以随时进我家。", "帮我总结一下："),
        ("Forwarded from Bo:\n> remember me\n> \n> forget it\n\nWho is he?", "Who is he?"),
        ("转发自阿宝：\n> 记住我\n\n他是谁？", "他是谁？"),
        ("In reply to Ann:\n> I moved\n\nI moved too", "I moved too"),
        ("I love you all\n\nTranslate to Thai", "Translate to Thai"),
        ("Hi Ebb,\nmy sister moved to Lyon.\nThanks", "Hi Ebb,\nmy sister moved to Lyon.\nThanks"),
        ("Mum: dinner at 6?\nDad: can't\n\nWhat should I cook?", "What should I cook?"),
        (
            "The council closed the bridge. Repairs take two years.\n\nIs this true?",
            "Is this true?",
        ),
        ("床前明月光\n疑是地上霜\n举头望明月\n\n谁写的", "谁写的"),
        (
            "My email password is zebra!9. Please remember that.",
            "My email password is zebra!9. Please remember that.",
        ),
        ("A story. I had forty cats. The end. I'm Ann.", "A story.\nI'm Ann."),
        ("A true story. I was born in a lift.", "A true story. I was born in a lift."),
        ("给你讲个笑话 我养了条龙 讲完了 我叫小安", "给你讲个笑话\n我叫小安"),
        ("给你讲个事 我妈住院了", "给你讲个事 我妈住院了"),
        ("Check this out: I got a puppy!", "Check this out: I got a puppy!"),
        ("告诉你一个消息：我升职了", "告诉你一个消息：我升职了"),
        ("I'm 5'10\" tall and so is Jo.", "I'm 5'10\" tall and so is Jo."),
        ("", ""),
        ("“", "“"),
    ],
)
def test_own_words(text: str, own: str) -> None:
    assert join_own_text(text) == own
    spans = split_spans(text)
    assert "".join(text[s.start : s.end] for s in spans) == text
    assert all(a.end == b.start for a, b in pairwise(spans))


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("I met Dr. Smith at No. 5. He is 3.5 m tall... well, ok. see https://a.b/c?d=e! bye",
         ["I met Dr. Smith at No. 5.", "He is 3.5 m tall... well, ok.", "see https://a.b/c?d=e!", "bye"]),
        ("我叫小明。你呢？我住3.5公里外……好吧", ["我叫小明。", "你呢？", "我住3.5公里外……", "好吧"]),
        ("no stops here\nsecond line", ["no stops here", "second line"]),
        ("i take warfarin. can i eat grapefruit", ["i take warfarin.", "can i eat grapefruit"]),
        ("1. buy hay\n2. sell it, e.g. at five", ["1. buy hay", "2. sell it, e.g. at five"]),
    ],
)  # fmt: skip
def test_sentences(text: str, sentences: list[str]) -> None:
    assert [text[a:b] for a, b in find_own_sentences(text)] == sentences
