"""One content of an episode: what its hash covers (R-20), and how much it says."""

from __future__ import annotations

import hashlib
from typing import Any

import rfc8785

from stemma.records import Content, DocumentPin, Message, Polarity, SaidBy, StatedClaim
from stemma.text import canonical_text, stamp


def content_hash(content: Content, document: DocumentPin | None = None) -> str:
    """Hash what was said and by whom: SHA-256 in hex over RFC 8785 JSON, texts in NFC with line ends folded.

    What is absent or at its default is left out, so that a later optional field changes no hash. Times of saying,
    session and metadata are not part of it, nor is the document's revision.
    """
    said: dict[str, Any] = {"source": canonical_text(content.source or "")}
    if content.speaker is not None:
        said["speaker"] = canonical_text(content.speaker)
    if content.said_by not in {None, SaidBy.USER}:
        # An agent repeating its user's words is not the user saying them again.
        said["said_by"] = SaidBy.AGENT.value
    if document is not None:
        said["document"] = [canonical_text(document.corpus), canonical_text(document.external_id)]
    if content.text is not None:
        said["text"] = canonical_text(content.text)
    if content.messages:
        said["messages"] = [_message(one) for one in content.messages]
    if content.claims:
        said["claims"] = [_claim(one) for one in content.claims]
    if content.remember is not None:
        wish = {"kind": content.remember.kind, "importance": content.remember.importance}
        said["remember"] = {name: value for name, value in wish.items() if value is not None}
    return hashlib.sha256(rfc8785.dumps(said)).hexdigest()


def content_bytes(content: Content) -> int:
    """Count the UTF-8 bytes of everything that was said, for the limit on an episode."""
    texts = [content.text or ""]
    for message in content.messages:
        texts += (message.role, message.content, message.name or "")
    for claim in content.claims:
        texts += (claim.key, claim.value, claim.text or "")
    return sum(len(text.encode()) for text in texts)


def says_nothing(content: Content) -> bool:
    """Say whether there is no claim, and no text or message but blanks."""
    texts = [content.text or "", *(message.content for message in content.messages)]
    return not content.claims and not any(text.strip() for text in texts)


def _message(message: Message) -> dict[str, str]:
    said = {"role": canonical_text(message.role), "content": canonical_text(message.content)}
    if message.name is not None:
        said["name"] = canonical_text(message.name)
    return said


def _claim(claim: StatedClaim) -> dict[str, Any]:
    said: dict[str, Any] = {"key": canonical_text(claim.key), "value": canonical_text(claim.value)}
    for name, text in (("kind", claim.kind), ("text", claim.text)):
        if text is not None:
            said[name] = canonical_text(text)
    if claim.polarity is not Polarity.AFFIRMED:
        said["polarity"] = claim.polarity.value
    if claim.confidence != 1.0:
        said["confidence"] = claim.confidence
    if claim.importance != 0.5:
        said["importance"] = claim.importance
    for name, moment in (("valid_from", claim.valid_from), ("valid_to", claim.valid_to)):
        if moment is not None:
            said[name] = stamp(moment)
    return said
