/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Conversion of register locations (MSR, PCI config space, memory) to text.
 */
#ifndef UCORETOOL_ADDRESS_H
#define UCORETOOL_ADDRESS_H

#include "libucore.h"

/** access_name() - return the name of a register access method, UCORE_ACCESS_* */
const char *access_name(uint32_t access);

/** place_text() - write the register location @at (ucore_box_info.location) as text */
void place_text(uint32_t access, uint64_t at, char *text, size_t size);

/** unit_place_text() - write the register address @at of a unit in a discovery table as text */
void unit_place_text(uint32_t access, uint64_t at, char *text, size_t size);

/** table_place_text() - write the location of a discovery table: PCI function and BAR, or MSR */
void table_place_text(const struct ucore_table_info *table, char *text, size_t size);

#endif /* UCORETOOL_ADDRESS_H */
