// SPDX-License-Identifier: GPL-2.0-only
/*
 * Address checks: decide whether uncore registers can be at a physical address that firmware or
 * hardware supplied.
 *
 * Each such address is checked here before the first access. Owns the list of ranges that
 * other devices use: BARs of PCI functions, memory-mapped config space, busy kernel resources,
 * and ranges with a fixed use in every PC. Ranges that are only reserved by firmware are
 * allowed, because firmware also reserves uncore registers. Process context, at module load, not
 * reentrant.
 */
#include <linux/acpi.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/pci.h>
#include <linux/processor.h>
#include <asm/e820/api.h>

#include "find/array.h"
#include "find/iomem_resources.h"

/* ---- single addresses ---- */

/*
 * Ranges of physical addresses that have the same use in every PC. Those of the chipset may contain
 * MCHBAR and units of a client processor. No discovery table of a server may have an address there.
 */
static const struct {
	u64 start;
	u64 end;
	bool chipset;
} fixed_ranges[] = {
	{ 0, 0x100000 },			/* BIOS data, VGA, option ROMs */
	{ 0xfec00000, 0xfed04000 },		/* I/O APICs, HPET */
	{ 0xfed04000, 0xfed20000, true },
	{ 0xfed20000, 0xfed50000 },		/* TXT, TPM */
	{ 0xfed50000, 0xfee00000, true },
	{ 0xfee00000, 0xfef00000 },		/* local APICs */
};

/*
 * Memory that the kernel does not use as RAM: persistent memory, and memory that firmware reserves
 * for a special purpose (HBM, CXL). It is a busy resource only while a driver uses it.
 */
static const enum e820_type memory_types[] = {
	E820_TYPE_PMEM, E820_TYPE_PRAM, E820_TYPE_SOFT_RESERVED,
};

static const unsigned long memory_descs[] = {
	IORES_DESC_PERSISTENT_MEMORY, IORES_DESC_PERSISTENT_MEMORY_LEGACY,
	IORES_DESC_SOFT_RESERVED,
};

/* End the walk at the first resource. Callback of walk_iomem_res_desc(). */
static int resource_found(struct resource *resource, void *arg)
{
	return 1;
}

/*
 * Return true if the range contains memory other than RAM. The kernel's resources do not contain
 * all memory of the firmware's map (E820), and the map does not contain memory that ACPI tables or
 * drivers add.
 */
static bool is_other_memory(u64 address, u64 size)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(memory_types); i++)
		if (e820__mapped_any(address, address + size, memory_types[i]))
			return true;
	for (i = 0; i < ARRAY_SIZE(memory_descs); i++)
		if (walk_iomem_res_desc(memory_descs[i], IORESOURCE_MEM, address,
					address + size - 1, NULL, resource_found) > 0)
			return true;
	return false;
}

/**
 * ucore_resource_is_ram() - check whether a range of physical addresses contains memory
 * @address: first byte of the range
 * @size: size of the range (bytes), not 0
 *
 * Return: true if any byte of the range is RAM, persistent memory or memory reserved for a special
 * purpose.
 */
bool ucore_resource_is_ram(u64 address, u64 size)
{
	return region_intersects(address, size, IORESOURCE_SYSTEM_RAM, IORES_DESC_NONE) !=
	       REGION_DISJOINT || is_other_memory(address, size);
}

static bool is_fixed(u64 address, u64 size, bool chipset)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(fixed_ranges); i++)
		if (address < fixed_ranges[i].end && address + size > fixed_ranges[i].start &&
		    !(fixed_ranges[i].chipset && chipset))
			return true;
	return false;
}

/**
 * ucore_resource_is_safe() - check whether registers can be at a physical address
 * @address: first byte of the registers
 * @size: size of the registers (bytes), not 0
 * @chipset: the host bridge has the address, so that it may be in a range of the chipset
 *
 * Return: true if the range is within the physical address space and contains no memory, no APIC
 * and no fixed PC range.
 */
bool ucore_resource_is_safe(u64 address, u64 size, bool chipset)
{
	u32 bits = boot_cpu_data.x86_phys_bits;

	return !(address >> bits) && !((address + size - 1) >> bits) &&
	       !is_fixed(address, size, chipset) && !ucore_resource_is_ram(address, size);
}

/* True if ucore_resource_map() has failed since the last ucore_resource_map_failed() */
static bool unmapped;

/**
 * ucore_resource_map() - map memory-mapped registers in order to probe them
 * @address: first byte of the registers
 * @size: size of the registers (bytes); the range contains no RAM
 *
 * A failure is recorded for ucore_resource_map_failed(), because boxes may be missing after a
 * failure.
 *
 * Return: virtual address of the mapping, NULL on failure.
 */
void __iomem *ucore_resource_map(phys_addr_t address, u32 size)
{
	void __iomem *base = ioremap(address, size);

	unmapped |= !base;
	return base;
}

/**
 * ucore_resource_map_failed() - check whether ucore_resource_map() failed since the last call
 *
 * Return: true if a mapping failed.
 */
bool ucore_resource_map_failed(void)
{
	bool ret = unmapped;

	unmapped = false;
	return ret;
}

/* ---- ranges of other devices ---- */

