"""The configuration as one value, and how raw input becomes it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field, fields
from functools import cache
from typing import Any, NamedTuple

from recollect.config.coding import CodeGraphSettings
from recollect.config.guarding import AuditSettings, SandboxSettings, SecuritySettings, ServeSettings, TelemetrySettings
from recollect.config.keeping import (
    AbstractionSettings,
    BusSettings,
    DecaySettings,
    DomainsSettings,
    GraphSettings,
    ReaderSettings,
    ReplaySettings,
    TrustSettings,
    UpkeepSettings,
)
from recollect.config.observing import ObserveSettings
from recollect.config.reading import (
    ExpandSettings,
    IntentSettings,
    PhasesSettings,
    RankingSettings,
    RecallSettings,
    TimeSettings,
)
from recollect.config.removed import is_removed, told
from recollect.config.section import SettingsSection, setting, settings_of, text
from recollect.config.setting import CLAMP, FrozenTable, RefusedError, Setting, plain, shown
from recollect.config.storage import (
    BackupSettings,
    EmbeddingSettings,
    IndexSettings,
    JobsSettings,
    RamSettings,
    StoreSettings,
)
from recollect.config.window import ContextSettings, ModelsSettings, ReasonSettings, WorkingSettings
from recollect.config.writing import AffectSettings, EntitySettings, IngestSettings, PerceiveSettings, StructureSettings
from recollect.errors import ConfigInvalid

# What the settings of a group may sum to; a group over it goes back to its defaults.
GROUP_TOTALS = {"context.window": 0.95, "trust.composite": 1.0, "recall.use": 1.0}
ROUNDING = 1e-9  # 0.35 + 0.25 + 0.20 + 0.20 is not exactly 1.0


class Given(NamedTuple):
    """A value as somebody wrote it, and where."""

    value: Any
    source: str


class Config(SettingsSection):
    """Every tunable of Recollect, checked. Build it with `load_config`, change it with `with_changes`."""

    db: str = text("~/.recollect/memory.db", "Path of the store, or `:memory:`", live=False)
    user: str | None = text(None, "User whom commands of the shell are for when none is named", live=False)
    project: str | None = text(None, "Project that commands of the shell belong to when none is named", live=False)
    embedder: str = text("minilm", "Model that turns texts into vectors, as `prefix:model`", live=False)
    llm: str | None = text(None, "Language model as `provider:model` or `provider:model@address`", live=False)
    llm_url: str | None = text(None, "Address of the language model's server, where its name has none", live=False)
    llm_key: str | None = text(
        None, "Key of the language model, if it is not in the provider's own variable", live=False, secret=True
    )
    llm_timeout_s: float = setting(60.0, 0.1, 3600, "How long to wait for an answer of the language model", live=False)

    store: StoreSettings = field(default_factory=StoreSettings)
    backups: BackupSettings = field(default_factory=BackupSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    ram: RamSettings = field(default_factory=RamSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    jobs: JobsSettings = field(default_factory=JobsSettings)
    ingest: IngestSettings = field(default_factory=IngestSettings)
    perceive: PerceiveSettings = field(default_factory=PerceiveSettings)
    structure: StructureSettings = field(default_factory=StructureSettings)
    entity: EntitySettings = field(default_factory=EntitySettings)
    affect: AffectSettings = field(default_factory=AffectSettings)
    recall: RecallSettings = field(default_factory=RecallSettings)
    ranking: RankingSettings = field(default_factory=RankingSettings)
    expand: ExpandSettings = field(default_factory=ExpandSettings)
    intent: IntentSettings = field(default_factory=IntentSettings)
    phases: PhasesSettings = field(default_factory=PhasesSettings)
    time: TimeSettings = field(default_factory=TimeSettings)
    trust: TrustSettings = field(default_factory=TrustSettings)
    graph: GraphSettings = field(default_factory=GraphSettings)
    bus: BusSettings = field(default_factory=BusSettings)
    context: ContextSettings = field(default_factory=ContextSettings)
    models: ModelsSettings = field(default_factory=ModelsSettings)
    working: WorkingSettings = field(default_factory=WorkingSettings)
    reason: ReasonSettings = field(default_factory=ReasonSettings)
    upkeep: UpkeepSettings = field(default_factory=UpkeepSettings)
    reader: ReaderSettings = field(default_factory=ReaderSettings)
    decay: DecaySettings = field(default_factory=DecaySettings)
    replay: ReplaySettings = field(default_factory=ReplaySettings)
    abstraction: AbstractionSettings = field(default_factory=AbstractionSettings)
    domains: DomainsSettings = field(default_factory=DomainsSettings)
    security: SecuritySettings = field(default_factory=SecuritySettings)
    audit: AuditSettings = field(default_factory=AuditSettings)
    telemetry: TelemetrySettings = field(default_factory=TelemetrySettings)
    observe: ObserveSettings = field(default_factory=ObserveSettings)
    codegraph: CodeGraphSettings = field(default_factory=CodeGraphSettings)
    sandbox: SandboxSettings = field(default_factory=SandboxSettings)
    serve: ServeSettings = field(default_factory=ServeSettings)

    warnings: tuple[str, ...] = ()  # what was clamped, reset or ignored
    ignored: tuple[str, ...] = ()  # of these, variables that only look like settings
    given: Mapping[str, Given] = field(default_factory=dict, repr=False)  # what was asked for, by key; secrets too

    def __init__(self, **values: Any) -> None:
        for name, section in sections().items():
            inside = values.pop(name) if name in values else section()
            if not isinstance(inside, section):
                raise ConfigInvalid(f"{name} must be a {section.__name__}, not {shown(inside)}")
            self.__dict__[name] = inside
        for name in ("warnings", "ignored"):
            self.__dict__[name] = tuple(values.pop(name, ()))
        given = values.pop("given", None)
        super().__init__(**values)
        self.__dict__["given"] = self._departures() if given is None else given

    def __eq__(self, other: object) -> bool:
        """Equal settings; where they came from does not matter."""
        return isinstance(other, Config) and all(self.value(key) == other.value(key) for key in declared())

    def __hash__(self) -> int:
        return hash(tuple(self.value(key) for key in declared()))

    def value(self, key: str) -> Any:
        """The value of a dotted key, such as `recall.rrf_k`."""
        require(key)
        section, _, name = key.rpartition(".")
        return getattr(getattr(self, section) if section else self, name)

    def origin(self, key: str) -> str:
        """Where a value comes from: "default", "file …", "environment …" or "argument"."""
        require(key)
        given = self.given.get(key)
        if given is None or self.value(key) == declared()[key].default != given.value:
            return "default"  # never given, or reset
        return given.source

    def to_dict(self) -> dict[str, Any]:
        """All settings as plain nested dictionaries, fit for JSON, TOML and `load_config`."""
        nested: dict[str, Any] = {}
        for key in declared():
            section, _, name = key.rpartition(".")
            value = self.value(key)
            place = nested.setdefault(section, {}) if section else nested
            place[name] = dict(value) if isinstance(value, FrozenTable) else value
        return nested

    def with_changes(self, changes: Mapping[str, Any]) -> Config:
        """The same configuration with some values replaced, checked like any other source."""
        from recollect.config.load import flatten

        return resolve(overlay(self.given, flatten(changes, "argument")), self.ignored)

    def _departures(self) -> dict[str, Given]:
        return {
            key: Given(self.value(key), "argument")
            for key, setting in declared().items()
            if self.value(key) != setting.default
        }


@cache
def sections() -> dict[str, type[SettingsSection]]:
    """The section classes by name, in order."""
    made: dict[str, Any] = {each.name: each.default_factory for each in fields(Config)}
    return {name: cls for name, cls in made.items() if isinstance(cls, type) and issubclass(cls, SettingsSection)}


@cache
def declared() -> dict[str, Setting]:
    """Every setting by its dotted key, in order."""
    keys = dict(settings_of(Config))
    for section, cls in sections().items():
        keys.update({f"{section}.{name}": each for name, each in settings_of(cls).items()})
    return keys


def require(key: str, source: str = "") -> Setting:
    """The setting of that key, or ConfigInvalid with the nearest key there is."""
    found = declared().get(key)
    if found is None and is_removed(key):
        raise ConfigInvalid(told(key, source))
    if found is None:
        where = f" ({source})" if source else ""
        raise ConfigInvalid(f"unknown setting {key!r}{where}{suggestion(key)}")
    return found


def suggestion(key: str) -> str:
    """What was probably meant: the same name elsewhere, else the most similar spelling."""
    from difflib import get_close_matches  # only when something is wrong already

    section, _, name = key.rpartition(".")
    same = [known for known in declared() if known.rpartition(".")[2] == name]
    near = get_close_matches(key, same, 1, 0.0)
    near = near or [f"{section}.{match}" for match in get_close_matches(name, _names_in(section), 1, 0.6)]
    near = near or get_close_matches(key, declared(), 1, 0.6)
    return f"; did you mean {near[0]}?" if near else ""


def _names_in(section: str) -> Iterable[str]:
    return settings_of(sections()[section]) if section in sections() else ()


def overlay(below: Mapping[str, Given], above: Mapping[str, Given]) -> dict[str, Given]:
    """The later source wins; tables are laid over each other row by row."""
    merged = dict(below)
    for key, given in above.items():
        under = merged.get(key)
        if under and isinstance(under.value, Mapping) and isinstance(given.value, Mapping):
            merged[key] = Given({**under.value, **given.value}, given.source)
        else:
            merged[key] = given
    return merged


def resolve(given: Mapping[str, Given], ignored: Iterable[str] = ()) -> Config:
    """Check every given value and build the configuration; what had to be changed is in its warnings."""
    found = list(ignored)
    values: dict[str, Any] = {}
    for key, (value, source) in given.items():
        if is_removed(key):
            found.append(told(key, source))
            continue
        setting = require(key, source)
        try:
            values[key], problem = setting.check(value)
        except RefusedError as exc:
            raise ConfigInvalid(f"{key} ({source}): {exc}") from None
        if problem:
            found.append(f"{key} ({source}): {problem}")
    _limit_sums(values, found)
    _keep_order(values, found)
    nested: dict[str, dict[str, Any]] = {}
    top: dict[str, Any] = {}
    for key, value in values.items():
        section, _, name = key.rpartition(".")
        (nested.setdefault(section, {}) if section else top)[name] = value
    built = {name: sections()[name](**inside) for name, inside in nested.items()}
    return Config(**top, **built, warnings=found, ignored=ignored, given=dict(given))


def _limit_sums(values: dict[str, Any], found: list[str]) -> None:
    for group, limit in GROUP_TOTALS.items():
        keys = [key for key, setting in declared().items() if setting.group == group]
        total = sum(values.get(key, declared()[key].default) for key in keys)
        if total > limit + ROUNDING:
            names = ", ".join(keys)
            found.append(f"{names}: sum to {plain(total)}, over {plain(limit)}; using the defaults of all")
            values.update({key: declared()[key].default for key in keys})


def _keep_order(values: dict[str, Any], found: list[str]) -> None:
    """Raise what must lie above a sibling; in declaration order, so that chains settle in one pass."""
    for key, each in declared().items():
        if not each.above:
            continue
        assert each.policy is CLAMP
        below = f"{key.rpartition('.')[0]}.{each.above}"
        least = values.get(below, declared()[below].default)
        if values.get(key, each.default) < least - ROUNDING:
            values[key] = each.kind(min(least, each.hi))
            found.append(f"{key}: must be at least {each.above}; using {plain(values[key])}")
