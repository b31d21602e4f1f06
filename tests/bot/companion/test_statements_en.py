"""English statements become facts with the slot, value and wording that they should; everything else becomes nothing."""

from __future__ import annotations

import pytest

from bot.llm.companion.statements import parse, read_back
from tests.bot.companion.talk import AT, TZ, monitored

# what is said → slot, value, and the sentence that is kept
ONE = [
    ("My name is Anna Müller", "name", "Anna Müller", "The user's name is Anna Müller."),
    ("Hi, I'm Anna!", "name", "Anna", "The user's name is Anna."),
    ("my name's Bob", "name", "Bob", "The user's name is Bob."),
    ("Please call me Al", "nickname", "Al", "The user likes to be called Al."),
    ("I'm 29 years old", "age", "29", "The user is 29 years old."),
    ("I just turned 40", "age", "40", "The user is 40 years old."),
    ("My birthday is March 3", "birthday", "3 March", "The user's birthday is 3 March."),
    ("my birthday is on the 3rd of March", "birthday", "3 March", "The user's birthday is 3 March."),
    ("I was born on May 4, 1990", "birthday", "1990-05-04", "The user was born on Friday, 4 May 1990."),
    ("I was born in 1990", "birthday", "1990-01-01", "The user was born in 1990."),
    ("I live in Berlin", "home", "Berlin", "The user lives in Berlin."),
    ("We live in Rome", "home", "Rome", "The user lives in Rome."),
    ("I'm based in New York", "home", "New York", "The user lives in New York."),
    ("I recently moved to Munich", "home", "Munich", "The user lives in Munich."),
    ("I just relocated to Munich", "home", "Munich", "The user lives in Munich."),
    ("I moved to Oslo last month", "home", "Oslo", "The user lives in Oslo (moved there in October 2026)."),
    ("I've been living in Berlin since 2019", "home", "Berlin", "The user has been living in Berlin since 2019."),
    ("I'm from Lyon", "origin", "Lyon", "The user is from Lyon."),
    ("I grew up in Lyon", "origin", "Lyon", "The user grew up in Lyon."),
    ("I'm Chinese", "nationality", "Chinese", "The user is Chinese."),
    ("I work as a nurse", "job", "nurse", "The user works as a nurse."),
    ("I'm a software engineer", "job", "software engineer", "The user is a software engineer."),
    ("I work at Siemens", "employer", "Siemens", "The user works at Siemens."),
    ("I study physics at ETH", "study", "physics", "The user studies physics at ETH."),
    ("I major in economics", "study", "economics", "The user majors in economics."),
    ("I'm married", "marital", "married", "The user is married."),
    ("I'm allergic to peanuts", "allergy", "peanuts", "The user is allergic to peanuts."),
    ("im allergic to shellfish", "allergy", "shellfish", "The user is allergic to shellfish."),
    ("I have a severe peanut allergy", "allergy", "peanut", "The user is allergic to peanut."),
    ("I'm vegetarian", "diet", "vegetarian", "The user is vegetarian."),
    ("I don't eat pork", "diet:eat", "pork", "The user does not eat pork."),
    ("I don't drink", "diet:drink", "alcohol", "The user does not drink."),
    ("I have asthma", "health:asthma", "asthma", "The user has asthma."),
    ("I'm diabetic", "health:diabetic", "diabetic", "The user is diabetic."),
    ("My sister's name is Mia", "relation:sister", "Mia", "The user's sister is called Mia."),
    ("my sister's called Mia", "relation:sister", "Mia", "The user's sister is called Mia."),
    ("I have a sister named Mia", "relation:sister", "Mia", "The user has a sister called Mia."),
    ("Tom is my brother", "relation:brother", "Tom", "The user's brother is called Tom."),
    ("My boyfriend is called Sam", "relation:boyfriend", "Sam", "The user's boyfriend is called Sam."),
    ("I have a cat named Miso", "relation:cat", "Miso", "The user has a cat called Miso."),
    ("We have a dog called Rex", "relation:dog", "Rex", "The user has a dog called Rex."),
    ("My wife is a teacher", "about:wife:job", "teacher", "The user's wife is a teacher."),
    ("My brother lives in Oslo", "about:brother:home", "Oslo", "The user's brother lives in Oslo."),
    ("My mom loves gardening", "about:mother:like", "gardening", "The user's mom loves gardening."),
    ("My daughter is allergic to milk", "about:daughter:allergy", "milk", "The user's daughter is allergic to milk."),
    ("I like ramen", "like", "ramen", "The user likes ramen."),
    ("i like eating ramen", "like", "ramen", "The user likes eating ramen."),
    ("I really love hiking!", "like", "hiking", "The user really loves hiking."),
    ("I'm a big fan of Radiohead", "like", "Radiohead", "The user is a big fan of Radiohead."),
    ("I'm into pottery", "like", "pottery", "The user is into pottery."),
    ("I hate cilantro", "like", "cilantro", "The user hates cilantro."),
    ("I don't like mornings", "like", "mornings", "The user does not like mornings."),
    ("I can't stand loud music", "like", "loud music", "The user cannot stand loud music."),
    ("I'm not a fan of horror movies", "like", "horror movies", "The user is not a fan of horror movies."),
    ("I like ramen because it's warm", "like", "ramen", "The user likes ramen because it is warm."),
    ("My favourite colour is green", "favourite:colour", "green", "The user's favourite colour is green."),
    ("my favorite color is green", "favourite:colour", "green", "The user's favorite color is green."),
    ("I prefer tea over coffee", "prefer:coffee/tea", "tea", "The user prefers tea over coffee."),
    ("My hobby is photography", "hobby", "photography", "One of the user's hobbies is photography."),
    ("I'm craving sushi", "whim", "sushi", "The user is craving sushi."),
    ("I speak German", "language", "German", "The user speaks German."),
    ("My native language is Korean", "native", "Korean", "The user's native language is Korean."),
    ("I can play the piano", "skill", "play the piano", "The user can play the piano."),
    ("I'm good at chess", "skill", "chess", "The user is good at chess."),
    ("I play tennis", "skill", "play tennis", "The user plays tennis."),
    ("I'm learning Japanese", "goal", "learn Japanese", "The user is learning Japanese."),
    ("Every morning I run 5 km", "habit", "run 5 km every morning", "The user runs 5 km every morning."),
    ("I go to the gym three times a week", "habit", "go to the gym three times a week", "The user goes to the gym three times a week."),
    ("I usually have oatmeal for breakfast", "habit", "have oatmeal for breakfast", "The user usually has oatmeal for breakfast."),
    ("I wake up at 6", "wake_time", "wake up at 6", "The user wakes up at 6."),
    ("I work from home", "habit", "work from home", "The user works from home."),
    ("I want to learn to sail", "goal", "learn to sail", "The user wants to learn to sail."),
    ("I'd love to visit Japan someday", "goal", "visit Japan someday", "The user would love to visit Japan someday."),
    ("I'm planning to visit Rome in May", "goal", "visit Rome", "The user is planning to visit Rome in May 2027."),
    ("I've decided to quit smoking", "decision", "quit smoking", "The user has decided to quit smoking."),
    ("I have a red Tesla", "have:tesla", "red Tesla", "The user has a red Tesla."),
    ("My car is a Volvo", "attr:car", "a Volvo", "The user's car is a Volvo."),
    ("I learned that coffee keeps me awake", "lesson", "coffee keeps me awake", "The user learned that coffee keeps them awake."),
    ("I got promoted last month", "fact", "got promoted", "The user got promoted in October 2026."),
    ("I went to Japan last year", "trip", "Japan", "The user went to Japan in 2025."),
    ("My email is anna@example.com", "email", "anna@example.com", "The user's email is anna@example.com."),
    ("By the way, I also like jazz.", "like", "jazz", "The user also likes jazz."),
    ("Did you know? I love jazz", "like", "jazz", "The user loves jazz."),
    ("I'm allergic to nuts, can I eat this?", "allergy", "nuts", "The user is allergic to nuts."),
    ("I'm Anna, and you?", "name", "Anna", "The user's name is Anna."),
    ("Please remember that I take sugar in my tea every day", "habit", "take sugar in my tea every day", "The user takes sugar in their tea every day."),
]  # fmt: skip


