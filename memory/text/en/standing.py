"""English words that sort memories: what is about health, and who is close."""

from typing import Final

# Every list is of alternatives in a pattern, at most 60.
# Beginnings of words.
HEALTH: Final = (
    "allerg|anaphyla|intoleran|coeliac|celiac|lactose|epipen|hives|poison|diabet|insulin|epilep|seizure|asthma|"
    "inhaler|pregnan|breastfe|pacemaker|heart condition|heart attack|stroke|wheelchair|hearing aid|deaf|blind|"
    "amput|prosthe|paraly|migraine|parkinson|dementia|sclerosis|crohn|colitis|kidney|dialysis|transplant|cancer|"
    "chemo|hiv|hepatitis|haemophil|hemophil|thinner|warfarin|statin|antidepress|medication|syndrome|disorder|"
    "chronic|autis|adhd|bipolar|anorexi|claustrophob|immun|arthritis"
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
