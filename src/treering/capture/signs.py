"""The patterns behind each sign that a text wants to steer an agent.

Written for text in lower case with single spaces. Every repetition is bounded, so that no text
makes a search slow.
"""

# What an order is about, and how it is named: `all of the previous system instructions`.
_ORDERS = r"(?:instructions?|directions?|directives?|prompts?|guidelines?|guardrails?|rules)"
_EARLIER = r"(?:previous|prior|above|earlier|preceding|former|existing|original|system|safety|your)"
_MANY = r"(?:all|any|every|of|the|these|those|everything|and|other)"
_DROP = (
    r"(?:ignore|disregard|forget|override|bypass|discard|drop"
    r"|do not follow|don't follow|stop following)"
)

SIGNS: tuple[tuple[str, str, str], ...] = (
    # sign, words of which one must be there (a cheap test first), pattern
    ("override", "ignore|disregard|forget|override|bypass|discard|follow|drop",
     rf"\b{_DROP}\s(?:{_MANY}\s){{0,4}}(?:{_EARLIER}\s){{1,3}}(?:\w{{1,30}}\s){{0,2}}?{_ORDERS}\b"),
    ("override", "ignore|disregard|forget|override|bypass|discard|follow|drop",
     rf"\b{_DROP}\s(?:all|any|every|everything)\s(?:{_MANY}\s){{0,3}}{_ORDERS}\b"),
    ("override", "ignore|disregard|forget|override|bypass|discard|follow|drop",
     rf"\b{_DROP}\s(?:everything|all|what)\s(?:\w{{1,30}}\s){{0,3}}(?:you were told|"
     r"you have been told|you've been told|said (?:above|before)|i told you|"
     r"before this (?:line|message|point))"),
    ("override", "new|updated|real|actual|revised",
     rf"\b(?:new|updated|real|actual|revised)\s(?:\w{{1,30}}\s)?{_ORDERS}\s?(?:from (?:the )?"
     r"(?:system|user|developer|admin\w*|operator)|override|supersede|replace)"),
    ("override", "new|real|actual|true",
     rf"\b(?:your|the) (?:new|real|actual|true) (?:system )?(?:{_ORDERS}|task|goal|objective|"
     r"mission) (?:is|are)\b"),
    ("override", "ignor",
     r"\bignor(?:iere|ieren sie|ez|a|e|ar|ate)\s(?:\w{1,30}\s){0,3}?(?:(?:vorherigen|bisherigen|"
     r"vorigen|obigen) (?:anweisungen|instruktionen|befehle)|(?:instructions|consignes) "
     r"(?:précédentes|ci-dessus|antérieures)|(?:instrucciones|instruções|istruzioni|órdenes) "
     r"(?:anteriores|previas|prévias|precedenti))"),
    ("override", "игнор|забуд",
     r"(?:игнорируй|забудь|игнорируйте|забудьте)\s(?:\w{1,30}\s){0,2}?(?:предыдущие|прежние) "
     r"(?:инструкции|указания)"),
    ("override", "忽|无视|無視|忘|指示|명령|지시",
     r"(?:忽略|无视|忘记|忽視|無視)[^\n]{0,8}(?:之前|以上|先前|前面|上述)[^\n]{0,6}(?:指令|"
     r"指示|提示|说明|規則|规则)|(?:以前|これまで|上記)の(?:すべての)?(?:指示|命令|プロンプト)"
     r"を(?:無視|忘れ)|이전\s?(?:의\s?)?(?:모든\s?)?(?:지시|명령)\S{0,3}\s?(?:무시|잊)"),
    ("persona", "you are",
     r"\byou are (?:now|no longer) (?:(?:in|an?|the|my|bound|restricted|limited) )?(?:\w{1,30} "
     r")?(?:dan|jailbroken|unrestricted|unfiltered|developer mode|god mode|admin(?:istrator)? "
     r"mode|evil|by (?:any|your) (?:rules|guidelines|restrictions)|different (?:ai|assistant|"
     r"agent))\b"),
    ("persona", "mode",
     r"\b(?:enter|enable|activate|switch to|in) (?:developer|god|jailbreak|dan|debug admin|"
     r"unrestricted) mode\b.{0,80}\b(?:you|assistant|agent|model|restrictions?|safety|filters?)"
     r"\b"),
    ("persona", "pretend|act as|behave as|imagine",
     r"\b(?:pretend|act as if|behave as if|imagine) (?:that )?(?:you (?:have|had|are|were)|"
     r"there (?:are|were)) (?:no|without|free of|not bound by) (?:any )?(?:\w{1,30} "
     r")?(?:restrictions?|rules|guidelines|limits|limitations|filters?|safety)"),
    ("persona", "from ",
     r"\bfrom (?:now|this point|here) on(?:wards?)?,? (?:you (?:will|must|shall|are to|should|"
     r"only) |always (?:obey|comply|answer|respond|reply) )"),
    ("orders", "this",
     r"\b(?:ai|assistant|agent|model|llm|claude|chatgpt|gpt|copilot|codex|gemini|cursor)s?(?: "
     r"reading this|,? (?:upon|when|after|if you) (?:are )?read(?:ing)? this)\b.{0,60}"
     r"\b(?:must|should|please|have to|need to|run|execute|send|delete|open|call)\b"),
    ("orders", " for | to ",
     r"\b(?:important|attention|urgent|note|notice|message|instructions?)\W{1,4}(?:to|for) "
     r"(?:all |any |the )?(?:ai|llm|language|coding|autonomous)[ -](?:assistants?|agents?|"
     r"models?|systems?)\b"),
    ("orders", "if you are",
     r"\bif you are an? (?:ai|llm|language model|coding agent|assistant|agent|bot)\b.{0,60}"
     r"\b(?:must|please|run|execute|send|delete|ignore|say|reply|respond|stop|you (?:should|"
     r"will|need))\b"),
    ("orders", "without|silently|do not ask",
     r"\b(?:run|execute|eval)\b.{0,60}\b(?:without (?:asking|confirm\w*|approval|permission|"
     r"telling)|silently|do not ask)\b.{0,40}\b(?:user|human|developer|anyone|confirmation|"
     r"permission|approval)\b"),
    ("orders", "without",
     r"\bwithout (?:asking|telling|informing|notifying|alerting) (?:the |your |any )?(?:user|"
     r"human|developer|operator|anyone)\b.{0,60}\b(?:run|execute|send|delete|push|commit|"
     r"upload|call|post|install)\b"),
    ("secrecy", "do not|don't|never|must not",
     r"\b(?:do not|don't|never|must not) (?:tell|inform|alert|notify|warn|reveal (?:this |it "
     r")?to|mention (?:this |it )?to|disclose (?:this |it )?to|show (?:this |it )?to) (?:the |"
     r"your )?(?:user|human|developer|operator)s?\b(?:,? (?:about|of|that you|this|any of)|"
     r"[.!;]|$)"),
    ("secrecy", " from ",
     r"\b(?:keep|hide|conceal) (?:this|these|it)(?: \w{1,30}){0,3} (?:secret |hidden )?from "
     r"(?:the |your )?(?:user|human|developer|operator)s?\b"),
    ("secrecy", "prompt|instructions|message",
     r"\b(?:reveal|print|repeat|output|show|leak|disclose|recite) (?:me )?(?:your|the) (?:full "
     r"|entire |whole |complete |hidden |initial |original )*(?:system|developer|hidden|"
     r"initial) (?:prompt|message|instructions)\b"),
    ("exfiltration", "http|ftp:|webhook|pastebin|ngrok|@|attacker|evil",
     r"\b(?:send|post|upload|forward|leak|exfiltrate|e-?mail|transmit|submit|paste|append)"
     r"\b.{0,80}\b(?:secrets?|tokens?|passwords?|credentials?|api keys?|private keys?|ssh "
     r"keys?|env(?:ironment)? (?:variables?|vars?|file)|conversation|chat history|source code|"
     r"\.env|id_rsa|\.ssh|\.aws|contents? of)\b.{0,80}\b(?:to|at|via|into|in)\b.{0,30}"
     r"(?:https?:/|ftp:/|webhook|pastebin|ngrok|[\w.+-]{1,40}@[\w-]{1,40}\.\w|attacker|evil)"),
    ("exfiltration", "curl|wget|nc",
     r"(?:\b(?:cat|base64|printenv|env|tar)\b[^\n|]{0,80}\|\s?(?:base64[^\n|]{0,20}\|"
     r"\s?)?(?:curl|wget|nc|ncat)\b|\b(?:curl|wget|nc)\b[^\n]{0,120}(?:\$\(|`)\s?(?:cat|env|"
     r"printenv|base64|whoami|hostname)\b|\b(?:curl|wget)\b[^\n]{0,120}(?:--data(?:-binary)?|"
     r"-d|-f|-t|--upload-file)[ =]\S{0,20}@?\S{0,40}(?:\.env\b|id_rsa|\.ssh/|\.aws/|"
     r"/etc/(?:passwd|shadow)))"),
    ("exfiltration", "![",
     r"!\[[^\]\n]{0,80}\]\(https?://[^)\s]{1,200}[?&/][\w-]{1,30}=?(?:\{|%7b|<|\[|\$|your|"
     r"secret|data_here)"),
    ("role_markup", "<|inst]",
     r"<\|?(?:im_start|im_end|endoftext|start_header_id|eot_id|system|assistant)\|>|\[/?inst\]|"
     r"<</?sys>>|</?(?:system|system[_-](?:prompt|message|reminder|instructions?)|assistant|"
     r"developer_message|important_instructions?|admin)>"),
    ("role_markup", "system|developer|assistant|human",
     r"(?:^|\n)\s{0,4}(?:#{1,4} ?|\*\*|\[|-{2,} ?|={2,} ?)?(?:system|developer|assistant|human)"
     r"(?: (?:prompt|message|override|instructions?|note|notice|update|alert))?(?:\*\*|"
     r"\])? ?(?:#{1,4}|-{2,}|={2,})?:\s{0,3}(?:\*\*)?\s{0,3}(?:you (?:must|are|will|should|"
     r"shall|have)|ignore|disregard|sure|of course|i will|new |from now|the (?:user|agent|"
     r"assistant)|always |never |execute|run |delete|override)"),
    ("role_markup", "user:|human:|assistant:",
     r"\n\s{0,4}(?:human|assistant|user): .{1,300}\n\s{0,4}\n?(?:human|assistant|user): "),
    ("tool_markup", "<",
     r"</?(?:[a-z]{1,10}:)?(?:function_calls?|function_results?|invoke|tool_calls?|tool_use|"
     r"tool_results?|tool_response|antml)(?:\s[^>\n]{0,120})?>|<\|(?:tool_calls?_begin|"
     r"tool_call|python_tag)\|>"),
    ("tool_markup", "tool|function_call",
     r"[\"'](?:tool_calls?|function_call|tool_use)[\"']\s?:\s?[\[{\"']|"
     r"[\"']type[\"']\s?:\s?[\"'](?:tool_use|tool_result|function_call)[\"']|"
     r"[\"']method[\"']\s?:\s?[\"']tools/call[\"']"),
    ("fence", "treering|</",
     r"</?treering[\s_\u2010-\u2015-]?memory|</(?:untrusted[_-]\w{1,20}|memor(?:y|ies)|retrieved[_-]\w{1,20}"
     r"|user[_-](?:input|query|data)|recalled|tool_output|external[_-]content)\s?>"),
    ("fence", " of ",
     r"(?:^|\n)\W{0,8}(?:end|begin|start) of (?:the )?(?:untrusted |retrieved |recalled |"
     r"external )?(?:data|memory|memories|context|document|tool output|user input)\W{0,8}(?:$|"
     r"\n)"),
    ("encoded", "follow|execute|run|obey|comply|do |carry|perform|eval",
     r"\b(?:decode|decrypt|de-?obfuscate|base64[ -]?decode|un-?rot13|rot13)\b.{0,80}\b(?:and|"
     r"then)\b.{0,20}\b(?:follow|execute|run|obey|comply|do (?:what|as)|carry out|perform|eval)"
     r"\b"),
    ("encoded", "decode|atob|unhex|fromhex|base64",
     r"\b(?:eval|exec)\s?\(\s?(?:\w{1,20}\.){0,3}(?:b64decode|atob|unhexlify|fromhex|decode)"
     r"\s?\(|base64 (?:-d|--decode|-D)\b[^\n]{0,40}\|\s?(?:ba|z|da)?sh\b"),
)  # fmt: skip
