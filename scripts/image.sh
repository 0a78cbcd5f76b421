#!/bin/sh
# image.sh: builds the image of the Dockerfile here, where no registry of images needs to be reached, and tries it.
# Needs Debian's buildah and debootstrap, and root: the build has no daemon, and the image is started by hand on a
# read-only root, in namespaces of its own (image.ts).
set -eu
export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
for program in buildah debootstrap unshare setpriv ip; do
  command -v "$program" >/dev/null || { echo "image.sh: $program is not installed" >&2; exit 2; }
done
[ "$(id -u)" = 0 ] || { echo 'image.sh: needs root, to make a root file system and to mount it' >&2; exit 2; }

bases=$PWD/node_modules/.cache/image-base
sh scripts/image-base.sh "$bases"
work=$(mktemp -d)
container=
# shellcheck disable=SC2317
clean() {
  [ -z "$container" ] || buildah rm "$container" >/dev/null
  rm -rf "$work"
}
trap clean EXIT
trap 'exit 130' INT TERM

for stage in build runtime; do
  ! buildah inspect --type image "localhost/sandgate-base:$stage" >/dev/null 2>&1 || continue
  base=$(buildah from scratch)
  buildah copy --quiet "$base" "$bases/$stage" / >/dev/null
  buildah commit --quiet --rm --format docker "$base" "localhost/sandgate-base:$stage" >/dev/null
done

# What a registry and a certificate authority of one's own need, for the time of `npm ci`.
set --
npmrc=${NPM_CONFIG_USERCONFIG:-$HOME/.npmrc}
[ ! -f "$npmrc" ] || set -- "$@" --secret "id=npmrc,src=$npmrc"
[ ! -f "${NODE_EXTRA_CA_CERTS:-}" ] || set -- "$@" --secret "id=ca,src=$NODE_EXTRA_CA_CERTS"
former=$(buildah images --quiet --filter reference=localhost/sandgate:latest)
began=$(date +%s)
buildah build --format docker --tag localhost/sandgate --build-arg BASE=localhost/sandgate-base:build \
  --build-arg RUNTIME=localhost/sandgate-base:runtime --pull-never "$@" . >"$work/build.log" 2>&1 ||
  { cat "$work/build.log" >&2; exit 1; }
took=$(($(date +%s) - began))
buildah inspect --type image localhost/sandgate >"$work/image.json"
[ -z "$former" ] || [ "$former" = "$(buildah images --quiet localhost/sandgate)" ] || buildah rmi "$former" >/dev/null
container=$(buildah from --pull-never localhost/sandgate)
root=$(buildah mount "$container")
size=$(du -sm "$root" | cut -f1)
echo "built localhost/sandgate in $took s: $size MB, of which $(du -sm "$bases/runtime" | cut -f1) are Debian and $(
  du -sm "$root/usr/local/bin/node" | cut -f1) Node.js"
npx --no -- tsc -p tsconfig.tools.json
# Mounts and the loopback interface are those of this one command, and end with it.
unshare --mount --propagation private --net sh -c 'ip link set lo up && exec node .tools/scripts/image.js "$@"' \
  sh "$work/image.json" "$root" "$work"
