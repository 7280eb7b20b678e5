/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random arguments for every command. A table has the meaning of each field. Most values are
 * valid; one in a dozen is close to the limits of uapi/ucore.h or invalid.
 */
#ifndef UAPI_FUZZ_H
#define UAPI_FUZZ_H

#include "session.h"
#include <stddef.h>

#define ARENA		(1 << 20)	/* bytes for output arrays, more than any command writes */
#define NASTY		12	/* one value in NASTY is invalid */
#define MAX_FIELDS	64

static uint64_t roll_state;

static inline void roll_begin(uint64_t seed)
{
	roll_state = (seed + 1) * 0x9e3779b97f4a7c15ULL;
}

static inline uint64_t roll_bits(void)
{
	roll_state ^= roll_state << 13;
	roll_state ^= roll_state >> 7;
	roll_state ^= roll_state << 17;
	return roll_state * 0x2545f4914f6cdd1dULL;
}

static inline uint32_t roll(uint32_t sides)
{
	return (roll_bits() >> 33) % sides;
}

/*
 * ---- The commands -------------------------------------------------------
 */

enum meaning {
	RESERVED, FLAGS, NR, BOX, DOMAIN, EVENT, SESSION_ID, TIMER, RING, WAKEUP, ARRAY, NR_TERMS,
	TERMS, CPUS_NR, CPUS, COUNTERS, PERIOD, PERF_TYPE, PERF_CONFIG, CPU, TID, ROTATE, GROUP,
	READERS,
};

struct slot {
	uint8_t at, bytes;
	uint8_t meaning;
};

struct shape {
	const char *name;
	unsigned int nr;
	uint16_t size;
	bool on_session;
	uint32_t flags;			/* flags that the command defines */
	struct slot slots[8];		/* all fields except the size; ends with bytes == 0 */
	int errors[14];			/* errno values for valid arguments; ends with 0 */
};

#define SLOT(type, field, meaning_) \
	{ offsetof(struct type, field), sizeof(((struct type *)0)->field), meaning_ }
#define SHAPE(nr_, type, on_session_) \
	.name = #nr_, .nr = nr_, .size = sizeof(struct type), .on_session = on_session_
#define ARRAY_SLOTS(type, field)	SLOT(type, flags, FLAGS), SLOT(type, nr, NR), \
					SLOT(type, field, ARRAY)

