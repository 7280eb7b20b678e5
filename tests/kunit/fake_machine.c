// SPDX-License-Identifier: GPL-2.0-only
/* Machine of fake boxes, hand-made domain contexts and sessions. */
#include <linux/cpu.h>
#include <linux/slab.h>

#include "fake_machine.h"
#include "find/static_table.h"
#include "irq/pmi_route_and_service.h"
#include "sample/bulk_read.h"
#include "sample/running_tasks.h"

static struct ucore_platform platform;

static void window_init(struct fake_window *win, struct fake_bus *bus,
			const struct ucore_domain *domain, const struct ucore_box_desc *desc,
			const char *suffix)
{
	win->bus = bus;
	snprintf(win->name, sizeof(win->name), "%s%u.%u%s", desc->type->name, desc->instance,
		 domain->id, suffix);
}

static void box_add(struct kunit *test, struct ucore_domain *domain,
		    const struct ucore_box_desc *desc, const struct ucore_io_ops *ops, bool aux)
{
	struct ucore_box *box = &ucore_catalog.boxes[ucore_catalog.nr_boxes];
	struct fake_window *win = kunit_kcalloc(test, 2, sizeof(*win), GFP_KERNEL);
	struct fake_bus *bus = &fake_machine(test)->bus;

	KUNIT_ASSERT_NOT_NULL(test, win);
	window_init(&win[0], bus, domain, desc, "");
	win[0].type = desc->type;
	win[0].layout = desc->layout;
	window_init(&win[1], bus, domain, desc, "aux");
	box->desc = *desc;
	box->id = ucore_catalog.nr_boxes++;
	box->caps = desc->type->caps;
	box->selftest.done = true;		/* the self-test's suites reset this flag */
	box->domain = domain;
	INIT_LIST_HEAD(&box->node);
	INIT_LIST_HEAD(&box->claims);
	box->io = (struct ucore_io){
		.ops = ops,
		.tally = &domain->tally,
		.priv = &win[0],
	};
	if (aux)
		box->aux = (struct ucore_io){
			.ops = &fake_pci_ops, .tally = &domain->tally, .priv = &win[1],
		};
	domain->nr_boxes++;
	domain->nr_counters += desc->type->nr_gp + desc->type->nr_fixed;
}

static void boxes_add(struct kunit *test, struct ucore_domain *domain)
{
	const struct ucore_static_table *table = platform.table;
	struct ucore_box_desc desc;
	u32 row, i, n;

	for (row = 0; row < table->nr_msr; row++) {
		n = table->msr[row].per_core ? FAKE_NR_CBO : table->msr[row].max;
		for (i = 0; i < n; i++) {
			desc = (struct ucore_box_desc){
				.type = table->msr[row].type,
				.layout = ucore_static_layout(&table->msr[row], i),
				.global_gp =
					ucore_static_instance_bits(&table->msr[row],
								   table->msr[row].global_gp, i),
				.global_fixed =
					ucore_static_instance_bits(&table->msr[row],
								   table->msr[row].global_fixed, i),
				.global = table->global,
				.scope = domain->scope,
				.die = domain->die,
				.instance = i,
			};
			box_add(test, domain, &desc, &fake_msr_ops, false);
		}
	}
	for (row = 0; row < table->nr_pci; row++) {
		desc = (struct ucore_box_desc){
			.type = table->pci[row].type,
			.layout = table->pci[row].layout,
			.global_gp = table->pci[row].global_gp,
			.global_fixed = table->pci[row].global_fixed,
			.global = table->global,
			.scope = domain->scope,
			.die = domain->die,
			.instance = table->pci[row].instance,
		};
		box_add(test, domain, &desc, &fake_pci_ops, table->pci[row].aux);
	}
	for (row = 0; row < table->nr_mmio; row++) {
		for (i = 0; i < table->mmio[row].nr * table->nr_imc; i++) {
			desc = (struct ucore_box_desc){
				.type = table->mmio[row].type,
				.layout = table->mmio[row].layout,
				.global_gp = table->mmio[row].global_gp,
				.global_fixed = table->mmio[row].global_fixed,
				.global = table->mmio[row].apart ? NULL : table->global,
				.scope = domain->scope,
				.die = domain->die,
				.instance = i,
			};
			box_add(test, domain, &desc, &fake_mmio_ops, false);
		}
	}
}

