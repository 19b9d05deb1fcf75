"""Where the installed program begins."""

import sys

from inference.processor import refusal_to_start

# Before Qt is loaded: its first instruction may be one that ends the process.
if refusal := refusal_to_start():
    sys.exit(f"headwater: {refusal}")

from desktop.__main__ import main

sys.exit(main())
