"""R-34, R-35: which two remembered statements are one, which contest one another, and which both stand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import pytest

from bench.labelled_sets import lines_of
from stemma.app.registry_files import load_registry, load_rules
from stemma.core.derive import Log, state
from stemma.core.remember import remembered
from stemma.core.rules import Rules
from stemma.records import Content, Extraction, KeyPolicy, LogEpisode, Registry, Remember, Saying, Status

SAID = datetime(2026, 4, 14, 9, 30, tzinfo=UTC)


@cache
def rules() -> Rules:
    """Read the languages once."""
    return load_rules()


@cache
def registry() -> Registry:
    """Read the kinds once."""
    return load_registry()


def verdict(first: str, second: str) -> str:
    """Remember two statements a month apart and name what they are to one another."""
    episodes, extractions = [], {}
    for place, (text, said) in enumerate(((first, SAID - timedelta(days=30)), (second, SAID))):
        key, content = f"k{place}", Content(text=text, remember=Remember())
        candidate, _ = remembered(content, rules(), registry())
        assert candidate is not None
        saying = Saying(content_hash=text, occurred_at=said, sound=True, recorded_at=said)
        episodes.append(
            LogEpisode(
                subject_id="s",
                key=key,
                episode_id=key,
                policy=KeyPolicy.CONTENT,
                source="remember",
                revisions={text: content},
                sayings=(saying,),
                recorded_at=said,
            )
        )
        extractions[(key, text)] = Extraction("v", (candidate,), ())
    units = state(Log(tenant="t", subject="s", episodes=episodes, extractions=extractions), registry()).values()
    rows = [row for unit in units for row in unit.rows]
    if len(rows) == 1:
        is_same = rows[0].times_said == 2 and rows[0].transitions[-1].status is Status.ACTIVE
        return "same" if is_same else "conflict"
    return "conflict" if any(unit.decisions or unit.conflicts for unit in units) else "unrelated"


def test_every_pair_of_the_rules_is_what_it_is_labelled() -> None:
    """R-34, R-35: a place or time in front, roles, always and never, spans, storeys, codes; in twelve languages."""
    listed = lines_of(Path(__file__).parents[2] / "sets" / "pairs_rules.jsonl")
    assert len({pair["language"] for pair in listed}) == 12
    found = [(verdict(pair["first"], pair["second"]), pair) for pair in listed]
    assert [(outcome, pair["id"]) for outcome, pair in found if outcome != pair["label"]] == []


def pairs(*listed: str) -> pytest.MarkDecorator:
    """Give pairs written as `first / second`."""
    return pytest.mark.parametrize(("first", "second"), [pair.split(" / ") for pair in listed])


@pairs(
    "Voucher 61 has been redeemed / Voucher 62 has been redeemed",
    "单据3005已经归档 / 单据3006已经归档",
    "見積書77は承認済みです / 見積書78は承認済みです",
    "견적서 90은 승인됐어요 / 견적서 91은 승인됐어요",
    "डिब्बा 4 में 40 किताबें हैं / डिब्बा 5 में 35 किताबें हैं",
)
def test_a_number_behind_what_it_names_is_no_value(first: str, second: str) -> None:
    """R-35: a voucher's number names it, with and without capitals and blanks."""
    assert verdict(first, second) == "unrelated"


@pairs(
    "Mi suegro vive en Huelva / Mi suegra vive en Huelva",
    "Minha avó tem 81 anos / Meu avô tem 84 anos",
    "Mon voisin a deux chiens / Ma voisine a trois chiens",
    "Mia cugina ha 20 anni / Mio cugino ha 25 anni",
    "मेरा भांजा दस साल का है / मेरी भांजी दस साल की है",
    "妹は大阪に住んでいます / 弟は大阪に住んでいます",
    "मेरी बुआ आगरा में रहती हैं / मेरी मौसी आगरा में रहती हैं",
)
def test_two_of_kin_are_two_people(first: str, second: str) -> None:
    """R-35: a man and a woman of one stem are two, and where either lives is not the user's home."""
    assert verdict(first, second) == "unrelated"


@pairs(
    "I'm on the night rota from January to March 2025 / I'm on the day rota from April to July 2025",
    "Im März 2025 stand der Gaszähler bei 812 / Im April 2025 stand der Gaszähler bei 870",
    "My Tuesday choir has 14 singers / My Friday choir has 30 singers",
    "The 7:15 ferry calls at the island / The 8:15 ferry calls at the island",
    "A 3 day pass costs 20 euros / A 7 day pass costs 40 euros",
    "I swim on Mondays / I swim on Fridays",
    "Às terças tenho coral / Às sextas tenho coral",
    "The shop on Elm Street closes at 18:00 / On Sundays the shop on Elm Street closes at 13:00",
)
def test_another_day_or_period_is_another_occasion(first: str, second: str) -> None:
    """R-35, D-17: what is told of one period, weekday or departure takes nothing from another."""
    assert verdict(first, second) == "unrelated"


@pairs(
    "Il battello da Capri impiega 40 minuti / Il battello a Capri impiega 50 minuti",
    "El autobús a Soria tarda 2 horas / El autobús de Soria tarda 3 horas",
    "Поезд из Твери идёт 2 часа / Поезд в Тверь идёт 3 часа",
)
def test_where_from_is_not_where_to(first: str, second: str) -> None:
    """R-35: a function word that turns the way round tells two things apart."""
    assert verdict(first, second) == "unrelated"


