"""Functions of TypeScript: what they are handed, which overload is meant, what they give."""

from __future__ import annotations

from typing import Any

from recollect.code.facts import UNKNOWN, By, CodeScope, FileFacts, Sort
from recollect.code.resolve.engine import Standpoint
from recollect.code.resolve.typescript.customs import many_hands
from recollect.code.resolve.typescript.members import TYPES, ScriptMembers
from recollect.code.resolve.typescript.naming import TypeParameter
from recollect.code.resolve.typescript.typing import Known
from recollect.code.resolve.values import NOTHING, SELF, Value, Values, items_of, one, union

NULL = ("lit", "null")


class ScriptFunctions(ScriptMembers):
    """What calls give, and what is handed to functions without a name."""

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
            return self.values(Standpoint(path, here.parent, here.line), given.default) - {NULL}
        found = self._from_context(path, facts, scope, at)
        return one("seq", "Array", found) if given.sort == "*" else found

    def _from_context(self, path: str, facts: FileFacts, scope: int, at: int) -> Values:
        """What a function without declared types is handed by those who take it."""
        here = facts.scopes[scope]
        holder = facts.scopes[here.parent]
        if here.decorators:
            return union(self._handed(each, at) for each in self.expected(path, scope, at))
        if holder.sort == Sort.OBJECT and holder.decorators:
            found = (self.attribute(each, here.name) for each in self.expected(path, here.parent))
            return union(self._handed(each, at) for values in found for each in values)
        return NOTHING

    def expected(self, path: str, scope: int, at: int = 0) -> Values:
        """What a function or an object is taken as, by a declared type or by what it is handed to."""
        found: Values = self.entity(("expected", path, scope, at), lambda: self._expected(path, scope, at))
        return found

    def _expected(self, path: str, scope: int, at: int) -> Values:
        facts = self.facts(path)
        assert facts is not None
        here = facts.scopes[scope]
        place = Standpoint(path, here.parent, here.line)
        context = facts.exprs[here.decorators[0]]
        if context[0] == "t":
            return self.declared(place, context[1])
        if context[0] != "A":
            return NOTHING
        others = tuple(self.values(place, each) for each in context[3])
        found: list[Values] = []
        for value in self._callees(place, facts, context[1]):
            if value[0] == "many":
                found.append(one("hand", many_hands(value, int(context[2]), at, others)))
            elif value[0] == "fn":
                for path_, scope_, known in self._fitting(value, len(context[3])):
                    wanted = self._wanted(path_, scope_, int(context[2]))
                    found.append(self.substituted(wanted, self._settled(path_, scope_, known, others)))
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
        if value[0] == "hand":
            return value[1]  # type: ignore[no-any-return]
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
            return one(
                "seq", "Generator", union(self.values(Standpoint(path, scope, line), v) for v, line in here.yielded)
            )
        if not here.returned and here.decorators and facts.exprs[here.decorators[0]][0] == "t":
            return NOTHING
        found = union(self._given_back(path, scope, value, line) for value, line in here.returned) - {NULL}
        if "async" in here.traits:
            return one("aw", union(each[1] if each[0] == "aw" else frozenset((each,)) for each in found))
        return found

    def _given_back(self, path: str, scope: int, value: int, line: int) -> Values:
        facts = self.facts(path)
        assert facts is not None
        holder = facts.scopes[facts.scopes[scope].parent].sort
        if facts.exprs[value] == ("n", "this") and holder in TYPES:
            return frozenset((SELF,))
        return self.values(Standpoint(path, scope, line), value)

    def constructor_types(self, value: Value, given: tuple[Values, ...]) -> tuple[Values, ...]:
        """What the type parameters of a class stand for, by what its constructor is given."""
        facts = self.facts(value[1])
        own = [at for at, each in enumerate(facts.scopes[value[2]].parameters) if each.sort == "<"] if facts else []
        found: dict[Any, Values] = {}
        for each in self.member(("inst", *value[1:3], ()), "constructor") if own else ():
            for path, scope, _ in self._fitting(each, len(given)) if each[0] == "fn" else ():
                for at, values in enumerate(given):
                    self.unified(self._wanted(path, scope, at), values, found)
        types = tuple(found.get(TypeParameter(value[1], value[2], at), NOTHING) for at in own)
        return types if any(types) else ()


def _takes(scope: CodeScope, count: int) -> bool:
    plain = [each for each in scope.parameters if each.sort != "<"]
    least = sum(1 for each in plain if each.sort == "")
    return least <= count and (count <= len(plain) or any(each.sort == "*" for each in plain))
