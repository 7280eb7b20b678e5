// SPDX-License-Identifier: GPL-2.0-only
/* Fake core PMUs. The counters do not count: tests set their values. */
#include "fake_core.h"

/* MSR numbers from the SDM */
#define PMC0		0x0c1
#define EVTSEL0		0x186
#define FIXED0		0x309
#define CAPABILITIES	0x345
#define FIXED_CTL	0x38d
#define STATUS		0x38e
#define GLOBAL_CTL_	0x38f
#define OVF_CTL		0x390
#define A_PMC0		0x4c1

static struct fake_core *machine;

static u32 gp_of(const struct fake_core_cpu *cpu)
{
	return machine->nr_gp - cpu->lacks_gp;
}

static u32 fixed_of(const struct fake_core_cpu *cpu)
{
	return machine->nr_fixed - cpu->lacks_fixed;
}

static u64 counter_mask(void)
{
	return GENMASK_ULL(machine->width - 1, 0);
}

static u64 counter_bits(const struct fake_core_cpu *cpu)
{
	return GENMASK_ULL(gp_of(cpu) - 1, 0) |
	       (fixed_of(cpu) ? GENMASK_ULL(31 + fixed_of(cpu), 32) : 0);
}

/* Find a register and the bits that may be written. NULL if the register does not exist. */
static u64 *reg_find(struct fake_core_cpu *cpu, u32 msr, u64 *legal)
{
	*legal = ~0ULL;
	if (msr >= EVTSEL0 && msr < EVTSEL0 + gp_of(cpu)) {
		*legal = machine->version >= 3 ? 0xffffffff : 0xffdfffff;
		return &cpu->ctl[msr - EVTSEL0];
	}
	if (msr >= PMC0 && msr < PMC0 + gp_of(cpu))
		return &cpu->ctr[msr - PMC0];
	*legal = counter_mask();
	if (machine->full && msr >= A_PMC0 && msr < A_PMC0 + gp_of(cpu))
		return &cpu->ctr[msr - A_PMC0];
	if (machine->version < 2)
		return NULL;
	if (msr >= FIXED0 && msr < FIXED0 + fixed_of(cpu))
		return &cpu->fixed[msr - FIXED0];
	*legal = BIT_ULL(4 * fixed_of(cpu)) - 1;
	if (msr == FIXED_CTL && fixed_of(cpu))
		return &cpu->fixed_ctl;
	*legal = counter_bits(cpu);
	if (msr == GLOBAL_CTL_)
		return &cpu->global;
	*legal |= BIT_ULL(62) | BIT_ULL(63);
	if (machine->version >= 4)
		*legal |= BIT_ULL(59);
	if (msr == OVF_CTL)
		return &cpu->status;
	*legal = 0;
	return msr == STATUS ? &cpu->status : NULL;
}

static bool is_core_msr(u32 msr)
{
	return (msr >= PMC0 && msr < PMC0 + 8) || (msr >= EVTSEL0 && msr < EVTSEL0 + 8) ||
	       (msr >= FIXED0 && msr < FIXED0 + 4) || (msr >= A_PMC0 && msr < A_PMC0 + 8) ||
	       (msr >= FIXED_CTL && msr <= OVF_CTL);
}

static void access_log(char op, u32 msr, u64 val)
{
	if (machine->nr < FAKE_CORE_LOG)
		machine->log[machine->nr] = (struct fake_core_access){
			raw_smp_processor_id(), op, msr, val,
		};
	machine->nr++;
}

static int core_read(u32 msr, u64 *val)
{
	unsigned long flags;
	u64 *reg, legal;

	if (!is_core_msr(msr))
		return -ENOENT;
	raw_spin_lock_irqsave(&machine->lock, flags);
	reg = reg_find(&machine->cpu[raw_smp_processor_id() % FAKE_CPUS], msr, &legal);
	*val = reg ? *reg : 0xbad;
	machine->faults += !reg;
	access_log('R', msr, *val);
	raw_spin_unlock_irqrestore(&machine->lock, flags);
	return reg ? 0 : -EIO;
}

static int core_write(u32 msr, u64 val)
{
	unsigned long flags;
	u64 *reg, legal;

	if (!is_core_msr(msr))
		return -ENOENT;
	raw_spin_lock_irqsave(&machine->lock, flags);
	reg = reg_find(&machine->cpu[raw_smp_processor_id() % FAKE_CPUS], msr, &legal);
	access_log('W', msr, val);
	if (!reg || val & ~legal) {
		machine->faults++;
		reg = NULL;
	} else if (msr == OVF_CTL) {
		*reg &= ~val;
	} else if (msr >= PMC0 && msr < PMC0 + 8) {
		*reg = (u64)(s64)(s32)val & counter_mask();
	} else {
		*reg = val;
	}
	raw_spin_unlock_irqrestore(&machine->lock, flags);
	return reg ? 0 : -EIO;
}

/**
 * fake_core_init() - set up a machine with core PMUs and without uncore boxes
 * @test: owner of the memory
 * @eax: EAX of CPUID.0AH
 * @ebx: EBX of CPUID.0AH
 * @edx: EDX of CPUID.0AH
 * @full: IA32_PERF_CAPABILITIES reports full-width writes
 *
 * The machine has the registers that CPUID reports. The caller builds the catalog.
 *
 * Return: 0 (the test is skipped without a second CPU).
 */
