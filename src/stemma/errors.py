"""The one tree of errors. A door turns each into its answer by `code`, `status` and `retryable`.

StemmaError
├── InvalidInput              what was sent cannot be accepted (422)
│   ├── NaiveDatetime         a time without a zone
│   ├── ControlCharacter      C0 but tab, LF, CR; DEL; C1
│   ├── InvalidUnicode        a lone surrogate
│   ├── PayloadTooLarge       over a stated limit
│   ├── NestingTooDeep        JSON nested over the limit
│   ├── UnknownField          a field that does not exist
│   ├── InvalidInterval       a window that ends before it starts
│   ├── UnknownDocument       a document that the store does not hold
│   └── UnknownKind           a kind that is not registered
├── NotFound                  no such id in this tenant (404)
├── Erased                    the whole request names what was erased (410)
├── EmbeddingSpaceMismatch    stored and configured embedder differ (409)
└── StoreError                the store cannot be used (see `store/`)
"""

from __future__ import annotations

from typing import ClassVar


class StemmaError(Exception):
    """The root: `code` is stable and machine-readable, `retryable` says whether trying again can help."""

    code: ClassVar[str] = "internal"
    status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False

    def __init__(self, detail: str, *, field: str | None = None) -> None:
        """Take the sentence for a reader and, where there is one, the path of the faulty field."""
        super().__init__(detail)
        self.detail = detail
        self.field = field


class InvalidInput(StemmaError):
    """What was sent cannot be accepted."""

    code = "invalid"
    status = 422


class NaiveDatetime(InvalidInput):
    """A time without a zone."""

    code = "naive_datetime"


class ControlCharacter(InvalidInput):
    """A control character in a text."""

    code = "control_character"


class InvalidUnicode(InvalidInput):
    """A lone surrogate in a text."""

    code = "invalid_unicode"


class PayloadTooLarge(InvalidInput):
    """Something over its stated limit."""

    code = "payload_too_large"


class NestingTooDeep(InvalidInput):
    """JSON nested over the limit."""

    code = "nesting_too_deep"


class UnknownField(InvalidInput):
    """A field that does not exist."""

    code = "unknown_field"


class InvalidInterval(InvalidInput):
    """A window that ends before it starts."""

    code = "invalid_interval"


class UnknownDocument(InvalidInput):
    """A document that the store does not hold."""

    code = "unknown_document"


class UnknownKind(InvalidInput):
    """A kind that is not registered."""

    code = "unknown_kind"


class NotFound(StemmaError):
    """No such id in this tenant."""

    code = "not_found"
    status = 404


class Erased(StemmaError):
    """The whole request names what was erased."""

    code = "erased"
    status = 410


class EmbeddingSpaceMismatch(StemmaError):
    """The stored vectors belong to another embedder than the configured one."""

    code = "embedding_space_mismatch"
    status = 409


class StoreError(StemmaError):
    """The store cannot be used."""

    code = "store_error"
    status = 503
