"""RAM in front of the map and the SLC cache: what hits costs nothing, nothing gets lost, slow twins agree."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pagecost.devices.ftl import WRITE_POLICIES, Geometry, Simulation, SlcCache, Workload, WriteBuffer, verify
from pagecost.errors import ModelError
from pagecost.studies.flash import slc_cache, write_buffer

SMALL = Geometry(blocks=16, pages_per_block=4, page_bytes=16, spare=0.5)  # 32 logical pages
writes = st.lists(st.integers(0, 31), max_size=200)


class BufferTwin:
    """A list of pages in the order they were written, and per block what was written of it since it came in."""

    def __init__(self, capacity, policy):
        self.capacity, self.policy = capacity, policy
        self.pages, self.blocks, self.history, self.left = [], [], {}, []

    def write(self, page):
        block = page // 4
        if page not in self.pages and len(self.pages) == self.capacity:
            self.evict()
        if page in self.pages:
            self.pages.remove(page)
        self.pages.append(page)
        if block in self.blocks:
            self.blocks.remove(block)
        else:
            self.history[block] = []
        self.history[block].append(page % 4)
        first = self.policy == "bplru" and self.history[block] == [0, 1, 2, 3]
        self.blocks.insert(0 if first else len(self.blocks), block)

    def held(self, block):
        return sorted(page for page in self.pages if page // 4 == block)

    def evict(self):
        if self.policy == "lru":
            self.left.append(self.pages.pop(0))
            return
        block = self.blocks[0]
        if self.policy == "fab":
            block = max(self.blocks, key=lambda one: len(self.held(one)))  # of equals the first, the least recent
        self.left += range(4 * block, 4 * block + 4) if self.policy == "bplru" else self.held(block)
        self.pages = [page for page in self.pages if page // 4 != block]
        self.blocks.remove(block)


@pytest.mark.parametrize("policy", WRITE_POLICIES)
@settings(deadline=None, max_examples=80)
@given(stream=writes, capacity=st.integers(1, 31))
def test_a_write_buffer_equals_its_slow_twin(policy, stream, capacity):
    made, twin = WriteBuffer(SMALL, capacity, policy), BufferTwin(capacity, policy)
    left = [int(page) for part in made.absorb(np.array(stream, np.uint32)) for page in part]
    for page in stream:
        twin.write(page)
    assert left == twin.left
    assert made.resident == len(twin.pages)
    assert len(left) == made.written - made.hits - made.resident + made.padded_pages
    assert (made.padded_pages > 0) <= (policy == "bplru")


@pytest.mark.parametrize("share", [0.1, 0.3])
@pytest.mark.parametrize("policy", ["lru", "fab"])
def test_uniform_writes_hit_as_often_as_the_buffer_holds_of_all_pages(policy, share):
    """LRU: exactly the share. FAB runs empty by a block at a time: 2 points."""
    geometry = Geometry(blocks=128, pages_per_block=16, spare=0.2)
    room = round(share * geometry.logical_pages)
    simulation = Simulation(geometry, buffer_pages=room, buffer_policy=policy)
    simulation.write(2 * geometry.logical_pages)
    hits, resident = simulation.buffer.hits, simulation.buffer.resident
    made = simulation.write(100_000)
    ratio = (simulation.buffer.hits - hits) / 100_000
    assert ratio == pytest.approx(share, abs=0.005 if policy == "lru" else 0.02)
    # flash writes = (1 - h) x host writes, to the page
    assert made.counts.host_pages == 100_000 * (1 - ratio) - (simulation.buffer.resident - resident)


@pytest.mark.parametrize("policy", WRITE_POLICIES)
@pytest.mark.parametrize("layer", ["page", "bast", "fast"])
def test_a_device_behind_a_buffer_keeps_every_rule(policy, layer):
    geometry = Geometry(blocks=40, pages_per_block=8, page_bytes=64, spare=0.4)
    simulation = Simulation(
        geometry, Workload(kind="hot-cold"), layer=layer, buffer_pages=20, buffer_policy=policy, seed=3
    )
    for _ in range(3):
        simulation.write(3000)
        verify(simulation.device)


def test_padded_blocks_cost_a_log_block_map_nothing_but_switches():
    geometry = Geometry(blocks=64, pages_per_block=16, spare=0.2)
    simulation = Simulation(geometry, layer="bast", buffer_pages=100, buffer_policy="bplru")
    simulation.write(20_000)
    counts = simulation.device.counts()
    assert counts.merged_pages == 0  # the last logical block, which is not full, is switched as well
    assert counts.switch_merges > 1000


def test_the_terms_of_the_write_buffer_study_add_up_and_clustering_helps_log_blocks():
    study = write_buffer.STUDY
    inputs = study.inputs({"layer": "bast", "buffers": ("lru", "fab")})
    result = study.compute(inputs)
    terms = sum(result[name] for name in write_buffer.TERMS)
    assert terms == pytest.approx(result["write_amplification"])
    # two blocks more or less in the buffer: 5e-3
    assert result["flushed"] == pytest.approx(1 - result["hit_ratio"], abs=5e-3)
    cost = {result["policy"][row]: result["write_amplification"][row] for row in result.rows(chosen=True)}
    assert cost["fab"] < cost["lru"] / 2 < cost["none"]
    assert len(study.explain(inputs, result)) == 3


@settings(deadline=None, max_examples=50)
@given(
    cache=st.integers(0, 60), burst=st.integers(1, 100), bursts=st.integers(1, 4), idle=st.integers(0, 30),
    fold=st.integers(1, 5),
)  # fmt: skip
def test_an_slc_cache_equals_its_slow_twin(cache, burst, bursts, idle, fold):
    """Byte by byte: into the cache while there is room, past it otherwise; idle seconds fold."""
    made = SlcCache(cache_bytes=cache, fast_bytes_per_s=8.0, slow_bytes_per_s=2.0, fold_bytes_per_s=fold)
    used, took_s = 0, []
    for _ in range(bursts):
        fast = 0
        for _ in range(burst):
            if used < cache:
                used, fast = used + 1, fast + 1
        took_s.append(fast / 8 + (burst - fast) / 2)
        used = max(0, used - fold * idle)
    phases = made.serve(float(burst), bursts, float(idle))
    writing = phases["rate"] > 0
    found_s = np.bincount(phases["burst"], (phases["to_s"] - phases["from_s"]) * writing)[1:]
    assert found_s == pytest.approx(took_s)
    assert phases["to_bytes"][-1] == burst * bursts
    assert found_s[0] == pytest.approx(made.burst_s(burst))
    assert (phases["to_cached"] >= 0).all()
    assert (phases["to_cached"] <= cache).all()


def test_the_cliff_lies_where_the_cache_is_full_and_an_hour_brings_the_cache_back():
    study = slc_cache.STUDY
    result = study.compute(study.inputs())
    assert slc_cache.cliff_bytes(result) == 76e9
    assert sorted(set(result["rate"])) == [0, 100e6, 1800e6]  # the drive's two rates
    rested = study.compute(study.inputs(preset="an hour between bursts"))
    assert rested["burst_rate"] == pytest.approx(100e9 / (76e9 / 1.8e9 + 24e9 / 0.1e9))
    full = study.compute(study.inputs({"filled": 1.0}))
    assert slc_cache.cliff_bytes(full) == 6e9
    assert "24 GB" in study.explain(study.inputs(), result)[1]


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda: WriteBuffer(SMALL, 0), "at least 1 page and less than the device's 32; got 0"),
        (lambda: WriteBuffer(SMALL, 32), "got 32"),
        (lambda: WriteBuffer(SMALL, 4, "fifo"), "unknown write buffer policy 'fifo'; known: bplru, fab, lru"),
        (lambda: SlcCache(cache_bytes=-1, fast_bytes_per_s=1, slow_bytes_per_s=1, fold_bytes_per_s=1), "got -1"),
        (lambda: SlcCache(cache_bytes=1, fast_bytes_per_s=1, slow_bytes_per_s=2, fold_bytes_per_s=1), "nothing is fas"),
        (lambda: slc_cache.STUDY.inputs({"device": "wd400bb"}), "unknown drive with a known SLC cache 'wd400bb'"),
        (lambda: write_buffer.STUDY.inputs({"buffers": ("lru", "lru")}), "a policy is named twice"),
    ],
)
def test_what_a_buffer_or_cache_refuses_is_said_in_a_sentence(wrong, sentence):
    with pytest.raises(ModelError, match=sentence):
        wrong()
