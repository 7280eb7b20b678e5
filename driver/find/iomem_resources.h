/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks whether registers can be at a physical address: not in RAM or in another device. */
#ifndef UCORE_IOMEM_RESOURCES_H
#define UCORE_IOMEM_RESOURCES_H

#include <linux/types.h>

struct pci_dev;
struct resource;

/**
 * struct ucore_region - range of physical addresses that cannot contain uncore registers
 * @start: physical address of the first byte
 * @end: physical address of the first byte after the range
 * @port: true if the range is in a BAR of a PCI Express port
 */
struct ucore_region {
	u64 start;
	u64 end;
	bool port;
};

/**
 * struct ucore_regions - list of the memory ranges of other devices
 * @region: array of ranges, which may overlap
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
bool ucore_resource_is_safe(u64 address, u64 size, bool chipset);
void __iomem *ucore_resource_map(phys_addr_t address, u32 size);
bool ucore_resource_map_failed(void);

int ucore_resource_collect(struct ucore_regions *regions, ucore_resource_own own, const void *ctx,
			   bool chipset);
void ucore_resource_drop(struct ucore_regions *regions);

/**
 * ucore_resource_overlaps() - check whether another device uses a range of physical addresses
 * @regions: memory ranges of other devices
 * @address: first byte of the range
 * @size: size of the range (bytes), not 0
 * @in_port: true if the range may be in a BAR of a PCI Express port
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
