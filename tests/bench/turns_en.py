"""Two hundred English turns that call for no memory, twenty of a kind.

The later kinds are the hard ones: they share words with what people have remembered (cats, sisters, allergies, work),
and still ask nothing of their life.
"""

TURNS: dict[str, str] = {
    "greetings": """
hey
hi there!
good morning
good night, sleep well
how are you?
how's it going?
what's up?
hello again
morning! slept alright?
good evening
see you later
bye!
talk to you tomorrow
happy new year!
have a nice weekend
back again
I'm back, sorry
just checking in
anyone there?
long time no see
""",
    "thanks": """
I'm fine, thanks
thanks a lot!
thank you so much
thanks, that helps
cheers
you are so kind
much appreciated
thank you for listening
thanks anyway
no thanks, I'm good
that was really useful, thank you
you're the best
thanks for the explanation
great, thanks for your patience
ta
that's all for now, thank you
many thanks, I'll try that
thanks, and sorry for all the questions
thanks for cheering me up
I knew I could count on you, thanks
""",
    "nods": """
haha that's funny
lol
ok
okay, got it
sure
no problem
you're right
I see
that makes sense
really?
wow, amazing!
hmm, not sure
never mind
yes please
no, not that one
awesome, I love it
great idea
fair enough
exactly
if you say so
""",
    "moods": """
I'm bored
I'm so tired today
work was long today
I need a coffee
I can't sleep
I had a weird dream
my head hurts a little
that's sad to hear
fingers crossed
guess what happened
it was nothing special
I just woke up
I'm going to bed
I feel a bit lonely tonight
today was a good day
I laughed so hard just now
I'm a little nervous
nothing works today
finally the weekend!
I'm in a great mood
""",
    "comments": """
could you repeat that?
can you say that more simply?
make it shorter please
that's not what I meant
can you give an example?
your last answer was too long
I don't understand the second part
are you sure about that?
where did you get that from?
that was well put
please go on
stop, that's enough
you already said that
wait, what?
can you put that in a table?
now the same in a more formal tone
I disagree with your last point
why did you write it in capitals?
sorry, wrong window
let's talk about something else
""",
    "weather": """
it's raining again
what a beautiful day
the weather is awful
will it ever stop snowing?
it's freezing outside
so windy today
looks like a thunderstorm is coming
too hot to think
the sky is bright orange right now
traffic was terrible this morning
the bus was late again
there's a power cut on our street
the neighbours are drilling again
that movie was so long
the queue at the post office was endless
brb, phone is ringing
one moment please
somebody is at the door
my tea got cold
the lift is out of order
""",
    "the assistant": """
can you help me with something?
what can you do?
are you a robot?
do you have feelings?
who made you?
do you ever sleep?
what language do you speak?
can you see me?
which model are you?
do you like music?
are you better than other chatbots?
how old are you?
what's your favourite colour?
do you get bored?
can you keep a secret?
tell me about yourself
do you dream?
what do you look like?
can you speak out loud?
are you listening?
""",
    "the world": """
what is the capital of Australia?
why is the sky blue?
explain photosynthesis in one sentence
who wrote Hamlet?
what does "serendipity" mean?
how do I boil an egg?
who painted the Mona Lisa?
how far is the moon?
what causes peanut allergies in general?
is coriander the same as cilantro?
how long do cats live on average?
which country does ramen come from?
how does a violin make its sound?
who founded the company Volvo?
what is the population of Lisbon?
how do dentists fill a tooth?
when did people begin to run marathons?
what do bakers put into sourdough?
is a nurse allowed to prescribe medicine in Canada?
why do dogs wag their tails?
""",
    "requests": """
tell me a joke
tell me a story
what's 17 times 23?
write a haiku about the sea
translate "good luck" into French
how do I reverse a list in Python?
give me a synonym for happy
what is the square root of 144?
convert 5 miles to kilometres
write a limerick about a cat who works in a bank
make up a riddle about a train
translate "my sister lives near the canal" into Spanish
how do you spell "grandmother"?
write a regular expression that matches a birthday like 04-07
correct this sentence: he go to work by train every morning
write an SQL query that counts the cars by colour
tell me a joke about vegetarians
what rhymes with piano?
sum up the plot of Middlemarch in one line
give me three names for a goldfish in a novel
""",
    "tricky": """
what time is it?
what day is it today?
I'll think about it
it was the dog, obviously, haha
my goodness, what a story
a friend of mine says hi
let's play a word game: I say book, you say page
imagine you were a doctor in a film
say something in the voice of an old sailor
pick a number between one and ten
heads or tails?
do people really like pineapple on pizza?
they are building a new hospital in the next town, says the paper
I read that chess is popular again
some people just can't cook
life is short
home sweet home, as they say
money isn't everything
work hard, play hard, right?
who doesn't like a good holiday?
""",
}
