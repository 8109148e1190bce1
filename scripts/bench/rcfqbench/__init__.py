# SPDX-License-Identifier: GPL-2.0
"""What becomes of the results of benchmark guests: figures, tables, plots.

spec      report.toml, what a workload measures and what it must reach
raw       one figure from one file that a guest left
cells     all figures of a workload, over its seeds
targets   what was promised, judged
results   results.json
view      results as grids, for tables and plots
markdown, rst, plot
"""

import sys


class Problem(Exception):
    """Something a person must mend, told in one sentence."""


def run(main):
    """The exit status of an entry script; a problem is one line on stderr."""
    try:
        sys.exit(main())
    except Problem as problem:
        print(f"rcfq: {problem}", file=sys.stderr)
        sys.exit(1)
    except BrokenPipeError:
        sys.exit(1)
    except OSError as error:
        print(f"rcfq: {error.filename}: {error.strerror}", file=sys.stderr)
        sys.exit(1)
