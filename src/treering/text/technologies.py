"""Names that software prose uses without explaining them: what extraction knows by heart."""

#: Canonical spelling, then other spellings. Any case is understood.
_TECHNOLOGIES = """
Python; JavaScript: js; TypeScript; Golang; Kotlin; Scala; Haskell; Clojure; Elixir; Erlang
OCaml; C++: cpp; C#: csharp; F#; Objective-C; PHP; Perl; Lua; Zig; Nim; COBOL; Fortran; Bash
PowerShell; SQL; PL/SQL; GraphQL; gRPC; Protobuf: protocol buffers; WebSocket: websockets
WebRTC; WebAssembly: wasm; HTML; CSS; Sass; YAML; TOML; JSON; XML; Markdown; LaTeX; OpenAPI
Swagger; JSON Schema; PostgreSQL: postgres, psql; MySQL; MariaDB; SQLite; MongoDB; Redis
Memcached; Cassandra; CouchDB; DynamoDB; Elasticsearch; OpenSearch; ClickHouse; Snowflake
BigQuery; Redshift; DuckDB; Neo4j; InfluxDB; TimescaleDB; CockroachDB; etcd; ZooKeeper
Chroma: chromadb; pgvector; RocksDB; LevelDB; Whoosh; Lucene; Kafka: apache kafka; RabbitMQ
NATS; ActiveMQ; Celery; Sidekiq; Airflow; Dagster; dbt; Apache Spark: pyspark
Apache Flink: flink; Hadoop; Pandas; NumPy; SciPy; PyTorch; TensorFlow; Keras
scikit-learn: sklearn; Jupyter; Hugging Face: huggingface; LangChain; spaCy; OpenCV; CUDA; ONNX
Django; FastAPI; Starlette; Uvicorn; Gunicorn; SQLAlchemy; Alembic; Pydantic; Pytest
Hypothesis; mypy; Ruff; Poetry; setuptools; virtualenv; Conda; PyPI; npm; pnpm; Yarn
Node.js: nodejs, node.js; Deno; Bun; Express.js; Next.js: nextjs; Nuxt; Vue.js: vue, vuejs
Angular; Svelte; SvelteKit; React Native; jQuery; Redux; Webpack; Vite; Rollup; esbuild; Babel
ESLint; Prettier; Jest; Vitest; Mocha; Cypress; Playwright; Selenium; Puppeteer; Storybook
Tailwind: tailwindcss; Electron; Tauri; Flutter; Android; iOS; SwiftUI; Xcode; Gradle; Maven
Spring Boot; Hibernate; JUnit; JVM; GraalVM; .NET: dotnet; ASP.NET; Blazor; Laravel; Symfony
WordPress; Ruby on Rails: rails; RSpec; Phoenix; Tokio; Serde; Actix; Axum; pygit2; libgit2
Git; GitHub; GitLab; Bitbucket; GitHub Actions; Jenkins; CircleCI; Travis CI; TeamCity
Argo CD: argocd; Docker: dockerfile; Docker Compose; Podman; containerd; Kubernetes: k8s; Helm
Istio; Envoy; Linkerd; Terraform; Ansible; Pulumi; Vagrant; Packer; Nginx; HAProxy; Traefik
Caddy; Cloudflare; Fastly; AWS; Azure; GCP; Heroku; Vercel; Netlify; S3; EC2; AWS Lambda
CloudFront; CloudFormation; Firebase; Supabase; Prometheus; Grafana; Datadog; Sentry; Splunk
OpenTelemetry: otel; Jaeger; Zipkin; New Relic; PagerDuty; Linux; Ubuntu; Debian; Alpine; macOS
Windows; systemd; OpenSSL; OpenSSH; LDAP; OAuth: oauth2; OpenID Connect: oidc; SAML; JWT; TLS
Kerberos; Keycloak; Auth0; Okta; Vault by HashiCorp; Stripe API; Twilio; SendGrid; Slack; Jira
Confluence; Figma; VS Code: vscode; IntelliJ; Neovim; Emacs; tmux; MCP: model context protocol
LSP; ffmpeg; ImageMagick; Pandoc; Bazel; CMake
"""

#: Also plain words: only as written here, and with less confidence.
_AMBIGUOUS = """
Go Rust Swift React Ruby Java Flask Spring Express Dart Julia Consul Nomad Salt Chef Puppet
Vault Sphinx Tornado Click Rich Ember Backbone Bottle Pyramid Make Ninja Meson Groovy
"""

_CONCEPTS = """
dependency injection; event sourcing; rate limiting; circuit breaker; feature flag; idempotency
optimistic locking; pessimistic locking; eventual consistency; cqrs; domain-driven design
technical debt; continuous integration; continuous delivery; blue-green deployment
canary release; code review; message queue; connection pool; connection pooling; service mesh
load balancing; sharding; replication; two-phase commit; write-ahead log; write-ahead logging
cache invalidation; back pressure; backpressure; garbage collection; reference counting
copy-on-write; lazy loading; server-side rendering; single sign-on; multi-tenancy
role-based access control; zero trust; least privilege; test-driven development
property-based testing; snapshot testing; contract testing; mutation testing
hexagonal architecture; clean architecture; microservices; monorepo; race condition; deadlock
memory leak; vector search; semantic search; full-text search; retrieval-augmented generation
exponential backoff; dead letter queue; change data capture; materialized view
schema migration
"""

_ORGANIZATIONS = """
Google; Microsoft; Amazon; Apple; Meta; Netflix; Anthropic; OpenAI; Mozilla; Red Hat; JetBrains
Canonical; Oracle; IBM; Intel; AMD; Nvidia; NVIDIA; Stripe; Shopify; Atlassian; HashiCorp
Elastic; Confluent; Databricks; Uber; Airbnb; LinkedIn; Twitter; Facebook; Spotify; Salesforce
SAP; Adobe; VMware; Cisco; Samsung; Siemens; Apache Software Foundation; Linux Foundation
Python Software Foundation; W3C; IETF; OWASP; NIST; CNCF
"""


def split_list(text: str) -> list[str]:
    """The items of a list kept as text, apart by semicolons and line ends."""
    return [item.strip() for item in text.replace("\n", ";").split(";") if item.strip()]


def _spellings() -> dict[str, str]:
    found: dict[str, str] = {}
    for item in split_list(_TECHNOLOGIES):
        name, _, others = item.partition(": ")
        for word in (name, *others.split(",")):
            if word.strip():
                found[word.strip().lower()] = name
    return found


#: Any spelling in lower case -> the canonical one.
TECHNOLOGIES = _spellings()
AMBIGUOUS = frozenset(_AMBIGUOUS.split())
CONCEPTS = frozenset(split_list(_CONCEPTS))
ORGANIZATIONS = frozenset(split_list(_ORGANIZATIONS))
