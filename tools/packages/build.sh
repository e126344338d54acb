#!/bin/bash
# Builds the Debian packages of what is committed: `make deb`. They are left in build/deb. Needs debhelper, dh-python and
# what debian/control lists; what is missing is named.
set -eu
cd "$(dirname "$0")/../.."
command -v dpkg-buildpackage >/dev/null || { echo "dpkg-buildpackage is not there: apt-get install dpkg-dev debhelper dh-python" >&2; exit 1; }
version=$(sed -n 's/^project(Plumbline VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
[ "$version" = "$(sed -n '1s/.*(\([0-9.]*\)).*/\1/p' debian/changelog)" ] ||
    { echo "debian/changelog has another version than CMakeLists.txt: $version" >&2; exit 1; }
make -s dist
rm -rf build/deb
mkdir -p build/deb
tar -xzf "build/plumbline-$version.tar.gz" -C build/deb
cd "build/deb/plumbline-$version"
dpkg-checkbuilddeps
unset CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER # ccache writes other names of sources into what is built
DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS-parallel=$(nproc) nocheck}" dpkg-buildpackage -us -uc -b >../build.log 2>&1 ||
    { tail -30 ../build.log >&2; echo "the packages were not built: build/deb/build.log" >&2; exit 1; }
cd ..
rm -rf "plumbline-$version"
ls -1 ./*.deb
if command -v lintian >/dev/null; then lintian --fail-on error ./*.changes; else echo "lintian is not there: the packages were not checked by it"; fi
