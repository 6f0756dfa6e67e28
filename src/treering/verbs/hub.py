"""The commands of the hub: which repositories it has, how fresh they are, and who may ask."""

from treering.verbs.verb import HUB, REQUIRED, Parameter, Verb, command, flag, option

_NAME = option("name", "Its name in the hub.", default=REQUIRED, place="one")


def _verb(name: str, summary: str, *parameters: Parameter, example: str, more: str = "") -> Verb:
    return command(name, summary, *parameters, HUB, example=f"treering hub {example}", more=more)


ADD = _verb(
    "add",
    "Add a repository: a URL, or a folder on this machine.",
    _NAME,
    option("url", "A URL, or a folder.", default=REQUIRED, place="one", metavar="URL|PATH"),
    flag("all_branches", "Include every branch, not only long-lived ones."),
    example="add acme/api git@example.org:acme/api.git",
    more="Takes shared memories of long-lived branches, or of every branch with --all-branches. "
    "Never private ones. `treering hub update` fetches them.",
)
LIST = _verb("list", "List the repositories of the hub.", example="list")
REMOVE = _verb(
    "remove",
    "Remove a repository from the hub. The repository itself is not touched.",
    _NAME,
    example="remove acme/api",
)
UPDATE = _verb(
    "update",
    "Fetch what is new in all repositories, or some.",
    option("names", "Which ones.", "list", (), place="any", metavar="[NAME...]"),
    option("watch", "Keep running, with this many seconds between rounds.", metavar="SECONDS"),
    example="update acme/api",
    more="A repository that cannot be fetched is named and left as it was.",
)
STATUS = _verb("status", "Show where the hub is, its contents and its tokens.", example="status")
GRANT = _verb(
    "grant",
    "Create a token for some repositories, and show it once.",
    option("name", "The token's name.", default=REQUIRED, place="one",
         metavar="TOKEN-NAME"),
    option("repos", "Names, or all.", "list", (), options=("repos",), metavar="NAMES"),
    example="grant ci --repos acme/api,acme/web",
)  # fmt: skip
REVOKE = _verb(
    "revoke",
    "Revoke a token immediately.",
    option("name", "The token's name.", default=REQUIRED, place="one",
         metavar="TOKEN-NAME"),
    example="revoke ci",
)  # fmt: skip
SERVE = _verb(
    "serve",
    "Serve the hub to agents, read-only. Every caller needs a token.",
    option("http", "Where to listen: [HOST:]PORT.", metavar="[HOST:]PORT"),
    option(
        "hosts",
        "Host name clients use.",
        "list",
        (),
        options=("allow-host",),
        metavar="NAME",
    ),
    example="serve --http 8722",
    more="Serves the tools recall, read, context and status over the repositories granted to the "
    "caller's token.",
)

VERBS = (ADD, LIST, REMOVE, UPDATE, STATUS, GRANT, REVOKE, SERVE)
