// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the rendezvous: START, STOP, RESET and READ of two dies, of which the reader of
 * one is late. The fakes run one reader at a time, so that each test is deterministic.
 */
#include "selftest/selftest.h"
#include "fake_machine.h"
#include "session/budget_admission.h"

#define MAX_WAIT	(2 * (u64)NSEC_PER_MSEC)	/* limit of the wait with interrupts off */
#define SLACK		(100 * (u64)NSEC_PER_USEC)	/* not each iteration checks the limit */
#define NEVER		(100 * (u64)NSEC_PER_MSEC)

/**
 * struct command - a command that all readers execute together
 * @name: name for messages
 * @late: die whose reader is late
 * @execute: the command
 * @no_freeze: READ without a freeze
 * @is_start: START, whose readers freeze and program their dies, and then wait once more
 * @run_lock: the command holds ucore_run_lock
 */
struct command {
	const char *name;
	u32 late;
	int (*execute)(struct ucore_session *session);
	bool no_freeze;
	bool is_start;
	bool run_lock;
};

static int read_frozen(struct ucore_session *session)
{
	session_read(session, false);
	return 0;
}

static int read_live(struct ucore_session *session)
{
	session_read(session, true);
	return 0;
}

static int stop(struct ucore_session *session)
{
	fake_stop(session);
	return 0;
}

static const struct command commands[] = {
	{ "READ, die 0 late", 0, read_frozen },
	{ "READ, die 1 late", 1, read_frozen },
	{ "READ without freeze, die 0 late", 0, read_live, .no_freeze = true },
	{ "READ without freeze, die 1 late", 1, read_live, .no_freeze = true },
	{ "START, die 0 late", 0, fake_start, .is_start = true, .run_lock = true },
	{ "START, die 1 late", 1, fake_start, .is_start = true, .run_lock = true },
	{ "STOP, die 0 late", 0, stop, .run_lock = true },
	{ "STOP, die 1 late", 1, stop, .run_lock = true },
	{ "RESET, die 0 late", 0, session_reset, .run_lock = true },
	{ "RESET, die 1 late", 1, session_reset, .run_lock = true },
};

