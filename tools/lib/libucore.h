/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * libucore: Intel uncore performance monitors through /dev/ucore.
 *
 * The library contains all functions of ucoretool except its output.  It never prints,
 * never exits, installs no signal handler and keeps no global state except a thread-local
 * pointer to the regions that the thread has joined.  Objects:
 *
 *   device    /dev/ucore: the machine, its domains, boxes and event fields
 *   discovery the firmware's discovery tables, which describe the boxes
 *   platform  one processor generation: its models and Intel's event names
 *   events    the meaning of a text like "imc2/CAS_COUNT.RD,die=0/" on a device: boxes,
 *             field values, counters
 *   session   events on counters: start, stop, read
 *   delta     differences of the counts between two reads
 *   metrics   formulas over event counts, for example memory bandwidth
 *   regions   marked sections of a program, with the counts during each section
 *   ring      memory-mapped buffer with the records (samples, gaps, losses) of one session
 *             in one domain
 *   file      file of samples ("ucoretool record"), for writing and reading
 *   replay    device and session made from a file, for metrics of recorded samples
 *
 * A domain is the set of boxes that one CPU reads at one instant: a die for uncore boxes,
 * a logical CPU for core boxes.  Domain ids are internal.  Messages for users name the die
 * or the CPU (ucore_domain_name()).
 *
 * Functions with the type int return 0 (or a count), or a negative errno on failure.  If a
 * function with a struct ucore_error argument fails, the text explains the failure in one line:
 * the object, the problem and the remedy.  The pointer may be NULL.
 *
 * Most structures that callers allocate, or access as array elements, have reserved members.
 * The library sets them to 0 in its results.  Callers must set them to 0 in arguments;
 * other values are refused with -EINVAL.
 *
 * Times are nanoseconds of CLOCK_MONOTONIC, durations are nanoseconds.  One thread at a
 * time may use an object.  Different threads may use different objects, except that all
 * sessions of a device count as one object together with the device.
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

/* ---- errors: explanations of failed calls ------------------------------ */

#define UCORE_ERROR_LEN		400	/* size of ucore_error.text in bytes */

/**
 * struct ucore_error - explanation of a failed call
 * @text: explanation in one line, without a newline, terminated by NUL.  Valid after a failure
 */
struct ucore_error {
	char text[UCORE_ERROR_LEN];
};

/* ---- system calls ------------------------------------------------------ */

/**
 * struct ucore_sys - system calls that the library makes on /dev/ucore
 *
 * Each member returns what the system call of the same name returns: -1 (mmap: MAP_FAILED)
 * on failure, with the cause in errno.  Tests replace the members by a simulated device.
 */
struct ucore_sys {
	int (*open)(const char *path, int flags);
	int (*close)(int fd);
	int (*ioctl)(int fd, unsigned long command, void *arg);
	void *(*mmap)(size_t length, int prot, int fd, uint64_t offset);
	int (*munmap)(void *addr, size_t length);
	int (*poll)(struct pollfd *fds, nfds_t nr, int timeout_ms);
};

/** ucore_sys_default() - return the table of the kernel's system calls (not simulated) */
const struct ucore_sys *ucore_sys_default(void);

/* ---- device: the machine behind /dev/ucore ----------------------------- */

struct ucore_device;

/**
 * ucore_device_open() - open the device node and read the description of the machine
 * @path: path of the device node (NULL: UCORE_DEVICE, "/dev/ucore")
 * @sys: system calls, valid until the device is closed (NULL: ucore_sys_default())
 * @out: receives the device
 * @err: receives the explanation of a failure; may be NULL
 *
 * The call also succeeds on a machine without boxes; ucore_device_ready() reports that.
 *
 * Errors: those of open(2), -EPROTO (the driver has an older ABI, or its reply is
 * invalid), -ENOMEM.
 */
int ucore_device_open(const char *path, const struct ucore_sys *sys,
		      struct ucore_device **out, struct ucore_error *err);

/**
 * ucore_device_close() - close the device node and free the device
 * @dev: device; all its sessions must have been destroyed before.  NULL is allowed
 */
void ucore_device_close(struct ucore_device *dev);

/**
 * ucore_device_refresh() - read the description of the machine again from the driver
 *
 * Owners of boxes and statistics of domains change with time.  Pointers into the old
 * description become invalid: results of ucore_device_domains(), ucore_device_boxes(),
 * ucore_device_domain() and ucore_device_links().
 *
 * Errors: those of UCORE_GET_INFO, UCORE_GET_DOMAINS and UCORE_GET_BOXES, -EPROTO, -ENOMEM.
 */
int ucore_device_refresh(struct ucore_device *dev, struct ucore_error *err);

/**
 * ucore_device_core() - get the description of a kind of cores (CPUID.0AH), and its state
 * @dev: device
 * @kind: number of the kind, from 0 on.  Only a hybrid processor has several kinds
 * @core: receives the description; each call reads it from the driver
 * @err: receives the explanation of a failure; may be NULL
 *
 * Errors: -ENOTTY (the driver does not support core counters), those of UCORE_GET_CORE.
 */
int ucore_device_core(const struct ucore_device *dev, uint32_t kind,
		      struct ucore_get_core *core, struct ucore_error *err);

#define UCORE_DEVICE_PLATFORMS	3	/* results of ucore_device_platform() */

/**
 * ucore_device_platform() - get a platform whose named events this machine can have
 * @dev: device
 * @i: 0: platform of the uncore, 1: of performance cores, 2: of efficient cores
 *
 * Returns NULL if the machine has no such boxes, or the events have no names.
 */
const struct ucore_platform *ucore_device_platform(const struct ucore_device *dev, size_t i);

/**
 * ucore_device_ready() - check whether sessions can be created on this machine
 *
 * Core boxes alone are sufficient.  The check uses the description that ucore_device_open()
 * or the last ucore_device_refresh() read.
 *
 * Errors: -ENODEV (no boxes) or -EBUSY (the kernel's intel_uncore driver uses the
 * hardware), with the driver's reason in @err.
 */
int ucore_device_ready(const struct ucore_device *dev, struct ucore_error *err);

/**
 * ucore_device_info() - return the GET_INFO result: processor, platform, state of the driver
 *
 * The pointer is valid until the device is closed.  ucore_device_refresh() changes the content.
 */
const struct ucore_get_info *ucore_device_info(const struct ucore_device *dev);

/**
 * ucore_device_domains() - return the array of all domains, sorted by domain id
 * @nr: receives the number of elements
 *
 * The array is valid until ucore_device_refresh() or ucore_device_close().
 */
const struct ucore_domain_info *ucore_device_domains(const struct ucore_device *dev, size_t *nr);

/**
 * ucore_device_boxes() - return the array of all boxes; element i has box id i
 *
 * A box with UCORE_BOX_F_ABSENT has an empty type and no counters, so that no event matches it.  It
 * has not responded since the driver was loaded.  ucore_get_info.nr_boxes and nr_counters, and
 * those of domains, do not count it.  If it responds later, ucore_device_refresh() makes it a usual
 * box.
 * @nr: receives the number of elements
 *
 * The array is valid until ucore_device_refresh() or ucore_device_close().
 */
const struct ucore_box_info *ucore_device_boxes(const struct ucore_device *dev, size_t *nr);

/**
 * ucore_device_sessions() - list the sessions of all processes, sorted by session id
 * @sessions: receives an array that the caller frees with free()
 * @nr: receives the number of sessions
 *
 * The list is a snapshot: processes can create and close sessions at any time.
 *
 * Errors: -ENOMEM, -ENOTTY (the driver does not have UCORE_GET_SESSIONS), -EPROTO.
 */
int ucore_device_sessions(const struct ucore_device *dev, struct ucore_session_info **sessions,
			  size_t *nr, struct ucore_error *err);

/**
 * ucore_device_revoke() - stop a session of any process and release its counters
 * @session: session id, as in ucore_session_info.session
 *
 * The session's file descriptor stays open, but all later commands on it fail with
 * -ESHUTDOWN.
 *
 * Errors: -ENOENT (no such session), -EPERM (CAP_SYS_ADMIN is required).
 */
int ucore_device_revoke(const struct ucore_device *dev, uint64_t session, struct ucore_error *err);

/**
 * ucore_device_domain() - find a domain by its id; NULL if there is none
 *
 * The pointer is valid until ucore_device_refresh() or ucore_device_close().
 */
