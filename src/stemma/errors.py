"""The one tree of errors. A door turns each into its answer by `code`, `status` and `retryable`.

StemmaError
├── InvalidInput              what was sent cannot be accepted (422)
│   ├── NaiveDatetime         a time without a zone
│   ├── ControlCharacter      C0 but tab, LF, CR; DEL; C1
│   ├── InvalidUnicode        a lone surrogate
│   ├── MalformedJson         not JSON as RFC 8259 has it (400)
│   ├── PayloadTooLarge       over a stated limit
│   │   ├── BodyTooLarge      a request body over its limit (413)
│   │   └── DocumentTooLarge  a document over its limit of bytes, characters or pages
│   ├── NestingTooDeep        JSON nested over the limit
│   ├── UnknownField          a field that does not exist
│   ├── InvalidInterval       a window that ends before it starts
│   ├── UnknownKind           a kind that is not registered
│   ├── InvalidKind           a registry file or entry that is not well formed
│   ├── CertifyNotAvailable   an erasure that is to scan the files, which cannot be done yet
│   ├── UnknownFormat         a file that is no export, or of a newer form
│   ├── ForeignTenant         a record that names memories by the ids of another tenant
│   ├── InvalidLanguage       a language file that is not well formed
│   ├── RememberRejected      a text that the door did not take, with its reason
│   ├── AsOfNotAvailable      a reading of the past that this version cannot give
│   ├── UnknownCorpus         a corpus that the store does not hold
│   ├── InvalidCursor         a cursor that no page ended with
│   └── UnreadableDocument    content that no reader can turn into text
│       ├── MediaTypeUnsupported  a kind of file that is not read
│       ├── EncodingUndecided     bytes whose encoding cannot be told for certain
│       ├── UnknownCharset        a named encoding that does not exist or is no text's
│       ├── DocumentEncrypted     a file that needs a password
│       └── ArchiveBomb           a file that unpacks to far more than it should
├── NotFound                  no such id in this tenant (404)
├── NoSuchRoute               no such path (404)
├── MethodNotAllowed          the path knows other methods (405)
├── Forbidden                 refused whoever asks (403)
│   ├── ForeignHost           keyless work asked for under another name than this machine's
│   └── ForeignOrigin         keyless work asked for by a page of another site
├── ExposedAddress            a keyless server would be open to the network (403)
├── AddressInUse              the address to listen on is taken or not this machine's (503)
├── SourceUnreadable          a file or a history to read from is not there or not readable (422)
├── TargetUnwritable          a file to write to cannot be written (422)
├── ConflictSettled           a conflict that is not open any more (409)
├── SyncStopped               more of a source vanished at once than is believed (409)
├── Erased                    the whole request names what was erased (410)
├── EmbeddingSpaceMismatch    stored and configured embedder differ (409)
├── EmbedderError             texts cannot be turned into vectors (503)
│   ├── EmbedderMissing       no embedder of that name, or its package is not installed
│   ├── EmbedderRefused       the endpoint refused the request: key, model or text
│   └── EmbedderFailed        the endpoint did not answer, or not with vectors (retry)
├── InvalidSettings           a setting that does not exist or is out of bounds
└── StoreError                the store cannot be used (503)
    ├── StoreUnavailable      no connection, and none could be made within the bound (retry)
    │   └── CommitUnknown     the connection broke at the commit: it may stand (retry; keys are derived)
    ├── TransactionConflict   a serialization failure or deadlock outlived the retries (retry)
    ├── LockTimeout           another transaction held a lock for too long (retry)
    ├── StatementTimeout      a statement ran for too long (retry)
    ├── StoreFull             the store's disk is full (retry)
    ├── StoreBusy             another process starts or stops the embedded server for too long (retry)
    ├── InvalidStoreTarget    neither a folder nor `postgresql://…`
    ├── VectorMissing         the server has no pgvector, or this role may not add it
    ├── MigrationError        the schema and the code do not fit
    │   ├── StoreNewer        the store was migrated by a newer version
    │   ├── MigrationChanged  a migration differs from the one that was applied
    │   └── MigrationFailed   a migration's SQL failed; nothing of it stands
    └── EmbeddedRefused       an embedded PostgreSQL cannot be started here
        ├── NoPasswdEntry     this user id has no passwd entry
        ├── NoServerUser      run as root, and there is no unprivileged user nor a way to add one
        ├── NoBinaries        no wheel with PostgreSQL for this platform
        ├── ClosedParent      the server's user cannot reach the folder
        ├── FolderReadOnly    the folder cannot be written
        ├── FolderForeign     the folder belongs to somebody else
        ├── FolderNotStore    the folder holds something else than a store
        ├── ClusterVersion    the folder holds data of another major version
        ├── DiskFull          too little space
        └── ServerFailed      PostgreSQL ended with an error
"""

