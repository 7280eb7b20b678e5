// SPDX-License-Identifier: GPL-2.0-only
/*
 * Living beside intel_uncore: never on the same registers at once.
 *
 * There is no protocol to reserve uncore counters.  So: while intel_uncore is
 * there, no box of the uncore can be claimed; while one is claimed, intel_uncore
 * cannot be loaded.  Boxes of cores are no matter to it.  Process context.
 */
#include <linux/device.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/string.h>

#include "box/catalog.h"
#include "box/intree.h"

#define INTREE_MODULE	"intel_uncore"

/* True from when it begins to load until it is gone; changes under the catalog's lock. */
static bool loading;

/* Of the uncore. */
static bool any_box_claimed(void)
{
	const struct ucore_box *box = ucore_catalog.boxes;

	for (; box < ucore_catalog.boxes + ucore_catalog.nr_boxes; box++)
		if (!list_empty(&box->claims) && box->domain->scope == UCORE_SCOPE_DIE)
			return true;
	return false;
}

static int module_changes(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *mod = data;
	int ret = NOTIFY_DONE;

	if (strcmp(mod->name, INTREE_MODULE))
		return NOTIFY_DONE;
	mutex_lock(&ucore_catalog.lock);
	if (state == MODULE_STATE_COMING && any_box_claimed()) {
		pr_warn("%s not loaded: sessions use the boxes\n", INTREE_MODULE);
		ret = notifier_from_errno(-EBUSY);
	} else if (state != MODULE_STATE_LIVE) {
		loading = state == MODULE_STATE_COMING;
	}
	mutex_unlock(&ucore_catalog.lock);
	return ret;
}

static struct notifier_block module_notifier = {
	.notifier_call = module_changes,
};

static bool is_in(struct kset *kset, const char *name)
{
	struct kobject *kobj = kset_find_obj(kset, name);

	kobject_put(kobj);
	return kobj;
}

/* Is it among the modules?  All of them are in one kset with this one. */
static bool module_there(void)
{
	return is_in(THIS_MODULE->mkobj.kobj.kset, INTREE_MODULE);
}

/* Its PMUs are devices, and all devices are in one kset, wherever sysfs is mounted, or not. */
static bool pmus_there(void)
{
	static const char * const names[] = {
		"uncore_cha_0", "uncore_cbox_0", "uncore_imc_0", "uncore_type_0_0",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (is_in(platform_bus.kobj.kset, names[i]))
			return true;
	return false;
}

/*
 * Part of the kernel, it is no module: its PMUs show, if it found any.  That will never
 * change, so this is asked once.
 */
static bool built_in;

/**
 * ucore_intree_register() - watch intel_uncore come and go
 *
 * Return: 0 or -errno.
 */
int ucore_intree_register(void)
{
	/* a module that comes or goes meanwhile is there before or after */
	built_in = !module_there() && pmus_there() && !module_there();
	return register_module_notifier(&module_notifier);
}

void ucore_intree_unregister(void)
{
	unregister_module_notifier(&module_notifier);
}

/**
 * ucore_intree_present() - does intel_uncore hold the hardware?
 *
 * Loaded before ucore it shows as a module, part of the kernel by its PMUs, and
 * on platforms where it has a PCI driver by that, which is registered whether
 * bound or not.
 *
 * Return: true or false; the answer stays true under the catalog's lock.
 */
bool ucore_intree_present(void)
{
	const struct ucore_platform *platform = ucore_catalog.platform;

	if (!platform)
		return false;
	return READ_ONCE(loading) || built_in || module_there() ||
	       (platform->intree && driver_find(platform->intree, &pci_bus_type));
}

/**
 * ucore_intree_is_module() - intel_uncore holds the hardware: can it be unloaded?
 *
 * Return: false if it is part of the kernel.
 */
bool ucore_intree_is_module(void)
{
	return READ_ONCE(loading) || module_there();
}
