/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libucore: Intel uncore performance monitors through /dev/ucore.
 *
 * The library carries everything that is not printing: it never prints, never
 * exits, installs no signal handler and keeps no global state, except that each thread
 * knows which regions it has joined.  Objects:
 *
 *   device    /dev/ucore: the machine, its domains, boxes and event fields
 *   discovery the tables that firmware describes the boxes with, as found
 *   platform  one processor generation: its models, and the event names that
 *             Intel publishes for it
 *   events    what a text like "imc2/CAS_COUNT.RD,die=0/" means on a device: boxes,
 *             field values, counters
 *   session   events on counters; started, stopped, read
 *   delta     what the counters moved from one read to the next
 *   metrics   formulas over events: chosen by name, counted, evaluated
 *   regions   pieces of a program, and what the counters moved meanwhile
 *   ring      the records of one session in one domain
 *   file      a file of samples, written and read back
 *   replay    a file as if its session ran now, for metrics of its samples
 *
 * A domain is what is read at one instant by one CPU: for the uncore a die, for
 * a core's own monitors a logical CPU.  Its id is a place in the driver's list
 * and says nothing to people: they are told the die or the CPU.
 *
 * Functions return 0 (or a count) or a negative errno.  A function that takes a
 * struct ucore_error fills it, when it fails, with one line without a newline:
 * what failed, on which object, why, and what to do.  It may be NULL.
 *
 * Structures that callers allocate, or walk through in an array, end with room for what
 * later versions say.  In those that the library fills it is 0; what a caller hands in must
 * have it 0, or is refused (-EINVAL).
 *
 * Times are nanoseconds of CLOCK_MONOTONIC, durations are nanoseconds.  An
 * object may be used by one thread at a time, different objects by different
 * threads, except that a device must not be used by two threads at once even
 * through two sessions.
 */
#ifndef LIBUCORE_H
#define LIBUCORE_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <ucore.h>

