"""Frames of pandas and polars: names, categories, missing values."""

import warnings

import numpy as np
import pytest

from svforest import ETClassifier, RFClassifier, RFRegressor, RSVTClassifier, TableWarning

pd = pytest.importorskip("pandas")


@pytest.fixture
def frame():
    random = np.random.default_rng(3)
    frame = pd.DataFrame(
        {
            "number": random.normal(size=240),
            "whole": random.integers(0, 9, 240),
            "flag": random.random(240) < 0.5,
            "text": random.choice(["cat", "dog", "owl"], 240),
            "level": pd.Categorical(random.choice(["low", "mid", "high"], 240), ["low", "mid", "high", "unused"]),
            "maybe": pd.array(random.integers(0, 5, 240), dtype="Int64"),
        }
    )
    frame.loc[::9, "text"] = None
    frame.loc[::8, "maybe"] = pd.NA
    return frame


@pytest.fixture
def target(frame):
    return np.where((frame["text"] == "cat") ^ (frame["number"] > 0.3), "in", "out")


def one_hot(frame):
    """The same by hand, as numbers; a missing category is missing in all of its columns."""
    columns = [frame["number"], frame["whole"], frame["flag"]]
    for name, levels in (("text", ["cat", "dog", "owl"]), ("level", ["high", "low", "mid"])):
        columns += [(frame[name] == level).astype(float).where(frame[name].notna()) for level in levels]
    columns.append(frame["maybe"].astype("float64"))
    return np.column_stack([np.asarray(c, dtype=float) for c in columns])


def test_categories_are_one_hot_or_codes(frame, target):
    """A category is one column of codes for cuts that divide levels, and 0/1 columns for machines."""
    keywords = dict(n_estimators=3, random_state=0)
    model = RFClassifier(max_features="all", **keywords).fit(frame, target)
    assert list(model.feature_names_in_) == list(frame.columns) and model.n_features_in_ == 6
    assert model.forest_.info.encoded == 6 and model.score(frame, target) > 0.95
    hot = one_hot(frame)
    assert RFClassifier(max_features="all", **keywords).fit(hot, target).score(hot, target) > 0.95
    machine = RSVTClassifier(missing_indicator=0, **keywords).fit(frame, target)
    assert machine.forest_.info.encoded == hot.shape[1]


def test_names_must_agree(frame, target):
    model = RFClassifier(n_estimators=3, random_state=0).fit(frame, target)
    with pytest.raises(ValueError, match="feature names should match"):
        model.predict(frame.rename(columns={"text": "word"}))
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame[frame.columns[::-1]])
    with pytest.raises(ValueError, match="5 features|feature names"):
        model.predict(frame[frame.columns[:5]])
    numeric = frame[["number", "whole"]]
    plain = RFClassifier(n_estimators=3, random_state=0).fit(numeric, target)
    with pytest.warns(UserWarning, match="does not have valid feature names"):
        plain.predict(numeric.to_numpy())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert plain.predict(numeric[:1]).shape == (1,)


def test_text_where_numbers_were(frame, target):
    numeric = frame[["number", "whole"]]
    named = RFClassifier(n_estimators=3, random_state=0).fit(numeric, target)
    plain = RFClassifier(n_estimators=3, random_state=0).fit(numeric.to_numpy(), target)
    for model in (named, plain):
        with warnings.catch_warnings(), pytest.raises(ValueError, match="column 'whole' holds text or categories"):
            warnings.simplefilter("ignore")  # plain was fitted without names
            model.predict(numeric.assign(whole="many"))


def test_unknown_categories_count_as_missing(frame, target):
    model = RFClassifier(n_estimators=5, random_state=0).fit(frame, target)
    strange, missing = frame.copy(), frame.copy()
    strange.loc[:9, "text"] = "yak"
    missing.loc[:9, "text"] = None
    with pytest.warns(UserWarning, match="10 cells hold categories"):
        said = model.predict_proba(strange)
    np.testing.assert_array_equal(said, model.predict_proba(missing))


def test_dtypes_that_say_the_same(frame, target):
    keywords = dict(n_estimators=3, random_state=0)
    bytes_of = lambda f: RFClassifier(**keywords).fit(f, target).forest_.to_bytes()
    first = bytes_of(frame)
    assert bytes_of(frame.assign(text=frame["text"].astype("category"))) == first
    assert bytes_of(frame.assign(text=frame["text"].astype(object))) == first
    assert bytes_of(frame.assign(text=frame["text"].astype("string"))) == first
    assert bytes_of(frame.assign(level=frame["level"].astype(object))) == first
    assert bytes_of(frame.assign(whole=frame["whole"].astype(object))) == first
    assert bytes_of(frame.assign(number=frame["number"].astype("Float64"))) == first


def test_refused_columns(frame, target):
    with pytest.raises(ValueError, match="holds times"):
        RFClassifier().fit(frame.assign(when=pd.Timedelta("1h")), target)
    two = frame[["number", "number"]].copy()
    with pytest.raises(ValueError):
        RFClassifier().fit(two.assign(text="a"), target)


def test_numbers_by_frame(frame):
    y = frame["number"] * 2 + (frame["text"] == "owl")
    model = RFRegressor(n_estimators=20, random_state=0).fit(frame, y)
    assert model.score(frame, y) > 0.8
    one = model.predict(frame[:1])
    assert one[0] == model.predict(frame)[0]


def test_polars_is_like_pandas(frame, target):
    pl = pytest.importorskip("polars")
    same = pl.DataFrame(
        {
            "number": frame["number"].to_numpy(),
            "whole": frame["whole"].to_numpy(),
            "flag": frame["flag"].to_numpy(),
            "text": [None if pd.isna(t) else t for t in frame["text"]],
            "level": pl.Series(list(frame["level"]), dtype=pl.Categorical),
            "maybe": [None if pd.isna(m) else int(m) for m in frame["maybe"]],
        }
    )
    model = ETClassifier(n_estimators=3, random_state=0).fit(same, target)
    assert model.forest_.to_bytes() == ETClassifier(n_estimators=3, random_state=0).fit(frame, target).forest_.to_bytes()
    assert list(model.feature_names_in_) == list(frame.columns)
    np.testing.assert_array_equal(model.predict_proba(same), model.predict_proba(frame))
    numeric = same.select("number", "whole")
    plain = RFClassifier(n_estimators=3, random_state=0).fit(numeric, target)
    np.testing.assert_array_equal(plain.predict_proba(numeric), plain.predict_proba(frame[["number", "whole"]]))
    with pytest.raises(ValueError, match="holds times"):
        model.fit(same.with_columns(when=pl.duration(hours=1)), target)


def test_names_are_left_out(frame, target):
    named = frame.assign(person=[f"person {i}" for i in range(len(frame))])
    with pytest.warns(TableWarning, match="column 'person': nearly every row has a text of its own"):
        model = RFClassifier(n_estimators=5, random_state=0).fit(named, target)
    assert not model.forest_.categories(named.columns.get_loc("person"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # other names are no news
        others = model.predict(named.assign(person=[f"other {i}" for i in range(len(frame))]))
    assert (others == model.predict(named)).all()


def test_lazy_frames_are_refused(target):
    pl = pytest.importorskip("polars")
    lazy = pl.LazyFrame({"x": np.arange(len(target))})
    with pytest.raises(TypeError, match=r"pass X\.collect\(\)"):
        RFClassifier(n_estimators=2).fit(lazy, target)
    assert len(RFClassifier(n_estimators=2).fit(lazy.collect(), target).predict(lazy.collect())) == len(target)
