"""Verbs by which memories leave the store and come into it, and by which a person is forgotten."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

from recollect.facade import arguments
from recollect.facade.arguments import ScopeArgs
from recollect.facade.handle import Handle
from recollect.ingest import check
from recollect.model.backup import BackupKind
from recollect.model.result import Report
from recollect.model.scope import GLOBAL, Reach

if TYPE_CHECKING:
    from recollect.store.erase import Whom


class ExchangeVerbs(Handle):
    """Export, import, erase."""

    def export(
        self,
        path: Any,
        *,
        passphrase: str | None = None,
        format: str = "jsonl",
        vectors: bool = False,
        overwrite: bool = False,
        plain: bool = False,
        include_sealed: bool = False,
        **scope: Unpack[ScopeArgs],
    ) -> Report:
        """Write everything into one file: lossless lines to import again, or a document to read.

        The owner exports the whole store, or what lies inside a scope; a scoped handle what belongs to its scope.

        Args:
            path: The file to write, - for stdout. In Python also a binary file object.
            passphrase: Seal the file; without it nothing in it can be read.
            format: jsonl, lossless; or markdown, for people.
            vectors: Whether the vectors go out too, for the owner; they can be made again from the texts.
            overwrite: Replace a file that is no export.
            plain: Without a passphrase anybody can read the file. The shell asks, and the server refuses, unless this
                says that it is meant; in Python the call says so.
            include_sealed: With a passphrase: what is sealed of sensitive and confidential records goes out, too.
        """
        arguments.truth(plain, "plain")
        if include_sealed:
            self._owner_only("what is sealed")
        if arguments.truth(vectors, "vectors"):
            self._owner_only("export with vectors")
        where = self._in(scope)
        self._engine.access.flush()  # how often records were used belongs to what is known of them
        return self._engine.exchange.export(
            path,
            scope=None if self._owner and where == GLOBAL else where,
            reach=Reach.INSIDE if self._owner else Reach.OWN,
            format=format,
            passphrase=passphrase,
            vectors=arguments.truth(vectors, "vectors"),
            overwrite=arguments.truth(overwrite, "overwrite"),
            owner=self._owner,
            actor=self._writer(),
            sealed_too=arguments.truth(include_sealed, "include_sealed"),
        )

    def import_(
        self,
        path: Any,
        *,
        passphrase: str | None = None,
        format: str | None = None,
        dry_run: bool = False,
        trusted: bool = False,
        **scope: Unpack[ScopeArgs],
    ) -> Report:
        """Take in an export: of this program, of another, a chat archive, or a store of another design.

        Other programs are mem0, Zep, Graphiti and the reference memory server (memory.jsonl); other designs a folder
        that RFC-014's code saved, and a database with SPEC-02's schema.
        What is there already is left alone, so a file may be imported again. With a scope, everything lands inside it.
        An export that you signed is restored as it was; any other file is believed as far as anybody's word is.

        Args:
            path: The file or folder to read, - for stdin. In Python also a binary file object.
            passphrase: Of a sealed file.
            format: jsonl, mem0, graphiti, reference, chat, topology or hypergraph; by default told from the file.
            dry_run: Only say what would be stored.
            trusted: Take the file at its word, as a backup of your own. One that you exported here needs no such word.
        """
        if arguments.truth(trusted, "trusted"):
            self._owner_only("taking a file at its word")
        only_told = arguments.truth(dry_run, "dry_run")
        word = None if only_told else self._engine.backups.before(BackupKind.IMPORT)
        report = self._engine.exchange.import_(
            path,
            scope=self._in(scope),
            owner=self._owner,
            format=format,
            passphrase=passphrase,
            dry_run=only_told,
            trusted=trusted,
            actor=self._writer(),
        )
        if not dry_run:
            self._engine.worker.poke()  # vectors are made, and texts read, in the background
        return report if word is None else replace(report, warnings=(*report.warnings, word))

    def erase_user(self, user_id: str, *, dry_run: bool = False) -> Report:
        """Erase every trace of a person, for good: what is stored for them in any scope, and all that was made of it.

        Args:
            user_id: The person.
            dry_run: Only say what would go.
        """
        self._owner_only("erasing a person")
        from recollect.store.erase import Whom

        who, only_told = check.name(user_id, "user_id"), arguments.truth(dry_run, "dry_run")
        return self._erased(Whom(user_id=who), dry_run=only_told, verb="erase_user")

    def erase(
        self,
        *,
        user_id: str | None = None,
        channel: str | None = None,
        session_id: str | None = None,
        dry_run: bool = False,
    ) -> Report:
        """Erase a person, a channel or a session for good: what is stored there, and all that was made of it.

        What several of them have in common, where several are named. `report` in the answer is signed and names nobody:
        keep it as the proof, `erasure_verify` checks it. The warnings name exports that hold what was erased.

        Args:
            user_id: The person.
            channel: The channel.
            session_id: The session.
            dry_run: Only say what would go.
        """
        self._owner_only("erasing")
        whom = _whom(user_id, channel, session_id)
        return self._erased(whom, dry_run=arguments.truth(dry_run, "dry_run"), verb="erase")

    def _erased(self, whom: Whom, *, dry_run: bool, verb: str) -> Report:
        if not dry_run:
            self._opened.audit.flush()  # what waits to be noted may name them
        return self._engine.erasure.erase(whom, dry_run=dry_run, actor=self._writer(), verb=verb)

    def erasure_verify(
        self, report: Any, *, user_id: str | None = None, channel: str | None = None, session_id: str | None = None
    ) -> Report:
        """Whether the report of an erasure is your own, and as it was made.

        Args:
            report: The report: a file with the answer of erase as JSON. In Python also the answer itself.
            user_id: Whether it is about this person.
            channel: Whether it is about this channel.
            session_id: Whether it is about this session.
        """
        self._owner_only("checking a report")
        return self._engine.erasure.verify(report, _whom(user_id, channel, session_id))


def _whom(user_id: str | None, channel: str | None, session_id: str | None) -> Whom:
    from recollect.store.erase import Whom

    named = {"user_id": user_id, "channel": channel, "session_id": session_id}
    return Whom(**{name: check.name(value, name) for name, value in named.items() if value is not None})
