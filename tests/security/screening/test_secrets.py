"""Secrets in a text: found by format and by what is said about them, and not where code only names them."""

from __future__ import annotations

import pytest

from bench.quality.fake_secrets import fake_secrets, told
from recollect.security.screening import secrets
from recollect.security.screening.spans import redacted, tier_of


@pytest.mark.parametrize("kind", fake_secrets(0))
def test_a_secret_of_each_kind_is_found_whole(kind: str) -> None:
    for seed in range(20):
        secret = fake_secrets(seed)[kind]
        text = told(kind, secret)
        found = secrets.find(text)
        assert [text[span.start : span.end] for span in found] == [secret]
        assert secret not in redacted(text, found)
        assert f"[secret:{found[0].kind}]" in redacted(text, found)
        assert tier_of(found) == "confidential"


@pytest.mark.parametrize("kind", [kind for kind in fake_secrets(0) if "-" in kind and kind not in ("pin", "api-key")])
def test_a_format_says_which_kind_it_is(kind: str) -> None:
    secret = fake_secrets(7)[kind]
    assert [span.kind for span in secrets.find(told(kind, secret))] == [kind]


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("My password is banana.", "banana"),
        ("the wifi password is BlueFish99, ok?", "BlueFish99"),
        ("pw: h3llo!World", "h3llo!World"),
        ('my password is "open sesame"', "open sesame"),
        ("my passphrase is correct horse battery staple.", "correct horse battery staple"),
        ("I changed my password to Qwerty!99x", "Qwerty!99x"),
        ("user: ana / pass: K9-dogs", "K9-dogs"),
        ("login ana, password ana-1984", "ana-1984"),
        ("Mein Passwort lautet Sommer2024", "Sommer2024"),
        ("mein passwort ist: Katze", "Katze"),
        ("Das WLAN-Passwort ist Hunde99", "Hunde99"),
        ("mi contraseña es Perro123", "Perro123"),
        ("La clave del wifi es gato_2020", "gato_2020"),
        ("DB_PASSWORD=s3cr3t-Pa55", "s3cr3t-Pa55"),
        ("PGPASSWORD=Ab12cd34 psql", "Ab12cd34"),
        ("mysql -u root -pS3cretPw", "S3cretPw"),
        (
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzz83kDLmQ1",
            "wJalrXUtnFEMI/K7MDENG/bPxRfiCYzz83kDLmQ1",
        ),
    ],
)
def test_what_is_told_as_a_secret_is_one(text: str, secret: str) -> None:
    assert [text[span.start : span.end] for span in secrets.find(text)] == [secret]


@pytest.mark.parametrize(
    "text",
    [
        "my password is very weak",
        "the password is required",
        "My password was stolen, I forgot it again",
        "password is too short, and the token is expired",
        "passwords are hashed with bcrypt",
        "user = User(name=name, password=hashed_password)",
        "password = request.form['password']",
        "api_key = os.environ['ATLAS_API_KEY']",
        'token: "<your token here>"',
        'client = Client(api_key="YOUR_API_KEY", password="password123")',
        "export API_KEY=${ATLAS_KEY}",
        "commit 3b18e512dba79e4c8300dd08aeb37f8e728b8dad",
        "postgresql://user:password@localhost/db",
        "the secret of good coffee is patience, and the key is time",
        "uuid 123e4567-e89b-12d3-a456-426614174000",
    ],
)
def test_words_about_secrets_are_none(text: str) -> None:
    assert secrets.find(text) == ()
