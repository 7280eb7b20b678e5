/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Definitions that the files of libucore share and that are not part of its API.
 */
#ifndef UCORE_INTERNAL_H
#define UCORE_INTERNAL_H

#include "libucore.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Sanity limit for array lengths (domains, boxes ...) that the driver returns */
#define UCORE_MAX_ELEMENTS	(1U << 20)

/*
 * Box types of core boxes, and names of the platforms that have their events on every machine.
 * Only a hybrid processor has efficient cores.
 */
#define UCORE_CORE_TYPE		"core"
#define UCORE_ATOM_TYPE		"atom"

/* Define an ioctl argument with its size set and all other members zero */
#define UCORE_ARG(type, name, ...) struct type name = { .size = sizeof(name), __VA_ARGS__ }

#define UCORE_SPEC_ITEMS	32	/* maximum number of terms of an event */

/**
 * struct ucore_spec - text of an event, "head/term,term=value/", split into head and terms
 * @text: the event as the user wrote it, for labels and messages
 * @words: copy of @text in which NUL characters separate the parts
 * @head: part before the first slash: a box type with or without a number or a range of
 *        numbers, or the full name of an event
 * @nr: number of elements of @items
 * @items: terms between the slashes; @value is NULL for a term without "="
 *
 * @head and @items point into @words.  Therefore the structure must not be copied.
 */
struct ucore_spec {
	char text[UCORE_SPEC_LEN];
	char words[UCORE_SPEC_LEN];
	const char *head;
	unsigned int nr;
	struct {
		const char *key;
		const char *value;
	} items[UCORE_SPEC_ITEMS];
};

/* Get and split the next event of a list; same results as ucore_list_next() */
int ucore_spec_next(const char **list, struct ucore_spec *spec, struct ucore_error *err);

/**
 * struct ucore_event - event to count, and the boxes on which it is counted
 * @text: event as the user wrote it
 * @label: value of "name=", otherwise a copy of @text
 * @type: type of the boxes
 * @instance: number of the first selected box of each domain, or UCORE_ANY
 * @last: number of the last selected box of each domain, or UCORE_ANY
 * @die: the kernel's logical die of the boxes, or UCORE_ANY
 * @cpu: CPU of the core boxes, or UCORE_ANY
 * @desc: named event of Intel's event files; all 0 (name NULL) for a raw event
 * @counters: mask of permitted counters (0: any general counter)
 * @period: sampling period in counts (0: no overflow samples)
 * @flags: UCORE_EVENT_F_*
 * @nr_terms: number of valid elements of @terms
 * @terms: values of the event's fields, as for ADD_EVENT
 */
struct ucore_event {
	char text[UCORE_SPEC_LEN];
	char label[UCORE_SPEC_LEN];
	char type[UCORE_NAME_LEN];
	uint32_t instance;
	uint32_t last;
	uint32_t die;
	uint32_t cpu;
	struct ucore_event_desc desc;
	uint64_t counters;
	uint64_t period;
	uint32_t flags;
	unsigned int nr_terms;
	struct ucore_term terms[UCORE_TERMS_MAX];
};

struct ucore_events {
	struct ucore_event *events;
	size_t nr;
};

/*
 * Resolve the text of an event to boxes, field values and counters of a device.
 * ucore_spec_resolve() handles texts without patterns.  ucore_spec_expand() handles all texts
 * and returns an array of events, which the caller frees with free().  Errors: those of
 * ucore_events_find().
 */
int ucore_spec_resolve(struct ucore_device *dev, const struct ucore_spec *spec,
		       struct ucore_event *event, struct ucore_error *err);
int ucore_spec_expand(struct ucore_device *dev, const struct ucore_spec *spec,
		      struct ucore_event **events, size_t *nr, struct ucore_error *err);

/**
 * struct ucore_platform - processor generation with its named events
 * @name: name of the platform, as in ucore_get_info.platform: "ivbep"
 * @nr_events: number of elements of @rows
 * @rows: indices of the platform's events in ucore_rows
 */
