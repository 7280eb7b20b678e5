/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Platforms and the finder.
 *
 * A platform is a constant table for one processor generation. Its find() adds box
 * descriptions to the finder, and the catalog is built from the finder.
 */
#ifndef UCORE_FINDER_H
#define UCORE_FINDER_H

#include "find/desc.h"

struct ucore_finder;

/**
 * struct ucore_report - discovery results for GET_TABLES and GET_UNITS
 * @nr_tables: return the number of tables
 * @nr_units: return the number of units
 * @table: describe table i, including physical addresses
 * @unit: describe unit i, including physical addresses
 */
struct ucore_report {
	u32 (*nr_tables)(void);
	u32 (*nr_units)(void);
	void (*table)(u32 i, struct ucore_table_info *out);
	void (*unit)(u32 i, struct ucore_unit_info *out);
};

/**
 * struct ucore_platform - one processor generation
 * @name: name that GET_INFO reports
 * @intree: name of the in-tree driver on the PCI bus
 * @find: add the boxes to the finder
 * @drop: free the results of @find; may be NULL
 * @report: discovery results, NULL without discovery
 * @table: platform data for @find
 * @caps: capabilities, UCORE_CAP_*
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
 * struct ucore_finder - collection of box descriptions
 * @desc: descriptions; each holds references to its PCI functions
 * @nr: number of descriptions
 * @capacity: number of descriptions that @desc has room for
 * @caps: capabilities in addition to those of the platform, UCORE_CAP_*
 * @hidden: sentence about missing boxes, empty if none is missing
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

#endif /* UCORE_FINDER_H */
