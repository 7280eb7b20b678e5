// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Register locations as text, for list, info, doctor and the discovery dump.
 */
#include <stdio.h>
#include <string.h>

#include "output/address.h"
#include "tool.h"

const char *access_name(uint32_t access)
{
	static const char *const names[] = { "msr", "pci", "ecam", "mmio" };

	return access < ARRAY_SIZE(names) ? names[access] : "none";
}

void place_text(uint32_t access, uint64_t at, char *text, size_t size)
{
	if (access == UCORE_ACCESS_PCI || access == UCORE_ACCESS_ECAM)
		snprintf(text, size, "%04x:%02x:%02x.%x+0x%x", (unsigned int)(at >> 32),
			 (unsigned int)(at >> 20 & 0xff), (unsigned int)(at >> 15 & 0x1f),
			 (unsigned int)(at >> 12 & 7), (unsigned int)(at & 0xfff));
	else
		snprintf(text, size, "0x%llx", (unsigned long long)at);
}

/* PCI addresses of discovery tables have the segment in the 3 bits above the bus number */
void unit_place_text(uint32_t access, uint64_t at, char *text, size_t size)
{
	if (access == UCORE_ACCESS_PCI)
		at = (at >> 28 & 7) << 32 | (at & 0xfffffff);
	place_text(access, at, text, size);
}

void table_place_text(const struct ucore_table_info *table, char *text, size_t size)
{
	if (table->msr) {
		snprintf(text, size, "MSR 0x%x", table->msr);
		return;
	}
	snprintf(text, size, "%04x:%02x:%02x.%x", table->segment, table->bus, table->device,
		 table->function);
	if (table->dvsec)
		snprintf(text + strlen(text), size - strlen(text), " BAR %u", table->bar);
}
