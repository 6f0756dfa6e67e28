"""Credentials: found by kind, never repeated; prose, hashes and lock files left in peace.

The credentials are put together here at run time from random parts, so that no file of this
repository holds anything that looks like one.
"""

import random
import re
import string
import uuid
from pathlib import Path

import pytest

from treering.capture.secrets import masked, refuse, secrets_in
from treering.errors import BlockedSecret

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
ALPHABETS = {
    "w": string.ascii_letters + string.digits,
    "h": "0123456789abcdef",
    "U": string.ascii_uppercase + string.digits,
    "d": string.digits,
}
#: Kind -> shapes: `~w36` is 36 random letters and digits (h: hex, U: upper case, d: digits).
_BEGIN, _END, _KEY = "-----BEGIN", "-----END", "PRIVATE" + " KEY"
SHAPES = {
    "private key": [f"{_BEGIN} RSA {_KEY}-----\n~w64\n~w64\n{_END} RSA {_KEY}-----",
                    f"{_BEGIN} OPENSSH {_KEY}-----\\n~w70\\n{_END} OPENSSH {_KEY}-----",
                    f"{_BEGIN} PGP {_KEY} BLOCK-----\n\n~w64\n{_END} PGP {_KEY} BLOCK-----"],
    "age secret key": ["AGE-SECRET-KEY-1~U58"],
    "AWS access key": ["AKIA~U16", "ASIA~U16"],
    "AWS secret key": ["aws_secret_access_key = ~w40", "AWS_SECRET_ACCESS_KEY=~w20/~w19"],
    "GitHub token": ["ghp_~w36", "ghs_~w36", "github_pat_~w22_~w59", "gho_~w36"],
    "GitLab token": ["glpat-~w20", "glrt-~w20", "gldt-~w20"],
    "Bitbucket app password": ["ATBB~w32"],
    "Slack token": ["xoxb-~d12-~d12-~w24", "xoxp-~d12-~d12-~h32", "xapp-1-A~U10-~d13-~h64"],
    "Slack webhook": ["https://hooks.slack.com/services/T~U8/B~U10/~w24"],
    "Discord webhook": ["https://discord.com/api/webhooks/~d18/~w68"],
    "Discord token": ["M~w23.~w6.~w27"],
    "Telegram bot token": ["~d10:AA~w33"],
    "Stripe key": ["sk_live_~w24", "rk_live_~w24"],
    "Stripe webhook secret": ["whsec_~w32"],
    "Shopify token": ["shpat_~h32"],
    "Google API key": ["AIza~w35"],
    "Google OAuth secret": ["GOCSPX-~w28"],
    "Google OAuth token": ["ya29.~w120"],
    "Azure storage key": ["DefaultEndpointsProtocol=https;AccountName=app;AccountKey=~w86=="],
    "Azure client secret": ["~w2a8Q~~w34"],
    "DigitalOcean token": ["dop_v1_~h64"],
    "OpenAI key": ["sk-proj-~w80", "sk-~w20T3BlbkFJ~w20", "sk-~w48"],
    "Anthropic key": ["sk-ant-api03-~w93AA"],
    "Groq key": ["gsk_~w52"],
    "Hugging Face token": ["hf_~w34"],
    "Replicate token": ["r8_~w37"],
    "npm token": ["npm_~w36", "//registry.example.org/:_authToken=~w36"],
    "PyPI token": ["pypi-AgEIcHlwaS5vcmc~w100"],
    "RubyGems key": ["rubygems_~h48"],
    "Docker Hub token": ["dckr_pat_~w27"],
    "SendGrid key": ["SG.~w22.~w43"],
    "Mailgun key": ["key-~h32"],
    "Mailchimp key": ["~h32-us14"],
    "Twilio key": ["SK~h32"],
    "Databricks token": ["dapi~h32"],
    "Linear key": ["lin_api_~w40"],
    "Notion token": ["ntn_~w46"],
    "Figma token": ["figd_~w40"],
    "New Relic key": ["NRAK-~U27"],
    "Vault token": ["hvs.~w90"],
    "Terraform Cloud token": ["~w14.atlasv1.~w67"],
    "Pulumi token": ["pul-~h40"],
    "JSON web token": ["eyJ~w33.eyJ~w70.~w43"],
    "bearer token": ["Authorization: Bearer ~w64"],
    "basic authorization": ["Authorization: Basic ~w40"],
    "password in a URL": ["postgres://app:~w12@db.internal/prod",
                          "https://deploy:~w20@git.internal/x.git"],
    "password on a command line": ["curl -u ada:~w14 https://api.internal",
                                   "sshpass -p ~w12 ssh host"],
    "password in netrc": ["machine api.internal login ada password ~w16"],
    "assigned credential": ["api_key = '~w24'", 'password: "~w18"', "CLIENT_SECRET=~w40",
                            "DB_PASSWORD=~w24", '"access_token": "~w40"', "secret_key := \"~w32\""],
}  # fmt: skip


