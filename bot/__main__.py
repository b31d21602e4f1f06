"""`python -m bot` is `ebb`."""

import sys

from bot.cli.main import main

sys.exit(main())
