"""What is to be measured, and the loop that does it: each task in a process of its own, with a limit of processor time."""
import dataclasses
import importlib
import importlib.util
import json
import os
import resource
import signal
import sys
import tempfile
import time
import traceback
import warnings

from data import there


@dataclasses.dataclass
class Task:
    """One result. `do` is 'module.function', called with `args`; it returns a dictionary that JSON can hold."""

    file: str  # of the store
    key: str
    do: str
    args: dict
    sets: tuple = ()  # data sets it reads, which are loaded before the process is split off
    weight: float = 1  # expected seconds, for the estimate
    module: str = None  # a package that it needs
    after: str = None  # key of the same file: where that is over the limit, this is not tried
    limit: int = 60  # seconds of processor time
    same: dict = dataclasses.field(default_factory=dict)  # what a kept result must say to count as this one

    def open(self, store):
        """Not measured yet, or stopped at a lower limit, or measured under other conditions."""
        kept = store.get(self.file, self.key)
        if not kept:
            return True
        other = any(kept.get(what) != value for what, value in self.same.items())
        return other or kept.get("over", self.limit) < self.limit

    def hopeless(self, store):
        before = self.after and store.get(self.file, self.after)
        return bool(before) and before.get("over", 0) >= self.limit


class Runner:
    """Does what is open, some at a time, and keeps each result as it comes."""

    def __init__(self, store, facts, jobs=1, say=print):
        self.store, self.facts, self.jobs, self.say = store, facts, jobs, say
        self.running = {}

    def run(self, tasks):
        """Ends with the number of tasks that failed."""
        todo = [task for task in self.possible(tasks) if task.open(self.store)]
        self.left, self.done, self.failed = sum(task.weight for task in todo), 0, 0
        self.start, self.total, self.ended = time.monotonic(), len(todo), 0
        self.say(f"{len(todo)} of {len(tasks)} results are to be measured")
        for task in todo:
            while len(self.running) >= self.jobs or self._awaited(task):
                self._collect()
            if task.hopeless(self.store):
                self.left -= task.weight
                self.total -= 1
            else:
                self._begin(task)
        while self.running:
            self._collect()
        return self.failed

    def possible(self, tasks):
        """Those whose data and packages are there; the others are named once."""
        missing, fine = {}, []
        for task in tasks:
            absent = [name for name in task.sets if not there(name)]
            if task.module and not importlib.util.find_spec(task.module):
                missing[task.module] = f"left out: the Python package {task.module} is not installed"
            elif absent:
                missing[absent[0]] = f"left out: the data set {absent[0]} is not there (SVFOREST_DATA says where sets are)"
            else:
                fine.append(task)
        for line in missing.values():
            self.say(line)
        return fine

    def _awaited(self, task):
        return any((other.file, other.key) == (task.file, task.after) for other, _ in self.running.values())

    def _begin(self, task):
        if task.sets:
            lab = importlib.import_module("lab")
            for name in task.sets:
                lab.whole(name)
        answer = tempfile.NamedTemporaryFile("w+", suffix=".json")
        child = os.fork()
        if child == 0:
            _work(task, answer.name)
        self.running[child] = (task, answer)

    def _collect(self):
        child, status, usage = os.wait3(0)
        if child not in self.running:
            return
        task, answer = self.running.pop(child)
        with answer:
            text = answer.read()
        stopped = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        spent = usage.ru_utime + usage.ru_stime >= task.limit
        if status == 0 and text:
            self.store.put(task.file, task.key, json.loads(text), self.facts)
            said = _short(json.loads(text))
        elif stopped == signal.SIGXCPU or (stopped == signal.SIGKILL and spent):
            self.store.put(task.file, task.key, {**task.same, "over": task.limit}, self.facts)
            said = f"over the limit of {task.limit} s"
        else:
            self.failed += 1
            said = f"FAILED (status {status})"
        self._progress(task, said)

    def _progress(self, task, said):
        self.done += task.weight
        self.left -= task.weight
        self.ended += 1
        left = (time.monotonic() - self.start) / self.done * max(self.left, 0)
        self.say(f"[{self.ended}/{self.total}, {left / 60:.0f} min left] {task.file} {task.key}: {said}")


def _short(result):
    shown = [f"{name} {value:.4g}" for name, value in result.items() if isinstance(value, float)]
    return ", ".join(shown[:4]) or "done"


def _work(task, path):
    """In the child: never returns."""
    status = 1
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (task.limit, task.limit + 5))
        warnings.simplefilter("ignore")
        module, function = task.do.split(".")
        result = getattr(importlib.import_module(module), function)(**task.args)
        with open(path, "w", encoding="utf-8") as file:
            json.dump(result, file)
        status = 0
    except BaseException:  # pylint: disable=broad-except
        traceback.print_exc()
    finally:
        sys.stderr.flush()
        os._exit(status)
