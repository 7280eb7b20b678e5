/* SPDX-License-Identifier: GPL-2.0-only */
/* Registers of one global control. */
#ifndef UCORE_CONTROL_H
#define UCORE_CONTROL_H

#include "find/desc.h"
#include "reg/reg.h"

/*
 * Words of global status.  Their bits are folded into one word to find the
 * boxes that are to be asked: bit p % 64 speaks for all boxes at positions
 * p, p + 64 ..., whose own status tells which it was.  So it is, too, with the
 * words of several global controls.
 */
#define UCORE_MAX_STATUS	16

/**
 * struct ucore_control - a further global control of a domain, written with the first
 * @global: what it is
 * @io: its window
 * @route: as the domain's @route, as far as it has these bits
 * @found: as the domain's @found
 * @status: words of its status, as last read
 *
 * All but @global and @io under the domain's lock.
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
bool ucore_global_ctl_changed(const struct ucore_global *global, const struct ucore_io *io, u64 word);
u64 ucore_global_ctl_status(const struct ucore_global *global, const struct ucore_io *io, u64 *word);
void ucore_global_ctl_clear(const struct ucore_global *global, const struct ucore_io *io,
			 const u64 *word);

#endif /* UCORE_CONTROL_H */