struct ucore_platform {
	const char *name;
	uint32_t nr_events;
	const uint16_t *rows;
};

/* Cached event fields of box id @box; usually one box of each type is queried */
struct ucore_field_set {
	char type[UCORE_NAME_LEN];
	uint32_t box;
	struct ucore_field_info *fields;
	size_t nr;
};

struct ucore_device {
	const struct ucore_sys *sys;
	int fd;
	struct ucore_get_info info;
	struct ucore_domain_info *domains;
	size_t nr_domains;
	struct ucore_box_info *boxes;
	size_t nr_boxes;
	struct ucore_box_info *absent;	/* boxes with UCORE_BOX_F_ABSENT, as in GET_BOXES */
	size_t nr_absent;
	struct ucore_field_set *sets;
	size_t nr_sets;
	struct ucore_link_info *ends;	/* connection of each box; NULL before GET_LINKS */
	bool recorded;		/* true for the device of a replay, which has no driver */
};

/* Buffers and result of one READ command; the driver sorts @values by event id */
struct ucore_reading {
	struct ucore_value *values;
	uint64_t *running;		/* counting time of each event (ns); NULL: no groups */
	size_t nr_values, max_values;
	struct ucore_read_domain *domains;
	size_t nr_domains, max_domains;
	uint64_t skew_ns;
};

struct ucore_session {
	struct ucore_device *dev;
	int fd;
	struct ucore_session_config config;
	struct ucore_event *events;
	size_t nr_events;
	struct ucore_slot *slots;
	size_t nr_slots;
	struct ucore_reading reading;
	struct ucore_value *values;	/* copy of reading.values in the order of @slots */
	uint64_t *running;		/* copy of reading.running in the order of @slots */
	struct ucore_omission *omissions;
	size_t nr_omissions;
	bool partial;			/* boxes that cannot count an event are omitted */
	uint32_t group;			/* group of the events that are added next */
	uint32_t last_group;		/* highest group that has events */
	struct ucore_replay *replay;	/* owner of a replay's session; NULL for other sessions */
};

/*
 * Named event in the generated tables; see struct ucore_event_desc for the members.  The row
 * has 28 bytes and no pointer, so that the tables need no relocation.  Platforms can share rows.
 */
struct ucore_row {
	uint32_t name;		/* offset of the name in ucore_row_names */
	uint8_t unit;		/* index in ucore_event_units */
	uint8_t bytes;
	uint8_t bytes_per;
	uint16_t event;
	uint8_t umask;
	uint8_t occ_sel;
	uint32_t umask_ext;
	uint16_t ch_mask;
	uint8_t fc_mask;
	uint8_t thresh;
	uint32_t counters;	/* mask of general counters that can count the event */
	uint8_t counters_alt;
	int8_t fixed;		/* number of the event's fixed counter (-1: none) */
	uint8_t filter;		/* index in ucore_filters (0: no filter) */
};

/* Generated from tools/events/ at build time */
extern const struct ucore_event_unit ucore_event_units[];
extern const struct ucore_filter ucore_filters[];
extern const char ucore_row_names[];
extern const struct ucore_row ucore_rows[];
extern const struct ucore_platform ucore_platforms[];
extern const size_t ucore_nr_platforms;

/* Metric in the generated tables; all members but @levels are offsets in ucore_metric_strings */
struct ucore_metric_row {
	uint32_t name;
	uint32_t unit;
	uint32_t category;
	uint32_t text;
	uint32_t formula;
	uint32_t where;
	uint32_t omitted;
	uint32_t levels;	/* mask of supported UCORE_LEVEL_* (0: all) */
};

/* Named metrics of one platform */
struct ucore_metric_platform {
	const char *name;
	size_t nr;
	const struct ucore_metric_row *rows;
};

