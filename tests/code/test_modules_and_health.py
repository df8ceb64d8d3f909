"""Modules of a project: by folders, by communities within large ones, with what is known about each."""

from __future__ import annotations

from pathlib import Path

import pytest
from repositories import Repository, needs_git
from samples import write

import recollect
from recollect.code.modules import MODULES_MAX
from recollect.errors import NotFound


def flat(groups: int, each: int) -> dict[str, str]:
    """One folder: in each group every file uses the group's own base, and all use one file."""
    files = {"lib/shared.py": "def common(): ...\n"}
    for group in range(groups):
        files[f"lib/base_{group}.py"] = f"from lib.shared import common\ndef base_{group}():\n    common()\n"
        for number in range(each):
            other = (number + 1) % each
            files[f"lib/part_{group}_{number}.py"] = (
                f"from lib.shared import common\nfrom lib.base_{group} import base_{group}\n"
                f"from lib import part_{group}_{other}\ndef work():\n    base_{group}()\n    common()\n"
            )
    return files


def test_a_large_folder_is_divided_by_who_uses_whom(tmp_path: Path) -> None:
    with recollect.open(":memory:", embedder="fake") as memory:
        memory.code.index(write(tmp_path, flat(3, 25)))
        modules = {each.path: each.files for each in memory.code.map().modules}
        assert sorted(modules.values()) == [26, 26, 27]  # what all use is in one of them
        heads = {name.removeprefix("lib: around ") for name in modules}
        assert heads < {"shared.py", *(f"base_{group}.py" for group in range(3))}


def test_folders_are_joined_until_there_are_few(tmp_path: Path) -> None:
    files = {f"pkg{a}/part{b}/m.py": "def f(): ...\n" for a in range(10) for b in range(10)}
    files |= {f"pkg{a}/__init__.py": "" for a in range(10)}
    with recollect.open(":memory:", embedder="fake") as memory:
        memory.code.index(write(tmp_path, files))
        modules = memory.code.map().modules
        assert len(modules) <= MODULES_MAX
        assert {f"pkg{number}" for number in range(10)} <= {each.path for each in modules}
        assert sum(each.files for each in modules) == 110


def test_a_map_tells_what_is_known_and_where_somebody_said_it_begins(tmp_path: Path) -> None:
    files = {
        "app/odd.py": "def begin_here():\n    work()\n\ndef work(): ...\n",
        "lib/a.py": "from app.odd import work\n\ndef use():\n    work()\n",
    }
    with recollect.open(":memory:", embedder="fake", config={"codegraph.check_s": 0}) as memory:
        memory.code.index(write(tmp_path / "atlas", files))
        assert [item.symbol for item in memory.code.map().entry_points] == []
        memory.code.link("begin_here", "is_entrypoint_for", "lib/a.py")
        memory.code.note("invariant", "work() is idempotent", "work")
        memory.add("use() is slow", category="gotcha", metadata={"related_files": ["lib/a.py"]}, project="atlas")
        told = memory.code.map()
        assert [item.symbol for item in told.entry_points] == ["begin_here"]
        assert {each.path: each.known for each in told.modules} == {"app": 1, "lib": 0}  # nobody confirmed the gotcha
        assert "app/ (1 files, 2 symbols, 1 known)" in told.text
        assert "2 files, 3 symbols" in told.text


def test_health_tells_how_well_each_module_is_known(tmp_path: Path) -> None:
    files = {
        "app/a.py": "from lib.b import f\n\ndef g(x):\n    f()\n    x.unknown()\n",
        "lib/b.py": "def f(): ...\n",
    }
    with recollect.open(":memory:", embedder="fake", config={"codegraph.check_s": 0}) as memory:
        root = write(tmp_path / "atlas", files)
        memory.code.index(root)
        kept = memory.code.note("decision", "f stays", "f")
        memory.code.link("g", "flows_to", "f", needs_review=True)
        told = memory.code.health()
        by_name = {each["module"]: each for each in told["modules"]}
        assert (by_name["app"]["calls"], by_name["app"]["resolved"]) == (2, 0.5)
        assert (by_name["lib"]["known"], by_name["lib"]["files_known"], told["files_known"]) == (1, 1, 1)
        assert told["said"] == {"notes": 1, "links": 1, "waiting_or_gone": 1}
        assert told["how"]["unresolved"] == 1
        assert told["stale_files"] == 0
        memory.flag(kept.id, reason="it is not so")
        assert memory.code.health()["files_known"] == 0


SHOP = {
    "shop/queue.py": "from shop.mail import send_mail\nclass JobQueue:\n    def close(self):\n        send_mail()\n",
    "shop/mail.py": "def send_mail(): ...\n",
    "shop/http/headers.py": "def parseHTTPHeader(line): ...\n",
    "shop/prices.py": "def rounded(price): ...\n",
    "tests/test_queue.py": "from shop.queue import JobQueue\ndef test_closing():\n    JobQueue().close()\n",
}


def test_words_of_a_task_find_the_files_that_are_called_by_them(tmp_path: Path) -> None:
    with recollect.open(":memory:", embedder="fake") as memory:
        memory.code.index(write(tmp_path, SHOP))
        found = memory.code.find("Closing the job queues twice hangs")
        assert {item.path for item in found.items[:2]} == {"shop/queue.py", "tests/test_queue.py"}
        assert "JobQueue" in found.items[0].note
        assert "shop/prices.py" not in [item.path for item in found.items]
        assert memory.code.find("parsing http headers").items[0].path == "shop/http/headers.py"
        assert memory.code.find("nothing whatsoever fits").items == ()


def test_a_map_for_a_task_names_the_files_to_begin_with(tmp_path: Path) -> None:
    with recollect.open(":memory:", embedder="fake") as memory:
        memory.code.index(write(tmp_path, SHOP))
        told = memory.code.map(focus="headers of http").text
        assert "for these words: shop/http/headers.py" in told
        assert "for these words" not in memory.code.map(focus="shop/mail.py").text
        with pytest.raises(NotFound, match="by a word of"):
            memory.code.map(focus="nothing whatsoever fits")


@needs_git
def test_what_goes_with_a_file_is_likely_too(tmp_path: Path) -> None:
    repository = Repository(write(tmp_path, SHOP))
    repository.commit(settings__toml="a = 1")
    for number in range(3):
        repository.commit(
            settings__toml=f"a = {number + 2}", **{"shop/mail__py": f"def send_mail(): ...  # {number}\n"}
        )
    with recollect.open(":memory:", embedder="fake") as memory:
        memory.code.index(tmp_path)
        assert "settings.toml" in [item.path for item in memory.code.find("send a mail").items]
        assert [each.path for each in memory.code.impact("shop/mail.py").paired] == ["settings.toml"]
        assert memory.code.impact("shop/queue.py").paired == ()  # one commit shows nothing
        assert len(memory.code.paired("shop/queue.py")) > 0  # it is told to who asks for it
