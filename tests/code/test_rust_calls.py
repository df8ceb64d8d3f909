"""What calls, imports and traits of Rust mean, one rule at a time."""

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


MANIFEST = '[package]\nname = "demo"\n'
LIB = """
    use std::sync::{Arc, Mutex};

    pub trait Greets {
        fn greet(&self) -> Child;
        fn loudly(&self) { self.greet(); }
    }
    pub struct Child { pub parent: Option<Box<Parent>>, pub many: Vec<Parent> }
    pub struct Parent { pub locked: Arc<Mutex<Child>> }
    pub struct Pair(pub Child, pub Parent);
    pub enum Either { Left(Child), Right { parent: Parent } }
    pub struct Holder<T> { pub held: T }
    impl Child {
        pub fn new() -> Self { Child { parent: None, many: Vec::new() } }
        pub fn wave(&self) -> Parent { todo!() }
    }
    impl Parent { pub fn call(&self) {} }
    impl Greets for Parent { fn greet(&self) -> Child { Child::new() } }
    impl<T> Holder<T> { pub fn get(&self) -> &T { &self.held } }
    impl std::ops::Deref for Pair { type Target = Child; fn deref(&self) -> &Child { &self.0 } }
    pub fn build() -> Result<Child, String> { Ok(Child::new()) }
    pub async fn later() -> Child { Child::new() }
    pub fn same<T>(value: T) -> T { value }
    pub mod deep { pub fn dig() {} }
"""

# What stands in front of a function, what the function takes, what it does, and what of the library it calls.
CASES: dict[str, tuple[str, str, str, set[str]]] = {
    "a use": ("use crate::lib1::build;", "", "build();", {"build"}),
    "a group": (
        "use crate::lib1::{self, deep::{self, dig}};",
        "",
        "dig(); deep::dig(); lib1::build();",
        {"deep.dig", "build"},
    ),
    "another name": ("use crate::lib1::build as make;", "", "make();", {"build"}),
    "a star": ("use crate::lib1::*;", "", "build(); deep::dig();", {"build", "deep.dig"}),
    "a path": ("", "", "crate::lib1::deep::dig(); super::app::helper();", {"deep.dig"}),
    "super": ("use super::lib1;", "", "lib1::build();", {"build"}),
    "an associated function": ("use crate::lib1::Child;", "", "Child::new().wave();", {"Child.new", "Child.wave"}),
    "a declared type": ("use crate::lib1::Child;", "c: &mut Child", "c.wave().call();", {"Child.wave", "Parent.call"}),
    "a field": ("use crate::lib1::Pair;", "p: Pair", "p.0.wave(); p.1.call();", {"Child.wave", "Parent.call"}),
    "an option": ("use crate::lib1::Child;", "c: Child", "c.parent.as_ref().unwrap().call();", {"Parent.call"}),
    "a question mark": ("use crate::lib1::build;", "", "let c = build()?; c.wave();", {"build", "Child.wave"}),
    "if let": ("use crate::lib1::Child;", "c: Child", "if let Some(p) = &c.parent { p.call(); }", {"Parent.call"}),
    "a match": (
        "use crate::lib1::Either;",
        "e: Either",
        "match e { Either::Left(c) => c.wave(), Either::Right { parent } => parent.call() };",
        {"Child.wave", "Parent.call"},
    ),
    "a loop": (
        "use crate::lib1::Child;",
        "c: Child",
        "for (i, p) in c.many.iter().enumerate() { p.call(); }",
        {"Parent.call"},
    ),
    "a lock": ("use crate::lib1::Parent;", "p: Parent", "p.locked.lock().unwrap().wave();", {"Child.wave"}),
    "await": ("use crate::lib1::later;", "", "later().await.wave();", {"later", "Child.wave"}),
    "a type variable": ("use crate::lib1::{same, Child};", "c: Child", "same(c).wave();", {"same", "Child.wave"}),
    "a type that takes types": (
        "use crate::lib1::*;",
        "h: Holder<Child>",
        "h.get().wave(); h.held.wave();",
        {"Holder.get", "Child.wave"},
    ),
    "a bound": ("use crate::lib1::Greets;", "g: impl Greets", "g.greet().wave();", {"Greets.greet", "Child.wave"}),
    "a trait object": ("use crate::lib1::Greets;", "g: Box<dyn Greets>", "g.loudly();", {"Greets.loudly"}),
    "an implemented trait": (
        "use crate::lib1::*;",
        "p: Parent",
        "p.greet(); p.loudly();",
        {"Parent.greet", "Greets.loudly"},
    ),
    "Deref": ("use crate::lib1::Pair;", "p: Pair", "p.wave();", {"Child.wave"}),
    "a variable that hides another": (
        "use crate::lib1::*;",
        "c: Child",
        "let c = c.wave();\n    c.call();\n    { let c = build(); }\n    c.call();",
        {"Child.wave", "Parent.call", "build"},
    ),
    "a macro of the language": (
        "use crate::lib1::*;",
        "c: Child",
        "assert_eq!(c.wave(), build());",
        {"Child.wave", "build"},
    ),
    "any other macro": ("use crate::lib1::*;", "c: Child", "whatever!(c.wave());", set()),
    "nothing but a name": ("", "x: Unknown", "x.wave(); build(); wave();", set()),
}


