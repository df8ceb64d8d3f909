"""What names and expressions of TypeScript stand for: classes and what they extend, members, what calls give."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from recollect.code.facts import UNKNOWN, By, CodeScope, Expr, FileFacts, NameBinding, Sort
from recollect.code.resolve.engine import BoundName, Standpoint
from recollect.code.resolve.rules import Supertype
from recollect.code.resolve.typescript.customs import GLOBALS, known_call, made_outside, many_called, many_hands
from recollect.code.resolve.typescript.naming import Offered, TypeParameter
from recollect.code.resolve.typescript.typing import Known, Typing
from recollect.code.resolve.values import NOTHING, SELF, Value, Values, external, items_of, one, union

# Stands for a member that something outside of the project may have.
OUTSIDE = BoundName("", 0, "", NameBinding(By.VALUE, 0, False))
_TYPES = (Sort.CLASS, Sort.INTERFACE, Sort.OBJECT)
_NULL = ("lit", "null")
_MANY = ("seq", "map", "aw", "tup")


class TypeScript(Typing):
    """The rules of TypeScript, JavaScript and JSX."""

    # What edges are made of

    def exported(self, path: str, facts: FileFacts) -> Iterator[tuple[int, Values]]:
        """What a module passes on of others."""
        for name, bindings in facts.scopes[0].names.items():
            passed = name.startswith("export ")
            if not passed and not (facts.exported and name in facts.exported):
                continue
            binding = bindings[-1]
            if not passed and binding.by != By.IMPORT:
                continue
            word = name.removeprefix("export ")
            self.soft = False
            found: set[Value] = set()
            for each in self.offered(path, word) if word else ():
                if each.found is not None and each.found.path != path and not each.member:
                    found |= self._symbols(each.found)
            if found:
                yield binding.line, frozenset(found)

    def _symbols(self, found: BoundName) -> Values:
        """A definition by the name that binds it."""
        facts = self.facts(found.path)
        if facts is None or found.binding.by != By.SCOPE:
            return NOTHING
        sort = facts.scopes[found.binding.first].sort
        return one("fn" if sort == Sort.FUNCTION else "cls", found.path, found.binding.first)

    def supertypes(self, path: str, facts: FileFacts, at: int) -> Iterator[Supertype]:
        scope = facts.scopes[at]
        for promised, declared in ((False, scope.bases), (True, scope.interfaces)):
            for expr in declared:
                self.soft = False
                if promised or scope.sort == Sort.INTERFACE:
                    values = self.declared(Standpoint(path, at, 0), expr)
                else:
                    values = self._base(path, scope, at, expr)
                types = frozenset(("cls", *each[1:3]) for each in values if each[0] == "inst" and self._is_named(each))
                yield Supertype(types, promised)

    def _is_named(self, value: Value) -> bool:
        facts = self.facts(value[1])
        return facts is not None and facts.scopes[value[2]].sort in (Sort.CLASS, Sort.INTERFACE)

    def called(self, value: Value) -> list[Value]:
        if value[0] == "inst":
            for name in ("()", "new()"):
                found = [each[:3] for each in self.member(value, name) if each[0] == "fn"]
                if found:
                    return found
            return []
        if value[0] == "var":
            return [called for each in self.bound_of(value[1]) if each[0] != "var" for called in self.called(each)]
        return [("cls", *value[1:3])] if value[0] == "super" else super().called(value)

    # Names

    def name(self, place: Standpoint, name: str) -> Values:
        narrowed = self._checked(place, name)
        if narrowed:
            return narrowed
        if name == "this":
            return self._this(place)
        if name == "super":
            return self._super(place)
        found = self.bound(place, name)
        if found:
            return self._held(found)
        return external(name) if name in GLOBALS else NOTHING

    def _held(self, found: list[BoundName]) -> Values:
        """What bindings of one name give: a declared type settles it, and of overloads the last one stands for all."""
        declared = [each for each in found if each.binding.by == By.VALUE and each.binding.second != UNKNOWN]
        if declared:
            found = declared[:1]
        last: BoundName | None = None
        others: list[BoundName] = []
        for each in found:
            if each.binding.by == By.SCOPE and self._sort(each) == Sort.FUNCTION:
                last = each
            else:
                others.append(each)
        chosen = [*others, last] if last is not None else others
        values = union(self.binding(each) for each in chosen)
        return values - {_NULL} if len(values) > 1 else values

    def _sort(self, found: BoundName) -> str:
        facts = self.facts(found.path)
        return facts.scopes[found.binding.first].sort if facts is not None else ""

    def narrowed(self, place: Standpoint, facts: FileFacts, expr: Expr) -> Values | None:
        if expr[0] != "a" or facts.exprs[expr[1]][0] != "n":
            return None
        return self._checked(place, f"{facts.exprs[expr[1]][1]}.{expr[2]}") or None

    def _checked(self, place: Standpoint, words: str) -> Values:
        """What `instanceof` says about a name, or a member of one, in these lines."""
        facts = self.facts(place.path)
        scope = place.scope
        while facts is not None and scope >= 0 and place.line:
            for check in facts.scopes[scope].narrowed:
                if check.name == words and check.first <= place.line <= check.last:
                    where = Standpoint(place.path, scope, 0)
                    found = union(self.constructed(each) for each in self.values(where, check.type))
                    if found:
                        return found
            scope = facts.scopes[scope].parent
        return NOTHING

    def _this(self, place: Standpoint) -> Values:
        """What `this` is: of the class or object around, whose method or field we are in."""
        facts = self.facts(place.path)
        scope = place.scope
        static = False
        while facts is not None and scope > 0:
            here = facts.scopes[scope]
            if "this" in here.names:
                return self.binding(BoundName(place.path, scope, "this", here.names["this"][0]))
            if here.sort == Sort.OBJECT and "namespace" in here.traits:
                return NOTHING
            if here.sort in _TYPES:
                return one("cls" if static else "inst", place.path, scope, *(() if static else ((),)))
            inside = facts.scopes[here.parent].sort in _TYPES
            if here.sort in (Sort.FUNCTION, Sort.BLOCK) and "arrow" not in here.traits and not inside:
                return NOTHING
            static = "static" in here.traits
            scope = here.parent
        return NOTHING

    def _super(self, place: Standpoint) -> Values:
        """What the class around extends, seen from here."""
        found: list[Values] = []
        for own in self._this(place):
            facts = self.facts(own[1])
            if facts is None or facts.scopes[own[2]].sort != Sort.CLASS:
                continue
            for path, scope, known in self.above(own[1], own[2])[0][1:2]:
                found.append(one("super", path, scope, known, own[0]))
            if not found and self.above(own[1], own[2])[1]:
                found.append(external("super"))
        return union(found)

    def binding(self, found: BoundName) -> Values:
        """What a binding gives."""
        kind = found.binding.by
        if kind == By.SCOPE:
            sort = self._sort(found)
            if sort == Sort.FUNCTION:
                return one("fn", found.path, found.binding.first, ())
            if sort == Sort.CLASS:
                return one("cls", found.path, found.binding.first)
            return one("inst", found.path, found.binding.first, ()) if sort == Sort.OBJECT else NOTHING
        if kind == By.PARAMETER:
            return self.parameter(found.path, found.scope, found.binding.first)
        return self.entity(("bind", *found[:3], found.binding), lambda: self._assigned(found))  # type: ignore[no-any-return]

    def _assigned(self, found: BoundName) -> Values:
        binding, facts = found.binding, self.facts(found.path)
        if facts is None or binding.by == By.TYPE:
            return NOTHING
        if binding.by == By.IMPORT:
            return self.values_of(self.followed(found.path, facts.imports[binding.first], binding.second))
        place = Standpoint(found.path, found.scope, binding.line)
        if binding.second != UNKNOWN:
            declared = self.declared(place, binding.second)
            if declared:
                return declared
        return self.values(place, binding.first)

    def values_of(self, offered: list[Offered]) -> Values:
        """The values of what a module offers."""
        found: list[Values] = []
        bound: dict[str, list[BoundName]] = {}
        for each in offered:
            if each.value is not None:
                found.append(frozenset((each.value,)))
            elif each.found is not None:
                bound.setdefault(each.member, []).append(each.found)
        for member, bindings in bound.items():
            facts = self.facts(bindings[0].path)
            values = self._held([each for each in bindings if facts is not None and _is_value(facts, each.binding)])
            found.append(union(self.attribute(each, member) for each in values) if member else values)
        return union(found)

    # Classes, interfaces and objects

    def above(self, path: str, scope: int) -> tuple[list[tuple[str, int, Known]], bool]:
        found: tuple[list[tuple[str, int, Known]], bool] = self.entity(
            ("above", path, scope), lambda: self._above(path, scope), ([(path, scope, ())], True)
        )
        return found

    def _above(self, path: str, scope: int) -> tuple[list[tuple[str, int, Known]], bool]:
        facts = self.facts(path)
        order: list[tuple[str, int, Known]] = [(path, scope, ())]
        outside = False
        if facts is None:
            return order, True
        self.look(path, "bases", facts.path_of(scope))
        here = facts.scopes[scope]
        soft = self.soft
        for expr in here.bases:
            values = self._base(path, here, scope, expr)
            outside = outside or not values
            for value in values:
                if value[0] == "inst" and value[1:3] != (path, scope):
                    theirs, beyond = self.above(value[1], value[2])
                    outside = outside or beyond
                    known = dict(value[3])
                    seen = {each[:2] for each in order}
                    for their_path, their_scope, their_known in theirs:
                        if (their_path, their_scope) not in seen:
                            own = self._composed(their_known, known) if their_known else value[3]
                            own = value[3] if (their_path, their_scope) == value[1:3] else own
                            order.append((their_path, their_scope, own))
                else:
                    outside = True
        self.soft = soft
        return order, outside

    def _composed(self, inner: Known, outer: dict[Any, Values]) -> Known:
        return tuple((key, self.substituted(each, outer)) for key, each in inner)

    def _base(self, path: str, here: CodeScope, scope: int, expr: int) -> Values:
        """Something of what a class, an interface or an object extends."""
        if here.sort == Sort.INTERFACE or "type" in here.traits:
            return self.declared(Standpoint(path, scope, 0), expr)
        facts = self.facts(path)
        assert facts is not None
        place = Standpoint(path, here.parent, here.line)
        at = facts.exprs[expr]
        if here.sort == Sort.OBJECT:  # what is spread out in it
            return self.values(place, expr)
        given: tuple[Values, ...] = ()
        if at[0] == "s" and facts.exprs[at[2]][0] == "L":
            given = tuple(self.declared(Standpoint(path, scope, 0), each) for each in facts.exprs[at[2]][2])
            expr = at[1]
        return union(self._made(each, given) for each in self.values(place, expr))

    def _made(self, value: Value, types: tuple[Values, ...]) -> Values:
        """What `new` makes of a value, whose type parameters are settled as far as they are given."""
        kind = value[0]
        if kind in ("cls", "super"):
            return one("inst", value[1], value[2], self._filled(value[1], value[2], types) if kind == "cls" else value[3])
        if kind == "inst":
            return union(self.result(each) for each in self.member(value, "new()") if each[0] == "fn")
        if kind == "fn":
            facts = self.facts(value[1])
            if facts is not None and "new" in facts.scopes[value[2]].traits:
                return self.result(value)
            return NOTHING
        if kind == "var":
            return union(self._made(each, types) for each in self.bound_of(value[1]) if each[0] != "var")
        return made_outside(value[1], types, ()) if kind == "ext" else NOTHING

    def constructed(self, value: Value) -> Values:
        return self._made(value, ())

    def _members(self, path: str, scope: int, name: str) -> tuple[list[BoundName], Known]:
        """What a class, an interface, an object or what they extend has under a name."""
        order, outside = self.above(path, scope)
        merged = self._merged(path, scope)
        for at, (base, place, known) in enumerate((*order, *((path, each, ()) for each in merged))):
            facts = self.facts(base)
            if facts is None:
                continue
            self.look(base, facts.path_of(place), name)
            here = facts.scopes[place]
            bindings = [BoundName(base, place, name, each) for each in here.names.get(name, ())]
            bindings += [
                BoundName(base, inner, name, NameBinding(By.VALUE, line, True, value, type_))
                for inner, value, type_, line in here.members.get(name, ())
            ]
            if bindings:
                self.soft = self.soft or at > 0
                return bindings, known
        return ([OUTSIDE] if outside else []), ()

    def _merged(self, path: str, scope: int) -> list[int]:
        """Other declarations of one interface, in the same file."""
        facts = self.facts(path)
        if facts is None or facts.scopes[scope].sort == Sort.OBJECT:
            return []
        here = facts.scopes[scope]
        bindings = facts.scopes[here.parent].names.get(here.name, ())
        return [
            each.first
            for each in bindings
            if each.by == By.SCOPE and each.first != scope and facts.scopes[each.first].sort in _TYPES
        ]

    def member(self, owner: Value, name: str) -> Values:
        """An attribute of a class, of something of a class, or of `super`."""
        found, theirs = self.entity(
            ("member", owner[1], owner[2], name), lambda: self._members(owner[1], owner[2], name), ([], ())
        )
        if not found and name not in ("()", "new()", "[]"):
            return union(each[-1] if each[0] == "seq" else one(*each) for each in self.member(owner, "[]"))
        if found == [OUTSIDE]:
            return external(f"inherited.{name}")
        known: dict[Any, Values] = {}
        if owner[0] in ("inst", "super"):
            known = dict(owner[3])
            if theirs:
                known |= dict(self._composed(theirs, known))
        known[SELF] = frozenset((owner,)) if owner[0] == "inst" else one("inst", owner[1], owner[2], ())
        values = self._held(found)
        getters = [each for each in values if each[0] == "fn" and self._has_trait(each, "get")]
        if getters:
            values = union(self.result((*each[:3], tuple(known.items()))) for each in getters)
        return self._belonging(values, known)

    def _belonging(self, values: Values, known: dict[Any, Values]) -> Values:
        """Members as their owner has them: methods know what `this` is."""
        found: list[Values] = []
        for value in values:
            if value[0] == "fn" and not value[3]:
                found.append(one(*value[:3], tuple(known.items())))
            else:
                found.append(self.substituted(frozenset((value,)), known))
        return union(found)

    def _has_trait(self, value: Value, trait: str) -> bool:
        facts = self.facts(value[1])
        return facts is not None and trait in facts.scopes[value[2]].traits

    # Functions

    def parameter(self, path: str, scope: int, at: int) -> Values:
        found: Values = self.entity(("parameter", path, scope, at), lambda: self._parameter(path, scope, at))
        return found

    def _parameter(self, path: str, scope: int, at: int) -> Values:
        """What is known of a parameter before anybody calls: its type, its default, who takes the function."""
        facts = self.facts(path)
        if facts is None:
            return NOTHING
        here = facts.scopes[scope]
        if here.sort == Sort.FUNCTION:
            self.look(path, "signature", facts.path_of(scope))
        given = here.parameters[at]
        if given.type != UNKNOWN:
            return self.declared(Standpoint(path, scope, 0), given.type)
        if given.default != UNKNOWN:
            return self.values(Standpoint(path, here.parent, here.line), given.default) - {_NULL}
        found = self._from_context(path, facts, scope, at)
        return one("seq", "Array", found) if given.sort == "*" else found

    def _from_context(self, path: str, facts: FileFacts, scope: int, at: int) -> Values:
        """What a function without declared types is handed by those who take it."""
        here = facts.scopes[scope]
        if not here.decorators or here.sort not in (Sort.FUNCTION, Sort.BLOCK):
            return NOTHING
        place = Standpoint(path, here.parent, here.line)
        context = facts.exprs[here.decorators[0]]
        if context[0] == "t":
            return union(self._handed(each, at) for each in self.declared(place, context[1]))
        if context[0] != "A":
            return NOTHING
        others = tuple(self.values(place, each) for each in context[3])
        found: list[Values] = []
        for value in self._callees(place, facts, context[1]):
            if value[0] == "many":
                found.append(many_hands(value, int(context[2]), at, others))
            elif value[0] == "fn":
                for path_, scope_, known in self._fitting(value, len(context[3])):
                    wanted = self._wanted(path_, scope_, int(context[2]))
                    settled = self._settled(path_, scope_, known, others)
                    functions = self.substituted(wanted, settled)
                    found.append(union(self._handed(each, at) for each in functions))
        return union(found)

    def _callees(self, place: Standpoint, facts: FileFacts, callee: int) -> Values:
        """What is called, for `new` the constructors."""
        expr = facts.exprs[callee]
        if expr[0] != "N":
            values = self.values(place, callee)
            return union(self.member(each, "()") if each[0] == "inst" else frozenset((each,)) for each in values)
        found: list[Values] = []
        for value in self.values(place, expr[1]):
            if value[0] == "cls":
                found.append(self.member(("inst", value[1], value[2], ()), "constructor"))
            elif value[0] == "inst":
                found.append(self.member(value, "new()"))
        return union(found)

    def _handed(self, value: Value, at: int) -> Values:
        """What a function of a declared type takes as its `at`-th."""
        if value[0] == "inst":
            return union(self._handed(each, at) for each in self.member(value, "()") if each[0] == "fn")
        if value[0] != "fn":
            return NOTHING
        return self.substituted(self._wanted(value[1], value[2], at), dict(value[3]))

    def _wanted(self, path: str, scope: int, at: int) -> Values:
        """The declared type of a function's parameter, the last one taking all the rest."""
        facts = self.facts(path)
        if facts is None:
            return NOTHING
        plain = [each for each in facts.scopes[scope].parameters if each.sort != "<"]
        if at >= len(plain) and not (plain and plain[-1].sort == "*"):
            return NOTHING
        chosen = min(at, len(plain) - 1)
        values = self.parameter(path, scope, chosen)
        return items_of(values) if plain[chosen].sort == "*" else values

    def _fitting(self, value: Value, count: int) -> list[tuple[str, int, Known]]:
        """The overloads of a function that take so many arguments."""
        path, scope, known = value[1:4]
        facts = self.facts(path)
        if facts is None:
            return []
        here = facts.scopes[scope]
        scopes = [scope]
        if here.sort == Sort.FUNCTION and here.parent >= 0:
            holder = facts.scopes[here.parent]
            bindings = next((each for each in holder.names.values() if any(b.first == scope for b in each)), ())
            functions = [b.first for b in bindings if b.by == By.SCOPE and facts.scopes[b.first].sort == Sort.FUNCTION]
            promised = [each for each in functions if "signature" in facts.scopes[each].traits]
            scopes = promised or [scope]
        fitting = [each for each in scopes if _takes(facts.scopes[each], count)]
        return [(path, each, known) for each in fitting or scopes]

    def _settled(self, path: str, scope: int, known: Known, given: tuple[Values, ...]) -> dict[Any, Values]:
        """What type parameters stand for in a call, by what is known of the function and by arguments."""
        settled = dict(known)
        facts = self.facts(path)
        if facts is None:
            return settled
        here = facts.scopes[scope]
        own = [TypeParameter(path, scope, at) for at, each in enumerate(here.parameters) if each.sort == "<"]
        if not own:
            return settled
        found: dict[Any, Values] = {}
        for at, values in enumerate(given):
            if values:
                self.unified(self._wanted(path, scope, at), values, found)
        for key in own:
            if found.get(key):
                settled[key] = found[key]
        return settled

    def result(self, value: Value, given: tuple[Values, ...] = (), types: tuple[Values, ...] = ()) -> Values:
        """What calling a function gives."""
        if value[0] != "fn":
            return NOTHING
        found: list[Values] = []
        for path, scope, known in self._fitting(value, len(given)):
            gives: Values = self.entity(("result", path, scope), lambda p=path, s=scope: self._result(p, s))  # type: ignore[misc]
            if not gives:
                continue
            settled = self._settled(path, scope, known, given)
            facts = self.facts(path)
            for number, at in enumerate(
                at for at, each in enumerate(facts.scopes[scope].parameters if facts else ()) if each.sort == "<"
            ):
                if number < len(types):
                    settled[TypeParameter(path, scope, at)] = types[number]
            found.append(self.substituted(gives, settled))
        self.soft = True
        return union(found)

    def _result(self, path: str, scope: int) -> Values:
        facts = self.facts(path)
        if facts is None:
            return NOTHING
        here = facts.scopes[scope]
        if here.sort == Sort.FUNCTION:
            self.look(path, "body", facts.path_of(scope))
        if here.type != UNKNOWN:
            return self.declared(Standpoint(path, scope, 0), here.type)
        if here.yielded:
            return one("seq", "Generator", union(self.values(Standpoint(path, scope, line), v) for v, line in here.yielded))
        if not here.returned and here.decorators and facts.exprs[here.decorators[0]][0] == "t":
            return NOTHING
        found = union(self._given_back(path, scope, value, line) for value, line in here.returned) - {_NULL}
        if "async" in here.traits:
            return one("aw", union(each[1] if each[0] == "aw" else frozenset((each,)) for each in found))
        return found

    def _given_back(self, path: str, scope: int, value: int, line: int) -> Values:
        facts = self.facts(path)
        assert facts is not None
        holder = facts.scopes[facts.scopes[scope].parent].sort
        if facts.exprs[value] == ("n", "this") and holder in _TYPES:
            return frozenset((SELF,))
        return self.values(Standpoint(path, scope, line), value)

    # Expressions

    def literal(self, place: Standpoint, expr: Expr, depth: int) -> Values:
        kind = expr[0]
        if kind == "k":
            return one("lit", expr[1])
        if kind == "L":
            parts = [self.values(place, each, depth + 1) for each in expr[2]]
            return one("seq", "Array", union(parts)) if len(parts) != 2 else one("tup", tuple(parts))
        if kind == "f":
            return one("fn", place.path, expr[1], ())
        if kind == "O":
            return one("inst", place.path, expr[1], ())
        if kind == "K":
            return one("cls", place.path, expr[1])
        if kind == "t":
            return self.declared(place, expr[1])
        if kind == "R":
            return self._loaded(place, expr)
        return NOTHING

    def _loaded(self, place: Standpoint, expr: Expr) -> Values:
        source = self.modules.find(place.path, expr[2])
        if expr[1] == "import":
            return one("aw", source)
        return union(
            self.values_of(self.offered(each[1], "=")) if each[0] == "mod" else frozenset((each,)) for each in source
        )

    def step(self, place: Standpoint, expr: Expr, of: Values, depth: int) -> Values:
        kind = expr[0]
        if kind == "a":
            return union(self.attribute(each, expr[2]) for each in of)
        if kind == "c":
            return self._called(place, expr, of, depth)
        if kind == "N":
            return self._new(place, expr, of, depth)
        if kind == "s":
            return union(self._item(each) for each in of)
        if kind == "i":
            return items_of(of)
        if kind == "u":
            return union(self._part(each, expr[2]) for each in of)
        if kind == "y":
            return union(each[1] if each[0] == "aw" else frozenset((each,)) for each in of)
        return NOTHING

    def _item(self, value: Value) -> Values:
        if value[0] in ("seq", "map"):
            return value[-1]  # type: ignore[no-any-return]
        if value[0] == "tup":
            return union(value[1])
        return self.member(value, "[]") if value[0] == "inst" else external("item") if value[0] == "ext" else NOTHING

    def _part(self, value: Value, at: int) -> Values:
        if value[0] == "tup":
            return value[1][at] if at < len(value[1]) else NOTHING  # type: ignore[no-any-return]
        return self._item(value)

    def attribute(self, value: Value, name: str) -> Values:
        kind = value[0]
        if kind == "mod":
            return self.values_of(self.offered(value[1], name))
        if kind in ("cls", "inst", "super"):
            return self.member(value, name)
        if kind in _MANY:
            return one("many", value, name)
        if kind == "var":
            return union(self.attribute(each, name) for each in self.bound_of(value[1]) if each[0] != "var")
        if kind == "ext":
            return external(f"{value[1]}.{name}")
        return external(f"{kind}.{name}") if kind == "lit" or name in ("call", "apply", "bind") else NOTHING

    def _called(self, place: Standpoint, expr: Expr, of: Values, depth: int) -> Values:
        found: list[Values] = []
        for value in of:
            given: tuple[Values, ...] = ()
            if value[0] in ("fn", "many", "ext", "inst"):
                given = tuple(self.values(place, each, depth + 1) for each in expr[2])
            if value[0] == "fn":
                types = tuple(self.declared(place, each) for each in expr[3])
                found.append(self.result(value, given, types))
            elif value[0] == "inst":
                found += [self.result(each, given) for each in self.member(value, "()") if each[0] == "fn"]
            elif value[0] == "many":
                functions = [union(self.result(f) for f in each if f[0] == "fn") for each in given]
                found.append(many_called(value, functions, given))
            elif value[0] == "ext":
                found.append(known_call(value[1], given))
        return union(found)

    def _new(self, place: Standpoint, expr: Expr, of: Values, depth: int) -> Values:
        found: list[Values] = []
        types = tuple(self.declared(place, each) for each in expr[3]) if len(expr) > 3 else ()
        for value in of:
            made = self._made(value, types)
            found.append(made)
        return union(found)


def _is_value(facts: FileFacts, binding: NameBinding) -> bool:
    if binding.by == By.SCOPE:
        return facts.scopes[binding.first].sort != Sort.INTERFACE
    return binding.by != By.TYPE


def _takes(scope: CodeScope, count: int) -> bool:
    plain = [each for each in scope.parameters if each.sort != "<"]
    least = sum(1 for each in plain if each.sort == "")
    return least <= count and (count <= len(plain) or any(each.sort == "*" for each in plain))
