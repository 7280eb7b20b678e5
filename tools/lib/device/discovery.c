// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Discovery tables and units as the driver reports them, and the texts for the reasons why
 * the driver rejected some of them.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

struct ucore_discovery {
	struct ucore_table_info *tables;
	size_t nr_tables;
	struct ucore_unit_info *units;
	size_t nr_units;
};

/* ---- queries of tables and units from the driver ----------------------- */

static int tables_get(struct ucore_device *dev, struct ucore_discovery *discovery)
{
	UCORE_ARG(ucore_get_tables, get);
	int ret = ucore_device_ioctl(dev, dev->fd, UCORE_GET_TABLES, &get);
	uint32_t capacity = get.total;

	if (ret)
		return ret;
	if (capacity > UCORE_MAX_ELEMENTS)
		return -EPROTO;
	discovery->tables = calloc(capacity ? capacity : 1, sizeof(*discovery->tables));
	if (!discovery->tables)
		return -ENOMEM;
	get.nr = capacity;
	get.tables = (uintptr_t)discovery->tables;
	ret = ucore_device_ioctl(dev, dev->fd, UCORE_GET_TABLES, &get);
	if (!ret && get.nr > capacity)
		ret = -EPROTO;
	discovery->nr_tables = ret ? 0 : get.nr;
	return ret;
}

static int units_get(struct ucore_device *dev, struct ucore_discovery *discovery)
{
	UCORE_ARG(ucore_get_units, get);
	int ret = ucore_device_ioctl(dev, dev->fd, UCORE_GET_UNITS, &get);
	uint32_t capacity = get.total;

	if (ret)
		return ret;
	if (capacity > UCORE_MAX_ELEMENTS)
		return -EPROTO;
	discovery->units = calloc(capacity ? capacity : 1, sizeof(*discovery->units));
	if (!discovery->units)
		return -ENOMEM;
	get.nr = capacity;
	get.units = (uintptr_t)discovery->units;
	ret = ucore_device_ioctl(dev, dev->fd, UCORE_GET_UNITS, &get);
	if (!ret && get.nr > capacity)
		ret = -EPROTO;
	if (ret)
		return ret;
	for (uint32_t i = 0; i < get.nr; i++)
		discovery->units[i].name[UCORE_NAME_LEN - 1] = 0;
	discovery->nr_units = get.nr;
	return 0;
}

int ucore_discovery_get(struct ucore_device *dev, struct ucore_discovery **out,
			struct ucore_error *err)
{
	struct ucore_discovery *discovery = calloc(1, sizeof(*discovery));
	const char *command = "GET_TABLES";
	int ret;

	if (!discovery)
		return ucore_error_set(err, -ENOMEM, "out of memory");
	ret = tables_get(dev, discovery);
	if (!ret) {
		command = "GET_UNITS";
		ret = units_get(dev, discovery);
	}
	/* an older driver without these commands has no tables to report: not an error */
	if (ret && ret != -ENOTTY) {
		ucore_discovery_free(discovery);
		return ucore_error_set(err, ret, "%s: %s", command, strerror(-ret));
	}
	*out = discovery;
	return 0;
}

void ucore_discovery_free(struct ucore_discovery *discovery)
{
	if (!discovery)
		return;
	free(discovery->tables);
	free(discovery->units);
	free(discovery);
}

/* ---- access to the tables and units of a result ------------------------ */

const struct ucore_table_info *ucore_discovery_tables(const struct ucore_discovery *discovery,
						      size_t *nr)
{
	*nr = discovery->nr_tables;
	return discovery->tables;
}

const struct ucore_unit_info *ucore_discovery_units(const struct ucore_discovery *discovery,
						    size_t *nr)
{
	*nr = discovery->nr_units;
	return discovery->units;
}

const struct ucore_unit_info *ucore_discovery_unit(const struct ucore_discovery *discovery,
						   uint32_t box)
{
	for (size_t i = 0; i < discovery->nr_units; i++)
		if (discovery->units[i].box == box && box != UCORE_NO_BOX)
			return &discovery->units[i];
	return NULL;
}

static uint32_t bits(uint64_t word, unsigned int high, unsigned int low)
{
	return (uint32_t)(word >> low & ~0ULL >> (63 - high + low));
}

void ucore_unit_decode(const struct ucore_unit_info *unit, struct ucore_unit_fields *fields)
{
	uint64_t word0 = unit->word[0], word2 = unit->word[2];

	*fields = (struct ucore_unit_fields) {
		.num_regs = bits(word0, 7, 0),
		.ctl_offset = bits(word0, 15, 8),
		.width = bits(word0, 23, 16),
		.ctr_offset = bits(word0, 31, 24),
		.status_offset = bits(word0, 39, 32),
		.access = bits(word0, 63, 62),
		.address = unit->word[1],
		.type = bits(word2, 15, 0),
		.id = bits(word2, 31, 16),
		.status_pos = bits(word2, 47, 32),
	};
}

/* ---- texts for the reasons why a table or unit was rejected ------------ */