const struct ucore_domain_info *ucore_device_domain(const struct ucore_device *dev,
						    uint32_t domain);

#define UCORE_DOMAIN_NAME_LEN	24	/* sufficient for the text of ucore_domain_name(), bytes */

/**
 * ucore_domain_name() - write the name of a domain for messages: "die 1" or "cpu 3"
 * @die: the kernel's logical die of the domain
 * @cpu: CPU of a core domain; -1 for a die
 * @text: buffer
 * @size: size of @text in bytes; UCORE_DOMAIN_NAME_LEN is always sufficient
 */
void ucore_domain_name(uint32_t die, int32_t cpu, char *text, size_t size);

/**
 * ucore_device_fields() - get the event fields of a box type
 * @box: id of any box of the type
 * @fields: receives a pointer to an array that is valid until the device is closed
 * @nr: receives the number of fields
 *
 * The library queries the driver once for each box type.  Single boxes of a type can lack
 * fields if firmware hides a PCI function.
 *
 * Errors: -ENOENT (no such box, or no recorded fields of the type in a replay), those of
 * UCORE_GET_FIELDS, -EPROTO, -ENOMEM.
 */
int ucore_device_fields(struct ucore_device *dev, uint32_t box,
			const struct ucore_field_info **fields, size_t *nr,
			struct ucore_error *err);

/**
 * ucore_device_links() - get the connection of each box: PCI root bus, or UPI port of another die
 * @ends: receives a pointer to an array that is indexed by box id; valid until
 *        ucore_device_refresh() or ucore_device_close()
 *
 * If the driver does not have UCORE_GET_LINKS, all elements are UCORE_LINK_NONE.
 *
 * Errors: -ENOENT (@dev belongs to a replay, because files of samples contain no links),
 * -EPROTO, -ENOMEM.
 */
int ucore_device_links(struct ucore_device *dev, const struct ucore_link_info **ends,
		       struct ucore_error *err);

/**
 * ucore_device_ports() - get the PCI functions whose traffic the ports of an IIO stack count
 * @box: box id
 * @ports: receives up to @nr functions
 * @nr: capacity of @ports
 *
 * If the driver does not have UCORE_GET_PORTS, the result is 0.
 *
 * Return: number of functions, which may be larger than @nr, or a negative error: -ENOENT (no such
 * box, or @dev belongs to a replay), -EPROTO.
 */
int ucore_device_ports(struct ucore_device *dev, uint32_t box, struct ucore_port_info *ports,
		       uint32_t nr, struct ucore_error *err);

/**
 * ucore_device_selftest() - get the result of the driver's self-test of a box
 * @box: box id
 * @selftest: receives the result; selftest->tested is 0 if no session has used the box since
 *            the driver was loaded
 *
 * Errors: -ENOENT (no such box, or @dev belongs to a replay), -ENOTTY (the driver has no
 * self-tests).
 */
int ucore_device_selftest(const struct ucore_device *dev, uint32_t box,
			  struct ucore_get_selftest *selftest, struct ucore_error *err);

/**
 * ucore_device_try() - make the driver run the self-test of a box, if it has not run yet
 * @box: id of a box with general counters
 *
 * The function adds an event on the box to a temporary session.  The driver tests a box when
 * a session first claims it.  The session needs no overflow interrupts, so that the test includes
 * the trial of overflows.  With UCORE_CAP_PMI_TRIAL a second session, which needs interrupts,
 * causes the trial of the PMI.  ucore_device_selftest() returns the result of the test.
 *
 * Errors: -ENOENT (@dev belongs to a replay), those of UCORE_CREATE_SESSION and
 * UCORE_ADD_EVENT, such as -EBUSY (another session uses the box) and -ENODEV (the box is dead).
 */
int ucore_device_try(const struct ucore_device *dev, uint32_t box, struct ucore_error *err);

/* ---- discovery: tables of the firmware --------------------------------- */

struct ucore_discovery;

/**
 * ucore_discovery_get() - get the firmware's discovery tables and their units
 *
 * The result is empty if the boxes of the platform do not come from discovery, or if the
 * driver does not have UCORE_GET_TABLES and UCORE_GET_UNITS.
 *
 * Errors: those of UCORE_GET_TABLES and UCORE_GET_UNITS, -EPROTO, -ENOMEM.
 */
int ucore_discovery_get(struct ucore_device *dev, struct ucore_discovery **out,
			struct ucore_error *err);

/** ucore_discovery_free() - free the result of ucore_discovery_get(); NULL is allowed */
void ucore_discovery_free(struct ucore_discovery *discovery);

/** ucore_discovery_tables() - return the array of discovery tables, and its length in @nr */
const struct ucore_table_info *ucore_discovery_tables(const struct ucore_discovery *discovery,
						      size_t *nr);

/** ucore_discovery_units() - return the array of the units of all tables, and its length in @nr */
const struct ucore_unit_info *ucore_discovery_units(const struct ucore_discovery *discovery,
						    size_t *nr);

/** ucore_discovery_unit() - find the unit that describes box id @box; NULL if there is none */
const struct ucore_unit_info *ucore_discovery_unit(const struct ucore_discovery *discovery,
						   uint32_t box);

/** ucore_table_die_by() - return how the die of a table was found (UCORE_DIE_BY_*), "" for NONE */
const char *ucore_table_die_by(uint32_t die_by);

/** ucore_table_reason() - return the text for a UCORE_TABLE_* reason; "" for UCORE_TABLE_OK */
const char *ucore_table_reason(uint32_t reason);

/** ucore_unit_reason() - return the text for a UCORE_UNIT_* reason; "" for UCORE_UNIT_OK */
const char *ucore_unit_reason(uint32_t reason);

/**
 * struct ucore_unit_fields - fields of a unit's record in a discovery table
 * @num_regs: number of general counters
 * @ctl_offset: offset of the first counter control register from the box control register;
 *              in MSR numbers for @access 0, otherwise in bytes
 * @width: width of a counter in bits
 * @ctr_offset: offset of the first counter register; base and unit as for @ctl_offset
 * @status_offset: offset of the box status register; base and unit as for @ctl_offset
 * @access: access type as in the record: 0 MSR, 1 MMIO, 2 PCI config space; 3 is invalid
 * @address: address of the box control register as in the record; 0 without CAP_SYS_ADMIN
 * @type: number of the box type in the discovery table
 * @id: number of the unit within its type
 * @status_pos: number of the unit's bit in the global status register
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

/** ucore_unit_decode() - extract the fields from the three words of a unit's record */
void ucore_unit_decode(const struct ucore_unit_info *unit, struct ucore_unit_fields *fields);

/* ---- platform: processors and event names ------------------------------ */

/**
 * struct ucore_model - processor model that ucore supports
 * @family: CPUID family
 * @model: CPUID model
 * @platform: name of the platform, as in ucore_get_info.platform: "ivbep"
 * @name: Intel's name of the processor
 * @discovery: true if discovery tables of the firmware describe the boxes
 * @stepping: lowest CPUID stepping to which this entry applies
 */
struct ucore_model {
	uint32_t family;
	uint32_t model;
	const char *platform;
	const char *name;
	bool discovery;
	uint32_t stepping;
};

/**
 * ucore_model_find() - find a processor model by CPUID; NULL if ucore does not support it
 *
 * If several entries have the same family and model, the highest ucore_model.stepping that is
 * not above @stepping selects the entry.
 */
const struct ucore_model *ucore_model_find(uint32_t family, uint32_t model, uint32_t stepping);

/**
 * ucore_name_similar() - find the name that is most similar to a misspelled word
 * @word: word
 * @names: names
 * @nr: number of elements of @names
 *
 * Return: an element of @names, or NULL if none is similar.
 */
const char *ucore_name_similar(const char *word, const char *const *names, size_t nr);

#define UCORE_EVENT_NEEDS	8	/* maximum number of filter fields of an event */

/* ucore_need.dflt: value of a filter field that the user does not set */
#define UCORE_NEED_VALUE	0	/* no default: the user must set the filter */
#define UCORE_NEED_ALL		1	/* all bits 1, which matches every transaction */
#define UCORE_NEED_ZERO		2	/* 0, which matches every transaction */
#define UCORE_NEED_GIVEN	3	/* the value in ucore_need.value */
#define UCORE_NEED_NO_OPCODE	4	/* all bits 1; 0 if the user sets an opcode filter */

