"""Where the installed program begins."""

import sys

from desktop.__main__ import main

sys.exit(main())
