"""What a command of the shell does to files: reads, searches, lists, writes or edits them, or runs something."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COMMAND_CHARS_MAX = 8_000
_WORDS_MAX = 400
_READING = frozenset("cat bat batcat head tail less more nl tac sed type".split())
_SEARCHING = frozenset("grep egrep fgrep rg ag ack".split())
_LISTING = frozenset("ls find tree fd fdfind exa eza dir".split())
_NEUTRAL = frozenset("cd pushd popd echo printf true set export pwd : test [ clear".split())
_WRITING = frozenset({"tee", "touch"})
_BEFORE = frozenset("sudo env time nice command builtin nohup stdbuf".split())
_VALUED = frozenset("-n -c -e -f -A -B -C -m -g -t -d -name -iname -type -maxdepth -mindepth --include --glob".split())
_TESTING = frozenset("pytest py.test jest vitest mocha ava tox nox ctest phpunit rspec karma unittest nextest".split())
_TESTERS = frozenset("go cargo npm pnpm yarn bun deno make mvn gradle gradlew dotnet swift mix rake sbt bazel".split())
_OPERATORS = ("&&", "||", "|&", "|", ";", "&", "\n")
_PROGRAM_WORDS = 4  # among which a program stands: "python -m pytest", "uv run --frozen pytest"
_STRONGEST = ("edit", "write", "run")


class ShellCommand:
    """One command of a line: its words, the files that its output goes to, and whether it reads another's output."""

    __slots__ = ("into", "piped", "words")

    def __init__(self, *, piped: bool) -> None:
        self.words: list[str] = []
        self.into: list[str] = []
        self.piped = piped


def read(command: str) -> tuple[str, list[dict[str, Any]]]:
    """(class, files) of a command: what it does on the whole, and each file that it names with what is done to it."""
    classes: list[str] = []
    files: list[dict[str, Any]] = []
    folder = ""
    for part in parts(command[:COMMAND_CHARS_MAX]):
        kind, touched = _of(part)
        if part.words[:1] == ["cd"] and len(part.words) > 1:
            folder = f"{folder}/{part.words[1]}" if folder and not part.words[1].startswith("/") else part.words[1]
        for each in touched:
            if folder and not each["path"].startswith(("/", "~")):
                each["path"] = f"{folder}/{each['path']}"
        files += touched
        if kind:
            classes.append(kind)
    for strong in _STRONGEST:
        if strong in classes:
            return strong, files
    return (classes[0] if classes else "run"), files


def runs_tests(command: str) -> bool:
    """Whether a command runs tests: by a program that does nothing else, or as one task of a program that does more."""
    for part in parts(command[:COMMAND_CHARS_MAX]):
        names = [word.rpartition("/")[2] for word in part.words]
        if names[0] in _NEUTRAL or names[0] in _SEARCHING or names[0] in _READING:
            continue
        if _TESTING.intersection(names[:_PROGRAM_WORDS]):
            return True
        if names[0] in _TESTERS and any(name.split(":")[0] in ("test", "tests", "check") for name in names[1:4]):
            return True
    return False


def parts(line: str) -> list[ShellCommand]:
    """The commands of a line, quotes taken off. What stands in a here-document is none of them."""
    found = [ShellCommand(piped=False)]
    word: list[str] | None = None
    redirect = False
    at, end = 0, len(line)
    while at <= end:
        char = line[at] if at < end else "\n"
        if char == "\\" and at + 1 < end:
            word = [*(word or ()), line[at + 1]]
            at += 2
            continue
        if char in "'\"":
            close = _closing(line, at)
            word = [*(word or ()), line[at + 1 : close]]
            at = min(close + 1, end)
            continue
        operator = next((each for each in _OPERATORS if line.startswith(each, at)), "") if at < end else "\n"
        if char in " \t<>" or operator:
            redirect = _end_word(found[-1], word, redirect)
            word = None
            if line.startswith("<<", at) and not line.startswith("<<<", at):
                at = _after_document(line, at)
                continue
            if char == ">":
                if found[-1].words and found[-1].words[-1].isdigit():
                    number = found[-1].words.pop()
                    redirect = number != "2"
                else:
                    redirect = True
                at += 2 if line.startswith(">>", at) else 1
                if line.startswith("&", at):
                    redirect, at = False, at + 2
                continue
            if operator:
                if found[-1].words:
                    found.append(ShellCommand(piped=operator.startswith("|") and operator != "||"))
                at += max(len(operator), 1)
                continue
            at += 1
            continue
        word = [*(word or ()), char]
        at += 1
    return [part for part in found if part.words]


