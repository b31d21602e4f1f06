"""English expressions of time, each with its span as seen from Wednesday, 11 February 2026, 10:00; "-" is none."""

# ruff: noqa: SIM905 - words read as words

TIMES = """
what did I do on Monday?                          | 2026-02-09 | 2026-02-10
what did I do on Wednesday?                       | 2026-02-04 | 2026-02-05
did I do this Monday what I had planned?          | 2026-02-16 | 2026-02-17
what did I do this Monday?                        | 2026-02-09 | 2026-02-10
what am I doing on Sunday?                        | 2026-02-15 | 2026-02-16
see you Friday                                    | 2026-02-13 | 2026-02-14
what happened Friday night?                       | 2026-02-06 18:00 | 2026-02-07 05:00
what did I do yesterday evening?                  | 2026-02-10 17:00 | 2026-02-11 00:00
what did I eat yesterday morning?                 | 2026-02-10 05:00 | 2026-02-10 12:00
where was I last night?                           | 2026-02-10 18:00 | 2026-02-11 05:00
what did I tell you this morning?                 | 2026-02-11 05:00 | 2026-02-11 12:00
what's on this afternoon?                         | 2026-02-11 12:00 | 2026-02-12 00:00
what's on tonight?                                | 2026-02-11 18:00 | 2026-02-12 05:00
what do I have tomorrow morning?                  | 2026-02-12 05:00 | 2026-02-13 00:00
what is on tomorrow evening?                      | 2026-02-12 17:00 | 2026-02-13 00:00
what did I do on Friday afternoon?                | 2026-02-06 12:00 | 2026-02-06 18:00
on the morning of 3 May 2024                      | 2024-05-03 05:00 | 2024-05-03 12:00
the night before last                             | 2026-02-09 18:00 | 2026-02-10 05:00
where did I go the weekend before last?           | 2026-01-31 | 2026-02-02
what did I do the week before last?               | 2026-01-26 | 2026-02-02
the month before last                             | 2025-12-01 | 2026-01-01
the year before last                              | 2024-01-01 | 2025-01-01
the summer before last                            | 2024-06-01 | 2024-09-01
the week after next                               | 2026-02-23 | 2026-03-02
who did I meet two Fridays ago?                   | 2026-01-30 | 2026-01-31
two weekends ago                                  | 2026-01-31 | 2026-02-02
three Christmases ago                             | 2023-12-24 | 2023-12-27
three summers ago                                 | 2023-06-01 | 2023-09-01
a week ago                                        | 2026-02-02 | 2026-02-09
a fortnight ago                                   | 2026-01-26 | 2026-02-02
a couple of weeks ago                             | 2026-01-26 | 2026-02-02
about two weeks ago                               | 2026-01-26 | 2026-02-02
a few days ago                                    | 2026-02-06 | 2026-02-10
a year and a half ago                             | 2024-07-01 | 2024-10-01
half a year ago                                   | 2025-07-01 | 2025-10-01
two and a half years ago                          | 2023-07-01 | 2023-10-01
fifteen months ago                                | 2024-11-01 | 2024-12-01
twenty years ago                                  | 2006-01-01 | 2007-01-01
an hour ago                                       | 2026-02-11 08:00 | 2026-02-11 10:00
three hours ago                                   | 2026-02-11 06:00 | 2026-02-11 08:00
10 days from now                                  | 2026-02-21 | 2026-02-22
in 10 days                                        | 2026-02-21 | 2026-02-22
in two weeks' time                                | 2026-02-23 | 2026-03-02
in a month's time                                 | 2026-03-01 | 2026-04-01
within three days                                 | 2026-02-11 10:00 | 2026-02-15
within the next week                              | 2026-02-16 | 2026-02-23
in the next two weeks                             | 2026-02-11 10:00 | 2026-02-26
what is due next week?                            | 2026-02-16 | 2026-02-23
in the last three days                            | 2026-02-08 | 2026-02-11 10:00:01
over the past week                                | 2026-02-04 | 2026-02-11 10:00:01
during the past two months                        | 2025-12-13 | 2026-02-11 10:00:01
this past weekend                                 | 2026-02-07 | 2026-02-09
the coming weekend                                | 2026-02-14 | 2026-02-16
this coming Friday                                | 2026-02-13 | 2026-02-14
this week                                         | 2026-02-09 | 2026-02-16
this month                                        | 2026-02-01 | 2026-03-01
last quarter                                      | 2025-10-01 | 2026-01-01
in Q3                                             | 2025-07-01 | 2025-10-01
Q3 2024                                           | 2024-07-01 | 2024-10-01
what is planned for Q3?                           | 2026-07-01 | 2026-10-01
the second quarter of 2024                        | 2024-04-01 | 2024-07-01
the second half of 2024                           | 2024-07-01 | 2025-01-01
H1 2024                                           | 2024-01-01 | 2024-07-01
in early March                                    | 2025-03-01 | 2025-03-11
in mid-March                                      | 2025-03-11 | 2025-03-21
in late March                                     | 2025-03-21 | 2025-04-01
at the end of March                               | 2025-03-21 | 2025-04-01
at the beginning of last month                    | 2026-01-01 | 2026-01-11
at the end of last month                          | 2026-01-21 | 2026-02-01
at the end of last year                           | 2025-11-01 | 2026-01-01
early last year                                   | 2025-01-01 | 2025-05-01
late 2023                                         | 2023-09-01 | 2024-01-01
in early 2024                                     | 2024-01-01 | 2024-05-01
what do I have to do by the end of the month?     | 2026-02-11 10:00 | 2026-03-01
late last summer                                  | 2025-08-01 | 2025-09-01
last summer                                       | 2025-06-01 | 2025-09-01
last spring                                       | 2025-03-01 | 2025-06-01
in the summer of 2024                             | 2024-06-01 | 2024-09-01
summer 2024                                       | 2024-06-01 | 2024-09-01
where did we go in the summer?                    | 2025-06-01 | 2025-09-01
where will we go in the summer?                   | 2026-06-01 | 2026-09-01
in the 90s                                        | 1990-01-01 | 2000-01-01
in the early 90s                                  | 1990-01-01 | 1993-05-01
in the 1980s                                      | 1980-01-01 | 1990-01-01
in the nineties                                   | 1990-01-01 | 2000-01-01
in March 2024                                     | 2024-03-01 | 2024-04-01
March 2024                                        | 2024-03-01 | 2024-04-01
in March last year                                | 2025-03-01 | 2025-04-01
last March                                        | 2025-03-01 | 2025-04-01
next March                                        | 2026-03-01 | 2026-04-01
this January                                      | 2026-01-01 | 2026-02-01
what did I do in February?                        | 2026-02-01 | 2026-03-01
in May                                            | 2025-05-01 | 2025-06-01
what is planned for May 3?                        | 2026-05-03 | 2026-05-04
the third of May                                  | 2025-05-03 | 2025-05-04
on May the 3rd                                    | 2025-05-03 | 2025-05-04
on the 3rd of last month                          | 2026-01-03 | 2026-01-04
on the 15th of last month                         | 2026-01-15 | 2026-01-16
what did I do on the 3rd?                         | 2026-02-03 | 2026-02-04
what about the 3rd?                               | 2026-03-03 | 2026-03-04
what did I do on the 31st?                        | 2026-01-31 | 2026-02-01
on 29 February                                    | 2024-02-29 | 2024-03-01
on 2024/4/6                                       | 2024-04-06 | 2024-04-07
on 31/12                                          | 2025-12-31 | 2026-01-01
on Friday, 13 March 2020                          | 2020-03-13 | 2020-03-14
the week of 3 March                               | 2025-03-03 | 2025-03-10
the first week of March                           | 2025-03-01 | 2025-03-10
the last week of January                          | 2026-01-25 | 2026-02-01
the first Monday of last month                    | 2026-01-05 | 2026-01-06
the last Friday in January                        | 2026-01-30 | 2026-01-31
the second weekend of January                     | 2026-01-10 | 2026-01-12
Friday last week                                  | 2026-02-06 | 2026-02-07
on Tuesday of next week                           | 2026-02-17 | 2026-02-18
the Friday before last                            | 2026-01-30 | 2026-01-31
between 3 and 10 May                              | 2025-05-03 | 2025-05-11
from 3 to 10 May 2024                             | 2024-05-03 | 2024-05-11
May 3-10                                          | 2025-05-03 | 2025-05-11
from 28 April to 3 May                            | 2025-04-28 | 2025-05-04
between March and May                             | 2025-03-01 | 2025-06-01
from March to May 2024                            | 2024-03-01 | 2024-06-01
from November to January                          | 2025-11-01 | 2026-02-01
what did I do from Monday to Wednesday?           | 2026-02-09 | 2026-02-12
what do I have from Monday to Wednesday?          | 2026-02-16 | 2026-02-19
from last Monday to Wednesday                     | 2026-02-09 | 2026-02-12
between 2019 and 2021                             | 2019-01-01 | 2022-01-01
from 2019 to 2021                                 | 2019-01-01 | 2022-01-01
from March until now                              | 2025-03-01 | 2026-02-11 10:00:01
from yesterday to tomorrow                        | 2026-02-10 | 2026-02-13
since March                                       | 2025-03-01 | 2026-02-11 10:00:01
what have I done since Monday?                    | 2026-02-09 | 2026-02-11 10:00:01
since last year                                   | 2025-01-01 | 2026-02-11 10:00:01
since 2020                                        | 2020-01-01 | 2026-02-11 10:00:01
what is due by Friday?                            | 2026-02-11 10:00 | 2026-02-14
what must I do before Friday?                     | 2026-02-11 10:00 | 2026-02-13
what did I do before Christmas?                   | 2025-11-24 | 2025-12-24
what did I do after Christmas?                    | 2025-12-27 | 2026-01-26
the week before Christmas                         | 2025-12-17 | 2025-12-24
the day after Christmas Day                       | 2025-12-26 | 2025-12-27
two days before Christmas Eve                     | 2025-12-22 | 2025-12-23
the week before 3 August 2025                     | 2025-07-27 | 2025-08-04
the Sunday before 25 October 2022                 | 2022-10-23 | 2022-10-26
the Friday after Christmas                        | 2026-01-02 | 2026-01-03
the weekend before Christmas                      | 2025-12-20 | 2025-12-22
on December 1,2023                                | 2023-12-01 | 2023-12-02
from March on                                     | 2025-03-01 | 2026-02-11 10:00:01
around Christmas                                  | 2025-12-21 | 2025-12-30
last Christmas                                    | 2025-12-24 | 2025-12-27
what shall we do at Christmas?                    | 2026-12-24 | 2026-12-27
Christmas 2023                                    | 2023-12-24 | 2023-12-27
Christmas Eve last year                           | 2025-12-24 | 2025-12-25
what did we do on New Year's Eve?                 | 2025-12-31 | 2026-01-01
where were we at Easter?                          | 2025-04-18 | 2025-04-22
next Easter                                       | 2026-04-03 | 2026-04-07
what did I cook for Thanksgiving?                 | 2025-11-27 | 2025-12-01
what did I buy on Black Friday?                   | 2025-11-28 | 2025-11-29
what are we doing on Valentine's Day?             | 2026-02-14 | 2026-02-15
who came at Halloween?                            | 2025-10-31 | 2025-11-01
what did I give her for Mother's Day?             | 2025-05-11 | 2025-05-12
where were we at Chinese New Year?                | 2025-01-28 | 2025-02-05
what did we do at the Mid-Autumn Festival?        | 2025-10-06 | 2025-10-07
on the Fourth of July                             | 2025-07-04 | 2025-07-05
on Good Friday                                    | 2025-04-18 | 2025-04-19
a week on Friday                                  | 2026-02-20 | 2026-02-21
I went there in 2019 and never since              | 2019-01-01 | 2020-01-01
what did we do over New Year?                     | 2025-12-31 | 2026-01-02
what did I do on Saturday and Sunday?             | 2026-02-07 | 2026-02-09
what did I say yesterday about my plan for 2027?  | 2026-02-10 | 2026-02-11
May I ask you something?                          | - | -
may 12 people come?                               | - | -
march with me                                     | - | -
she bought it second-hand                         | - | -
TGI Fridays was nice                              | - | -
one day I will go                                 | - | -
how are you these days?                           | - | -
after my trip                                     | - | -
the day after                                     | - | -
my office is on the 3rd floor                     | - | -
I want the 3rd one                                | - | -
what do I do every Friday?                        | - | -
do I play tennis on Fridays?                      | - | -
where do we buy our Christmas tree?               | - | -
is there an Easter egg?                           | - | -
how many hours are in a day?                      | - | -
24/7                                              | - | -
a spring roll, please                             | - | -
tell me about June                                | - | -
what is 2000 times 3?                             | - | -
the first of all                                  | - | -
just one second                                   | - | -
starting today I run                              | - | -
we had 7 days                                     | - | -
half past three                                   | - | -
on 30 February                                    | - | -
what was I doing this time last year?             | 2025-02-04 | 2025-02-19
what happened a year ago today?                   | 2025-02-11 | 2025-02-12
the same day last month                           | 2026-01-11 | 2026-01-12
remind me what I did on the weekend of 6 February | 2026-02-07 | 2026-02-09
what did we talk about earlier this week?         | 2026-02-09 | 2026-02-11 10:00:01
what's happening later this year?                 | 2026-02-11 10:00 | 2027-01-01
what did I plan for 2027?                         | 2027-01-01 | 2028-01-01
what have I eaten in the last 24 hours?           | 2026-02-10 10:00 | 2026-02-11 10:00:01
in two hours                                      | 2026-02-11 11:00 | 2026-02-11 13:00
a year and three months ago                       | 2024-11-01 | 2024-12-01
a few weeks ago                                   | 2026-01-05 | 2026-02-02
in a couple of days                               | 2026-02-12 | 2026-02-15
the Monday after next                             | 2026-02-23 | 2026-02-24
between Christmas and New Year                    | 2025-12-24 | 2026-01-02
the evening before last                           | 2026-02-09 18:00 | 2026-02-10 05:00
late on Friday night                              | 2026-02-13 18:00 | 2026-02-14 05:00
on 14.3.2024                                      | 2024-03-14 | 2024-03-15
Wednesday, February 4                             | 2026-02-04 | 2026-02-05
Halloween two years ago                           | 2024-10-31 | 2024-11-01
did I see May in June?                            | 2025-06-01 | 2025-07-01
the summer holidays last year                     | 2025-06-01 | 2025-09-01
what do I usually do on Sundays?                  | - | -
what do I normally do on Sunday?                  | - | -
every second Friday                               | - | -
a Friday afternoon would be nice                  | - | -
the next day                                      | - | -
did April call?                                   | - | -
I paid 2000 for it                                | - | -
on 3/4                                            | - | -
from 9 to 5                                       | - | -
what's happening in March?                        | 2026-03-01 | 2026-04-01
what have I got on in March?                      | 2026-03-01 | 2026-04-01
I want to go to Rome in May                       | 2026-05-01 | 2026-06-01
when in March is the exam?                        | 2026-03-01 | 2026-04-01
every year on 11 November she is a year older     | - | -
what did we do in Christmas week?                 | 2025-12-22 | 2025-12-29
on Labor Day weekend                              | 2025-08-30 | 2025-09-02
""".strip().splitlines()

PIECES = """
the last next this two 3 3rd 31 half of in on from to and before after since until by week weeks weekend month
year quarter decade fortnight day days ago early late end Friday Sunday March May February Christmas Easter
summer winter morning night tomorrow yesterday 2024 30 now
""".split()
