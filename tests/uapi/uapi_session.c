// SPDX-License-Identifier: GPL-2.0-only
/* Commands of a session: START, STOP, RESET, READ, GET_STATUS, GET_BUDGET, SET_PMI_CPUS. */
#include "session.h"
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <stddef.h>
#include <sys/syscall.h>

static int session;
static struct snapshot shot, later;

static void begin(void)
{
	session = session_create(0, 0, 0);
}

/* Events on two boxes of each of two domains */
static void add_on_two_domains(void)
{
	struct ucore_domain_info domains[MAX_DOMAINS];

	must(domains_get(domains) == 2, "the test needs two domains");
	for (int d = 0; d < 2; d++) {
		add_cas_reads(session, box_on_domain("imc", 0, domains[d].domain), 0);
		event_add(session, box_on_domain("cbo", 1, domains[d].domain),
			  TERMS(TERM(EVENT, 0x00)), 0, 0);
	}
}

static void begin_on_two_domains(void)
{
	begin();
	add_on_two_domains();
}

/*
 * ---- START, STOP --------------------------------------------------------
 */

static void start_without_events_is_refused(const void *arg)
{
	(void)arg;
	begin();
	expect_rc(try_start(session), ENOENT);
	expect_eq(session_status(session).state, UCORE_SESSION_STOPPED);
}

static void second_start_is_refused(const void *arg)
{
	(void)arg;
	begin_on_two_domains();
	session_start(session);
	expect_rc(try_start(session), EALREADY);
	expect_eq(session_status(session).state, UCORE_SESSION_RUNNING);
	session_stop(session);
	expect_rc(try_start(session), 0);
}

/* More counters take longer; what START, READ and STOP took is charged */
static void budget_reports_the_time_of_samples(const void *arg)
{
	struct ucore_get_budget none, one, all;

	(void)arg;
	begin();
	none = session_budget(session);
	expect_eq(none.sample_ns, 0);
	expect_eq(none.busy_ns, 0);
	expect_eq(none.timer_min_ns, UCORE_TIMER_MIN_NS);
	expect(none.percent >= 1 && none.percent <= 100, "%u %%", none.percent);
	add_cas_reads(session, box_find("imc", 0), 0);
	one = session_budget(session);
	add_cas_reads(session, box_find("imc", 1), 0);
	all = session_budget(session);
	expect(one.sample_ns > 0 && all.sample_ns > one.sample_ns, "%llu ns, then %llu",
	       (unsigned long long)one.sample_ns, (unsigned long long)all.sample_ns);
	expect(all.timer_min_ns >= UCORE_TIMER_MIN_NS &&
	       all.timer_min_ns * all.percent >= all.sample_ns * 100,
	       "a timer of %llu ns for samples of %llu", (unsigned long long)all.timer_min_ns,
	       (unsigned long long)all.sample_ns);
	session_start(session);
	one = session_budget(session);
	expect(one.busy_ns > all.busy_ns, "START took no time");
	expect_eq(one.sample_ns, all.sample_ns);
	session_stop(session);
	expect(session_budget(session).busy_ns > one.busy_ns, "STOP took no time");
	expect_eq(one.dropped + one.delayed, 0);
}

static void stop_of_stopped_session_succeeds(const void *arg)
{
	(void)arg;
	begin();
	expect_rc(try_stop(session), 0);
	add_cas_reads(session, box_find("imc", 0), 0);
	expect_rc(try_stop(session), 0);
	session_start(session);
	expect_rc(try_stop(session), 0);
	expect_rc(try_stop(session), 0);
	expect_eq(session_status(session).state, UCORE_SESSION_STOPPED);
}

static void counts_stand_still_while_stopped(const void *arg)
{
	uint64_t first, second;

	(void)arg;
	begin();
	add_cas_reads(session, box_find("imc", 0), 0);
	expect_eq(session_count(session), 0);
	session_start(session);
	wait_for(session_count(session) > 1000);
	session_stop(session);
	first = session_count(session);
	usleep(20000);
	expect_eq(session_count(session), first);

	session_start(session);
	second = session_count(session);
	expect(second >= first, "START went back from %llu to %llu",
	       (unsigned long long)first, (unsigned long long)second);
	wait_for(session_count(session) > second);
}

