"""What is left of a mail's text, and what a person typed and must not lose."""

from __future__ import annotations

from textwrap import dedent

import pytest

from switchboard.mail.extract import trim


def cut(text: str) -> str:
    return trim(dedent(text))


def test_answers_between_quotes_stay_and_the_quotes_go() -> None:
    assert (
        cut("""\
        Hi Bo,

        On 5 May 2025 at 10:00, Bo <bo@example.org> wrote:
        > Which one?

        The second.

        > And when?
        >

        On Friday.
        """)
        == "Hi Bo,\n\nThe second.\n\nOn Friday."
    )


def test_an_answer_below_the_quote_stays() -> None:
    assert (
        cut("""\
        On 05/05/2025 10:00, Bo wrote:
        > Which one?
        > And when?
        The second, on Friday.
        """)
        == "The second, on Friday."
    )


def test_an_answer_below_an_announcement_stays_where_quotes_are_marked() -> None:
    assert (
        cut("""\
        On 5 May 2025 10:00, "Bo" <bo@example.org> wrote:

        I meant the second.

        On 4 May 2025 9:00, "Ann" <ann@example.org> wrote:
        > Which one?

        That one, then.
        """)
        == "I meant the second.\n\nThat one, then."
    )


def test_a_quote_without_an_announcement_goes() -> None:
    assert cut("Yes.\n\n> Which one?\n> And when?\n") == "Yes."


def test_an_announcement_behind_the_words_on_their_line_goes() -> None:
    assert trim("Yes. On Mon, May 5, 2025 at 10:00 AM, bo@example.org wrote:\n> Which?") == "Yes."


def test_an_announcement_with_the_quoted_text_behind_it_goes_with_all_below() -> None:
    line = "  On Wed, 2 Dec 2026 at 21:03, Bo Lee<bo@example.org> wrote:   Which fuse?"
    assert trim(f"Fuse B.\n\n{line}\n\nIt smokes.") == "Fuse B."
    typed = "On Monday at 10:30 bo@example.org said:  no, and I wrote:  yes."
    assert trim(typed) == typed


def test_a_line_typed_directly_above_the_announcement_stays() -> None:
    text = "See you at 10:30\nBo Lee <bo@example.org> schrieb am Mo., 5.\nMai 2025 um 10:00 Uhr:\n\n> Wann?"
    assert trim(text) == "See you at 10:30"


def test_the_end_of_a_quoted_line_that_was_wrapped_goes_with_it() -> None:
    assert (
        cut("""\
        Fine.

        On 5 May 2025 at 10:00, Bo wrote:
        > This is a line that the program of somebody on the way found to be too
        long for it.
        > And when?
        """)
        == "Fine."
    )


def test_what_stands_above_our_line_is_all_even_if_more_is_typed_below() -> None:
    assert (
        cut("""\
        The second.

        Reply above this line

        Which one?
        """)
        == "The second."
    )


def test_with_nothing_above_our_line_the_answer_below_its_quote_stays() -> None:
    assert (
        cut("""\
        On 5 May 2025 at 10:00, Switchboard wrote:
        > ## Reply above this line ##
        > Which one?

        The second.
        """)
        == "The second."
    )


def test_a_mail_that_only_quotes_is_empty() -> None:
    assert trim("> Which one?\n> And when?") == ""
    assert trim("From: Bo <bo@example.org>\nSent: 5 May 2025\nSubject: x\n\nWhich one?") == ""
    assert trim("-----Original Message-----\nWhich one?") == ""
    assert trim("") == ""


def test_the_rest_of_a_mail_that_was_broken_by_polymail_goes() -> None:
    text = "Yes.\n\nOn Mon, May 5, 2025 at 10:00 AM Bo\n\n<\nmailto:Bo <bo@example.org>\n> wrote:\nWhich?"
    assert trim(text) == "Yes."


SIGNATURES = [
    "-- \nAnn Lee\nHead of Ships\n+1 555 0100",
    "--\nAnn",
    "—\nAnn Lee",
    "__\nships mailing list\nships@lists.example.org",
    "_______________________________________________\nships mailing list\nhttps://lists.example.org/ships",
    "---\nAnn Lee\nann@example.org",
    "________________\nAnn Lee\nHead of Ships\n____________\n\nFor support call the desk.\n____________",
    "Disclaimer\n\nThe information in this communication is confidential and privileged.\n\nMore of it.",
    "This e-mail is confidential and intended for the addressee only. If you are not, delete it.",
    "Diese E-Mail enthält vertrauliche Informationen. Wenn Sie nicht der Empfänger sind, löschen Sie sie.",
    "Ce message et ses pièces jointes sont confidentiels et destinés exclusivement à leur destinataire.",
    "This email has been scanned for viruses and malware by Example Ltd.",
    "Virus-free. www.example.com",
]


