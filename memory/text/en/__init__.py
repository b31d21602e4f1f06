"""English: its letters, the small words that its sentences hang on, its stemmer and its stop words."""

# ruff: noqa: E501, SIM905 - words read as words
from typing import Final

LETTERS: Final = "A-Za-z"
SPACED: Final = True  # spaces between words
STEMMER: Final = "porter"  # of snowballstemmer
SMALL: Final = (
    r"\b(?:i|i'm|my|me|we|our|you|your|he|she|his|her|they|it|its|is|am|are|was|were|be|been|has|have|had|do|does|did|"
    r"don't|not|no|the|an?|and|or|but|of|in|on|at|to|for|from|with|by|about|as|what|who|when|where|why|how|which|"
    r"this|that|can|will|would|love|likes?|user|called|named)\b"
)
# Words that say little about what a text is about. More than 60: fewer cost up to .03 of recall@10.
STOP_WORDS: Final = frozenset(
    """a about again all also am an and any are as at be been but by can could d did do does doing don for from get got
    had has have he her here him his how i if im in into is it its just ll m me my no not now of off on or our out
    re s she should so some t than that the their them then there these they this to too up us ve very was we were
    what when where which who why will with would you your please tell know think remember really maybe ok okay yes
    hi hello hey thanks""".split()
)
