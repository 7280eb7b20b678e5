// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMON discovery: reads registers to find whether they exist.
 *
 * Reads one register of each unit. An MSR is read by an IPI to a CPU of its die. Process
 * context, at module load.
 */
#include <linux/bitfield.h>
#include <linux/cpu.h>
#include <linux/io.h>
#include <linux/minmax.h>
#include <linux/pci.h>

#include "find/die_topology.h"
#include "find/discovery/probe_units.h"
#include "find/discovery/record.h"
#include "find/discovery/unit_check.h"
#include "find/iomem_resources.h"
#include "hw/discovery.h"
#include "reg/reg.h"

/**
 * ucore_probe_msr() - check whether an MSR of a die responds
 * @die: logical die
 * @msr: MSR number
 *
 * Return: true if the read succeeds and does not return all ones.
 */
bool ucore_probe_msr(s32 die, u32 msr)
{
	bool responds;
	u64 val;

	cpus_read_lock();
	responds = ucore_msr_probe(ucore_cpu_of_die(die), msr, &val) && val != ~0ULL;
	cpus_read_unlock();
	return responds;
}

/**
 * ucore_probe_pdev() - find the PCI function at a location
 * @segment: PCI segment
 * @bus: PCI bus
 * @devfn: device and function number
 *
 * Searches only the bus. pci_get_domain_bus_and_slot() would walk all PCI functions of the
 * machine for each box, which takes quadratic time.
 *
 * Return: PCI function with a reference, NULL if there is none.
 */
struct pci_dev *ucore_probe_pdev(u32 segment, u32 bus, u32 devfn)
{
	struct pci_dev *pdev = NULL;
	struct pci_bus *found;

	pci_lock_rescan_remove();	/* pci_find_bus() returns no reference to the bus */
	found = pci_find_bus(segment, bus);
	if (found)
		pdev = pci_get_slot(found, devfn);
	pci_unlock_rescan_remove();
	return pdev;
}

/**
 * ucore_probe_pdev_at() - find the PCI function with the registers of a record
 * @address: word 1 of the record
 *
 * Return: PCI function with a reference, NULL if there is none.
 */
struct pci_dev *ucore_probe_pdev_at(u64 address)
{
	return ucore_probe_pdev(FIELD_GET(DISC_PCI_SEGMENT, address),
				FIELD_GET(DISC_PCI_BUS, address),
				PCI_DEVFN(FIELD_GET(DISC_PCI_SLOT, address),
					  FIELD_GET(DISC_PCI_FUNCTION, address)));
}

/*
 * Return true if the dword at the PCI or MMIO address in a record does not read all ones. @size
 * is the size of the register window (bytes), which is mapped for MMIO. A failed mapping is
 * treated as no response.
 */
static bool dword_responds(const u64 *word, u32 size)
{
	void __iomem *base;
	struct pci_dev *pdev;
	u32 val = ~0U;

	if (ucore_record_access(word) == UCORE_ACCESS_MMIO) {
		base = ucore_resource_map(word[1], size);
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
 * ucore_probe_global() - check whether the global control of a table responds
 * @t: table with a parsed global record
 *
 * Return: true if the register responds.
 */
bool ucore_probe_global(const struct ucore_disc_table *t)
{
	if (ucore_record_access(t->word) == UCORE_ACCESS_MSR)
		return ucore_probe_msr(t->die, t->word[1]);
	return dword_responds(t->word, max_t(u32, t->global_size, sizeof(u64)));
}

/*
 * Return true if a word of the global status in PCI config space or MMIO does not read all ones.
 * @reg is the distance of the word from the global control (bytes).
 */
static bool status_word_responds(const struct ucore_disc_table *t, u32 reg)
{
	u64 word[DISC_RECORD_WORDS] = { t->word[0], t->word[1] + reg };

	return dword_responds(word, sizeof(u64));
}

/**
 * ucore_probe_status() - check whether all words of the global status of a table respond
 * @t: table with a parsed global record and status bits
 *
 * Reads each word once.
 *
 * Return: true if no word faults or reads all ones.
 */
bool ucore_probe_status(const struct ucore_disc_table *t)
{
	u32 reg = FIELD_GET(DISC_GLOBAL2_STATUS_OFFSET, t->word[2]), i;
	bool msr = ucore_record_access(t->word) == UCORE_ACCESS_MSR, responds = true;

	for (i = 0; i < DIV_ROUND_UP(t->nr_status, 64) && responds; i++, reg += t->status_stride)
		responds = msr ? ucore_probe_msr(t->die, t->word[1] + reg) :
				 status_word_responds(t, reg);
	return responds;
}

/**
 * ucore_probe_unit() - check whether the box control of a unit responds
 * @unit: validated unit, whose member size is already known
 *
 * Return: true if the register responds.
 */
bool ucore_probe_unit(const struct ucore_unit *unit)
{
	if (ucore_record_access(unit->word) == UCORE_ACCESS_MSR)
		return ucore_probe_msr(unit->die, unit->word[1]);
	return dword_responds(unit->word, unit->size);
}

/**
 * ucore_probe_can_map() - check whether the registers of a unit can be accessed
 * @unit: validated unit, whose member size is already known
 *
 * Return: false if the registers are in memory and cannot be mapped.
 */
bool ucore_probe_can_map(const struct ucore_unit *unit)
{
	void __iomem *base;

	if (ucore_record_access(unit->word) != UCORE_ACCESS_MMIO)
		return true;
	base = ucore_resource_map(unit->word[1], unit->size);
	if (base)
		iounmap(base);
	return base;
}

/*
 * Return the real number of units of a die that an MSR contains (count_msr of the rules), 0 if
 * unknown.
 */
static u64 count_of_die(const struct ucore_disc *disc, s32 die)
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
 * ucore_probe_count() - reject units of each die that exceed the number that an MSR reports
 * @disc: results of discovery, with all units
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
		count = count_of_die(disc, dies.id[i]);
		if (count)
			ucore_unit_limit(disc, dies.id[i], min_t(u64, count, U32_MAX));
	}
	ucore_dies_free(&dies);
	return ret;
}
