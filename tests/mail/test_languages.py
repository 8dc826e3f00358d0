"""A reply on top of a quoted mail, as mail programs write it in many languages."""

from __future__ import annotations

import pytest

from switchboard.access import languages
from switchboard.mail.extract import trim
from switchboard.mail.languages import LANGUAGES

TYPED = "Yes, ship it.\n\nThe second one too."

ANNOUNCEMENTS = [
    # Gmail
    "On Wed, Mar 5, 2025 at 9:14 AM Ann Lee <ann@example.org> wrote:",
    "On Wed, Mar 5, 2025 at 9:14 AM Ann Lee <\nann.lee.of.the.long.name@mail.example.org> wrote:",
    "Am Mi., 5. März 2025 um 09:14 Uhr schrieb Ann Lee <ann@example.org>:",
    "Le mer. 5 mars 2025 à 09:14, Ann Lee <ann@example.org> a écrit :",
    "El mié, 5 mar 2025 a las 9:14, Ann Lee (<ann@example.org>)\nescribió:",
    "Il giorno mer 5 mar 2025 alle ore 09:14 Ann Lee <ann@example.org>\nha scritto:",
    "Em qua., 5 de mar. de 2025 às 09:14, Ann Lee <ann@example.org>\nescreveu:",
    "Op wo 5 mrt 2025 om 09:14 schreef Ann Lee <ann@example.org>:",
    "Den ons. 5. mar. 2025 kl. 09.14 skrev Ann Lee <ann@example.org>:",
    "ons. 5. mars 2025 kl. 09:14 skrev Ann Lee <ann@example.org>:",
    "Den ons 5 mars 2025 kl 09:14 skrev Ann Lee <ann@example.org>:",
    "ke 5. maalisk. 2025 klo 9.14 Ann Lee (ann@example.org) kirjoitti:",
    "śr., 5 mar 2025 o 09:14 Ann Lee <ann@example.org> napisał(a):",
    "st 5. 3. 2025 v 9:14 odesílatel Ann Lee <ann@example.org> napsal:",
    "st 5. 3. 2025 o 9:14 Ann Lee <ann@example.org> napísal(a):",
    "Ann Lee <ann@example.org> ezt írta (időpont: 2025. márc. 5., Sze, 9:14):",
    "În mie., 5 mar. 2025 la 09:14, Ann Lee <ann@example.org> a scris:",
    "ср, 5 мар. 2025 г. в 09:14, Ann Lee <ann@example.org>:",
    "ср, 5 бер. 2025 р. о 09:14 Ann Lee <ann@example.org> пише:",
    "На ср, 5.03.2025 г. в 9:14 Ann Lee <ann@example.org> написа:",
    "2025年3月5日(水) 9:14 Ann Lee <ann@example.org>:",
    "2025년 3월 5일 (수) 오전 9:14, Ann Lee <ann@example.org>님이 작성:",
    "Ann Lee <ann@example.org> 于2025年3月5日周三 09:14写道：",
    "Ann Lee <ann@example.org> 於 2025年3月5日 週三 上午9:14寫道：",
    "Ann Lee <ann@example.org>, 5 Mar 2025 Çar, 09:14 tarihinde şunu yazdı:",
    "Στις Τετ 5 Μαρ 2025 στις 9:14 π.μ., ο/η Ann Lee <ann@example.org>\nέγραψε:",
    "El dc., 5 de març 2025, 9:14, Ann Lee <ann@example.org> va escriure:",
    "sri, 5. ožu 2025. u 09:14 Ann Lee <ann@example.org> napisao je:",
    "V V sre., 5. mar. 2025 ob 09:14 je oseba Ann Lee <ann@example.org>\nnapisala:",
    "Kuupäev K, 5. märts 2025 kell 09:14 kirjutas Ann Lee (<ann@example.org>):",
    "2025-03-05, tr, 09:14 Ann Lee <ann@example.org> rašė:",
    "trešd., 2025. g. 5. marts, plkst. 09:14 — lietotājs Ann Lee (<ann@example.org>) rakstīja:",
    "\u202bבתאריך יום ד׳, 5 במרץ 2025 ב-9:14 מאת \u202aAnn Lee\u202c\u200f "
    "<\u202aann@example.org\u202c\u200f>:\u202c",
    "في الأربعاء، 5 مارس 2025 في 9:14 ص تمت كتابة ما يلي بواسطة Ann Lee <ann@example.org>:",
    "Vào Th 4, 5 thg 3, 2025 vào lúc 09:14 Ann Lee <ann@example.org> đã viết:",
    "Pada tanggal Rab, 5 Mar 2025 pukul 09.14 Ann Lee <ann@example.org> menulis:",
    "ในวันที่ พ. 5 มี.ค. 2025 เวลา 09:14 Ann Lee <ann@example.org> เขียนว่า:",
    # Apple
    "> On 5 Mar 2025, at 09:14, Ann Lee <ann@example.org> wrote:\n> ",
    "On Mar 5, 2025, at 9:14 AM, Ann Lee <ann@example.org> wrote:",
    "Am 05.03.2025 um 09:14 schrieb Ann Lee <ann@example.org>:",
    "Le 5 mars 2025 à 09:14, Ann Lee <ann@example.org> a écrit :",
    "Il giorno 5 mar 2025, alle ore 09:14, Ann Lee <ann@example.org> ha scritto:",
    "El 5 mar 2025, a las 9:14, Ann Lee <ann@example.org> escribió:",
    "No dia 5 de mar. de 2025, às 09:14, Ann Lee <ann@example.org> escreveu:",
    "Op 5 mrt. 2025 om 09:14 heeft Ann Lee <ann@example.org> het volgende geschreven:",
    "5 mars 2025 kl. 09:14 skrev Ann Lee <ann@example.org>:",
    "Ann Lee <ann@example.org> kirjoitti 5.3.2025 kello 9.14:",
    "Wiadomość napisana przez Ann Lee <ann@example.org> w dniu 5 mar 2025, o godz. 09:14:",
    "5. 3. 2025 v 9:14, Ann Lee <ann@example.org>:",
    "5 марта 2025 г., в 09:14, Ann Lee <ann@example.org> написал(а):",
    "2025/03/05 9:14、Ann Lee <ann@example.org>のメール:",
    "2025. 3. 5. 오전 9:14, Ann Lee <ann@example.org> 작성:",
    "在 2025年3月5日，09:14，Ann Lee <ann@example.org> 写道：",
    "5 Mar 2025 tarihinde 09:14 saatinde, Ann Lee <ann@example.org> şunları yazdı:",
    # Thunderbird, Yahoo, Zoho, Outlook for Android and others
    "On 05/03/2025 09:14, Ann Lee wrote:",
    "Am 05.03.25 um 09:14 schrieb Ann Lee:",
    "Le 05/03/2025 à 09:14, Ann Lee a écrit :",
    "El 5/3/25 a las 9:14, Ann Lee escribió:",
    "Il 05/03/25 09:14, Ann Lee ha scritto:",
    "Em 05/03/2025 09:14, Ann Lee escreveu:",
    "W dniu 05.03.2025 o 09:14, Ann Lee pisze:",
    "Dne 05. 03. 25 v 9:14 Ann Lee napsal(a):",
    "05.03.2025 09:14, Ann Lee пишет:",
    '26.06.2024, 14:41, "Ann Lee" <ann@example.org>:',
    "Среда, 5 марта 2025, 9:14 +03:00 от Ann Lee <ann@example.org>:",
    "On Wednesday, March 5, 2025, 09:14:12 AM GMT+1, Ann Lee <ann@example.org> wrote:",
    "    On Wednesday, March 5, 2025 9:14 AM, Ann Lee <ann@example.org> wrote:",
    "---- On Wed, 05 Mar 2025 09:14:12 +0100 Ann Lee <ann@example.org> wrote ----",
    "------ Ann Lee wrote ------",
    "Quoting Ann Lee <ann@example.org>:",
    "Zitat von Ann Lee <ann@example.org>:",
    "--- Ann Lee <ann@example.org> schrieb am Mi, 5.3.2025:",
    "At 09:14 AM 3/5/2025, Ann Lee wrote:",
    "Ann Lee (ann@example.org) wrote on 5 March 2025 at 09:14:",
    "2025-03-05 9:14 GMT+01:00 Ann Lee <ann@example.org>:",
    "Ann Lee <ann@example.org> writes:",
    "------ Original Message ------",
    "-----Original Appointment-----",
    "-------- Original-Nachricht --------",
    "-------- Weitergeleitete Nachricht --------",
    "-------- Message transféré --------",
    "----- Mail original -----",
    "-----Mensaje original-----",
    "-----Messaggio originale-----",
    "-----Mensagem original-----",
    "-----Oorspronkelijk bericht-----",
    "-----Opprinnelig melding-----",
    "-----Ursprungligt meddelande-----",
    "-----Alkuperäinen viesti-----",
    "-----Wiadomość oryginalna-----",
    "-----Původní zpráva-----",
    "-----Eredeti üzenet-----",
    "-------- Исходное сообщение --------",
    "-------- 元のメッセージ --------",
    "-----邮件原件-----",
    "------------------ 原始邮件 ------------------",
    "-----Original Message-----",
    "Begin forwarded message:",
    "Anfang der weitergeleiteten Nachricht:",
    "Début du message réexpédié :",
    "Inizio messaggio inoltrato:",
    "Begin doorgestuurd bericht:",
]

