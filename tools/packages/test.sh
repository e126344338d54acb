#!/bin/bash
# The packages of `make deb` in a bare chroot of Debian 12: installed by apt as the documents say, the README's examples run
# there, and each test of debian/tests. Root, mmdebstrap and a mirror are needed; part of what is done before a release.
#
#   tools/packages/test.sh [FOLDER]    the chroot is made in FOLDER, or a temporary one, and removed at the end
set -eu
cd "$(dirname "$0")/../.."
packages=$PWD/build/deb
ls "$packages"/*.deb >/dev/null 2>&1 || { echo "there are no packages in build/deb: make deb" >&2; exit 1; }
[ "$(id -u)" = 0 ] || { echo "not root: no chroot can be made" >&2; exit 77; }
command -v mmdebstrap >/dev/null || { echo "mmdebstrap is not there: apt-get install mmdebstrap" >&2; exit 77; }
folder=$(mktemp -d "${1-${TMPDIR:-/tmp}}/plumbline-chroot-XXXXXX")
root=$folder/root
cleanup() { umount -q "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$folder"; }
trap cleanup EXIT
sources=$(mktemp "$folder/sources-XXXXXX")
find /etc/apt/sources.list /etc/apt/sources.list.d -type f -name '*.list' -exec cat {} + >"$sources" 2>/dev/null || true
find /etc/apt/sources.list.d -type f -name '*.sources' -exec cat {} + >"$sources.deb822" 2>/dev/null || true
mirror=$sources; [ -s "$sources" ] || mirror=$sources.deb822
mmdebstrap --quiet --variant=apt bookworm "$root" "$mirror" ||
    { echo "no chroot could be made: is there a mirror?" >&2; exit 77; }
cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
cp /etc/apt/apt.conf.d/*proxy* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
mkdir -p "$root/packages"
cp "$packages"/*.deb "$root/packages"
mount -t proc proc "$root/proc"
inside() { env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8 \
    http_proxy="${http_proxy-}" https_proxy="${https_proxy-}" chroot "$root" sh -ec "$1"; }

failed=0
try() { # name command
    if inside "$2" >"$folder/out" 2>&1; then echo "ok - $1"; else echo "not ok - $1"; tail -15 "$folder/out" | sed 's/^/#   /'; failed=1; fi
}
# /usr/share/doc is left out by many minimal images; the README's examples are there.
inside 'rm -f /etc/dpkg/dpkg.cfg.d/*exclude* /etc/dpkg/dpkg.cfg.d/docker'
try "apt install ./plumbline*.deb" 'cd /packages && apt-get install -y -q --no-install-recommends ./plumbline*.deb'
cp -r debian/tests "$root/tests"
try "the command, the README's example" 'AUTOPKGTEST_TMP=$(mktemp -d) /tests/command'
try "drivers without their libraries are refused by name" 'plumb drive redis --object kv --ops 10 2>&1 | grep -q redis'
try "the libraries and Python" 'cd /packages && apt-get install -y -q --no-install-recommends ./*.deb gcc libc6-dev pkg-config python3-pytest'
for t in library explorer python; do try "debian/tests/$t" "AUTOPKGTEST_TMP=\$(mktemp -d) /tests/$t"; done
try "removed again" 'apt-get purge -y -q plumbline "libplumbline*" python3-plumbline plumbline-doc && ! command -v plumb && ! ls /usr/lib/*/libplumbline* 2>/dev/null'
exit $failed
