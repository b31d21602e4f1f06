"""Note style: the person is left out where they are the subject, and nothing else changes."""

from __future__ import annotations

import pytest

from memory.text.notes import add_subjects, strip_subject


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("The user lives in Lyon.", "Lives in Lyon."),
        ("The user's sister Hannah lives in Lyon", "Sister Hannah lives in Lyon"),
        ("The user is allergic to nuts", "Allergic to nuts"),
        (
            "User works as a nurse. The user doesn't eat fish.",
            "Works as a nurse. Doesn't eat fish.",
        ),
        ("[2026-01-03 18:00] The user asked about trains", "[2026-01-03 18:00] Asked about trains"),
        ("Tom is the user's brother", "Tom is my brother"),
        ("Ann thinks the user should quit the user's job", "Ann thinks I should quit my job"),
        ("Ann says the user is late", "Ann says I am late"),
        ("On Sundays the user watches films", "On Sundays I watch films"),
        ("使用者住在里昂，张三是使用者的朋友", "住在里昂，张三是我的朋友"),
        ("The user interface is slow", "The user interface is slow"),
        ("Users like the app", "Users like the app"),
        ("用户的姐姐住在里昂", "姐姐住在里昂"),
        ("用户对花生过敏。用户的猫叫豆豆", "对花生过敏。猫叫豆豆"),
        ("汤姆是用户的哥哥", "汤姆是我的哥哥"),
        ("用户和汤姆结婚了", "我和汤姆结婚了"),
        ("汤姆说该用户很开心", "汤姆说我很开心"),
        ("用户体验设计很重要", "用户体验设计很重要"),
        ("I'm vegan", "I'm vegan"),
    ],
)
def test_the_subject_is_left_out(text: str, note: str) -> None:
    """Once; a note stays as it is."""
    assert strip_subject(text) == note
    assert strip_subject(note) == note


@pytest.mark.parametrize(
    "sentence", ["The user lives in Lyon", "The user is vegan", "用户的姐姐住在里昂"]
)
def test_a_note_is_known_by_its_old_sentence(sentence: str) -> None:
    """What was forgotten as a whole sentence bars the note."""
    assert sentence in add_subjects(strip_subject(sentence))
