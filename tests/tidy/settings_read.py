"""Which settings the product reads, told from its source without running it.

A read is an attribute of an expression that is known to be a section of the configuration: `config.recall.top_k`, or
`chosen.top_k` after `chosen = self._config.current.recall`, or in a function that takes `chosen: RecallSettings`. It
counts for no setting when the same name is an attribute of something else, when it is put together at run time
(`getattr`), and when the section was made on the spot (`RecallSettings().top_k`): that is the default, whatever is set.

Types come from annotations: of parameters, of attributes in a class, of what functions return. A local variable and an
attribute that a method sets have the type of what they were given. A protocol stands for every section that has all its
attributes. Nothing is imported.
"""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Mapping

CONFIG, LIVE = "Config", "LiveConfig"
OTHER, CALLED = "~", "() "  # before a class that is not of the configuration; before what a call gives
Types = dict[str, str]  # of names: "Config", "LiveConfig", a section's class, "~Memory", "() RecallSettings"
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
Reads = dict[tuple[str, str], list[str]]  # (class of the section, setting) to the places that read it


class Module:
    """What a source holds that is looked at: imports, classes and functions, each with its parts found once."""

    def __init__(self, text: str) -> None:
        self.tree = ast.parse(text)
        self.names: Types = {}  # what imported names are: `from recollect.config import RecallSettings as Settings`
        self.classes: list[ast.ClassDef] = []
        self.functions: list[tuple[Function, str | None]] = []  # with the class of a method
        self.attributes: dict[Function | None, list[ast.Attribute]] = defaultdict(list)  # read in each
        self.assigned: dict[Function | None, list[tuple[ast.expr, ast.expr]]] = defaultdict(list)
        self.around: dict[Function, Function | None] = {}
        self._collect(self.tree, None, None)

    def _collect(self, node: ast.AST, function: Function | None, owner: str | None) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.ImportFrom):
                mark = "" if (child.module or "").startswith("recollect.config") else OTHER
                self.names.update({each.asname or each.name: mark + each.name for each in child.names})
            elif isinstance(child, ast.ClassDef):
                self.names[child.name] = OTHER + child.name
                self.classes.append(child)
                self._collect(child, function, OTHER + child.name)
                continue
            elif isinstance(child, Function):
                self.functions.append((child, owner))
                self.around[child] = function
                self._collect(child, child, owner)
                continue
            elif isinstance(child, ast.Attribute) and isinstance(child.ctx, ast.Load):
                self.attributes[function].append(child)
            elif isinstance(child, ast.Assign):
                for target in child.targets:
                    self.assigned[function] += _pairs(target, child.value)
            elif isinstance(child, ast.NamedExpr):
                self.assigned[function].append((child.target, child.value))
            self._collect(child, function, owner)


