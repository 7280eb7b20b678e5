// SPDX-License-Identifier: GPL-2.0-only
/* Facts about IIO stacks, their ports, and links between sockets. */
#include <linux/kernel.h>

#include "fact_links.h"
#include "fact_text.h"
#include "find/iio_bus_table.h"
#include "find/iio_ports.h"

static void print_stacks(const char *platform, const struct ucore_link_regs *links)
{
	struct fact_text text = {};
	u32 i;

	if (links->bus_msr)
		fact_add(&text, "MSR %#x, byte s is the bus of stack s, valid bit %d",
			 links->bus_msr, __builtin_ctzll(links->bus_valid));
	if (links->stack_device) {
		fact_add(&text, "%s8086:%04x %#x bits ", fact_separator(&text), links->stack_device,
			 links->stack_reg);
		fact_add_bits(&text, links->stack_id);
		for (i = 0; links->stack_of_id && i < links->nr_stacks; i++)
			fact_add(&text, "%s%u", i ? " " : ": stacks ", links->stack_of_id[i]);
	}
	if (text.len && links->nr_stacks)
		fact_add(&text, ", %u stacks, bus 0 only of stack %u", links->nr_stacks,
			 links->first_stack);
	if (links->no_model)
		fact_add(&text, ", not on model %u", links->no_model);
	fact_print(platform, "-", "IIO stacks", &text);
}

/* Print the PCI functions behind each port of a stack. */
static void add_ports(struct fact_text *text, const struct ucore_port_rule *rule)
{
	for (; rule && rule->ports; rule++) {
		fact_add(text, "%s", fact_separator(text));
		fact_add_bits(text, rule->ports);
		if (rule->device)
			fact_add(text, ": 8086:%04x on %u buses", rule->device, rule->buses);
		else if (rule->slot == UCORE_PORT_WHOLE_BUS)
			fact_add(text, ": all of the bus");
		else
			fact_add(text, ": device %u of bus + %u", rule->slot, rule->bus);
		if (rule->unverified)
			fact_add(text, " (unverified)");
	}
}

static void print_ports(const char *platform, u32 stack, const struct ucore_port_rule *rule)
{
	struct fact_text text = {};

	add_ports(&text, rule);
	if (text.len)
		fact_printf(platform, "-", "ports", "stack %u: %s", stack, text.s);
}

static void print_map(const char *platform, const struct ucore_iio_map *map)
{
	struct fact_text text = {};
	u32 i;

	fact_add(&text, "variant %u, root bus id: stack", map->variant);
	for (i = 0; i < map->nr; i++)
		fact_add(&text, ", %u: %u%s", map->stacks[i].id, map->stacks[i].stack,
			 map->stacks[i].unverified ? " (unverified)" : "");
	fact_print(platform, "-", "IIO stacks", &text);
	for (i = 0; i < map->nr; i++)
		print_ports(platform, map->stacks[i].stack, map->stacks[i].ports);
}

static void print_bus_table(const char *platform, const struct ucore_bus_table *table)
{
	struct fact_text text = {};
	u32 i;

	for (i = 0; table && i < table->nr_maps; i++)
		print_map(platform, &table->maps[i]);
	if (!table)
		return;
	if (table->variant_device) {
		fact_add(&text, "8086:%04x at %u.%u, %#x bits ", table->variant_device,
			 table->variant_devfn >> 3, table->variant_devfn & 7, table->variant_reg);
		fact_add_bits(&text, table->variant_field);
		fact_print(platform, "-", "die variant", &text);
	}
	text = (struct fact_text){};
	fact_add_bits(&text, table->no_stacks);
	if (table->doubted[0])
		fact_add(&text, "; the map is unverified on models %u and %u", table->doubted[0],
			 table->doubted[1]);
	fact_print(platform, "-", "root buses without a stack", &text);
}

static void print_speed(const char *platform, const struct ucore_link_speed *speed)
{
	struct fact_text text = {};
	u32 i;

	if (!speed)
		return;
	fact_add(&text, "function %u, %#x bits ", speed->function, speed->reg);
	fact_add_bits(&text, speed->field);
	fact_add(&text, ": MT/s");
	for (i = 0; i < speed->nr; i++)
		fact_add(&text, " %u", speed->mts[i]);
	if (speed->slowest_or_down)
		fact_add(&text, "; value 0 may be a link that is down");
	fact_print(platform, "-", "link speed", &text);
}

void fact_print_links(const char *platform, const struct ucore_link_regs *links)
{
	struct fact_text text = {};
	u32 i;

	if (!links)
		return;
	print_stacks(platform, links);
	print_bus_table(platform, links->bus_table);
	for (i = 0; links->ports && i < links->nr_stacks; i++)
		if (links->ports[i])
			print_ports(platform, i, links->ports[i]);
	print_speed(platform, links->speed);
	if (links->link_status) {
		fact_add(&text, "%#x trained ", links->link_status);
		fact_add_bits(&text, links->link_trained);
		fact_add(&text, ", %#x port ", links->link_peer);
		fact_add_bits(&text, links->peer_link);
		fact_add(&text, " node ");
		fact_add_bits(&text, links->peer_node);
	}
	fact_print(platform, "-", "UPI links", &text);
}
