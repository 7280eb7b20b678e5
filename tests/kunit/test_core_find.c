// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of finding core PMUs: how CPUID.0AH is decoded, and which boxes are added. */
#include "abi/get_answers.h"
#include "fake_core.h"
#include "find/core_cpuid.h"
#include "event/event.h"

/* ---- decoding CPUID.0AH ---- */

struct decode {
	const char *what;
	struct ucore_core_cpuid cpuid;
	u32 state;
	struct ucore_core_pmu pmu;
};

#define ALL7	0x7f

static const struct decode decodes[] = {
	{ "no monitors", { }, UCORE_CORE_NONE, { } },
	{ "version 1: EDX has no meaning",
	  { .eax = EAX(1, 2, 40, 7), .edx = EDX(3, 40) }, UCORE_CORE_READY,
	  { .version = 1, .nr_gp = 2, .width = 40, .events = ALL7 } },
	{ "early version 2: reports none of its three fixed counters",
	  { .eax = EAX(2, 2, 40, 7) }, UCORE_CORE_READY,
	  { .version = 2, .nr_gp = 2, .width = 40, .nr_fixed = 3, .fixed_width = 40,
	    .events = ALL7 } },
	{ "version 2 of a hypervisor: no fixed counters",
	  { .eax = EAX(2, 4, 48, 7), .hypervisor = true }, UCORE_CORE_READY,
	  { .version = 2, .nr_gp = 4, .width = 48, .events = ALL7 } },
	{ "version 3: any",
	  { .eax = EAX(3, 4, 48, 7), .edx = EDX(3, 48) }, UCORE_CORE_READY,
	  { .version = 3, .nr_gp = 4, .width = 48, .nr_fixed = 3, .fixed_width = 48,
	    .events = ALL7, .any = true } },
	{ "version 2: no any; full-width writes by IA32_PERF_CAPABILITIES",
	  { .eax = EAX(2, 4, 48, 7), .edx = EDX(3, 48), .capabilities = 0x2000 },
	  UCORE_CORE_READY,
	  { .version = 2, .nr_gp = 4, .width = 48, .nr_fixed = 3, .fixed_width = 48,
	    .events = ALL7, .full_width = true } },
	{ "other capabilities are ignored",
	  { .eax = EAX(4, 4, 48, 7), .edx = EDX(3, 48), .capabilities = ~0x2000ULL },
	  UCORE_CORE_READY,
	  { .version = 4, .nr_gp = 4, .width = 48, .nr_fixed = 3, .fixed_width = 48,
	    .events = ALL7, .any = true } },
	{ "EBX: missing events",
	  { .eax = EAX(3, 4, 48, 7), .ebx = 0x44, .edx = EDX(3, 48) }, UCORE_CORE_READY,
	  { .version = 3, .nr_gp = 4, .width = 48, .nr_fixed = 3, .fixed_width = 48,
	    .events = 0x3b, .any = true } },
	{ "EAX[31:24]: length of EBX",
	  { .eax = EAX(3, 4, 48, 3), .edx = EDX(3, 48) }, UCORE_CORE_READY,
	  { .version = 3, .nr_gp = 4, .width = 48, .nr_fixed = 3, .fixed_width = 48,
	    .events = 0x07, .any = true } },
	{ "EAX[31:24] is 0: no event",
	  { .eax = EAX(3, 4, 48, 0), .edx = EDX(3, 48) }, UCORE_CORE_READY,
	  { .version = 3, .nr_gp = 4, .width = 48, .nr_fixed = 3, .fixed_width = 48,
	    .any = true } },
	{ "more events than are known, more counters than there can be",
	  { .eax = EAX(4, 200, 48, 255U), .edx = EDX(31, 48) }, UCORE_CORE_READY,
	  { .version = 4, .nr_gp = 8, .width = 48, .nr_fixed = 4, .fixed_width = 48,
	    .events = ALL7, .any = true } },
	{ "version 5: any is deprecated, a fourth fixed counter by number",
	  { .eax = EAX(5, 8, 48, 8), .edx = EDX(4, 48) | 0x8000 }, UCORE_CORE_READY,
	  { .version = 5, .nr_gp = 8, .width = 48, .nr_fixed = 4, .fixed_width = 48,
	    .events = ALL7 } },
	{ "version 5: fixed counters by ECX",
	  { .eax = EAX(5, 8, 48, 7), .ecx = 0x7, .edx = EDX(0, 48) | 0x8000 },
	  UCORE_CORE_READY,
	  { .version = 5, .nr_gp = 8, .width = 48, .nr_fixed = 3, .fixed_width = 48,
	    .events = ALL7 } },
	{ "version 5: no fixed counter behind a gap",
	  { .eax = EAX(5, 8, 48, 7), .ecx = 0xfffffffb, .edx = EDX(1, 48) }, UCORE_CORE_READY,
	  { .version = 5, .nr_gp = 8, .width = 48, .nr_fixed = 2, .fixed_width = 48,
	    .events = ALL7, .any = true } },
	{ "version 5: all ones",
	  { .eax = EAX(5, 8, 48, 7), .ecx = ~0U, .edx = ~0U }, UCORE_CORE_READY,
	  { .version = 5, .nr_gp = 8, .width = 48, .nr_fixed = 4, .fixed_width = 48,
	    .events = ALL7 } },
	{ "no general counter",
	  { .eax = EAX(3, 0, 48, 7), .edx = EDX(3, 48) }, UCORE_CORE_BAD_CPUID,
	  { .version = 3, .width = 48, .nr_fixed = 3, .fixed_width = 48, .events = ALL7,
	    .any = true } },
	{ "counters of no width",
	  { .eax = EAX(3, 4, 0, 7), .edx = EDX(3, 48) }, UCORE_CORE_BAD_CPUID,
	  { .version = 3, .nr_gp = 4, .nr_fixed = 3, .fixed_width = 48, .events = ALL7,
	    .any = true } },
	{ "counters of 65 bits",
	  { .eax = EAX(3, 4, 65, 7), .edx = EDX(3, 48) }, UCORE_CORE_BAD_CPUID,
	  { .version = 3, .nr_gp = 4, .width = 65, .nr_fixed = 3, .fixed_width = 48,
	    .events = ALL7, .any = true } },
	{ "performance core of a hybrid processor",
	  { .eax = EAX(5, 8, 48, 7), .edx = EDX(4, 48) | 0x8000, .hybrid = true,
	    .cpu_type = 0x40 }, UCORE_CORE_READY,
	  { .version = 5, .nr_gp = 8, .width = 48, .nr_fixed = 4, .fixed_width = 48,
	    .events = ALL7 } },
	{ "efficient core of a hybrid processor",
	  { .eax = EAX(5, 6, 48, 7), .edx = EDX(3, 48) | 0x8000, .hybrid = true,
	    .cpu_type = 0x20 }, UCORE_CORE_READY,
	  { .version = 5, .nr_gp = 6, .width = 48, .nr_fixed = 3, .fixed_width = 48,
	    .events = ALL7 } },
	{ "unknown core of a hybrid processor",
	  { .eax = EAX(5, 8, 48, 7), .edx = EDX(4, 48) | 0x8000, .hybrid = true,
	    .cpu_type = 0x30 }, UCORE_CORE_UNKNOWN,
	  { .version = 5, .nr_gp = 8, .width = 48, .nr_fixed = 4, .fixed_width = 48,
	    .events = ALL7 } },
	{ "the type of a CPU is valid on hybrid processors only",
	  { .eax = EAX(5, 8, 48, 7), .edx = EDX(4, 48) | 0x8000, .cpu_type = 0x30 },
	  UCORE_CORE_READY,
	  { .version = 5, .nr_gp = 8, .width = 48, .nr_fixed = 4, .fixed_width = 48,
	    .events = ALL7 } },
	{ "version 6",
	  { .eax = EAX(6, 8, 48, 7), .edx = EDX(4, 48) | 0x8000 }, UCORE_CORE_VERSION,
	  { .version = 6, .nr_gp = 8, .width = 48, .nr_fixed = 4, .fixed_width = 48,
	    .events = ALL7 } },
};