static const struct shape shapes[] = {
	{ SHAPE(UCORE_GET_INFO, ucore_get_info, false),
	  .slots = { SLOT(ucore_get_info, flags, FLAGS) } },
	{ SHAPE(UCORE_GET_CORE, ucore_get_core, false),
	  .slots = { SLOT(ucore_get_core, flags, FLAGS), SLOT(ucore_get_core, kind, BOX) },
	  .errors = { ENOENT } },
	{ SHAPE(UCORE_GET_DOMAINS, ucore_get_domains, false),
	  .slots = { ARRAY_SLOTS(ucore_get_domains, domains) } },
	{ SHAPE(UCORE_GET_BOXES, ucore_get_boxes, false),
	  .slots = { ARRAY_SLOTS(ucore_get_boxes, boxes), SLOT(ucore_get_boxes, first, BOX),
		     SLOT(ucore_get_boxes, reserved, RESERVED) } },
	{ SHAPE(UCORE_GET_FIELDS, ucore_get_fields, false),
	  .slots = { ARRAY_SLOTS(ucore_get_fields, fields), SLOT(ucore_get_fields, box, BOX),
		     SLOT(ucore_get_fields, reserved, RESERVED) },
	  .errors = { ENOENT } },
	{ SHAPE(UCORE_GET_LINKS, ucore_get_links, false),
	  .slots = { ARRAY_SLOTS(ucore_get_links, links), SLOT(ucore_get_links, first, BOX),
		     SLOT(ucore_get_links, reserved, RESERVED) } },
	{ SHAPE(UCORE_GET_PORTS, ucore_get_ports, false),
	  .slots = { ARRAY_SLOTS(ucore_get_ports, ports), SLOT(ucore_get_ports, box, BOX),
		     SLOT(ucore_get_ports, reserved, RESERVED) },
	  .errors = { ENOENT } },
	{ SHAPE(UCORE_GET_SELFTEST, ucore_get_selftest, false),
	  .slots = { SLOT(ucore_get_selftest, flags, FLAGS), SLOT(ucore_get_selftest, box, BOX) },
	  .errors = { ENOENT } },
	{ SHAPE(UCORE_GET_TABLES, ucore_get_tables, false),
	  .slots = { ARRAY_SLOTS(ucore_get_tables, tables) } },
	{ SHAPE(UCORE_GET_UNITS, ucore_get_units, false),
	  .slots = { ARRAY_SLOTS(ucore_get_units, units), SLOT(ucore_get_units, first, BOX),
		     SLOT(ucore_get_units, reserved, RESERVED) } },
	{ SHAPE(UCORE_GET_SESSIONS, ucore_get_sessions, false),
	  .slots = { ARRAY_SLOTS(ucore_get_sessions, sessions),
		     SLOT(ucore_get_sessions, after, SESSION_ID) } },
	{ SHAPE(UCORE_REVOKE_SESSION, ucore_revoke_session, false),
	  .slots = { SLOT(ucore_revoke_session, flags, FLAGS),
		     SLOT(ucore_revoke_session, session, SESSION_ID) },
	  .errors = { ENOENT, EPERM } },
	{ SHAPE(UCORE_CREATE_SESSION, ucore_create_session, false),
	  .flags = UCORE_SESSION_F_BOX_FREEZE | UCORE_SESSION_F_TASKS | UCORE_SESSION_F_FULL_READS |
		   UCORE_SESSION_F_NO_PMI | UCORE_SESSION_F_MULTIPLEX,
	  .slots = { SLOT(ucore_create_session, flags, FLAGS),
		     SLOT(ucore_create_session, timer_ns, TIMER),
		     SLOT(ucore_create_session, ring_size, RING),
		     SLOT(ucore_create_session, wakeup, WAKEUP),
		     SLOT(ucore_create_session, nr_readers, READERS),
		     SLOT(ucore_create_session, rotate_ns, ROTATE) },
	  .errors = { EINVAL, ERANGE, ENOMEM, EDQUOT, EMFILE, ENFILE, EACCES } },
	{ SHAPE(UCORE_ADD_EVENT, ucore_add_event, true), .flags = UCORE_EVENT_F_NO_POLL,
	  .slots = { SLOT(ucore_add_event, flags, FLAGS), SLOT(ucore_add_event, box, BOX),
		     SLOT(ucore_add_event, nr_terms, NR_TERMS), SLOT(ucore_add_event, terms, TERMS),
		     SLOT(ucore_add_event, counters, COUNTERS),
		     SLOT(ucore_add_event, period, PERIOD), SLOT(ucore_add_event, group, GROUP) },
	  .errors = { EINVAL, ENOMEM, ENOENT, ENXIO, ERANGE, ENOSPC, EADDRINUSE,
		      EOPNOTSUPP, EBUSY, ENODEV, EACCES, ESHUTDOWN } },
	{ SHAPE(UCORE_REMOVE_EVENT, ucore_remove_event, true),
	  .slots = { SLOT(ucore_remove_event, flags, FLAGS), SLOT(ucore_remove_event, event, EVENT),
		     SLOT(ucore_remove_event, reserved, RESERVED) },
	  .errors = { ENOENT, EBUSY, ESHUTDOWN } },
	{ SHAPE(UCORE_SET_PMI_CPUS, ucore_set_pmi_cpus, true),
	  .slots = { SLOT(ucore_set_pmi_cpus, flags, FLAGS), SLOT(ucore_set_pmi_cpus, nr, CPUS_NR),
		     SLOT(ucore_set_pmi_cpus, cpus, CPUS),
		     SLOT(ucore_set_pmi_cpus, reserved, RESERVED) },
	  .errors = { EINVAL, ENOMEM, ENOENT, EAGAIN, ERANGE, EBUSY, ESHUTDOWN } },
	{ SHAPE(UCORE_ADD_CORE_TRIGGER, ucore_add_core_trigger, true),
	  .flags = UCORE_CORE_TRIGGER_F_USER,
	  .slots = { SLOT(ucore_add_core_trigger, flags, FLAGS),
		     SLOT(ucore_add_core_trigger, reserved, RESERVED),
		     SLOT(ucore_add_core_trigger, type, PERF_TYPE),
		     SLOT(ucore_add_core_trigger, cpu, CPU), SLOT(ucore_add_core_trigger, tid, TID),
		     SLOT(ucore_add_core_trigger, config, PERF_CONFIG),
		     SLOT(ucore_add_core_trigger, period, PERIOD) },
	  .errors = { EINVAL, ENOMEM, ERANGE, ENOENT, EAGAIN, ESRCH, ENOSPC, EOPNOTSUPP, EBUSY,
		      EACCES, ESHUTDOWN } },
	{ SHAPE(UCORE_START, ucore_command, true), .slots = { SLOT(ucore_command, flags, FLAGS) },
	  .errors = { ENOENT, ENOSPC, ERANGE, ENOMEM, ENOBUFS, EALREADY, EBUSY, ENODEV, EAGAIN,
		      ESHUTDOWN } },
	{ SHAPE(UCORE_STOP, ucore_command, true), .slots = { SLOT(ucore_command, flags, FLAGS) },
	  .errors = { ESHUTDOWN } },
	{ SHAPE(UCORE_RESET, ucore_command, true), .slots = { SLOT(ucore_command, flags, FLAGS) },
	  .errors = { EAGAIN, ESHUTDOWN } },
	{ SHAPE(UCORE_READ, ucore_read, true), .flags = UCORE_READ_F_NO_FREEZE,
	  .slots = { SLOT(ucore_read, flags, FLAGS), SLOT(ucore_read, nr_values, NR),
		     SLOT(ucore_read, nr_domains, NR), SLOT(ucore_read, values, ARRAY),
		     SLOT(ucore_read, domains, ARRAY), SLOT(ucore_read, running, ARRAY) },
	  .errors = { ENOENT, ENOSPC, ESHUTDOWN } },
	{ SHAPE(UCORE_GET_STATUS, ucore_get_status, true),
	  .slots = { SLOT(ucore_get_status, flags, FLAGS) }, .errors = { ESHUTDOWN } },
	{ SHAPE(UCORE_GET_BUDGET, ucore_get_budget, true),
	  .slots = { SLOT(ucore_get_budget, flags, FLAGS),
		     SLOT(ucore_get_budget, reserved, RESERVED) },
	  .errors = { ENOMEM, ESHUTDOWN } },
	{ SHAPE(UCORE_GET_RING, ucore_get_ring, true),
	  .slots = { SLOT(ucore_get_ring, flags, FLAGS), SLOT(ucore_get_ring, domain, DOMAIN) },
	  .errors = { ENOMEM, ENOBUFS, ENOENT, ESHUTDOWN } },
};