#ifdef __cplusplus
extern "C" {
#endif

#pragma GCC visibility push(default)

/* ---- errors ------------------------------------------------------------ */

#define UCORE_ERROR_LEN		400

/**
 * struct ucore_error - why a call failed
 * @text: one line for a person; valid after a failure only
 */
struct ucore_error {
	char text[UCORE_ERROR_LEN];
};

/* ---- system calls ------------------------------------------------------ */

/**
 * struct ucore_sys - the system calls that reach /dev/ucore
 *
 * Same results as their namesakes: -1 (mmap: MAP_FAILED) and errno on failure.
 * Tests put a device of their own underneath.
 */
struct ucore_sys {
	int (*open)(const char *path, int flags);
	int (*close)(int fd);
	int (*ioctl)(int fd, unsigned long command, void *arg);
	void *(*mmap)(size_t length, int prot, int fd, uint64_t offset);
	int (*munmap)(void *addr, size_t length);
	int (*poll)(struct pollfd *fds, nfds_t nr, int timeout_ms);
};

/** ucore_sys_default() - the real system calls */
const struct ucore_sys *ucore_sys_default(void);

/* ---- device ------------------------------------------------------------ */

struct ucore_device;

/**
 * ucore_device_open() - open the device node and learn the machine
 * @path: device node, NULL for UCORE_DEVICE
 * @sys: system calls that outlive the device, NULL for the real ones
 * @out: where the device is stored
 * @err: where a failure is explained
 *
 * A machine without boxes is no error here, see ucore_device_ready().
 *
 * Errors: what open(2) gives, -EPROTO (the driver speaks an older ABI or
 * answers nonsense), -ENOMEM.
 */
int ucore_device_open(const char *path, const struct ucore_sys *sys,
		      struct ucore_device **out, struct ucore_error *err);

/**
 * ucore_device_close() - release a device
 * @dev: the device, whose sessions must be gone; NULL is fine
 */
void ucore_device_close(struct ucore_device *dev);

/**
 * ucore_device_refresh() - ask the driver again
 *
 * Owners and the statistics of domains change with time.  Pointers that the
 * functions below gave out become invalid.
 */
int ucore_device_refresh(struct ucore_device *dev, struct ucore_error *err);

/**
 * ucore_device_core() - what CPUID.0AH says of the cores, and whether they can be had
 * @dev: device
 * @core: is filled; asked for anew each time
 * @err: may be NULL
 *
 * Return: 0 or -errno; -ENOTTY: the driver knows no cores.
 */
int ucore_device_core(const struct ucore_device *dev, struct ucore_get_core *core,
		      struct ucore_error *err);

/**
 * ucore_device_ready() - can sessions be created, if only for the cores' boxes?
 *
 * Errors: -ENODEV (no boxes) or -EBUSY (intel_uncore holds them), with the
 * driver's reason in @err.
 */
int ucore_device_ready(const struct ucore_device *dev, struct ucore_error *err);

/** ucore_device_info() - the machine and the driver; valid until refresh or close */
const struct ucore_get_info *ucore_device_info(const struct ucore_device *dev);

/** ucore_device_domains() - the domains, @nr of them, in the order of their ids */
const struct ucore_domain_info *ucore_device_domains(const struct ucore_device *dev, size_t *nr);

/** ucore_device_boxes() - the boxes, @nr of them, element i has box id i */
const struct ucore_box_info *ucore_device_boxes(const struct ucore_device *dev, size_t *nr);

/**
 * ucore_device_sessions() - all sessions of all processes, by id
 *
 * A moment's view.  @sessions gets @nr of them, to be freed with free().
 * Errors: -ENOMEM, -ENOTTY (a driver that does not tell), -EPROTO.
 */
int ucore_device_sessions(const struct ucore_device *dev, struct ucore_session_info **sessions,
			  size_t *nr, struct ucore_error *err);

/**
 * ucore_device_revoke() - end a session by its id, whoever has its descriptor
 *
 * Its boxes are free; its descriptor answers -ESHUTDOWN from then on.
 * Errors: -ENOENT (no such session), -EPERM (CAP_SYS_ADMIN is needed).
 */
int ucore_device_revoke(const struct ucore_device *dev, uint64_t session, struct ucore_error *err);

/** ucore_device_domain() - one domain by its id, NULL if there is none */
const struct ucore_domain_info *ucore_device_domain(const struct ucore_device *dev,
						    uint32_t domain);

#define UCORE_DOMAIN_NAME_LEN	24

/**
 * ucore_domain_name() - what people call a domain: "die 1", or "cpu 3"
 * @die: its die
 * @cpu: the CPU that it is, or -1 for a domain that is a die
 * @text: where to write the name
 * @size: room there: UCORE_DOMAIN_NAME_LEN is enough
 */
void ucore_domain_name(uint32_t die, int32_t cpu, char *text, size_t size);

/**
 * ucore_device_fields() - the event fields of a box: of the first of its type that is asked
 * @fields: where a pointer is stored to an array that lives as long as the device
 * @nr: where its length is stored
 *
 * Errors: -ENOENT (no such box), -EPROTO, -ENOMEM.
 */
int ucore_device_fields(struct ucore_device *dev, uint32_t box, const struct ucore_field_info **fields,
			size_t *nr, struct ucore_error *err);

/**
 * ucore_device_links() - what is at the other end of each box: PCI buses, links
 * @ends: where a pointer is stored to an array, element i of which is that of box id i;
 *        valid until refresh or close
 *
 * With a driver that is older than this question all are UCORE_LINK_NONE.
 *
 * Errors: -ENOENT (the machine of a file), -EPROTO, -ENOMEM.
 */
int ucore_device_links(struct ucore_device *dev, const struct ucore_link_info **ends,
		      struct ucore_error *err);

/**
 * ucore_device_selftest() - what the driver found when it tried a box
 * @box: box id
 * @selftest: is filled; @tried is 0 of a box that nobody has had since the driver was loaded
 *
 * Errors: -ENOENT (no such box, or the machine of a file), -ENOTTY (a driver that does
 * not try them).
 */
int ucore_device_selftest(const struct ucore_device *dev, uint32_t box,
		       struct ucore_get_selftest *selftest, struct ucore_error *err);

/**
 * ucore_device_try() - have a box for a moment, so that the driver tries it if it has not
 * @box: id of a box with general counters
 *
 * Errors: those of UCORE_CREATE_SESSION and UCORE_ADD_EVENT: -EBUSY (it is somebody's),
 * -ENODEV (it is of no use).
 */
int ucore_device_try(const struct ucore_device *dev, uint32_t box, struct ucore_error *err);

/* ---- discovery --------------------------------------------------------- */

struct ucore_discovery;

/**
 * ucore_discovery_get() - the discovery tables and their units, as the driver found them
 *
 * There are no tables where boxes do not come from discovery, or where the
 * driver is older than these questions.
 *
 * Errors: those of UCORE_GET_TABLES and UCORE_GET_UNITS, -EPROTO, -ENOMEM.
 */
int ucore_discovery_get(struct ucore_device *dev, struct ucore_discovery **out,
			struct ucore_error *err);

/** ucore_discovery_free() - free what ucore_discovery_get() gave; NULL is fine */
void ucore_discovery_free(struct ucore_discovery *discovery);

/** ucore_discovery_tables() - the tables, @nr of them */
const struct ucore_table_info *ucore_discovery_tables(const struct ucore_discovery *discovery,
						      size_t *nr);

/** ucore_discovery_units() - the units of all tables, @nr of them, in the driver's order */
const struct ucore_unit_info *ucore_discovery_units(const struct ucore_discovery *discovery,
						    size_t *nr);

/** ucore_discovery_unit() - the unit that became a box, NULL if none did */
const struct ucore_unit_info *ucore_discovery_unit(const struct ucore_discovery *discovery,
						   uint32_t box);

/** ucore_table_reason() - UCORE_TABLE_* as one sentence, empty for UCORE_TABLE_OK */
const char *ucore_table_reason(uint32_t reason);

/** ucore_unit_reason() - UCORE_UNIT_* as one sentence, empty for UCORE_UNIT_OK */
const char *ucore_unit_reason(uint32_t reason);

/**
 * struct ucore_unit_fields - the words of a unit's record, taken apart
 * @num_regs: how many general counters there are
 * @ctl_offset: distance of the first counter control from the box control
 * @width: bits of a counter
 * @ctr_offset: distance of the first counter from the box control
 * @status_offset: distance of the box status from the box control
 * @access: how registers are reached, as in the record: 0 MSR, 1 MMIO, 2 PCI; 3
 *          does not exist
 * @address: address of the box control; 0 without CAP_SYS_ADMIN
 * @type: number of the box type
 * @id: number of the unit among those of its type
 * @status_pos: bit of the unit in the global status
 * @reserved: 0
 */
struct ucore_unit_fields {
	uint32_t num_regs;
	uint32_t ctl_offset;
	uint32_t width;
	uint32_t ctr_offset;
	uint32_t status_offset;
	uint32_t access;
	uint64_t address;
	uint32_t type;
	uint32_t id;
	uint32_t status_pos;
	uint32_t reserved[3];
};

/** ucore_unit_decode() - take the words of a unit's record apart */
void ucore_unit_decode(const struct ucore_unit_info *unit, struct ucore_unit_fields *fields);

/* ---- platform: processors and event names ------------------------------ */

/**
 * struct ucore_model - a processor that ucore knows
 * @family: its CPUID family
 * @model: its CPUID model
 * @platform: the platform it belongs to, as in ucore_get_info.platform: "ivbep"
 * @name: what Intel calls it
 * @discovery: its boxes are described by discovery tables
 * @stepping: the first stepping that is meant
 */
struct ucore_model {
	uint32_t family;
	uint32_t model;
	const char *platform;
	const char *name;
	bool discovery;
	uint32_t stepping;
};

/** ucore_model_find() - a processor by CPUID, NULL if ucore does not know it */
const struct ucore_model *ucore_model_find(uint32_t family, uint32_t model, uint32_t stepping);

#define UCORE_EVENT_NEEDS	8

/* ucore_need.dflt: what a filter is set to when the user says nothing */
#define UCORE_NEED_VALUE	0	/* no neutral value: the user must give one */
#define UCORE_NEED_ALL		1	/* every bit of the field lets everything pass */
#define UCORE_NEED_ZERO		2	/* zero lets everything pass */
#define UCORE_NEED_GIVEN	3	/* the event has a value of its own */
#define UCORE_NEED_NO_OPCODE	4	/* every bit, unless the user gives an opcode */

/**
 * struct ucore_need - a filter field that an event depends on
 * @field: UCORE_FIELD_*, or 0 for a register that the driver has no field for
 * @dflt: UCORE_NEED_*: what it is set to when the user says nothing
 * @value: with UCORE_NEED_GIVEN: the value
 */
struct ucore_need {
	uint16_t field;
	uint16_t dflt;
	uint32_t value;
};

/**
 * struct ucore_filter - the filter fields of an event, in Intel's spelling and ours
 * @spelling: what Intel's event file says: "CBoFilter1[28:20]"
 * @nr: elements of @needs
 * @needs: the fields
 */
struct ucore_filter {
	const char *spelling;
	unsigned int nr;
	struct ucore_need needs[UCORE_EVENT_NEEDS];
};

/**
 * struct ucore_event_unit - one kind of unit of Intel's event files
 * @name: Intel's spelling: "iMC"
 * @type: the box type that it is here: "imc"
 * @prefix: what full names of its events start with: "UNC_M_"
 */
struct ucore_event_unit {
	const char *name;
	const char *type;
	const char *prefix;
};

/**
 * struct ucore_event_desc - one event that Intel names
 * @name: its full name: "UNC_M_CAS_COUNT.RD"
 * @unit: the kind of unit that counts it
 * @filter: the filter that it depends on, NULL if there is none
 * @counters: the counters that it is meant for, a bit each; bit
 *            UCORE_COUNTER_FIXED + n is fixed counter n
 * @counters_alt: further counters, which count the same for another part of the
 *                box (the second half of an IRP); taken only when asked for
 * @umask_ext: the extended unit mask, 0 if none is set
 * @event: the event select, whose bit 8 is the extension bit; 0 with a fixed
 *         counter
 * @umask: the unit mask
 * @ch_mask: the IIO ports
 * @fc_mask: the IIO flow classes
 * @occ_sel: the PCU's occupancy select
 * @bytes: bytes that @bytes_per counts stand for, 0 if they do not stand for bytes
 * @bytes_per: at least 1 where @bytes is not 0
 * @reserved: 0
 */
struct ucore_event_desc {
	const char *name;
	const struct ucore_event_unit *unit;
	const struct ucore_filter *filter;
	uint64_t counters;
	uint64_t counters_alt;
	uint32_t umask_ext;
	uint16_t event;
	uint16_t umask;
	uint16_t ch_mask;
	uint8_t fc_mask;
	uint8_t occ_sel;
	uint8_t bytes;
	uint8_t bytes_per;
	uint64_t reserved[2];
};

/* The events of one processor generation */
struct ucore_platform;

/** ucore_platform_at() - the platforms with event names, NULL beyond the last */
const struct ucore_platform *ucore_platform_at(size_t i);

/** ucore_platform_name() - its name, as in ucore_get_info.platform: "ivbep" */
const char *ucore_platform_name(const struct ucore_platform *platform);

/** ucore_platform_nr_events() - how many events it has; NULL has none */
size_t ucore_platform_nr_events(const struct ucore_platform *platform);

/** ucore_platform_find() - a platform by its name, NULL if it is unknown */
const struct ucore_platform *ucore_platform_find(const char *name);

/**
 * ucore_platform_event_at() - the events of a platform, unit by unit
 * @platform: the platform
 * @i: which event, less than ucore_platform_nr_events()
 * @desc: what is filled
 */
void ucore_platform_event_at(const struct ucore_platform *platform, size_t i,
			     struct ucore_event_desc *desc);

/**
 * ucore_platform_event() - find an event by its name
 * @platform: the platform; NULL has no events
 * @type: the box type to look in; NULL for all, of which only full names match
 * @name: its full or short name, whose case does not matter
 * @desc: what is filled
 *
 * Return: whether @desc has been filled.
 */
bool ucore_platform_event(const struct ucore_platform *platform, const char *type,
			  const char *name, struct ucore_event_desc *desc);

/** ucore_event_desc_short() - the name without the unit's prefix: "CAS_COUNT.RD" */
const char *ucore_event_desc_short(const struct ucore_event_desc *desc);

/** ucore_event_desc_fixed() - does the event sit on a fixed counter? */
bool ucore_event_desc_fixed(const struct ucore_event_desc *desc);

#define UCORE_EVENT_TEXT_LEN	400

/**
 * ucore_event_desc_text() - what an event counts, in a line
 * @text: where to write it
 * @size: room there: UCORE_EVENT_TEXT_LEN is enough
 *
 * Events that people use have a sentence of their own; the text of others is put
 * together from what the parts of their names mean.
 *
 * Return: whether all parts are explained; one that is not stands in the text as it
 * is in the name.
 */
bool ucore_event_desc_text(const struct ucore_event_desc *desc, char *text, size_t size);

/* ---- events ------------------------------------------------------------ */

#define UCORE_SPEC_LEN		192

/**
 * ucore_list_next() - take the next event from a comma-separated list
 * @list: where we are in the list; it is moved on, and NULL at its end
 * @text: where the event is written, as it stands in the list
 * @size: room there: UCORE_SPEC_LEN is enough
 * @err: where a failure is explained
 *
 * Only the form is checked, and no device needed.
 * Return: 1 for an event, 0 at the end of the list, or -EINVAL.
 */
int ucore_list_next(const char **list, char *text, size_t size, struct ucore_error *err);

#define UCORE_ANY		0xffffffffU	/* all dies, all CPUs, all instances */

struct ucore_event;
struct ucore_events;

/**
 * ucore_events_find() - the events that a text stands for
 * @dev: device
 * @text: one event as a user writes it: "imc2/CAS_COUNT.RD,die=0/", "UNC_M_CAS_COUNT.RD",
 *        with or without patterns
 * @out: where the events are stored: at least one
 * @err: where a failure is explained
 *
 * Terms: an event name, "fixed" or "fixed=N", any field of the box ("umask=0x3";
 * without a value it is 1), "period=N", "counter=N", "die=N", "cpu=N", "name=WORD".
 * Missing filters get their neutral value where there is one.  On a box with an extended
 * umask a wide "umask=0xC817FE01", as perf writes it, is both: the low 8 bits are
 * the umask.
 *
 * A head with *, ? or [ is each box type, else each full name of an event, that
 * matches and that has the event; a term like that is each event of the type whose
 * name matches, with or without the prefix.
 *
 * Errors: -ENOENT (no such box, die, CPU or event; nothing matches), -EINVAL (not one
 * event, unknown term, no event, a term twice, a filter missing), -ERANGE (value), -ENXIO
 * (counter), -ENOMEM, and those of ucore_device_fields().
 */
int ucore_events_find(struct ucore_device *dev, const char *text, struct ucore_events **out,
		      struct ucore_error *err);

/** ucore_events_free() - free what ucore_events_find() gave; NULL is fine */
void ucore_events_free(struct ucore_events *events);

/** ucore_events_at() - one of the events, NULL beyond the last */
struct ucore_event *ucore_events_at(struct ucore_events *events, size_t i);

/** ucore_event_text() - the event as the user wrote it */
const char *ucore_event_text(const struct ucore_event *event);

/** ucore_event_label() - the same, or what "name=" calls it */
const char *ucore_event_label(const struct ucore_event *event);

/** ucore_event_type() - the type of its boxes: "imc" */
const char *ucore_event_type(const struct ucore_event *event);

/** ucore_event_desc_of() - Intel's event, NULL if it is a raw one */
const struct ucore_event_desc *ucore_event_desc_of(const struct ucore_event *event);

/** ucore_event_period() - counts from sample to sample; 0: it only counts */
uint64_t ucore_event_period(const struct ucore_event *event);

/** ucore_event_set_period() - give it a period, or none */
void ucore_event_set_period(struct ucore_event *event, uint64_t period);

/** ucore_event_set_flags() - UCORE_EVENT_* */
void ucore_event_set_flags(struct ucore_event *event, uint32_t flags);

/** ucore_event_matches() - does the event want this box? */
bool ucore_event_matches(const struct ucore_event *event, const struct ucore_box_info *box);

/* ---- session ----------------------------------------------------------- */

struct ucore_session;

/**
 * struct ucore_session_config - as in struct ucore_create_session
 * @flags: UCORE_SESSION_*
 * @timer_ns: period of the timer trigger, UCORE_TIMER_MIN_NS to
 *            UCORE_TIMER_MAX_NS, or 0 for none
 * @ring_size: bytes of each domain's ring, a power of two, UCORE_RING_MIN to
 *             UCORE_RING_MAX, or 0 for no rings
 * @wakeup: unread bytes that wake a poller, less than @ring_size
 * @rotate_ns: how long a group's turn is, UCORE_ROTATE_MIN_NS to UCORE_ROTATE_MAX_NS, or 0
 *             for a session without groups; with it there are neither timer nor rings
 * @nr_readers: so many CPUs of each die read its counters together, at most UCORE_READERS_MAX; 0 or 1:
 *        one does, as in a session with groups
 * @reserved: 0
 */
struct ucore_session_config {
	uint32_t flags;
	uint64_t timer_ns;
	uint32_t ring_size;
	uint32_t wakeup;
	uint64_t rotate_ns;
	uint32_t nr_readers;
	uint32_t reserved;
};

/**
 * struct ucore_slot - one event on one box
 * @event: event id, as in ucore_value.event
 * @index: number of the ucore_session_add() call that made it, from 0
 * @box: box id
 * @domain: domain id of the box
 * @instance: number of the box among those of its type in the domain
 * @counter: the counter first given; the driver may move it until START
 * @poll_ns: how often the driver looks whether its period is over; 0: it interrupts, or
 *           has no period
 * @reserved: 0
 */
struct ucore_slot {
	uint32_t event;
	uint32_t index;
	uint32_t box;
	uint32_t domain;
	uint32_t instance;
	uint32_t counter;
	uint64_t poll_ns;
	uint64_t reserved[2];
};

/**
 * struct ucore_snapshot - one READ
 * @nr_values: elements of @values
 * @values: the counts: values[i] belongs to slot i of the session
 * @nr_domains: elements of @domains
 * @domains: the domains that were read, in the order of their ids
 * @skew_ns: time between the first and the last domain's freeze
 * @running: how long each slot could count in its group's turns, in nanoseconds; NULL: the
 *           session has no rotate_ns
 * @reserved: 0
 */
struct ucore_snapshot {
	size_t nr_values;
	const struct ucore_value *values;
	size_t nr_domains;
	const struct ucore_read_domain *domains;
	uint64_t skew_ns;
	const uint64_t *running;
	uint64_t reserved;
};

/**
 * ucore_session_create() - a session without events
 * @config: NULL for all zero
 *
 * Errors: -EINVAL, -ERANGE, -ENODEV, -EBUSY, -ENOMEM, -EMFILE.
 */
int ucore_session_create(struct ucore_device *dev, const struct ucore_session_config *config,
			 struct ucore_session **out, struct ucore_error *err);

/**
 * ucore_session_destroy() - stop a session, release its boxes and free it
 * @session: the session, whose rings must be closed; NULL is fine
 */
void ucore_session_destroy(struct ucore_session *session);

/**
 * ucore_session_add() - put an event on every box it wants, or on none
 *
 * Errors: those of UCORE_ADD_EVENT, explained: -EBUSY names the holder, -ENOSPC
 * the full box, -EADDRINUSE the two events that disagree, or who has the filters.
 */
int ucore_session_add(struct ucore_session *session, const struct ucore_event *event,
		      struct ucore_error *err);

/**
 * ucore_session_add_box() - put an event on one box
 * @box: id of a box that it wants
 *
 * Errors: those of ucore_session_add(), -ENOENT (no such box, or it is not wanted).
 */
int ucore_session_add_box(struct ucore_session *session, const struct ucore_event *event,
			  uint32_t box, struct ucore_error *err);

/**
 * ucore_session_group() - the group of the events that are added from now on
 * @group: 0: they always count; up to UCORE_GROUP_MAX: in its turns
 *
 * Errors: -EINVAL (there is no such group, or the session has no rotate_ns).
 */
int ucore_session_group(struct ucore_session *session, uint32_t group, struct ucore_error *err);

/**
 * ucore_session_add_turn() - put an event into the first group that has room for it
 *
 * As ucore_session_add(), of a session with rotate_ns; the boxes of the event are all in
 * one group.  ucore_metrics_attach() does so, too: each metric is in one group, whole.
 *
 * Errors: those of ucore_session_add().
 */
int ucore_session_add_turn(struct ucore_session *session, const struct ucore_event *event,
			   struct ucore_error *err);

/**
 * ucore_session_add_list() - add the events of a list: all of them, or none
 * @list: specs with commas between, patterns among them
 *
 * Errors: those of ucore_list_next(), ucore_events_find() and ucore_session_add().
 */
int ucore_session_add_list(struct ucore_session *session, const char *list,
			   struct ucore_error *err);

/**
 * ucore_session_pmi_cpus() - choose the CPUs that take the PMI of their dies
 * @cpus: of each die among them the first reads its boxes, and all take its PMI
 * @nr: how many, at most UCORE_PMI_CPUS_MAX
 */
int ucore_session_pmi_cpus(struct ucore_session *session, const uint32_t *cpus, size_t nr,
			   struct ucore_error *err);

/**
 * struct ucore_core_event - what the kernel's perf counts on a core
 * @type: UCORE_PERF_*
 * @flags: UCORE_CORE_TRIGGER_F_USER
 * @config: as perf numbers it
 */
struct ucore_core_event {
	uint32_t type;
	uint32_t flags;
	uint64_t config;
};

/**
 * struct ucore_core_target - for whom
 * @tid: a thread, or 0
 * @cpu: a CPU, without a thread
 */
struct ucore_core_target {
	uint32_t tid;
	uint32_t cpu;
};

/**
 * ucore_core_event_find() - an event of the cores by perf's name
 * @text: "instructions", "page-faults", "r01c2" ...; ":u" behind it: in user mode only
 *
 * Errors: ENOENT, EINVAL.
 */
int ucore_core_event_find(const char *text, struct ucore_core_event *event,
			  struct ucore_error *err);

/**
 * ucore_session_core_trigger() - sample the die whenever a core has counted so many
 *
 * Errors: those of UCORE_ADD_CORE_TRIGGER, explained.
 */
int ucore_session_core_trigger(struct ucore_session *session,
			       const struct ucore_core_event *event, uint64_t period,
			       const struct ucore_core_target *target, struct ucore_error *err);

/*
 * These are UCORE_START, UCORE_STOP and UCORE_RESET with their errors, explained.
 */
int ucore_session_start(struct ucore_session *session, struct ucore_error *err);
int ucore_session_stop(struct ucore_session *session, struct ucore_error *err);
int ucore_session_reset(struct ucore_session *session, struct ucore_error *err);

/**
 * ucore_session_read() - one coherent snapshot, one system call
 * @flags: UCORE_READ_*
 * @snap: the answer; it points into the session and is valid until the next read
 *        or add
 *
 * Only the first call after an add allocates.
 */
int ucore_session_read(struct ucore_session *session, uint32_t flags, struct ucore_snapshot *snap,
		       struct ucore_error *err);

/** ucore_session_status() - counters of the session's own cost and losses */
int ucore_session_status(struct ucore_session *session, struct ucore_get_status *status,
			 struct ucore_error *err);

/**
 * ucore_session_budget() - what it may take of its CPUs' time, and what came of it
 * @budget: the answer: the shortest timer for its events, periods dropped and more
 */
int ucore_session_budget(struct ucore_session *session, struct ucore_get_budget *budget,
			 struct ucore_error *err);

/** ucore_session_fd() - for poll(): it is readable when a ring has reached its watermark */
int ucore_session_fd(const struct ucore_session *session);

/** ucore_session_slots() - what is counted where, @nr slots in the order they were added */
const struct ucore_slot *ucore_session_slots(const struct ucore_session *session, size_t *nr);

/**
 * ucore_session_event() - the event of ucore_slot.index, NULL beyond the last
 *
 * Valid until the next add.
 */
const struct ucore_event *ucore_session_event(const struct ucore_session *session,
					      uint32_t index);

/* ---- delta: what moved from one read to the next ------------------------ */

struct ucore_delta;

/**
 * struct ucore_delta_value - what one slot did between two reads
 * @count: how far its count moved
 * @enabled: how long its session ran, in nanoseconds
 * @running: for how much of that it could count
 * @flags: UCORE_VALUE_F_* of the later read
 * @reserved: 0
 * @possible: for how much of @enabled it could have counted, had its turn never ended;
 *            @running if it takes no turns
 */
struct ucore_delta_value {
	uint64_t count;
	uint64_t enabled;
	uint64_t running;
	uint32_t flags;
	uint32_t reserved;
	uint64_t possible;
};

/**
 * ucore_delta_create() - deltas of a session
 * @session: the session, whose events must all be there; it outlives the deltas
 *
 * Nothing else allocates.  Errors: -ENOMEM.
 */
int ucore_delta_create(const struct ucore_session *session, struct ucore_delta **out,
		       struct ucore_error *err);

/** ucore_delta_free() - free what ucore_delta_create() gave; NULL is fine */
void ucore_delta_free(struct ucore_delta *delta);

/** ucore_delta_update() - from the snapshot before (or the start) to this one */
void ucore_delta_update(struct ucore_delta *delta, const struct ucore_snapshot *snap);

/** ucore_delta_values() - those of the last update, slot by slot */
const struct ucore_delta_value *ucore_delta_values(const struct ucore_delta *delta, size_t *nr);

/**
 * ucore_delta_scaled() - what a slot would have counted without turns, at the same rate
 *
 * Return: @count * @possible / @running, just @count if these are the same; NaN: its group
 * had no turn.
 */
double ucore_delta_scaled(const struct ucore_delta_value *value);

/* ---- metrics: formulas over events --------------------------------------- */

/* Of what a metric can be said: all sockets together, one socket, one box */
#define UCORE_LEVEL_SYSTEM	(1U << 0)
#define UCORE_LEVEL_SOCKET	(1U << 1)
#define UCORE_LEVEL_BOX		(1U << 2)

/**
 * struct ucore_metric_desc - one metric
 * @name: its name: "memory_bandwidth_read"
 * @unit: of its value: "MB/s", "ns"; empty if it has none
 * @category: words for what it is about: "memory bandwidth"
 * @text: what it says, in a line
 * @formula: how it is computed
 * @where: what the names in the formula stand for: "a=UNC_M_CAS_COUNT.RD; ..."
 * @omitted: why it cannot be counted at one instant, empty if it can
 * @levels: UCORE_LEVEL_*; 0: as its events allow
 * @reserved: 0
 */
struct ucore_metric_desc {
	const char *name;
	const char *unit;
	const char *category;
	const char *text;
	const char *formula;
	const char *where;
	const char *omitted;
	uint32_t levels;
	uint32_t reserved[5];
};

/** ucore_metric_at() - the metrics of a platform, one after the other; false beyond the last */
bool ucore_metric_at(const char *platform, size_t i, struct ucore_metric_desc *desc);

/** ucore_metric_find() - one of them by its name, whose case does not matter */
bool ucore_metric_find(const char *platform, const char *name, struct ucore_metric_desc *desc);

struct ucore_metrics;

/**
 * struct ucore_metric_value - a metric of one socket, one box, or all of them
 * @metric: which metric
 * @level: UCORE_LEVEL_*: which of the following say where
 * @package: the socket, unless it is UCORE_LEVEL_SYSTEM
 * @die: the box's die
 * @cpu: the CPU that the box belongs to, -1 for others
 * @type: the box's type
 * @instance: the box's number
 * @value: the value, NaN if there is none: something was divided by zero
 * @flags: UCORE_VALUE_F_* of any count in it
 * @running: how long the counters of it counted, in nanoseconds
 * @fresh: ucore_metrics_take() has evaluated it for the record that it was given last
 * @share: how much of the time its counters had turns, 0 to 1: below 1 its counts are scaled
 */
struct ucore_metric_value {
	const struct ucore_metric_desc *metric;
	uint32_t level;
	uint32_t package;
	uint32_t die;
	int32_t cpu;
	const char *type;
	uint32_t instance;
	double value;
	uint32_t flags;
	uint64_t running;
	bool fresh;
	double share;
};

/** ucore_metrics_create() - no metrics yet; @dev outlives them */
int ucore_metrics_create(struct ucore_device *dev, struct ucore_metrics **out,
			 struct ucore_error *err);

/** ucore_metrics_free() - free what ucore_metrics_create() gave; NULL is fine */
void ucore_metrics_free(struct ucore_metrics *metrics);

/**
 * ucore_metrics_define() - name a formula: "NAME=FORMULA[; ALIAS=EVENT]..."
 *
 * In a formula stand numbers, + - * /, parentheses, min(), max(), full names of
 * events, events between braces ("{imc/CAS_COUNT.RD,die=0/}"), aliases, names of
 * other metrics, and the constants DURATIONTIMEINSECONDS (also "seconds"),
 * SOCKET_COUNT, CHAS_PER_SOCKET and the like.  Instead of an alias, "unit" and
 * "text" may be given.  A name that is defined twice has the later meaning, and
 * goes before a metric of the platform.
 *
 * Errors: -EINVAL, -ENOMEM.  Names in the formula are looked at by
 * ucore_metrics_attach().
 */
int ucore_metrics_define(struct ucore_metrics *metrics, const char *text,
			 struct ucore_error *err);

/**
 * ucore_metrics_load() - definitions from a file, one a line
 * @name: of the file, for messages
 *
 * Empty lines and those that begin with # are left out; a backslash at the end
 * continues a line.  Errors: -EINVAL, -ENOMEM, -EIO.
 */
int ucore_metrics_load(struct ucore_metrics *metrics, FILE *stream, const char *name,
		       struct ucore_error *err);

/**
 * ucore_metrics_choose() - choose metrics to be counted
 * @list: names with commas between, "@CATEGORY", shell patterns; or one definition
 *        as in ucore_metrics_define(), which is chosen, too.  "NAME:band0=12" gives
 *        what the metric leaves open.
 *
 * A metric is counted once, however often it is chosen, and a name that is defined anew
 * has its later meaning.  What is named must be counted, also if a pattern means it, too.
 *
 * Errors: -ENOENT (no such name or category; with a guess), -ENXIO (cannot be
 * counted at one instant), -EINVAL, -ENOMEM.
 */
int ucore_metrics_choose(struct ucore_metrics *metrics, const char *list,
			 struct ucore_error *err);

/**
 * ucore_metrics_offer() - choose a metric that may be missing
 * @metric: a name, or one definition
 *
 * As ucore_metrics_choose(), but ucore_metrics_attach() leaves the metric out if it
 * cannot be counted, whatever the reason: there is no box, no counter, or another
 * session has them.
 *
 * Errors: those of ucore_metrics_choose().
 */
int ucore_metrics_offer(struct ucore_metrics *metrics, const char *metric,
			struct ucore_error *err);

/** ucore_metrics_cores() - say how many cores a socket has, for metrics that need to know */
void ucore_metrics_cores(struct ucore_metrics *metrics, unsigned int cores);

/**
 * ucore_metrics_attach() - add the events of the chosen metrics to a session
 * @session: a session of the same device; it outlives the metrics
 * @level: UCORE_LEVEL_*: what there shall be values of; a metric that cannot be
 *         said of so little has values of the next larger
 *
 * Each event is counted once, whoever uses it.  Metrics of a category or a pattern
 * that do not fit beside the others are left out, and those offered that cannot be
 * counted; if these are all there are, there are no values.  Several ucore_metrics
 * may be attached to one session, each with its level.
 *
 * Errors, which leave the session as it was: those of resolving and adding events;
 * -ENOENT (unknown name in a formula), -EINVAL (in a formula), -ENOSPC (all were
 * left out), -EALREADY.
 */
int ucore_metrics_attach(struct ucore_metrics *metrics, struct ucore_session *session,
			 uint32_t level, struct ucore_error *err);

/** ucore_metrics_left_out() - the i-th metric that was left out, NULL beyond the last */
const char *ucore_metrics_left_out(const struct ucore_metrics *metrics, size_t i);

/** ucore_metrics_left_out_error() - why it was: its errno, explained; 0 beyond the last */
int ucore_metrics_left_out_error(const struct ucore_metrics *metrics, size_t i,
				 struct ucore_error *err);

/**
 * ucore_metrics_evaluate() - all values anew
 * @delta: of the same session, made after the metrics were attached to it: an older one
 *         gives no values
 */
void ucore_metrics_evaluate(struct ucore_metrics *metrics, const struct ucore_delta *delta);

/**
 * ucore_metrics_take() - one more record of the session: the values that it completes
 * @domain: the domain whose ring the record is from; records of one come in their order
 * @record: the record, as ucore_ring_next() or ucore_file_next() gave it
 *
 * A value is of the time from sample to sample.  One that needs several domains (all
 * sockets, or a socket of several dies) is evaluated when each of them has had a sample
 * since it was evaluated last; those without a CPU are not waited for.
 *
 * Return: how many values are @fresh now, or -ENOMEM (the first time only).
 */
int ucore_metrics_take(struct ucore_metrics *metrics, uint32_t domain,
		       const struct ucore_record *record);

/** ucore_metrics_value() - the i-th value, metric by metric, NULL beyond the last */
const struct ucore_metric_value *ucore_metrics_value(const struct ucore_metrics *metrics,
						     size_t i);

/* ---- regions: what the counters moved in a piece of a program ------------- */

#define UCORE_REGION_NAME_LEN	64
#define UCORE_REGION_DEPTH	16	/* regions within regions */
#define UCORE_REGION_NAMES	32	/* names of a thread, unless it is said */
#define UCORE_REGION_NAMES_MAX	4096

struct ucore_regions;
struct ucore_region;

/**
 * ucore_regions_create() - regions that are measured with the counters of a session
 * @session: the session, whose events must all be there; it outlives the regions.
 *           Its owner starts it: while it is stopped nothing moves
 * @flags: UCORE_READ_* of each edge
 * @names: how many names each thread may have, at most UCORE_REGION_NAMES_MAX; 0 is
 *         UCORE_REGION_NAMES
 * @out: where the regions are stored
 * @err: where a failure is explained
 *
 * The counters are the machine's: a region has what everybody did meanwhile.  So the
 * regions of threads are not summed up: of two that ran at once each has the whole.
 *
 * Errors: -EINVAL (its events take turns), -ERANGE, -ENOMEM.
 */
int ucore_regions_create(struct ucore_session *session, uint32_t flags, size_t names,
			 struct ucore_regions **out, struct ucore_error *err);

/**
 * ucore_regions_free() - free what ucore_regions_create() gave; NULL is fine
 * @regions: the regions, which all threads but the caller have left
 */
void ucore_regions_free(struct ucore_regions *regions);

/**
 * ucore_regions_join() - measure the regions of the calling thread from now on
 *
 * This is what allocates.  Threads may join, and be at edges, at the same time.
 *
 * Errors: -EALREADY or -EBUSY (the thread has joined these, or others), -ESTALE (events
 * were added to the session), -ENOMEM.
 */
int ucore_regions_join(struct ucore_regions *regions, struct ucore_error *err);

/**
 * ucore_regions_leave() - measure the calling thread no longer
 *
 * What it has ended is kept, what it has begun and not ended is dropped.  A thread that
 * joins again counts as another one.
 */
void ucore_regions_leave(void);

/**
 * ucore_region_begin() - the calling thread enters a region
 * @name: its name, shorter than UCORE_REGION_NAME_LEN, not empty
 *
 * One READ, no allocation.  Regions may be within others, and within themselves: then
 * the outermost is measured, and the inner edges make no system call.
 *
 * Errors, after which the region has not begun: -ESRCH (the thread has not joined: no
 * system call was made), -ENAMETOOLONG, -ENOSPC (too many names), -EOVERFLOW (deeper than
 * UCORE_REGION_DEPTH), -ESTALE (events were added to the session), those of UCORE_READ.
 */
int ucore_region_begin(const char *name);

/**
 * ucore_region_end() - the calling thread leaves the region that it entered last
 * @name: the name of that region
 *
 * Errors: -ESRCH, -EINVAL (it is not the region that was entered last, which goes on);
 * -ESTALE and those of UCORE_READ, after which the region has ended and was not counted.
 */
int ucore_region_end(const char *name);

/**
 * ucore_regions_at() - the regions, thread by thread in the order of joining, each by its
 * first begin; NULL beyond the last
 *
 * Other threads must not be at an edge while a region of theirs is looked at.
 */
const struct ucore_region *ucore_regions_at(const struct ucore_regions *regions, size_t i);

/** ucore_region_name() - its name */
const char *ucore_region_name(const struct ucore_region *region);

/** ucore_region_thread() - its thread: how many had joined before */
uint32_t ucore_region_thread(const struct ucore_region *region);

/** ucore_region_count() - how often it was ended, within itself, too */
uint64_t ucore_region_count(const struct ucore_region *region);

/** ucore_region_time() - nanoseconds in it, from READ to READ */
uint64_t ucore_region_time(const struct ucore_region *region);

/**
 * ucore_region_delta() - what the counters moved in it, all its times together
 *
 * For ucore_delta_values() and ucore_metrics_evaluate(); valid as long as the regions.
 */
const struct ucore_delta *ucore_region_delta(const struct ucore_region *region);

/* ---- ring -------------------------------------------------------------- */

struct ucore_ring;

/**
 * ucore_ring_open() - map the ring of one domain
 *
 * Errors: -ENOENT (no such domain in the session, or no rings), -EPROTO, -ENOMEM.
 */
int ucore_ring_open(struct ucore_session *session, uint32_t domain, struct ucore_ring **out,
		    struct ucore_error *err);

/** ucore_ring_close() - unmap a ring; NULL is fine */
void ucore_ring_close(struct ucore_ring *ring);

/** ucore_ring_domain() - the id of the ring's domain */
uint32_t ucore_ring_domain(const struct ucore_ring *ring);

/**
 * ucore_ring_next() - the next unread record, checked; PAD records are skipped
 * @record: the record in the ring itself, valid until ucore_ring_release()
 *
 * Return: 1 for a record, 0 if the ring is empty, -EBADMSG if the content makes no
 * sense: everything up to the producer's position has been skipped then.
 */
int ucore_ring_next(struct ucore_ring *ring, const struct ucore_record **record);

/** ucore_ring_release() - give the space of the records taken back to the kernel */
void ucore_ring_release(struct ucore_ring *ring);

/** ucore_ring_lost() - records lost since the session was created */
uint64_t ucore_ring_lost(const struct ucore_ring *ring);

/**
 * ucore_record_check() - is there a whole, well-formed record in these bytes?
 * @data: the bytes, aligned to 8
 * @avail: how many of them may be looked at
 *
 * A record of a known type has all its fields and as many values as it says, one
 * of an unknown type has a head.
 * Return: the record's size, or -EBADMSG.
 */
int ucore_record_check(const void *data, size_t avail);

/** ucore_record_time() - the time of a checked record; 0 for unknown types */
uint64_t ucore_record_time(const struct ucore_record *record);

/* ---- file -------------------------------------------------------------- */

#define UCORE_FILE_MAGIC	"UCORE\r\n\032"
#define UCORE_FILE_VERSION	3
#define UCORE_FILE_MAX_DOMAINS	16384
#define UCORE_FILE_MAX_BOXES	65536
#define UCORE_FILE_MAX_FIELDS	4096
#define UCORE_FILE_MAX_EVENTS	65536
#define UCORE_FILE_MAX_RECORD	(2U << 20)

/*
 * A file of samples, little endian, is
 *
 *   struct ucore_file_header
 *   struct ucore_file_domain	[nr_domains]
 *   struct ucore_file_box	[nr_boxes]
 *   struct ucore_file_field	[nr_fields]
 *   struct ucore_file_event	[nr_events]
 *   entries until the end of the file, each
 *	struct ucore_file_entry
 *	a record as it came from the ring (struct ucore_record ...), or
 *	struct ucore_get_status (the last entry, missing when recording was cut short)
 */

/**
 * struct ucore_file_header - what a file of samples begins with
 * @magic: UCORE_FILE_MAGIC
 * @version: UCORE_FILE_VERSION
 * @size: size of this structure
 * @domain_size: size of struct ucore_file_domain
 * @box_size: size of struct ucore_file_box
 * @field_size: size of struct ucore_file_field
 * @event_size: size of struct ucore_file_event
 * @nr_domains: domains of the machine
 * @nr_boxes: boxes of the machine
 * @nr_fields: event fields of the box types that events were recorded on
 * @nr_events: events recorded
 * @cores: cores of a socket, 0 if nobody told
 * @timer_ns: period of the timer trigger, 0 if there was none
 * @start: when the file's time begins, in ns of CLOCK_MONOTONIC: counting started, or
 *         what was kept of it does
 * @start_real: the same moment in ns of CLOCK_REALTIME; see ucore_file_real()
 * @platform: ucore_get_info.platform
 *
 * Where the first record of a domain has a number above 0, earlier ones were not kept:
 * its first sample is what later ones are counted from.
 */
struct ucore_file_header {
	char magic[8];
	__u32 version;
	__u32 size;
	__u32 domain_size;
	__u32 box_size;
	__u32 field_size;
	__u32 event_size;
	__u32 nr_domains;
	__u32 nr_boxes;
	__u32 nr_fields;
	__u32 nr_events;
	__u32 cores;
	__u32 reserved;
	__u64 timer_ns;
	__u64 start;
	__u64 start_real;
	char platform[UCORE_NAME_LEN];
};

/**
 * struct ucore_file_domain - one domain of the machine, as in ucore_domain_info
 * @domain: domain id; ids rise from element to element
 * @scope: UCORE_SCOPE_*
 * @die: the kernel's logical die
 * @package: physical package (socket)
 * @cpu: the CPU that the domain is (UCORE_SCOPE_CPU), -1 for others
 * @reserved: 0
 */
struct ucore_file_domain {
	__u32 domain;
	__u32 scope;
	__u32 die;
	__u32 package;
	__s32 cpu;
	__u32 reserved;
};

/**
 * struct ucore_file_box - one box of the machine, as in ucore_box_info
 * @domain: domain id
 * @instance: number of the box among those of its type in the domain
 * @nr_counters: general counters
 * @nr_fixed: fixed counters
 * @type: the box type
 */
struct ucore_file_box {
	__u32 domain;
	__u32 instance;
	__u32 nr_counters;
	__u32 nr_fixed;
	char type[UCORE_NAME_LEN];
};

/**
 * struct ucore_file_field - an event field of a box type
 * @type: the box type; fields of one type stand together
 * @field: the field, as the driver describes it
 */
struct ucore_file_field {
	char type[UCORE_NAME_LEN];
	struct ucore_field_info field;
};

/**
 * struct ucore_file_event - one event on one box
 * @event: its id, as in ucore_value.event
 * @index: a number that the events of one command-line word share
 * @domain: domain id of the box
 * @instance: number of the box among those of its type in the domain
 * @counter: the counter that it was given when it was added
 * @bytes: bytes that @bytes_per counts stand for, or 0
 * @bytes_per: how many counts those are; 0 means 1
 * @period: the overflow period, or 0
 * @type: the box type
 * @text: the event as the user wrote it
 * @label: the same, or what "name=" calls it
 */
struct ucore_file_event {
	__u32 event;
	__u32 index;
	__u32 domain;
	__u32 instance;
	__u32 counter;
	__u16 bytes;
	__u16 bytes_per;
	__u64 period;
	char type[UCORE_NAME_LEN];
	char text[UCORE_SPEC_LEN];
	char label[UCORE_SPEC_LEN];
};

#define UCORE_FILE_RECORD	1	/* a record follows */
#define UCORE_FILE_STATUS	2	/* struct ucore_get_status follows */

/**
 * struct ucore_file_entry - what each entry begins with
 * @kind: UCORE_FILE_*; unknown ones are skipped
 * @domain: domain id of the record
 * @size: bytes that follow, a multiple of 8; of a status fewer, if an older library wrote it
 * @reserved: 0
 */
struct ucore_file_entry {
	__u32 kind;
	__u32 domain;
	__u32 size;
	__u32 reserved;
};

struct ucore_file;

/**
 * ucore_file_create() - create or truncate a file of samples
 * @path: "-" for standard output
 */
int ucore_file_create(const char *path, struct ucore_file **out, struct ucore_error *err);

/** ucore_file_cores() - say, before the head is written, how many cores a socket has */
void ucore_file_cores(struct ucore_file *file, unsigned int cores);

/**
 * ucore_file_begin() - write the head: the machine, and the session with all its events
 * @config: the session's
 * @start: when the file's time begins, CLOCK_MONOTONIC ns
 */
int ucore_file_begin(struct ucore_file *file, const struct ucore_device *dev,
		     const struct ucore_session *session,
		     const struct ucore_session_config *config, uint64_t start,
		     struct ucore_error *err);

/** ucore_file_write() - append a record of a domain */
int ucore_file_write(struct ucore_file *file, uint32_t domain,
		     const struct ucore_record *record, struct ucore_error *err);

/** ucore_file_flush() - hand everything written so far to the file or pipe */
int ucore_file_flush(struct ucore_file *file, struct ucore_error *err);

/** ucore_file_finish() - append the final status and flush */
int ucore_file_finish(struct ucore_file *file, const struct ucore_get_status *status,
		      struct ucore_error *err);

/**
 * ucore_file_open() - open a file of samples and check its head
 * @path: "-" for standard input
 *
 * Nothing in the file is trusted.
 * Errors: what open(2) and read(2) give, -EBADMSG (not a file of samples, cut
 * off or damaged), -EPROTO (a newer version), -ENOMEM.
 */
int ucore_file_open(const char *path, struct ucore_file **out, struct ucore_error *err);

const struct ucore_file_header *ucore_file_header(const struct ucore_file *file);
const struct ucore_file_domain *ucore_file_domains(const struct ucore_file *file);
const struct ucore_file_box *ucore_file_boxes(const struct ucore_file *file);
const struct ucore_file_field *ucore_file_fields(const struct ucore_file *file);
const struct ucore_file_event *ucore_file_events(const struct ucore_file *file);

/**
 * ucore_file_real() - the wall clock's time of a moment, in ns of CLOCK_REALTIME
 * @time: the moment in ns of CLOCK_MONOTONIC, as records have it
 */
uint64_t ucore_file_real(const struct ucore_file *file, uint64_t time);

/** ucore_file_domain() - the domain with this id, NULL if there is none */
const struct ucore_file_domain *ucore_file_domain(const struct ucore_file *file, uint32_t domain);

/** ucore_file_find() - the event with this id, NULL if there is none */
const struct ucore_file_event *ucore_file_find(const struct ucore_file *file, uint32_t event);

/**
 * ucore_file_next() - the next entry
 * @entry: where its head is stored
 * @data: what follows it, checked to be what @entry->kind says, and valid until the
 *        next call
 *
 * Unknown kinds are skipped.
 * Return: 1 for an entry, 0 at the end of the file, -EBADMSG (cut off or damaged),
 * or what read(2) gives.
 */
int ucore_file_next(struct ucore_file *file, struct ucore_file_entry *entry, const void **data,
		    struct ucore_error *err);

/** ucore_file_close() - close and free, a file being written too; NULL is fine */
void ucore_file_close(struct ucore_file *file);

/* ---- replay: a file as if its session ran now ----------------------------- */

struct ucore_replay;

/**
 * ucore_replay_open() - make a device and a session of what a file says of them
 * @file: the file, which outlives the replay
 *
 * The session's events are those that ucore_session_add() and ucore_metrics_attach()
 * ask for: they are found among the recorded ones, however these were written, and
 * are refused with -ENOENT if they were not recorded on every box that they ask for.
 * Nothing can be started or read.
 *
 * Errors: -EBADMSG (an event on a box that the file does not have), -ENOMEM.
 */
int ucore_replay_open(const struct ucore_file *file, struct ucore_replay **out,
		      struct ucore_error *err);

/** ucore_replay_close() - free what ucore_replay_open() gave; NULL is fine */
void ucore_replay_close(struct ucore_replay *replay);

/** ucore_replay_device() - the machine of the file, for ucore_metrics_create() */
struct ucore_device *ucore_replay_device(struct ucore_replay *replay);

/** ucore_replay_session() - the session, for ucore_metrics_attach() */
struct ucore_session *ucore_replay_session(struct ucore_replay *replay);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* LIBUCORE_H */