/* One-line description of a common event, written by hand in tools/metrics/ */
struct ucore_event_text {
	const char *type;	/* box type */
	const char *name;	/* short name of the event */
	const char *text;
};

/* Part of event names ("RD" for example) and its meaning; "#" in @part and @text is a number */
struct ucore_name_part {
	const char *part;
	const char *text;
};

/* Generated from tools/metrics/ at build time */
extern const char ucore_metric_strings[];
extern const struct ucore_metric_platform ucore_metric_platforms[];
extern const size_t ucore_nr_metric_platforms;
extern const struct ucore_event_text ucore_event_texts[];
extern const size_t ucore_nr_event_texts;
extern const struct ucore_name_part ucore_name_parts[];
extern const size_t ucore_nr_name_parts;

/* Format the explanation of a failure into @err, unless @err is NULL.  Returns @code. */
int ucore_error_set(struct ucore_error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Set the text of an error about a box that the machine does not have, and the reason, if the
 * driver knows why boxes are missing.  Return -ENOENT.
 */
int ucore_error_no_box(struct ucore_error *err, const struct ucore_device *dev,
		       const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Search for the name that the user probably meant by a misspelled word.  @best is the most
 * similar of the names passed to ucore_guess_offer(), or NULL if none is similar.  @distance
 * is the number of character edits from @word to @best.
 */
struct ucore_guess {
	const char *word;
	const char *best;
	size_t distance;
};

void ucore_guess_start(struct ucore_guess *guess, const char *word);
void ucore_guess_offer(struct ucore_guess *guess, const char *name);

/*
 * Parse the head of an event, such as "imc", "imc2" or "imc0-3", into type, instance and last
 * of @event.  Returns false if no box type matches.
 */
bool ucore_event_head(const struct ucore_device *dev, const char *head, struct ucore_event *event);

/*
 * Return the box type at the start of an event's head that the platform knows, although the
 * machine may have no such box; NULL if there is none.
 */
const char *ucore_event_known_type(const struct ucore_platform *platform, const char *head);

/*
 * Write " (REASON)", the reason why the machine has no core boxes of type @type, or "".  Returns
 * @text.
 */
const char *ucore_event_core_reason(const struct ucore_device *dev, const char *type, char *text,
				    size_t size);

/* Folder in which the kernel lists the PMUs of perf; tests have their own */
extern const char *ucore_perf_devices;

/* Return true for the box types of cores */
bool ucore_event_type_is_core(const char *type);

/* Return true if the machine has boxes of a type */
bool ucore_device_has_type(const struct ucore_device *dev, const char *type);

/* Get the description of the kind of cores with boxes of type @type; -ENOENT if there is none */
int ucore_device_core_of_type(const struct ucore_device *dev, const char *type,
			      struct ucore_get_core *core);

/*
 * Explain an unknown event that perf, Intel PCM or LIKWID know, or that lacks its box, by the
 * text that ucore accepts for it.  Returns a negative errno, or 0 if there is no such text.
 */
int ucore_foreign_error(struct ucore_device *dev, const struct ucore_spec *spec,
			struct ucore_error *err);

/*
 * Allocate buffers for a READ of all counters of a session, free the buffers, and fill them by
 * a READ command.  Several threads can read a session at the same time, each into its own
 * buffers, because the session is not modified.  Returns a negative errno on failure.
 */
int ucore_reading_init(struct ucore_reading *reading, const struct ucore_session *session);
void ucore_reading_free(struct ucore_reading *reading);
int ucore_reading_read(struct ucore_reading *reading, const struct ucore_session *session,
		       uint32_t flags);
/* Copy the reading's values and times to @values and @running, in the order of session->slots */
int ucore_reading_sort(const struct ucore_reading *reading, const struct ucore_session *session,
		       struct ucore_value *values, uint64_t *running);

/* Add the result of the last ucore_delta_update() of @other to @delta */
void ucore_delta_add(struct ucore_delta *delta, const struct ucore_delta *other);

/* Write the text for ENOBUFS: the user has no more memory for rings.  Returns @code. */
int ucore_session_memory_error(const struct ucore_session *session, int code,
			       struct ucore_error *err);

/*
 * Write the cause of an error of ucore_session_add() on @box to @cause, a buffer of UCORE_ERROR_LEN
 * bytes: the text without event, box and remedy
 */
void ucore_session_add_cause(const struct ucore_event *event, const struct ucore_box_info *box,
			     const struct ucore_error *err, char *cause);

/* Return true if a box that refuses an event with @code is omitted, ucore_session_set_partial() */
bool ucore_session_may_omit(const struct ucore_session *session, int code);

/*
 * Add an omission of event number @index on @box to the session's list.  @text is the cause.
 * box->box is UCORE_ANY if the die does not have the box.
 */
int ucore_session_omit(struct ucore_session *session, size_t index,
		       const struct ucore_box_info *box, int code, const char *text,
		       struct ucore_error *err);

/* Remove the omissions of the session's events from number @nr on */
void ucore_omissions_truncate(struct ucore_session *session, size_t nr);

/* Add an omission for each box that @event selects, and that its die lacks unlike other dies */
int ucore_session_omit_hidden(struct ucore_session *session, const struct ucore_event *event,
			      struct ucore_error *err);

/* Remove all events of a session except the first @nr, from the driver as well */
void ucore_session_truncate(struct ucore_session *session, size_t nr);

/* Implement ucore_session_add() for the session of a replay: search the recorded events */
int ucore_replay_add(struct ucore_replay *replay, const struct ucore_event *event,
		     struct ucore_error *err);

/*
 * Intervals of metrics: what the slots of a session counted between two evaluations.  A sample
 * covers one domain, but a value of a metric can cover a package or the whole system.  Such an
 * interval is complete when each domain of the package or system has had a sample.  Therefore
 * the counts are added up twice: for each package and for the whole system.
 */
enum ucore_interval_scope {
	INTERVAL_PACKAGE,
	INTERVAL_ALL,
	NR_INTERVALS,
};

struct ucore_intervals;

int ucore_intervals_create(const struct ucore_session *session, struct ucore_intervals **out);
void ucore_intervals_free(struct ucore_intervals *intervals);

/*
 * Add the counts of a record of @domain to the intervals, and store the package of @domain in
 * @package.  Returns a mask: bit n is set if the interval of enum ucore_interval_scope n is
 * complete, because each of its domains has had a sample.  Then ucore_intervals_values() returns
 * the counts, until ucore_intervals_begin() starts the next interval.
 */
unsigned int ucore_intervals_take(struct ucore_intervals *intervals, uint32_t domain,
				  const struct ucore_record *record, uint32_t *package);
const struct ucore_delta_value *ucore_intervals_values(const struct ucore_intervals *intervals,
						       enum ucore_interval_scope scope);
void ucore_intervals_begin(struct ucore_intervals *intervals, enum ucore_interval_scope scope,
			   uint32_t package);

/* Run a command of the driver on @fd by ioctl().  Returns 0 or -errno. */
int ucore_device_ioctl(const struct ucore_device *dev, int fd, unsigned long command, void *arg);

/* Return true if a box is absent; @instance and @domain can be UCORE_ANY */
bool ucore_device_is_absent(const struct ucore_device *dev, const char *type, uint32_t instance,
			    uint32_t domain);

/*
 * Get the event fields of one box.  Other boxes of its type can have more fields, because
 * firmware can hide a PCI function.  Results and errors are those of ucore_device_fields().
 */
int ucore_device_own_fields(struct ucore_device *dev, uint32_t box,
			    const struct ucore_field_info **fields, size_t *nr);
const struct ucore_field_info *ucore_field_by_id(const struct ucore_field_info *fields, size_t nr,
						 uint32_t id);

#endif /* UCORE_INTERNAL_H */
