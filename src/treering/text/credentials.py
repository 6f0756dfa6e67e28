"""What credentials look like, vendor by vendor.

Every repetition is bounded, so that no text makes a search slow; a lookbehind keeps a pattern from
starting in the middle of a hash or of base64.
"""

_START = r"(?<![A-Za-z0-9_])"
_ALONE = r"(?<![A-Za-z0-9_/+=.-])"  # for shapes that parts of names and of base64 have too

KINDS: tuple[tuple[str, str, str], ...] = (
    # kind, words of which one must be there (a cheap test first), pattern; group 1, if any, is the
    # secret. One that begins with letters is looked for faster than one that looks behind first.
    ("private key", "PRIVATE KEY",
     r"-----BEGIN (?:[A-Z0-9]{2,10} ){0,3}PRIVATE KEY(?: BLOCK)?-----"
     r"(?:\s{0,4}$|(?:\s|\\[rn]){1,6}[A-Za-z0-9+/=](?:[^-]|-(?!----)){0,6000}"
     r"(?:-----END [A-Z0-9 ]{4,40}-----)?)"),
    ("PuTTY private key", "PuTTY-User-Key-File",
     r"PuTTY-User-Key-File-\d: [\s\S]{0,4000}?Private-Lines: \d{1,4}"),
    ("age secret key", "AGE-SECRET-KEY-1", r"\bAGE-SECRET-KEY-1[0-9A-Z]{58}\b"),
    ("AWS access key", "AKIA|ASIA|ABIA|ACCA", _START + r"(?:AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b"),
    ("AWS secret key", "ecret",
     r"(?i)aws.{0,20}?secret.{0,20}?[=:,\s\"']{1,6}([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+])"),
    ("GitHub token", "ghp_|gho_|ghu_|ghs_|ghr_", _START + r"gh[pousr]_[A-Za-z0-9]{36,255}\b"),
    ("GitHub token", "github_pat_", r"\bgithub_pat_[A-Za-z0-9_]{60,255}\b"),
    ("GitLab token",
     "glpat-|gldt-|glrt-|glft-|glsoat-|glcbt-|glptt-|gloas-|glagent-|glimt-",
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
     r"[MNO](?<![A-Za-z0-9_/+=.-][MNO])[A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}(?![\w-])"),
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
    ("DigitalOcean token", "doo_v1_|dop_v1_|dor_v1_", _START + r"do[opr]_v1_[a-f0-9]{64}\b"),
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
    ("Grafana token", "glsa_|glc_eyJ",
     _START + r"(?:glsa_[A-Za-z0-9]{32}_[a-f0-9]{8}|glc_eyJ[A-Za-z0-9+/=]{32,400})(?![\w])"),
    ("New Relic key", "NRAK-", r"\bNRAK-[A-Z0-9]{27}\b"),
    ("Vault token", "hvs.|hvb.|hvr.", _START + r"hv[sbr]\.[A-Za-z0-9_-]{24,300}(?![\w-])"),
    ("Terraform Cloud token", ".atlasv1.",
     _START + r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{60,70}(?![\w-])"),
    ("Pulumi token", "pul-", _ALONE + r"pul-[a-f0-9]{40}\b"),
    ("Doppler token", "dp.",
     _START + r"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}\b"),
    ("1Password token", "ops_eyJ", r"\bops_eyJ[A-Za-z0-9+/=_-]{100,2000}"),
    ("Supabase key", "sbp_|sb_secret_",
     _START + r"(?:sbp_[a-f0-9]{40}|sb_secret_[A-Za-z0-9_-]{30,50})(?![\w-])"),
    ("PlanetScale token", "pscale_", r"\bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_=.-]{32,64}"),
    ("Tailscale key", "tskey-", r"\btskey-[a-z]{2,10}-[A-Za-z0-9]{8,30}-[A-Za-z0-9]{20,40}\b"),
    ("Airtable token", "pat",
     r"pat(?<![A-Za-z0-9_/+=.-]pat)[A-Za-z0-9]{14}\.[a-f0-9]{64}\b"),
    ("Alibaba Cloud key", "LTAI", _ALONE + r"LTAI[A-Za-z0-9]{16,22}(?![\w/+-])"),
    ("Tencent Cloud key", "AKID", _ALONE + r"AKID[A-Za-z0-9]{32}(?![\w/+-])"),
    ("Scaleway key", "SCW", _ALONE + r"SCW[A-Z0-9]{17}(?![\w/+-])"),
    ("AWS Bedrock key", "ABSK", _ALONE + r"ABSK[A-Za-z0-9+/]{100,280}={0,2}"),
    ("Adobe secret", "p8e-", _ALONE + r"p8e-[a-z0-9]{32}\b"),
    ("Artifactory key", "AKCp", _ALONE + r"AKCp[A-Za-z0-9]{60,73}(?![\w/+-])"),
    ("Contentful token", "CFPAT-", r"\bCFPAT-[\w-]{43}(?![\w-])"),
    ("CircleCI token", "CCIP", r"\bCCIP(?:AT|RJ)_[A-Za-z0-9]{20,24}_[a-f0-9]{40}\b"),
    ("Dropbox token", "sl.", _ALONE + r"sl\.(?:u\.)?[\w=-]{130,1300}(?![\w-])"),
    ("Dynatrace token", "dt0c01.", r"\bdt0c01\.[A-Z0-9]{24}\.[A-Z0-9]{64}\b"),
    ("EasyPost key", "EZAK|EZTK", _ALONE + r"EZ[AT]K[A-Za-z0-9]{54}\b"),
    ("Facebook token", "EAA", _ALONE + r"EAA[A-Za-z0-9]{90,400}(?![\w/+=-])"),
    ("Square token", "EAAA", _ALONE + r"EAAA[\w-]{56,62}(?![\w/+=-])"),
    ("Flutterwave key", "FLWSECK", r"\bFLWSECK(?:_TEST)?-[a-z0-9]{12,64}(?:-X)?\b"),
    ("Fly.io token", "fo1_|fm1_|fm1a_|fm1r_|fm2_|fm2a_|fm2r_",
     _START + r"(?:fo1_[\w-]{43}|fm[12][ar]?_[A-Za-z0-9+/]{80,1000}={0,2})(?![\w-])"),
    ("GitHub token", "v1.", _ALONE + r"v1\.[a-f0-9]{40}\b"),
    ("GitLab token", "GR1348941", r"\bGR1348941[\w-]{20}(?![\w-])"),
    ("GitLab token", "glffct-", r"\bglffct-[\w-]{20,64}"),
    ("Harness token", "at.", _ALONE + r"[ps]at\.[\w-]{22}\.[a-f0-9]{24}\.[A-Za-z0-9]{20}\b"),
    ("HubSpot token", "pat-",
     r"\bpat-(?:na|eu)\d-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}\b"),
    ("LangSmith key", "lsv2_", r"\blsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}\b"),
    ("Langfuse key", "sk-lf-",
     r"\bsk-lf-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}\b"),
    ("LaunchDarkly key", "dk-",
     _ALONE + r"(?:sdk|mob)-[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}\b"),
    ("Linear key", "lin_oauth_", r"\blin_oauth_[a-f0-9]{64}\b"),
    ("Mapbox token", "sk.eyJ", _ALONE + r"sk\.eyJ[\w-]{60,200}\.[\w-]{20,30}(?![\w-])"),
    ("MaxMind key", "_mmk", _ALONE + r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk\b"),
    ("Mollie key", "live_", _ALONE + r"live_[A-Za-z0-9]{30}\b"),
    ("ClickUp token", "pk_", _ALONE + r"pk_\d{6,10}_[A-Z0-9]{32}\b"),
    ("Nebula key", "dnkey-", r"\bdnkey-[\w=-]{26}-[\w=-]{52}(?![\w-])"),
    ("Neon key", "napi_", r"\bnapi_[a-z0-9]{40,80}\b"),
    ("New Relic key", "NRII-|NRIQ-|NRJS-|NRRA-|NRBR-|NRAL",
     r"\bNR(?:II|IQ|JS|RA|BR)-[\w-]{19,40}(?![\w-])|\b[a-f0-9]{36}NRAL\b"),
    ("NuGet key", "oy2", _ALONE + r"oy2[a-z0-9]{43}(?![\w/+-])"),
    ("NVIDIA key", "nvapi-", r"\bnvapi-[\w-]{60,80}(?![\w-])"),
    ("Octopus key", "API-", _ALONE + r"API-[A-Z0-9]{25,34}\b"),
    ("OpenShift token", "sha256~", r"\bsha256~[\w-]{43}(?![\w-])"),
    ("Trello token", "ATTA", _ALONE + r"ATTA[a-f0-9]{56,76}\b"),
    ("Atlassian token", "ATCTT3", r"\bATCTT3[\w=-]{100,250}"),
    ("Azure DevOps token", "AZDO", _ALONE + r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?![\w/+-])"),
    ("Teams webhook", "webhook",
     r"\.webhook\.office\.com/webhookb2/[a-f0-9@-]{60,90}/IncomingWebhook/[a-f0-9/-]{32,80}"),
    ("Yandex key", "AQVN", _ALONE + r"AQVN[\w-]{35,38}(?![\w-])"),
    ("DeepSeek key", "sk-", _ALONE + r"sk-[a-f0-9]{32}\b"),
    ("ElevenLabs key", "sk_", _ALONE + r"sk_[a-f0-9]{48}\b"),
    ("API key",
     "fc-|tvly-|csk-|pa-|fw-|jina-|exa-|key-|sdk-|fc_|tvly_|csk_|pa_|fw_|jina_|exa_|key_|sdk_",
     _ALONE + r"(?:fc|tvly(?:-dev)?|csk|pa|fw|jina|exa|key|sdk)[_-]"
     r"(?=[\w-]{0,40}\d[\w-]{0,40}\d)(?:[a-f0-9]{32,64}|[a-z0-9]{48}|[A-Za-z0-9]{24,64}|[\w-]{43})(?![\w-])"),
    ("API key",
     "bkua_|sgp_|squ_|sqp_|sqa_|rdme_|tfp_|phx_|phc_|pnu_|rnd_|vcp_|vci_|vcc_|vcr_|vck_|nfp_|re_"
     "|pcsk_|tgp_v1_|shippo_live_|duffel_live_|duffel_test_|secret_|slk_|sntrys_|pul_",
     _ALONE + r"(?:bkua|sgp|squ|sqp|sqa|rdme|tfp|phx|phc|pnu|rnd|vc[picrk]|nfp|re|pcsk|tgp_v1"
     r"|shippo_live|duffel_live|duffel_test|secret|slk|sntrys|pul)_(?=[\w-]{0,40}\d)"
     r"(?:[A-Za-z0-9]{5,16}_)?[\w.-]{24,120}(?![\w-])"),
    ("JSON web token", "eyJ", _START + r"eyJ[\w-]{16,2000}\.eyJ[\w-]{16,4000}\.[\w-]{20,1000}"),
    ("bearer token", "uthorization",
     r"(?i)authorization[\"']?\s{0,2}[:=]\s{0,2}[\"']?(?:bearer|token|apikey|api-key|key) "
     r"([A-Za-z0-9._~+/=-]{20,2000})"),
    ("basic authorization", "asic ",
     r"(?i)authorization[\"']?\s{0,2}[:=]\s{0,2}[\"']?basic ([A-Za-z0-9+/]{12,400}={0,2})"),
    ("password in a URL", "://",
     r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,64}"
     r":([^\s/:\"'<>]{6,128})@[\w\[]"),
    ("password on a command line", "gh secret set |sshpass -p|redis-cli|mysql|curl",
     r"(?:\bgh secret set [^\n]{1,80} --body |\bsshpass -p ?|\bredis-cli\b[^\n]{0,60} -a "
     r"|\bmysql\b[^\n]{0,80} -p|\bcurl\b[^\n]{0,120} (?:-u|--user)"
     r" ?[\"']?[\w.@-]{1,60}:)[\"']?([^\s\"'$<]{8,100})"),
    ("password in a configuration", "requirepass ", r"\brequirepass [\"']?([^\s\"'$<]{8,200})"),
    ("session cookie", "ookie: ",
     r"(?i)\bcookie: ?[^\n]{0,200}?(?:sess\w{0,12}|sid|auth\w{0,10}|token|jwt)="
     r"([A-Za-z0-9%._~+/-]{20,1000})"),
    ("password in netrc", "machine ",
     r"\bmachine \S{1,200}\s{1,10}login \S{1,100}\s{1,10}password (\S{6,200})"),
)  # fmt: skip

#: Kinds that are several words: what tells of them may be a plain word.
SENTENCES = {
    "AWS secret key",
    "bearer token",
    "basic authorization",
    "password on a command line",
    "password in a configuration",
    "session cookie",
    "password in netrc",
}

#: Kinds whose value has no shape of its own: there, what looks like an example is one.
SHAPELESS = {
    "password in a URL",
    "password on a command line",
    "password in netrc",
    "bearer token",
    "basic authorization",
    "npm token",
    "session cookie",
    "password in a configuration",
}

#: Names that credentials are kept under, and what may stand between name and value.
NAMES = (
    r"(?i:(?<![a-z])pass(?![a-z])|pass(?:word|wd|phrase|code)|pwd|secret|token(?!s)|credentials?"
    r"|(?:api|access|auth|private|signing|encryption|master|client|service|admin|account|licen[cs]e"
    r"|app|shared|storage|deploy|webhook|session|hmac|jwt|cookie)[_-]?key)"
    r"|(?<=[_-])(?i:key)|(?<=[a-z])Key"
)
#: No name is longer than this before the word that is in it, nor after the beginning of that, with
#: what is looked at behind it.
LONGEST_NAME = 16
#: One of these is in every name.
NAME_GATES = ("pass", "pwd", "secret", "token", "credential", "key")
#: Names that look like those above and are no secrets.
OPEN_NAMES = (
    r"(?i)(?:public|cache|sort|primary|partition|foreign|idempotency|index|lookup|group|i18n|s3|object"
    r"|routing|hash|row|map|dict|page|continuation|cancel|sync|next|design|color|query)[_-]?$"
)
_TAIL = (
    r"(?i:(?:[_-]?(?:key|base|value|prod|production|live|dev|staging|body|text|pepper|\d)){0,2})"
)
_TYPE = r"(?:: ?(?:str|string|String|&str|const char ?\*) ?)?"
_BARE = r"[^\s\"'`<>,;(){}\[\]|]"
QUOTED_VALUE = (
    _TAIL + r"[\"'\]]{0,3}\s{0,3}" + _TYPE + r"(?::=|=>|==?|:|,| is| was)\s{0,3}"
    r"(?:\[\]byte\(|[bruf])?[\"'`]([^\s\"'`]{8,200})[\"'`]"
)
BARE_VALUE = (
    _TAIL
    + r"(?:[\"'\]]{0,3}\s{0,3}[:=]\s{0,3}|>| is | was )("
    + _BARE
    + r"{10,200})(?=[\s\"'`<,;)|]|$)"
)
OPTION_VALUE = r"[ =][\"']?(" + _BARE + r"{10,200})(?=[\s\"'`,;)|]|$)"

#: A token with a prefix of its own, as vendors make them: `acme_live_...`.
PREFIXED = (
    r"(?<![A-Za-z0-9_/+=.~:@-])([a-z][a-z0-9]{1,11}(?:[_-][a-z0-9]{1,8}){0,2})[_-]"
    r"([A-Za-z0-9]{24,120})(?![A-Za-z0-9_=/+.-]|-)"
)
#: Prefixes of what is random and no secret: hashes, files, ids of things.
OPEN_PREFIXES = (
    r"^(?:sha\d{1,3}|md5|h1|nonce|chunk|bundle|build|main|app|data|font|img|image|file|css|js|pi|ch|cus"
    r"|evt|price|prod|sub|in|seti|src|card|ba|acct|req|txn|cs|pm|pk|id|run|trace|commit)(?:[_-]|$)"
)
