"""What there is to know of an English life, and the many ways to say and to ask it. See `tests.bench.life.tables`."""

FACTS = """
# allergy
v: penicillin | shellfish | latex | walnuts | bee stings | kiwi fruit | nickel | birch pollen | sesame | ibuprofen | mould
say: {S} {is} allergic to {v} | {S} get{s} a rash from {v} and {has} to stay clear of it | even a trace of {v} makes {S's} throat swell | {S} carr{y} antihistamines because of {v}
ask: What {is} {S} allergic to? | which allergy {does} {S} have? | what must {S} avoid because of an allergy?
far: What should a nurse know before treating {them}? | is there a substance that brings {them} out in hives?
who: Who is allergic to {v}? | which person can't be near {v}?

# home *
v: Leeds | Ghent | Porto | Halifax | Tampere | Bologna | Cork | Tucson | Utrecht | Adelaide | Graz | Bergen | Nantes
say: {S} live{s} in {v} | {S's} home is a small flat in {v} | {S} rent{s} a place in {v}, third floor, no lift | {v} is where {S} {is} at home
chg: {S} moved to {v} last week | {S} {has} left the old place and settled in {v} | the boxes are unpacked at last: {S} now live{s} in {v}
ask: Where {does} {S} live? | which city {does} {S} live in?
now: Where {does} {S} live now? | which town {is} {S} in these days?
was: Where did {S} live before the last move? | which city was {S's} home previously?
far: If a parcel were sent to {S's} door, what town would be on it? | where do {S's} house keys fit?
who: Who lives in {v}? | whom could I stay with in {v}?

# job *
v: a paramedic | a piano tuner | a tax adviser | a pastry chef | a landscape architect | a court interpreter | a vet | a tram driver | a midwife | a sound engineer | a geologist | a bookbinder | a speech therapist
say: {S} work{s} as {v} | {S} {is} {v} by trade | by day {S} {is} {v} | {S} earn{s} a living as {v}
chg: {S} gave notice and start{s} over as {v} | {S} {has} retrained and {is} now {v} | new contract signed: from now on {S} work{s} as {v}
ask: What {does} {S} do for a living? | what is {S's} profession?
now: What {is} {S} working as at the moment? | what's {S's} current job?
was: What was {S's} job before this one? | what did {S} do for work before the change?
far: How {does} {S} pay the bills? | what would stand on {S's} business card?
who: Who works as {v}? | do I know anybody who is {v}?

# employer *
v: Holloway & Finch | the county hospital | Brightwater Ltd | a start-up called Quillo | the harbour authority | Nordlys Energy | St Bride's School | the Marlow Institute | Tessera Labs | a co-operative named Graincraft
say: {S} {is} employed by {v} | {S's} employer is {v} | {S} {has} been with {v} for some years | {v} pays {S's} salary
chg: {S} switched to {v} at the start of the month | {S} {has} joined {v} | after the lay-offs {S} found a post at {v}
ask: Which company {does} {S} work for? | who is {S's} employer?
now: Who {does} {S} work for now? | at which firm {is} {S} employed currently?
was: Which firm did {S} leave? | who was {S's} previous employer?
far: Whose name is at the top of {S's} payslip? | whose e-mail domain {does} {S} use on weekdays?
who: Who works for {v}? | which of my contacts is employed by {v}?

# pet
v: a tortoise called Admiral | a greyhound called Biscuit | a one-eyed cat called Nelson | two budgies, Salt and Pepper | a ginger cat called Mango | a beagle called Juno | a rabbit called Thistle | a cockatoo called Verdi | a spaniel called Otto | a hamster called Turbo
say: {S} {has} {v} | {S} share{s} the flat with {v} | {S} adopted {v} from the shelter | at {S's} place you are greeted by {v}
ask: What pet {does} {S} have? | what is {S's} animal called?
far: Who has to be fed when {S} {is} away? | which creature waits for {them} at home?
who: Whose is {v}? | who of my friends has {v}?

# birthday
v: 3 March | 17 May | 29 August | 11 November | 8 January | 24 June | 2 October | 19 July | 30 April | 13 December | 6 February
say: {S's} birthday is on {v} | {S} {was} born on {v} | every year on {v} {S} turn{s} a year older | {S} celebrate{s} on {v}, with too much cake
ask: When is {S's} birthday? | on which day {was} {S} born?
far: On what date should candles be lit for {them}? | when {does} {S} grow a year older?
who: Whose birthday is on {v}? | who was born on {v}?

# dish
v: pierogi with sauerkraut | aubergine curry | tonkotsu ramen | shakshuka | mushroom risotto | fish pie | lamb tagine | pad thai | gnocchi with sage | black bean tacos | borscht
say: {S's} favourite dish is {v} | {S} could eat {v} every day | nothing cheers {them} up like {v} | for special days {S} ask{s} for {v}
ask: What is {S's} favourite dish? | what food {does} {S} like best?
far: What should come out of the oven as a treat for {them}? | with what on the table would {S} be happiest?
who: Whose favourite dish is {v}? | who loves {v} above all?

# dislike +
v: coriander | olives | blue cheese | liver | beetroot | aniseed | oysters | celery | tripe | marzipan | raw onion
say: {S} can't stand {v} | {S} pick{s} {v} out of everything | {S} find{s} {v} revolting | please no {v} for {them}
ask: What foods {does} {S} dislike? | which foods can't {S} stand?
all: Which foods {does} {S} dislike? List all of them. | what are all the things {S} refuse{s} to eat?
far: What must never end up on {S's} plate? | which tastes make {them} pull a face?
who: Who can't stand {v}? | who would send back a plate with {v} on it?

# instrument
v: the cello | the accordion | the bassoon | the ukulele | the harp | the trombone | the oboe | the banjo | the church organ | the vibraphone
say: {S} play{s} {v} | {S} {has} been learning {v} for a while | {S} practise{s} {v} in the evenings | {S} took up {v} as a child and kept at it
ask: Which instrument {does} {S} play? | what {does} {S} play in the evenings?
far: What would the neighbours hear through {S's} wall? | how {does} {S} make music?
who: Who plays {v}? | who could I ask for a lesson on {v}?

# training *
v: climbing on Mondays | water polo on Tuesdays | badminton on Wednesdays | fencing on Thursdays | judo on Fridays | rowing on Saturdays | yoga on Sundays | table tennis on Mondays | aikido on Wednesdays | netball on Thursdays
say: {S} go{es} to {v} | {S} do{es} {v} | {v} is fixed in {S's} week | after work {S} never miss{es} {v}
chg: {S} dropped the old training and now do{es} {v} | {S} {has} changed clubs: it is {v} from now on | since the new timetable {S} go{es} to {v} instead
ask: Which sport {does} {S} do, and on which day? | when {does} {S} train, and what?
now: What sport {does} {S} do at present? | which training {does} {S} go to now?
was: Which sport did {S} do before changing? | what training did {S} give up?
far: How {does} {S} keep fit? | on which evening is {S} out of breath, and why?
who: Who goes to {v}? | who is busy with {v}?

# car *
v: a blue Volvo estate | a rusty Fiat Panda | a silver Honda Jazz | an electric Renault | a green Mini | a white Dacia van | a second-hand Mazda | a red Skoda | an old Land Rover
say: {S} drive{s} {v} | {S's} car is {v} | outside {S's} door stands {v} | {S} get{s} about in {v}
chg: {S} traded the car in for {v} | {S} bought {v} and sold the old one | the old car was scrapped, {S} now drive{s} {v}
ask: What car {does} {S} drive? | which car {has} {S} got?
now: What car {does} {S} drive nowadays? | which car {has} {S} got at the moment?
was: Which car did {S} have before? | what did {S} drive until the change?
far: What should I look out for in the car park when {S} come{s}? | on what four wheels {does} {S} travel?
who: Who drives {v}? | whose is {v}?

# degree
v: marine biology | Slavic languages | civil engineering | art history | statistics | philosophy | nursing | agronomy | theatre studies | linguistics
say: {S} studied {v} | {S} {has} a degree in {v} | at university {S} read {v} | {S} wrote a thesis in {v}
ask: What did {S} study? | what subject {does} {S} have a degree in?
far: What was {S's} field as a student? | which lectures did {S} sit through at twenty?
who: Who studied {v}? | who has a degree in {v}?

# roots
v: Galway | a village near Kraków | the Azores | Tbilisi | Zanzibar | the Outer Hebrides | Oaxaca | Sarajevo | Cebu | Thessaloniki
say: {S's} family comes from {v} | {S} grew up in {v} | {S} spent the first ten years of life in {v} | {S} {was} born in {v} and still miss{es} it
ask: Where {is} {S} from originally? | where did {S} grow up?
far: Where are {S's} roots? | where did {S} spend childhood?
who: Who comes from {v}? | who grew up in {v}?

# medicine *
v: levothyroxine | vitamin D drops | a beta blocker | iron tablets | cetirizine | metformin | a cortisone inhaler | magnesium | omeprazole
say: {S} take{s} {v} every morning | the doctor put {them} on {v} | {S} {has} to take {v} daily | there is always {v} in {S's} bag
chg: the old tablets were stopped and {S} now take{s} {v} | after the check-up {S} {was} switched to {v} | {S's} prescription was changed to {v}
ask: What medicine {does} {S} take? | which medication {is} {S} on?
now: Which medicine {does} {S} take currently? | what {is} {S} on now, medically?
was: Which medicine {was} {S} taking before the switch? | what was {S} prescribed earlier?
far: What would a pharmacist have on file for {them}? | what {does} {S} swallow with breakfast?
who: Who takes {v}? | who {has} to have {v} with them?

# condition
v: migraines | a slipped disc | asthma | tinnitus in the left ear | a weak left knee | high blood pressure | eczema | vertigo | a heart murmur
say: {S} suffer{s} from {v} | {S} {has} {v} | {S's} doctor diagnosed {v} | there is no end of trouble with {v} for {them}
ask: What health problem {does} {S} have? | what {does} {S} suffer from?
far: Why {does} {S} sometimes have to see a specialist? | which complaint bothers {them} physically?
who: Who suffers from {v}? | who was diagnosed with {v}?

# shoe
v: size 36 | size 38 and a half | size 40 | size 41 | size 43 | size 44 and a half | size 46
say: {S} wear{s} {v} in shoes | {S's} feet are {v} | in boots {S} need{s} {v} | {S} always buy{s} shoes in {v}
ask: What is {S's} shoe size? | which size of shoes {does} {S} wear?
far: Which number of wellingtons would fit {them}? | how big are {S's} feet?
who: Who wears shoes in {v}? | whose feet are {v}?

# band
v: Radiohead | Fleetwood Mac | the Buena Vista Social Club | Massive Attack | Björk | Nina Simone | The Cure | Fela Kuti | Sigur Rós | Miles Davis
say: {S's} favourite music is by {v} | {S} {has} every record by {v} | {S} listen{s} to {v} more than to anybody else | {S} travelled across the country to hear {v}
ask: Whose music {does} {S} like best? | which musician or band is {S's} favourite?
far: Which record would please {them} most? | what is usually coming out of {S's} loudspeakers?
who: Who has every record by {v}? | who is the great fan of {v}?

# book
v: Middlemarch | The Master and Margarita | Beloved | The Left Hand of Darkness | Pachinko | Gilead | Invisible Cities | Dune | The Summer Book | Never Let Me Go
say: {S's} favourite book is {v} | {S} {has} read {v} four times | {S} give{s} {v} to everybody | {v} changed how {S} think{s}
ask: What is {S's} favourite book? | which book {does} {S} love most?
far: Which novel {does} {S} return to again and again? | what {is} {S} likely to have on the bedside table?
who: Whose favourite book is {v}? | who keeps giving away {v}?

# fear
v: heights | spiders | flying | deep water | dentists | thunderstorms | lifts | large dogs | public speaking | snakes
say: {S} {is} afraid of {v} | nothing scares {them} more than {v} | {S} {has} had a fear of {v} since childhood | {S} freeze{s} when it comes to {v}
ask: What {is} {S} afraid of? | what scares {them}?
far: What makes {S's} palms sweat? | which situation would be a nightmare for {them}?
who: Who is afraid of {v}? | who can't cope with {v}?

# language *
v: Portuguese | Finnish | Japanese | Welsh | Arabic | Korean | Italian | Greek | Swahili | sign language
say: {S} {is} learning {v} | {S} take{s} lessons in {v} | {S} do{es} half an hour of {v} a day | {S} {has} started a course in {v}
chg: {S} gave up the last course and started {v} | {S} {is} learning {v} now instead | new term, new language: {S} {has} begun {v}
ask: Which language {is} {S} learning? | what language {does} {S} take lessons in?
now: Which language {is} {S} learning now? | what language {is} {S} studying these days?
was: Which language did {S} give up? | what language {was} {S} learning before?
far: Whose grammar {is} {S} wrestling with? | in what tongue will {S} soon be able to order dinner?
who: Who is learning {v}? | who takes lessons in {v}?

# collects
v: enamel signs | vintage postcards | fountain pens | fossils | vinyl singles | tin toys | old maps | beach glass | cameras from the fifties | matchboxes
say: {S} collect{s} {v} | {S} {has} a whole cupboard of {v} | at flea markets {S} look{s} for {v} | {S's} collection of {v} keeps growing
ask: What {does} {S} collect? | what {has} {S} got a collection of?
far: What {does} {S} hunt for at flea markets? | what fills {S's} shelves?
who: Who collects {v}? | for whom should I keep {v} if I find some?

# goal
v: running the Lisbon half-marathon | paying off the loan | publishing a short story | walking the Pennine Way | sleeping eight hours | building a canoe | passing the sommelier exam | swimming across the lake | having a stall at the winter fair
say: {S's} goal for the year is {v} | {S} {has} set {s_own} heart on {v} | {S} {is} determined about {v} | this year {S} want{s} to manage {v}
ask: What is {S's} goal for this year? | what {has} {S} set out to do this year?
far: What would make {them} proud by December? | which resolution did {S} make?
who: Who has set their heart on {v}? | whose goal is {v}?

# phone *
v: a Fairphone | a Pixel | an old Nokia | an iPhone mini | a Galaxy with a cracked screen | a Motorola | a Sony Xperia
say: {S} {has} {v} | {S's} phone is {v} | {S} use{s} {v} for calls | {S} wouldn't part with {v}
chg: {S's} phone fell into the canal, now it is {v} | {S} got {v} as a replacement | {S} upgraded to {v}
ask: What phone {does} {S} have? | which phone {does} {S} use?
now: Which phone {does} {S} have now? | what phone {does} {S} currently use?
was: Which phone did {S} have before? | what was {S's} previous phone?
far: Which charger would {S} need? | what {does} {S} call people with?
who: Who has {v}? | whose phone is {v}?

# rises *
v: 4:45 | 5:30 | 6:15 | 6:50 | 7:20 | 8:10 | 9:00 | half past nine
say: {S} get{s} up at {v} | {S's} alarm goes off at {v} | {S} {is} awake from {v} on | {v} is when {S's} day begins
chg: since the new shifts {S} get{s} up at {v} | {S} moved the alarm to {v} | {S} {has} changed the morning: up at {v} now
ask: When {does} {S} get up? | what time {does} {S's} alarm ring?
now: At what time {does} {S} get up now? | when does {S's} day start currently?
was: When did {S} use to get up before that changed? | what was the alarm set to earlier?
far: From what hour on could I ring {them} without waking anybody? | is {S} an early bird, and how early?
who: Who gets up at {v}? | whose alarm goes off at {v}?

# dentist
v: Dr Okafor | Dr Lindqvist | Dr Moreau | Dr Hashimoto | Dr Petrov | Dr Achterberg | Dr Nakamura
say: {S's} dentist is {v} | {S} go{es} to {v} for {s_own} teeth | {S} trust{s} nobody but {v} with a drill | {v} looks after {S's} teeth
ask: Who is {S's} dentist? | which dentist {does} {S} go to?
far: Who should be called about {S's} toothache? | in whose chair {does} {S} open wide?
who: Whose dentist is {v}? | who goes to {v}?

# checkup *
v: 4 February at 9:40 | 21 March at 14:15 | 9 April at 8:00 | 27 May at 16:30 | 12 June at 11:20 | 30 September at 10:10 | 18 October at 15:45
say: {S's} check-up is on {v} | {S} {has} a doctor's appointment on {v} | {S} {is} expected at the surgery on {v} | blood test and all that: {v} for {them}
chg: the surgery rang, {S's} check-up was moved to {v} | {S} had to postpone the doctor, it is {v} now | new date for {S's} appointment at the doctor's: {v}
ask: When is {S's} doctor's appointment? | when is {S's} check-up?
now: For when is {S's} check-up now? | what is the latest date of {S's} doctor's appointment?
was: When was {S's} check-up to be originally? | what was the first date of {S's} doctor's appointment?
far: When must {S} turn up to have blood taken? | when will {S} sit in the waiting room?
who: Who has an appointment at the doctor's on {v}? | whose check-up is on {v}?

# wish
v: a pasta machine | a telescope | a hammock | noise-cancelling headphones | a set of watercolours | a cast-iron pan | a bread knife | a weather station | an espresso cup set | a rocking chair
say: {S} would love {v} as a present | {S} {has} been eyeing {v} for months | {v} is on {S's} wish list | {S} sighed at {v} in a shop window
ask: What would {S} like as a present? | what is on {S's} wish list?
far: How could one surprise {them} at Christmas? | what {does} {S} long for but won't buy?
who: Who would love {v}? | for whom would {v} be the right present?

# series
v: The Bridge | Derry Girls | Severance | Twin Peaks | The Repair Shop | Borgen | Detectorists | Dark | Call the Midwife | Slow Horses
say: {S} {is} watching {v} | {S} {has} reached the third season of {v} | every evening an episode of {v} for {them} | {S} keep{s} recommending {v}
ask: Which series {is} {S} watching? | what {does} {S} watch on television?
far: What must nobody spoil for {them}? | what {does} {S} fall asleep in front of?
who: Who is watching {v}? | with whom could I talk about {v}?

# club
v: Norwich City | Celtic | Athletic Bilbao | St Pauli | Napoli | Feyenoord | Rosenborg | Sporting | Leyton Orient
say: {S} support{s} {v} | {S's} heart beats for {v} | {S} {has} a season ticket for {v} | {S} {was} taken to {v} at six and stayed loyal
ask: Which football club {does} {S} support? | what is {S's} team?
far: Whose defeat ruins {S's} weekend? | which scarf hangs in {S's} hall?
who: Who supports {v}? | who has a season ticket for {v}?

# volunteer *
v: the food bank | the animal shelter | the repair café | the lifeboat crew | the reading club for children | the night bus for the homeless | the hospice | the community garden
say: {S} volunteer{s} at {v} | twice a month {S} help{s} at {v} | {S} give{s} Saturday mornings to {v} | {S} {is} one of the helpers of {v}
chg: {S} stopped the old volunteering and joined {v} | {S} {has} moved on and now help{s} at {v} | {S} signed up with {v} instead
ask: Where {does} {S} volunteer? | what voluntary work {does} {S} do?
now: Where {does} {S} volunteer now? | where {does} {S} help out these days?
was: Where did {S} volunteer earlier? | which voluntary work did {S} stop?
far: What good cause gets {S's} free time? | where {does} {S} work without being paid?
who: Who volunteers at {v}? | who helps at {v}?

# drink
v: a flat white with oat milk | rooibos with honey | a double espresso, no sugar | ginger beer | cold chamomile tea | a dry cider | alcohol-free wheat beer | hot water with lemon
say: {S} always order{s} {v} | {S's} usual is {v} | {S} drink{s} {v} and nothing else | a day without {v} is no day for {them}
ask: What {does} {S} usually drink? | what is {S's} usual order at the café?
far: What should be put in front of {them} at the bar? | what belongs in {S's} cup?
who: Who always orders {v}? | whose usual is {v}?

# project
v: a dry-stone wall | a radio play about lighthouses | an app for bus times | a quilt of old shirts | a family tree | a tiny house on a trailer | a podcast on moss | a model of the cathedral | a cookbook of grandmother's recipes
say: in spare time {S} {is} working on {v} | {S's} project is {v} | {S} spend{s} weekends on {v} | {S} won't rest until {v} is finished
ask: What {is} {S} working on in spare time? | what is {S's} project?
far: What keeps {them} busy at weekends? | what {is} {S} making with {s_own} own hands?
who: Who is working on {v}? | whose project is {v}?

# grows
v: tomatoes on the balcony | a lemon tree | dahlias | hops | bonsai maples | sweet peas | chillies | a fig in a pot | orchids
say: {S} grow{s} {v} | {S} {is} proud of {s_own} {v} | {S} water{s} {v} before breakfast | what {S} love{s} about summer: {v}
ask: What {does} {S} grow? | which plants {does} {S} look after?
far: What must be watered when {S} {is} on holiday? | what have {S's} green fingers brought forth?
who: Who grows {v}? | whose are {v}?

# commute *
v: the 7:40 train | a folding bike | the number 12 tram | the ferry | a car pool with two colleagues | the underground, four stops | an electric scooter | a forty-minute walk
say: {S} get{s} to work by {v} | {S's} way to work: {v} | every morning it is {v} for {them} | {S} swear{s} by {v} for getting to work
chg: since the line was closed {S} get{s} to work by {v} | {S} changed the way to work: {v} now | {S} {has} discovered {v} for getting to work
ask: How {does} {S} get to work? | what is {S's} way to work?
now: How {does} {S} get to work now? | how {does} {S} commute at the moment?
was: How did {S} get to work before? | what was {S's} earlier way to work?
far: How {does} {S} cover the distance between bed and desk? | which delay would make {them} late in the morning?
who: Who gets to work by {v}? | who commutes by {v}?
"""

