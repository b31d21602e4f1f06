"""English words that sort memories: what is about health, and who is close."""

from typing import Final

# Every list is of alternatives in a pattern, at most 60.
# Beginnings of words.
HEALTH: Final = (
    "allerg|anaphyla|intoleran|coeliac|celiac|hives|swell|poison|diabet|insulin|epilep|seizure|asthma|inhaler|"
    "pregnan|breastfe|pacemaker|heart (?:condition|attack|failure|disease|defect)|stroke|wheelchair|"
    r"hearing aid|deaf|blind|amput|prosthe|migraine|parkinson|dementia|\w{3,20}(?:itis|osis)\b|kidney|dialysis|"
    "transplant|cancer|hiv|thinner|warfarin|statin|antidepress|medication|syndrome|disorder|chronic|autis|adhd|"
    r"bipolar|anorexi|\w{0,20}phobi|immun|disab|diagnosed|disease|deficien|h?a?emophil|ana?emi|leuk|"
    "(?:can['’]t|cannot|must not|mustn['’]t|not allowed to) (?:eat|have|take|drink|digest|tolerate)|hypertens|"
    "(?:high|low) blood pressure"
)
# Whole words; "grand-", "step-" and "-in-law" belong to them.
CLOSE: Final = (
    "mother|mum|mom|mama|father|dad|papa|parents|sister|brother|sibling|twin|son|daughter|child|children|kid|"
    "baby|wife|husband|spouse|partner|girlfriend|boyfriend|fiancé|fiancée|fiance|fiancee|engaged|married|widowed|"
    "widow|aunt|uncle|cousin|niece|nephew|granny|grandma|grandpa|grandad|dog|puppy|cat|kitten|parrot|rabbit|"
    "hamster|tortoise|hen|horse|budgie"
)
# Before one of the words above, in its clause: it is about somebody else.
OTHERS: Final = (
    "colleague|coworker|neighbour|neighbor|landlord|landlady|flatmate|roommate|boss|client|manager|teacher|"
    "friend|schoolmate|classmate|customer|patient|student|hairdresser"
)
# Beside a word of health: it is work, a story or a figure of speech.
ASIDE: Final = (
    "ward|clinic|leaflet|charity|documentary|novel|book|film|series|start-up|rival|nurse|research|fundrais|"
    "mondays|meetings|work|bureaucracy|jokes|puns|spot|date"
)
# After a word that is close: it is another thing.
COMPOUNDS: Final = (
    "tongue|printer|cities|city|ship|company|videos|land|board|nature|food|person|lover|show|store|shop|pose|"
    "race|racing|burglar|dad|figure|at|beds|party|in"
)
