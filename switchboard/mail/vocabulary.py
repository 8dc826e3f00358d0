"""The words of `switchboard/mail/languages.py`, compiled into what the readers ask."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from switchboard.mail.languages import LANGUAGES

# A word of a script without spaces touches its neighbours; any other stands alone.
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def _words(column: str) -> Iterator[str]:
    """Each word of one column of the table, over all languages."""
    for language in LANGUAGES:
        yield from filter(None, getattr(language, column).casefold().split("|"))


def _any_of(column: str) -> str:
    """A pattern for any word of a column, longest first; never inside another word.

    One look behind for all words of a kind: a look for each would cost ten times as much.
    """
    words = sorted(set(_words(column)), key=len, reverse=True)
    unspaced = [re.escape(word) for word in words if _UNSPACED.search(word)]
    spaced = [word for word in words if not _UNSPACED.search(word)]
    ends_open = [re.escape(word) for word in spaced if not word[-1].isalnum()]
    ends_closed = [re.escape(word) for word in spaced if word[-1].isalnum()]
    patterns = (
        rf"(?<!\w)(?:{'|'.join(ends_open)})",
        rf"(?<!\w)(?:{'|'.join(ends_closed)})(?!\w)",
        f"(?:{'|'.join(unspaced)})",
    )
    given = (ends_open, ends_closed, unspaced)
    return "|".join(pattern for pattern, some in zip(patterns, given, strict=True) if some)


def folded(line: str) -> str:
    """`line` as the patterns below want it."""
    return line.casefold()


# header word → the field it names: sender, date, to or subject
HEADERS: Final = {
    word: field for field in ("subject", "to", "date", "sender") for word in _words(field)
}
MONTHS: Final = frozenset(_words("months"))  # the first three letters of each
WROTE: Final = re.compile(_any_of("wrote"))
ENDS_WITH_WROTE: Final = re.compile(rf"(?:{_any_of('wrote')})[^\w.!?]*\Z")
QUOTING: Final = re.compile(rf"\W{{0,4}}(?:{_any_of('quoting')})")
OPENS: Final = re.compile(rf"[^\w<]{{0,6}}(?:\d|{_any_of('opens')})")
# an opening word in the middle of a line stands with a capital there: "yes On Wed, Apr 4 …"
OPENS_WITHIN: Final = re.compile(
    rf"(?<=\s)[-–—]*\s?({'|'.join(re.escape(w.capitalize()) for w in sorted(set(_words('opens'))))})(?=\s)"
)
MESSAGE: Final = re.compile(rf"{_any_of('message')}|communication|transmission|correspondence")
FORWARDED: Final = frozenset(_words("forwarded"))
DEVICE: Final = re.compile(rf"\W{{0,4}}(?:{_any_of('device')})")
DEVICE_ENDS: Final = re.compile(rf"(?:{_any_of('device_ends')})\W{{0,4}}\Z")
AWAY: Final = re.compile(rf"\W{{0,4}}(?:{_any_of('away')})")
ABOVE: Final = re.compile(_any_of("above"))

# names that a program puts into "Sent from …", in no language
DEVICES: Final = re.compile(
    r"(?<![a-z])(?:iphone|ipad|ipod|android|samsung|galaxy|blackberry|outlook|windows|yahoo|gmail|"
    r"protonmail|proton|smartphone|phone|mobile?|handy|handheld|tablet|téléphone|teléfono|telefone?|telefoon|"
    r"huawei|xiaomi|htc|nokia|xperia|sony|motorola|verizon|t-mobile|at&t|mail|mailbird|thunderbird|spark|"
    r"nine|k-9|aqua|typeapp|bluemail|superhuman|airmail|newton|hey|front|missive|polymail|mailspring|"
    r"webmail|wireless|device|celular|móvil|cellulare|komórk\w*|telefon\w*|мобильн\w*|телефон\w*|"
    r"ios|macbook|mac|apple|symbian|palm|windows)(?![a-z])"
)
# A banner that a mail server puts on top of a mail from outside: begins with one, says another.
WARNS: Final = re.compile(
    r"\W{0,6}(?:caution|warning|external|attention|notice|achtung|vorsicht|warnung|extern|waarschuwing|"
    r"let op|atención|precaución|advertencia|atenção|cuidado|attenzione|varning|advarsel|varoitus|uwaga|"
    r"pozor|внимание|увага|this (?:e-?mail|message) (?:originated|came|was sent) from outside|"
    r"you don't often get e-?mail from|some people who received this message don't often)(?!\w)"
)
OUTSIDE: Final = re.compile(
    r"outside|external|extern|extérieur|externe|externo|externa|esterno|utanför|udefra|utenfor|"
    r"ulkopuol|zewnątrz|zewnętrz|внешн|often get e-?mail|don't often"
)
# A disclaimer speaks of the message and of one of these.
LEGAL: Final = re.compile(
    r"confidential|intended recipient|intended only|intended solely|privileged|disclaimer|vertraulich|"
    r"confidentiel|destinataire|confidencial|confidenzial|riservat|vertrouwelijk|fortrolig|konfidenti|"
    r"luottamuksellin|poufn|důvěrn|dôvern|bizalmas|confidențial|конфиденциальн|конфіденційн|gizli|"
    r"εμπιστευτικ|機密|保密|기밀"
)
LEGAL_HEADING: Final = re.compile(
    r"\W{0,5}(?:disclaimer|confidentiality (?:notice|statement|note)|legal (?:notice|disclaimer)|"
    r"aviso (?:legal|de confidencialid?ade?)|avis de confidentialité|haftungsausschluss|vertraulichkeitshinweis|"
    r"clausula de confidencialidad|ansvarsfriskrivning|klauzula poufności)\W{0,5}"
)
SCANNED: Final = re.compile(
    r"(?:scanned|checked|analy[sz]ed|geprüft|analizzato|gescand|vérifié|analizado|verificad[oa])"
    r"[^.]{0,40}(?:virus|malware|antivirus|esva|mimecast|mailscanner)|virus-free|virenfrei|absence de virus|"
    r"libre de virus|livre de vírus"
)
