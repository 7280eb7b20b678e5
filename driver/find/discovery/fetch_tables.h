/* SPDX-License-Identifier: GPL-2.0-only */
/* PMON discovery: finds and maps the tables. */
#ifndef UCORE_FETCH_TABLES_H
#define UCORE_FETCH_TABLES_H

#include "find/discovery/discovery.h"

struct pci_bus;

int ucore_fetch_tables(struct ucore_disc *disc);
void ucore_fetch_drop(void);
int ucore_fetch_die_of_bus(const struct ucore_disc *disc, struct pci_bus *bus);

#endif /* UCORE_FETCH_TABLES_H */