static void decode_case(const struct decode *d, char *name)
{
	strscpy(name, d->what, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(decode, decodes, decode_case);

static void cpuid_leaf_is_decoded(struct kunit *test)
{
	const struct decode *d = test->param_value;
	struct ucore_core_pmu pmu;

	memset(&pmu, 0xa5, sizeof(pmu));
	KUNIT_EXPECT_EQ(test, ucore_core_decode(&d->cpuid, &pmu), d->state);
	KUNIT_EXPECT_EQ(test, pmu.version, d->pmu.version);
	KUNIT_EXPECT_EQ(test, pmu.nr_gp, d->pmu.nr_gp);
	KUNIT_EXPECT_EQ(test, pmu.width, d->pmu.width);
	KUNIT_EXPECT_EQ(test, pmu.nr_fixed, d->pmu.nr_fixed);
	KUNIT_EXPECT_EQ(test, pmu.fixed_width, d->pmu.fixed_width);
	KUNIT_EXPECT_EQ(test, pmu.events, d->pmu.events);
	KUNIT_EXPECT_EQ(test, pmu.full_width, d->pmu.full_width);
	KUNIT_EXPECT_EQ(test, pmu.any, d->pmu.any);
}

/* ---- boxes ---- */

static bool has_field(const struct ucore_box *box, u32 field)
{
	u32 i;

	for (i = 0; i < box->desc.type->nr_fields; i++)
		if (box->desc.type->fields[i].field == field)
			return ucore_field_present(box, &box->desc.type->fields[i]);
	return false;
}

/* Return the answer of GET_CORE for a kind of cores; size 0 for an error. */
static const struct ucore_get_core *kind_info(u32 kind)
{
	static struct ucore_get_core info;	/* too large for the stack of many calls */
	int ret;

	info = (struct ucore_get_core){ .size = sizeof(info), .kind = kind };
	ret = ucore_describe_core(&info);
	WARN_ON(ret && ret != -ENOENT);
	if (ret)
		info.size = 0;
	return &info;
}

static struct ucore_get_core core_info(void)
{
	return *kind_info(0);
}

/* Each CPU has a box, in a domain with the scope CPU, on a machine whose uncore is unknown. */
static void each_cpu_has_a_core_box(struct kunit *test)
{
	struct ucore_get_core info;
	u32 i, cpu = 0;

	if (fake_core_init(test, EAX(3, 4, 48, 7), 0x10, EDX(3, 48), true))
		return;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, num_online_cpus());
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_domains, num_online_cpus());
	for (i = 0; i < ucore_catalog.nr_boxes; i++) {
		const struct ucore_box *box = &ucore_catalog.boxes[i];

		KUNIT_EXPECT_STREQ(test, box->desc.type->name, "core");
		KUNIT_EXPECT_EQ(test, box->domain->scope, (u32)UCORE_SCOPE_CPU);
		KUNIT_EXPECT_TRUE(test, cpu_online(box->domain->cpu));
		KUNIT_EXPECT_GE(test, (u32)box->domain->cpu, cpu);
		cpu = box->domain->cpu + 1;
		KUNIT_EXPECT_EQ(test, box->desc.instance, 0U);
		KUNIT_EXPECT_EQ(test, box->desc.type->nr_gp, 4);
		KUNIT_EXPECT_EQ(test, box->desc.type->nr_fixed, 3);
		KUNIT_EXPECT_EQ(test, box->caps,
				(u32)(UCORE_BOX_F_OVERFLOW | UCORE_BOX_F_FIXED_OVERFLOW));
		KUNIT_EXPECT_TRUE(test, has_field(box, UCORE_FIELD_ANY));
	}
	KUNIT_EXPECT_EQ(test, ucore_catalog.caps, (u32)UCORE_CAP_CORE);
	KUNIT_EXPECT_NULL(test, ucore_catalog.platform);
	KUNIT_EXPECT_EQ(test, ucore_describe_state(), (u32)UCORE_STATE_READY);
	KUNIT_EXPECT_NOT_NULL(test, strstr(ucore_describe_reason(UCORE_STATE_READY), "no table"));
	info = core_info();
	KUNIT_EXPECT_EQ(test, info.state, (u32)UCORE_CORE_READY);
	KUNIT_EXPECT_STREQ(test, info.reason, "");
	KUNIT_EXPECT_EQ(test, info.events, 0x6fU);
	KUNIT_EXPECT_EQ(test, info.eax, EAX(3, 4, 48, 7));
	KUNIT_EXPECT_EQ(test, info.caps, (u32)(UCORE_CORE_CAP_GLOBAL | UCORE_CORE_CAP_FULL_WIDTH |
					       UCORE_CORE_CAP_ANY));
	KUNIT_EXPECT_EQ(test, fake_core(test)->faults, 0U);
}

