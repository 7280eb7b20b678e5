// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Traffic of the PCI devices behind IIO stacks: `ucoretool stat --per-device` without events.
 *
 * A row is a mask of ports of a stack, and has all devices of these ports.  A direction is counted
 * by the free-running counters of the ports if their unit is known.  Otherwise one event with the
 * ports in its field ch_mask counts the direction, which may need rotation.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "links.h"
#include "output/domain.h"
#include "stat/stat.h"

#define BOX_NAME_LEN	(UCORE_NAME_LEN + 12)
#define MAX_PORTS	8
#define ALL_PORTS	0xffU
#define EVENT_BYTES	4	/* DATA_REQ_OF_CPU counts units of 4 bytes */

/* Directions, as devices see them */
enum {
	DIR_READ,		/* memory to devices */
	DIR_WRITE,		/* devices to memory */
	NR_DIRS,
};

/* Name of a free-running counter before and after the number of the port */
struct free_name {
	const char *before;
	const char *after;
};

/* Counters of one direction: event DATA_REQ_OF_CPU, and free-running counters */
static const struct direction {
	unsigned int umask;
	struct free_name names[2];
} directions[NR_DIRS] = {
	[DIR_READ] = { 0x04, { { "BW_OUT.PORT", "" } } },
	[DIR_WRITE] = { 0x01, { { "BW_IN.PORT", "" }, { "BANDWIDTH_IN.PART", "_FREERUN" } } },
};

/**
 * struct traffic_row - traffic of the devices of some ports of a stack
 * @box: IIO box; a copy, because the boxes of the device are read again after an error
 * @ports: mask of the ports, ALL_PORTS also for a stack whose ports are unknown
 * @known: true if the ports of the devices are known
 * @flags: UCORE_VALUE_F_* of the counts
 * @note: what the user should know about the ports of the row, NULL: nothing
 * @unverified: true if a device of the row may belong to other ports or to another stack
 * @devices: addresses and names of the devices, as many as fit, NULL: none known
 * @nr_more: number of devices that do not fit
 * @bytes: traffic in each direction since the previous READ
 * @possible: time of the counts in each direction (ns), 0: not counted
 * @share: smallest share of time in which the counters counted
 */
struct traffic_row {
	struct ucore_box_info box;
	uint32_t ports;
	bool known;
	uint32_t flags;
	const char *note;
	bool unverified;
	char *devices;
	size_t nr_more;
	double bytes[NR_DIRS];
	uint64_t possible[NR_DIRS];
	double share;
};

/* Event of the session that counts a direction of a row */
struct traffic_event {
	uint32_t index;
	size_t row;
	unsigned int dir;
	double bytes;
};

struct traffic {
	struct links links;
	struct traffic_row *rows;
	size_t nr_rows;
	struct traffic_event *events;
	size_t nr_events;
	int refused;	/* error of an event that is not counted, 0: none */
};

enum {
	TRAFFIC_TIME,
	TRAFFIC_SOCKET,
	TRAFFIC_DIE,
	TRAFFIC_BOX,
	TRAFFIC_PORTS,
	TRAFFIC_READ,
	TRAFFIC_WRITE,
	TRAFFIC_READ_RATE,
	TRAFFIC_WRITE_RATE,
	TRAFFIC_NOTE,
	TRAFFIC_REAL,
	TRAFFIC_DEVICE,
	NR_TRAFFIC_COLUMNS,
};

static void columns_make(const struct stat_run *stat, struct column *columns)
{
	const struct column all[NR_TRAFFIC_COLUMNS] = {
		[TRAFFIC_TIME] = { "time_ns", "TIME (s)", 14, .hidden = !stat->series },
		[TRAFFIC_SOCKET] = { "socket", "SOCKET", 6, .hidden = true },
		[TRAFFIC_DIE] = { "die", "DIE", 3 },
		[TRAFFIC_BOX] = { "box", "BOX", -6 },
		[TRAFFIC_PORTS] = { "ports", "PORT", -4 },
		[TRAFFIC_READ] = { "read_bytes", "READ BYTES", 18 },
		[TRAFFIC_WRITE] = { "write_bytes", "WRITTEN BYTES", 18 },
		[TRAFFIC_READ_RATE] = { "read_mb_per_s", "READ MB/s", 10 },
		[TRAFFIC_WRITE_RATE] = { "write_mb_per_s", "WRITTEN MB/s", 12 },
		[TRAFFIC_NOTE] = { "note", "NOTE", -10 },
		[TRAFFIC_REAL] = { "time", "", .hidden = true },
		[TRAFFIC_DEVICE] = { "device", "DEVICE", -8 },
	};

	memcpy(columns, all, sizeof(all));
}