/**
 * struct ucore_need - filter field that must be set for an event
 * @field: UCORE_FIELD_* (0: a register for which the driver has no field)
 * @dflt: UCORE_NEED_*: value of the field if the user does not set it
 * @value: value of the field if @dflt is UCORE_NEED_GIVEN
 */
struct ucore_need {
	uint16_t field;
	uint16_t dflt;
	uint32_t value;
};

/**
 * struct ucore_filter - all filter fields that must be set for an event
 * @spelling: text of the Filter column of Intel's event file: "CBoFilter1[28:20]"
 * @nr: number of valid elements of @needs
 * @needs: filter fields
 */
struct ucore_filter {
	const char *spelling;
	unsigned int nr;
	struct ucore_need needs[UCORE_EVENT_NEEDS];
};

/**
 * struct ucore_event_unit - unit (box type) in Intel's event files
 * @name: Intel's name of the unit: "iMC"
 * @type: ucore's name of the box type: "imc"
 * @prefix: prefix of the full names of the unit's events: "UNC_M_"
 */
struct ucore_event_unit {
	const char *name;
	const char *type;
	const char *prefix;
};

/**
 * struct ucore_event_desc - named event of Intel's event files
 * @name: full name: "UNC_M_CAS_COUNT.RD"
 * @unit: unit (box type) that counts the event
 * @filter: filter fields that must be set for the event (NULL: none)
 * @counters: mask of the counters that can count the event; bit n is general counter n, bit
 *            UCORE_COUNTER_FIXED + n is fixed counter n
 * @counters_alt: mask of counters that count the event in the second half of an IRP, used only
 *                if the user names the counter
 * @umask_ext: value of UCORE_FIELD_UMASK_EXT (0: the event does not use the field)
 * @event: value of UCORE_FIELD_EVENT (event select); 0 for an event of a fixed counter
 * @umask: value of UCORE_FIELD_UMASK (unit mask)
 * @ch_mask: value of UCORE_FIELD_CH_MASK (mask of IIO ports)
 * @fc_mask: value of UCORE_FIELD_FC_MASK (mask of IIO completion flow classes)
 * @occ_sel: value of UCORE_FIELD_OCC_SEL (occupancy select of the PCU)
 * @bytes: bytes that @bytes_per counts stand for (0: the event does not count bytes)
 * @bytes_per: number of counts that stand for @bytes; at least 1 if @bytes is not 0
 * @thresh: value of UCORE_FIELD_THRESH (0: the event does not use the field)
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
	uint8_t thresh;
	uint64_t reserved[2];
};

/* Processor generation with its named events */
struct ucore_platform;

/** ucore_platform_at() - return the i-th platform with event names, from 0; NULL after the last */
const struct ucore_platform *ucore_platform_at(size_t i);

/**
 * ucore_platform_name() - return the name of a platform, as in ucore_get_info.platform: "ivbep"
 */
const char *ucore_platform_name(const struct ucore_platform *platform);

/** ucore_platform_nr_events() - return the number of events of a platform; 0 for NULL */
size_t ucore_platform_nr_events(const struct ucore_platform *platform);

/** ucore_platform_find() - find a platform by its name; NULL if there is none */
const struct ucore_platform *ucore_platform_find(const char *name);

/**
 * ucore_platform_event_at() - get the i-th event of a platform; events are sorted by unit
 * @platform: platform
 * @i: index, less than ucore_platform_nr_events()
 * @desc: receives the event
 */
void ucore_platform_event_at(const struct ucore_platform *platform, size_t i,
			     struct ucore_event_desc *desc);

/**
 * ucore_platform_event() - find an event by its name
 * @platform: platform; NULL has no events
 * @type: box type to search (NULL: all, and then only full names match)
 * @name: full name ("UNC_M_CAS_COUNT.RD") or short name ("CAS_COUNT.RD"); case is ignored
 * @desc: receives the event
 *
 * Return: true if the event was found.
 */
bool ucore_platform_event(const struct ucore_platform *platform, const char *type,
			  const char *name, struct ucore_event_desc *desc);

/** ucore_event_desc_short() - return the event's name without its prefix: "CAS_COUNT.RD" */
const char *ucore_event_desc_short(const struct ucore_event_desc *desc);

/** ucore_event_desc_fixed() - return true if only fixed counters can count the event */
bool ucore_event_desc_fixed(const struct ucore_event_desc *desc);

#define UCORE_EVENT_TEXT_LEN	400	/* sufficient for ucore_event_desc_text(), bytes */

/**
 * ucore_event_desc_text() - write a one-line description of what an event counts
 * @text: buffer
 * @size: size of @text in bytes; UCORE_EVENT_TEXT_LEN is always sufficient
 *
 * Common events have a description that was written by hand.  The description of other events
 * is composed from the meanings of the parts of the name.
 *
 * Return: true if every part of the name is known.  Unknown parts are copied literally.
 */
bool ucore_event_desc_text(const struct ucore_event_desc *desc, char *text, size_t size);

/* ---- events: from a text to boxes and field values --------------------- */

#define UCORE_SPEC_LEN		192	/* maximum size of an event's text in bytes, with NUL */

/**
 * ucore_list_next() - get the next event of a comma-separated list
 * @list: pointer to the rest of the list; the call advances it, and sets it to NULL at the end
 * @text: buffer for the text of the event
 * @size: size of @text in bytes; UCORE_SPEC_LEN is always sufficient
 * @err: receives the explanation of a failure; may be NULL
 *
 * Only the syntax is checked.  No device is needed.
 *
 * Return: 1 for an event, 0 at the end of the list, or -EINVAL.
 */
int ucore_list_next(const char **list, char *text, size_t size, struct ucore_error *err);

#define UCORE_ANY		0xffffffffU	/* stands for any die, CPU or box number */

struct ucore_event;
struct ucore_events;

/**
 * ucore_events_find() - find the events that a text describes
 * @dev: device
 * @text: a single event as the user writes it: "imc2/CAS_COUNT.RD,die=0/", "UNC_M_CAS_COUNT.RD",
 *        or a text with patterns
 * @out: receives the events, at least one
 * @err: receives the explanation of a failure; may be NULL
 *
 * Terms: an event name, "fixed" or "fixed=N", any field of the box ("umask=0x3"; the value
 * defaults to 1), "period=N", "counter=N", "die=N", "cpu=N", "name=WORD".  A filter that the
 * text does not set gets its default (UCORE_NEED_*).  On a box with the field umask_ext, a
 * umask of more than 8 bits, as perf writes it ("umask=0xC817FE01"), sets both fields: the
 * low 8 bits are the umask, the other bits are umask_ext.
 *
 * The head is the part before the first slash.  A pattern (*, ?, [) in the head selects each
 * matching box type that has the event.  If no box type matches, it selects each event with a
 * matching full name.  A pattern in a term selects each event of the box type whose full or
 * short name matches.
 *
 * Errors: -ENOENT (no such box, die, CPU or event, or no match), -EINVAL (more than one
 * event, unknown term, no event, repeated term, required filter not set), -ERANGE (value out
 * of range), -ENXIO (no such counter), -ENOMEM, and those of ucore_device_fields().
 */
int ucore_events_find(struct ucore_device *dev, const char *text, struct ucore_events **out,
		      struct ucore_error *err);

/** ucore_events_free() - free the result of ucore_events_find(); NULL is allowed */
void ucore_events_free(struct ucore_events *events);

/** ucore_events_at() - return the i-th event (from 0) of a result; NULL after the last */
struct ucore_event *ucore_events_at(struct ucore_events *events, size_t i);

/** ucore_event_text() - return the event as the user wrote it */
const char *ucore_event_text(const struct ucore_event *event);

/**
 * ucore_event_label() - return the label: the value of "name=", otherwise the text of the event
 */
const char *ucore_event_label(const struct ucore_event *event);

/** ucore_event_type() - return the box type of the event: "imc" */
const char *ucore_event_type(const struct ucore_event *event);

/** ucore_event_desc_of() - return the named event of Intel's event files; NULL for a raw event */
const struct ucore_event_desc *ucore_event_desc_of(const struct ucore_event *event);

/** ucore_event_period() - return the event's sampling period in counts (0: none) */
uint64_t ucore_event_period(const struct ucore_event *event);

/** ucore_event_set_period() - set the event's sampling period in counts (0: none) */
void ucore_event_set_period(struct ucore_event *event, uint64_t period);

