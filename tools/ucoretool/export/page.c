// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Prints the exporter's page: metric names, labels and values. The values are counts and times
 * since the start of the exporter, which totals.c adds up over all sessions.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "export/text_format.h"
#include "export/page.h"

/* ---- counts of families and of events of -e ---------------------------- */

static void where_labels(const struct collect *c, struct expose *page, uint32_t package,
			 uint32_t die, int32_t cpu)
{
	expose_label_number(page, "socket", package);
	if (c->several_dies)
		expose_label_number(page, "die", die);
	if (cpu >= 0)
		expose_label_number(page, "cpu", (uint32_t)cpu);
}

/*
 * Return true if the series is printed. The series of a single box is absent while the box does not
 * respond, because a constant value would look like an idle box.
 */
static bool is_shown(const struct series *series)
{
	return series->counted && !series->partial &&
	       !(series->dead && series->instance != UCORE_ANY);
}

static void family_print(const struct collect *c, struct expose *page, size_t group)
{
	const struct family *family = &families[group];
	bool begun = false;

	for (size_t i = 0; i < c->nr_series; i++) {
		const struct series *series = &c->series[i];

		if (series->group != group || !is_shown(series))
			continue;
		if (!begun)
			expose_counter(page, family->name, family->help);
		begun = true;
		expose_begin(page);
		where_labels(c, page, series->package, series->die, series->cpu);
		if (family->label)
			expose_label_number(page, family->label, series->instance);
		/* channels of DDR and HBM are numbered separately */
		if (!strcmp(series->type, "mchbm"))
			expose_label(page, "memory", "hbm");
		expose_bytes(page, series->count, series->bytes, series->per);
	}
}

static void users_print(const struct collect *c, struct expose *page)
{
	char box[UCORE_NAME_LEN + 12];
	bool begun = false;

	for (size_t i = 0; i < c->nr_series; i++) {
		const struct series *series = &c->series[i];

		if (series->group < NR_FAMILIES || !is_shown(series))
			continue;
		if (!begun)
			expose_counter(page, "ucore_events_total",
				       "Events selected with -e, by box.");
		begun = true;
		expose_begin(page);
		expose_label(page, "event", c->labels[series->group - NR_FAMILIES].text);
		snprintf(box, sizeof(box), "%s%u", series->type, series->instance);
		expose_label(page, "box", box);
		where_labels(c, page, series->package, series->die, series->cpu);
		expose_number(page, series->count);
	}
}

/* ---- dies and other domains -------------------------------------------- */

static void place_begin(const struct collect *c, struct expose *page, const struct place *place)
{
	expose_begin(page);
	where_labels(c, page, place->package, place->die, place->cpu);
}

/* Prometheus metric with one line for each die, or for each domain that the session counts on */
struct place_row {
	const char *name;
	const char *help;
	size_t meter;		/* offset of the metric's struct meter in struct place */
	bool of_session;	/* true for the domains of the session, false for each die */
	bool seconds;
};

#define METER(member)	offsetof(struct place, member)

static const struct place_row place_rows[] = {
	{ "ucore_enabled_seconds_total", "Time for which counting was enabled.",
	  METER(enabled), true, true },
	{ "ucore_running_seconds_total",
	  "Time for which counting was enabled and the counters were not frozen.",
	  METER(running), true, true },
	{ "ucore_frozen_seconds_total",
	  "Time for which the die's counters were frozen, for all sessions.",
	  METER(frozen), false, true },
	{ "ucore_interrupts_total", "Overflow interrupts, of all sessions.",
	  METER(pmis), false, false },
	{ "ucore_interrupts_lost_total",
	  "Overflows whose interrupt was lost; a timer found them.",
	  METER(recovered), false, false },
	{ "ucore_throttled_total",
	  "Times that overflows were too frequent and were counted without samples for some milliseconds.",
	  METER(throttled), false, false },
};

static bool place_has(const struct place *place, const struct place_row *row)
{
	return place->there && (row->of_session ? place->read : place->scope == UCORE_SCOPE_DIE);
}

static void place_row_print(const struct collect *c, struct expose *page,
			    const struct place_row *row)
{
	expose_counter(page, row->name, row->help);
	for (size_t i = 0; i < c->nr_places; i++) {
		const struct place *place = &c->places[i];
		const struct meter *meter = (const void *)((const char *)place + row->meter);

		if (!place_has(place, row))
			continue;
		place_begin(c, page, place);
		if (row->seconds)
			expose_seconds(page, meter->total);
		else
			expose_number(page, meter->total);
	}
}

