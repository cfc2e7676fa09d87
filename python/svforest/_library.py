"""The C library, loaded: its structures and functions as ctypes sees them, and its errors as exceptions.

Everything here mirrors the headers in include/ and nothing else. Functions that return a status are called through
`call`, which hands over a message and raises what the library says.
"""

from __future__ import annotations

import ctypes
from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    byref,
    c_char,
    c_char_p,
    c_double,
    c_float,
    c_int,
    c_int32,
    c_size_t,
    c_ssize_t,
    c_uint32,
    c_uint64,
    c_void_p,
)
from pathlib import Path
from typing import Any

OK, USAGE, DATA, IO, MEMORY, STOPPED = range(6)
AUTO, CLASS, REGRESS = range(3)


class Message(Structure):
    _fields_ = [("text", c_char * 1024)]


class Progress(Structure):
    _fields_ = [("phase", c_char_p), ("done", c_double), ("trees", c_size_t)]


Callback = CFUNCTYPE(c_int, c_void_p, POINTER(Progress))
Remark = CFUNCTYPE(None, c_void_p, c_char_p)


class Run(Structure):
    _fields_ = [
        ("threads", c_int),
        ("callback", Callback),
        ("user", c_void_p),
        ("memory_limit", c_size_t),
        ("remark", Remark),
    ]


class ReadOptions(Structure):
    _fields_ = [
        ("format", c_int),
        ("target", c_char_p),
        ("drop", POINTER(c_char_p)),
        ("drop_count", c_size_t),
        ("weight", c_char_p),
        ("task", c_int),
        ("model", c_void_p),
        ("memory_limit", c_size_t),
        ("threads", c_int),
        ("keep", POINTER(c_char_p)),
        ("keep_count", c_size_t),
        ("id", POINTER(c_char_p)),
        ("id_count", c_size_t),
        ("keep_ids", c_int),
        ("cuts", c_void_p),
    ]


class Matrix(Structure):
    _fields_ = [
        ("values", c_void_p),
        ("float32", c_int),
        ("rows", c_size_t),
        ("columns", c_size_t),
        ("row_stride", c_ssize_t),
        ("column_stride", c_ssize_t),
    ]


class SynthInfo(Structure):
    _fields_ = [("name", c_char_p), ("help", c_char_p), ("task", c_int), ("features", c_size_t)]


class SynthOptions(Structure):
    _fields_ = [("rows", c_size_t), ("features", c_size_t), ("classes", c_size_t), ("seed", c_uint64)]


class SettingInfo(Structure):
    _fields_ = [(name, c_char_p) for name in ("name", "type", "standard", "range", "help")]


class MethodInfo(Structure):
    _fields_ = [(name, c_char_p) for name in ("name", "title", "paper", "settings")]


class KindInfo(Structure):
    _fields_ = [("seam", c_char_p), ("name", c_char_p), ("help", c_char_p), ("settings", POINTER(c_char_p))]


class Prediction(Structure):
    _fields_ = [
        ("values", c_void_p),
        ("scores", c_void_p),
        ("probabilities", c_void_p),
        ("leaves", c_void_p),
        ("spreads", c_void_p),
        ("unseen", c_size_t),
    ]


class Stages(Structure):
    _fields_ = [("values", c_void_p), ("alone", c_void_p), ("shares", c_void_p)]


class ForestInfo(Structure):
    _fields_ = [
        ("method", c_char_p),
        ("task", c_int),
        *((name, c_size_t) for name in ("trees", "first_tree", "nodes", "leaves", "rows", "features", "made")),
        *((name, c_size_t) for name in ("encoded", "classes", "scores", "max_depth", "bytes", "unconverged")),
        ("worst_gap", c_double),
        ("oob", c_double),
        ("oob_chose", c_int),
    ]


class EncodedInfo(Structure):
    _fields_ = [
        ("feature", c_size_t),
        ("category", c_char_p),
        ("shift", c_double),
        ("scale", c_double),
        ("fill", c_double),
        ("clipped", c_int),
        ("codes", c_int),
        ("part", c_char_p),
        ("part_class", c_char_p),
    ]


class TreeInfo(Structure):
    _fields_ = [
        ("number", c_size_t),
        ("nodes", c_size_t),
        ("leaves", c_size_t),
        ("weight", c_double),
        ("oob", c_double),
    ]


class Term(Structure):
    _fields_ = [("feature", c_uint32), ("weight", c_float)]


class NodeInfo(Structure):
    _fields_ = [
        ("left", c_size_t),
        ("right", c_size_t),
        ("leaf", c_size_t),
        ("terms", POINTER(Term)),
        ("term_count", c_size_t),
        ("threshold", c_double),
        ("missing_left", c_int),
        ("by_levels", c_int),
        ("centres", c_size_t),
    ]


