# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""English persons: what a user says of themselves, told of "the user", and told back to them as "you"."""

from __future__ import annotations

import re

from bot.llm.companion.text import word_set

ADVERBS = word_set(
    "really also still just always usually often never sometimes currently now only absolutely actually "
    "recently already hardly rarely normally mostly truly totally definitely particularly especially "
    "generally basically simply deeply kinda secretly finally once even ever both probably typically "
    "regularly occasionally no longer"
)
MODALS = word_set("can cannot could will would shall should may might must ought used")
_IRREGULAR_PAST = word_set(
    "was were had did went came saw got made took gave knew thought felt found told left kept began met ran "
    "grew became moved lost won bought sold taught caught brought built spent slept ate drank wrote drove "
    "rode spoke broke chose fell flew forgot hid held heard hurt led lent paid put read said sat sent set "
    "shook sang stood stole swam threw understood woke wore cut quit hit let cost split"
)
_BOTH = word_set("put read set cut let cost hurt")  # present and past look alike
VERBS = word_set(
    "like love hate enjoy prefer adore dislike detest despise live work study speak play have own need want "
    "eat drink go run use teach plan hope come walk swim cook bake paint draw write sing dance practise "
    "practice read watch listen collect wear wake get sleep drive ride smoke volunteer commute travel know "
    "understand meet visit take make do call feel think see keep train learn code program build design manage "
    "lead sell buy help follow support miss suffer believe dream avoid feed look stay start finish leave "
    "plant grow raise hike climb cycle jog stretch meditate pray garden knit sew fish hunt camp surf ski "
    "skate box lift binge order try spend save crave fear dread remember forget say tell work-out identify "
    "belong attend major minor specialise specialize freelance tutor coach mentor mind care agree tend seem "
    "require carry lie die cry fly"
)
_ES = ("s", "x", "z", "ch", "sh", "o")
_THIRD = {"have": "has", "am": "is", "are": "is", "do": "does", "go": "goes", "be": "is"}
_BASE = {
    "has": "have",
    "is": "are",
    "does": "do",
    "goes": "go",
    "was": "were",
    "dies": "die",
    "lies": "lie",
    "ties": "tie",
}
_BASE |= {"focuses": "focus", "canoes": "canoe", "quizzes": "quiz", "aches": "ache", "caches": "cache"}
_TOKEN = re.compile(r"[\w'’.+#-]*[\w']|\s{1,9}|[^\w\s]")
_EXPAND = (
    (re.compile(r"\b(?:i'm|im|i m)\b(?=\s)", re.I), "I am"),
    (re.compile(r"\b(?:i've|ive)\b", re.I), "I have"),
    (re.compile(r"\bi'll\b", re.I), "I will"),
    (re.compile(r"\bi'd (?=(?:like|love|rather|prefer|hate|really|say|be|want)\b)", re.I), "I would "),
    (re.compile(r"\bi\b"), "I"),
    (re.compile(r"\b(\w+)'re\b", re.I), r"\1 are"),
    (re.compile(r"\b(we|they|you)'ve\b", re.I), r"\1 have"),
    (re.compile(r"\b(\w+)'ll\b", re.I), r"\1 will"),
    (re.compile(r"\b(?:can't|cant|can not)\b", re.I), "cannot"),
    (re.compile(r"\b(?:won't|wont)\b(?! of)", re.I), "will not"),
    (re.compile(r"\b(do|does|did|is|was|are|were|has|have|had|would|should|could)n'?t\b", re.I), r"\1 not"),
    (re.compile(r"\bain't\b", re.I), "am not"),
    (re.compile(r"\b(?:gonna)\b", re.I), "going to"),
    (re.compile(r"\b(?:wanna)\b", re.I), "want to"),
    (re.compile(r"\b(?:i gotta|i have got to|I have gotta)\b", re.I), "I have to"),
    (re.compile(r"\bI have got\b(?! to)"), "I have"),
    (re.compile(r"\b(that|it|he|she|there|here|what|who|where|when|how|name)'s\b(?! own)", re.I), r"\1 is"),
    (
        re.compile(
            r"\b(\w+)'s (?=(?:called|named|a|an|the|in|at|on|from|not|my|coming|visiting|getting|turning|moving|allergic|"
            r"pregnant|sick|ill|visiting|staying|living|working|studying|arriving|vegan|vegetarian|\d+)\b)",
            re.I,
        ),
        r"\1 is ",
    ),
)


def expand(text: str) -> str:
    """Contractions written out, and a lonely `i` made `I`."""
    for pattern, by in _EXPAND:
        text = pattern.sub(by, text)
    return text


