// SPDX-License-Identifier: GPL-2.0-only
/* The lab's own route for overflow interrupts: see lab_pmi.h. */
#include <linux/bitfield.h>
#include <linux/moduleparam.h>

#include "find/discovery/lab_pmi.h"
#include "hw/discovery.h"

#define PRIVATE_GLOBAL_CTL_WK_ON_PMI	BIT_ULL(1)
#define PRIVATE_GLOBAL_CTL_PMI_CORE_SEL	GENMASK_ULL(63, 16)

static bool private_pmi;
module_param(private_pmi, bool, 0444);
MODULE_PARM_DESC(private_pmi, "route overflow PMIs as the machine model has it, not as Intel has");

/**
 * ucore_lab_pmi() - is the private route to be taken?
 *
 * Return: true if the module was loaded with private_pmi=1.
 */
bool ucore_lab_pmi(void)
{
	return private_pmi;
}

/**
 * ucore_lab_pmi_describe() - add the private route to a global control
 * @global: the global control, described as far as Intel tells
 * @t: the table it comes from
 *
 * A global control in PCI config space gets no route: its status cannot be read
 * in an NMI.
 */
void ucore_lab_pmi_describe(struct ucore_global *global, const struct ucore_disc_table *t)
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
