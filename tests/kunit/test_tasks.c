// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of core triggers, whose overflows are raised by hand, and of the tasks that run
 * on CPUs.
 */
#include <linux/cpu.h>
#include <linux/irq_work.h>
#include <linux/perf_event.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/tracepoint.h>

#include "cpu/budget.h"
#include "fake_machine.h"
#include "irq/perf_event_trigger.h"
#include "sample/running_tasks.h"
#include "session/core_triggers.h"

#define MS	((u64)NSEC_PER_MSEC)
#define US	((u64)NSEC_PER_USEC)

static struct ucore_domain_ctx *ctx_running(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = fake_ctx(test, 0, 4096);
	struct ucore_domain *domain = ctx->domain;

	fake_ctx_add(ctx, fake_box(test, 0, "imc", 0), 0, 0x400304, 0);
	ctx->watchdog_ns = 1000000 * MS;
	fake_machine(test)->sink.context = true;
	raw_spin_lock_irq(&domain->lock);
	ucore_ctx_program(ctx);
	fake_ctx_list(ctx);
	ucore_ctx_start_times(ctx, ktime_get_mono_fast_ns());
	raw_spin_unlock_irq(&domain->lock);
	fake_bus_clear(bus_of(test));
	return ctx;
}

/* ---- core triggers ---- */

static void overflow_here(void *arg)
{
	const struct ucore_pmi_regs context = {
		.time = ktime_get_mono_fast_ns(), .ip = 0x1234, .user = true, .pid = 7, .tid = 8,
		.cpu = raw_smp_processor_id(),
	};

	ucore_perf_trigger_overflow(arg, &context);
}

/* Raise three overflows before the irq_work can run. */
static void overflows_here(void *arg)
{
	overflow_here(arg);
	overflow_here(arg);
	overflow_here(arg);
}

static void overflow(struct ucore_perf_trigger *trigger, smp_call_func_t how)
{
	smp_call_function_single(0, how, trigger, 1);
	irq_work_sync(&trigger->work);
}

static struct ucore_perf_trigger trigger_of(struct ucore_domain_ctx *ctx)
{
	return (struct ucore_perf_trigger){ .first = ctx };
}

static void core_overflow_samples_the_die(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = ctx_running(test);
	struct fake_window *gw = fake_global(0), *w = fake_window(ctx->box[0].box);
	struct ucore_perf_trigger trigger = trigger_of(ctx);
	const struct ucore_sample *sample;

	ucore_perf_trigger_init(&trigger);
	overflow(&trigger, overflow_here);
	/* the same accesses as a timer's sample */
	FAKE_EXPECT(test, bus_of(test), FAKE_W(gw, GLOBAL_CTL, FREEZE), FAKE_R(w, 0xa0),
		    FAKE_R(w, 0xa4), FAKE_W(gw, GLOBAL_CTL, UNFREEZE));
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->trigger, (u32)UCORE_TRIGGER_CORE);
	KUNIT_EXPECT_EQ(test, sample->trigger_event, UCORE_EVENT_NONE);
	KUNIT_EXPECT_EQ(test, sample->flags, (u32)(UCORE_SAMPLE_F_CONTEXT | UCORE_SAMPLE_F_USER));
	KUNIT_EXPECT_EQ(test, sample->ip, 0x1234ULL);
	KUNIT_EXPECT_EQ(test, sample->pid, 7U);
	KUNIT_EXPECT_EQ(test, sample->tid, 8U);
	KUNIT_EXPECT_EQ(test, sample->late_ns, sample->time - trigger.context.time);
	KUNIT_EXPECT_NULL(test, ctx->core_context);
	KUNIT_EXPECT_EQ(test, atomic_read(&trigger.overflows), 0);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 1ULL);
}

/* Overflows before the first one is serviced are dropped and reported. */
static void overflows_before_service_are_dropped(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = ctx_running(test);
	struct ucore_perf_trigger trigger = trigger_of(ctx);
	const struct ucore_lost *lost;

	ucore_perf_trigger_init(&trigger);
	overflow(&trigger, overflows_here);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 3ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 2ULL);
	KUNIT_EXPECT_NOT_NULL(test, fake_record(ctx->ring));
	overflow(&trigger, overflow_here);
	lost = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, lost);
	KUNIT_EXPECT_EQ(test, lost->hdr.type, (u32)UCORE_RECORD_LOST);
	KUNIT_EXPECT_EQ(test, lost->lost, 2ULL);
	KUNIT_EXPECT_EQ(test, atomic_read(&trigger.overflows), 0);
}

