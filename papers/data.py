"""The data sets by name: which files they are, whether they are there. Standard library only."""
import os
import pathlib

ROOT = pathlib.Path(__file__).resolve().parent.parent
DATA = pathlib.Path(os.environ.get("SVFOREST_DATA") or ROOT / "data")

# Every classification set of the collection, the wide ones last; those with a split of their own are two files.
CLASSES = ["wine", "iris", "glass", "sonar", "vehicle", "australian", "german", "breast_cancer_wdbc", "contraceptive", "segment",
           "vowel", "pendigits", "letter", "abalone", "spambase", "digits_sklearn", "optdigits", "urban_land_cover", "dna", "a2a",
           "madelon", "usps", "usps_libsvm", "isolet_part"]
SPLIT = {"urban_land_cover", "madelon", "optdigits", "isolet_part", "letter", "dna", "vowel", "pendigits", "a2a", "usps",
         "usps_libsvm"}
NUMBERS = ["pts", "aep", "hpp", "sarcos_testpart"]


def files(name):
    """Paths of a set: 'letter' is both of its parts, 'letter.train' one of them."""
    whole = DATA / f"{name}.csv.gz"  # also of a set with two parts, where it was fetched
    return [whole] if name not in SPLIT or whole.exists() else [DATA / f"{name}.{part}.csv.gz" for part in ("train", "test")]


def there(name):
    return all(path.exists() for path in files(name))
