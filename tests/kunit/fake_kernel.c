// SPDX-License-Identifier: GPL-2.0-only
/*
 * The fakes behind fake_kernel.h. Each is callable in the contexts of the function that it
 * replaces, hard IRQ included.
 */
#include <kunit/test.h>
#include <linux/module.h>
#include <linux/smp.h>
#include <linux/spinlock.h>

/* the fakes of these two call them */
#undef perf_event_create_kernel_counter
#undef perf_event_release_kernel
#include <linux/perf_event.h>

struct fake_kernel fake_kernel;
struct cpuinfo_x86 fake_boot_cpu;
bool (*fake_msr_hook)(u32 msr, u64 *val);
void (*fake_load_hook)(void);
int (*fake_core_read)(u32 msr, u64 *val);
int (*fake_core_write)(u32 msr, u64 val);

/* Count down to the allocation that is to fail. */
static bool alloc_fails(void)
{
	return fake_kernel.fail_in && !--fake_kernel.fail_in;
}

void *fake_kzalloc(size_t size, gfp_t gfp)
{
	void (*hook)(void) = fake_kernel.on_kzalloc;

	fake_kernel.on_kzalloc = NULL;
	if (hook)
		hook();
	return alloc_fails() ? NULL : kmalloc(size, gfp | __GFP_ZERO);
}

void *fake_kvcalloc(size_t n, size_t size, gfp_t gfp)
{
	void *p = alloc_fails() ? NULL : kvmalloc(array_size(n, size), gfp | __GFP_ZERO);

	fake_kernel.kv_arrays += !!p;
	return p;
}

/* Poison the memory, so that a test detects a use of uninitialized members. */
void *fake_kvmalloc_array(size_t n, size_t size, gfp_t gfp)
{
	void *p = fake_kvcalloc(n, size, gfp);

	if (p)
		memset(p, 0xa5, n * size);
	return p;
}

#undef kvfree
void fake_kvfree(const void *p)
{
	fake_kernel.kv_arrays -= !!p;
	kvfree(p);
}

void *fake_vmalloc(unsigned long size, gfp_t gfp)
{
	fake_kernel.vmalloc_gfp = gfp;
	return alloc_fails() ? NULL : vzalloc(size);
}

unsigned long *fake_bitmap_zalloc(unsigned int nbits, gfp_t gfp)
{
	return alloc_fails() ? NULL :
	       kmalloc_array(BITS_TO_LONGS(nbits), sizeof(long), gfp | __GFP_ZERO);
}

void *fake_krealloc_array(void *p, size_t n, size_t size, gfp_t gfp)
{
	return alloc_fails() ? NULL : krealloc(p, array_size(n, size), gfp);
}

#undef xa_insert
int fake_xa_insert(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp)
{
	return alloc_fails() ? -ENOMEM : xa_insert(xa, index, entry, gfp);
}

/* ---- mappings ---- */

int fake_insert_page(struct vm_area_struct *vma, unsigned long addr, struct page *page)
{
	u32 n = fake_kernel.nr_pages;

	if (WARN_ON(n == FAKE_PAGES || addr != vma->vm_start + n * PAGE_SIZE))
		return -EFAULT;
	if (fake_kernel.no_page && !--fake_kernel.no_page)
		return -ENOMEM;
	fake_kernel.pages[fake_kernel.nr_pages++] = page;
	return 0;
}

/* ---- probes ---- */

#undef tracepoint_probe_register
int fake_probe_register(struct tracepoint *tp, void *probe, void *data)
{
	if (fake_kernel.no_probe && !--fake_kernel.no_probe)
		return -ENOMEM;
	return tracepoint_probe_register(tp, probe, data);
}

/* ---- time ---- */

#define CLOCK_STEP	100	/* clock step per reading (ns) */

static atomic64_t clock = ATOMIC64_INIT(0);

u64 fake_clock(void)
{
	return atomic64_add_return(CLOCK_STEP, &clock);
}

void fake_clock_advance(u64 ns)
{
	atomic64_add(ns, &clock);
}

/* ---- timers ---- */

/* Return the state of a timer; NULL if the timer was not set up. */
struct fake_timer *fake_timer_find(const struct hrtimer *timer)
{
	struct fake_timer *ft = (struct fake_timer *)timer;

	static_assert(sizeof(*ft) <= sizeof(*timer));
	return ft->function ? ft : NULL;
}

void fake_hrtimer_setup(struct hrtimer *timer,
			enum hrtimer_restart (*function)(struct hrtimer *timer),
			clockid_t clock, enum hrtimer_mode mode)
{
	*(struct fake_timer *)timer = (struct fake_timer){ .function = function };
}