/** ucore_event_set_flags() - replace the event's flags by @flags, a mask of UCORE_EVENT_F_* */
void ucore_event_set_flags(struct ucore_event *event, uint32_t flags);

/** ucore_event_matches() - return true if the event selects this box (type, number, die, CPU) */
bool ucore_event_matches(const struct ucore_event *event, const struct ucore_box_info *box);

/* ---- session: events on counters --------------------------------------- */

struct ucore_session;

/**
 * struct ucore_session_config - parameters of a session, as in struct ucore_create_session
 * @flags: UCORE_SESSION_F_*. With UCORE_SESSION_F_MULTIPLEX @timer_ns and @ring_size must be 0,
 *         and ucore_delta_scaled() estimates the counts of events that had to wait for others
 * @timer_ns: interval of timer samples (ns), UCORE_TIMER_MIN_NS (10 us) to
 *            UCORE_TIMER_MAX_NS (1000 s), or 0 for no timer
 * @ring_size: size of each domain's ring in bytes, a power of two from UCORE_RING_MIN to
 *             UCORE_RING_MAX (4 KiB to 64 MiB), or 0 for no rings
 * @wakeup: number of unread bytes in a ring at which poll() returns, less than @ring_size.
 *          With 0 poll() returns for each record
 * @rotate_ns: length of a group's time slice (ns), UCORE_ROTATE_MIN_NS (1 ms) to
 *             UCORE_ROTATE_MAX_NS (1000 s), or 0 for no groups.  With groups @timer_ns and
 *             @ring_size must be 0
 * @nr_readers: number of CPUs of each die that read its counters in parallel, at most
 *              UCORE_READERS_MAX (0 or 1: one CPU).  Must be 0 or 1 with groups
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
 * struct ucore_slot - single event of a session on a single box
 * @event: event id that the driver assigned, as in ucore_value.event
 * @index: number of the ucore_session_add() call that added the event, from 0
 * @box: box id
 * @domain: domain id of the box
 * @instance: number of the box within its type and domain
 * @counter: number of the counter that ADD_EVENT assigned; UCORE_COUNTER_FIXED + n for fixed
 *           counter n.  Until START the driver can move the event to another counter
 * @poll_ns: interval (ns) at which the driver polls the counter for the end of the period
 *           (0: the counter has an overflow interrupt, or the event has no period).  With
 *           UCORE_SESSION_F_NO_PMI it is the interval of the polls of the global status
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
 * struct ucore_snapshot - result of one READ
 * @nr_values: number of elements of @values
 * @values: counts since the first start or the last reset; values[i] belongs to slot i
 * @nr_domains: number of elements of @domains
 * @domains: domains that were read, with their times, sorted by domain id
 * @skew_ns: time between the freeze of the first and of the last domain (ns)
 * @running: time (ns) for which the event of each slot counted in the time slices of its
 *           group; NULL if the session has no groups
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
 * struct ucore_omission - event that is not counted on a box, and the reason
 * @index: number of the event, as in ucore_slot.index
 * @box: box id; UCORE_ANY if the die has no such box, or none that responds, although another die
 *       of the machine has
 * @domain: domain id of the box
 * @die: the kernel's logical die of the box
 * @package: physical package (socket) of the box
 * @cpu: CPU of a core box, -1 for another box
 * @instance: number of the box within its type and domain
 * @code: negative errno of UCORE_ADD_EVENT; see ucore_omission_reason()
 * @type: box type
 * @text: explanation of @code in one line
 * @reserved: 0
 */
struct ucore_omission {
	uint32_t index;
	uint32_t box;
	uint32_t domain;
	uint32_t die;
	uint32_t package;
	int32_t cpu;
	uint32_t instance;
	int32_t code;
	char type[UCORE_NAME_LEN];
	char text[UCORE_ERROR_LEN];
	uint64_t reserved[2];
};

/**
 * ucore_session_create() - create a session without events
 * @config: parameters of the session (NULL: all parameters are 0)
 *
 * Errors: -EINVAL or -ERANGE (@config), -EACCES (UCORE_SESSION_F_TASKS needs CAP_PERFMON),
 * -ENODEV or -EBUSY (see ucore_device_ready()), -EDQUOT (the user has UCORE_SESSIONS_MAX
 * sessions), -ENOMEM, -EMFILE.
 */
int ucore_session_create(struct ucore_device *dev, const struct ucore_session_config *config,
			 struct ucore_session **out, struct ucore_error *err);

/**
 * ucore_session_destroy() - stop a session, release its boxes and free it
 * @session: session, all of whose rings are closed; NULL is allowed
 */
void ucore_session_destroy(struct ucore_session *session);

/**
 * ucore_session_add() - add an event on all boxes that it matches; after an error on none
 *
 * Errors: those of UCORE_ADD_EVENT, -ENOENT (no box matches).  The text of -EBUSY names the
 * owner of the counters, that of -ENOSPC the box without a free counter, and that of
 * -EADDRINUSE the event or session with other values in a filter that the counters share.
 */
int ucore_session_add(struct ucore_session *session, const struct ucore_event *event,
		      struct ucore_error *err);

/**
 * ucore_session_set_partial() - choose what happens if a box cannot count an event
 * @partial: true: events that are added from now on are counted on the boxes that can count
 *           them, and ucore_session_omissions() lists the other boxes.  false, as in a new
 *           session: the event is refused
 *
 * A box is omitted if it does not respond (-ENODEV), if another session uses its counters
 * (-EBUSY) or sets other values in its filters (-EADDRINUSE), if the caller lacks a permission
 * (-EACCES), or if the box lacks a field of the event (-ENXIO).  If no box can count the event,
 * the event is refused.  Then the error has the text of each different cause.
 */
void ucore_session_set_partial(struct ucore_session *session, bool partial);

/**
 * ucore_session_omissions() - return the boxes on which events of a session are not counted
 * @nr: receives the number of elements
 *
 * The omissions are in the order in which the events were added.  They include boxes that firmware
 * hides on one die and not on another, or that have not responded since the driver was loaded
 * (-ENOENT), also if events are not added in part.  The pointer is valid until the next event is
 * added.
 */
const struct ucore_omission *ucore_session_omissions(const struct ucore_session *session,
						     size_t *nr);

/**
 * ucore_omission_reason() - return the reason of an omission in one word, for programs
 * @code: ucore_omission.code
 *
 * Return: "dead", "busy", "filter", "permission", "field", "hidden", or "other".
 */
const char *ucore_omission_reason(int code);

/**
 * ucore_session_add_box() - add an event on one box
 * @box: id of a box that the event matches
 *
 * Errors: those of ucore_session_add(), -ENOENT (no such box, or the event does not match).
 */
int ucore_session_add_box(struct ucore_session *session, const struct ucore_event *event,
			  uint32_t box, struct ucore_error *err);

/**
 * ucore_session_group() - set the group of all events that are added from now on
 * @group: 1 to UCORE_GROUP_MAX: the events count in the time slices of this group.  0: the
 *         events always count
 *
 * Errors: -EINVAL (no such group, or the session has no rotate_ns).
 */
int ucore_session_group(struct ucore_session *session, uint32_t group, struct ucore_error *err);

/**
 * ucore_session_add_turn() - add an event to the first group that has free counters
 *
 * Like ucore_session_add(), for a session with ucore_session_config.rotate_ns.  The event is
 * added to the first group that has a free counter on every box of the event.  If there is no
 * such group, the event is added to a new group.
 *
 * Errors: those of ucore_session_add().  -ENOSPC: no group has free counters, and the event does
 * not fit in a new group either, or there are UCORE_GROUP_MAX groups.
 */
int ucore_session_add_turn(struct ucore_session *session, const struct ucore_event *event,
			   struct ucore_error *err);

/**
 * ucore_session_add_list() - add all events of a list; after an error none of them
 * @list: comma-separated events, with or without patterns
 *
 * Errors: those of ucore_list_next(), ucore_events_find() and ucore_session_add().
 */
int ucore_session_add_list(struct ucore_session *session, const char *list,
			   struct ucore_error *err);

