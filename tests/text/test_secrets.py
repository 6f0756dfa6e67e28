"""Credentials: found by kind, never repeated; prose, hashes and lock files left in peace.

The credentials are put together here at run time from random parts, so that no file of this
repository holds anything that looks like one.
"""

import random
import re
import uuid
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capture.samples import ALPHABETS, fill, read_credentials
from treering.errors import BlockedSecret
from treering.model.memory import Memory
from treering.text import secrets
from treering.text.secrets import mask_secrets, refuse, secrets_in, texts_of

HERE = Path(__file__).parent
DOCS = HERE.parents[1] / "docs"
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
    "Airtable token": ["pat~w14.~h64"],
    "Alibaba Cloud key": ["LTAI~w20"],
    "CircleCI token": ["CCIPAT_~w22_~h40"],
    "HubSpot token": ["pat-na1-~h8-~h4-~h4-~h4-~h12"],
    "LangSmith key": ["lsv2_pt_~h32_~h10"],
    "Neon key": ["napi_~l64"],
    "NVIDIA key": ["nvapi-~b64"],
    "Teams webhook": ["https://a.webhook.office.com/webhookb2/~h8-~h4-~h4-~h4-~h12@~h8-~h4-~h4-~h4"
                      "-~h12/IncomingWebhook/~h32/~h8-~h4-~h4-~h4-~h12"],
    "session cookie": ["Cookie: theme=dark; sessionid=~l32"],
    "prefixed token": ["acme_live_~w40", "zzqx-~w32"],
    "assigned credential": ["api_key = '~w24'", 'password: "~w18"', "CLIENT_SECRET=~w40",
                            "DB_PASSWORD=~w24", '"access_token": "~w40"', "secret_key := \"~w32\""],
}  # fmt: skip


SECRETS = [
    (kind, fill(shape, seed))
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
        text = mask_secrets(f"before {secret} after")

        assert f"[masked: {kind}]" in text
        assert not secrets_in(text)
        assert text.startswith("before ")
        assert text.endswith(" after")
        longest = max(re.findall(r"[A-Za-z0-9]+", secret), key=len)
        assert longest not in text


def test_masking_leaves_other_text_as_it_is() -> None:
    for text in INNOCENT:
        if not secrets_in(text):
            assert mask_secrets(text) == text


def test_hidden_characters_do_not_hide_a_credential() -> None:
    """They are taken out when a memory is written, which would put the token together again."""
    token = fill("ghp_~w36", 1)
    split = f"{token[:10]}\u200b{token[10:20]}\x1b[0m{token[20:]}"

    assert secrets_in(split) == ("GitHub token",)
    with pytest.raises(BlockedSecret):
        refuse(split)


def test_what_was_there_before_is_no_news() -> None:
    old, new = fill("ghp_~w36", 1), fill("ghp_~w36", 2)

    refuse(f"tagged {old}", known=[f"first {old}"])
    with pytest.raises(BlockedSecret) as caught:
        refuse(f"{old} {new}", known=[f"first {old}"])

    assert new not in str(caught.value)


@pytest.mark.parametrize("half", ["tune", "held"])
def test_most_credentials_of_both_halves_are_found(half: str) -> None:
    """Values and rules have one author; see `python -m benchmarks detectors`."""
    samples = [sample.text for sample in read_credentials(half) if sample.kind != "lookalike"]

    missed = [text for text in samples if not secrets_in(f"We use this:\n{text}\nNext.")]

    assert len(missed) <= 0.05 * len(samples), missed


@pytest.mark.parametrize("half", ["tune", "held"])
def test_look_alikes_of_both_halves_are_left_in_peace(half: str) -> None:
    """Hashes, ids, placeholders, references and names: at most 1.5 in a hundred."""
    samples = [sample.text for sample in read_credentials(half) if sample.kind == "lookalike"]

    refused = [(text, secrets_in(text)) for text in samples if secrets_in(text)]

    assert len(refused) <= 0.015 * len(samples), refused


@pytest.mark.parametrize(
    "shape",
    [
        "token = '~w28'",  # a bare token
        "DEPLOY_TOKEN=~w28",
        "app.config['SECRET_KEY'] = '~w32'",  # a name in brackets
        "password: 'a1~w6$~w8'",  # a sign that placeholders have too
        "password: 'a1~w6{~w8'",
        "password: 'a1~w6<~w8'",
        "secret = '~a20'",  # lower case alone
        "password = '~h16'",  # sixteen digits, which may repeat
        "Authorization: token ~h40",
        "X-Api-Key: ~w32",
        "define('DB_PASSWORD', '~w16');",
        "<password>~w16</password>",
        "Server=db;Pwd=~w16;Encrypt=true",
        "https://api.internal/v1?access_token=~w36",
        "tool --token ~w30",
    ],
)
def test_a_value_is_found_however_it_is_assigned(shape: str) -> None:
    """And masked whole."""
    for seed in range(20):
        text = fill(shape, seed)
        assert secrets_in(text), text
        assert not secrets_in(mask_secrets(text))


def test_a_value_in_details_is_found_by_its_key() -> None:
    memory = Memory(
        id="7k2m9qx4c0wd", type="config", title="Mail", content="How mail is sent.",
        created="2026-02-02T02:40:00Z", modified="2026-02-02T02:40:00Z",
        details={"mail": {"smtp_password": fill("~w16", 1)}},
    )  # fmt: skip

    with pytest.raises(BlockedSecret):
        refuse(*texts_of(memory))


PIECES = (
    "pass", "passphrase", "pwd", "secret", "token", "tokens", "credentials", "encryption_key",
    "API-Key", "apiKey", "_key", "Key", "key", " ", "=", "_", "s", "A", "hunter", ": \"", "\n",
)  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=14))
def test_names_are_found_where_a_look_at_the_whole_text_finds_them(pieces: list[str]) -> None:
    """Only what stands around telling words is looked at."""
    text = "".join(pieces)

    names = [name.span() for name in secrets._names_in(text, text.lower())]

    assert names == [name.span() for name in secrets._pattern("names").finditer(text)]


@pytest.mark.parametrize(
    "value", ["Sup3r" + "Secret99", "Blue" + "Secret2031", "S3cret" + "Token77"]
)
def test_a_password_made_of_words_is_refused_whatever_the_words_are(value: str) -> None:
    assert secrets_in(f"password: {value}") == ("assigned credential",)


@pytest.mark.parametrize(
    "value",
    [
        "<secret>",
        "your-secret-here",
        "changeme",
        "changeme2024",
        "${SECRET}",
        "{{ secret }}",
        "secretsManager",
        "getSecretValue",
        "Sha256Hasher",
        "Secret",
        "EXAMPLE_SECRET_99",
    ],
)
def test_what_stands_for_a_password_or_makes_one_is_accepted(value: str) -> None:
    assert secrets_in(f"password: {value}") == ()