int fake_core_init(struct kunit *test, u32 eax, u32 ebx, u32 edx, bool full)
{
	u32 cpu;

	fake_kernel_reset();
	fake_cpus_need_two(test);
	machine = kunit_kzalloc(test, sizeof(*machine), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, machine);
	test->priv = machine;
	raw_spin_lock_init(&machine->lock);
	init_waitqueue_head(&machine->machine.sink.wait);
	machine->version = eax & 0xff;
	machine->nr_gp = eax >> 8 & 0xff;
	machine->width = eax >> 16 & 0xff;
	machine->nr_fixed = machine->version >= 2 ? edx & 0x1f : 0;
	machine->full = full;
	for (cpu = 0; cpu < FAKE_CPUS; cpu++) {
		const u32 leaf[] = { eax, ebx, 0, edx };

		/* value that perf leaves */
		machine->cpu[cpu].global = counter_bits(&machine->cpu[cpu]);
		memcpy(fake_kernel.cpuid[cpu], leaf, sizeof(leaf));
	}

	fake_pci_init(test);
	fake_boot_cpu.x86_vendor = X86_VENDOR_INTEL;
	fake_boot_cpu.x86 = 6;
	fake_boot_cpu.x86_model = 250;	/* a model whose uncore the driver does not support */
	fake_boot_cpu.cpuid_level = 0xa;
	set_cpu_cap(&fake_boot_cpu, X86_FEATURE_ARCH_PERFMON);
	if (full) {
		set_cpu_cap(&fake_boot_cpu, X86_FEATURE_PDCM);
		fake_msr_add(CAPABILITIES, BIT(13));
	}
	fake_core_read = core_read;
	fake_core_write = core_write;
	return 0;
}

/**
 * fake_core_hybrid() - make the machine a hybrid processor
 * @test: test whose machine fake_core_init() has set up
 *
 * CPU 1 becomes an efficient core, with two general counters and one fixed counter less than the
 * others, which become performance cores.
 */
void fake_core_hybrid(struct kunit *test)
{
	struct fake_core_cpu *atom = &machine->cpu[1];
	u32 cpu;

	set_cpu_cap(&fake_boot_cpu, X86_FEATURE_HYBRID_CPU);
	fake_boot_cpu.cpuid_level = 0x1a;
	for (cpu = 0; cpu < FAKE_CPUS; cpu++)
		fake_kernel.cpuid_kind[cpu][0] = 0x40000001;
	fake_kernel.cpuid_kind[1][0] = 0x20000001;
	fake_kernel.cpuid[1][0] -= 2 << 8;
	fake_kernel.cpuid[1][3] -= 1;
	atom->lacks_gp = 2;
	atom->lacks_fixed = 1;
	atom->global = counter_bits(atom);
}

void fake_core_exit(struct kunit *test)
{
	struct fake_core *m = fake_core(test);
	u32 i;

	if (!m)
		return;
	for (i = 0; i < FAKE_SESSIONS; i++)
		if (m->machine.session[i])
			fake_session_close(test, m->machine.session[i]);
	if (fake_kernel.cpu_up)
		ucore_readers_exit();
	if (fake_kernel.nmi)
		ucore_nmi_unregister();
	ucore_catalog_destroy();
	ucore_catalog.platform = NULL;
	ucore_catalog.absent = 0;
	KUNIT_EXPECT_EQ(test, fake_kernel.selects, 0ULL);
	KUNIT_EXPECT_EQ(test, fake_kernel.counters, 0ULL);
	KUNIT_EXPECT_FALSE(test, fake_kernel.timer_misuse);
	KUNIT_EXPECT_FALSE(test, fake_kernel.printed_in_irq);
	fake_core_read = NULL;
	fake_core_write = NULL;
}

/* Return the core box of a CPU. */
struct ucore_box *fake_core_box(struct kunit *test, u32 cpu)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_boxes; i++)
		if (ucore_catalog.boxes[i].domain->cpu == cpu)
			return &ucore_catalog.boxes[i];
	KUNIT_ASSERT_TRUE(test, false);
	return NULL;
}

static void nmi_here(void *arg)
{
	struct pt_regs regs = { .cs = __KERNEL_CS };

	*(int *)arg = fake_nmi(&regs);
}

/* Raise an NMI on a CPU and wait until the irq_work that it queued has run. */
int fake_core_nmi(u32 cpu)
{
	int handled = -1;
	u32 i;

	smp_call_function_single(cpu, nmi_here, &handled, 1);
	for (i = 0; i < ucore_catalog.nr_domains; i++)
		irq_work_sync(&ucore_catalog.domains[i].pmi.work);
	return handled;
}

static bool access_same(const struct fake_core_access *a, const struct fake_core_access *b)
{
	return a->cpu == b->cpu && a->op == b->op && a->msr == b->msr &&
	       (a->op == 'R' || a->val == b->val);
}

void fake_core_expect(struct kunit *test, const struct fake_core_access *want, u32 nr)
{
	struct fake_core *m = fake_core(test);
	u32 i, made = min_t(u32, m->nr, FAKE_CORE_LOG);

	for (i = 0; i < min(nr, made); i++)
		if (!access_same(&want[i], &m->log[i]))
			break;
	if (i < nr || i < made) {
		KUNIT_FAIL(test, "accesses differ at %u of %u (%u made)", i, nr, made);
		for (; i < nr; i++)
			kunit_info(test, "want %u: %u %c %#x = %#llx\n", i, want[i].cpu,
				   want[i].op, want[i].msr, want[i].val);
		for (i = 0; i < made; i++)
			kunit_info(test, "made %u: %u %c %#x = %#llx\n", i, m->log[i].cpu,
				   m->log[i].op, m->log[i].msr, m->log[i].val);
	}
	m->nr = 0;
}
