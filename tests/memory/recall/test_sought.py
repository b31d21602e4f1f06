"""What a message looks for: the words that say how the answer should be given, or of which time, are not looked for."""

from __future__ import annotations

import pytest

from memory.recall.question import parse_question, split_into_parts
from tests.memory.recall.conftest import Person, texts

SAME = """
List all the restaurants in Porto                  | restaurants in Porto
list everything Ines has given me                  | Ines has given me
Tell me everything about Anna                      | Anna
Tell me everything you know about Anna             | Anna
Can you give me a short summary of my jobs?        | my jobs?
Please remind me what my sister's name is          | what my sister's name is
Could you summarise my holidays for me             | my holidays for me
name all the films we have seen                    | films we have seen
Which films have I seen? List them all.            | Which films have I seen?
Where did I live before?                           | Where did I live?
which sport did I do before changing?              | which sport did I do?
What am I currently reading?                       | What am I reading?
What has changed about my job?                     | What about my job?
列出我去过的所有餐厅                               | 我去过的所有餐厅
请总结一下我的旅行                                 | 我的旅行
给我讲讲陈静                                       | 陈静
说说关于陈静的事                                   | 陈静的事
把我讨厌的食物列出来                               | 把我讨厌的食物
提醒我医生叫什么                                   | 医生叫什么
告诉我你知道的关于陈静的一切                       | 陈静的一切
我目前在看什么书                                   | 我在看什么书
我之前开的是什么车                                 | 我开的是什么车
我的工作有什么变化                                 | 我的工作
""".strip().splitlines()


def words(text: str) -> set[str]:
    """What is looked up in the index; of Chinese the characters, for a pair may lie across what was left out."""
    return {
        w
        for p in split_into_parts(text)
        for c in p.clauses
        for w in (*c.words, *c.characters)
        if w.isascii() or len(w) == 1
    }


@pytest.mark.parametrize("line", SAME)
def test_the_instruction_is_not_looked_for(line: str) -> None:
    """The same words as those of the bare question."""
    told, bare = (part.strip() for part in line.split("|"))
    assert words(told) == words(bare)
    assert set(parse_question(told, ()).terms) <= set(parse_question(bare, ()).terms)


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("what is on my shopping list?", "list"),
        ("which name did I give the cat?", "name"),
        ("before the wedding we met Leo", "before"),
        ("list", "list"),
        ("我的购物清单上有什么", "购物"),
        ("总结", "总结"),
        ("她讲了什么笑话", "笑话"),
    ],
)
def test_the_same_words_as_what_is_looked_for(text: str, word: str) -> None:
    """A list that one has is looked for, and so is a word that stands alone."""
    assert word in parse_question(text, ()).whole


@pytest.mark.parametrize(
    ("known", "decoy", "asked"),
    [
        (
            "User ate at Casa Lima with Ines",
            "User keeps a list of everything to pack",
            "List everything about Ines",
        ),
        ("用户和阿梅在老码头吃过饭", "用户列出了一张打包清单", "给我列出关于阿梅的一切"),
    ],
    ids=["en", "zh"],
)
async def test_a_memory_that_has_the_instruction_is_no_answer(
    person: Person, known: str, decoy: str, asked: str
) -> None:
    """What is asked about comes first, and alone."""
    await person.knows(decoy)
    await person.knows(known)
    assert texts(await person.ask(asked)) == [known]
