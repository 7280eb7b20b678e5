// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Connections of IIO stacks and UPI links.  The driver reports the bus of a stack and
 * the die at the other end of a link.  sysfs lists the PCI devices.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output/domain.h"
#include "links.h"

#define BOX_NAME_LEN	(UCORE_NAME_LEN + 12)

/* ---- PCI devices of a stack, far ends of links -------------------------- */

/* Read the ports of all stacks.  IIO boxes only: the other boxes of a stack have the same ones. */
static int ports_read(struct tool *tool, struct ucore_device *dev, struct links *links, size_t nr)
{
	for (size_t i = 0; i < nr; i++) {
		struct link_ports *ports = &links->ports[i];
		int ret;

		if (links->link[i].kind != UCORE_LINK_BUS)
			continue;
		ret = ucore_device_ports(dev, (uint32_t)i, ports->port, LINK_MAX_PORTS, &tool->err);
		if (ret < 0)
			return tool_fail(tool, ret);
		ports->nr = ret < LINK_MAX_PORTS ? (unsigned int)ret : LINK_MAX_PORTS;
	}
	return 0;
}

int links_open(struct tool *tool, struct ucore_device *dev, const char *root, struct links *links)
{
	size_t nr;
	int ret;

	*links = (struct links) { 0 };
	ret = ucore_device_links(dev, &links->link, &tool->err);
	if (ret)
		return tool_fail(tool, ret);
	ucore_device_boxes(dev, &nr);
	links->ports = calloc(nr ? nr : 1, sizeof(*links->ports));
	if (!links->ports)
		return tool_error(tool, "out of memory");
	ret = ports_read(tool, dev, links, nr);
	if (!ret && pci_devices_read(root ? root : "", &links->devices))
		ret = tool_error(tool, "out of memory");
	if (ret)
		links_close(links);
	return ret;
}

void links_close(struct links *links)
{
	pci_devices_free(&links->devices);
	free(links->ports);
	links->ports = NULL;
}

/* Find ".PARTn" or ".PORTn" in an event's name ("UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART2") */
int links_port(const char *event)
{
	const char *word = strstr(event, ".PART");

	if (!word)
		word = strstr(event, ".PORT");
	return word && word[5] >= '0' && word[5] <= '9' ? atoi(word + 5) : -1;
}

/* Return true if a function of a port is a PCI device, or the root port above it */
static bool port_names(const struct ucore_port_info *port, const struct pci_device *device)
{
	unsigned int segment, bus, slot;

	if (port->device == UCORE_ALL_DEVICES)
		return false;
	if (port->segment == device->segment && port->bus == device->bus &&
	    port->device == device->slot)
		return true;
	/* the bus of an accelerator need not be a root bus */
	return sscanf(device->address, "%x:%x:%x", &segment, &bus, &slot) == 3 &&
	       port->segment == segment && port->bus == bus && port->device == slot;
}

static bool on_root_bus(const struct ucore_link_info *link, const struct pci_device *device)
{
	return device->segment == link->segment && device->bus == link->bus;
}

uint32_t links_ports(const struct links *links, uint32_t box, const struct pci_device *device)
{
	const struct link_ports *ports = &links->ports[box];
	uint32_t rest = 0;

	if (links->link[box].kind != UCORE_LINK_BUS)
		return 0;
	for (unsigned int i = 0; i < ports->nr; i++) {
		if (port_names(&ports->port[i], device))
			return ports->port[i].ports;
		if (ports->port[i].device == UCORE_ALL_DEVICES)
			rest |= ports->port[i].ports;
	}
	return on_root_bus(&links->link[box], device) ? rest : 0;
}

/* Return true if a PCI device is below @port of the IIO stack; -1: any or no known port */
static bool is_behind(const struct links *links, uint32_t box, const struct pci_device *device,
		      int port)
{
	uint32_t ports = links_ports(links, box, device);

	if (port >= 0 && links->ports[box].nr)
		return port < 32 && ports & 1U << port;
	return ports || on_root_bus(&links->link[box], device);
}