class Source:
    """The modules of a product, and which settings they read."""

    def __init__(self, texts: Mapping[str, str], settings: Mapping[str, tuple[str, frozenset[str]]]) -> None:
        """`texts` by path; `settings` are the sections by name: the class of each, and the names of its settings."""
        self._modules = {path: Module(text) for path, text in texts.items()}
        self._inside = {CONFIG: {name: kind for name, (kind, _) in settings.items()}, LIVE: {"current": CONFIG}}
        self._names = dict(settings.values())
        self._sections = {CONFIG, *self._names}
        self._attributes: dict[str, Types] = defaultdict(dict)  # by class
        self._anywhere: dict[str, set[str]] = defaultdict(set)  # what an attribute of that name is, in any class
        self._returns: Types = {}
        self._bases: dict[str, list[str]] = {}
        self._protocols: dict[str, list[str]] = {}  # the sections that each stands for
        for module in self._modules.values():
            self._declare(module)
        for module in self._modules.values():  # now that parameters have types, what methods set has one
            self._declare_set(module)
        for attributes in self._attributes.values():
            for attribute, kind in attributes.items():
                self._anywhere[attribute].add(kind)

    def reads(self) -> Reads:
        """Every read, with its place."""
        found: Reads = defaultdict(list)
        for path, module in self._modules.items():
            known: dict[Function | None, Types] = {None: self._given(module, None, {})}
            for function, owner in module.functions:
                outer = known[module.around[function]]
                known[function] = outer | self._given(module, function, outer, owner)
            for function, types in known.items():
                for each in module.attributes[function]:
                    kind = self._type(each.value, types)
                    for section in self._protocols.get(kind or "", [kind]):
                        if section in self._sections:
                            found[section, each.attr].append(f"{path}:{each.lineno}")
        return found

    def _declare(self, module: Module) -> None:
        for node in module.classes:
            declared = {
                each.target.id: each.annotation
                for each in node.body
                if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)
            }
            methods = [each for each in node.body if isinstance(each, ast.FunctionDef) and each.returns]
            declared |= {each.name: each.returns for each in methods if _is_property(each) and each.returns}
            own = OTHER + node.name
            for name, annotation in declared.items():
                self._keep(own, name, _named(annotation, module.names))
            self._bases[own] = [kind for base in node.bases if (kind := _named(base, module.names))]
            if OTHER + "Protocol" in self._bases[own] and declared:
                self._protocols[own] = [kind for kind, names in self._names.items() if declared.keys() <= names]
        for function, _ in module.functions:
            if not isinstance(function, ast.Lambda) and function.returns is not None:
                kind = _named(function.returns, module.names)
                if kind in self._sections or kind == LIVE:
                    self._returns[function.name] = kind

    def _declare_set(self, module: Module) -> None:
        for function, owner in module.functions:
            if owner is None:
                continue
            types = self._given(module, function, {}, owner)
            for target, value in module.assigned[function]:
                if isinstance(target, ast.Attribute) and getattr(target.value, "id", "") == "self":
                    self._keep(owner, target.attr, self._type(value, types))

    def _keep(self, owner: str, attribute: str, kind: str | None) -> None:
        if kind is not None and kind != OTHER + "Any":
            self._attributes[owner].setdefault(attribute, kind)

    def _given(self, module: Module, function: Function | None, outer: Types, owner: str | None = None) -> Types:
        """The types of parameters and of the variables that a function assigns; a method knows its class."""
        types: Types = {}
        if function is not None:
            every = function.args.posonlyargs + function.args.args + function.args.kwonlyargs
            types = {each.arg: kind for each in every if (kind := _named(each.annotation, module.names))}
            if owner is not None and every and every[0].arg == "self":
                types["self"] = owner
        for target, value in module.assigned[function]:
            if isinstance(target, ast.Name) and (kind := self._type(value, outer | types)):
                types.setdefault(target.id, kind)
        return types

    def _type(self, node: ast.expr, types: Types) -> str | None:
        if isinstance(node, ast.Name):
            return types.get(node.id)
        if isinstance(node, ast.BoolOp | ast.IfExp):
            parts = node.values if isinstance(node, ast.BoolOp) else [node.body, node.orelse]
            return next((kind for part in parts if (kind := self._type(part, types))), None)
        if isinstance(node, ast.Call):
            return self._called(node.func, types)
        if not isinstance(node, ast.Attribute):
            return None
        owner = self._type(node.value, types)
        if owner in self._inside:
            return self._inside[owner].get(node.attr)
        if owner in self._sections:
            return None
        if owner is not None and (kind := self._attribute(owner, node.attr)):
            return kind
        anywhere = self._anywhere.get(node.attr, set())
        return next(iter(anywhere)) if len(anywhere) == 1 else None

    def _attribute(self, owner: str, name: str) -> str | None:
        """What an attribute of a class is, or of what it inherits from."""
        for kind in (owner, *self._bases.get(owner, ())):
            if name in self._attributes.get(kind, {}):
                return self._attributes[kind][name]
            if kind != owner and (inherited := self._attribute(kind, name)):
                return inherited
        return None

    def _called(self, function: ast.expr, types: Types) -> str | None:
        kind = self._type(function, types)
        if kind is not None and kind.startswith(CALLED):
            return kind.removeprefix(CALLED)
        name = function.id if isinstance(function, ast.Name) else getattr(function, "attr", "")
        return {"load_config": CONFIG, "with_changes": CONFIG, LIVE: LIVE}.get(name) or self._returns.get(name)


def _named(annotation: ast.expr | None, names: Types) -> str | None:
    """What an annotation names: `RecallSettings`, the same in quotes or beside None, or what a callable gives."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        annotation = ast.parse(annotation.value, mode="eval").body
    if isinstance(annotation, ast.BinOp):
        return _named(annotation.left, names) or _named(annotation.right, names)
    if isinstance(annotation, ast.Subscript):
        inside = annotation.slice.elts if isinstance(annotation.slice, ast.Tuple) else []
        no_arguments = len(inside) == 2 and isinstance(inside[0], ast.List) and not inside[0].elts
        kind = _named(inside[1], names) if no_arguments else None
        return CALLED + kind if kind else None
    if isinstance(annotation, ast.Attribute):
        module = names.get(annotation.value.id, OTHER) if isinstance(annotation.value, ast.Name) else OTHER
        return annotation.attr if not module.startswith(OTHER) else OTHER + annotation.attr
    return names.get(annotation.id) if isinstance(annotation, ast.Name) else None


def _pairs(target: ast.expr, value: ast.expr) -> list[tuple[ast.expr, ast.expr]]:
    """What `a = x` and `a, b = x, y` assign."""
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
        return list(zip(target.elts, value.elts, strict=False))
    return [(target, value)]


def _is_property(node: ast.FunctionDef) -> bool:
    return any(
        isinstance(each, ast.Name) and each.id in ("property", "cached_property") for each in node.decorator_list
    )