static void domains_report_running_sessions(const void *arg)
{
	struct ucore_domain_info domains[MAX_DOMAINS];

	(void)arg;
	begin_on_two_domains();
	session_start(session);
	domains_get(domains);
	expect_eq(domains[0].nr_sessions, 1);
	expect_eq(domains[1].nr_sessions, 1);
	session_stop(session);
	domains_get(domains);
	expect_eq(domains[0].nr_sessions, 0);
	expect_eq(domains[1].nr_sessions, 0);
}

/* Run on a machine with so many counters that two samples exceed 4096 bytes */
static void ring_too_small_is_refused(const void *arg)
{
	static struct ucore_box_info boxes[MAX_BOXES];
	unsigned int total = boxes_get(boxes), on_domain = 0;

	(void)arg;
	session = session_create(0, 4096, 0);
	for (unsigned int i = 0; i < total; i++) {
		for (unsigned int c = 0; boxes[i].domain == boxes[0].domain &&
		     c < boxes[i].nr_counters; c++, on_domain++)
			event_add(session, i, TERMS(TERM(EVENT, 0x41)), 0, 0);
	}
	if (2 * (sizeof(struct ucore_sample) + on_domain * sizeof(struct ucore_value)) <= 4096)
		skip_test("only %u counters on a domain", on_domain);
	expect_rc(try_start(session), ENOSPC);
	expect_eq(session_status(session).state, UCORE_SESSION_STOPPED);
}

/*
 * ---- READ ---------------------------------------------------------------
 */

static void read_without_events_is_refused(const void *arg)
{
	(void)arg;
	begin();
	expect_rc(try_read(session, 0, &shot), ENOENT);
	expect_rc(try_read(session, UCORE_READ_F_NO_FREEZE, &shot), ENOENT);
	expect_eq(shot.read.nr_values, MAX_EVENTS);
	expect(memory_differs(shot.values, POISON, sizeof(shot.values)) < 0,
	       "a failed READ wrote values");
}

static void expect_snapshot(const struct snapshot *s, bool live)
{
	expect_eq(s->read.nr_values, 4);
	expect_eq(s->read.nr_domains, 2);
	for (unsigned int i = 0; i < s->read.nr_values; i++) {
		expect_eq(s->values[i].flags, 0);
		expect(i == 0 || s->values[i].event > s->values[i - 1].event,
		       "values are not in the order of event ids");
	}
	for (unsigned int d = 0; d < s->read.nr_domains; d++) {
		const struct ucore_read_domain *domain = &s->domains[d];

		expect(d == 0 || domain->domain > s->domains[d - 1].domain,
		       "domains are not in order");
		expect(domain->cpu < 4, "domain %u was read by CPU %u", domain->domain,
		       domain->cpu);
		expect(live ? !domain->frozen_ns : domain->frozen_ns > 0, "frozen for %llu ns",
		       (unsigned long long)domain->frozen_ns);
		expect(domain->time_running <= domain->time_enabled, "running longer than enabled");
	}
	expect(memory_differs(&s->values[4], POISON, sizeof(s->values[4])) < 0 &&
	       memory_differs(&s->domains[2], POISON, sizeof(s->domains[2])) < 0,
	       "READ wrote more than it said");
}

static void expect_progress(const struct snapshot *a, const struct snapshot *b)
{
	for (unsigned int i = 0; i < 4; i++)
		expect(b->values[i].count > a->values[i].count, "event %u stands still",
		       a->values[i].event);
	for (unsigned int d = 0; d < 2; d++) {
		expect(b->domains[d].time > a->domains[d].time, "time stands still");
		expect(b->domains[d].time_enabled > a->domains[d].time_enabled,
		       "time_enabled stands still");
		expect(b->domains[d].time_running > a->domains[d].time_running,
		       "time_running stands still");
	}
}

static void read_twice(uint32_t flags)
{
	uint64_t before = now_ns(), skew;

	begin_on_two_domains();
	session_start(session);
	expect_rc(try_read(session, flags, &shot), 0);
	expect_rc(try_read(session, flags, &later), 0);
	expect_snapshot(&shot, flags & UCORE_READ_F_NO_FREEZE);
	expect_snapshot(&later, flags & UCORE_READ_F_NO_FREEZE);
	expect_progress(&shot, &later);
	expect(shot.domains[0].time > before && later.domains[0].time < now_ns(),
	       "the time of a READ is not CLOCK_MONOTONIC");
	skew = shot.domains[0].time - shot.domains[1].time;
	if (shot.domains[0].time < shot.domains[1].time)
		skew = -skew;
	expect_eq(shot.read.skew_ns, skew);
}

