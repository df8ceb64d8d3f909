"""Tools of any client by what they do, commands of the shell among them, and the files a call touched."""

from __future__ import annotations

from typing import Any

import pytest

from recollect.hook import shell, tools


@pytest.mark.parametrize(
    ("command", "kind", "files"),
    [
        ("cat src/a.py", "read", {"src/a.py": "read"}),
        ("head -n 20 a.py", "read", {"a.py": "read"}),
        ("sed -n '10,20p' a.py", "read", {"a.py": "read"}),
        ("cd src && cat a.py b.py", "read", {"src/a.py": "read", "src/b.py": "read"}),
        ("nl -ba a.py | sed -n 1,5p", "read", {"a.py": "read"}),
        ("grep -rn 'def f' src", "search", {"src": "search"}),
        ("rg -e needle src tests", "search", {"src": "search", "tests": "search"}),
        ("git grep needle -- src", "search", {"src": "search"}),
        ("ls -la src", "list", {"src": "list"}),
        ("find . -name '*.py'", "list", {".": "list"}),
        ("find . -name '*.pyc' -delete", "run", {}),
        ("cat a.py | grep x | head -3", "read", {"a.py": "read"}),
        ("sed -i 's/a/b/' a.py", "edit", {"a.py": "edit"}),
        ("cat > n.txt <<'EOF'\ncat secret.txt\nEOF", "write", {"n.txt": "write"}),
        ("echo hi >> log.txt", "write", {"log.txt": "write"}),
        ("python run.py 2>&1", "run", {}),
        ("python run.py > /dev/null", "run", {}),
        ("cat a.py && pytest -q", "run", {"a.py": "read"}),
        ("FOO=1 sudo cat a.py", "read", {"a.py": "read"}),
        ("echo 'cat a.py'", "run", {}),
        ("", "run", {}),
        ("cat 'unclosed", "read", {"unclosed": "read"}),
        ("\\", "run", {}),
    ],
)
def test_a_command_is_what_it_does_to_files(command: str, kind: str, files: dict[str, str]) -> None:
    found, touched = shell.read(command)
    assert (found, {each["path"]: each["class"] for each in touched}) == (kind, files)


def test_lines_that_a_command_shows_are_known() -> None:
    assert shell.read("sed -n '10,20p' a.py")[1] == [{"path": "a.py", "class": "read", "lines": [[10, 20]]}]
    assert shell.read("head -5 a.py")[1][0]["lines"] == [[1, 5]]
    assert shell.read("head a.py")[1][0]["lines"] == [[1, 10]]


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("Read", "read"),
        ("read_file", "read"),
        ("Edit", "edit"),
        ("apply_patch", "edit"),
        ("replace", "edit"),
        ("Write", "write"),
        ("write_file", "write"),
        ("Grep", "search"),
        ("search_file_content", "search"),
        ("Glob", "list"),
        ("list_directory", "list"),
        ("Bash", "run"),
        ("run_shell_command", "run"),
        ("mcp__files__read_file", "read"),
        ("WebFetch", "other"),
    ],
)
def test_tools_of_any_client_have_a_class(tool: str, kind: str) -> None:
    assert tools.class_of(tool) == kind


def test_an_edit_keeps_where_it_changed_what_and_no_line_of_it() -> None:
    lines = [" def f():", "-    return one", "+    return two", "     # end", "+    more = 3"]
    patch = [{"oldStart": 4, "oldLines": 3, "newStart": 4, "newLines": 4, "lines": lines}]
    kind, (file,) = tools.touched("Edit", {"file_path": "a.py"}, {"structuredPatch": patch})
    assert kind == "edit"
    assert file["hunks"] == [[5, 1, 5, 1], [7, 0, 7, 1]]
    assert (len(file["gone"]), len(file["came"])) == (1, 2)
    assert "return" not in repr(file)


def test_a_patch_in_a_command_is_an_edit_of_its_files() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: a.py\n@@\n-old line\n+new line\n*** Add File: b.py\n+hello\n*** End Patch"
    )
    for tool, given in (("apply_patch", patch), ("shell", {"command": f"apply_patch <<'EOF'\n{patch}\nEOF"})):
        kind, files = tools.touched(tool, given, None)
        assert kind == "edit"
        assert [(each["path"], each["class"]) for each in files] == [("a.py", "edit"), ("b.py", "write")]
        assert files[0]["gone"] == [tools.print_of("old line")]


@pytest.mark.parametrize(
    ("given", "answer", "lines"),
    [
        ({"file_path": "a", "offset": 10, "limit": 5}, None, [[10, 14]]),
        ({"path": "a", "view_range": [3, 9]}, None, [[3, 9]]),
        ({"path": "a", "start_line": 2, "end_line": 4}, None, [[2, 4]]),
        ({"file_path": "a"}, {"file": {"startLine": 5, "numLines": 3, "totalLines": 90}}, [[5, 7]]),
        ({"file_path": "a"}, {"file": {"startLine": 1, "numLines": 9, "totalLines": 9}}, None),
        ({"file_path": "a", "offset": "ten"}, None, None),
    ],
)
def test_lines_that_were_read_are_kept(given: dict[str, Any], answer: Any, lines: Any) -> None:
    _, (file,) = tools.touched("Read", given, answer)
    assert file.get("lines") == lines


@pytest.mark.parametrize("given", [None, 7, [], "", {"file_path": 5}, {"command": {"x": 1}}, {"edits": ["x"]}])
@pytest.mark.parametrize("tool", ["Read", "Edit", "Write", "Bash", "apply_patch", "Task"])
def test_no_input_of_a_tool_is_too_odd(tool: str, given: Any) -> None:
    kind, files = tools.touched(tool, given, {"structuredPatch": [{"lines": 3}, 5], "file": {"startLine": True}})
    assert kind in tools.CLASSES
    assert isinstance(files, list)
