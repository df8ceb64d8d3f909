"""What calls, includes and classes of C and C++ mean, one rule at a time."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from samples import edges, write

import recollect
from recollect import Memory
from recollect.code.extract.c_macros import prepared


@pytest.fixture
def memory() -> Iterator[Memory]:
    with recollect.open(":memory:", embedder="fake") as opened:
        yield opened


HEADER = """
    #ifndef SHOP_H
    #define SHOP_H
    #ifdef __cplusplus
    extern "C" {
    #endif
    typedef struct shop { struct shop *next; int (*callback)(int); } shop_t;
    #define EACH(x) do_each(x)
    #define shop_old shop_open
    SHOP_API int shop_open(const char *name);
    extern void (shop_close)(shop_t *s);
    int shop_missing(void);
    static inline int shop_size(shop_t *s) { return 1; }
    #ifdef __cplusplus
    }
    #endif
    #endif
"""
SOURCE = """
    #include "shop.h"
    static void helper(void) {}
    int shop_open(const char *name) { helper(); return 0; }
    void shop_close(shop_t *s) {}
    void do_each(int x) {}
"""
# What stands in front of a function, what the function does, and what of the library it calls.
IN_C: dict[str, tuple[str, str, set[str]]] = {
    "a declaration in a header": ('#include "shop.h"', "shop_open(0); shop_close(0);", {"shop_open", "shop_close"}),
    "angles": ("#include <shop.h>", "shop_open(0);", {"shop_open"}),
    "an inline function of a header": ('#include "shop.h"', "shop_size(0);", {"shop_size"}),
    "a declaration of its own": ("int shop_open(const char *);", "shop_open(0);", {"shop_open"}),
    "another name by a macro": ('#include "shop.h"', "shop_old(0);", {"shop_open"}),
    "a macro with arguments": ('#include "shop.h"', "EACH(shop_open(0));", {"shop_open"}),
    "its own static function": ('#include "shop.h"\nstatic void helper(void) {}', "helper();", set()),
    "a static function of another file": ("void helper(void);", "helper();", set()),
    "a function that nobody defines": ('#include "shop.h"', "shop_missing();", set()),
    "nothing but a name": ("", "shop_open(0);", set()),
    "a variable of the name": ('#include "shop.h"', "int (*shop_open)(int) = 0; shop_open(1);", set()),
    "a field": ('#include "shop.h"', "shop_t *s = 0; s->next->callback(1);", set()),
    "both sides of a condition": (
        '#include "shop.h"',
        "\n#if A\n shop_open(0);\n#else\n shop_close(0);\n#endif\n",
        {"shop_open", "shop_close"},
    ),
}


def called(memory: Memory, source: str, files: tuple[str, ...]) -> set[str]:
    """Last names of what a symbol calls in these files."""
    found = {target for each, target in edges(memory, "calls") if each == source}
    return {target.partition("::")[2] for target in found if target.startswith(files)}


@pytest.mark.parametrize("name", IN_C)
def test_a_call_in_c_is_resolved_by(name: str, memory: Memory, tmp_path: Path) -> None:
    above, does, wanted = IN_C[name]
    files = {
        "include/shop.h": HEADER,
        "src/shop.c": SOURCE,
        "src/use.c": f"{above}\nvoid use(void) {{\n{does}\n}}\n",
    }
    memory.code.index(write(tmp_path, files))
    assert called(memory, "src/use.c::use", ("src/shop.c", "include/shop.h")) == wanted


LIBRARY = """
    #pragma once
    #include <memory>
    #include <vector>
    namespace shop {
    class Other;
    struct API_EXPORT Part { void turn(); Part* next; static Part make(int a); };
    class Base {
     public:
      virtual ~Base() {}
      virtual void run() = 0;
      void shared();
      void over(int a);
      void over(int a, int b = 2, int c = 3);
    };
    template <typename T> class Box : public Base {
     public:
      explicit Box(int n) {}
      T get() { return held_; }
      T* operator->() { return &held_; }
      void run() override {}
     private:
      T held_;
    };
    class Item : public Box<Part> {
     public:
      Item(int a);
      Item(int a, int b);
      void go();
      std::unique_ptr<Part> part;
      std::vector<Part> many;
      struct Inner { void deep() {} } inner;
      using Alias = Part;
    };
    Part build(int a);
    template <typename T> T same(T value) { return value; }
    namespace deeper { void dig(); }
    }
"""
LIBRARY_SOURCE = """
    #include "shop.hpp"
    namespace shop {
    namespace { void hidden() {} }
    void Part::turn() { hidden(); }
    Part Part::make(int a) { return Part(); }
    void Base::shared() { run(); this->over(1); }
    void Base::over(int a) {}
    void Base::over(int a, int b, int c) {}
    Item::Item(int a) : Box(a) {}
    Item::Item(int a, int b) : Item(a) {}
    void Item::go() {}
    Part build(int a) { return Part::make(a); }
    void deeper::dig() {}
    }
