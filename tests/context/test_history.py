"""A conversation made to fit: what is kept, in which order it goes, and that it never takes a token more."""

from __future__ import annotations

import random
import re
import time
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.config.window import ContextSettings
from recollect.context import history_gist
from recollect.context.history import NOTED, TITLE, History, compress
from recollect.errors import UsageError
from recollect.providers.tokens import Counter, counter_for

EXACT = counter_for("gpt-4o")
SETTINGS = ContextSettings()
START = datetime(2026, 5, 1, tzinfo=UTC)
_PEOPLE = ("Ana", "Ben", "Carla", "Dana")
_DOINGS = (
    "decided to move the {thing} to Postgres {n}",
    "bought {n} lamps for the {thing}",
    "renamed the {thing} service",
    "met {who} at the {thing} on platform {n}",
    "wants the {thing} to answer within {n} ms",
)
_THINGS = "gateway harbour ledger orchard library kitchen atlas engine".split()


def talk(exchanges: int, *, dated: bool = False, seed: int = 3) -> list[dict[str, Any]]:
    chance = random.Random(seed)
    out: list[dict[str, Any]] = []
    for number in range(exchanges):
        told = chance.choice(_DOINGS).format(thing=chance.choice(_THINGS), n=number, who=chance.choice(_PEOPLE))
        at = {"timestamp": START + timedelta(days=number // 10)} if dated else {}
        out += [
            {"role": "user", "content": f"Hey, well, {chance.choice(_PEOPLE)} {told}. What do you think of it?", **at},
            {"role": "assistant", "content": "That sounds great! " + "It is always good to think about it. " * 6, **at},
        ]
    return out


def cost(history: History, counter: Counter = EXACT) -> int:
    return counter.count_messages(history.to_messages())


def assert_valid(history: History) -> None:
    """What OpenAI and Anthropic take: a person first, then in turn, nothing empty, nothing of tools."""
    roles = [message.role for message in history.messages]
    assert roles[:1] in ([], ["user"])
    assert all(one != other for one, other in pairwise(roles))
    assert set(roles) <= {"user", "assistant"}
    assert all(message.text.strip() and not message.calls and not message.is_result for message in history.messages)


def test_a_short_conversation_is_left_as_it_is() -> None:
    messages = talk(4)
    history = compress(messages, 5_000, EXACT, SETTINGS)
    assert history.to_messages() == messages
    assert (history.verbatim, history.condensed, history.summarised, history.left_out) == (4, 0, 0, 0)
    assert history.tokens == EXACT.count_messages(messages)


def test_three_exchanges_stay_ten_have_a_line_and_the_rest_is_summed_up() -> None:
    messages = talk(60)
    history = compress(messages, 20_000, EXACT, SETTINGS)
    assert (history.verbatim, history.condensed, history.summarised, history.left_out) == (3, 10, 47, 0)
    assert history.to_messages()[2:] == messages[-6:]
    notes = history.messages[0].text
    assert notes.startswith(TITLE)
    assert "Summary of 47 earlier exchanges" in notes
    assert sum(line.startswith("- ") for line in notes.splitlines()) == 10
    assert history.messages[1].text == NOTED
    assert_valid(history)


def test_a_long_session_becomes_a_quarter_or_less() -> None:
    messages = talk(300)
    history = compress(messages, 10**6, EXACT, SETTINGS)
    assert EXACT.count_messages(messages) >= 4 * history.tokens
    assert history.ratio == pytest.approx(EXACT.count_messages(messages) / history.tokens, rel=0.25)


def test_names_numbers_and_decisions_survive_and_filler_does_not() -> None:
    decided = {
        "role": "user",
        "content": "Oh wow, by the way, Carla decided on 14 March to use Zanzibar 9 for billing.",
    }
    messages = [*talk(40), decided, {"role": "assistant", "content": "Great, noted!"}, *talk(40, seed=4)]
    notes = compress(messages, 2_000, EXACT, SETTINGS).messages[0].text
    assert "Carla decided on 14 March to use Zanzibar 9 for billing" in notes
    assert "by the way" not in notes
    newest = messages[-40:]
    assert "Zanzibar" not in str(newest)  # what a plain cut would have kept


def test_days_are_told() -> None:
    notes = compress(talk(60, dated=True), 20_000, EXACT, SETTINGS).messages[0].text
    assert "Summary of 47 earlier exchanges, 2026-05-01 to 2026-05-05:" in notes
    assert "\n- 2026-05-06 " in notes


def tools(number: int, printed: str, *, path: str = "src/auth.py") -> list[dict[str, Any]]:
    return [
        {"role": "user", "content": f"Please repair step {number} of the login"},
        {
            "role": "assistant",
            "content": "Let me see.",
            "tool_calls": [
                {"id": f"e{number}", "function": {"name": "edit_file", "arguments": f'{{"path": "{path}"}}'}},
                {"id": f"r{number}", "function": {"name": "bash", "arguments": '{"command": "pytest -q"}'}},
            ],
        },
        {"role": "tool", "tool_call_id": f"e{number}", "content": "ok"},
        {"role": "tool", "tool_call_id": f"r{number}", "content": printed},
        {"role": "assistant", "content": "It fails, I will see why."},
    ]


LOG = "\n".join(f"DEBUG handled {number}" for number in range(400))


def test_calls_and_results_are_told_in_the_machines_words() -> None:
    history = compress(tools(1, "KeyError: 'dsn'\n3 failed, 8 passed in 0.4s"), 5_000, EXACT, SETTINGS)
    assert_valid(history)
    assert history.messages[1].text == (
        "Let me see.\n\n[edited src/auth.py]\nok\n\n[ran pytest -q]\nKeyError: 'dsn'\n3 failed, 8 passed in 0.4s\n\n"
        "It fails, I will see why."
    )


def test_files_and_errors_survive_and_what_tools_printed_does_not() -> None:
    messages = [each for number in range(40) for each in tools(number, f"{LOG}\nKeyError: 'dsn'\n3 failed in 0.4s")]
    history = compress(messages, 1_500, EXACT, SETTINGS)
    notes = history.messages[0].text
    assert re.search(r"Files changed: src/auth\.py \(3\d×\)", notes)
    assert re.search(r"Errors met: KeyError: 'dsn' \(3\d×\)", notes)
    assert (
        "- said repair step 36 of login → ran pytest -q: 3 failed in 0.4s; KeyError: 'dsn'; edited src/auth.py" in notes
    )
    assert "DEBUG" not in notes
    assert_valid(history)


def test_a_result_without_its_call_is_no_message_of_its_own() -> None:
    messages = [{"role": "tool", "tool_call_id": "gone", "content": "42"}, *talk(2)]
    history = compress(messages, 5_000, EXACT, SETTINGS)
    assert_valid(history)
    assert history.messages[1].text == "[a tool]\n42"


def test_long_code_is_a_word_when_there_is_no_room() -> None:
    code = "```python\n" + "\n".join(f"x{n} = compute({n})" for n in range(200)) + "\n```"
    messages = [{"role": "user", "content": "Show me"}, {"role": "assistant", "content": f"Here:\n{code}\nDone."}]
    assert code in compress(messages, 5_000, EXACT, SETTINGS).messages[1].text
    short = compress(messages, 200, EXACT, SETTINGS)
    assert short.messages[1].text == "Here:\n[python code, 200 lines]\nDone."
    assert short.cut == 1


def test_the_newest_exchange_is_cut_last_and_in_the_middle() -> None:
    long = "It began here. " + "and so on " * 5_000 + "It ended there."
    messages = [*talk(30), {"role": "user", "content": long}]
    history = compress(messages, 1_000, EXACT, SETTINGS)
    assert cost(history) <= 1_000
    newest = history.messages[-1].text
    assert newest.startswith("It began here.")
    assert newest.endswith("It ended there.")
    assert "characters left out …]" in newest
    assert (history.verbatim, history.cut) == (1, 1)


def test_of_a_long_run_of_steps_the_early_ones_are_told_by_what_came_of_them() -> None:
    steps = [each for number in range(300) for each in tools(number, f"{LOG}\n3 failed in 0.4s")[1:]]
    steps[42] = {"role": "tool", "tool_call_id": "r10", "content": "KeyError: 'dsn'"}
    history = compress([{"role": "user", "content": "Repair it"}, *steps], 1_000, EXACT, SETTINGS)
    assert_valid(history)
    assert cost(history) <= 1_000
    asked, done = history.messages
    assert asked.text == "Repair it"
    assert re.match(r"\[1,?\d+ earlier messages: .*edited src/auth\.py \(\d+×\)", done.text)
    assert done.text.endswith("[ran pytest -q: 3 failed in 0.4s]\n\nIt fails, I will see why.")
    assert history.verbatim == 1


def test_ten_thousand_steps_of_one_exchange_take_a_moment() -> None:
    steps = [each for number in range(2_500) for each in tools(number, f"{LOG}\n3 failed in 0.4s")[1:]]
    start = time.process_time()
    history = compress([{"role": "user", "content": "Repair it"}, *steps, *talk(20)], 4_000, EXACT, SETTINGS)
    assert time.process_time() - start < 3  # 0.5 s on a quiet machine
    assert cost(history) <= 4_000
    newest = compress([{"role": "user", "content": "Repair it"}, *steps], 4_000, EXACT, SETTINGS)
    assert time.process_time() - start < 6
    assert cost(newest) <= 4_000


def test_scripts_without_spaces_are_told_too() -> None:
    messages = [
        {
            "role": "user" if number % 2 == 0 else "assistant",
            "content": f"第{number}回の会議は東京で開かれました。田中さんが決めました。",
        }
        for number in range(80)
    ]
    notes = compress(messages, 1_500, EXACT, SETTINGS).messages[0].text
    assert "東京で開かれました" in notes
    assert "said little" not in notes


def test_instructions_are_handed_back_and_not_counted() -> None:
    messages = [{"role": "system", "content": "Be kind."}, *talk(2), {"role": "developer", "content": "Be brief."}]
    history = compress(messages, 5_000, EXACT, SETTINGS)
    assert [message.text for message in history.system] == ["Be kind.", "Be brief."]
    assert history.tokens == EXACT.count_messages(talk(2))


def test_where_the_machine_speaks_first_a_person_still_begins() -> None:
    history = compress([{"role": "assistant", "content": "Welcome!"}, *talk(1)], 1_000, EXACT, SETTINGS)
    assert_valid(history)
    assert history.messages[1].text == "Welcome!"


def test_people_who_speak_in_a_row_are_told_apart() -> None:
    messages = [{"role": "user", "content": "tea", "name": "Ana"}, {"role": "user", "content": "no", "name": "Ben"}]
    (message,) = compress(messages, 1_000, EXACT, SETTINGS).messages
    assert message.text == "Ana: tea\n\nBen: no"


@pytest.mark.parametrize("tokens", [0, -5, 1, 7])
def test_without_room_nothing_is_kept_and_all_is_counted(tokens: int) -> None:
    history = compress(talk(5), tokens, EXACT, SETTINGS)
    assert (history.messages, history.tokens, history.left_out) == ((), 0, 5)


@pytest.mark.parametrize("bad", [None, 1.5, "100", True])
def test_a_number_of_tokens_that_is_none_is_refused(bad: Any) -> None:
    with pytest.raises(UsageError, match="whole number"):
        compress(talk(1), bad, EXACT, SETTINGS)


def test_nothing_said_is_an_empty_history() -> None:
    assert compress([], 100, EXACT, SETTINGS) == History()
    assert compress([{"role": "user", "content": " "}], 100, EXACT, SETTINGS) == History()


_texts = st.sampled_from(
    [
        "ok",
        "Ana decided on 3 May to move to Oslo.",
        "word " * 300,
        "日本語のテキスト。" * 60,
        "```\n" + "x = 1\n" * 80 + "```",
        "😀" * 100,
        "Traceback\nTypeError: no\n" * 30,
        "a" * 3_000,
        "\n\n \n",
    ]
)
_messages = st.lists(
    st.tuples(st.sampled_from(["user", "assistant", "tool", "system", "oracle"]), _texts), min_size=1, max_size=60
)


@given(_messages, st.integers(1, 3_000), st.sampled_from(["gpt-4o", "gpt-4", "claude-opus-4-6", "nobody-knows-it"]))
def test_never_a_token_too_many_and_always_valid(said: list[tuple[str, str]], tokens: int, model: str) -> None:
    counter = counter_for(model)
    history = compress([{"role": role, "content": text} for role, text in said], tokens, counter, SETTINGS)
    assert history.tokens == cost(history, counter) <= tokens
    assert_valid(history)


def test_ten_thousand_messages_are_bounded_and_one_more_is_read_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    messages = talk(5_000)
    history_gist.forget()
    read: list[str] = []
    points_of = history_gist.points_of
    monkeypatch.setattr(history_gist, "points_of", lambda text, **how: read.append(text) or points_of(text, **how))
    start = time.process_time()
    history = compress(messages, 4_000, EXACT, SETTINGS)
    assert time.process_time() - start < 2  # 0.1 s on a quiet machine
    assert history.summarised == 4_987
    assert len(read) < 600
    read.clear()
    again = compress([*messages, {"role": "user", "content": "And now?"}], 4_000, EXACT, SETTINGS)
    assert cost(again) <= 4_000
    assert len(read) < 40  # the exchange that moved into the lines, and those that now have a place


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
def test_one_message_of_ten_megabytes_takes_a_moment(role: str) -> None:
    messages = [*talk(20), {"role": role, "content": "word and more " * 750_000}, {"role": "user", "content": "so?"}]
    start = time.process_time()
    history = compress(messages, 4_000, EXACT, SETTINGS)
    assert time.process_time() - start < 3  # 0.2 s on a quiet machine
    assert cost(history) <= 4_000
