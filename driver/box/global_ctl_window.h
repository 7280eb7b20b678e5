/* SPDX-License-Identifier: GPL-2.0-only */
/* Registers of one global control. Part of the box layer. */
#ifndef UCORE_GLOBAL_CTL_WINDOW_H
#define UCORE_GLOBAL_CTL_WINDOW_H

#include "find/desc.h"
#include "reg/reg.h"

/*
 * Maximum number of 64-bit words of a global status. The bitwise OR of the words selects the
 * boxes whose own status is read: bit p % 64 stands for all boxes at status positions p, p + 64
 * and so on. The status words of several global controls are combined in the same way.
 */
#define UCORE_MAX_STATUS	16

/**
 * enum ucore_clear - what clears the bits of a global status
 * @UCORE_CLEAR_ONES: a write of the bits, to the status or to the register that the manual states
 * @UCORE_CLEAR_ZERO: a write of 0 to the status
 * @UCORE_CLEAR_OTHER: a write of the bits to struct ucore_global.clear_other
 */
enum ucore_clear {
	UCORE_CLEAR_ONES,
	UCORE_CLEAR_ZERO,
	UCORE_CLEAR_OTHER,
};

/**
 * struct ucore_control - second or later global control of a domain, written with the first
 * @global: description of this global control
 * @io: register window of this global control
 * @route: bits of ucore_domain.route that exist in this global control
 * @found: bits of this global control before ucore's first use, restored after the last use
 * @status: words of this control's global status as last read
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

/* Return the bits of a word of the global status that show overflows. */
static inline u64 ucore_global_ctl_overflows(const struct ucore_global *global, u64 word)
{
	return global->overflows ? word & global->overflows : word;
}

int ucore_global_ctl_window(const struct ucore_global *global, struct ucore_io *io);
u64 ucore_global_ctl_found(const struct ucore_global *global, const struct ucore_io *io);
bool ucore_global_ctl_changed(const struct ucore_global *global, const struct ucore_io *io,
			      u64 word);
u64 ucore_global_ctl_status(const struct ucore_global *global, const struct ucore_io *io,
			    u64 *word);
void ucore_global_ctl_clear(const struct ucore_global *global, const struct ucore_io *io,
			    const u64 *word, enum ucore_clear how);

#endif /* UCORE_GLOBAL_CTL_WINDOW_H */
