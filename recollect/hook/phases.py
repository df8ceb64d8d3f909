"""Which phase of work a prompt asks for, by the words people begin such prompts with. English alone is read."""

from __future__ import annotations

PHASES = ("planning", "coding", "qa_review", "debugging", "insights", "spec")
PROMPT_CHARS = 2_000  # of a prompt that are looked at: what is wanted stands at its beginning
_CUES = {
    "planning": "plan planning design architecture roadmap estimate propose brainstorm approach strategy",
    "debugging": "debug bug bugs bugfix fix fixes error errors traceback crash crashes crashed crashing fails failing "
    "failed failure failures broken breaks exception stacktrace regression hang hangs flaky segfault wrong",
    "qa_review": "review verify validate audit qa coverage recheck",
    "insights": "explain understand summarise summarize describe overview analyse analyze explore investigate why how "
    "what where which who",
    "spec": "spec specs specification requirement requirements criteria",
    "coding": "implement add refactor rename change update move remove replace migrate extend support convert extract "
    "port optimise optimize rewrite delete drop introduce wire split merge bump upgrade",
}
_CUE_OF = {word: phase for phase, words in _CUES.items() for word in words.split()}
# They say what is to be made and not what sort of work that is: "write a plan", "make it pass".
_CODING_UNLESS_SAID = frozenset("write create make build".split())


def asked_for(prompt: str) -> str | None:
    """The phase that the first telling word of a prompt belongs to; None where no word tells.

    In a question (why, how, what …) a word of debugging that follows tells more: "why does the login fail".
    """
    found: str | None = None
    for word in _words(prompt[:PROMPT_CHARS].lower()):
        phase = _CUE_OF.get(word)
        if found is None:
            if phase is not None and phase != "insights":
                return phase
            found = phase or ("coding" if word in _CODING_UNLESS_SAID else None)
        elif phase == "debugging" or (found == "coding" and phase in ("planning", "spec")):
            return phase
    return found


def _words(text: str) -> list[str]:
    return "".join(char if char.isalnum() else " " for char in text).split()
