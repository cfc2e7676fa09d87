"""How a job runs: threads, progress, and Ctrl-C.

The library calls back about ten times a second, from the thread that called it. Python runs signal handlers at
the start of that callback, outside of any `try` in it, so a handler that raises would be lost there: while a job runs
in the main thread, Ctrl-C is only noted, the callback stops the job, and the handler that was there gets its say
afterwards.
"""

from __future__ import annotations

import signal
import sys
import threading
import time
import warnings
from contextlib import contextmanager
from numbers import Integral
from typing import Any, Iterator

import joblib
from joblib.parallel import get_active_backend

from ._library import Callback, Remark, Run

MOST_THREADS = 1024  # that the library starts

def threads_of(n_jobs: int | None) -> int:
    """None: all processors, but one inside of another parallel job of joblib."""
    if n_jobs is None:
        n_jobs = 1 if get_active_backend()[0].nesting_level else -1
    if not isinstance(n_jobs, Integral):
        raise TypeError(f"n_jobs={n_jobs!r}: must be a whole number, or None for all processors")
    if n_jobs == 0:
        raise ValueError("n_jobs == 0 has no meaning")
    if n_jobs > MOST_THREADS:
        raise ValueError(f"n_jobs={n_jobs!r}: must be at most {MOST_THREADS}")
    return joblib.effective_n_jobs(n_jobs)


class _Bar:
    """tqdm's bar if it is there, else a line on standard error that is written over."""

    def __init__(self, title: str) -> None:
        self.title, self.start, self.shown = title, time.monotonic(), 0.0
        self.bar: Any = None
        try:
            from tqdm.auto import tqdm
        except ImportError:
            return
        self.bar = tqdm(total=100, desc=title, unit="%", leave=False, bar_format="{desc} {percentage:3.0f}%|{bar}| {remaining}")

    def show(self, done: float, phase: str) -> None:
        if self.bar is not None:
            self.bar.set_description_str(f"{self.title}, {phase}", refresh=False)
            self.bar.update(100 * done - self.bar.n)
            return
        spent = time.monotonic() - self.start
        left = spent * (1 - done) / done if done > 0 else float("nan")
        if spent - self.shown > 0.5:
            self.shown = spent
            sys.stderr.write(f"\r{f'{self.title}: {100 * done:3.0f}%, {left:.0f} s left ({phase})':<60}")
            sys.stderr.flush()

    def end(self, how: str) -> None:
        """The last line says that it is over: as `how` says, after so many seconds."""
        line = f"{self.title}: {how}, {time.monotonic() - self.start:.1f} s"
        if self.bar is not None:
            self.bar.close()
        sys.stderr.write(f"\r{line:<60}\n" if self.shown else f"{line}\n")
        sys.stderr.flush()


@contextmanager
def _noted_interrupts(noted: list[Any]) -> Iterator[None]:
    """Ctrl-C goes to the list while this lasts, and to the handler that was there at the end."""
    before = signal.getsignal(signal.SIGINT) if threading.current_thread() is threading.main_thread() else None
    if not callable(before):
        yield
        return
    signal.signal(signal.SIGINT, lambda number, frame: noted.append((number, frame)))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
        if noted:
            before(*noted[0])


class TableWarning(UserWarning):
    """The table can be used, but something in it is probably not as it was meant."""


def _caller() -> int:
    """The stack level of whoever called the package, as `warnings.warn` counts it in the function that asks."""
    level, frame = 0, sys._getframe(1)
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in ("svforest", "contextlib"):
        level, frame = level + 1, frame.f_back
    return level + 1


@contextmanager
def remarks() -> Iterator[Any]:
    """A callback for the library's remarks; they become warnings at the end, outside of the callback."""
    said: list[str] = []
    yield Remark(lambda _, text: said.append(text.decode(errors="replace")))
    for text in said:
        warnings.warn(text, TableWarning, stacklevel=_caller())


@contextmanager
def running(n_jobs: int | None, verbose: int = 0, title: str = "svforest") -> Iterator[Run]:
    """The run of a job. It can be stopped from the main thread, and shows how far it is if verbose; its last line then is
    the attribute `told` of the run, or that it is done."""
    noted: list[Any] = []
    bar = _Bar(title) if verbose else None
    if bar is None and threading.current_thread() is not threading.main_thread():
        yield Run(threads=threads_of(n_jobs))
        return

    def report(_: Any, progress: Any) -> int:
        if bar is not None:
            bar.show(progress.contents.done, progress.contents.phase.decode())
        return len(noted)

    run = Run(threads=threads_of(n_jobs), callback=Callback(report))
    how = "stopped"
    try:
        with _noted_interrupts(noted):
            yield run
        how = "done"
    finally:
        if bar is not None:
            bar.end(getattr(run, "told", how))