static void command_name(const struct command *command, char *name)
{
	strscpy(name, command->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(command, commands, command_name);

/*
 * The command's last rendezvous: number of accesses of both readers before the rendezvous and
 * before the late reader arrived, whether ucore_run_lock was held, and whether a die was locked
 * when the late reader arrived.
 */
static struct {
	struct fake_bus *bus;
	u32 calls;
	u32 at_call;
	u32 at_arrival;
	bool run_lock;
	bool die_locked;
} seen;

static void note_call(void)
{
	seen.calls++;
	seen.at_call = seen.bus->nr;
	seen.run_lock = mutex_is_locked(&ucore_run_lock);
}

static void note_arrival(void)
{
	seen.at_arrival = seen.bus->nr;
	seen.die_locked = raw_spin_is_locked(&ucore_catalog.domains[0].lock) ||
			  raw_spin_is_locked(&ucore_catalog.domains[1].lock);
}

/* Make a session with a counter of each die, in the state in which the command is allowed. */
static struct ucore_session *session_for(struct kunit *test, const struct command *command)
{
	struct ucore_session *s = fake_session(test);
	u32 die;

	for (die = 0; die < 2; die++)
		KUNIT_ASSERT_EQ(test, 0,
				fake_add(s, fake_box(test, die, "imc", 0), 4, BIT(0), 0, NULL));
	if (!command->is_start)
		KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	for (die = 0; die < 2; die++)
		fake_poke(fake_window(fake_box(test, die, "imc", 0)), 0xa0, 10 + die);
	return s;
}

/* Execute a command with a reader that is late by @ns. */
static void execute_late(struct kunit *test, struct ucore_session *s,
			 const struct command *command, u64 ns)
{
	seen = (typeof(seen)){ .bus = bus_of(test) };
	fake_bus_clear(bus_of(test));
	fake_kernel.rendezvous = (struct fake_rendezvous){
		.on = true, .late = command->late, .late_ns = ns, .on_call = note_call,
		.on_arrival = note_arrival,
	};
	KUNIT_EXPECT_EQ(test, command->execute(s), 0);
	fake_kernel.rendezvous.on = false;
	KUNIT_EXPECT_EQ(test, seen.calls, command->is_start ? 2U : 1U);
	KUNIT_ASSERT_LE(test, bus_of(test)->nr, (u32)FAKE_LOG);
}

static bool freezes(const struct fake_access *access)
{
	return access->op == 'W' && access->reg == GLOBAL_CTL && access->val & FREEZE;
}

static bool unfreezes(const struct fake_access *access)
{
	return access->op == 'W' && access->reg == GLOBAL_CTL && access->val & UNFREEZE;
}

/* Return the index of the first or of the last access of a kind, -1 if there is none. */
static int find(struct kunit *test, bool (*is)(const struct fake_access *access), bool last)
{
	struct fake_bus *bus = bus_of(test);
	int i, found = -1;

	for (i = seen.at_call; i < (int)bus->nr && (last || found < 0); i++)
		if (is(&bus->log[i]))
			found = i;
	return found;
}

/* Expect that each reader made accesses in the rendezvous. */
static void expect_both(struct kunit *test)
{
	struct fake_bus *bus = bus_of(test);
	u32 i, cpus = 0;

	for (i = seen.at_call; i < bus->nr; i++)
		cpus |= 1U << bus->log[i].cpu;
	KUNIT_EXPECT_EQ(test, cpus, 3U);
}

/* A reader that is late, but not later than the limit, makes the other die wait for it. */
static void no_die_acts_before_a_late_reader_has_come(struct kunit *test)
{
	const struct command *command = test->param_value;
	struct ucore_session *s = session_for(test, command);

	execute_late(test, s, command, MAX_WAIT - SLACK);
	KUNIT_EXPECT_EQ(test, fake_kernel.rendezvous.ended, 0ULL);
	expect_both(test);
	KUNIT_EXPECT_EQ(test, seen.at_arrival, seen.at_call);
	KUNIT_EXPECT_EQ(test, find(test, freezes, false) < 0, command->no_freeze);
	/* both dies are frozen and programmed before the first one counts */
	if (command->is_start)
		KUNIT_EXPECT_GT(test, find(test, unfreezes, false), find(test, freezes, true));
}

/*
 * The late reader may be servicing a PMI or a core trigger of the die that waits for it. If that
 * die were locked, each would wait for the other until the limit.
 */
static void no_die_is_locked_while_its_reader_waits_for_another(struct kunit *test)
{
	const struct command *command = test->param_value;
	struct ucore_session *s = session_for(test, command);

	execute_late(test, s, command, MAX_WAIT - SLACK);
	KUNIT_EXPECT_FALSE(test, seen.die_locked);
}

/* GET_DOMAINS, GET_SELFTEST and GET_BUDGET do not wait for the lock of a domain. */
static void numbers_are_read_while_the_domain_is_locked(struct kunit *test)
{
	struct ucore_session *s = session_for(test, &commands[0]);
	struct ucore_domain *domain = s->ctx[0]->domain;
	struct ucore_box *box = fake_box(test, 0, "imc", 0);
	struct ucore_get_budget budget = { };
	struct ucore_domain_info info;
	struct ucore_selftest selftest;
	int ret;

	mutex_lock(&s->lock);
	raw_spin_lock_irq(&domain->lock);
	ucore_catalog_describe(domain, &info);
	selftest = ucore_selftest_get(box);
	ret = ucore_admit_budget(s, &budget);
	raw_spin_unlock_irq(&domain->lock);
	mutex_unlock(&s->lock);
	KUNIT_EXPECT_EQ(test, info.nr_sessions, 1U);
	KUNIT_EXPECT_EQ(test, info.frozen_ns, domain->frozen_ns);
	KUNIT_EXPECT_GT(test, info.frozen_ns, 0ULL);
	KUNIT_EXPECT_EQ(test, selftest.reads, box->selftest.reads);
	KUNIT_EXPECT_EQ(test, ret, 0);
	KUNIT_EXPECT_GT(test, budget.sample_ns, 0ULL);
	fake_stop(s);
	ucore_catalog_describe(domain, &info);
	KUNIT_EXPECT_EQ(test, info.nr_sessions, 0U);
}

/* The times that READ reports show that the dies were frozen together. */
static void skew_of_read_does_not_contain_the_delay_of_a_reader(struct kunit *test)
{
	struct ucore_session *s = session_for(test, &commands[0]);
	u32 die;

	for (die = 0; die < 2; die++) {
		execute_late(test, s, &commands[die], MAX_WAIT - SLACK);
		KUNIT_EXPECT_LT(test, s->skew_ns, SLACK);
		KUNIT_EXPECT_EQ(test, s->skew_ns,
				abs_diff(s->domains[0].time, s->domains[1].time));
	}
}

/* The instant at which the counters of a die begin to count is that of the other die. */
static void counters_of_both_dies_start_together(struct kunit *test)
{
	const struct command *start = &commands[4];
	struct ucore_session *s = session_for(test, start);

	KUNIT_ASSERT_TRUE(test, start->is_start);
	execute_late(test, s, start, MAX_WAIT - SLACK);
	KUNIT_EXPECT_LT(test, abs_diff(s->ctx[0]->resumed, s->ctx[1]->resumed), SLACK);
}

/* A reader whose CPU does not respond must not keep the interrupts of the other CPU off. */
static void wait_for_a_reader_that_does_not_come_ends_after_2_ms(struct kunit *test)
{
	const struct command *command = test->param_value;
	struct ucore_session *s = session_for(test, command);
	u64 waited;

	execute_late(test, s, command, NEVER);
	waited = fake_kernel.rendezvous.ended - fake_kernel.rendezvous.begun;
	KUNIT_EXPECT_GE(test, waited, MAX_WAIT);
	KUNIT_EXPECT_LE(test, waited, MAX_WAIT + SLACK);
	KUNIT_EXPECT_GT(test, seen.at_arrival, seen.at_call);
	expect_both(test);
}

/* The reader that came too late still reads its die, and READ reports the skew. */
static void read_of_a_die_that_came_too_late_is_exact(struct kunit *test)
{
	struct ucore_session *s = session_for(test, &commands[0]);
	u32 die;

	execute_late(test, s, &commands[0], NEVER);
	for (die = 0; die < 2; die++)
		KUNIT_EXPECT_EQ(test, s->values[die].count, 10ULL + die);
	KUNIT_EXPECT_EQ(test, s->skew_ns, s->domains[0].time - s->domains[1].time);
	KUNIT_EXPECT_GT(test, s->skew_ns, NEVER - MAX_WAIT - SLACK);
}

/* START, STOP and RESET exclude a suspend and changes of readers. */
static void commands_that_change_counting_hold_the_run_lock(struct kunit *test)
{
	const struct command *command = test->param_value;
	struct ucore_session *s = session_for(test, command);

	execute_late(test, s, command, 0);
	if (command->run_lock)
		KUNIT_EXPECT_TRUE(test, seen.run_lock);
	KUNIT_EXPECT_FALSE(test, mutex_is_locked(&ucore_run_lock));
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(no_die_acts_before_a_late_reader_has_come, command_gen_params),
	KUNIT_CASE_PARAM(no_die_is_locked_while_its_reader_waits_for_another, command_gen_params),
	KUNIT_CASE(numbers_are_read_while_the_domain_is_locked),
	KUNIT_CASE(skew_of_read_does_not_contain_the_delay_of_a_reader),
	KUNIT_CASE(counters_of_both_dies_start_together),
	KUNIT_CASE_PARAM(wait_for_a_reader_that_does_not_come_ends_after_2_ms,
			 command_gen_params),
	KUNIT_CASE(read_of_a_die_that_came_too_late_is_exact),
	KUNIT_CASE_PARAM(commands_that_change_counting_hold_the_run_lock, command_gen_params),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_rendezvous",
	.init = fake_machine_init_2,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
