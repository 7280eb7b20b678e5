// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Where IIO stacks and UPI links lead: the driver knows the bus and the other die, sysfs
 * the devices.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output/domain.h"
#include "links.h"

#define BOX_NAME_LEN	(UCORE_NAME_LEN + 12)

/* ---- what is where ----------------------------------------------------- */

int ends_open(struct tool *tool, struct ucore_device *dev, const char *root, struct ends *ends)
{
	int ret;

	*ends = (struct ends) { 0 };
	ret = ucore_device_links(dev, &ends->end, &tool->err);
	if (ret)
		return tool_fail(tool, ret);
	if (pci_devices_read(root ? root : "", &ends->devices))
		return tool_error(tool, "out of memory");
	return 0;
}

void ends_close(struct ends *ends)
{
	pci_devices_free(&ends->devices);
}

/* Intel calls ports parts: "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.PART2", but not always */
int ends_port(const char *event)
{
	const char *word = strstr(event, ".PART");

	if (!word)
		word = strstr(event, ".PORT");
	return word && word[5] >= '0' && word[5] <= '9' ? atoi(word + 5) : -1;
}

/* Behind this port of the stack?  Where nobody knows its place, all devices may be */
static bool is_behind(const struct pci_device *device, const struct ucore_link_info *end, int port)
{
	if (device->segment != end->segment || device->bus != end->bus)
		return false;
	return port < 0 || (uint32_t)port >= end->nr_ports ||
	       device->slot == end->port0 + (uint32_t)port;
}

/* The next device there, from @i on; the number of all devices if there is none */
static size_t device_next(const struct ends *ends, const struct ucore_link_info *end, int port,
			  size_t i)
{
	while (i < ends->devices.nr && !is_behind(&ends->devices.device[i], end, port))
		i++;
	return i;
}

static size_t nr_behind(const struct ends *ends, const struct ucore_link_info *end, int port)
{
	size_t nr = 0;

	for (size_t i = 0; (i = device_next(ends, end, port, i)) < ends->devices.nr; i++)
		nr++;
	return nr;
}

static void device_text(const struct pci_device *device, char *text, size_t size)
{
	int at = snprintf(text, size, "%s ", device->address);

	pci_device_text(device, text + at, size - (size_t)at);
}