static void domain_add(struct kunit *test, u32 i)
{
	struct fake_machine *m = fake_machine(test);
	struct ucore_domain *domain = &ucore_catalog.domains[i];
	struct fake_window *win = &m->global[i];
	const struct ucore_static_table *table = platform.table;
	struct ucore_box_desc first = { .global = table->global, .die = m->with_cpu ? 0 : i };

	if (m->with_cpu && i) {
		m->cpu_global = *table->global;
		m->cpu_global.status = CPU_STATUS;
		first.scope = UCORE_SCOPE_CPU;
		first.global = &m->cpu_global;
	}
	win->bus = &m->bus;
	win->global = first.global;
	snprintf(win->name, sizeof(win->name), "global.%u", i);
	KUNIT_ASSERT_EQ(test, ucore_domain_init(domain, i, &first), 0);
	ucore_reader_init(domain);
	domain->io = (struct ucore_io){
		.ops = &fake_msr_ops, .tally = &domain->tally, .priv = win,
	};
	domain->reader = m->with_cpu ? 0 : i;
	ucore_catalog.nr_domains++;
	domain->first_box = &ucore_catalog.boxes[ucore_catalog.nr_boxes];
	boxes_add(test, domain);
}

/* Answer the NMI handler's read of the global status without an entry in the log. */
static bool status_for_nmi(u32 msr, u64 *val)
{
	if (msr == CPU_STATUS) {
		*val = fake_peek(fake_global(1), msr);
		return true;
	}
	if (msr != ucore_catalog.domains[0].global->status)
		return false;
	*val = fake_peek(fake_global(fake_logical_die_id(raw_smp_processor_id())), msr);
	return true;
}

static int machine_init(struct kunit *test, const struct ucore_platform *source, u32 nr_domains,
			bool with_cpu)
{
	struct fake_machine *m;
	u32 i;

	fake_kernel_reset();
	fake_kernel.nr_dies = with_cpu ? 1 : nr_domains;
	fake_cpus_need_two(test);
	m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m);
	test->priv = m;
	m->with_cpu = with_cpu;
	raw_spin_lock_init(&m->bus.lock);
	init_waitqueue_head(&m->sink.wait);
	m->global = kunit_kcalloc(test, nr_domains, sizeof(*m->global), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->global);

	platform = *source;
	ucore_catalog.platform = &platform;
	ucore_catalog.boxes = kunit_kcalloc(test, FAKE_BOXES * nr_domains,
					    sizeof(*ucore_catalog.boxes), GFP_KERNEL);
	ucore_catalog.domains = kunit_kcalloc(test, nr_domains, sizeof(*ucore_catalog.domains),
					      GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ucore_catalog.boxes);
	KUNIT_ASSERT_NOT_NULL(test, ucore_catalog.domains);
	for (i = 0; i < nr_domains; i++)
		domain_add(test, i);
	fake_msr_hook = status_for_nmi;
	return 0;
}

int fake_machine_init(struct kunit *test)
{
	return machine_init(test, &ucore_platform_ivbep, 1, false);
}

int fake_machine_init_v1(struct kunit *test)
{
	return machine_init(test, &ucore_platform_snbep, 1, false);
}

int fake_machine_init_2(struct kunit *test)
{
	return machine_init(test, &ucore_platform_ivbep, 2, false);
}

int fake_machine_init_hswep(struct kunit *test)
{
	return machine_init(test, &ucore_platform_hswep, 1, false);
}

int fake_machine_init_skx(struct kunit *test)
{
	return machine_init(test, &ucore_platform_skx, 1, false);
}

int fake_machine_init_icx(struct kunit *test)
{
	return machine_init(test, &ucore_platform_icx, 1, false);
}

int fake_machine_init_snr(struct kunit *test)
{
	return machine_init(test, &ucore_platform_snr, 1, false);
}

int fake_machine_init_skl(struct kunit *test)
{
	return machine_init(test, &ucore_platform_skl, 1, false);
}

int fake_machine_init_adl(struct kunit *test)
{
	return machine_init(test, &ucore_platform_adl, 1, false);
}