from __future__ import annotations

from typing import ClassVar


class StemmaError(Exception):
    """The root: `code` is stable and machine-readable, `retryable` says whether trying again can help."""

    code: ClassVar[str] = "internal"
    status: ClassVar[int] = 500
    retryable: ClassVar[bool] = False

    def __init_subclass__(
        cls, *, code: str | None = None, status: int | None = None, retryable: bool | None = None
    ) -> None:
        """Give a class of the tree what it states; what it does not is its parent's."""
        cls.code = cls.code if code is None else code
        cls.status = cls.status if status is None else status
        cls.retryable = cls.retryable if retryable is None else retryable

    def __init__(self, detail: str, *, field: str | None = None, fields: tuple[str, ...] = ()) -> None:
        """Take the sentence for a reader and the path of the faulty field, or of each where there are several."""
        super().__init__(detail)
        self.detail = detail
        self.errors = self.fields = fields or ((field,) if field else ())
        self.field = field or (fields[0] if fields else None)


class InvalidInput(StemmaError, code="invalid", status=422):
    """What was sent cannot be accepted."""


class NaiveDatetime(InvalidInput, code="naive_datetime"):
    """A time without a zone."""


class ControlCharacter(InvalidInput, code="control_character"):
    """A control character in a text."""


class InvalidUnicode(InvalidInput, code="invalid_unicode"):
    """A lone surrogate in a text."""


class MalformedJson(InvalidInput, code="malformed_json", status=400):
    """Not JSON as RFC 8259 has it."""


class PayloadTooLarge(InvalidInput, code="payload_too_large"):
    """Something over its stated limit."""


class BodyTooLarge(PayloadTooLarge, status=413):
    """A request body over its limit."""


class DocumentTooLarge(PayloadTooLarge, code="document_too_large"):
    """A document over its limit of bytes, characters or pages."""


class NestingTooDeep(InvalidInput, code="nesting_too_deep"):
    """JSON, or the parts of a document, nested over the limit."""


class UnknownField(InvalidInput, code="unknown_field"):
    """A field that does not exist."""


class InvalidInterval(InvalidInput, code="invalid_interval"):
    """A window that ends before it starts."""


class UnknownKind(InvalidInput, code="unknown_kind"):
    """A kind that is not registered."""


class InvalidKind(InvalidInput, code="invalid_kind"):
    """A registry file or entry that is not well formed."""


class InvalidLanguage(InvalidInput, code="invalid_language"):
    """A language file that is not well formed."""


class CertifyNotAvailable(InvalidInput, code="certify_not_available"):
    """An erasure that is to scan the store's files, which cannot be done yet."""


class ForeignTenant(InvalidInput, code="foreign_tenant"):
    """A record that names memories by the ids of another tenant."""


class UnknownFormat(InvalidInput, code="unknown_format"):
    """A file that is no export of a log, or of a newer form."""


class InvalidCursor(InvalidInput, code="invalid_cursor"):
    """A cursor that no page ended with."""


class RememberRejected(InvalidInput, code="remember_rejected"):
    """A text that the door did not take; `reason` is the code it gave."""

    def __init__(self, detail: str, *, reason: str) -> None:
        """Take the door's sentence and its code."""
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


class AsOfNotAvailable(InvalidInput, code="as_of_not_available"):
    """A reading of the past that this version cannot give."""


class UnknownCorpus(InvalidInput, code="unknown_corpus"):
    """A corpus that the store does not hold."""


class UnreadableDocument(InvalidInput, code="document_unreadable"):
    """Content that no reader can turn into text."""


class MediaTypeUnsupported(UnreadableDocument, code="media_type_unsupported"):
    """A kind of file that is not read."""


class EncodingUndecided(UnreadableDocument, code="encoding_undecided"):
    """Bytes whose encoding cannot be told for certain; `offset` is the first byte that is in doubt."""

    def __init__(self, detail: str, *, offset: int) -> None:
        """Take the sentence and the offset in bytes."""
        super().__init__(detail)
        self.offset = offset


class UnknownCharset(UnreadableDocument, code="charset_unknown"):
    """A named encoding that does not exist, or is none of texts."""


class DocumentEncrypted(UnreadableDocument, code="document_encrypted"):
    """A file that needs a password."""


class ArchiveBomb(UnreadableDocument, code="archive_bomb"):
    """A file that unpacks to far more than it should."""


class NotFound(StemmaError, code="not_found", status=404):
    """No such id in this tenant."""


class NoSuchRoute(StemmaError, code="no_such_route", status=404):
    """There is nothing under this path."""


class MethodNotAllowed(StemmaError, code="method_not_allowed", status=405):
    """The path is there, the method is not."""


class Forbidden(StemmaError, code="forbidden", status=403):
    """Refused, whoever asks."""


