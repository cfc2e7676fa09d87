#!/usr/bin/env bash
# report: every section is there, the page is well formed and has no link to elsewhere, names are escaped, and bad input is refused.
. "$(dirname "$0")/lib.sh"
command -v python3 >/dev/null || { echo "skipped: no python3"; exit 77; }

cat >look.py <<'PYTHON'
"""look.py PAGE SECTION... [+TEXT]... [-SECTION]: the sections and texts are in the page, pictures in all sections but -SECTION; tags
close; nothing is loaded or run."""
import sys
from html.parser import HTMLParser
from xml.etree import ElementTree

VOID = {"meta"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.sections, self.pictures, self.text, self.shown = [], {}, 0, [], set()

    def handle_starttag(self, tag, attributes, void=False):
        attributes = dict(attributes)
        assert tag not in ("script", "link", "iframe", "img", "object", "image", "use"), tag
        self.shown.add(tag)
        for name, value in attributes.items():
            assert not name.startswith("on") and name != "src", name
            assert name != "href" or value.startswith("#"), value
            if name == "href":
                self.text.append("->" + value)
        if tag == "section":
            self.sections[attributes["id"]] = 0
            self.last = attributes["id"]
        if tag == "svg":
            self.pictures += 1
            if self.sections:
                self.sections[self.last] += 1
        if tag not in VOID and not void:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes, void=True)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag, tag

    def handle_data(self, data):
        self.text.append(data)


name, *wanted = sys.argv[1:]
bare = next((one[1:] for one in wanted if one.startswith("-")), None)
wanted = [one for one in wanted if not one.startswith("-")]
raw = open(name, encoding="utf-8").read()
assert len(raw.encode()) < 2_000_000
assert "http" not in raw and "url(" not in raw and "@import" not in raw
page = Page()
page.feed(raw)
page.close()
assert not page.open, page.open
ElementTree.fromstring(raw.split("<!DOCTYPE html>\n")[1])  # no other is well-formed XML
text = "".join(page.text)
for one in wanted:
    if one.startswith("+"):
        assert one[1:] in text, one
    else:
        assert one in page.sections, one
        assert "->#" + one in text, one
        if one not in ("model", "hardest") and bare != one:
            assert page.sections[one] > 0, f"no picture in {one}"
assert len(page.sections) == sum(not one.startswith("+") for one in wanted), page.sections
PYTHON
look() { python3 look.py "$@" 2>err || fail "$1: not as it should be"; }
classes="model scores confusion ranking calibration importance dependence hardest columns"
values="model scores residuals coverage importance dependence hardest columns"

# Names, categories, classes and ids that would be markup; a date, missing cells.
python3 - <<'PYTHON'
import csv, random
random.seed(2)
for name, rows in (("train", 200), ("test", 120)):
    with open(name + ".csv", "w", newline="") as out:
        write = csv.writer(out)
        write.writerow(['<script>&"', "x]]>", "when", "kind", "id", "amount", "class"])
        for i in range(rows):
            a, b, kind = random.random(), random.gauss(0, 1), random.choice(["<b>&", "'two'", "", "\x01\x7f"])
            s = 3 * a + b + (kind == "<b>&")
            label = "<i>low" if s < 1.5 else "&amp;" if s < 2.5 else 'high"'
            write.writerow([a if i % 7 else "", b, f"2021-{1 + i % 12:02d}-{1 + i % 28:02d}", kind, f"<r{i}>", 10 * s, label])
PYTHON

works train -q -m rf --drop amount --id id train.csv -o classes.svf
works report classes.svf test.csv -o classes.html
prints "report  *classes.html"
# shellcheck disable=SC2086
look classes.html $classes '+<script>&"' '+x]]>' '+<i>low' '+&amp;' '+high"' '+<b>&' "+'two'" '+<r1' '+rf on test.csv'
works train -q -m rf --drop class --id id train.csv -o values.svf
works report -q values.svf test.csv -o values.html
[ -s out ] && fail "report -q: not silent"
# shellcheck disable=SC2086
look values.html $values '+<script>&"' '+2021-'

# two classes, a committee and one of its members, kernel machines, boosting, a calibrated model, out of bag, weights
numbers 120
for method in linear-svm rbf-svm boost; do
  works train -q -m $method numbers.csv -o m.svf
  works report -q m.svf numbers.csv -o m.html
  # shellcheck disable=SC2086
  look m.html $classes