/* Core boxes are added to those of a known uncore, whose domains come first. */
static void core_boxes_follow_uncore_domains(struct kunit *test)
{
	if (fake_core_init(test, EAX(2, 2, 40, 7), 0, EDX(3, 40), false))
		return;
	fake_boot_cpu.x86_model = 62;
	fake_msr_add(0xc24, 0);		/* the PCU's box control */
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_domains, 1 + num_online_cpus());
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].scope, (u32)UCORE_SCOPE_DIE);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[1].scope, (u32)UCORE_SCOPE_CPU);
	KUNIT_EXPECT_STREQ(test, ucore_catalog.platform->name, "ivbep");
	KUNIT_EXPECT_TRUE(test, ucore_catalog.caps & UCORE_CAP_CORE);
	KUNIT_EXPECT_TRUE(test, ucore_catalog.caps & UCORE_CAP_OVERFLOW_PMI);
	KUNIT_EXPECT_FALSE(test, has_field(fake_core_box(test, 0), UCORE_FIELD_ANY));
}

static void version_1_counters_interrupt_without_global_control(struct kunit *test)
{
	if (fake_core_init(test, EAX(1, 2, 40, 7), 0, 0, false))
		return;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, fake_core_box(test, 0)->caps, (u32)UCORE_BOX_F_OVERFLOW);
	KUNIT_EXPECT_EQ(test, core_info().caps, 0U);
	KUNIT_EXPECT_EQ(test, fake_core(test)->faults, 0U);
}