ABOUT_THE_ASSISTANT = """
Please keep answers short and skip the bullet points | How should you answer me? | in what style do I like replies?
Don't use exclamation marks with {me} | Which punctuation annoys me? | is there a mark you should not use with me?
Never ring or send reminders before ten in the morning | From when on may you remind me of things? | at what hour are nudges welcome?
When {I} {am} sad, listen first and don't give advice | What should you do when I'm sad? | how do I want you to react if I feel low?
Always give temperatures in Celsius | Which unit do I want for temperatures? | how should degrees be told to me?
Call {me} by the nickname Pip, not by the full name | What should you call me? | which name do I want to be addressed by?
"""

RELATIONS = "sister | brother | mother | father | cousin | flatmate | neighbour | boss | colleague | best friend | aunt | physiotherapist | godmother | landlord | old schoolfriend | choir director"
NAMES = "Marta | Owen | Ines | Tobias | Priya | Callum | Saskia | Yusuf | Bridget | Anders | Leila | Rupert | Noor | Felix | Odile | Graham | Zuzana | Dmitri | Hazel | Kwame | Ingrid | Matteo | Fiona | Hideo | Carmen | Lars | Moira | Stefan | Abena | Colette"
INTRODUCED = "{S's} {r} is called {n} | {n} is {S's} {r} | {S} {has} a {r}, {n} | {S} spoke about {n}, {s_own} {r}"