void fake_hrtimer_start(struct hrtimer *timer, ktime_t expires, enum hrtimer_mode mode)
{
	struct fake_timer *ft = fake_timer_find(timer);

	ft->queued = true;
	ft->expires = expires;
	ft->cpu = raw_smp_processor_id();
}

int fake_hrtimer_cancel(struct hrtimer *timer)
{
	struct fake_timer *ft = fake_timer_find(timer);
	bool queued = ft && ft->queued;

	if (ft)
		ft->queued = false;
	return queued;
}

bool fake_hrtimer_is_queued(struct hrtimer *timer)
{
	return fake_timer_find(timer)->queued;
}

u64 fake_hrtimer_forward(struct hrtimer *timer, ktime_t now, ktime_t interval)
{
	struct fake_timer *ft = fake_timer_find(timer);
	u64 n;

	if (ft->queued) {
		fake_kernel.timer_misuse = true;	/* the kernel warns and does nothing */
		return 0;
	}
	if (ktime_before(now, ft->expires))
		return 0;
	n = div64_u64(ktime_to_ns(ktime_sub(now, ft->expires)), ktime_to_ns(interval)) + 1;
	ft->expires = ktime_add_ns(ft->expires, n * ktime_to_ns(interval));
	return n;
}

ktime_t fake_hrtimer_get_expires(const struct hrtimer *timer)
{
	return fake_timer_find(timer)->expires;
}

void fake_hrtimer_start_expires(struct hrtimer *timer, enum hrtimer_mode mode)
{
	struct fake_timer *ft = fake_timer_find(timer);

	ft->queued = true;
	ft->cpu = raw_smp_processor_id();
}

/**
 * fake_timer_fire() - advance the clock to the expiry time unless it has passed, run the
 * callback
 * @timer: a timer that was set up
 *
 * Return: the callback's result.
 */
enum hrtimer_restart fake_timer_fire(struct hrtimer *timer)
{
	struct fake_timer *ft = fake_timer_find(timer);
	ktime_t now = ns_to_ktime(fake_clock());
	enum hrtimer_restart restart;
	unsigned long flags;

	if (ktime_before(now, ft->expires))
		ft->expires = now;
	ft->queued = false;
	local_irq_save(flags);
	restart = ft->function(timer);
	local_irq_restore(flags);
	if (restart == HRTIMER_RESTART)
		ft->queued = true;
	return restart;
}

/* ---- CPUs ---- */

int fake_logical_die_id(int cpu)
{
	return cpu % max(fake_kernel.nr_dies, 1U);
}

int fake_package_id(int cpu)
{
	return fake_kernel.one_package ? 0 : fake_logical_die_id(cpu);
}

u32 fake_core_id(int cpu)
{
	return fake_kernel.core_id[cpu % FAKE_CPUS];
}

bool fake_housekeeping(int cpu, enum hk_type type)
{
	u64 apart = type == HK_TYPE_DOMAIN ? fake_kernel.isolated : fake_kernel.nohz_full;

	WARN_ON(type != HK_TYPE_DOMAIN && type != HK_TYPE_TIMER);
	return !(apart & BIT_ULL(cpu));
}

unsigned int fake_nr_cpu_ids = FAKE_CPUS;

static struct cpumask online_cpus;

/* Return the CPUs that the driver sees. Several CPUs may call this function at a time. */
const struct cpumask *fake_online_cpus(void)
{
	unsigned long real = *cpumask_bits(&__cpu_online_mask) & FAKE_REAL_CPUS;

	WRITE_ONCE(*cpumask_bits(&online_cpus), real | fake_kernel.more_cpus);
	return &online_cpus;
}

/*
 * Bind this thread to the CPUs that the driver sees. Masks of CPUs get enough bits for these, and
 * for all CPUs of the machine: the kernel uses the same masks.
 */
static void cpus_reset(void)
{
	u32 last = find_last_bit(cpumask_bits(cpu_possible_mask),
				 BITS_PER_TYPE(struct cpumask));

	fake_nr_cpu_ids = max_t(u32, last + 1, FAKE_CPUS);
	set_cpus_allowed_ptr(current, fake_online_cpus());
}

/**
 * fake_cpus_need_two() - skip a test on a machine that lacks CPU 0 or 1
 * @test: the test
 */
void fake_cpus_need_two(struct kunit *test)
{
	if (num_online_cpus() < 2)
		kunit_skip(test, "needs CPUs 0 and 1 online");
}