static int region_add(struct ucore_regions *regions, u64 start, u64 end, bool port)
{
	struct ucore_region *region = ucore_array_grow(regions->region, regions->nr,
						       &regions->max, sizeof(*region));

	if (!region)
		return -ENOMEM;
	regions->region = region;
	region[regions->nr++] = (struct ucore_region){ start, end, port };
	return 0;
}

static int add_fixed(struct ucore_regions *regions, bool chipset)
{
	int ret = 0;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(fixed_ranges) && !ret; i++)
		if (!(fixed_ranges[i].chipset && chipset))
			ret = region_add(regions, fixed_ranges[i].start, fixed_ranges[i].end,
					 false);
	return ret;
}

/*
 * Add the ranges of memory-mapped PCI config space. They are busy resources only if the kernel
 * uses them.
 */
static int add_ecam(struct ucore_regions *regions)
{
	struct acpi_mcfg_allocation *entry;
	struct acpi_table_header *table;
	int ret = 0;
	void *end;

	if (acpi_disabled || ACPI_FAILURE(acpi_get_table(ACPI_SIG_MCFG, 0, &table)))
		return 0;
	entry = (void *)table + sizeof(struct acpi_table_mcfg);
	end = (void *)table + table->length;
	for (; (void *)(entry + 1) <= end && !ret; entry++)
		ret = region_add(regions, entry->address + ((u64)entry->start_bus_number << 20),
				 entry->address + ((entry->end_bus_number + 1ULL) << 20), false);
	acpi_put_table(table);
	return ret;
}

/* Add one busy resource. Callback of walk_iomem_res_desc(), whose walk a nonzero value ends. */
static int add_busy(struct resource *resource, void *regions)
{
	return region_add(regions, resource->start, resource->end + 1, false);
}

/*
 * Add all busy resources of the kernel. Errors other than -ENOMEM are ignored, because
 * walk_iomem_res_desc() returns an error if there is no such resource.
 */
static int add_all_busy(struct ucore_regions *regions)
{
	int ret = walk_iomem_res_desc(IORES_DESC_NONE, IORESOURCE_MEM | IORESOURCE_BUSY, 0,
				      BIT_ULL(boot_cpu_data.x86_phys_bits) - 1, regions, add_busy);

	return ret == -ENOMEM ? ret : 0;
}

static int add_bars(struct ucore_regions *regions, const struct pci_dev *pdev,
		    ucore_resource_own own, const void *ctx)
{
	bool port = pdev->class >> 8 == PCI_CLASS_BRIDGE_PCI;
	const struct resource *bar = pdev->resource;
	int ret = 0;

	for (; bar < pdev->resource + PCI_BRIDGE_RESOURCES && !ret; bar++) {
		if (!(bar->flags & IORESOURCE_MEM) || bar->flags & IORESOURCE_UNSET || !bar->end)
			continue;
		if (!own || !own(ctx, pdev, bar))
			ret = region_add(regions, bar->start, bar->end + 1, port);
	}
	return ret;
}

static int add_all_bars(struct ucore_regions *regions, ucore_resource_own own, const void *ctx)
{
	struct pci_dev *pdev = NULL;
	int ret = 0;

	while (!ret && (pdev = pci_get_device(PCI_ANY_ID, PCI_ANY_ID, pdev)))
		ret = add_bars(regions, pdev, own, ctx);
	pci_dev_put(pdev);	/* pdev is not NULL if an error ended the loop */
	return ret;
}

/* Return true if a BAR of a PCI Express port contains the whole region. */
static bool is_in_port(const struct ucore_regions *regions, const struct ucore_region *region)
{
	const struct ucore_region *bar;

	for (bar = regions->region; bar < regions->region + regions->nr; bar++)
		if (bar->port && bar->start <= region->start && region->end <= bar->end)
			return true;
	return false;
}

/*
 * Treat the busy regions in BARs of ports like those BARs. cxl_port requests all registers of a CXL
 * component, although it does not use the counters among them. Which boxes exist must not depend on
 * whether it was loaded first. @first and @end are the indices of the busy regions.
 */
static void mark_busy_in_ports(struct ucore_regions *regions, u32 first, u32 end)
{
	u32 i;

	for (i = first; i < end; i++)
		if (is_in_port(regions, &regions->region[i]))
			regions->region[i].port = true;
}

/**
 * ucore_resource_collect() - list the memory ranges of other devices
 * @regions: empty list that receives the ranges
 * @own: callback that returns true for a BAR that contains uncore registers and is therefore not
 *       added; NULL if there is no such BAR
 * @ctx: first argument of @own
 * @chipset: leave out the ranges of the chipset, in which the host bridge has registers
 *
 * Return: 0 or -ENOMEM. After an error @regions contains the ranges found so far.
 */
int ucore_resource_collect(struct ucore_regions *regions, ucore_resource_own own, const void *ctx,
			   bool chipset)
{
	int ret = add_fixed(regions, chipset) ?: add_ecam(regions);
	u32 first = regions->nr, end;

	ret = ret ?: add_all_busy(regions);
	end = regions->nr;
	ret = ret ?: add_all_bars(regions, own, ctx);
	if (!ret)
		mark_busy_in_ports(regions, first, end);
	return ret;
}

/**
 * ucore_resource_drop() - free the list of memory ranges of other devices
 * @regions: list of ranges; empty afterwards
 */
void ucore_resource_drop(struct ucore_regions *regions)
{
	kvfree(regions->region);
	*regions = (struct ucore_regions){ };
}
