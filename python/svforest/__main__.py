"""The command svforest, which the package carries: `svforest` on the PATH, or `python -m svforest`."""

import os
import sys
from pathlib import Path


def main() -> None:
    """Becomes the command: it has this process, its signals and its exit code."""
    program = Path(__file__).parent / "bin" / "svforest"
    os.execv(program, ["svforest", *sys.argv[1:]])


if __name__ == "__main__":
    main()
