"""Who takes part: every method of the library for the task, and the peers that users would pick instead."""
import importlib

# name: module, class, its keywords; a scaled one sees standardised features. All on one thread.
PEERS = {
    "sklearn RF": ("sklearn.ensemble", "RandomForestClassifier", {"n_jobs": 1}),
    "sklearn ET": ("sklearn.ensemble", "ExtraTreesClassifier", {"n_jobs": 1}),
    "sklearn HGB": ("sklearn.ensemble", "HistGradientBoostingClassifier", {}),
    "sklearn SVC": ("sklearn.svm", "SVC", {}),
    "LightGBM": ("lightgbm", "LGBMClassifier", {"n_jobs": 1, "verbose": -1, "deterministic": True}),
}
SCALED = {"sklearn SVC"}


def package(name):
    """What must be installed for it; None: it is ours."""
    return PEERS[name][0].split(".")[0] if name in PEERS else None


def ours(task):
    """Names of the library's methods for 'class' or 'regress'."""
    import svforest
    return [name for name, method in svforest.methods.items() if method.allows({"class": 1, "regress": 2}[task])]


def own(cls, name, seed, settings):
    """A method of the library; settings under the library's own names."""
    import svforest
    keyword = {setting.name: setting.keyword for setting in svforest.settings}
    given = {keyword[setting]: value for setting, value in settings.items()}
    return getattr(svforest, cls)(name, n_jobs=1, random_state=seed, **given)


def make(name, seed, **settings):
    """An unfitted classifier with the method's own settings but for those given."""
    if name not in PEERS:
        return own("SVForestClassifier", name, seed, settings)
    module, cls, given = PEERS[name]
    model = getattr(importlib.import_module(module), cls)(random_state=seed, **given, **settings)
    if name not in SCALED:
        return model
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler
    return make_pipeline(StandardScaler(), model)
