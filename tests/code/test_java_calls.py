"""What imports, calls and types of Java mean, one rule at a time."""

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


LIB = {
    "org/lib/Base.java": """
        package org.lib;
        public class Base {
            public Base next;
            public static Base shared;
            public Base self() { return this; }
            public void walk() {}
            public static Base make() { return new Base(); }
            protected class Inner { public void deep() {} }
        }
    """,
    "org/lib/Dog.java": """
        package org.lib;
        import java.util.*;
        public class Dog extends Base implements Barks {
            public List<Base> bases;
            public Map<String, Dog> friends;
            public Dog[] litter;
            public Dog() {}
            public Dog(int age) { this(); }
            public void bark() {}
            public Base find(int at) { return null; }
            public Dog find(String name) { return null; }
            public Dog find(String name, int at) { return null; }
            public Kind kind() { return Kind.BIG; }
            public <T> T same(T x) { return x; }
            public enum Kind { BIG, SMALL { void grow() { size(); } }; void size() {} }
            public static class Puppy extends Dog { public void whine() {} }
        }
    """,
    "org/lib/Barks.java": """
        package org.lib;
        public interface Barks { void bark(); default Base loud() { return null; } }
    """,
    "org/lib/Box.java": """
        package org.lib;
        public class Box<T> implements Iterable<T> {
            public T held;
            public T open() { return held; }
            public <R> Box<R> map(Turn<? super T, ? extends R> turn) { return null; }
            public java.util.Iterator<T> iterator() { return null; }
            public static <E> Box<E> of(E... items) { return null; }
        }
    """,
    "org/lib/Turn.java": "package org.lib;\npublic interface Turn<A, B> { B turn(A from); }",
    "org/lib/DogBox.java": "package org.lib;\npublic class DogBox extends Box<Dog> {}",
    "org/lib/Point.java": "package org.lib;\npublic record Point(Dog x, Base y) { public Dog both() { return x(); } }",
}