static void places_print(const struct collect *c, struct expose *page)
{
	for (size_t i = 0; i < ARRAY_SIZE(place_rows); i++)
		place_row_print(c, page, &place_rows[i]);
	expose_gauge(page, "ucore_die_online",
		     "1 if a CPU of the die is online to read its boxes, 0 if not.");
	for (size_t i = 0; i < c->nr_places; i++) {
		const struct place *place = &c->places[i];

		if (!place->there || place->scope != UCORE_SCOPE_DIE)
			continue;
		place_begin(c, page, place);
		expose_number(page, place->online);
	}
	expose_gauge(page, "ucore_read_skew_seconds",
		     "Time between the first and the last freeze of the last read.");
	expose_begin(page);
	expose_seconds(page, c->skew_ns);
}

/* ---- boxes, and the whole page ----------------------------------------- */

/* Number of boxes of one type on one socket, for the page */
struct census {
	uint32_t package;
	const char *type;
	uint64_t nr;
	uint64_t nr_dead;
};

static struct census *census_of(struct census *census, size_t *nr, uint32_t package,
				const char *type)
{
	for (size_t i = 0; i < *nr; i++)
		if (census[i].package == package && !strcmp(census[i].type, type))
			return &census[i];
	census[*nr] = (struct census) { .package = package, .type = type };
	return &census[(*nr)++];
}

static void census_print(struct expose *page, const struct census *census, size_t nr, bool dead)
{
	for (size_t i = 0; i < nr; i++) {
		expose_begin(page);
		expose_label_number(page, "socket", census[i].package);
		expose_label(page, "type", census[i].type);
		expose_number(page, dead ? census[i].nr_dead : census[i].nr);
	}
}

static void boxes_print(const struct collect *c, struct expose *page)
{
	const struct ucore_box_info *boxes;
	struct census *census;
	size_t nr_boxes, nr = 0;

	boxes = ucore_device_boxes(c->dev, &nr_boxes);
	census = calloc(nr_boxes ? nr_boxes : 1, sizeof(*census));
	if (!census)
		return;
	for (size_t i = 0; i < nr_boxes; i++) {
		const struct ucore_domain_info *domain;
		struct census *of;

		if (boxes[i].flags & UCORE_BOX_F_ABSENT)
			continue;
		domain = ucore_device_domain(c->dev, boxes[i].domain);
		of = census_of(census, &nr, domain ? domain->package : 0, boxes[i].type);

		of->nr++;
		of->nr_dead += !!(boxes[i].flags & UCORE_BOX_F_DEAD);
	}
	expose_gauge(page, "ucore_boxes", "Boxes, including dead ones.");
	census_print(page, census, nr, false);
	expose_gauge(page, "ucore_dead_boxes", "Boxes that no longer respond.");
	census_print(page, census, nr, true);
	free(census);
}

static void missing_box_print(const struct collect *c, struct expose *page,
			      const struct missing_item *item)
{
	char box[UCORE_NAME_LEN + 12];

	snprintf(box, sizeof(box), "%s%u", item->type, item->instance);
	expose_begin(page);
	where_labels(c, page, item->package, item->die, item->cpu);
	expose_label(page, "box", box);
	expose_label(page, "reason", ucore_omission_reason(item->code));
	expose_number(page, 1);
}

/* Return true if an earlier item of the list has the same box and reason, for another event */
static bool is_repeated(const struct missing *missing, size_t i)
{
	const struct missing_item *b = &missing->items[i];

	for (size_t j = 0; j < i; j++) {
		const struct missing_item *a = &missing->items[j];

		if (a->die == b->die && a->cpu == b->cpu && a->instance == b->instance &&
		    a->code == b->code && !strcmp(a->type, b->type))
			return true;
	}
	return false;
}

/* Print the boxes that stopped responding after the session had been started */
static void dead_boxes_print(const struct collect *c, struct expose *page)
{
	const struct ucore_box_info *boxes;
	const struct ucore_slot *slots;
	size_t nr, nr_boxes;

	boxes = ucore_device_boxes(c->dev, &nr_boxes);
	slots = ucore_session_slots(c->session, &nr);
	for (size_t i = 0; i < nr_boxes; i++) {
		const struct ucore_domain_info *domain = ucore_device_domain(c->dev,
									     boxes[i].domain);
		struct missing_item item = {
			.type = boxes[i].type,
			.instance = boxes[i].instance,
			.package = domain ? domain->package : 0,
			.die = boxes[i].die,
			.cpu = boxes[i].cpu,
			.code = -ENODEV,
		};
		size_t j = 0;

		if (!(boxes[i].flags & UCORE_BOX_F_DEAD))
			continue;
		while (j < nr && slots[j].box != i)
			j++;
		if (j < nr)
			missing_box_print(c, page, &item);
	}
}