static void read_of_running_session_advances(const void *arg)
{
	(void)arg;
	read_twice(0);
}

static void read_without_freeze_advances(const void *arg)
{
	(void)arg;
	read_twice(UCORE_READ_F_NO_FREEZE);
}

static void read_of_stopped_session_is_constant(const void *arg)
{
	(void)arg;
	begin_on_two_domains();
	session_start(session);
	wait_for(session_count(session) > 1000);
	session_stop(session);
	session_read(session, &shot);
	expect_rc(try_read(session, UCORE_READ_F_NO_FREEZE, &later), 0);
	expect(!memcmp(shot.values, later.values, 4 * sizeof(shot.values[0])),
	       "counts of a stopped session changed");
	for (int d = 0; d < 2; d++) {
		expect_eq(shot.domains[d].time_enabled, later.domains[d].time_enabled);
		expect_eq(shot.domains[d].time_running, later.domains[d].time_running);
		expect(shot.domains[d].time_enabled, "a session that ran was never enabled");
	}
}

static int try_capacity(uint32_t values, uint32_t domains, struct snapshot *s)
{
	memset(s, POISON, sizeof(*s));
	s->read = (struct ucore_read) {
		.size = sizeof(s->read), .nr_values = values, .nr_domains = domains,
		.values = address(s->values), .domains = address(s->domains),
		.skew_ns = 0xdeadbeef,
	};
	return try_command(session, UCORE_READ, &s->read);
}

static void expect_too_small(uint32_t values, uint32_t domains)
{
	expect_rc(try_capacity(values, domains, &shot), ENOSPC);
	expect_eq(shot.read.nr_values, 4);
	expect_eq(shot.read.nr_domains, 2);
	expect_eq(shot.read.skew_ns, 0xdeadbeef);
	expect(memory_differs(shot.values, POISON, sizeof(shot.values)) < 0,
	       "capacities %u and %u: values written", values, domains);
	expect(memory_differs(shot.domains, POISON, sizeof(shot.domains)) < 0,
	       "capacities %u and %u: domains written", values, domains);
}

static void read_respects_capacity(const void *arg)
{
	(void)arg;
	begin_on_two_domains();
	for (int running = 0; running < 2; running++) {
		expect_too_small(0, 0);
		expect_too_small(3, 2);
		expect_too_small(4, 1);
		expect_too_small(4, 0);
		expect_too_small(0, 2);
		expect_rc(try_capacity(4, 2, &shot), 0);
		expect_rc(try_capacity(UINT32_MAX, UINT32_MAX, &shot), 0);
		expect_eq(shot.read.nr_values, 4);
		expect_eq(shot.read.nr_domains, 2);
		session_start(session);
		session_stop(session);
	}
}

static void read_to_bad_addresses_fails(const void *arg)
{
	struct ucore_read read = { .size = sizeof(read) };
	uint64_t reads;

	(void)arg;
	begin_on_two_domains();
	session_start(session);
	reads = session_status(session).reads;
	for (int which = 0; which < 2; which++) {
		read.nr_values = 4;
		read.nr_domains = 2;
		read.values = which ? address(shot.values) : 0;
		read.domains = which ? 0 : address(shot.domains);
		expect_rc(try_command(session, UCORE_READ, &read), EFAULT);
		expect_eq(read.nr_values, 4);
		expect_eq(read.nr_domains, 2);
	}
	expect(session_status(session).reads >= reads, "reads went back");
	expect_rc(try_read(session, 0, &shot), 0);
}

/* READ must not write beyond the end of arrays of the exact size */
static void read_fills_exact_arrays(const void *arg)
{
	struct ucore_read read = {
		.size = sizeof(read), .nr_values = 4, .nr_domains = 2,
		.values = address(guarded(4 * sizeof(struct ucore_value))),
		.domains = address(guarded(2 * sizeof(struct ucore_read_domain))),
	};

	(void)arg;
	begin_on_two_domains();
	session_start(session);
	expect_rc(try_command(session, UCORE_READ, &read), 0);
	read.values += 1;
	expect_rc(try_command(session, UCORE_READ, &read), EFAULT);
}

