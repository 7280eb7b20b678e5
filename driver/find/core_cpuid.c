// SPDX-License-Identifier: GPL-2.0-only
/*
 * Finder of the core boxes: one box with the core counters of each online CPU.
 *
 * Owns the state that GET_CORE reports. ucore_core_decode() validates CPUID.0AH and is a pure
 * function. Hybrid processors have several kinds of cores. Each kind has its own box type and
 * its own state, from CPUID and registers of its CPUs. Process context, at module load.
 */
#include <linux/bitfield.h>
#include <linux/cpu.h>
#include <linux/cpufeature.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/moduleparam.h>
#include <linux/processor.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>

#include "compat.h"
#include "find/core_cpuid.h"
#include "hw/core.h"

static bool core_pmu = true;
module_param(core_pmu, bool, 0444);
MODULE_PARM_DESC(core_pmu, "provide the counters of the cores, which perf uses, too");

/**
 * struct core_kind - a kind of cores, constant once the catalog is built
 * @name: name of the box type, "" for all kinds that the driver does not know
 * @cpu_type: CPUID.1AH:EAX[31:24] of the kind; unused if @name is ""
 * @state: UCORE_CORE_*
 * @nr_boxes: number of CPUs with a box
 * @nr_cpus: number of CPUs
 * @leaf: values of the first CPU of the kind
 * @pmu: properties of the core PMU of this CPU. The boxes of the kind have the same
 * @type: type of the boxes
 * @global: global control and status of the boxes
 */
struct core_kind {
	const char *name;
	u32 cpu_type;
	u32 state;
	u32 nr_boxes;
	u32 nr_cpus;
	struct ucore_core_cpuid leaf;
	struct ucore_core_pmu pmu;
	struct ucore_box_type type;
	struct ucore_global global;
};

/* Kinds in the order of GET_CORE. A processor that is not hybrid has the first one only. */
static struct core_kind kinds[] = {
	{ .name = "core", .cpu_type = CORE_TYPE_PERFORMANCE },
	{ .name = "atom", .cpu_type = CORE_TYPE_EFFICIENT },
	{ .name = "" },
};

/**
 * struct core_probe - the core PMU of one CPU
 * @leaf: values of CPUID and of related registers
 * @pmu: properties derived from @leaf
 * @state: UCORE_CORE_*
 */
struct core_probe {
	struct ucore_core_cpuid leaf;
	struct ucore_core_pmu pmu;
	u32 state;
};

/* ---- validating CPUID.0AH ---- */

static u32 available_events(const struct ucore_core_cpuid *leaf)
{
	u32 nr = min_t(u32, FIELD_GET(CORE_EAX_NR_EVENTS, leaf->eax), CORE_NR_EVENTS);

	return nr ? GENMASK(nr - 1, 0) & ~leaf->ebx : 0;
}

static u32 fixed_counters(const struct ucore_core_cpuid *leaf, u32 version)
{
	u32 nr = FIELD_GET(CORE_EDX_NR_FIXED, leaf->edx), i = 0;

	if (version < 2)
		return 0;
	if (version >= 5)	/* use only fixed counters below the first missing one */
		while (leaf->ecx & BIT(i) || i < nr)
			i++;
	else if (!leaf->hypervisor)	/* early CPUs report too few fixed counters */
		i = max_t(u32, nr, CORE_MIN_FIXED);
	else
		i = nr;
	return min_t(u32, i, CORE_MAX_FIXED);
}

static bool width_sane(u32 width)
{
	return width >= CORE_WRITE_BITS && width <= 64;
}

/**
 * ucore_core_decode() - derive the properties of the core PMU from CPUID.0AH
 * @leaf: values of CPUID.0AH and of related registers
 * @pmu: out: properties of the core PMU; filled in as far as possible if it is unusable
 *
 * Return: UCORE_CORE_READY, or the UCORE_CORE_* reason why there are no core boxes.
 */
