/* SPDX-License-Identifier: GPL-2.0-only */
/* What memory is known to be others'. */
#ifndef UCORE_REGIONS_H
#define UCORE_REGIONS_H

#include <linux/types.h>

struct pci_dev;
struct resource;

/**
 * struct ucore_region - memory that has no registers of an uncore
 * @start: first byte
 * @end: the first behind it that is not
 * @port: registers of a PCI Express port
 */
struct ucore_region {
	u64 start;
	u64 end;
	bool port;
};

/**
 * struct ucore_regions - all of it
 * @region: each; they may overlap
 * @nr: how many
 * @max: room for how many
 */
struct ucore_regions {
	struct ucore_region *region;
	u32 nr;
	u32 max;
};

typedef bool (*ucore_regions_own)(const void *ctx, const struct pci_dev *pdev,
				  const struct resource *bar);

int ucore_regions_collect(struct ucore_regions *regions, ucore_regions_own own, const void *ctx);
void ucore_regions_drop(struct ucore_regions *regions);

/**
 * ucore_regions_have() - is any of this another's?
 * @regions: what is others'
 * @address: first byte
 * @size: bytes, not 0
 * @in_port: it may be a port's
 *
 * Return: true if it is.
 */
static inline bool ucore_regions_have(const struct ucore_regions *regions, u64 address, u64 size,
				      bool in_port)
{
	const struct ucore_region *region = regions->region;

	for (; region < regions->region + regions->nr; region++)
		if (address < region->end && address + size > region->start &&
		    !(region->port && in_port))
			return true;
	return false;
}

#endif /* UCORE_REGIONS_H */
