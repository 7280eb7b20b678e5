/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where registers are, in words.
 */
#ifndef UCORETOOL_PLACE_H
#define UCORETOOL_PLACE_H

#include "libucore.h"

/** access_name() - UCORE_ACCESS_* as a word */
const char *access_name(uint32_t access);

/** place_text() - the address @at as UCORE_ACCESS_* writes it, as in ucore_box_info.location */
void place_text(uint32_t access, uint64_t at, char *text, size_t size);

/** unit_place_text() - the same for an address as discovery tables write it */
void unit_place_text(uint32_t access, uint64_t at, char *text, size_t size);

/** table_place_text() - the PCI function and the BAR of a discovery table */
void table_place_text(const struct ucore_table_info *table, char *text, size_t size);

#endif /* UCORETOOL_PLACE_H */
