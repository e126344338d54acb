# The short way in; CMake does the work (CMakePresets.json has the presets). `make` leaves the command at build/plumb.
PREFIX ?= /usr/local
DESTDIR ?=
BUILD = cmake --build

.PHONY: all demo check test soak bench web install clean deps dist deb

TESTING = OFF

all: deps
	@cmake --preset release -DCMAKE_INSTALL_PREFIX=$(PREFIX) -DBUILD_TESTING=$(TESTING) >/dev/null
	@$(BUILD) build -j$$(nproc)

deps:
	@tools/install-deps.sh

demo: all
	@tools/demo.sh

# At every change: what tests/fast-lane.txt does not leave out, with asserts; under two minutes of CPU time after a
# build.
check:
	@tools/install-deps.sh --test
	@tools/run-tests.sh --fast checked

test:
	@tools/install-deps.sh --test
	@tools/run-tests.sh

soak: TESTING = ON
soak: all
	@tools/install-deps.sh --test
	@tools/soak.sh

bench: all
	@$(BUILD) build --target plumb_bench runtime_bench -j$$(nproc)
	@bench/view.sh build/plumb
	@build/bench/plumb_bench build/plumb
	@build/bench/runtime_bench
	@bench/reachability.sh build/plumb | tee bench/results/reachability.txt
	@bench/spin.sh build/plumb | tee bench/results/spin.txt
	@bench/strategies.sh build/plumb | tee bench/results/strategies.txt
	@bench/engines.sh build/plumb | tee bench/results/engines.txt
	@build/bench/plumb_bench build/plumb report

# The deciders as WebAssembly, in one page: build/web/plumbline.html. Needs emscripten.
web:
	@command -v emcmake >/dev/null || { echo "make web needs emscripten (Debian: apt-get install emscripten)" >&2; exit 1; }
	@emcmake cmake -S web -B build/web >/dev/null
	@$(BUILD) build/web -j$$(nproc)

install:
	@test -x build/plumb || $(MAKE) all
	@DESTDIR=$(DESTDIR) cmake --install build --prefix $(PREFIX)

# The sources of what is committed, as they are released.
VERSION = $(shell sed -n 's/^project.Plumbline VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)

dist:
	@mkdir -p build
	@git archive --format=tar --prefix=plumbline-$(VERSION)/ HEAD | gzip -9n >build/plumbline-$(VERSION).tar.gz
	@echo build/plumbline-$(VERSION).tar.gz

# Debian packages, in build/deb.
deb:
	@tools/packages/build.sh

clean:
	@rm -rf build
