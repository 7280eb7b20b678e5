/* SPDX-License-Identifier: GPL-2.0-only */
/* PMON discovery: reads registers to find whether they exist. */
#ifndef UCORE_PROBE_UNITS_H
#define UCORE_PROBE_UNITS_H

#include "find/discovery/discovery.h"

struct pci_dev;

int ucore_probe_count(struct ucore_disc *disc);
bool ucore_probe_status(const struct ucore_disc_table *t);
bool ucore_probe_unit(const struct ucore_unit *unit);
bool ucore_probe_can_map(const struct ucore_unit *unit);
bool ucore_probe_global(const struct ucore_disc_table *t);
bool ucore_probe_msr(s32 die, u32 msr);
struct pci_dev *ucore_probe_pdev(u32 segment, u32 bus, u32 devfn);
struct pci_dev *ucore_probe_pdev_at(u64 address);

#endif /* UCORE_PROBE_UNITS_H */
