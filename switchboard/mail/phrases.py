"""What programs and mail servers add to a mail in no one language: names of devices, banners, disclaimers.

Each table is a list of beginnings, separated by `|`, matched in folded text.
"""

from __future__ import annotations

import re
from typing import Final


def _any(words: str, *, whole: bool = False) -> re.Pattern[str]:
    """A pattern for any of `words`, at the beginning of a word; `whole`: and to its end."""
    listed = "|".join(map(re.escape, words.split("|")))
    return re.compile(rf"(?<!\w)(?:{listed})" + (r"(?!\w)" if whole else ""))


# names that stand in "Sent from …"
DEVICES: Final = _any(
    "iphone|ipad|ipod|android|samsung|galaxy|blackberry|outlook|windows|yahoo|gmail|proton|smartphone|"
    "phone|mobil|handy|handheld|tablet|téléphone|teléfono|telefon|tableta|huawei|xiaomi|redmi|oneplus|pixel|"
    "htc|nokia|xperia|sony|motorola|verizon|t-mobile|at&t|mail app|mail pour|mail für|mail für|mail voor|"
    "mailbird|thunderbird|spark|k-9|fairemail|aqua mail|typeapp|bluemail|superhuman|airmail|polymail|"
    "mailspring|webmail|wireless|device|appareil|dispositivo|gerät|celular|móvil|cellulare|komórk|мобильн|"
    "мобільн|телефон|ios|macbook|symbian|l'application mail|posteo|gmx|web.de|hey.com|icloud"
)
# a phone that nobody knows is somebody's own: "Sent from my Wiko"
OWN: Final = _any(
    "my|meinem|meiner|mon|ma|mi|mio|mia|meu|minha|mijn|min|mitt|mojego|mojej|mého|môjho|моего|моєї|мого|"
    "moj|mojega|meva|meu",
    whole=True,
)

# A mail server's banner on top of a mail from outside begins with one of WARNS, says OUTSIDE and says CARE.
WARNS: Final = _any(
    "caution|warning|external|attention|notice|important|achtung|vorsicht|warnung|hinweis|extern|"
    "waarschuwing|let op|atención|precaución|advertencia|aviso|atenção|cuidado|attenzione|avvertenza|"
    "varning|advarsel|obs|varoitus|uwaga|upozornění|pozor|figyelem|atenție|внимание|увага|dikkat|προσοχή|"
    "this e-mail originated|this email originated|this message originated|this email came|"
    "this message came|you don't often get email from|some people who received this message don't often|"
    "diese e-mail stammt|ce courriel provient|ce message provient|cet e-mail|este correo|este e-mail|"
    "注意|警告|외부"
)
OUTSIDE: Final = _any(
    "outside|external|extern|extérieur|externo|externa|esterno|esterna|utanför|udefra|utenfor|eksternt|"
    "ulkopuol|zewnątrz|zewnętrz|externí|külső|внешн|зовнішн|often get email|don't often get|dışarıdan|"
    "εξωτερικ"
)
CARE: Final = _any(
    "click|link|attachment|recogni|trust|learn why|sender|klick|anhäng|anhang|absender|öffne|lien|cliqu|"
    "pièce|expéditeur|enlace|adjunt|remitente|clique|anexo|remetente|allegat|mittente|collegament|koppeling|"
    "bijlage|afzender|klik|vedhæft|vedlegg|avsänd|avsender|bifog|länk|linkk|liitte|lähettäj|załączn|nadawc|"
    "příloh|odesíl|melléklet|feladó|вложен|ссылк|отправител|вкладен"
)
STAMP: Final = re.compile(  # [EXTERNAL]
    r"\W*(?:external|extern|externe|externo|esterno|ekstern)\W{0,3}(?:e-?mail|sender|message|mail)?\W*"
)

# A disclaimer speaks of the message in its first words and says two of these.
LEGAL: Final = _any(
    "confidential|intended|privileged|disclos|unauthori|addressee|notify|delete|liab|vertraulich|empfänger|"
    "bestimmt|lösch|unbefugt|confidentiel|destinataire|destiné|supprim|strictement|confidencial|destinat|"
    "elimin|borr|apag|confidenzial|riservat|vertrouwelijk|bestemd|verwijder|geadresseerde|fortrolig|modtager|"
    "mottaker|konfidenti|mottagare|luottamuksellin|vastaanottaj|poufn|adresat|důvěrn|dôvern|určen|bizalmas|"
    "címzett|confidențial|конфиденциальн|предназначен|адресат|конфіденційн|gizli|εμπιστευτικ|"
    "機密|受信者|保密|机密|기밀"
)
LEGAL_HEADING: Final = re.compile(
    r"\W*(?:disclaimer|confidentiality (?:notice|statement|note)|legal (?:notice|disclaimer)|"
    r"aviso (?:legal|de confidencialid?ade?)|avis de confidentialité|haftungsausschluss|"
    r"vertraulichkeitshinweis|cláusula de confidencialidad|ansvarsfriskrivning|klauzula poufności)\W*"
)
SCANNED: Final = re.compile(
    r"(?:scanned|checked|analy[sz]ed|geprüft|gescannt|analizzato|gescand|gecontroleerd|vérifié|analysé|"
    r"analizado|verificad[oa])[^.]{0,60}(?:virus|malware|spam|mailscanner|mimecast|infett)"
)
VIRUS_FREE: Final = re.compile(
    r"\W*(?:virus-free|virenfrei|sans virus|garanti sans virus|absence de virus|libre de virus|"
    r"livre de vírus|privo di virus|virusvrij)\W{0,3}(?:www|https?:|\Z)"
)
