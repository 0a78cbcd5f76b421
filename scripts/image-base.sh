#!/bin/sh
# image-base.sh DIR: makes what the image is built from where no registry of images can be reached, as DIR/runtime, a
# small Debian, and DIR/build, the same with Node.js (the npm package `node`) and npm.
set -eu
home=$1
[ ! -f "$home/done" ] || exit 0
rm -rf "$home"
mkdir -p "$home"
debootstrap --variant=minbase --include=ca-certificates,libstdc++6 bookworm "$home/runtime" \
  http://deb.debian.org/debian >"$home/debootstrap.log"
# What the slim images of Debian leave out as well.
rm -rf "$home/runtime/var/cache/apt" "$home/runtime/var/lib/apt/lists" "$home/runtime/usr/share/doc" \
  "$home/runtime/usr/share/man" "$home/runtime/usr/share/locale" "$home/runtime/usr/share/info"
npm install --silent --no-save --no-package-lock --prefix "$home/node" node@22
cp -a "$home/runtime" "$home/build"
cp "$home/node/node_modules/node/bin/node" "$home/build/usr/local/bin/node"
mkdir -p "$home/build/usr/local/lib/node_modules"
cp -R "$(npm root -g)/npm" "$home/build/usr/local/lib/node_modules/npm"
ln -s ../lib/node_modules/npm/bin/npm-cli.js "$home/build/usr/local/bin/npm"
# What the resolver of the machine knows, for npm in the build.
cp -L /etc/resolv.conf "$home/build/etc/resolv.conf"
touch "$home/done"
