#!/bin/sh
# with-node.sh MAJOR COMMAND...: runs COMMAND with that major version of Node.js first on the PATH.
# The binary comes from the npm package `node` and is kept under node_modules/.cache.
set -eu
major=$1
shift
home="$(cd "$(dirname "$0")/.." && pwd)/node_modules/.cache/node-$major"
if [ ! -x "$home/node_modules/node/bin/node" ]; then
  mkdir -p "$home"
  npm install --silent --no-save --no-package-lock --prefix "$home" "node@$major"
fi
PATH="$home/node_modules/node/bin:$PATH"
export PATH
node --version
exec "$@"
