// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finder for processor generations without discovery tables: Xeon E5-2600 v1 to v4, Skylake-SP
 * to Ice Lake-SP, Snow Ridge, client processors. A static table lists the boxes that a generation
 * can have. On Panther Lake it lists the boxes beside those of the discovery table.
 *
 * A box in MSRs exists if its first register can be read. A box in PCI config space exists if
 * its PCI function exists, because firmware may hide functions and processors of a generation
 * differ. mmio_imc.c finds memory-mapped boxes. Process context, at module load. Only reads
 * registers.
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/cpu.h>
#include <linux/minmax.h>
#include <linux/pci.h>

#include "compat.h"
#include "find/die_topology.h"
#include "find/hidden_box_report.h"
#include "find/mmio_imc.h"
#include "find/static_table.h"
#include "reg/reg.h"

/* Size of arrays indexed by logical die. No machine of these generations has more dies. */
#define MAX_DIES	64

/* ---- MSR boxes ---- */

/**
 * struct search - state of the search for boxes
 * @finder: collection that receives the box descriptions
 * @table: static table of the processor generation
 * @small: bitmap of the logical dies that are of the smallest die variant
 * @slices: number of enabled cache slices of each logical die, 0 if unknown
 */
struct search {
	struct ucore_finder *finder;
	const struct ucore_static_table *table;
	DECLARE_BITMAP(small, MAX_DIES);
	u8 slices[MAX_DIES];
};

/*
 * Return the number of CHAs to probe on a die. There is one CHA for each cache slice that the
 * fuses enable. @config is the number in the configuration register, which should be the same.
 * It is used if the PCI function with the fuses is hidden. If both numbers are unknown, all CHAs
 * are probed. Each box is also probed before it is added.
 */
static u32 cha_count(const struct search *search, u32 die, u32 config, u32 max)
{
	u32 slices = die < MAX_DIES ? search->slices[die] : 0;

	if (slices && config && slices != config)
		pr_info("die %u: %u CHAs by the fuses, %u by the register. Using the fuses.\n",
			die, slices, config);
	return min(slices ?: config ?: max, max);
}

/* Return the number of C-Boxes to probe if a register has it. @config is 0 if it is unknown. */
static u32 cbo_count_shown(const struct ucore_static_table *table, u64 config, u32 max)
{
	if (config > table->cbo_extra && config != table->cbo_exact)
		config -= table->cbo_extra;
	return min_t(u64, config ?: max, max);
}

/*
 * Return the number of C-Boxes (CHAs) to probe on the die of @cpu. There is one C-Box for each
 * core that CPUID reports. The kernel may miss cores that are not present at boot. The number in
 * the configuration register is known only by analogy (UNCERTAIN(cbo-count)). The larger number
 * is used, because each box is probed before it is added.
 */
static u32 cbo_count(const struct search *search, int cpu, u32 max)
{
	const struct ucore_static_table *table = search->table;
	u32 cores = topology_num_cores_per_package();
	u64 config = 0;

	if (table->global_config && ucore_msr_probe(cpu, table->global_config, &config))
		config &= table->num_cbo;
	if (table->cbo_by_register)
		return cbo_count_shown(table, config, max);
	if (table->fuses)
		return cha_count(search, topology_logical_die_id(cpu), config, max);
	return min_t(u64, max_t(u64, cores, config), max);
}

static u32 msr_count(const struct search *search, const struct ucore_static_msr *row, int cpu)
{
	u32 die = topology_logical_die_id(cpu);

	if (row->per_core)
		return cbo_count(search, cpu, row->max);
	if (row->by_chop && die < MAX_DIES && test_bit(die, search->small))
		return row->small;
	return row->max;
}

/*
 * Return the offset of the register that is read to find whether a box exists. A box of
 * free-running counters has no controls, so that its first counter is read.
 */
static u32 first_register(const struct ucore_static_msr *row, u32 instance)
{
	const struct ucore_layout *layout = ucore_static_layout(row, instance);

	return row->type->nr_gp ? ucore_layout_first(layout) : layout->fixed_ctr[0];
}

/*
 * Return the global control whose status reports the boxes of a row, if only a trial shows what an
 * overflow does; otherwise NULL.
 */
static const struct ucore_global *reported_in(const struct ucore_static_table *table,
					      const struct ucore_static_msr *row)
{
	return table->global && table->global->untried && (row->global_gp | row->global_fixed) ?
	       table->global : NULL;
}