class LeafInfo(Structure):
    _fields_ = [
        ("rows", c_size_t),
        ("numbers", POINTER(c_double)),
        ("length", c_size_t),
        ("singles", POINTER(c_float)),
    ]


class OobAnswers(Structure):
    _fields_ = [
        ("values", c_void_p),
        ("scores", c_void_p),
        ("probabilities", c_void_p),
        ("curve", c_void_p),
        ("result", c_double),
    ]


class Permutation(Structure):
    _fields_ = [
        ("repeats", c_size_t),
        ("seed", c_uint64),
        ("oob", c_int),
        ("mean", c_void_p),
        ("deviation", c_void_p),
        ("result", c_double),
    ]


class Explanation(Structure):
    _fields_ = [
        ("background", c_void_p),
        ("what", c_int),
        ("class_code", c_int),
        ("permutations", c_size_t),
        ("seed", c_uint64),
        *((name, c_void_p) for name in ("contributions", "errors", "answers", "bases")),
        ("background_rows", c_size_t),
        ("largest_error", c_double),
        ("unseen", c_size_t),
    ]


class ReportOptions(Structure):
    _fields_ = [("seed", c_uint64), ("resamples", c_size_t), ("oob", c_int)]


_names = POINTER(c_char_p)


class TuneOptions(Structure):
    _fields_ = [
        ("search", c_int),
        ("folds", c_size_t),
        ("candidates", c_size_t),
        ("budget", c_double),
        ("tries", _names),
        ("try_count", c_size_t),
        ("tell", c_void_p),
        ("user", c_void_p),
    ]


class CommitteeInfo(Structure):
    _fields_ = [
        ("members", c_size_t),
        ("plan", c_char_p),
        ("aim", c_char_p),
        ("score", c_double),
        ("deviation", c_double),
        ("calibrated", c_int),
    ]


class MemberInfo(Structure):
    _fields_ = [
        ("forest", c_void_p),
        ("settings", c_char_p),
        *((name, c_double) for name in ("weight", "score", "seconds")),
        ("dropped", c_char_p),
    ]


Tell = CFUNCTYPE(None, c_void_p, POINTER(MemberInfo))


class AutoOptions(Structure):
    _fields_ = [("budget", c_double), ("plan", c_char_p), ("tell", Tell), ("user", c_void_p), ("wide", c_int)]


class TuningInfo(Structure):
    _fields_ = [
        *((name, c_size_t) for name in ("candidates", "complete", "failed", "best", "folds")),
        ("combinations", c_double),
        ("seconds", c_double),
        ("late", c_int),
        ("refused", c_size_t),
        ("refusal", c_char_p),
    ]


class CandidateInfo(Structure):
    _fields_ = [("settings", c_char_p), *((name, c_double) for name in ("score", "deviation", "rows", "seconds"))]


class Cells(Structure):
    _fields_ = [("first", c_uint64), ("count", c_uint64)]


class PortionInfo(Structure):
    _fields_ = [
        ("kind", c_int),
        ("rows", c_uint64),
        ("first_row", c_uint64),
        ("cells", Cells),
        ("trees", c_size_t),
        ("leaves", c_size_t),
        ("columns", c_size_t),
        ("unseen", c_uint64),
        ("bytes", c_size_t),
    ]


ReadRows = CFUNCTYPE(c_int, c_void_p, c_uint64, c_size_t, c_void_p, POINTER(c_void_p), c_void_p)
Prepare = CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)


class RowSource(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("rows", c_uint64),
        ("columns", c_size_t),
        ("read", ReadRows),
        ("user", c_void_p),
    ]


class DiskOptions(Structure):
    _fields_ = [
        ("folder", c_char_p),
        ("model", c_char_p),
        ("job", c_char_p),
        ("memory", c_size_t),
        ("prepare", Prepare),
        ("tell", Remark),
        ("user", c_void_p),
        ("reading", POINTER(c_double)),
    ]


_handle, _new = c_void_p, POINTER(c_void_p)