done
works train -q -m auto --plan "effort=1 task=class folds=2 repeats=1; rf trees=5; linear-svm" numbers.csv -o both.svf
works report -q both.svf numbers.csv -o both.html
# shellcheck disable=SC2086
look both.html $classes +Leaderboard +linear-svm
works report -q --member 1 both.svf numbers.csv -o m.html
works train -q -m rf -s trees=20 numbers.csv -o bagged.svf
works report -q --oob bagged.svf numbers.csv -o m.html
# shellcheck disable=SC2086
look m.html $classes "+by the trees that did not see it"
works calibrate -q bagged.svf numbers.csv -o sure.svf
works report -q sure.svf numbers.csv -o m.html
# shellcheck disable=SC2086
look m.html $classes "+Sets of classes" "+rows of calibration"

# the scores are those of eval, with weights too
awk -F, 'NR == 1 { print $0 ",w" } NR > 1 { print $0 "," NR % 3 }' numbers.csv >weights.csv
works eval --json --weight w bagged.svf weights.csv --report m.html
python3 - <<'PYTHON' 2>err || fail "the scores are not those of eval"
import json, re
got = json.load(open("out"))
tiles = dict(re.findall(r'<div class="tile"><span>([^<]*)</span><b>([^<]*)</b>', open("m.html", encoding="utf-8").read()))
for key, name in (("accuracy",) * 2, ("balanced_accuracy", "balanced accuracy"), ("f1", "F1"), ("auc", "AUC"), ("log_loss", "log-loss")):
    assert abs(got[key] - float(tiles[name])) <= 1e-3 * abs(got[key]), (key, got[key], tiles)
PYTHON

# the same bytes: threads, eval, standard output; other seeds draw other samples
works report -q --threads 1 classes.svf test.csv -o one.html
same one.html classes.html
works report --threads 3 classes.svf test.csv -o -
same out classes.html
works eval classes.svf test.csv --report two.html
prints "accuracy"
same two.html classes.html
works report -q --seed 5 classes.svf test.csv -o two.html
cmp -s two.html classes.html && fail "the seed changes nothing"
works report -q --resamples 20 classes.svf test.csv -o two.html
# shellcheck disable=SC2086
look two.html $classes "+20 bootstrap samples"
works report --json classes.svf test.csv -o two.html
python3 -c 'import json; assert json.load(open("out")) == {"report": "two.html"}' || fail "report --json"

# a page that exists is replaced, or stays whole
works report -q classes.svf test.csv -o two.html
same two.html classes.html
mkdir closed && cp classes.html closed/page.html
refused 1 "directory" report classes.svf test.csv -o closed
refused 1 "." report classes.svf test.csv -o nowhere/page.html
refused 2 "overwritten" report classes.svf test.csv -o test.csv
refused 2 "name the page" report classes.svf test.csv
refused 2 "cannot both" report --json classes.svf test.csv -o -
refused 2 "cannot both" eval classes.svf test.csv --report -

# tables that cannot be measured
cut -d, -f1-5 test.csv >bare.csv
refused 1 "no target.*svforest info" report classes.svf bare.csv -o no.html
refused 1 "." eval classes.svf bare.csv --report no.html
refused 2 "committee" report --oob both.svf numbers.csv -o no.html
works train -q -m et numbers.csv -o whole.svf
refused 2 "rows=all" report --oob whole.svf numbers.csv -o no.html
[ -c /dev/full ] && refused 1 "full.*space" report classes.svf test.csv -o /dev/full
absent no.html

# one class alone, one row, unknown labels, a column that is empty
awk -F, 'NR == 1 || /yes/' numbers.csv >yes.csv
works report -q bagged.svf yes.csv -o m.html
# shellcheck disable=SC2086
look m.html $classes -ranking "+nothing to tell apart"
head -2 numbers.csv >row.csv
works report -q bagged.svf row.csv -o m.html
awk -F, 'NR > 1 && NR % 4 == 0 { $3 = "maybe" } { print $1 "," $2 "," $3 }' numbers.csv >odd.csv
works report -q bagged.svf odd.csv -o m.html
# shellcheck disable=SC2086
look m.html $classes "+(unknown)"
awk -F, '{ print (NR == 1 ? $1 : "") "," $2 "," $3 }' numbers.csv >empty.csv
works report -q bagged.svf empty.csv -o m.html
# shellcheck disable=SC2086
look m.html $classes
no_litter
finish