int fake_real_cpu(int cpu)
{
	return cpu < FAKE_CPUS && fake_kernel.more_cpus & BIT_ULL(cpu) ? 1 : cpu;
}

/* ---- calls to other CPUs ---- */

static void call_here(void *arg)
{
	struct fake_call *call = arg;

	call->func(call->info);
	smp_store_release(&call->done, true);	/* pairs with wait_for() */
}

#undef smp_call_function_single_async
#undef cpu_relax

/* Wait with interrupts off on this CPU. The other CPU has them on. */
static void wait_for(const bool *until)
{
	/* pairs with call_here(), or with the test */
	while (until && !smp_load_acquire(until))
		cpu_relax();
}

/*
 * There can be only one caller at a time, because suites that test these calls have one
 * domain.
 */
int fake_call_async(int cpu, struct __call_single_data *csd)
{
	struct fake_call *call = &fake_kernel.call[fake_kernel.nr_calls];
	int ret;

	fake_kernel.called[cpu]++;
	if (fake_kernel.calls == FAKE_CALLS_BUSY || WARN_ON(fake_kernel.nr_calls == FAKE_CALLS))
		return -EBUSY;
	if (fake_kernel.calls == FAKE_CALLS_REAL) {
		ret = smp_call_function_single_async(fake_real_cpu(cpu), csd);
		wait_for(ret ? NULL : fake_kernel.until);
		return ret;
	}
	*call = (struct fake_call){ .func = csd->func, .info = csd->info, .cpu = cpu };
	if (fake_kernel.calls == FAKE_CALLS_HELD) {
		fake_kernel.nr_calls++;
		return 0;
	}
	INIT_CSD(&call->csd, call_here, call);
	ret = smp_call_function_single_async(fake_real_cpu(cpu), &call->csd);
	wait_for(ret ? NULL : &call->done);
	return ret;
}

/** fake_calls_deliver() - execute the delayed calls, and wait for them */
void fake_calls_deliver(void)
{
	struct fake_call *call = fake_kernel.call;

	for (; call < fake_kernel.call + fake_kernel.nr_calls; call++)
		smp_call_function_single(fake_real_cpu(call->cpu), call_here, call, 1);
	fake_kernel.nr_calls = 0;
}

/* ---- calls to two CPUs, one of which is late ---- */

#define RELAX_NS	1000	/* clock step per iteration of a loop that waits (ns) */

/* Bits of fake_rendezvous.state */
#define LATE_MAY_COME	BIT(0)	/* its delay is over, or the other CPU has returned */
#define LATE_IS_BACK	BIT(1)	/* its function has returned, or waits itself */
#define FIRST_IS_BACK	BIT(2)	/* the function of the other CPU has returned */

struct late_call {
	smp_call_func_t func;
	void *info;
};

static void late_wait(u32 bit)
{
	/* pairs with late_set() */
	while (!(atomic_read_acquire(&fake_kernel.rendezvous.state) & bit))
		cpu_relax();
}

static void late_set(u32 bit)
{
	/* full barrier, pairs with late_wait() */
	atomic_fetch_or(bit, &fake_kernel.rendezvous.state);
}

static void late_here(void *arg)
{
	struct fake_rendezvous *r = &fake_kernel.rendezvous;
	struct late_call *call = arg;
	u64 since;

	if (raw_smp_processor_id() != r->late) {
		call->func(call->info);
		if (!(atomic_read(&r->state) & LATE_MAY_COME))
			r->ended = fake_clock();
		late_set(LATE_MAY_COME | FIRST_IS_BACK);
		return;
	}
	late_wait(LATE_MAY_COME);
	since = fake_clock() - r->begun;
	if (since < r->late_ns)
		fake_clock_advance(r->late_ns - since);
	r->on_arrival();
	call->func(call->info);
	late_set(LATE_IS_BACK);
}

/*
 * Only one of the two CPUs runs the driver's function at a time. Therefore the order of the
 * register accesses does not depend on the speed of the CPUs. The late CPU begins when the first
 * one has waited for the delay in fake_cpu_relax(), or has returned. The first CPU continues when
 * the late one has returned, or waits itself. The late CPU then continues when the first one has
 * returned.
 */
#undef on_each_cpu_mask
void fake_on_each_cpu_mask(const struct cpumask *mask, smp_call_func_t func, void *info,
			   bool wait)
{
	struct fake_rendezvous *r = &fake_kernel.rendezvous;
	struct late_call call = { .func = func, .info = info };

	if (!r->on || cpumask_weight(mask) != 2) {
		on_each_cpu_mask(mask, func, info, wait);
		return;
	}
	WARN_ON(!wait || !cpumask_test_cpu(r->late, mask));
	r->begun = fake_clock();
	r->ended = 0;
	atomic_set(&r->state, 0);
	r->on_call();
	on_each_cpu_mask(mask, late_here, &call, true);
}

