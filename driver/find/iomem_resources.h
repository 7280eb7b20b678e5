/* SPDX-License-Identifier: GPL-2.0-only */
/* Address checks: RAM, fixed ranges, and ranges of other devices. */
#ifndef UCORE_IOMEM_RESOURCES_H
#define UCORE_IOMEM_RESOURCES_H

#include <linux/types.h>

struct pci_dev;
struct resource;

/**
 * struct ucore_region - memory range without uncore registers
 * @start: first byte
 * @end: first byte after the range
 * @port: true if the range is a BAR of a PCI Express port
 */
struct ucore_region {
	u64 start;
	u64 end;
	bool port;
};

/**
 * struct ucore_regions - memory ranges of other devices
 * @region: the ranges; may overlap
 * @nr: number of ranges
 * @max: number of ranges that @region has room for
 */
struct ucore_regions {
	struct ucore_region *region;
	u32 nr;
	u32 max;
};

typedef bool (*ucore_resource_own)(const void *ctx, const struct pci_dev *pdev,
				   const struct resource *bar);

bool ucore_resource_is_ram(u64 address, u64 size);
bool ucore_resource_is_safe(u64 address, u64 size);
void __iomem *ucore_resource_map(phys_addr_t address, u32 size);
bool ucore_resource_map_failed(void);

int ucore_resource_collect(struct ucore_regions *regions, ucore_resource_own own, const void *ctx);
void ucore_resource_drop(struct ucore_regions *regions);

/**
 * ucore_resource_overlaps() - check whether another device uses a range
 * @regions: ranges of other devices
 * @address: first byte
 * @size: size (bytes), not 0
 * @in_port: true if BARs of PCI Express ports are allowed
 *
 * Return: true if another device uses any byte of the range.
 */
static inline bool ucore_resource_overlaps(const struct ucore_regions *regions, u64 address,
					   u64 size, bool in_port)
{
	const struct ucore_region *region = regions->region;

	for (; region < regions->region + regions->nr; region++)
		if (address < region->end && address + size > region->start &&
		    !(region->port && in_port))
			return true;
	return false;
}

#endif /* UCORE_IOMEM_RESOURCES_H */
