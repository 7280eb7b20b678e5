// SPDX-License-Identifier: GPL-2.0-only
/*
 * GET_TABLES and GET_UNITS on a machine with discovery tables: two domains with a table each,
 * with at least one valid and one rejected unit.
 */
#include "session.h"
#include "user.h"

#define MAX_TABLES	16
#define MAX_UNITS	2048

static struct ucore_table_info tables[MAX_TABLES];
static struct ucore_unit_info units[MAX_UNITS], again[MAX_UNITS];
static struct ucore_box_info boxes[MAX_BOXES];

static int try_tables(uint32_t nr, void *at, struct ucore_get_tables *get)
{
	int fd = device_open(), rc;

	*get = (struct ucore_get_tables) {
		.size = sizeof(*get), .nr = nr, .total = 0xdeadbeef, .tables = address(at),
	};
	rc = try_command(fd, UCORE_GET_TABLES, get);
	close(fd);
	return rc;
}

static unsigned int tables_get(void)
{
	struct ucore_get_tables get;

	memset(tables, POISON, sizeof(tables));
	expect_rc(try_tables(MAX_TABLES, tables, &get), 0);
	must(get.nr && get.nr == get.total, "%u of %u tables", get.nr, get.total);
	return get.nr;
}

static int try_units(uint32_t first, uint32_t nr, void *at, struct ucore_get_units *get)
{
	int fd = device_open(), rc;

	*get = (struct ucore_get_units) {
		.size = sizeof(*get), .first = first, .nr = nr, .total = 0xdeadbeef,
		.units = address(at),
	};
	rc = try_command(fd, UCORE_GET_UNITS, get);
	close(fd);
	return rc;
}

static unsigned int units_get_to(struct ucore_unit_info *to)
{
	struct ucore_get_units get;

	memset(to, POISON, MAX_UNITS * sizeof(*to));
	expect_rc(try_units(0, MAX_UNITS, to, &get), 0);
	must(get.nr && get.nr == get.total, "%u of %u units", get.nr, get.total);
	return get.nr;
}

static unsigned int units_get(void)
{
	return units_get_to(units);
}

/*
 * ---- Contents of tables and units ---------------------------------------
 */

static void info_reports_discovery(const void *arg)
{
	struct ucore_get_info info = { .size = sizeof(info) };

	(void)arg;
	do_command(device_open(), UCORE_GET_INFO, &info);
	expect_eq(info.state, UCORE_STATE_READY);
	expect_eq(info.caps, UCORE_CAP_GLOBAL_FREEZE | UCORE_CAP_DISCOVERY);
}

static void expect_table(const struct ucore_table_info *t, unsigned int nr_units)
{
	unsigned int mine = 0, rejected = 0;

	for (unsigned int i = 0; i < nr_units; i++) {
		if (units[i].table != t->table)
			continue;
		mine++;
		rejected += units[i].reason != UCORE_UNIT_OK;
		expect_eq(units[i].die, t->die);
		expect(units[i].record <= t->max_units, "record %u of %u", units[i].record,
		       t->max_units);
	}
	expect_eq(t->nr_units, mine);
	expect_eq(t->nr_rejected, rejected);
	expect_eq(t->reason, UCORE_TABLE_OK);
	expect_eq(t->die_by, UCORE_DIE_BY_BUS);
	expect_eq(t->reserved, 0);
	expect_eq(t->msr, 0);	/* a DVSEC and not an MSR has the address of the table */
	expect(t->stride >= 24 && t->stride % 8 == 0, "stride %u", t->stride);
	expect(t->dvsec >= 0x100 && t->dvsec < 0x1000, "DVSEC at %#x", t->dvsec);
	expect_eq(t->dvsec_header, 0x01018086);
	expect_eq(t->type, 0);
	expect(t->bar < 6 && t->device < 32 && t->function < 8 && t->bus < 256,
	       "%02x:%02x.%x BAR %u", t->bus, t->device, t->function, t->bar);
	expect(t->address && t->global, "root sees no address");
}

static void tables_are_described(const void *arg)
{
	unsigned int nr = tables_get(), nr_units = units_get();

	(void)arg;
	expect_eq(nr, 2);
	expect_eq(tables[0].die + tables[1].die, 1);
	for (unsigned int i = 0; i < nr; i++) {
		expect_eq(tables[i].table, i);
		expect_table(&tables[i], nr_units);
	}
}

