# ruff: noqa: E501 - a table is checked line by line against what people say; a pattern broken over lines cannot be read
"""English word lists and list splitting that several rule tables need."""

from __future__ import annotations

import re

RELATION = (
    r"(?:(?:late|older|younger|big|little|elder|eldest|youngest|oldest|middle|twin|step|half|ex|best|close|closest|new|old|first|second|other|good|great|"
    r"pet|maternal|paternal|foster|adopted|late|dear)[- ]?)*"
    r"(?:step|half|ex-?)?(?:mother|mom|mum|mama|dad|father|papa|parents?|sisters?|brothers?|siblings?|sons?|daughters?|girls|boys|twins|kids?|child|children|baby|wife|husband|spouse|"
    r"partner|girlfriend|boyfriend|fianc[eé]e?|friends?|roommates?|flatmates?|housemates?|neighbou?rs?|colleagues?|co-?workers?|boss|manager|mentor|teacher|"
    r"professor|supervisor|advisor|doctor|dentist|therapist|coach|cousins?|uncle|aunt(?:ie)?|grandma|grandmother|grandmom|granny|nana|grandpa|grandfather|granddad|"
    r"grandparents|grandson|granddaughter|grandchild(?:ren)?|niece|nephew|mother-in-law|father-in-law|sister-in-law|brother-in-law|in-laws|godmother|godfather|godson|"
    r"goddaughter|landlord|landlady|assistant|pet|cats?|dogs?|puppy|puppies|kittens?|kitty|parrot|hamster|rabbit|bunny|turtle|tortoise|goldfish|fish|horse|pony|bird|"
    r"budgie|canary|guinea pigs?|snake|lizard|gecko|ferret|chickens?)"
)
SHARED = re.compile(
    r"(?:(?<!girl)(?<!boy)friend|colleague|co-?worker|cousin|neighbou?r|cat|dog|pet|kid|child|uncle|aunt|niece|nephew|puppy|kitten|fish|chicken|teacher|roommate|flatmate)s?$",
    re.I,
)
PETS = re.compile(
    r"(?:pet|cat|dog|puppy|kitten|kitty|parrot|hamster|rabbit|bunny|turtle|tortoise|goldfish|fish|horse|pony|bird|budgie|canary|guinea pig|snake|lizard|gecko|ferret)s?$",
    re.I,
)
PROFESSION = re.compile(
    r"(?:\w+(?:er|or|ist|ian|eer|smith|wright|man|woman)|nurse|chef|cook|pilot|judge|student|intern|freelancer|dj|ceo|cto|cfo|coo|vp|founder|co-?founder|owner|surgeon|"
    r"vet|gp|scientist|researcher|postdoc|phd student|lecturer|teacher|accountant|consultant|architect|analyst|clerk|secretary|assistant|mechanic|model|actress|poet|"
    r"detective|cop|soldier|monk|priest|pastor|nun|imam|rabbi|mom|mum|dad|housewife|homemaker|entrepreneur|retiree|apprentice|trainee|coach|tutor|guide|barista|waitress|"
    r"receptionist|attorney|paralegal|au pair|nanny|streamer|youtuber|influencer|dev|devops|swe|pm|qa|sysadmin|data scientist|machine learning engineer|freshman|sophomore|junior|senior)"
    r"(?:\s{1,9}(?:at|in|for|of|with|from|on|who|and)\b.*)?$",
    re.I,
)
NOT_PROFESSION = re.compile(
    r"\b(?:member|lover|believer|fan|person|beginner|newcomer|outsider|survivor|user|owner of a|father of|mother of|sucker|reader|listener|winner|loser|"
    r"stranger|leader of|bit|little|lot|mess|wreck|idiot|fool|human|man|woman|girl|boy|guy|vegetarian|vegan|pescatarian|christian|buddhist|gamer|smoker|drinker|eater|"
    r"sleeper|riser|runner|swimmer|walker|hiker|traveler|traveller|dreamer|worrier|overthinker|introvert|extrovert|libra|scorpio|capricorn|sagittarius|night owl|early bird|"
    r"brother|sister|mother|father|daughter|supporter|follower|lefty|foodie|bookworm|minor|major|non-?smoker|speaker|learner|number|matter|disaster|danger)\b",
    re.I,
)
NATIONALITY = (
    r"(?:american|british|english|scottish|welsh|irish|german|french|spanish|italian|portuguese|dutch|belgian|swiss|austrian|swedish|norwegian|danish|finnish|polish|czech|"
    r"slovak|hungarian|romanian|bulgarian|greek|turkish|russian|ukrainian|belarusian|serbian|croatian|bosnian|albanian|estonian|latvian|lithuanian|icelandic|chinese|"
    r"taiwanese|japanese|korean|south korean|vietnamese|thai|malaysian|singaporean|indonesian|filipino|filipina|indian|pakistani|bangladeshi|nepali|sri lankan|iranian|"
    r"iraqi|israeli|palestinian|lebanese|syrian|jordanian|egyptian|moroccan|algerian|tunisian|nigerian|kenyan|ethiopian|ghanaian|south african|canadian|mexican|"
    r"brazilian|argentinian|argentine|chilean|colombian|peruvian|venezuelan|cuban|australian|new zealander|kiwi|european|asian|african|latino|latina|cantonese)"
)
LANGUAGE = (
    r"(?:english|german|french|spanish|italian|portuguese|dutch|swedish|norwegian|danish|finnish|polish|czech|hungarian|romanian|greek|turkish|russian|ukrainian|"
    r"mandarin(?: chinese)?|chinese|cantonese|shanghainese|hokkien|japanese|korean|vietnamese|thai|malay|indonesian|tagalog|hindi|urdu|bengali|tamil|telugu|punjabi|arabic|"
    r"hebrew|persian|farsi|swahili|latin|esperanto|catalan|irish|welsh|croatian|serbian|bulgarian|sign language|asl)"
)
CONDITION = (
    r"(?:asthma|diabetes|type [12] diabetes|adhd|add|autism|depression|anxiety|migraines?|epilepsy|celiac(?: disease)?|coeliac(?: disease)?|arthritis|insomnia|"
    r"high blood pressure|hypertension|a heart condition|heart disease|cancer|ibs|eczema|psoriasis|dyslexia|bipolar(?: disorder)?|ptsd|ocd|hay fever|a bad back|"
    r"back pain|chronic pain|tinnitus|anemia|anaemia|hypothyroidism|a pacemaker|lupus|crohn's(?: disease)?|endometriosis|pcos|vertigo|sleep apnea|gout|long covid)"
)
FEELING = (
    r"(?:sad|happy|tired|exhausted|stressed(?: out)?|anxious|nervous|excited|angry|mad|upset|lonely|bored|worried|scared|afraid|depressed|down|overwhelmed|"
    r"frustrated|annoyed|proud|grateful|relieved|sick|ill|hungry|sleepy|confused|jealous|embarrassed|guilty|hurt|homesick|heartbroken|disappointed|thrilled|"
    r"burned out|burnt out|miserable|great|good|fine|ok|okay|well|better|bad|awful|terrible|busy|thirsty|cold|hot|late|ready|sorry|sure|here|back|home|done|free|glad|"
    r"curious|pleased|surprised|shocked|calm|relaxed|content|delighted|unhappy|lost|stuck|drunk|hungover|unwell|devastated|ashamed|restless|hopeful|impressed)"
)
_TOGETHER = (
    "salt and vinegar", "rock and roll", "rock and pop", "mac and cheese", "black and white", "peace and quiet", "fish and chips", "bread and butter", "ham and cheese",
    "peanut butter and jelly", "r and b", "rhythm and blues", "dungeons and dragons", "arts and crafts", "food and drink", "gin and tonic", "sweet and sour", "pros and cons",
    "rick and morty", "harry and meghan", "tom and jerry", "simon and garfunkel", "pride and prejudice", "crime and punishment", "war and peace", "cookies and cream",
    "bacon and eggs", "drum and bass", "milk and honey", "hide and seek", "research and development", "mum and dad", "mom and dad", "trial and error",
)  # fmt: skip
_TOGETHER_RE = re.compile("|".join(map(re.escape, _TOGETHER)), re.I)
_TAIL = re.compile(
    r"\s{0,9}(?:,\s{0,9})?\b(?:because|since|but|when|whenever|if|so|although|though|except|as long as|which|who|whom|that's|more than anything|"
    r"thanks to|even though|as it|in that|ever since|until|unless|whereas|while)\b.*$",
    re.I,
)
_LOOSE = re.compile(
    r"[\s,]{1,9}(?:very much|a lot|so much|much|too|as well|again|now|the most|best|lately|these days|at all|already|either|though|anyway|in general|overall|though|"
    r"of course|to be honest|tbh|lol|haha+|by the way|btw|actually|please|more|today|right now|for now|and so on|etc\.?|and stuff|and things)$",
    re.I,
)