static void spend_here(void *arg)
{
	ucore_budget_enter(ktime_get_mono_fast_ns());
	fake_clock_advance(9 * MS);
	ucore_budget_leave();
}

/*
 * The watchdog must not be started on a CPU that goes offline, because its timer would
 * migrate.
 */
static void overflow_on_leaving_cpu_is_dropped(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = ctx_running(test);
	struct ucore_perf_trigger trigger = trigger_of(ctx);

	ucore_perf_trigger_init(&trigger);
	fake_kernel.leaving = BIT_ULL(0);
	overflow(&trigger, overflow_here);
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 1ULL);
	KUNIT_EXPECT_EQ(test, atomic_read(&trigger.overflows), 0);
	fake_kernel.leaving = 0;
	overflow(&trigger, overflow_here);
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 2ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 1ULL);
}

static void overflow_beyond_the_budget_is_dropped(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = ctx_running(test);
	struct ucore_perf_trigger trigger = trigger_of(ctx);
	const struct ucore_record *record;

	ucore_perf_trigger_init(&trigger);
	smp_call_function_single(0, spend_here, NULL, 1);
	overflow(&trigger, overflow_here);
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_EQ(test, ctx->stats.dropped, 1ULL);
	KUNIT_EXPECT_EQ(test, ctx->stats.delayed, 1ULL);
	fake_clock_advance(100 * MS);
	overflow(&trigger, overflow_here);
	record = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_EQ(test, record->type, (u32)UCORE_RECORD_LOST);
	record = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, record);
	KUNIT_EXPECT_TRUE(test, ((const struct ucore_sample *)record)->flags &
				UCORE_SAMPLE_F_DELAYED);
}

static void overflow_while_suspended_is_ignored(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = ctx_running(test);
	struct ucore_perf_trigger trigger = trigger_of(ctx);

	ucore_perf_trigger_init(&trigger);
	ctx->running = false;
	overflow(&trigger, overflow_here);
	ctx->running = true;
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_EQ(test, ctx->stats.samples, 0ULL);
	KUNIT_EXPECT_EQ(test, atomic_read(&trigger.overflows), 0);
}

static void overflow_on_die_without_events_is_ignored(struct kunit *test)
{
	struct ucore_perf_trigger trigger = {};

	ucore_perf_trigger_init(&trigger);
	overflow(&trigger, overflow_here);
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_EQ(test, atomic_read(&trigger.overflows), 0);
}

/* A trigger counts only between START and STOP. */
static void core_trigger_on_this_task(struct kunit *test)
{
	const struct ucore_add_core_trigger ask = {
		.type = UCORE_PERF_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS,
		.cpu = -1, .tid = task_pid_nr(current), .period = 1000000,
	};
	struct ucore_session *s = fake_session(test);
	const struct perf_event *event;

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 0, NULL), 0);
	mutex_lock(&s->lock);
	KUNIT_EXPECT_EQ(test, ucore_core_triggers_add(s, &ask), 0);
	mutex_unlock(&s->lock);
	KUNIT_ASSERT_EQ(test, s->nr_triggers, 1U);
	KUNIT_EXPECT_EQ(test, fake_kernel.perf_events, 1);
	event = list_first_entry(&s->triggers, struct ucore_perf_trigger, node)->event;
	/* otherwise no guest with a mediated vPMU could start */
	KUNIT_EXPECT_TRUE(test, event->attr.exclude_guest);
	KUNIT_EXPECT_EQ(test, (int)event->state, (int)PERF_EVENT_STATE_OFF);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_GE(test, (int)event->state, (int)PERF_EVENT_STATE_INACTIVE);
	fake_stop(s);
	KUNIT_EXPECT_EQ(test, (int)event->state, (int)PERF_EVENT_STATE_OFF);
	fake_session_close(test, s);
}

/* The session owns the perf event. perf may keep one reference to a task that it has counted. */
static void core_trigger_leaves_no_event_and_no_reference(struct kunit *test)
{
	unsigned int usage[2];
	u32 i;

	for (i = 0; i < 2; i++) {
		core_trigger_on_this_task(test);
		KUNIT_EXPECT_EQ(test, fake_kernel.perf_events, 0);
		rcu_barrier();
		usage[i] = refcount_read(&current->usage);
	}
	KUNIT_EXPECT_EQ(test, usage[0], usage[1]);
}

