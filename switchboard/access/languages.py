"""The languages that a reader may choose for the line of a mail above which one replies.

What comes back is cut at any of these very lines (`switchboard/mail/vocabulary.py`).
"""

from __future__ import annotations

from typing import NamedTuple

from switchboard.errors import Invalid

ENGLISH = "en"


class Language(NamedTuple):
    """What it calls itself, and its words for "reply above this line"."""

    name: str
    reply_line: str


# by ISO 639-1 code
LANGUAGES = {
    "en": Language("English", "Reply above this line"),
    "de": Language("Deutsch", "Bitte oberhalb dieser Zeile antworten"),
    "fr": Language("français", "Répondez au-dessus de cette ligne"),
    "es": Language("español", "Responda por encima de esta línea"),
    "it": Language("italiano", "Rispondi sopra questa riga"),
    "pt": Language("português", "Responda acima desta linha"),
    "nl": Language("Nederlands", "Antwoord boven deze regel"),
    "da": Language("dansk", "Svar over denne linje"),
    "no": Language("norsk", "Svar over denne linjen"),
    "sv": Language("svenska", "Svara ovanför den här raden"),
    "fi": Language("suomi", "Vastaa tämän rivin yläpuolelle"),
    "pl": Language("polski", "Odpowiedz powyżej tej linii"),
    "cs": Language("čeština", "Odpovězte nad tímto řádkem"),
    "sk": Language("slovenčina", "Odpovedzte nad týmto riadkom"),
    "hu": Language("magyar", "Válaszoljon e sor fölé"),
    "ro": Language("română", "Răspundeți deasupra acestei linii"),
    "ru": Language("русский", "Ответьте выше этой строки"),
    "uk": Language("українська", "Відповідайте вище цього рядка"),
    "bg": Language("български", "Отговорете над този ред"),
    "ja": Language("日本語", "この行より上に返信してください"),
    "ko": Language("한국어", "이 줄 위에 답장해 주세요"),
    "zh": Language("中文", "请在此行上方回复"),
    "tr": Language("Türkçe", "Bu satırın üzerine yanıt yazın"),
    "el": Language("ελληνικά", "Απαντήστε πάνω από αυτή τη γραμμή"),
    "ca": Language("català", "Responeu per sobre d'aquesta línia"),
    "hr": Language("hrvatski", "Odgovorite iznad ovog retka"),
    "sl": Language("slovenščina", "Odgovorite nad to vrstico"),
    "et": Language("eesti", "Vasta selle rea kohale"),
    "lt": Language("lietuvių", "Atsakykite virš šios eilutės"),
    "lv": Language("latviešu", "Atbildiet virs šīs rindas"),
    "he": Language("עברית", "נא להשיב מעל שורה זו"),
    "ar": Language("العربية", "الرجاء الرد أعلى هذا السطر"),
    "vi": Language("Tiếng Việt", "Vui lòng trả lời phía trên dòng này"),
    "id": Language("Bahasa Indonesia", "Balas di atas baris ini"),
    "th": Language("ไทย", "โปรดตอบเหนือบรรทัดนี้"),
    "fa": Language("فارسی", "لطفا بالای این خط پاسخ دهید"),
}


def check(code: str) -> str:
    """The code, folded. Raises Invalid for one that is not offered."""
    folded = code.strip().lower()
    if folded not in LANGUAGES:
        raise Invalid(
            f"There is no language {code[:20]}; there are: {', '.join(LANGUAGES)}.",
            field="language",
        )
    return folded


def reply_line(code: str | None) -> str:
    """The line in that language; in English for None, and for one that is offered no more."""
    return LANGUAGES.get(code or ENGLISH, LANGUAGES[ENGLISH]).reply_line
