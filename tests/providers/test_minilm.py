"""The encoder that ships: what its name stands for, long texts, and files that cannot be loaded."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from recollect.errors import ProviderUnavailable, UsageError
from recollect.providers.embedders import minilm
from recollect.providers.embedders.minilm import MULTILINGUAL, SHIPPED, WEIGHTS, MiniLmEmbedder, MultilingualEmbedder
from recollect.providers.registry import make_embedder

FOLDER = WEIGHTS / SHIPPED
FILE_BYTES_MAX = 25_000_000
FIRST_NUMBERS = [0.01323, -0.11596, 0.02563, 0.04511, 0.02328, -0.02013]


@pytest.fixture(scope="module")
def encoder() -> MiniLmEmbedder:
    return MiniLmEmbedder()


def test_it_promises_what_every_embedder_does(encoder: MiniLmEmbedder) -> None:
    rows = encoder.embed(["one", "", "two words", "three short words", " \u200b "])
    assert rows.shape == (5, encoder.dimensions)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), [1, 0, 1, 1, 0], atol=1e-6)
    assert encoder.embed([]).shape == (0, encoder.dimensions)
    assert encoder.embed(["lone surrogate \ud800"]).shape == (1, encoder.dimensions)


def test_it_leaves_nothing_in_the_home_folder(tmp_path: Path) -> None:
    """onnxruntime would keep an identifier of the device there, and what it is about to report."""
    told = "from recollect.providers.embedders.minilm import MiniLmEmbedder; MiniLmEmbedder().embed(['a text'])"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ORT_", "XDG_"))}
    subprocess.run([sys.executable, "-c", told], env={**kept, "HOME": str(tmp_path)}, check=True, timeout=60)
    assert list(tmp_path.iterdir()) == []


def test_its_vectors_are_the_ones_its_name_stands_for(encoder: MiniLmEmbedder) -> None:
    """The original's, by sentence-transformers; kernels of other processors round differently."""
    row = encoder.embed(["Ada moved to Rome in May"])[0]
    np.testing.assert_allclose(row[:6], FIRST_NUMBERS, atol=0.01)


def test_a_text_has_one_vector_whatever_is_encoded_beside_it(encoder: MiniLmEmbedder) -> None:
    texts = ["Ada moved to Rome in May", "x", "a much longer text about the kitchen, the shelves and the paint " * 4]
    alone = np.concatenate([encoder.embed([text]) for text in texts])
    np.testing.assert_allclose(encoder.embed(texts), alone, atol=1e-6)


def test_meaning_is_found_without_a_shared_word(encoder: MiniLmEmbedder) -> None:
    asked, near, far = encoder.embed(
        ["Which pet does she have?", "Ana's tabby is called Miso", "The invoice is due on Monday"]
    )
    assert asked @ near > asked @ far + 0.15