/**
 * struct held - a CPU that is held up in an interrupt
 * @begun: the interrupt has begun
 * @end: the interrupt may end
 */
struct held {
	bool begun;
	bool end;
};

static void hold_here(void *arg)
{
	struct held *held = arg;

	smp_store_release(&held->begun, true);	/* pairs with the test */
	while (!smp_load_acquire(&held->end))	/* pairs with the test */
		cpu_relax();
}

static void nothing_here(void *arg)
{
}

/*
 * An interrupt in which the irq_work of a trigger ran may outlast the trigger, because
 * irq_work_sync() does not wait for it if the irq_work has run on another CPU since. While a CPU
 * is in an interrupt, the memory of a trigger is not allocated again.
 */
static void trigger_memory_outlasts_interrupts(struct kunit *test)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(attr), .disabled = 1,
		.config = PERF_COUNT_SW_PAGE_FAULTS, .sample_period = 1000000,
	};
	struct ucore_perf_trigger *kept = ucore_perf_trigger_create(&attr, -1, current);
	struct ucore_perf_trigger *trigger = ucore_perf_trigger_create(&attr, -1, current);
	struct held held = { };
	void *next;
	int other;

	/* with the last event of its kind perf would patch code, for which it calls all CPUs */
	KUNIT_ASSERT_FALSE(test, IS_ERR(kept) || IS_ERR(trigger));
	migrate_disable();
	other = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	smp_call_function_single(other, hold_here, &held, 0);
	while (!smp_load_acquire(&held.begun))	/* pairs with hold_here() */
		cpu_relax();
	ucore_perf_trigger_destroy(trigger);
	/* the allocator reuses the memory that this CPU freed last */
	next = kmalloc(sizeof(*trigger), GFP_KERNEL_ACCOUNT);
	KUNIT_EXPECT_PTR_NE(test, next, (void *)trigger);
	smp_store_release(&held.end, true);	/* pairs with hold_here() */
	migrate_enable();
	kfree(next);
	/* @held is on this stack: wait for the end of the interrupt */
	smp_call_function_single(other, nothing_here, NULL, 1);
	ucore_perf_trigger_destroy(kept);
}

/* ---- tasks ---- */

struct note {
	u64 time;
	u32 pid;
	const char *comm;
};

static void note_here(void *arg)
{
	const struct note *note = arg;

	ucore_tasks_note(note->time, note->pid, note->pid + 1, note->comm);
}

static void note(u64 time, u32 pid, const char *comm)
{
	struct note n = { time, pid, comm };

	smp_call_function_single(0, note_here, &n, 1);
}

static void expect_task(struct kunit *test, u64 time, u32 pid, const char *comm)
{
	struct ucore_task task;

	ucore_tasks_lookup(0, time, &task);
	KUNIT_EXPECT_EQ(test, task.flags, (u32)UCORE_TASK_F_KNOWN);
	KUNIT_EXPECT_EQ(test, task.pid, pid);
	KUNIT_EXPECT_EQ(test, task.tid, pid + 1);
	KUNIT_EXPECT_STREQ(test, task.comm, comm);
}

static void expect_no_task(struct kunit *test, u32 cpu, u64 time)
{
	struct ucore_task task = { .pid = 1, .flags = UCORE_TASK_F_KNOWN };

	ucore_tasks_lookup(cpu, time, &task);
	KUNIT_EXPECT_EQ(test, task.cpu, cpu);
	KUNIT_EXPECT_EQ(test, task.flags, 0U);
	KUNIT_EXPECT_EQ(test, task.pid, 0U);
}

static void task_lookup_finds_task_at_a_time(struct kunit *test)
{
	note(100, 10, "ten");
	note(200, 20, "a name of twenty letters");
	expect_no_task(test, 0, 99);
	expect_task(test, 100, 10, "ten");
	expect_task(test, 199, 10, "ten");
	expect_task(test, 200, 20, "a name of twent");
	expect_task(test, 5000, 20, "a name of twent");
	note(300, 30, "thirty");
	expect_no_task(test, 0, 199);
	expect_task(test, 299, 20, "a name of twent");
}

