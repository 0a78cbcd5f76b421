#!/bin/sh
# Installs the command-line programs of Postman and Bruno, for the test that runs docs/collections as partners do.
# They are large, and nothing but that test needs them, so they live under node_modules/.cache.
set -eu
home="$(cd "$(dirname "$0")/.." && pwd)/node_modules/.cache/collection-runners"
if [ ! -f "$home/node_modules/.package-lock.json" ]; then
  mkdir -p "$home"
  npm install --silent --no-save --no-package-lock --ignore-scripts --no-audit --no-fund --prefix "$home" \
    newman@6.2.2 @usebruno/cli@3.5.3
fi
