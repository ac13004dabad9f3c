"""The records of a read document, for decisions; they stand in the ground, where readers see them too."""

from stemma.document_text import (
    Attachment,
    Block,
    BlockKind,
    ReadDocument,
    ReadStatus,
    ReadWarning,
    Removed,
    RemovedKind,
)

__all__ = ["Attachment", "Block", "BlockKind", "ReadDocument", "ReadStatus", "ReadWarning", "Removed", "RemovedKind"]