/* Print what the page should have but does not: collectors and boxes, with the reasons */
static void missing_all_print(const struct collect *c, struct expose *page)
{
	expose_gauge(page, "ucore_collector_missing",
		     "1 for a collector that does not count, with the reason.");
	for (unsigned int i = 0; i < NR_COLLECTORS; i++) {
		if (c->states[i] != COLLECTOR_BUSY && c->states[i] != COLLECTOR_REFUSED)
			continue;
		expose_begin(page);
		expose_label(page, "collector", collectors[i]);
		expose_label(page, "reason", c->codes[i] == -ENOSPC ? "counters" :
			     ucore_omission_reason(c->codes[i]));
		expose_number(page, 1);
	}
	expose_gauge(page, "ucore_box_missing",
		     "1 for a box whose counts are missing, with the reason.");
	for (size_t i = 0; i < c->missing.nr; i++)
		if (!is_repeated(&c->missing, i))
			missing_box_print(c, page, &c->missing.items[i]);
	dead_boxes_print(c, page);
}

static void machine_print(const struct collect *c, struct expose *page)
{
	const struct ucore_get_info *info = ucore_device_info(c->dev);

	expose_gauge(page, "ucore_machine_info", "The processor and the version of the driver's interface.");
	expose_begin(page);
	expose_label(page, "platform", info->platform);
	expose_label_number(page, "family", info->family);
	expose_label_number(page, "model", info->model);
	expose_label_number(page, "stepping", info->stepping);
	expose_label_number(page, "abi", info->abi);
	expose_number(page, 1);

	expose_gauge(page, "ucore_collector_success",
		     "1 if the collector counts, 0 if its counters are in use or too few.");
	for (unsigned int i = 0; i < NR_COLLECTORS; i++) {
		if (c->states[i] == COLLECTOR_MISSING)
			continue;
		expose_begin(page);
		expose_label(page, "collector", collectors[i]);
		expose_number(page, c->states[i] == COLLECTOR_COUNTING);
	}
}

static void self_print(const struct collect *c, struct expose *page)
{
	struct rusage usage = { 0 };

	expose_gauge(page, "ucore_up", "1 if the counters of this page could be read, 0 if not.");
	expose_begin(page);
	expose_number(page, !!c->session);
	expose_gauge(page, "ucore_build_info", "The exporter.");
	expose_begin(page);
	expose_label(page, "version", UCORE_VERSION);
	expose_number(page, 1);
	expose_counter(page, "ucore_reads_total", "Reads of all counters at one instant.");
	expose_begin(page);
	expose_number(page, c->nr_reads);
	expose_counter(page, "ucore_read_failures_total", "Reads that failed.");
	expose_begin(page);
	expose_number(page, c->nr_failures);
	expose_gauge(page, "process_start_time_seconds", "When the exporter started, since 1970.");
	expose_begin(page);
	expose_seconds(page, c->started);
	getrusage(RUSAGE_SELF, &usage);
	expose_counter(page, "process_cpu_seconds_total", "CPU time of the exporter.");
	expose_begin(page);
	expose_seconds(page, (uint64_t)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) *
		       NSEC_PER_SEC + (uint64_t)(usage.ru_utime.tv_usec +
						 usage.ru_stime.tv_usec) * NSEC_PER_USEC);
}

static void all_print(const struct collect *c, struct expose *page)
{
	self_print(c, page);
	/* Omit counters that cannot be read: a constant value would look like an idle machine */
	if (!c->session)
		return;
	machine_print(c, page);
	for (size_t group = 0; group < NR_FAMILIES; group++)
		family_print(c, page, group);
	users_print(c, page);
	places_print(c, page);
	boxes_print(c, page);
	missing_all_print(c, page);
}

int totals_print(const struct collect *c, FILE *stream)
{
	struct expose page = { .stream = stream };

	all_print(c, &page);
	return ferror(stream) ? -EIO : 0;
}
