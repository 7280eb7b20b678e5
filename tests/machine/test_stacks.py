# SPDX-License-Identifier: GPL-2.0-only
"""PCI devices behind IIO stacks from Sapphire Rapids on: ucoretool, compared with the model.

The model puts the traffic of each device into the counters of one (stack, part), by its own reading
of the maps.  It reports this place as the truth.
"""

import json
import re

from lab.framework import test

ADDRESS = re.compile(r"\b[0-9a-f]{4}:([0-9a-f]{2}):([0-9a-f]{2})\.\d")


def rows(m, command):
    return [json.loads(line) for line in m.sh(command).splitlines()]


def mask(text):
    """Return the mask of ports written as "0-2,4"."""
    bits = 0
    for part in text.split(",") if text else ():
        first, _, last = part.partition("-")
        bits |= sum(1 << n for n in range(int(first), int(last or first) + 1))
    return bits


def below(m):
    """Return (bus, slot) of the root function above each PCI function, by its address."""
    found = {}
    for path in m.sh("for d in /sys/bus/pci/devices/*; do readlink -f $d; done").splitlines():
        parts = path.split("/")
        root = next(part for part in parts if ADDRESS.match(part) and "pci" not in part)
        bus, slot = (int(n, 16) for n in ADDRESS.match(root).groups())
        found[parts[-1]] = bus, slot
    return found


def truth(m):
    """Return (bus, slot) of each device behind a stack -> (socket, box, root bus, parts)."""
    return {(at["device_bus"], at["slot"]): (at["socket"], f"iio{at['box']}", at["bus"],
                                             at["parts"])
            for at in m.oracle("stacks")}


def listed(m):
    """Return the same from list --topology; only devices with ports."""
    above = below(m)
    return {above[row["address"]]: (row["die"], row["box"], int(row["leads_to"][5:], 16),
                                    mask(row["ports"]))
            for row in rows(m, "ucoretool list --topology -j") if "ports" in row}


def unverified(m):
    return {(row["die"], row["box"]) for row in rows(m, "ucoretool list --topology -j")
            if row.get("note") == "unverified" and row["box"].startswith("iio")}


def check_topology(m, dmi=None):
    """Compare the places of all devices with the truth; dmi: box with the devices of the PC."""
    found = listed(m)
    own = {at: place for at, place in found.items() if place[:2] == dmi and at not in truth(m)}
    wanted = truth(m)
    assert wanted and {at: found[at] for at in found if at not in own} == wanted, (found, wanted)
    assert {place[3] for place in own.values()} <= {1 << 7}, own
    assert bool(own) == bool(dmi), own


def check_traffic(m):
    """The traffic of each device is in one row, which names it, and no other row has any."""
    above, wanted = below(m), truth(m)
    out = rows(m, "ucoretool stat --per-device -j --timeout 200ms")
    counted = [row for row in out if "box" in row]
    moved = [row for row in counted if row.get("read_bytes") or row.get("write_bytes")]
    places = {place[:2] + place[3:] for place in wanted.values()}
    assert {(row["die"], row["box"], mask(row["ports"])) for row in moved} == places, counted
    assert len(moved) == len(places), counted
    for row in moved:
        assert row["read_bytes"] > 0 and row["write_bytes"] > 0, row
        devices = {above[match.group(0)] for match in ADDRESS.finditer(row["device"])}
        place = row["die"], row["box"], mask(row["ports"])
        assert devices == {at for at, there in wanted.items()
                           if there[:2] + there[3:] == place}, (row, wanted)
    return counted


@test("spr-stacks", strict=False)
def sapphire_rapids_xcc_devices_are_in_their_stacks(m):
    check_topology(m, dmi=(0, "iio1"))
    check_traffic(m)
    assert not unverified(m), unverified(m)


@test("spr-mcc-stacks", strict=False)
def sapphire_rapids_mcc_devices_are_in_their_stacks(m):
    check_topology(m, dmi=(0, "iio10"))
    check_traffic(m)
    # the source calls the numbers of two boxes an assumption
    assert unverified(m) == {(0, "iio0"), (0, "iio4")}, unverified(m)