int fake_machine_init_mtl(struct kunit *test)
{
	return machine_init(test, &ucore_platform_mtl, 1, false);
}

int fake_machine_init_nhm(struct kunit *test)
{
	return machine_init(test, &ucore_platform_nhm, 2, false);
}

int fake_machine_init_cpu(struct kunit *test)
{
	return machine_init(test, &ucore_platform_ivbep, 2, true);
}

static void ctx_destroy(struct ucore_domain_ctx *ctx)
{
	ucore_ring_put(ctx->ring);
	kfree(ctx->ctr);
	kfree(ctx->order);
	kfree(ctx->address);
	kfree(ctx->raw);
	kfree(ctx->box);
	kfree(ctx);
}

/* Free the session, as closing its descriptor does. */
static void session_end(struct ucore_session *session)
{
	mutex_lock(&session->lock);
	ucore_counting_halt(session);
	mutex_unlock(&session->lock);
	ucore_session_free(session);
}

/* Also runs after failed assertions: closes all sessions and frees all contexts. */
void fake_machine_exit(struct kunit *test)
{
	struct fake_machine *m = fake_machine(test);
	u32 i;

	if (!m)
		return;
	for (i = 0; i < FAKE_SESSIONS; i++)
		if (m->session[i])
			session_end(m->session[i]);
	ucore_tasks_exit();
	/*
	 * a context that is still armed may have queued the widening of the PMI route: stop
	 * that first
	 */
	for (i = 0; i < ucore_catalog.nr_domains; i++)
		cancel_work_sync(&ucore_catalog.domains[i].pmi.mend);
	cpus_read_lock();
	for (i = 0; i < ucore_catalog.nr_domains; i++)
		ucore_pmi_disable(&ucore_catalog.domains[i]);
	cpus_read_unlock();
	for (i = 0; i < ucore_catalog.nr_domains; i++) {
		ucore_reader_exit(&ucore_catalog.domains[i]);
		ucore_domain_destroy(&ucore_catalog.domains[i]);
	}
	for (i = 0; i < m->nr_ctxs; i++)
		ctx_destroy(m->ctx[i]);
	KUNIT_EXPECT_FALSE(test, fake_kernel.timer_misuse);
	KUNIT_EXPECT_FALSE(test, fake_kernel.printed_in_irq);
	ucore_catalog.nr_boxes = 0;
	ucore_catalog.nr_domains = 0;
	ucore_catalog.boxes = NULL;
	ucore_catalog.domains = NULL;
	ucore_catalog.platform = NULL;
	ucore_catalog.absent = 0;
	ucore_catalog.caps = 0;
	ucore_catalog.logged = 0;
	ucore_catalog.failed = NULL;
	fake_msr_hook = NULL;
}

struct ucore_box *box_find(const char *type, u32 die, u32 instance)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_boxes; i++)
		if (!strcmp(ucore_catalog.boxes[i].desc.type->name, type) &&
		    ucore_catalog.boxes[i].domain->die == die &&
		    ucore_catalog.boxes[i].desc.instance == instance)
			return &ucore_catalog.boxes[i];
	return NULL;
}

void fake_catalog_exit(struct kunit *test)
{
	u32 i;

	fake_msr_hook = NULL;
	fake_load_hook = NULL;
	ucore_catalog_destroy();
	ucore_catalog.platform = NULL;
	ucore_catalog.may_write = false;
	ucore_catalog.absent = 0;
	ucore_catalog.caps = 0;
	KUNIT_EXPECT_EQ(test, fake_kernel.mapped, 0);
	for (i = 0; i < fake_kernel.nr_functions; i++)
		KUNIT_EXPECT_EQ(test, fake_kernel.functions[i].refs, 0);
}

/**
 * fake_expect_increments() - check the maximum increment per clock of all events of a box
 * @test: the test
 * @box: the box
 * @inc: maximum increment by event, or 0 for @most
 * @most: maximum increment of all other events
 */
void fake_expect_increments(struct kunit *test, const struct ucore_box *box, const u8 inc[256],
			    u32 most)
{
	u32 event;

	for (event = 0; event < 256; event++)
		KUNIT_EXPECT_EQ_MSG(test, ucore_event_max_increment(box->desc.type, event, false),
				    inc[event] ? (u32)inc[event] : most, "%s: event %#x",
				    box->desc.type->name, event);
}