/*
 * ---- RESET --------------------------------------------------------------
 */

static void reset_zeroes_stopped_session(const void *arg)
{
	(void)arg;
	begin_on_two_domains();
	expect_rc(try_reset(session), 0);
	session_start(session);
	wait_for(session_count(session) > 1000);
	session_stop(session);
	expect_rc(try_reset(session), 0);
	session_read(session, &shot);
	for (int i = 0; i < 4; i++)
		expect_eq(shot.values[i].count, 0);
	for (int d = 0; d < 2; d++) {
		expect_eq(shot.domains[d].time_enabled, 0);
		expect_eq(shot.domains[d].time_running, 0);
	}
}

static void reset_zeroes_running_session(const void *arg)
{
	uint64_t started, read, reset, end;

	(void)arg;
	begin_on_two_domains();
	session_start(session);
	started = now_ns();
	usleep(50000);
	read = now_ns();
	session_read(session, &shot);
	reset = now_ns();
	expect_rc(try_reset(session), 0);
	session_read(session, &later);
	end = now_ns();
	expect(later.domains[0].time_enabled <= end - reset, "time_enabled was not reset");
	/* a count that was not reset exceeds the rate before RESET times the time since RESET */
	for (int i = 0; i < 4; i++)
		expect((double)later.values[i].count / (end - reset) <=
		       (double)shot.values[i].count / (read - started) * 1.01,
		       "event %u was not reset", later.values[i].event);
	expect_eq(session_status(session).state, UCORE_SESSION_RUNNING);
}

static void reset_without_events(const void *arg)
{
	(void)arg;
	begin();
	expect_rc(try_reset(session), 0);
}

/*
 * ---- GET_STATUS ---------------------------------------------------------
 */

static void status_follows_the_state(const void *arg)
{
	struct ucore_get_status status;

	(void)arg;
	begin_on_two_domains();
	status = session_status(session);
	expect_eq(status.nr_events, 4);
	expect_eq(status.nr_domains, 2);
	expect_eq(status.state, UCORE_SESSION_STOPPED);
	session_start(session);
	session_read(session, &shot);
	status = session_status(session);
	expect_eq(status.state, UCORE_SESSION_RUNNING);
	expect(status.frozen_ns >= shot.domains[0].frozen_ns, "READ's freeze is not in frozen_ns");
	/* two MSR counters, two 48-bit PCI counters of two dwords each */
	expect(status.reads >= 6, "%llu register reads for a READ of 4 counters",
	       (unsigned long long)status.reads);
	expect(status.writes >= 4, "%llu register writes for a READ of 2 domains",
	       (unsigned long long)status.writes);
}

#define PARALLEL_READS	50

/* parallel_reads counts the parts read by helper CPUs; a stopped session does not read */
static void status_reports_parallel_reads(const void *arg)
{
	struct ucore_get_status status;
	uint64_t last = 0;

	(void)arg;
	session = session_create_nr_readers(0, 0, 2);
	add_on_two_domains();
	session_start(session);
	for (unsigned int i = 0; i < PARALLEL_READS; i++) {
		session_read(session, &shot);
		expect(shot.values[0].count > last, "it stands at %llu", (unsigned long long)last);
		last = shot.values[0].count;
	}
	/* two shares of each domain, of which the reader has one */
	status = session_status(session);
	expect(status.parallel_reads <= 2 * PARALLEL_READS, "%llu shares of %u reads",
	       (unsigned long long)status.parallel_reads, PARALLEL_READS);
	expect(status.reads >= 4 * PARALLEL_READS, "%llu register reads for %u READs",
	       (unsigned long long)status.reads, PARALLEL_READS);
	session_stop(session);
	status = session_status(session);
	session_read(session, &shot);
	expect_eq(session_status(session).parallel_reads, status.parallel_reads);
	expect_eq(session_status(session).reads, status.reads);
}

/*
 * ---- SET_PMI_CPUS -------------------------------------------------------
 */

