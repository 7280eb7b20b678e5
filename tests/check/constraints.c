// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the driver's constraints, for test_constraints.py:
 *
 *	type PLATFORM TYPE COUNTERS
 *	constraint PLATFORM TYPE FIRST LAST UMASK MASK
 *
 * COUNTERS is 0 if the discovery table defines the number.
 */
#include <stdio.h>

#include <linux/kernel.h>

#include "find/discovery/discovery.h"
#include "find/static_table.h"
#include "platforms/match.h"

static const struct ucore_platform * const e5[] = {
	&ucore_platform_snbep, &ucore_platform_ivbep, &ucore_platform_hswep, &ucore_platform_bdxep,
	&ucore_platform_bdxde, &ucore_platform_skx, &ucore_platform_clx, &ucore_platform_cpx,
	&ucore_platform_icx, &ucore_platform_snr,
};

static const struct ucore_platform * const discovery[] = {
	&ucore_platform_spr, &ucore_platform_emr, &ucore_platform_gnr, &ucore_platform_srf,
	&ucore_platform_grr, &ucore_platform_cwf, &ucore_platform_dmr,
};

/* The tables name it. */
int ucore_static_table_find(struct ucore_finder *finder, const struct ucore_platform *platform)
{
	return -1;
}

static void print_type(const struct ucore_platform *platform, const struct ucore_box_type *type)
{
	const struct ucore_constraint *c;

	printf("type %s %s %u\n", platform->name, type->name, type->nr_gp);
	for (c = type->constraints; c && c->counters; c++)
		printf("constraint %s %s %u %u %u %u\n", platform->name, type->name, c->event,
		       c->last, c->umask, c->counters);
}

static void print_e5(const struct ucore_platform *platform)
{
	const struct ucore_static_table *table = platform->table;
	u32 i;

	for (i = 0; i < table->nr_msr; i++)
		print_type(platform, table->msr[i].type);
	for (i = 0; i < table->nr_pci; i++)
		if (!i || table->pci[i].type != table->pci[i - 1].type)
			print_type(platform, table->pci[i].type);
	for (i = 0; i < table->nr_mmio; i++)
		print_type(platform, table->mmio[i].type);
}

static void print_discovery(const struct ucore_platform *platform)
{
	const struct ucore_disc_rules *rules = platform->table;
	u32 i;

	for (i = 0; i < rules->nr_types; i++)
		print_type(platform, rules->types[i].type);
}

int main(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(e5); i++)
		print_e5(e5[i]);
	for (i = 0; i < ARRAY_SIZE(discovery); i++)
		print_discovery(discovery[i]);
	return 0;
}
