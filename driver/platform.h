/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Platforms: processor generations and how their boxes are found.
 *
 * A platform is a table.  Its find() hands box descriptions to a finder, from
 * which the catalog is built.
 */
#ifndef UCORE_PLATFORM_H
#define UCORE_PLATFORM_H

#include "box.h"

/**
 * struct ucore_global - global control of a die
 * @ctl: MSR of global control
 * @status: MSR of global status (write 1 to clear)
 * @freeze: control bits that freeze the die
 * @unfreeze: control bits that let it run
 * @wake: control bits that wake a sleeping core for its PMI
 * @core_sel: pmi_core_sel, a bit for each core
 */
struct ucore_global {
	u32 ctl;
	u32 status;
	u64 freeze;
	u64 unfreeze;
	u64 wake;
	u64 core_sel;
};

struct ucore_finder;

/**
 * struct ucore_platform - one processor generation
 * @name: as INFO tells it
 * @intree: name under which the kernel's own driver for it is registered on
 *          the PCI bus
 * @global: global control, NULL if there is none
 * @find: finds the boxes
 * @table: what @find works from
 * @caps: UCORE_CAP_*
 * @model: CPUID model (family 6)
 */
struct ucore_platform {
	const char *name;
	const char *intree;
	const struct ucore_global *global;
	int (*find)(struct ucore_finder *finder, const struct ucore_platform *platform);
	const void *table;
	u32 caps;
	u8 model;
};

/**
 * struct ucore_finder - descriptions being collected
 * @desc: what was found so far; PCI functions in it are referenced
 * @nr: how many
 * @capacity: room for how many
 */
struct ucore_finder {
	struct ucore_box_desc *desc;
	u32 nr;
	u32 capacity;
};

int ucore_finder_add(struct ucore_finder *finder, const struct ucore_box_desc *desc);
void ucore_finder_drop(struct ucore_finder *finder);

const struct ucore_platform *ucore_platform_match(void);
bool ucore_platform_is_intel(void);
int ucore_platform_die_of_package(u32 package);

extern const struct ucore_platform ucore_platform_ivbep;

#endif /* UCORE_PLATFORM_H */