static void absent_pmi_cpu_is_refused(const void *arg)
{
	static const uint32_t bad[] = {
		64, 1024, 8191, 8192, 65536, 0x7fffffff, 0x80000000, UINT32_MAX,
	};

	(void)arg;
	begin();
	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++)
		expect_rc(try_pmi_cpu(session, bad[i]), ENOENT);
}

static void pmi_cpu_becomes_the_reader(const void *arg)
{
	struct ucore_domain_info domains[MAX_DOMAINS];

	(void)arg;
	begin();
	for (int cpu = 0; cpu < 4; cpu++) {
		int set;

		expect_rc(try_pmi_cpu(session, cpu), 0);
		domains_get(domains);
		set = domains[0].reader == cpu || domains[1].reader == cpu;
		expect(set, "CPU %d was chosen, the readers are %d and %d", cpu,
		       domains[0].reader, domains[1].reader);
	}
}

static void pmi_cpu_of_another_session_is_refused(const void *arg)
{
	int other = session_create(0, 0, 0);

	(void)arg;
	begin();
	expect_rc(try_pmi_cpu(session, 1), 0);
	expect_rc(try_pmi_cpu(other, 0), EBUSY);
	expect_rc(try_pmi_cpu(other, 1), 0);
	/* both sessions have selected CPU 1: neither can change it alone */
	expect_rc(try_pmi_cpu(session, 0), EBUSY);
	/* no session has selected a CPU of the other domain */
	expect_rc(try_pmi_cpu(other, 2), 0);
	close(other);
	expect_rc(try_pmi_cpu(session, 0), 0);
	close(session);
	begin();
	expect_rc(try_pmi_cpu(session, 1), 0);
}

/* CPUs 0 and 1 are of one die, 2 and 3 of the other */
static void pmi_cpus_of_both_domains_are_accepted(const void *arg)
{
	static const uint32_t all[] = { 1, 0, 3, 2 }, first[] = { 1, 0 }, turned[] = { 0, 1 };
	struct ucore_domain_info domains[MAX_DOMAINS];
	int other = session_create(0, 0, 0);

	(void)arg;
	begin();
	expect_rc(try_pmi_cpus(session, all, 4), 0);
	domains_get(domains);
	expect_eq(domains[0].reader, 1);
	expect_eq(domains[1].reader, 3);
	expect_rc(try_pmi_cpus(other, turned, 2), EBUSY);
	expect_rc(try_pmi_cpus(other, first, 1), EBUSY);
	expect_rc(try_pmi_cpus(other, first, 2), 0);
	/* the command changes no domain if one of them is busy */
	expect_rc(try_pmi_cpus(session, (const uint32_t []){ 2, 0 }, 2), EBUSY);
	domains_get(domains);
	expect_eq(domains[1].reader, 3);
	close(other);
	expect_rc(try_pmi_cpus(session, (const uint32_t []){ 2, 0 }, 2), 0);
	domains_get(domains);
	expect_eq(domains[0].reader, 0);
	expect_eq(domains[1].reader, 2);
}

static void malformed_pmi_cpus_are_refused(const void *arg)
{
	static const uint32_t twice[] = { 1, 0, 1 }, one_bad[] = { 1, 64 };
	static uint32_t many[UCORE_PMI_CPUS_MAX + 1];
	struct ucore_domain_info before[MAX_DOMAINS], after[MAX_DOMAINS];

	(void)arg;
	begin();
	domains_get(before);
	expect_rc(try_pmi_cpus(session, twice, 0), EINVAL);
	expect_rc(try_pmi_cpus(session, many, UCORE_PMI_CPUS_MAX + 1), EINVAL);
	expect_rc(try_pmi_cpus(session, many, UINT32_MAX), EINVAL);
	expect_rc(try_pmi_cpus(session, twice, 3), EINVAL);
	expect_rc(try_pmi_cpus(session, one_bad, 2), ENOENT);
	expect_rc(try_pmi_cpus(session, NULL, 1), EFAULT);
	expect_rc(try_pmi_cpus(session, (const uint32_t *)(uintptr_t)-4096, 2), EFAULT);
	domains_get(after);
	expect_eq(after[0].reader, before[0].reader);
	expect_eq(after[1].reader, before[1].reader);
}

