"""A cheap guess at the language of a text, from its script and its function words; no statistics, no model."""

import re
import unicodedata
from collections import Counter
from functools import lru_cache

from stemma.core.scripts import Script, script_of

LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "ru", "ar", "hi", "zh", "ja", "ko", "th", "el", "ro", "tr", "vi")
DEFAULT_LANGUAGE = "en"

# The guess reads the beginning only: a longer look changes no figure and costs time on every long text.
_READ_CHARACTERS = 2000
# A letter that is stuck to a number is a unit, and one that French elides is a word only before its apostrophe: without
# that "30c" and "plan d" would be French, and stemmed otherwise than the question that asks for them.
_LATIN_WORD = re.compile(r"(?<!\w)(?:[cdjlmnst](?=')|(?![cdjlmnst](?!\w))[^\W\d_]+(?!\w))")
# A character outside the Latin script says as much as a short word does.
_CJK_WEIGHT = 3

_BY_SCRIPT = {
    Script.GREEK: "el",
    Script.CYRILLIC: "ru",
    Script.ARABIC: "ar",
    Script.DEVANAGARI: "hi",
    Script.THAI: "th",
}

_FUNCTION_WORDS = {
    "en": """
        the a an and of to in is are was were be been i you he she it we they my your his her our their this
        that these those what which who when where why how do does did not no with for from on at by as or but
        if has have had will would can could should there here about into than then them me us so just any
        some every name live work like use
    """,
    "de": """
        der die das den dem des ein eine einen einem einer eines und oder aber nicht kein keine ich du er sie
        es wir ihr mich mir dich dir uns mein meine meinen dein sein seine ist sind war waren bin hat haben
        habe hatte wird werden wurde wurden mit von vom zu zum zur auf für aus bei nach über unter durch im am
        an als wie was wer wo wann warum welche welcher welches wenn weil dass auch noch nur sehr schon mehr
        kann muss soll seit in welchem welchen wen wem wessen wieso weshalb wozu womit wofür worauf woher wohin
        viele vielen jede jeder jedem jeden diese dieser dieses diesem diesen ihre ihren ihrem ihrer seine seinen
        seinem seiner gegen ohne zwischen
    """,
    "fr": """
        le la les un une des du de d l et ou mais ne pas je tu il elle nous vous ils elles mon ma mes ton ta
        tes son sa ses notre votre leur ce cet cette ces est sont était être suis ai as a avons ont avait dans
        sur sous avec pour par sans chez que qui quoi quel quelle quels quelles où quand comment pourquoi
        combien au aux en y n c s j m t qu plus très aussi tout tous
    """,
    "es": """
        el la los las un una unos unas de del y o pero no yo tú él ella nosotros ustedes ellos me te se mi mis
        tu tus su sus nuestro este esta estos estas ese esa eso es son era eran ser está están estoy soy he ha
        han había en con por para sin sobre entre desde hasta que qué quién cuál cuáles cuándo dónde cómo
        cuánto cuántos al lo le les más muy también ya porque como cuando donde
    """,
    "it": """
        il lo la i gli le un uno una di del dello della dei degli delle e o ma non io tu lui lei noi voi loro
        mi ti si ci mio mia miei tuo suo sua nostro questo questa questi queste è sono era erano essere ho ha
        hanno aveva in nel nella nei con per da dal dalla su sul sulla tra fra che chi cosa quale quali quando
        dove come perché quanto quanti al alla ai più molto anche già
    """,
    "pt": """
        o a os as um uma uns umas de do da dos das e ou mas não eu tu ele ela nós vocês você eles elas me te
        se meu minha meus minhas teu seu sua nosso este esta estes isso isto esse essa é são era eram ser está
        estão estou sou tenho tem têm havia em no na nos nas com por pelo pela para sem sobre entre desde até
        que quem qual quais quando onde como porque quanto quantos ao à mais muito também já foi
    """,
    "ro": """
        și şi în de la cu pe din este sunt o un nu ce care cine când unde cum cât câte câți ale al a ai lui ei au
        fost era pentru prin sau dar că să mai după între într dintr iar lor acest această aceste acestea cel cea
        cele cei unei unui fi fără către despre dintre până doar foarte eu tu el ea noi voi
    """,
    "tr": """
        ve bir bu ile için olarak olan da de ne kim hangi nasıl neden niçin nerede nereye nereden kaç mı mi mu mü
        ise gibi daha en çok kadar sonra önce göre veya ama ancak değil var yok oldu olduğu olduğunu tarafından
        arasında üzerinde ben sen biz siz onlar her hiç şey ki bunun bunlar zaman nedir neydi neler nelerdir neyi
        neye neyin kimdir kimdi kimler kimin kime nerededir neredeydi hangisi
    """,
    "vi": """
        và của là có không được trong các những một cho với này khi để từ đã người ở đến ra về như cũng thì mà
        hoặc nào gì ai đâu bao nhiêu sao thế theo trên tại vào năm bởi nhưng vì nếu sẽ đang rất nhiều
    """,
}
# Letters that speak for a language where no function word does; in halves of a function word's weight.
_LETTERS = {
    "de": ("ß", "äöü"),
    "fr": ("œëèêîûù", "âôçàéï"),
    "es": ("ñ¿¡", "áíóúé"),
    "it": ("ìò", "èùà"),
    "pt": ("ãõ", "çâêôáíóúà"),
    "ro": ("ățţșş", "âî"),
    "tr": ("ğış", "çöü"),
    "vi": ("đơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịĩọỏốồổỗộớờởỡợụủũứừửữựỳỵỷỹ", "ăâêôáàéèíìóòúùãõ"),
}
# Some of their words are English ones or names (care, var, Ben): where no letter speaks for them, the first counts not.
_BY_LETTER = ("ro", "tr", "vi")
_WORD_POINTS, _LETTER_POINTS, _SHARED_LETTER_POINTS = 4, 2, 1


