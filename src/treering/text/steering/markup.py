"""Markup that imitates messages, tools and fences, and commands that carry secrets away.

For text that was read (`plain.read`): in lower case. Every repetition is bounded and follows a
rare beginning, so that no text makes a search slow.
"""

_ROLES = r"(?:system|developer|assistant|human|admin(?:istrator)?|tool|function)"
_KINDS = r"(?:prompt|message|override|instructions?|note|notice|update|alert|result|output)"
_ORDERS = (
    r"(?:you (?:must|are|will|should|shall|have|may)|your |ignore|disregard|sure\b|of course|i will"
    r"|i have|new |from now|from this|the (?:user|agent|assistant) (?:has|is|must|may|will|should"
    r"|shall|already)|always |never |execute|run |delete|override|permission|approved"
    r"|all (?:restrictions|checks|safety|safeguards)|approve|push |claude must|agents? must)"
)
_CREDENTIAL_FILES = (
    r"(?:\.env\b|id_rsa|id_ed25519|\.ssh/|\.aws/|\.netrc|\.npmrc|\.pypirc|\.kube/"
    r"|/etc/(?:passwd|shadow))"
)

_CARRIED = r"(?:\$\(|`)\s?(?:cat|env|printenv|base64|whoami|hostname)\b"
_PIPED = r"\b(?:cat|base64|printenv|env|tar)\b[^\n|]{0,80}\|\s?(?:base64[^\n|]{0,20}\|\s?)?"
#: Somebody spoken to, as the pattern below has it.
_ADDRESSED = tuple(
    f"{name}{sign} "
    for name in (
        "assistant", "assistants", "ai", "ais", "agent", "agents", "claude", "copilot", "llm",
        "llms",
    )
    for sign in ",:"
)  # fmt: skip

