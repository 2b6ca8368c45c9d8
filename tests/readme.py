"""README.md by its word: its console blocks are run against a fresh Leadline, and what they print stands below them."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
BLOCK = re.compile(r"(?<=^```console\n).*?(?=^```$)", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^\$ .*\n(?:^> .*\n)*", re.MULTILINE)
PORT = "8080"  # what README.md says; a free one is used, and put back
# What differs from run to run.
VARIES = (
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "<uuid>"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)"), "<instant>"),
    (re.compile(r'"activity_id": ?\d+'), '"activity_id":<number>'),
)


def normal(text: str) -> str:
    """The text without what differs from run to run."""
    for pattern, word in VARIES:
        text = pattern.sub(word, text)
    return text


@contextlib.contextmanager
def leadline() -> Iterator[tuple[str, dict[str, str]]]:
    """A fresh Leadline with its demo: its port, and the environment in which the README's commands meet it."""
    folder = Path(tempfile.gettempdir()) / f"leadline-readme-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    environment = {
        k: v for k, v in os.environ.items() if not k.startswith(("PG", "LEADLINE_", "DATABASE_URL"))
    }
    if "LEADLINE_PG_BIN" in os.environ:
        environment["LEADLINE_PG_BIN"] = os.environ["LEADLINE_PG_BIN"]
    environment |= {"LEADLINE_HOME": str(folder), "PAGER": "cat", "COLUMNS": "200", "TERM": "dumb"}
    program = [sys.executable, "-m", "app.cli", "up", "--port", port]
    up = subprocess.Popen(program, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while not _answers(port):
            if up.poll() is not None or time.monotonic() > deadline:
                raise SystemExit("leadline up did not come up")
            time.sleep(0.1)
        yield port, environment
    finally:
        up.send_signal(signal.SIGINT)
        up.wait(60)
        shutil.rmtree(folder, ignore_errors=True)


def _answers(port: str) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/ready", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def rendered(text: str) -> str:
    """`text` with every console block's output as it is now; one shell runs all blocks, on a terminal."""
    with leadline() as (port, environment):
        commands = [c for block in BLOCK.finditer(text) for c in COMMAND.findall(block[0])]
        script = "".join(
            f"{re.sub('^(?:[$]|>) ', '', command, flags=re.MULTILINE).replace(PORT, port)}printf '\\036'\n"
            for command in commands
        )
        outputs = iter(_on_a_terminal(script, environment).replace(port, PORT).split("\x1e"))

    def block(match: re.Match[str]) -> str:
        parts = []
        for command in COMMAND.findall(match[0]):
            output = next(outputs).strip("\n")
            parts.append(command + (output + "\n" if output else ""))
        return "".join(parts)

    return BLOCK.sub(block, text)


def _on_a_terminal(script: str, environment: dict[str, str]) -> str:
    """What a shell running `script` shows, errors where they happened."""
    leader, follower = pty.openpty()
    with tempfile.NamedTemporaryFile("w", suffix=".sh") as file:
        file.write(script)
        file.flush()
        shell = subprocess.Popen(
            ["bash", file.name],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=follower,
            stderr=follower,
        )
        os.close(follower)
        shown = b""
        with contextlib.suppress(OSError):  # the terminal is gone when the shell is
            while part := os.read(leader, 65536):
                shown += part
        os.close(leader)
        shell.wait(60)
    return re.sub(r"[ \t]+$", "", shown.decode().replace("\r\n", "\n"), flags=re.MULTILINE)


def main(arguments: list[str]) -> int:
    """Write the README anew, or with --check say whether it still holds."""
    before = README.read_text("utf-8")
    after = rendered(before)
    if normal(before) == normal(after):
        print("README.md says what happens.")
        return 0
    if "--check" in arguments:
        print("README.md no longer says what happens: run scripts/readme.", file=sys.stderr)
        return 1
    README.write_text(after, "utf-8")
    print("README.md is written.")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