#define NR_SHAPES	ARRAY_SIZE(shapes)

/*
 * ---- Properties of the machine that arguments need ----------------------
 */

static struct {
	unsigned int nr_boxes, nr_domains;
	struct box_fields {
		unsigned int nr;
		struct ucore_field_info field[MAX_FIELDS];
	} boxes[MAX_BOXES];
	char *arena;		/* output arrays; an unmapped page follows */
	char *sealed;		/* read-only page */
} made;

static inline void making_begin(void)
{
	static struct ucore_box_info boxes[MAX_BOXES];
	struct ucore_domain_info domains[MAX_DOMAINS];
	int fd = device_open();

	made.nr_boxes = boxes_get(boxes);
	made.nr_domains = domains_get(domains);
	must(made.nr_boxes && made.nr_domains, "there are no boxes");
	for (unsigned int i = 0; i < made.nr_boxes; i++) {
		struct ucore_get_fields get = {
			.size = sizeof(get), .box = i, .nr = MAX_FIELDS,
			.fields = address(made.boxes[i].field),
		};

		do_command(fd, UCORE_GET_FIELDS, &get);
		made.boxes[i].nr = get.nr;
	}
	close(fd);
	made.arena = guarded(ARENA);
	made.sealed = guarded(page_size());
	memory_protect(made.sealed, page_size(), PROT_READ);
}

/*
 * ---- Values -------------------------------------------------------------
 */

static inline uint64_t nasty_value(void)
{
	switch (roll(6)) {
	case 0:
		return UINT64_MAX - roll(3);
	case 1:
		return 1ULL << roll(64);
	case 2:
		return (1ULL << roll(64)) - 1;
	case 3:
		return roll(5000);
	case 4:
		return roll_bits() >> roll(64);
	default:
		return roll_bits();
	}
}

