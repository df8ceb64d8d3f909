"""Where the master key of a vault is kept, and how it is found there: one row of a table for each place."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from recollect.errors import MissingExtra, StoreLocked, UsageError, shown
from recollect.security import passphrase
from recollect.security.header import KeyNote, KeyPlace, VaultHeader
from recollect.security.keys import KEY_BYTES, MasterKey
from recollect.security.passphrase import Cost, check_passphrase, sealed_with
from recollect.security.wiping import wipe_file
from recollect.store.place import sync_folder

KEY_VARIABLE = "RECOLLECT_KEY"
SERVICE = "recollect-vault"  # what the operating system's keyring shows
NEXT = ".next"  # beside a key file, while its key is being changed
_FILE_BYTES_MAX = 4096
_WRONG = "the key {where} is not the key of this store; nothing was changed"


class KeyWish(NamedTuple):
    """Which key a new vault is to have, and where it is to be kept."""

    kept: KeyPlace
    place: str | None = None
    passphrase: str | None = None
    master: MasterKey | None = None  # one that the caller has; a new one otherwise


def wished(key: bytes | str | None, keep: str | None) -> KeyWish:
    """What `key=` and `keep=` ask for: a text is a passphrase, 32 bytes a master key; neither makes a new one.

    `keep` is `keyring`, `passphrase`, `file:PATH` or `env:NAME`. With none, the caller of `key=` keeps the key.
    """
    if (isinstance(key, bytes) and len(key) != KEY_BYTES) or not isinstance(key, bytes | str | None):
        raise UsageError(f"key= takes {KEY_BYTES} random bytes or a passphrase as text, nothing else")
    if isinstance(key, str):
        if keep not in (None, KeyPlace.PASSPHRASE.value):
            raise UsageError("a passphrase is kept nowhere; leave out keep=, or give a key of 32 bytes")
        return KeyWish(KeyPlace.PASSPHRASE, passphrase=check_passphrase(key))
    master = None if key is None else MasterKey(key)
    if keep is None:
        if master is None:
            raise UsageError("say where the key is to be kept: keep='keyring', 'file:PATH' or 'env:NAME'; or give key=")
        return KeyWish(KeyPlace.CALLER, master=master)
    kind, colon, place = str(keep).partition(":")
    if kind == KeyPlace.KEYRING and not colon:
        return KeyWish(KeyPlace.KEYRING, master=master)
    if kind == KeyPlace.FILE and place:
        return KeyWish(KeyPlace.FILE, place=str(Path(place).expanduser().absolute()), master=master)
    if kind == KeyPlace.ENVIRONMENT:
        return KeyWish(KeyPlace.ENVIRONMENT, place=place or KEY_VARIABLE, master=master)
    if kind == KeyPlace.PASSPHRASE:
        raise UsageError("a key under a passphrase needs the passphrase: give it as key=")
    raise UsageError(f"keep= takes keyring, file:PATH or env:NAME, not {shown(keep, 40)}")


def made(wish: KeyWish, header: VaultHeader, environ: Mapping[str, str] = os.environ) -> tuple[MasterKey, KeyNote]:
    """The key that was wished for, and what is to be noted about it. Nothing is kept yet."""
    master = wish.master or MasterKey.new()
    if wish.kept is KeyPlace.ENVIRONMENT:
        assert wish.place is not None
        master = _from_environment(wish.place, environ)
        if wish.master is not None and wish.master.check != master.check:
            raise UsageError(f"the key given is not the one in ${wish.place}; nothing was changed")
    ours = True
    in_use = header.key is not None and header.key.place == wish.place
    if wish.kept is KeyPlace.FILE and wish.place is not None and os.path.exists(wish.place) and not in_use:
        master, ours = read_key_file(wish.place), False  # somebody prepared it for this store
    sealed = None
    if wish.kept is KeyPlace.PASSPHRASE:
        assert wish.passphrase is not None
        sealed = sealed_with(wish.passphrase, master, header.about, passphrase.COST)
    place = wish.place if wish.kept in (KeyPlace.FILE, KeyPlace.ENVIRONMENT) else None
    return master, KeyNote(kept=wish.kept, check=master.check, place=place, ours=ours, sealed=sealed)


def keep(header: VaultHeader, note: KeyNote, master: MasterKey) -> None:
    """Put the key in its place, beside the one that may be there still. `settle` makes it the only one."""
    if note.ours and (own := _PLACES.get(note.kept)) is not None:
        own.keep(header, note, master)


def settle(header: VaultHeader, note: KeyNote | None, gone: KeyNote | None) -> None:
    """After a change: the key that holds now is in its own place, the one before it nowhere."""
    if note is None or gone is None or gone.check != note.check:
        forget(header, gone)
    if note is not None and note.kept is KeyPlace.FILE:
        _settle_file(note)


def forget(header: VaultHeader, note: KeyNote | None) -> None:
    """Take a key out of its place; one that is not there is none to forget."""
    if note is not None and note.ours and note.kept in _PLACES:
        _PLACES[note.kept].forget(header, note)


def found(header: VaultHeader, note: KeyNote, environ: Mapping[str, str] = os.environ) -> MasterKey:
    """The key from the place that is noted. `StoreLocked` says why it cannot be had, and what to do."""
    if note.kept is KeyPlace.ENVIRONMENT:
        assert note.place is not None
        return checked(_from_environment(note.place, environ), note, f"in ${note.place}")
    own = _PLACES.get(note.kept)
    if own is not None:
        return own.find(header, note)
    if note.kept is KeyPlace.PASSPHRASE:
        raise StoreLocked(
            "the store is locked under a passphrase: give it as key=, or run `recollect vault unlock` first"
        )
    raise StoreLocked("the store is locked with a key that its owner keeps: give it as key=")


def given(header: VaultHeader, note: KeyNote, key: bytes | str) -> MasterKey:
    """The master key from what a caller gave: the key itself, or the passphrase that opens it."""
    if isinstance(key, bytes):
        if len(key) != KEY_BYTES:
            raise UsageError(f"key= takes {KEY_BYTES} random bytes or a passphrase as text, nothing else")
        return checked(MasterKey(key), note, "given")
    if not isinstance(key, str):
        raise UsageError(f"key= takes {KEY_BYTES} random bytes or a passphrase as text, nothing else")
    if note.sealed is None:
        raise StoreLocked(f"no passphrase opens this store, its key is kept elsewhere ({note.kept}): leave out key=")
    return checked(note.sealed.opened(check_passphrase(key), header.about), note, "under this passphrase")


def checked(master: MasterKey, note: KeyNote, where: str) -> MasterKey:
    """The same key, if it is the one that was noted."""
    if master.check != note.check:
        raise StoreLocked(_WRONG.format(where=where))
    return master


def resealed(header: VaultHeader, note: KeyNote, phrase: str, master: MasterKey, cost: Cost) -> KeyNote | None:
    """The note with the key sealed anew where a guess costs less than it should by now; None where all is well."""
    if note.sealed is None or not note.sealed.cost.below(cost):
        return None
    raised = note.sealed.cost.raised_to(cost)
    return KeyNote(kept=note.kept, check=note.check, sealed=sealed_with(phrase, master, header.about, raised))


# --- the environment -------------------------------------------------------------------------------------------------


def _from_environment(name: str, environ: Mapping[str, str]) -> MasterKey:
    written = environ.get(name)
    if not written:
        raise StoreLocked(
            f"the key of this store is expected in ${name}, which is not set: set it to 64 hex digits "
            "(`openssl rand -hex 32` makes some for a new store)"
        )
    try:
        return MasterKey.from_hex(written, f"${name}")
    except UsageError as error:
        raise StoreLocked(error.message) from None


# --- a file ----------------------------------------------------------------------------------------------------------


def _find_file(header: VaultHeader, note: KeyNote) -> MasterKey:
    assert note.place is not None
    first: StoreLocked | None = None
    for path in (note.place, note.place + NEXT):  # the second while a change of key is not over
        try:
            return checked(read_key_file(path), note, f"in {path}")
        except StoreLocked as error:
            first = first or error
    assert first is not None
    raise first


def read_key_file(path: str) -> MasterKey:
    """The key in a file: 32 bytes, or their hex. A file that others can read is refused."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
    except OSError as error:
        raise StoreLocked(f"cannot read the key file {path}: {error.strerror}") from None
    about = os.fstat(descriptor)
    if not stat.S_ISREG(about.st_mode):
        os.close(descriptor)
        raise StoreLocked(f"the key file {path} is not a file")
    with os.fdopen(descriptor, "rb") as file:
        if os.name == "posix" and (about.st_mode & 0o077 or about.st_uid not in (os.geteuid(), 0)):
            raise StoreLocked(f"others can read the key file {path}, so it is not used: chmod 600 {path}")
        raw = file.read(_FILE_BYTES_MAX)
    if len(raw) == KEY_BYTES:
        return MasterKey(raw)
    try:
        return MasterKey.from_hex(raw.decode("ascii", "replace"), path)
    except UsageError as error:
        raise StoreLocked(error.message) from None