u32 ucore_core_decode(const struct ucore_core_cpuid *leaf, struct ucore_core_pmu *pmu)
{
	u32 version = FIELD_GET(CORE_EAX_VERSION, leaf->eax);

	*pmu = (struct ucore_core_pmu){ .version = version };
	if (!version)
		return UCORE_CORE_NONE;
	pmu->nr_gp = min_t(u32, FIELD_GET(CORE_EAX_NR_GP, leaf->eax), CORE_MAX_GP);
	pmu->width = FIELD_GET(CORE_EAX_WIDTH, leaf->eax);
	pmu->events = available_events(leaf);
	pmu->nr_fixed = fixed_counters(leaf, version);
	pmu->fixed_width = FIELD_GET(CORE_EDX_FIXED_WIDTH, leaf->edx);
	if (!width_sane(pmu->fixed_width))
		pmu->fixed_width = pmu->width;
	if (!pmu->nr_fixed)
		pmu->fixed_width = 0;
	pmu->full_width = leaf->capabilities & CORE_CAP_FULL_WIDTH;
	pmu->any = version >= 3 && !(leaf->edx & CORE_EDX_NO_ANY);

	if (leaf->hybrid && leaf->cpu_type != CORE_TYPE_PERFORMANCE &&
	    leaf->cpu_type != CORE_TYPE_EFFICIENT)
		return UCORE_CORE_UNKNOWN;
	if (version > CORE_MAX_VERSION)
		return UCORE_CORE_VERSION;
	return pmu->nr_gp && width_sane(pmu->width) ? UCORE_CORE_READY : UCORE_CORE_BAD_CPUID;
}

/* ---- probing a CPU ---- */

static u32 cpu_type_read(void)
{
	u32 eax, ebx, ecx, edx;

	if (boot_cpu_data.cpuid_level < CORE_TYPE_CPUID)
		return 0;
	cpuid(CORE_TYPE_CPUID, &eax, &ebx, &ecx, &edx);
	return FIELD_GET(CORE_TYPE_EAX, eax);
}

static void leaf_read(struct ucore_core_cpuid *out)
{
	*out = (struct ucore_core_cpuid){ };
	if (boot_cpu_data.cpuid_level < CORE_CPUID)
		return;
	cpuid(CORE_CPUID, &out->eax, &out->ebx, &out->ecx, &out->edx);
	out->hybrid = boot_cpu_has(X86_FEATURE_HYBRID_CPU);
	if (out->hybrid)
		out->cpu_type = cpu_type_read();
	out->hypervisor = boot_cpu_has(X86_FEATURE_HYPERVISOR);
	if (boot_cpu_has(X86_FEATURE_PDCM) &&
	    rdmsrq_safe(CORE_PERF_CAPABILITIES, &out->capabilities))
		out->capabilities = 0;
}

static bool msrs_readable(u32 first, u32 nr)
{
	u64 val;

	while (nr--)
		if (rdmsrq_safe(first + nr, &val))
			return false;
	return true;
}

/*
 * Return true if all MSRs of the core PMU can be read. Some hypervisors report counters in CPUID
 * although accesses to their MSRs fault.
 */
static bool registers_readable(const struct ucore_core_pmu *pmu)
{
	if (!msrs_readable(CORE_EVTSEL0, pmu->nr_gp) ||
	    !msrs_readable(pmu->full_width ? CORE_A_PMC0 : CORE_PMC0, pmu->nr_gp))
		return false;
	if (pmu->version < 2)
		return true;
	return msrs_readable(CORE_GLOBAL_STATUS, 1) && msrs_readable(CORE_GLOBAL_CTL, 1) &&
	       (!pmu->nr_fixed ||
		(msrs_readable(CORE_FIXED_CTL, 1) && msrs_readable(CORE_FIXED0, pmu->nr_fixed)));
}

/* Examine the core PMU of this CPU. Runs in an IPI, too. */
static void probe_here(void *arg)
{
	struct core_probe *probe = arg;

	leaf_read(&probe->leaf);
	probe->state = ucore_core_decode(&probe->leaf, &probe->pmu);
	if (probe->state != UCORE_CORE_READY)
		return;
	if (!core_pmu)
		probe->state = UCORE_CORE_DISABLED;
	else if (!UCORE_CAN_RESERVE)
		probe->state = UCORE_CORE_KERNEL;
	else if (!registers_readable(&probe->pmu))
		probe->state = UCORE_CORE_BAD_CPUID;
}

/* ---- describing the boxes ---- */