/* Return an address for @bytes in the arena, or seldom an invalid one (clears *@sane) */
static inline uint64_t place(uint64_t bytes, bool *sane)
{
	if (roll(2 * NASTY))
		return address(made.arena) + (bytes > ARENA ? 0 : ARENA - bytes);
	*sane = false;
	switch (roll(5)) {
	case 0:
		return 0;
	case 1:
		return address(made.sealed);
	case 2:
		return address(made.arena) + ARENA - roll(64);
	case 3:
		return address(made.arena) + ARENA - bytes - roll(8);
	default:
		return roll(2) ? 0xffff888000000000ULL + roll(1 << 20) : roll_bits();
	}
}

/* Return the id of a fuzzer's session, so that no other session is revoked */
static inline uint64_t some_session(int device)
{
	struct ucore_session_info sessions[16];
	struct ucore_get_sessions get = {
		.size = sizeof(get), .nr = ARRAY_SIZE(sessions), .sessions = address(sessions),
	};
	uint32_t first;

	if (device < 0 || try_command(device, UCORE_GET_SESSIONS, &get) || !get.nr)
		return 0;
	first = roll(get.nr);
	return strncmp(sessions[first].comm, "uapi_fuzz", 9) ? 0 : sessions[first].session;
}

/* Make terms: event, umask and one or two more fields, which are mostly fields of the box */
static inline void make_terms(struct ucore_term *terms, unsigned int nr, uint32_t box)
{
	const struct box_fields *have = box < made.nr_boxes ? &made.boxes[box] : &made.boxes[0];

	for (unsigned int i = 0; i < nr; i++) {
		unsigned int which = i < 2 ? i : roll(MAX_FIELDS);

		terms[i] = (struct ucore_term){ .field = roll(UCORE_FIELD_MAX + 6),
						.value = nasty_value() };
		if (!roll(2 * NASTY) || !have->nr)
			continue;
		which %= have->nr;
		terms[i].field = have->field[which].field;
		terms[i].value = (i ? roll_bits() : 1 + roll(64)) & have->field[which].mask;
		if (!roll(2 * NASTY))
			terms[i].reserved = 1;
	}
}

static const uint64_t timers[] = { 0, 0, 0, 1000000, 2000000, 10000000, 50000000 };
static const uint64_t nasty_timers[] = {
	1, UCORE_TIMER_MIN_NS - 1, UCORE_TIMER_MIN_NS, UCORE_TIMER_MAX_NS, UCORE_TIMER_MAX_NS + 1,
};
static const uint32_t ring_sizes[] = { 0, UCORE_RING_MIN, 8192, 65536 };
static const uint32_t nasty_ring_sizes[] = {
	1, UCORE_RING_MIN - 1, UCORE_RING_MIN + 8, 12288, UCORE_RING_MAX + 1, 2 * UCORE_RING_MAX,
};

/*
 * ---- Arguments ----------------------------------------------------------
 */

struct making {
	const struct shape *shape;
	char *argument;
	int device;
	uint32_t box, nr_terms;
	bool sane;		/* no value of the argument is invalid by itself */
};