# Functions that return a status and take a message last: what they take before it.
_checked = {
    "svf_table_borrow": [POINTER(Matrix), _names, _new],
    "svf_table_borrow_columns": [POINTER(Matrix), c_size_t, _names, _new],
    "svf_table_set_classes": [_handle, c_void_p, _names, c_size_t],
    "svf_table_set_values": [_handle, c_void_p],
    "svf_table_set_weights": [_handle, c_void_p],
    "svf_table_set_class_weights": [_handle, c_void_p],
    "svf_table_set_categories": [_handle, c_size_t, c_void_p, _names, c_size_t],
    "svf_table_set_dates": [_handle, c_size_t],
    "svf_table_synth": [c_char_p, POINTER(SynthOptions), _new, POINTER(c_double)],
    "svf_table_take": [_handle, c_void_p, c_size_t, _new],
    "svf_table_folds": [_handle, c_size_t, c_uint64, c_void_p],
    "svf_table_holdout": [_handle, c_double, c_uint64, c_void_p],
    "svf_settings_new": [c_char_p, _new],
    "svf_settings_set": [_handle, c_char_p, c_char_p],
    "svf_settings_check": [_handle, c_int],
    "svf_train": [_handle, _handle, POINTER(Run), _new],
    "svf_train_auto": [_handle, _handle, POINTER(AutoOptions), POINTER(Run), _new],
    "svf_train_more": [_handle, _handle, _handle, POINTER(Run), _new],
    "svf_predict": [_handle, _handle, POINTER(Run), POINTER(Prediction)],
    "svf_explain": [_handle, _handle, POINTER(Run), POINTER(Explanation)],
    "svf_forest_report": [_handle, _handle, POINTER(ReportOptions), POINTER(Run), c_char_p],
    "svf_predict_stages": [_handle, _handle, POINTER(Run), POINTER(Stages)],
    "svf_tune": [_handle, _handle, POINTER(TuneOptions), POINTER(Run), _new],
    "svf_predictor_new": [_handle, _new],
    "svf_predictor_row": [_handle, c_void_p, POINTER(Prediction)],
    "svf_forest_save": [_handle, c_char_p],
    "svf_forest_load": [c_char_p, _new],
    "svf_forest_from_bytes": [c_char_p, c_size_t, _new],
    "svf_forest_calibrate": [_handle, _handle, POINTER(Run), _new],
    "svf_forest_merge": [_new, c_size_t, _new],
    "svf_table_sample": [_handle, _handle, c_void_p, c_void_p, POINTER(c_size_t)],
    "svf_partition": [_handle, _handle, c_void_p, c_uint64, POINTER(Run), _new],
    "svf_route": [_handle, _handle, c_uint64, POINTER(Cells), POINTER(Run), _new],
    "svf_fit": [_handle, _new, c_size_t, POINTER(Cells), POINTER(Run), _new],
    "svf_portion_merge": [_handle, _new, c_size_t, _new],
    "svf_portion_from_bytes": [c_char_p, c_size_t, _new],
    "svf_portion_count": [_handle, _handle, c_void_p],
    "svf_table_join": [_new, c_size_t, _new],
    "svf_chunks_open": [c_char_p, POINTER(ReadOptions), _new],
    "svf_chunks_from": [POINTER(RowSource), _new],
    "svf_train_from_disk": [_handle, _handle, POINTER(DiskOptions), POINTER(Run), _new],
    "svf_portion_select": [_handle, _handle, POINTER(Cells), _new],
    "svf_forest_oob": [_handle, _handle, POINTER(Run), POINTER(OobAnswers)],
    "svf_forest_importance": [_handle, c_void_p, c_void_p],
    "svf_forest_permute": [_handle, _handle, POINTER(Run), POINTER(Permutation)],
}

