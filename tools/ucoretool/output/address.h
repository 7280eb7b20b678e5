/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Register locations as text.
 */
#ifndef UCORETOOL_ADDRESS_H
#define UCORETOOL_ADDRESS_H

#include "libucore.h"

/** access_name() - return the name of a UCORE_ACCESS_* method */
const char *access_name(uint32_t access);

/** place_text() - write location @at, in the form of ucore_box_info.location, as text */
void place_text(uint32_t access, uint64_t at, char *text, size_t size);

/** unit_place_text() - write an address in the form of the discovery tables as text */
void unit_place_text(uint32_t access, uint64_t at, char *text, size_t size);

/** table_place_text() - write the PCI function and BAR, or the MSR, of a discovery table */
void table_place_text(const struct ucore_table_info *table, char *text, size_t size);

#endif /* UCORETOOL_ADDRESS_H */
