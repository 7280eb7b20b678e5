/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Definitions that the files of libucore share and that are not part of its API.
 */
#ifndef UCORE_INTERNAL_H
#define UCORE_INTERNAL_H

#include "libucore.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Sanity limit for counts that the driver returns, far above any real machine */
#define UCORE_MAX_ELEMENTS	(1U << 20)

/* Box type of core boxes, and name of the platform that has their events on every machine */
#define UCORE_CORE_TYPE		"core"

/* Define an ioctl argument with its size set and all other members zero */
#define UCORE_ARG(type, name, ...) struct type name = { .size = sizeof(name), __VA_ARGS__ }

#define UCORE_SPEC_ITEMS	32

/**
 * struct ucore_spec - text of an event, split into head and terms
 * @text: the event as the user wrote it, for labels and messages
 * @words: copy of @text in which terminators separate the parts
 * @head: part before the first slash: a box type with or without a number or a range of
 *        numbers, or the full name of an event
 * @nr: number of elements of @items
 * @items: terms between the slashes; @value is NULL for a term without "="
 *
 * The pointers point into @words.  Therefore the structure must not be copied.
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
 * struct ucore_event - event to count and boxes to count it on
 * @text: event as the user wrote it
 * @label: value of "name=", otherwise a copy of @text
 * @type: box type
 * @instance: number of the first box in each domain, or UCORE_ANY
 * @last: number of the last box in each domain, or UCORE_ANY
 * @die: the kernel's logical die, or UCORE_ANY
 * @cpu: CPU of the core boxes, or UCORE_ANY
 * @desc: named event; all zero for a raw event, with a NULL name
 * @counters: mask of permitted counters (0: any general counter)
 * @period: sampling period in counts (0: no samples)
 * @flags: UCORE_EVENT_*
 * @nr_terms: number of elements of @terms
 * @terms: field values
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
 * Resolve a spec without patterns to an event, or any spec to an array of events that the
 * caller frees with free().  Errors: those of ucore_events_find().
 */
int ucore_spec_resolve(struct ucore_device *dev, const struct ucore_spec *spec,
		       struct ucore_event *event, struct ucore_error *err);
int ucore_spec_expand(struct ucore_device *dev, const struct ucore_spec *spec,
		      struct ucore_event **events, size_t *nr, struct ucore_error *err);

/**
 * struct ucore_platform - events of one processor generation
 * @name: name, as in ucore_get_info.platform: "ivbep"
 * @nr_events: number of elements of @rows
 * @rows: indices of the events in ucore_rows
 */
struct ucore_platform {
	const char *name;
	uint32_t nr_events;
	const uint16_t *rows;
};

/* Cached event fields of one box; usually one box of each type is queried */
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
	struct ucore_field_set *sets;
	size_t nr_sets;
	struct ucore_link_info *ends;	/* far end of each box's link, or NULL (not queried yet) */
	bool recorded;		/* device of a replay, without a driver */
};

/* Buffers and result of a READ; the kernel sorts values by event id */
struct ucore_reading {
	struct ucore_value *values;
	uint64_t *running;		/* time counted by each value (ns), or NULL (no groups) */
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
	struct ucore_value *values;	/* values of the reading in slot order */
	uint64_t *running;		/* running times of the reading in slot order (ns) */
	uint32_t group;			/* group of events that are added */
	uint32_t last_group;		/* highest group that has events */
	struct ucore_replay *replay;	/* NULL: session of the driver */
};

/*
 * An event in the generated tables.  The row has 28 bytes and no pointer, so that the
 * tables need no relocation and platforms can share rows.
 */
struct ucore_row {
	uint32_t name;		/* offset in ucore_row_names */
	uint8_t unit;		/* index of ucore_event_units */
	uint8_t bytes;
	uint8_t bytes_per;
	uint16_t event;
	uint8_t umask;
	uint8_t occ_sel;
	uint32_t umask_ext;
	uint16_t ch_mask;
	uint8_t fc_mask;
	uint32_t counters;	/* mask of general counters */
	uint8_t counters_alt;
	int8_t fixed;		/* fixed counter (-1: none) */
	uint8_t filter;		/* index of ucore_filters (0: none) */
};