@pytest.mark.parametrize(("said", "slot", "value", "kept"), ONE)
def test_a_statement(said: str, slot: str, value: str, kept: str) -> None:
    """Each is one fact in the third person, and the monitor adds it."""
    facts = parse(said, AT, TZ)
    assert [(f.slot, f.value, f.text) for f in facts] == [(slot, value, kept)]
    if not said.startswith("Please remember"):
        added = monitored(said)
        assert [(x.op, x.text) for x in added] == [("add", kept)]


@pytest.mark.parametrize("kept", [row[3] for row in ONE if not row[1].startswith(("trip", "fact"))])
def test_what_is_kept_is_understood_again(kept: str) -> None:
    """A stored sentence is read back to the slot it came from, so that a correction can find it."""
    slot, value = next((row[1], row[2]) for row in ONE if row[3] == kept)
    assert any(f.slot == slot for f in read_back(kept)), (slot, value)


PLANS = [
    ("I have a job interview next Wednesday at 3pm", "The user has a job interview on Wednesday, 25 November 2026 at 15:00.", "2026-11-25T15:00"),
    ("Tomorrow I have a dentist appointment", "The user has a dentist appointment on Sunday, 22 November 2026.", "2026-11-22"),
    ("I have a dentist appointment in two weeks", "The user has a dentist appointment on Saturday, 5 December 2026.", "2026-12-05"),
    ("My flight to Tokyo is on March 3 at 10:30", "The user's flight to Tokyo is on Wednesday, 3 March 2027 at 10:30.", "2027-03-03T10:30"),
    ("I need to buy milk tomorrow", "The user needs to buy milk on Sunday, 22 November 2026.", "2026-11-22"),
    ("Remind me to call mom tomorrow", "The user needs to call mom on Sunday, 22 November 2026.", "2026-11-22"),
    ("I'm flying to Paris on Friday", "The user is flying to Paris on Friday, 27 November 2026.", "2026-11-27"),
    ("The meeting was moved to Thursday", "The user's meeting is on Thursday, 26 November 2026.", "2026-11-26"),
    ("There's a team dinner on Friday", "The user has a team dinner on Friday, 27 November 2026.", "2026-11-27"),
    ("I have to submit the report by next Friday", "The user has to submit the report by Friday, 27 November 2026.", "2026-11-27"),
    ("My sister is visiting next weekend", "The user's sister is visiting on the weekend of 28 November 2026.", "2026-11-29"),
    ("I have a meeting with my boss tomorrow at 10am", "The user has a meeting with their boss on Sunday, 22 November 2026 at 10:00.", "2026-11-22T10:00"),
    ("I have an exam on Friday at 3", "The user has an exam on Friday, 27 November 2026 at 3.", "2026-11-27"),
    ("I need to renew my passport", "The user needs to renew their passport.", ""),
]  # fmt: skip


