// SPDX-License-Identifier: GPL-2.0-only
/*
 * Loading and unloading: the catalog first, the device node last.
 */
#include <linux/init.h>
#include <linux/module.h>

#include "catalog.h"
#include "cdev.h"
#include "die.h"
#include "intree.h"
#include "pmi.h"

static int __init ucore_init(void)
{
	u32 state;
	int ret;

	ret = ucore_catalog_build();
	if (ret)
		return ret;
	ret = ucore_intree_register();
	if (ret)
		goto destroy;
	ret = ucore_pmi_register();
	if (ret)
		goto unregister_intree;
	ret = ucore_die_hotplug_init();
	if (ret)
		goto unregister_pmi;
	ret = ucore_cdev_register();
	if (ret)
		goto hotplug;

	state = ucore_catalog_state();
	pr_info("%u boxes on %u dies%s%s\n", ucore_catalog.nr_boxes, ucore_catalog.nr_dies,
		*ucore_catalog_reason(state) ? "; " : "", ucore_catalog_reason(state));
	return 0;

hotplug:
	ucore_die_hotplug_exit();
unregister_pmi:
	ucore_pmi_unregister();
unregister_intree:
	ucore_intree_unregister();
destroy:
	ucore_catalog_destroy();
	return ret;
}

static void __exit ucore_exit(void)
{
	ucore_cdev_unregister();
	ucore_die_hotplug_exit();
	ucore_pmi_unregister();
	ucore_intree_unregister();
	ucore_catalog_destroy();
}

module_init(ucore_init);
module_exit(ucore_exit);

MODULE_DESCRIPTION("Intel uncore performance monitors");
MODULE_AUTHOR("the ucore developers");
MODULE_LICENSE("GPL");
MODULE_VERSION(UCORE_VERSION);
