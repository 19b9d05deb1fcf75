"""An OpenAI-compatible server behind the engine's face; the only importer of httpx2.

Importing this is light: asyncio and httpx2 are loaded by the engine's own thread.
"""

from inference.remote.engine import RemoteEngine

__all__ = ["RemoteEngine"]
