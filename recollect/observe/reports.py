"""What tests and reviews say went wrong, read from what their tools print.

Reads our own JSON, JUnit XML, SARIF, and the output of pytest, jest, go test and cargo test. A failure is named by its
test or its rule, with the line of the project it points at and the first words of the error. Nothing is run, no file is
opened, no entity of an XML document is expanded, and a text of any size is read in one pass.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from xml.parsers import expat

from recollect.errors import UsageError
from recollect.model.plain import plain

FAILURES_MAX = 200
WORDS_MAX = 300  # characters of a description
SEVERITIES = ("critical", "high", "medium", "low")
FORMS = ("json", "junit", "sarif", "pytest", "jest", "go", "cargo")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """One thing that went wrong. `test` is how the tool names it, so that it is known again when it passes."""

    description: str
    severity: str = "high"
    test: str = ""
    file: str = ""
    line: int = 0
    tried: str = ""
    recommendation: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FailureReport:
    """What a tool reported: failures in its order, and the tests it says have passed, where it names them."""

    form: str
    failures: tuple[Failure, ...] = ()
    passed: tuple[str, ...] = ()
    left_out: int = 0  # failures beyond FAILURES_MAX


def read_report(text: str) -> FailureReport:
    """A report, whichever of the known tools wrote it; UsageError if none did."""
    for form, read in _READERS.items():
        found = read(text)
        if found is not None:
            failures, passed = found
            return FailureReport(
                form=form,
                failures=tuple(failures[:FAILURES_MAX]),
                passed=tuple(dict.fromkeys(passed)),
                left_out=max(0, len(failures) - FAILURES_MAX),
            )
    raise UsageError(
        "no report of a test or a review was recognised: give our own JSON (severity, description, file, tried, "
        "recommendation), JUnit XML, SARIF, or the output of pytest, jest, go test or cargo test"
    )


_Found = tuple[list[Failure], list[str]] | None


def _failure(description: str, **more: Any) -> Failure:
    return Failure(description=_line(_WITHOUT_COLOUR.sub("", description)), **more)


def _line(text: str) -> str:
    return " ".join(plain(text).split())[:WORDS_MAX]


_WITHOUT_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


# -- JSON: our own, and SARIF


def _json(text: str) -> Any:
    start = text.lstrip()[:1]
    if start not in ("{", "["):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _own(text: str) -> _Found:
    value = _json(text)
    if isinstance(value, Mapping):
        value = value["issues"] if isinstance(value.get("issues"), list) else [value]
    if not isinstance(value, list) or not value or not all(_is_own(each) for each in value):
        return None
    return [_of_own(each) for each in value], []


def _is_own(value: Any) -> bool:
    return (
        isinstance(value, Mapping) and isinstance(value.get("description"), str) and bool(value["description"].strip())
    )


def _of_own(value: Mapping[str, Any]) -> Failure:
    severity = str(value.get("severity", "high")).lower()
    line = value.get("line")
    return _failure(
        value["description"],
        severity=severity if severity in SEVERITIES else "medium",
        test=_word(value.get("test")),
        file=_word(value.get("file")),
        line=line if isinstance(line, int) and not isinstance(line, bool) and line > 0 else 0,
        tried=_word(value.get("tried")),
        recommendation=_word(value.get("recommendation")),
    )


def _word(value: Any) -> str:
    if isinstance(value, list):
        value = "; ".join(each for each in value if isinstance(each, str))
    return _line(value) if isinstance(value, str) else ""


_SARIF_LEVELS = {"error": "high", "warning": "medium", "note": "low", "none": "low"}
_SECURITY_CRITICAL = 9.0


def _sarif(text: str) -> _Found:
    value = _json(text)
    runs = value.get("runs") if isinstance(value, Mapping) else None
    if not isinstance(runs, list):
        return None
    found = [_of_sarif(result) for run in _maps(runs) for result in _maps(run.get("results"))]
    return found, []


def _of_sarif(result: Mapping[str, Any]) -> Failure:
    place = _map(_map(next(_maps(result.get("locations")), {})).get("physicalLocation"))
    message = _map(result.get("message"))
    severity = _SARIF_LEVELS.get(str(result.get("level", "warning")), "medium")
    try:
        security = float(_map(result.get("properties")).get("security-severity", 0))
    except (TypeError, ValueError):
        security = 0.0
    line = _map(place.get("region")).get("startLine", 0)
    return _failure(
        str(message.get("text") or message.get("markdown") or result.get("ruleId") or "a finding without words"),
        severity="critical" if security >= _SECURITY_CRITICAL else severity,
        test=_word(result.get("ruleId")),
        file=_word(_map(place.get("artifactLocation")).get("uri")).removeprefix("file://"),
        line=line if isinstance(line, int) else 0,
    )


def _map(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _maps(value: Any) -> Iterator[Mapping[str, Any]]:
    return (each for each in value if isinstance(each, Mapping)) if isinstance(value, list) else iter(())


# -- JUnit XML


class _Cases:
    """Takes the cases of a JUnit document from its parser; a document that declares entities is refused."""

    def __init__(self) -> None:
        self.is_junit = False
        self.failures: list[Failure] = []
        self.passed: list[str] = []
        self._case: dict[str, str] = {}
        self._wrong: tuple[str, str] | None = None
        self._words: list[str] = []

    def start(self, name: str, given: dict[str, str]) -> None:
        self.is_junit |= name in ("testsuite", "testsuites")
        if name == "testcase":
            self._case, self._wrong = given, None
        elif name in ("failure", "error") and self._case:
            self._wrong, self._words = (name, given.get("message", "")), []

    def text(self, words: str) -> None:
        if self._wrong is not None and sum(map(len, self._words)) < 20_000:
            self._words.append(words)

    def end(self, name: str) -> None:
        if name != "testcase":
            return
        case, self._case = self._case, {}
        test = "::".join(filter(None, (case.get("classname", ""), case.get("name", ""))))
        if self._wrong is None:
            self.passed.append(test)
            return
        details = "".join(self._words)
        message = self._wrong[1] or next(iter(details.strip().splitlines()), "") or self._wrong[0]
        file, line = _place_in(details, case.get("file", ""))
        given = case.get("line", "")
        self.failures.append(
            _failure(
                message.splitlines()[0],
                test=test,
                file=file or case.get("file", ""),
                line=line or (int(given) if given.isdecimal() else 0),
            )
        )

    def refuse(self, *_: Any) -> None:
        raise UsageError("the XML declares entities, which no report of a test needs; it was not read")


def _junit(text: str) -> _Found:
    if not text.lstrip("\ufeff \t\r\n").startswith("<"):
        return None
    cases = _Cases()
    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = cases.start, cases.end
    parser.CharacterDataHandler, parser.EntityDeclHandler = cases.text, cases.refuse
    try:
        parser.Parse(text.encode("utf-8", "replace"), True)
    except expat.ExpatError as error:
        raise UsageError(f"the XML cannot be read (line {error.lineno}): {expat.ErrorString(error.code)}") from error
    return (cases.failures, cases.passed) if cases.is_junit else None


# -- what tools print

_PLACE = re.compile(r"^E?[ \t]{0,80}(?:at [^\n(]{0,200}\()?([^\s:()]{1,300}\.[A-Za-z]{1,5}):(\d{1,7})\b", re.MULTILINE)


def _place_in(text: str, preferred: str = "") -> tuple[str, int]:
    """The last line of the project that a trace points at: the one of `preferred` if there is one."""
    found = [(path, int(line)) for path, line in _PLACE.findall(text) if not _OUTSIDE.search(path)]
    wanted = [place for place in found if preferred and place[0] == preferred] or found
    return wanted[-1] if wanted else ("", 0)


_OUTSIDE = re.compile(r"site-packages|node_modules|/rustc/|/lib/python\d|/go/src/|/go-[\d.]+/src/")
_PYTEST_ENDS = re.compile(
    r"^=+ .*\b(?:failed|passed|errors?|no tests ran)\b.* in [\d.]+s|^\d+ (?:failed|passed|errors?)\b.* in [\d.]+s",
    re.MULTILINE,
)
_PYTEST_LINE = re.compile(r"^(?:FAILED|ERROR) (\S+?\.py)(?:::(\S.*?))?(?: - (.*))?$", re.MULTILINE)
_PYTEST_HEAD = re.compile(r"^_{3,} (?:ERROR (?:at \w+ of|collecting) )?(\S.*?) _{3,}$", re.MULTILINE)
_PYTEST_ERROR = re.compile(r"^E\s+(\S.*)$", re.MULTILINE)


def _pytest(text: str) -> _Found:
    if not _PYTEST_ENDS.search(text):
        return None
    sections = dict(_sections(_PYTEST_HEAD, text))
    found = []
    for path, test, words in _PYTEST_LINE.findall(text):
        details = sections.get(test.replace("::", ".") or path, "")
        error = _PYTEST_ERROR.search(details)
        file, line = _place_in(details, path)
        found.append(
            _failure(
                words or (error[1] if error else "the test failed"),
                test="::".join(filter(None, (path, test))),
                file=file or path,
                line=line,
            )
        )
    passed = re.findall(r"^(\S+::\S+) PASSED\b", text, re.MULTILINE)
    return found, passed


_JEST_ENDS = re.compile(r"^Tests: .*\b\d+ total$", re.MULTILINE)
_JEST_HEAD = re.compile(r"^ {2}● (\S.*)$", re.MULTILINE)
_JEST_PASSED = re.compile(r"^ +[✓√] (\S.*?)(?: \(\d[\d.]* m?s\))?$", re.MULTILINE)


def _jest(text: str) -> _Found:
    text = _WITHOUT_COLOUR.sub("", text)
    if not _JEST_ENDS.search(text):
        return None
    found = []
    for test, details in dict(_sections(_JEST_HEAD, text)).items():  # jest repeats failures at its end
        words = [line.strip() for line in details.splitlines() if line.strip()]
        compared = [line for line in words[:8] if line.startswith(("Expected", "Received"))]
        places = [
            place
            for place in re.findall(r"\(?([^\s()]+):(\d+):\d+\)?$", details, re.MULTILINE)
            if not _OUTSIDE.search(place[0])
        ]
        file, line = (places[0][0], int(places[0][1])) if places else ("", 0)
        found.append(_failure("; ".join([*words[:1], *compared]), test=test, file=file, line=line))
    return found, _JEST_PASSED.findall(text)


_GO_ENDS = re.compile(r"^(?:FAIL|ok  )\t\S+", re.MULTILINE)
_GO_RESULT = re.compile(r"^ *--- (FAIL|PASS): (\S+) \([\d.]+s\)$", re.MULTILINE)
_GO_BEGAN = re.compile(r"^=== RUN +(\S+)$", re.MULTILINE)
_GO_CHARS = 20_000  # of what a test printed that are looked through
_GO_WORDS = re.compile(r"^\s+(\S+_test\.go):(\d+): (.*)$", re.MULTILINE)


def _go(text: str) -> _Found:
    if not _GO_ENDS.search(text):
        return None
    results = [(match[1], match[2], match.start(), match.end()) for match in _GO_RESULT.finditer(text)]
    whole = {test.rpartition("/")[0] for _, test, _, _ in results}  # tests of parts, which say what is wrong
    began = {match[1]: match.end() for match in _GO_BEGAN.finditer(text)}  # with -v the words come before the result
    found, passed = [], []
    for at, (outcome, test, start, end) in enumerate(results):
        if outcome == "PASS":
            passed.append(test)
        elif test not in whole:
            before = text[max(began.get(test, start), start - _GO_CHARS) : start]
            after = text[end : min(end + _GO_CHARS, results[at + 1][2] if at + 1 < len(results) else len(text))]
            found.append(_of_go(test, before, after))
    return found, passed


def _of_go(test: str, before: str, after: str) -> Failure:
    words = _GO_WORDS.search(after) or _GO_WORDS.search(before)
    panic = re.search(r"^panic: .*$", after, re.MULTILINE)
    file, line = (words[1], int(words[2])) if words else _place_in(after)
    return _failure(words[3] if words else panic[0] if panic else "the test failed", test=test, file=file, line=line)


_CARGO_ENDS = re.compile(r"^test result: (?:ok|FAILED)\.", re.MULTILINE)
_CARGO_RESULT = re.compile(r"^test (\S+)(?: - should panic)? \.\.\. (ok|FAILED)$", re.MULTILINE)
_CARGO_HEAD = re.compile(r"^---- (\S+) stdout ----$", re.MULTILINE)
_CARGO_PANIC = re.compile(r"panicked at (?:'([^\n]{0,300})', )?([^\s:]{1,300}):(\d{1,7}):\d+:?\n?([^\n]{0,400})")


def _cargo(text: str) -> _Found:
    if not _CARGO_ENDS.search(text):
        return None
    sections = dict(_sections(_CARGO_HEAD, text))
    found, passed = [], []
    for test, outcome in _CARGO_RESULT.findall(text):
        if outcome == "ok":
            passed.append(test)
            continue
        panic = _CARGO_PANIC.search(sections.get(test, ""))
        words = (panic[1] or panic[4]) if panic else ""
        sides = re.findall(r"^ *((?:left|right): .*)$", sections.get(test, ""), re.MULTILINE)
        found.append(
            _failure(
                "; ".join([words or "the test failed", *sides[:2]]),
                test=test,
                file=panic[2] if panic else "",
                line=int(panic[3]) if panic else 0,
            )
        )
    return found, passed


def _sections(head: re.Pattern[str], text: str) -> Iterable[tuple[str, str]]:
    """Each heading with what follows it, up to the next one."""
    heads = list(head.finditer(text))
    for at, match in enumerate(heads):
        yield match[1], text[match.end() : heads[at + 1].start() if at + 1 < len(heads) else len(text)]


_READERS: dict[str, Callable[[str], _Found]] = {
    "sarif": _sarif,
    "json": _own,
    "junit": _junit,
    "jest": _jest,
    "go": _go,
    "cargo": _cargo,
    "pytest": _pytest,
}