# The others: what they return, then what they take.
_plain = {
    "svf_version": [c_char_p],
    "svf_setting_count": [c_size_t],
    "svf_setting_at": [POINTER(SettingInfo), c_size_t],
    "svf_method_count": [c_size_t],
    "svf_method_at": [POINTER(MethodInfo), c_size_t],
    "svf_method_default": [c_char_p, c_int],
    "svf_kind_count": [c_size_t],
    "svf_kind_at": [KindInfo, c_size_t],
    "svf_synth_count": [c_size_t],
    "svf_synth_at": [POINTER(SynthInfo), c_size_t],
    "svf_table_free": [None, _handle],
    "svf_table_rows": [c_size_t, _handle],
    "svf_table_columns": [c_size_t, _handle],
    "svf_table_number": [c_double, _handle, c_size_t, c_size_t],
    "svf_table_classes": [c_size_t, _handle],
    "svf_table_class_name": [c_char_p, _handle, c_size_t],
    "svf_table_labels": [POINTER(c_int32), _handle],
    "svf_table_values": [POINTER(c_double), _handle],
    "svf_table_measure": [c_double, _handle, c_void_p],
    "svf_tuning_free": [None, _handle],
    "svf_tuning_describe": [None, _handle, POINTER(TuningInfo)],
    "svf_tuning_candidate": [None, _handle, c_size_t, POINTER(CandidateInfo)],
    "svf_settings_free": [None, _handle],
    "svf_settings_reads": [c_int, _handle, c_size_t],
    "svf_settings_get": [c_int, _handle, c_char_p, c_char_p, c_size_t],
    "svf_portion_free": [None, _handle],
    "svf_chunks_free": [None, _handle],
    "svf_chunks_rows": [c_uint64, _handle],
    "svf_chunks_columns": [c_size_t, _handle],
    "svf_portion_bytes": [c_void_p, _handle, POINTER(c_size_t)],
    "svf_portion_describe": [None, _handle, POINTER(PortionInfo)],
    "svf_forest_free": [None, _handle],
    "svf_forest_calibrated": [c_size_t, _handle],
    "svf_forest_conformal": [c_double, _handle, c_double],
    "svf_forest_has_spreads": [c_int, _handle],
    "svf_predictor_free": [None, _handle],
    "svf_forest_bytes": [c_void_p, _handle, POINTER(c_size_t)],
    "svf_forest_describe": [None, _handle, POINTER(ForestInfo)],
    "svf_forest_settings": [_handle, _handle],
    "svf_committee_describe": [None, _handle, POINTER(CommitteeInfo)],
    "svf_committee_member": [None, _handle, c_size_t, POINTER(MemberInfo)],
    "svf_forest_class_name": [c_char_p, _handle, c_size_t],
    "svf_forest_class_weight": [c_double, _handle, c_size_t],
    "svf_forest_feature_name": [c_char_p, _handle, c_size_t],
    "svf_forest_categories": [c_size_t, _handle, c_size_t],
    "svf_forest_category_name": [c_char_p, _handle, c_size_t, c_size_t],
    "svf_forest_is_date": [c_int, _handle, c_size_t],
    "svf_forest_is_left_out": [c_int, _handle, c_size_t],
    "svf_forest_metric": [c_int, _handle, c_void_p],
    "svf_date_read": [c_int, c_char_p, POINTER(c_double)],
    "svf_forest_encoded": [None, _handle, c_size_t, POINTER(EncodedInfo)],
    "svf_forest_node_levels": [c_size_t, _handle, c_size_t, c_size_t, POINTER(c_uint32)],
    "svf_encoded_decode": [c_double, POINTER(EncodedInfo), c_double],
    "svf_forest_tree": [None, _handle, c_size_t, POINTER(TreeInfo)],
    "svf_forest_node": [None, _handle, c_size_t, c_size_t, POINTER(NodeInfo)],
    "svf_forest_leaf": [None, _handle, c_size_t, c_size_t, POINTER(LeafInfo)],
    "svf_forest_leaf_text": [c_size_t, _handle, c_size_t, c_size_t, c_char_p, c_size_t],
}


def _load() -> ctypes.CDLL:
    here = Path(__file__).parent
    found = sorted(here.glob("libsvforest.*"))
    if not found:
        raise ImportError(f"svforest: the library is not in {here}; install the package with 'pip install .'")
    library = ctypes.CDLL(str(found[0]))
    for name, takes in _checked.items():
        function = getattr(library, name)
        function.restype, function.argtypes = c_int, [*takes, POINTER(Message)]
    for name, (gives, *takes) in _plain.items():
        function = getattr(library, name)
        function.restype, function.argtypes = gives, takes
    return library


library = _load()


class DataError(ValueError):
    """What was handed over is wrong: a table or a model file."""


_raised: dict[int, type[BaseException]] = {
    USAGE: ValueError,
    DATA: DataError,
    IO: OSError,
    MEMORY: MemoryError,
    STOPPED: KeyboardInterrupt,
}


def check(status: int, message: Message) -> None:
    """Raises what a function said if it is not OK."""
    if status != OK:
        raise _raised[status](message.text.decode(errors="replace"))


def call(name: str, *args: Any) -> None:
    """Calls a function that returns a status; raises what it says if that is not OK."""
    message = Message()
    check(getattr(library, name)(*args, byref(message)), message)


def make(name: str, *args: Any) -> c_void_p:
    """Calls a function whose last argument before the message is the new object, and returns that."""
    made = c_void_p()
    call(name, *args, byref(made))
    return made


def texts(names: list[str]) -> ctypes.Array[c_char_p]:
    """Names as the library takes them."""
    for name in names:
        if "\0" in name:
            raise ValueError(f"a name must not hold a zero character: {name!r}")
    return (c_char_p * max(len(names), 1))(*(bytes_of(name) for name in names))


def bytes_of(name: str) -> bytes:
    """A name as the library holds it."""
    return name.encode(errors="surrogateescape")


def text_from(name: bytes) -> str:
    """A name of the library. Files may hold bytes that are no UTF-8: they come back from `bytes_of` as they were."""
    return name.decode(errors="surrogateescape")