# What stands in a method of another package, and what it calls of the library.
CASES: dict[str, tuple[str, set[str]]] = {
    "a constructor": ("new Dog(3);", {"Dog"}),
    "a constructed type": ("new Dog().bark();", {"Dog", "Dog.bark"}),
    "a declared type": ("Dog d = get();\nd.bark();", {"Dog.bark"}),
    "var": ("var d = new Dog();\nd.bark();", {"Dog", "Dog.bark"}),
    "a base class": ("new Dog().walk();", {"Dog", "Base.walk"}),
    "an interface": ("Barks b = null;\nb.bark();\nb.loud().walk();", {"Barks.bark", "Barks.loud", "Base.walk"}),
    "a default method": ("new Dog().loud();", {"Dog", "Barks.loud"}),
    "a static method": ("Base.make().walk();", {"Base.make", "Base.walk"}),
    "a static field": ("Base.shared.walk();", {"Base.walk"}),
    "fields": ("Dog d = get();\nd.next.next.self();", {"Base.self"}),
    "a number of arguments": ('Dog d = get();\nd.find("a", 1).bark();', {"Dog.find", "Dog.bark"}),
    "a type of an argument": (
        'Dog d = get();\nd.find("a").bark();\nd.find(1).walk();',
        {"Dog.find", "Dog.bark", "Base.walk"},
    ),
    "a nested type": ("Dog.Puppy p = new Dog.Puppy();\np.whine();", {"Dog.Puppy", "Dog.Puppy.whine"}),
    "an enum": ("Dog.Kind.BIG.size();", {"Dog.Kind.size"}),
    "all of an enum": ("for (Dog.Kind k : Dog.Kind.values()) k.size();", {"Dog.Kind.size"}),
    "a chain": ("new Dog().kind().size();", {"Dog", "Dog.kind", "Dog.Kind.size"}),
    "a list of the library's": (
        "Dog d = get();\nfor (Base b : d.bases) b.walk();\nd.bases.get(0).self();",
        {"Base.walk", "Base.self"},
    ),
    "var of a list": ("Dog d = get();\nfor (var b : d.bases) b.walk();", {"Base.walk"}),
    "a map of the library's": ('Dog d = get();\nd.friends.get("x").bark();', {"Dog.bark"}),
    "entries of a map": ("Dog d = get();\nfor (var e : d.friends.entrySet()) e.getValue().bark();", {"Dog.bark"}),
    "an array": ("Dog d = get();\nd.litter[0].bark();\nfor (var x : d.litter) x.walk();", {"Dog.bark", "Base.walk"}),
    "a generic type": ("Box<Dog> b = null;\nb.open().bark();\nb.held.bark();", {"Box.open", "Dog.bark"}),
    "a heir of a generic type": ("DogBox b = null;\nb.open().bark();", {"Box.open", "Dog.bark"}),
    "a wildcard": ("Box<? extends Dog> b = null;\nb.open().bark();", {"Box.open", "Dog.bark"}),
    "what is given settles a type": (
        "get().same(new Dog()).bark();\nBox.of(get()).open().bark();",
        {"Dog.same", "Dog", "Dog.bark", "Box.of", "Box.open"},
    ),
    "an iteration": ("Box<Dog> box = null;\nfor (var d : box) d.bark();", {"Dog.bark"}),
    "a cast": ("Object o = null;\n((Dog) o).bark();", {"Dog.bark"}),
    "a check": ("Object o = null;\nif (o instanceof Dog d && d.kind() != null) d.bark();", {"Dog.kind", "Dog.bark"}),
    "a choice": ("Dog d = get();\n(true ? d : null).bark();", {"Dog.bark"}),
    "a lambda with a declared type": ("Turn<Dog, Base> t = (Dog d) -> d.self();", {"Base.self"}),
    "a lambda": ("Turn<Dog, Base> t = d -> d.self();", {"Base.self"}),
    "a lambda that is given": (
        "Box<Dog> b = null;\nb.map(d -> d.self()).open().walk();",
        {"Box.map", "Base.self", "Box.open", "Base.walk"},
    ),
    "a lambda with a body": (
        "Box<Dog> b = null;\nb.map(d -> { d.bark(); return d.next; }).open().walk();",
        {"Box.map", "Dog.bark", "Box.open", "Base.walk"},
    ),
    "a lambda for the library": ("Dog d = get();\nd.bases.forEach(b -> b.walk());", {"Base.walk"}),
    "a class without a name": ("new Dog() { public void bark() { kind(); walk(); } };", {"Dog"}),
    "a record": ("Point p = null;\np.x().bark();\np.both();", {"Point.x", "Dog.bark", "Point.both"}),
    "a qualified name": ("org.lib.Base.make();", {"Base.make"}),
    "a local class": ("class Mine extends Dog {}\nMine m = null;\nm.bark();", {"Dog.bark"}),
    "a block's own variable": ("{ Dog x = null; x.bark(); }\n{ Base x = null; x.walk(); }", {"Dog.bark", "Base.walk"}),
    "a resource": ("try (Dog d = get()) { d.bark(); } catch (Exception e) { e.fillInStackTrace(); }", {"Dog.bark"}),
    "a switch": (
        "switch (1) { case 1: Dog d = get(); d.bark(); break; default: Base.make(); }",
        {"Dog.bark", "Base.make"},
    ),
    "a method that is handed over": ("Turn<Dog, Base> t = Dog::self;", set()),
    "a text": ('String s = "a" + 1;\ns.length();', set()),
}


@pytest.mark.parametrize("name", CASES)
def test_a_call_is_resolved_by(name: str, memory: Memory, tmp_path: Path) -> None:
    code, wanted = CASES[name]
    app = (
        f"package app;\nimport org.lib.*;\nclass App {{\nDog get() {{ return null; }}\nvoid use() {{\n{code}\n}}\n}}\n"
    )
    memory.code.index(write(tmp_path, {**LIB, "app/App.java": app}))
    calls = edges(memory, "calls")
    assert {t.partition("::")[2] for s, t in calls if s == "app/App.java::App.use" and t.startswith("org/")} == wanted


def found(memory: Memory, root: Path, files: dict[str, str], kind: str = "calls") -> set[tuple[str, str]]:
    memory.code.index(write(root, files))
    return edges(memory, kind)


def test_types_by_package_import_and_star(memory: Memory, tmp_path: Path) -> None:
    files = {
        **LIB,
        "src/app/App.java": """
            package app;
            import org.lib.Base;
            import org.lib.Dog.Puppy;
            import static org.lib.Base.make;
            import static org.lib.Box.*;
            import org.lib.*;
            import org.lib.Gone;
            import org.other.Far;
            class App {
                void use(Puppy p, Far f, Gone g) {
                    make(); of(1); p.whine(); new Point(null, null); Near.here(); f.go(); g.go();
                }
            }
        """,
        "src/app/Near.java": "package app;\nclass Near { static void here() {} }",
        "src/far/Near.java": "package far;\nclass Near { static void here() {} }",
    }
    targets = {t.partition("::")[2] for s, t in found(memory, tmp_path, files) if s.startswith("src/app/App")}
    assert targets == {"Base.make", "Box.of", "Dog.Puppy.whine", "Point", "Near.here"}
    assert ("src/app/App.java::App.use", "src/app/Near.java::Near.here") in edges(memory, "calls")
    imports = {t for s, t in edges(memory, "imports") if s.startswith("src/app/App")}
    assert imports == {f"org/lib/{name}.java::" for name in ("Base", "Dog", "Box", "Point")}
    missing = {t for s, t in edges(memory, "imports", sure=False) if s.startswith("src/app/App")}
    assert missing == {"::org.lib.Gone"}
    assert {t for s, t in edges(memory, "calls", sure=False) if s.startswith("src/app/App")} == {"::.go"}