def language_of(text: str) -> str:
    """Guess the language of a text, one of `LANGUAGES`; `en` where nothing speaks for another."""
    text = text[:_READ_CHARACTERS]
    if text.isascii():
        return _latin_language(text)
    text = unicodedata.normalize("NFC", text)  # the letters below are composed
    counts = Counter(map(script_of, filter(str.isalpha, text)))
    counts[Script.CJK] *= _CJK_WEIGHT
    counts[Script.THAI] *= _CJK_WEIGHT
    counts.pop(Script.OTHER, None)
    if not counts:
        return DEFAULT_LANGUAGE
    # Counted in the enum's order, so that a tie does not hang on which character came first.
    script = max((s for s in Script if s in counts), key=lambda s: counts[s])
    if script is Script.CJK:
        return _cjk_language(text)
    if script is Script.LATIN:
        return _latin_language(text)
    return _BY_SCRIPT.get(script, DEFAULT_LANGUAGE)


def _cjk_language(text: str) -> str:
    kana = sum("\u3041" <= char <= "\u30ff" or "\uff66" <= char <= "\uff9f" for char in text)
    hangul = sum("\uac00" <= char <= "\ud7ff" or "\u1100" <= char <= "\u11ff" for char in text)
    han = sum("\u3400" <= char <= "\u9fff" for char in text)
    if hangul > kana + han:
        return "ko"
    # Chinese writes no kana, Japanese hardly a sentence without.
    return "ja" if kana * 10 > han or kana > hangul + han else "zh"


def _latin_language(text: str) -> str:
    lowered = text.lower().replace("’", "'")
    found = Counter(_LATIN_WORD.findall(lowered))
    points = dict.fromkeys(_FUNCTION_WORDS, 0)
    for word, times in found.items():
        for language in _speakers().get(word, ()):
            points[language] += _WORD_POINTS * times
    if not text.isascii():
        for language, (own, shared) in _LETTERS.items():
            points[language] += _LETTER_POINTS * sum(map(lowered.count, own))
            points[language] += _SHARED_LETTER_POINTS * sum(map(lowered.count, shared))
    for language in _BY_LETTER:
        if not any(letter in lowered for letter in "".join(_LETTERS[language])):
            points[language] -= _WORD_POINTS
    return max(points, key=lambda language: points[language])  # the first of equals: en leads the table


@lru_cache(maxsize=1)
def _speakers() -> dict[str, tuple[str, ...]]:
    speakers: dict[str, tuple[str, ...]] = {}
    for language, listed in _FUNCTION_WORDS.items():
        for word in sorted(set(listed.split())):
            speakers[word] = (*speakers.get(word, ()), language)
    return speakers
