// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMI route of the machine model (tests/lab/qemu), not in normal builds: see qemu_pmi_route.h.
 * Process context, at module load.
 */
#include <linux/bitfield.h>
#include <linux/moduleparam.h>

#include "find/discovery/qemu_pmi_route.h"
#include "hw/discovery.h"

#define PRIVATE_GLOBAL_CTL_WK_ON_PMI	BIT_ULL(1)
#define PRIVATE_GLOBAL_CTL_PMI_CORE_SEL	GENMASK_ULL(63, 16)

static bool private_pmi;
module_param(private_pmi, bool, 0444);
MODULE_PARM_DESC(private_pmi, "route overflow PMIs as the machine model does; not for hardware");

/**
 * ucore_qemu_pmi_route_enabled() - check whether the PMI route of the machine model is enabled
 *
 * Return: true if the module was loaded with private_pmi=1.
 */
bool ucore_qemu_pmi_route_enabled(void)
{
	return private_pmi;
}

/**
 * ucore_qemu_pmi_route_describe() - add the PMI route of the machine model to a global control
 * @global: description of the global control, otherwise complete
 * @t: discovery table of the global control
 *
 * A global control in PCI config space gets no PMI route, because an NMI handler cannot read its
 * status.
 */
void ucore_qemu_pmi_route_describe(struct ucore_global *global, const struct ucore_disc_table *t)
{
	if (global->pdev)
		return;
	global->status = global->ctl + FIELD_GET(DISC_GLOBAL2_STATUS_OFFSET, t->word[2]);
	global->status_stride = t->status_stride;
	global->nr_status = DIV_ROUND_UP(t->nr_status, 64);
	global->wake = PRIVATE_GLOBAL_CTL_WK_ON_PMI;
	global->core_sel = PRIVATE_GLOBAL_CTL_PMI_CORE_SEL;
	global->keep |= global->wake | global->core_sel;
}
