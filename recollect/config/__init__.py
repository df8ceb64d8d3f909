"""Every tunable in one validated value: defaults, a TOML file, the environment and arguments."""

from recollect.config.live import LiveConfig, Reloaded, SettingChange
from recollect.config.load import load_config
from recollect.config.root import Config

__all__ = ["Config", "load_config", "LiveConfig", "Reloaded", "SettingChange"]
