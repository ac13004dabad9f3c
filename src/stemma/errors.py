"""The one tree of errors. A door turns each into its answer by `code`, `status` and `retryable`.

StemmaError
├── InvalidInput              what was sent cannot be accepted (422)
│   ├── NaiveDatetime         a time without a zone
│   ├── ControlCharacter      C0 but tab, LF, CR; DEL; C1
│   ├── InvalidUnicode        a lone surrogate
│   ├── MalformedJson         not JSON as RFC 8259 has it (400)
│   ├── PayloadTooLarge       over a stated limit
│   │   └── BodyTooLarge      a request body over its limit (413)
│   ├── NestingTooDeep        JSON nested over the limit
│   ├── UnknownField          a field that does not exist
│   ├── InvalidInterval       a window that ends before it starts
│   ├── UnknownDocument       a document that the store does not hold
│   ├── UnknownKind           a kind that is not registered
│   ├── InvalidKind           a registry file or entry that is not well formed
│   ├── CertifyNotAvailable   an erasure that is to scan the files, which cannot be done yet
│   ├── UnknownFormat         a file that is no export, or of a newer form
│   └── InvalidLanguage       a language file that is not well formed
├── NotFound                  no such id in this tenant (404)
├── NoSuchRoute               no such path (404)
├── MethodNotAllowed          the path knows other methods (405)
├── Forbidden                 refused whoever asks (403)
│   ├── ForeignHost           keyless work asked for under another name than this machine's
│   └── ForeignOrigin         keyless work asked for by a page of another site
├── ExposedAddress            a keyless server would be open to the network (403)
├── AddressInUse              the address to listen on is taken or not this machine's (503)
├── SourceUnreadable          a file or a history to read from is not there or not readable (422)
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
        ├── DataVersion       the folder holds data of another major version
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

    def __init__(self, detail: str, *, field: str | None = None, fields: tuple[str, ...] = ()) -> None:
        """Take the sentence for a reader and the path of the faulty field, or of each where there are several."""
        super().__init__(detail)
        self.detail = detail
        self.fields = fields or ((field,) if field else ())
        self.field = field or (fields[0] if fields else None)


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


class MalformedJson(InvalidInput):
    """Not JSON as RFC 8259 has it."""

    code = "malformed_json"
    status = 400


class PayloadTooLarge(InvalidInput):
    """Something over its stated limit."""

    code = "payload_too_large"


class BodyTooLarge(PayloadTooLarge):
    """A request body over its limit."""

    status = 413


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


class InvalidKind(InvalidInput):
    """A registry file or entry that is not well formed."""

    code = "invalid_kind"


class InvalidLanguage(InvalidInput):
    """A language file that is not well formed."""

    code = "invalid_language"


class CertifyNotAvailable(InvalidInput):
    """An erasure that is to scan the store's files, which cannot be done yet."""

    code = "certify_not_available"


class UnknownFormat(InvalidInput):
    """A file that is no export of a log, or of a newer form."""

    code = "unknown_format"


class NotFound(StemmaError):
    """No such id in this tenant."""

    code = "not_found"
    status = 404


class NoSuchRoute(StemmaError):
    """There is nothing under this path."""

    code = "no_such_route"
    status = 404


class MethodNotAllowed(StemmaError):
    """The path is there, the method is not."""

    code = "method_not_allowed"
    status = 405


class Forbidden(StemmaError):
    """Refused, whoever asks."""

    code = "forbidden"
    status = 403


class ForeignHost(Forbidden):
    """Keyless work was asked for under another name than this machine's own."""

    code = "foreign_host"


class ForeignOrigin(Forbidden):
    """Keyless work was asked for by a page of another site."""

    code = "foreign_origin"


class ExposedAddress(StemmaError):
    """A server without keys would be open to the network."""

    code = "exposed_address"
    status = 403


class AddressInUse(StemmaError):
    """The address to listen on is taken, or it is not this machine's."""

    code = "address_in_use"
    status = 503


class Erased(StemmaError):
    """The whole request names what was erased."""

    code = "erased"
    status = 410


