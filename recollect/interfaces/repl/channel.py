"""JSON, one line a frame, between the sandbox and its child process: the only thing the two ever share."""

from __future__ import annotations

import json
import os
from typing import IO, Any

FRAME_BYTES_MAX = 16 << 20
FAILED, OUT_OF_MEMORY = 1, 77  # exit codes of a run that could not say itself how it ended
FORKS = hasattr(os, "fork")  # whether one child serves many runs

Frame = dict[str, Any]


class OversizeError(ValueError):
    """A frame over the limit; nothing of it was sent."""


class BrokenFrameError(ValueError):
    """What arrived is not one of our frames."""


class PipeChannel:
    """Two pipes. Frames are bounded both ways, and what arrives is data whoever wrote it."""

    def __init__(self, source: IO[bytes], sink: IO[bytes]) -> None:
        self._source = source
        self._sink = sink

    def send(self, frame: Frame) -> None:
        line = json.dumps(frame, ensure_ascii=False, allow_nan=False).encode() + b"\n"
        if len(line) > FRAME_BYTES_MAX:
            raise OversizeError(f"{len(line)} bytes, over the {FRAME_BYTES_MAX} that may cross at once")
        self._sink.write(line)
        self._sink.flush()

    def receive(self) -> Frame | None:
        """The next frame, or None when the other side is gone."""
        line = self._source.readline(FRAME_BYTES_MAX)
        if not line:
            return None
        try:
            frame = json.loads(line)
        except (ValueError, RecursionError) as exc:  # cut off, too long, or nested to hurt the reader
            raise BrokenFrameError("not a frame") from exc
        if not isinstance(frame, dict):
            raise BrokenFrameError("not a frame")
        return frame
