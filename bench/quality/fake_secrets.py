"""Fake secrets by their published formats, drawn anew from a seed: none of them opens anything."""

from __future__ import annotations

import string
from random import Random

_LETTERS = string.ascii_letters + string.digits
_HEX = "0123456789abcdef"
_BASE32 = string.ascii_uppercase + "234567"


def fake_secrets(seed: int) -> dict[str, str]:
    """One secret of each kind that is known by its format."""
    random = Random(seed)

    def drawn(count: int, alphabet: str = _LETTERS) -> str:
        return "".join(random.choices(alphabet, k=count))

    return {
        "aws-access-key": "AKIA" + drawn(16, _BASE32),
        "github-token": "ghp_" + drawn(36),
        "gitlab-token": "glpat-" + drawn(20),
        "slack-token": f"xoxb-{drawn(12, string.digits)}-{drawn(12, string.digits)}-{drawn(24)}",
        "stripe-key": "sk_live_" + drawn(24),
        "anthropic-key": "sk-ant-api03-" + drawn(93) + "AA",
        "openai-key": f"sk-proj-{drawn(20)}T3BlbkFJ{drawn(20)}",
        "google-key": "AIza" + drawn(35),
        "sendgrid-key": f"SG.{drawn(22)}.{drawn(43)}",
        "twilio-key": "SK" + drawn(32, _HEX),
        "mailchimp-key": drawn(32, _HEX) + "-us12",
        "npm-token": "npm_" + drawn(36),
        "pypi-token": "pypi-AgEIcHlwaS5vcmc" + drawn(80),
        "huggingface-token": "hf_" + drawn(34),
        "digitalocean-token": "dop_v1_" + drawn(64, _HEX),
        "telegram-token": f"{drawn(9, '123456789')}:AA{drawn(33)}",
        "discord-token": f"M{drawn(23)}.{drawn(6)}.{drawn(27)}",
        "shopify-token": "shpat_" + drawn(32, _HEX),
        "databricks-token": "dapi" + drawn(32, _HEX),
        "vault-token": "hvs." + drawn(90),
        "linear-key": "lin_api_" + drawn(40),
        "grafana-token": f"glsa_{drawn(32)}_{drawn(8, _HEX)}",
        "postman-key": f"PMAK-{drawn(24, _HEX)}-{drawn(34, _HEX)}",
        "newrelic-key": "NRAK-" + drawn(27, string.ascii_uppercase + string.digits),
        "groq-key": "gsk_" + drawn(52),
        "replicate-token": "r8_" + drawn(37),
        "docker-token": "dckr_pat_" + drawn(27),
        "azure-storage-key": drawn(86) + "==",
        "jwt": f"eyJ{drawn(33)}.eyJ{drawn(60)}.{drawn(43)}",
        "private-key": "\n".join(
            ["-----BEGIN OPENSSH PRIVATE KEY-----", drawn(70), drawn(70), "-----END OPENSSH PRIVATE KEY-----"]
        ),
        "connection-password": drawn(12),
        "bearer-token": drawn(40),
        "api-key": drawn(32, _HEX),
        "password": drawn(10) + "!7",
        "pin": drawn(4, string.digits),
    }


# How a secret is told, by kind; kinds without a line here stand in any sentence.
TOLD = {
    "azure-storage-key": "DefaultEndpointsProtocol=https;AccountName=atlas;AccountKey={};EndpointSuffix=net",
    "connection-password": "Connect with postgresql://ana:{}@db.internal:5432/atlas please",
    "bearer-token": "curl -H 'Authorization: Bearer {}' https://atlas.internal/v1",
    "api-key": "ATLAS_API_KEY={}",
    "password": "By the way, my password is {} for now",
    "pin": "my PIN is {}",
}


def told(kind: str, secret: str) -> str:
    return TOLD.get(kind, "Here is the new one: {} and keep it safe.").format(secret)
