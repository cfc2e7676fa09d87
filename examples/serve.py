"""serve.py - answers rows with a model that stays mapped: lines from standard input, or from a Unix socket.

    python serve.py MODEL            a row per line of standard input, an answer per line of standard output
    python serve.py MODEL SOCKET     the same for each connection to the socket, one after the other, until Ctrl-C or SIGTERM

A row is cells apart by commas, without quotes, in the order of the model's columns; a blank cell is missing. The answer is a class
or a number, or "error: ..." for a row that cannot be read. At the end the program says on standard error how long rows took.
Needs pandas.
"""

import os
import signal
import socket
import sys
import time

import numpy as np
import pandas as pd

import svforest


def cell(text):
    """A number where it is one, else text; a blank cell is missing."""
    if not text:
        return None
    try:
        return float(text)
    except ValueError:
        return text


class Server:
    def __init__(self, path):
        self.model = svforest.load(path)
        self.names = list(self.model.feature_names_in_)
        self.times = []

    def answer(self, line):
        cells = [cell(text) for text in line.split(",")]
        if len(cells) != len(self.names):
            return f"error: {len(cells)} cells, not {len(self.names)}"
        try:
            return str(self.model.predict(pd.DataFrame([cells], columns=self.names))[0])
        except ValueError as error:
            return f"error: {error}"

    def serve(self, lines, send):
        for line in lines:
            start = time.perf_counter()
            answer = self.answer(line.rstrip("\r\n"))
            self.times.append(1e6 * (time.perf_counter() - start))
            send(answer + "\n")

    def serve_socket(self, path):
        with socket.socket(socket.AF_UNIX) as door:
            door.bind(path)
            door.listen(16)
            try:
                while True:
                    guest, _ = door.accept()
                    with guest, guest.makefile("r", encoding="utf-8", newline="\n") as lines:
                        try:
                            self.serve(lines, lambda text: guest.sendall(text.encode()))  # no buffer that outlives a signal
                        except (BrokenPipeError, ConnectionResetError):
                            pass
            finally:
                os.unlink(path)

    def tell(self):
        text = f"{len(self.times)} rows"
        for share in (50, 90, 99, 99.9, 100) if self.times else ():
            text += f", {share:g}% within {np.percentile(self.times, share):.1f} us"
        print(text, file=sys.stderr)


def stop(*_):
    raise KeyboardInterrupt


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(f"usage: {sys.argv[0]} MODEL [SOCKET]")
    signal.signal(signal.SIGTERM, stop)
    server = Server(sys.argv[1])
    try:
        if len(sys.argv) == 3:
            server.serve_socket(sys.argv[2])
        else:
            server.serve(sys.stdin, lambda text: print(text, end="", flush=True))
    except KeyboardInterrupt:
        pass
    server.tell()


if __name__ == "__main__":
    main()