@pytest.mark.parametrize(("said", "kept", "due"), PLANS)
def test_a_plan(said: str, kept: str, due: str) -> None:
    """A plan carries its date in full, worked out from the moment of the message, and is due no more exactly than said."""
    (x,) = monitored(said)
    assert (x.op, x.text, x.attributes.get("expires", "")) == ("add", kept, due)
    assert x.attributes["kind"] == "todo"


MANY = [
    ("I like ramen and hate cilantro", ["The user likes ramen.", "The user hates cilantro."]),
    ("I love hiking, chess and old movies", ["The user loves hiking.", "The user loves chess.", "The user loves old movies."]),
    ("I like fish and chips", ["The user likes fish and chips."]),
    ("I like cats but not dogs", ["The user likes cats.", "The user does not like dogs."]),
    ("I'm allergic to peanuts and penicillin", ["The user is allergic to peanuts.", "The user is allergic to penicillin."]),
    ("Hi! I'm Anna, I live in Berlin and work as a nurse.", ["The user's name is Anna.", "The user lives in Berlin.", "The user works as a nurse."]),
    ("I'm 29, live in Rome, have two cats and love hiking", ["The user is 29 years old.", "The user lives in Rome.", "The user has two cats.", "The user loves hiking."]),
    ("I work as a nurse at St. Mary's", ["The user works as a nurse.", "The user works at St. Mary's."]),
    ("I moved from Berlin to Munich", ["The user lives in Munich.", "The user used to live in Berlin."]),
    ("I have two kids, Tom and Lea", ["The user has two kids, Tom and Lea."] * 3),
    ("I have a sister called Mia and she lives in Rome", ["The user has a sister called Mia.", "The user's sister lives in Rome."]),
    ("My friend Tom likes sushi", ["The user's friend is called Tom.", "The user's friend Tom likes sushi."]),
    ("My wife and I live in Rome and we have two kids", ["The user lives in Rome.", "The user has two kids."]),
    ("I live in Berlin. Actually no, I live in Munich.", ["The user lives in Munich."]),
    ("I speak German and a little Japanese", ["The user speaks German.", "The user speaks a little Japanese."]),
    ("I want to live in Paris and work at a museum", ["The user wants to live in Paris and work at a museum."]),
]  # fmt: skip


