// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which boxes of an E5 machine are not to be seen?
 *
 * Firmware hides PCI functions by type, and not alike on all sockets.  What all
 * dies lack may not be in the part at all; what one lacks and another has is
 * hidden.  Process context, at load.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "find/static_table_desc.h"
#include "find/missing_boxes.h"
#include "find/finder.h"
#include "find/topology.h"

#define EVERYWHERE	(-1)

/**
 * struct telling - a sentence that grows
 * @text: so far
 * @size: room for it
 * @die: die that the last item was of, or EVERYWHERE
 */
struct telling {
	char *text;
	size_t size;
	int die;
};

static __printf(2, 3) void say(struct telling *telling, const char *format, ...)
{
	size_t length = strlen(telling->text), room = telling->size - length;
	va_list args;

	va_start(args, format);
	if (vsnprintf(telling->text + length, room, format, args) >= room)
		strscpy(&telling->text[telling->size - 4], "...", 4);
	va_end(args);
}

/* What comes before the name of something that is missing. */
static void say_where(struct telling *telling, int die)
{
	bool first = !*telling->text;

	if (first)
		say(telling, "a BIOS option may hide boxes:");
	if (die != telling->die)
		say(telling, "%s die %d: ", first ? "" : ";", die);
	else
		say(telling, first ? " " : ", ");
	telling->die = die;
}

static u32 boxes_of(const struct ucore_finder *finder, const struct ucore_box_type *type, u32 die)
{
	u32 i, n = 0;

	for (i = 0; i < finder->nr; i++)
		n += finder->desc[i].type == type && finder->desc[i].die == die;
	return n;
}

/* How many the die has that has most. */
static u32 most_of(const struct ucore_finder *finder, const struct ucore_box_type *type,
		   const struct ucore_dies *dies)
{
	u32 i, most = 0;

	for (i = 0; i < dies->nr; i++)
		most = max(most, boxes_of(finder, type, dies->id[i]));
	return most;
}

/* Boxes of a type on a die whose second function should be there, and is not. */
static u32 lacking_aux(const struct ucore_finder *finder, const struct ucore_e5_table *table,
		       const struct ucore_box_type *type, u32 die)
{
	const struct ucore_e5_pci *row;
	u32 i, n = 0;

	for (i = 0; i < finder->nr; i++)
		for (row = table->pci; row < table->pci + table->nr_pci; row++)
			n += finder->desc[i].type == type && finder->desc[i].die == die &&
			     row->type == type && row->instance == finder->desc[i].instance &&
			     row->aux && !finder->desc[i].aux;
	return n;
}

static void tell_die(struct telling *telling, const struct ucore_finder *finder,
		     const struct ucore_e5_table *table, const struct ucore_box_type *type,
		     u32 die, u32 most)
{
	u32 n = boxes_of(finder, type, die), lacking = lacking_aux(finder, table, type, die);

	if (n < most) {
		say_where(telling, die);
		say(telling, "%s", type->name);
		if (n)
			say(telling, " (%u of %u)", n, most);
	}
	if (lacking) {
		say_where(telling, die);
		say(telling, "filters of %u %s", lacking, type->name);
	}
}

static bool first_of_type(const struct ucore_e5_table *table, const struct ucore_e5_pci *row)
{
	const struct ucore_e5_pci *other = table->pci;

	while (other->type != row->type)
		other++;
	return other == row;
}

static void tell_type(struct telling *telling, const struct ucore_finder *finder,
		      const struct ucore_e5_table *table, const struct ucore_dies *dies,
		      const struct ucore_box_type *type, int die)
{
	u32 most = most_of(finder, type, dies);

	if (die != EVERYWHERE) {
		tell_die(telling, finder, table, type, die, most);
	} else if (!most) {
		say_where(telling, EVERYWHERE);
		say(telling, "%s", type->name);
	}
}

/*
 * Dies one by one, or what all of them lack.  A PCI function leads to boxes in memory;
 * what runs freely there goes with the others.
 */
static void tell(struct telling *telling, const struct ucore_finder *finder,
		 const struct ucore_e5_table *table, const struct ucore_dies *dies, int die)
{
	const struct ucore_e5_mmio *mmio;
	const struct ucore_e5_pci *row;

	for (row = table->pci; row < table->pci + table->nr_pci; row++)
		if (first_of_type(table, row))
			tell_type(telling, finder, table, dies, row->type, die);
	for (mmio = table->mmio; mmio < table->mmio + table->nr_mmio; mmio++)
		if (mmio->type->nr_gp)
			tell_type(telling, finder, table, dies, mmio->type, die);
}

/**
 * ucore_missing_boxes_report() - say which boxes behind PCI functions a machine should have and has not
 * @finder: what was found; gets @hidden
 * @table: what was looked for
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_missing_boxes_report(struct ucore_finder *finder, const struct ucore_e5_table *table)
{
	struct telling telling = { .text = finder->hidden, .size = sizeof(finder->hidden),
				   .die = EVERYWHERE };
	struct ucore_dies dies = { };
	int ret = ucore_dies_list(&dies);
	u32 i;

	if (!ret) {
		tell(&telling, finder, table, &dies, EVERYWHERE);
		for (i = 0; i < dies.nr; i++)
			tell(&telling, finder, table, &dies, dies.id[i]);
	}
	ucore_dies_free(&dies);
	return ret;
}