class ForeignHost(Forbidden, code="foreign_host"):
    """Keyless work was asked for under another name than this machine's own."""


class ForeignOrigin(Forbidden, code="foreign_origin"):
    """Keyless work was asked for by a page of another site."""


class ExposedAddress(StemmaError, code="exposed_address", status=403):
    """A server without keys would be open to the network."""


class AddressInUse(StemmaError, code="address_in_use", status=503):
    """The address to listen on is taken, or it is not this machine's."""


class ConflictSettled(StemmaError, code="conflict_settled", status=409):
    """A conflict that is not open any more."""


class CoreListFull(StemmaError, code="core_list_full", status=409):
    """A subject's core list has as many memories as it may have."""


class SyncStopped(StemmaError, code="sync_stopped", status=409):
    """More of a source vanished at once than is believed; nothing was changed."""


class Erased(StemmaError, code="erased", status=410):
    """The whole request names what was erased."""


class EmbeddingSpaceMismatch(StemmaError, code="embedding_space_mismatch", status=409):
    """The stored vectors belong to another embedder than the configured one."""


class EmbedderError(StemmaError, code="embedder_error", status=503):
    """Texts cannot be turned into vectors."""


class EmbedderMissing(EmbedderError, code="embedder_missing"):
    """No embedder has that name, or its package is not installed."""


class EmbedderRefused(EmbedderError, code="embedder_refused"):
    """The endpoint refused the request: its key, its model or its text."""


class EmbedderFailed(EmbedderError, code="embedder_failed", retryable=True):
    """The endpoint did not answer, or not with one vector a text."""


class InvalidSettings(StemmaError, code="invalid_settings"):
    """A setting that does not exist or is out of its bounds."""


class StoreError(StemmaError, code="store_error", status=503):
    """The store cannot be used."""


class StoreUnavailable(StoreError, code="store_unavailable", retryable=True):
    """No connection to the store, and none could be made within the bound."""


class CommitUnknown(StoreUnavailable, code="commit_unknown"):
    """The connection broke at the commit, which may stand; sending the same again is safe."""


class TransactionConflict(StoreError, code="transaction_conflict", retryable=True):
    """A serialization failure or deadlock outlived the retries."""


class LockTimeout(StoreError, code="lock_timeout", retryable=True):
    """Another transaction held a lock for too long."""


class StatementTimeout(StoreError, code="statement_timeout", retryable=True):
    """A statement ran for too long."""


class StoreFull(StoreError, code="store_full", retryable=True):
    """The store's disk is full."""


class StoreBusy(StoreError, code="store_busy", retryable=True):
    """Another process starts or stops the embedded server for too long."""


class InvalidStoreTarget(StoreError, code="invalid_store_target"):
    """What was given is neither a folder nor `postgresql://…`."""


class VectorMissing(StoreError, code="vector_missing"):
    """The server has no pgvector, or this role may not add it."""


class MigrationError(StoreError, code="migration_error"):
    """The schema and the code do not fit."""


class StoreNewer(MigrationError, code="store_newer"):
    """The store was migrated by a newer version."""


class MigrationChanged(MigrationError, code="migration_changed"):
    """A migration differs from the one that was applied."""


class MigrationFailed(MigrationError, code="migration_failed"):
    """A migration's SQL failed; nothing of it stands."""


class EmbeddedRefused(StoreError, code="embedded_refused"):
    """An embedded PostgreSQL cannot be started here."""


class NoPasswdEntry(EmbeddedRefused, code="no_passwd_entry"):
    """This user id has no passwd entry."""


class NoServerUser(EmbeddedRefused, code="no_server_user"):
    """Run as root, and there is no unprivileged user nor a way to add one."""


class NoBinaries(EmbeddedRefused, code="no_binaries"):
    """There is no wheel with PostgreSQL for this platform."""


class ClosedParent(EmbeddedRefused, code="closed_parent"):
    """The server's user cannot reach the folder."""


class FolderReadOnly(EmbeddedRefused, code="folder_read_only"):
    """The folder cannot be written."""


class FolderForeign(EmbeddedRefused, code="folder_foreign"):
    """The folder belongs to somebody else."""


class FolderNotStore(EmbeddedRefused, code="folder_not_store"):
    """The folder holds something else than a store."""


class ClusterVersion(EmbeddedRefused, code="cluster_version"):
    """The folder holds data of another major version."""


class DiskFull(EmbeddedRefused, code="disk_full"):
    """There is too little space."""


class ServerFailed(EmbeddedRefused, code="server_failed"):
    """PostgreSQL ended with an error."""


class SourceUnreadable(StemmaError, code="source_unreadable", status=422):
    """A file or a history to read from is not there or not readable."""


class TargetUnwritable(StemmaError, code="target_unwritable", status=422):
    """A file to write to cannot be written."""
