"""Text that may be shown: to a person, to a model, to a program that draws Markdown. What would act there is stilled.

Stored text is kept as it came, and given back so to programs: `search` and `get` in Python, JSON over HTTP. Where
somebody reads it, two things in it do harm:

- Characters that nobody sees. They move a cursor, turn a line around, or tell a model what no person reads.
- Markup that acts. An image is fetched as soon as it is drawn, and its address can carry data out; a link can say one
  address and lead to another; a tag of HTML can do both.

Every output takes its texts through one of these, and none does it in its own way:

| function | for | what it does |
|---|---|---|
| `showable` | the other functions | characters |
| `inert` | models, terminals, anything that may be drawn as Markdown | characters, and markup that acts |
| `inert_data` | plain data of such outputs: tools' answers, drawings of the shell | the same, for every text in it |
| `in_html` | pages and pictures | characters, and every sign of HTML |
| `in_markdown` | documents of Markdown that we write ourselves | characters, and every sign of Markdown |
| `in_json` | JSON that people look at | escapes characters; nothing is lost |

A plain address (`https://…`) stays as it is: it is what people note, and it shows where it leads.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from recollect.language.expression import expression

INSTEAD = "�"  # for a run of such characters, so that one sees that something was there

# Controls but for tab and line feed, embeddings, overrides and isolates of writing direction, tags, annotations,
# invisible operators and fillers.
_UNSEEN = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f\u180e\u17b4\u17b5\u202a-\u202e\u2061-\u2064\u2066-\u2069\u206a-\u206f\ufff9-\ufffb"
    "\ufffe\uffff\U0001d173-\U0001d17a\U000e0000-\U000e007f"
)
# The flags of Scotland and other parts of countries are spelt in tags, at most six of them.
_FLAG = "\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f"
_SELECTORS = "[\ufe00-\ufe0f\U000e0100-\U000e01ef]"  # one chooses how a letter looks; several hide a text
_CONTROLS = expression("[\x00-\x08\x0b-\x1f\x7f]+")  # all of them that ASCII has
_HARMFUL = expression(f"({_FLAG})|(?:[{_UNSEEN}]|(?<={_SELECTORS}){_SELECTORS})+")

# Without width. Joiners and marks of direction stay where languages are written, and families drawn, with them; what
# only says where a line may break is left out; a row of them writes something.
_JOINERS = "\u200c\u200d"
_MARKS = "\u061c\u200e\u200f\u034f\u115f\u1160\u3164\uffa0"
_BREAKS = "\u00ad\u200b\u2060\ufeff"
_ROW_MAX = 3
_NO_WIDTH = expression(f"[{_JOINERS}{_MARKS}{_BREAKS}]+")
_IN_JSON = expression(f"[{_UNSEEN}{_BREAKS}]")

# Within a line, so that lines of a window stay what each of them was made. Elsewhere the address tells.
_IMAGE = expression(r"!\[((?:[^\[\]\\\n]|\\[^\n])*+)\]\(")
_ADDRESS = r"(?:<|[/\\]|[^\s()<>]*?(?:&#?\w+;|[:\\](?!\s)))"  # with a scheme or from the root, in signs or not
_LINK = expression(rf"\]\((?=\s*+{_ADDRESS})")
_DEFINITION = expression(rf"\]:(?=[\s>]*+{_ADDRESS})")
_NESTED_IMAGE = expression(r"!\[[^\n]*+")  # with brackets in its words: it may end at any bracket of the line

# Tags that act or hide what follows by themselves (those that GitHub's Markdown does not let through), remarks, and
# attributes that make any tag fetch, run or lead somewhere.
_ACTIVE = "title|textarea|style|xmp|iframe|noembed|noframes|script|plaintext"
_TAG = expression(rf"<(?=!(?!doctype html>)|\?|(?:{_ACTIVE})(?![\w:.-]))", re.IGNORECASE)
_ACTING = (
    r"[\s/\"'](?:on[a-z]{3,}|style|(?:xlink:)?href|src(?:set|doc)?|imagesrcset|data|poster|background|(?:form)?action|"
    r"ping|http-equiv|attributename|(?:dyn|low)src|code|codebase|archive|manifest|usemap)\s*+="
)
# What a tag is made of, as browsers read it: its end; such an attribute; a name, perhaps with a value, in which `>` may
# stand between quotes; a value whose quotes are not closed; any other sign.
_TAG_PART = expression(
    rf"(>)|({_ACTING}|=\s*+(?:\"[^\"]*+|'[^']*+)\Z)"
    r"|[^\s\"'>/=]++(?:\s*+=\s*+(?:(\"[^\"]*+\"|'[^']*+')|[^\s\"'>][^\s>]*+))?|[^>]",
    re.IGNORECASE,
)
_TAG_NAME = expression(r"<(?=([a-z][^\s/>]{0,100}+))", re.IGNORECASE)
_CAREFUL = 8_000_000  # what looking at the tags of one text may cost, in characters; beyond that every tag is stilled
_PART_COSTS = 40  # characters that could be read in the time that one part takes
# An address in angles is a link to what it says. Not those that run something, nor `<address|other words>` of chats.
_ANGLES = expression(
    r"<(?=(?:javascript|vbscript|data|file|blob|filesystem|view-source)\s*+:|[a-z]+:[^\s<>|]*+\|)", re.IGNORECASE
)

# An address, which stays; a sign; the beginning of a line that would fence code or underline a heading.
_MARKED = expression(
    r"(https?://[\w\-.~:/?#@!$&'+,;=%]+)|([\\`*_\[\]<>#|])|^([ \t]*)(?=~~~|[-=]+[ \t]*$)", re.MULTILINE
)


def showable(text: str) -> str:
    """The text without characters that nobody sees; the same object where nothing is wrong with it."""
    if text.isascii():  # nearly all are
        return text if text.isprintable() else _CONTROLS.sub(INSTEAD, text.replace("\r\n", "\n"))
    return _HARMFUL.sub(_kept, _NO_WIDTH.sub(_width_kept, text.replace("\r\n", "\n")))


def inert(text: str) -> str:
    """The text as a model or a terminal may have it, and anything that draws Markdown: nothing in it acts.

    An image becomes words, `[image: a map] (https://…)`; a link shows where it leads, `[here] (https://…)`; tags that
    fetch, run or hide something lose their `<`. Lists, headings, code, formulas and addresses stay.
    """
    text = showable(text)
    if "<" in text:
        text = _tags_stilled(text)
    if "](" in text or "]:" in text:
        text = _DEFINITION.sub("] :", _LINK.sub("] (", _IMAGE.sub(_told, text)))
        if "![" in text:
            text = _NESTED_IMAGE.sub(_unlinked, text)
    return text


def inert_data(data: Any) -> Any:
    """Plain data with every text in it inert, those that name something as well."""
    if isinstance(data, str):
        return inert(data)
    if isinstance(data, Mapping):
        return {inert(key) if isinstance(key, str) else key: inert_data(value) for key, value in data.items()}
    return [inert_data(each) for each in data] if isinstance(data, list | tuple) else data


def in_html(text: str) -> str:
    """The text as it stands in a page or a picture, between tags or in an attribute with quotes."""
    from html import escape  # its table of names is for pages only

    return escape(showable(text))


def in_markdown(text: str, *, one_line: bool = False) -> str:
    """The text as it stands in a document of Markdown, where it stays text: no heading, no link, no picture."""
    text = showable(text)
    return _MARKED.sub(_marked, " ".join(text.split()) if one_line else text)


def in_json(written: str) -> str:
    """JSON with the same characters escaped: nothing is lost, and it can be looked at. Flags are escaped as well."""
    return _IN_JSON.sub(_escaped, written)


def _kept(found: re.Match[str]) -> str:
    return found[1] or INSTEAD


def _width_kept(found: re.Match[str]) -> str:
    """What stays of characters without width that stand together."""
    row, at = found[0], found.start()
    if len(row) > _ROW_MAX:
        return INSTEAD
    after_ascii = not at or found.string[at - 1].isascii()  # nothing written in ASCII is joined
    written_with = _MARKS if after_ascii else _MARKS + _JOINERS
    return "".join(dict.fromkeys(each for each in row if each in written_with))


def _told(found: re.Match[str]) -> str:
    return f"[image: {found[1]}] (" if found[1] else "[image] ("


def _unlinked(found: re.Match[str]) -> str:
    return found[0].replace("](", "] (")


def _tags_stilled(text: str) -> str:
    text = _ANGLES.sub("&lt;", _TAG.sub("&lt;", text))
    left = _CAREFUL
    pieces: list[str] = []
    done = 0
    for tag in _TAG_NAME.finditer(text):
        acts, left = _acts(text, tag.end(1), left)
        if acts:
            pieces += (text[done : tag.start()], "&lt;")
            done = tag.start() + 1
    return "".join((*pieces, text[done:])) if pieces else text


def _acts(text: str, at: int, left: int) -> tuple[bool, int]:
    """Whether a tag fetches, runs or leads somewhere, by what follows its name; and what looking may still cost.

    One that is not closed may: what is shown after it might go on with it.
    """
    while left > 0 and (part := _TAG_PART.match(text, at)) is not None:
        left -= part.end() - at + _PART_COSTS
        if part[1] or part[2]:
            return bool(part[2]), left
        at = part.end() - bool(part[3])  # the quote that ends a value may also be what an attribute follows
    return True, left


def _marked(found: re.Match[str]) -> str:
    if found[1]:
        return found[1]
    return f"\\{found[2]}" if found[2] else f"{found[3]}\\"


def _escaped(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
