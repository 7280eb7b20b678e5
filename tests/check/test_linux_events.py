# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: the library programs each named event as Linux's perf does.

Our side is the C table that the build generates. The other side are the JSON files in Debian's
kernel source. Each difference is in the list below, with its reason.
"""

import dataclasses
import re

from check.test_check import fail_on
from check.witness import linux, tables
from lab.framework import test

# Platforms of which Linux 6.12 has no file
UNKNOWN = {"cwf", "arl", "lnl", "ptl", "nhm", "wsm"}
# The table of a platform that Linux does not distinguish: test_intel_events.py compares it
SAME = {"tglh"}
# events that must be compared, at least
COMPARED = {"snbep": 502, "ivbep": 1067, "hswep": 1271, "bdxep": 1277, "bdxde": 893, "skx": 3308,
            "clx": 3419, "cpx": 3419, "icx": 3978, "snr": 2511, "spr": 2268, "emr": 2290,
            "gnr": 768, "srf": 700, "grr": 396, "snb": 34, "ivb": 34, "hsw": 32, "bdw": 23,
            "skl": 23, "icl": 3, "rkl": 9, "tgl": 15, "adl": 35, "mtl": 23}
FIELDS = [field.name for field in dataclasses.fields(tables.Event) if field.name != "name"]


def lacks_extension_bit(ours, theirs):
    return ours.event == theirs.event | 0x100 and ours.type in ("qpi", "pcu")


def lacks_extended_umask(ours, theirs):
    return not theirs.umask_ext and not ours.umask


def lacks_ports(_, theirs):
    return not theirs.ch_mask


def lacks_class(ours, theirs):
    return ours.fc_mask == 7 and not theirs.fc_mask


def filters_one_state(ours, theirs):
    return not ours.given and theirs.given == {"filter_state": 1}


def only_second_counter(ours, theirs):
    return ours.counters in (1, 3) and theirs.counters == 2


# (events on each platform, pattern of the names, field, condition, reason)
DIFFERENT = (
    ({"snbep": 60, "ivbep": 190, "hswep": 120, "bdxep": 120}, r"UNC_[PQ]_.*", "event",
     lacks_extension_bit,
     "Linux's files lack Intel's ExtSel, bit 21 of the control. The driver of Linux has this bit"),
    ({"skx": 6, "clx": 6, "cpx": 6, "icx": 101, "snr": 78, "spr": 64, "emr": 64, "gnr": 7,
      "srf": 7}, r"UNC_(UPI_TxL_HDR_MATCH|CHA|M2M|M2HBM|B2CMI)[_.].*", "umask_ext",
     lacks_extended_umask,
     "Linux's files lack Intel's UMaskExt where UMask is 0"),
    ({"spr": 9, "emr": 9}, r"UNC_IIO_COMP_BUF_OCCUPANCY\.CMPD\.(PART[0-7]|ALL_PARTS)", "ch_mask",
     lacks_ports, "Linux's events of single ports are equal. Intel added the ports later"),
    ({"spr": 1, "emr": 1}, r"UNC_IIO_NUM_TGT_MATCHED_REQ_OF_CPU", "fc_mask", lacks_class,
     "without a class the event counts nothing. Intel added the class later"),
    ({"hswep": 1, "bdxep": 1}, r"UNC_C_LLC_LOOKUP\.ANY", "given", filters_one_state,
     "Linux counts one cache state. Our default is all states, and the user can choose"),
    ({"icl": 2, "rkl": 2}, r"UNC_ARB_(COH_TRK|TRK)_REQUESTS\.ALL", "counters",
     only_second_counter, "Ice Lake has one counter, whose number is 0 in ucore. Rocket Lake has two "
     "in Linux's driver"),
)
# Events that only Linux has: aliases with a filter, and events that Intel removed
NOT_OURS = re.compile(r"LLC_(MISSES|REFERENCES)\..*|(QPI|UPI)_(DATA|CTL)_BANDWIDTH_TX|"
                      r"UNC_C_TOR_OCCUPANCY\.LLC_DATA_READ|UNC_M_PMM_BANDWIDTH\..*|"
                      r"UNC_M_PMM_READ_LATENCY|UNC_UPI_TxL_(INSERTS|OCCUPANCY)")
# (platform, pattern): events that Intel removed from the files of one platform
REMOVED = (("icl", r"UNC_ARB_(DAT|REQ_TRK|TRK)_.*"), ("rkl", r"UNC_ARB_REQ_TRK_REQUEST\.DRD"))
# The tables have no events of the IRP of the first E5-2600 (tools/events/README.md)
NO_UNIT = {("snbep", "irp")}


def entry_of(platform, field, ours, theirs, known):
    """Return the index of the entry of @known that explains a difference; None without one."""
    for index, (numbers, pattern, of_field, condition, _) in enumerate(known):
        if (field == of_field and platform in numbers and re.fullmatch(pattern, ours.name)
                and condition(ours, theirs)):
            return index
    return None


def compare(platform, ours, theirs, known=DIFFERENT):
    """Return complaints, and the number of events that both have."""
    wrong, compared = [], 0
    uses = dict.fromkeys((index for index, entry in enumerate(known) if platform in entry[0]), 0)
    for name, event in theirs.items():
        if name not in ours:
            if not (NOT_OURS.fullmatch(name) or (platform, event.type) in NO_UNIT or
                    any(of == platform and re.fullmatch(pattern, name) for of, pattern in REMOVED)):
                wrong.append(f"{platform} {name}: only Linux has it")
            continue
        compared += 1
        for field in FIELDS:
            our, their = getattr(ours[name], field), getattr(event, field)
            if our == their:
                continue
            index = entry_of(platform, field, ours[name], event, known)
            if index is None:
                wrong.append(f"{platform} {name} {field}: {our}, Linux has {their}")
            else:
                uses[index] += 1
    wrong += [f"{platform} {known[index][1]} {known[index][2]}: {number} events differ from Linux, "
              f"the list has {known[index][0][platform]}" for index, number in uses.items()
              if number != known[index][0][platform]]
    return wrong, compared


@test(machine=False, timeout=300)
def events_equal_linuxs_files():
    wrong, compared = [], {}
    for platform in COMPARED:
        more, compared[platform] = compare(platform, tables.generated()[platform],
                                           linux.events(platform))
        wrong += more
    print("# events compared with Linux's files:", compared)
    fail_on(*wrong, *(f"{platform}: {compared[platform]} events compared, at least {number} wanted"
                      for platform, number in COMPARED.items() if compared[platform] < number))


@test(machine=False)
def every_platform_is_compared_with_linux():
    assert set(COMPARED) == set(linux.FOLDERS) == set(tables.platforms()) - UNKNOWN - SAME
    # Linux has the files under another name or not at all
    folders = {path.name for path in
               (linux.root() / "tools/perf/pmu-events/arch/x86").iterdir() if path.is_dir()}
    assert not folders & {"clearwaterforest", "arrowlake"}, "Linux has more files: compare them"


@test(machine=False)
def each_wrong_field_of_an_event_is_detected():
    event = tables.Event("A", "iio", 0x83, 4, 0, 1, 7, 0, 0xf, -1, {})
    others = {"type": "cha", "event": 0x84, "umask": 8, "umask_ext": 1, "ch_mask": 2, "fc_mask": 4,
              "thresh": 1, "counters": 3, "fixed": 0, "given": {"filter_rem": 1}}
    assert set(others) == set(FIELDS)
    assert compare("spr", {"A": event}, {"A": event}, ()) == ([], 1)
    for field, value in others.items():
        wrong = compare("spr", {"A": dataclasses.replace(event, **{field: value})}, {"A": event}, ())
        assert len(wrong[0]) == 1 and f"A {field}" in wrong[0][0], wrong
    assert compare("spr", {"A": event}, {"B": event}, ()) == (["spr B: only Linux has it"], 0)


@test(machine=False)
def entries_that_linux_no_longer_needs_are_detected():
    event = tables.Event("A", "cha", 0x35, 0, 1, 0, 0, 0, 0xf, -1, {})
    lacks = dataclasses.replace(event, umask_ext=0)
    known = (({"spr": 1}, "A", "umask_ext", lacks_extended_umask, "why"),)
    assert compare("spr", {"A": event}, {"A": lacks}, known) == ([], 1)
    assert "0 events differ" in compare("spr", {"A": event}, {"A": event}, known)[0][0]