/* One iteration of a loop that waits. With a late CPU, the iteration advances the clock. */
void fake_cpu_relax(void)
{
	struct fake_rendezvous *r = &fake_kernel.rendezvous;

	if (!r->on) {
		cpu_relax();
		return;
	}
	/* no PAUSE: it yields the host's CPU, and interrupts are off */
	if (raw_smp_processor_id() == r->late) {
		late_set(LATE_IS_BACK);
		late_wait(FIRST_IS_BACK);
		return;
	}
	fake_clock_advance(RELAX_NS);
	if (fake_clock() - r->begun >= r->late_ns) {
		late_set(LATE_MAY_COME);
		late_wait(LATE_IS_BACK);
	}
}

/* ---- irq_work ---- */

#undef irq_work_queue
bool fake_irq_work_queue(struct irq_work *work)
{
	if (work == fake_kernel.work)
		return false;
	if (!fake_kernel.hold_work)
		return irq_work_queue(work);
	fake_kernel.hold_work = false;
	fake_kernel.work = work;
	fake_kernel.work_cpu = raw_smp_processor_id();
	return true;
}

static void work_here(void *arg)
{
	struct irq_work *work = arg;

	if (fake_kernel.before_work)
		fake_kernel.before_work(fake_kernel.work_arg);
	work->func(work);
}

/** fake_work_deliver() - run the delayed irq_work, if there is one */
void fake_work_deliver(void)
{
	struct irq_work *work = fake_kernel.work;

	fake_kernel.work = NULL;
	if (work)
		smp_call_function_single(fake_kernel.work_cpu, work_here, work, 1);
}

#undef irq_work_sync
void fake_irq_work_sync(struct irq_work *work)
{
	if (work == fake_kernel.work)
		fake_work_deliver();
	irq_work_sync(work);
}

static u32 fake_apic_read(u32 reg)
{
	WARN_ON(reg != APIC_LVTPC);
	return fake_kernel.lvtpc[raw_smp_processor_id() % FAKE_CPUS];
}

static void fake_apic_write(u32 reg, u32 val)
{
	u32 cpu = raw_smp_processor_id() % FAKE_CPUS;

	WARN_ON(reg != APIC_LVTPC);
	fake_kernel.lvtpc[cpu] = val;
	fake_kernel.lvtpc_writes[cpu]++;
	if (fake_kernel.lvtpc_hook)
		fake_kernel.lvtpc_hook();
}

#undef apic
struct apic fake_apic = {
	.read = fake_apic_read,
	.write = fake_apic_write,
};

static unsigned char fake_nmi_reason(void)
{
	return fake_kernel.port61;
}

#undef x86_platform
struct x86_platform_ops fake_x86_platform = {
	.get_nmi_reason = fake_nmi_reason,
};

/* Count down to the registration that is to fail. */
static bool is_refused(void)
{
	return fake_kernel.refuse_in && !--fake_kernel.refuse_in;
}

int fake_register_nmi(unsigned int type, nmi_handler_t handler, unsigned long flags,
		      const char *name)
{
	WARN_ON(type != NMI_LOCAL && type != NMI_UNKNOWN);
	WARN_ON(flags != (type == NMI_LOCAL ? NMI_FLAG_FIRST : 0));
	if (is_refused())
		return -EINVAL;
	if (type == NMI_LOCAL)
		fake_kernel.nmi = handler;
	else
		fake_kernel.unknown_nmi = handler;
	return 0;
}

void fake_unregister_nmi(unsigned int type, const char *name)
{
	if (type == NMI_LOCAL)
		fake_kernel.nmi = NULL;
	else
		fake_kernel.unknown_nmi = NULL;
}

/**
 * fake_nmi() - raise an NMI on this CPU and call the handlers as the kernel does
 * @regs: interrupted context
 *
 * perf has no handler here.
 *
 * Return: the handlers' result, NMI_DONE if the NMI is unknown.
 */
int fake_nmi(struct pt_regs *regs)
{
	return fake_kernel.nmi(NMI_LOCAL, regs) ?: fake_kernel.unknown_nmi(NMI_UNKNOWN, regs);
}

void fake_cpuhp_remove(enum cpuhp_state state)
{
	fake_kernel.cpu_up = NULL;
	fake_kernel.cpu_down = NULL;
}