static void expect_box(const struct ucore_unit_info *unit, unsigned int nr_boxes)
{
	const struct ucore_box_info *box;

	must(unit->box < nr_boxes, "unit %s%u is box %u", unit->name, unit->id, unit->box);
	box = &boxes[unit->box];
	expect_eq((int)box->die, unit->die);
	expect_eq(box->instance, unit->id);
	expect(!strcmp(box->type, unit->name), "unit %s is a box %s", unit->name, box->type);
	expect_eq(box->nr_counters, unit->word[0] & 0xff);
	expect_eq(box->width, unit->word[0] >> 16 & 0xff);
	expect_eq(box->location, unit->word[1]);	/* on segment 0 */
	expect(box->access == unit->access || box->access == UCORE_ACCESS_ECAM,
	       "unit %s%u: access %u, box %u", unit->name, unit->id, unit->access, box->access);
	expect_eq(unit->other, 0);
}

static void units_are_described(const void *arg)
{
	unsigned int nr = units_get(), nr_boxes = boxes_get(boxes), good = 0;

	(void)arg;
	for (unsigned int i = 0; i < nr; i++) {
		expect(is_text(units[i].name, sizeof(units[i].name)), "unit %u: no clean name", i);
		expect(units[i].other || !units[i].other_table, "a conflict without a record");
		if (units[i].record) {
			expect_eq(units[i].type, units[i].word[2] & 0xffff);
			expect_eq(units[i].id, units[i].word[2] >> 16 & 0xffff);
		}
		expect(!i || units[i].table > units[i - 1].table ||
		       units[i].record > units[i - 1].record || !units[i].record,
		       "unit %u is out of order", i);
		if (units[i].reason) {
			expect(units[i].box == UCORE_NO_BOX ||
			       (units[i].reason == UCORE_UNIT_NO_ANSWER &&
				boxes[units[i].box].flags & UCORE_BOX_F_ABSENT),
			       "rejected unit %u is box %u", i, units[i].box);
			continue;
		}
		good++;
		expect_box(&units[i], nr_boxes);
		for (unsigned int j = 0; j < i; j++)
			expect(units[j].box != units[i].box, "units %u and %u are one box", j, i);
	}
	expect(good && good < nr, "%u of %u units are good", good, nr);
}

/*
 * ---- Capacity -----------------------------------------------------------
 */

static void tables_respect_capacity(const void *arg)
{
	unsigned int total = tables_get();
	struct ucore_table_info *exact = guarded(total * sizeof(*exact));
	struct ucore_get_tables get;

	(void)arg;
	expect_rc(try_tables(0, NULL, &get), 0);
	expect_eq(get.nr, 0);
	expect_eq(get.total, total);
	memset(tables, POISON, sizeof(tables));
	expect_rc(try_tables(1, tables, &get), 0);
	expect_eq(get.nr, 1);
	expect_eq(get.total, total);
	expect(memory_differs(&tables[1], POISON, sizeof(tables[1])) < 0, "capacity exceeded");
	expect_rc(try_tables(UINT32_MAX, exact, &get), 0);
	expect_eq(get.nr, total);
	expect_rc(try_tables(total, (char *)exact + 1, &get), EFAULT);
	expect_eq(get.total, 0xdeadbeef);
	expect_rc(try_tables(1, NULL, &get), EFAULT);
	expect_eq(get.nr, 1);
}

static void units_respect_capacity(const void *arg)
{
	unsigned int total = units_get();
	struct ucore_unit_info *exact = guarded(total * sizeof(*exact));
	struct ucore_get_units get;

	(void)arg;
	expect_rc(try_units(0, 0, NULL, &get), 0);
	expect_eq(get.nr, 0);
	expect_eq(get.total, total);
	expect_rc(try_units(total, 4, units, &get), 0);
	expect_eq(get.nr, 0);
	expect_eq(get.total, total);
	expect_rc(try_units(UINT32_MAX, UINT32_MAX, units, &get), 0);
	expect_eq(get.nr, 0);
	expect_rc(try_units(0, UINT32_MAX, exact, &get), 0);
	expect_eq(get.nr, total);
	expect_rc(try_units(1, UINT32_MAX, exact + 1, &get), 0);
	expect_eq(get.nr, total - 1);
	expect_rc(try_units(0, total, (char *)exact + 1, &get), EFAULT);
	expect_eq(get.total, 0xdeadbeef);
	expect_rc(try_units(0, 1, NULL, &get), EFAULT);
	expect_eq(get.nr, 1);
}

