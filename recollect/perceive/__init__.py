"""What a text says, found without a model: text in, values out.

`turn.perceive_text` is the door for a whole text. Below it, one package for each kind of answer: `statements` (what a
turn states), `states` (which value holds, and what replaced it), `names` (who and what is named), `traits` (what a text
is like), `relations` (how it stands to others), `sameness` (whether two texts say the same), and `by_model` (what a
language model is asked instead). `grammar` is what statements are read with; sentences, words and times are in
`recollect.language`.
"""
