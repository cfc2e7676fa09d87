"""Data sets by name from OpenML, through scikit-learn, as files of the kind that the experiments read.

    ./dev papers --fetch letter,spambase          into SVFOREST_DATA

A set that our collection splits into training and test rows comes whole: what needs that split then says that it is not
there. What comes is checked against the sizes below, since other versions of a set go by the same name.
"""
import csv
import gzip
import io
import os
import warnings

# name: OpenML's name where it differs, rows, features, classes
KNOWN = {"wine": ("wine", 178, 13, 3), "breast_cancer_wdbc": ("wdbc", 569, 30, 2), "vehicle": ("vehicle", 846, 18, 4),
         "contraceptive": ("cmc", 1473, 9, 3), "segment": ("segment", 2310, 19, 7), "madelon": ("madelon", 2600, 500, 2),
         "spambase": ("spambase", 4601, 57, 2), "optdigits": ("optdigits", 5620, 64, 10), "letter": ("letter", 20000, 16, 26),
         "dna": ("dna", 3186, 180, 3), "iris": ("iris", 150, 4, 3), "glass": ("glass", 214, 9, 6), "vowel": ("vowel", 990, 10, 11),
         "pendigits": ("pendigits", 10992, 16, 10), "abalone": ("abalone", 4177, 8, 28), "australian": ("australian", 690, 14, 2),
         "usps": ("USPS", 9298, 256, 10), "sonar": ("sonar", 208, 60, 2)}


def fetch(name, folder, say=print):
    """Writes NAME.csv.gz into the folder; returns its path. Where nothing comes the program ends with a line that says so."""
    from sklearn.datasets import fetch_openml
    theirs = KNOWN[name][0] if name in KNOWN else name
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of trying again
            found = fetch_openml(name=theirs, version="active", as_frame=True, parser="liac-arff")
    except (OSError, ValueError) as error:  # no network, no such set, an answer that is none
        raise SystemExit(f"{name}: nothing came from OpenML: {' '.join(str(error).split())}") from None
    rows = [[*map(number, row), label] for row, label in zip(coded(found.data), found.target)]
    check(name, len(rows), found.data.shape[1], len(set(found.target)), say)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.csv.gz"
    write(path, [*map(str, found.data.columns), "target"], rows)
    say(f"written: {path.name}, {len(rows)} rows")
    return path


def coded(frame):
    """Rows of numbers; categories become their codes, from 0 on in the order of their names."""
    columns = [frame[name].cat.codes if str(frame[name].dtype) == "category" else frame[name] for name in frame.columns]
    return zip(*columns)


def number(value):
    value = float(value)
    return int(value) if value.is_integer() else value


def check(name, rows, features, classes, say):
    wanted = KNOWN.get(name, (None, rows, features, classes))[1:]
    if (rows, features, classes) != wanted:
        say(f"{name}: OpenML has {rows} rows, {features} features and {classes} classes, ours {wanted[0]}, {wanted[1]} and {wanted[2]}: "
            "figures cannot be compared")


def write(path, header, rows):
    """Put in place by a rename, so that a broken transfer leaves nothing."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([header, *rows])
    part = path.with_suffix(".part")
    part.write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))
    os.replace(part, path)