static int (*registers_read)(u32 msr, u64 *val);

static int read_without_capabilities(u32 msr, u64 *val)
{
	if (msr != 0x345)
		return registers_read(msr, val);
	*val = ~0ULL;
	return -EIO;
}

/* CPUID reports IA32_PERF_CAPABILITIES, but the MSR faults: its value is not used. */
static void faulting_capabilities_msr_is_ignored(struct kunit *test)
{
	if (fake_core_init(test, EAX(3, 4, 48, 7), 0, EDX(3, 48), false))
		return;
	set_cpu_cap(&fake_boot_cpu, X86_FEATURE_PDCM);
	registers_read = fake_core_read;
	fake_core_read = read_without_capabilities;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, core_info().state, (u32)UCORE_CORE_READY);
	KUNIT_EXPECT_EQ(test, core_info().caps, (u32)(UCORE_CORE_CAP_GLOBAL | UCORE_CORE_CAP_ANY));
}

static void expect_no_boxes(struct kunit *test, u32 state, const char *why)
{
	struct ucore_get_core info;

	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, 0U);
	KUNIT_EXPECT_EQ(test, ucore_catalog.caps, 0U);
	KUNIT_EXPECT_EQ(test, ucore_describe_state(), (u32)UCORE_STATE_UNKNOWN);
	info = core_info();
	KUNIT_EXPECT_EQ(test, info.state, state);
	KUNIT_EXPECT_NOT_NULL(test, strstr(info.reason, why));
}

static void missing_cpuid_leaf_gives_no_boxes(struct kunit *test)
{
	if (fake_core_init(test, EAX(3, 4, 48, 7), 0, EDX(3, 48), false))
		return;
	fake_boot_cpu.cpuid_level = 9;
	expect_no_boxes(test, UCORE_CORE_NONE, "CPUID.0AH");
}

/* No register is accessed. */
static void core_pmu_off_gives_no_boxes(struct kunit *test)
{
	bool *core_pmu = fake_param("core_pmu");

	KUNIT_ASSERT_NOT_NULL(test, core_pmu);
	if (fake_core_init(test, EAX(3, 4, 48, 7), 0, EDX(3, 48), true))
		return;
	*core_pmu = false;
	expect_no_boxes(test, UCORE_CORE_DISABLED, "core_pmu=0");
	*core_pmu = true;
	CORE_EXPECT_NONE(test);
}

static void version_above_5_gives_no_boxes(struct kunit *test)
{
	if (fake_core_init(test, EAX(6, 8, 48, 7), 0, EDX(4, 48), true))
		return;
	expect_no_boxes(test, UCORE_CORE_VERSION, "versions above 5");
	CORE_EXPECT_NONE(test);
}

/* CPUID reports more of something than the machine has. */
static void missing_registers_give_no_boxes(struct kunit *test)
{
	struct fake_core *m;
	u32 i;

	for (i = 0; i < 4; i++) {
		if (fake_core_init(test, EAX(3, 4, 48, 7), 0, EDX(3, 48), true))
			return;
		m = fake_core(test);
		if (i == 0)
			m->nr_gp = 3;
		else if (i == 1)
			m->nr_fixed = 2;
		else if (i == 2)
			m->full = false;
		else
			m->version = 1;
		expect_no_boxes(test, UCORE_CORE_BAD_CPUID, "do not respond");
		ucore_catalog_destroy();
	}
}

/* ---- hybrid processors ---- */