@pytest.mark.parametrize("name", CASES)
def test_a_call_is_resolved_by(name: str, memory: Memory, tmp_path: Path) -> None:
    above, takes, does, wanted = CASES[name]
    app = f"{above}\npub fn helper() {{}}\nfn run({takes}) -> Result<(), String> {{\n    {does}\n}}\n"
    files = {
        "Cargo.toml": MANIFEST,
        "src/lib.rs": "mod lib1;\nmod app;\n",
        "src/lib1.rs": LIB,
        "src/app.rs": app,
    }
    memory.code.index(write(tmp_path, files))
    found = {
        target.partition("::")[2]
        for source, target in edges(memory, "calls")
        if source == "src/app.rs::run" and target.startswith("src/lib1.rs")
    }
    assert found == wanted


def test_modules_are_files_folders_or_named_by_path(memory: Memory, tmp_path: Path) -> None:
    files = {
        "Cargo.toml": MANIFEST,
        "src/lib.rs": 'mod a;\nmod b;\n#[path = "other/place.rs"]\nmod c;\nfn f() { a::f(); b::inner::f(); c::f(); }',
        "src/a.rs": "pub fn f() {}",
        "src/b/mod.rs": "pub mod inner;",
        "src/b/inner.rs": "pub fn f() { super::super::a::f(); }",
        "src/other/place.rs": "pub fn f() {}",
    }
    memory.code.index(write(tmp_path, files))
    assert edges(memory, "calls") == {
        ("src/lib.rs::f", "src/a.rs::f"),
        ("src/lib.rs::f", "src/b/inner.rs::f"),
        ("src/lib.rs::f", "src/other/place.rs::f"),
        ("src/b/inner.rs::f", "src/a.rs::f"),
    }


def test_crates_of_a_workspace_see_each_other_by_their_manifests(memory: Memory, tmp_path: Path) -> None:
    shared = '[workspace]\nmembers = ["one", "two"]\n[workspace.dependencies]\nother-name = { path = "three" }\n'
    depends = '[dependencies]\nrenamed = { path = "../two", package = "two" }\nother-name = { workspace = true }\n'
    files = {
        "Cargo.toml": shared,
        "one/Cargo.toml": f'[package]\nname = "one"\n{depends}',
        "one/src/lib.rs": "use renamed::Thing;\npub fn go(t: Thing) { t.run(); renamed::free(); other_name::three(); }",
        "one/tests/all.rs": "#[test]\nfn t() { one::go(todo!()); two::free(); }",
        "two/Cargo.toml": '[package]\nname = "two"\n',
        "two/src/lib.rs": "mod inner;\npub use inner::Thing;\npub fn free() {}",
        "two/src/inner.rs": "pub struct Thing;\nimpl Thing { pub fn run(&self) {} }",
        "three/Cargo.toml": '[package]\nname = "other-name"\n[lib]\npath = "root.rs"\n',
        "three/root.rs": "pub fn three() {}",
    }
    memory.code.index(write(tmp_path, files))
    assert edges(memory, "calls") == {
        ("one/src/lib.rs::go", "two/src/inner.rs::Thing.run"),
        ("one/src/lib.rs::go", "two/src/lib.rs::free"),
        ("one/src/lib.rs::go", "three/root.rs::three"),
        ("one/tests/all.rs::t", "one/src/lib.rs::go"),
    }
    assert edges(memory, "exports") == {("two/src/lib.rs::", "two/src/inner.rs::Thing")}
    assert ("one/src/lib.rs::", "two/src/lib.rs::") in edges(memory, "imports")