def _keep_file(header: VaultHeader, note: KeyNote, master: MasterKey) -> None:
    """A new key never takes the place of another before the store has changed to it."""
    assert note.place is not None
    path = Path(note.place + NEXT if os.path.exists(note.place) else note.place)
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(master.raw().hex().encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        sync_folder(path.parent)
    except OSError as error:
        raise StoreLocked(f"cannot write the key file {path}: {error.strerror}; nothing was changed") from None


def _settle_file(note: KeyNote) -> None:
    assert note.place is not None
    path, coming = Path(note.place), Path(note.place + NEXT)
    if coming.exists():
        wipe_file(path)
        os.replace(coming, path)
        sync_folder(path.parent)


def _forget_file(header: VaultHeader, note: KeyNote) -> None:
    assert note.place is not None
    for path in (note.place, note.place + NEXT):
        with suppress(StoreLocked):
            if read_key_file(path).check == note.check:
                wipe_file(Path(path))


# --- the keyring of the operating system -----------------------------------------------------------------------------


def _keyring() -> Any:
    try:
        import keyring
    except ImportError:
        raise MissingExtra("the operating system's keyring needs: pip install 'recollect[vault]'") from None
    return keyring


def keyring_name() -> str:
    """Which keyring is in use, as its library calls it."""
    backend = _keyring().get_keyring()
    return f"{type(backend).__module__}.{type(backend).__name__}"


def _account(header: VaultHeader, note: KeyNote) -> str:
    """Two keys of one vault are told apart: while one takes the place of the other, both are there."""
    return f"{header.id}/{note.check}"


def _asked_of_keyring(call: Callable[[Any], Any]) -> Any:
    library = _keyring()
    try:
        return call(library)
    except Exception as error:  # each system's keyring has errors of its own beside those of the library
        raise StoreLocked(
            f"the keyring of this system does not answer ({type(error).__name__}): unlock it or install one, or keep "
            "the key elsewhere (keep='file:PATH', 'env:NAME', or a passphrase). Nothing was changed"
        ) from None


def _find_in_keyring(header: VaultHeader, note: KeyNote) -> MasterKey:
    written = _asked_of_keyring(lambda ring: ring.get_password(SERVICE, _account(header, note)))
    if written is None:
        raise StoreLocked(
            f"the keyring of this system ({keyring_name()}) does not hold the key of this store: open it on the "
            "machine and as the user it was made with, or give the exported key as key="
        )
    try:
        return checked(MasterKey.from_hex(written, "the keyring"), note, "in the keyring")
    except UsageError as error:
        raise StoreLocked(error.message) from None


def _keep_in_keyring(header: VaultHeader, note: KeyNote, master: MasterKey) -> None:
    _asked_of_keyring(lambda ring: ring.set_password(SERVICE, _account(header, note), master.raw().hex()))
    _find_in_keyring(header, note)  # one that forgets, such as keyring's null backend, must be noticed now


def _forget_in_keyring(header: VaultHeader, note: KeyNote) -> None:
    with suppress(StoreLocked):
        if _asked_of_keyring(lambda ring: ring.get_password(SERVICE, _account(header, note))) is not None:
            _asked_of_keyring(lambda ring: ring.delete_password(SERVICE, _account(header, note)))


class _Place(NamedTuple):
    find: Callable[[VaultHeader, KeyNote], MasterKey]
    keep: Callable[[VaultHeader, KeyNote, MasterKey], None]
    forget: Callable[[VaultHeader, KeyNote], None]


_PLACES: dict[KeyPlace, _Place] = {
    KeyPlace.KEYRING: _Place(_find_in_keyring, _keep_in_keyring, _forget_in_keyring),
    KeyPlace.FILE: _Place(_find_file, _keep_file, _forget_file),
}
OPENS_BY_ITSELF = frozenset((*_PLACES, KeyPlace.ENVIRONMENT))  # of keys in other places somebody is asked