static int find_msr_row(const struct search *search, const struct ucore_static_msr *row, int cpu)
{
	const struct ucore_static_table *table = search->table;
	u32 n = msr_count(search, row, cpu);
	u64 val;
	u32 i;
	int ret;

	for (i = 0; i < n; i++) {
		struct ucore_box_desc desc = {
			.type = row->type,
			.layout = ucore_static_layout(row, i),
			.global = table->global,
			.global_gp = ucore_static_instance_bits(row, row->global_gp, i),
			.global_fixed = ucore_static_instance_bits(row, row->global_fixed, i),
			.reported_in = reported_in(table, row),
			.status_position = row->global_gp | row->global_fixed ?
					   __ffs64(row->global_gp | row->global_fixed) : 0,
			.die = topology_logical_die_id(cpu),
			.instance = i,
			.msr = ucore_static_base(row, i),
		};

		if (!ucore_msr_probe(cpu, desc.msr + first_register(row, i), &val))
			continue;
		ret = ucore_finder_add(search->finder, &desc);
		if (ret)
			return ret;
	}
	return 0;
}

/* Return true if the CPU is the first online CPU of its die, which probes the die's MSRs. */
static bool cpu_is_first_of_die(int cpu)
{
	int other;

	for_each_online_cpu(other) {
		if (other == cpu)
			return true;
		if (topology_logical_die_id(other) == topology_logical_die_id(cpu))
			return false;
	}
	return false;
}

static int find_msr(const struct search *search)
{
	const struct ucore_static_table *table = search->table;
	int cpu, ret = 0;
	u32 i;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		if (!cpu_is_first_of_die(cpu))
			continue;
		for (i = 0; i < table->nr_msr && !ret; i++)
			ret = find_msr_row(search, &table->msr[i], cpu);
	}
	cpus_read_unlock();
	return ret;
}

/* ---- PCI boxes ---- */

/*
 * Return the second PCI function of a box, which has the same bus and device. NULL if there is
 * none.
 */
static struct pci_dev *find_aux(struct pci_dev *pdev, u16 device)
{
	struct pci_dev *aux = NULL;

	while ((aux = pci_get_device(PCI_VENDOR_ID_INTEL, device, aux)))
		if (aux->bus == pdev->bus && PCI_SLOT(aux->devfn) == PCI_SLOT(pdev->devfn))
			return aux;
	return NULL;
}

static int find_pci_row(const struct search *search, const struct ucore_static_pci *row,
			int segment, const s16 *die_of_bus)
{
	struct pci_dev *pdev = NULL;
	int die, ret;

	while ((pdev = pci_get_device(PCI_VENDOR_ID_INTEL, row->device, pdev))) {
		struct ucore_box_desc desc = {
			.type = row->type,
			.layout = row->layout,
			.global = search->table->global,
			.global_gp = row->global_gp,
			.global_fixed = row->global_fixed,
			.instance = row->instance,
		};

		if (pci_domain_nr(pdev->bus) != segment || (row->at && pdev->devfn != row->at))
			continue;
		die = die_of_bus[pdev->bus->number];
		if (die < 0) {
			pci_info(pdev, "ucore: %s. Ignoring this function.\n",
				 die == UCORE_DIE_OFFLINE ? "not in an online socket" :
							    "its die is unknown");
			ucore_finder_report_no_die(search->finder, segment, pdev->bus->number, die);
			continue;
		}
		desc.die = die;
		if (ucore_finder_knows(search->finder, &desc)) {
			pci_info(pdev, "ucore: %s%u of die %d: found twice. Ignoring this one.\n",
				 row->type->name, row->instance, die);
			continue;
		}
		desc.pdev = pci_dev_get(pdev);
		desc.aux = row->aux ? find_aux(pdev, row->aux) : NULL;
		ret = ucore_finder_add(search->finder, &desc);
		if (ret) {
			pci_dev_put(pdev);
			return ret;
		}
	}
	return 0;
}

static int find_pci(const struct search *search, int segment)
{
	const struct ucore_static_table *table = search->table;
	s16 die_of_bus[UCORE_NR_BUSES];
	int ret = 0;
	u32 i;

	ucore_bus_map(&table->ubox, segment, die_of_bus);
	for (i = 0; i < table->nr_pci && !ret; i++)
		ret = find_pci_row(search, &table->pci[i], segment, die_of_bus);
	return ret ?: ucore_mmio_imc_find(search->finder, table, segment, die_of_bus);
}

