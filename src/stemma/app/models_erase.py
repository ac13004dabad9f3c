"""What is asked of an erasure and the receipt it gives (API.md)."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field, WithJsonSchema, model_validator

from stemma.app.models_base import NAME_LIMIT, AnswerModel, Count, Flag, Name, OptionalSubject, RequestModel, fault


def _no_null(value: object) -> object:
    # A caller whose key got lost on the way sends null; that must not erase everything.
    if value is None:
        raise ValueError("null names nothing; leave the field out where it is not meant")
    return value


Named = Annotated[
    Name | None,
    BeforeValidator(_no_null),
    WithJsonSchema({"type": "string", "minLength": 1, "maxLength": NAME_LIMIT}),
]


class EraseRequest(RequestModel):
    """Erase a whole subject, one episode with its business event, or one document; with `certify`, prove it gone."""

    subject_id: OptionalSubject = None
    episode_key: Named = None
    corpus: Named = None
    external_id: Named = None
    certify: Annotated[Flag, Field(description="Return when the text is gone from every file of the store")] = False

    @model_validator(mode="after")
    def _names_one_thing(self) -> EraseRequest:
        of_document = self.corpus is not None or self.external_id is not None
        if of_document == (self.subject_id is not None):
            raise fault("subject_id", "name a subject_id, or a corpus with an external_id")
        if of_document and (self.corpus is None or self.external_id is None):
            raise fault("external_id", "a document is named by corpus and external_id")
        if of_document and self.episode_key is not None:
            raise fault("episode_key", "an episode is named by subject_id and episode_key")
        return self


class EraseReceipt(AnswerModel):
    """How many rows went, by table; all zero where it was erased before. `tombstones` stop a re-sync."""

    documents: Count = 0
    document_revisions: Count = 0
    episodes: Count = 0
    revisions: Count = 0
    sayings: Count = 0
    extractions: Count = 0
    acts: Count = 0
    memories: Count = 0
    evidence: Count = 0
    decisions: Count = 0
    conflicts: Count = 0
    points: Count = 0
    passages: Count = 0
    vectors: Count = 0
    traces: Count = 0
    tombstones: Count = 0