static void expect_kind(struct kunit *test, u32 number, const char *type, u32 state, u32 nr_boxes,
			u32 nr_cpus)
{
	const struct ucore_get_core *info = kind_info(number);

	KUNIT_EXPECT_EQ(test, info->size, (u32)sizeof(*info));
	KUNIT_EXPECT_EQ(test, info->kind, number);
	KUNIT_EXPECT_STREQ(test, info->type, type);
	KUNIT_EXPECT_EQ(test, info->state, state);
	KUNIT_EXPECT_EQ(test, info->nr_boxes, nr_boxes);
	KUNIT_EXPECT_EQ(test, info->nr_cpus, nr_cpus);
}

static int hybrid_init(struct kunit *test)
{
	int ret = fake_core_init(test, EAX(5, 8, 48, 7), 0, EDX(4, 48) | 0x8000, true);

	if (!ret)
		fake_core_hybrid(test);
	return ret;
}

/* Each kind has a box type with its own counters, and the registers of a kind are its CPU's. */
static void each_kind_of_core_has_its_counters(struct kunit *test)
{
	u32 others = num_online_cpus() - 1;

	if (hybrid_init(test))
		return;
	fake_kernel.cpuid[1][1] = 0x20;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.caps, (u32)UCORE_CAP_CORE);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, num_online_cpus());
	KUNIT_EXPECT_STREQ(test, fake_core_box(test, 0)->desc.type->name, "core");
	KUNIT_EXPECT_EQ(test, fake_core_box(test, 0)->desc.type->nr_gp, 8);
	KUNIT_EXPECT_EQ(test, fake_core_box(test, 0)->desc.type->nr_fixed, 4);
	KUNIT_EXPECT_EQ(test, fake_core_box(test, 0)->domain->global->unfreeze, 0xf000000ffULL);
	KUNIT_EXPECT_STREQ(test, fake_core_box(test, 1)->desc.type->name, "atom");
	KUNIT_EXPECT_EQ(test, fake_core_box(test, 1)->desc.type->nr_gp, 6);
	KUNIT_EXPECT_EQ(test, fake_core_box(test, 1)->desc.type->nr_fixed, 3);
	KUNIT_EXPECT_EQ(test, fake_core_box(test, 1)->domain->global->unfreeze, 0x70000003fULL);
	expect_kind(test, 0, "core", UCORE_CORE_READY, others, others);
	expect_kind(test, 1, "atom", UCORE_CORE_READY, 1, 1);
	KUNIT_EXPECT_EQ(test, kind_info(0)->events, 0x7fU);
	KUNIT_EXPECT_EQ(test, kind_info(1)->events, 0x5fU);
	KUNIT_EXPECT_EQ(test, kind_info(0)->cpu_type, 0x40U);
	KUNIT_EXPECT_EQ(test, kind_info(1)->cpu_type, 0x20U);
	KUNIT_EXPECT_EQ(test, kind_info(0)->nr_kinds, 2U);
	KUNIT_EXPECT_EQ(test, kind_info(1)->nr_kinds, 2U);
	KUNIT_EXPECT_EQ(test, kind_info(2)->size, 0U);
	KUNIT_EXPECT_EQ(test, kind_info(~0U)->size, 0U);
	KUNIT_EXPECT_EQ(test, fake_core(test)->faults, 0U);
}

/* CPUID.1AH has no meaning, and no other CPU is examined. */
static void machine_without_hybrid_flag_has_one_kind(struct kunit *test)
{
	if (fake_core_init(test, EAX(5, 8, 48, 7), 0, EDX(4, 48) | 0x8000, true))
		return;
	fake_boot_cpu.cpuid_level = 0x1a;
	fake_kernel.cpuid_kind[0][0] = 0x30000000;
	fake_kernel.cpuid_kind[1][0] = 0x20000000;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_kind(test, 0, "core", UCORE_CORE_READY, num_online_cpus(), num_online_cpus());
	KUNIT_EXPECT_EQ(test, kind_info(0)->nr_kinds, 1U);
	KUNIT_EXPECT_EQ(test, kind_info(0)->cpu_type, 0U);
	KUNIT_EXPECT_EQ(test, kind_info(1)->size, 0U);
}

