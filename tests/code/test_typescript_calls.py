"""What calls, imports and bases of TypeScript and JavaScript mean, one rule at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from samples import edges, write

import recollect
from recollect import Memory


@pytest.fixture
def memory() -> Iterator[Memory]:
    with recollect.open(":memory:", embedder="fake") as opened:
        yield opened


LIB = """
    export interface Walker {
      walk(steps: number): Walker;
      rest: () => Dog;
    }
    export class Base {
      greet() { return "hi"; }
      me() { return this; }
    }
    export class Dog extends Base implements Walker {
      private inner = new Base();
      static make(): Dog { return new Dog(); }
      constructor(readonly friend?: Dog) { super(); }
      walk(steps: number): Dog { return this; }
      rest() { return this; }
      get parent(): Base { return this.inner; }
    }
    export class Box<T> {
      constructor(readonly held: T) {}
      get(): T { return this.held; }
      map<R>(change: (held: T) => R): Box<R> { return new Box(change(this.held)); }
    }
    export function build() { return new Dog(); }
    export const arrow = (name: string): Dog => new Dog();
    export function each(dogs: Dog[], act: (dog: Dog) => void) { dogs.forEach(act); }
    export async function later(): Promise<Dog> { return new Dog(); }
    export function find(name: string): Dog;
    export function find(name: string, more: number): Base;
    export function find(name: string, more?: number): any { return name; }
    export function same<T>(value: T): T { return value; }
    export type Alias = Dog | undefined;
    export type Made = { dog: Dog; bark(): Base };
    export default class Other { run() {} }
    export namespace Tools { export function mend() { return new Base(); } }
    export enum Color { Red }
    export const kit = { open() { return new Dog(); }, shut: () => new Base() };