/* Find the next PCI device below @port from index @i on; return devices.nr if there is none */
static size_t device_next(const struct links *links, uint32_t box, int port, size_t i)
{
	while (i < links->devices.nr && !is_behind(links, box, &links->devices.device[i], port))
		i++;
	return i;
}

static size_t nr_behind(const struct links *links, uint32_t box, int port)
{
	size_t nr = 0;

	for (size_t i = 0; (i = device_next(links, box, port, i)) < links->devices.nr; i++)
		nr++;
	return nr;
}

void links_device_text(const struct pci_device *device, char *text, size_t size)
{
	int at = snprintf(text, size, "%s ", device->address);

	pci_device_text(device, text + at, size - (size_t)at);
}

/*
 * Append the names of the PCI devices below @port: as many as fit, or one with @brief, then the
 * number of omitted devices.
 */
static void devices_text(const struct links *links, uint32_t box, int port, bool brief, char *text,
			 size_t size)
{
	size_t left = nr_behind(links, box, port), at = strlen(text);
	char one[320];

	for (size_t i = 0; (i = device_next(links, box, port, i)) < links->devices.nr; i++) {
		links_device_text(&links->devices.device[i], one, sizeof(one));
		if (at + strlen(one) + 32 > size)
			break;
		at += (size_t)snprintf(text + at, size - at, "%s%s", at ? "; " : "", one);
		left--;
		if (brief)
			break;
	}
	if (left)
		snprintf(text + at, size - at, "%sand %zu more", at ? " " : "", left);
}

/* Write the root bus of a stack or the far end of a UPI link; return false if unknown */
static bool link_text(const struct ucore_link_info *link, char *text, size_t size)
{
	switch (link->kind) {
	case UCORE_LINK_BUS:
		snprintf(text, size, "%04x:%02x", link->segment, link->bus);
		return true;
	case UCORE_LINK_UPI:
		if (link->die == UCORE_NO_DIE)
			snprintf(text, size, "link %u of a die that is not online", link->link);
		else
			snprintf(text, size, "die %u link %u", link->die, link->link);
		return true;
	case UCORE_LINK_DOWN:
		snprintf(text, size, "not trained");
		return true;
	default:
		return false;
	}
}

bool links_text(const struct links *links, uint32_t box, int port, bool brief, char *text,
		size_t size)
{
	const struct ucore_link_info *link = &links->link[box];

	if (!link_text(link, text, size))
		return false;
	if (link->kind != UCORE_LINK_BUS || !nr_behind(links, box, port))
		return true;
	*text = 0;
	devices_text(links, box, port, brief, text, size);
	return true;
}

void links_ports_text(uint32_t ports, char *text, size_t size)
{
	size_t at = 0;

	*text = 0;
	for (int first = 0, last; first < 32; first = last + 1) {
		last = first;
		if (!(ports & 1U << first))
			continue;
		while (last < 31 && ports & 1U << (last + 1))
			last++;
		at += (size_t)snprintf(text + at, size - at, last > first ? "%s%d-%d" : "%s%d",
				       at ? "," : "", first, last);
		if (at >= size)
			return;
	}
}

/* ---- list --topology --------------------------------------------------- */

enum {
	LINK_COLUMN_SOCKET,
	LINK_COLUMN_DIE,
	LINK_COLUMN_BOX,
	LINK_COLUMN_LEADS_TO,
	LINK_COLUMN_SPEED,
	LINK_COLUMN_PORTS,
	LINK_COLUMN_NOTE,
	LINK_COLUMN_ADDRESS,
	LINK_COLUMN_DEVICE,
	NR_LINK_COLUMNS,
};