"""
IN_CPP: dict[str, tuple[str, str, str, set[str]]] = {
    "a namespace": (
        "",
        "",
        "shop::build(1).turn(); shop::deeper::dig();",
        {"shop.build", "shop.Part.turn", "shop.deeper.dig"},
    ),
    "using namespace": ("using namespace shop;", "", "build(1); deeper::dig();", {"shop.build", "shop.deeper.dig"}),
    "using a name": ("using shop::build;", "", "build(1);", {"shop.build"}),
    "a pointer": ("", "shop::Part* p", "p->turn(); p->next->turn();", {"shop.Part.turn"}),
    "a reference": ("", "const shop::Part& p", "p.turn();", {"shop.Part.turn"}),
    "auto": ("", "", "auto p = shop::build(1);\np.turn();", {"shop.build", "shop.Part.turn"}),
    "new": ("", "", "auto* i = new shop::Item(1, 2);\ni->go();", {"shop.Item.Item", "shop.Item.go"}),
    "a constructor": ("", "", "shop::Item i(1);\ni.go();", {"shop.Item.Item", "shop.Item.go"}),
    "a base class": ("", "shop::Item i", "i.shared();", {"shop.Base.shared"}),
    "a function that is only promised": ("", "shop::Base& b", "b.run();", {"shop.Base.run"}),
    "a template": ("", "shop::Box<shop::Part> b", "b.get().turn(); b->turn();", {"shop.Box.get", "shop.Part.turn"}),
    "what a base was given": ("", "shop::Item i", "i.get().turn();", {"shop.Box.get", "shop.Part.turn"}),
    "a type variable": ("", "shop::Part p", "shop::same(p).turn();", {"shop.same", "shop.Part.turn"}),
    "a pointer of the library": ("", "shop::Item& i", "i.part->turn();", {"shop.Part.turn"}),
    "a container": ("", "shop::Item& i", "for (auto& p : i.many) p.turn();\ni.many[0].turn();", {"shop.Part.turn"}),
    "make_unique": ("", "", "auto p = std::make_unique<shop::Part>();\np->turn();", {"shop.Part.turn"}),
    "a type in a type": ("", "shop::Item& i", "i.inner.deep();", {"shop.Item.Inner.deep"}),
    "an alias": ("", "shop::Item::Alias p", "p.turn();", {"shop.Part.turn"}),
    "a cast": ("", "void* p", "static_cast<shop::Part*>(p)->turn(); ((shop::Part*)p)->turn();", {"shop.Part.turn"}),
    "a lambda": ("", "shop::Part* p", "auto f = [&](shop::Part& q) { q.turn(); };\nf(*p);", {"shop.Part.turn"}),
    "the namespace of an argument": ("", "shop::Part p", "same(p);", {"shop.same"}),
    "nothing but a name": ("struct Unknown;", "Unknown* u", "u->turn(); build(1); turn();", set()),
}


@pytest.mark.parametrize("name", IN_CPP)
def test_a_call_in_cpp_is_resolved_by(name: str, memory: Memory, tmp_path: Path) -> None:
    above, takes, does, wanted = IN_CPP[name]
    use = f'#include "lib/shop.hpp"\n{above}\nvoid use({takes}) {{\n{does}\n}}\n'
    memory.code.index(write(tmp_path, {"lib/shop.hpp": LIBRARY, "lib/shop.cc": LIBRARY_SOURCE, "use.cpp": use}))
    assert called(memory, "use.cpp::use", ("lib/",)) == wanted


def test_a_library_calls_itself_and_extends_its_classes(memory: Memory, tmp_path: Path) -> None:
    memory.code.index(write(tmp_path, {"lib/shop.hpp": LIBRARY, "lib/shop.cc": LIBRARY_SOURCE}))
    calls = edges(memory, "calls")
    assert called(memory, "lib/shop.cc::shop.Base.shared", ("lib/",)) == {"shop.Base.run", "shop.Base.over"}
    assert ("lib/shop.cc::shop.Part.turn", "lib/shop.cc::shop.hidden") in calls
    assert ("lib/shop.cc::shop.Item.Item", "lib/shop.hpp::shop.Box.Box") in calls
    assert edges(memory, "extends") == {
        ("lib/shop.hpp::shop.Box", "lib/shop.hpp::shop.Base"),
        ("lib/shop.hpp::shop.Item", "lib/shop.hpp::shop.Box"),
    }


def test_overloads_in_several_files_are_told_apart_by_the_number_of_arguments(memory: Memory, tmp_path: Path) -> None:
    files = {
        "a.h": "void draw(int a);\nvoid draw(int a, int b);\nvoid draw(const char* a);",
        "one.cpp": '#include "a.h"\nvoid draw(int a) {}',
        "two.cpp": '#include "a.h"\nvoid draw(int a, int b) {}',
        "three.cpp": '#include "a.h"\nvoid draw(const char* a) {}',
        "use.cpp": '#include "a.h"\nvoid two() { draw(1, 2); }\nvoid one() { draw(1); }',
    }
    memory.code.index(write(tmp_path, files))
    assert edges(memory, "calls") == {("use.cpp::two", "two.cpp::draw")}
    possible = {target for source, target in edges(memory, "calls", sure=False) if source == "use.cpp::one"}
    assert possible == {"one.cpp::draw", "three.cpp::draw"}


def test_of_several_definitions_those_count_that_know_the_header(memory: Memory, tmp_path: Path) -> None:
    files = {
        "a/log.h": "void log_it(void);",
        "a/log.c": '#include "log.h"\nvoid log_it(void) {}',
        "a/use.c": '#include "log.h"\nvoid use_a(void) { log_it(); }',
        "b/log.c": "void log_it(void) {}",
        "c/use.c": "void log_it(void);\nvoid use_c(void) { log_it(); }",
    }
    memory.code.index(write(tmp_path, files))
    assert edges(memory, "calls") == {("a/use.c::use_a", "a/log.c::log_it")}
    possible = {target for source, target in edges(memory, "calls", sure=False) if source == "c/use.c::use_c"}
    assert possible == {"a/log.c::log_it", "b/log.c::log_it"}


def test_includes_are_found_beside_by_commands_and_by_the_tree(memory: Memory, tmp_path: Path) -> None:
    commands = [{"directory": "/build/work", "command": "cc -I/build/work/deps/two -c x.c", "file": "x.c"}]
    files = {
        "compile_commands.json": json.dumps(commands),
        "deps/one/same.h": "",
        "deps/two/same.h": "",
        "lib/inner/own.h": "",
        "app/near.h": "",
        "other/near.h": "",
        "app/x.c": '#include "near.h"\n#include <same.h>\n#include <inner/own.h>\n#include <stdio.h>\n#include "no.h"',
        "deps/stdio.h": "",
    }
    memory.code.index(write(tmp_path, files))
    assert edges(memory, "imports") == {
        ("app/x.c::", "app/near.h::"),
        ("app/x.c::", "deps/two/same.h::"),
        ("app/x.c::", "lib/inner/own.h::"),
    }


def test_an_include_that_could_mean_two_files_is_unresolved(memory: Memory, tmp_path: Path) -> None:
    files = {"one/same.h": "", "two/same.h": "", "app/x.c": "#include <same.h>"}
    memory.code.index(write(tmp_path, files))
    assert edges(memory, "imports") == set()
    assert edges(memory, "imports", sure=False) == {("app/x.c::", "::same.h")}


def test_macros_that_no_grammar_can_place_are_left_out_and_bytes_keep_their_places() -> None:
    text = b"""