EVENTS = """
# film
x: Paddington | Stalker | Spirited Away | The Third Man | Moonlight | Parasite | Some Like It Hot | Paris, Texas | The Piano | Local Hero | Aftersun | Playtime
say: {I} saw {x} at the cinema with {n} | went to the pictures with {n}: {x} | {n} and {I} watched {x} on the big screen | {n} dragged {me} into {x}; worth it
when: When did I see {x}? | on what day was the evening with {x} at the cinema?
who: Who was with me when I saw {x}? | with whom did I watch {x}?
what: Which film did I see with {n} in {month}? | what did {n} and I watch at the cinema in {month}?
all: Which films have I seen with {n}? | list everything {n} and I watched at the cinema
hop: the person I saw {x} with

# dinner
x: the Georgian place by the mill | Trattoria Lucia | the noodle bar on Quay Street | a supper club in a church | the Lebanese grill | Chez Nous | the fish hut | a Michelin-starred cellar | the canteen of the opera | the rooftop in the old silo
say: {I} had dinner with {n} at {x} | {n} took {me} out to {x} | a long evening at {x} with {n} | {n} and {I} tried {x}, the bill was a shock
when: When did I eat at {x}? | what was the date of the dinner at {x}?
who: Who did I have dinner with at {x}? | who took me to {x}?
what: Where did I have dinner with {n} in {month}? | to which restaurant did I go with {n} in {month}?
all: At which restaurants have I eaten with {n}? | name all the places where {n} and I had dinner
hop: the person I had dinner with at {x}

# hike
x: Kinder Scout | the coast path to Whitby | the reservoir loop | Helvellyn | the old railway line | the Seven Sisters | the peat bog trail | Arthur's Seat | the canal to the locks
say: {I} walked {x} with {n} | {n} and {I} did {x} in pouring rain | blisters after {x} with {n} | up at dawn for {x}, {n} brought the sandwiches
when: When did I walk {x}? | which day was the hike along {x}?
who: Who came along to {x}? | with whom did I walk {x}?
what: Where did I go walking with {n} in {month}? | which hike did {n} and I do in {month}?
all: Which hikes have I done with {n}? | where all have {n} and I gone walking?
hop: the person who walked {x} with me

# present
x: a brass compass | a hand-knitted scarf | a book about whales | a jar of pickled plums | tickets for the ballet | a wind chime | a first-aid kit | a pocket knife | a linen apron | a puzzle with two thousand pieces
say: {n} gave {me} {x} | {I} got {x} from {n} | unwrapped {x}, from {n} of all people | {n} turned up with {x} for {me}
when: When was I given {x}? | when did I get {x}?
who: Who gave me {x}? | from whom do I have {x}?
what: What did {n} give me in {month}? | which present did I get from {n} in {month}?
all: What presents have I had from {n}? | list all that {n} has given me
hop: the person who gave me {x}

# lent
x: the cordless drill | the big tent | a suitcase | the sewing machine | the waffle iron | forty pounds | the bread tin | a dinner jacket | the roof rack | an umbrella with a duck's head
say: {I} lent {x} to {n} | {n} borrowed {x} and promised to bring it back | {x} is with {n} for now | handed {x} over to {n}
when: When did I lend out {x}? | since when has {x} been gone from here?
who: Who has {x} of mine? | to whom did I lend {x}?
what: What did {n} borrow from me in {month}? | which thing of mine did {n} take away in {month}?
all: What has {n} borrowed from me? | list all I have lent to {n}
hop: the person who borrowed {x}

# quarrel
x: the washing-up | politics at the table | an unpaid bill | who should drive | being late again | the thermostat | a tactless joke | the guest list | the noise at night
say: {I} fell out with {n} over {x} | {n} and {I} had words about {x} | an ugly row with {n}, about {x} | not speaking to {n} since the business with {x}
when: When did I quarrel about {x}? | on which day was the row over {x}?
who: With whom did I argue over {x}? | who got angry with me about {x}?
what: What did I argue about with {n} in {month}? | what was the row with {n} in {month} about?
all: What have {n} and I argued about? | list every quarrel I've had with {n}
hop: the person I argued with over {x}

# bought
x: a walnut desk | running shoes | a dehumidifier | a second-hand piano | a rain jacket | an air fryer | curtains for the bedroom | a bicycle lock | a blue teapot | a garden bench | a film camera
say: {I} bought {x}, {n} helped to carry it | went shopping with {n} and came home with {x} | {n} talked {me} into {x} | at last: {x}; {n} knew where to get it
when: When did I buy {x}? | when did {x} come into the house?
who: Who was with me when I bought {x}? | who helped me with buying {x}?
what: What did I buy with {n} in {month}? | what did {n} and I get on our shopping trip in {month}?
all: What have I bought together with {n}? | list all that {n} and I bought
hop: the person who helped me buy {x}

# trip
x: Lisbon | the Faroe Islands | Vienna | Marrakesh | the Isle of Skye | Tallinn | Seville | Kyoto | Trieste | the Black Forest
say: {I} spent a few days in {x} with {n} | back from {x}; {n} got seasick on the way | {n} and {I} went to {x} | four days of {x} with {n}, far too short
when: When was I in {x}? | when did the trip to {x} take place?
who: With whom was I in {x}? | who travelled to {x} with me?
what: Where did I travel with {n} in {month}? | which trip did {n} and I make in {month}?
all: Where have I travelled with {n}? | list all journeys I made with {n}
hop: the person I went to {x} with

# broke
x: the boiler | the kitchen tap | a molar | the laptop screen | the garden fence | the zip of the tent | the washing machine | the car's exhaust | the front-door lock
say: {x} broke; {n} came over and fixed it | {n} spent the afternoon repairing {x} for {me} | trouble with {x}, {n} saved the day | without {n} {I} would still be stuck with {x} in pieces
when: When did {x} break? | when was {x} repaired?
who: Who repaired {x}? | who saved me when {x} gave up?
what: What did {n} fix for me in {month}? | what was it that {n} repaired in {month}?
all: What has {n} repaired for me? | list everything {n} fixed
hop: the person who fixed {x}

# concert
x: a string quartet | the brass band final | a jazz trio in a barn | Mahler's Fifth | a choir from Georgia | an open-air opera | a punk night | a lute recital
say: {I} heard {x} with {n} | {n} had a spare ticket for {x} | {x} with {n}, goosebumps all over | sat in the last row with {n} for {x}
when: When did I hear {x}? | which date was {x}?
who: With whom did I hear {x}? | who had the spare ticket for {x}?
what: What did {n} and I hear in {month}? | to which concert did I go with {n} in {month}?
all: Which concerts have I been to with {n}? | list the music {n} and I heard live
hop: the person I heard {x} with
"""
DATED = "On {date} {t} | {t} ({date}) | {T}, {date}"
DAY = "What did I do on {date}? | what happened on {date}?"

