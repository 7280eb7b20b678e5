/* SPDX-License-Identifier: GPL-2.0-only */
/* Which boxes of an E5 machine are not to be seen? */
#ifndef UCORE_HIDDEN_H
#define UCORE_HIDDEN_H

struct ucore_e5_table;
struct ucore_finder;

int ucore_missing_boxes_report(struct ucore_finder *finder, const struct ucore_e5_table *table);

#endif /* UCORE_HIDDEN_H */