/* Generated from tools/events/ at build time */
extern const struct ucore_event_unit ucore_event_units[];
extern const struct ucore_filter ucore_filters[];
extern const char ucore_row_names[];
extern const struct ucore_row ucore_rows[];
extern const struct ucore_platform ucore_platforms[];
extern const size_t ucore_nr_platforms;

/* A metric in the generated tables; texts are offsets in ucore_metric_strings */
struct ucore_metric_row {
	uint32_t name;
	uint32_t unit;
	uint32_t category;
	uint32_t text;
	uint32_t formula;
	uint32_t where;
	uint32_t omitted;
	uint32_t levels;	/* UCORE_LEVEL_* */
};

struct ucore_metric_platform {
	const char *name;
	size_t nr;
	const struct ucore_metric_row *rows;
};

/* Description of an event */
struct ucore_event_text {
	const char *type;	/* box type */
	const char *name;	/* short name of the event */
	const char *text;
};

/* Meaning of a part of event names; "#" stands for a number in both texts */
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

/* Write the explanation unless @err is NULL.  Returns @code. */
int ucore_error_set(struct ucore_error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Search for a misspelled word.  @best is the most similar of the offered names, NULL if
 * none is similar.  @distance is the number of edits from @word to @best.
 */
struct ucore_guess {
	const char *word;
	const char *best;
	size_t distance;
};

void ucore_guess_start(struct ucore_guess *guess, const char *word);
void ucore_guess_offer(struct ucore_guess *guess, const char *name);

/* Parse a head such as "imc", "imc2" or "imc0-3".  Returns false if no box type matches. */
bool ucore_event_head(const struct ucore_device *dev, const char *head, struct ucore_event *event);

/*
 * Allocate READ buffers for all counters of a session, free them, and fill them with a READ.
 * Several threads can read a session at the same time, each into its own buffers.  The
 * session is not modified, and there is no error text.
 */
int ucore_reading_init(struct ucore_reading *reading, const struct ucore_session *session);
void ucore_reading_free(struct ucore_reading *reading);
int ucore_reading_read(struct ucore_reading *reading, const struct ucore_session *session,
		       uint32_t flags);
/* Copy the values and times of a reading to @values and @running in slot order */
int ucore_reading_sort(const struct ucore_reading *reading, const struct ucore_session *session,
		       struct ucore_value *values, uint64_t *running);

/* Add the result of @other's last update */
void ucore_delta_add(struct ucore_delta *delta, const struct ucore_delta *other);

/* Remove all events of a session except the first @nr */
void ucore_session_truncate(struct ucore_session *session, size_t nr);

/* Implement ucore_session_add() for the session of a replay */
int ucore_replay_add(struct ucore_replay *replay, const struct ucore_event *event,
		     struct ucore_error *err);

/*
 * Deltas of a session's slots from sample to sample.  A value of several domains is not
 * complete until each of them has had a sample.  Therefore the deltas are accumulated
 * twice: for each package and for the whole system.
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
 * Accumulate a record and store the package of its domain.  Returns a bit for each complete
 * ucore_interval_scope.  The result of ucore_intervals_values() is valid for complete scopes,
 * until ucore_intervals_begin() starts their next interval.
 */
unsigned int ucore_intervals_take(struct ucore_intervals *intervals, uint32_t domain,
				  const struct ucore_record *record, uint32_t *package);
const struct ucore_delta_value *ucore_intervals_values(const struct ucore_intervals *intervals,
						       enum ucore_interval_scope scope);
void ucore_intervals_begin(struct ucore_intervals *intervals, enum ucore_interval_scope scope,
			   uint32_t package);

/* Call ioctl().  Returns 0 or -errno. */
int ucore_device_ioctl(const struct ucore_device *dev, int fd, unsigned long command, void *arg);

/*
 * Get the fields of exactly this box, which can differ from those of its type if firmware
 * hides a PCI function.  Results and errors are those of ucore_device_fields().
 */
int ucore_device_own_fields(struct ucore_device *dev, uint32_t box,
			    const struct ucore_field_info **fields, size_t *nr);
const struct ucore_field_info *ucore_field_by_id(const struct ucore_field_info *fields, size_t nr,
						 uint32_t id);

#endif /* UCORE_INTERNAL_H */
