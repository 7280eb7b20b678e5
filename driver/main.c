// SPDX-License-Identifier: GPL-2.0-only
/*
 * Module load and unload. The catalog is built first, and the device node is registered last.
 * Context: process.
 */
#include <linux/init.h>
#include <linux/module.h>

#include "abi/device_commands.h"
#include "abi/get_answers.h"
#include "box/catalog.h"
#include "box/intel_uncore.h"
#include "cpu/nmi_handler.h"
#include "hotplug/reader_cpu.h"
#include "hotplug/suspend_reboot_panic.h"
#include "sample/running_tasks.h"

/* Find the boxes. intel_uncore is not loaded in the meantime. */
static int __init build_catalog(void)
{
	int ret;

	ucore_catalog.may_write = ucore_intel_uncore_hold();
	ret = ucore_catalog_build();
	ucore_intel_uncore_release();
	return ret;
}

static int __init ucore_init(void)
{
	u32 state;
	int ret;

	ret = ucore_intel_uncore_register();
	if (ret)
		return ret;
	ret = build_catalog();
	if (ret)
		goto unregister_intree;
	ret = ucore_nmi_register();
	if (ret)
		goto destroy;
	ret = ucore_readers_init();
	if (ret)
		goto unregister_nmi;
	ret = ucore_power_register();
	if (ret)
		goto exit_readers;
	ret = ucore_cdev_register();
	if (ret)
		goto unregister_life;

	state = ucore_describe_state();
	pr_info("%u boxes on %u domains%s%s\n", ucore_catalog.nr_boxes, ucore_catalog.nr_domains,
		*ucore_describe_reason(state) ? "; " : "", ucore_describe_reason(state));
	return 0;

unregister_life:
	ucore_power_unregister();
exit_readers:
	ucore_readers_exit();
unregister_nmi:
	ucore_nmi_unregister();
destroy:
	ucore_intel_uncore_unregister();	/* its notifier reads the catalog */
	ucore_catalog_destroy();
	return ret;
unregister_intree:
	ucore_intel_uncore_unregister();
	return ret;
}

static void __exit ucore_exit(void)
{
	ucore_cdev_unregister();
	ucore_tasks_exit();
	ucore_power_unregister();
	ucore_readers_exit();
	ucore_nmi_unregister();
	ucore_intel_uncore_unregister();
	ucore_catalog_destroy();
}

module_init(ucore_init);
module_exit(ucore_exit);

MODULE_DESCRIPTION("Intel uncore performance monitors");
MODULE_AUTHOR("the ucore developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(UCORE_VERSION);