def test_traits_are_implemented_and_extended(memory: Memory, tmp_path: Path) -> None:
    files = {
        "src/lib.rs": "mod more;\npub trait A {}\npub trait B: A + Send {}\npub struct S;\nimpl A for S {}",
        "src/more.rs": "use crate::{B, S};\nimpl B for S {}\nimpl std::fmt::Debug for S {}",
    }
    memory.code.index(write(tmp_path, files))
    assert edges(memory, "implements") == {
        ("src/lib.rs::S", "src/lib.rs::A"),
        ("src/more.rs::S", "src/lib.rs::B"),
    }
    assert edges(memory, "extends") == {("src/lib.rs::B", "src/lib.rs::A")}


def test_what_one_of_two_conditions_gives_is_ambiguous(memory: Memory, tmp_path: Path) -> None:
    code = """
        #[cfg(unix)]
        mod a;
        #[cfg(windows)]
        #[path = "b.rs"]
        mod a;
        fn f() { a::go(); }
    """
    files = {"Cargo.toml": MANIFEST, "src/lib.rs": code, "src/a.rs": "pub fn go() {}", "src/b.rs": "pub fn go() {}"}
    memory.code.index(write(tmp_path, files))
    assert edges(memory, "calls") == set()
    assert {target for _, target in edges(memory, "calls", sure=False)} == {"src/a.rs::go", "src/b.rs::go"}


def test_items_that_a_macro_is_given_are_read_and_its_own_are_not(memory: Memory, tmp_path: Path) -> None:
    code = """
        cfg_rt! {
            pub fn inside() {}
        }
        macro_rules! other { ($name:ident) => { fn $name() { inside(); } } }
        select! { a = b => inside(), }
        fn f() { inside(); }
    """
    memory.code.index(write(tmp_path, {"src/lib.rs": code}))
    assert edges(memory, "calls") == {("src/lib.rs::f", "src/lib.rs::inside")}


def test_traits_for_all_types_are_used_where_they_are_taken_in(memory: Memory, tmp_path: Path) -> None:
    files = {
        "src/lib.rs": "mod ext;\nmod user;\nmod other;\npub struct S;\npub trait Base {}",
        "src/ext.rs": "use crate::Base;\npub trait Ext: Base { fn more(&self) {} }\nimpl<T: Base> Ext for T {}",
        "src/user.rs": "use crate::{ext::Ext, S};\nfn f(s: S) { s.more(); }",
        "src/other.rs": "use crate::S;\nfn f(s: S) { s.more(); }",
    }
    memory.code.index(write(tmp_path, files))
    assert edges(memory, "calls") == {("src/user.rs::f", "src/ext.rs::Ext.more")}


@pytest.mark.parametrize(
    "text",
    [
        "fn f() {" + "(" * 5000 + ")" * 5000 + "}",
        "fn f() { " + "if a { " * 2000 + "}" * 2000 + " }",
        "use " + "a::{" * 3000 + "b" + "}" * 3000 + ";",
        "m! {" * 500 + "fn f() {}" + "}" * 500,
        "type T = " + "Vec<" * 3000 + "u8" + ">" * 3000 + ";",
        "fn f() { let x = x; let x = x.y(); match x { x => x.y() } }",
        "use a::b; use b::a; pub use self::a::*; mod a; use super::*;",
        "impl<T> Deref for T { type Target = T; } impl Self {} trait A: A {} fn f(a: A) { a.a(); }",
    ],
)
def test_odd_files_are_read_without_harm(text: str, memory: Memory, tmp_path: Path) -> None:
    good = "pub fn go() {}\nfn user() { go(); }"
    memory.code.index(write(tmp_path, {"src/lib.rs": "mod odd;\nmod good;", "src/odd.rs": text, "src/good.rs": good}))
    assert ("src/good.rs::user", "src/good.rs::go") in edges(memory, "calls")
