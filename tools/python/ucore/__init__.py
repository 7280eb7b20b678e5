# SPDX-License-Identifier: LGPL-2.1-or-later
"""Intel uncore performance counters for Python, based on libucore.

    import time, ucore

    with ucore.Device() as device, device.session() as session:
        metrics = session.metrics("memory_bandwidth_total", level="socket")
        session.start()
        session.read()
        time.sleep(1)
        session.read()
        for metric in metrics.values():
            print(metric.package, metric.value, metric.unit)

    for series in ucore.Recording("ucore.data").numpy():
        print(series.event.label, series.count[-1])

Events, lists and metrics have the syntax of ucoretool(1).  Failures raise ucore.Error, an
OSError with the library's explanation.  One thread at a time may use an object, except that
several threads may use region() at the same time.
"""

from .abi import Error
from .machine import (Box, Delta, Device, Domain, Metric, Metrics, Omission, Reading, Region,
                      Regions, Session, Slot, leave, region)
from .recording import Event, Recording, Series
from .records import Gap, Lost, Sample, Task, Tasks

__all__ = ["Box", "Delta", "Device", "Domain", "Error", "Event", "Gap", "Lost", "Metric",
           "Metrics", "Omission", "Reading", "Recording", "Region", "Regions", "Sample", "Series",
           "Session", "Slot", "Task", "Tasks", "leave", "region"]
