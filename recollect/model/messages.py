"""Chat messages as the providers write them, read into one form.

OpenAI's (texts, parts, tool calls, the items of its Responses API), Anthropic's blocks, Gemini's parts, LangChain's
types, ShareGPT's `from` and `value`, and plain texts. What a machine thinks to itself is left out, what is no text
becomes a short word such as `[image]`, and a result that stands inside a person's message is a message of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import orjson

from recollect.errors import ContentTooLarge, InvalidQuery, UsageError, clipped, shown
from recollect.limits import MESSAGES_PER_ADD_MAX, NAME_CHARS_MAX
from recollect.model import roles
from recollect.model.message import ARGUMENTS_CHARS_MAX, Call, Message
from recollect.model.plain import RUN_CHARS, TOOL_RUN_CHARS, binary, decoded, medium_of, plain

__all__ = ["Call", "Message", "read_message", "read_messages", "text_of", "CALL_KEYS", "IMAGE_TYPES", "KEYS"]

_ORDINARY = ("user", "assistant")
PARTS_MAX = 10_000  # of one message
DEPTH_MAX = 10  # blocks within blocks
IMAGE_TYPES = frozenset({"image", "image_url", "input_image"})
_MEDIA = dict.fromkeys(IMAGE_TYPES, "image") | {
    "input_audio": "audio",
    "audio": "audio",
    "output_audio": "audio",
    "video": "video",
    "video_url": "video",
    "file": "file",
    "input_file": "file",
    "document": "file",
    "container_upload": "file",
    "resource": "file",
    "computer_screenshot": "image",
    "media": "file",
}
_UNSAID = frozenset(  # what a machine keeps to itself, or only points elsewhere
    "thinking redacted_thinking reasoning reasoning_content item_reference compaction cache_point guard_content".split()
)
_LANGCHAIN = {
    "human": "user",
    "ai": "assistant",
    "AIMessageChunk": "assistant",
    "HumanMessageChunk": "user",
    "system": "system",
    "tool": "tool",
    "function": "tool",
}
ROLE_KEYS, _TEXT_KEYS = ("role", "from", "sender", "author"), ("content", "parts", "text", "value")
_TIME_KEYS = ("timestamp", "created_at", "create_time", "time")
_CALL_IDS = ("tool_call_id", "call_id", "tool_use_id")
_MILLISECONDS_FROM = 1e11  # as seconds, a number this large would lie after the year 5000
CALL_KEYS = frozenset((*_CALL_IDS, "tool_calls", "function_call", "refusal", "audio", "type", "additional_kwargs"))
KEYS = frozenset(  # that messages of the providers have, beside a role and a content
    (
        *_TEXT_KEYS,
        *ROLE_KEYS,
        *_TIME_KEYS,
        *_CALL_IDS,
        "type",
        "id",
        "name",
        "tool_calls",
        "function_call",
        "refusal",
        "audio",
        "annotations",
        "status",
        "output",
        "arguments",
        "input",
        "phase",
        "reasoning",
        "reasoning_content",
        "additional_kwargs",
        "response_metadata",
        "usage_metadata",
        "invalid_tool_calls",
        "is_error",
        "model",
        "usage",
        "stop_reason",
        "stop_sequence",
        "logprobs",
        "function",
        "cache_control",
    )
)


def read_messages(given: Any) -> tuple[Message, ...]:
    """Every message that says something, in order. `UsageError` names the one that cannot be read, and why."""
    if isinstance(given, Mapping) and (inner := _conversation(given)) is not None:
        return (*read_messages(_instructions(given)), *read_messages(inner))
    if given is None:
        return ()
    if isinstance(given, str | bytes | bytearray | Mapping | Message) or not isinstance(given, Iterable):
        given = [given]
    out: list[Message] = []
    for index, one in enumerate(given):
        if index >= MESSAGES_PER_ADD_MAX:
            raise ContentTooLarge(f"a conversation has at most {MESSAGES_PER_ADD_MAX} messages; give the newest ones")
        if isinstance(one, Message):
            out += _with_words([one])
        elif type(one) is dict and type(text := one.get("content")) is str and len(one) == 2 and "role" in one:
            out += _simple(one["role"], text, index)  # nearly all are like this
        else:
            out += read_message(one, index)
    return tuple(out)


def read_message(given: Any, index: int | None = None) -> list[Message]:
    """The messages in one that was given: none if it is empty, several if it holds results of tools.

    `index` is its place in the conversation, for whoever is told that it cannot be read.
    """
    if isinstance(given, str):
        return _with_words([Message(role="user", text=plain(given))])
    if isinstance(given, bytes | bytearray):
        return _with_words([Message(role="user", text=plain(decoded(given)))])
    if not isinstance(given, Mapping) and callable(dump := getattr(given, "model_dump", None)):
        given = dump()  # the clients of the providers answer with such objects
    if not isinstance(given, Mapping):
        raise UsageError(
            f'{place_of(index)}expected a text or an object with "role" and "content", not {type(given).__name__}'
        )
    return _with_words(Reader(index).read(given))


def text_of(content: Any) -> str:
    """The words of a content: a text, or blocks of which the texts count. Calls and results count as words too."""
    read = Reader(None).read({"role": "user", "content": content})
    return "\n".join(message.told for message in read if message.told)


def _conversation(given: Mapping[str, Any]) -> list[Any] | None:
    """The messages of a whole request, if this is one."""
    if any(given.get(key) is not None for key in ROLE_KEYS) or "content" in given:
        return None
    return next((given[key] for key in ("messages", "contents", "input") if isinstance(given.get(key), list)), None)


def _instructions(given: Mapping[str, Any]) -> list[dict[str, Any]]:
    said = [given.get(key) for key in ("system", "instructions", "system_instruction", "systemInstruction")]
    return [
        {"role": "system", "content": each.get("parts") if isinstance(each, Mapping) else each} for each in said if each
    ]


def _simple(role: Any, text: str, index: int) -> list[Message]:
    if role not in _ORDINARY or len(text) >= TOOL_RUN_CHARS:
        return read_message({"role": role, "content": text}, index)
    return [Message(role=role, text=plain(text))] if text and not text.isspace() else []


def _with_words(read: list[Message]) -> list[Message]:
    """Those that say, hold or call something."""
    return [one for one in read if one.calls or one.attachments or (one.text and not one.text.isspace())]


def place_of(index: int | None) -> str:
    """Which message a complaint is about; nothing where there is only one."""
    return "" if index is None else f"message {index}: "


def role_of(given: Any, index: int | None) -> str:
    """The role as it was given, "user" where none was."""
    if isinstance(given, Mapping):  # ChatGPT's exports have an author with a role
        given = given.get("role")
    if given is None:
        return "user"
    if not isinstance(given, str) or not given.strip():
        raise UsageError(f"{place_of(index)}its role must be a text such as user or assistant, not {shown(given, 40)}")
    return plain(given).strip()[:NAME_CHARS_MAX]


class Reader:
    """Reads one message; what it finds in the blocks collects here."""

    def __init__(self, index: int | None) -> None:
        self._index = index
        self._place = place_of(index)
        self._results: list[Message] = []
        self._calls: list[Call] = []
        self._media: list[str] = []
        self._run_chars = RUN_CHARS
        self._left = PARTS_MAX

    def read(self, given: Mapping[str, Any]) -> list[Message]:
        given = _unwrapped(given)
        kind = given.get("type")
        if isinstance(kind, str) and "role" not in given:
            if kind in _UNSAID:
                return []
            if kind.endswith("_call_output") or (kind.endswith("_call") and "content" not in given):
                return self._item(given, kind)
            if kind in _LANGCHAIN:
                given = {**given, "role": _LANGCHAIN[kind]}
            elif kind == "output_text":
                given = {**given, "role": "assistant"}
        role = role_of(first_of(given, ROLE_KEYS), self._index)
        if role.lower() in roles.TOOLS:
            self._run_chars = TOOL_RUN_CHARS
        text = "\n".join(part for part in (self._words(first_of(given, _TEXT_KEYS), 0), self._beside(given)) if part)
        return [*self._results, self._message(given, role, text)]

    def _message(self, given: Mapping[str, Any], role: str, text: str) -> Message:
        call_id = first_of(given, _CALL_IDS)
        is_result = call_id is not None or role.lower() in roles.TOOLS
        return Message(
            role=role,
            text=text,
            name=_name(given.get("name")),
            calls=_each_once(self._calls),
            result_of=_id(call_id) or "" if is_result else None,
            failed=given.get("is_error") is True or given.get("status") == "error",
            at=_time(first_of(given, _TIME_KEYS)),
            attachments=tuple(self._media),
        )

    def _beside(self, given: Mapping[str, Any]) -> str:
        """What stands beside the content: calls, refusals, what was spoken."""
        more = given.get("additional_kwargs")
        for source in (given, more) if isinstance(more, Mapping) else (given,):
            calls = source.get("tool_calls") or ()
            if not isinstance(calls, list | tuple):
                raise UsageError(f"{self._place}tool_calls must be a list, not {shown(calls, 40)}")
            single = source.get("function_call")
            if calls or isinstance(single, Mapping):
                self._calls += [self._call(each) for each in calls[:PARTS_MAX]]
                self._calls += [self._call(single)] if isinstance(single, Mapping) else []
                break
        audio = given.get("audio")
        spoken = audio.get("transcript") if isinstance(audio, Mapping) else None
        return "\n".join(plain(each) for each in (given.get("refusal"), spoken) if isinstance(each, str) and each)

    def _item(self, given: Mapping[str, Any], kind: str) -> list[Message]:
        """An item of the Responses API that is a call of a tool, or what it answered."""
        at, call_id = _time(first_of(given, _TIME_KEYS)), _id(first_of(given, ("call_id", "id"))) or ""
        self._run_chars = TOOL_RUN_CHARS
        result = self._words(given.get("output"), 0) if given.get("output") is not None else ""
        answer = Message(role="tool", text=result, result_of=call_id, at=at, attachments=tuple(self._media))
        if kind.endswith("_output"):
            return [answer]
        called = {**given, "name": given.get("name") or kind.removesuffix("_call")}
        asked = Message(role="assistant", calls=(self._call(called),), at=at)
        return [asked, answer] if result else [asked]

    def _call(self, given: Any) -> Call:
        if not isinstance(given, Mapping):
            raise UsageError(f"{self._place}a tool call must be an object with a name, not {shown(given, 40)}")
        inner = given.get("function")
        inner = inner if isinstance(inner, Mapping) else given
        arguments = first_of(inner, ("arguments", "args", "input", "action", "query"))
        return Call(
            name=_name(inner.get("name")) or "a tool",
            id=_id(first_of(given, ("call_id", "id"))),
            arguments="" if arguments is None else _json(arguments)[:ARGUMENTS_CHARS_MAX],
        )

    def _words(self, content: Any, depth: int) -> str:
        """The words of a content or of a block in it; the rest is noted."""
        if content is None:
            return ""
        if isinstance(content, str):
            return plain(content, run_chars=self._run_chars)
        if isinstance(content, bytes | bytearray):
            return plain(decoded(content), run_chars=self._run_chars)
        if not isinstance(content, list | tuple | Mapping):
            raise UsageError(
                f"{self._place}its content must be a text or a list of parts, not {type(content).__name__}"
            )
        if depth > DEPTH_MAX:
            raise UsageError(f"{self._place}its parts are nested deeper than {DEPTH_MAX} levels")
        if isinstance(content, Mapping):
            return self._block(content, depth)
        self._left -= len(content)
        if self._left < 0:
            raise ContentTooLarge(f"{self._place}more than {PARTS_MAX} parts; send it in several messages")
        words = [self._words(each, depth + 1) for each in content]
        return "\n".join(each for each in words if each)

    def _block(self, block: Mapping[str, Any], depth: int) -> str:
        kind = str(block.get("type") or "")
        if kind in _UNSAID or block.get("thought") is True:
            return ""
        if kind in ("tool_use", "tool_call") or kind.endswith("_tool_use"):
            self._calls.append(self._call(block))
            return ""
        if kind == "tool_result" or kind.endswith("_tool_result"):
            self._result(block, depth)
            return ""
        if isinstance(block.get("text"), str):
            return plain(block["text"], run_chars=self._run_chars)
        if (gemini := self._gemini(block, depth)) is not None:
            return gemini
        if kind == "refusal":
            return self._words(block.get("refusal"), depth + 1)
        if kind in _MEDIA:
            return self._medium(block, _MEDIA[kind], depth)
        inner = first_of(block, ("content", "parts", "output", "value"))
        if inner is not None:
            return self._words(inner, depth + 1)
        return "" if not block or kind else plain(_json(block), run_chars=TOOL_RUN_CHARS)

    def _result(self, block: Mapping[str, Any], depth: int) -> None:
        """What a tool answered, inside another message."""
        reader = Reader(self._index)
        reader._left, reader._run_chars = self._left, TOOL_RUN_CHARS
        text = reader._words(block.get("content"), depth + 1)
        self._left = reader._left
        self._results += [
            *reader._results,
            Message(
                role="tool",
                text=text,
                result_of=_id(first_of(block, _CALL_IDS)) or "",
                failed=block.get("is_error") is True,
                attachments=tuple(reader._media),
            ),
        ]

    def _gemini(self, block: Mapping[str, Any], depth: int) -> str | None:
        call = first_of(block, ("functionCall", "function_call"))
        if isinstance(call, Mapping):
            self._calls.append(self._call(call))
            return ""
        answer = first_of(block, ("functionResponse", "function_response"))
        if isinstance(answer, Mapping):
            text = plain(_json(answer.get("response")), run_chars=TOOL_RUN_CHARS)
            self._results.append(Message(role="tool", text=text, name=_name(answer.get("name")), result_of=""))
            return ""
        code = first_of(block, ("executableCode", "executable_code", "codeExecutionResult", "code_execution_result"))
        if isinstance(code, Mapping):
            return self._words(code.get("code") or code.get("output"), depth + 1)
        data = first_of(block, ("inlineData", "inline_data", "fileData", "file_data"))
        if isinstance(data, Mapping):
            mime = first_of(data, ("mimeType", "mime_type"))
            return self._medium(data, medium_of(mime if isinstance(mime, str) else None), depth)
        return None

    def _medium(self, block: Mapping[str, Any], what: str, depth: int) -> str:
        """A word for what is no text; a document that is text is its text."""
        source = block.get("source")
        source = source if isinstance(source, Mapping) else block
        if source.get("type") in ("text", "content"):
            return self._words(first_of(source, ("data", "content")), depth + 1)
        data = source.get("data")
        self._media.append(binary(len(data) * 3 // 4, what) if isinstance(data, str | bytes) else f"[{what}]")
        return ""


def _unwrapped(given: Mapping[str, Any]) -> Mapping[str, Any]:
    """LangChain writes a message inside of what tells its type."""
    inner = given.get("data")
    if isinstance(inner, Mapping) and isinstance(given.get("type"), str):
        return {"type": given["type"], **inner}
    inner, path = given.get("kwargs"), given.get("id")
    if isinstance(inner, Mapping) and isinstance(path, list) and path:
        return {"type": str(path[-1]).removesuffix("Message").lower(), **inner}
    inner = given.get("message")
    return inner if isinstance(inner, Mapping) and "content" not in given else given


def _each_once(calls: list[Call]) -> tuple[Call, ...]:
    """Some libraries write a call twice: among the blocks, and beside them."""
    return tuple({call.id or f"#{number}": call for number, call in enumerate(calls)}.values())


def _id(given: Any) -> str | None:
    return None if given is None else (given if isinstance(given, str) else clipped(given, 60))[:NAME_CHARS_MAX]


def _name(given: Any) -> str | None:
    return plain(given).strip()[:NAME_CHARS_MAX] or None if isinstance(given, str) else None


def _time(given: Any) -> datetime | None:
    """When it was said; a time that cannot be read is none."""
    try:
        if isinstance(given, int | float) and not isinstance(given, bool) and given > _MILLISECONDS_FROM:
            given /= 1000
        if given is None:
            return None
        from recollect.language.times import parse_time  # the words of every language: only where there is a time

        return parse_time(given)
    except (InvalidQuery, ValueError, OverflowError):
        return None


def _json(given: Any) -> str:
    if isinstance(given, str):
        return plain(given)
    try:
        return plain(orjson.dumps(given, default=_word, option=orjson.OPT_NON_STR_KEYS).decode("utf-8"))
    except (TypeError, ValueError):  # nested too deeply, or a number that JSON cannot hold
        return clipped(given, NAME_CHARS_MAX)


def _word(value: object) -> str:
    return decoded(value) if isinstance(value, bytes | bytearray) else clipped(value, 60)


def first_of(given: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((given[name] for name in names if given.get(name) is not None), None)