struct ucore_box *fake_box(struct kunit *test, u32 domain, const char *type, u32 instance)
{
	struct ucore_box *box;
	u32 i;

	for (i = 0; i < ucore_catalog.nr_boxes; i++) {
		box = &ucore_catalog.boxes[i];
		if (box->domain->id == domain && box->desc.instance == instance &&
		    !strcmp(box->desc.type->name, type))
			return box;
	}
	kunit_err(test, "no %s%u on domain %u\n", type, instance, domain);
	KUNIT_ASSERT_TRUE(test, false);
	return NULL;
}

/**
 * fake_overflow() - emulate a counter overflow in the hardware
 * @box: the box
 * @reg: register of the counter
 * @count: value of the counter after the overflow
 * @status: bit in the box status
 * @global: bit in the global status
 */
void fake_overflow(struct ucore_box *box, u32 reg, u64 count, u64 status, u64 global)
{
	struct fake_window *win = fake_window(box), *gw = box->domain->io.priv;
	u16 box_status = box->desc.layout->status;

	fake_poke(win, reg, count);
	fake_poke(win, box_status, fake_peek(win, box_status) | status);
	fake_poke(gw, gw->global->status, fake_peek(gw, gw->global->status) | global);
	gw->frozen = true;
}

/* ---- domain contexts ---- */

struct ucore_domain_ctx *fake_ctx(struct kunit *test, u32 domain, u32 ring_size)
{
	struct fake_machine *m = fake_machine(test);
	struct ucore_domain_ctx *ctx = kzalloc(sizeof(*ctx), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ctx);
	m->ctx[m->nr_ctxs++] = ctx;
	ctx->domain = &ucore_catalog.domains[domain];
	ctx->sink = &m->sink;
	ctx->trigger_event = UCORE_EVENT_NONE;
	ctx->watchdog_ns = U64_MAX;
	INIT_LIST_HEAD(&ctx->node);
	ctx->ctr = kcalloc(FAKE_CTX_CTRS, sizeof(*ctx->ctr), GFP_KERNEL);
	ctx->order = kcalloc(FAKE_CTX_CTRS, sizeof(*ctx->order), GFP_KERNEL);
	ctx->address = kcalloc(FAKE_CTX_CTRS, sizeof(*ctx->address), GFP_KERNEL);
	ctx->raw = kcalloc(FAKE_CTX_CTRS, sizeof(*ctx->raw), GFP_KERNEL);
	ctx->box = kcalloc(FAKE_CTX_BOXES, sizeof(*ctx->box), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ctx->ctr);
	KUNIT_ASSERT_NOT_NULL(test, ctx->order);
	KUNIT_ASSERT_NOT_NULL(test, ctx->address);
	KUNIT_ASSERT_NOT_NULL(test, ctx->raw);
	KUNIT_ASSERT_NOT_NULL(test, ctx->box);
	ucore_timer_init(ctx);
	if (ring_size) {
		ctx->ring = ucore_ring_create(ring_size, 0, current_user());
		KUNIT_ASSERT_FALSE(test, IS_ERR(ctx->ring));
	}
	return ctx;
}

static struct ucore_domain_ctx_box *ctx_box(struct ucore_domain_ctx *ctx, struct ucore_box *box)
{
	u32 i;

	for (i = 0; i < ctx->nr_box; i++)
		if (ctx->box[i].box == box)
			return &ctx->box[i];
	ctx->box[ctx->nr_box].box = box;
	ctx->box[ctx->nr_box].last = U32_MAX;
	return &ctx->box[ctx->nr_box++];
}

/**
 * fake_ctx_add() - add a counter to a context, with the event id 100 + its index
 * @ctx: the context
 * @box: box of the counter
 * @counter: counter number, or UCORE_COUNTER_FIXED for the fixed one
 * @ctl: control word
 * @period: overflow period, 0 for none
 *
 * Return: the counter.
 */
