# Two commands do everything on a fresh machine with Python 3.11 or later: `make app` and `make test`.
# Each is a thin line over uv; CONTRIBUTING.md gives the plain lines for Windows.
SHELL := /bin/bash
UV := $(shell command -v uv || echo .tools/bin/uv)
RUN := $(UV) run --locked --extra window
BENCH := PYTHONPATH=tests $(RUN) python tests/benchmarks
# where the machine says that Python shall keep no bytecode, each process would compile what it imports: two seconds
export PYTHONDONTWRITEBYTECODE :=
.PHONY: app lab test test-all test-quick bench package test-package wheelhouse test-wheelhouse docs book lists check environment clean

app: environment ## the desktop app; without a display it serves and prints the address
	@sh app/packaging/install-debian-packages.sh window
	$(RUN) pagecost app

lab: environment ## JupyterLab on the notebooks
	$(RUN) pagecost lab

test: environment system check ## in some twenty minutes: all lessons, and each test that takes less than a second
	$(RUN) pytest -n 2 --within 1 -m "not timed and not whole"

test-all: environment system check ## everything, in an hour; then, with the machine to itself, what measures time
	$(RUN) pytest -n 2 -m "not timed"
	$(RUN) pytest -m timed tests/engine tests/browser

test-quick: environment ## what runs in a minute and a half: no browser, no notebooks, no package, no test that takes long
	$(RUN) pytest -n 2 --within 0.1 -m "not timed and not long and not whole" tests/engine tests/app tests/test_layers.py tests/test_project.py

bench: environment ## ns per event of every kernel; a figure over its budget is said, not fatal
	-$(BENCH)/bench.py
	-$(BENCH)/bench_buffer.py
	-$(BENCH)/bench_disk.py
	-$(BENCH)/bench_ftl.py
	-$(BENCH)/bench_traces.py
	-$(BENCH)/bench_trace_files.py
	-$(BENCH)/bench_ssd.py
	-$(BENCH)/bench_transactions.py
	-$(BENCH)/bench_xml.py
	-$(BENCH)/bench_oltp.py
	-$(BENCH)/bench_plan.py
	-$(BENCH)/bench_sweep.py
	-$(BENCH)/bench_pages.py
	-$(BENCH)/bench_ledger.py

package: environment system ## dist: the app as folder, archive and Debian package, with Qt's web view and small without it
	$(RUN) pyinstaller --noconfirm --distpath dist --workpath build app/packaging/pagecost.spec
	$(RUN) python app/packaging/make_packages.py dist

# of the machines of the lab, where they are not like this one: PYTHON=3.12, PLATFORM=windows-x86_64 (or macos-arm64, …)
wheelhouse: ## dist/lab: a folder and an archive from which a lab without a network is installed by one command
	$(UV) run --locked $(if $(PYTHON),--isolated --python $(PYTHON)) \
	  python app/packaging/wheelhouse.py dist/lab $(if $(PLATFORM),--platform $(PLATFORM))

test-wheelhouse: environment ## install dist/lab (made, where it is not) without a network and without a home, and use it
	$(RUN) pytest tests/installed/try_wheelhouse.py

test-package: environment system ## install dist's Debian packages in a clean Debian and use them without a network; as root
	@sh app/packaging/install-debian-packages.sh installed
	$(RUN) pytest -s tests/installed/try_package.py

docs: environment ## dist/site: every question, policy, device, claim and docstring as a site, without a network
	$(RUN) python docs/site/build.py

book: environment ## dist/book: pages that are alive without Python, from a stick
	$(RUN) python -m pagecost_app.book.build dist/book

lists: environment ## what is written from the code and kept: studies in words, their small pictures, the kernels they need
	$(RUN) python -m pagecost_app.studies_listed
	$(RUN) python -m pagecost_app.thumbnails_found
	$(RUN) python -m pagecost_app.kernels_found

check: environment ## style and types
	$(RUN) ruff check .
	$(RUN) ruff format --check .
	$(RUN) mypy

environment: $(UV) ## the environment of the lock file
	@$(UV) sync --locked --extra window --quiet

.tools/bin/uv:
	python3 -m venv .tools
	.tools/bin/pip install --quiet uv

.PHONY: system
system: ## what the tests and the package need of Debian, installed where missing
	@sh app/packaging/install-debian-packages.sh

clean:
	rm -rf build dist screenshots .pytest_cache .ruff_cache .mypy_cache
