"""Opens a zip archive in bounds: no member is unpacked beyond the limit, whatever the archive says of its size."""

from __future__ import annotations

import zipfile
import zlib
from io import BytesIO

from stemma.errors import ArchiveBomb, DocumentEncrypted, UnreadableDocument
from stemma.readers.limits import Limits

_ENCRYPTED = 1


class Archive:
    """One archive; what is read from it adds up against the limit."""

    def __init__(self, content: bytes, limits: Limits) -> None:
        """Open it, or raise UnreadableDocument, or ArchiveBomb for too many members."""
        try:
            self._zip = zipfile.ZipFile(BytesIO(content))
        except (zipfile.BadZipFile, zipfile.LargeZipFile, ValueError, OSError, NotImplementedError) as error:
            raise UnreadableDocument(f"the archive cannot be opened: {error}") from error
        self._left = limits.unpacked_bytes
        self._limits = limits
        if len(self._zip.infolist()) > limits.members:
            raise ArchiveBomb(f"the archive has over {limits.members} members")

    def names(self) -> frozenset[str]:
        """List the members."""
        return frozenset(self._zip.namelist())

    def read(self, name: str) -> bytes | None:
        """Unpack a member, or give None where there is none of that name."""
        if name not in self.names():
            return None
        member = self._zip.getinfo(name)
        if member.flag_bits & _ENCRYPTED:
            raise DocumentEncrypted(f"{name} in the archive needs a password")
        try:
            with self._zip.open(member) as opened:
                found = opened.read(self._left + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError) as error:
            raise UnreadableDocument(f"{name} in the archive cannot be read: {error}") from error
        if len(found) > self._left:
            raise ArchiveBomb(f"the archive unpacks to over {self._limits.unpacked_bytes} bytes")
        self._left -= len(found)
        return found
