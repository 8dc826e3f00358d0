"""Either scheme proves a signed source's sender; in doubt, neither does."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from standardwebhooks.webhooks import Webhook

from switchboard.errors import Invalid, Unauthenticated
from switchboard.providers.signed import Signed
from switchboard.providers.signed_schemes import OWN, SCHEMES, STANDARD

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
OTHER = "whsec_QW5vdGhlciBzZWNyZXQsIGtub3duIHRvIG5vYm9keSBlbHNlIQ=="
RAW = b'{"kind":"ping"}'
NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)

either = pytest.mark.parametrize("name", SCHEMES)


def made(
    name: str, secret: str = SECRET, delivery_id: str = "build-7", late: int = 0
) -> dict[str, str]:
    return SCHEMES[name].sign(RAW, secret, delivery_id, NOW - timedelta(seconds=late))


def verify(headers: dict[str, str], *secrets: str, raw: bytes = RAW) -> None:
    Signed().verify(headers, raw, secrets or [SECRET], NOW)


def refusal(headers: dict[str, str], *secrets: str, raw: bytes = RAW) -> tuple[str, str | None]:
    with pytest.raises(Unauthenticated) as refused:
        verify(headers, *secrets, raw=raw)
    return refused.value.code, refused.value.field


@either
@pytest.mark.parametrize("late", [0, 300, -300])
def test_a_good_signature_in_its_time_verifies(name: str, late: int) -> None:
    verify(made(name, late=late))


@either
@pytest.mark.parametrize("late", [301, -301, 10**8])
def test_a_good_signature_out_of_its_time_is_stale(name: str, late: int) -> None:
    assert refusal(made(name, late=late)) == ("stale_timestamp", SCHEMES[name].timestamp)


@either
def test_a_fresh_time_put_on_a_captured_request_is_a_bad_signature(name: str) -> None:
    scheme, captured = SCHEMES[name], made(name, late=3600)
    fresh = {**captured, scheme.timestamp: str(int(NOW.timestamp()))}
    assert refusal(fresh) == ("bad_signature", scheme.signature)


@either
def test_within_the_overlap_old_and_new_secret_verify(name: str) -> None:
    for secret in (SECRET, OTHER):
        verify(made(name, secret), OTHER, SECRET)
    assert refusal(made(name), OTHER)[0] == "bad_signature"


@either
@pytest.mark.parametrize(
    "said", ["1772366400.0", " 1772366400", "+1772366400", "1e9", "٣", "", "x"]
)
def test_a_time_that_is_not_unix_seconds_proves_nothing(name: str, said: str) -> None:
    scheme = SCHEMES[name]
    code, field = refusal({**made(name), scheme.timestamp: said})
    assert (code, field) == ("bad_signature" if said else "missing_signature", scheme.timestamp)


def test_neither_scheme_is_a_missing_signature_that_names_both() -> None:
    with pytest.raises(Unauthenticated) as refused:
        verify({"X-Switchboard-Delivery": "one"})
    assert refused.value.code == "missing_signature"
    assert "X-Switchboard-Inbound" in refused.value.detail
    assert "webhook-signature" in refused.value.detail


# ── Standard Webhooks ────────────────────────────────────────────────────────────────────────────


def stock(secret: str = SECRET, delivery_id: str = "msg_1") -> dict[str, str]:
    """The headers as the stock library makes them."""
    return {
        "webhook-id": delivery_id,
        "webhook-timestamp": str(int(NOW.timestamp())),
        "webhook-signature": Webhook(secret).sign(delivery_id, NOW, RAW.decode()),
    }


def test_the_stock_library_is_accepted() -> None:
    verify(stock())


def test_the_stock_library_accepts_what_we_make() -> None:
    now = datetime.now(UTC)
    headers = STANDARD.sign(RAW, SECRET, "msg_1", now)
    assert Webhook(SECRET).verify(RAW, headers) == {"kind": "ping"}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_sender_that_rotates_sends_several_signatures_and_one_is_enough(
    order: tuple[int, int],
) -> None:
    both = [stock(OTHER)["webhook-signature"], stock(SECRET)["webhook-signature"]]
    headers = stock() | {"webhook-signature": " ".join(both[place] for place in order)}
    verify(headers)


def test_signatures_of_other_versions_are_passed_over() -> None:
    good = stock()["webhook-signature"]
    verify(stock() | {"webhook-signature": f"v1a,c2lnbmF0dXJl v2,xyz {good}"})
    assert (
        refusal(stock() | {"webhook-signature": good.replace("v1,", "v2,")})[0] == "bad_signature"
    )


def test_its_id_is_signed() -> None:
    assert refusal(stock() | {"webhook-id": "msg_2"}) == ("bad_signature", "webhook-signature")


def test_without_its_id_there_is_nothing_to_verify() -> None:
    assert refusal(stock() | {"webhook-id": ""}) == ("missing_signature", "webhook-id")


def test_a_secret_without_its_padding_is_the_same_key() -> None:
    verify(stock(OTHER), OTHER.rstrip("="))


@pytest.mark.parametrize(
    "secret", ["a plain secret", "whsec_", "whsec_not base64!", "whsec_a", "MfKQ9r8G"]
)
def test_a_secret_of_another_form_has_no_key_and_it_is_said(secret: str) -> None:
    with pytest.raises(Unauthenticated) as refused:
        verify(stock(), secret)
    assert refused.value.code == "bad_signature"
    assert "whsec_" in refused.value.detail and secret not in refused.value.detail.replace(
        "whsec_ ", ""
    )
    with pytest.raises(Invalid) as unsigned:
        STANDARD.sign(RAW, secret, "one", NOW)
    assert unsigned.value.field == "secret"


def test_a_secret_of_another_form_does_not_hinder_a_good_one() -> None:
    verify(stock(), "a plain secret", SECRET)


def test_any_secret_signs_by_the_own_scheme() -> None:
    verify(made("own", "a plain secret"), "a plain secret")


# ── both at once ─────────────────────────────────────────────────────────────────────────────────


def test_with_both_sets_of_headers_the_own_scheme_judges_and_names() -> None:
    both = {**made("own", delivery_id="own-id"), **stock()}
    verify(both)
    assert Signed().delivery_id(both, {}) == "own-id"
    assert refusal({**both, OWN.signature: "sha256=00"}) == ("bad_signature", OWN.signature)


def test_broken_standard_headers_beside_good_own_ones_do_no_harm() -> None:
    verify({**made("own"), **stock(), "webhook-signature": "v1,AAAA"})


# ── ids and repeats ──────────────────────────────────────────────────────────────────────────────


@either
@pytest.mark.parametrize("value", ["", "  ", "é", "a\x01b", "x" * 257])
def test_an_id_that_is_none_is_refused_by_its_header(name: str, value: str) -> None:
    scheme = SCHEMES[name]
    with pytest.raises(Invalid) as refused:
        Signed().delivery_id({**made(name), scheme.id: value}, {})
    assert (refused.value.code, refused.value.field) == ("missing_delivery_id", scheme.id)


def test_the_signature_tells_a_repeat_only_where_the_id_is_not_signed() -> None:
    own, standard = made("own"), made("standard")
    assert Signed().keys(own, {}, "") == {f"signature:{own[OWN.signature]}": 600}
    assert Signed().keys(standard, {}, "") == {}