@pytest.mark.parametrize("signature", SIGNATURES)
def test_signatures_and_disclaimers_go(signature: str) -> None:
    assert trim(f"Yes, ship it.\n\n{signature}\n") == "Yes, ship it."
    quoted = f"Yes, ship it.\n\n{signature}\n\nOn 5 May 2025 at 10:00, Bo wrote:\n> Shall we?\n"
    assert trim(quoted) == "Yes, ship it."


BANNERS = [
    "CAUTION: This email originated from outside of the company. Do not click links or open attachments.",
    "[EXTERNAL]",
    "[External Email]",
    "You don't often get email from ann@example.org. Learn why this is important",
    "ACHTUNG: Diese E-Mail stammt von einem externen Absender. Bitte klicken Sie keine Links an.",
    "ATTENTION : ce courriel provient de l'extérieur. Ne cliquez sur aucun lien.",
]


@pytest.mark.parametrize("banner", BANNERS)
def test_the_banner_of_a_mail_server_goes(banner: str) -> None:
    assert trim(f"{banner}\n\nYes, ship it.\n") == "Yes, ship it."


TYPED = [
    "On Tuesday I am away, so ship it on Monday.",
    "On Tuesday I wrote:\nno.",
    "Ann wrote:\nthat she is away.",
    "From: the harbour\nTo: the sea",
    "From here on:\nship it.\n\nTo: nobody",
    "Note: the date is open.\nSubject: to change.",
    "Sent from my desk, which is much easier than from my phone.",
    "Sent from Berlin on Monday\nand from Paris on Tuesday.",
    "The mail was sent from my iPhone.",
    "Sent by mail yesterday, it should be there.",
    "First:\n-- one\n-- two\n\nThen ship it.",
    "Options\n-------\nA\nB",
    "Before\n\n---\n\nAfter that there is a whole sentence, which nobody signs with.",
    "a ---- b",
    "---- error message ----\nsegfault\n---- end ----\n\nDoes that say something?",
    "Warning: the external service fails.",
    "External calls fail.\n\nInternal ones too.",
    "Yes.\n\nPlease keep this message confidential until Friday.",
    "We scanned the upload for viruses, it is clean.",
    "Attention: the sender of that hook is outside of our net.\n\nShip it anyway.",
    "```\nFrom: ann@example.org\nTo: b@example.org\n\n> quoted\n--\nAnn\n```\nThat is what I got.",
    "```\nOn 5 May 2025 at 10:00, Bo <bo@example.org> wrote:\n\n```\nIt ends there.",
    ">>> >>> https://example.org/ <<<\nis the place.",
    "The list:\n1. ship\n2. at 10:30:\n   sail",
    "At 10:30 on 5 May 2025:\nship it.",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "A> is no quote",
    "I answered above this line of code.",
    "Vacation is over.",
]


@pytest.mark.parametrize("text", TYPED)
def test_what_a_person_typed_stays_as_it_is(text: str) -> None:
    assert trim(text) == text
    assert trim(f"{text}\n\nOn 5 May 2025 at 10:00, Bo wrote:\n> Shall we?\n") == text


def test_a_signed_text_loses_its_armour() -> None:
    assert (
        cut("""\
        -----BEGIN PGP SIGNED MESSAGE-----
        Hash: SHA256

        Yes, ship it.
        -----BEGIN PGP SIGNATURE-----

        iQEzBAEBCAAdFiEE
        -----END PGP SIGNATURE-----
        """)
        == "Yes, ship it."
    )


def test_initials_before_each_line_are_a_quote() -> None:
    assert trim("BL> Which one?\nBL> And when?\n\nThe second.") == "The second."


def test_line_breaks_of_any_system_are_one_and_invisible_signs_go() -> None:
    assert trim("Yes.\r\nNo.\rMaybe.\u2028\u200bPerhaps.\ufeff") == "Yes.\nNo.\nMaybe.\nPerhaps."


def test_blank_lines_are_single_and_none_stand_at_the_ends() -> None:
    assert trim("\n\n\nYes.\n\n\n\nNo.\n\n") == "Yes.\n\nNo."


def test_a_long_line_stays_whole() -> None:
    line = "ship it " * 200
    assert trim(line) == line.strip()
