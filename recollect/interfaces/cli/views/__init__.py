"""Answers drawn for people. A view takes plain data, as JSON would show it, and gives something to print."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import RenderableType

FOLDED, FULL, SHORT = "folded", "full", "short"  # how long texts look

# The view of each sort of answer, module.function, imported when there is something to draw.
_LISTS = {  # these can be long, and take how long texts look
    "Recollection": "records.recollection",
    "HybridQuery": "records.hybrid",
    "Page": "records.page",
    "Neighbourhood": "records.neighbourhood",
    "list[HistoryEntry]": "records.history",
    "list[Operation]": "records.operations",
}
_VIEWS = {
    "Receipt": "records.receipt",
    "Record": "records.record",
    "str": "records.edge",
    "ContextWindow": "knowledge.context_window",
    "Timeline": "knowledge.timeline",
    "EntityProfile": "knowledge.profile",
    "list[Entity]": "knowledge.entities",
    "ConceptGraph": "knowledge.concept_graph",
    "Explanation": "knowledge.explanation",
    "list[FadingRecord]": "knowledge.fading",
    "list[Waiting]": "knowledge.waiting",
    "list[Question]": "knowledge.questions",
    "Assessment": "knowledge.assessment",
    "KnowledgeMap": "knowledge.knowledge_map",
    "TimePage": "knowledge.page",
    "Reasoning": "knowledge.reasoning",
    "list[Finding]": "reports.findings",
    "Report": "reports.report",
    "RunReport": "reports.run_report",
    "Settings": "reports.settings",
    "Setting": "reports.setting",
    "SettingChanged": "reports.setting_changed",
    "Models": "reports.models",
    "Model": "reports.model",
    "Providers": "reports.providers",
    "Setup": "reports.setup",
    "Bench": "reports.bench",
    "Backup": "backups.backup",
    "list[Backup]": "backups.backups",
    "RestoreReport": "backups.restore",
    "RescueReport": "backups.rescue",
    "MoveReport": "reports.move",
    "NewToken": "reports.new_token",
    "Tokens": "reports.tokens",
    "list[AuditEntry]": "vault.audit",
    "AuditReport": "vault.audit_report",
    "CodeAnswer": "code.answer",
    "CodeMap": "code.project_map",
    "CodeNotes": "code.notes",
    "PairedFiles": "code.paired",
    "HooksStatus": "agents.status",
    "list[AgentSession]": "agents.sessions",
    "SessionBrief": "agents.brief",
    "Meter": "agents.meter",
    "SessionEnd": "agents.end",
    "Coverage": "agents.coverage",
    "VaultStatus": "vault.status",
    "VaultKey": "vault.key",
    "VaultSecret": "vault.secret",
    "Imported": "reports.imported",
    "Exported": "reports.exported",
    "Settled": "reports.settled",
    "Erased": "reports.erased",
    "Completion": "reports.completion",
    "Path": "reports.path",
    "SupportBundle": "reports.support_bundle",
}


def draw(sort: str, data: Any, look: str = FOLDED) -> RenderableType:
    """The drawing for a sort of answer; figures for a sort that has no view. `look`: how long texts are shown."""
    name = sort.removesuffix(" | None")
    if name in _LISTS:
        return _view(_LISTS[name])(data, look)
    return _view(_VIEWS.get(name, _VIEWS["Report"]))(data)


def _view(place: str) -> Callable[..., RenderableType]:
    module, _, function = place.partition(".")
    found: Callable[..., RenderableType] = getattr(import_module(f"{__name__}.{module}"), function)
    return found