def test_a_long_text_is_read_to_its_end_and_within_bounds(
    encoder: MiniLmEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    bread, taxes = "Sourdough needs a warm kitchen and patience. ", "The tax office wants the form by Friday. "
    short, both, asked = encoder.embed([bread * 20, bread * 40 + taxes * 40, taxes])
    assert both @ asked > short @ asked + 0.2, "the last window counts as well as the first"
    seen: list[int] = []
    run = MiniLmEmbedder._vectors

    def counted(self: MiniLmEmbedder, model: object, windows: list[list[int]]) -> object:
        seen.append(max(map(len, windows)) * len(windows))
        return run(self, model, windows)  # type: ignore[arg-type]

    monkeypatch.setattr(MiniLmEmbedder, "_vectors", counted)
    encoder.embed(["bread and salt " * 20_000, "short"])
    assert max(seen) <= minilm.RUN_PIECES_MAX
    assert sum(seen) <= 256 * (minilm.WINDOWS_MAX + 1)


def test_the_name_carries_the_checksum_of_the_file() -> None:
    data = (FOLDER / "encoder.onnx").read_bytes()
    assert len(data) <= FILE_BYTES_MAX
    assert MiniLmEmbedder().name == f"minilm:{SHIPPED}#{hashlib.sha256(data).hexdigest()[:12]}"


def test_its_name_makes_it_again_and_other_weights_are_refused() -> None:
    name = MiniLmEmbedder().name
    again = make_embedder(name)
    assert again is not None
    assert again.name == name
    with pytest.raises(UsageError, match="not here any more"):
        make_embedder(f"minilm:{SHIPPED}#000000000000")
    with pytest.raises(UsageError, match="ships, or a folder"):
        make_embedder("minilm:no-such-weights")
    with pytest.raises(UsageError, match="384 dimensions"):
        make_embedder("minilm", dimensions=256)


def test_a_folder_with_other_weights_is_another_space(tmp_path: Path, encoder: MiniLmEmbedder) -> None:
    shutil.copytree(FOLDER, tmp_path / "tuned")
    card = json.loads((tmp_path / "tuned" / "encoder.json").read_text())
    (tmp_path / "tuned" / "encoder.json").write_text(json.dumps({**card, "sha256": "f" * 64}))
    tuned = make_embedder(f"minilm:{tmp_path / 'tuned'}")
    assert tuned is not None
    assert tuned.name == f"minilm:{tmp_path / 'tuned'}#ffffffffffff" != encoder.name
    np.testing.assert_allclose(tuned.embed(["bread"]), encoder.embed(["bread"]), atol=1e-6)


def test_files_that_cannot_be_loaded_say_so_with_each_text(tmp_path: Path) -> None:
    shutil.copytree(FOLDER, tmp_path / "broken")
    (tmp_path / "broken" / "encoder.onnx").write_bytes(b"noise")
    broken = MiniLmEmbedder(str(tmp_path / "broken"))
    for _ in range(2):
        with pytest.raises(ProviderUnavailable, match="reinstall"):
            broken.embed(["bread"])


def test_many_threads_share_one_model() -> None:
    encoder = MiniLmEmbedder()
    texts = [f"text number {number}" for number in range(16)]
    with ThreadPoolExecutor(8) as threads:
        rows = np.concatenate(list(threads.map(lambda text: encoder.embed([text]), texts)))
    np.testing.assert_allclose(rows, encoder.embed(texts), atol=1e-6)


def test_the_multilingual_one_is_a_file_and_a_space_of_its_own() -> None:
    data = (WEIGHTS / MULTILINGUAL / "encoder.onnx").read_bytes()
    assert len(data) <= FILE_BYTES_MAX
    name = MultilingualEmbedder().name
    assert name == f"multilingual:{MULTILINGUAL}#{hashlib.sha256(data).hexdigest()[:12]}"
    again = make_embedder(name)
    assert again is not None
    assert again.name == name
    with pytest.raises(UsageError, match="multilingual knows"):
        make_embedder("multilingual:no-such-weights")


@pytest.mark.parametrize(
    ("asked", "near", "far"),
    [
        (
            "Where does my sister live?",
            "Meine Schwester wohnt in einem kleinen Dorf.",
            "Der Zug hatte heute Verspätung.",
        ),
        ("Wo wohnt meine Schwester?", "My sister lives in a small village.", "The train was late today."),
        ("Where does my sister live?", "Mi hermana vive en un pueblo pequeño.", "El tren llegó tarde hoy."),
        ("¿Dónde vive mi hermana?", "My sister lives in a small village.", "The train was late today."),
    ],
)
def test_what_was_told_in_another_language_is_found_by_its_meaning(asked: str, near: str, far: str) -> None:
    question, right, wrong = make_embedder("multilingual").embed([asked, near, far])  # type: ignore[union-attr]
    assert question @ right > question @ wrong + 0.2


_DEFAULT_ONLY = """
import sys
read = []
sys.addaudithook(lambda event, arguments: read.append(str(arguments[0])) if event == "open" else None)
import recollect
with recollect.open(":memory:", embedder="minilm") as memory:
    memory.add("Ana's tabby is called Miso")
    memory.settle()
    memory.search("Which pet does Ana have?")
print(sum("everyday-MiniLM" in path for path in read) > 0, sum("multilingual-MiniLM" in path for path in read))
"""


def test_nothing_of_the_multilingual_one_is_read_unless_it_is_chosen() -> None:
    done = subprocess.run([sys.executable, "-c", _DEFAULT_ONLY], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True", "0"], done.stderr


_FORKED = """
import os
from recollect.providers.embedders.minilm import MiniLmEmbedder
encoder = MiniLmEmbedder()
before = encoder.embed(["bread"])
child = os.fork()
if child == 0:
    os._exit(0 if abs(encoder.embed(["bread"]) - before).max() < 1e-6 else 1)
print(os.waitpid(child, 0)[1])
"""


def test_it_works_in_a_forked_process() -> None:
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", _FORKED], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "0", done.stderr


def test_naming_it_loads_nothing() -> None:
    code = (
        "import sys; from recollect.providers.registry import make_embedder; make_embedder('minilm')\n"
        "print([m for m in ('onnxruntime', 'tokenizers') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


_AFTER_THE_GRAPH = """
import numpy as np
from recollect.config.storage import IndexSettings
from recollect.index.vector.hnsw import HnswVectors
from recollect.providers.embedders.minilm import MiniLmEmbedder
graph = HnswVectors(384, settings=IndexSettings())
row = MiniLmEmbedder().embed(["bread"])
graph.apply((np.array([1]), row), [])
print(graph.count())
"""
_BY_ITSELF = """
import usearch.index
from recollect.errors import ProviderUnavailable
from recollect.providers.embedders.minilm import MiniLmEmbedder
try:
    MiniLmEmbedder().embed(["bread"])
except ProviderUnavailable as error:
    print(error.code)
"""


@pytest.mark.parametrize(("code", "said"), [(_AFTER_THE_GRAPH, "1"), (_BY_ITSELF, "E3001")], ids=["ours", "theirs"])
def test_it_gets_along_with_the_library_of_the_vector_index(code: str, said: str) -> None:
    """Imported after usearch, onnxruntime ends the process unless care is taken."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, said), done.stderr