struct ucore_counter *fake_ctx_add(struct ucore_domain_ctx *ctx, struct ucore_box *box,
				   u32 counter, u64 ctl, u64 period)
{
	struct ucore_domain_ctx_box *pb = ctx_box(ctx, box);
	const struct ucore_layout *layout = box->desc.layout;
	struct ucore_counter *ctr = &ctx->ctr[ctx->nr_ctr];
	bool fixed = counter >= UCORE_COUNTER_FIXED;
	u32 i = fixed ? counter - UCORE_COUNTER_FIXED : counter;

	*ctr = (struct ucore_counter){
		.box = box,
		.mask = GENMASK_ULL((fixed ? box->desc.type->fixed_width :
					     box->desc.type->width) - 1, 0),
		.ctl = ctl,
		.period = period,
		.event = 100 + ctx->nr_ctr,
		.reg = fixed ? layout->fixed_ctr[i] : layout->ctr[i],
		.ctl_reg = fixed ? layout->fixed_ctl[i] : layout->ctl[i],
		.index = counter,
		.sibling = pb->last,
	};
	pb->last = ctx->nr_ctr++;
	if (period) {
		pb->armed_mask |= fixed ? box->desc.global_fixed : box->desc.global_gp;
		ctx->armed_mask |= pb->armed_mask;
	}
	ucore_ctx_link_counters(ctx);
	ucore_bulk_read_sort(ctx);
	return ctr;
}

/* Put a context on its domain's list, as START does. */
void fake_ctx_list(struct ucore_domain_ctx *ctx)
{
	list_add_tail(&ctx->node, &ctx->domain->ctxs);
	ctx->domain->nr_ctxs++;
	if (!ctx->armed_mask)
		return;
	ctx->domain->armed++;
	ctx->domain->armed_mask |= ctx->armed_mask;
}

/* ---- sessions ---- */

struct ucore_session *fake_session_config(struct kunit *test,
					  const struct ucore_create_session *config)
{
	struct ucore_session *session = ucore_session_alloc(config, true);
	struct fake_machine *m = fake_machine(test);
	u32 i;

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(session));
	for (i = 0; i < FAKE_SESSIONS; i++) {
		if (!m->session[i]) {
			m->session[i] = session;
			break;
		}
	}
	return session;
}

struct ucore_session *fake_session(struct kunit *test)
{
	return fake_session_config(test, &(struct ucore_create_session){ .ring_size = 4096 });
}

void fake_session_close(struct kunit *test, struct ucore_session *session)
{
	struct fake_machine *m = fake_machine(test);
	u32 i;

	for (i = 0; i < FAKE_SESSIONS; i++)
		if (m->session[i] == session)
			m->session[i] = NULL;
	session_end(session);
}

/**
 * fake_add() - ADD_EVENT with an event select, or without terms on a fixed counter
 * @session: the session
 * @box: the box
 * @event: event select
 * @counters: mask of allowed counters
 * @period: overflow period
 * @out: the command's reply, may be NULL
 *
 * Return: 0 or the command's error.
 */
int fake_add(struct ucore_session *session, struct ucore_box *box, u64 event, u64 counters,
	     u64 period, struct ucore_add_event *out)
{
	const struct ucore_term term = { .field = UCORE_FIELD_EVENT, .value = event };
	struct ucore_add_event add = {
		.box = box->id,
		.nr_terms = !(counters >> UCORE_COUNTER_FIXED),
		.counters = counters,
		.period = period,
	};
	int ret;

	mutex_lock(&session->lock);
	ret = ucore_session_add_event(session, &add, &term);
	mutex_unlock(&session->lock);
	if (out)
		*out = add;
	return ret;
}

int fake_add_field(struct ucore_session *session, struct ucore_box *box, u32 field, u64 value)
{
	const struct ucore_term terms[] = {
		{ .field = UCORE_FIELD_EVENT, .value = 0x35 }, { .field = field, .value = value },
	};
	struct ucore_add_event add = { .box = box->id, .nr_terms = 2 };
	int ret;

	mutex_lock(&session->lock);
	ret = ucore_session_add_event(session, &add, terms);
	mutex_unlock(&session->lock);
	return ret;
}

int fake_start(struct ucore_session *session)
{
	int ret;

	mutex_lock(&session->lock);
	ret = ucore_counting_start(session);
	mutex_unlock(&session->lock);
	return ret;
}

