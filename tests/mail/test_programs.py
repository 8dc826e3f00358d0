"""What programs put below a reply, each as it does it, goes; what was typed above it stays."""

from __future__ import annotations

import pytest

from switchboard.mail.extract import trim

TYPED = "Take fuse B, and call me first.\n\n1. pull A\n2. push B\n\n    fuse --set B"
ASKED = ["Which fuse?", "", "Build 4127 waits for it.", "-- ", "Switchboard"]
WHOLE = "\n".join(ASKED)
QUOTED = "\n".join(f"> {line}".rstrip() for line in ASKED)
US = "Switchboard <box+abc@in.example.org>"
RULE = "_" * 32


def header(*names: str, when: str) -> str:
    """The header that is quoted whole, its words for sender, date, recipient and subject given."""
    values = (US, when, "Dana Okafor <dana@example.com>", "Which fuse?")
    return "\n".join(f"{n}: {v}" for n, v in zip(names, values, strict=True))


BELOW = {
    "Gmail on Android": f"On Wed, 2 Dec 2026, 21:03 {US}, wrote:\n\n{QUOTED}",
    "Gmail, wrapped":
        "On Wed, Dec 2, 2026 at 9:03 PM Switchboard on box.example.org <\n"
        f"box+abc@in.example.org> wrote:\n\n{QUOTED}",
    "Gmail in Polish": f"śr., 2 gru 2026 o 21:03 {US} napisał(a):\n\n{QUOTED}",
    "Gmail in Japanese": f"2026年12月2日(水) 21:03 {US}:\n\n{QUOTED}",
    "Gmail in Korean": f"2026년 12월 2일 (수) 오후 9:03, {US}님이 작성:\n\n{QUOTED}",
    "Gmail in Turkish": f"{US}, 2 Ara 2026 Çar, 21:03 tarihinde şunu yazdı:\n\n{QUOTED}",
    "Gmail in Russian": f"ср, 2 дек. 2026 г. в 21:03, {US}:\n\n{QUOTED}",
    "Gmail in Arabic": f"في الأربعاء، 2 ديسمبر 2026 في 9:03 م تمت كتابة ما يلي بواسطة {US}:\n\n{QUOTED}",
    "Gmail in Hebrew": f"בתאריך יום ד׳, 2 בדצמ׳ 2026 ב-21:03 מאת {US}:\n\n{QUOTED}",
    "Outlook in Finnish": header(
        "Lähettäjä", "Lähetetty", "Vastaanottaja", "Aihe", when="keskiviikko 2. joulukuuta 2026 21.03"
    ) + f"\n\n{WHOLE}",
    "Outlook in Czech": header(
        "Od", "Odesláno", "Komu", "Předmět", when="středa 2. prosince 2026 21:03"
    ) + f"\n\n{WHOLE}",
    "Outlook in Chinese": header(
        "发件人", "发送时间", "收件人", "主题", when="2026年12月2日 21:03"
    ) + f"\n\n{WHOLE}",
    "Outlook on the web in Spanish": f"{RULE}\n" + header(
        "De", "Enviado", "Para", "Asunto", when="miércoles, 2 de diciembre de 2026 21:03"
    ) + f"\n\n{WHOLE}",
    "Outlook on Android in Portuguese":
        f"Obter o Outlook para Android<https://aka.ms/AAb9ysg>\n{RULE}\n" + header(
            "De", "Enviado", "Para", "Assunto", when="quarta-feira, 2 de dezembro de 2026 21:03:11"
        ) + f"\n\n{WHOLE}",
    "Samsung in German":
        "Von meinem Samsung Galaxy Smartphone gesendet.\n-------- Ursprüngliche Nachricht --------\n"
        + header("Von", "Datum", "An", "Betreff", when="02.12.26  21:03  (GMT+01:00)")
        + f"\n\n{WHOLE}",
    "HCL Notes":
        f"From:\t{US}\nTo:\tdana@example.com\nDate:\t02.12.2026 21:03\nSubject:\tWhich fuse?\n"
        f"\n\n{WHOLE}",
    "QQ":
        '------------------ 原始邮件 ------------------\n发件人: "Switchboard" <box+abc@in.example.org>;\n'
        f'发送时间: 2026年12月2日(星期三) 晚上9:03\n收件人: "dana"<dana@example.com>;\n\n{WHOLE}',
    "Proton":
        "Sent with [Proton Mail](https://proton.me/mail/home) secure email.\n\n"
        f"On Wednesday, December 2nd, 2026 at 9:03 PM, {US} wrote:\n\n{QUOTED}",
    "Proton on Android":
        "Sent from Proton Mail for Android.\n\n-------- Original Message --------\n"
        f"On Wednesday, 12/02/26 at 21:03 {US} wrote:\n\n{QUOTED}",
    "Superhuman":
        "Sent via Superhuman ( https://sprh.mn/?vip=dana@example.com )\n\n"
        f"On Wed, Dec 02, 2026 at 9:03 PM, Switchboard < box+abc@in.example.org > wrote:\n\n{QUOTED}",
    "HEY": f"On December 2, 2026, {US} wrote:\n{QUOTED}",
    "Yahoo": f"    On Wednesday, December 2, 2026 at 09:03:11 PM GMT, {US} wrote:  \n \n {WHOLE}",
    "Yahoo on Android":
        "Sent from Yahoo Mail on Android \n \n"
        f"  On Wed, 2 Dec 2026 at 21:03, Switchboard<box+abc@in.example.org> wrote:   {WHOLE}",
    "Apple Mail in Italian":
        "Inviato da iPhone\n\n"
        f"> Il giorno 2 dic 2026, alle ore 21:03, {US} ha scritto:\n> \n{QUOTED}",
}  # fmt: skip


@pytest.mark.parametrize("program", BELOW)
def test_what_a_program_puts_below_a_reply_goes(program: str) -> None:
    assert trim(f"{TYPED}\n\n{BELOW[program]}\n") == TYPED


@pytest.mark.parametrize(
    "above",
    [
        "On 02/12/2026 21:03, Switchboard wrote:",
        "Am 02.12.26 um 21:03 schrieb Switchboard:",
        "On Wednesday, 2 December 2026 21:03:11 GMT Switchboard wrote:",
        "On Wed, 2 Dec 2026, at 9:03 PM, Switchboard wrote:",
    ],
)
def test_what_a_program_puts_above_a_reply_goes(above: str) -> None:
    assert trim(f"{above}\n{QUOTED}\n\n{TYPED}\n\n-- \nDana Okafor\nPlatform\n") == TYPED


@pytest.mark.parametrize(
    "typed",
    [
        "On second thought, roll it back.\nOn Friday we wrote: never deploy at night.",
        "Both must be set:\n\n    from: ops\n    to: prod",
        "--- a/run.py\n+++ b/run.py\n@@ -1 +1 @@\n-print(1)\n+print(2)",
        "A\n---\nfast\n\nB\n---\nslow\n\nTake B.",
    ],
)
def test_what_only_looks_like_a_programs_stays(typed: str) -> None:
    assert trim(f"{typed}\n\n{BELOW['Gmail on Android']}") == typed
