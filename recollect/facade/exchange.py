"""Verbs by which memories leave the store and come into it, and by which a person is forgotten."""

from __future__ import annotations

from typing import Any, Unpack

from recollect.facade import arguments
from recollect.facade.arguments import ScopeArgs
from recollect.facade.handle import Handle
from recollect.ingest import check
from recollect.model.result import Report
from recollect.model.scope import GLOBAL, Reach


class ExchangeVerbs(Handle):
    """Export, import, erase a person."""

    def export(
        self,
        path: Any,
        *,
        passphrase: str | None = None,
        format: str = "jsonl",
        vectors: bool = False,
        overwrite: bool = False,
        plain: bool = False,
        **scope: Unpack[ScopeArgs],
    ) -> Report:
        """Write everything into one file: lossless lines to import again, or a document to read.

        The owner exports the whole store, or what lies inside a scope; a scoped handle what belongs to its scope.

        Args:
            path: The file to write, - for stdout. In Python also a binary file object.
            passphrase: Seal the file; without it nothing in it can be read.
            format: jsonl, lossless; or markdown, for people.
            vectors: Whether the vectors go out too; they can be made again from the texts.
            overwrite: Replace a file that is no export.
            plain: Without a passphrase anybody can read the file. The shell asks, and the server refuses, unless this
                says that it is meant; in Python the call says so.
        """
        arguments.truth(plain, "plain")
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
        report = self._engine.exchange.import_(
            path,
            scope=self._in(scope),
            owner=self._owner,
            format=format,
            passphrase=passphrase,
            dry_run=arguments.truth(dry_run, "dry_run"),
            trusted=trusted,
            actor=self._writer(),
        )
        if not dry_run:
            self._engine.worker.poke()  # vectors are made, and texts read, in the background
        return report

    def erase_user(self, user_id: str, *, dry_run: bool = False) -> Report:
        """Erase every trace of a person, for good: what is stored for them in any scope, and all that was made of it.

        Args:
            user_id: The person.
            dry_run: Only say what would go.
        """
        self._owner_only("erasing a person")
        who, only_told = check.name(user_id, "user_id"), arguments.truth(dry_run, "dry_run")
        self._opened.audit.flush()  # what waits to be noted may name them
        report = self._engine.erasure.erase_user(who, dry_run=only_told, actor=self._writer())
        if not only_told:
            self._opened.audit.forget_person(who)
        return report
