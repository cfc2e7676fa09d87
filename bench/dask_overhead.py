"""What dask costs: fit with two workers of one thread each beside two threads in memory, for metric-forest, LightGBM and XGBoost."""
import collections
import statistics
import sys
import time

import dask.array
import distributed
import numpy

import common
import svforest
from svforest import dask as on_dask

ROWS, COLUMNS, PARTS, WORKERS = 200_000, 20, 8, 2
MOST = 1.6  # times two threads in memory
NOTES = common.ROOT / "bench" / "results" / "dask_overhead.json"

# memory(X, y) and on_dask(X, y, client) give a fitted model.
Peer = collections.namedtuple("Peer", "name memory on_dask")


def make_set():
    """friedman1 with 20 features."""
    random = numpy.random.default_rng(0)
    X = random.random((ROWS, COLUMNS), dtype=numpy.float32)
    y = 10 * numpy.sin(numpy.pi * X[:, 0] * X[:, 1]) + 20 * (X[:, 2] - 0.5) ** 2 + 10 * X[:, 3] + 5 * X[:, 4]
    return X, (y + random.normal(size=ROWS)).astype(numpy.float64)


def of_svforest():
    keywords = {"method": "metric-forest", "n_estimators": 1, "partition_rows": 20_000, "random_state": 0}
    memory = lambda X, y: svforest.SVForestRegressor(**keywords, n_jobs=WORKERS).fit(X, y)
    spread = lambda X, y, client: on_dask.SVForestRegressor(**keywords, client=client).fit(X, y)
    return Peer("metric-forest, one tree", memory, spread)


def of_lightgbm():
    import lightgbm
    keywords = {"n_estimators": 100, "random_state": 0, "verbose": -1}
    memory = lambda X, y: lightgbm.LGBMRegressor(**keywords, n_jobs=WORKERS).fit(X, y)
    spread = lambda X, y, client: lightgbm.DaskLGBMRegressor(**keywords, client=client, tree_learner="data").fit(X, y)
    return Peer(f"LightGBM {lightgbm.__version__}, 100 trees", memory, spread)


def of_xgboost():
    import xgboost
    import xgboost.dask
    keywords = {"n_estimators": 100, "random_state": 0, "tree_method": "hist"}

    def spread(X, y, client):
        model = xgboost.dask.DaskXGBRegressor(**keywords)
        model.client = client
        return model.fit(X, y)

    memory = lambda X, y: xgboost.XGBRegressor(**keywords, n_jobs=WORKERS).fit(X, y)
    return Peer(f"XGBoost {xgboost.__version__}, 100 trees", memory, spread)


def seconds(work):
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


class Cluster:
    """Workers with the table in their memory, started when they are wanted first."""

    def __init__(self, X, y):
        self.table, self.cluster = (X, y), None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.cluster:
            self.client.close()
            self.cluster.close()

    def start(self):
        if self.cluster:
            return
        self.cluster = distributed.LocalCluster(n_workers=WORKERS, threads_per_worker=1, processes=True, dashboard_address=":0")
        self.client = distributed.Client(self.cluster)
        rows = ROWS // PARTS
        X, y = self.table
        self.parts = [part.persist() for part in (dask.array.from_array(X, chunks=(rows, COLUMNS)), dask.array.from_array(y, chunks=rows))]
        distributed.wait(self.parts)

    def fit(self, peer):
        self.start()
        return peer.on_dask(*self.parts, self.client)


def measure(peer, X, y, cluster):
    """Seconds in memory and on dask, one after the other."""
    cluster.start()
    return [seconds(lambda: peer.memory(X, y)), seconds(lambda: cluster.fit(peer))]


def main():
    options = common.parser(__doc__)
    options.add_argument("--rounds", type=int, default=5)
    common.add_notes(options)
    options.set_defaults(notes=str(NOTES))
    chosen = options.parse_args()
    program, notes = common.Program(chosen), common.Notes(chosen.notes)
    common.print_machine(program)
    print(f"{ROWS} x {COLUMNS} float32, {PARTS} partitions in the memory of {WORKERS} workers of one thread; in memory: {WORKERS} threads; "
          f"medians of {chosen.rounds}; dask {dask.__version__}\n")
    X, y = make_set()
    table = common.Table(("", 30), "memory s", "dask s", "times")
    times = {}
    with Cluster(X, y) as cluster:
        for peer in (of_svforest(), of_lightgbm(), of_xgboost()):
            notes.figure(f"{peer.name} warm", lambda p=peer: measure(p, X, y, cluster))
            found = [notes.figure(f"{peer.name} {turn}", lambda p=peer: measure(p, X, y, cluster))
                     for turn in range(chosen.rounds)]
            memory, spread = (statistics.median(column) for column in zip(*found))
            times[peer.name] = spread / memory
            table.row(peer.name, f"{memory:.2f}", f"{spread:.2f}", f"{spread / memory:.2f}")
        own = next(iter(times))
        same = notes.figure("same bytes", lambda: int(cluster.fit(of_svforest()).forest_.to_bytes() ==
                                                     of_svforest().memory(X, y).forest_.to_bytes()))
    print()
    fine = common.judge(own, f"dask takes {times[own]:.2f} times as long, at most {MOST}", times[own] <= MOST)
    sys.exit(not common.judge(own, "the model of dask has the bytes of memory", bool(same)) or not fine)


if __name__ == "__main__":
    main()
