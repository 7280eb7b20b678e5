// SPDX-License-Identifier: GPL-2.0-only
/*
 * Selects the platform of this machine. hw/models.h has one row for each CPUID model. Process
 * context, at module load.
 */
#include <linux/kernel.h>
#include <linux/processor.h>
#include <linux/string.h>

#include "platforms/match.h"

static const struct ucore_platform * const platforms[] = {
	&ucore_platform_snbep,
	&ucore_platform_ivbep,
	&ucore_platform_hswep,
	&ucore_platform_bdxep,
	&ucore_platform_bdxde,
	&ucore_platform_skx,
	&ucore_platform_clx,
	&ucore_platform_cpx,
	&ucore_platform_icx,
	&ucore_platform_snr,
	&ucore_platform_spr,
	&ucore_platform_emr,
	&ucore_platform_gnr,
	&ucore_platform_srf,
	&ucore_platform_grr,
	&ucore_platform_cwf,
	&ucore_platform_dmr,
};

static const struct {
	u8 family;
	u8 model;
	const char *platform;
	const char *name;
	bool discovery;
	u8 stepping;
} models[] = {
#define UCORE_MODEL(...) { __VA_ARGS__ },
#include "hw/models.h"
};

static const struct ucore_platform *platform_named(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(platforms); i++)
		if (!strcmp(platforms[i]->name, name))
			return platforms[i];
	return NULL;
}

/**
 * ucore_platform_match() - select the platform of this machine
 *
 * Return: the platform of the CPUID model and stepping, or the generic platform for another
 * Intel processor; NULL for other vendors.
 */
const struct ucore_platform *ucore_platform_match(void)
{
	const struct ucore_platform *platform = NULL;
	size_t i;

	if (boot_cpu_data.x86_vendor != X86_VENDOR_INTEL)
		return NULL;
	for (i = 0; i < ARRAY_SIZE(models); i++)
		if (models[i].family == boot_cpu_data.x86 &&
		    models[i].model == boot_cpu_data.x86_model &&
		    models[i].stepping <= boot_cpu_data.x86_stepping)
			platform = platform_named(models[i].platform);
	return platform ?: &ucore_platform_generic;
}
