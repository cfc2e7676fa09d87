"""When, where and with which versions something is measured: kept with every result."""
import datetime
import importlib.metadata
import os
import platform
import subprocess

import common  # of bench/
import data


def gather():
    versions = {name: version(name) for name in ("numpy", "scipy", "scikit-learn", "lightgbm")}
    return {"date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(), "svforest": program(),
            "machine": f"{common.processor_name()}, {common.processors()} cores, one thread used, {beside()}",
            "python": platform.python_version(), **{name: found for name, found in versions.items() if found}}


def beside():
    """What else the machine does at the start."""
    return "other work beside it" if os.getloadavg()[0] > common.processors() / 2 else "hardly other work beside it"


def version(package):
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def program():
    """The version, and in a checkout the commit that last changed the library; + where it is changed since."""
    import svforest
    last = git("log", "-1", "--format=%h", "--", "src", "include")
    changed = git("status", "--porcelain", "--", "src", "include")
    return f"{svforest.__version__} {last}{'+' if changed else ''}".strip()


def git(*words):
    try:
        return subprocess.run(["git", "-C", str(data.ROOT), *words], check=False, capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""
