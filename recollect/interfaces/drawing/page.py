"""A graph of concepts as one HTML page: the picture, and below it everything in it as text."""

from __future__ import annotations

from recollect.interfaces.drawing.concepts import ConceptLink, Concepts
from recollect.interfaces.drawing.svg import svg_of
from recollect.model.showable import in_html

# A page that may fetch nothing and run nothing, whatever a record says.
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem}"
    "body{color:#1c2833;background:#fff}svg{max-width:100%;height:auto;border:1px solid #d5d8dc;border-radius:6px}"
    "table{border-collapse:collapse;width:100%}"
    "td,th{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #eaecee}"
    "code{font-size:.8rem;color:#707b7c}"
)


def page_of(graph: Concepts, *, title: str) -> str:
    """The page, in one file."""
    more = f"<p>{graph.left_out} more records are not shown.</p>" if graph.left_out else ""
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{in_html(title)}</title>'
        f"<style>{_STYLE}</style></head><body><h1>{in_html(title)}</h1>\n{svg_of(graph)}{more}\n"
        f"<h2>Relations</h2>\n<table><tr><th>from</th><th>relation</th><th>to</th><th>confidence</th></tr>\n"
        f"{''.join(_link(link, graph) for link in graph.links)}</table>\n<h2>Records</h2>\n"
        f"<table><tr><th>kind</th><th>record</th></tr>\n{''.join(_record(graph, at) for at in range(len(graph.nodes)))}"
        "</table></body></html>\n"
    )


def _link(link: ConceptLink, graph: Concepts) -> str:
    ends = [in_html(graph.by_id[end].text) for end in (link.source, link.target)]
    sure = f"{link.confidence:.2f}" + (" (found automatically)" if link.auto_extracted else "")
    return f"<tr><td>{ends[0]}</td><td>{in_html(link.label)}</td><td>{ends[1]}</td><td>{sure}</td></tr>\n"


def _record(graph: Concepts, at: int) -> str:
    node = graph.nodes[at]
    kind = node.kind if node.kind == node.category else f"{node.kind}, {node.category}"
    return f"<tr><td>{in_html(kind)}</td><td>{in_html(node.text)}<br><code>{in_html(node.id)}</code></td></tr>\n"
