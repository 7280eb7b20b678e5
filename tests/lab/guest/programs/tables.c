// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print GET_INFO and the discovery tables and units as one line of JSON: all tables and the
 * rejected units; with "all" the accepted units, too.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>

#include "ucore.h"

#define MAX_TABLES	64
#define MAX_UNITS	8192

static struct ucore_table_info tables[MAX_TABLES];
static struct ucore_unit_info units[MAX_UNITS];

static void put_info(const struct ucore_get_info *info)
{
	printf("{\"state\":%u,\"caps\":%u,\"platform\":\"%s\",\"reason\":\"%s\",", info->state,
	       info->caps, info->platform, info->reason);
}

static void put_table(const struct ucore_table_info *t)
{
	printf("{\"table\":%u,\"die\":%d,\"at\":\"%02x:%02x.%x\",\"dvsec\":%u,\"bar\":%u,"
	       "\"offset\":%u,\"stride\":%u,\"max_units\":%u,\"nr_units\":%u,"
	       "\"nr_rejected\":%u,\"access\":%d,\"num_status\":%u,\"reason\":%u,"
	       "\"msr\":%u,\"die_by\":%u}",
	       t->table, t->die, t->bus, t->device, t->function, t->dvsec, t->bar, t->offset,
	       t->stride, t->max_units, t->nr_units, t->nr_rejected, (int)t->access,
	       t->num_status, t->reason, t->msr, t->die_by);
}

static void put_unit(const struct ucore_unit_info *u)
{
	printf("{\"table\":%u,\"record\":%u,\"die\":%d,\"reason\":%u,\"box\":%d,"
	       "\"name\":\"%s%u\",\"access\":%d,\"other\":%u,\"word\":[%llu,%llu,%llu]}",
	       u->table, u->record, u->die, u->reason, (int)u->box, u->name, u->id,
	       (int)u->access, u->other, (unsigned long long)u->word[0],
	       (unsigned long long)u->word[1], (unsigned long long)u->word[2]);
}

int main(int argc, char **argv)
{
	struct ucore_get_tables get_tables = {
		.size = sizeof(get_tables), .nr = MAX_TABLES, .tables = (uintptr_t)tables,
	};
	struct ucore_get_units get_units = {
		.size = sizeof(get_units), .nr = MAX_UNITS, .units = (uintptr_t)units,
	};
	struct ucore_get_info info = { .size = sizeof(info) };
	int all = argc > 1 && !strcmp(argv[1], "all");
	int device = open(UCORE_DEVICE, O_RDWR | O_CLOEXEC);
	const char *comma = "";
	uint32_t i;

	if (device < 0 || ioctl(device, UCORE_GET_INFO, &info) ||
	    ioctl(device, UCORE_GET_TABLES, &get_tables) ||
	    ioctl(device, UCORE_GET_UNITS, &get_units)) {
		perror("tables");
		return 1;
	}
	put_info(&info);
	printf("\"tables\":[");
	for (i = 0; i < get_tables.nr; i++) {
		printf("%s", i ? "," : "");
		put_table(&tables[i]);
	}
	printf("],\"total\":%u,\"units\":[", get_units.total);
	for (i = 0; i < get_units.nr; i++) {
		if (!all && units[i].reason == UCORE_UNIT_OK)
			continue;
		printf("%s", comma);
		put_unit(&units[i]);
		comma = ",";
	}
	printf("]}\n");
	return 0;
}