static inline uint64_t slot_value(struct making *m, const struct slot *slot)
{
	bool nasty = !roll(NASTY);

	/* values that are invalid by themselves */
	if (nasty && (slot->meaning == RESERVED || slot->meaning == FLAGS)) {
		m->sane = false;
		return nasty_value();
	}
	switch (slot->meaning) {
	case FLAGS:
		return roll_bits() & m->shape->flags;
	case NR:
		return nasty ? nasty_value() : roll(4) ? 64 : roll(5);
	case BOX:
		m->box = nasty ? nasty_value() : roll(3) ? roll(6) : roll(made.nr_boxes);
		return m->box;
	case DOMAIN:
		return nasty ? nasty_value() : roll(made.nr_domains);
	case EVENT:
		return nasty ? nasty_value() : roll(4) ? 0 : roll(6);
	case SESSION_ID:
		return nasty ? UINT64_MAX >> roll(16) : some_session(m->device);
	case TIMER:
		return nasty ? nasty_timers[roll(ARRAY_SIZE(nasty_timers))] :
			       timers[roll(ARRAY_SIZE(timers))];
	case ROTATE:	/* few, because a session that rotates has no timer, ring and periods */
		return nasty ? nasty_timers[roll(ARRAY_SIZE(nasty_timers))] :
		       roll(4) ? 0 : timers[roll(ARRAY_SIZE(timers))];
	case READERS:
		return nasty ? nasty_value() : roll(2) ? 0 : roll(UCORE_READERS_MAX + 1);
	case GROUP:
		return nasty ? nasty_value() : roll(6) ? 0 : 1 + roll(3);
	case RING:
		return nasty ? nasty_ring_sizes[roll(ARRAY_SIZE(nasty_ring_sizes))] :
			       ring_sizes[roll(ARRAY_SIZE(ring_sizes))];
	case WAKEUP:
		return nasty ? nasty_value() : roll(2) ? 0 : roll(4096);
	case NR_TERMS:
		m->nr_terms = nasty ? roll(UCORE_TERMS_MAX + 4) : 1 + roll(3);
		m->sane &= m->nr_terms <= UCORE_TERMS_MAX;
		return m->nr_terms;
	case CPUS_NR:
		return nasty ? nasty_value() : 1 + roll(2);
	case COUNTERS:
		return nasty ? nasty_value() : roll(2) ? 0 : 1 + roll(15);
	case PERIOD:
		return nasty ? nasty_value() : roll(2) ? 0 : 20000ULL << roll(10);
	case PERF_TYPE:
		return nasty ? nasty_value() : roll(3) ? UCORE_PERF_SOFTWARE : UCORE_PERF_HARDWARE;
	case PERF_CONFIG:
		return nasty ? nasty_value() : roll(10);
	case CPU:		/* or a thread, mostly */
		return nasty ? nasty_value() : (uint64_t)-1;
	case TID:
		return nasty ? nasty_value() : (uint64_t)getpid();
	default:
		return 0;
	}
}

/* Arrays in the arena overlap, because their contents are not used */
static inline uint64_t slot_address(struct making *m, const struct slot *slot)
{
	uint64_t bytes = ARENA;
	uint64_t at;

	if (slot->meaning == TERMS)
		bytes = m->nr_terms * sizeof(struct ucore_term);
	at = place(bytes, &m->sane);
	if (at < address(made.arena) || at >= address(made.arena) + ARENA)
		return at;
	if (slot->meaning == TERMS && bytes <= address(made.arena) + ARENA - at)
		make_terms((void *)(uintptr_t)at, m->nr_terms, m->box);
	if (slot->meaning == CPUS)
		for (unsigned int i = 0; i < 4; i++)
			*(uint32_t *)(uintptr_t)(address(made.arena) + 4 * i) =
				roll(NASTY) ? i + roll(3) : nasty_value();
	return at;
}

/*
 * Make an argument at the end of @room, which an unmapped page follows. Return its address,
 * which may be invalid.
 */
static inline void *argument_make(struct making *m, char *room, size_t room_size)
{
	uint32_t size = m->shape->size;

	m->argument = room + room_size - size;
	m->box = 0;
	m->nr_terms = 0;
	m->sane = true;
	if (!roll(NASTY)) {	/* a caller with a newer header, whose argument is longer */
		size += 8 * (1 + roll(4));
		m->argument = room + room_size - size;
	}
	memset(m->argument, 0, size);
	if (size > m->shape->size && !roll(4)) {
		m->sane = false;
		m->argument[size - 1 - roll(8)] = 1;
	}
	for (const struct slot *slot = m->shape->slots; slot->bytes; slot++) {
		bool points = slot->meaning == ARRAY || slot->meaning == TERMS ||
			      slot->meaning == CPUS;
		uint64_t value = points ? slot_address(m, slot) : slot_value(m, slot);

		memcpy(m->argument + slot->at, &value, slot->bytes);
	}
	if (!roll(2 * NASTY)) {
		m->sane = false;
		size = roll(2) ? nasty_value() : size - 1 - roll(8);
	}
	memcpy(m->argument, &size, sizeof(size));
	if (roll(2 * NASTY))
		return m->argument;
	m->sane = false;
	return (void *)(uintptr_t)place(m->shape->size + roll(64), &m->sane);
}

static inline bool error_allowed(const struct making *m, int rc)
{
	const int *error = m->shape->errors;

	if (!m->sane && (rc == -EINVAL || rc == -E2BIG || rc == -EFAULT))
		return true;
	while (*error && rc != -*error)
		error++;
	return *error;
}

#endif
