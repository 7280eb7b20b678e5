# SPDX-License-Identifier: LGPL-2.1-or-later
"""region: memory traffic of the phases of a program, measured with the ucore package."""

import ucore

SIZE, ROUNDS, LINE = 4 << 20, 4, 64
EVENTS = "imc/CAS_COUNT.RD,name=read/,imc/CAS_COUNT.WR,name=written/"


def work():
    for _ in range(ROUNDS):
        with ucore.region("fill"):
            data = bytearray(SIZE)
        with ucore.region("copy"):
            copy = bytes(data)
    return copy


def results_print(regions, labels):
    for region in regions.results():
        print(f"{region.name}: {region.count} times, {region.time_ns / 1e9:.6f} s")
        for label in dict.fromkeys(labels):
            lines = sum(delta.count for slot, delta in zip(labels, region.deltas)
                        if slot == label)
            print(f"\t{label:<10} {lines * LINE * 1e3 / region.time_ns:12.1f} MB/s")


def main():
    with ucore.Device() as device, device.session(EVENTS) as session:
        regions = session.regions()
        regions.join()
        session.start()
        work()
        results_print(regions, [slot.label for slot in session.slots()])


if __name__ == "__main__":
    main()
