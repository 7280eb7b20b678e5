// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which processor is this, and what may be used on it?
 *
 * Owns the list of platforms and the finder.  Process context, at load.
 */
#include <linux/cpu.h>
#include <linux/pci.h>

#include "array.h"
#include "compat.h"
#include "platform.h"

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

/**
 * ucore_platform_die_of_package() - logical die of a socket
 * @package: physical package id
 *
 * Return: its id, negative if no CPU of the package is online.
 */
int ucore_platform_die_of_package(u32 package)
{
	int cpu, die = -ENODEV;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		if (topology_physical_package_id(cpu) == package) {
			die = topology_logical_die_id(cpu);
			break;
		}
	}
	cpus_read_unlock();
	return die;
}

/**
 * ucore_finder_add() - hand over one description
 * @finder: the collection
 * @desc: the description; references to its PCI functions pass to the finder
 *
 * Return: 0, or -ENOMEM with the references dropped.
 */
int ucore_finder_add(struct ucore_finder *finder, const struct ucore_box_desc *desc)
{
	struct ucore_box_desc *array = ucore_array_grow(finder->desc, finder->nr,
							&finder->capacity, sizeof(*array));

	if (!array) {
		pci_dev_put(desc->pdev);
		pci_dev_put(desc->aux);
		return -ENOMEM;
	}
	finder->desc = array;
	array[finder->nr++] = *desc;
	return 0;
}

/**
 * ucore_finder_drop() - forget all descriptions and their references
 * @finder: the collection
 */
void ucore_finder_drop(struct ucore_finder *finder)
{
	u32 i;

	for (i = 0; i < finder->nr; i++) {
		pci_dev_put(finder->desc[i].pdev);
		pci_dev_put(finder->desc[i].aux);
	}
	kvfree(finder->desc);
	*finder = (struct ucore_finder){ };
}
