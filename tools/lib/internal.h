/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the library's files share and its users do not see.
 */
#ifndef UCORE_INTERNAL_H
#define UCORE_INTERNAL_H

#include "libucore.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* More than any machine has: a driver that says so is not to be believed */
#define UCORE_MAX_ELEMENTS	(1U << 20)

/* The boxes of the cores, and the platform whose event names are theirs on every machine */
#define UCORE_CORE_TYPE		"core"

/* Every ioctl struct starts with its size, and with zeros where we say nothing */
#define UCORE_ARG(type, name, ...) struct type name = { .size = sizeof(name), __VA_ARGS__ }

#define UCORE_SPEC_ITEMS	32

/**
 * struct ucore_spec - an event as written, split into words
 * @text: the event as it was written, for labels and messages
 * @words: the same, cut into words
 * @head: what stands before the first slash: a box type with or without a number
 *        or a range of them, or the full name of an event
 * @nr: elements of @items
 * @items: what stands between the slashes; @value is NULL without "="
 *
 * Pointers lead into @words, so that a copy of the structure is of no use.
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

/* As ucore_list_next(), split into words */
int ucore_spec_next(const char **list, struct ucore_spec *spec, struct ucore_error *err);

/**
 * struct ucore_event - what to count, and where
 * @text: the event as the user wrote it
 * @label: the same, or what "name=" calls it
 * @type: the box type
 * @instance: number of the first box in each domain, or UCORE_ANY
 * @last: number of the last one, or UCORE_ANY
 * @die: the kernel's logical die, or UCORE_ANY
 * @cpu: the CPU whose boxes are meant, or UCORE_ANY
 * @desc: the named event; its name is NULL for a raw one, and the rest zero
 * @counters: the counters that it may take, a bit each; 0: any general counter
 * @period: counts from sample to sample; 0: it only counts
 * @flags: UCORE_EVENT_*
 * @nr_terms: elements of @terms
 * @terms: the values of fields
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

/* One event of a spec without patterns, and the events of any: an array for free(3) */
int ucore_spec_resolve(struct ucore_device *dev, const struct ucore_spec *spec,
		       struct ucore_event *event, struct ucore_error *err);
int ucore_spec_expand(struct ucore_device *dev, const struct ucore_spec *spec,
		      struct ucore_event **events, size_t *nr, struct ucore_error *err);

/**
 * struct ucore_platform - the events of one processor generation
 * @name: its name, as in ucore_get_info.platform: "ivbep"
 * @nr_events: how many events it has
 * @rows: where the library keeps them
 */
struct ucore_platform {
	const char *name;
	uint32_t nr_events;
	const uint16_t *rows;
};

/* Fields of one box type, asked for once of a box; of others if they may differ */
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
	struct ucore_link_info *ends;	/* of each box; NULL: nobody has asked */
	bool recorded;		/* a machine of a file: there is nobody to ask */
};

/* One READ as the kernel gives it: values in the order of event ids, and room for them */
struct ucore_reading {
	struct ucore_value *values;
	uint64_t *running;		/* beside the values; NULL: nothing takes turns */
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
	struct ucore_value *values;	/* of the reading, in slot order */
	uint64_t *running;		/* the same */
	uint32_t group;			/* of events that are added */
	uint32_t last_group;		/* the last one that has any */
	struct ucore_replay *replay;	/* NULL: a session of the driver */
};

/*
 * An event as the generated tables keep it: 28 bytes and no pointer, so that
 * thousands of them need no relocation and the platforms can share them.
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
	uint32_t counters;	/* general ones */
	uint8_t counters_alt;
	int8_t fixed;		/* fixed counter, -1: none */
	uint8_t filter;		/* index of ucore_filters, 0: none */
};

/* Generated from tools/events/ at build time */
extern const struct ucore_event_unit ucore_event_units[];
extern const struct ucore_filter ucore_filters[];
extern const char ucore_row_names[];
extern const struct ucore_row ucore_rows[];
extern const struct ucore_platform ucore_platforms[];
extern const size_t ucore_nr_platforms;

/* A metric as the generated tables keep it: offsets in ucore_metric_strings */
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

/* What an event counts; or what a part of names means, "#" standing for its number */
struct ucore_event_text {
	const char *type;	/* the box type */
	const char *name;	/* the event's name without the prefix */
	const char *text;
};

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

/* Writes the explanation, if @err is not NULL, and returns @code */
int ucore_error_set(struct ucore_error *err, int code, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * A guess at what a misspelled word meant: of the names that are offered, @best is
 * the one that looks most like @word, NULL if none does
 */
struct ucore_guess {
	const char *word;
	const char *best;
	size_t distance;
};

void ucore_guess_start(struct ucore_guess *guess, const char *word);
void ucore_guess_offer(struct ucore_guess *guess, const char *name);

/* Boxes as a head says them: "imc", "imc2" or "imc0-3"; false if these are none of the machine */
bool ucore_event_head(const struct ucore_device *dev, const char *head, struct ucore_event *event);

/*
 * Buffers for all counters of a session: whoever has some of his own may read while others do.
 * No error text; @session is only looked at.
 */
int ucore_reading_init(struct ucore_reading *reading, const struct ucore_session *session);
void ucore_reading_free(struct ucore_reading *reading);
int ucore_reading_read(struct ucore_reading *reading, const struct ucore_session *session,
		       uint32_t flags);
/* The values in slot order, into @values */
int ucore_reading_sort(const struct ucore_reading *reading, const struct ucore_session *session,
		       struct ucore_value *values, uint64_t *running);

/* Adds what @other's last update moved */
void ucore_delta_add(struct ucore_delta *delta, const struct ucore_delta *other);

/* Takes the events of a session back that were added after the first @nr */
void ucore_session_truncate(struct ucore_session *session, size_t nr);

/* Puts an event on the boxes of a recorded session, as ucore_session_add() does on a driver's */
int ucore_replay_add(struct ucore_replay *replay, const struct ucore_event *event,
		     struct ucore_error *err);

/*
 * What the slots of a session did from sample to sample.  Of values that need several
 * domains there is none until each has had a sample: those are summed up for a package
 * and for all, one beside the other.
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
 * Takes a record.  Returns a bit for each ucore_interval_scope that is complete; the slots
 * of ucore_intervals_values() are then valid until ucore_intervals_begin()
 */
unsigned int ucore_intervals_take(struct ucore_intervals *intervals, uint32_t domain,
				  const struct ucore_record *record, uint32_t *package);
const struct ucore_delta_value *ucore_intervals_values(const struct ucore_intervals *intervals,
						       enum ucore_interval_scope scope);
void ucore_intervals_begin(struct ucore_intervals *intervals, enum ucore_interval_scope scope,
			   uint32_t package);

/* An ioctl: 0 or -errno */
int ucore_device_ioctl(const struct ucore_device *dev, int fd, unsigned long command, void *arg);

/*
 * The fields of this box: firmware may hide a function that others of its type have.  For
 * those of its type ucore_device_fields() asks once.
 */
int ucore_device_own_fields(struct ucore_device *dev, uint32_t box,
			    const struct ucore_field_info **fields, size_t *nr);
const struct ucore_field_info *ucore_field_by_id(const struct ucore_field_info *fields, size_t nr,
					    uint32_t id);

#endif /* UCORE_INTERNAL_H */