static void unknown_kind_of_core_has_no_boxes(struct kunit *test)
{
	u32 others = num_online_cpus() - 1;

	if (hybrid_init(test))
		return;
	fake_kernel.cpuid_kind[1][0] = 0x30000000;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, others);
	expect_kind(test, 0, "core", UCORE_CORE_READY, others, others);
	expect_kind(test, 1, "", UCORE_CORE_UNKNOWN, 0, 1);
	KUNIT_EXPECT_EQ(test, kind_info(1)->cpu_type, 0x30U);
	KUNIT_EXPECT_NOT_NULL(test, strstr(kind_info(1)->reason, "CPUID.1AH"));
}

/* A hypervisor may hide CPUID.1AH. */
static void hybrid_processor_without_types_has_no_boxes(struct kunit *test)
{
	if (hybrid_init(test))
		return;
	fake_boot_cpu.cpuid_level = 0x19;
	expect_no_boxes(test, UCORE_CORE_UNKNOWN, "CPUID.1AH");
	KUNIT_EXPECT_EQ(test, kind_info(0)->nr_kinds, 1U);
	CORE_EXPECT_NONE(test);
}

/* The first kind is the only one if there are no performance cores. */
static void efficient_cores_alone_are_the_first_kind(struct kunit *test)
{
	u32 cpu;

	if (hybrid_init(test))
		return;
	for_each_online_cpu(cpu) {
		fake_kernel.cpuid_kind[cpu][0] = 0x20000000;
		memcpy(fake_kernel.cpuid[cpu], fake_kernel.cpuid[1], sizeof(fake_kernel.cpuid[0]));
	}
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_kind(test, 0, "atom", UCORE_CORE_READY, num_online_cpus(), num_online_cpus());
	KUNIT_EXPECT_EQ(test, kind_info(0)->nr_kinds, 1U);
}

/* CPUs 0 and 1 are of one kind, but CPU 1 has fewer counters. */
static void cpu_that_differs_from_its_kind_has_no_box(struct kunit *test)
{
	u32 all = num_online_cpus();

	if (hybrid_init(test))
		return;
	fake_kernel.cpuid_kind[1][0] = 0x40000000;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.nr_boxes, all - 1);
	expect_kind(test, 0, "core", UCORE_CORE_READY, all - 1, all);
	KUNIT_EXPECT_NOT_NULL(test, strstr(core_info().reason, "CPUs of this kind have no box"));
	KUNIT_EXPECT_EQ(test, core_info().nr_kinds, 1U);
}

/* CPU 1 lacks counters that its CPUID reports. The other kind is not affected. */
static void missing_registers_affect_one_kind(struct kunit *test)
{
	u32 others = num_online_cpus() - 1;

	if (hybrid_init(test))
		return;
	fake_core(test)->cpu[1].lacks_gp = 3;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	expect_kind(test, 0, "core", UCORE_CORE_READY, others, others);
	expect_kind(test, 1, "atom", UCORE_CORE_BAD_CPUID, 0, 1);
}

/* Only performance cores can be written in full width. */
static int (*hybrid_registers_read)(u32 msr, u64 *val);

static int read_capabilities_of_kind(u32 msr, u64 *val)
{
	if (msr != 0x345)
		return hybrid_registers_read(msr, val);
	*val = raw_smp_processor_id() == 1 ? 0 : 0x2000;
	return 0;
}

static void capabilities_are_read_on_each_kind(struct kunit *test)
{
	if (hybrid_init(test))
		return;
	hybrid_registers_read = fake_core_read;
	fake_core_read = read_capabilities_of_kind;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, fake_core_box(test, 0)->desc.layout->ctr[0], 0x4c1U);
	KUNIT_EXPECT_EQ(test, fake_core_box(test, 1)->desc.layout->ctr[0], 0xc1U);
	KUNIT_EXPECT_TRUE(test, kind_info(0)->caps & UCORE_CORE_CAP_FULL_WIDTH);
	KUNIT_EXPECT_FALSE(test, kind_info(1)->caps & UCORE_CORE_CAP_FULL_WIDTH);
}

/* ---- events of a core box ---- */

static int encode(const struct ucore_box *box, const struct ucore_term *terms, u32 nr,
		  struct ucore_event_spec *spec)
{
	return ucore_event_encode(box, terms, nr, spec);
}

#define ENCODE(box, spec, ...) ({					\
	const struct ucore_term terms[] = { __VA_ARGS__ };		\
									\
	encode(box, terms, ARRAY_SIZE(terms), spec);			\
})

#define TERM(_field, _value)	{ .field = UCORE_FIELD_##_field, .value = (_value) }

