"""Work for the tests of the runner."""


def add(a, b):
    return {"sum": float(a + b)}


def spin():
    while True:
        pass


def fail():
    raise ValueError("on purpose")