void fake_stop(struct ucore_session *session)
{
	mutex_lock(&session->lock);
	ucore_counting_stop(session);
	mutex_unlock(&session->lock);
}

void fake_reader_choose(struct ucore_domain *domain, int cpu, const struct cpumask *cpus)
{
	mutex_lock(&ucore_run_lock);
	cpus_read_lock();
	mutex_lock(&ucore_catalog.lock);
	ucore_reader_choose(domain, cpu, cpus);
	mutex_unlock(&ucore_catalog.lock);
	cpus_read_unlock();
	mutex_unlock(&ucore_run_lock);
}

int session_remove(struct ucore_session *session, u32 event)
{
	int ret;

	mutex_lock(&session->lock);
	ret = ucore_session_remove_event(session, event);
	mutex_unlock(&session->lock);
	return ret;
}

void session_read(struct ucore_session *session, bool live)
{
	mutex_lock(&session->lock);
	ucore_snapshot_take(session, live);
	mutex_unlock(&session->lock);
}

void session_unread(struct ucore_session *session)
{
	mutex_lock(&session->lock);
	ucore_snapshot_undo(session);
	mutex_unlock(&session->lock);
}

int session_reset(struct ucore_session *session)
{
	int ret;

	mutex_lock(&session->lock);
	ret = ucore_counting_reset(session);
	mutex_unlock(&session->lock);
	return ret;
}

int session_set_cpus(struct ucore_session *session, const u32 *cpus, u32 nr)
{
	int ret;

	mutex_lock(&session->lock);
	ret = ucore_pmi_cpus_set(session, cpus, nr);
	mutex_unlock(&session->lock);
	return ret;
}

int session_set_cpu(struct ucore_session *session, u32 cpu)
{
	return session_set_cpus(session, &cpu, 1);
}

struct ucore_get_status session_status(struct ucore_session *session)
{
	struct ucore_get_status status = { };

	mutex_lock(&session->lock);
	ucore_session_get_status(session, &status);
	mutex_unlock(&session->lock);
	return status;
}

const void *fake_record(struct ucore_ring *ring)
{
	u64 tail = ring->consumer->tail;
	const struct ucore_record *rec;

	for (;;) {
		/* pairs with ucore_ring_commit() */
		if (tail == smp_load_acquire(&ring->producer->head))
			return NULL;
		rec = (const void *)(ring->data + (tail & (ring->size - 1)));
		tail += rec->size;
		/* pairs with ring_room() */
		smp_store_release(&ring->consumer->tail, tail);
		if (rec->type != UCORE_RECORD_PAD)
			return rec;
	}
}

static u32 put(u16 *regs, u32 n, u32 base, const u16 *offset, u32 nr)
{
	while (nr--)
		regs[n++] = base + *offset++;
	return n;
}

void fake_expect_registers(struct kunit *test, const struct ucore_static_msr *row, u32 instance,
			   const u16 *regs)
{
	const struct ucore_box_type *type = row->type;
	const struct ucore_layout *layout = row->layout;
	u32 base = ucore_static_base(row, instance), n = 0;
	u16 found[FAKE_ROW_REGS] = { };

	n = put(found, n, base, layout->ctl, type->nr_gp);
	n = put(found, n, base, layout->fixed_ctl, type->nr_fixed);
	n = put(found, n, base, layout->ctr, type->nr_gp);
	put(found, n, base, layout->fixed_ctr, type->nr_fixed);
	for (n = 0; n < FAKE_ROW_REGS; n++)
		KUNIT_EXPECT_EQ_MSG(test, found[n], regs[n], "register %u", n);
}

/*
 * Build the catalog while each allocation fails in turn, until one build succeeds. Nothing may stay
 * mapped.
 */
void fake_build_without_memory(struct kunit *test)
{
	int fail, ret;

	for (fail = 1; fail < 200; fail++) {
		fake_kernel.fail_in = fail;
		ret = ucore_catalog_build();
		fake_kernel.fail_in = 0;
		if (!ret)
			break;
		KUNIT_ASSERT_EQ(test, ret, -ENOMEM);
		KUNIT_ASSERT_EQ(test, fake_kernel.mapped, 0);
	}
	KUNIT_EXPECT_GT(test, fail, 8);
	KUNIT_EXPECT_LT(test, fail, 200);
}