@pairs(
    "I have a 24 inch bike / I have a 28 inch bike",
    "I work as a baker / I work as a bouncer at weekends",
    "Remind me at 7:00 to stretch / Remind me at 19:00 to stretch",
    "We support Node 20.1 / We support Node 22.3",
    "The pool costs 40 euros a month / The pool costs 350 euros a year",
)
def test_what_one_may_have_several_of_stands_beside_the_other(first: str, second: str) -> None:
    """R-35: a second monitor, a second job at weekends, a second reminder, release or tariff."""
    assert verdict(first, second) == "unrelated"


@pairs(
    "A 200 g jar costs 3 euros / A 500 g jar costs 6 euros",
    "Ein Beet mit 2 m² braucht 5 Liter / Ein Beet mit 4 m² braucht 9 Liter",
    "Abito a Lecce / Questa settimana abito a Bari",
    "Я живу в Твери / На этой неделе я живу в Туле",
    "我住在青岛 / 我这周住在大连",
    "函館に住んでいます / 今週は仙台に住んでいます",
    "저는 제주에 살아요 / 이번 주는 광주에 살아요",
)
def test_a_size_tells_the_thing_and_a_week_bounds_the_stay(first: str, second: str) -> None:
    """R-35, R-36: of two values that differ one tells which thing it is; a stay this week overlays the home."""
    assert verdict(first, second) == "unrelated"


@pairs(
    "I live in Ghent / I've lived in Ghent since 2014",
    "The sauna is kept at 86 °F / The sauna is kept at 30 °C",
)
def test_said_in_another_unit_or_with_its_beginning_it_is_said_again(first: str, second: str) -> None:
    """R-34: an open statement's beginning is no part of it, and exact conversions are one amount."""
    assert verdict(first, second) == "same"


@pairs(
    "Nadia is my aunt / My aunt is called Nadia",
    "Ines ist meine Nichte / Meine Nichte heißt Ines",
    "Luc est mon neveu / Mon neveu s'appelle Luc",
    "Elena es mi madrina / Mi madrina se llama Elena",
    "Rui é meu padrinho / Meu padrinho se chama Rui",
    "Carla è mia cugina / Mia cugina si chiama Carla",
    "I like rye more than wheat / I prefer rye over wheat",
    "Prefiero el mar al monte / Me gusta más el mar que el monte",
    "Preferisco il treno all'aereo / Mi piace di più il treno dell'aereo",
    "J'aime mieux le train que l'avion / Je préfère le train à l'avion",
    "There are 30 stalls in our market / Our market has 30 stalls",
    "The audit is led by Imani / Imani leads the audit",
    "Peso 71 kg / Mi peso es de 71 kg",
    "I have a shellfish allergy / I'm allergic to shellfish",
    "Soy albañil en la Constructora Rey / Trabajo como albañil en la Constructora Rey",
    "O jantar da turma é no dia 7 de abril de 2028 / No dia 07/04/2028 é o jantar da turma",
    "Nous fermons la librairie à 19 h / Notre librairie ferme à 19 h",
    "Я не переношу глютен / У меня непереносимость глютена",
)
def test_two_wordings_of_one_statement_are_one(first: str, second: str) -> None:
    """R-34: turned round, compared with more or better, told of from the other side."""
    assert verdict(first, second) == "same"


@pairs(
    "I'm engaged to Noor / Noor and I have called off our engagement",
    "Estoy casado con Inés / Inés y yo nos hemos divorciado",
    "All our drivers get a uniform / None of our drivers get a uniform",
    "Our entry fee is 12 euros / Our entry fee rose to 14 euros",
    "Nuestra cuota es de 30 euros / Nuestra cuota ha subido a 35 euros",
    "A nossa mensalidade é 40 euros / A nossa mensalidade passou para 45 euros",
    "Vivo en Murcia / Me he mudado y ahora vivo en Cádiz",
    "Abito a Pavia / Mi sono trasferito e ora abito a Trento",
    "我住在苏州 / 我搬家了，现在住在无锡",
    "Notre cotisation est de 50 euros / Notre cotisation est passée à 55 euros",
)
def test_an_end_or_a_change_told_as_such_is_ruled_on(first: str, second: str) -> None:
    """R-35: a broken engagement, none for all, a fee that rose, a move."""
    assert verdict(first, second) == "conflict"


@pairs(
    "I'm a nurse at Hill Clinic / I'm a nurse at Lake Clinic",
    "Nadia is my aunt / My aunt is called Petra",
)
def test_a_wording_makes_no_two_things_one(first: str, second: str) -> None:
    """R-34: who does one job in two places, and two of kin."""
    assert verdict(first, second) == "unrelated"


def test_amounts_in_two_units_that_may_be_one_contest_nothing() -> None:
    """R-35: 8 km may be 5 miles; 20 km are another way."""
    assert verdict("The lake trail covers 5 miles", "The lake trail covers 8 km") == "unrelated"
    assert verdict("The lake trail covers 5 miles", "The lake trail covers 20 km") == "conflict"


@pairs(
    "The ferry to Skye takes 40 minutes / The ferry to Skye takes 55 minutes",
    "单据3005的金额是80元 / 单据3005的金额是95元",
    "Files over 25 MB are blocked / Files over 40 MB are blocked",
    "Tre server girano a Milano / Cinque server girano a Milano",
    "Our crew has 9 rowers / Our crew has 11 rowers",
    "I play squash twice a week / I play squash four times a week",
)
def test_a_change_of_one_thing_is_still_ruled_on(first: str, second: str) -> None:
    """R-35: the same thing with another value."""
    assert verdict(first, second) == "conflict"
