// SPDX-License-Identifier: GPL-2.0-only
/*
 * Selects the platform of this machine by its CPUID model. hw/models.h has one row for each
 * model. Process context, at module load.
 */
#include <linux/kernel.h>
#include <linux/processor.h>
#include <linux/string.h>

#include "platforms/match.h"

#define PLATFORM_ADDRESS(name) &ucore_platform_##name
static const struct ucore_platform * const platforms[] = { UCORE_PLATFORMS(PLATFORM_ADDRESS) };

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
 * Return: platform for the CPUID model and stepping of this machine, the generic platform for an
 * unknown Intel processor, NULL for other vendors.
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
