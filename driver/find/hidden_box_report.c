// SPDX-License-Identifier: GPL-2.0-only
/*
 * Builds the text for the user about boxes that firmware hides, on machines whose boxes a static
 * table lists.
 *
 * Firmware hides the PCI functions of a box type together, and may hide different types on each
 * socket. A box type that no die has may not exist in this processor. A box type that only some
 * dies have is hidden on the other dies. Process context, at module load.
 */
#include <linux/cpufeature.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "find/die_topology.h"
#include "find/found_boxes.h"
#include "find/hidden_box_report.h"
#include "find/static_table_desc.h"

#define ALL_DIES	(-1)

/**
 * struct message - text about hidden boxes, while it is built
 * @text: beginning of the text, terminated by 0
 * @die: die of the box that was last added to @text, or ALL_DIES
 */
struct message {
	char text[UCORE_REASON_LEN];
	int die;
};

static __printf(2, 3) void msg_add(struct message *msg, const char *format, ...)
{
	size_t length = strlen(msg->text), room = sizeof(msg->text) - length;
	va_list args;

	va_start(args, format);
	if (vsnprintf(msg->text + length, room, format, args) >= room)
		strscpy(&msg->text[sizeof(msg->text) - 4], "...", 4);
	va_end(args);
}

/*
 * Append the words before a box type: the introduction before the first type, the die if it
 * differs from the die of the previous type.
 */
static void msg_add_location(struct message *msg, int die)
{
	bool first = !*msg->text;

	if (first)
		msg_add(msg, boot_cpu_has(X86_FEATURE_HYPERVISOR) ?
			"a virtual machine may hide boxes:" : "a BIOS option may hide boxes:");
	if (die != msg->die)
		msg_add(msg, "%s die %d: ", first ? "" : ";", die);
	else
		msg_add(msg, first ? " " : ", ");
	msg->die = die;
}

static u32 boxes_of(const struct ucore_finder *finder, const struct ucore_box_type *type, u32 die)
{
	u32 i, n = 0;

	for (i = 0; i < finder->nr; i++)
		n += finder->desc[i].type == type && finder->desc[i].die == die;
	return n;
}

/* Return the largest number of boxes of a type on one die. */
static u32 most_of(const struct ucore_finder *finder, const struct ucore_box_type *type,
		   const struct ucore_dies *dies)
{
	u32 i, most = 0;

	for (i = 0; i < dies->nr; i++)
		most = max(most, boxes_of(finder, type, dies->id[i]));
	return most;
}

/* Return the number of boxes of a type on a die whose second PCI function is missing. */
static u32 boxes_without_aux(const struct ucore_finder *finder,
			     const struct ucore_static_table *table,
			     const struct ucore_box_type *type, u32 die)
{
	const struct ucore_static_pci *row;
	u32 i, n = 0;

	for (i = 0; i < finder->nr; i++)
		for (row = table->pci; row < table->pci + table->nr_pci; row++)
			n += finder->desc[i].type == type && finder->desc[i].die == die &&
			     row->type == type && row->instance == finder->desc[i].instance &&
			     row->aux && !finder->desc[i].aux;
	return n;
}

static void add_type_of_die(struct message *msg, const struct ucore_finder *finder,
			    const struct ucore_static_table *table,
			    const struct ucore_box_type *type, u32 die, u32 most)
{
	u32 n = boxes_of(finder, type, die), no_aux = boxes_without_aux(finder, table, type, die);

	if (n < most) {
		msg_add_location(msg, die);
		msg_add(msg, "%s", type->name);
		if (n)
			msg_add(msg, " (%u of %u)", n, most);
	}
	if (no_aux) {
		msg_add_location(msg, die);
		msg_add(msg, "filters of %u %s", no_aux, type->name);
	}
}

static bool first_of_type(const struct ucore_static_table *table,
			  const struct ucore_static_pci *row)
{
	const struct ucore_static_pci *other = table->pci;

	while (other->type != row->type)
		other++;
	return other == row;
}

static void add_type(struct message *msg, const struct ucore_finder *finder,
		     const struct ucore_static_table *table, const struct ucore_dies *dies,
		     const struct ucore_box_type *type, int die)
{
	u32 most = most_of(finder, type, dies);

	if (die != ALL_DIES) {
		add_type_of_die(msg, finder, table, type, die, most);
	} else if (!most && !(type->socket_link && dies->nr == 1)) {
		msg_add_location(msg, ALL_DIES);
		msg_add(msg, "%s", type->name);
	}
}

/*
 * Append the box types that are missing on die @die, or with ALL_DIES the types that all dies
 * lack. Links to other sockets are left out on a machine with one die, because a processor for
 * one socket has none. Memory-mapped boxes are included, because they are missing if the PCI
 * function with their address is hidden. Boxes of free-running counters are left out, because
 * they are missing whenever the other boxes of their memory controller are missing.
 */
static void add_missing(struct message *msg, const struct ucore_finder *finder,
			const struct ucore_static_table *table, const struct ucore_dies *dies,
			int die)
{
	const struct ucore_static_mmio *mmio;
	const struct ucore_static_pci *row;

	for (row = table->pci; row < table->pci + table->nr_pci; row++)
		if (first_of_type(table, row))
			add_type(msg, finder, table, dies, row->type, die);
	for (mmio = table->mmio; mmio < table->mmio + table->nr_mmio; mmio++)
		if (mmio->type->nr_gp)
			add_type(msg, finder, table, dies, mmio->type, die);
}

static bool pci_boxes_found(const struct ucore_finder *finder)
{
	u32 i;

	for (i = 0; i < finder->nr; i++)
		if (finder->desc[i].pdev)
			return true;
	return false;
}

/**
 * ucore_hidden_box_report() - set the text about boxes in the static table that were not found
 * @finder: collection of the boxes that were found, whose member hidden receives the text
 * @table: static table with the boxes that the processor generation can have
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_hidden_box_report(struct ucore_finder *finder, const struct ucore_static_table *table)
{
	struct message msg = { .die = ALL_DIES };
	struct ucore_dies dies = { };
	int ret = ucore_dies_list(&dies);
	u32 i;

	if (!finder->nr) {
		ucore_finder_report_hidden(finder, "uncore boxes",
					   "no uncore box answers: look for a BIOS option that hides them");
	} else if (table->nr_pci && !pci_boxes_found(finder)) {
		ucore_finder_report_hidden(finder, "PCI boxes",
					   "the PCI boxes are hidden: look for a BIOS option that hides them");
	} else if (!ret) {
		add_missing(&msg, finder, table, &dies, ALL_DIES);
		for (i = 0; i < dies.nr; i++)
			add_missing(&msg, finder, table, &dies, dies.id[i]);
		if (*msg.text)
			ucore_finder_report(finder, boot_cpu_has(X86_FEATURE_HYPERVISOR) ?
					    UCORE_CAUSE_GUEST : UCORE_CAUSE_FIRMWARE,
					    "%s", msg.text);
	}
	ucore_dies_free(&dies);
	return ret;
}