static void tasks_record_precedes_its_sample(struct kunit *test)
{
	struct ucore_domain_ctx *ctx = ctx_running(test);
	struct ucore_perf_trigger trigger = trigger_of(ctx);
	const struct ucore_sample *sample;
	const struct ucore_tasks *tasks;
	u32 cpu = 0;

	ucore_perf_trigger_init(&trigger);
	KUNIT_EXPECT_EQ(test, ucore_tasks_size(ctx), 0U);
	ctx->cpu = &cpu;
	ctx->nr_cpus = 1;
	KUNIT_EXPECT_EQ(test, ucore_tasks_size(ctx), 72U);
	note(1, 10, "ten");
	note(2, 20, "twenty");
	overflow(&trigger, overflow_here);
	ctx->cpu = NULL;
	ctx->nr_cpus = 0;
	tasks = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, tasks);
	KUNIT_EXPECT_EQ(test, tasks->hdr.type, (u32)UCORE_RECORD_TASKS);
	KUNIT_EXPECT_EQ(test, tasks->nr_tasks, 1U);
	KUNIT_EXPECT_EQ(test, tasks->tasks[0].pid, 20U);
	sample = fake_record(ctx->ring);
	KUNIT_ASSERT_NOT_NULL(test, sample);
	KUNIT_EXPECT_EQ(test, sample->hdr.type, (u32)UCORE_RECORD_SAMPLE);
	KUNIT_EXPECT_EQ(test, sample->time, tasks->time);
}

/* With the probes registered the current task is known. Without them no task is recorded. */
static void current_task_is_known_with_probes(struct kunit *test)
{
	struct ucore_task task;

	KUNIT_ASSERT_EQ(test, ucore_tasks_get(), 0);
	KUNIT_EXPECT_EQ(test, ucore_tasks_get(), 0);
	ucore_tasks_put();
	preempt_disable();
	ucore_tasks_lookup(smp_processor_id(), U64_MAX, &task);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, task.flags, (u32)UCORE_TASK_F_KNOWN);
	KUNIT_EXPECT_EQ(test, task.tid, (u32)current->pid);
	KUNIT_EXPECT_STREQ(test, task.comm, current->comm);
	ucore_tasks_put();
}

struct named {
	const char *name;
	struct tracepoint *tp;
};

static void find_named(struct tracepoint *tp, void *arg)
{
	struct named *named = arg;

	if (!strcmp(tp->name, named->name))
		named->tp = tp;
}

static struct tracepoint *tracepoint(struct kunit *test, const char *name)
{
	struct named named = { name };

	for_each_kernel_tracepoint(find_named, &named);
	KUNIT_ASSERT_NOT_NULL(test, named.tp);
	return named.tp;
}

static u32 nr_probes(struct kunit *test, const char *name)
{
	struct tracepoint_func *probe = rcu_dereference_raw(tracepoint(test, name)->funcs);
	u32 n = 0;

	for (; probe && probe->func; probe++)
		n++;
	return n;
}

static void rename(struct tracepoint *tp, struct task_struct *task, const char *comm)
{
	struct tracepoint_func *probe;
	void (*run)(void *data, struct task_struct *task, const char *comm);

	for (probe = rcu_dereference_raw(tp->funcs); probe && probe->func; probe++) {
		run = probe->func;
		run(probe->data, task, comm);
	}
}

/* A task is renamed by exec or prctl. Renaming another task has no effect. */
static void renamed_task_has_its_new_name(struct kunit *test)
{
	struct tracepoint *tp = tracepoint(test, "task_rename");
	struct ucore_task task;

	KUNIT_ASSERT_EQ(test, ucore_tasks_get(), 0);
	preempt_disable();
	rename(tp, current, "other");
	rename(tp, &init_task, "unrelated");
	ucore_tasks_lookup(smp_processor_id(), U64_MAX, &task);
	preempt_enable();
	ucore_tasks_put();
	KUNIT_EXPECT_EQ(test, task.tid, (u32)current->pid);
	KUNIT_EXPECT_STREQ(test, task.comm, "other");
}

/* Either both probes are registered or none. */
static void failed_probe_registration_is_undone(struct kunit *test)
{
	u32 switches = nr_probes(test, "sched_switch"), renames = nr_probes(test, "task_rename");
	u32 n;

	for (n = 1; n <= 2; n++) {
		fake_kernel.no_probe = n;
		KUNIT_EXPECT_EQ(test, ucore_tasks_get(), -ENOMEM);
		KUNIT_EXPECT_EQ(test, fake_kernel.no_probe, 0U);
		KUNIT_EXPECT_EQ(test, nr_probes(test, "sched_switch"), switches);
		KUNIT_EXPECT_EQ(test, nr_probes(test, "task_rename"), renames);
	}
	KUNIT_ASSERT_EQ(test, ucore_tasks_get(), 0);
	KUNIT_EXPECT_EQ(test, nr_probes(test, "sched_switch"), switches + 1);
	KUNIT_EXPECT_EQ(test, nr_probes(test, "task_rename"), renames + 1);
	ucore_tasks_put();
	ucore_tasks_exit();
	KUNIT_EXPECT_EQ(test, nr_probes(test, "sched_switch"), switches);
	KUNIT_EXPECT_EQ(test, nr_probes(test, "task_rename"), renames);
}

