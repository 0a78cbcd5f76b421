#!/bin/sh
# Installs what reads the packed package as partners do: Jest, whose newest release with CommonJS as its default this is,
# and the judge of its types. They are large, and nothing but that test needs them, so they live under node_modules/.cache.
set -eu
home="$(cd "$(dirname "$0")/.." && pwd)/node_modules/.cache/test-runners"
if [ ! -f "$home/node_modules/.package-lock.json" ]; then
  mkdir -p "$home"
  npm install --silent --no-save --no-package-lock --ignore-scripts --prefix "$home" \
    jest@29.7.0 @arethetypeswrong/cli@0.18.5
fi