/* Return the bits of an event select that fields or the driver can set. */
static u64 control_bits(const struct ucore_box_type *type)
{
	u64 bits = type->ctl_en | type->ctl_ov_en;
	u32 i;

	for (i = 0; i < type->nr_fields; i++)
		if (type->fields[i].piece[0].slot == UCORE_SLOT_CTL)
			bits |= type->fields[i].piece[0].mask;
	return bits;
}

static void core_event_fields_are_encoded(struct kunit *test)
{
	struct ucore_event_spec spec;
	const struct ucore_box *box;

	if (fake_core_init(test, EAX(3, 4, 48, 7), 0, EDX(3, 48), true))
		return;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	box = fake_core_box(test, 0);
	/* neither usr nor os given: both are set */
	KUNIT_EXPECT_EQ(test, ENCODE(box, &spec, TERM(EVENT, 0x2e), TERM(UMASK, 0x41)), 0);
	KUNIT_EXPECT_EQ(test, spec.value[UCORE_SLOT_CTL], 0x3412eULL);
	KUNIT_EXPECT_EQ(test, ENCODE(box, &spec, TERM(EVENT, 0xc0), TERM(USR, 1)), 0);
	KUNIT_EXPECT_EQ(test, spec.value[UCORE_SLOT_CTL], 0x100c0ULL);
	KUNIT_EXPECT_EQ(test, ENCODE(box, &spec, TERM(EVENT, 0xc0), TERM(OS, 1), TERM(ANY, 1)), 0);
	KUNIT_EXPECT_EQ(test, spec.value[UCORE_SLOT_CTL], 0x2200c0ULL);
	/* edge needs no cmask here, inv does */
	KUNIT_EXPECT_EQ(test, ENCODE(box, &spec, TERM(EVENT, 0xc0), TERM(EDGE, 1)), 0);
	KUNIT_EXPECT_EQ(test, spec.value[UCORE_SLOT_CTL], 0x700c0ULL);
	KUNIT_EXPECT_EQ(test, ENCODE(box, &spec, TERM(EVENT, 0xc0), TERM(INVERT, 1)), -EINVAL);
	KUNIT_EXPECT_EQ(test, ENCODE(box, &spec, TERM(EVENT, 0xc0), TERM(INVERT, 1),
				     TERM(THRESH, 0xff)), 0);
	KUNIT_EXPECT_EQ(test, spec.value[UCORE_SLOT_CTL], 0xff8300c0ULL);
	/* with INT (20) and EN (22), each bit but PC (19) has a use */
	KUNIT_EXPECT_EQ(test, control_bits(box->desc.type), 0xfff7ffffULL);
	/* bits that only the driver sets are not fields */
	KUNIT_EXPECT_EQ(test, ENCODE(box, &spec, TERM(EVENT, 0x100)), -ERANGE);
	KUNIT_EXPECT_EQ(test, ENCODE(box, &spec, TERM(EVENT, 0xc0), TERM(FILTER_NID, 1)), -ENXIO);
}

/* Fixed counters have the fields usr, os and any, and no others. */
static void fixed_counter_fields_are_encoded(struct kunit *test)
{
	const struct ucore_box_type *type;
	struct ucore_event_spec spec;
	const struct ucore_box *box;
	u64 fixed = BIT_ULL(UCORE_COUNTER_FIXED + 1);

	if (fake_core_init(test, EAX(3, 4, 48, 7), 0, EDX(3, 48), true))
		return;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	box = fake_core_box(test, 0);
	type = box->desc.type;
	KUNIT_EXPECT_EQ(test, ucore_event_encode(box, NULL, 0, &spec), 0);
	KUNIT_EXPECT_EQ(test, fake_restrict(box, fixed, 0, &spec), 0);
	KUNIT_EXPECT_EQ(test, ucore_event_fixed(type, spec.value[0], 1, false), 0x30ULL);
	KUNIT_EXPECT_EQ(test, ENCODE(box, &spec, TERM(USR, 1)), 0);
	KUNIT_EXPECT_EQ(test, fake_restrict(box, fixed, 1000, &spec), 0);
	KUNIT_EXPECT_EQ(test, ucore_event_fixed(type, spec.value[0], 1, true), 0xa0ULL);
	KUNIT_EXPECT_EQ(test, ENCODE(box, &spec, TERM(OS, 1), TERM(ANY, 1)), 0);
	KUNIT_EXPECT_EQ(test, ucore_event_fixed(type, spec.value[0], 2, false), 0x500ULL);
	KUNIT_EXPECT_EQ(test, ENCODE(box, &spec, TERM(EVENT, 0xc0)), 0);
	KUNIT_EXPECT_EQ(test, fake_restrict(box, fixed, 0, &spec), -ENXIO);
	KUNIT_EXPECT_EQ(test, ENCODE(box, &spec, TERM(USR, 1), TERM(THRESH, 1)), 0);
	KUNIT_EXPECT_EQ(test, fake_restrict(box, fixed, 0, &spec), -ENXIO);
	KUNIT_EXPECT_EQ(test, ucore_event_encode(box, NULL, 0, &spec), 0);
	KUNIT_EXPECT_EQ(test, fake_restrict(box, fixed << 2, 0, &spec), -ENXIO);
}

