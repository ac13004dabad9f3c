"""The figures of the recipe for dialogue, as a calibration record holds them; what each does, its step says."""

from dataclasses import dataclass, field

from stemma.core.score import Scale


@dataclass(frozen=True, slots=True)
class Shares:
    """What a turn takes over from its neighbours in a session: the one before, the one after, the second before."""

    before: float
    after: float
    second: float

    def __post_init__(self) -> None:
        if not all(0 <= each <= 1 for each in (self.before, self.after, self.second)):
            raise ValueError("a share lies in 0 to 1")


@dataclass(frozen=True, slots=True)
class SupportWeights:
    """A logistic over the signals of `support`, fitted for one embedder; below `threshold` there is not enough."""

    constant: float = 0.0
    subject: float = 0.0
    broad: float = 0.0
    drop: float = 0.0
    threshold: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.threshold <= 1:
            raise ValueError("the threshold of support is a probability")


_LEXICAL, _MIXED, _SCALE = Shares(0.5, 0.2, 0.2), Shares(0.3, 0.2, 0.15), Scale(0.5, 1.5)


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """Parameters of every step. Weights are added to a fused score of 0 to 1.

    `lexical` and `mixed` are the neighbours' shares of the words' score and of the vector. `words_most` is the length,
    in words, from which a turn counts as long. `scale` turns the whole score into a similarity (SPEC R-40).

    Where an assistant takes part a turn takes over `assisted_before` of the words' score of the one before it, nothing
    else, and its vector stands alone; `assisted_words` is that share where no vector answers. `assisted_reach` of the
    fusion's reach is left there, the rest joins its base. These three are chosen on BEAM chats 1 to 3.
    """

    lexical: Shares = _LEXICAL
    mixed: Shares = _MIXED
    assisted_before: float = 0.1
    assisted_words: float = 0.3
    assisted_reach: float = 0.5
    session: float = 0.3
    session_k1: float = 1.2
    session_b: float = 0.75
    session_best: float = 0.1
    sessions_whole: int = 5
    date: float = 0.5
    length: float = 0.05
    words_most: int = 40
    asking: float = 0.1
    subject: float = 0.05
    link: float = 0.25
    slot: float = 0.7
    sentence_characters: int = 900
    sentence_words: int = 5
    scale: Scale = _SCALE
    support: SupportWeights = field(default_factory=SupportWeights)

    def __post_init__(self) -> None:
        weights = (self.session, self.session_best, self.date, self.length, self.asking, self.subject)
        assisted = (self.assisted_before, self.assisted_words, self.assisted_reach)
        if not all(0 <= each <= 1 for each in (*weights, *assisted, self.link, self.slot, self.session_b)):
            raise ValueError("a weight, a share or a threshold of the recipe for dialogue lies in 0 to 1")
        if not self.session_k1 > 0:
            raise ValueError("session_k1 lies above 0")
        if min(self.sessions_whole, self.words_most, self.sentence_characters, self.sentence_words) < 1:
            raise ValueError("a count of the recipe for dialogue is at least 1")
