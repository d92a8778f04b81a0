"""Runs commands as numbered steps and shows which one runs and for how long.

On a terminal the running step has one line that is redrawn, with the last line its command printed. Elsewhere (CI) a
step prints when it starts, a sign of life twice a minute, and when it ends. Its output goes to build/logs/<step>.log.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LOGS = ROOT / "build" / "logs"
LIVE = sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
REDRAW_SECONDS = 0.2 if LIVE else 30.0
TAIL_LINES = 40


class StepFailed(Exception):
    """A step without which the command cannot go on."""


def clock(seconds: float) -> str:
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}" if seconds >= 60 else f"{seconds:.1f} s"


class Step:
    """One numbered step: `with steps.step("title") as step: step.run([...])`."""

    def __init__(self, number: int, title: str) -> None:
        self.number, self.title = number, title
        self.seconds = 0.0
        self.ok = True
        self.note = ""
        self.log = LOGS / (re.sub(r"[^A-Za-z0-9.]+", "-", title).strip("-").lower() + ".log")
        self._last_line = ""
        self._done = threading.Event()

    def __enter__(self) -> Step:
        LOGS.mkdir(parents=True, exist_ok=True)
        self.log.write_bytes(b"")
        self._begin = time.monotonic()
        if not LIVE:
            print(f"[{self.number}] {self.title} ...", flush=True)
        self._display = threading.Thread(target=self._show, daemon=True)
        self._display.start()
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        self.seconds = time.monotonic() - self._begin
        self._done.set()
        self._display.join()
        self.ok = self.ok and kind is None
        note = f"  {self.note}" if self.note else ""
        result = "ok" if self.ok else "FAILED"
        print(
            f"{self._clear()}[{self.number}] {self.title}: {result}, {clock(self.seconds)}{note}", flush=True
        )
        if not self.ok:
            self._print_tail()

    def run(
        self,
        command: list[str],
        *,
        cwd: Path = ROOT,
        env: dict[str, str] | None = None,
        timeout: float | None = None,
        must: bool = True,
    ) -> int:
        """Run one command of this step; returns its exit status. `must`: its failure ends the whole command."""
        with self.log.open("ab") as log:
            log.write(f"$ {' '.join(command)}\n".encode())
            log.flush()
            try:
                process = subprocess.Popen(
                    command,
                    cwd=cwd,
                    env={**os.environ, **(env or {})},
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                )
            except OSError as error:
                raise StepFailed(f"{self.title}: {error}") from error
            killer = threading.Timer(timeout, process.kill) if timeout else None
            if killer:
                killer.start()
            try:
                for line in process.stdout:
                    log.write(line)
                    text = line.decode(errors="replace").strip()
                    self._last_line = text or self._last_line
                status = process.wait()
            except BaseException:
                process.kill()
                raise
            finally:
                if killer:
                    killer.cancel()
            log.write(f"-> exit status {status}\n".encode())
        if status != 0 and must:
            raise StepFailed(f"{self.title}: `{' '.join(command)}` gave exit status {status}; see {self.log}")
        return status

    def fail(self, note: str) -> None:
        self.ok, self.note = False, note

    def _show(self) -> None:
        while not self._done.wait(REDRAW_SECONDS):
            line = (
                f"[{self.number}] {self.title} ... {clock(time.monotonic() - self._begin)}  {self._last_line}"
            )
            if LIVE:
                width = shutil.get_terminal_size().columns - 1
                print(f"{self._clear()}{line[:width]}", end="", flush=True)
            else:
                print(f"    {line[:160]}", flush=True)

    @staticmethod
    def _clear() -> str:
        return "\r\033[K" if LIVE else ""

    def _print_tail(self) -> None:
        lines = self.log.read_text(errors="replace").splitlines()
        print(f"    last lines of {self.log.relative_to(ROOT)}:")
        for line in lines[-TAIL_LINES:]:
            print(f"    | {line}", flush=True)


class Steps:
    """The steps of one command, for numbering and the closing table."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self._begin = time.monotonic()

    def step(self, title: str) -> Step:
        self.steps.append(Step(len(self.steps) + 1, title))
        return self.steps[-1]

    def print_table(self) -> None:
        width = max(len(step.title) for step in self.steps)
        print()
        for step in self.steps:
            print(
                f"  {step.title:{width}}  {'ok' if step.ok else 'FAILED':6}  {clock(step.seconds):>8}  {step.note}"
            )
        print(f"  {'total':{width}}  {'':6}  {clock(time.monotonic() - self._begin):>8}", flush=True)