/* ---- rows --------------------------------------------------------------- */

static struct traffic_row *row_add(struct traffic *traffic, const struct ucore_box_info *box,
				   uint32_t ports)
{
	struct traffic_row *array = realloc(traffic->rows,
					    (traffic->nr_rows + 1) * sizeof(*array));

	if (!array)
		return NULL;
	traffic->rows = array;
	array[traffic->nr_rows] = (struct traffic_row) { .box = *box, .ports = ports };
	return &array[traffic->nr_rows++];
}

/* Find the row of @ports of a stack among the rows from @first on */
static struct traffic_row *row_find(struct traffic *traffic, size_t first, uint32_t ports,
				    bool known)
{
	for (size_t i = first; i < traffic->nr_rows; i++)
		if (traffic->rows[i].ports == ports && traffic->rows[i].known == known)
			return &traffic->rows[i];
	return NULL;
}

/* Append a device to the list of a row, or count it if the list is full */
static int device_append(struct traffic_row *row, const struct pci_device *device)
{
	char text[320];
	size_t length;

	if (!row->devices)
		row->devices = calloc(1, LINKS_TEXT_LEN);
	if (!row->devices)
		return -ENOMEM;
	links_device_text(device, text, sizeof(text));
	length = strlen(row->devices);
	if (row->nr_more || length + strlen(text) + 24 > LINKS_TEXT_LEN)
		row->nr_more++;
	else
		snprintf(row->devices + length, LINKS_TEXT_LEN - length, "%s%s",
			 length ? "; " : "", text);
	return 0;
}

static bool is_behind(const struct ucore_link_info *link, const struct pci_device *device)
{
	return device->segment == link->segment && device->bus == link->bus;
}

/* Return true if the driver doubts the ports of a device, or that of the whole stack */
static bool is_doubted(const struct links *links, uint32_t box, uint32_t ports)
{
	const struct link_ports *of_box = &links->ports[box];

	for (unsigned int i = 0; i < of_box->nr; i++)
		if (of_box->port[i].ports == ports &&
		    of_box->port[i].flags & UCORE_PORT_F_UNVERIFIED)
			return true;
	return links->link[box].flags & UCORE_LINK_F_UNVERIFIED;
}

/* Make a row for the ports of each device behind a stack */
static int stack_rows(struct traffic *traffic, const struct ucore_box_info *box)
{
	const struct ucore_link_info *link = &traffic->links.link[box->box];
	size_t first = traffic->nr_rows;
	struct traffic_row *row;
	uint32_t named = 0;

	for (size_t i = 0; i < traffic->links.devices.nr; i++) {
		const struct pci_device *device = &traffic->links.devices.device[i];
		uint32_t ports = links_ports(&traffic->links, box->box, device);

		if (!ports && !is_behind(link, device))
			continue;
		row = row_find(traffic, first, ports ? ports : ALL_PORTS, ports != 0);
		if (!row)
			row = row_add(traffic, box, ports ? ports : ALL_PORTS);
		if (!row || device_append(row, device))
			return -ENOMEM;
		row->known = ports != 0;
		row->note = ports ? NULL : "whole stack";
		row->unverified |= is_doubted(&traffic->links, box->box, ports);
	}
	for (size_t i = first; i < traffic->nr_rows; i++)
		if (traffic->rows[i].known)
			named |= traffic->rows[i].ports;
	for (size_t i = first; i < traffic->nr_rows; i++) {
		row = &traffic->rows[i];
		if (!row->known && named) {
			row->ports &= ~named;	/* bytes of other rows are counted there */
			row->note = "other ports";
		}
		if (row->nr_more)
			snprintf(row->devices + strlen(row->devices),
				 LINKS_TEXT_LEN - strlen(row->devices), " and %zu more",
				 row->nr_more);
	}
	return 0;
}

