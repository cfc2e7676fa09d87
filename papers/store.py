"""Results, one small JSON file per experiment, kept in the repository: a run goes on where any former one ended.

A file has `runs` (when, where and with which versions something was measured) and `results`, a line for each key, which
names its run. It is rewritten whole after every result and put in place by a rename.
"""
import json
import os
import pathlib


class Store:
    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        self._files = {}

    def _file(self, name):
        if name not in self._files:
            path = self.folder / f"{name}.json"
            empty = {"runs": [], "results": {}}
            self._files[name] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else empty
        return self._files[name]

    def names(self, start=""):
        """The files there are, e.g. 'ranks/letter', that start so."""
        found = {p.relative_to(self.folder).with_suffix("").as_posix() for p in self.folder.rglob("*.json")}
        return sorted(name for name in found | set(self._files) if name.startswith(start))

    def get(self, name, key):
        """The result, without its run; None where there is none."""
        found = self._file(name)["results"].get(key)
        return found and {what: value for what, value in found.items() if what != "run"}

    def all(self, name):
        """{key: result} of a file."""
        return {key: self.get(name, key) for key in self._file(name)["results"]}

    def runs(self, name):
        """The facts of the runs that results of this file come from."""
        file = self._file(name)
        used = {result["run"] for result in file["results"].values()}
        return [run for number, run in enumerate(file["runs"]) if number in used]

    def put(self, name, key, result, facts):
        file = self._file(name)
        if facts not in file["runs"]:
            file["runs"].append(facts)
        file["results"][key] = {**result, "run": file["runs"].index(facts)}
        self._write(name, file)

    def _write(self, name, file):
        path = self.folder / f"{name}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        runs = ",\n".join(json.dumps(run) for run in file["runs"])
        results = ",\n".join(f"{json.dumps(key)}: {json.dumps(file['results'][key])}" for key in sorted(file["results"]))
        part = path.with_suffix(".part")
        part.write_text(f'{{"runs": [\n{runs}\n],\n"results": {{\n{results}\n}}}}\n', encoding="utf-8")
        os.replace(part, path)
