"""The peers of tables.py: each learns from a frame of mixed columns, in the way its users do, with its defaults."""
import importlib.metadata
import time

import numpy
import pandas

HGB_LEVELS = 254  # most levels of a category: HistGradientBoosting takes 255 bins with the missing one
MISSING = "missing"  # a level, where a peer wants text


def texts(frame):
    """The names of the columns that are no numbers."""
    return [name for name in frame.columns if not pandas.api.types.is_numeric_dtype(frame[name])]


def one_hot(train, test):
    """Both frames as matrices of numbers, a column for each level of a category; a missing cell is a level."""
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import OneHotEncoder
    encoder = make_column_transformer((OneHotEncoder(handle_unknown="ignore", sparse_output=False), texts(train)),
                                      remainder="passthrough", verbose_feature_names_out=False)
    return encoder.fit_transform(train).astype(numpy.float32), encoder.transform(test).astype(numpy.float32)


def ordinal(train, test):
    """Both frames as matrices of numbers, a code for each of the frequent levels."""
    from sklearn.compose import make_column_transformer
    from sklearn.preprocessing import OrdinalEncoder
    encoder = make_column_transformer(
        (OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=numpy.nan, max_categories=HGB_LEVELS),
         texts(train)), remainder="passthrough")
    return encoder.fit_transform(train), encoder.transform(test)


def categories(train, test):
    """Both frames with columns of pandas' categories; a level that the training rows have not is missing."""
    train, test = train.copy(), test.copy()
    for name in texts(train):
        train[name] = train[name].astype("category")
        test[name] = pandas.Categorical(test[name], categories=train[name].cat.categories)
    return train, test


def filled(train, test):
    """Both frames with a word in missing cells of text."""
    fill = {name: MISSING for name in texts(train)}
    return train.fillna(fill), test.fillna(fill)


def forest(task, state, train, threads):
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
    return (RandomForestClassifier if task == "class" else RandomForestRegressor)(n_jobs=threads, random_state=state)


def histogram(task, state, train, threads):
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    kind = HistGradientBoostingClassifier if task == "class" else HistGradientBoostingRegressor
    return kind(random_state=state, categorical_features=range(len(texts(train))))


def lightgbm(task, state, train, threads):
    from lightgbm import LGBMClassifier, LGBMRegressor
    return (LGBMClassifier if task == "class" else LGBMRegressor)(n_jobs=threads, random_state=state, verbose=-1)


def catboost(task, state, train, threads):
    from catboost import CatBoostClassifier, CatBoostRegressor
    return (CatBoostClassifier if task == "class" else CatBoostRegressor)(
        thread_count=threads, random_seed=state, verbose=False, allow_writing_files=False, cat_features=texts(train))


class Coded:
    """A classifier that wants its classes as 0, 1, ..."""

    def __init__(self, model):
        self.model = model

    def fit(self, rows, target):
        self.classes_, codes = numpy.unique(target, return_inverse=True)
        self.model.fit(rows, codes)

    def predict_proba(self, rows):
        return self.model.predict_proba(rows)


def xgboost(task, state, train, threads):
    from xgboost import XGBClassifier, XGBRegressor
    given = {"n_jobs": threads, "random_state": state, "enable_categorical": True}
    return Coded(XGBClassifier(**given)) if task == "class" else XGBRegressor(**given)


# name: package, what makes the model, what prepares the frames.
PEERS = {
    "sklearn RF": ("scikit-learn", forest, one_hot),
    "sklearn HGB": ("scikit-learn", histogram, ordinal),
    "LightGBM": ("lightgbm", lightgbm, categories),
    "CatBoost": ("catboost", catboost, filled),
}
# Those of boost.py, too.
ALL = {**PEERS, "XGBoost": ("xgboost", xgboost, categories)}


def version(name):
    """Of the peer's package; None: it is not installed."""
    try:
        return f"{ALL[name][0]} {importlib.metadata.version(ALL[name][0])}"
    except importlib.metadata.PackageNotFoundError:
        return None


def answers(name, task, state, train, target, test):
    """Processor seconds of fit alone, and the answers to the test rows: probabilities and classes, or numbers."""
    _, make, prepare = ALL[name]
    model = make(task, state, train, 1)
    train, test = prepare(train, test)
    start = time.process_time()
    model.fit(train, target)
    seconds = time.process_time() - start
    if task == "regress":
        return seconds, model.predict(test), None
    return seconds, model.predict_proba(test), [str(label) for label in model.classes_]
