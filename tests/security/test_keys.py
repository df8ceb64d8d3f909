"""The master key, what is derived from it, and how it is sealed under a passphrase."""

from __future__ import annotations

import os
from dataclasses import replace

import pytest

from recollect.errors import StoreLocked, UsageError
from recollect.security.keys import MasterKey, Purpose, hkdf_sha256
from recollect.security.passphrase import Cost, SealedKey, derived_key, sealed_with
from recollect.security.secret import Secret

QUICK = Cost(memory_kib=8 * 1024, iterations=1, lanes=1)

# RFC 5869, appendix A: the three cases with SHA-256 (key, salt, info, length, output).
RFC_5869 = [
    (
        "0b" * 22,
        "000102030405060708090a0b0c",
        "f0f1f2f3f4f5f6f7f8f9",
        42,
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
    ),
    (
        bytes(range(0x50)).hex(),
        bytes(range(0x60, 0xB0)).hex(),
        bytes(range(0xB0, 0x100)).hex(),
        82,
        (
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
            "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
        ),
    ),
    (
        "0b" * 22,
        "",
        "",
        42,
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
    ),
]


@pytest.mark.parametrize(("key", "salt", "info", "length", "output"), RFC_5869)
def test_keys_are_derived_as_the_rfc_has_it(key: str, salt: str, info: str, length: int, output: str) -> None:
    made = hkdf_sha256(bytes.fromhex(key), salt=bytes.fromhex(salt), info=bytes.fromhex(info), length=length)
    assert made.hex() == output


def test_each_purpose_has_a_key_of_its_own() -> None:
    master = MasterKey(bytes(range(32)))
    derived = {master.derived(purpose) for purpose in Purpose} | {master.raw()}
    assert len(derived) == len(Purpose) + 1
    assert MasterKey(bytes(range(32))).derived(Purpose.PAGES) == master.derived(Purpose.PAGES)
    assert master.check not in {each.hex()[:32] for each in derived}


def test_a_master_key_is_256_bits_of_chance() -> None:
    assert MasterKey.new().raw() != MasterKey.new().raw()
    for wrong in (b"", b"x" * 31, b"x" * 33):
        with pytest.raises(UsageError, match="32 bytes"):
            MasterKey(wrong)


def test_a_key_shows_in_no_repr_and_no_error() -> None:
    raw = os.urandom(32)
    assert raw.hex() not in repr(MasterKey(raw))
    with pytest.raises(UsageError) as caught:
        MasterKey.from_hex(raw.hex() + "zz", "the file")
    assert raw.hex()[:8] not in str(caught.value)


def test_a_secret_is_wiped_and_so_is_the_buffer_it_came_in() -> None:
    given = bytearray(os.urandom(32))
    secret = Secret(given)
    assert not any(given), "the buffer that it came in is wiped"
    assert len(bytes(secret)) == 32
    secret.wipe()
    assert secret.wiped
    assert bytes(secret) == bytes(32)
    assert "Secret" in repr(secret)


def test_a_passphrase_opens_what_it_sealed_and_nothing_else() -> None:
    master = MasterKey.new()
    sealed = sealed_with("correct horse", master, b"vault one", QUICK)
    assert sealed.opened("correct horse", b"vault one").raw() == master.raw()
    for passphrase, about in (("Correct horse", b"vault one"), ("correct horse", b"vault two")):
        with pytest.raises(StoreLocked, match="does not open") as caught:
            sealed.opened(passphrase, about)
        assert passphrase not in str(caught.value)


def test_a_sealed_key_is_written_down_and_read_again() -> None:
    sealed = sealed_with("correct horse", MasterKey.new(), b"a", QUICK)
    assert SealedKey.from_dict(sealed.to_dict()) == sealed


@pytest.mark.parametrize(
    "change",
    [
        {"memory_kib": 1 << 30},
        {"memory_kib": 1},
        {"iterations": 0},
        {"iterations": True},
        {"lanes": 10**6},
        {"salt": "00"},
        {"kdf": "md5"},
        {"sealed": ""},
    ],
)
def test_a_header_cannot_ask_for_all_memory_or_for_too_little_work(change: dict[str, object]) -> None:
    told = sealed_with("correct horse", MasterKey.new(), b"a", QUICK).to_dict()
    with pytest.raises((ValueError, TypeError)):
        SealedKey.from_dict(told | change)


def test_costs_are_only_ever_raised() -> None:
    low, high = QUICK, Cost()
    assert low.below(high)
    assert not high.below(low)
    odd = replace(low, iterations=10)
    assert odd.raised_to(high) == Cost(memory_kib=high.memory_kib, iterations=10, lanes=high.lanes)


def test_a_passphrase_becomes_a_key_as_the_rfc_has_it() -> None:
    """RFC 9106, 5.3; and the reference implementation's own case without a secret and data, as we use it."""
    from cryptography.hazmat.primitives.kdf.argon2 import Argon2id

    made = Argon2id(
        salt=b"\x02" * 16,
        length=32,
        iterations=3,
        lanes=4,
        memory_cost=32,
        ad=b"\x04" * 12,
        secret=b"\x03" * 8,
    ).derive(b"\x01" * 32)
    assert made.hex() == "0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659"
    own = derived_key("password", b"somesalt", Cost(memory_kib=65_536, iterations=2, lanes=1))
    assert own.hex() == "09316115d5cf24ed5a15a31a3ba326e5cf32edc24702987c02b6566f61913cf7"


def test_sealing_is_aes_gcm_as_nist_has_it() -> None:
    """The GCM specification's test case 16: 256 bits, with data that is bound and not hidden."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    key = bytes.fromhex("feffe9928665731c6d6a8f9467308308" * 2)
    nonce = bytes.fromhex("cafebabefacedbaddecaf888")
    about = bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2")
    text = bytes.fromhex(
        "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
        "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
    )
    sealed = AESGCM(key).encrypt(nonce, text, about)
    assert sealed.hex() == (
        "522dc1f099567d07f47f37a32a84427d643a8cdcbfe5c0c97598a2bd2555d1aa"
        "8cb08e48590dbb3da7b08b1056828838c5f61e6393ba7a0abcc9f662"
        "76fc6ece0f4e1768cddf8853bb2d551b"
    )


def test_keys_of_one_master_key_have_nothing_in_common() -> None:
    """Sub-keys differ from each other, and from those of a master key one bit away, in half of their bits."""
    for seed in range(20):
        raw = bytes([seed]) * 32
        one, near = MasterKey(raw), MasterKey(bytes([raw[0] ^ 1]) + raw[1:])
        keys = [one.derived(purpose) for purpose in Purpose] + [near.derived(purpose) for purpose in Purpose]
        for at, key in enumerate(keys):
            for other in keys[at + 1 :]:
                apart = (int.from_bytes(key) ^ int.from_bytes(other)).bit_count()
                assert 80 < apart < 176  # six deviations around 128