static int rows_make(struct traffic *traffic, struct ucore_device *dev)
{
	const struct ucore_box_info *boxes;
	struct traffic_row *row;
	size_t nr;
	int ret = 0;

	boxes = ucore_device_boxes(dev, &nr);
	for (size_t i = 0; i < nr && !ret; i++) {
		if (strcmp(boxes[i].type, "iio"))
			continue;
		if (traffic->links.link[boxes[i].box].kind == UCORE_LINK_BUS) {
			ret = stack_rows(traffic, &boxes[i]);
			continue;
		}
		row = row_add(traffic, &boxes[i], ALL_PORTS);
		if (!row)
			return -ENOMEM;
		row->note = "not mapped";
	}
	return ret;
}

/* ---- events ------------------------------------------------------------- */

static int event_note(struct traffic *traffic, uint32_t index, size_t row, unsigned int dir,
		      double bytes)
{
	struct traffic_event *array = realloc(traffic->events,
					      (traffic->nr_events + 1) * sizeof(*array));

	if (!array)
		return -ENOMEM;
	traffic->events = array;
	array[traffic->nr_events++] = (struct traffic_event) {
		.index = index, .row = row, .dir = dir, .bytes = bytes,
	};
	return 0;
}

/* Find a free-running counter whose unit is known: return its event, NULL if there is none */
static struct ucore_events *free_find(struct ucore_device *dev, const struct ucore_box_info *box,
				      const struct free_name *name, unsigned int port,
				      double *bytes)
{
	char text[UCORE_SPEC_LEN];
	const struct ucore_event_desc *desc;
	struct ucore_events *events;

	snprintf(text, sizeof(text), "iio_free%u/%s%u%s,die=%u/", box->instance, name->before,
		 port, name->after, box->die);
	if (ucore_events_find(dev, text, &events, NULL))
		return NULL;
	desc = ucore_event_desc_of(ucore_events_at(events, 0));
	if (desc && desc->bytes) {
		*bytes = (double)desc->bytes / desc->bytes_per;
		return events;
	}
	ucore_events_free(events);
	return NULL;
}

static int event_add(struct tool *tool, struct stat_run *stat, struct ucore_event *event,
		     size_t row, unsigned int dir, double bytes)
{
	struct ucore_session *session = stat->count.session;
	uint32_t index = 0;
	int ret;

	while (ucore_session_event(session, index))
		index++;
	ret = stat->count.rotates ? ucore_session_add_turn(session, event, &tool->err) :
				    ucore_session_add(session, event, &tool->err);
	if (ret == -ENOSPC && stat->count.may_rotate)
		return EXIT_FULL;
	if ((ret == -ENODEV || ret == -EBUSY) && !stat->count.strict) {
		stat->traffic->refused = ret;	/* the row says that it is not counted */
		return 0;
	}
	if (ret)
		return tool_fail(tool, ret);
	return event_note(stat->traffic, index, row, dir, bytes) ?
	       tool_error(tool, "out of memory") : 0;
}

/* Return the names of the free-running counters if all ports of a row have one, NULL otherwise */
static const struct free_name *free_name(struct stat_run *stat, const struct traffic_row *row,
					 unsigned int dir)
{
	struct ucore_events *events;
	double bytes;

	for (size_t n = 0; n < ARRAY_SIZE(directions[dir].names); n++) {
		const struct free_name *name = &directions[dir].names[n];
		uint32_t found = 0;

		for (unsigned int port = 0; name->before && port < MAX_PORTS; port++) {
			if (!(row->ports & 1U << port))
				continue;
			events = free_find(stat->count.dev, &row->box, name, port, &bytes);
			found |= events ? 1U << port : 0;
			ucore_events_free(events);
		}
		/* the ports of a whole stack are those that have a counter */
		if (found && (found == row->ports || row->ports == ALL_PORTS))
			return name;
	}
	return NULL;
}