def _made(shape: str, seed: int) -> str:
    dice = random.Random(f"{shape}{seed}")

    def part(match: re.Match[str]) -> str:
        return "".join(dice.choices(ALPHABETS[match[1]], k=int(match[2])))

    return re.sub(r"~([whUd])(\d+)", part, shape)


SECRETS = [
    (kind, _made(shape, seed))
    for kind, shapes in SHAPES.items()
    for shape in shapes
    for seed in range(2)
]


def _generated_innocents() -> list[str]:
    """Lock files, hashes, ids and binary data, as they come in real repositories."""
    dice = random.Random(7)

    def some(kind: str, length: int) -> str:
        return "".join(dice.choices(ALPHABETS[kind], k=length))

    found = []
    for n in range(15):
        found += [
            f'"integrity": "sha512-{some("w", 86)}=="',
            f"    --hash=sha256:{some('h', 64)} \\",
            f"github.com/org/mod v1.{n}.0 h1:{some('w', 43)}=",
            f"Merge commit {some('h', 40)} into {some('h', 40)}",
            f"id: {uuid.UUID(int=dice.getrandbits(128))}",
            f"data:font/woff2;base64,{some('w', 200)}",
            f"memory {some('h', 12)} has version {some('h', 40)}",
        ]
    return found


def _paragraphs() -> list[str]:
    texts = (file.read_text(encoding="utf-8") for file in sorted(DOCS.rglob("*.md")))
    return [part for text in texts for part in text.split("\n\n") if len(part) > 40]


INNOCENT = (
    (HERE / "innocent.txt").read_text(encoding="utf-8").splitlines()
    + _generated_innocents()
    + _paragraphs()
)


def test_the_sets_are_large_enough_to_measure() -> None:
    assert len(SHAPES) >= 25
    assert len(SECRETS) >= 60
    assert len(INNOCENT) >= 200


def test_nearly_every_credential_is_found() -> None:
    """At least 95 of 100, each in the middle of a sentence."""
    missed = [kind for kind, secret in SECRETS if not secrets_in(f"We use {secret} here.\nNext.")]

    assert len(missed) <= 0.05 * len(SECRETS), missed


@pytest.mark.parametrize("kind", SHAPES)
def test_a_credential_is_named_by_its_kind(kind: str) -> None:
    for secret in (secret for of, secret in SECRETS if of == kind):
        assert secrets_in(secret) == (kind,)


def test_prose_about_software_is_left_in_peace() -> None:
    """At most 1 of 100: a memory refused for nothing is a memory lost."""
    refused = [(text[:80], secrets_in(text)) for text in INNOCENT if secrets_in(text)]

    assert len(refused) <= 0.01 * len(INNOCENT), refused


@pytest.mark.parametrize("kind", SHAPES)
def test_masked_text_holds_the_kind_and_not_the_value(kind: str) -> None:
    for secret in (secret for of, secret in SECRETS if of == kind):
        text = masked(f"before {secret} after")

        assert f"[masked: {kind}]" in text
        assert not secrets_in(text)
        assert text.startswith("before ")
        assert text.endswith(" after")
        longest = max(re.findall(r"[A-Za-z0-9]+", secret), key=len)
        assert longest not in text


def test_masking_leaves_other_text_as_it_is() -> None:
    for text in INNOCENT:
        if not secrets_in(text):
            assert masked(text) == text


def test_hidden_characters_do_not_hide_a_credential() -> None:
    """They are taken out when a memory is written, which would put the token together again."""
    token = _made("ghp_~w36", 1)
    split = f"{token[:10]}\u200b{token[10:20]}\x1b[0m{token[20:]}"

    assert secrets_in(split) == ("GitHub token",)
    with pytest.raises(BlockedSecret):
        refuse(split)


def test_what_was_there_before_is_no_news() -> None:
    old, new = _made("ghp_~w36", 1), _made("ghp_~w36", 2)

    refuse(f"tagged {old}", known=[f"first {old}"])
    with pytest.raises(BlockedSecret) as caught:
        refuse(f"{old} {new}", known=[f"first {old}"])

    assert new not in str(caught.value)
