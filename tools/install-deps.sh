#!/bin/bash
# Installs the Debian packages that the build needs and that are missing; does nothing when all are there.
# --test: also what tests need; --services: also what `plumb drive` drives, without leaving daemons running;
# --languages: also what the tests of bindings/, schemas/, completion and other systems need.
set -u

packages=(build-essential cmake pkg-config libcmocka-dev libzstd-dev zlib1g-dev libcadical-dev libcapstone-dev libdw-dev scdoc)
optional=() # what tests are skipped without
if [ "${1-}" = --test ]; then
    packages+=(clang libclang-rt-14-dev g++ libck-dev liburcu-dev libboost-dev binutils gdb python3 spin)
    optional+=(chromium graphviz)
    command -v npm >/dev/null || optional+=(nodejs npm) # node from elsewhere brings its own npm
fi

if [ "${1-}" = --services ]; then # what `plumb drive` can drive; the daemons that packages would start are not
    optional+=(redis-server memcached etcd-server postgresql zookeeper nats-server libhiredis-dev libcurl4-openssl-dev libpq-dev)
    optional+=(libzookeeper-mt-dev libnats-dev bubblewrap faketime iproute2 golang-go rustc default-jdk-headless)
fi

if [ "${1-}" = --languages ]; then
    optional+=(python3 python3-pytest python3-pip python3-wheel python3-jsonschema golang-go rustc cargo default-jdk-headless junit4 clojure libdata-fressian-clojure zsh fish meson musl-tools)
fi

# Elsewhere: what to install by hand, once, in that system's names; CMake says what it does without.
other_system() {
    case $(. "${PLUMB_OS_RELEASE-/etc/os-release}" 2>/dev/null; echo " ${ID-} ${ID_LIKE-} ") in
        *" fedora "* | *" rhel "*) echo "dnf install gcc gcc-c++ make cmake pkgconf-pkg-config libcmocka-devel libzstd-devel zlib-devel cadical-devel capstone-devel elfutils-devel scdoc" ;;
        *" arch "*) echo "pacman -S --needed base-devel cmake cmocka zstd zlib capstone elfutils scdoc (and cadical, where it is packaged)" ;;
        *" alpine "*) echo "apk add build-base bash cmake pkgconf linux-headers cmocka-dev zstd-dev zlib-dev capstone-dev elfutils-dev scdoc" ;;
        *) echo "a C and a C++ compiler, make, CMake 3.25, pkg-config, and the headers of zlib, zstd; optional: cmocka (tests), cadical, capstone, libdw, scdoc" ;;
    esac
}
if ! command -v dpkg >/dev/null; then
    command -v cmake >/dev/null && command -v pkg-config >/dev/null && pkg-config --exists libzstd zlib && exit 0
    echo "this is not Debian; install: $(other_system)" >&2
    exit 0
fi

missing_of() {
    missing=()
    for p in "$@"; do
        dpkg -s "$p" 2>/dev/null | grep -q '^Status: .* installed' || missing+=("$p")
    done
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"
    elif command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [ -t 0 ]; }; then sudo "$@"
    else return 1; fi
}

install() {
    echo "installing: $*" >&2
    export DEBIAN_FRONTEND=noninteractive
    as_root apt-get install -y -q "$@" >/dev/null || { as_root apt-get update -q >/dev/null && as_root apt-get install -y -q "$@" >/dev/null; }
}

# invoke-rc.d asks this file before it starts anything; 101: forbidden. One that is there already is left alone.
policy=/usr/sbin/policy-rc.d
if [ "${1-}" = --services ] && [ ! -e $policy ] && printf '#!/bin/sh\nexit 101\n' | as_root tee $policy >/dev/null; then
    as_root chmod +x $policy
    trap 'as_root rm -f $policy' EXIT
fi

missing_of "${packages[@]}"
if [ ${#missing[@]} -gt 0 ] && ! install "${missing[@]}"; then
    echo "could not install; run as root: apt-get install -y ${missing[*]}" >&2
    exit 1
fi
missing_of ${optional[@]+"${optional[@]}"}
if [ ${#missing[@]} -gt 0 ] && ! install "${missing[@]}"; then
    echo "could not install ${missing[*]}: tests that need them will be skipped" >&2
fi
exit 0
