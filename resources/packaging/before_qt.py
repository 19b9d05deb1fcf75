"""What the installed program does before Qt is loaded, whose first instruction may be one that ends the process."""

import sys

from inference.processor import refusal_to_start

if refusal := refusal_to_start():
    sys.exit(f"headwater: {refusal}")
