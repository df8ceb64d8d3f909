"""Samples of everything that readers read, and texts made of them as attackers make texts."""

from __future__ import annotations

import random

SIZE = 100_000
OPENING = (
    "(",
    "[",
    "{",
    "<",
    '"',
    "'",
    "`",
    "/*",
    "<!--",
    "<a ",
    "<div>",
    "> ",
    "- ",
    "# ",
    "\\",
    "&",
    "|",
    "**",
    "  ",
)
MARKDOWN = (
    "# Boats\n\n- one\n  - two\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\nx\n```\n\n> said *Ana* [so](http://a.b)\n"
)
RST = "Boats\n=====\n\n.. code-block:: py\n\n   x = 1\n\n* one\n* two\n\n+---+---+\n| a | b |\n+---+---+\n\n.. _here:\n"
HTML = (
    "<html><head><title>B</title></head><body><h1 id=a>B</h1><p>one &amp; <b>two</b></p><ul><li>x</ul><!-- c --></body>"
)
PLAIN = "BOATS\n\nThe ferry leaves at nine.\n\n1. One\n2. Two\n\n  indented\n"
SAID = (
    "I moved from Oslo to Rome on 3 May 2026 at 9:30, because my sister Eva Ruiz works at Acme "
    "Corp. Ich wohne seit gestern in Köln und mag Tee. Vivo en Lisboa desde el lunes. Ana "
    "said: “never deploy on Fridays, the e-mail a.b@c.de is wrong!” (see docs/a.md#b) #tag "
    "@ana $5.00 +49 30 1234\n"
)
TIMES = "the second Tuesday of last month, two weeks before Christmas 2025, between 9 and 11:30 on 2026-05-03T10:00:00Z"
FILTER = '{"AND": [{"metadata.a": {"gte": 1}}, {"OR": [{"tags": "x"}, {"NOT": {"kind": "episodic"}}]}]}'
REPORT = (
    "Traceback (most recent call last):\n"
    '  File "a.py", line 3, in f\n'
    "    g()\n"
    "ValueError: no\n"
    "\n"
    "FAILED tests/test_a.py::test_b - assert 1 == 2\n"
    "=== 1 failed, 2 passed in 0.1s ===\n"
    "src/a.ts(3,4): error TS2304: no\n"
)
REPORT_IN_XML = (
    '<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY b "c">]>\n'
    '<testsuites><testsuite name="d"><testcase name="e" classname="f"><failure message="no">&lt;g&amp;h</failure>'
    "</testcase><!-- i --><![CDATA[j]]></testsuite></testsuites>\n"
)
CHAT = '[{"role": "user", "content": "I moved to Oslo."}, {"role": "assistant", "content": "Fine."}]'
BODY = '{"content": "Ana likes tea", "metadata": {"a": [1, {"b": null}]}, "user_id": "ana", "query": "tea?"}'
CALL = (
    '{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search_memories", '
    '"arguments": {"query": "tea"}}}'
)
CODE = {
    "python": (
        "from a import b\n"
        "\n"
        "\n"
        "@c(1)\n"
        "class D(b.E):\n"
        "    x: list[int] = [i for i in f(2)]\n"
        "\n"
        "    def g(self, *a, k=1):\n"
        "        return self.x.h(lambda y: y)\n"
    ),
    "go": (
        "package a\n"
        "\n"
        'import "b/c"\n'
        "\n"
        "type D[T any] struct {\n"
        "\t*c.E\n"
        "}\n"
        "\n"
        "func (d *D[T]) F(x ...int) (err error) {\n"
        "\tdefer d.E.G()\n"
        "\treturn nil\n"
        "}\n"
    ),
    "rust": (
        "use a::{b, c as d};\n"
        "\n"
        "#[e]\n"
        "pub struct F<T: d>(T);\n"
        "\n"
        "impl<T: d> b for F<T> {\n"
        "    fn g(&self) -> Option<T> {\n"
        "        match self.0 { h!(x) => None, _ => self.i()? }\n"
        "    }\n"
        "}\n"
    ),
    "typescript": (
        "import { a, type B } from './b';\n"
        "\n"
        "export class C<T extends B> extends a.D implements E {\n"
        "  f = async (x?: T) => await this.g(`${x}`);\n"
        "}\n"
    ),
    "tsx": ("export const A = (p: {b: string}) => <div onClick={() => f(p.b)}>{p.b}<C d='e' /></div>;\n"),
    "javascript": (
        "const a = require('./a');\nmodule.exports = function* b({c, ...d}) { yield* a.e(c)?.[0] ?? /f+/g; };\n"
    ),
    "java": (
        "package a;\n"
        "\n"
        "import b.C;\n"
        "\n"
        "@D\n"
        "public class E<T extends C> extends F {\n"
        "  private final G g = new G() { void h() {} };\n"
        "  <U> U i(U... u) { return g.<U>j(u[0]); }\n"
        "}\n"
    ),
    "c": (
        '#include "a.h"\n'
        "#define B(x) do { c(x); } while (0)\n"
        "\n"
        "struct D { int (*e)(void); };\n"
        "\n"
        "int f(struct D *d) { B(1); return d->e() ? 1 : 2; }\n"
    ),
    "cpp": (
        "#include <a>\n"
        "namespace b {\n"
        "template <typename T, int N = 3> class C : public D<T> {\n"
        "  auto f() const -> decltype(g<T>(N)) { return [this](auto&& x) { return h->i(x); }(1); }\n"
        "};\n"
        "}\n"
    ),
}
SETTINGS = {
    "go.mod": ("module a/b\n\ngo 1.20\n\nrequire (\n\tc/d v1.2.3\n)\nreplace c/d => ./d\n"),
    "toml": ('[package]\nname = "a"\n\n[dependencies]\nb = { path = "../b" }\n'),
    "package.json": ('{"name": "a", "exports": {".": {"import": "./b.js"}}, "workspaces": ["c/*"]}'),
    "jsonc": ('{\n  // a\n  "compilerOptions": {"paths": {"@/*": ["./src/*"],},},\n}\n'),
    "json": ('[{"file": "a.c", "directory": "/b", "arguments": ["cc", "-Ic", "-DD=1"]}]'),
}
IMPORTS = {
    "jsonl": ('{"format":"recollect","version":1}\n{"record":{"id":"a","content":"b"}}\n{"end":1}\n'),
    "mem0": ('{"results": [{"id": "a", "memory": "I like tea", "metadata": {"b": 1}, "created_at": "2026-01-01"}]}'),
    "graphiti": ('[{"fact": "Ana likes tea", "valid_at": "2026-01-01", "source_node": {"name": "Ana"}}]'),
    "reference": (
        '{"type":"entity","name":"Ana","entityType":"person","observations":["likes tea"]}\n'
        '{"type":"relation","from":"Ana","to":"Ben","relationType":"knows"}\n'
    ),
    "chat": ('[{"role": "user", "content": "I moved to Oslo."}, {"role": "assistant", "content": "Fine."}]'),
}


