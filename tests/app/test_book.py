"""WebAssembly out of the engine's kernels: the file format, what a kernel takes, and which kernels a page can run."""

import base64

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pagecost.devices import ftl
from pagecost.errors import ModelError
from pagecost_app.book import buffer_page, flash_page, live_kernels, wasm_file, webassembly
from pagecost_app.book.wasm_file import Reader, number

WORKED = {0: b"\x00", 127: b"\x7f", 128: b"\x80\x01", 624485: b"\xe5\x8e\x26"}
"""The last is the example that the definition of LEB128 is taught with."""


@pytest.mark.parametrize(("value", "written"), WORKED.items())
def test_numbers_are_written_seven_bits_a_byte(value, written):
    assert number(value) == written


@given(st.integers(0, 2**64), st.binary(max_size=4))
def test_a_number_is_read_as_it_was_written_and_nothing_behind_it(value, behind):
    reader = Reader(number(value) + behind)
    assert reader.number() == value
    assert reader.data[reader.at :] == behind


@pytest.mark.parametrize("damaged", [b"", b"\0asm\2\0\0\0", b"ELF and more"])
def test_what_is_no_object_file_is_refused(damaged):
    with pytest.raises(ModelError, match="no WebAssembly object"):
        list(wasm_file.sections(damaged))


def test_a_function_that_is_not_there_cannot_be_exported():
    with pytest.raises(ModelError, match="has no function f"):
        wasm_file.exporting(wasm_file.MAGIC, "f", "run")


def test_nothing_is_made_from_optimised_code(monkeypatch):
    monkeypatch.delenv("NUMBA_OPT", raising=False)
    with pytest.raises(ModelError, match="NUMBA_OPT=0"):
        webassembly.module(None, ())


def test_an_array_in_two_places_is_described_once_and_its_bytes_are_exact():
    shared = np.array([2**63 - 1, -1], np.int64)
    first, parts, count = webassembly.described((shared, (shared, np.zeros((2, 3))), 7))
    assert np.array_equal(np.frombuffer(base64.b64decode(first["bytes"]), np.int64), shared)
    again, zeros = parts["parts"]
    assert again == {"kind": "int64", "shape": [2], "array": first["array"]}
    assert base64.b64decode(zeros.pop("each")) == bytes(8)
    assert zeros == {"kind": "float64", "shape": [2, 3], "array": first["array"] + 1}
    assert count == {"kind": "int64", "value": 7}


def test_every_policy_that_needs_no_look_ahead_can_stand_in_a_page():
    assert {"lru", "clock", "arc", "cflru", "2q"} <= set(buffer_page.POLICIES)
    assert "min" not in buffer_page.POLICIES
    assert set(flash_page.POLICIES) == set(ftl.VICTIMS)


@pytest.mark.long
def test_a_kernel_that_a_page_cannot_run_is_said(monkeypatch, tmp_path):
    monkeypatch.setattr(live_kernels, "_kept", lambda name: tmp_path / f"{name}.wasm")
    with pytest.raises(ModelError, match="no WebAssembly of nothing-like-it"):
        live_kernels.modules(["nothing-like-it"])
