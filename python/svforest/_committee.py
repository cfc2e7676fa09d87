"""Committees: trained by `svf_train_auto`, and what they say of their members."""

from __future__ import annotations

import math
from ctypes import byref, c_void_p
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

from . import _library
from ._data import Table
from ._forest import Forest
from ._frames import frame
from ._keywords import OF_COMMITTEE, OF_FOREST
from ._library import library
from ._run import remarks, running
from ._tables import Method


@dataclass(frozen=True)
class Tried:
    """A member of a committee: of its training, or of its file."""

    settings: str
    weight: float
    score: float
    seconds: float
    left_out: str

    @classmethod
    def of(cls, info: _library.MemberInfo) -> "Tried":
        why = "" if info.dropped is None else info.dropped.decode(errors="replace")
        return cls(info.settings.decode(), info.weight, info.score, info.seconds, why)

    @property
    def key(self) -> tuple[str, float]:
        """The same while a committee is trained and in its file, where the settings name what the method chose, too."""
        return self.settings.split(" ")[0], self.score


def check_keywords(model: Any, method: Method) -> None:
    """Keywords that are no settings, against the method of an estimator."""
    for name, usual in (OF_FOREST if method.is_committee else OF_COMMITTEE).items():
        value = getattr(model, name, usual)
        if value is usual:
            continue
        if method.is_committee:
            raise ValueError(
                f"{name}={value!r}: method={method.name!r} is a committee, whose members are weighed by rows held out; name a "
                "method, such as method='rf'"
            )
        raise ValueError(f"{name}={value!r}: it is for method='auto', and this is method={method.name!r}: leave it out")
    limit, plan = getattr(model, "time_limit", None), getattr(model, "plan", None)
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, Real) or not 0 < limit < math.inf):
        raise ValueError(f"time_limit={limit!r}: must be a number of seconds above 0, or None")
    if plan is not None and not isinstance(plan, str):
        raise TypeError(f"plan={plan!r}: must be text, as plan_ of a fitted estimator has it")


def train(
    settings: c_void_p,
    table: Table,
    n_jobs: int | None,
    verbose: int,
    budget: float = 0,
    plan: str | None = None,
    wide: bool = False,
) -> tuple[Forest, list[Tried], KeyboardInterrupt | None]:
    """The committee, what was tried for it, and Ctrl-C if that ended it before the last member. wide: as `tune` searches."""
    tried: list[Tried] = []
    made, message = c_void_p(), _library.Message()
    tell = _library.Tell(lambda _, member: tried.append(Tried.of(member.contents)))
    options = _library.AutoOptions(budget=budget, plan=None if plan is None else plan.encode(), tell=tell, wide=wide)
    try:
        with remarks() as remark, running(n_jobs, verbose) as run:
            run.remark = remark
            status = library.svf_train_auto(settings, table.handle, byref(options), byref(run), byref(made), byref(message))
            if made:
                count = sum(not one.left_out for one in tried)
                run.told = f"{'done' if status == _library.OK else 'stopped'}, {count} of {len(tried)} members trained"
        _library.check(status, message)
    except KeyboardInterrupt as error:
        if not made:
            raise
        return Forest(made), tried, error
    return Forest(made), tried, None


def members(forest: Forest) -> list[Tried]:
    """Those of the file, in its order."""
    found, info = [], _library.MemberInfo()
    for number in range(describe(forest).members):
        library.svf_committee_member(forest.handle, number, byref(info))
        found.append(Tried.of(info))
    return found


def describe(forest: Forest) -> _library.CommitteeInfo:
    info = _library.CommitteeInfo()
    library.svf_committee_describe(forest.handle, byref(info))
    return info


def attributes(forest: Forest, tried: list[Tried]) -> dict[str, Any]:
    """What a fitted committee says of itself; tried: of its training, where it was just trained. Nothing for one forest."""
    info = describe(forest)
    if not info.members:
        return {}
    seconds, kept = {one.key: one.seconds for one in tried}, members(forest)
    rows = [replace(one, seconds=seconds.get(one.key, math.nan)) for one in kept]
    rows += [replace(one, weight=0.0) for one in tried if one.key not in {one.key for one in kept}]
    rows.sort(key=lambda one: -one.weight)
    return {
        "leaderboard_": frame([vars(row) for row in rows]),
        "held_out_score_": info.score,
        "held_out_error_": info.deviation,
        "plan_": info.plan.decode(),
    }