static int free_add(struct tool *tool, struct stat_run *stat, size_t i, unsigned int dir,
		    const struct free_name *name)
{
	const struct traffic_row *row = &stat->traffic->rows[i];
	int ret = 0;

	for (unsigned int port = 0; port < MAX_PORTS && !ret; port++) {
		struct ucore_events *events = NULL;
		double bytes;

		if (row->ports & 1U << port)
			events = free_find(stat->count.dev, &row->box, name, port, &bytes);
		if (events)
			ret = event_add(tool, stat, ucore_events_at(events, 0), i, dir, bytes);
		ucore_events_free(events);
	}
	return ret;
}

static int counter_add(struct tool *tool, struct stat_run *stat, size_t i, unsigned int dir)
{
	const struct traffic_row *row = &stat->traffic->rows[i];
	struct ucore_events *events;
	char text[UCORE_SPEC_LEN];
	int ret;

	snprintf(text, sizeof(text),
		 "iio%u/event=0x83,umask=0x%02x,ch_mask=0x%x,fc_mask=0x7,die=%u/",
		 row->box.instance, directions[dir].umask, row->ports, row->box.die);
	ret = ucore_events_find(stat->count.dev, text, &events, &tool->err);
	if (ret)
		return tool_fail(tool, ret);
	ret = event_add(tool, stat, ucore_events_at(events, 0), i, dir, EVENT_BYTES);
	ucore_events_free(events);
	return ret;
}

static int events_add(struct tool *tool, struct stat_run *stat)
{
	int ret = 0;

	for (size_t i = 0; i < stat->traffic->nr_rows; i++)
		for (unsigned int dir = 0; dir < NR_DIRS && !ret; dir++) {
			const struct free_name *name;

			if (!stat->traffic->rows[i].ports)
				continue;
			name = free_name(stat, &stat->traffic->rows[i], dir);
			ret = name ? free_add(tool, stat, i, dir, name) :
				       counter_add(tool, stat, i, dir);
		}
	if (!ret && !stat->traffic->nr_events && stat->traffic->refused)
		return tool_fail(tool, stat->traffic->refused);
	return ret;
}

int traffic_open(struct tool *tool, struct stat_run *stat, const char *root)
{
	int ret;

	stat->traffic = calloc(1, sizeof(*stat->traffic));
	if (!stat->traffic)
		return tool_error(tool, "out of memory");
	ret = links_open(tool, stat->count.dev, root, &stat->traffic->links);
	if (ret)
		return ret;
	if (rows_make(stat->traffic, stat->count.dev))
		return tool_error(tool, "out of memory");
	if (!stat->traffic->nr_rows)
		return tool_error(tool, "--per-device: no PCI device is behind an IIO stack of this machine. See 'ucoretool list --topology'");
	return events_add(tool, stat);
}

void traffic_close(struct stat_run *stat)
{
	struct traffic *traffic = stat->traffic;

	if (!traffic)
		return;
	links_close(&traffic->links);
	for (size_t i = 0; i < traffic->nr_rows; i++)
		free(traffic->rows[i].devices);
	free(traffic->rows);
	free(traffic->events);
	free(traffic);
	stat->traffic = NULL;
}

/* ---- output ------------------------------------------------------------- */

static const struct traffic_event *event_of(const struct traffic *traffic, uint32_t index)
{
	for (size_t i = 0; i < traffic->nr_events; i++)
		if (traffic->events[i].index == index)
			return &traffic->events[i];
	return NULL;
}

static void value_add(struct traffic_row *row, const struct traffic_event *event,
		      const struct ucore_delta_value *value)
{
	double count = ucore_delta_scaled(value);
	double share = value->possible ? (double)value->running / (double)value->possible : 1;

	row->flags |= value->flags;
	if (value->flags & UCORE_VALUE_F_DEAD || __builtin_isnan(count))
		return;
	row->bytes[event->dir] += count * event->bytes;
	if (value->possible > row->possible[event->dir])
		row->possible[event->dir] = value->possible;
	if (share < row->share)
		row->share = share;
}

