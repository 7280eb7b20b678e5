/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Platforms and the finder.
 *
 * A platform is a constant table for one processor generation. The function find() of a platform
 * adds box descriptions to the finder. The catalog is built from the finder.
 */
#ifndef UCORE_FOUND_BOXES_H
#define UCORE_FOUND_BOXES_H

#include "find/desc.h"

struct ucore_finder;

/**
 * struct ucore_report - functions that report discovery results to GET_TABLES and GET_UNITS
 * @nr_tables: return the number of discovery tables
 * @nr_units: return the number of units (records) of all discovery tables
 * @table: describe discovery table @i, including physical addresses
 * @unit: describe unit @i, including physical addresses
 */
struct ucore_report {
	u32 (*nr_tables)(void);
	u32 (*nr_units)(void);
	void (*table)(u32 i, struct ucore_table_info *out);
	void (*unit)(u32 i, struct ucore_unit_info *out);
};

/**
 * struct ucore_platform - one processor generation
 * @name: name of the platform that GET_INFO reports
 * @intree: name of the PCI driver that intel_uncore registers on this platform, NULL for none
 * @find: function that finds the boxes of the machine and adds them to the finder
 * @drop: function that frees the results of @find; may be NULL
 * @report: functions that report discovery results, NULL on a platform without discovery tables
 * @table: data of the platform for @find, whose type depends on @find
 * @caps: capabilities of the platform, UCORE_CAP_*
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
 * struct ucore_finder - collection of the descriptions of all boxes that were found
 * @desc: array of descriptions, which hold references to their PCI functions
 * @nr: number of descriptions
 * @capacity: number of descriptions that @desc has room for
 * @caps: capabilities in addition to those of the platform, UCORE_CAP_*
 * @hidden: text about missing boxes for the user, empty if no box is missing
 * @cause: cause of the problem in @hidden, UCORE_CAUSE_*
 * @may_write: true if the search may write registers, because no other driver uses the uncore
 */
struct ucore_finder {
	struct ucore_box_desc *desc;
	u32 nr;
	u32 capacity;
	u32 caps;
	char hidden[UCORE_REASON_LEN];
	u32 cause;
	bool may_write;
};

bool ucore_finder_uses_uncertain(void);
int ucore_finder_add(struct ucore_finder *finder, const struct ucore_box_desc *desc);
bool ucore_finder_knows(const struct ucore_finder *finder, const struct ucore_box_desc *desc);
bool ucore_finder_has(const struct ucore_finder *finder, u64 address, u32 size);
__printf(3, 4) void ucore_finder_report(struct ucore_finder *finder, u32 cause,
					const char *format, ...);
void ucore_finder_report_hidden(struct ucore_finder *finder, const char *boxes,
				const char *problem);
void ucore_finder_report_no_die(struct ucore_finder *finder, u32 segment, u32 bus, int die);
void ucore_finder_drop(struct ucore_finder *finder);

#endif /* UCORE_FOUND_BOXES_H */
