/* SPDX-License-Identifier: GPL-2.0-only */
/* PMON discovery: is what the tables describe there? */
#ifndef UCORE_PROBE_H
#define UCORE_PROBE_H

#include "find/discovery/discovery.h"

struct pci_dev;

int ucore_disc_count(struct ucore_disc *disc);
bool ucore_disc_unit_there(const struct ucore_unit *unit);
bool ucore_disc_global_there(const struct ucore_disc_table *t);
bool ucore_disc_msr_there(s32 die, u32 msr);
struct pci_dev *ucore_disc_pdev(u32 segment, u32 bus, u32 devfn);
struct pci_dev *ucore_disc_pdev_at(u64 address);

#endif /* UCORE_PROBE_H */
