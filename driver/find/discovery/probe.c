// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMON discovery: is what the tables describe there?
 *
 * One access for each unit, one IPI for each die.  Process context, at load.
 */
#include <linux/bitfield.h>
#include <linux/cpu.h>
#include <linux/io.h>
#include <linux/minmax.h>
#include <linux/pci.h>
#include <linux/smp.h>

#include "compat.h"
#include "find/discovery/probe.h"
#include "find/topology.h"
#include "hw/discovery.h"
#include "reg/reg.h"

/**
 * ucore_disc_msr_there() - does an MSR of a die answer?
 * @die: logical die
 * @msr: the MSR
 *
 * Return: true if it does, and not with all ones.
 */
bool ucore_disc_msr_there(s32 die, u32 msr)
{
	bool there;
	u64 val;

	cpus_read_lock();
	there = ucore_msr_probe(ucore_cpu_of_die(die), msr, &val) && val != ~0ULL;
	cpus_read_unlock();
	return there;
}

/**
 * ucore_disc_pdev_at() - the PCI function at an address of a record
 * @address: word 1 of the record
 *
 * Return: the function, referenced; NULL if there is none.
 */
struct pci_dev *ucore_disc_pdev_at(u64 address)
{
	return pci_get_domain_bus_and_slot(FIELD_GET(DISC_PCI_SEGMENT, address),
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
		base = ioremap(word[1], size);
		if (base) {
			val = readl(base);
			iounmap(base);
		}
	} else {
		pdev = ucore_disc_pdev_at(word[1]);
		if (pdev)
			pci_read_config_dword(pdev, FIELD_GET(DISC_PCI_OFFSET, word[1]), &val);
		pci_dev_put(pdev);
	}
	return val != ~0U;
}

/**
 * ucore_disc_global_there() - does the global control of a table answer?
 * @t: the table, its global record parsed
 *
 * Return: true if it does.
 */
bool ucore_disc_global_there(const struct ucore_disc_table *t)
{
	if (ucore_disc_access(t->word) == UCORE_ACCESS_MSR)
		return ucore_disc_msr_there(t->die, t->word[1]);
	return dword_there(t->word, max_t(u32, t->global_size, sizeof(u64)));
}

/**
 * struct probe - MSRs to be read on a die
 * @disc: units
 * @die: the die
 * @counted: units of the counted type there are
 */
struct probe {
	struct ucore_disc *disc;
	s32 die;
	u64 counted;
};

/* On a CPU of the die: units whose box control faults are not there. */
static void probe_msrs_here(void *arg)
{
	struct probe *probe = arg;
	struct ucore_disc *disc = probe->disc;
	struct ucore_unit *unit;
	u64 val;

	for (unit = disc->unit; unit < disc->unit + disc->nr_units; unit++)
		if (unit->die == probe->die && !unit->reason &&
		    ucore_disc_access(unit->word) == UCORE_ACCESS_MSR &&
		    (rdmsrq_safe(unit->word[1], &val) || val == ~0ULL))
			unit->reason = UCORE_UNIT_NO_ANSWER;
	if (disc->rules->count_msr && rdmsrq_safe(disc->rules->count_msr, &probe->counted))
		probe->counted = 0;
}

static int probe_msrs(struct ucore_disc *disc)
{
	struct ucore_dies dies = { };
	int ret = ucore_dies_list(&dies);
	struct probe probe;
	u32 i;

	for (i = 0; i < dies.nr && !ret; i++) {
		probe = (struct probe){ .disc = disc, .die = dies.id[i] };
		cpus_read_lock();
		smp_call_function_single(ucore_cpu_of_die(probe.die), probe_msrs_here, &probe, 1);
		cpus_read_unlock();
		if (probe.counted)
			ucore_disc_trim(disc, probe.die, min_t(u64, probe.counted, U32_MAX));
	}
	ucore_dies_free(&dies);
	return ret;
}

/**
 * ucore_disc_probe() - reject the units that do not answer
 * @disc: all units
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_disc_probe(struct ucore_disc *disc)
{
	struct ucore_unit *unit;

	for (unit = disc->unit; unit < disc->unit + disc->nr_units; unit++)
		if (!unit->reason && ucore_disc_access(unit->word) != UCORE_ACCESS_MSR &&
		    !dword_there(unit->word, unit->size))
			unit->reason = UCORE_UNIT_NO_ANSWER;
	return probe_msrs(disc);
}