CHATTER = """
{n} sounded tired on the phone | {I} {am} a little worried about {n} | {n} sends greetings | {I} should write to {n} again | {n} was late, as always
had tea with {n}, nothing special | {n} told a long story about a neighbour | {n} looked well today | {I} dreamt of {n} | {n} has a new haircut
{n} laughed at {my} jokes | {I} owe{s} {n} a letter | {n} was in a bad mood | {I} met {n} by chance at the market | {n} asked how {I} {am}
{n} is always honest with {me} | {I} find{s} it easy to talk to {n} | {n} forgot to call back | {n} wants to see more of {me} | {I} trust{s} {n} more than most
{n} has been very busy of late | {I} waited half an hour for {n} | {n} likes to talk about work | {n} never says no | {I} miss{s} the evenings with {n}
{n} thinks {I} worr{y} too much | {n} needs a holiday | {n} drove past and waved | {n} had good news but would not tell yet | {I} {am} glad that {n} is around
{n} complained about the weather | a quiet afternoon with {n} | {n} asked {me} for advice | {I} apologised to {n} | {n} talked about moving some day
"""
MUSINGS = """
slept badly again | {I} {am} looking forward to spring | a long day at work, nothing to report | {I} feel{s} better than last week | too much coffee today
the meeting could have been an e-mail | {I} should drink more water | rain all day, stayed in | cleaned the whole kitchen | the tram was packed
{I} want{s} to read more this year | tidied the cellar, found nothing of use | headache since noon | cooked far too much | the sunset was lovely
{I} like{s} Sundays best | finally answered all the mail | a bit lonely this evening | the neighbours had a party | {I} need{s} new socks
money is a bit tight this month | thought a lot about old times | the garden looks sad | {I} laughed a lot today | nothing went right this morning
{I} can't decide what to do with the weekend | the lift is out of order again | {I} missed the bus | bread turned out well | walked home through the park
{I} promised to be more patient | a good talk at lunch | the new neighbour plays loud music | cancelled everything and went to bed | the dentist's waiting room has new chairs
{I} had an idea for a story | watched the swifts from the window | the doctor's line was busy | everybody at work has a cold | the car park was full
{I} like{s} the smell of rain | the film on television was dull | lessons were cancelled | {I} prefer{s} mornings | birthday cards are expensive these days
the dog next door barked all night | {I} {has} to be careful with sugar | the train was on time for once | a present need not be expensive | the phone rang, nobody there
"""