HEADERS = [
    "From: Ann Lee <ann@example.org>\nSent: Wednesday, March 5, 2025 9:14 AM\nTo: Bo\nSubject: Release",
    "From:\tAnn Lee\nSent:\tWednesday, March 5, 2025 9:14 AM\nTo:\tBo",
    "*From:* Ann Lee <ann@example.org>\n*Date:* Wednesday, 5 March 2025 at 9:14\n*Subject:* Release",
    "________________________________\nFrom: Ann Lee <ann@example.org>\nSent: 5 March 2025 9:14",
    "Von: Ann Lee <ann@example.org>\nGesendet: Mittwoch, 5. März 2025 09:14\nAn: Bo\nBetreff: Release",
    "De : Ann Lee <ann@example.org>\nEnvoyé : mercredi 5 mars 2025 09:14\nÀ : Bo\nObjet : Release",
    "De: Ann Lee <ann@example.org>\nEnviado el: miércoles, 5 de marzo de 2025 9:14\nPara: Bo\nAsunto: x",
    "Da: Ann Lee <ann@example.org>\nInviato: mercoledì 5 marzo 2025 09:14\nA: Bo\nOggetto: Release",
    "De: Ann Lee\nEnviada em: quarta-feira, 5 de março de 2025 09:14\nPara: Bo\nAssunto: Release",
    "Van: Ann Lee <ann@example.org>\nVerzonden: woensdag 5 maart 2025 09:14\nAan: Bo\nOnderwerp: x",
    "Fra: Ann Lee <ann@example.org>\nSendt: onsdag den 5. marts 2025 09:14\nTil: Bo\nEmne: Release",
    "Från: Ann Lee <ann@example.org>\nSkickat: den 5 mars 2025 09:14\nTill: Bo\nÄmne: Release",
    "Lähettäjä: Ann Lee\nLähetetty: keskiviikko 5. maaliskuuta 2025 9.14\nVastaanottaja: Bo\nAihe: x",
    "Od: Ann Lee <ann@example.org>\nWysłano: środa, 5 marca 2025 09:14\nDo: Bo\nTemat: Release",
    "Od: Ann Lee <ann@example.org>\nOdesláno: středa 5. března 2025 9:14\nKomu: Bo\nPředmět: Release",
    "Feladó: Ann Lee <ann@example.org>\nElküldve: 2025. március 5., szerda 9:14\nCímzett: Bo\nTárgy: x",
    "De la: Ann Lee <ann@example.org>\nTrimis: miercuri, 5 martie 2025 09:14\nCătre: Bo\nSubiect: x",
    "От: Ann Lee <ann@example.org>\nОтправлено: 5 марта 2025 г. 9:14\nКому: Bo\nТема: Release",
    "Від: Ann Lee <ann@example.org>\nНадіслано: 5 березня 2025 р. 9:14\nКому: Bo\nТема: Release",
    "差出人: Ann Lee <ann@example.org>\n送信日時: 2025年3月5日 9:14\n宛先: Bo\n件名: Release",
    "보낸 사람: Ann Lee <ann@example.org>\n보낸 날짜: 2025년 3월 5일\n받는 사람: Bo\n제목: Release",
    "发件人: Ann Lee <ann@example.org>\n发送时间: 2025年3月5日 9:14\n收件人: Bo\n主题: Release",
    "寄件者： Ann Lee <ann@example.org>\n日期： 2025年3月5日\n收件者： Bo\n主旨： Release",
    "Kimden: Ann Lee <ann@example.org>\nGönderme Tarihi: 5 Mart 2025 09:14\nKime: Bo\nKonu: Release",
    "Από: Ann Lee <ann@example.org>\nΗμερομηνία: 5 Μαρτίου 2025 9:14\nΠρος: Bo\nΘέμα: Release",
    "מאת: Ann Lee <ann@example.org>\nנשלח: 5 מרץ 2025 09:14\nאל: Bo\nנושא: Release",
    "من: Ann Lee <ann@example.org>\nتم الإرسال: 5 مارس 2025\nإلى: Bo\nالموضوع: Release",
    "Từ: Ann Lee <ann@example.org>\nĐã gửi: 5 tháng 3 2025 09:14\nTới: Bo\nChủ đề: Release",
    "Šalje: Ann Lee <ann@example.org>\nPoslano: 5. ožujka 2025. 9:14\nPrima: Bo\nPredmet: Release",
    "Pošiljatelj: Ann Lee <ann@example.org>\nPoslano: sreda, 5. marec 2025 9:14\nZadeva: Release",
    "Dari: Ann Lee <ann@example.org>\nDikirim: 5 Maret 2025 9:14\nKepada: Bo\nPerihal: Release",
    "Subject: Re: Release\nFrom: Ann Lee <ann@example.org>\nDate: Wed, 5 Mar 2025 09:14:00 +0100",
]

