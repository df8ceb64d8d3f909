"""Common given names, and words that stand beside a name. Tables, no decisions, and no person in particular."""

from __future__ import annotations

GIVEN_NAMES = frozenset(
    """
    Aaron Abigail Adam Adrian Agnes Ahmed Aisha Alan Albert Alejandro Alex Alexander Alexandra Ali Alice Alicia Alison
    Allison Amanda Amelia Amir Amy Ana Andrea Andreas Andrew Andy Angela Anita Anna Anne Annie Anthony Antonio Arjun
    Arthur Ashley Audrey Barbara Beatrice Ben Benjamin Bernard Beth Betty Bianca Brandon Brenda Brian Bruno Caleb Calvin
    Camila Carl Carla Carlos Carmen Carol Caroline Catherine Cathy Charles Charlie Charlotte Chen Chloe Chris Christian
    Christina Christine Christopher Claire Clara Colin Connor Courtney Craig Cynthia Dan Daniel Daniela Danny Darren
    Dave David Deborah Debra Dennis Derek Diana Diego Dmitri Dominic Donald Donna Dora Doris Dorothy Douglas Dylan
    Edward Eileen Elena Eli Elias Elijah Elizabeth Ella Ellen Emily Emma Eric Erica Erik Erin Ethan Eva Evan Evelyn
    Fatima Felix Fernando Fiona Florian Frances Francesca Francisco Frank Fred Gabriel Gabriela Gary George Gerald Gina
    Giulia Gloria Gordon Greg Gregory Hannah Hans Harold Harry Hassan Heather Hector Heidi Helen Helena Henry Hiroshi
    Hugo Ian Ibrahim Ines Ingrid Irene Isaac Isabel Isabella Ivan Jack Jacob Jake James Jamie Jan Jane Janet Jason
    Javier Jean Jeff Jeffrey Jennifer Jenny Jeremy Jerry Jessica Jill Jim Jimmy Joan Joanna Joe Joel Johan John Johnny
    Jon Jonathan Jordan Jorge Jose Joseph Josh Joshua Joyce Juan Judith Judy Julia Julian Julie Juliet Karen Karl Kate
    Katherine Kathleen Kathy Katie Kayla Keith Kelly Ken Kenneth Kevin Kim Kimberly Kumar Kyle Lars Laura Lauren Lea
    Leah Lena Leo Leon Leonard Leslie Lewis Li Liam Lily Linda Lisa Liz Logan Louis Louise Luca Lucas Lucia Lucy Luis
    Luke Lydia Madison Manuel Marco Marcus Margaret Maria Marie Marina Mario Marta Martha Martin Mary Mateo Matt Matteo
    Matthew Maya Mei Mel Melanie Melissa Mia Michael Michelle Miguel Mike Mila Mohamed Mohammed Molly Monica Nadia Nancy
    Naomi Natalia Natalie Nate Nathan Neil Nicholas Nick Nicole Nina Noah Nora Olga Oliver Olivia Omar Oscar Owen Pablo
    Pamela Patricia Patrick Paul Paula Pedro Peter Phil Philip Phillip Priya Rachel Rafael Raj Ralph Ramon Ray Raymond
    Rebecca Ricardo Richard Rick Rita Robert Roberto Robin Roger Ron Ronald Rosa Ross Roy Ruby Russell Ryan Sabrina
    Sally Sam Samantha Samuel Sandra Sara Sarah Scott Sean Sebastian Sergio Seth Sharon Shaun Shirley Simon Sofia Sonia
    Sophia Sophie Stefan Stella Stephanie Stephen Steve Steven Stuart Susan Suzanne Sylvia Tamara Tanya Tara Ted Teresa
    Theo Theresa Thomas Tim Timothy Tina Tobias Todd Tom Tommy Tony Tracy Trevor Tyler Valentina Valerie Vanessa Vera
    Veronica Victor Victoria Vincent Vivian Walter Wei Wendy William Yasmin Yuki Yusuf Zachary Zoe
    """.split()
)

# Alternatives of a pattern, each written out: their last words are looked up.
TITLES = (
    "Mr|Mrs|Ms|Sr|Sra|Srta|Herr|Frau|Mme|Miss|Mx|Dr|Prof|Professor|Sir|Madam|Uncle|Aunt|Grandma|Grandpa|Coach|Captain"
)
RELATIVES = (
    "friend|sister|brother|wife|husband|partner|girlfriend|boyfriend|fiance|fiancé|fiancee|fiancée|mom|mum|mother|dad|"
    "father|son|daughter|cousin|aunt|uncle|niece|nephew|grandmother|grandfather|roommate|neighbor|neighbour|boss|"
    "manager|colleague|coworker|co-worker|teammate|mentor|teacher|doctor|therapist|landlord|client|assistant|buddy"
)
SAYING = (
    "said|says|told|asked|asks|wrote|thinks|thought|mentioned|suggested|replied|prefers|wants|wanted|agreed|joined|"
    "called|texted|emailed|loves|likes|hates|lives|works|moved|is my"
)
ADDRESSING = "hi|hey|hello|dear|thanks|thank you|bye|ask|asked|tell|told|met|meet|meeting|call|called|named|cc"
NOT_NAMES = frozenset(
    """Alexa All Also Amazon American And Apple April August But Chinese Christmas Claude Dad December Easter
    English European Everybody Everyone Facebook February French Friday German God Google Grandma Grandpa
    Halloween He Hello Hey Hi How I If Indian Instagram Internet It Italian January Japanese July June Just Madam
    March May Maybe Microsoft Mom Monday Mum Netflix No Not November October Okay Or Please Saturday September She
    Sir Siri So Someone Spanish Sunday Sure Team Thank Thanks Thanksgiving That The Then There These They This
    Those Thursday Today Tomorrow Tuesday Twitter We Wednesday Well What When Where Which Who Why Yes Yesterday
    You""".split()
)