API_EXPORT(1) int open(int a);
BEGIN_SPACE
class API Name final { };
static ALWAYS int f(void) { return LIMIT; }
int g(int a __attribute__((unused)));
enum { ONE,
  TWO };
FILE *h(void);
"""
    found = prepared(text)
    assert len(found) == len(text)
    assert [line.split() for line in found.splitlines()] == [
        [],
        b"int open(int a);".split(),
        [],
        b"class Name final { };".split(),
        b"static int f(void) { return LIMIT; }".split(),
        b"int g(int a );".split(),
        b"enum { ONE,".split(),
        b"TWO };".split(),
        b"FILE *h(void);".split(),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "int f() { return " + "(" * 5000 + ")" * 5000 + "; }",
        "#if A\n" * 3000 + "int x;\n" + "#endif\n" * 3000,
        "#if A\nint f() {\n#else\nint g() {\n#endif\n#if B\n}\n#elif C\n}}\n#endif",
        "namespace a { " * 3000 + "}" * 3000,
        "A<" * 3000 + "int" + ">" * 3000 + " x;",
        "struct a { " * 2000 + "int x; " + "} y;" * 2000,
        '#include "odd.c"\n#include "odd.h"\n#define a b\n#define b a\nvoid f() { a(); b(); }',
        "class A : public B {}; class B : public A {}; void f(A a) { a.go(); }",
        "using namespace x; namespace x { using namespace x; using x::y; } void f() { y(); x::y(); }",
        "int " + "*" * 5000 + "x; void f() { x(); }",
        "#ifdef __cplusplus\n" + " " * 19_000 + "x\n#endif\n",
        "\n" * 200_000 + "int x;",
        "static " * 2000 + "A " * 2000 + "\n" + "__attribute__((" * 1000,
        "X(" * 100 + ")" * 100 + "\n" + "A B C D E F G H I J K L M N O P\n" * 300,
    ],
)
def test_odd_files_are_read_without_harm(text: str, memory: Memory, tmp_path: Path) -> None:
    files = {
        "odd.c": text,
        "odd.cpp": text,
        "odd.h": '#include "odd.h"',
        "good.c": "void go() {}\nvoid user() { go(); }",
    }
    memory.code.index(write(tmp_path, files))
    assert ("good.c::user", "good.c::go") in edges(memory, "calls")