const char *ucore_table_die_by(uint32_t die_by)
{
	static const char *const ways[] = {
		[UCORE_DIE_BY_NONE] = "",
		[UCORE_DIE_BY_BUS] = "by the NUMA node or UBox of the bus",
		[UCORE_DIE_BY_MSR] = "by an MSR of the die",
		[UCORE_DIE_BY_ONLY] = "the only die",
		[UCORE_DIE_BY_FREEZE] = "by a trial: its freeze stops a box of the table",
		[UCORE_DIE_BY_ORDER] = "a guess, in the order of the PCI buses",
	};

	return die_by < ARRAY_SIZE(ways) ? ways[die_by] :
	       "in a way that this version of ucoretool does not know";
}

const char *ucore_table_reason(uint32_t reason)
{
	static const char *const reasons[] = {
		[UCORE_TABLE_OK] = "",
		[UCORE_TABLE_CHAIN] = "the capability list of the PCI function is broken or loops",
		[UCORE_TABLE_BAR] = "the BAR does not exist or is not a memory BAR",
		[UCORE_TABLE_UNASSIGNED] = "firmware did not assign an address to the BAR",
		[UCORE_TABLE_DISABLED] = "the PCI function does not decode memory accesses",
		[UCORE_TABLE_OUTSIDE] = "the table begins outside the BAR",
		[UCORE_TABLE_RAM] = "the table overlaps RAM, or lies beyond the physical addresses",
		[UCORE_TABLE_ALL_ONES] =
			"the table reads all ones, because the PCI function is hidden or powered down",
		[UCORE_TABLE_EMPTY] = "the global record is zero",
		[UCORE_TABLE_STRIDE] = "the records are shorter than three words",
		[UCORE_TABLE_GLOBAL] = "the global registers are not accessible",
		[UCORE_TABLE_DIE] = "the table belongs to no online die",
		[UCORE_TABLE_DUPLICATE] =
			"another table of the die has the same global registers; only the units of this one are used",
		[UCORE_TABLE_CONFLICT] =
			"another table of the die has other global registers, which cannot freeze the units of this one",
		[UCORE_TABLE_LIMIT] = "the number of units exceeds the driver's limit",
		[UCORE_TABLE_UNMAPPED] = "the kernel refuses to map the table",
		[UCORE_TABLE_MSR] = "the MSR with the table's address faults or is zero",
		[UCORE_TABLE_FOREIGN] =
			"the MSR points to another device's memory, which is not read",
		[UCORE_TABLE_CONFIG] =
			"the kernel reaches only 256 bytes of the PCI function's config space",
		[UCORE_TABLE_ASLEEP] = "the PCI function sleeps (D1 to D3), and was not read",
	};

	return reason < ARRAY_SIZE(reasons) ? reasons[reason] :
	       "the driver reports a reason that this version of ucoretool does not know";
}

const char *ucore_unit_reason(uint32_t reason)
{
	static const char *const reasons[] = {
		[UCORE_UNIT_OK] = "",
		[UCORE_UNIT_ZERO] = "the record is zero or has no address (unused entry)",
		[UCORE_UNIT_ALL_ONES] =
			"the record reads all ones, because the unit is powered down or hidden",
		[UCORE_UNIT_TRUNCATED] = "the record lies beyond the end of the BAR",
		[UCORE_UNIT_ACCESS] = "the access type, 3, is invalid",
		[UCORE_UNIT_NO_COUNTERS] = "the unit has no counters",
		[UCORE_UNIT_COUNTERS] = "the unit has more counters than a box can have",
		[UCORE_UNIT_WIDTH] = "the counter width is 0 or more than 64 bits",
		[UCORE_UNIT_OFFSET] =
			"the control or counter offset is 0, the offset of the box control",
		[UCORE_UNIT_SELF_OVERLAP] = "the unit's registers overlap each other",
		[UCORE_UNIT_WINDOW] =
			"the registers are outside the MSRs, the config space or the address space",
		[UCORE_UNIT_ALIGN] = "the registers are not aligned",
		[UCORE_UNIT_RAM] = "the registers overlap RAM or other memory",
		[UCORE_UNIT_DUPLICATE] = "another unit of the die has the same type and id",
		[UCORE_UNIT_OVERLAP] =
			"the registers overlap those of another unit or the global control",
		[UCORE_UNIT_FUNCTION] = "the PCI function does not exist",
		[UCORE_UNIT_NO_ANSWER] = "the box control faults or reads all ones: the unit is powered down, or does not exist",
		[UCORE_UNIT_BEYOND_COUNT] =
			"the processor has fewer units of this type than the table lists",
		[UCORE_UNIT_RELOCATED] =
			"the table has a known error; the registers are at another address",
		[UCORE_UNIT_FOREIGN] =
			"the registers belong to another device or the processor and must not be written",
		[UCORE_UNIT_BROKEN] = "units of this type have a known defect",
	};

	return reason < ARRAY_SIZE(reasons) ? reasons[reason] :
	       "the driver reports a reason that this version of ucoretool does not know";
}
