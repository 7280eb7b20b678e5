/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Platforms: processor generations and how their boxes are found.
 *
 * A platform is a table.  Its find() hands box descriptions to a finder, from
 * which the catalog is built.
 */
#ifndef UCORE_PLATFORM_H
#define UCORE_PLATFORM_H

#include "find/desc.h"

struct ucore_finder;

/**
 * struct ucore_report - what discovery saw, for GET_TABLES and GET_UNITS
 * @nr_tables: how many tables
 * @nr_units: how many units
 * @table: describe one, addresses included
 * @unit: describe one, addresses included
 */
struct ucore_report {
	u32 (*nr_tables)(void);
	u32 (*nr_units)(void);
	void (*table)(u32 i, struct ucore_table_info *out);
	void (*unit)(u32 i, struct ucore_unit_info *out);
};

/**
 * struct ucore_platform - one processor generation
 * @name: as INFO tells it
 * @intree: name under which the kernel's own driver for it is registered on
 *          the PCI bus
 * @find: finds the boxes
 * @drop: forgets what @find allocated; may be NULL
 * @report: what discovery saw; NULL without discovery
 * @table: what @find works from
 * @caps: UCORE_CAP_*
 */
struct ucore_platform {
	const char *name;
	const char *intree;
	int (*find)(struct ucore_finder *finder, const struct ucore_platform *platform);
	void (*drop)(void);
	const struct ucore_report *report;
	const void *table;
	u32 caps;
};

/**
 * struct ucore_finder - descriptions being collected
 * @desc: what was found so far; PCI functions in it are referenced
 * @nr: how many
 * @capacity: room for how many
 * @caps: UCORE_CAP_* beside those of the platform
 * @hidden: one sentence on boxes that should be there, empty if none is missing
 */
struct ucore_finder {
	struct ucore_box_desc *desc;
	u32 nr;
	u32 capacity;
	u32 caps;
	char hidden[UCORE_REASON_LEN];
};

int ucore_finder_add(struct ucore_finder *finder, const struct ucore_box_desc *desc);
bool ucore_finder_knows(const struct ucore_finder *finder, const struct ucore_box_desc *desc);
bool ucore_finder_has(const struct ucore_finder *finder, u64 address, u32 size);
void ucore_finder_socket_offline(struct ucore_finder *finder);
void ucore_finder_drop(struct ucore_finder *finder);

#endif /* UCORE_PLATFORM_H */
