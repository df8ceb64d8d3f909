"""What the standard library of Rust does with types of ours: containers, wrappers, what methods of them give back."""

from __future__ import annotations

from recollect.code.resolve.values import NOTHING, Value, Values, external, one

# Names that are known in every file, as far as they matter.
PRELUDE = frozenset(
    "Option Some None Result Ok Err Vec Box String ToString ToOwned Clone Copy Send Sync Sized Drop Fn FnMut FnOnce "
    "Iterator IntoIterator Extend DoubleEndedIterator ExactSizeIterator Default PartialEq PartialOrd Eq Ord AsRef "
    "AsMut Into From TryFrom TryInto FromIterator drop std core alloc proc_macro str u8 u16 u32 u64 u128 usize i8 i16 "
    "i32 i64 i128 isize f32 f64 bool char test".split()
)
MANY = frozenset(
    "Vec VecDeque HashSet BTreeSet BinaryHeap LinkedList Iterator IntoIterator DoubleEndedIterator ExactSizeIterator "
    "Stream Drain IntoIter Iter IterMut SmallVec IndexSet".split()
)
MAPS = frozenset("HashMap BTreeMap IndexMap".split())
WAITED = frozenset("Future BoxFuture LocalBoxFuture IntoFuture".split())
# A method that these do not have is a method of what is in them.
THROUGH = frozenset(
    "Box Rc Arc Pin Ref RefMut MutexGuard RwLockReadGuard RwLockWriteGuard MappedMutexGuard Cow ManuallyDrop Lazy "
    "LazyLock LazyCell AssertUnwindSafe CachePadded".split()
)
_OWN = frozenset("clone borrow borrow_mut lock read write with get set load store swap into_inner".split())
_TRANSPARENT_CALLS = frozenset(
    "as_ref as_mut as_deref as_deref_mut get_mut get_ref get_unchecked_mut get_unchecked project project_ref "
    "into_inner to_owned clone borrow borrow_mut by_ref deref deref_mut into_ref map_unchecked_mut as_ptr as_mut_ptr "
    "leak make_mut into_boxed_slice get_or_insert_default".split()
)
_INNER = frozenset(
    "unwrap expect unwrap_or unwrap_or_else unwrap_or_default unwrap_unchecked insert get_or_insert "
    "get_or_insert_with map_or_default into_ok".split()
)
_SAME_WRAPPER = frozenset(
    "as_ref as_mut as_deref as_deref_mut take cloned copied filter or or_else clone map_err inspect inspect_err "
    "replace ok_or ok_or_else ok xor".split()
)
_GUARDS = frozenset("lock read write try_lock try_read try_write borrow borrow_mut try_borrow try_borrow_mut".split())
_GUARD_TYPES = frozenset("Ref RefMut MutexGuard RwLockReadGuard RwLockWriteGuard".split())
_LOCKS = frozenset("Mutex RwLock RefCell OnceCell OnceLock Cell UnsafeCell".split())
_HELD = frozenset("get get_mut into_inner get_or_init take replace with_mut".split())
_ITEM = frozenset(
    "next next_back pop pop_front pop_back first last first_mut last_mut front back front_mut back_mut get get_mut "
    "nth min max peek find remove swap_remove min_by_key max_by_key".split()
)
_ITEMS_AGAIN = frozenset(
    "iter iter_mut into_iter drain rev skip take filter peekable cloned copied chain clone to_vec into_boxed_slice "
    "skip_while take_while step_by as_slice as_mut_slice by_ref collect split_off windows chunks fuse inspect".split()
)
_SPLIT = frozenset("values values_mut into_values".split())


def of_library(value: Value, name: str) -> Values | None:
    """A method of a value whose type is the library's, as what calling it gives; None if the inside is asked."""
    kind = value[0]
    if kind == "seq":
        return _of_many(value[2], name)
    if kind == "map":
        return _of_map(value, name)
    if kind != "std":
        return external(f"{kind}.{name}")
    word, args = value[1], value[2]
    first: Values = args[0] if args else NOTHING
    if word in ("Option", "Result", "Poll"):
        return _of_choice(value, first, name)
    if word == "NonNull":
        given = first if name in ("as_ref", "as_mut", "read") else frozenset((value,))
        return one("call", given) if name in ("as_ref", "as_mut", "read", "as_ptr", "clone") else external(name)
    if word in _LOCKS:
        if name in _GUARDS:
            return one("call", one("std", "Ref" if word == "RefCell" else "MutexGuard", (first,)))
        return one("call", first) if name in _HELD else external(f"{word}.{name}")
    return _of_wrapper(value, first, name) if word in THROUGH or word == "Weak" else external(f"{word}.{name}")