def core(value: str) -> str:
    """A value without reasons and trailing words: `ramen so much because …` → `ramen`."""
    value = _TAIL.sub("", value).strip(" ,.:")
    while (shorter := _LOOSE.sub("", value).strip(" ,.:")) != value:
        value = shorter
    return value


def items(value: str) -> list[str]:
    """A list said in one breath, one by one: `ramen, sushi and long walks`; what belongs together stays so."""
    value = core(value)
    kept = _TOGETHER_RE.sub(lambda m: m[0].replace(" and ", "\ue050"), value)
    parts = re.split(
        r"\s{0,9},\s{0,9}(?:and|or|&)?\s{0,9}|\s{1,9}(?:and|or|&|as well as|plus|nor)\s{1,9}",
        re.sub(r"^(?:both|either)\s{1,9}", "", kept),
    )
    parts = [
        re.sub(r"^(?:also|especially|even|to)\s{1,9}(?=\w)", "", p.replace("\ue050", " and ").strip())
        if i
        else p.replace("\ue050", " and ").strip()
        for i, p in enumerate(parts)
    ]
    parts = [p for p in parts if p]
    if len(parts) < 2 or len(parts) > 12 or any(len(p.split()) > 5 for p in parts):
        return [value] if value else []
    return parts


def names(text: str) -> tuple[str, ...]:
    """Capitalised words that do not merely open the sentence: names of people, places and things."""
    found = re.findall(
        r"(?<![.!?]\s)(?<!^)\b[A-ZÀ-Þ][\w'&-]*(?:\s{1,9}(?:of|de|van|von|del|la|the)?\s{0,9}[A-ZÀ-Þ][\w'&-]*)*", text
    )
    skip = re.compile(
        r"^(?:I|I'm|The|My|A|An|Mondays?|Tuesdays?|Wednesdays?|Thursdays?|Fridays?|Saturdays?|Sundays?|January|February|March|April|May|June|July|August|September|October|"
        r"November|December|OK|TV|English|User|And|But|CEO|PhD)$"
    )
    seen = dict.fromkeys(n.removesuffix("'s").strip() for n in found if not skip.match(n))
    return tuple(n for n in seen if n and not skip.match(n))[:6]
