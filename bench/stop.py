"""Processor seconds from SIGINT or SIGTERM to the end of a training, at several moments of every method."""
import os
import pathlib
import random
import signal
import subprocess
import sys
import tempfile
import time

import common

MOST = 1  # processor second, of all threads together
TABLES = ("20000x20", "3000x500", "levels", "numbers")
WHOLE = {"ls-svm": 7000}  # one machine on the whole table: as many rows as kernel_memory allows, about


def write_levels(path, rows=12_000, levels=10_000):
    """A text column of many levels."""
    draw = random.Random(1)
    with open(path, "w", encoding="ascii") as out:
        out.write("a,b,name,class\n")
        for i in range(rows):
            level = i if i < levels else draw.randrange(levels)
            out.write(f"{draw.random():.4f},{draw.random():.4f},n{level},{'yes' if level * 7919 % 13 < 6 else 'no'}\n")


def make_table(program, name, method, folder):
    rows = min(20_000, WHOLE.get(method, 20_000))
    path = folder / f"{name}-{rows}.csv"
    if path.exists():
        return path
    if name == "levels":
        write_levels(path)
    elif name == "numbers":
        program.run("synth", "friedman1", "-n", rows, "-d", 20, "-o", path)
    else:
        n, d = map(int, name.split("x"))
        program.run("synth", "classification", "-n", min(n, rows), "-d", d, "-o", path)
    return path


def spent(pid):
    """Processor seconds of a process so far."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def hear():
    """A shell that starts us in the background has SIGINT ignored, and the program would go by that."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def stop(words, moment, number):
    """Seconds of the processor and of the clock from the signal to the end; None: it ended before."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=hear) as process:
        while True:
            ended, status, usage = os.wait4(process.pid, os.WNOHANG)
            if ended:
                process.returncode = os.waitstatus_to_exitcode(status)
                return None
            before = spent(process.pid)
            if before >= moment:
                break
            time.sleep(.003)
        start = time.monotonic()
        process.send_signal(number)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        return usage.ru_utime + usage.ru_stime - before, time.monotonic() - start


def main(options):
    program = common.Program(options)
    common.print_machine(program)
    methods = options.methods.split(",") if options.methods else \
        [line.split()[0] for line in program.run("methods").split("\n\n")[0].splitlines()[1:] if line[2:3].strip()]
    moments = [float(moment) for moment in options.moments.split(",")]
    table, passes = common.Table(("method, table", 30), "moments", "processor", "clock", "at"), True
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for method in methods:
            for which in options.tables.split(","):
                data = make_table(program, which, method, folder)
                words = [program.path, "train", "-q", "-m", method, "--threads", str(program.threads), "-o",
                         str(folder / "m.svf"), str(data)]
                figures = []
                for i, moment in enumerate(moments):
                    figure = stop(words, moment, (signal.SIGINT, signal.SIGTERM)[i % 2])
                    if figure is None:
                        break
                    figures.append((*figure, moment))
                worst = max(figures, default=None)
                said = (f"{worst[0]:.2f}", f"{worst[1]:.2f}", f"{worst[2]:g}") if worst else ("-", "-", "-")
                table.row(f"{method}, {which}", len(figures), *said)
                passes = passes and (not worst or worst[0] <= MOST)
    return common.judge("processor seconds after a signal", f"at most {MOST}", passes)


if __name__ == "__main__":
    arguments = common.parser(__doc__)
    arguments.add_argument("--methods", help="names with commas between them; default: all")
    arguments.add_argument("--tables", default=",".join(TABLES), help=f"of {', '.join(TABLES)}")
    arguments.add_argument("--moments", default=".1,.3,.6,1,1.5,2.2,3,4,5.5,7,9,12",
                           help="processor seconds after the start at which a signal is sent, each in a run of its own")
    sys.exit(0 if main(arguments.parse_args()) else 1)
