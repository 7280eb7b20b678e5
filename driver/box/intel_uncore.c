// SPDX-License-Identifier: GPL-2.0-only
/*
 * Coexistence with intel_uncore, the driver in the kernel tree for the same hardware. Part of
 * the box layer. Runs in process context.
 *
 * The kernel has no means to reserve uncore counters. Therefore no uncore box can be claimed
 * while intel_uncore is present, and intel_uncore cannot be loaded while an uncore box is
 * claimed. Core boxes are not affected.
 */
#include <linux/device.h>
#include <linux/kobject.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/pci.h>
#include <linux/platform_device.h>
#include <linux/string.h>

#include "box/catalog.h"
#include "box/intel_uncore.h"

#define INTREE_MODULE	"intel_uncore"

/*
 * True from the start of loading the module intel_uncore until the module is unloaded; written
 * with the catalog's lock held.
 */
static bool loading;

/* Held while ucore searches boxes: the search may write registers, and intel_uncore writes them */
static DEFINE_MUTEX(search_lock);

/* Return true if a session has claimed an uncore box. */
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
	mutex_lock(&search_lock);
	mutex_lock(&ucore_catalog.lock);
	if (state == MODULE_STATE_COMING && any_box_claimed()) {
		pr_warn("%s not loaded: sessions use the boxes\n", INTREE_MODULE);
		ret = notifier_from_errno(-EBUSY);
	} else if (state != MODULE_STATE_LIVE) {
		loading = state == MODULE_STATE_COMING;
	}
	mutex_unlock(&ucore_catalog.lock);
	mutex_unlock(&search_lock);
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

/* Return true if intel_uncore is a loaded module. All modules are in the kset of ucore's module. */
static bool module_there(void)
{
	return is_in(THIS_MODULE->mkobj.kobj.kset, INTREE_MODULE);
}

/*
 * Return true if a PMU device of intel_uncore exists. The devices are searched by name in the
 * kset that contains all devices, because sysfs may not be mounted.
 */
static bool pmus_there(void)
{
	static const char * const names[] = {
		"uncore_cha_0", "uncore_cbox_0", "uncore_imc_0", "uncore_type_0_0", "uncore",
	};
	u32 i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (is_in(platform_bus.kobj.kset, names[i]))
			return true;
	return false;
}

/*
 * True if intel_uncore is part of the kernel image and has registered PMUs. Determined once,
 * because this cannot change.
 */
static bool built_in;

/**
 * ucore_intel_uncore_register() - start to watch intel_uncore load and unload
 *
 * Return: 0 or -errno.
 */
int ucore_intel_uncore_register(void)
{
	/* The module may be loaded or unloaded during pmus_there(): check before and after. */
	built_in = !module_there() && pmus_there() && !module_there();
	return register_module_notifier(&module_notifier);
}

void ucore_intel_uncore_unregister(void)
{
	unregister_module_notifier(&module_notifier);
}

/* Return true if intel_uncore is a module that is loaded, or is part of the kernel image. */
static bool is_loaded(void)
{
	return READ_ONCE(loading) || built_in || module_there();
}

/**
 * ucore_intel_uncore_hold() - keep intel_uncore from being loaded while ucore searches boxes
 *
 * The module notifier of intel_uncore waits until ucore_intel_uncore_release() is called.
 *
 * Return: true if intel_uncore does not use the hardware.
 */
bool ucore_intel_uncore_hold(void)
{
	mutex_lock(&search_lock);
	return !is_loaded();
}

/** ucore_intel_uncore_release() - let intel_uncore be loaded again */
void ucore_intel_uncore_release(void)
{
	mutex_unlock(&search_lock);
}

/**
 * ucore_intel_uncore_present() - check whether intel_uncore uses the hardware
 *
 * intel_uncore as a module is found by the module's name. In the kernel image it is found by its
 * PMU devices. On some platforms it also registers a PCI driver, by which it is found even if the
 * PCI driver is not bound to a device.
 *
 * Return: true if intel_uncore is present. With the catalog's lock held the result cannot
 * change.
 */
bool ucore_intel_uncore_present(void)
{
	const struct ucore_platform *platform = ucore_catalog.platform;

	if (!platform)
		return false;
	return is_loaded() ||
	       (platform->intree && driver_find(platform->intree, &pci_bus_type));
}

/**
 * ucore_intel_uncore_is_module() - check whether intel_uncore can be unloaded
 *
 * Return: false if it is part of the kernel image.
 */
bool ucore_intel_uncore_is_module(void)
{
	return READ_ONCE(loading) || module_there();
}
