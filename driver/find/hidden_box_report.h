/* SPDX-License-Identifier: GPL-2.0-only */
/* Text for the user about boxes that firmware hides. */
#ifndef UCORE_HIDDEN_BOX_REPORT_H
#define UCORE_HIDDEN_BOX_REPORT_H

struct ucore_static_table;
struct ucore_finder;

int ucore_hidden_box_report(struct ucore_finder *finder, const struct ucore_static_table *table);

#endif /* UCORE_HIDDEN_BOX_REPORT_H */