static u64 bits(u32 nr)
{
	return nr ? GENMASK_ULL(nr - 1, 0) : 0;
}

static void describe_global(struct ucore_global *global, const struct ucore_core_pmu *pmu,
			    const struct ucore_layout *layout)
{
	*global = (struct ucore_global){
		.ctl = CORE_GLOBAL_CTL,
		.status = CORE_GLOBAL_STATUS,
		.nr_status = 1,
		.clear = CORE_OVF_CTL,
		.unfreeze = bits(pmu->nr_gp) | bits(pmu->nr_fixed) << CORE_STATUS_FIXED,
		.keep = ~0ULL,
		.level = true,
		.enables = true,
	};
	global->clear_mask = global->unfreeze | CORE_STATUS_BUFFER | CORE_STATUS_CHANGED;
	if (pmu->version < 2) {		/* no global registers: they are emulated */
		global->nr_gated = pmu->nr_gp;
		global->gated_ctl = layout->ctl[0];
		global->gated_ctr = layout->ctr[0];
		global->gated = CORE_CTL_EN;
		global->gated_sign = BIT_ULL(pmu->width - 1);
	}
	/*
	 * A PMI sets the status bit CTR_Frz if IA32_DEBUGCTL requests a freeze. The counters
	 * stay frozen until this bit is cleared, regardless of IA32_PERF_GLOBAL_CTRL.
	 */
	if (pmu->version >= 4)
		global->clear_mask |= CORE_STATUS_FROZEN;
}

static void describe_type(struct ucore_box_type *type, const char *name,
			  const struct ucore_core_pmu *pmu, const struct ucore_core_table *table)
{
	*type = *table->type;
	type->name = name;
	type->nr_gp = pmu->nr_gp;
	type->width = pmu->width;
	type->nr_fixed = pmu->nr_fixed;
	type->fixed_width = pmu->fixed_width;
	type->nr_fields = pmu->any ? type->nr_fields : table->nr_fields;
	type->preload_bits = CORE_WRITE_BITS;
	if (pmu->full_width)
		/* the emulated status of version 1 needs the highest bit of the preload */
		type->preload_bits = pmu->version < 2 ? pmu->width : 0;
	if (!pmu->nr_fixed)
		type->caps &= ~UCORE_BOX_F_FIXED_OVERFLOW;
}

static const struct ucore_layout *layout_of(const struct core_kind *kind,
					    const struct ucore_core_table *table)
{
	return kind->pmu.full_width ? table->full_layout : table->layout;
}

static int add_box(struct ucore_finder *finder, struct core_kind *kind, int cpu,
		   const struct ucore_core_table *table)
{
	const struct ucore_box_desc desc = {
		.type = &kind->type,
		.layout = layout_of(kind, table),
		.global = &kind->global,
		.scope = UCORE_SCOPE_CPU,
		.global_gp = bits(kind->pmu.nr_gp),
		.global_fixed = bits(kind->pmu.nr_fixed) << CORE_STATUS_FIXED,
		.cpu = cpu,
		.die = topology_logical_die_id(cpu),
	};

	kind->nr_boxes++;
	finder->caps |= UCORE_CAP_CORE;
	return ucore_finder_add(finder, &desc);
}

/* ---- kinds of cores ---- */

static void kinds_clear(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		kinds[i].state = UCORE_CORE_NONE;
		kinds[i].nr_boxes = 0;
		kinds[i].nr_cpus = 0;
		kinds[i].leaf = (struct ucore_core_cpuid){ };
		kinds[i].pmu = (struct ucore_core_pmu){ };
	}
}

static struct core_kind *kind_of(const struct core_probe *probe)
{
	struct core_kind *kind = kinds;

	if (probe->leaf.hybrid)
		while (*kind->name && kind->cpu_type != probe->leaf.cpu_type)
			kind++;
	return kind;
}

/* Return true if the properties of two core PMUs are equal. */
static bool pmu_same(const struct ucore_core_pmu *a, const struct ucore_core_pmu *b)
{
	return a->version == b->version && a->nr_gp == b->nr_gp && a->width == b->width &&
	       a->nr_fixed == b->nr_fixed && a->fixed_width == b->fixed_width &&
	       a->events == b->events && a->full_width == b->full_width && a->any == b->any;
}