MARKUP: tuple[tuple[str, tuple[str, ...], str], ...] = (
    # sign, words of which one must be there (a cheap test first), pattern
    ("exfiltration", ("curl", "wget"),
     rf"{_PIPED}(?:curl|wget)\b|\b(?:curl|wget)\b[^\n]{{0,120}}?{_CARRIED}"
     r"|\b(?:curl|wget)\b[^\n]{0,100}?(?:--data(?:-binary)?|-d|-f|-t"
     rf"|--upload-file|--post-file)[ =]\S{{0,60}}?{_CREDENTIAL_FILES}"),
    # Half of all texts have `nc` in a word: what begins with letters is found many times faster.
    ("exfiltration", ("|",), rf"{_PIPED}(?:nc|ncat)\b"),
    ("exfiltration", ("nc",), rf"nc(?<=\bnc)\b[^\n]{{0,120}}?{_CARRIED}"),
    ("exfiltration", ("](http",),
     r"!\[[^\]\n]{0,80}\]\(https?://[^)\s?&]{1,200}[?&][\w-]{1,30}=?(?:\{|%7b|<|\[|\$|your|secret"
     r"|data_here)"),
    ("role_markup", ("<", "[inst", "[/inst"),
     r"<\|?(?:im_start|im_end|endoftext|start_header_id|eot_id|system|assistant|user)\|>"
     r"|\[/?inst\]|<</?sys>>|</?(?:system|system[_-](?:prompt|message|reminder|instructions?)"
     r"|assistant|developer|developer_message|important_instructions?|admin)>"),
    ("role_markup", ("system", "developer", "assistant", "human", "admin", "tool", "function"),
     rf"(?:^|\n)[ \t]{{0,4}}(?:[#*=_<\[-]{{1,6}} ?)?{_ROLES}(?: {_KINDS})?[*\]_]{{0,3}} ?"
     rf"[#=\]-]{{0,4}}(?::|(?<=\])|(?<=message)|(?<=notice)|(?<==))[*\s_]{{0,6}}{_ORDERS}"),
    ("role_markup", ("user:", "human:", "assistant:"),
     r"\n[ \t]{0,4}(?:human|assistant|user): (?![\"'\[“<])[^\n]{1,300}\n\s{0,4}"
     r"(?:human|assistant|user): (?![\"'\[“<])|(?:^|\n)human: [^\n]{1,300}\nassistant: "),
    ("role_markup", ("system ", "admin"),
     r"(?:^|\n)\W{0,6}(?:system|admin(?:istrator)?|developer) "
     r"(?:alert|notice|override|notification)\W{0,4}:[^\n]{0,60}\b(?:agents?|assistants?|you|permissions?|approved|restrictions)\b"),
    ("role_markup", ("# instruction",),
     r"(?:^|\n)#{2,3} instructions?: ?\n[^\n]{1,300}\n{1,3}#{2,3} response:"),
    ("role_markup", ("user:", "human:"),
     r"(?:^|\n)\W{0,8}end of [a-z ]{1,20}\W{1,8}(?:user|human): "),
    ("tool_markup", ("<",),
     r"</?(?:[a-z]{1,10}:)?(?:function_calls?|function_results?|invoke|tool_calls?|tool_use|"
     r"tool_results?|tool_response|antml)(?:\s[^<>\n]{0,120})?>|<\|(?:tool_calls?_begin|"
     r"tool_call|python_tag)\|>"),
    ("tool_markup", ("tool", "function_call"),
     r"[\"'](?:tool_calls?|function_call|tool_use)[\"']\s?:\s?[\[{\"']|"
     r"[\"']type[\"']\s?:\s?[\"'](?:tool_use|tool_result|function_call)[\"']|"
     r"[\"']method[\"']\s?:\s?[\"']tools/call[\"']|"
     r"[\"']tool(?:_name)?[\"']\s?:\s?[\"']\w{1,40}[\"'],\s?[\"'](?:args|arguments|input|params"
     r"|parameters)[\"']\s?:"),
    ("orders",
     (" ai ", " ai-", " llm ", " llm-", " language ", " language-", " coding ", " coding-",
      " autonomous ", " autonomous-"),
     r"\b(?:important|attention|urgent|note|notice|message|instructions?)\W{1,4}(?:to|for) "
     r"(?:all |any |the )?(?:ai|llm|language|coding|autonomous)[ -](?:assistants?|agents?|"
     r"models?|systems?)\b"),
    ("orders", _ADDRESSED,
     r"(?:^|\n|[.!] )\W{0,4}(?:dear |hey |attention |hello )?(?:ai |coding )?"
     r"(?:assistants?|ais?|agents?|claude|copilot|llms?)[,:] (?:please |now )?"
     r"(?:you must |you should )?(?:install|run|execute|disable|delete|push|send|upload|download"
     r"|fetch|open|turn off|ignore|approve|add|commit)\b"),
    ("fence", ("treering", "</"),
     r"</?treering[\s_\u2010-\u2015-]?memory|</(?:untrusted[_-]\w{1,20}|memor(?:y|ies)|retrieved[_-]"
     r"\w{1,20}|user[_-](?:input|query|data)|recalled|tool_output|external[_-]content)\s?>"),
    ("fence", ("end of ", "begin of ", "start of "),
     r"(?:^|\n)\W{0,8}(?:end|begin|start) of (?:the )?(?:untrusted |retrieved |recalled |"
     r"external )?(?:data|memory|memories|context|document|tool output|user input)\W{0,8}(?:$|"
     r"\n)"),
    ("encoded", ("eval", "exec"),
     r"\b(?:eval|exec)\s?\(\s?(?:[\w(']{1,30}\)?\.){0,3}(?:b64decode|atob|unhexlify|fromhex|decode)"
     r"\s?\("),
    ("encoded", ("base64",), r"base64 (?:-d|--decode)\b[^\n|]{0,40}\|\s?(?:ba|z|da)?sh\b"),
)  # fmt: skip