int fake_cpuhp_setup(enum cpuhp_state state, const char *name, int (*up)(unsigned int cpu),
		     int (*down)(unsigned int cpu))
{
	fake_kernel.cpu_up = up;
	fake_kernel.cpu_down = down;
	return 1;
}

struct perf_event *fake_perf_event_create(struct perf_event_attr *attr, int cpu,
					  struct task_struct *task,
					  perf_overflow_handler_t handler, void *context)
{
	struct perf_event *event = perf_event_create_kernel_counter(attr, cpu, task, handler,
								    context);

	fake_kernel.perf_events += !IS_ERR(event);
	return event;
}

int fake_perf_event_release(struct perf_event *event)
{
	fake_kernel.perf_events--;
	return perf_event_release_kernel(event);
}

int fake_register_module_notifier(struct notifier_block *nb)
{
	fake_kernel.module_notifier = nb;
	return 0;
}

int fake_unregister_module_notifier(struct notifier_block *nb)
{
	fake_kernel.module_notifier = NULL;
	return 0;
}

/* Register and unregister the notifiers of suspend, reboot and panic. */
int fake_notifier_register(struct notifier_block **place, struct notifier_block *nb)
{
	if (is_refused())
		return -EEXIST;
	*place = nb;
	return 0;
}

int fake_notifier_unregister(struct notifier_block **place, struct notifier_block *nb)
{
	WARN_ON(*place != nb);
	*place = NULL;
	return 0;
}

/* ---- MSRs ---- */

u64 *fake_msr(u32 msr)
{
	u32 i;

	for (i = 0; i < fake_kernel.nr_msrs; i++)
		if (fake_kernel.msr[i].msr == msr)
			return &fake_kernel.msr[i].val;
	return NULL;
}

void fake_msr_add(u32 msr, u64 val)
{
	if (WARN_ON(fake_kernel.nr_msrs == FAKE_MSRS))
		return;
	fake_kernel.msr[fake_kernel.nr_msrs].msr = msr;
	fake_kernel.msr[fake_kernel.nr_msrs++].val = val;
}

static u64 *msr_place(u32 msr)
{
	if (msr != MSR_IA32_DEBUGCTLMSR)
		return fake_msr(msr);
	if (fake_kernel.debugctl_faults)
		return NULL;
	return &fake_kernel.debugctl[raw_smp_processor_id() % FAKE_CPUS];
}

int fake_rdmsr(u32 msr, u64 *val)
{
	u64 *place = msr_place(msr);
	int ret = fake_core_read ? fake_core_read(msr, val) : -ENOENT;

	if (ret != -ENOENT)
		return ret;
	if (fake_msr_hook && fake_msr_hook(msr, val))
		return 0;
	*val = place ? *place : 0xbad;	/* a faulting read leaves no usable value */
	return place ? 0 : -EIO;
}

int fake_wrmsr(u32 msr, u64 val)
{
	u64 *place = msr_place(msr);
	int ret = fake_core_write ? fake_core_write(msr, val) : -ENOENT;

	if (ret != -ENOENT)
		return ret;
	if (!place)
		return -EIO;
	*place = val;
	return 0;
}

void fake_cpuid(u32 leaf, u32 *eax, u32 *ebx, u32 *ecx, u32 *edx)
{
	u32 cpu = raw_smp_processor_id() % FAKE_CPUS;
	const u32 *regs = leaf == 0xa ? fake_kernel.cpuid[cpu] : fake_kernel.cpuid_kind[cpu];

	WARN_ON(leaf != 0xa && leaf != 0x1a);
	*eax = regs[0];
	*ebx = regs[1];
	*ecx = regs[2];
	*edx = regs[3];
}

/* Return 1 if the register was free and is now reserved, 0 if it was reserved already. */
int fake_reserve(u64 *owned, u32 bit)
{
	if (*owned & BIT_ULL(bit))
		return 0;
	*owned |= BIT_ULL(bit);
	return 1;
}

/* ---- PCI ---- */

static void dword_log(char op, u32 reg, u64 val)
{
	if (fake_kernel.nr_dwords < ARRAY_SIZE(fake_kernel.dwords))
		fake_kernel.dwords[fake_kernel.nr_dwords++] =
			(struct fake_dword){ op, reg, val };
}

static u32 dword_read(struct fake_function *function, u32 reg)
{
	u32 val = function->config[reg / 4];

	/* a running counter's high dword changes between two reads */
	if (fake_kernel.nr_high_steps && reg >= 0xa0 && reg < 0xd8 && reg & 4) {
		val = *fake_kernel.high_steps;
		if (fake_kernel.nr_high_steps > 1) {
			fake_kernel.nr_high_steps--;
			fake_kernel.high_steps++;
		}
	}
	dword_log('R', reg, val);
	return val;
}