def test_methods_and_fields_of_the_classes_around(memory: Memory, tmp_path: Path) -> None:
    files = {
        **LIB,
        "App.java": """
            import org.lib.*;
            class App extends Dog {
                Dog other = new Dog();
                { other.bark(); }
                App() { super(3); step(); }
                App(int x) { this(); }
                void step() { walk(); this.bark(); super.walk(); other.self(); }
                class In extends Inner {
                    void go() { step(); App.this.bark(); deep(); Runnable r = () -> walk(); }
                }
                Barks b = new Barks() { public void bark() { loud(); step(); } };
            }
        """,
    }
    calls = {
        (s.partition("::")[2], t.partition("::")[2]) for s, t in found(memory, tmp_path, files) if s.startswith("App")
    }
    assert calls == {
        ("App", "Dog"),
        ("App", "Dog.bark"),
        ("App.App", "Dog"),
        ("App.App", "App.step"),
        ("App.App", "App"),
        ("App.step", "Base.walk"),
        ("App.step", "Dog.bark"),
        ("App.step", "Base.self"),
        ("App.In.go", "App.step"),
        ("App.In.go", "Dog.bark"),
        ("App.In.go", "Base.Inner.deep"),
        ("App.In.go", "Base.walk"),
        ("App.$1.bark", "Barks.loud"),
        ("App.$1.bark", "App.step"),
    }
    assert ("App.java::App.In", "org/lib/Base.java::Base.Inner") in edges(memory, "extends")
    assert ("App.java::App.$1", "org/lib/Barks.java::Barks") in edges(memory, "implements")


def test_types_extend_and_implement(memory: Memory, tmp_path: Path) -> None:
    files = {
        "A.java": """
            class A extends B implements C, D<A> {}
            enum E implements C {}
            interface F extends C, D<String> {}
        """,
        "B.java": "class B {}\ninterface C {}\ninterface D<T> {}",
    }
    assert found(memory, tmp_path, files, "extends") == {
        ("A.java::A", "B.java::B"),
        ("A.java::F", "B.java::C"),
        ("A.java::F", "B.java::D"),
    }
    assert edges(memory, "implements") == {
        ("A.java::A", "B.java::C"),
        ("A.java::A", "B.java::D"),
        ("A.java::E", "B.java::C"),
    }


def test_an_overload_further_up_is_called_where_only_it_fits(memory: Memory, tmp_path: Path) -> None:
    files = {
        "A.java": """
            class A { void go(int x) {} void go(A a) {} void both(Object o) {} }
            class B extends A { void go(String s) {} void go(B b) {} void both(Object o) {} }
            class C {
                void use(B b, A a, Unknown u) { b.go(1); b.go("x"); b.go(b); b.go(a); b.both(u); b.go(u); b.go(); }
            }
        """,
    }
    calls = {t.partition("::")[2] for s, t in found(memory, tmp_path, files)}
    assert calls == {"A.go", "B.go", "B.both"}
    assert {t for _, t in edges(memory, "calls", sure=False)} == {"A.java::A.go", "A.java::B.go", "::.go"}


def test_a_class_that_is_there_twice_is_ambiguous(memory: Memory, tmp_path: Path) -> None:
    twin = "package p;\npublic class T { public static void go() {} }"
    files = {"a/p/T.java": twin, "b/p/T.java": twin, "c/q/U.java": "package q;\nclass U { void use() { p.T.go(); } }"}
    assert found(memory, tmp_path, files) == set()
    assert {t for _, t in edges(memory, "calls", sure=False)} == {"a/p/T.java::T.go", "b/p/T.java::T.go"}


def test_a_bare_name_is_never_joined_to_a_namesake(memory: Memory, tmp_path: Path) -> None:
    files = {
        "a/A.java": "package a;\npublic class A { public static void save() {} public void keep() {} }",
        "b/B.java": "package b;\nclass B { void use(Other o) { save(); o.keep(); A.save(); } }",
    }
    assert found(memory, tmp_path, files) == set()
    assert {target for _, target in edges(memory, "calls", sure=False)} == {"::save"}
