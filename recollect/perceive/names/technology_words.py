"""Names of languages, frameworks, databases and tools, by how careful one has to be with them. Tables, no decisions."""

from __future__ import annotations

from functools import cache

# Mean nothing else, however they are written: "name" or "name=other spelling=…".
CLEAR = """
    Python=python3=cpython Java JavaScript=javascript TypeScript=typescript Kotlin Scala Haskell Clojure Erlang OCaml
    Fortran COBOL Perl PHP Lua MATLAB SQL HTML=html5 CSS=css3 Sass=scss GraphQL WebAssembly=wasm zsh PowerShell Solidity
    C++=cpp C#=csharp F# Objective-C=objc Golang Rustlang Vue.js=vuejs=vue3 Svelte=sveltekit AngularJS Next.js=nextjs
    Nuxt=nuxt.js Node.js=nodejs Deno jQuery React.js=reactjs Express.js=expressjs NestJS=nest.js Redux
    Tailwind=tailwindcss Vite Webpack ESLint npm pnpm npx Django=django-rest FastAPI Pydantic SQLAlchemy NumPy SciPy
    PyTorch TensorFlow Keras scikit-learn=sklearn Matplotlib Jupyter pytest mypy Hugging-Face=huggingface LangChain
    LlamaIndex OpenAI ChatGPT GPT-4 Anthropic Ollama llama.cpp Laravel Symfony Ruby-on-Rails=rubyonrails SwiftUI Xcode
    Tauri Qt=pyqt PostgreSQL=postgres=psql MySQL SQLite=sqlite3 MariaDB MongoDB=mongo Redis=valkey Elasticsearch
    OpenSearch DynamoDB Neo4j DuckDB ClickHouse BigQuery Supabase Firebase=firestore CouchDB InfluxDB Memcached Qdrant
    pgvector FAISS Kafka RabbitMQ gRPC Protobuf OpenAPI Swagger Docker=dockerfile=docker-compose Kubernetes=k8s=kubectl
    Terraform Ansible Jenkins=jenkinsfile GitHub GitLab Bitbucket Git CircleCI Grafana Nginx Apache-Spark=pyspark Hadoop
    Airflow dbt=dbt-core AWS=ec2 GCP Azure Heroku Vercel Netlify Cloudflare DigitalOcean Linux Ubuntu Debian macOS iOS
    Android=androidx Arduino VS-Code=vscode IntelliJ PyCharm Neovim=nvim Vim Emacs tmux Jira Trello Figma Photoshop
    AutoCAD LaTeX Markdown JSON YAML TOML=toml XML CSV OAuth=oauth2 JWT SAML Playwright Gradle CMake LLVM tree-sitter
    Tantivy
"""
# Ordinary words too: a technology when capitalised and in company.
CASED = """
    Go Rust React Swift Express Flask Spring Node=NodeJS Bun Dart Elm Ember Phoenix Rails Remix Astro Gatsby Electron
    Windows Excel Notion Slack Discord Chrome Safari Firefox Zig Nim Gin Echo Rocket Actix Tokio Puppet Chef Helm
    Prometheus Snowflake Spark Flink Airbyte Metabase Unity Unreal Godot Blender Celery Bootstrap Prettier Babel Jest
    Mocha Cypress Vitest Cassandra Oracle Access Pinecone Milvus Make Cargo Copilot Cursor Claude Gemini Llama Mistral
    Apache Consul Vault Nomad Istio Sentry Datadog Splunk Storybook Linear Asana Polars Pandas=pandas Ray Dask Prefect
    Vue Angular Bash Flutter Selenium Maven Groovy Elixir Julia Ruby Crystal Scheme Racket Lisp Prolog Ada Delphi Pascal
    Assembly C R
"""
# Of those: sentences begin with these (a capital says nothing there) …
VERBS = frozenset("Go React Express Access Make Excel Spark Spring Remix Echo Ember".split())
# … people and places are called like these, so that the text must speak of the language itself …
NAMES = frozenset(
    "Julia Ruby Crystal Ada Pascal Claude Ray Chef Cassandra Phoenix Delphi C R Gin Echo Rocket Bun".split()
)
LANGUAGE_WORDS = frozenset("language languages programming coding code package packages script scripts".split())
# … and these mean something else unless words of the trade stand beside them.
EVERYDAY = frozenset(
    """Go Spring Express Access Make Cargo Linear Vault Oracle Remix Unity Scheme Assembly Puppet Cursor Gemini
    Safari Excel Windows Prefect Swift Dart Ember Mocha Rails Apache Flask Celery Snowflake Spark Pinecone""".split()
)
TRADE = frozenset(
    """code coding coded program programming programmer programmed language languages framework library libraries
    compile compiled compiler developer developers dev backend frontend back-end front-end full-stack api apis app
    apps server servers repo repository package packages module modules function functions script scripts database
    databases deploy deployed deployment service services microservice microservices software engineer engineering
    web component components sdk cli runtime typed bug debug refactor refactored rewrite rewrote rewritten ported
    migrated migrate stack query queries test tests unit build builds import class classes hook hooks endpoint
    endpoints crate crates goroutine goroutines struct tutorial template plugin""".split()
)
USING = frozenset(
    """use uses used using learn learning learned switched switch prefer prefers tried know knows written built
    migrating moved install installed teach teaching adopt adopted wrote write writes""".split()
)
_EXTENSIONS = """
    Python=py,pyi,ipynb TypeScript=ts,tsx JavaScript=js,jsx,mjs,cjs Go=go Rust=rs Java=java C=c,h C++=cpp,cc,hpp,cxx
    C#=cs Ruby=rb PHP=php Swift=swift Kotlin=kt,kts Scala=scala Haskell=hs Elixir=ex,exs Lua=lua R=r Julia=jl Dart=dart
    Shell=sh,bash,zsh SQL=sql HTML=html,htm CSS=css,scss,sass Vue=vue Svelte=svelte YAML=yaml,yml JSON=json TOML=toml
    Markdown=md XML=xml Dockerfile=dockerfile Terraform=tf Perl=pl Zig=zig OCaml=ml Clojure=clj Erlang=erl
"""


@cache
def clear() -> dict[str, str]:
    """Small letters → the name to store; `Vue.js` is also found without its ending."""
    known: dict[str, str] = {}
    for entry in CLEAR.split():
        name, *others = entry.split("=")
        known.update((each.lower(), _SHOWN.get(name, name)) for each in (name, *others))
    return known


@cache
def cased() -> dict[str, str]:
    """As written → the name to store."""
    return {each: entry.split("=")[0] for entry in CASED.split() for each in entry.split("=")}


@cache
def by_extension() -> dict[str, str]:
    """The ending of a file's name → the language in it."""
    rows = (entry.partition("=") for entry in _EXTENSIONS.split())
    return {ending: name for name, _, endings in rows for ending in endings.split(",")}


@cache
def by_fence() -> dict[str, str]:
    """What stands after the opening of a code block → the language in it."""
    names = {name.lower(): name for name in by_extension().values()}
    return by_extension() | names | {"golang": "Go", "shell": "Shell", "console": "Shell", "python3": "Python"}


_SHOWN = {
    "Golang": "Go",
    "Rustlang": "Rust",
    "React.js": "React",
    "Vue.js": "Vue",
    "Express.js": "Express",
    "Hugging-Face": "Hugging Face",
    "Ruby-on-Rails": "Rails",
    "Apache-Spark": "Spark",
    "VS-Code": "VS Code",
}
