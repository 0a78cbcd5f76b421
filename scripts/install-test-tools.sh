#!/bin/sh
# Installs what the tests need beyond npm, from Debian's packages, when it is missing: a browser for the pages,
# Python's OAuth clients for the token exchange, pytest, curl, zsh and fish for completion, Prometheus and promtool
# for metrics, rules and dashboards. On other systems it names what to install by hand.
# The generator of TypeScript types, the readers of HAR files, Jest, and the programs of Postman and Bruno come from npm,
# beside the project's own packages.
set -eu

missing=""
need() { # need PACKAGE COMMAND...: installs PACKAGE unless COMMAND succeeds
  package=$1
  shift
  "$@" >/dev/null 2>&1 || missing="$missing $package"
}

# The one without a window takes half the processor time for a page; where only the whole one is there, it will do.
need "chromium chromium-headless-shell" sh -c 'command -v chromium'
need curl sh -c 'command -v curl'
need prometheus sh -c 'command -v prometheus && command -v promtool'
need zsh sh -c 'command -v zsh'
need fish sh -c 'command -v fish'
need util-linux sh -c 'command -v prlimit'
need python3-requests-oauthlib /usr/bin/python3 -c 'import requests_oauthlib'
need python3-authlib /usr/bin/python3 -c 'import authlib, requests'
need python3-pytest /usr/bin/python3 -c 'import pytest'

sh "$(dirname "$0")/generate-types.sh"
sh "$(dirname "$0")/har-readers.sh"
sh "$(dirname "$0")/test-runners.sh"
sh "$(dirname "$0")/collection-runners.sh"

[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
  echo "The tests need these programs, which this script installs on Debian only:$missing" >&2
  exit 1
fi
run=""
[ "$(id -u)" -eq 0 ] || run="sudo"
echo "Installing for the tests:$missing"
$run apt-get update -qq
# shellcheck disable=SC2086  # one word per package
$run env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing >/dev/null
