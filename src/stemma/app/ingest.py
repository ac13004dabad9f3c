"""The use case that takes episodes in: one outcome for each, all of a batch in one transaction (R-20 to R-23)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final

from stemma.app import tombstones
from stemma.app.document_pins import Pins
from stemma.app.episode_form import FormedEpisode, FormRules, form, refused
from stemma.app.log_writes import Accepted, LogWrites, OvertakenError
from stemma.app.models_base import NAME_LIMIT, EpisodeOutcome, ItemError
from stemma.app.models_episodes import AddEpisodes, AddEpisodesResult
from stemma.app.runtime import Runtime
from stemma.app.tombstones import Erased
from stemma.core.door import Arrival, Known, Verdict, decide
from stemma.core.keys import default_policy, event_id, group_id, key_of_request
from stemma.errors import TransactionConflict
from stemma.records import DocumentPin, KeyPolicy, Outcome, Remember
from stemma.store import episodes, registry
from stemma.store.transaction import Transaction
from stemma.text import check_name, episode_id

# Each time a batch is overtaken, another one has committed; so this many in a row is a fault of ours, not of traffic.
_ATTEMPTS: Final = 100
_INSTANT: Final = timedelta(microseconds=1)

Formed = FormedEpisode | ItemError


def add_episodes(
    runtime: Runtime,
    tenant: str,
    request: AddEpisodes,
    *,
    idempotency_key: str | None = None,
    remember: Remember | None = None,
) -> AddEpisodesResult:
    """Take a batch of episodes in and answer one outcome for each, in order.

    `idempotency_key` is the key of an episode that has none: as it is for a batch of one, else followed by `:` and the
    episode's index. `remember` asks that each text become exactly one memory.
    """
    rules = FormRules(settings=runtime.settings, kinds=runtime.shipped.kinds, remember=remember)
    formed = _with_request_key([form(item, rules) for item in request.episodes], idempotency_key)
    at = runtime.now()
    for _ in range(_ATTEMPTS):
        try:
            return AddEpisodesResult(results=tuple(runtime.store.run(tenant, lambda t: _take_in(t, formed, at))))
        except OvertakenError:
            continue
    raise TransactionConflict("other writers of the same keys were faster every time; send the batch again")


def _with_request_key(formed: list[Formed], request_key: str | None) -> list[Formed]:
    if request_key is None:
        return formed
    named = check_name(request_key, field="Idempotency-Key", limit=NAME_LIMIT)
    return [
        replace(one, key=key_of_request(named, index, len(formed)))
        if isinstance(one, FormedEpisode) and one.key is None
        else one
        for index, one in enumerate(formed)
    ]


def _take_in(t: Transaction, formed: list[Formed], at: datetime) -> list[EpisodeOutcome]:
    well_formed = [one for one in formed if isinstance(one, FormedEpisode)]
    batch = _Batch(t, at, well_formed) if well_formed else None
    results = []
    for index, one in enumerate(formed):
        if isinstance(one, FormedEpisode) and batch is not None:
            results.append(EpisodeOutcome(index=index, **batch.take(one)))
        elif isinstance(one, ItemError):
            results.append(EpisodeOutcome(index=index, outcome=Outcome.REJECTED, error=one))
    if batch is not None:
        batch.writes.apply(t, at)
    return results


class _Batch:
    """What the log holds of the keys of one batch, growing as the batch is taken in order."""

    def __init__(self, t: Transaction, at: datetime, formed: list[FormedEpisode]) -> None:
        """Read all that the decisions on these episodes ask for."""
        self.at = at
        self.tenant = t.tenant
        self.writes = LogWrites(t.tenant)
        episodes.share_log(t)
        events = {(one.subject_id, one.business_key) for one in formed if one.business_key is not None}
        episodes.hold_events(t, (event_id(business_key) for _, business_key in events))
        unnamed = sorted({one.source for one in formed if one.policy is None})
        self._policies = registry.key_policies(t, unnamed)
        names = {(one.subject_id, key) for one in formed for key in self._keys(one)}
        self._erased: Erased = tombstones.load(t, names, events)
        self._stored = self._read_keys(t, formed)
        groups = {(one.subject_id, event_id(one.business_key)) for one in formed if one.business_key is not None}
        groups |= {(one.subject_id, stored.group) for one, stored in self._of_events(formed)}
        self._first = episodes.first_of_groups(t, groups)
        self._known = {
            each: Known(KeyPolicy(stored.policy), stored.contents, stored.sayings, stored.current)
            for each, stored in self._stored.items()
        }
        self._group = {each: stored.group for each, stored in self._stored.items()}
        self._pinned = {each: stored.pinned for each, stored in self._stored.items()}
        self._pins = Pins(t, [one.document for one in formed if one.document is not None])

    def take(self, one: FormedEpisode) -> dict[str, Any]:
        """Decide on one episode, count it in, and give its outcome."""
        key, policy = self._placed(one)
        if key is None:
            detail = f"the key policy {policy.value} needs a key: give key or key_parts, or the policy content"
            return _rejected("no_key", detail)
        if policy is KeyPolicy.REVISION and one.occurred_at is None:
            return _rejected("occurred_at_required", "a revision needs the time it was made at: give occurred_at", key)
        arrival = self._arrival(one, key, policy)
        if self._is_erased(one, key, arrival):
            return {"outcome": Outcome.ERASED, "key": key}
        pin = self._pins.resolved(one.document)
        if isinstance(pin, ItemError):
            return _rejected(pin.code, pin.detail, key)
        known = self._known.get(arrival.episode_id)
        if known is not None and known.policy is not policy:
            detail = f"this key was first accepted under the policy {known.policy.value}; it keeps that"
            return _rejected("key_policy_mismatch", detail, key)
        group = self._group.setdefault(arrival.episode_id, group_id(key, one.business_key))
        first, since = self._first.setdefault((one.subject_id, group), (arrival.episode_id, self.at))
        verdict = decide(arrival, known, is_twin=first != arrival.episode_id)
        if verdict.new_saying:
            # A twin counts as recorded after the first, whatever the clock says, so that the first stays the first.
            at = self.at if first == arrival.episode_id else max(self.at, since + _INSTANT)
            self._known.setdefault(arrival.episode_id, Known(policy)).take(arrival)
            self.writes.accept(one, Accepted(arrival, verdict, key, group, at, pin))
            self._pinned.setdefault(arrival.episode_id, pin.revision if pin else None)
        flags = one.flags if arrival.sound or not verdict.new_saying else ("time_ahead", *one.flags)
        return {
            "outcome": self._pinned_anew(one, arrival, verdict, pin) or verdict.outcome,
            "key": key,
            "episode_id": first,
            "content_changed": verdict.content_changed,
            "flags": flags,
        }

    def _pinned_anew(
        self, one: FormedEpisode, arrival: Arrival, verdict: Verdict, pin: DocumentPin | None
    ) -> Outcome | None:
        """Record that a keyed episode, sent again, was learned from the present revision of its document too."""
        own = arrival.episode_id
        is_again = verdict.outcome in (Outcome.DUPLICATE, Outcome.RESTATED) and not verdict.content_changed
        if pin is None or not is_again or arrival.policy is KeyPolicy.CONTENT or own not in self._pinned:
            return None
        if self._pinned[own] == pin.revision or not self._pins.is_present(pin):
            return None
        self._pinned[own] = pin.revision
        self.writes.pin_anew(one.subject_id, self._group[own], own, pin.revision)
        return Outcome.RESTATED

    def _is_erased(self, one: FormedEpisode, key: str, arrival: Arrival) -> bool:
        """Say whether a tombstone covers an arrival; then its other name becomes one too, unless it is in use.

        Else a twin of what was erased would bring its text back.
        """
        own, event = (one.subject_id, key), (one.subject_id, one.business_key or "")
        of_key = self._erased.of_key(own, arrival)
        of_event = self._erased.of_event(event) if one.business_key is not None else None
        if of_key is not None and of_event is None and one.business_key is not None:
            if (one.subject_id, event_id(one.business_key)) not in self._first:
                stone = self._erased.mark(of_key).of_event(*event)
                self._erased.events[event] = [stone]
                self.writes.tombstones.append(stone)
        elif of_event is not None and of_key is None and arrival.episode_id not in self._known:
            stone = self._erased.mark(of_event).of_key(*own, arrival.policy, arrival.occurred_at)
            self._erased.keys.setdefault(own, []).append(stone)
            self.writes.tombstones.append(stone)
        return of_key is not None or of_event is not None

    def _placed(self, one: FormedEpisode) -> tuple[str | None, KeyPolicy]:
        """Give the key an episode goes by and its policy: its own, else its key's, else its source's."""
        policy = one.policy
        if policy is None:
            known = None
            if one.key is not None:
                known = self._known.get(episode_id(self.tenant, one.subject_id, one.key))
            # A key keeps its policy when the source's changes later, so that a re-sent record stays a duplicate.
            policy = (
                known.policy if known else default_policy(self._policies.get(one.source), keyed=one.key is not None)
            )
            if known:
                return one.key, policy
        return (one.content_hash if policy is KeyPolicy.CONTENT else one.key), policy

    def _keys(self, one: FormedEpisode) -> set[str]:
        """Give every key that an episode may turn out to go by."""
        policy = one.policy or default_policy(self._policies.get(one.source), keyed=one.key is not None)
        keys = {one.content_hash} if policy is KeyPolicy.CONTENT else set()
        if one.key is not None and one.policy is not KeyPolicy.CONTENT:
            keys.add(one.key)
        return keys

    def _arrival(self, one: FormedEpisode, key: str, policy: KeyPolicy) -> Arrival:
        return Arrival(
            episode_id=episode_id(self.tenant, one.subject_id, key),
            policy=policy,
            content_hash=one.content_hash,
            occurred_at=one.occurred_at,
            received_at=self.at,
            message_times=one.message_times,
        )

    def _read_keys(self, t: Transaction, formed: list[FormedEpisode]) -> dict[str, episodes.StoredKey]:
        occasions = {
            (episode_id(self.tenant, one.subject_id, key), one.content_hash, one.occurred_at or self.at)
            for one in formed
            for key in self._keys(one)
        }
        return episodes.stored_keys(t, (each for each, _, _ in occasions), occasions)

    def _of_events(self, formed: list[FormedEpisode]) -> list[tuple[FormedEpisode, episodes.StoredKey]]:
        """Give the episodes whose key is stored as part of a business event, with what is stored."""
        named = ((one, episode_id(self.tenant, one.subject_id, key)) for one in formed for key in self._keys(one))
        found = ((one, self._stored.get(each)) for one, each in named)
        return [(one, stored) for one, stored in found if stored is not None and stored.business_key is not None]


def _rejected(code: str, detail: str, key: str | None = None) -> dict[str, Any]:
    return {"outcome": Outcome.REJECTED, "key": key, "error": refused(code, detail)}