/* Make a kind of its first CPU. */
static void kind_begin(struct core_kind *kind, const struct core_probe *probe,
		       const struct ucore_core_table *table)
{
	kind->state = probe->state;
	kind->leaf = probe->leaf;
	kind->pmu = probe->pmu;
	if (kind->state != UCORE_CORE_READY)
		return;
	describe_global(&kind->global, &kind->pmu, layout_of(kind, table));
	describe_type(&kind->type, kind->name, &kind->pmu, table);
}

/*
 * Add the box of a CPU. A CPU that differs from the first one of its kind has no box.
 * GET_CORE and the type of the boxes describe the events and counters of the first one.
 */
static int examine_cpu(struct ucore_finder *finder, int cpu, const struct core_probe *probe,
		       const struct ucore_core_table *table)
{
	struct core_kind *kind = kind_of(probe);

	if (!kind->nr_cpus++)
		kind_begin(kind, probe, table);
	if (kind->state != UCORE_CORE_READY || probe->state != kind->state ||
	    !pmu_same(&probe->pmu, &kind->pmu))
		return 0;
	return add_box(finder, kind, cpu, table);
}

/**
 * ucore_core_find() - add a core box for each online CPU
 * @finder: collection that receives the box descriptions
 * @platform: platform whose table is a struct ucore_core_table
 *
 * All CPUs of a processor that is not hybrid are like the current one. They are not interrupted.
 *
 * Return: 0 or -ENOMEM. A machine without a usable core PMU is not an error.
 */
int ucore_core_find(struct ucore_finder *finder, const struct ucore_platform *platform)
{
	struct core_probe probe = { };
	int cpu, ret = 0;

	kinds_clear();
	cpus_read_lock();
	probe_here(&probe);
	for_each_online_cpu(cpu) {
		if (probe.leaf.hybrid && smp_call_function_single(cpu, probe_here, &probe, 1))
			continue;
		ret = examine_cpu(finder, cpu, &probe, platform->table);
		if (ret)
			break;
	}
	cpus_read_unlock();
	return ret;
}

/** ucore_core_drop() - reset the state that GET_CORE reports, after the core boxes were freed */
void ucore_core_drop(void)
{
	kinds_clear();
}

/* Find the kind with a number, among the kinds that have CPUs; count all of them in @nr. */
static const struct core_kind *kind_at(u32 number, u32 *nr)
{
	const struct core_kind *found = NULL;
	u32 i;

	*nr = 0;
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (kinds[i].nr_cpus && (*nr)++ == number)
			found = &kinds[i];
	if (*nr)
		return found;
	*nr = 1;	/* no CPU was examined */
	return number ? NULL : kinds;
}

/**
 * ucore_core_describe() - fill in the answer to GET_CORE, except for the member reason
 * @out: answer; the members size and kind are kept
 *
 * Return: 0, or -ENOENT if there is no kind with this number.
 */
int ucore_core_describe(struct ucore_get_core *out)
{
	u32 nr;
	const struct core_kind *kind = kind_at(out->kind, &nr);

	if (!kind)
		return -ENOENT;
	*out = (struct ucore_get_core){
		.size = out->size,
		.state = kind->state,
		.version = kind->pmu.version,
		.nr_counters = kind->pmu.nr_gp,
		.width = kind->pmu.width,
		.nr_fixed = kind->pmu.nr_fixed,
		.fixed_width = kind->pmu.fixed_width,
		.events = kind->pmu.events,
		.caps = (kind->pmu.full_width ? UCORE_CORE_CAP_FULL_WIDTH : 0) |
			(kind->pmu.any ? UCORE_CORE_CAP_ANY : 0) |
			(kind->pmu.version >= 2 ? UCORE_CORE_CAP_GLOBAL : 0),
		.eax = kind->leaf.eax,
		.ebx = kind->leaf.ebx,
		.ecx = kind->leaf.ecx,
		.edx = kind->leaf.edx,
		.kind = out->kind,
		.nr_kinds = nr,
		.cpu_type = kind->leaf.cpu_type,
		.nr_boxes = kind->nr_boxes,
		.nr_cpus = kind->nr_cpus,
	};
	strscpy(out->type, kind->name, sizeof(out->type));
	return 0;
}
