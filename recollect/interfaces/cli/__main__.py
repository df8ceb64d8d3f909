"""The command line as `python -m recollect.interfaces.cli`, where the console script is not installed."""

import sys

from recollect.interfaces.cli.entry import main

sys.exit(main())
