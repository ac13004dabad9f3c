"""What German, Spanish, French and Portuguese clauses declare; languages without patterns say so."""

from __future__ import annotations

import pytest

from tests.extracting import read, reasons, remember, summary

SAY, END, LAST = "say", "end", "wrong_last"
YES, NO = "affirmed", "negated"

DECLARATIONS = [
    ("Ich wohne in Lissabon.", SAY, "profile", "home", "lissabon", YES),
    ("Ich wohne nicht in Lissabon", SAY, "profile", "home", "lissabon", NO),
    ("Ich wohne nicht mehr in Lissabon", END, "profile", "home", "lissabon", YES),
    ("Früher wohnte ich in Bonn", END, "profile", "home", "bonn", YES),
    ("Ich bin nach Porto gezogen", SAY, "profile", "home", "porto", YES),
    ("Ich heiße Ana Costa", SAY, "profile", "name", "ana costa", YES),
    ("Ich arbeite als Krankenschwester", SAY, "profile", "job", "krankenschwester", YES),
    ("Ich bin Softwareentwicklerin", SAY, "profile", "job", "softwareentwicklerin", YES),
    ("Ich bin allergisch gegen Erdnüsse", SAY, "health", None, "", YES),
    ("Ich mag Kaffee nicht", SAY, "preference", None, "", NO),
    ("Ich trinke keinen Kaffee", SAY, "fact", None, "", NO),
    ("Mein Lieblingseditor ist Vim", SAY, "preference", "slot:lieblingseditor", "vim", YES),
    ("Unsere Hauptdatenbank ist PostgreSQL", SAY, "fact", "slot:hauptdatenbank", "postgresql", YES),
    ("Mein Geburtstag ist am 3. Mai", SAY, "fixed_attribute", "birthday", "--05-03", YES),
    ("Stripe berechnet 2,9 % + 30 Cent", SAY, "fact", None, "2.9% | 30 cent", YES),
    ("Ich gieße die Blumen jeden Sonntag", SAY, "habit", None, "sunday", YES),
    ("Ab jetzt antworte mir auf Deutsch", SAY, "instruction", None, "", YES),
    ("Das war falsch", LAST, "fact", None, "", YES),
    ("Vivo en Lisboa.", SAY, "profile", "home", "lisboa", YES),
    ("No vivo en Lisboa", SAY, "profile", "home", "lisboa", NO),
    ("No, vivo en Oporto", SAY, "profile", "home", "oporto", YES),
    ("Ya no vivo en Lisboa", END, "profile", "home", "lisboa", YES),
    ("Me mudé a Oporto", SAY, "profile", "home", "oporto", YES),
    ("Me llamo Ana", SAY, "profile", "name", "ana", YES),
    ("Soy ingeniera de software", SAY, "profile", "job", "ingeniera de software", YES),
    ("Soy alérgica a los cacahuetes", SAY, "health", None, "", YES),
    ("No me gusta el café", SAY, "preference", None, "", NO),
    ("Mi editor favorito es vim", SAY, "preference", "slot:editor favorito", "vim", YES),
    ("Mi cumpleaños es el 3 de mayo de 1990", SAY, "fixed_attribute", "birthday", "1990-05-03", YES),
    ("Stripe cobra 2,9 % + 30 centavos", SAY, "fact", None, "2.9% | 30 cent", YES),
    ("La auditoría es el 4 de junio", SAY, "event", None, "--06-04", YES),
    ("Riego las plantas todos los domingos", SAY, "habit", None, "sunday", YES),
    ("A partir de ahora responde en español", SAY, "instruction", None, "", YES),
    ("J'habite à Lisbonne.", SAY, "profile", "home", "lisbonne", YES),
    ("Je n'habite pas à Lisbonne", SAY, "profile", "home", "lisbonne", NO),
    ("Je n'habite plus à Lisbonne", END, "profile", "home", "lisbonne", YES),
    ("Je m'appelle Ana", SAY, "profile", "name", "ana", YES),
    ("Je suis allergique aux arachides", SAY, "health", None, "", YES),
    ("Je n'aime pas le café", SAY, "preference", None, "", NO),
    ("Je n'utilise pas Docker", SAY, "fact", None, "", NO),
    ("Mon éditeur préféré est vim", SAY, "preference", "slot:editeur prefere", "vim", YES),
    ("Stripe facture 2,9 % + 30 centimes", SAY, "fact", None, "2.9% | 30 cent", YES),
    ("L'audit est le 4 juin", SAY, "event", None, "--06-04", YES),
    ("Désormais réponds en français", SAY, "instruction", None, "", YES),
    ("C'était faux", LAST, "fact", None, "", YES),
    ("Moro em Lisboa.", SAY, "profile", "home", "lisboa", YES),
    ("Não moro em Lisboa", SAY, "profile", "home", "lisboa", NO),
    ("Já não moro em Lisboa", END, "profile", "home", "lisboa", YES),
    ("Não moro mais em Lisboa", END, "profile", "home", "lisboa", YES),
    ("Mudei-me para o Porto", SAY, "profile", "home", "porto", YES),
    ("Chamo-me Ana", SAY, "profile", "name", "ana", YES),
    ("Sou alérgica a amendoins", SAY, "health", None, "", YES),
    ("Não gosto de café", SAY, "preference", None, "", NO),
    ("O meu editor favorito é vim", SAY, "preference", "slot:editor favorito", "vim", YES),
    ("A minha irmã chama-se Ana", SAY, "relationship", None, "", YES),
    ("A partir de agora responde em português", SAY, "instruction", None, "", YES),
]