def contract(text: str) -> str:
    """What people say: You're, don't, isn't."""
    text = re.sub(r"\b([Yy])ou are (?!not\b)", r"\1ou're ", text)
    text = re.sub(r"\b([Yy])ou are not\b", r"\1ou're not", text)
    text = re.sub(r"\b(do|does|did|is|was|were|has|have|would|should) not\b", r"\1n't", text)
    return re.sub(r"\bcannot\b", "can't", text)


def third(verb: str) -> str:
    """`like` → `likes`; what is past or modal stays."""
    v = verb.lower()
    if v in _THIRD:
        return _THIRD[v]
    if v in MODALS or (v in _IRREGULAR_PAST and v not in _BOTH) or _is_past(v):
        return verb
    if v.endswith("y") and v[-2:-1] not in set("aeiou"):
        return verb[:-1] + "ies"
    return verb + ("es" if v.endswith(_ES) else "s")


def base(verb: str) -> str:
    """`likes` → `like`; what is no third person stays."""
    v = verb.lower()
    if v in _BASE:
        return _BASE[v]
    if v in MODALS or _is_past(v) or not v.endswith("s") or v.endswith(("ss", "us", "is")) or len(v) < 3:
        return verb
    if v.endswith("ies") and len(v) > 4:
        return verb[:-3] + "y"
    return verb[:-2] if v.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")) else verb[:-1]


def _is_past(v: str) -> bool:
    return v.endswith("ed") and v not in {"need", "feed", "speed", "breed", "bleed", "embed", "shed", "wed", "heed"}


def singular_verb(word: str) -> bool:
    """Whether the word is a verb in the third person singular: likes, has, lives."""
    w = word.lower()
    return w in _BASE or (w != base(w) and base(w) in VERBS)


def _sentence(text: str) -> str:
    text = re.sub(r"\s{1,9}([,.!?;:])", r"\1", re.sub(r"\s{1,9}", " ", text)).strip(" ,;")
    text = text[:1].upper() + text[1:]
    return text if not text or text[-1] in ".!?…" else text + "."


def _plain_we(text: str) -> str:
    if re.search(r"\b(?:I|me)\b", text):
        return text
    for a, b in (
        ("we are", "I am"),
        ("we were", "I was"),
        ("we", "I"),
        ("our", "my"),
        ("us", "me"),
        ("ours", "mine"),
    ):
        text = re.sub(rf"\b{a}\b", b, text, flags=re.I) if a != "us" else re.sub(r"\bus\b", b, text)
    return text


def to_third(clause: str) -> str:
    """A statement in the first person as a sentence about the user: `I like my job` → `The user likes their job.`"""
    text = re.sub(r"^my ([\w' -]{1,30}?) and I\b", r"the user and their \1", clause, flags=re.I)
    text = _plain_we(text)
    others = bool(re.search(r"\b(?:they|them|their|theirs)\b", clause, re.I))
    tokens = _TOKEN.findall(text)
    seen = "the user" in text.lower()
    subject = False
    out: list[str] = []
    i = 0
    while i < len(tokens):
        low = tokens[i].lower()
        if low in {"i", "i'm"}:
            out.append("they" if seen and not others else "the user")
            i, more = _verb(tokens, i + 1, plural=seen and not others)
            out += more
            subject, seen = subject or not seen, True
            continue
        if low in {"my", "me", "mine", "myself"}:
            out.append(_object(low, seen and not others))
            seen = True
        elif (
            low == "and"
            and subject
            and i + 2 < len(tokens)
            and not re.search(r"\b(?:to|can|cannot|will|not)\b", "".join(tokens[:i]))
        ):
            out.append(tokens[i])
            j = i + 2
            while j + 2 < len(tokens) and tokens[j].lower() in ADVERBS:
                j += 2
            out += tokens[i + 1 : j]
            out.append(
                third(tokens[j])
                if tokens[j].lower() in VERBS - {"like", "work", "study", "play", "run"} or _verb_here(tokens, j)
                else tokens[j]
            )
            i = j
        else:
            out.append(tokens[i])
        i += 1
    return _sentence("".join(out))


def _verb_here(tokens: list[str], j: int) -> bool:
    """`and like tea`, `and work at …` rather than `my study and work`."""
    nxt = tokens[j + 2].lower() if j + 2 < len(tokens) else ""
    return tokens[j].lower() in VERBS and nxt in {
        "as",
        "at",
        "in",
        "for",
        "a",
        "an",
        "the",
        "my",
        "with",
        "every",
        "to",
    }


def _object(low: str, their: bool) -> str:
    if low == "my":
        return "their" if their else "the user's"
    if low == "me":
        return "them" if their else "the user"
    if low == "mine":
        return "theirs" if their else "the user's"
    return "themselves"