def _closing(line: str, at: int) -> int:
    """Where a quotation ends; the end of the line if it never does."""
    quote, at = line[at], at + 1
    while at < len(line) and line[at] != quote:
        at += 2 if quote == '"' and line[at] == "\\" else 1
    return min(at, len(line))


def _after_document(line: str, at: int) -> int:
    """Where a line goes on after its here-document."""
    at += 3 if line.startswith("<<-", at) else 2
    stop = at
    while stop < len(line) and line[stop] not in "\n;&| ":
        stop += 1
    mark = line[at:stop].strip("'\" ")
    begun = line.find("\n", stop)
    if not mark or begun < 0:
        return stop
    last = line.find(f"\n{mark}", begun - 1 if begun else 0)
    return len(line) if last < 0 else last + 1 + len(mark)


def _end_word(part: ShellCommand, word: list[str] | None, redirect: bool) -> bool:
    if word is None:
        return redirect
    text = "".join(word)
    if redirect:
        if text != "/dev/null":
            part.into.append(text)
    elif len(part.words) < _WORDS_MAX and not (not part.words and "=" in text and text.split("=")[0].isidentifier()):
        part.words.append(text)
    return False


def _of(part: ShellCommand) -> tuple[str, list[dict[str, Any]]]:
    """(class, files) of one command; no class for what only moves about or speaks."""
    words = part.words
    while len(words) > 1 and words[0] in _BEFORE:
        words = words[1:]
    program = words[0].rpartition("/")[2]
    if program == "git" and len(words) > 1:
        program = {"grep": "grep", "ls-files": "ls"}.get(words[1], "git")
        words = words[1:]
    written = [{"path": path, "class": "write"} for path in part.into]
    if program in ("sed", "perl") and any(word.startswith("-i") or word == "--in-place" for word in words):
        return "edit", [{"path": path, "class": "edit"} for path in _named(words)[1:]]
    if program in _WRITING:
        return "write", [*({"path": path, "class": "write"} for path in _named(words)), *written]
    if written:
        return "write", written
    if program in _NEUTRAL:
        return "", []
    if program in _READING:
        return _reading(program, words, piped=part.piped)
    if program in _SEARCHING:
        named = _named(words)[1:]
        return ("" if part.piped and not named else "search"), [{"path": path, "class": "search"} for path in named]
    if program in _LISTING and not any(word in ("-exec", "-delete", "-execdir") for word in words):
        named = _named(words)
        return "list", [{"path": path, "class": "list"} for path in (named[:1] if program == "find" else named)]
    return "run", []


def _reading(program: str, words: list[str], *, piped: bool) -> tuple[str, list[dict[str, Any]]]:
    named = _named(words)
    lines: list[list[int]] = []
    if program == "sed" and named:
        lines, named = _range(named[0]), named[1:]
    elif program == "head":
        lines = [[1, _count(words)]]
    if not named:
        return ("" if piped else "read"), []
    return "read", [{"path": path, "class": "read", **({"lines": lines} if lines else {})} for path in named]


def _named(words: list[str]) -> list[str]:
    """The arguments that are no options, nor values of options."""
    found: list[str] = []
    skip = False
    sed = words[0].endswith("sed")
    for word in words[1:]:
        if skip:
            skip = False
        elif word.startswith("-") and len(word) > 1:
            skip = word in _VALUED and not sed
            if skip and word == "-e":  # the pattern itself: the files are all that follows
                found.append("")
        else:
            found.append(word)
    return found


def _range(script: str) -> list[list[int]]:
    """The lines that `sed -n 10,20p` shows."""
    first, _, last = script.rstrip("p").partition(",")
    if first.isdigit() and script.endswith("p"):
        return [[int(first), int(last) if last.isdigit() else int(first)]]
    return []


def _count(words: list[str]) -> int:
    """How many lines `head` shows."""
    for at, word in enumerate(words):
        if word == "-n" and at + 1 < len(words) and words[at + 1].isdigit():
            return int(words[at + 1])
        if word.startswith("-") and word.lstrip("-n").isdigit():
            return int(word.lstrip("-n"))
    return 10