static void pmi_cpu_of_running_session_is_refused(const void *arg)
{
	(void)arg;
	begin_on_two_domains();
	session_start(session);
	expect_rc(try_pmi_cpu(session, 1), EBUSY);
	session_stop(session);
	expect_rc(try_pmi_cpu(session, 1), 0);
}

static const struct test tests[] = {
	{ "start_without_events_is_refused", start_without_events_is_refused, 0, 0 },
	{ "second_start_is_refused", second_start_is_refused, 0, 0 },
	{ "stop_of_stopped_session_succeeds", stop_of_stopped_session_succeeds, 0, 0 },
	{ "counts_stand_still_while_stopped", counts_stand_still_while_stopped, 0, 0 },
	{ "budget_reports_the_time_of_samples", budget_reports_the_time_of_samples, 0, 0 },
	{ "domains_report_running_sessions", domains_report_running_sessions, 0, 0 },
	{ "read_without_events_is_refused", read_without_events_is_refused, 0, 0 },
	{ "read_of_running_session_advances", read_of_running_session_advances, 0, 0 },
	{ "read_without_freeze_advances", read_without_freeze_advances, 0, 0 },
	{ "read_of_stopped_session_is_constant", read_of_stopped_session_is_constant, 0, 0 },
	{ "read_respects_capacity", read_respects_capacity, 0, 0 },
	{ "read_to_bad_addresses_fails", read_to_bad_addresses_fails, 0, 0 },
	{ "read_fills_exact_arrays", read_fills_exact_arrays, 0, 0 },
	{ "reset_zeroes_stopped_session", reset_zeroes_stopped_session, 0, 0 },
	{ "reset_zeroes_running_session", reset_zeroes_running_session, 0, 0 },
	{ "reset_without_events", reset_without_events, 0, 0 },
	{ "status_follows_the_state", status_follows_the_state, 0, 0 },
	{ "status_reports_parallel_reads", status_reports_parallel_reads, 0, 0 },
	{ "absent_pmi_cpu_is_refused", absent_pmi_cpu_is_refused, 0, 0 },
	{ "pmi_cpu_becomes_the_reader", pmi_cpu_becomes_the_reader, 0, 0 },
	{ "pmi_cpu_of_another_session_is_refused", pmi_cpu_of_another_session_is_refused, 0, 0 },
	{ "pmi_cpus_of_both_domains_are_accepted", pmi_cpus_of_both_domains_are_accepted, 0, 0 },
	{ "malformed_pmi_cpus_are_refused", malformed_pmi_cpus_are_refused, 0, 0 },
	{ "pmi_cpu_of_running_session_is_refused", pmi_cpu_of_running_session_is_refused, 0, 0 },
};

/*
 * ---- A caller whose page fault is delayed ------------------------------
 */

/* Return a page whose faults this process resolves (userfaultfd), after a present page */
static void *page_that_waits(int *fault)
{
	size_t size = sysconf(_SC_PAGESIZE);
	struct uffdio_api api = { .api = UFFD_API };
	char *pages = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
			   -1, 0);
	struct uffdio_register range = {
		.range = { .start = address(pages + size), .len = size },
		.mode = UFFDIO_REGISTER_MODE_MISSING,
	};

	*fault = syscall(SYS_userfaultfd, O_CLOEXEC);
	must(pages != MAP_FAILED && *fault >= 0, "userfaultfd: %m");
	must(!ioctl(*fault, UFFDIO_API, &api) && !ioctl(*fault, UFFDIO_REGISTER, &range),
	     "userfaultfd: %m");
	return pages + size;
}

/* Wait until a thread faults on the page */
static void wait_for_fault(int fault)
{
	struct uffd_msg message;

	must(read(fault, &message, sizeof(message)) == sizeof(message), "userfaultfd: %m");
	expect_eq(message.event, UFFD_EVENT_PAGEFAULT);
}

static void let_come(int fault, void *page)
{
	struct uffdio_zeropage zeros = {
		.range = { .start = address(page), .len = sysconf(_SC_PAGESIZE) },
	};

	must(!ioctl(fault, UFFDIO_ZEROPAGE, &zeros), "userfaultfd: %m");
}

