#!/bin/sh
# Installs programs of others that read HAR files, for the test that ours can be read by them: MSW and har-to-k6.
# They are large, and nothing but that test needs them, so they live under node_modules/.cache.
set -eu
home="$(cd "$(dirname "$0")/.." && pwd)/node_modules/.cache/har-readers"
if [ ! -f "$home/node_modules/.package-lock.json" ]; then
  mkdir -p "$home"
  npm install --silent --no-save --no-package-lock --ignore-scripts --prefix "$home" \
    msw@2.15.0 @mswjs/source@0.5.0 har-to-k6@0.14.16
fi