"""

# A module that uses the library, and what `use` in it calls.
CASES: dict[str, tuple[str, set[str]]] = {
    "a named import": ("import { build } from './lib';\nfunction use() { build(); }", {"build"}),
    "an alias": ("import { build as b } from './lib';\nfunction use() { b(); }", {"build"}),
    "a namespace": ("import * as l from './lib';\nfunction use() { l.build(); }", {"build"}),
    "a default": ("import O from './lib';\nfunction use() { new O().run(); }", {"Other", "Other.run"}),
    "js is written for ts": ("import { build } from './lib.js';\nfunction use() { build(); }", {"build"}),
    "require": ("const { build } = require('./lib');\nfunction use() { build(); }", {"build"}),
    "import require": ("import l = require('./lib');\nfunction use() { l.build(); }", {"build"}),
    "import at run time": (
        "async function use() { const l = await import('./lib'); l.build().walk(1); }",
        {"build", "Dog.walk"},
    ),
    "an arrow": ("import { arrow } from './lib';\nfunction use() { arrow('a').walk(1); }", {"arrow", "Dog.walk"}),
    "a constructed type": (
        "import { Dog } from './lib';\nfunction use() { const d = new Dog(); d.walk(1); }",
        {"Dog", "Dog.walk"},
    ),
    "a base class": ("import { Dog } from './lib';\nfunction use(d: Dog) { d.greet(); }", {"Base.greet"}),
    "an interface": ("import { Walker } from './lib';\nfunction use(w: Walker) { w.walk(1); }", {"Walker.walk"}),
    "a property that is a function": (
        "import type { Walker } from './lib';\nfunction use(w: Walker) { w.rest().walk(1); }",
        {"Walker.rest", "Dog.walk"},
    ),
    "optional chains": (
        "import { Dog } from './lib';\nfunction use(d?: Dog) { d?.friend?.walk(1); d!.greet(); }",
        {"Dog.walk", "Base.greet"},
    ),
    "a parameter of the constructor": (
        "import { Dog } from './lib';\nfunction use(d: Dog) { d.friend.walk(1); }",
        {"Dog.walk"},
    ),
    "a getter": ("import { Dog } from './lib';\nfunction use(d: Dog) { d.parent.greet(); }", {"Base.greet"}),
    "a static method": (
        "import { Dog } from './lib';\nfunction use() { Dog.make().walk(1); }",
        {"Dog.make", "Dog.walk"},
    ),
    "this given back": (
        "import { Dog } from './lib';\nfunction use(d: Dog) { d.me().walk(1); }",
        {"Base.me", "Dog.walk"},
    ),
    "a class with a type": (
        "import { Box, Dog } from './lib';\nfunction use(b: Box<Dog>) { b.get().walk(1); }",
        {"Box.get", "Dog.walk"},
    ),
    "a type by what is handed over": (
        "import { Box, build } from './lib';\nfunction use() { new Box(build()).get().walk(1); }",
        {"Box", "build", "Box.get", "Dog.walk"},
    ),
    "a type by what a function gives": (
        "import { Box, Dog } from './lib';\nfunction use(b: Box<Dog>) { b.map((d) => d.parent).get().greet(); }",
        {"Box.map", "Box.get", "Base.greet"},
    ),
    "a generic function": (
        "import { same, build } from './lib';\nfunction use() { same(build()).walk(1); }",
        {"same", "build", "Dog.walk"},
    ),
    "a callback": (
        "import { each } from './lib';\nfunction use() { each([], (dog) => { dog.walk(1); }); }",
        {"each", "Dog.walk"},
    ),
    "items of an array": (
        "import { Dog } from './lib';\nfunction use(all: Dog[]) { all.map((d) => d.me()).forEach((b) => b.greet()); }",
        {"Base.me", "Base.greet"},
    ),
    "a loop": (
        "import { Dog } from './lib';\nfunction use(all: Map<string, Dog>) { for (const [, d] of all) d.walk(1); }",
        {"Dog.walk"},
    ),
    "what is waited for": (
        "import { later } from './lib';\nasync function use() { (await later()).walk(1); }",
        {"later", "Dog.walk"},
    ),
    "then": (
        "import { later } from './lib';\nfunction use() { return later().then((d) => d.walk(1)); }",
        {"later", "Dog.walk"},
    ),
    "overloads by how many": (
        "import { find } from './lib';\nfunction use() { find('a').walk(1); find('b', 1).greet(); }",
        {"find", "Dog.walk", "Base.greet"},
    ),
    "an alias of a type": ("import { Alias } from './lib';\nfunction use(a: Alias) { a.walk(1); }", {"Dog.walk"}),
    "a type with members": (
        "import { Made } from './lib';\nfunction use(m: Made) { m.bark().greet(); m.dog.walk(1); }",
        {"Made.bark", "Base.greet", "Dog.walk"},
    ),
    "taken apart": (
        "import { Made } from './lib';\nfunction use({ dog: { friend }, ...m }: Made) { friend.walk(1); m.bark(); }",
        {"Dog.walk", "Made.bark"},
    ),
    "a namespace of a file": (
        "import { Tools } from './lib';\nfunction use() { Tools.mend().greet(); }",
        {"Tools.mend", "Base.greet"},
    ),
    "an object with methods": (
        "import { kit } from './lib';\nfunction use() { kit.open().walk(1); kit.shut().greet(); }",
        {"kit.open", "Dog.walk", "kit.shut", "Base.greet"},
    ),
    "as": ("import { Dog } from './lib';\nfunction use(x: any) { (x as Dog).walk(1); }", {"Dog.walk"}),
    "satisfies": (
        "import { build } from './lib';\nfunction use() { (build() satisfies object).walk(1); }",
        {"build", "Dog.walk"},
    ),
    "instanceof": (
        "import { Dog } from './lib';\nfunction use(x: unknown) {\n  if (x instanceof Dog) {\n    x.walk(1);\n  }\n}",
        {"Dog.walk"},
    ),
    "not instanceof": (
        "import { Dog } from './lib';\nfunction use(x) {\n  if (!(x instanceof Dog)) return;\n  x.walk(1);\n}",
        {"Dog.walk"},
    ),
    "one or the other": (
        "import { Dog, build } from './lib';\nfunction use(d?: Dog) { const x = d ?? build(); x.walk(1); }",
        {"build", "Dog.walk"},
    ),
    "typeof": ("import { kit } from './lib';\nfunction use(k: typeof kit) { k.open(); }", {"kit.open"}),
    "a type of a member": (
        "import { Made } from './lib';\nfunction use(d: Made['dog']) { d.walk(1); }",
        {"Dog.walk"},
    ),
    "shown in JSX": (
        "import { arrow as Arrow } from './lib';\nfunction use() { return <Arrow name='a' />; }",
        {"arrow"},
    ),
    "an object that is taken as a type": (
        (
            "import { Walker } from './lib';\nfunction take(w: Walker) {}\n"
            "function use() {\n  take({ walk(n) { return this; }, rest: () => { throw 1; } });\n}"
        ),
        {"take"},
    ),
    "functions one or the other of which is handed over": (
        (
            "import { each } from './lib';\nfunction use(x: boolean) {\n"
            "  each([], x ? (dog) => { dog.walk(1); } : (dog) => { dog.rest(); });\n}"
        ),
        {"each", "Dog.walk", "Dog.rest"},
    ),
    "a module that is spread out": (
        "import * as lib from './lib';\nconst all = { ...lib };\nfunction use() { all.build(); }",
        {"build"},
    ),
    "variance": (
        "interface Pair<in out A, out B extends A> { go(): A }\nfunction use(p: Pair<1, 1>) { p.go(); }",
        {"Pair.go"},
    ),
    "a variable that is declared as a function": (
        (
            "import { Base, Dog } from './lib';\nconst one: (name: string) => Dog = make(1);\n"
            "const two: { (a: string): Dog; (a: string, b: number): Base } = make(2);\n"
            "function use() { one('a').walk(1); two('a').walk(1); two('a', 1).greet(); }"
        ),
        {"one", "two", "Dog.walk", "Base.greet"},
    ),
    "a name of a block hides nothing outside": (
        (
            "import { Dog, Base } from './lib';\nfunction use() {\n  const x = new Dog();\n"
            "  { const x = new Base(); x.greet(); }\n  x.walk(1);\n}"
        ),
        {"Dog", "Base", "Base.greet", "Dog.walk"},
    ),
    "a library's class": ("function use(x: Promise<string>) { x.then(() => 1); JSON.parse('1'); }", set()),
    "any": ("function use(x: any) { x.walk(1); x(); }", set()),
}


@pytest.mark.parametrize("case", CASES)
def test_calls_lead_where_the_language_says(memory: Memory, tmp_path: Path, case: str) -> None:
    code, wanted = CASES[case]
    memory.code.index(write(tmp_path, {"lib.ts": LIB, "app.tsx": code}))
    found = edges(memory, "calls")
    assert {target.partition("::")[2] for source, target in found if source == "app.tsx::use"} == wanted


# Files, and the one that `app.ts` takes in.
MODULES: dict[str, tuple[dict[str, str], str]] = {
    "an index": ({"lib/index.ts": "", "app.ts": "import './lib'"}, "lib/index.ts"),
    "the file before the folder": ({"a.ts": "", "a/index.ts": "", "app.ts": "import './a'"}, "a.ts"),
    "mjs is written for mts": ({"a.mts": "", "app.ts": "import './a.mjs'"}, "a.mts"),
    "a declaration": ({"a.d.ts": "", "app.ts": "import './a'"}, "a.d.ts"),
    "the source before what is built": ({"a.ts": "", "a.js": "", "app.ts": "import './a.js'"}, "a.ts"),
    "from the parent": ({"a.ts": "", "in/b.ts": "", "app.ts": "import './in/../a'"}, "a.ts"),
    "paths": (
        {
            "tsconfig.json": '{ // c\n "compilerOptions": {"paths": {"@/*": ["./src/*"],}, /* d */ }}',
            "src/a.ts": "",
            "app.ts": "import '@/a'",
        },
        "src/a.ts",
    ),
    "paths of what is extended": (
        {
            "tsconfig.json": '{"extends": "./config/base"}',
            "config/base.json": "{}",
            "config/tsconfig.more.json": '{"compilerOptions": {"baseUrl": "../src"}}',
            "config/tsconfig.base.json": '{"extends": "./tsconfig.more.json", "compilerOptions": {}}',
            "web/tsconfig.json": '{"extends": ["../config/tsconfig.base.json"]}',
            "src/a.ts": "",
            "web/b.ts": "import 'a'",
            "app.ts": "import './web/b'",
        },
        "web/b.ts",
    ),
    "a base": (
        {"jsconfig.json": '{"compilerOptions": {"baseUrl": "src"}}', "src/in/a.js": "", "app.ts": "import 'in/a'"},
        "src/in/a.js",
    ),
    "a package of the project": (
        {
            "package.json": '{"workspaces": ["packages/*"]}',
            "packages/a/package.json": '{"name": "@x/a", "main": "dist/index.js"}',
            "packages/a/src/index.ts": "",
            "app.ts": "import '@x/a'",
        },
        "packages/a/src/index.ts",
    ),
    "what a package offers": (
        {
            "packages/a/package.json": '{"name": "a", "exports": {"./*": {"types": "./t/*.ts", "source": "./s/*.ts"}}}',
            "packages/a/s/in/b.ts": "",
            "app.ts": "import 'a/in/b'",
        },
        "packages/a/s/in/b.ts",
    ),
    "its own name": (
        {"package.json": '{"name": "me", "exports": "./lib.ts"}', "lib.ts": "", "app.ts": "import 'me'"},
        "lib.ts",
    ),
    "own imports": (
        {"package.json": '{"imports": {"#x": {"default": "./x.ts"}}}', "x.ts": "", "app.ts": "import '#x'"},
        "x.ts",
    ),
    "a type that is imported in place": ({"a.ts": "", "app.ts": "let x: import('./a').X"}, "a.ts"),
    "a star that is passed on": ({"a.ts": "", "app.ts": "export * from './a'"}, "a.ts"),
}


@pytest.mark.parametrize("case", MODULES)
def test_an_import_names_the_file_that_the_compiler_takes(memory: Memory, tmp_path: Path, case: str) -> None:
    files, wanted = MODULES[case]
    memory.code.index(write(tmp_path, files))
    found = edges(memory, "imports")
    assert {target for source, target in found if source == "app.ts::"} == {f"{wanted}::"}


def test_imports_from_other_packages_are_no_edges_and_missing_files_are_unresolved(
    memory: Memory, tmp_path: Path
) -> None:
    code = "import 'react';\nimport fs from 'node:fs';\nimport './style.css';\nimport './gone';\nimport '../../out';"
    memory.code.index(write(tmp_path, {"app.ts": code}))
    assert edges(memory, "imports") == set()
    assert edges(memory, "imports", sure=False) == {("app.ts::", "::./gone"), ("app.ts::", "::../../out")}


def test_an_arrow_in_an_object_sees_the_class_around(memory: Memory, tmp_path: Path) -> None:
    code = """
        class Mine {
          go() { return { early: () => this.stop(), late() { this.early(); } }; }
          stop() {}
        }
    """
    memory.code.index(write(tmp_path, {"m.ts": code}))
    assert edges(memory, "calls") == {
        ("m.ts::Mine.go.early", "m.ts::Mine.stop"),
        ("m.ts::Mine.go.late", "m.ts::Mine.go.early"),
    }


def test_a_type_that_the_grammar_does_not_know_spoils_itself_alone(memory: Memory, tmp_path: Path) -> None:
    code = "type X<T> = | (type of T);\n@@@ ((( nothing\nexport function f() { g(); }\nfunction g() {}\n"
    memory.code.index(write(tmp_path, {"m.ts": code}))
    assert edges(memory, "calls") == {("m.ts::f", "m.ts::g")}


def test_names_go_through_files_that_pass_them_on(memory: Memory, tmp_path: Path) -> None:
    files = {
        "a.ts": "export function make() {}\nexport default function () {}\nexport type T = { go(): void };",
        "b.ts": "export * from './a';\nexport { default as first } from './a';",
        "c.ts": "import { make } from './b';\nexport { make as made };\nexport * as all from './b';\n"
        "export * from './c';",
        "app.ts": "import { made, all } from './c';\nimport { first, T } from './b';\n"
        "function use(t: T) { made(); all.make(); first(); t.go(); }",
    }
    memory.code.index(write(tmp_path, files))
    assert {target for _, target in edges(memory, "calls")} == {"a.ts::make", "a.ts::default", "a.ts::T.go"}
    assert edges(memory, "exports") == {("b.ts::", "a.ts::default"), ("c.ts::", "a.ts::make")}


def test_common_modules_offer_what_they_set(memory: Memory, tmp_path: Path) -> None:
    files = {
        "a.js": "function one() {}\nmodule.exports = { one, two() {}, three: () => 1 };",
        "b.js": "exports.four = function () {};\nmodule.exports.five = () => 1;",
        "c.js": "class Six { go() {} }\nmodule.exports = Six;",
        "app.js": "const a = require('./a'), { four, five } = require('./b');\nconst Six = require('./c');\n"
        "function use() { a.one(); a.two(); a.three(); four(); five(); new Six().go(); }",
    }
    memory.code.index(write(tmp_path, files))
    named = {"a.js::one", "a.js::two", "a.js::three", "b.js::four", "b.js::five", "c.js::Six", "c.js::Six.go"}
    assert {target for source, target in edges(memory, "calls") if source == "app.js::use"} == named


def test_methods_that_are_added_afterwards_belong_to_what_they_are_added_to(memory: Memory, tmp_path: Path) -> None:
    files = {
        "a.js": """
            function Dog() { this.leash = new Leash(); }
            Dog.prototype.walk = function () { this.leash.pull(); return this.rest(); };
            Dog.prototype.rest = () => 1;
            Dog.make = function () { return new Dog(); };
            class Leash { pull() {} }
            var app = (module.exports = {});
            app.run = function run() { this.stop(); Dog.make().walk(); };
            app.stop = function () {};
        """,
        "b.js": "const app = require('./a');\nfunction use() { app.run(); }",
        "c.ts": "function f() {}\nnamespace f { export function g() {} }\nfunction use() { f.g(); }",
    }
    memory.code.index(write(tmp_path, files))
    calls = edges(memory, "calls")
    assert {
        ("a.js::Dog", "a.js::Leash"),
        ("a.js::Dog.walk", "a.js::Leash.pull"),
        ("a.js::Dog.walk", "a.js::Dog.rest"),
        ("a.js::Dog.make", "a.js::Dog"),
        ("a.js::app.run", "a.js::app.stop"),
        ("a.js::app.run", "a.js::Dog.make"),
        ("a.js::app.run", "a.js::Dog.walk"),
        ("b.js::use", "a.js::app.run"),
        ("c.ts::use", "c.ts::f.g"),
    } == calls


def test_bases_and_interfaces_are_told_apart(memory: Memory, tmp_path: Path) -> None:
    files = {
        "lib.ts": LIB,
        "app.ts": "import { Base, Walker } from './lib';\n"
        "class Cat extends Base implements Walker {}\ninterface Runner extends Walker {}",
    }
    memory.code.index(write(tmp_path, files))
    assert ("app.ts::Cat", "lib.ts::Base") in edges(memory, "extends")
    assert ("app.ts::Runner", "lib.ts::Walker") in edges(memory, "extends")
    assert ("app.ts::Cat", "lib.ts::Walker") in edges(memory, "implements")


def test_a_bare_name_is_never_joined_to_a_namesake(memory: Memory, tmp_path: Path) -> None:
    files = {"a.ts": "export function save() {}", "b.ts": "function use(x) { save(); x.save(); }"}
    memory.code.index(write(tmp_path, files))
    assert edges(memory, "calls") == set()
    assert {target for _, target in edges(memory, "calls", sure=False)} == {"::save", "::.save"}


def test_a_union_is_ambiguous_with_all_candidates(memory: Memory, tmp_path: Path) -> None:
    code = "class A { go() {} }\nclass B { go() {} }\nfunction use(x: A | B) { x.go(); }"
    memory.code.index(write(tmp_path, {"m.ts": code}))
    assert edges(memory, "calls") == set()
    found = [edge for edge in memory.code.edges("calls") if edge.resolved == "ambiguous"]
    assert {edge.target_symbol for edge in found} == {"A.go", "B.go"}


def how(memory: Memory, symbol: str) -> Any:
    return next(edge.resolved for edge in memory.code.edges("calls") if edge.target_symbol == symbol)


def test_it_is_said_how_a_call_was_resolved(memory: Memory, tmp_path: Path) -> None:
    code = "import { Dog, build } from './lib';\nfunction use(d: Dog) { d.walk(1); d.greet(); build().rest(); }"
    memory.code.index(write(tmp_path, {"lib.ts": LIB, "app.ts": code}))
    assert how(memory, "Dog.walk") == "exact"
    assert how(memory, "Base.greet") == "inferred"
    assert how(memory, "build") == "exact"
    assert how(memory, "Dog.rest") == "inferred"


def test_symbols_have_kinds(memory: Memory, tmp_path: Path) -> None:
    memory.code.index(write(tmp_path, {"lib.ts": LIB}))
    kinds = {item.symbol: str(item.kind) for item in memory.code.outline("lib.ts")}
    wanted = {
        "Walker": "interface",
        "Walker.walk": "function",
        "Dog": "class",
        "arrow": "function",
        "Made": "interface",
    }
    assert wanted.items() <= kinds.items()
    assert {
        "Tools": "module",
        "Tools.mend": "function",
        "Color": "class",
        "kit.open": "function",
    }.items() <= kinds.items()
    assert "kit" not in kinds
    assert "Alias" not in kinds


BROKEN = {
    "an error": "export function good() {}\nexport class { ( =>\nfunction also() { good(); }",
    "deep calls": "f(" * 3000 + ")" * 3000,
    "deep members": "x" + ".y()" * 3000,
    "deep types": "let x: " + "A<" * 2000 + "B" + ">" * 2000,
    "a union of thousands": "type T = " + " | ".join(f"'{number}'" for number in range(3000)),
    "deep arrows": "const f = " + "x => " * 2000 + "1",
    "deep blocks": "{" * 3000 + "}" * 3000,
    "nonsense": "\\u{ ` ${ <T,>( /[ 'x",
    "circles": "import { a } from './broken';\nexport { a };\nexport * from './broken';\n"
    "class A extends B {}\nclass B extends A {}\ntype C = D;\ntype D = C;\nlet e = g();\nfunction g() { return e; }\n"
    "function use(x: C, y: A) { x.go(); y.go(); e.go(); a(); }",
}


@pytest.mark.parametrize("case", BROKEN)
def test_no_file_spoils_the_others(memory: Memory, tmp_path: Path, case: str) -> None:
    files = {"broken.ts": BROKEN[case], "a.ts": "export function f() {}", "b.ts": "import { f } from './a';\nf();"}
    memory.code.index(write(tmp_path, files))
    assert ("b.ts::", "a.ts::f") in edges(memory, "calls")


def test_settings_that_cannot_be_read_are_noted(memory: Memory, tmp_path: Path) -> None:
    files = {"tsconfig.json": "{ nonsense", "package.json": "[1]", "a.ts": "", "b.ts": "import './a';\nimport '@/a';"}
    memory.code.index(write(tmp_path, files))
    assert edges(memory, "imports") == {("b.ts::", "a.ts::")}