def _verb(tokens: list[str], i: int, *, plural: bool) -> tuple[int, list[str]]:
    """The adverbs and the verb after a subject, in its person."""
    out: list[str] = []
    while i < len(tokens) and (tokens[i].isspace() or tokens[i].lower() in ADVERBS):
        out.append(tokens[i])
        i += 1
    if i < len(tokens):
        low = tokens[i].lower()
        if plural:
            out.append({"am": "are", "was": "were"}.get(low, tokens[i]))
        else:
            out.append(third(tokens[i]) if low[:1].isalpha() else tokens[i])
        i += 1
    return i, out


_USER = r"(?:the\s{1,9})?user"
_ADV = r"(?:(?:" + "|".join(sorted(ADVERBS)) + r"|no longer|not)\s{1,9})*"


def _swap(text: str, you: str, your: str, yourself: str) -> str:
    """Sentences about the user in another person; `you` is `you` or `I`."""
    verb = re.compile(rf"\b{_USER}\s{{1,9}}({_ADV})([a-z]+)\b", re.I)
    many = len(re.findall(rf"\b{_USER}\b", text, re.I)) > 1

    def conjugate(m: re.Match[str]) -> str:
        if m[2].lower() in {"and", "or", "with", "in", "at", "to"}:
            return f"{you} {m[1]}{m[2]}"
        plain = base(m[2])
        if you == "I":
            plain = {"are": "am", "were": "was"}.get(plain, plain)
        return f"{you} {m[1]}{plain}"

    start = re.match(rf"^\W*{_USER}(?!'s)", text, re.I)
    own = re.match(rf"^\W*{_USER}'s\s", text, re.I) and not re.match(
        rf"^\W*{_USER}'s\s{{1,9}}(?:\w+\s{{1,9}})?(?:\w*[^s\W]s|children|people)\b", text, re.I
    )
    text = re.sub(rf"\b{_USER}'s\b", your, text, flags=re.I)
    text = verb.sub(conjugate, text)
    text = re.sub(rf"\b{_USER}\b", you, text, flags=re.I)
    if start:
        text = _and_verbs(text)
    if not many and start:
        be = "am" if you == "I" else "are"
        text = re.sub(r"\bthey are\b", f"{you} {be}", text)
        text = re.sub(r"\bthey\b", you, text)
    if not many and (start or own):
        text = re.sub(r"\btheir\b", your, text)
        text = re.sub(r"\bthem\b", "me" if you == "I" else you, text)
        text = re.sub(r"\btheirs\b", "mine" if you == "I" else "yours", text)
        text = re.sub(r"\b(?:themselves|themself|himself|herself)\b", yourself, text)
    return text


def _and_verbs(text: str) -> str:
    return re.sub(
        rf"(\b(?:and|but|or|then)\s{{1,9}}{_ADV})([a-z]+)\b",
        lambda m: (
            m[1]
            + (base(m[2]) if m[2] in {"has", "does", "goes"} or (singular_verb(m[2]) and m[2] not in _BASE) else m[2])
        ),
        text,
    )


def to_second(text: str, name: str = "") -> str:
    """A memory told to the person it is about: `The user's cat is called Miso.` → `Your cat is called Miso.`"""
    text = text.strip()
    first = text.split(" ", 1)[0].strip(",.")
    if name and re.match(rf"{re.escape(name)}(?:'s)?\b", text) and not re.search(rf"\b{_USER}\b", text, re.I):
        text = re.sub(rf"\b{re.escape(name)}\b", "the user", text)
    elif not re.search(rf"\b{_USER}\b", text, re.I):
        if singular_verb(first):
            text = f"the user {first.lower()}{text[len(first) :]}"
        elif re.search(r"\b(?:I|my|me|I'm|My)\b", text):
            text = to_third(expand(text))
    return contract(_sentence(_swap(text, "you", "your", "yourself")))


def to_first(text: str) -> str:
    """A memory as the user would say it, for reading back what it states."""
    text = text.strip()
    first = text.split(" ", 1)[0]
    if not re.search(rf"\b{_USER}\b", text, re.I):
        if singular_verb(first):
            text = f"the user {first.lower()}{text[len(first) :]}"
        else:
            return text
    out = _swap(text, "I", "my", "myself")
    return out[:1].upper() + out[1:]


def you_me(text: str) -> str:
    """The user's words turned round in a reply: `my boss shouted at me` → `your boss shouted at you`."""
    table = {
        "i": "you", "me": "you", "my": "your", "mine": "yours", "myself": "yourself", "am": "are",
        "you": "me", "your": "my", "yours": "mine", "yourself": "myself",
    }  # fmt: skip
    text = re.sub(r"\bI was\b", "you were", expand(text))
    return contract(re.sub(r"\b\w+\b", lambda m: table.get(m[0].lower(), m[0]) if m[0] != "i" else "you", text))
