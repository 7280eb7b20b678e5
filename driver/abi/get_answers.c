// SPDX-License-Identifier: GPL-2.0-only
/*
 * Answers of GET commands: driver state, boxes, links, self-tests, core PMU. Part of the abi
 * layer. Process context. Takes no locks, because the called functions of lower layers lock
 * the data that they copy.
 */
#include <linux/cpufeature.h>
#include <linux/kernel.h>
#include <linux/pci.h>
#include <linux/string.h>

#include "abi/get_answers.h"
#include "box/catalog.h"
#include "box/intel_uncore.h"
#include "selftest/selftest.h"
#include "find/core_cpuid.h"
#include "session/claim.h"

/**
 * ucore_describe_state() - get the driver's state for GET_INFO: whether sessions can be created
 *
 * Return: UCORE_STATE_*. The state changes when intel_uncore is loaded or unloaded.
 */
u32 ucore_describe_state(void)
{
	if (ucore_intel_uncore_present())
		return UCORE_STATE_INTREE;
	return ucore_catalog.nr_boxes ? UCORE_STATE_READY : ucore_catalog.absent;
}

static const char *intree_reason(void)
{
	if (ucore_intel_uncore_is_module())
		return "the kernel's intel_uncore driver holds the boxes: modprobe -r intel_uncore";
	return "intel_uncore is part of the kernel: boot with initcall_blacklist=intel_uncore_init";
}

/**
 * ucore_describe_reason() - get the sentence of GET_INFO on the driver's problem and its remedy
 * @state: UCORE_STATE_*
 *
 * UCORE_STATE_READY may be due to core boxes only. The sentence then explains why no uncore box
 * exists.
 *
 * Return: a string that lives as long as the catalog; empty if nothing is wrong.
 */
const char *ucore_describe_reason(u32 state)
{
	if (state == UCORE_STATE_INTREE)
		return intree_reason();
	if (*ucore_catalog.hidden)
		return ucore_catalog.hidden;
	return smp_load_acquire(&ucore_catalog.failed) ?: "";	/* pairs with set_failed_text() */
}

/**
 * ucore_describe_cause() - get the cause of the problem that ucore_describe_reason() explains
 * @state: UCORE_STATE_*
 *
 * Return: UCORE_CAUSE_*.
 */
u32 ucore_describe_cause(u32 state)
{
	return state == UCORE_STATE_INTREE ? UCORE_CAUSE_INTREE : ucore_catalog.cause;
}

static const char *core_reason(u32 state)
{
	switch (state) {
	case UCORE_CORE_NONE:
		if (boot_cpu_has(X86_FEATURE_HYPERVISOR))
			return "CPUID.0AH reports no counters: give the virtual machine a PMU";
		return "CPUID.0AH reports no counters";
	case UCORE_CORE_UNKNOWN:
		return "a kind of CPU that this driver does not know (CPUID.1AH:EAX[31:24])";
	case UCORE_CORE_VERSION:
		return "versions above 5 have other registers, which this driver does not know";
	case UCORE_CORE_BAD_CPUID:
		return "CPUID.0AH is wrong: its counters are implausible or do not respond";
	case UCORE_CORE_KERNEL:
		return "this kernel offers no reservation of performance registers to modules";
	case UCORE_CORE_DISABLED:
		return "switched off: the module was loaded with core_pmu=0";
	case UCORE_CORE_BUSY:
		return "in use by perf when tried. Stop perf, or 'sysctl kernel.nmi_watchdog=0'";
	}
	return "";
}

/**
 * ucore_describe_core() - answer GET_CORE: describe the core counters of a kind of cores
 * @out: the answer; @out->size and @out->kind are not changed
 *
 * Whether perf has the counters is known from the last ADD_EVENT. To find it out here, the
 * function would have to reserve the counters, and events of perf would fail meanwhile.
 *
 * Return: 0, or -ENOENT if the machine has no kind with this number.
 */
int ucore_describe_core(struct ucore_get_core *out)
{
	int ret = ucore_core_describe(out);

	if (ret)
		return ret;
	if (out->state == UCORE_CORE_READY && READ_ONCE(ucore_catalog.core_busy))
		out->state = UCORE_CORE_BUSY;
	strscpy(out->reason, core_reason(out->state), sizeof(out->reason));
	if (out->state == UCORE_CORE_READY && out->nr_boxes < out->nr_cpus)
		scnprintf(out->reason, sizeof(out->reason),
			  "%u of %u CPUs of this kind have no box: their CPUID.0AH or registers differ from the first CPU's",
			  out->nr_cpus - out->nr_boxes, out->nr_cpus);
	return 0;
}

static u64 box_location(const struct ucore_box *box)
{
	u16 off = ucore_layout_first(box->desc.layout);
	const struct pci_dev *pdev = box->io.pdev;

	if (box->desc.size)
		return box->desc.phys + off;
	if (!pdev)
		return box->desc.msr + off;
	return (u64)pci_domain_nr(pdev->bus) << 32 | pdev->bus->number << 20 |
	       pdev->devfn << 12 | off;
}

/**
 * ucore_describe_box() - answer GET_BOXES for one box
 * @box: the box
 * @admin: the caller has CAP_SYS_ADMIN, so that @out receives the address of the registers
 * @out: the answer
 */
void ucore_describe_box(const struct ucore_box *box, bool admin, struct ucore_box_info *out)
{
	const struct ucore_box_type *type = box->desc.type;

	*out = (struct ucore_box_info){
		.box = box->id,
		.domain = box->domain->id,
		.die = box->domain->die,
		.cpu = box->domain->cpu,
		.instance = box->desc.instance,
		.access = box->io.ops->access,
		.nr_counters = type->nr_gp,
		.nr_fixed = type->nr_fixed,
		.width = ucore_box_width(box, false),
		.fixed_width = ucore_box_width(box, true),
		.flags = READ_ONCE(box->caps) | (READ_ONCE(box->dead) ? UCORE_BOX_F_DEAD : 0) |
			 (ucore_box_is_absent(box) ? UCORE_BOX_F_ABSENT : 0),
	};
	if (admin)
		out->location = box_location(box);
	strscpy(out->type, type->name, sizeof(out->type));
	ucore_claim_describe(box, out);
}

/**
 * ucore_describe_link() - answer GET_LINKS for one box
 * @box: the box
 * @out: the answer
 */
void ucore_describe_link(const struct ucore_box *box, struct ucore_link_info *out)
{
	*out = box->desc.link;
	out->box = box->id;
}

/**
 * ucore_describe_selftest() - answer GET_SELFTEST for one box
 * @box: the box
 * @out: the answer; size, flags and box are not changed
 */
void ucore_describe_selftest(struct ucore_box *box, struct ucore_get_selftest *out)
{
	struct ucore_selftest selftest = ucore_selftest_get(box);

	out->tested = selftest.tested;
	out->failed = selftest.failed;
	out->found = selftest.found;
	out->width = selftest.width;
	out->fixed_width = selftest.fixed_width;
	out->missing = selftest.missing;
	out->reads = selftest.reads;
	out->writes = selftest.writes;
	out->reserved = 0;
	memset(out->reason, 0, sizeof(out->reason));
	strscpy(out->reason, ucore_selftest_reason(&selftest), sizeof(out->reason));
}