PHONES = [
    "Sent from my iPhone",
    "Sent from Mail for Windows 10",
    "Sent from Yahoo Mail on Android",
    "Sent from my Galaxy S9, powered by Three",
    "Get Outlook for Android<https://aka.ms/example>",
    "Get Outlook for iOS",
    "Sent from Proton Mail for iOS",
    "Sent via Superhuman iOS",
    "Von meinem iPhone gesendet",
    "Gesendet mit der GMX Mail App",
    "Envoyé de mon iPhone",
    "Envoyé depuis l'application Mail Orange",
    "Enviado desde mi iPhone",
    "Inviato da iPhone",
    "Enviado do meu iPhone",
    "Verstuurd vanaf mijn iPhone",
    "Sendt fra min iPhone",
    "Skickat från min iPhone",
    "Lähetetty iPhonesta",
    "Wysłane z iPhone'a",
    "Odesláno z iPhonu",
    "Отправлено с iPhone",
    "Надіслано з iPhone",
    "iPhoneから送信",
    "나의 iPhone에서 보냄",
    "发自我的 iPhone",
    "從我的 iPhone 傳送",
    "iPhone'umdan gönderildi",
    "Trimis de pe iPhone",
    "Στάλθηκε από το iPhone μου",
    "Đã gửi từ iPhone của tôi",
    "Dikirim dari iPhone saya",
]


