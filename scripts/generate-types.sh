#!/bin/sh
# generate-types.sh [OPENAPI TYPES]: writes the TypeScript types of an OpenAPI document, as a partner would.
# openapi-typescript needs the compiler API of TypeScript 5, which TypeScript 7 no longer has, so it gets its
# own compiler under node_modules/.cache. Without arguments it only installs.
set -eu
home="$(cd "$(dirname "$0")/.." && pwd)/node_modules/.cache/openapi-typescript"
cli="$home/node_modules/openapi-typescript/bin/cli.js"
if [ ! -f "$cli" ]; then
  mkdir -p "$home"
  npm install --silent --no-save --no-package-lock --ignore-scripts --prefix "$home" \
    openapi-typescript@7.13.0 typescript@5.9.3
fi
[ $# -eq 0 ] || node "$cli" "$1" --output "$2" >/dev/null