static void rows_update(struct stat_run *stat)
{
	struct traffic *traffic = stat->traffic;
	const struct ucore_delta_value *values;
	const struct traffic_event *event;
	const struct ucore_slot *slots;
	size_t nr;

	for (size_t i = 0; i < traffic->nr_rows; i++) {
		memset(traffic->rows[i].bytes, 0, sizeof(traffic->rows[i].bytes));
		memset(traffic->rows[i].possible, 0, sizeof(traffic->rows[i].possible));
		traffic->rows[i].share = 1;
		traffic->rows[i].flags = 0;
	}
	slots = ucore_session_slots(stat->count.session, &nr);
	values = ucore_delta_values(stat->delta, &nr);
	for (size_t i = 0; i < nr; i++) {
		event = event_of(traffic, slots[i].index);
		if (event)
			value_add(&traffic->rows[event->row], event, &values[i]);
	}
}

static struct cell bytes_cell(const struct traffic_row *row, unsigned int dir)
{
	return row->possible[dir] ? cell_count((uint64_t)(row->bytes[dir] + 0.5)) : cell_none();
}

static struct cell rate_cell(const struct traffic_row *row, unsigned int dir)
{
	if (!row->possible[dir])
		return cell_none();
	return cell_real(row->bytes[dir] / 1e6 / ((double)row->possible[dir] / NSEC_PER_SEC));
}

/* Return the note of a row: doubts about its place or its counts, and whether they are estimates */
static struct cell note_cell(const struct traffic_row *row, char *text, size_t size)
{
	const char *doubt = value_note(row->flags, -1);
	int at = snprintf(text, size, "%s", row->note ? row->note : "");

	if (row->unverified)
		at += snprintf(text + at, size - (size_t)at, "%sunverified", at ? ", " : "");
	if (!row->possible[DIR_READ] || !row->possible[DIR_WRITE])
		at += snprintf(text + at, size - (size_t)at, "%snot counted", at ? ", " : "");
	if (row->share < 1)
		at += snprintf(text + at, size - (size_t)at, "%sscaled", at ? ", " : "");
	if (doubt)
		snprintf(text + at, size - (size_t)at, "%s%s", at ? ", " : "", doubt);
	return *text ? cell_text(text) : cell_none();
}

void traffic_head(struct stat_run *stat)
{
	columns_make(stat, stat->columns);
	out_head(&stat->out, stat->columns, NR_TRAFFIC_COLUMNS);
}

void traffic_print(struct stat_run *stat)
{
	char box[BOX_NAME_LEN], ports[32], note[200];

	rows_update(stat);
	for (size_t i = 0; i < stat->traffic->nr_rows; i++) {
		const struct traffic_row *row = &stat->traffic->rows[i];
		const struct ucore_domain_info *domain =
			ucore_device_domain(stat->count.dev, row->box.domain);

		snprintf(box, sizeof(box), "%s%u", row->box.type, row->box.instance);
		links_ports_text(row->ports, ports, sizeof(ports));

		const struct cell cells[NR_TRAFFIC_COLUMNS] = {
			[TRAFFIC_TIME] = cell_ns(stat->time),
			[TRAFFIC_SOCKET] = cell_number(domain ? domain->package : 0),
			[TRAFFIC_DIE] = cell_number(row->box.die),
			[TRAFFIC_BOX] = cell_text(box),
			[TRAFFIC_PORTS] = row->known ? cell_text(ports) : cell_none(),
			[TRAFFIC_READ] = bytes_cell(row, DIR_READ),
			[TRAFFIC_WRITE] = bytes_cell(row, DIR_WRITE),
			[TRAFFIC_READ_RATE] = rate_cell(row, DIR_READ),
			[TRAFFIC_WRITE_RATE] = rate_cell(row, DIR_WRITE),
			[TRAFFIC_NOTE] = note_cell(row, note, sizeof(note)),
			[TRAFFIC_REAL] = cell_text(stat->real_text),
			[TRAFFIC_DEVICE] = row->devices ? cell_text(row->devices) : cell_none(),
		};
		out_row(&stat->out, stat->columns, NR_TRAFFIC_COLUMNS, cells);
	}
}
