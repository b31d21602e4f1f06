"""What is said and asked in the English lives. `tests.bench.years.tables` says how the tables are read."""

WOMEN = "Hannah | Priya | Ingrid | Nora | Sofia | Amara | Bea | Leila | Grace | Imogen | Freya | Noor | Elodie | Tilda | Aoife | Renske | Cora | Wendy | Maeve | Paula"
MEN = "Tom | Callum | Mateus | Yusuf | Declan | Viktor | Rhys | Oskar | Piotr | Samir | Hugo | Fergus | Kwame | Marco | Jonah | Dev | Anselm | Luca | Idris | Stellan"
HER = "my sister | my best friend | my colleague | my aunt | my old teacher | my niece"
HIS = "my brother | my neighbour | my cousin | my uncle | my college flatmate | my godson"
MONTHS = "January February March April May June July August September October November December"
STYLES = {
    "plain": ("", ""),
    "chatty": (
        "Right. | Oh, and listen. | So. | Well. | One more thing. || | | | |",
        "Just so you know. | There. || | | | |",
    ),
    "polite": (
        "Good evening. | Hello again. | Thank you for earlier. || | | | |",
        "I thought I should mention it. || | | | | |",
    ),
    "terse": ("", "-"),
}

CHANGES = """
@home fact
v: Leith | Portobello | Dundee | Stirling | Paisley | Falkirk | Musselburgh | Dunbar | Cramond | Kirkcaldy
say: I live in {v}, up two flights of stairs. => Lives in {v}, two floors up
say: My flat is in {v}, near the station. => Has a flat in {v} near the station
say: Home for me is {v}. => Home is in {v}
new: The commute from {v} is short, I'm at work in no time. => Commutes from {v}, which is short
new: The boxes are unpacked and the kitchen in {v} finally has shelves. => Kitchen at home in {v} has shelves
new: The landlord here in {v} came by about the boiler. => Rents in {v}; the landlord saw to the boiler
link: We've left {o} for {v}. => Lives in {v}, having left {o}
link: I no longer live in {o}, my address is in {v}. => Address is in {v}, no longer in {o}
again: Rain all day here in {v}, so I stayed in.
ask: Where do I live? | Which town is my address in?
far: A courier wants to know where to drop my parcel. Which place? | If a friend were to ring my doorbell, where would they have to travel?
stale: Since I still live in {o}, which bakery close to my door should I try?

@job fact
v: a bookbinder | a tram driver | a tax adviser | a lab technician | a pastry cook | a court clerk | a joiner | a physiotherapist | a map maker | a sound engineer
say: I work as {v}. => Works as {v}
say: For a living I'm {v}. => Is {v} for a living
say: People are always curious when I tell them I'm {v}. => Is {v}; people are curious about it
new: First payslip as {v} came today, not bad at all. => Got the first payslip as {v}
new: Being {v} means getting up early, I find. => Gets up early as {v}
link: I gave up being {o}, I'm {v} from this month. => Is {v}, gave up being {o}
link: I stopped working as {o} and retrained: {v} it is. => Retrained as {v}, stopped working as {o}
again: Long shift today, the usual life of {v}.
ask: What do I do for a living? | What is my profession?
far: What would it say on my business card? | How do I earn my keep?
stale: As {o}, which trade fair should I go to?

@employer fact
v: Brightwater | Tessera Labs | the harbour office | Holloway and Finch | the Marlow Institute | Quillo | Nordlys Energy | Graincraft | St Bride's | the city archive
say: My employer is {v}. => Employed by {v}
say: I'm on the payroll of {v}. => On the payroll of {v}
say: {v} is where I spend my working days. => Spends the working days at {v}
new: The canteen at {v} does a decent soup. => Eats in the canteen at {v}, decent soup
new: My boss at {v} lets me work from home on Fridays. => Boss at {v} allows home working on Fridays
link: I handed in my notice at {o} and joined {v}. => Joined {v} after giving notice at {o}
link: After the lay-offs at {o} I was taken on by {v}. => Taken on by {v} after lay-offs at {o}
again: Another meeting at {v} that could have been a letter.
ask: Which company employs me? | Who is my employer?
far: Whose name is at the top of my payslip? | Whose badge do I wear on weekdays?
stale: Now that {o} still pays my salary, whom there do I ask about leave?

@partner fact standing
v: Marius | Helena | Robin | Tamsin | Andrej | Carys | Emil | Joanna | Niall | Saskia
say: My partner is called {v}. => Partner is {v}
say: {v} and I have been a couple for a while. => In a couple with {v}
say: I'm together with {v}. => Together with {v}
new: {v}, whom I'm going out with, met my parents on Sunday. => Going out with {v}, who met the parents
new: Dinner by candlelight with {v}, I'm very much in love. => In love with {v}
link: {o} and I split up; I'm seeing {v}. => Seeing {v}; split up with {o}
link: It's over with {o}. {v} is my partner now. => Partner is {v}; it is over with {o}
again: {v} sends you greetings, we're on the sofa.
ask: Who is my partner? | What is my other half called?
far: For whom should I order flowers on Valentine's Day? | Whose toothbrush stands beside mine?
stale: What could I give {o} for our anniversary as a couple?

@car fact
v: a grey Volvo | a rusty Panda | an electric Renault | a green Mini | a white Dacia | a red Skoda | an old Land Rover | a blue Corsa | a silver Jazz
say: I drive {v}. => Drives {v}
say: My car is {v}. => Car is {v}
say: Outside my door stands {v}, and it's mine. => Owns {v}
new: Filled in the insurance form for {v}; number plate and all. => Insured {v}
new: {v} turns out to be the best thing to sit in on a long drive, I love mine. => Loves driving {v}
link: I traded {o} in for {v}. => Drives {v}, traded in {o}
link: I sold {o} and bought {v}. => Bought {v}, sold {o}
again: Took the car through the wash; {v} never looked so clean.
ask: What car do I drive? | Which car have I got?
far: What should a friend look out for when I pick them up at the kerb? | On what four wheels do I get about?
stale: How often should I service {o} that I drive?

@phone fact
v: a Fairphone | a Pixel | a Nokia | an iPhone mini | a Galaxy | a Motorola | an Xperia | a OnePlus
say: My phone is {v}. => Phone is {v}
say: I make my calls on {v}. => Makes calls on {v}
say: The phone in my pocket is {v}. => Carries {v}
new: The camera on {v} is far better than I'd hoped, I shot the whole walk on it. => Takes photos with {v}
new: Spent the evening moving my contacts onto {v}. => Moved the contacts onto {v}
link: The phone I had, {o}, fell into the canal, so now it's {v}. => Has {v} since {o} fell into the canal
link: I replaced {o} with {v}. => Replaced {o} with {v}
again: Typing this on {v} as always.
ask: Which phone do I have? | What phone do I use?
far: What kind of charger or case would fit the thing I call people with? | Which handset is mine?
stale: How do I free up space on {o} that I carry around?

@pet fact
v: a greyhound called Biscuit | a cat called Nelson | a rabbit called Thistle | a beagle called Juno | a tortoise called Admiral | a spaniel called Otter | a parrot called Verdi | a terrier called Pim
say: The only animal at home is {v}. => Only animal at home is {v}
say: I have {v}, nothing else with fur or feathers. => Has one pet, {v}
new: Only one bowl to fill in my kitchen: {v}. => Fills one bowl, for {v}
new: The vet has opened a file for my one and only pet, {v}. => One and only pet is {v}, known to the vet
link: After {o} died I took in {v}. => Has {v} since {o} died
link: {o} went to live with my parents; now I keep {v}. => Keeps {v}; {o} went to the parents
again: Home late, and my pet, {v}, was cross.
ask: What pet do I have? | What is my animal called?
far: Who has to be fed when I'm away? | Which creature waits for me behind the door?
stale: What should I feed {o} I have at home?

@sport fact
v: climbing | water polo | badminton | fencing | judo | rowing | table tennis | netball | archery | squash
say: My sport is {v}. => Sport is {v}
say: I keep fit with {v}. => Keeps fit with {v}
say: The one sport I do is {v}. => Only sport is {v}
new: My whole arm hurts from {v}, the only exercise I get. => Only exercise is {v}
new: I paid the yearly fee for {v}, and that's my sport budget gone. => Paid the yearly fee for {v}
link: I dropped {o} and took up {v}. => Took up {v}, dropped {o}
link: No more {o} for me, it's {v} instead. => Does {v} instead of {o}
again: Good session of {v} tonight.
ask: Which sport do I do? | What is my sport?
far: How do I get out of breath in my spare time? | What makes my muscles ache?
stale: As I do {o} every week, what should I eat before it?

@class_day fact
v: Monday | Tuesday | Wednesday | Thursday | Friday | Saturday
say: My pottery class is on {v}s. => Pottery class is on {v}s
say: On {v} evenings I have pottery. => Pottery on {v} evenings
new: I can't do {v} evenings, the kiln course keeps me busy then. => Busy at the kiln course on {v} evenings
new: {v}s end with clay under my nails. => Clay course ends each {v}
link: Pottery moved from {o} to {v}. => Pottery class moved from {o} to {v}
link: The pottery class isn't on {o} any more but on {v}. => Pottery class is on {v}, no longer on {o}
again: Off to the wheel again, as every {v}.
ask: On which day is my pottery class? | When in the week do I have pottery?
far: Which evening should nobody invite me, because of the clay? | When do I sit at the wheel?
stale: As pottery falls on {o}, can I book a dinner on the day after?

@diet preference
v: vegetarian | vegan | pescatarian | low-carb | gluten-free | Mediterranean | sugar-free
say: My diet is {v}. => Diet is {v}
say: I eat {v}, and I mean it. => Eats {v}
new: My fridge is all {v} by the look of it, and I feel well. => Fridge is all {v}, feels well
new: The waiter had to explain the menu, I asked for {v} of course. => Asks for {v} in restaurants
link: I stopped eating {o}; it's {v} for me. => Eats {v}, stopped eating {o}
link: From {o} to {v}: the doctor was pleased with the change. => Changed the diet from {o} to {v}
again: Cooked something {v} again, the usual.
ask: What is my diet? | How do I eat?
far: What does a host have to mind when I come to dinner? | Which page of the cookbook is for me?
stale: Because I eat {o}, what should I put in my lunch box?

@doctor fact
v: Dr Okafor | Dr Lindqvist | Dr Moreau | Dr Hashimoto | Dr Petrov | Dr Achterberg | Dr Castell | Dr Nwosu
say: My GP is {v}. => GP is {v}
say: I'm a patient of {v}. => Patient of {v}
new: {v} measured my blood pressure and had time for a chat. => Had blood pressure taken by {v}
new: I need a repeat prescription, the surgery of {v} opens at eight. => Gets prescriptions from the surgery of {v}
link: {o} retired and {v} took me on. => GP is {v} since {o} retired
link: I changed from {o} to {v}, closer to my door. => Changed GP from {o} to {v}
again: Waited half an hour at the surgery of {v}.
ask: Who is my GP? | Which doctor do I go to?
far: Who should be called if I come down with a fever? | Whose waiting room do I sit in?
stale: I'll ring {o}, my GP. What should I have at hand?

@team preference
v: Hibs | Hearts | Partick Thistle | Motherwell | St Mirren | Raith Rovers | Arbroath | Queen's Park
say: The club I support is {v}. => Supports {v}
say: I'm a fan of {v}. => Fan of {v}
new: Got a season ticket, right behind the goal of {v}. => Has a season ticket for {v}
new: My scarf says {v}, loud and clear. => Wears a scarf of {v}
link: I'm done with {o}, my heart belongs to {v}. => Fan of {v}, done with {o}
link: I switched sides: {v} in place of {o}. => Supports {v} in place of {o}
again: {v} lost again, I'll live.
ask: Which football club do I support? | Who is my team?
far: Whose result ruins my Saturday? | Which colours hang above my bed?
stale: As a fan of {o}, which away match should I see?

@drink preference
v: flat white | jasmine tea | oat latte | espresso | ginger tea | hot chocolate | earl grey | rooibos
say: My favourite drink in the morning is {v}. => Favourite morning drink is {v}
say: Nothing gets me going like {v}. => Needs {v} to get going
new: Ran out of what I need at breakfast: {v}. => Needs {v} at breakfast
new: The first thing that touches my lips each day is {v}. => First thing each day is {v}
link: I've gone off {o}, mornings are for {v}. => Prefers {v} in the morning, gone off {o}
link: {v} has replaced {o} at my breakfast. => Drinks {v} at breakfast in place of {o}
again: Cup of {v} in hand, good morning.
ask: What do I like to drink in the morning? | What is my favourite morning drink?
far: What should steam in my mug when I wake up? | How could somebody cheer me up before work?
stale: I start every day with {o}; which biscuits go with it?

@band preference
v: Lankum | Big Thief | Massive Attack | the Cure | Nina Simone | Sigur Rós | Fela Kuti | Mogwai | Portishead
say: My favourite music is by {v}. => Favourite music is by {v}
say: I like nobody's records better than those of {v}. => Likes the records of {v} best
new: If I could keep one record only, it would be by {v}. => Would keep a record by {v} above all
new: Number one of my year in music, by far: {v}. => Number one in music is {v}
link: {o} bores me these days, {v} is my favourite. => Favourite is {v}, bored by {o}
link: I've moved on from {o} to {v} as my favourite. => Favourite moved from {o} to {v}
again: Had {v} on all evening.
ask: Whose music do I like best? | Which band is my favourite?
far: What is likely to come out of my loudspeakers? | Which concert ticket would make me weep with joy?
stale: With {o} as my favourite, what else should I hear?

@language goal
v: Portuguese | Finnish | Welsh | Arabic | Korean | Greek | Swahili | Polish | Japanese
say: I'm learning {v}. => Learning {v}
say: The language I study is {v}. => Studies {v}
new: Ten new words of {v} a day, that's my plan for this year. => Learns ten words of {v} a day
new: The grammar of {v} is giving me headaches in class. => Struggles with the grammar of {v} in class
link: I gave up {o} and started {v}. => Started {v}, gave up {o}
link: My teacher of {o} left, so I'm learning {v} instead. => Learning {v} instead of {o}
again: Half an hour of {v} done for today.
ask: Which language am I learning? | What language do I study?
far: In what tongue will I soon order my dinner? | Whose grammar am I wrestling with?
stale: How long until I'm fluent in {o}, which I'm studying?

@alarm fact
v: 5:15 | 5:45 | 6:10 | 6:30 | 6:50 | 7:20 | 7:45 | 8:10
say: My alarm goes off at {v}. => Alarm goes off at {v}
say: I get up at {v} on weekdays. => Gets up at {v} on weekdays
new: Still dark when the bell tears me out of bed at {v}. => Torn out of bed at {v}
new: By {v} I'm in the shower, half asleep. => In the shower by {v}
link: I moved the alarm from {o} to {v}. => Moved the alarm from {o} to {v}
link: No more getting up at {o}, it's {v}. => Gets up at {v}, no longer at {o}
again: {v} came round far too quickly this morning.
ask: When does my alarm go off? | At what time do I get up on weekdays?
far: From what hour on could you ring without waking me? | Am I an early bird, and how early?
stale: As I'm up at {o}, when should I go to bed for eight hours?

@commute fact
v: by bike | by bus | by tram | on foot | by train | by ferry | by scooter
say: I go to work {v}. => Goes to work {v}
say: I travel to the office {v}. => Travels to the office {v}
new: Twenty minutes {v} and I'm at my desk. => At the desk after twenty minutes {v}
new: My mornings {v} give me time to think before the day's work. => Thinks on the way to work {v}
link: I don't go to work {o} any more, I go {v}. => Goes to work {v}, no longer {o}
link: I swapped: to the office {v} where it used to be {o}. => To the office {v}, formerly {o}
again: Soaked through on my way in, {v} as ever.
ask: How do I get to work? | In what way do I travel to the office?
far: What carries me to my desk in the morning? | Why might bad weather make me late?
stale: Since I still go to work {o}, what jacket should I buy?

@cafe preference
v: the Blue Door | Café Lumen | the Copper Pot | Number Nine | the Reading Room | Brew Lab | the Old Pharmacy
say: My regular café is {v}. => Regular café is {v}
say: I'm a regular at {v}. => Regular at {v}
new: They know my order by heart at {v}. => Order is known by heart at {v}
new: You'd find me in the window seat of {v} most Saturdays. => Sits in the window seat of {v} most Saturdays
link: {o} closed down, so {v} is my regular place. => Regular place is {v} since {o} closed
link: I don't go to {o} any more; {v} has the better cake. => Goes to {v}, no longer to {o}
again: Read the paper at {v} for an hour.
ask: Which café is my regular one? | Where am I a regular?
far: Where would you look for me on an idle Saturday? | Who knows how I take my cup?
stale: I'm a regular at {o}; what could I order there for a change?

@boss fact
v: Mrs Adeyemi | Mr Falk | Ms Rourke | Mr Silva | Mrs Tanaka | Mr Brandt | Ms Devlin
say: My boss is {v}. => Boss is {v}
say: I report to {v}. => Reports to {v}
new: {v} signed off my holiday, two weeks in a row. => Holiday is signed off by {v}
new: My yearly review with {v} went well. => Had the yearly review with {v}
link: {o} has left and {v} is in charge of us. => Boss is {v} since {o} left
link: I no longer report to {o} but to {v}. => Reports to {v}, no longer to {o}
again: {v} asked for the figures twice today.
ask: Who is my boss? | To whom do I report?
far: Who decides about my pay rise? | From whom must I ask a day off?
stale: How do I tell {o}, my boss, that I'm ill?

@spare_key fact
v: under the flower pot | in the bread bin | with the greengrocer | in the toolbox | behind the mirror | in the shed | in a jam jar
say: My spare key is {v}. => Spare key is {v}
say: I keep my spare key {v}. => Keeps the spare key {v}
new: Locked out today, luckily the other key was {v}. => Found the other key {v} when locked out
new: The plumber let himself in, I told him to look {v}. => Plumber got the key that is {v}
link: I moved the spare key: not {o} but {v}. => Spare key is {v}, not {o}
link: The spare key is no longer {o}, it's {v}. => Spare key moved: {v}, no longer {o}
again: Checked that the spare key is safe {v}.
ask: Where is my spare key? | Where do I keep the spare key?
far: I'm standing in front of my locked door. What now? | How could a friend get in while I'm away?
stale: The spare key is {o}, isn't it? Is that a good hiding place?

@bank fact
v: Clydeside Bank | the Penny Union | Northbank | Firth Savings | Monarch | Tern | the Building Society
say: My bank is {v}. => Bank is {v}
say: I have my account with {v}. => Account is with {v}
new: The new card with the number of {v} arrived by post. => Got a card from {v}
new: My salary lands at {v} on the 28th. => Salary lands at {v} on the 28th
link: I closed the account with {o} and went to {v}. => Went to {v}, closed the account with {o}
link: {v} in place of {o}: the fees were too much. => Banks with {v} in place of {o}
again: The app of {v} is down again.
ask: Which bank am I with? | Where do I have my account?
far: Who lends me money for a house, most likely? | Whose logo is on my debit card?
stale: How do I complain about the fees of {o}, where my account is?

@reading fact
v: Middlemarch | Pachinko | The Summer Book | Dune | Gilead | Beloved | Piranesi | Invisible Cities | Stoner
say: The book on my bedside table is {v}. => Book on the bedside table is {v}
say: I'm reading {v} at the moment. => Reading {v}
new: Two chapters of {v} before sleep, that's my ration. => Reads two chapters of {v} before sleep
new: I'm halfway through {v} and dread the end. => Halfway through {v}
link: I finished {o} and started {v}. => Started {v} after finishing {o}
link: I put {o} aside and opened {v}. => Opened {v}, put {o} aside
again: {v} kept me awake until one.
ask: What am I reading? | Which book am I in the middle of?
far: Which story keeps me company before I fall asleep? | Where is my bookmark?
stale: How does the part of {o} that I'm in the middle of end? No, don't tell me.
"""

