/* SPDX-License-Identifier: GPL-2.0-only */
/* Registers of one global control. Part of the box layer. */
#ifndef UCORE_BOX_GLOBAL_CTL_H
#define UCORE_BOX_GLOBAL_CTL_H

#include "find/desc.h"
#include "reg/reg.h"

/*
 * Maximum number of global status words. Their bitwise OR selects the boxes whose own status is
 * read. Bit p % 64 stands for all boxes at positions p, p + 64 and so on. The status words of
 * several global controls are combined in the same way.
 */
#define UCORE_MAX_STATUS	16

/**
 * struct ucore_control - further global control of a domain, written together with the first
 * @global: description
 * @io: register window
 * @route: bits of the domain's @route that this control has
 * @found: bits found before the first use, as the domain's @found
 * @status: status words as last read
 *
 * All members except @global and @io are protected by the domain's lock.
 */
struct ucore_control {
	const struct ucore_global *global;
	struct ucore_io io;
	u64 route;
	u64 found;
	u64 status[UCORE_MAX_STATUS];
};

int ucore_global_ctl_window(const struct ucore_global *global, struct ucore_io *io);
u64 ucore_global_ctl_found(const struct ucore_global *global, const struct ucore_io *io);
bool ucore_global_ctl_changed(const struct ucore_global *global, const struct ucore_io *io,
			      u64 word);
u64 ucore_global_ctl_status(const struct ucore_global *global, const struct ucore_io *io,
			    u64 *word);
void ucore_global_ctl_clear(const struct ucore_global *global, const struct ucore_io *io,
			    const u64 *word);

#endif /* UCORE_BOX_GLOBAL_CTL_H */
