# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: the event tables have the encodings of Intel's event files.

The files in witness/digests have a hash of each event in Intel's files. They were computed from
Intel's files, not from our tables. Each difference is in one of the lists below, with its reason.
"""

import re

from check.test_check import fail_on
from check.witness import perfmon, tables
from lab.framework import test

# Tables that are a copy of another one
COPIES = {"cpx": "clx", "tglh": "tgl"}
# Tables without a file of Intel's: the SDM has the events
NOT_INTELS = {"nhm", "wsm"}
SUPPLEMENTED = "Intel has it on Sapphire Rapids and later servers, README.md"
FREE = "Intel's files have no names for free-running counters of this type, README.md"

# (platform, unit): events of Intel's file that the table leaves out
CONTROLLER = "the events of the unit have the number of a memory controller in their names"
LEFT_OUT = {("snbep", "IRP"): "no source documents the registers of the IRP",
            ("tgl", "imc"): CONTROLLER,
            ("lnl", "SANTA"): "no source has the register of the clock"}
CLIENTS = "snb ivb hsw bdw skl icl rkl"

# (platforms, events, number of events on each platform, reason): Intel's file does not have them
ADDED = (
    ("ivbep", "UNC_Q_TxL_FLITS_G0.IDLE", 1, "the manual of v2 uses it as an example"),
    ("skx clx", r"UNC_IIO_(IOCLK|(BW|UTIL)_(IN|OUT)\.PORT[0-3])", 17, FREE),
    ("icx", r"UNC_M_(PMM_)?(READ|WRITE)_FREERUN", 4, FREE),
    ("snr", r"UNC_M_(READ|WRITE)_FREERUN", 2, FREE),
    (CLIENTS, r"UNC_M_(READ|WRITE|(GT|IA|IO)_REQUESTS)_FREERUN", 5, FREE),
    ("tgl", r"UNC_M_(RDCAS_COUNT|WRCAS_COUNT|TOTAL_REQCOUNT)_FREERUN", 3, CONTROLLER),
    ("lnl ptl", r"UNC_M_(RDCAS_COUNT|WRCAS_COUNT|TOTAL_REQCOUNT)_FREERUN", 3, FREE),
    ("adl", r"UNC_M_TOTAL_REQCOUNT_FREERUN", 1, FREE),
    ("icx snr grr", r"UNC_IIO_DATA_REQ_OF_CPU\.MEM_(READ|WRITE)\.ALL_PARTS", 2, SUPPLEMENTED),
)

# (platforms, events, number of events on each platform, column, Intel's value, reason)
CHANGED = (
    ("snbep", r"UNC_U_(MSG_CHNL_SIZE_COUNT\..*|PHOLD_CYCLES\..*|RACU_REQUESTS\.COUNT)", 5,
     "ExtSel", "1", "the controls of the UBox do not have this bit"),
    ("ivbep", r"UNC_C_LLC_LOOKUP\.NID", 1, "Filter", "CBoFilter0[23:17]",
     "umask bit 6 enables the node filter, too"),
    ("skx clx", r"UNC_U_EVENT_MSG\.(DOORBELL_RCVD|INT_PRIO|IPI_RCVD)", 3, "Filter",
     "UBoxFilter[3:0]", "no source documents this register on these processors"),
    ("snr", r"UNC_M_CLOCKTICKS_FREERUN", 1, "Counter", "4",
     "Intel counts the two counters of persistent memory, which only Ice Lake has"),
    ("icl", r"UNC_ARB_(COH_TRK|TRK)_REQUESTS\.ALL", 2, "Counter", "1",
     "the box has one counter, whose number is 0"),
    ("rkl", r"UNC_ARB_(COH_TRK|TRK)_REQUESTS\.ALL", 2, "Counter", "1",
     "the number of Ice Lake's only counter. Linux has two counters, as on Tiger Lake"),
    ("icx snr", r"UNC_I_TRANSACTIONS\.ORDERINGQ", 1, "Filter", "IRPFilter[4:0]",
     "no source documents this register on these processors"),
    ("gnr srf cwf", r"UNC_IIO_NUM_OUTSTANDING_REQ_OF_CPU\.(WR|REQ_OWN|DATA|IOMMU_REQ|IOMMU_HIT|"
     r"FINAL_RD_WR)", 6, "UMaskExt", "0x000700F0",
     "Intel's UMaskExt has four ports, its PortMask eight"),
)

# platforms -> prefixes of Intel's names of an event that counts on each of two memory controllers.
# Intel numbers the counters of all controllers, and the table those of one.
EACH_CONTROLLER = {"adl": ("UNC_MC{}_",), "mtl": ("UNC_MC{}_", "UNC_M_MC{}_"),
                   "arl": ("UNC_MC{}_", "UNC_M_MC{}_")}
CONTROLLERS, OF_CONTROLLER = 2, 3
# The general counters of memory controllers of client processors belong to Intel's unit of the
# others, which have a fixed counter
UNITS = {"MC": "iMC"}


def intel(platform):
    path = perfmon.DIGESTS / f"{platform}.txt"
    return perfmon.digests(path.read_text())


def restored(platform, rows, added=ADDED, changed=CHANGED):
    """Return the rows as Intel has them, and a complaint for each wrong entry of the lists."""
    wrong = []
    result = [dict(row, Unit=UNITS.get(row.get("Unit"), row.get("Unit"))) for row in rows]

    def matching(pattern, number):
        found = [row for row in result if re.fullmatch(pattern, row["EventName"])]
        if len(found) != number:
            wrong.append(f"{platform}: {len(found)} events match {pattern}, not {number}")
        return found

    for names, pattern, number, _ in added:
        if platform in names.split():
            more = matching(pattern, number)
            result = [row for row in result if row not in more]
    for names, pattern, number, column, value, _ in changed:
        if platform in names.split():
            for row in matching(pattern, number):
                before = perfmon.canonical(row)
                row[column] = value
                if perfmon.canonical(row) == before:
                    wrong.append(f"{platform} {row['EventName']}: no longer differs in {column}")
    return of_controllers(result, EACH_CONTROLLER.get(platform, ())), wrong


def of_controllers(rows, prefixes):
    """Return the rows with those of free-running counters repeated for each controller."""
    free = [row for row in rows if row.get("CounterType") == "FREERUN"] if prefixes else []
    return [row for row in rows if row not in free] + [
        dict(row, EventName=row["EventName"].replace("UNC_M_", prefix.format(mc)),
             Counter=str(int(row["Counter"]) + OF_CONTROLLER * mc))
        for row in free for prefix in prefixes for mc in range(CONTROLLERS)]


def compare(platform, rows, digests, left_out=()):
    """Return the complaints about a table, and the number of events that Intel's file confirms."""
    rows, wrong = restored(platform, rows)
    ours = perfmon.by_unit(rows)
    compared = 0
    for unit in sorted({*ours, *digests}):
        key = platform, unit
        if unit not in digests:
            wrong.append(f"{platform}: Intel's file has no unit {unit}")
        elif unit not in ours:
            if key not in left_out:
                wrong.append(f"{platform}: the table has no event of unit {unit}")
        else:
            if key in left_out:
                wrong.append(f"{platform} {unit}: no longer left out")
            wrong += [f"{platform} {unit} {text}" for text in
                      perfmon.differences(ours[unit], digests[unit])]
            compared += len(ours[unit])
    return wrong, compared