/*
 * Find the next PCI function after @pdev with the id @device, which has a capability register
 * at @reg. Set @val to the value of this register and @die to the logical die of the function.
 * Functions of dies beyond MAX_DIES are skipped. The die of the function is that of the bus whose
 * number is the number of the function's bus minus @above.
 */
static struct pci_dev *next_caps(const struct search *search, u16 device, u32 above,
				 struct pci_dev *pdev, u16 reg, int *die, u32 *val)
{
	s16 die_of_bus[UCORE_NR_BUSES];

	while ((pdev = pci_get_device(PCI_VENDOR_ID_INTEL, device, pdev))) {
		if (pdev->bus->number < above)
			continue;
		ucore_bus_map(&search->table->ubox, pci_domain_nr(pdev->bus), die_of_bus);
		*die = die_of_bus[pdev->bus->number - above];
		if (*die >= 0 && *die < MAX_DIES && !pci_read_config_dword(pdev, reg, val))
			break;
	}
	return pdev;
}

/*
 * Find the dies of the smallest die variant. A die whose capability function is hidden is
 * treated as large. This is safe, because each box is probed before it is added.
 */
static void find_small_dies(struct search *search)
{
	const struct ucore_static_table *table = search->table;
	struct pci_dev *pdev = NULL;
	u32 val;
	int die;

	if (!table->chop)
		return;
	while ((pdev = next_caps(search, table->chop_device, 0, pdev, table->chop_reg, &die,
				 &val)))
		if (!(val & table->chop))
			set_bit(die, search->small);
}

/*
 * Return the number of cache slices that the fuses enable. @low is the first dword of the fuses.
 * Return 0 if the second dword cannot be read.
 */
static u32 slices_enabled(const struct ucore_static_table *table, struct pci_dev *pdev, u32 low)
{
	u32 high = 0;

	if (upper_32_bits(table->fuses) &&
	    pci_read_config_dword(pdev, table->fuse_reg + sizeof(low), &high))
		return 0;
	return hweight64(((u64)high << 32 | low) & table->fuses);
}

static void find_slices(struct search *search)
{
	const struct ucore_static_table *table = search->table;
	struct pci_dev *pdev = NULL;
	u32 val;
	int die;

	if (!table->fuses)
		return;
	while ((pdev = next_caps(search, table->fuse_device, table->fuse_above, pdev,
				 table->fuse_reg, &die, &val)))
		search->slices[die] = slices_enabled(table, pdev, val);
}

/*
 * Return the number of the next PCI segment above @segment, -1 if there is none. All root buses
 * are searched, because they are in no particular order.
 */
static int segment_after(int segment)
{
	struct pci_bus *root = NULL;
	int nr, next = -1;

	pci_lock_rescan_remove();	/* the loop holds no references to the buses */
	while ((root = pci_find_next_bus(root))) {
		nr = pci_domain_nr(root);
		if (nr > segment && (next < 0 || nr < next))
			next = nr;
	}
	pci_unlock_rescan_remove();
	return next;
}

/**
 * ucore_static_table_add() - add all boxes of a static table
 * @finder: collection that receives the box descriptions
 * @table: static table
 *
 * Return: 0 or -ENOMEM. A machine without any box is not an error.
 */
int ucore_static_table_add(struct ucore_finder *finder, const struct ucore_static_table *table)
{
	struct search search = { .finder = finder, .table = table };
	int ret, segment = -1;

	if (search.table->uncertain && ucore_finder_uses_uncertain())
		search.table = search.table->uncertain;
	find_small_dies(&search);
	find_slices(&search);
	ret = find_msr(&search);
	while (!ret && (segment = segment_after(segment)) >= 0)
		ret = find_pci(&search, segment);
	ucore_links_find(finder, search.table->links, &search.table->ubox);
	if (!ret && !*finder->hidden)
		ret = ucore_hidden_box_report(finder, search.table);
	return ret;
}

/**
 * ucore_static_table_find() - add all boxes of a machine without discovery tables
 * @finder: collection that receives the box descriptions
 * @platform: platform whose table is a struct ucore_static_table
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_static_table_find(struct ucore_finder *finder, const struct ucore_platform *platform)
{
	return ucore_static_table_add(finder, platform->table);
}
