#!/bin/bash
# Installs the Debian packages that the build needs and that are missing; does nothing when all are there.
set -u

packages=(build-essential cmake pkg-config libcmocka-dev libzstd-dev zlib1g-dev libcadical-dev libcapstone-dev libdw-dev scdoc)
if [ "${1-}" = --test ]; then packages+=(clang libclang-rt-14-dev g++ libck-dev liburcu-dev binutils spin); fi

command -v dpkg >/dev/null || exit 0 # not Debian: CMake will say what is missing
missing=()
for p in "${packages[@]}"; do
    dpkg -s "$p" 2>/dev/null | grep -q '^Status: .* installed' || missing+=("$p")
done
[ ${#missing[@]} -eq 0 ] && exit 0

if [ "$(id -u)" = 0 ]; then
    as_root=()
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo)
elif command -v sudo >/dev/null && [ -t 0 ]; then
    as_root=(sudo)
else
    echo "missing packages; run as root: apt-get install -y ${missing[*]}" >&2
    exit 1
fi
echo "installing: ${missing[*]}" >&2
export DEBIAN_FRONTEND=noninteractive
"${as_root[@]}" apt-get install -y -q "${missing[@]}" >/dev/null ||
    { "${as_root[@]}" apt-get update -q >/dev/null && "${as_root[@]}" apt-get install -y -q "${missing[@]}" >/dev/null; } ||
    { echo "could not install; run as root: apt-get install -y ${missing[*]}" >&2; exit 1; }