@pytest.mark.parametrize("announcement", ANNOUNCEMENTS)
def test_what_stands_above_an_announced_quote_is_what_was_typed(announcement: str) -> None:
    quote = "> Shall we ship it?\n>\n> Ann"
    assert trim(f"{TYPED}\n\n{announcement}\n{quote}\n") == TYPED
    assert trim(f"{TYPED}\n\n{announcement}\n\n{quote}\n") == TYPED


@pytest.mark.parametrize(
    "announcement",
    [a for a in ANNOUNCEMENTS if not a.startswith(("Ann Lee <ann@example.org> writes", ">"))],
)
def test_an_announced_mail_needs_no_signs_in_front_of_its_lines(announcement: str) -> None:
    assert trim(f"{TYPED}\n\n{announcement}\n\nShall we ship it?\n\nAnn\n") == TYPED


@pytest.mark.parametrize("header", HEADERS)
def test_a_mail_quoted_with_its_header_is_cut(header: str) -> None:
    assert trim(f"{TYPED}\n\n{header}\n\nShall we ship it?\n") == TYPED
    assert trim(f"{TYPED}\n{header}\n\n> Shall we ship it?\n") == TYPED


@pytest.mark.parametrize("line", PHONES)
def test_the_line_of_a_phone_is_not_posted(line: str) -> None:
    assert trim(f"{TYPED}\n\n{line}\n") == TYPED
    assert trim(f"{TYPED}\n\n{line}\n\nOn 05/03/2025 09:14, Ann Lee wrote:\n> Shall we?") == TYPED


@pytest.mark.parametrize("code", languages.LANGUAGES)
def test_our_line_in_any_language_ends_the_reply(code: str) -> None:
    above = languages.reply_line(code)
    assert trim(f"{TYPED}\n\n-- {above} --\n\nShall we ship it?") == TYPED
    assert (
        trim(f"{TYPED}\n\nOn 05/03/2025 09:14, Ann wrote:\n> ## {above} ##\n> Shall we?") == TYPED
    )


def test_every_language_has_its_own_row() -> None:
    codes = [language.code for language in LANGUAGES]
    assert len(set(codes)) == len(codes) >= 27
    assert codes == list(languages.LANGUAGES)
    assert len({each.reply_line for each in languages.LANGUAGES.values()}) == len(codes)