/**
 * ucore_session_pmi_cpus() - choose the CPUs that receive the overflow interrupts (PMIs) of a die
 * @cpus: CPU numbers; the first CPU of each die also reads the boxes of the die
 * @nr: number of elements of @cpus, at most UCORE_PMI_CPUS_MAX
 *
 * Errors: those of UCORE_SET_PMI_CPUS: -EINVAL (repeated CPU, or too many), -ENOENT (no such
 * CPU, or its die has no boxes), -EAGAIN (offline), -EPERM (the caller's CPU affinity
 * excludes the CPU, and the caller has no CAP_SYS_NICE), -ERANGE (the register that selects
 * PMI targets cannot address the core), -EBUSY (another session has chosen other CPUs of the
 * die, or the session is running).
 */
int ucore_session_pmi_cpus(struct ucore_session *session, const uint32_t *cpus, size_t nr,
			   struct ucore_error *err);

/**
 * struct ucore_core_event - event of a core that the kernel's perf counts
 * @type: UCORE_PERF_*, as in perf_event_attr.type
 * @flags: UCORE_CORE_TRIGGER_F_USER (count in user mode only) or 0
 * @config: number of the event, as in perf_event_attr.config
 */
struct ucore_core_event {
	uint32_t type;
	uint32_t flags;
	uint64_t config;
};

/**
 * struct ucore_core_target - thread or CPU on which a core event is counted
 * @tid: thread id (0: count on @cpu)
 * @cpu: CPU number; ignored unless @tid is 0
 */
struct ucore_core_target {
	uint32_t tid;
	uint32_t cpu;
};

/**
 * ucore_core_event_find() - find a core event by perf's name
 * @text: "instructions", "page-faults", "r01c2" ...; the suffix ":u" selects user mode only
 *
 * Errors: -ENOENT (unknown event), -EINVAL (unknown suffix).
 */
int ucore_core_event_find(const char *text, struct ucore_core_event *event,
			  struct ucore_error *err);

/**
 * ucore_session_core_trigger() - take a sample of a die at each overflow of a core event
 * @period: counts of the core event between two samples, 1 to 2^63 - 1
 *
 * The die is the one of the CPU on which the core event overflowed.  A thread on a
 * hybrid processor has a trigger for each kind of cores, and each one has the period.  If the
 * second one fails, the first one remains in the session.
 *
 * Errors: those of UCORE_ADD_CORE_TRIGGER, -EOPNOTSUPP for raw codes of such a thread.
 */
int ucore_session_core_trigger(struct ucore_session *session,
			       const struct ucore_core_event *event, uint64_t period,
			       const struct ucore_core_target *target, struct ucore_error *err);

/*
 * Start counting (UCORE_START), stop counting (UCORE_STOP), or set all counts to 0
 * (UCORE_RESET).  Errors: those of the command.
 */
int ucore_session_start(struct ucore_session *session, struct ucore_error *err);
int ucore_session_stop(struct ucore_session *session, struct ucore_error *err);
int ucore_session_reset(struct ucore_session *session, struct ucore_error *err);

/**
 * ucore_session_read() - read all counters of a session at one instant, by one system call
 * @flags: UCORE_READ_F_*
 * @snap: receives the result.  The pointers in @snap are valid until the next read, or until
 *        an event is added
 *
 * Only the first call after an event was added allocates memory.
 *
 * Errors: those of UCORE_READ, -EPROTO, -ENOMEM.
 */
int ucore_session_read(struct ucore_session *session, uint32_t flags, struct ucore_snapshot *snap,
		       struct ucore_error *err);

/**
 * ucore_session_status() - get the state, overhead and lost records of a session
 *
 * Errors: those of UCORE_GET_STATUS.
 */
int ucore_session_status(struct ucore_session *session, struct ucore_get_status *status,
			 struct ucore_error *err);

/**
 * ucore_session_budget() - get the limit on the CPU time of a session, and its effects
 * @budget: receives the limit (%), the shortest timer interval that START accepts (ns), the
 *          number of periods without a sample, and other values
 *
 * Errors: those of UCORE_GET_BUDGET.
 */
int ucore_session_budget(struct ucore_session *session, struct ucore_get_budget *budget,
			 struct ucore_error *err);

/**
 * ucore_session_fd() - return the file descriptor of a session
 *
 * poll() reports POLLIN when a ring contains ucore_session_config.wakeup unread bytes.
 */
int ucore_session_fd(const struct ucore_session *session);

/**
 * ucore_session_slots() - return the array of a session's slots (events on boxes)
 * @nr: receives the number of elements
 *
 * The slots are in the order in which they were added.  The pointer is valid until the next
 * event is added.
 */
const struct ucore_slot *ucore_session_slots(const struct ucore_session *session, size_t *nr);

/**
 * ucore_session_event() - return the event with number @index (ucore_slot.index)
 *
 * The result is NULL if there is no such event.  The pointer is valid until the next event is
 * added.
 */
const struct ucore_event *ucore_session_event(const struct ucore_session *session,
					      uint32_t index);

/* ---- delta: differences between two reads ------------------------------- */

struct ucore_delta;

/**
 * struct ucore_delta_value - differences of one slot between two reads
 * @count: difference of the counts
 * @enabled: time for which the session ran between the reads (ns)
 * @running: part of @enabled in which the event of the slot counted (ns)
 * @flags: UCORE_VALUE_F_* of the later read
 * @reserved: 0
 * @possible: part of @enabled in which the event would have counted without rotation and
 *            multiplexing (ns); equal to @running if it always counted
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
 * ucore_delta_create() - create the deltas of a session
 * @session: session to which all events have been added; must exist until ucore_delta_free()
 *
 * The other functions for deltas do not allocate memory.
 *
 * Errors: -ENOMEM.
 */
int ucore_delta_create(const struct ucore_session *session, struct ucore_delta **out,
		       struct ucore_error *err);

/** ucore_delta_free() - free the result of ucore_delta_create(); NULL is allowed */
void ucore_delta_free(struct ucore_delta *delta);

/**
 * ucore_delta_update() - compute the differences between the previous snapshot and @snap
 *
 * The first update computes the differences from the start of the session.
 */
void ucore_delta_update(struct ucore_delta *delta, const struct ucore_snapshot *snap);

/**
 * ucore_delta_values() - return the differences that the last ucore_delta_update() computed
 * @nr: receives the number of elements; element i belongs to slot i of the session
 */
const struct ucore_delta_value *ucore_delta_values(const struct ucore_delta *delta, size_t *nr);

/**
 * ucore_delta_scaled() - estimate the count of a slot without rotation and multiplexing
 *
 * Return: @count * @possible / @running, or @count if the two times are equal, or NaN if
 * the group had no time slice.
 */
double ucore_delta_scaled(const struct ucore_delta_value *value);

/* ---- metrics: formulas over events --------------------------------------- */

/* Part of the machine to which a value of a metric applies: whole system, one socket or one box */
#define UCORE_LEVEL_SYSTEM	(1U << 0)
#define UCORE_LEVEL_SOCKET	(1U << 1)
#define UCORE_LEVEL_BOX		(1U << 2)

/**
 * struct ucore_metric_desc - description of a metric
 * @name: name of the metric: "memory_bandwidth_read"
 * @unit: unit of the value, "MB/s" or "ns" for example (empty: a number without a unit)
 * @category: categories, separated by spaces: "memory bandwidth"
 * @text: description of the metric in one line
 * @formula: formula that computes the value, as in ucore_metrics_define()
 * @where: definitions of the aliases in @formula: "a=UNC_M_CAS_COUNT.RD; ..."
 * @omitted: reason why the events cannot be counted at the same time (empty: they can)
 * @levels: mask of the UCORE_LEVEL_* that the metric supports (0: all that its events allow)
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

/** ucore_metric_at() - get the i-th metric (from 0) of a platform; false after the last */
bool ucore_metric_at(const char *platform, size_t i, struct ucore_metric_desc *desc);

/** ucore_metric_find() - find a platform's metric by name (ignoring case); false if none */
bool ucore_metric_find(const char *platform, const char *name, struct ucore_metric_desc *desc);

struct ucore_metrics;

