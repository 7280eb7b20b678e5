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

int links_open(struct tool *tool, struct ucore_device *dev, const char *root, struct links *links)
{
	int ret;

	*links = (struct links) { 0 };
	ret = ucore_device_links(dev, &links->link, &tool->err);
	if (ret)
		return tool_fail(tool, ret);
	if (pci_devices_read(root ? root : "", &links->devices))
		return tool_error(tool, "out of memory");
	return 0;
}

void links_close(struct links *links)
{
	pci_devices_free(&links->devices);
}

/* Find ".PARTn" or ".PORTn" in an event's name ("UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART2") */
int links_port(const char *event)
{
	const char *word = strstr(event, ".PART");

	if (!word)
		word = strstr(event, ".PORT");
	return word && word[5] >= '0' && word[5] <= '9' ? atoi(word + 5) : -1;
}

/* Return true if a PCI device is below @port of the IIO stack, or if the port is unknown */
static bool is_behind(const struct pci_device *device, const struct ucore_link_info *link, int port)
{
	if (device->segment != link->segment || device->bus != link->bus)
		return false;
	return port < 0 || (uint32_t)port >= link->nr_ports ||
	       device->slot == link->port0 + (uint32_t)port;
}

/* Find the next PCI device below @port from index @i on; return devices.nr if there is none */
static size_t device_next(const struct links *links, const struct ucore_link_info *link, int port,
			  size_t i)
{
	while (i < links->devices.nr && !is_behind(&links->devices.device[i], link, port))
		i++;
	return i;
}

static size_t nr_behind(const struct links *links, const struct ucore_link_info *link, int port)
{
	size_t nr = 0;

	for (size_t i = 0; (i = device_next(links, link, port, i)) < links->devices.nr; i++)
		nr++;
	return nr;
}

static void device_text(const struct pci_device *device, char *text, size_t size)
{
	int at = snprintf(text, size, "%s ", device->address);

	pci_device_text(device, text + at, size - (size_t)at);
}

/*
 * Append the names of the PCI devices below @port: as many as fit, or one with @brief, then the
 * number of omitted devices.
 */
static void devices_text(const struct links *links, const struct ucore_link_info *link, int port,
			 bool brief, char *text, size_t size)
{
	size_t left = nr_behind(links, link, port), at = strlen(text);
	char one[320];

	for (size_t i = 0; (i = device_next(links, link, port, i)) < links->devices.nr; i++) {
		device_text(&links->devices.device[i], one, sizeof(one));
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
	if (link->kind != UCORE_LINK_BUS || !nr_behind(links, link, port))
		return true;
	*text = 0;
	devices_text(links, link, port, brief, text, size);
	return true;
}

/* ---- list --topology --------------------------------------------------- */

enum {
	LINK_COLUMN_SOCKET,
	LINK_COLUMN_DIE,
	LINK_COLUMN_BOX,
	LINK_COLUMN_LEADS_TO,
	LINK_COLUMN_ADDRESS,
	LINK_COLUMN_DEVICE,
	NR_LINK_COLUMNS,
};

static const struct column link_columns[NR_LINK_COLUMNS] = {
	[LINK_COLUMN_SOCKET] = { "socket", "SOCKET", 6, true },
	[LINK_COLUMN_DIE] = { "die", "DIE", 3 },
	[LINK_COLUMN_BOX] = { "box", "BOX", -8 },
	[LINK_COLUMN_LEADS_TO] = { "leads_to", "LEADS TO", -12 },
	[LINK_COLUMN_ADDRESS] = { "address", "ADDRESS", -12 },
	[LINK_COLUMN_DEVICE] = { "device", "DEVICE", -8 },
};

/* State of links_list(), which prints `list --topology` */
struct link_listing {
	struct ucore_device *dev;
	const struct ucore_box_info *boxes;
	size_t nr;
	struct links links;
	struct out out;
	const char *pattern;
	size_t nr_rows;
};

static void box_name(const struct ucore_box_info *box, char *text)
{
	snprintf(text, BOX_NAME_LEN, "%s%u", box->type, box->instance);
}

static void link_row(struct link_listing *list, const struct ucore_box_info *box,
		     const struct pci_device *device)
{
	const struct ucore_domain_info *domain = ucore_device_domain(list->dev, box->domain);
	char name[BOX_NAME_LEN], text[64], full[320];
	bool known = link_text(&list->links.link[box->box], text, sizeof(text));

	box_name(box, name);
	if (device)
		pci_device_text(device, full, sizeof(full));

	const struct cell cells[NR_LINK_COLUMNS] = {
		[LINK_COLUMN_SOCKET] = cell_number(domain ? domain->package : 0),
		[LINK_COLUMN_DIE] = cell_number(box->die),
		[LINK_COLUMN_BOX] = cell_text(name),
		[LINK_COLUMN_LEADS_TO] = known ? cell_text(text) :
				 list->out.format == OUT_TABLE ? cell_text("-") : cell_none(),
		[LINK_COLUMN_ADDRESS] = device ? cell_text(device->address) : cell_none(),
		[LINK_COLUMN_DEVICE] = device ? cell_text(full) : cell_none(),
	};
	out_row(&list->out, link_columns, NR_LINK_COLUMNS, cells);
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
	return list->links.link[box->box].kind != UCORE_LINK_NONE &&
	       (pattern_matches(list->pattern, box->type) ||
		!fnmatch(list->pattern, name, FNM_CASEFOLD));
}

static void link_rows(struct link_listing *list, const struct ucore_box_info *box)
{
	const struct ucore_link_info *link = &list->links.link[box->box];
	const struct pci_devices *devices = &list->links.devices;

	if (link->kind != UCORE_LINK_BUS || !nr_behind(&list->links, link, -1)) {
		link_row(list, box, NULL);
		return;
	}
	for (size_t i = 0; (i = device_next(&list->links, link, -1, i)) < devices->nr; i++)
		link_row(list, box, &devices->device[i]);
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
	out_head(&list.out, link_columns, NR_LINK_COLUMNS);
	for (size_t i = 0; i < list.nr; i++)
		if (link_wanted(&list, &list.boxes[i]))
			link_rows(&list, &list.boxes[i]);
	links_close(&list.links);
	return list.nr_rows ? 0
			    : tool_error(tool, "%s: no stack or link matches here",
					 pattern ? pattern : "*");
}