/*
 * Find the PCI function whose config space is mapped at an address. The mapping is its own
 * array.
 */
static struct fake_function *function_mapped(const void __iomem *addr, u32 *reg)
{
	unsigned long off = (__force unsigned long)addr -
			    (unsigned long)fake_kernel.functions;
	struct fake_function *function = &fake_kernel.functions[off / sizeof(*function)];

	*reg = (__force unsigned long)addr - (unsigned long)function->config;
	return function;
}

/*
 * Find the memory-mapped registers at a mapped address, or NULL if the address is config
 * space.
 */
static u8 *memory_mapped(const void __iomem *addr, u32 *reg)
{
	u8 *at = (__force u8 *)addr;
	struct fake_memory *m;

	for (m = fake_kernel.memory; m < fake_kernel.memory + fake_kernel.nr_memories; m++) {
		if (at < m->bytes || at >= m->bytes + m->size)
			continue;
		*reg = at - m->bytes;
		return at;
	}
	return NULL;
}

u64 fake_readq(const void __iomem *addr)
{
	u32 reg;
	u64 *at = (u64 *)memory_mapped(addr, &reg);

	if (WARN_ON(!at || reg % 8))
		return 0;
	if (fake_load_hook)
		fake_load_hook();
	dword_log('L', reg, *at);
	return *at;
}

void fake_writeq(u64 val, void __iomem *addr)
{
	u32 reg;
	u64 *at = (u64 *)memory_mapped(addr, &reg);

	if (WARN_ON(!at || reg % 8))
		return;
	dword_log('S', reg, val);
	*at = val;
}

u32 fake_readl(const void __iomem *addr)
{
	struct fake_function *function;
	u32 reg, *at = (u32 *)memory_mapped(addr, &reg);

	if (at) {
		dword_log('R', reg, *at);
		return *at;
	}
	function = function_mapped(addr, &reg);
	return dword_read(function, reg) ^ (fake_kernel.ecam_differs && reg == 0x3c);
}

void fake_writel(u32 val, void __iomem *addr)
{
	struct fake_function *function;
	u32 reg, *at = (u32 *)memory_mapped(addr, &reg);

	if (at) {
		dword_log('W', reg, val);
		*at = val;
		return;
	}
	function = function_mapped(addr, &reg);
	dword_log('W', reg, val);
	function->config[reg / 4] = val;
}

int fake_pci_read(struct pci_dev *pdev, int reg, u32 *val)
{
	struct fake_function *function = container_of(pdev, struct fake_function, pdev);

	if (pdev->error_state == pci_channel_io_perm_failure)
		return PCIBIOS_DEVICE_NOT_FOUND;
	if (reg % 4)
		return PCIBIOS_BAD_REGISTER_NUMBER;
	*val = dword_read(function, reg);
	return 0;
}

int fake_pci_write(struct pci_dev *pdev, int reg, u32 val)
{
	struct fake_function *function = container_of(pdev, struct fake_function, pdev);

	if (reg % 4)
		return PCIBIOS_BAD_REGISTER_NUMBER;
	dword_log('W', reg, val);
	function->config[reg / 4] = val;
	return 0;
}

int fake_pci_read_word(struct pci_dev *pdev, int reg, u16 *val)
{
	struct fake_function *function = container_of(pdev, struct fake_function, pdev);

	if (reg % 2)
		return PCIBIOS_BAD_REGISTER_NUMBER;
	*val = function->config[reg / 4] >> (reg % 4 * 8);
	return 0;
}

int fake_region_intersects(resource_size_t start, size_t size, unsigned long flags,
			   unsigned long desc)
{
	WARN_ON(!size || flags != IORESOURCE_SYSTEM_RAM || desc != IORES_DESC_NONE);
	return start < fake_kernel.ram_end && start + size > fake_kernel.ram_start ?
	       REGION_INTERSECTS : REGION_DISJOINT;
}

bool fake_e820_mapped_any(u64 start, u64 end, enum e820_type type)
{
	return type == fake_kernel.e820_type && start < fake_kernel.e820[1] &&
	       end > fake_kernel.e820[0];
}

static int walk_special(unsigned long desc, u64 start, u64 end, void *arg,
			int (*func)(struct resource *resource, void *arg))
{
	struct resource *special = &fake_kernel.special;

	if (!special->end || special->desc != desc || start > special->end ||
	    end < special->start)
		return -EINVAL;
	return func(special, arg);
}