KEPT = """
@kin identity who
say: {R} and I talk every week. => Talks with {n} every week
say: I can always count on {r}. => Can always count on {n}
again: Had a good talk with {p}.
ask: Who is {p}? | What is {p} to me?
far: In what way is {p} connected with me?

@call_me identity standing
v: Sunny | Mac | Jo | Birdie | Teddy | Fitz | Ren | Kit | Dot | Ash
say: Please call me {v}. => Wants to be called {v}
again: It's me, {v}.
ask: What should you call me? | What name do I go by?
far: How do I like to be addressed?

@allergy health standing
v: penicillin | walnuts | latex | shellfish | bee stings | sesame | ibuprofen | kiwi
say: I'm allergic to {v}. => Allergic to {v}
say: Even a little {v} makes my throat swell. => Throat swells from {v}
again: Had to ask about {v} again because of my allergy.
ask: What am I allergic to? | Which allergy do I have?
far: What should a nurse know before treating me? | What could land me in hospital?

@condition health standing
v: asthma | migraines | a slipped disc | high blood pressure | epilepsy | diabetes | a heart murmur
say: I have {v}, since my twenties. => Has {v} since the twenties
say: My doctor treats me for {v}. => Treated for {v}
again: Trouble with {v} again.
ask: What chronic condition do I have? | What am I being treated for?
far: Why should I be careful with hard training? | What should a new doctor know about me first?

@answers instruction standing
v: in three sentences at most | without emojis | with the sources named | with metric units | in British spelling
say: Please always answer {v}. => Answers should come {v}
ask: How should your answers look? | What have I asked of your answers?
far: Do you recall my house rules for your style?

@avoid instruction standing
v: my weight | politics | my exams | money | my father | the news
say: Please don't start on {v} unless I do. => Not to start on {v} unprompted
ask: Which subject should you leave alone? | What should you not start on?
far: Is there something you'd better not bring up?

@child identity standing
v: Ella | Finn | Rosa | Noah | Mina | Theo | Ivy | Bruno
say: My child is called {v}. => Child is called {v}
say: {v} is my only child. => Only child is {v}
again: Took {v} to school on the way.
ask: What is my child called? | What's the name of my kid?
far: Whose drawings are on my fridge? | For whom do I read bedtime stories?

@mother identity standing
v: Margaret | Eileen | Fatima | Lucinda | Agnes | Rosalind | Beatriz
say: My mum's name is {v}. => Mother is {v}
again: Rang {v}, my mum, for an hour.
ask: What is my mum called? | What's my mother's name?
far: Who gave birth to me?

@degree fact
v: marine biology | civil engineering | art history | statistics | philosophy | nursing | agronomy | linguistics
say: I studied {v}. => Studied {v}
say: My degree is in {v}. => Has a degree in {v}
again: What I learned in {v} came in handy.
ask: What did I study? | What subject is my degree in?
far: Which lectures did I sit through at twenty?

@roots fact
v: Galway | Kraków | the Azores | Tbilisi | Oaxaca | Cebu | Orkney | Sarajevo
say: I grew up in {v}. => Grew up in {v}
say: My childhood was spent in {v}. => Spent the childhood in {v}
again: Dreamt of {v} and my childhood.
ask: Where did I grow up? | Where am I from originally?
far: Which place would I be homesick for?

@instrument skill
v: the cello | the accordion | the bassoon | the ukulele | the trombone | the harp | the banjo
say: I play {v}, and have since I was nine. => Plays {v} since the age of nine
say: I practise {v} on Sundays. => Practises {v} on Sundays
again: Tuned up and played {v} for an hour.
ask: Which instrument do I play? | What do I play?
far: What do my neighbours hear through the wall? | How do I make music?

@fear fact
v: heights | spiders | flying | deep water | thunderstorms | lifts | snakes
say: I'm afraid of {v}. => Afraid of {v}
say: Just thinking of {v} makes my palms sweat. => Palms sweat at the thought of {v}
again: Had to face {v} again and trembled.
ask: What am I afraid of? | What scares me?
far: Which situation would be a nightmare for me?

@shoe fact
v: 37 | 38 | 39 | 40 | 41 | 42 | 43 | 44
say: My shoe size is {v}. => Shoe size is {v}
say: I take a {v} in boots. => Takes {v} in boots
again: They were out of {v} in the shoe shop.
ask: What is my shoe size? | Which size do I take in boots?
far: How big are my feet?

@collects preference
v: fountain pens | fossils | old maps | enamel signs | tin toys | beach glass | matchboxes
say: I collect {v}. => Collects {v}
say: A whole cupboard of mine is full of {v}. => Has a cupboard full of {v}
again: Found two more {v} for the shelf.
ask: What do I collect? | What have I got a collection of?
far: What do I hunt for at flea markets?
"""