static const struct column link_columns[NR_LINK_COLUMNS] = {
	[LINK_COLUMN_SOCKET] = { "socket", "SOCKET", 6, true },
	[LINK_COLUMN_DIE] = { "die", "DIE", 3 },
	[LINK_COLUMN_BOX] = { "box", "BOX", -8 },
	[LINK_COLUMN_LEADS_TO] = { "leads_to", "LEADS TO", -12 },
	[LINK_COLUMN_SPEED] = { "gt_per_s", "GT/s", 5 },
	[LINK_COLUMN_PORTS] = { "ports", "PORT", -4 },
	[LINK_COLUMN_NOTE] = { "note", "NOTE", -10 },
	[LINK_COLUMN_ADDRESS] = { "address", "ADDRESS", -12 },
	[LINK_COLUMN_DEVICE] = { "device", "DEVICE", -8 },
};

/* State of links_list(), which prints `list --topology` */
struct link_listing {
	struct ucore_device *dev;
	const struct ucore_box_info *boxes;
	size_t nr;
	struct links links;
	struct column columns[NR_LINK_COLUMNS];
	struct out out;
	const char *pattern;
	size_t nr_rows;
};

static void box_name(const struct ucore_box_info *box, char *text)
{
	snprintf(text, BOX_NAME_LEN, "%s%u", box->type, box->instance);
}

/**
 * struct link_end - what a row shows of a connection
 * @ports: mask of the ports of the stack, 0: unknown, or no stack
 * @doubted: the ports are unverified
 * @address: address of the PCI device or of the root port, NULL: none
 * @device: the PCI device, NULL: none
 */
struct link_end {
	uint32_t ports;
	bool doubted;
	const char *address;
	const struct pci_device *device;
};

static void link_row(struct link_listing *list, const struct ucore_box_info *box,
		     const struct link_end *end)
{
	const struct ucore_domain_info *domain = ucore_device_domain(list->dev, box->domain);
	const struct ucore_link_info *link = &list->links.link[box->box];
	char name[BOX_NAME_LEN], text[64], full[320], ports[32];
	bool known = link_text(link, text, sizeof(text));
	bool doubted = link->flags & UCORE_LINK_F_UNVERIFIED || end->doubted;
	/* a link that is down has no speed; the speed of other links may be unknown */
	bool has_speed = link->speed || link->kind == UCORE_LINK_DOWN;

	box_name(box, name);
	links_ports_text(end->ports, ports, sizeof(ports));
	if (end->device)
		pci_device_text(end->device, full, sizeof(full));

	const struct cell cells[NR_LINK_COLUMNS] = {
		[LINK_COLUMN_SOCKET] = cell_number(domain ? domain->package : 0),
		[LINK_COLUMN_DIE] = cell_number(box->die),
		[LINK_COLUMN_BOX] = cell_text(name),
		[LINK_COLUMN_LEADS_TO] = known ? cell_text(text) :
				 list->out.format == OUT_TABLE ? cell_text("-") : cell_none(),
		[LINK_COLUMN_SPEED] = has_speed ? cell_value(link->speed / 1000.0) : cell_none(),
		[LINK_COLUMN_PORTS] = *ports ? cell_text(ports) : cell_none(),
		[LINK_COLUMN_NOTE] = doubted ? cell_text("unverified") : cell_none(),
		[LINK_COLUMN_ADDRESS] = end->address ? cell_text(end->address) : cell_none(),
		[LINK_COLUMN_DEVICE] = end->device ? cell_text(full) : cell_none(),
	};
	out_row(&list->out, list->columns, NR_LINK_COLUMNS, cells);
	list->nr_rows++;
}

/*
 * Return true if @box is to be listed.  Without a pattern all IIO stacks and UPI links are listed,
 * even if their connection is unknown.  Other boxes of a stack need a matching pattern.
 */
static bool link_wanted(const struct link_listing *list, const struct ucore_box_info *box)
{
	char name[BOX_NAME_LEN];

	if (!list->pattern)
		return !strcmp(box->type, "iio") || !strcmp(box->type, "upi") ||
		       !strcmp(box->type, "qpi");
	box_name(box, name);
	if (box->flags & UCORE_BOX_F_ABSENT)
		return false;
	return list->links.link[box->box].kind != UCORE_LINK_NONE &&
	       (pattern_matches(list->pattern, box->type) ||
		!fnmatch(list->pattern, name, FNM_CASEFOLD));
}

