"""What credentials look like, vendor by vendor.

Every repetition is bounded, so that no text makes a search slow; a lookbehind keeps a pattern from
starting in the middle of a hash or of base64.
"""

_START = r"(?<![A-Za-z0-9_])"
_ALONE = r"(?<![A-Za-z0-9_/+=.-])"  # for shapes that parts of names and of base64 have too

KINDS: tuple[tuple[str, str, str], ...] = (
    # kind, a word that must be there (a cheap test first), pattern; group 1, if any, is the secret
    ("private key", "PRIVATE KEY",
     r"-----BEGIN (?:[A-Z0-9]{2,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
     r"(?:\s{0,4}$|(?:\s|\\[rn]){1,6}[A-Za-z0-9+/=](?:[^-]|-(?!----)){0,6000}"
     r"(?:-----END [A-Z0-9 ]{4,40}-----)?)"),
    ("PuTTY private key", "PuTTY-User-Key-File",
     r"PuTTY-User-Key-File-\d: [\s\S]{0,4000}?Private-Lines: \d{1,4}"),
    ("age secret key", "AGE-SECRET-KEY-1", r"\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b"),
    ("AWS access key", "A", _START + r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b"),
    ("AWS secret key", "ecret",
     r"(?i)aws.{0,20}?secret.{0,20}?[=:,\s\"']{1,6}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])"),
    ("GitHub token", "gh", _START + r"gh[pousr]_[A-Za-z0-9]{36,255}\b"),
    ("GitHub token", "github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{60,255}\b"),
    ("GitLab token", "gl",
     _START + r"gl(?:pat|dt|rt|ft|soat|cbt|ptt|oas|agent|imt)-[A-Za-z0-9_.-]{20,64}"),
    ("Atlassian token", "ATATT3", r"\bATATT3[A-Za-z0-9_=-]{100,250}"),
    ("Bitbucket app password", "ATBB", _START + r"ATBB[A-Za-z0-9]{32}\b"),
    ("Slack token", "xox", _START + r"xox[abeoprs]-[A-Za-z0-9-]{10,250}\b"),
    ("Slack token", "xapp-", _START + r"xapp-\d-[A-Z0-9]{8,20}-\d{8,20}-[a-f0-9]{32,80}\b"),
    ("Slack webhook", "hooks.slack.com",
     r"hooks\.slack\.com/(?:services|workflows)/T\w{6,20}/[AB]\w{6,20}/[\w/]{20,60}"),
    ("Discord webhook", "/api/webhooks/",
     r"discord(?:app)?\.com/api/webhooks/\d{15,22}/[\w-]{50,100}"),
    ("Discord token", ".",
     _ALONE + r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![\w-])"),
    ("Telegram bot token", ":AA", _ALONE + r"\d{8,10}:AA[A-Za-z0-9_-]{33}(?![\w-])"),
    ("Stripe key", "_live_", _START + r"[prs]k_live_[A-Za-z0-9]{16,200}\b"),
    ("Stripe webhook secret", "whsec_", _START + r"whsec_[A-Za-z0-9+/=]{32,100}"),
    ("Square token", "sq0", _START + r"sq0(?:atp|csp)-[A-Za-z0-9_-]{22,43}(?![\w-])"),
    ("PayPal token", "access_token$production$",
     r"access_token\$production\$[a-z0-9]{16}\$[a-f0-9]{32}"),
    ("Shopify token", "shp", _START + r"shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}\b"),
    ("Google API key", "AIza", _START + r"AIza[A-Za-z0-9_-]{35}(?![\w-])"),
    ("Google OAuth secret", "GOCSPX-", r"\bGOCSPX-[A-Za-z0-9_-]{28}(?![\w-])"),
    ("Google OAuth token", "ya29.", r"\bya29\.[A-Za-z0-9_-]{40,400}"),
    ("Azure storage key", "AccountKey=", r"AccountKey=([A-Za-z0-9+/]{86}==)"),
    ("Azure client secret", "Q~",
     r"(?<![A-Za-z0-9_~.-])[A-Za-z0-9_.~-]{3}\dQ~[A-Za-z0-9_.~-]{31,34}(?![A-Za-z0-9_~.-])"),
    ("Azure shared access signature", "sig=",
     r"[?&]sv=\d{4}-[^\s\"']{1,300}?&sig=([A-Za-z0-9%+/=]{43,90})"),
    ("DigitalOcean token", "do", _START + r"do[opr]_v1_[a-f0-9]{64}\b"),
    ("Heroku key", "HRKU-", r"\bHRKU-[A-Za-z0-9_-]{36,70}(?![\w-])"),
    ("Cloudflare origin key", "v1.0-", _START + r"v1\.0-[a-f0-9]{24}-[a-f0-9]{146}\b"),
    ("Fly.io token", "FlyV1 ", r"\bFlyV1 fm\d_[A-Za-z0-9+/=,_-]{40,2000}"),
    ("OpenAI key", "sk-",
     _START + r"sk-(?:proj-|svcacct-|admin-)?[\w-]{20,200}T3BlbkFJ[\w-]{20,200}"),
    ("OpenAI key", "sk-", _START + r"sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,200}"),
    ("OpenAI key", "sk-", _START + r"sk-[A-Za-z0-9]{48}\b"),
    ("Anthropic key", "sk-ant-", _START + r"sk-ant-[a-z0-9]{2,10}-[A-Za-z0-9_-]{60,200}"),
    ("Groq key", "gsk_", _START + r"gsk_[A-Za-z0-9]{52}\b"),
    ("xAI key", "xai-", _START + r"xai-[A-Za-z0-9]{80}\b"),
    ("Perplexity key", "pplx-", _START + r"pplx-[A-Za-z0-9]{48}\b"),
    ("OpenRouter key", "sk-or-v1-", _START + r"sk-or-v1-[a-f0-9]{64}\b"),
    ("Hugging Face token", "hf_", _START + r"(?:hf_|api_org_)[A-Za-z0-9]{34}\b"),
    ("Replicate token", "r8_", _ALONE + r"r8_[A-Za-z0-9]{37}\b"),
    ("npm token", "npm_", _START + r"npm_[A-Za-z0-9]{36}\b"),
    ("npm token", "_authToken", r"_authToken\s{0,2}=\s{0,2}([A-Za-z0-9-]{36,64})(?![\w-])"),
    ("PyPI token", "pypi-", _START + r"pypi-AgE[A-Za-z0-9_-]{50,1000}"),
    ("RubyGems key", "rubygems_", r"\brubygems_[a-f0-9]{48}\b"),
    ("crates.io token", "cio", _ALONE + r"cio[A-Za-z0-9]{32}\b"),
    ("Docker Hub token", "dckr_", r"\bdckr_(?:pat|oat)_[A-Za-z0-9_-]{27,40}(?![\w-])"),
    ("SendGrid key", "SG.", _START + r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}(?![\w-])"),
    ("Mailgun key", "key-", _ALONE + r"key-[a-f0-9]{32}\b"),
    ("Mailchimp key", "-us", _ALONE + r"[a-f0-9]{32}-us\d{1,2}\b"),
    ("Brevo key", "xkeysib-", r"\bxkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}\b"),
    ("Twilio key", "SK", _ALONE + r"SK[a-f0-9]{32}\b"),
    ("Databricks token", "dapi", _ALONE + r"dapi[a-f0-9]{32}(?:-\d)?\b"),
    ("Linear key", "lin_api_", r"\blin_api_[A-Za-z0-9]{40}\b"),
    ("Notion token", "ntn_", _START + r"ntn_[A-Za-z0-9]{43,50}\b"),
    ("Figma token", "figd_", r"\bfigd_[A-Za-z0-9_-]{40,60}(?![\w-])"),
    ("Postman key", "PMAK-", r"\bPMAK-[a-f0-9]{24}-[a-f0-9]{34}\b"),
    ("Sentry token", "sntry", _START + r"sntry[su]_[A-Za-z0-9_+/=-]{40,400}"),
    ("Grafana token", "gl",
     _START + r"(?:glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_eyJ[A-Za-z0-9+/=]{32,400})(?![\w])"),
    ("New Relic key", "NRAK-", r"\bNRAK-[A-Z0-9]{27}\b"),
    ("Vault token", "hv", _START + r"hv[sbr]\.[A-Za-z0-9_-]{24,300}(?![\w-])"),
    ("Terraform Cloud token", ".atlasv1.",
     _START + r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,70}(?![\w-])"),
    ("Pulumi token", "pul-", _ALONE + r"pul-[a-f0-9]{40}\b"),
    ("Doppler token", "dp.",
     _START + r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}\b"),
    ("1Password token", "ops_eyJ", r"\bops_eyJ[A-Za-z0-9+/=_-]{100,2000}"),
    ("Supabase key", "sb",
     _START + r"(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{30,50})(?![\w-])"),
    ("PlanetScale token", "pscale_", r"\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{32,64}"),
    ("Tailscale key", "tskey-", r"\btskey-[a-z]{2,10}-[A-Za-z0-9]{8,30}-[A-Za-z0-9]{20,40}\b"),
    ("JSON web token", "eyJ", _START + r"eyJ[\w-]{16,2000}\.eyJ[\w-]{16,4000}\.[\w-]{20,1000}"),
    ("bearer token", "earer ",
     r"(?i)authorization[\"']?\s{0,2}[:=]\s{0,2}[\"']?bearer ([A-Za-z0-9._~+/=-]{20,2000})"),
    ("basic authorization", "asic ",
     r"(?i)authorization[\"']?\s{0,2}[:=]\s{0,2}[\"']?basic ([A-Za-z0-9+/]{12,400}={0,2})"),
    ("password in a URL", "://",
     r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,64}"
     r":([^\s/:@\"'<>]{6,128})@[\w\[]"),
    ("password on a command line", " -",
     r"\b(?:sshpass -p ?|mysql\b[^\n]{0,80} -p|curl\b[^\n]{0,120} (?:-u|--user)"
     r" ?[\"']?[\w.@-]{1,60}:)[\"']?([^\s\"'$<]{8,100})"),
    ("password in netrc", "machine ",
     r"\bmachine \S{1,200}\s{1,10}login \S{1,100}\s{1,10}password (\S{6,200})"),
)  # fmt: skip