static void units_can_be_read_in_parts(const void *arg)
{
	unsigned int total = units_get();
	struct ucore_get_units get;

	(void)arg;
	for (unsigned int first = 0; first < total; first += 7) {
		unsigned int want = total - first < 7 ? total - first : 7;
		struct ucore_unit_info page[8];

		memset(page, POISON, sizeof(page));
		expect_rc(try_units(first, 7, page, &get), 0);
		expect_eq(get.nr, want);
		expect_eq(get.total, total);
		expect(!memcmp(page, &units[first], want * sizeof(page[0])),
		       "units from %u differ from the whole list", first);
		expect(memory_differs(&page[want], POISON, sizeof(page[0])) < 0,
		       "capacity exceeded");
	}
}

/*
 * ---- Permission to see addresses ----------------------------------------
 */

static void addresses_are_hidden_from_users(const void *arg)
{
	unsigned int nr_tables = tables_get(), nr = units_get();
	struct ucore_table_info seen[MAX_TABLES];
	struct ucore_get_tables get;

	(void)arg;
	everybody_may_count();
	become_user(1ULL << CAP_PERFMON);
	expect_rc(try_tables(MAX_TABLES, seen, &get), 0);
	expect_eq(get.nr, nr_tables);
	expect_eq(units_get_to(again), nr);
	for (unsigned int i = 0; i < nr_tables; i++) {
		expect_eq(seen[i].address | seen[i].global | seen[i].status_offset, 0);
		seen[i].address = tables[i].address;
		seen[i].global = tables[i].global;
		seen[i].status_offset = tables[i].status_offset;
	}
	for (unsigned int i = 0; i < nr; i++) {
		expect_eq(again[i].word[0] | again[i].word[1] | again[i].word[2], 0);
		memcpy(again[i].word, units[i].word, sizeof(units[i].word));
	}
	expect(!memcmp(seen, tables, nr_tables * sizeof(seen[0])), "a user sees other tables");
	expect(!memcmp(again, units, nr * sizeof(units[0])), "a user sees other units");
}

static void sys_admin_sees_addresses(const void *arg)
{
	unsigned int nr = units_get();

	(void)arg;
	everybody_may_count();
	become_user(1ULL << CAP_SYS_ADMIN);
	expect_eq(units_get_to(again), nr);
	expect(!memcmp(again, units, nr * sizeof(units[0])), "CAP_SYS_ADMIN sees other units");
	tables_get();
	expect(tables[0].address && tables[0].global, "CAP_SYS_ADMIN sees no address");
}

/*
 * ---- Periods of boxes without interrupts --------------------------------
 */

static void periods_with_interrupt_are_refused(const void *arg)
{
	unsigned int nr = boxes_get(boxes);
	int session = session_create(0, 0, 0);

	(void)arg;
	for (unsigned int i = 0; i < nr; i++) {
		expect_eq(boxes[i].flags & (UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FIXED_OVERFLOW), 0);
		if (boxes[i].nr_counters)
			expect_rc_of(try_add(session, i, TERMS(TERM(EVENT, 1)), 0, 1000,
					     UCORE_EVENT_F_NO_POLL), EOPNOTSUPP,
				     boxes[i].type);
	}
	expect_eq(session_status(session).nr_events, 0);
}

static const struct test tests[] = {
	{ "info_reports_discovery", info_reports_discovery, 0, 0 },
	{ "tables_are_described", tables_are_described, 0, 0 },
	{ "units_are_described", units_are_described, 0, 0 },
	{ "tables_respect_capacity", tables_respect_capacity, 0, 0 },
	{ "units_respect_capacity", units_respect_capacity, 0, 0 },
	{ "units_can_be_read_in_parts", units_can_be_read_in_parts, 0, 0 },
	{ "addresses_are_hidden_from_users", addresses_are_hidden_from_users, 0, 0 },
	{ "sys_admin_sees_addresses", sys_admin_sees_addresses, 0, 0 },
	{ "periods_with_interrupt_are_refused", periods_with_interrupt_are_refused, 0, 0 },
};

int main(int argc, char **argv)
{
	int verdict = run_tests(tests, ARRAY_SIZE(tests), argc, argv);

	only_root_may_count();
	return verdict;
}