@pytest.mark.parametrize("row", DECLARATIONS, ids=[row[0] for row in DECLARATIONS])
def test_a_declaration_is_read_in_its_language(row: tuple[str, str, str, str | None, str, str]) -> None:
    """R-31, R-32, R-33: languages are data."""
    text, *expected = row
    assert [summary(candidate) for candidate in read(text).candidates] == [tuple(expected)]


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Wohnst du in Berlin?", "question"),
        ("Wo wohne ich", "question"),
        ("Wenn ich nach Lima ziehe, verkaufe ich das Auto", "conditional"),
        ("Vielleicht ziehe ich nach Berlin", "hypothetical"),
        ("In meiner Geschichte wohnt der Ingenieur in Oslo", "fiction"),
        ("Mein Freund sagt: Ich wohne in Tokio", "third_party"),
        ("Er wohnt in Berlin", "unresolved_subject"),
        ("Ich bin müde", "not_durable"),
        ("¿Dónde vivo?", "question"),
        ("Si me mudo a Lima, vendo la furgoneta", "conditional"),
        ("Quizás me mudo a Lima", "hypothetical"),
        ("En mi historia el ingeniero vive en Oslo", "fiction"),
        ("Mi amigo dice: vivo en Tokio", "third_party"),
        ("Ella vive en Madrid", "unresolved_subject"),
        ("Est-ce que tu habites à Paris", "question"),
        ("Si je déménage à Lima, je vends la camionnette", "conditional"),
        ("Dans mon histoire l'ingénieur vit à Oslo", "fiction"),
        ("Mon ami dit : j'habite à Tokyo", "third_party"),
        ("Elle habite à Paris", "unresolved_subject"),
        ("Você mora em Lisboa?", "question"),
        ("Se eu me mudar para Lima, vendo a carrinha", "conditional"),
        ("Na minha história o engenheiro vive em Oslo", "fiction"),
        ("O meu amigo diz: moro em Tóquio", "third_party"),
    ],
)
def test_a_gate_holds_in_its_language(text: str, reason: str) -> None:
    """R-32: questions, suppositions, fiction and other voices are no declarations in any language with patterns."""
    extraction = read(text)
    assert extraction.candidates == ()
    assert reason in reasons(extraction)


@pytest.mark.parametrize("text", ["ฉันอาศัยอยู่ที่ลิสบอน", "ฉันอาศัยอยู่ที่ลิสบอน และชอบชา"])
def test_a_language_without_patterns_declares_nothing_and_says_so(text: str) -> None:
    """R-33: what cannot be read is recorded, not guessed."""
    extraction = read(text)
    assert extraction.candidates == ()
    assert set(reasons(extraction)) == {"no_patterns"}


def test_an_explicit_memory_is_kept_in_any_language() -> None:
    """API: a remember makes exactly one memory; pairs of characters stand for words where there are no blanks."""
    candidate = remember("ฉันอยู่")
    assert candidate.frame is not None
    assert candidate.frame.words == ("ฉั", "ัน", "นอ", "อย", "ยู", "ู่")
    assert (candidate.kind, candidate.text) == ("note", "ฉันอยู่")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("我住在里斯本", "里 斯 本"),
        ("Я живу в Лиссабоне", "лиссабоне"),
        ("リスボンに住んでいます", "リスボン"),
        ("أعيش في لشبونة", "لشبونة"),
        ("मैं लिस्बन में रहता हूँ", "लिस्बन"),
        ("저는 리스본에 살아요", "리스본"),
        ("Abito a Lisbona", "lisbona"),
    ],
)
def test_an_explicit_memory_has_its_slot_where_nothing_is_extracted(text: str, value: str) -> None:
    """API: an explicit remember reads the slot, also in a language without patterns for what is said in passing."""
    candidate = remember(text)
    assert (candidate.claim_key, candidate.value) == ("home", value)


def test_each_sentence_is_read_in_its_own_language() -> None:
    """R-33: a message may change its language."""
    found = read("I live in Lisbon. Ich arbeite als Lehrerin. Me gusta el té.").candidates
    assert [(each.claim_key, each.value) for each in found] == [("home", "lisbon"), ("job", "lehrerin"), (None, "")]
