"""Columns of dates: every kind of frame says the same as a file, bit for bit, and what is no date is refused."""

import datetime as dt
import warnings

import numpy as np
import pytest

import svforest
from svforest._dates import dates_of, dates_of_text, dates_of_values
from svforest._frames import frame_rows

EPOCH = dt.datetime(1970, 1, 1)
ROWS = 120


def moments(count, seed=0):
    """Times of all years, to the microsecond, some without a time of day."""
    random = np.random.default_rng(seed)
    last = (dt.datetime.max - dt.datetime.min) // dt.timedelta(microseconds=1)
    times = [dt.datetime.min + dt.timedelta(microseconds=int(x)) for x in random.integers(0, last, count)]
    return [t if i % 5 else t.replace(hour=0, minute=0, second=0, microsecond=0) for i, t in enumerate(times)]


def table(count=ROWS):
    """Times of three years, one missing; the class is the afternoon of a weekday."""
    random = np.random.default_rng(4)
    times = [dt.datetime(2022, 1, 1) + dt.timedelta(seconds=int(s)) for s in random.integers(0, 3 * 365 * 86400, count)]
    labels = [int(t.hour > 11 and t.isoweekday() < 6) for t in times]
    return random.normal(size=count).tolist(), [*times[:-1], None], labels


def test_days_are_those_of_python():
    times = moments(4000)
    exact = [(t - EPOCH) // dt.timedelta(microseconds=1) for t in times]
    days = [micro // 86400_000_000 + micro % 86400_000_000 * 1000 / 86400e9 for micro in exact]
    np.testing.assert_array_equal(dates_of_values(times).days, days)
    codes = np.arange(len(times))
    for separator in "T ":
        np.testing.assert_array_equal(dates_of_text(codes, [t.isoformat(separator) for t in times]).days, days)
    for hours in (-11.5, 5, 14):
        zone = dt.timezone(dt.timedelta(hours=hours))
        inside = [t for t in times if 2 < t.year < 9998]
        wanted = dates_of_values(inside).days
        moved = [t.replace(tzinfo=dt.timezone.utc).astimezone(zone) for t in inside]
        np.testing.assert_array_equal(dates_of_values(moved).days, wanted)
        np.testing.assert_array_equal(dates_of_text(np.arange(len(inside)), [t.isoformat() for t in moved]).days, wanted)


@pytest.mark.parametrize("unit", ["Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps"])
def test_units(unit):
    times = np.array(["1969-12-31T23:59:59", "1970-01-31T12:00", "2000-02-29", "NaT", "1970-01-01"], "M8[s]").astype(f"M8[{unit}]")
    if unit == "ps":
        times = times[[0, 1, 3, 4]]  # 2000 is out of its range
    days = dates_of(times).days
    texts = [str(t) for t in times.astype("M8[s]")]
    np.testing.assert_array_equal(days, dates_of_text(np.arange(len(texts)), texts).days)
    assert np.isnan(days[-2]) and not np.isnan(days[:-2]).any()


def days_of(X, column=-1):
    return frame_rows(X).columns[column].days


def test_frames_agree():
    _, times, _ = table()
    wanted = dates_of_values(times).days
    array = np.array(times, "M8[us]")
    np.testing.assert_array_equal(days_of(np.column_stack([array, array])), wanted)
    pd = pytest.importorskip("pandas")
    for kind in ("datetime64[us]", "datetime64[ns]", "datetime64[s]", object):
        np.testing.assert_array_equal(days_of(pd.DataFrame({"t": pd.Series(times, dtype=kind)})), wanted)
    berlin = pd.Series(array).dt.tz_localize("UTC").dt.tz_convert("Europe/Berlin")
    np.testing.assert_array_equal(days_of(pd.DataFrame({"t": berlin})), wanted)
    dates = pd.DataFrame({"t": pd.Series([None if t is None else t.date() for t in times], dtype=object)})
    np.testing.assert_array_equal(days_of(dates), np.floor(wanted))
    pl = pytest.importorskip("polars")
    for unit in ("ms", "us", "ns"):
        series = pl.Series("t", times).cast(pl.Datetime(unit))
        np.testing.assert_array_equal(days_of(series.to_frame()), wanted)
        there = series.dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Kolkata")
        np.testing.assert_array_equal(days_of(there.to_frame()), wanted)
    np.testing.assert_array_equal(days_of(pl.Series("t", times).cast(pl.Date).to_frame()), np.floor(wanted))
    pa = pytest.importorskip("pyarrow")
    for kind in (*(pa.timestamp(unit) for unit in ("s", "ms", "us", "ns")), pa.timestamp("us", "America/New_York")):
        np.testing.assert_array_equal(days_of(pa.table({"t": pa.array(times).cast(kind)}).slice(7)), wanted[7:])
    for kind in (pa.date32(), pa.date64()):
        cells = pa.array(times).cast(pa.date32()).cast(kind)
        np.testing.assert_array_equal(days_of(pa.table({"t": pa.chunked_array([cells[:50], cells[50:]])})), np.floor(wanted))
    arrow = pd.DataFrame({"t": pd.Series(times, dtype=pd.ArrowDtype(pa.timestamp("us")))})
    np.testing.assert_array_equal(days_of(arrow), wanted)


SETTINGS = dict(n_estimators=5, random_state=3, cpu="portable")


def bytes_of(model, path):
    model.save(path)
    return path.read_bytes()


def test_the_model_of_a_file(command, tmp_path):
    """Frames and a CSV file of the same rows make the same model, byte for byte."""
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    size, times, labels = table()
    frame = pd.DataFrame({"size": size, "t": times})
    frame.assign(y=labels).to_csv(tmp_path / "t.csv", index=False)
    flags = [f"{k}={v}" for k, v in (("trees", 5), ("cpu", "portable"))]
    command("train", "-q", "-m", "rf", *(w for f in flags for w in ("-s", f)), "--seed", "3", "-o", tmp_path / "c.svf", tmp_path / "t.csv")
    sources = {
        "pandas": frame,
        "text": frame.assign(t=[None if t is None else t.isoformat() + "Z" for t in times]),
        "objects": frame.assign(t=pd.Series(times, dtype=object)),
        "polars": pl.DataFrame({"size": size, "t": times}),
        "arrow": pa.table({"size": size, "t": times}),
    }
    made = {name: svforest.RFClassifier(**SETTINGS).fit(X, pd.Series(labels, name="y")) for name, X in sources.items()}
    first = bytes_of(made["pandas"], tmp_path / "p.svf")
    for name, model in made.items():
        assert bytes_of(model, tmp_path / "o.svf") == first, name
        assert model.feature_names_in_.tolist() == ["size", "t"]
        assert model.score(sources["pandas"], labels) == model.score(sources[name], labels) > 0.95
    wanted = svforest.load(tmp_path / "c.svf").predict_proba(frame)
    np.testing.assert_array_equal(made["pandas"].predict_proba(frame), wanted)
    for name, X in sources.items():
        np.testing.assert_array_equal(made["arrow"].predict_proba(X), wanted, err_msg=name)


def test_month_and_hour_are_seen():
    pd = pytest.importorskip("pandas")
    _, times, labels = table(2000)
    X = pd.DataFrame({"t": times})
    for cls, least in ((svforest.RFClassifier, 0.99), (svforest.ETClassifier, 0.9), (svforest.CCFClassifier, 0.9)):
        model = cls(random_state=0).fit(X[:1000], labels[:1000])
        assert model.score(X[1000:], labels[1000:]) > least, cls


def test_other_columns_are_refused():
    pd = pytest.importorskip("pandas")
    size, times, labels = table()
    X = pd.DataFrame({"size": size, "t": times})
    model = svforest.RFClassifier(n_estimators=3).fit(X, labels)
    with pytest.raises(ValueError, match="the model needs dates such as 2024-01-31, and these are numbers"):
        model.predict(X.assign(t=range(len(X))))
    with pytest.raises(ValueError, match="row 3, column 'x2': 'soon' is not a date"):
        model.predict(X.assign(t=["2024-01-31", "2024-01-31T12:00", *["soon"] * (len(X) - 2)]))
    assert model.predict(X.assign(t=pd.Series([None] * len(X), dtype="datetime64[ns]"))).shape == (len(X),)
    numbers = svforest.RFClassifier(n_estimators=3).fit(X.assign(t=range(len(X))), labels)
    with pytest.raises(ValueError, match="the model needs numbers, and these are dates"):
        numbers.predict(X)
    words = X.assign(t=pd.Categorical([str(t) for t in times]))
    categories = svforest.RFClassifier(n_estimators=3, name_levels=1).fit(words, labels)  # the type says what they are
    assert categories.forest_.categories(1) == len(X)
    assert categories.predict(words.assign(t=words.t.astype(object))).shape == (len(X),)
    with pytest.raises(ValueError, match="the model needs the categories that it was trained on, and these are dates"):
        categories.predict(X)
    if pd.__version__ >= "2":  # before, frames held nanoseconds alone
        with pytest.raises(ValueError, match="row 1, column 'x2': a date outside of the years 1 to 9999"):
            model.predict(X.assign(t=np.full(len(X), "20000-01-01", "M8[s]")))


@pytest.mark.parametrize("kind", ["pandas", "polars", "arrow", "numpy", "list", "objects", "zone"])
def test_labels_are_no_dates(kind):
    _, times, _ = table()
    times[-1] = times[0]
    X = np.arange(2.0 * len(times)).reshape(-1, 2)
    if kind == "polars":
        y = pytest.importorskip("polars").Series(times)
    elif kind == "arrow":
        y = pytest.importorskip("pyarrow").array(times)
    elif kind in ("pandas", "zone"):
        y = pytest.importorskip("pandas").Series(times)
        y = y.dt.tz_localize("UTC") if kind == "zone" else y
    else:
        y = {"numpy": np.array(times, "M8[s]"), "list": times, "objects": np.array(times, object)}[kind]
    for fit in (svforest.RFClassifier().fit, svforest.RFRegressor().fit, lambda X, y: svforest.tune(X, y, candidates=1)):
        with pytest.raises(ValueError, match="y holds dates; make numbers of them"):
            fit(X, y)
    with pytest.raises(ValueError, match="sample_weight holds dates"):
        svforest.RFClassifier().fit(X, np.arange(len(X)) % 2, sample_weight=y)


def test_durations_are_refused():
    pd, pl, pa = (pytest.importorskip(name) for name in ("pandas", "polars", "pyarrow"))
    spans = [dt.timedelta(hours=h) for h in range(4)]
    hours = [dt.time(h) for h in range(4)]
    X = [pd.DataFrame({"t": v}) for v in (spans, hours)] + [pl.DataFrame({"t": v}) for v in (spans, hours)]
    X += [pa.table({"t": v}) for v in (spans, hours)] + [np.array(spans, "m8[s]")[:, None]]
    for frame in X:
        with pytest.raises(ValueError, match="holds times; turn them into numbers first"):
            svforest.RFClassifier().fit(frame, [0, 1, 0, 1])


def test_tuning_and_warm_start():
    pd = pytest.importorskip("pandas")
    size, times, labels = table()
    X = pd.DataFrame({"size": size, "t": [None if t is None else t.isoformat() for t in times]})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = svforest.tune(X, labels, "rf", candidates=2, trees=5)
    assert model.forest_.is_date(1) and model.score(X, labels) > 0.9
    grown = svforest.RFClassifier(**SETTINGS, warm_start=True).fit(X, labels)
    grown.set_params(n_estimators=8).fit(X, labels)
    assert grown.forest_.trees == 8 and grown.forest_.is_date(1)