MANY = """
@bought fact 5 once
v: a brass lamp | a wool blanket | a kettle | a garden bench | a chess set | a raincoat | a toaster | a suitcase | a mirror | a bread knife
w: the flea market | the shop on Elm Street | a closing-down sale | the museum shop | an online auction | the charity shop | the hardware store
say: I bought {v} at {w}. => Bought {v} at {w}
say: {w} had {v} and I took it home. => Got {v} from {w}
again: Pleased with {v} I bought, I must say.
ask: Where did I buy {v}? | Where did I get {v} from?
far: Where should I take {v} back to if it's faulty?

@lent fact 4 who once
v: the tent | the drill | the fondue set | the rucksack | the step ladder | the bike pump | the projector | the sewing machine
say: I lent {v} to {r}. => Lent {v} to {n}
say: {p} has borrowed {v} from me. => {p} has borrowed {v}
again: Still waiting for {p} to bring back {v}.
ask: To whom did I lend {v}? | Who has {v}?
far: Whom should I remind, because I want {v} back?

@visited fact 5 who once
v: Lyon | Ghent | Bergen | Porto | Graz | Tallinn | Bologna | Aarhus | Cork | Valencia
say: I was in {v} for a weekend with {r}. => Spent a weekend in {v} with {n}
say: {p} and I took a trip to {v}. => Took a trip to {v} with {p}
again: Looked at the photos from {v} again.
ask: With whom did I go to {v}? | Who came along to {v}?
far: Who would have pictures of me from {v}?

@side_job fact 1
v: a museum guide | a choir singer for hire | a swimming instructor | a proofreader | a market gardener
say: On Saturdays I also earn a bit as {v}, beside my main job. => Also earns a bit as {v} on Saturdays, beside the main job
again: Saturday work as {v} was fun.
ask: What do I do on the side? | What is my second job?
far: Where does my pocket money come from at the weekend?

@second_sport fact 1
v: chess boxing | curling | croquet | surfing | darts
say: As well as my usual sport I sometimes go and try {v}. => Sometimes tries {v} as well as the usual sport
again: Tried {v} once more, for a laugh.
ask: What else do I sometimes try besides my sport? | Which second sport do I do now and then?
far: What do I do for a laugh when I need to move?

@old_phone fact 1
v: a flip phone | a BlackBerry | a cheap Alcatel
say: For work I carry {v} besides my own phone. => Carries {v} for work besides the own phone
again: The work phone, {v}, rang at dinner.
ask: What is my work phone? | Which phone do I carry for work?
far: What rings at dinner when the office wants me?

@second_home fact 1
v: Oban | Pitlochry | Ullapool | Crail
say: My family also has a hut in {v}, where we spend the summers. => Family has a summer hut in {v}
again: Two days at the hut in {v}, bliss.
ask: Where is my family's hut? | Where do we spend the summers?
far: Where could I hide for a week in July without paying for a hotel?

@their_home fact 3 who
v: Lyme Regis | Norwich | Swansea | Inverness | Truro | Lincoln | Whitby | Hull
say: {R} lives in {v}. => {n} lives in {v}
say: {p}'s house in {v} has a garden. => {p}'s house in {v} has a garden
again: Rang {p} in {v} and we talked for ages.
ask: Where does {p} live? | In which town is {p}'s house?
far: Where would I address a postcard to {p}?

@their_job fact 3 who
v: an anaesthetist | a beekeeper | a notary | a welder | a cartoonist | a glazier | a weather forecaster
say: {R} works as {v}. => {n} works as {v}
say: {p} is {v} and loves it. => {p} is {v} and loves it
again: {p} told me stories from the job as {v}.
ask: What does {p} do for a living? | What is {p}'s job?
far: How does {p} pay the rent?

@their_car fact 2 who
v: a yellow Beetle | a black Tesla | a pink Fiat | a camper van | a three-wheeler
say: {R} drives {v}. => {n} drives {v}
again: {p} gave me a lift in that car, {v}.
ask: What does {p} drive? | Which car does {p} have?
far: What should I look out for when {p} picks me up?

@their_pet fact 2 who
v: two guinea pigs | a goose | a python | a donkey | a dachshund | six hens
say: {R} keeps {v}. => {n} keeps {v}
again: {p}'s house smells of {v}, but I like it.
ask: What animals does {p} keep? | What pet does {p} have?
far: What should I be ready for at {p}'s place, being greeted?

@their_team preference 2 who
v: Celtic | Rangers | Aberdeen | Kilmarnock | Livingston
say: {R} supports {v}, poor soul. => {n} supports {v}
again: {p} wore the shirt of {v} again.
ask: Which club does {p} support? | What is {p}'s team?
far: Whose defeat should I not mention to {p}?

@their_drink preference 2 who
v: black coffee | peppermint tea | chai | barley water | buttermilk
say: {R} drinks nothing but {v} in the morning. => {n} drinks nothing but {v} in the morning
again: Made {v} for {p}.
ask: What does {p} drink in the morning? | What is {p}'s morning drink?
far: What should I have in the house when {p} stays over?

@their_birthday event 3 who yearly
say: {R} has a birthday on {d}. => {n} has a birthday on {d}
again: Must not forget {p}'s birthday.
ask: When is {p}'s birthday? | On which day does {p} celebrate?
far: By when should I have wrapped something for {p}?

@their_diet preference 2 who
v: mushrooms | lamb | coriander | anything with eggs | blue cheese
say: {R} won't eat {v}. => {n} won't eat {v}
again: Left out {v}, because {p} came.
ask: What won't {p} eat? | Which food does {p} refuse?
far: What must I leave out when I cook for {p}?

@likes preference 5
v: crossword puzzles | brutalist buildings | walking in fog | detective series | pub quizzes | rhubarb crumble | folk dancing | stargazing | sour sweets | early trains
w: my grandfather did too | nothing calms me more | don't ask me why | I blame my school days
say: I like {v}; {w}. => Likes {v}
say: I've always had a soft spot for {v}. => Has a soft spot for {v}
again: Had my fill of {v} today, lovely.
ask: Do I like {v}? | What do I think of {v}?
far: Would I be happy about a present to do with {v}?

@dislikes preference 4
v: olives | karaoke | leaf blowers | marzipan | open-plan offices | musicals | celery | small talk in lifts
say: I can't stand {v}. => Can't stand {v}
say: {v}? Not for me, thanks. => Dislikes {v}
again: Somebody came with {v}, ugh.
ask: What do I think of {v}? | Do I like {v}?
far: Would you recommend me anything with {v}?

@cooked fact 3 who once
v: a fish pie | mushroom risotto | lentil soup | a plum tart | dumplings | a vegetable curry | shakshuka
say: I cooked {v} for {r}. => Cooked {v} for {n}
again: The recipe for {v} is worth keeping.
ask: For whom did I cook {v}? | Who got {v} from me?
far: Who could say how my {v} tastes?

@watched fact 4 once
v: Stalker | Paddington | Local Hero | Amélie | Parasite | Moonstruck | Brief Encounter | The Third Man
w: fell asleep halfway | cried at the end | laughed out loud | didn't get the fuss | wanted to see it again at once
say: I watched {v} and {w}. => Watched {v} and {w}
again: Somebody mentioned {v} today, I had to think of that evening.
ask: How did I find {v}? | What was {v} like for me?
far: Should I see {v} a second time?

@gift fact 3 who once
v: a thermos | a silk scarf | a compass | a cookbook | a fern | a pocket knife | a puzzle
say: {R} gave me {v}. => Got {v} from {n}
again: Used {v} again, such a good present.
ask: From whom did I get {v}? | Who gave me {v}?
far: Whom should I thank for {v}?

@repair fact 4 once
v: the dishwasher | the boiler | the bike | the radio | the front door | the washing machine | the skylight
w: rust | old age | a loose screw | a worn-out part | the damp
say: {v} gave up; it was down to {w}. => {v} gave up because of {w}
again: {v} has worked without complaint since.
ask: What was wrong with {v}? | Why did {v} give up?
far: If {v} acts up again, what should I check first?

@price fact 3 once
v: the sofa | the winter coat | the bicycle | the guitar | the fridge | the carpet
w: £85 | £140 | £260 | £390 | £520 | £675
say: I paid {w} for {v}. => Paid {w} for {v}
again: {v} was worth the money.
ask: How much did I pay for {v}? | What did {v} cost me?
far: What should I put on the insurance form as the value of {v}?

@tip fact 3 who once
v: a podcast about bridges | a walk along the Esk | a dentist in Gorgie | a sourdough course | a novel about whales | a Thai place
say: {R} recommended {v} to me. => {n} recommended {v}
again: Keep meaning to follow up on {v}.
ask: Who recommended {v}? | Whose tip was {v}?
far: Whom do I tell how I liked {v}?

@trip event 4 date once
v: the driving test | the concert in the park | the school reunion | the train to Vienna | the eye test | the choir's show | the wine tasting | the flat inspection
say: {v} is on {d}. => {v}: {d}
say: I've put {v} in the diary for {d}. => {v} is in the diary for {d}
again: Thinking about {v} a lot.
ask: What date is set for {v}? | On which date do I have {v} in the diary?
far: Which day is, or was, taken up by {v}?

@wedding event 3 who date once
v: wedding | house-warming | retirement party | graduation | farewell do
say: {p}'s {v} is on {d}, and I'm invited. => Invited to {p}'s {v} on {d}
again: Still need something to wear for {p}'s {v}.
ask: When is the date of {p}'s {v}? | On which date is {p}'s {v}?
far: For what day do I need a smart outfit because of {p}?

@todo todo 6 due once
v: renew the passport | return the library books | send in the tax form | book the ferry | cancel the gym trial | have the chimney swept | order the contact lenses | pay the parking fine | water the neighbour's plants
say: I have to {v} by {d}. => To do by {d}: {v}
again: I really must {v}.
ask: By when do I have to {v}? | What was the deadline to {v}?
far: How urgent is it for me to {v}?

@mood context 8 once
v: a heavy cold | a stiff neck | toothache | a blister on the heel | hay fever | a sore throat | a bruised toe | no voice | a twisted ankle | a rash on the arm
w: from the long walk | from an evening in the rain | from too little sleep | from the draught on the train
say: I've got {v} {w}. => Has {v} {w}
again: Still not quite rid of it, {v} I mean.
ask: How did I come by {v}? | Where did I get {v} from?
far: What was behind {v} I had?

@busy context 6 once
v: painting the hall | sorting my tax papers | a visit of the auditors | the move of the office | a broken lift | road works outside | the builders upstairs | a power cut
w: I hardly sleep | I eat out every day | I work in the library | I'm in a foul mood
say: This week it's {v}, so {w}. => Busy week with {v}: {w}
again: Glad when {v} is over.
ask: What did {v} do to me? | How did I cope with {v}?
far: What came of the week with {v}, for my daily life?
"""