def _of_choice(value: Value, first: Values, name: str) -> Values:
    """What methods of `Option`, `Result` and `Poll` give."""
    if name in _INNER:
        return one("call", first)
    if name in ("iter", "iter_mut", "into_iter"):
        return one("call", one("seq", "list", first))
    if name == "err" and len(value[2]) > 1:
        return one("call", one("std", "Option", (value[2][1],)))
    return one("call", frozenset((value,))) if name in _SAME_WRAPPER else external(f"{value[1]}.{name}")


def _of_wrapper(value: Value, first: Values, name: str) -> Values | None:
    """What methods of a pointer or a guard give; None for methods of what it leads to."""
    word = value[1]
    if word in ("Arc", "Rc", "Weak") and name in ("clone", "upgrade", "downgrade"):
        return one("call", one("std", "Option", (first,)) if name == "upgrade" else frozenset((value,)))
    if word == "Weak":
        return external(f"{word}.{name}")
    if word in _GUARD_TYPES and name in ("unwrap", "expect"):  # a lock may be poisoned
        return one("call", frozenset((value,)))
    return one("call", frozenset((value,))) if name in _TRANSPARENT_CALLS - _OWN else None


def _of_many(items: Values, name: str) -> Values:
    many = one("seq", "list", items)
    if name in _ITEM:
        return one("call", one("std", "Option", (items,)))
    if name == "enumerate":
        return one("call", one("seq", "list", one("tup", (one("lit", "usize"), items))))
    return one("call", many) if name in _ITEMS_AGAIN else external(f"many.{name}")


def _of_map(value: Value, name: str) -> Values:
    keys, items = value[1], value[2]
    if name in ("get", "get_mut", "remove", "insert"):
        return one("call", one("std", "Option", (items,)))
    if name in _SPLIT:
        return one("call", one("seq", "list", items))
    if name in ("keys", "into_keys"):
        return one("call", one("seq", "list", keys))
    if name in ("iter", "iter_mut", "into_iter", "drain"):
        return one("call", one("seq", "list", one("tup", (keys, items))))
    return external(f"map.{name}")


def typed_by_library(name: str, args: tuple[Values, ...]) -> Values:
    """A value of a type from outside, by its last name."""
    first: Values = args[0] if args else NOTHING
    if name in MANY:
        return one("seq", "list", first)
    if name in MAPS and len(args) > 1:
        return one("map", args[0], args[1])
    if name in WAITED:
        return one("aw", first)
    return one("std", name, args)


def inner_of(value: Value) -> Values:
    """What `?`, or a pattern like `Some(x)`, takes out of a value."""
    if value[0] == "std" and value[1] in ("Option", "Result", "Poll"):
        return value[2][0] if value[2] else NOTHING
    if value[0] == "std" and value[1] in _GUARD_TYPES:
        return frozenset((value,))
    return external("inner") if value[0] in ("ext", "lit") else NOTHING


def contained(value: Value) -> Values:
    """What a wrapper that is not seen holds."""
    if value[0] == "std" and value[1] in THROUGH and value[2]:
        return value[2][0]  # type: ignore[no-any-return]
    return NOTHING


def made_by(name: str, given: Values) -> Values:
    """What is made by a function of the library that wraps what it is given."""
    if name in ("Some", "Option.Some"):
        return one("std", "Option", (given,))
    if name in ("Ok", "Result.Ok"):
        return one("std", "Result", (given, NOTHING))
    if name in ("Ready", "Poll.Ready"):
        return one("std", "Poll", (given,))
    owner, _, last = name.rpartition(".")
    wrapper = owner.rpartition(".")[2]
    if last in ("new", "pin", "from", "new_unchecked", "clone", "new_cyclic") and wrapper in THROUGH | _LOCKS:
        if last == "clone":
            return given
        if last == "pin":
            return one("std", "Pin", (given,))
        return one("std", wrapper, (given,))
    if last in ("take", "replace", "black_box", "identity"):
        return given
    return external(f"{name}()")