/* As many devices as fit, or the first; then how many more there are */
static void devices_text(const struct ends *ends, const struct ucore_link_info *end, int port,
			 bool brief, char *text, size_t size)
{
	size_t left = nr_behind(ends, end, port), at = strlen(text);
	char one[320];

	for (size_t i = 0; (i = device_next(ends, end, port, i)) < ends->devices.nr; i++) {
		device_text(&ends->devices.device[i], one, sizeof(one));
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

/* The bus, or the link, without devices */
static bool end_text(const struct ucore_link_info *end, char *text, size_t size)
{
	switch (end->kind) {
	case UCORE_LINK_BUS:
		snprintf(text, size, "%04x:%02x", end->segment, end->bus);
		return true;
	case UCORE_LINK_UPI:
		if (end->die == UCORE_NO_DIE)
			snprintf(text, size, "link %u of a die that is not online", end->link);
		else
			snprintf(text, size, "die %u link %u", end->die, end->link);
		return true;
	case UCORE_LINK_DOWN:
		snprintf(text, size, "not trained");
		return true;
	default:
		return false;
	}
}

bool ends_text(const struct ends *ends, uint32_t box, int port, bool brief, char *text, size_t size)
{
	const struct ucore_link_info *end = &ends->end[box];

	if (!end_text(end, text, size))
		return false;
	if (end->kind != UCORE_LINK_BUS || !nr_behind(ends, end, port))
		return true;
	*text = 0;
	devices_text(ends, end, port, brief, text, size);
	return true;
}

/* ---- a line for each --------------------------------------------------- */

enum {
	END_SOCKET,
	END_DIE,
	END_BOX,
	END_LEADS_TO,
	END_ADDRESS,
	END_DEVICE,
	NR_END_COLUMNS,
};

static const struct column end_columns[NR_END_COLUMNS] = {
	[END_SOCKET] = { "socket", "SOCKET", 6, true },
	[END_DIE] = { "die", "DIE", 3 },
	[END_BOX] = { "box", "BOX", -8 },
	[END_LEADS_TO] = { "leads_to", "LEADS TO", -12 },
	[END_ADDRESS] = { "address", "ADDRESS", -12 },
	[END_DEVICE] = { "device", "DEVICE", -8 },
};

/* What ends_list() goes through */
struct end_list {
	struct ucore_device *dev;
	const struct ucore_box_info *boxes;
	size_t nr;
	struct ends ends;
	struct out out;
	const char *pattern;
	size_t nr_rows;
};

static void box_name(const struct ucore_box_info *box, char *text)
{
	snprintf(text, BOX_NAME_LEN, "%s%u", box->type, box->instance);
}

static void end_row(struct end_list *list, const struct ucore_box_info *box,
		    const struct pci_device *device)
{
	const struct ucore_domain_info *domain = ucore_device_domain(list->dev, box->domain);
	char name[BOX_NAME_LEN], text[64], full[320];
	bool known = end_text(&list->ends.end[box->box], text, sizeof(text));

	box_name(box, name);
	if (device)
		pci_device_text(device, full, sizeof(full));

	const struct cell cells[NR_END_COLUMNS] = {
		[END_SOCKET] = cell_number(domain ? domain->package : 0),
		[END_DIE] = cell_number(box->die),
		[END_BOX] = cell_text(name),
		[END_LEADS_TO] = known ? cell_text(text) :
				 list->out.format == OUT_TABLE ? cell_text("-") : cell_none(),
		[END_ADDRESS] = device ? cell_text(device->address) : cell_none(),
		[END_DEVICE] = device ? cell_text(full) : cell_none(),
	};
	out_row(&list->out, end_columns, NR_END_COLUMNS, cells);
	list->nr_rows++;
}

/*
 * A stack or a link, whether anybody knows where it leads or not.  The other boxes of a stack
 * are for those who ask for them by name.
 */
static bool end_wanted(const struct end_list *list, const struct ucore_box_info *box)
{
	char name[BOX_NAME_LEN];

	if (!list->pattern)
		return !strcmp(box->type, "iio") || !strcmp(box->type, "upi") ||
		       !strcmp(box->type, "qpi");
	box_name(box, name);
	return list->ends.end[box->box].kind != UCORE_LINK_NONE &&
	       (pattern_matches(list->pattern, box->type) ||
		!fnmatch(list->pattern, name, FNM_CASEFOLD));
}

static void end_rows(struct end_list *list, const struct ucore_box_info *box)
{
	const struct ucore_link_info *end = &list->ends.end[box->box];
	const struct pci_devices *devices = &list->ends.devices;

	if (end->kind != UCORE_LINK_BUS || !nr_behind(&list->ends, end, -1)) {
		end_row(list, box, NULL);
		return;
	}
	for (size_t i = 0; (i = device_next(&list->ends, end, -1, i)) < devices->nr; i++)
		end_row(list, box, &devices->device[i]);
}

int ends_list(struct tool *tool, struct ucore_device *dev, const struct out *how,
	      const char *pattern, const char *root)
{
	struct end_list list = { .dev = dev, .out = *how, .pattern = pattern };
	int ret = ucore_device_ready(dev, &tool->err);

	list.boxes = ucore_device_boxes(dev, &list.nr);
	if (!list.nr && ret)
		return tool_fail(tool, ret);
	ret = ends_open(tool, dev, root, &list.ends);
	if (ret)
		return ret;
	out_head(&list.out, end_columns, NR_END_COLUMNS);
	for (size_t i = 0; i < list.nr; i++)
		if (end_wanted(&list, &list.boxes[i]))
			end_rows(&list, &list.boxes[i]);
	ends_close(&list.ends);
	return list.nr_rows ? 0 : tool_error(tool, "no stack or link is like that here");
}