/**
 * struct ucore_metric_value - value of a metric for one box, one socket or the whole system
 * @metric: description of the metric
 * @level: UCORE_LEVEL_*: part of the machine to which @value applies
 * @package: physical package (socket); not valid with UCORE_LEVEL_SYSTEM
 * @die: the kernel's logical die of the box; valid only with UCORE_LEVEL_BOX
 * @cpu: CPU of a core box, -1 for another box; valid only with UCORE_LEVEL_BOX
 * @type: type of the box; valid only with UCORE_LEVEL_BOX
 * @instance: number of the box within its type and domain; valid only with UCORE_LEVEL_BOX
 * @value: result of the formula in the metric's unit (NaN: division by zero, or no counts)
 * @flags: UCORE_VALUE_F_* flags of all counts in the formula, combined by OR
 * @running: time for which the counters counted (ns), with rotation the time to which the
 *           counts were scaled; the longest of all counters
 * @fresh: true if the last ucore_metrics_take() computed @value
 * @share: part of the time for which the events counted, 0 to 1, the smallest of all
 *         counters.  Below 1 the counts were scaled because of rotation
 * @nr_boxes: number of boxes of type @boxes_type whose counts are in @value.  If an event of the
 *            formula is omitted on a box, no event of the formula is taken from that box
 * @max_boxes: number of such boxes, with those that ucore_session_omissions() lists and those that
 *             stopped responding
 * @boxes_type: of the formula's box types, the one of which most boxes are missing
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
	uint32_t nr_boxes;
	uint32_t max_boxes;
	const char *boxes_type;
};

/**
 * ucore_metrics_create() - create an empty set of metrics
 * @dev: device; must exist until ucore_metrics_free()
 *
 * Errors: -ENOMEM.
 */
int ucore_metrics_create(struct ucore_device *dev, struct ucore_metrics **out,
			 struct ucore_error *err);

/** ucore_metrics_free() - free the result of ucore_metrics_create(); NULL is allowed */
void ucore_metrics_free(struct ucore_metrics *metrics);

/**
 * ucore_metrics_define() - define a metric: "NAME=FORMULA[; ALIAS=EVENT]..."
 *
 * A formula consists of numbers, + - * /, parentheses, min(), max(), full names of events,
 * events in braces ("{imc/CAS_COUNT.RD,die=0/}"), aliases, names of other metrics, and
 * constants: DURATIONTIMEINSECONDS (also "seconds"), SOCKET_COUNT, LINK_SPEED, CHAS_PER_SOCKET and
 * others.  In place of an alias, "unit=UNIT" and "text=TEXT" set the unit and the description
 * of the metric.  A definition replaces an earlier definition, or a metric of the platform,
 * with the same name.
 *
 * Errors: -EINVAL (syntax), -ENOMEM.  Names in the formula are checked by
 * ucore_metrics_attach().
 */
int ucore_metrics_define(struct ucore_metrics *metrics, const char *text,
			 struct ucore_error *err);

/**
 * ucore_metrics_load() - read definitions of metrics from a file, one definition per line
 * @name: name of the file for error texts
 *
 * Empty lines and lines that begin with # are ignored.  A backslash at the end of a line
 * continues the line.
 *
 * Errors: -EINVAL (syntax), -ENOMEM, -EIO.
 */
int ucore_metrics_load(struct ucore_metrics *metrics, FILE *stream, const char *name,
		       struct ucore_error *err);

/**
 * ucore_metrics_choose() - add metrics to the set of metrics that are to be counted
 * @list: comma-separated names, "@CATEGORY" and shell patterns.  Or one definition as for
 *        ucore_metrics_define(), which also chooses the metric.  "NAME:band0=12" sets a
 *        parameter of a metric
 *
 * A metric that is chosen several times is counted once, with its latest definition.  If a
 * metric that was chosen by name cannot be counted, ucore_metrics_attach() fails.  A metric
 * that was chosen only by a pattern or category can be left out.
 *
 * Errors: -ENOENT (no such name or category), -ENXIO (the events of the metric cannot be
 * counted at the same time), -EINVAL (syntax), -ENOMEM.
 */
int ucore_metrics_choose(struct ucore_metrics *metrics, const char *list,
			 struct ucore_error *err);

/**
 * ucore_metrics_offer() - choose a metric that ucore_metrics_attach() may leave out
 * @metric: name or definition of a metric
 *
 * Like ucore_metrics_choose(), but ucore_metrics_attach() leaves the metric out if it cannot
 * be counted for any reason: no such box, no free counter, or counters in use by another
 * session.
 *
 * Errors: those of ucore_metrics_choose().
 */
int ucore_metrics_offer(struct ucore_metrics *metrics, const char *metric,
			struct ucore_error *err);

/** ucore_metrics_cores() - set the number of cores of a socket, which some metrics need */
void ucore_metrics_cores(struct ucore_metrics *metrics, unsigned int cores);

/**
 * ucore_metrics_attach() - add the events of the chosen metrics to a session
 * @session: session of the same device; must exist until ucore_metrics_free()
 * @level: UCORE_LEVEL_* of the values; a metric that does not support this level gets
 *         values of the next larger level
 *
 * Each event is counted once, even if several metrics use it.  Metrics that were chosen by
 * category or pattern, and metrics of ucore_metrics_offer(), are left out if they cannot be
 * counted: no such box, no free counter, counters in use by another session, or no permission.
 * If all chosen metrics were offered and left out, there are no values.  Several ucore_metrics
 * can be attached to one session, each with its own level.
 *
 * After ucore_session_set_partial() a metric is counted on the boxes that can count all of its
 * events.  An event of the first box of a socket ("[0]") is counted on the first box that can
 * count it.
 *
 * Errors, after which the session is unchanged: those of ucore_events_find() and
 * ucore_session_add(), -ENOENT (unknown name in a formula), -EINVAL (invalid formula),
 * -EALREADY (the metrics have been attached before).  If all metrics were left out: -ENOSPC if
 * one of them found no counter, otherwise the error of the first; the text has each cause once.
 */
int ucore_metrics_attach(struct ucore_metrics *metrics, struct ucore_session *session,
			 uint32_t level, struct ucore_error *err);

/** ucore_metrics_left_out() - return the name of the i-th left-out metric; NULL after the last */
const char *ucore_metrics_left_out(const struct ucore_metrics *metrics, size_t i);

/**
 * ucore_metrics_left_out_error() - get the error because of which a metric was left out
 * @i: index as in ucore_metrics_left_out()
 * @err: receives the text of the error; may be NULL
 *
 * Return: a negative errno, or 0 if @i is beyond the last metric.
 */
int ucore_metrics_left_out_error(const struct ucore_metrics *metrics, size_t i,
				 struct ucore_error *err);

/**
 * ucore_metrics_evaluate() - compute the values of all metrics from the last update of @delta
 * @delta: deltas of the same session, created after the metrics were attached; deltas that
 *         were created earlier give no values
 */
void ucore_metrics_evaluate(struct ucore_metrics *metrics, const struct ucore_delta *delta);

/**
 * ucore_metrics_take() - process a record of the session, and compute the values that are due
 * @domain: domain of the record's ring; the records of a domain must be in order
 * @record: record from ucore_ring_next() or ucore_file_next()
 *
 * A value applies to the time from one sample to the next.  A value of several domains (the
 * whole system, or a socket with several dies) is computed when each domain has had a
 * sample since the last computation.  Domains without an online CPU are ignored.
 *
 * Return: the number of computed values (ucore_metric_value.fresh), or -ENOMEM (first call
 * only).
 */
int ucore_metrics_take(struct ucore_metrics *metrics, uint32_t domain,
		       const struct ucore_record *record);

/**
 * ucore_metrics_value() - return the i-th value (from 0) of the metrics; NULL after the last
 *
 * Values are sorted by metric.
 */
const struct ucore_metric_value *ucore_metrics_value(const struct ucore_metrics *metrics,
						     size_t i);

/* ---- regions: counts of sections of a program ----------------------------- */

#define UCORE_REGION_NAME_LEN	64	/* maximum size of a region's name in bytes, with NUL */
#define UCORE_REGION_DEPTH	16	/* maximum nesting depth of regions */
#define UCORE_REGION_NAMES	32	/* default of @names of ucore_regions_create() */
#define UCORE_REGION_NAMES_MAX	4096	/* highest @names of ucore_regions_create() */

struct ucore_regions;
struct ucore_region;

/**
 * ucore_regions_create() - create a set of regions, measured with the counters of a session
 * @session: session to which all events have been added; must exist until
 *           ucore_regions_free().  The caller starts the session.  While it is stopped, all
 *           deltas are 0
 * @flags: UCORE_READ_F_* of the READ at the beginning and at the end of each region
 * @names: maximum number of region names for each thread, at most UCORE_REGION_NAMES_MAX
 *         (0: UCORE_REGION_NAMES)
 * @out: receives the regions
 * @err: receives the explanation of a failure; may be NULL
 *
 * Uncore counters count the activity of the whole machine.  Therefore a region includes the
 * activity of all programs during that time, and the sum of the regions of threads that ran
 * at the same time has no meaning.
 *
 * Errors: -EINVAL (the session has groups), -ERANGE (@names), -ENOMEM.
 */