/* Print the devices of one port; if there are none, the root port */
static void port_rows(struct link_listing *list, const struct ucore_box_info *box,
		      const struct ucore_port_info *port)
{
	const struct pci_devices *devices = &list->links.devices;
	struct link_end end = {
		.ports = port->ports, .doubted = port->flags & UCORE_PORT_F_UNVERIFIED,
	};
	size_t before = list->nr_rows;
	char address[PCI_ADDRESS_LEN];

	for (size_t i = 0; i < devices->nr; i++) {
		if (!port_names(port, &devices->device[i]))
			continue;
		end.device = &devices->device[i];
		end.address = end.device->address;
		link_row(list, box, &end);
	}
	if (list->nr_rows > before || port->device == UCORE_ALL_DEVICES)
		return;
	snprintf(address, sizeof(address), "%04x:%02x:%02x.%u", port->segment & 0xffff,
		 port->bus & 0xff, port->device & 0x1f, port->function & 7);
	end.address = address;
	link_row(list, box, &end);
}

/* Print the devices of the root bus that no port names */
static void other_rows(struct link_listing *list, const struct ucore_box_info *box)
{
	const struct link_ports *ports = &list->links.ports[box->box];
	const struct pci_devices *devices = &list->links.devices;

	for (size_t i = 0; i < devices->nr; i++) {
		struct link_end end = { .device = &devices->device[i] };
		bool named = false;

		for (unsigned int p = 0; p < ports->nr; p++)
			named |= port_names(&ports->port[p], end.device);
		if (named || !on_root_bus(&list->links.link[box->box], end.device))
			continue;
		end.ports = links_ports(&list->links, box->box, end.device);
		end.address = end.device->address;
		link_row(list, box, &end);
	}
}

static void link_rows(struct link_listing *list, const struct ucore_box_info *box)
{
	const struct link_ports *ports = &list->links.ports[box->box];
	size_t before = list->nr_rows;

	if (list->links.link[box->box].kind == UCORE_LINK_BUS) {
		for (unsigned int i = 0; i < ports->nr; i++)
			port_rows(list, box, &ports->port[i]);
		other_rows(list, box);
	}
	if (list->nr_rows == before)
		link_row(list, box, &(struct link_end) { 0 });
}

/* Tables omit the column of notes if there is none */
static void columns_make(struct link_listing *list)
{
	bool doubted = false;

	for (size_t i = 0; i < list->nr; i++) {
		doubted |= list->links.link[i].flags & UCORE_LINK_F_UNVERIFIED;
		for (unsigned int p = 0; p < list->links.ports[i].nr; p++)
			doubted |= list->links.ports[i].port[p].flags & UCORE_PORT_F_UNVERIFIED;
	}
	memcpy(list->columns, link_columns, sizeof(link_columns));
	list->columns[LINK_COLUMN_NOTE].hidden = !doubted;
}

int links_list(struct tool *tool, struct ucore_device *dev, const struct out *how,
	       const char *pattern, const char *root)
{
	struct link_listing list = { .dev = dev, .out = *how, .pattern = pattern };
	int ret = ucore_device_ready(dev, &tool->err);

	list.boxes = ucore_device_boxes(dev, &list.nr);
	if (!list.nr && ret)
		return tool_fail(tool, ret);
	ret = links_open(tool, dev, root, &list.links);
	if (ret)
		return ret;
	columns_make(&list);
	out_head(&list.out, list.columns, NR_LINK_COLUMNS);
	for (size_t i = 0; i < list.nr; i++)
		if (link_wanted(&list, &list.boxes[i]))
			link_rows(&list, &list.boxes[i]);
	links_close(&list.links);
	return list.nr_rows ? 0
			    : tool_error(tool, "%s: no stack or link matches here",
					 pattern ? pattern : "*");
}