class EmbeddingSpaceMismatch(StemmaError):
    """The stored vectors belong to another embedder than the configured one."""

    code = "embedding_space_mismatch"
    status = 409


class EmbedderError(StemmaError):
    """Texts cannot be turned into vectors."""

    code = "embedder_error"
    status = 503


class EmbedderMissing(EmbedderError):
    """No embedder has that name, or its package is not installed."""

    code = "embedder_missing"


class EmbedderRefused(EmbedderError):
    """The endpoint refused the request: its key, its model or its text."""

    code = "embedder_refused"


class EmbedderFailed(EmbedderError):
    """The endpoint did not answer, or not with one vector a text."""

    code = "embedder_failed"
    retryable = True


class InvalidSettings(StemmaError):
    """A setting that does not exist or is out of its bounds."""

    code = "invalid_settings"


class StoreError(StemmaError):
    """The store cannot be used."""

    code = "store_error"
    status = 503


class StoreUnavailable(StoreError):
    """No connection to the store, and none could be made within the bound."""

    code = "store_unavailable"
    retryable = True


class CommitUnknown(StoreUnavailable):
    """The connection broke at the commit, which may stand; sending the same again is safe."""

    code = "commit_unknown"


class TransactionConflict(StoreError):
    """A serialization failure or deadlock outlived the retries."""

    code = "transaction_conflict"
    retryable = True


class LockTimeout(StoreError):
    """Another transaction held a lock for too long."""

    code = "lock_timeout"
    retryable = True


class StatementTimeout(StoreError):
    """A statement ran for too long."""

    code = "statement_timeout"
    retryable = True


class StoreFull(StoreError):
    """The store's disk is full."""

    code = "store_full"
    retryable = True


class StoreBusy(StoreError):
    """Another process starts or stops the embedded server for too long."""

    code = "store_busy"
    retryable = True


class InvalidStoreTarget(StoreError):
    """What was given is neither a folder nor `postgresql://…`."""

    code = "invalid_store_target"


class VectorMissing(StoreError):
    """The server has no pgvector, or this role may not add it."""

    code = "vector_missing"


class MigrationError(StoreError):
    """The schema and the code do not fit."""

    code = "migration_error"


class StoreNewer(MigrationError):
    """The store was migrated by a newer version."""

    code = "store_newer"


class MigrationChanged(MigrationError):
    """A migration differs from the one that was applied."""

    code = "migration_changed"


class MigrationFailed(MigrationError):
    """A migration's SQL failed; nothing of it stands."""

    code = "migration_failed"


class EmbeddedRefused(StoreError):
    """An embedded PostgreSQL cannot be started here."""

    code = "embedded_refused"


class NoPasswdEntry(EmbeddedRefused):
    """This user id has no passwd entry."""

    code = "no_passwd_entry"


class NoServerUser(EmbeddedRefused):
    """Run as root, and there is no unprivileged user nor a way to add one."""

    code = "no_server_user"


class NoBinaries(EmbeddedRefused):
    """There is no wheel with PostgreSQL for this platform."""

    code = "no_binaries"


class ClosedParent(EmbeddedRefused):
    """The server's user cannot reach the folder."""

    code = "closed_parent"


class FolderReadOnly(EmbeddedRefused):
    """The folder cannot be written."""

    code = "folder_read_only"


class FolderForeign(EmbeddedRefused):
    """The folder belongs to somebody else."""

    code = "folder_foreign"


class FolderNotStore(EmbeddedRefused):
    """The folder holds something else than a store."""

    code = "folder_not_store"


class DataVersion(EmbeddedRefused):
    """The folder holds data of another major version."""

    code = "data_version"


class DiskFull(EmbeddedRefused):
    """There is too little space."""

    code = "disk_full"


class ServerFailed(EmbeddedRefused):
    """PostgreSQL ended with an error."""

    code = "server_failed"


class SourceUnreadable(StemmaError):
    """A file or a history to read from is not there or not readable."""

    code = "source_unreadable"
    status = 422
