"""The address table: what the product refuses to dial, and what an operator can open."""

from __future__ import annotations

import socket
from ipaddress import IPv4Address, IPv4Network, IPv6Address, ip_address, ip_network

import pytest
from hypothesis import given
from hypothesis import strategies as st

from switchboard.lib.addresses import is_own, listeners, refusal

REFUSED = [
    ("0.0.0.0", "unspecified"),
    ("0.255.255.255", "unspecified"),
    ("127.0.0.1", "loopback"),
    ("127.255.255.254", "loopback"),
    ("169.254.0.1", "link-local"),
    ("169.254.169.254", "link-local"),
    ("168.63.129.16", "cloud metadata"),
    ("10.0.0.0", "private"),
    ("10.255.255.255", "private"),
    ("172.16.0.1", "private"),
    ("172.31.255.255", "private"),
    ("192.168.0.1", "private"),
    ("192.168.255.255", "private"),
    ("100.64.0.0", "shared (CGNAT)"),
    ("100.127.255.255", "shared (CGNAT)"),
    ("192.0.0.1", "reserved"),
    ("192.0.0.192", "reserved"),
    ("192.0.2.1", "documentation"),
    ("198.51.100.1", "documentation"),
    ("203.0.113.1", "documentation"),
    ("192.88.99.1", "6to4 relay"),
    ("198.18.0.0", "benchmarking"),
    ("198.19.255.255", "benchmarking"),
    ("224.0.0.1", "multicast"),
    ("239.255.255.255", "multicast"),
    ("240.0.0.1", "reserved"),
    ("255.255.255.255", "reserved"),
    ("::", "unspecified"),
    ("::1", "loopback"),
    ("::8.8.8.8", "IPv4-compatible"),
    ("::ffff:8.8.8.8", "IPv4-mapped"),
    ("::ffff:127.0.0.1", "IPv4-mapped"),
    ("::ffff:0:8.8.8.8", "IPv4-translated"),
    ("64:ff9b::8.8.8.8", "NAT64"),
    ("64:ff9b:1::1", "NAT64"),
    ("64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "NAT64"),
    ("2001::1", "Teredo"),
    ("2001:0:4136:e378:8000:63bf:3fff:fdd2", "Teredo"),
    ("2001:2::1", "benchmarking"),
    ("2001:10::1", "reserved"),
    ("2001:1ff:ffff::1", "reserved"),
    ("2001:db8::1", "documentation"),
    ("2002:808:808::1", "6to4"),
    ("3fff::1", "documentation"),
    ("3fff:fff:ffff::1", "documentation"),
    ("5f00::1", "segment routing"),
    ("fc00::1", "unique local"),
    ("fd00:ec2::254", "unique local"),
    ("fe80::1", "link-local"),
    ("fe80::1%1", "link-local"),
    ("febf:ffff::1", "link-local"),
    ("fec0::1", "site-local"),
    ("ff02::1", "multicast"),
    ("100::1", "reserved"),
    ("1fff::1", "reserved"),
    ("4000::1", "reserved"),
    ("f000::1", "reserved"),
]

ADMITTED = [
    "1.0.0.0",
    "8.8.8.8",
    "9.255.255.255",
    "11.0.0.0",
    "100.63.255.255",
    "100.128.0.0",
    "126.255.255.255",
    "128.0.0.0",
    "140.82.121.3",
    "169.253.255.255",
    "169.255.0.0",
    "172.15.255.255",
    "172.32.0.0",
    "192.167.255.255",
    "192.169.0.0",
    "198.17.255.255",
    "198.20.0.0",
    "223.255.255.255",
    "2001:200::1",
    "2606:4700::1111",
    "2a00:1450:4001::1",
    "3ffe::1",
]


@pytest.mark.parametrize(("address", "reason"), REFUSED)
def test_a_special_address_is_refused_by_its_name(address: str, reason: str) -> None:
    assert refusal(ip_address(address)) == reason


@pytest.mark.parametrize("address", ADMITTED)
def test_a_public_address_is_admitted(address: str) -> None:
    assert refusal(ip_address(address)) is None


OPENED = [
    ("10.0.0.1", "10.0.0.0/8"),
    ("10.0.0.1", "0.0.0.0/0"),
    ("100.64.1.1", "100.64.0.0/10"),
    ("fd12::1", "fd00::/8"),
    ("fd12::1", "::/0"),
    ("127.0.0.1", "127.0.0.0/8"),
    ("127.0.0.1", "127.0.0.1/32"),
    ("169.254.10.1", "169.254.0.0/16"),
    ("169.254.10.1", "169.254.10.0/24"),
    ("0.0.0.0", "0.0.0.0/32"),
    ("::1", "::1/128"),
    ("fe80::1", "fe80::/10"),
    ("fe80::1", "fe80::/64"),
    ("::ffff:10.0.0.1", "::ffff:10.0.0.0/104"),
    ("::ffff:10.0.0.1", "::ffff:0:0/96"),
    ("::ffff:127.0.0.1", "::ffff:127.0.0.0/104"),
    ("::ffff:127.0.0.1", "::ffff:127.0.0.1/128"),
    ("64:ff9b::10.0.0.1", "64:ff9b::/96"),
    ("64:ff9b:1::1", "64:ff9b:1::/48"),
]

STILL_REFUSED = [
    ("10.0.0.1", "11.0.0.0/8"),
    ("10.0.0.1", "::/0"),
    ("127.0.0.1", "0.0.0.0/0"),
    ("127.0.0.1", "126.0.0.0/7"),
    ("127.0.0.1", "127.0.0.2/32"),
    ("169.254.169.254", "0.0.0.0/0"),
    ("169.254.169.254", "169.254.0.0/15"),
    ("0.0.0.0", "0.0.0.0/0"),
    ("::1", "::/0"),
    ("::1", "::/127"),
    ("::", "::/0"),
    ("fe80::1", "::/0"),
    ("fe80::1", "fe80::/9"),
    ("::ffff:10.0.0.1", "10.0.0.0/8"),
    ("::ffff:127.0.0.1", "127.0.0.0/8"),
    ("::ffff:127.0.0.1", "::ffff:0:0/96"),
    ("::ffff:127.0.0.1", "::/0"),
    ("::ffff:169.254.169.254", "::ffff:0:0/96"),
    ("::ffff:0:127.0.0.1", "::ffff:0:0:0/96"),
    ("::127.0.0.1", "::/96"),
    ("64:ff9b::127.0.0.1", "64:ff9b::/96"),
    ("64:ff9b:1::1", "::/0"),
    ("2002:7f00:1::1", "2002::/16"),
    ("2002:a9fe:a9fe::1", "2002::/16"),
    ("2001:0:1::1", "2001::/16"),
]


@pytest.mark.parametrize(("address", "entry"), OPENED)
def test_an_allowlist_entry_opens_what_it_holds(address: str, entry: str) -> None:
    assert refusal(ip_address(address), [ip_network(entry, strict=False)]) is None


@pytest.mark.parametrize(("address", "entry"), STILL_REFUSED)
def test_an_allowlist_entry_opens_nothing_else(address: str, entry: str) -> None:
    assert refusal(ip_address(address), [ip_network(entry, strict=False)]) is not None


def test_one_entry_of_several_is_enough() -> None:
    allow = [ip_network("192.168.0.0/16"), ip_network("fd00::/8"), ip_network("10.1.0.0/16")]
    assert refusal(ip_address("10.1.2.3"), allow) is None


# The property tests spell the ranges and forms out again, so that a slip in the table shows.
REFUSED_IPV4 = [
    "0.0.0.0/8",
    "10.0.0.0/8",
    "100.64.0.0/10",
    "127.0.0.0/8",
    "169.254.0.0/16",
    "172.16.0.0/12",
    "192.0.0.0/24",
    "192.0.2.0/24",
    "192.88.99.0/24",
    "192.168.0.0/16",
    "198.18.0.0/15",
    "198.51.100.0/24",
    "203.0.113.0/24",
    "224.0.0.0/4",
    "240.0.0.0/4",
]
IPV4_REFUSED = st.sampled_from(REFUSED_IPV4).flatmap(
    lambda cidr: st.ip_addresses(v=4, network=IPv4Network(cidr))
)

FORMS = {
    "mapped": lambda v4, rest: 0xFFFF << 32 | v4,
    "translated": lambda v4, rest: 0xFFFF << 48 | v4,
    "compatible": lambda v4, rest: v4,
    "NAT64": lambda v4, rest: 0x64FF9B << 96 | v4,
    "local NAT64": lambda v4, rest: 0x64FF9B0001 << 80 | (rest & 0xFFFF_FFFF_FFFF) << 32 | v4,
    "6to4": lambda v4, rest: 0x2002 << 112 | v4 << 80 | rest,
    "Teredo": lambda v4, rest: 0x20010000 << 96 | rest << 32 & (1 << 96) - 1 | v4 ^ 0xFFFFFFFF,
}


@given(address=IPV4_REFUSED)
def test_every_ipv4_of_a_refused_network_is_refused(address: IPv4Address) -> None:
    assert refusal(address) is not None


@pytest.mark.parametrize("form", FORMS)
@given(address=st.ip_addresses(v=4), rest=st.integers(0, (1 << 64) - 1))
def test_no_ipv6_form_carries_an_ipv4_past_the_table(
    form: str, address: IPv4Address, rest: int
) -> None:
    assert refusal(IPv6Address(FORMS[form](int(address), rest))) is not None


GUARDED = st.sampled_from(["127.0.0.0/8", "169.254.0.0/16", "::1/128", "fe80::/10"]).map(ip_network)


@given(data=st.data(), guard=GUARDED)
def test_no_entry_broader_than_loopback_or_link_local_opens_them(data, guard) -> None:  # type: ignore[no-untyped-def]
    address = data.draw(st.ip_addresses(network=guard))
    broader = data.draw(st.integers(0, guard.prefixlen - 1))
    entry = guard.supernet(new_prefix=broader)
    assert refusal(address, [entry]) is not None


@given(address=st.ip_addresses(v=6))
def test_nothing_outside_global_unicast_is_admitted(address: IPv6Address) -> None:
    if refusal(address) is None:
        assert int(address) >> 125 == 0b001


OWN = [
    ("127.0.0.1", 8000, ("127.0.0.1", 8000)),
    ("10.0.0.5", 8000, ("10.0.0.5", 8000)),
    ("::ffff:10.0.0.5", 8000, ("10.0.0.5", 8000)),
    ("0.0.0.0", 8000, ("127.0.0.1", 8000)),
    ("::", 8000, ("127.0.0.1", 8000)),
    ("127.0.0.1", 8000, ("0.0.0.0", 8000)),
    ("127.9.9.9", 8000, ("0.0.0.0", 8000)),
    ("127.0.0.1", 8000, ("::", 8000)),
    ("::ffff:127.0.0.1", 8000, ("::", 8000)),
    ("127.0.0.1", 8000, ("localhost", 8000)),
    ("127.0.0.1", 8000, ("", 8000)),
]

NOT_OWN = [
    ("127.0.0.1", 8001, ("127.0.0.1", 8000)),
    ("127.0.0.2", 8000, ("127.0.0.1", 8000)),
    ("127.0.0.1", 8001, ("0.0.0.0", 8000)),
    ("0.0.0.0", 8001, ("0.0.0.0", 8000)),
    ("8.8.8.8", 8000, ("0.0.0.0", 8000)),
    ("2606:4700::1111", 8000, ("::", 8000)),
]


@pytest.mark.parametrize(("address", "port", "listener"), OWN)
def test_what_reaches_our_own_listener_is_ours(
    address: str, port: int, listener: tuple[str, int]
) -> None:
    assert is_own(ip_address(address), port, listeners([listener]))


@pytest.mark.parametrize(("address", "port", "listener"), NOT_OWN)
def test_another_port_or_host_is_not_ours(
    address: str, port: int, listener: tuple[str, int]
) -> None:
    assert not is_own(ip_address(address), port, listeners([listener]))


def test_a_wildcard_listener_owns_the_address_of_an_interface() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # a route is looked up, nothing is sent
        except OSError:
            pytest.skip("this host has no interface but loopback")
        address = ip_address(probe.getsockname()[0])
    assert is_own(address, 8000, listeners([("0.0.0.0", 8000)]))
