/* SPDX-License-Identifier: GPL-2.0-only */
/* Selftests: what is believed of a box is tried when a session has it first. */
#ifndef UCORE_SELFTEST_H
#define UCORE_SELFTEST_H

#include "box/box.h"

/* Process context, by the session that owns the box: */
bool ucore_selftest_needed(const struct ucore_box *box);
bool ucore_selftest_failed(const struct ucore_box *box);
void ucore_selftest_report(struct ucore_box *box);
struct ucore_selftest ucore_selftest_get(struct ucore_box *box);
const char *ucore_selftest_reason(const struct ucore_selftest *selftest);

u32 ucore_selftest_event_bits(const struct ucore_box *box);

/* With the domain's lock held, on the domain: */
void ucore_selftest_run(struct ucore_box *box);

#endif /* UCORE_SELFTEST_H */