#: Kinds whose value has no shape of its own: there, what looks like an example is one.
SHAPELESS = {
    "password in a URL",
    "password on a command line",
    "password in netrc",
    "bearer token",
    "basic authorization",
    "npm token",
}

_NAMES = (
    r"(?i:(?:api|private|signing|encryption|access|secret)[_-]?key|secret(?:[_-]?access[_-]?key)?"
    r"|(?:access|auth|refresh|bearer|secret)[_-]?token|pass(?:word|wd|phrase)|credentials?|pwd)"
)
ASSIGNED = _NAMES + r"[\"']?\s{0,3}(?::=|=>|[:=])\s{0,3}[\"']([^\s\"']{12,200})[\"']"
ASSIGNED_BARE = (
    _NAMES + r"[\"']?\s{0,3}[:=]\s{0,3}([A-Za-z0-9+/_!@#%^&*=~-]{16,200})(?![\w.(\[/\"'-])"
)

#: Values that stand for another one.
EXAMPLES = (
    r"(?i)^(?:pass|password|passwd|pwd|secret|token|postgres|mysql|root|admin|guest|user|mypassword"
    r"|foobar|letmein|default|minioadmin|rabbitmq|redis|mongo|elastic|changeit)[\d!@#$%^&*]{0,3}$"
    r"|example|placeholder|changeme|change[-_]me|your|xxx|\*\*\*|\.\.\.|<|>|\$|\{|%\(|%s|test|dummy"
    r"|sample|fake|redacted|masked|insert|replace|todo|secret[-_]?here|12345678|abcdef|deadbeef"
)
#: Values that say where the real one is, or that are names, versions, dates, ids.
REFERENCES = (
    r"(?i)^(?:[a-z]{2,10}://|arn:|projects/|env[.:]|secrets?[./:]|vault[:/]|op:|ref\+|file:|/|\./|~/)"
    r"|^[a-z]{1,20}(?:[-_./:](?:[a-z]{1,20}|\d{1,4})){1,12}\d{0,4}$"  # words joined: a name
    r"|^[A-Za-z]{1,20}$"
    r"|^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$"
    r"|^(?:sha\d{1,3}|md5|blake\w{1,3})[-:]"
    r"|^\d{4}-\d{2}-\d{2}"
    r"|^(?-i:(?:[A-Z][a-z]{1,15}){2,8}\d{0,4})$"
    r"|(?-i:[a-z]{9})"  # a run of letters this long is a word
)
