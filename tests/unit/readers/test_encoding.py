"""Decides encodings on the whole content, never with a guess that could be another text (R-60)."""

from __future__ import annotations

import pytest

from stemma.errors import EncodingUndecided, UnknownCharset
from stemma.readers.encoding import decode

JAPANESE = (
    "港湾係の対応は金曜日までに終わります。フェリーは朝七時四十分に三番桟橋から出ます。予備の鍵は三号棚にあります。"
)
RUSSIAN = (
    "Причал три закрыт до пятницы. Паром отправляется в семь сорок утра от пристани, а вечером возвращается обратно."
)

SPOKEN = {
    "Japanese": JAPANESE,
    "Chinese": "码头三号在星期五之前关闭。渡轮早上七点四十分从三号码头开出，晚上返回。备用钥匙在三号柜里。",
    "Chinese, traditional": "碼頭三號在星期五之前關閉。渡輪早上七點四十分從三號碼頭開出，晚上返回。",
    "Korean": "세 번째 부두는 금요일까지 닫혀 있습니다. 연락선은 아침 일곱 시 사십 분에 떠나 저녁에 돌아옵니다.",
    "Russian": RUSSIAN,
    "Greek": "Η προβλήτα τρία είναι κλειστή μέχρι την Παρασκευή. Το πλοίο φεύγει στις επτά και σαράντα το πρωί.",
    "Hebrew": "המזח השלישי סגור עד יום שישי. המעבורת יוצאת בשבע וארבעים בבוקר וחוזרת בערב.",
    "Arabic": "الرصيف الثالث مغلق حتى يوم الجمعة. تغادر العبارة في السابعة وأربعين دقيقة صباحا.",
    "Thai": "ท่าเรือสามปิดจนถึงวันศุกร์ เรือข้ามฟากออกเวลาเจ็ดโมงสี่สิบนาทีตอนเช้า และกลับมาในตอนเย็น",
    "Polish": "Nabrzeże trzecie jest zamknięte do piątku. Prom odpływa o siódmej czterdzieści i wraca wieczorem. Żółć.",
    "Turkish": "Üçüncü iskele cuma gününe kadar kapalı. Vapur sabah yedi kırkta kalkıyor ve akşam geri dönüyor. Şişe.",
    "German": "Die Brücke ist für größere Lkw gesperrt. Das Öl wird täglich geprüft, die Schlüssel hängen im Büro.",
    "French": "Le quai numéro trois est fermé jusqu'à vendredi. Où est la clé ? Elle est rangée à côté de l'étagère.",
}
ENCODINGS = {
    "Japanese": ("cp932", "euc_jp"),
    "Chinese": ("gb18030",),
    "Chinese, traditional": ("big5",),
    "Korean": ("cp949",),
    "Russian": ("cp1251", "koi8-r", "cp866", "iso8859_5"),
    "Greek": ("cp1253", "iso8859_7"),
    "Hebrew": ("cp1255",),
    "Arabic": ("cp1256",),
    "Thai": ("cp874",),
    "Polish": ("cp1250", "iso8859_2"),
    "Turkish": ("cp1254",),
    "German": ("cp1252",),
    "French": ("cp1252",),
}
PAIRS = [(language, charset) for language, charsets in ENCODINGS.items() for charset in charsets]


@pytest.mark.parametrize(("language", "charset"), PAIRS)
def test_no_encoding_is_taken_for_another_one(language: str, charset: str) -> None:
    """Issue 4: a wrong letter is never served: read exactly, or refused at its byte, however short."""
    text = SPOKEN[language]
    for part in (text, text * 4, text[:40], text[-20:]):
        content = b"id,title\n" * 50 + part.encode(charset)
        try:
            found = decode(content)
        except EncodingUndecided as refused:
            assert content[refused.offset] > 127
        else:
            assert found.text.endswith(part)


def test_the_pairs_are_those_that_the_decision_record_counts() -> None:
    """Decision 0007: twelve languages, nineteen pairs."""
    assert (len({name.partition(",")[0] for name in SPOKEN}), len(PAIRS)) == (12, 19)


@pytest.mark.parametrize(
    ("charset", "mark"),
    [
        ("utf-8", b"\xef\xbb\xbf"),
        ("utf-16-le", b"\xff\xfe"),
        ("utf-16-be", b"\xfe\xff"),
        ("utf-32-le", b"\xff\xfe\0\0"),
    ],
)
def test_a_mark_decides_and_is_no_part_of_the_text(charset: str, mark: bytes) -> None:
    found = decode(mark + "é\ufeffz".encode(charset), given="cp1252")
    assert (found.text, found.charset, found.decided_by) == ("é\ufeffz", charset, "bom")


@pytest.mark.parametrize(
    ("text", "charset"), [(JAPANESE, "cp932"), (JAPANESE, "euc_jp"), (RUSSIAN, "cp1251"), (RUSSIAN, "koi8-r")]
)
def test_enough_bytes_of_one_language_are_detected_to_the_letter(text: str, charset: str) -> None:
    found = decode(b"id,title\n" * 2000 + text.encode(charset))
    assert found.text.endswith(text)
    assert found.decided_by == "detected"


@pytest.mark.parametrize("text", ["Gebühr für Öl", "café", "naïve — “quoted”", "Ñandú"])
def test_few_bytes_that_other_languages_read_as_well_are_refused_at_their_place(text: str) -> None:
    content = b"plain\n" + text.encode("cp1252")
    with pytest.raises(EncodingUndecided) as refused:
        decode(content)
    assert refused.value.offset == next(at for at, byte in enumerate(content) if byte > 127)


def test_a_declaration_that_fits_is_believed_and_a_false_one_is_not() -> None:
    assert decode("Größe".encode("cp1252"), declared="iso-8859-1").text == "Größe"
    found = decode("Größe".encode(), declared="ascii-of-mars")
    assert (found.text, found.decided_by) == ("Größe", "utf-8")
    # What is strictly UTF-8 over several letters is UTF-8, whatever it says of itself.
    for name in ("shift_jis", "iso-8859-1", "windows-1251"):
        assert decode("Größe, Öl, Straße".encode(), declared=name).text == "Größe, Öl, Straße"
    assert decode("联通".encode("gbk"), declared="gb2312").text == "联通"


def test_what_the_caller_names_is_held_to_strictly() -> None:
    assert decode("港湾係".encode("cp932"), given="Shift_JIS").text == "港湾係"
    with pytest.raises(EncodingUndecided) as refused:
        decode(b"ok \x81", given="cp932")
    assert refused.value.offset == 3
    for name in ("no-such", "rot13", "idna", "utf-7", "zlib"):
        with pytest.raises(UnknownCharset):
            decode(b"x", given=name)


def test_two_bytes_a_letter_without_a_mark_are_seen_and_other_nuls_refused() -> None:
    assert decode("Tidal log, pier 3".encode("utf-16-le")).text == "Tidal log, pier 3"
    assert decode("Tidal log, pier 3".encode("utf-16-be")).charset == "utf-16-be"
    with pytest.raises(EncodingUndecided) as refused:
        decode(b"a\0bcdefgh")
    assert refused.value.offset == 1