int fake_walk_iomem(unsigned long desc, unsigned long flags, u64 start, u64 end, void *arg,
		    int (*func)(struct resource *resource, void *arg))
{
	if (desc != IORES_DESC_NONE && flags == IORESOURCE_MEM)
		return walk_special(desc, start, end, arg, func);
	WARN_ON(desc != IORES_DESC_NONE || flags != (IORESOURCE_MEM | IORESOURCE_BUSY));
	return fake_kernel.busy.end ? func(&fake_kernel.busy, arg) : -EINVAL;
}

int fake_bus_node(const struct pci_bus *bus)
{
	return fake_kernel.bus_node[bus - fake_kernel.buses] - 1;
}

/* Return true if the function has been looked up as often as it can be found. */
static bool function_is_gone(const struct fake_function *function)
{
	if (function != fake_kernel.vanishing)
		return false;
	return !fake_kernel.lookups || !fake_kernel.lookups--;
}

/* The fake PCI lookups find buses only under this lock. */
void fake_pci_rescan_lock(int by)
{
	fake_kernel.rescan_locked += by;
}

struct pci_bus *fake_pci_find_bus(int domain, int nr)
{
	u32 i;

	for (i = 0; i < FAKE_BUSES; i++)
		if (!domain && fake_kernel.rescan_locked == 1 && fake_kernel.buses[i].number == nr)
			return &fake_kernel.buses[i];
	return NULL;
}

struct pci_dev *fake_pci_get_slot(struct pci_bus *bus, u32 devfn)
{
	struct fake_function *function = fake_kernel.functions;

	for (; function < fake_kernel.functions + fake_kernel.nr_functions; function++)
		if (function->pdev.bus == bus && function->pdev.devfn == devfn)
			return function_is_gone(function) ? NULL :
							    fake_pci_dev_get(&function->pdev);
	return NULL;
}

/**
 * fake_memory_add() - add memory-mapped registers, all zero
 * @test: owner of the memory
 * @start: physical address
 * @size: size (bytes)
 *
 * Return: the registers.
 */
u8 *fake_memory_add(struct kunit *test, phys_addr_t start, u32 size)
{
	struct fake_memory *m = &fake_kernel.memory[fake_kernel.nr_memories];

	KUNIT_ASSERT_LT(test, fake_kernel.nr_memories, (u32)FAKE_MEMORIES);
	m->bytes = kunit_kzalloc(test, size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->bytes);
	m->start = start;
	m->size = size;
	fake_kernel.nr_memories++;
	return m->bytes;
}

/* A mapping must lie completely within the fake registers. */
void __iomem *fake_ioremap(phys_addr_t addr, size_t size)
{
	struct fake_function *function = fake_kernel.functions;
	phys_addr_t bus, devfn;
	struct fake_memory *m;

	for (m = fake_kernel.memory; m < fake_kernel.memory + fake_kernel.nr_memories; m++) {
		if (addr < m->start || addr + size > m->start + m->size)
			continue;
		fake_kernel.mapped++;
		return (void __iomem *)(m->bytes + (addr - m->start));
	}
	for (; function < fake_kernel.functions + fake_kernel.nr_functions; function++) {
		bus = function->pdev.bus->number;
		devfn = function->pdev.devfn;
		if (addr != fake_kernel.ecam_base + (bus << 20) + (devfn << 12))
			continue;
		fake_kernel.mapped++;
		return (void __iomem *)function->config;
	}
	return NULL;
}

void fake_iounmap(void __iomem *addr)
{
	fake_kernel.mapped--;
}

acpi_status fake_acpi_get_table(const char *signature, u32 instance,
				struct acpi_table_header **table)
{
	*table = fake_kernel.mcfg;
	return *table ? AE_OK : AE_NOT_FOUND;
}

void fake_acpi_put_table(struct acpi_table_header *table)
{
}

struct pci_dev *fake_pci_dev_get(struct pci_dev *pdev)
{
	if (pdev)
		container_of(pdev, struct fake_function, pdev)->refs++;
	return pdev;
}

void fake_pci_info(const struct pci_dev *pdev, const char *fmt, ...)
{
	fake_kernel.log_lines++;
}

void fake_pci_dev_put(struct pci_dev *pdev)
{
	if (pdev)
		container_of(pdev, struct fake_function, pdev)->refs--;
}

/* Like the kernel's function, drop the reference to @from. */
struct pci_dev *fake_pci_get_device(u32 vendor, u32 device, struct pci_dev *from)
{
	struct fake_function *end = fake_kernel.functions + fake_kernel.nr_functions;
	struct fake_function *function = fake_kernel.functions;

