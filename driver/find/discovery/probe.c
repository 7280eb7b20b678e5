// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMON discovery: is what the tables describe there?
 *
 * One access for each unit, of an MSR by an IPI.  Process context, at load.
 */
#include <linux/bitfield.h>
#include <linux/cpu.h>
#include <linux/io.h>
#include <linux/minmax.h>
#include <linux/pci.h>

#include "find/discovery/probe.h"
#include "find/memory.h"
#include "find/topology.h"
#include "hw/discovery.h"
#include "reg/reg.h"

/**
 * ucore_probe_msr() - does an MSR of a die answer?
 * @die: logical die
 * @msr: the MSR
 *
 * Return: true if it does, and not with all ones.
 */
bool ucore_probe_msr(s32 die, u32 msr)
{
	bool there;
	u64 val;

	cpus_read_lock();
	there = ucore_msr_probe(ucore_cpu_of_die(die), msr, &val) && val != ~0ULL;
	cpus_read_unlock();
	return there;
}

/**
 * ucore_probe_pdev() - the PCI function at a place
 * @segment: PCI segment
 * @bus: bus
 * @devfn: device and function
 *
 * By its bus: pci_get_domain_bus_and_slot() walks all functions of the machine, so that
 * many boxes would take their number's square.
 *
 * Return: the function, referenced; NULL if there is none.
 */
struct pci_dev *ucore_probe_pdev(u32 segment, u32 bus, u32 devfn)
{
	struct pci_dev *pdev = NULL;
	struct pci_bus *found;

	pci_lock_rescan_remove();	/* buses have no references to be had */
	found = pci_find_bus(segment, bus);
	if (found)
		pdev = pci_get_slot(found, devfn);
	pci_unlock_rescan_remove();
	return pdev;
}

/**
 * ucore_probe_pdev_at() - the PCI function at an address of a record
 * @address: word 1 of the record
 *
 * Return: the function, referenced; NULL if there is none.
 */
struct pci_dev *ucore_probe_pdev_at(u64 address)
{
	return ucore_probe_pdev(FIELD_GET(DISC_PCI_SEGMENT, address),
			       FIELD_GET(DISC_PCI_BUS, address),
			       PCI_DEVFN(FIELD_GET(DISC_PCI_SLOT, address),
					 FIELD_GET(DISC_PCI_FUNCTION, address)));
}

/*
 * Does the dword at a PCI or MMIO address answer?  MMIO is mapped as it will
 * be later: what cannot be mapped is not there.
 */
static bool dword_there(const u64 *word, u32 size)
{
	void __iomem *base;
	struct pci_dev *pdev;
	u32 val = ~0U;

	if (ucore_disc_access(word) == UCORE_ACCESS_MMIO) {
		base = ucore_memory_map(word[1], size);
		if (base) {
			val = readl(base);
			iounmap(base);
		}
	} else {
		pdev = ucore_probe_pdev_at(word[1]);
		if (pdev)
			pci_read_config_dword(pdev, FIELD_GET(DISC_PCI_OFFSET, word[1]), &val);
		pci_dev_put(pdev);
	}
	return val != ~0U;
}

/**
 * ucore_probe_global() - does the global control of a table answer?
 * @t: the table, its global record parsed
 *
 * Return: true if it does.
 */
bool ucore_probe_global(const struct ucore_disc_table *t)
{
	if (ucore_disc_access(t->word) == UCORE_ACCESS_MSR)
		return ucore_probe_msr(t->die, t->word[1]);
	return dword_there(t->word, max_t(u32, t->global_size, sizeof(u64)));
}

/**
 * ucore_probe_unit() - does the box control of a unit answer?
 * @unit: the unit, which may be touched and has its @size
 *
 * Return: true if it does.
 */
bool ucore_probe_unit(const struct ucore_unit *unit)
{
	if (ucore_disc_access(unit->word) == UCORE_ACCESS_MSR)
		return ucore_probe_msr(unit->die, unit->word[1]);
	return dword_there(unit->word, unit->size);
}

/* How many units of the counted type a die has, by the platform's rules; 0: unknown */
static u64 counted(const struct ucore_disc *disc, s32 die)
{
	u64 count = 0;

	cpus_read_lock();
	if (!disc->rules->count_msr ||
	    !ucore_msr_probe(ucore_cpu_of_die(die), disc->rules->count_msr, &count))
		count = 0;
	cpus_read_unlock();
	return count;
}

/**
 * ucore_probe_count() - reject units that the processor says are too many
 * @disc: all units
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_probe_count(struct ucore_disc *disc)
{
	struct ucore_dies dies = { };
	int ret = ucore_dies_list(&dies);
	u64 count;
	u32 i;

	for (i = 0; i < dies.nr && !ret; i++) {
		count = counted(disc, dies.id[i]);
		if (count)
			ucore_disc_trim(disc, dies.id[i], min_t(u64, count, U32_MAX));
	}
	ucore_dies_free(&dies);
	return ret;
}
