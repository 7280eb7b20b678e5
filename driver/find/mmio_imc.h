/* SPDX-License-Identifier: GPL-2.0-only */
/* Finder of the boxes of memory-mapped memory controllers: Ice Lake-SP, Snow Ridge. */
#ifndef UCORE_MMIO_IMC_H
#define UCORE_MMIO_IMC_H

#include "find/found_boxes.h"
#include "find/static_table_desc.h"

int ucore_mmio_imc_find(struct ucore_finder *finder, const struct ucore_static_table *table,
			int segment, const s16 *die_of_bus);

#endif /* UCORE_MMIO_IMC_H */