@pytest.mark.parametrize(("said", "kept"), MANY)
def test_several_facts_in_one_message(said: str, kept: list[str]) -> None:
    """Each thing said is a fact of its own; what belongs together stays together."""
    assert [f.text for f in parse(said, AT, TZ)] == kept


NOTHING = [
    "Do I like ramen?",
    "What's my name?",
    "where do I live",
    "Am I allergic to peanuts?",
    "I like ramen, right?",
    "Should I move to Berlin?",
    "Did I tell you that I live in Berlin?",
    "If I lived in Rome, I would be happy",
    "Maybe I'll move to Berlin",
    "I might be allergic to nuts",
    "I wish I lived in Paris",
    "What if I moved to Berlin?",
    'My friend said "I like ramen"',
    "She says she loves me",
    "My friend thinks I like ramen",
    "Translate: I live in Berlin",
    "Write a story about a man who says my name is Bob",
    "I'm the queen of England, just kidding",
    "My name is Batman. Just kidding!",
    "> I live in Berlin",
    "```\nI live in Berlin\n```",
    "I'm tired",
    "I'm fine, thanks",
    "thank you so much",
    "I like it",
    "I love that",
    "I want to know what time it is",
    "I have a question",
    "I have a headache",
    "I have no idea",
    "I'm going to bed",
    "I need help",
    "my password is hunter2",
    "My credit card number is 4111 1111 1111 1111",
    "forget that I like jazz",
    "Don't remember that I live in Berlin",
    "You said I live in Berlin",
    "The capital of France is Paris",
    "It was raining all day",
    "I'll be right back",
    "Nice weather today",
    "Tell me a joke",
    "",
    "?",
]


@pytest.mark.parametrize("said", NOTHING)
def test_nothing_is_learned(said: str) -> None:
    """Questions, suppositions, jokes, quotations, moods, secrets and small talk leave nothing."""
    assert monitored(said) == []


def test_private_and_secret_things() -> None:
    """An address is private, an allergy is ordinary enough to be always at hand, a password is not learned."""
    (x,) = monitored("My address is 12 Elm Street")
    assert x.attributes["sensitivity"] == "2"
    (x,) = monitored("I'm allergic to peanuts")
    assert (x.attributes["sensitivity"], x.attributes["kind"], x.attributes["importance"]) == (
        "1",
        "identity",
        "high",
    )


def test_the_zone_decides_what_tomorrow_is() -> None:
    """Late on Saturday in Los Angeles it is Sunday in UTC: tomorrow is counted where the speaker is."""
    (x,) = monitored("I have a meeting tomorrow", at="2026-11-22T05:00:00+00:00", tz="America/Los_Angeles")
    assert x.attributes["expires"] == "2026-11-22"


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ("I love Christmas", "The user loves Christmas."),
        ("I hate Mondays", "The user hates Mondays."),
        ("My favourite show is Friday Night Lights", "The user's favourite show is Friday Night Lights."),
        ("My cat is called May", "The user's cat is called May."),
        ("My mother's birthday is June 12", "The user's mother's birthday is 12 June."),
    ],
)
def test_names_of_days_stay_as_they_are(said: str, kept: str) -> None:
    """A day that is liked, or a name that sounds like one, is no date."""
    assert [f.text for f in parse(said, AT, TZ)] == [kept]
