/* SPDX-License-Identifier: GPL-2.0-only */
/* Self-tests of boxes that a session claims for the first time. Part of the selftest layer. */
#ifndef UCORE_SELFTEST_H
#define UCORE_SELFTEST_H

#include "box/box_registers.h"

/* In process context, called for a session that has claimed the box: */
bool ucore_selftest_needed(const struct ucore_box *box, bool overflow);
bool ucore_selftest_failed(const struct ucore_box *box);
void ucore_selftest_report(struct ucore_box *box);
struct ucore_selftest ucore_selftest_get(const struct ucore_box *box);
const char *ucore_selftest_reason(const struct ucore_selftest *selftest);

/*
 * Return true if the freeze that a session uses does not stop the box. The box has no freeze, or
 * its self-test found that the freeze fails. With @box_freeze the session freezes single boxes.
 */
static inline bool ucore_selftest_freeze_fails(const struct ucore_box *box, bool box_freeze)
{
	if (box_freeze || !box->desc.global)
		return !box->desc.type->words || box->selftest.failed & UCORE_SELFTEST_BOX_FREEZE;
	return box->selftest.failed & UCORE_SELFTEST_GLOBAL_FREEZE;
}

/* With the domain's lock held, on a CPU of the domain: */
void ucore_selftest_run(struct ucore_box *box, bool overflow);

#endif /* UCORE_SELFTEST_H */