static void *ask_into(void *status)
{
	/* the fault is resolved with a page of zeros */
	expect_rc(try_command(session, UCORE_GET_STATUS, status), EINVAL);
	return NULL;
}

static void waiter_for_a_stalled_caller_can_be_killed(const void *arg)
{
	struct ucore_get_status own = { .size = sizeof(own) };
	pthread_t stalled;
	int fault, status;
	void *page;
	pid_t other;

	(void)arg;
	session = session_create(0, 0, 0);
	page = page_that_waits(&fault);
	must(!pthread_create(&stalled, NULL, ask_into, page), "pthread_create");
	wait_for_fault(fault);		/* the stalled caller holds the session */
	other = fork();
	if (!other)
		_exit(!!try_command(session, UCORE_GET_STATUS, &own));
	usleep(100000);
	expect(!waitpid(other, &status, WNOHANG), "the session was not held up");
	kill(other, SIGKILL);
	wait_for(waitpid(other, &status, WNOHANG) == other);
	expect(WIFSIGNALED(status), "it ended with %d before it was killed", status);

	let_come(fault, page);
	pthread_join(stalled, NULL);
	do_command(session, UCORE_GET_STATUS, &own);
}

static void *read_into(void *page)
{
	struct ucore_value *value = page;
	struct ucore_read_domain domain;
	uint64_t running;
	struct ucore_read read = {
		.size = sizeof(read), .nr_values = 1, .nr_domains = 1,
		.values = address(page), .domains = address(&domain),
		.running = address(&running),
	};

	expect_rc(try_command(session, UCORE_READ, &read), 0);
	expect(value->count, "no count was delivered");
	/* the values are of the same time, although the session counted on until it was revoked */
	expect_eq(running, domain.time_running);
	expect_eq(value->flags, 0);
	return NULL;
}

static void *status_from(void *page)
{
	struct ucore_get_status *status =
		(void *)((char *)page - offsetof(struct ucore_get_status, session));

	status->size = sizeof(*status);
	expect_rc(try_command(session, UCORE_GET_STATUS, status), ESHUTDOWN);
	return NULL;
}

static void *add_from(void *page)
{
	struct ucore_add_event add = {
		.size = sizeof(add), .nr_terms = 1, .terms = address(page),
	};

	expect_rc(try_command(session, UCORE_ADD_EVENT, &add), ESHUTDOWN);
	return NULL;
}

/* Fault in the argument, in an array of the argument, and in the output */
static void session_of_a_stalled_caller_is_revoked(const void *arg)
{
	static void *(*const commands[])(void *) = { status_from, add_from, read_into };
	uint32_t box = box_find("imc", 0);
	struct ucore_revoke_session end = { .size = sizeof(end) };
	int device = device_open(), other = session_create(0, 0, 0), fault;
	pthread_t stalled;
	void *page;

	(void)arg;
	for (unsigned int i = 0; i < ARRAY_SIZE(commands); i++) {
		session = session_create(0, 0, 0);
		add_cas_reads(session, box, 0);
		session_start(session);
		end.session = session_status(session).session;
		page = page_that_waits(&fault);
		must(!pthread_create(&stalled, NULL, commands[i], page), "pthread_create");
		wait_for_fault(fault);
		do_command(device, UCORE_REVOKE_SESSION, &end);
		/* its box is available to other sessions */
		expect_eq(box_get(box).owner, 0);
		expect_rc(try_remove(other, add_cas_reads(other, box, 0)), 0);
		let_come(fault, page);
		pthread_join(stalled, NULL);
		expect_rc(try_start(session), ESHUTDOWN);
		close(session);
		close(fault);
	}
}

/* Tests that need certain machines and kernels: "uapi_session --on-purpose NAME" */
static const struct test special[] = {
	{ "waiter_for_a_stalled_caller_can_be_killed",
	  waiter_for_a_stalled_caller_can_be_killed, 0, 0 },
	{ "session_of_a_stalled_caller_is_revoked",
	  session_of_a_stalled_caller_is_revoked, 0, 0 },
	{ "ring_too_small_is_refused", ring_too_small_is_refused, 0, 0 },
};

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "--on-purpose"))
		return run_tests(special, ARRAY_SIZE(special), argc - 1, argv + 1);
	return run_tests(tests, ARRAY_SIZE(tests), argc, argv);
}
