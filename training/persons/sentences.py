"""Sentences with names of people, and with what else has a capital: frames to be filled from lists.

`{p}` is a whole name, `{g}` a given name, `{f}` a family name: these are people. `{city}`, `{country}`, `{org}`,
`{nation}`, `{street}`, `{day}` and `{month}` are not.
"""

FRAMES = """
My name is {p}.
my name is {g}, nice to meet you
I'm {g}.
I am {p} from {city}.
Hi, this is {p} calling about my order.
Hello {g}, how are you today?
Hey {g}! Did you see the game?
Thanks, {g}. That helps a lot.
Dear {p},
Dear Mr. {f},
Dear Ms. {f}, thank you for your letter.
Best regards, {p}
Kind regards,\\n{p}\\n{org}
Yours sincerely,\\n{g}
{g}: I will be late.\\n{g}: No problem!
{g}: What do you think?\\n{g}: Let us ask {g}.
{p} wrote the book in {month}.
{p} was born in {city}, {country}.
{p}, the head of {org}, resigned on {day}.
{f} said that the company would grow.
According to {f}, nothing has changed since {month}.
The song by {p} was played all summer.
A film directed by {p} and produced by {org}.
It stars {p}, {p} and {p}.
The three of us, {g}, {g} and {g}, went to {city}.
Founded by {f}, {f} and {f}, it is now part of {org}.
I met {p} in {city} last {day}.
Ask {g} about it.
Please send the invoice to {p}.
Please add {p} to the account as well.
The account belongs to {p} and {p}.
Could you change the name on the card to {p}?
Name: {p}
Name: {p}\\nPhone: 555 1234
Patient: {p}\\nDate: 12 {month}
Contact: {p}, {org}
{p}\\n{street} 12\\n{city}\\n{country}
{p}\\n\\nSoftware engineer\\n\\nSkills: Python, SQL
From: {p}\\nTo: {p}\\nSubject: Meeting on {day}
Signed by {p} on behalf of {org}.
{g}'s birthday is in {month}.
{f}'s theory was wrong.
She read the poems of {p}'s father.
{p}'s first album came out in {month}.
We had dinner with {g} and {g} at {org}.
My brother {g} lives in {city}.
My sister {g} works for {org}.
Her husband {p} is {nation}.
Our friend {g} moved to {country}.
I talked to {g} yesterday.
Can I speak to {p}, please?
{g}, can you help me with this?
{g}, where are you?
Is {g} coming to the party?
Did {p} call?
Call {g} when you arrive.
Meet {p}, our new colleague from {city}.
Dr. {f} will see you now.
Dr. {p} works at {org} in {city}.
Mrs. {f} taught us {nation} history.
Professor {f} explained the {nation} economy.
President {f} visited {country} on {day}.
Sir {p} died in {month}.
Prince {g} arrived in {city} this morning.
This was written by {p} for {org}.
The president of {org}, {p}, spoke in {city}.
{org} hired {p} as its chief engineer.
{p} joined {org} after two years at {org}.
{p} spent five years at {org} in {city}.
As {p} once said, less is more.
"Never again", says {p}.
"{g}, wait!" cried {g}.
Everybody calls me {g}.
But my friends call me {g}.
It is registered under {p}.
The booking is under the name {p}.
You can find it under {f}.
Let me introduce {p} to you.
I would like to thank {p} and {p} for their help.
Happy birthday, {g}!
Good morning {g}
Good night, {g}.
Oh {g}, I am so sorry!
Singer {p} cancelled the show in {city}.
Actor {p} plays {g} in the movie.
Songwriter {p} and guitarist {p} met in {city}.
Commenter {p} points out that it rains.
You know that {g} was a fan of {p}.
I am a huge {p} fan.
We are reading {f} in class.
Early {f} is better than late {f}.
Follow the advice of {p}.
Remember {g}? We went to school with her.
{g} and {f} are on the list.
Tell {g} I said hello.
Give this to {g}, not to {g}.
He left the house to {g}, and the car to {p}.
You left me, {g}, with nothing but the cat.
Guardian: {p}. Child: {p}.
The doctor saw {p} on {day}.
{p} complained of headache for three days.
Remind me to call {p} next week.
See you soon, {g} {f}
I was told by {g} to wait here.
Ms. {g} from {org} will join us.
mr {f} is not at home
the winner is {p}
{p} vs. {p} at {city}
{p} (born 1965) is a {nation} painter.
{p} is an {nation} singer and the founder of {org}.
Only {g} knew the way.
{f}, {g}
1. {p}\\n2. {p}\\n3. {p}
@{g} can you review this?
cc {p}
{g} went home early.
{g} took the bus to {city}.
{g} bought {g} a present for Christmas.
{g} told {g} the whole story on {day}.
{g} made dinner for {g}.
{g} was sick for a week, and {g} was not.
{p} has won the race in {city}.
{p} made a list of the ten best films.
{p} sold the house to {f}.
{f} is the new coach of {org}.
{f} was named captain after {f} left.
I think {g} is right, and {f} is wrong.
They say {f} is rich.
You should ask Mr. {p} for the key.
Tell Dr. {p} that Mr. {p} is here.
We need Ms. {p} to sign it.
This is Mr. {f} speaking.
I sent it to {p} by mistake.
I heard it from {p}.
Check with {p} before {day}.
Work with {p} on the plan.
The assistant of {p} sent it.
It was sung by {g} and written by {f}.
A play with {f} and {f}.
The owners: {f}, {f} and {f}.
Members are {f}, {f}, {f}.
People call him {g}.
Come here {g}, it is late.
He left {g} for {g}.
{org} manager {p} explained the plan.
{city} mayor {p} opened the bridge.
{nation} writer {p} lives in {city}.
In {country}, {p} is a star.
{g} {f}\n\nTeacher\n\nAddress: {street} 4
I travelled to {country} last {month}.
I live in {city} and work for {org}.
{city} is the capital of {country}.
{country} was fun to visit!
The {nation} team won in {city} on {day}.
We flew from {city} to {city} on {day}.
We returned to {city} by train.
The train to {city} leaves at nine.
{org} is a company in {city}, {country}.
{org} bought {org} in {month}.
I work for {org}.
My employer is {org}.
The office of {org} is at {street} 5, {city}.
How do I get to {street} 12?
The restaurant is at 12 {street}, {city}.
Please deliver to {street} 7, {city}, {country}.
My address is {street} 33, {city}.
Send it to 45 {street}, Apt. 3, {city}.
I speak {nation} and English.
There is a new {nation} place downtown.
{nation} food is my favourite.
In {country} people eat late.
In {city}, {month} is the best time.
What are the opening hours of {org} in {city}?
{org} announced a new phone.
Did you get the e-mail from {org}?
The {org} report comes out on {day}.
The Second World War ended in Europe in May.
The Lord of the Rings is my favourite book.
Can you block my Visa card?
I lost my Mastercard on {day}.
What is my credit limit?
I want to open an account at {org}.
Where are you from? I am {nation}.
The River {city} flows into the North Sea.
Christmas and Easter are holidays in {country}.
Merry Christmas and a Happy New Year!
The Queen arrived at {city} from {country}.
Thank God it is {day}.
The Bible, the Koran and the Torah.
Mom and Dad are in {city}.
Address: {street} 4\\nCity: {city}\\nCountry: {country}
Phone: 0123\\nE-mail: none\\nWebsite: none
Job title: Senior Engineer\\nCompany: {org}
Title: The Last Day\\nAuthor: {p}
The University of {city} is old.
Lake {city} is near Mount {city}.
Send $50 to PayPal, please.
Is Google or Apple better?
Windows, Linux and Python are installed.
What is the weather like in {city}?
How far is {city} from {city}?
Who is the mayor of {city}?
Sure! Great! Wow! Absolutely.
Maybe later. Perhaps on {day}. Anyway, thanks!
Hope you are well. Can't wait. Sounds good.
Absolutely, I'd love to. Definitely. Congrats!
"""
