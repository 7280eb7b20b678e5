// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which processor is this?  All platforms, a row each.
 */
#include <linux/kernel.h>
#include <asm/processor.h>

#include "platforms/list.h"

static const struct ucore_platform * const platforms[] = {
	&ucore_platform_ivbep,
	&ucore_platform_spr,
	&ucore_platform_emr,
	&ucore_platform_gnr,
	&ucore_platform_gnr_d,
	&ucore_platform_srf,
	&ucore_platform_grr,
	&ucore_platform_cwf,
};

/**
 * ucore_platform_match() - the platform of this machine
 *
 * Return: the one of its model; for other Intel processors the one that takes
 * whatever discovery finds; NULL for others' processors.
 */
const struct ucore_platform *ucore_platform_match(void)
{
	size_t i;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(platforms); i++)
		if (boot_cpu_data.x86 == 6 && platforms[i]->model == boot_cpu_data.x86_model)
			return platforms[i];
	return &ucore_platform_generic;
}