def pdf() -> str:
    """A page with a line, by hand: objects, a stream, a table of offsets."""
    stream = "BT /F1 12 Tf 20 20 Td (The ferry leaves) Tj ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        (
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R "
            "/Resources << /Font << /F1 5 0 R >> >> >>"
        ),
        f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    out = "%PDF-1.4\n"
    offsets = []
    for number, each in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{each}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    table = f"xref\n0 6\n0000000000 65535 f \n{table}"
    return f"{out}{table}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF\n"


def hard_text(chance: random.Random, sample: str) -> str:
    """One of 100 KB at most."""
    whole = chance.choice((_repeated, _repeated, _opened, _joined, _changed, _of_few_characters))(chance, sample)
    return whole[:SIZE]


def _piece(chance: random.Random, sample: str, most: int = 40) -> str:
    at = chance.randrange(len(sample))
    return sample[at : at + chance.randint(1, most)]


def _repeated(chance: random.Random, sample: str) -> str:
    piece = _piece(chance, sample)
    return _piece(chance, sample) + piece * (SIZE // len(piece)) + _piece(chance, sample)


def _opened(chance: random.Random, sample: str) -> str:
    """Begun again and again, seldom ended."""
    opening, between = chance.choice(OPENING), chance.choice(("", "", "a", " ", "\n", _piece(chance, sample, 8)))
    unit = opening + between
    return (
        sample[: chance.randrange(len(sample))] + unit * (SIZE // len(unit)) + sample[chance.randrange(len(sample)) :]
    )


def _joined(chance: random.Random, sample: str) -> str:
    pieces: list[str] = []
    while sum(map(len, pieces)) < SIZE:
        pieces.append(chance.choice((sample, _piece(chance, sample), _piece(chance, sample, 200))))
    return "".join(pieces)


def _changed(chance: random.Random, sample: str) -> str:
    text = list(sample * max(1, chance.choice((1, SIZE // len(sample)))))
    for _ in range(chance.randint(1, max(2, len(text) // 50))):
        text[chance.randrange(len(text))] = chr(chance.choice((chance.randrange(128), chance.randrange(0xD7FF))))
    return "".join(text)


def _of_few_characters(chance: random.Random, sample: str) -> str:
    few = [chance.choice(sample) for _ in range(chance.randint(1, 5))]
    return "".join(chance.choices(few, k=SIZE))
