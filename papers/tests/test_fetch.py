"""A set comes from OpenML as the experiments read it: against a server on this machine that answers as OpenML does.

Needs scikit-learn; where it is missing the test is skipped.
"""
import gzip
import hashlib
import http.server
import json
import pathlib
import sys
import tempfile
import threading
import unittest
import unittest.mock
import urllib.error
import warnings

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import fetch

try:
    from sklearn.datasets import _openml
except ImportError:
    _openml = None

ARFF = """@relation toy
@attribute width numeric
@attribute colour {red,green}
@attribute class {a,b}
@data
1.5,red,a
2,green,b
3.25,green,a
4,red,b
"""


class Stub(http.server.BaseHTTPRequestHandler):
    """Four answers in JSON and one file."""

    def do_GET(self):
        base = f"http://{self.headers['Host']}"
        feature = [{"index": str(i), "name": name, "data_type": kind, "is_target": str(name == "class").lower(),
                    "is_ignore": "false", "is_row_identifier": "false", "number_of_missing_values": "0"}
                   for i, (name, kind) in enumerate([("width", "numeric"), ("colour", "nominal"), ("class", "nominal")])]
        about = {"id": "7", "name": "toy", "version": "1", "description": "", "format": "ARFF", "file_id": "9",
                 "status": "active", "url": f"{base}/file/9", "md5_checksum": hashlib.md5(ARFF.encode()).hexdigest(),
                 "default_target_attribute": "class"}
        answers = {"list": {"data": {"dataset": [{"did": 7, "name": "toy", "version": 1, "status": "active"}]}},
                   "features": {"data_features": {"feature": feature}},
                   "qualities": {"data_qualities": {"quality": [{"name": "NumberOfInstances", "value": "4"}]}},
                   "info": {"data_set_description": about}}
        kind = self.path.split("/")[1]
        if "/missing" in self.path:
            self.send_error(404)
            return
        body = ARFF.encode() if kind == "file" else json.dumps(answers[kind]).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@unittest.skipUnless(_openml, "scikit-learn is not there")
class Fetching(unittest.TestCase):
    def setUp(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Stub)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        base = f"http://127.0.0.1:{server.server_address[1]}"
        places = {"_SEARCH_NAME": "list", "_DATA_INFO": "info", "_DATA_FEATURES": "features", "_DATA_QUALITIES": "qualities"}
        for name, path in places.items():
            patch = unittest.mock.patch.object(_openml, name, f"{base}/{path}/{{}}")
            patch.start()
            self.addCleanup(patch.stop)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        cache = unittest.mock.patch.dict("os.environ", SCIKIT_LEARN_DATA=folder.name)
        cache.start()
        self.addCleanup(cache.stop)
        self.folder, self.said = pathlib.Path(folder.name) / "sets", []

    def test_a_set_is_written_as_it_is_read(self):
        path = fetch.fetch("toy", self.folder, self.said.append)
        text = gzip.decompress(path.read_bytes()).decode()
        self.assertEqual(text.splitlines(), ["width,colour,target", "1.5,1,a", "2,0,b", "3.25,0,a", "4,1,b"])
        self.assertEqual(self.said, ["written: toy.csv.gz, 4 rows"])

    def test_another_version_is_named(self):
        with unittest.mock.patch.dict(fetch.KNOWN, {"toy": ("toy", 5, 2, 2)}):
            fetch.fetch("toy", self.folder, self.said.append)
        self.assertIn("figures cannot be compared", self.said[0])

    def test_a_set_that_is_not_there_leaves_nothing(self):
        self.check_nothing_came("missing")

    def test_without_a_network_one_line_says_so(self):
        with unittest.mock.patch.object(_openml, "urlopen", side_effect=urllib.error.URLError("Name or service\nnot known")):
            self.check_nothing_came("toy")

    def check_nothing_came(self, name):
        """One line, no traceback, and an exit status of 1: that is what Python makes of a SystemExit with words."""
        with warnings.catch_warnings(), self.assertRaises(SystemExit) as ended:
            warnings.simplefilter("error")  # scikit-learn's, which say that it tries again, would be further lines
            fetch.fetch(name, self.folder, self.said.append)
        self.assertRegex(ended.exception.code, f"^{name}: nothing came from OpenML: .+$")
        self.assertNotIn("\n", ended.exception.code)
        self.assertFalse(self.folder.exists())


if __name__ == "__main__":
    unittest.main()