int ucore_regions_create(struct ucore_session *session, uint32_t flags, size_t names,
			 struct ucore_regions **out, struct ucore_error *err);

/**
 * ucore_regions_free() - free the result of ucore_regions_create(); NULL is allowed
 * @regions: set of regions; all threads except the caller must have left it
 */
void ucore_regions_free(struct ucore_regions *regions);

/**
 * ucore_regions_join() - register the calling thread, so that it can begin and end regions
 *
 * The function allocates all memory that the thread needs.  ucore_region_begin() and
 * ucore_region_end() allocate none.  Several threads may call these functions at the same time.
 *
 * Errors: -EALREADY (the thread has joined @regions), -EBUSY (it has joined another set of
 * regions), -ESTALE (events were added to the session), -ENOMEM.
 */
int ucore_regions_join(struct ucore_regions *regions, struct ucore_error *err);

/**
 * ucore_regions_leave() - unregister the calling thread from its set of regions
 *
 * Results of regions that have ended are kept.  Regions that have not ended are dropped.  A
 * thread that joins again gets a new thread number.
 */
void ucore_regions_leave(void);

/**
 * ucore_region_begin() - begin a region of the calling thread, by one READ
 * @name: name of the region, not empty and shorter than UCORE_REGION_NAME_LEN
 *
 * The function allocates no memory.  Regions can be nested, up to UCORE_REGION_DEPTH.  A
 * region within a region of the same name is not measured and makes no system call, because
 * the outer region includes it.
 *
 * Errors, after which the region has not begun: -ESRCH (the thread has not joined; no system
 * call was made), -ENAMETOOLONG, -ENOSPC (too many names), -EOVERFLOW (nested deeper than
 * UCORE_REGION_DEPTH), -ESTALE (events were added to the session), those of UCORE_READ.
 */
int ucore_region_begin(const char *name);

/**
 * ucore_region_end() - end the region that the calling thread began last
 * @name: name of that region
 *
 * Errors: -ESRCH (the thread has not joined), -EINVAL (the region that began last has another
 * name and continues).  -ESTALE (events were added to the session) and the errors of
 * UCORE_READ end the region without a result.
 */
int ucore_region_end(const char *name);

/**
 * ucore_regions_at() - return the i-th region (from 0) of all threads; NULL after the last
 *
 * Regions are sorted by thread in the order of joining, then by their first begin.  No other
 * thread may begin or end a region while the caller accesses a region of that thread.
 */
const struct ucore_region *ucore_regions_at(const struct ucore_regions *regions, size_t i);

/** ucore_region_name() - return the name of a region, as passed to ucore_region_begin() */
const char *ucore_region_name(const struct ucore_region *region);

/** ucore_region_thread() - return the number of the region's thread, from 0 in order of joining */
uint32_t ucore_region_thread(const struct ucore_region *region);

/** ucore_region_count() - return how often the region ended, also within another of its name */
uint64_t ucore_region_count(const struct ucore_region *region);

/** ucore_region_time() - return the total time from the READ at begin to the READ at end (ns) */
uint64_t ucore_region_time(const struct ucore_region *region);

/**
 * ucore_region_delta() - return the counts of a region, summed over all its executions
 *
 * The result can be passed to ucore_delta_values() and ucore_metrics_evaluate().  The pointer
 * is valid until ucore_regions_free().
 */
const struct ucore_delta *ucore_region_delta(const struct ucore_region *region);

/* ---- ring: records of a session in one domain -------------------------- */

struct ucore_ring;

/**
 * ucore_ring_open() - map a session's ring of one domain
 * @session: session with ucore_session_config.ring_size; must exist until ucore_ring_close()
 * @domain: domain id
 * @out: receives the ring
 * @err: receives the explanation of a failure; may be NULL
 *
 * Errors: -ENOENT (the session has no events in the domain, or no rings), -EPROTO, -ENOMEM.
 */
int ucore_ring_open(struct ucore_session *session, uint32_t domain, struct ucore_ring **out,
		    struct ucore_error *err);

/** ucore_ring_close() - unmap a ring; NULL is allowed */
void ucore_ring_close(struct ucore_ring *ring);

/** ucore_ring_domain() - return the domain id of the ring */
uint32_t ucore_ring_domain(const struct ucore_ring *ring);

/**
 * ucore_ring_next() - get the next unread record after checking its format
 * @record: receives a pointer into the ring, valid until ucore_ring_release()
 *
 * PAD records are skipped.
 *
 * Return: 1 for a record, 0 if the ring is empty, or -EBADMSG if the content is invalid.
 * After -EBADMSG all data that the driver had written to the ring have been skipped.
 */
int ucore_ring_next(struct ucore_ring *ring, const struct ucore_record **record);

/** ucore_ring_release() - free the space of all records that ucore_ring_next() has returned */
void ucore_ring_release(struct ucore_ring *ring);

/** ucore_ring_lost() - return the number of records lost since the session was created */
uint64_t ucore_ring_lost(const struct ucore_ring *ring);

/**
 * ucore_record_check() - check that a buffer begins with a complete, well-formed record
 * @data: buffer, aligned to 8 bytes
 * @avail: size of the buffer in bytes
 *
 * A record of a known type must have all its fields and the number of values that it
 * declares.  A record of an unknown type must have a header.
 *
 * Return: the size of the record in bytes, or -EBADMSG.
 */
int ucore_record_check(const void *data, size_t avail);

/**
 * ucore_record_time() - return the CLOCK_MONOTONIC time of a record (ns); 0 if it has no time
 * @record: record that ucore_record_check() accepted
 */
uint64_t ucore_record_time(const struct ucore_record *record);

/* ---- file: recorded samples -------------------------------------------- */

#define UCORE_FILE_MAGIC	"UCORE\r\n\032"
#define UCORE_FILE_VERSION	3

/* Limits of the tables of a file (elements) and of a record (bytes) */
#define UCORE_FILE_MAX_DOMAINS	16384
#define UCORE_FILE_MAX_BOXES	65536
#define UCORE_FILE_MAX_FIELDS	4096
#define UCORE_FILE_MAX_EVENTS	65536
#define UCORE_FILE_MAX_RECORD	(2U << 20)

/*
 * Format of a file of samples (little endian):
 *
 *   struct ucore_file_header
 *   struct ucore_file_domain	[nr_domains]
 *   struct ucore_file_box	[nr_boxes]
 *   struct ucore_file_field	[nr_fields]
 *   struct ucore_file_event	[nr_events]
 *   entries until the end of the file, each
 *	struct ucore_file_entry
 *	a record copied from the ring (struct ucore_record ...), or
 *	struct ucore_get_status (the last entry; missing if recording was interrupted)
 */

/**
 * struct ucore_file_header - header of a file of samples
 * @magic: UCORE_FILE_MAGIC
 * @version: UCORE_FILE_VERSION
 * @size: size of this structure in bytes
 * @domain_size: size of struct ucore_file_domain in bytes
 * @box_size: size of struct ucore_file_box in bytes
 * @field_size: size of struct ucore_file_field in bytes
 * @event_size: size of struct ucore_file_event in bytes
 * @nr_domains: number of domains of the machine
 * @nr_boxes: number of boxes of the machine
 * @nr_fields: number of event fields of the recorded box types
 * @nr_events: number of recorded events
 * @cores: number of cores of a socket (0: unknown)
 * @reserved: 0
 * @timer_ns: interval of timer samples (ns), 0 for no timer
 * @start: CLOCK_MONOTONIC time (ns) at which counting started.  In a file that contains only
 *         the latest samples (flight recorder), the time at which these begin
 * @start_real: the instant @start in CLOCK_REALTIME (ns since 1970); see ucore_file_real()
 * @platform: ucore_get_info.platform
 *
 * If the first record of a domain has a sequence number above 0, the file does not contain
 * the earlier records.  Then the counts of the first sample are the base for the differences
 * of the following samples.
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
 * struct ucore_file_domain - domain of the machine, as in ucore_domain_info
 * @domain: domain id; ids are in ascending order
 * @scope: UCORE_SCOPE_*
 * @die: the kernel's logical die
 * @package: physical package (socket)
 * @cpu: CPU of a core domain (UCORE_SCOPE_CPU); -1 for a die
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
 * struct ucore_file_box - box of the machine, as in ucore_box_info
 * @domain: domain id
 * @instance: number of the box within its type and domain
 * @nr_counters: number of general counters
 * @nr_fixed: number of fixed counters
 * @type: box type
 */