@test(machine=False)
def event_tables_equal_intels_files():
    wrong, compared = [], {}
    for platform in tables.platforms():
        if platform not in COPIES and platform not in NOT_INTELS:
            rows = tables.csv_rows(tables.EVENTS / f"{platform}.csv")
            more, compared[platform] = compare(platform, rows, intel(platform), LEFT_OUT)
            wrong += more
            # all events of Intel's file, except units that are left out
            has = sum(len(hashes) for unit, (_, hashes) in intel(platform).items()
                      if (platform, unit) not in LEFT_OUT)
            if compared[platform] != has:
                wrong.append(f"{platform}: {compared[platform]} of {has} events compared")
    print("# events compared with Intel's files:", compared)
    fail_on(*wrong)


@test(machine=False)
def copied_event_tables_equal_their_originals():
    for copy, original in COPIES.items():
        assert tables.csv_rows(tables.EVENTS / f"{copy}.csv") == \
            tables.csv_rows(tables.EVENTS / f"{original}.csv"), f"{copy} differs from {original}"


@test(machine=False)
def digests_are_of_the_commit_that_the_tables_name():
    readme = (tables.EVENTS / "README.md").read_text()
    assert f"commit {perfmon.COMMIT[:7]} " in readme, perfmon.COMMIT
    for platform in perfmon.FOLDERS:
        assert perfmon.COMMIT in (perfmon.DIGESTS / f"{platform}.txt").read_text(), platform
    files = {path.stem for path in perfmon.DIGESTS.glob("*.txt")}
    assert files == set(perfmon.FOLDERS) == \
        set(tables.platforms()) - set(COPIES) - NOT_INTELS, files


def wrong_of_spr(change):
    """Change rows of spr.csv in memory; return the complaints."""
    rows = {row["EventName"]: row for row in tables.csv_rows(tables.EVENTS / "spr.csv")}
    change(rows)
    return compare("spr", list(rows.values()), intel("spr"))[0]


@test(machine=False)
def exchanged_umasks_are_detected():
    names = [f"UNC_M2M_TAG_HIT.NM_RD_HIT_{state}" for state in ("CLEAN", "DIRTY")]

    def exchange(rows):
        first, second = (rows[name] for name in names)
        first["UMask"], second["UMask"] = second["UMask"], first["UMask"]
    assert wrong_of_spr(exchange) == [f"spr M2M {name}: differs from Intel's file"
                                      for name in names]


@test(machine=False)
def each_changed_column_is_detected():
    name = "UNC_CHA_TOR_INSERTS.IA_MISS_DRD"
    for column in perfmon.COLUMNS:
        text = "7" if column in perfmon.NUMBERS else "FIXED"
        assert wrong_of_spr(lambda rows, of=column, to=text: rows[name].update({of: to})) == [
            f"spr CHA {name}: differs from Intel's file"], column


@test(machine=False)
def missing_and_additional_events_are_detected():
    name = "UNC_CHA_TOR_INSERTS.IA_MISS_DRD"
    assert "Intel's file has 1 more events" in "".join(wrong_of_spr(lambda rows: rows.pop(name)))
    added = wrong_of_spr(lambda rows: rows.update(new=dict(rows[name], EventName="UNC_CHA_NEW")))
    assert added == ["spr CHA UNC_CHA_NEW: differs from Intel's file, or Intel does not have it"]


@test(machine=False)
def entries_that_are_not_needed_are_detected():
    rows = [{"EventName": "A", "EventCode": "1", "UMask": "0x1", "Counter": "0"}]
    assert restored("a", rows, (), (("a", "A", 1, "UMask", "0x2", "why"),))[1] == []
    assert restored("a", rows, (), (("a", "A", 1, "UMask", "0x01", "why"),))[1]
    assert restored("a", rows, (("a", "B", 1, "why"),), ())[1]