	if (from) {
		function = container_of(from, struct fake_function, pdev) + 1;
		fake_pci_dev_put(from);
	}
	for (; function < end; function++)
		if ((vendor == (u32)PCI_ANY_ID || function->pdev.vendor == vendor) &&
		    (device == (u32)PCI_ANY_ID || function->pdev.device == device))
			return fake_pci_dev_get(&function->pdev);
	return NULL;
}

/* There is one root bus, in segment 0. */
struct pci_bus *fake_pci_find_next_bus(const struct pci_bus *from)
{
	if (from || !fake_kernel.nr_functions || fake_kernel.rescan_locked != 1)
		return NULL;
	return fake_kernel.buses;
}

void *fake_driver_find(const char *name, const void *bus)
{
	return fake_kernel.intree ? &fake_kernel : NULL;
}

/**
 * fake_param() - find a module parameter of the driver, for tests to set
 * @name: name of the parameter
 *
 * Return: its variable, NULL if there is no such parameter.
 */
void *fake_param(const char *name)
{
	const struct module *mod = THIS_MODULE;
	u32 i;

	for (i = 0; i < mod->num_kp; i++)
		if (!strcmp(mod->kp[i].name, name))
			return mod->kp[i].arg;
	return NULL;
}

static struct kobject intree_kobj;

struct kobject *fake_kset_find_obj(struct kset *kset, const char *name)
{
	bool module = fake_kernel.intree_module && !strcmp(name, "intel_uncore") &&
		      kset == THIS_MODULE->mkobj.kobj.kset;
	bool pmu = fake_kernel.intree_pmus && !strcmp(name, "uncore_imc_0") &&
		   kset == platform_bus.kobj.kset;

	return module || pmu ? &intree_kobj : NULL;
}

void fake_kobject_put(struct kobject *kobj)
{
	WARN_ON(kobj && kobj != &intree_kobj);
}

static struct pci_sysdata segment;

/**
 * fake_pci_init() - set up a segment with FAKE_BUSES buses: 3f, 7f, bf
 * @test: owner of the memory
 */
void fake_pci_init(struct kunit *test)
{
	u32 i;

	fake_kernel.functions = kunit_kcalloc(test, FAKE_FUNCTIONS,
					      sizeof(*fake_kernel.functions), GFP_KERNEL);
	fake_kernel.buses = kunit_kcalloc(test, FAKE_BUSES, sizeof(*fake_kernel.buses),
					  GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fake_kernel.functions);
	KUNIT_ASSERT_NOT_NULL(test, fake_kernel.buses);
	for (i = 0; i < FAKE_BUSES; i++) {
		fake_kernel.buses[i].number = 0x3f + 0x40 * i;
		fake_kernel.buses[i].sysdata = &segment;
	}
}

/**
 * fake_pci_add() - add a function whose config space is zero except for its id
 * @device: device id
 * @bus: index of its bus
 * @slot: device number
 * @func: function number
 *
 * Return: the function.
 */
struct fake_function *fake_pci_add(u32 device, u32 bus, u32 slot, u32 func)
{
	struct fake_function *function = &fake_kernel.functions[fake_kernel.nr_functions++];

	function->pdev.vendor = PCI_VENDOR_ID_INTEL;
	function->pdev.device = device;
	function->pdev.bus = &fake_kernel.buses[bus];
	function->pdev.devfn = PCI_DEVFN(slot, func);
	function->pdev.cfg_size = sizeof(function->config);
	function->config[0] = device << 16 | PCI_VENDOR_ID_INTEL;
	return function;
}

void fake_kernel_reset(void)
{
	u32 cpu;

	memset(&fake_kernel, 0, sizeof(fake_kernel));
	memset(&fake_boot_cpu, 0, sizeof(fake_boot_cpu));
	fake_msr_hook = NULL;
	fake_load_hook = NULL;
	/*
	 * advance the clock, which never goes back, so that earlier tests' CPU time is
	 * refunded
	 */
	fake_clock_advance(1000 * NSEC_PER_SEC);
	fake_kernel.nr_dies = 1;
	fake_kernel.nr_cores = 3;
	for (cpu = 0; cpu < FAKE_CPUS; cpu++) {
		fake_kernel.core_id[cpu] = cpu;
		fake_kernel.lvtpc[cpu] = APIC_LVT_MASKED | APIC_DM_NMI;
	}
	cpus_reset();
}

MODULE_DESCRIPTION("KUnit suites of ucore");
MODULE_LICENSE("GPL");
