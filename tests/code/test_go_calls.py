"""What imports, calls and interfaces of Go mean, one rule at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from samples import edges, write

import recollect
from recollect import Memory


@pytest.fixture
def memory() -> Iterator[Memory]:
    with recollect.open(":memory:", embedder="fake") as opened:
        yield opened


MODULE = "module example.org/shop\n\ngo 1.20\n\nreplace example.org/old => ./fork // for now\n"
LIB = """
    package lib

    type Walker interface {
        Walk(steps int) error
    }

    type Base struct {
        Next *Base
        Do   func() *Base
    }

    func (b *Base) Walk(steps int) error { return nil }
    func (b Base) Self() *Base { return &b }

    type Dog struct {
        *Base
        Tags map[string]*Base
    }

    func (d *Dog) Bark() {}

    type Dogs []*Dog
    type Handler func(d *Dog) *Base

    func (h Handler) Handle() {}

    type List[T any] struct{ items []T }

    func (l *List[E]) First() E { return l.items[0] }
    func (l *List[E]) All() []E { return l.items }

    func New() (*Dog, error) { return &Dog{}, nil }
    func Map[T, U any](of []T, how func(T) U) []U { return nil }
    func Same[T any](x T) T { return x }

    var Default = &Dog{}
"""

# What stands in `func use(...)` of another package, and what it calls of the library.
CASES: dict[str, tuple[str, set[str]]] = {
    "a package": ("lib.New()", {"New"}),
    "several results": ("d, err := lib.New()\nd.Bark()\n_ = err.Error()", {"New", "Dog.Bark"}),
    "a composite literal": ("d := &lib.Dog{}\nd.Bark()", {"Dog.Bark"}),
    "a literal that is called": ("(&lib.Dog{}).Bark()", {"Dog.Bark"}),
    "a variable with a type": ("var d lib.Dog\nd.Bark()", {"Dog.Bark"}),
    "new": ("d := new(lib.Dog)\nd.Bark()", {"Dog.Bark"}),
    "a variable of the package": ("lib.Default.Bark()", {"Dog.Bark"}),
    "promotion": ("lib.Default.Walk(3)", {"Base.Walk"}),
    "an embedded field": ("lib.Default.Base.Self()", {"Base.Self"}),
    "a field": ("lib.Default.Next.Walk(1)", {"Base.Walk"}),
    "a function in a field": ("lib.Default.Do().Self()", {"Base.Self"}),
    "a map": ("lib.Default.Tags[`x`].Self()", {"Base.Self"}),
    "a map that is asked": ("if b, ok := lib.Default.Tags[`x`]; ok { b.Self() }", {"Base.Self"}),
    "a loop over a map": ("for _, b := range lib.Default.Tags { b.Self() }", {"Base.Self"}),
    "a loop over a named slice": ("var ds lib.Dogs\nfor _, d := range ds { d.Bark() }", {"Dog.Bark"}),
    "an item": ("var ds lib.Dogs\nds[0].Bark()\nds[1:][0].Bark()", {"Dog.Bark"}),
    "append": ("var ds lib.Dogs\nfor i := range append(ds, nil) { ds[i].Bark() }", {"Dog.Bark"}),
    "a channel": ("ch := make(chan *lib.Dog)\n(<-ch).Bark()\nfor d := range ch { d.Bark() }", {"Dog.Bark"}),
    "a select": ("var ch chan *lib.Dog\nselect { case d := <-ch: d.Bark() }", {"Dog.Bark"}),
    "an assertion": ("var x any\nif d, ok := x.(*lib.Dog); ok { d.Bark() }", {"Dog.Bark"}),
    "a type switch": (
        "var x any\nswitch v := x.(type) {\ncase *lib.Dog:\nv.Bark()\ncase lib.Walker:\nv.Walk(1)\n}",
        {"Dog.Bark", "Walker.Walk"},
    ),
    "an interface": ("var w lib.Walker\nw.Walk(1)", {"Walker.Walk"}),
    "a named function type": ("var h lib.Handler\nh.Handle()\nh(nil).Self()", {"Handler.Handle", "Base.Self"}),
    "a conversion": ("lib.Handler(nil).Handle()", {"Handler.Handle"}),
    "a generic type": ("var l lib.List[*lib.Dog]\nl.First().Bark()", {"List.First", "Dog.Bark"}),
    "a generic result": ("l := &lib.List[lib.Dog]{}\nl.All()[0].Bark()", {"List.All", "Dog.Bark"}),
    "what is given settles a type": ("lib.Same(&lib.Dog{}).Bark()", {"Same", "Dog.Bark"}),
    "types that are given": ("lib.Same[int](3)\nlib.Map[int, string](nil, nil)", {"Same", "Map"}),
    "a closure": ("f := func(d *lib.Dog) *lib.Base { d.Bark(); return nil }\nf(nil).Self()", {"Dog.Bark", "Base.Self"}),
    "a method as a value": ("f := lib.Default.Self\nf().Walk(1)", {"Base.Self", "Base.Walk"}),
    "a method of a type": ("(*lib.Base).Self(nil)", {"Base.Self"}),
    "a name that hides another": (
        "d := lib.Default\n{\nd := d.Next\nd.Self()\n}\nd.Bark()",
        {"Base.Self", "Dog.Bark"},
    ),
    "a value that is made of what it hides": (
        "d := lib.Default\nif d := d.Self(); d != nil { d.Walk(1) }\nd.Bark()",
        {"Base.Self", "Base.Walk", "Dog.Bark"},
    ),
    "a type of the function's own": ("type Dog struct{ *lib.Base }\nvar d Dog\nd.Self()", {"Base.Self"}),
    "a parameter with the package's name": ("func(lib lib.Dog, x *lib.Base) { lib.Bark() }()", {"Dog.Bark"}),
    "a parameter that hides the package": ("func(lib interface{ New() }) { lib.New() }(nil)", set()),
}


@pytest.mark.parametrize("name", CASES)
def test_a_call_is_resolved_by(name: str, memory: Memory, tmp_path: Path) -> None:
    code, wanted = CASES[name]
    app = f'package main\n\nimport "example.org/shop/lib"\n\nfunc use() {{\n{code}\n}}\n'
    memory.code.index(write(tmp_path, {"go.mod": MODULE, "lib/lib.go": LIB, "main.go": app}))
    calls = edges(memory, "calls")
    assert {t.partition("::")[2] for s, t in calls if s == "main.go::use" and t.startswith("lib/")} == wanted
    assert ("main.go::", "lib/lib.go::") in edges(memory, "imports")


def found(memory: Memory, root: Path, files: dict[str, str], kind: str = "calls") -> set[tuple[str, str]]:
    memory.code.index(write(root, {"go.mod": MODULE, **files}))
    return edges(memory, kind)


def test_files_of_a_folder_are_one_package(memory: Memory, tmp_path: Path) -> None:
    files = {
        "a.go": "package shop\nfunc A() { b(); T{}.m(); v.m() }",
        "b.go": "package shop\nfunc b() {}\ntype T struct{}\nvar v = T{}",
        "c.go": "package shop\nfunc (t T) m() {}",
        "sub/b.go": "package sub\nfunc b() {}",
    }
    assert found(memory, tmp_path, files) == {("a.go::A", "b.go::b"), ("a.go::A", "c.go::T.m")}


def test_tests_from_outside_see_what_is_exported(memory: Memory, tmp_path: Path) -> None:
    files = {
        "a.go": "package shop\nfunc Do() {}\nfunc do() {}",
        "in_test.go": "package shop\nfunc TestIn() { do(); Do() }\nfunc help() {}",
        "out_test.go": 'package shop_test\nimport "example.org/shop"\nfunc TestOut() { shop.Do(); do(); help() }',
    }
    assert found(memory, tmp_path, files) == {
        ("in_test.go::TestIn", "a.go::do"),
        ("in_test.go::TestIn", "a.go::Do"),
        ("out_test.go::TestOut", "a.go::Do"),
    }
    assert {name for _, name in edges(memory, "calls", sure=False)} == {"::do", "::help"}


def test_imports_by_alias_dot_replacement_and_another_name(memory: Memory, tmp_path: Path) -> None:
    files = {
        "main.go": """
            package main
            import (
                l "example.org/shop/lib"
                . "example.org/shop/dot"
                "example.org/old/deep"
                "example.org/shop/go-odd"
                "example.org/shop/v2/next"
                _ "example.org/shop/blank"
                "example.org/shop/gone"
                "fmt"
            )
            func use() { l.Lib(); Dot(); deep.Deep(); odd.Odd(); next.Next(); fmt.Println(); gone.Do() }
        """,
        "lib/x.go": "package lib\nfunc Lib() {}",
        "dot/x.go": "package dot\nfunc Dot() {}",
        "fork/deep/x.go": "package deep\nfunc Deep() {}",
        "go-odd/x.go": "package odd\nfunc Odd() {}",
        "v2/go.mod": "module example.org/shop/v2\n",
        "v2/next/x.go": "package next\nfunc Next() {}",
        "blank/x.go": "package blank\nfunc init() {}",
    }
    wanted = {"lib/x.go::Lib", "dot/x.go::Dot", "fork/deep/x.go::Deep", "go-odd/x.go::Odd", "v2/next/x.go::Next"}
    assert {target for _, target in found(memory, tmp_path, files)} == wanted
    folders = {target.partition("/")[0] for _, target in edges(memory, "imports")}
    assert folders == {"lib", "dot", "fork", "go-odd", "v2", "blank"}
    assert {target for _, target in edges(memory, "imports", sure=False)} == {"::example.org/shop/gone"}


def test_an_import_leads_to_the_files_that_define_what_is_used(memory: Memory, tmp_path: Path) -> None:
    files = {
        "main.go": 'package main\nimport "example.org/shop/lib"\nvar x lib.T',
        "lib/t.go": "package lib\ntype T int",
        "lib/other.go": "package lib\nfunc F() {}",
    }
    assert found(memory, tmp_path, files, "imports") == {("main.go::", "lib/t.go::")}


def test_an_interface_is_implemented_by_who_has_all_its_methods(memory: Memory, tmp_path: Path) -> None:
    files = {
        "a.go": """
            package shop
            import "io"
            type Reads interface { Read(p []byte) (n int, err error) }
            type ReadsAndCloses interface { Reads; Close() error }
            type Takes interface { Take(from io.Reader, n ...int) }
            type hidden interface { read() }
        """,
        "b.go": """
            package shop
            import "io"
            type File struct{}
            func (f *File) Read(b []byte) (int, error) { return 0, nil }
            func (f *File) Close() error { return nil }
            func (f *File) Take(r io.Reader, many ...int) {}
            type Half struct{}
            func (h Half) Read(b []byte) (int, error) { return 0, nil }
            type Wrong struct{}
            func (w Wrong) Read(b string) (int, error) { return 0, nil }
            func (w Wrong) Take(r io.Reader, many int) {}
            type Whole struct{ Half }
            func (w Whole) Close() error { return nil }
        """,
        "sub/c.go": "package sub\ntype Other struct{}\nfunc (o Other) read() {}",
    }
    pairs = found(memory, tmp_path, files, "implements")
    assert {(s.partition("::")[2], t.partition("::")[2]) for s, t in pairs} == {
        ("File", "Reads"),
        ("File", "ReadsAndCloses"),
        ("File", "Takes"),
        ("Half", "Reads"),
        ("Whole", "Reads"),
        ("Whole", "ReadsAndCloses"),
    }
    assert edges(memory, "extends") == {("a.go::ReadsAndCloses", "a.go::Reads"), ("b.go::Whole", "b.go::Half")}


def test_a_function_for_each_system_is_ambiguous(memory: Memory, tmp_path: Path) -> None:
    files = {
        "open_linux.go": "package shop\nfunc open() {}",
        "open_windows.go": "package shop\nfunc open() {}",
        "a.go": "package shop\nfunc A() { open() }",
    }
    assert found(memory, tmp_path, files) == set()
    targets = {"open_linux.go::open", "open_windows.go::open"}
    assert edges(memory, "calls", sure=False) == {("a.go::A", target) for target in targets}


def test_a_name_of_another_package_is_offered_again(memory: Memory, tmp_path: Path) -> None:
    files = {
        "a.go": """
            package shop
            import "example.org/shop/lib"
            type T = lib.T
            var New = lib.New
            func F() { New().M() }
        """,
        "lib/t.go": "package lib\ntype T struct{}\nfunc (t T) M() {}\nfunc New() T { return T{} }",
    }
    assert found(memory, tmp_path, files, "exports") == {("a.go::", "lib/t.go::T"), ("a.go::", "lib/t.go::New")}
    assert edges(memory, "calls") == {("a.go::F", "lib/t.go::New"), ("a.go::F", "lib/t.go::T.M")}


def test_a_bare_name_is_never_joined_to_a_namesake(memory: Memory, tmp_path: Path) -> None:
    files = {
        "a/a.go": "package a\nfunc Save() {}\ntype T struct{}\nfunc (t T) Save() {}",
        "b/b.go": "package b\nfunc use(x interface{}, y Unknown) { Save(); y.Save() }",
    }
    assert found(memory, tmp_path, files) == set()
    assert {target for _, target in edges(memory, "calls", sure=False)} == {"::Save", "::.Save"}