struct ucore_file_box {
	__u32 domain;
	__u32 instance;
	__u32 nr_counters;
	__u32 nr_fixed;
	char type[UCORE_NAME_LEN];
};

/**
 * struct ucore_file_field - event field of a box type
 * @type: box type; the fields of a type are contiguous
 * @field: the driver's description of the field
 */
struct ucore_file_field {
	char type[UCORE_NAME_LEN];
	struct ucore_field_info field;
};

/**
 * struct ucore_file_event - single recorded event on a single box
 * @event: event id, as in ucore_value.event
 * @index: number common to all events from the same command-line argument
 * @domain: domain id of the box
 * @instance: number of the box within its type and domain
 * @counter: number of the counter that ADD_EVENT assigned, as in ucore_slot.counter
 * @bytes: bytes that @bytes_per counts stand for (0: the event does not count bytes)
 * @bytes_per: number of counts that stand for @bytes; 0 means 1
 * @period: sampling period in counts (0: none)
 * @type: box type
 * @text: event as the user wrote it
 * @label: value of "name=", otherwise the text of the event
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

/* ucore_file_entry.kind */
#define UCORE_FILE_RECORD	1	/* record of a ring: struct ucore_record ... */
#define UCORE_FILE_STATUS	2	/* final session statistics: struct ucore_get_status */
#define UCORE_FILE_OMISSION	3	/* struct ucore_file_omission, before the first record */

/**
 * struct ucore_file_entry - header of each entry of a file of samples
 * @kind: UCORE_FILE_RECORD or UCORE_FILE_STATUS; a reader skips entries of other kinds
 * @domain: domain id of a record; 0 for a status
 * @size: size of the following data in bytes, a multiple of 8; a status written by an older
 *        library can be shorter
 * @reserved: 0
 */
struct ucore_file_entry {
	__u32 kind;
	__u32 domain;
	__u32 size;
	__u32 reserved;
};

#define UCORE_FILE_TEXT_LEN	160	/* size of ucore_file_omission.text in bytes */

/**
 * struct ucore_file_omission - event that was not recorded on a box, as in struct ucore_omission
 * @index: number of the event, as in ucore_file_event.index
 * @domain: domain id of the box
 * @instance: number of the box within its type and domain
 * @code: negative errno; see ucore_omission_reason()
 * @type: box type
 * @text: explanation of @code
 */
struct ucore_file_omission {
	__u32 index;
	__u32 domain;
	__u32 instance;
	__s32 code;
	char type[UCORE_NAME_LEN];
	char text[UCORE_FILE_TEXT_LEN];
};

struct ucore_file;

/**
 * ucore_file_create() - create or truncate a file of samples
 * @path: name of the file ("-": standard output)
 *
 * Errors: those of open(2), -ENOMEM.
 */
int ucore_file_create(const char *path, struct ucore_file **out, struct ucore_error *err);

/**
 * ucore_file_cores() - set ucore_file_header.cores, the number of cores of a socket
 *
 * Must be called before ucore_file_begin().
 */
void ucore_file_cores(struct ucore_file *file, unsigned int cores);

/**
 * ucore_file_begin() - write the header, the tables (domains, boxes, fields, events) and omissions
 * @config: parameters of the session
 * @start: CLOCK_MONOTONIC time at which the samples start (ns)
 *
 * Errors: -EIO.
 */
int ucore_file_begin(struct ucore_file *file, const struct ucore_device *dev,
		     const struct ucore_session *session,
		     const struct ucore_session_config *config, uint64_t start,
		     struct ucore_error *err);

/**
 * ucore_file_write() - append a record of a domain's ring to the file
 *
 * Errors: -EIO.
 */
int ucore_file_write(struct ucore_file *file, uint32_t domain,
		     const struct ucore_record *record, struct ucore_error *err);

/**
 * ucore_file_flush() - flush all buffered data to the file or pipe
 *
 * Errors: -EIO.
 */
int ucore_file_flush(struct ucore_file *file, struct ucore_error *err);

/**
 * ucore_file_finish() - append the final statistics of the session, and end the file
 *
 * After success only ucore_file_close() may be called.
 *
 * Errors: -EIO.
 */
int ucore_file_finish(struct ucore_file *file, const struct ucore_get_status *status,
		      struct ucore_error *err);

/**
 * ucore_file_open() - open a file of samples and check its header
 * @path: name of the file ("-": standard input)
 *
 * All content of the file is checked before use.
 *
 * Errors: those of open(2) and read(2), -EBADMSG (not a file of samples, truncated or
 * damaged), -EPROTO (other version), -ENOMEM.
 */
int ucore_file_open(const char *path, struct ucore_file **out, struct ucore_error *err);

/*
 * Return the header or a table of a file that is open for reading.  The length of each table
 * is in the header (nr_domains, nr_boxes, nr_fields, nr_events).
 */
const struct ucore_file_header *ucore_file_header(const struct ucore_file *file);
const struct ucore_file_domain *ucore_file_domains(const struct ucore_file *file);
const struct ucore_file_box *ucore_file_boxes(const struct ucore_file *file);
const struct ucore_file_field *ucore_file_fields(const struct ucore_file *file);
const struct ucore_file_event *ucore_file_events(const struct ucore_file *file);

/**
 * ucore_file_omissions() - return the array of the events that were not recorded on a box
 * @nr: receives the number of elements
 */
const struct ucore_file_omission *ucore_file_omissions(const struct ucore_file *file, size_t *nr);

/**
 * ucore_file_real() - convert the time of a record to CLOCK_REALTIME (ns since 1970)
 * @time: CLOCK_MONOTONIC time (ns), as in the records of the file
 */
uint64_t ucore_file_real(const struct ucore_file *file, uint64_t time);

/** ucore_file_domain() - find a domain in the file by its domain id; NULL if there is none */
const struct ucore_file_domain *ucore_file_domain(const struct ucore_file *file, uint32_t domain);

/** ucore_file_find() - find a recorded event by its event id; NULL if there is none */
const struct ucore_file_event *ucore_file_find(const struct ucore_file *file, uint32_t event);

/**
 * ucore_file_next() - read the next record or status from the file
 * @entry: receives the header of the entry
 * @data: receives a pointer to the data, which has been checked against @entry->kind and is
 *        valid until the next call
 *
 * Entries of unknown kinds are skipped.
 *
 * Return: 1 for an entry, 0 at the end of the file, -EBADMSG (truncated or damaged), or an
 * error of read(2).
 */
int ucore_file_next(struct ucore_file *file, struct ucore_file_entry *entry, const void **data,
		    struct ucore_error *err);

/** ucore_file_close() - close and free a file that is read or written; NULL is allowed */
void ucore_file_close(struct ucore_file *file);

/* ---- replay: device and session made from a file --------------------------- */

struct ucore_replay;

/**
 * ucore_replay_open() - create a device and a session from the content of a file
 * @file: file of samples; must stay open until ucore_replay_close()
 *
 * With the session of a replay, ucore_session_add() and ucore_metrics_attach() search the
 * recorded events for the requested event.  Events are compared by their field values, not
 * by their spelling.  An event that was not recorded on every matching box is refused with
 * -ENOENT, unless the recording omitted the other boxes (ucore_file_omissions()).  The session
 * cannot be started or read.
 *
 * Errors: -EBADMSG (an event on a box that is not in the file), -ENOMEM.
 */
int ucore_replay_open(const struct ucore_file *file, struct ucore_replay **out,
		      struct ucore_error *err);

/** ucore_replay_close() - free the result of ucore_replay_open(); NULL is allowed */
void ucore_replay_close(struct ucore_replay *replay);

/** ucore_replay_device() - return the device of a replay, for ucore_metrics_create() */
struct ucore_device *ucore_replay_device(struct ucore_replay *replay);

/** ucore_replay_session() - return the session of a replay, for ucore_metrics_attach() */
struct ucore_session *ucore_replay_session(struct ucore_replay *replay);

#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif /* LIBUCORE_H */