static int period(const struct ucore_box *box, u64 counters, u64 n)
{
	struct ucore_event_spec spec = { };

	return fake_restrict(box, counters, n, &spec);
}

static void full_width_writes_allow_48_bit_periods(struct kunit *test)
{
	if (fake_core_init(test, EAX(3, 4, 48, 7), 0, EDX(3, 48), true))
		return;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, period(fake_core_box(test, 0), BIT(0), BIT_ULL(48) - 1), 0);
	KUNIT_EXPECT_EQ(test, period(fake_core_box(test, 0), BIT(0), BIT_ULL(48)), -ERANGE);
}

/* A write has 32 bits, so that the upper bits of the preload must be copies of bit 31. */
static void short_writes_limit_periods_to_31_bits(struct kunit *test)
{
	u64 fixed = BIT_ULL(UCORE_COUNTER_FIXED);

	if (fake_core_init(test, EAX(3, 4, 48, 7), 0, EDX(3, 48), false))
		return;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, period(fake_core_box(test, 0), BIT(0), BIT_ULL(31)), 0);
	KUNIT_EXPECT_EQ(test, period(fake_core_box(test, 0), BIT(0), BIT_ULL(31) + 1), -ERANGE);
	KUNIT_EXPECT_EQ(test, period(fake_core_box(test, 0), fixed, BIT_ULL(48) - 1), 0);
	KUNIT_EXPECT_EQ(test, period(fake_core_box(test, 0), fixed, BIT_ULL(48)), -ERANGE);
}

/* The sign bit of a preload must be set, because an overflow of version 1 is found by it. */
static void version_1_periods_need_the_sign_bit(struct kunit *test)
{
	if (fake_core_init(test, EAX(1, 2, 40, 7), 0, 0, true))
		return;
	KUNIT_ASSERT_EQ(test, ucore_catalog_build(), 0);
	KUNIT_EXPECT_EQ(test, period(fake_core_box(test, 0), BIT(0), BIT_ULL(39)), 0);
	KUNIT_EXPECT_EQ(test, period(fake_core_box(test, 0), BIT(0), BIT_ULL(39) + 1), -ERANGE);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(cpuid_leaf_is_decoded, decode_gen_params),
	KUNIT_CASE(each_cpu_has_a_core_box),
	KUNIT_CASE(core_boxes_follow_uncore_domains),
	KUNIT_CASE(version_1_counters_interrupt_without_global_control),
	KUNIT_CASE(faulting_capabilities_msr_is_ignored),
	KUNIT_CASE(missing_cpuid_leaf_gives_no_boxes),
	KUNIT_CASE(core_pmu_off_gives_no_boxes),
	KUNIT_CASE(version_above_5_gives_no_boxes),
	KUNIT_CASE(missing_registers_give_no_boxes),
	KUNIT_CASE(each_kind_of_core_has_its_counters),
	KUNIT_CASE(machine_without_hybrid_flag_has_one_kind),
	KUNIT_CASE(unknown_kind_of_core_has_no_boxes),
	KUNIT_CASE(hybrid_processor_without_types_has_no_boxes),
	KUNIT_CASE(efficient_cores_alone_are_the_first_kind),
	KUNIT_CASE(cpu_that_differs_from_its_kind_has_no_box),
	KUNIT_CASE(missing_registers_affect_one_kind),
	KUNIT_CASE(capabilities_are_read_on_each_kind),
	KUNIT_CASE(core_event_fields_are_encoded),
	KUNIT_CASE(fixed_counter_fields_are_encoded),
	KUNIT_CASE(full_width_writes_allow_48_bit_periods),
	KUNIT_CASE(short_writes_limit_periods_to_31_bits),
	KUNIT_CASE(version_1_periods_need_the_sign_bit),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_core_find",
	.exit = fake_core_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