@test("emr-stacks", strict=False)
def emerald_rapids_devices_are_in_their_stacks_unverified(m):
    check_topology(m, dmi=(0, "iio7"))
    check_traffic(m)
    assert unverified(m) == {(0, f"iio{stack}") for stack in (2, 4, 7, 8)}, unverified(m)


@test("gnr-stacks", strict=False)
def granite_rapids_devices_are_in_their_stacks(m):
    check_topology(m)
    check_traffic(m)
    # ids 10 and 31 are known to be no stacks
    assert "are unknown" not in m.dmesg()
    # stacks that may be flexible UPI links; the HQM, about which the source contradicts itself
    assert unverified(m) == {(0, "iio12"), (1, "iio11"), (0, "iio1")}, unverified(m)
    links = {(row["die"], row["box"]): (row.get("leads_to"), row.get("gt_per_s"))
             for row in rows(m, "ucoretool list --topology -j") if row["box"].startswith("upi")}
    assert links == {(0, "upi0"): (None, 24), (0, "upi1"): (None, 20),
                     (0, "upi2"): ("not trained", 0), (1, "upi0"): (None, 16),
                     (1, "upi1"): (None, None), (1, "upi2"): (None, 16)}, links


@test("gnr-stacks", strict=False)
def utilization_is_the_share_of_a_links_speed(m):
    names = "upi_data_transmit_bw", "upi_data_transmit_utilization"
    out = rows(m, f"ucoretool stat --per-box -j -M {','.join(names)} -- sleep 0.2")
    values = {(row["die"], row["box"], row["metric"]): row.get("value") for row in out
              if "metric" in row}
    for (die, box), speed in {(0, "upi0"): 24, (0, "upi1"): 20, (1, "upi0"): 16}.items():
        sent, share = (values[die, box, name] for name in names)
        # 9 slots carry 64 bytes, and a link sends 2.5 slots in 8 transfers
        wanted = 100 * sent * 9 / 64 / (1000 * speed * 2.5 / 8)
        assert sent > 0 and abs(share / wanted - 1) < 1e-3, (box, sent, share)
    # a link that is down has no share, nor has one with an unknown speed
    for at in ((0, "upi2"), (1, "upi1")):
        assert not isinstance(values[(*at, names[1])], float), values


@test("srf-stacks", strict=False)
def sierra_forest_devices_are_in_their_stacks_without_numa(m):
    check_topology(m)
    check_traffic(m)


@test("grr-stacks", strict=False)
def grand_ridge_devices_are_in_their_stacks(m):
    check_topology(m, dmi=(0, "iio2"))
    check_traffic(m)


@test("spr-stacks", strict=False, settings={
    "stacks.chop": 2, "stacks.0:upi-speed.0": 4, "stacks.0:upi-speed.1": 6})
def unknown_die_variant_maps_no_stack(m):
    assert "die variant is unknown" in m.dmesg()
    assert not listed(m)
    out = rows(m, "ucoretool stat --per-device -j --timeout 100ms")
    assert {row["note"].split(", ")[0] for row in out if "box" in row} == {"not mapped"}, out
    links = rows(m, "ucoretool list --topology -j boxes upi")
    speeds = {row["box"]: row.get("gt_per_s") for row in links}
    # a processor for one socket: no link is trained
    assert set(speeds.values()) == {0}, speeds


@test("spr-stacks", strict=False, settings={"stacks.0:reg.1a0": 0xffffffff})
def unreadable_table_of_buses_maps_no_stack(m):
    assert not listed(m)


@test("spr-stacks", strict=False, settings={"stacks.0:reg.190": 0x26152600})
def duplicate_bus_maps_neither_stack(m):
    # ids 1 and 3 have the same bus now; id 8 is still known
    assert "contradictory" in m.dmesg()
    assert {place[1] for place in listed(m).values()} == {"iio0", "iio1"}, listed(m)


@test("spr-stacks", strict=False)
def unknown_root_bus_is_reported_and_skipped(m):
    assert "ids in the mask 0x4000 are unknown" in m.dmesg()