/* START fails before any box is accessed. The next START registers both probes. */
static void start_without_probes_fails(struct kunit *test)
{
	struct ucore_session *s = fake_session_config(test, &(struct ucore_create_session){
		.flags = UCORE_SESSION_F_TASKS, .ring_size = 4096, .timer_ns = 10 * MS });
	u32 switches = nr_probes(test, "sched_switch");

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, BIT(0), 0, NULL), 0);
	fake_kernel.no_probe = 2;
	KUNIT_EXPECT_EQ(test, fake_start(s), -ENOMEM);
	FAKE_EXPECT_NONE(test, bus_of(test));
	KUNIT_EXPECT_FALSE(test, s->running);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_EQ(test, nr_probes(test, "sched_switch"), switches + 1);
	KUNIT_EXPECT_EQ(test, s->ctx[0]->nr_cpus, num_online_cpus());
	fake_stop(s);
	ucore_tasks_exit();
	KUNIT_EXPECT_EQ(test, nr_probes(test, "sched_switch"), switches);
}

/* The probes stay for some seconds, so that START and STOP in a loop add and remove none. */
static void probes_stay_for_seconds_after_the_last_use(struct kunit *test)
{
	u32 switches = nr_probes(test, "sched_switch");
	struct ucore_task task;
	u32 i;

	KUNIT_ASSERT_EQ(test, ucore_tasks_get(), 0);
	ucore_tasks_put();
	KUNIT_EXPECT_EQ(test, fake_kernel.delay, 5UL * HZ);
	fake_kernel.no_probe = 1;	/* another registration would fail */
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, nr_probes(test, "sched_switch"), switches + 1);
		KUNIT_EXPECT_EQ(test, ucore_tasks_get(), 0);
		/* a delay that ended at this moment does not remove the probes of a session */
		schedule_delayed_work(fake_kernel.delayed, 0);
		flush_delayed_work(fake_kernel.delayed);
		preempt_disable();
		ucore_tasks_lookup(smp_processor_id(), U64_MAX, &task);
		preempt_enable();
		KUNIT_EXPECT_EQ(test, task.tid, (u32)current->pid);
		ucore_tasks_put();
	}
	KUNIT_EXPECT_EQ(test, fake_kernel.no_probe, 1U);
	fake_kernel.no_probe = 0;

	/* the delay ends */
	KUNIT_ASSERT_NOT_NULL(test, fake_kernel.delayed);
	flush_delayed_work(fake_kernel.delayed);
	KUNIT_EXPECT_EQ(test, nr_probes(test, "sched_switch"), switches);
	KUNIT_EXPECT_EQ(test, ucore_tasks_get(), 0);
	KUNIT_EXPECT_EQ(test, nr_probes(test, "sched_switch"), switches + 1);
	ucore_tasks_put();
}

static struct kunit_case cases[] = {
	KUNIT_CASE(core_overflow_samples_the_die),
	KUNIT_CASE(overflows_before_service_are_dropped),
	KUNIT_CASE(overflow_on_leaving_cpu_is_dropped),
	KUNIT_CASE(overflow_beyond_the_budget_is_dropped),
	KUNIT_CASE(overflow_while_suspended_is_ignored),
	KUNIT_CASE(overflow_on_die_without_events_is_ignored),
	KUNIT_CASE(trigger_memory_outlasts_interrupts),
	KUNIT_CASE(core_trigger_leaves_no_event_and_no_reference),
	KUNIT_CASE(task_lookup_finds_task_at_a_time),
	KUNIT_CASE(tasks_record_precedes_its_sample),
	KUNIT_CASE(current_task_is_known_with_probes),
	KUNIT_CASE(renamed_task_has_its_new_name),
	KUNIT_CASE(failed_probe_registration_is_undone),
	KUNIT_CASE(start_without_probes_fails),
	KUNIT_CASE(probes_stay_for_seconds_after_the_last_use),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_tasks",
	.init = fake_machine_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
