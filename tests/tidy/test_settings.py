"""Every setting does something, and its figure stands in one place."""

from __future__ import annotations

from pathlib import Path

import pytest
from figures import imported_by, shadows, sources
from settings_read import Source

from recollect.config.root import Config, declared, sections
from recollect.config.section import settings_of

ROOT = Path(__file__).resolve().parents[2] / "recollect"
SECTIONS = {name: (kind.__name__, frozenset(settings_of(kind))) for name, kind in sections().items()}
CLASSES = {name: kind.__name__ for name, kind in sections().items()} | {"": Config.__name__}
DEFAULTS = {key: each.default for key, each in declared().items()}


@pytest.fixture(scope="module")
def product() -> dict[str, str]:
    return sources(ROOT)


def unread(texts: dict[str, str]) -> list[str]:
    reads = Source(texts, SECTIONS).reads()
    placed = {key: (CLASSES[key.rpartition(".")[0]], key.rpartition(".")[2]) for key in declared()}
    return [key for key, place in placed.items() if place not in reads]


def test_every_setting_is_read_by_the_product(product: dict[str, str]) -> None:
    assert unread(product) == [], "wire them, or delete them and list them in config/removed.py"


def test_no_figure_stands_beside_the_setting_that_has_it(product: dict[str, str]) -> None:
    assert shadows(product, DEFAULTS, imported_by(ROOT / "config")) == [], "read the setting instead"


IMPORTS = "from recollect.config import Config, LiveConfig\nfrom recollect.config.reading import RecallSettings\n"
HELD = """
class A:
    def __init__(self, live: LiveConfig):
        self._live = live

    def f(self):
        recall = self._live.current.recall
        return recall.rrf_k
"""


@pytest.mark.parametrize(
    "read",
    [
        "def f(config: Config) -> int: return config.recall.rrf_k",
        "def f(chosen: RecallSettings) -> int: return chosen.rrf_k",
        "def f(chosen: 'RecallSettings | None') -> int: return chosen.rrf_k",
        "def f(chosen: Callable[[], RecallSettings]) -> int: return chosen().rrf_k",
        HELD,
        "class A:\n    config: Config\nclass B(A):\n    def f(self): return self.config.recall.rrf_k",
        "def f(): return load_config().recall.rrf_k",
    ],
)
def test_a_read_is_found_by_what_it_is_read_from(read: str) -> None:
    assert "recall.rrf_k" not in unread({"planted.py": IMPORTS + read})


@pytest.mark.parametrize(
    "no_read",
    [
        "",
        "class Fusion:\n    rrf_k: int\ndef f(fusion: Fusion) -> int: return fusion.rrf_k",
        "def f(config: Config) -> int: return config.ranking.rrf_k",
        "def f(config: Config) -> int: return getattr(config.recall, 'rrf' + '_k')",
        "K = RecallSettings().rrf_k",
        "from elsewhere import RecallSettings\ndef f(chosen: RecallSettings) -> int: return chosen.rrf_k",
        "def f(config: Config) -> str: return 'config.recall.rrf_k'",
    ],
)
def test_the_same_name_elsewhere_is_no_read(no_read: str) -> None:
    assert "recall.rrf_k" in unread({"planted.py": IMPORTS + no_read})


@pytest.mark.parametrize(
    ("planted", "setting"),
    [
        ("RRF_K = 60", "recall.rrf_k"),
        ("_RRF_K: int = 6 * 10", "recall.rrf_k"),
        ("FLAT_MAX, OTHER = 1_000 + 1_000, 1", "index.flat_max"),
        ("PARTICIPANT_MAX = 12", "ranking.participants_max"),
        ("RECALL_RRF_K = 60", "recall.rrf_k"),
        ("def f(*, rrf_k: int = 60): ...", "recall.rrf_k"),
        ("class Fusion:\n    rrf_k: int = 60", "recall.rrf_k"),
        ("WEIGHTS = {'link': 0.2, 'year': 0.15, 'phrase': 0.1}", "ranking"),
        ("class Caution:\n    name: float = 0.3\n    person: float = 0.9\n    unsaid: float = 1.0", "ranking"),
    ],
)
def test_a_figure_that_repeats_a_setting_is_found(planted: str, setting: str) -> None:
    assert [each.setting for each in shadows({"planted.py": planted}, DEFAULTS, frozenset())] == [setting]


@pytest.mark.parametrize(
    "planted",
    [
        "RRF_K = 61",
        "ROUNDS = 60",
        "def f(*, rrf_k: int = RecallSettings().rrf_k): ...",
        "class Fusion:\n    rrf_k: int",
        "WEIGHTS = {'link': 0.2, 'year': 0.5, 'phrase': 0.5}",
    ],
)
def test_another_figure_or_another_name_is_none(planted: str) -> None:
    assert shadows({"planted.py": planted}, DEFAULTS, frozenset()) == []


def test_a_bound_that_the_configuration_is_made_of_is_its_source() -> None:
    assert shadows({"limits.py": "IMPORT_BYTES_MAX = 1 << 28"}, DEFAULTS, frozenset({"IMPORT_BYTES_MAX"})) == []
    assert shadows({"limits.py": "IMPORT_BYTES_MAX = 1 << 28"}, DEFAULTS, frozenset()) != []
