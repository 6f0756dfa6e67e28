"""The commands of the hub: which repositories it has, how fresh they are, and who may ask."""

from treering.verbs.verb import HUB, REQUIRED, Parameter, Verb, command, flag, option

_NAME = option("name", "What it is called in the hub.", default=REQUIRED, place="one")


def _verb(name: str, summary: str, *parameters: Parameter, example: str, more: str = "") -> Verb:
    return command(name, summary, *parameters, HUB, example=f"treering hub {example}", more=more)


ADD = _verb(
    "add",
    "Add a repository: a url, or a folder on this machine.",
    _NAME,
    option("url", "A url, or a folder.", default=REQUIRED, place="one", metavar="URL|PATH"),
    flag("all_branches", "With every branch, not only those that others land on."),
    example="add acme/api git@example.org:acme/api.git",
    more="Only shared memories are taken: of the trunk and other long-lived branches, unless "
    "--all-branches is given. Private ones never are. `treering hub update` fetches them.",
)
LIST = _verb("list", "List the repositories of the hub.", example="list")
REMOVE = _verb(
    "remove",
    "Take a repository out of the hub. The repository itself is not touched.",
    _NAME,
    example="remove acme/api",
)
UPDATE = _verb(
    "update",
    "Fetch what is new in all repositories, or in some.",
    option("names", "Which ones.", "list", (), place="any", metavar="[NAME...]"),
    option("watch", "Go on, with so many seconds between rounds.", metavar="SECONDS"),
    example="update acme/api",
    more="A repository that is gone or refuses is named and left as it was.",
)
STATUS = _verb(
    "status", "Tell where the hub is, what it holds, and which tokens there are.", example="status"
)
GRANT = _verb(
    "grant",
    "Make a token that may ask about some repositories, and show it once.",
    option("name", "What the token is called.", default=REQUIRED, place="one",
         metavar="TOKEN-NAME"),
    option("repos", "Names, or all.", "list", (), options=("repos",), metavar="NAMES"),
    example="grant ci --repos acme/api,acme/web",
)  # fmt: skip
REVOKE = _verb(
    "revoke",
    "Take a token back, at once.",
    option("name", "What the token is called.", default=REQUIRED, place="one",
         metavar="TOKEN-NAME"),
    example="revoke ci",
)  # fmt: skip
SERVE = _verb(
    "serve",
    "Serve the hub to agents, for reading only. Every caller needs a token.",
    option("http", "Where to listen: [HOST:]PORT.", metavar="[HOST:]PORT"),
    option(
        "hosts", "A name others reach it by.", "list", (), options=("allow-host",), metavar="NAME"
    ),
    example="serve --http 8722",
    more="The tools recall, read, context and status are served, over all repositories that the "
    "caller's token was granted.",
)

VERBS = (ADD, LIST, REMOVE, UPDATE, STATUS, GRANT, REVOKE, SERVE)
