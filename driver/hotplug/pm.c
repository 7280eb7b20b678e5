// SPDX-License-Identifier: GPL-2.0-only
/*
 * The machine's life: it sleeps, it reboots, it panics.
 *
 * Owns the kernel's notifiers of these.  Before the machine sleeps, and before another
 * kernel takes over, counters are stopped and the hardware is as it was found: reader.c
 * does that, in process context.
 *
 * A panic is another thing: the other CPUs have been stopped, perhaps within our locks,
 * and this one may be anywhere.  So it takes no lock, sends no IPI, changes no list, and
 * touches only what this CPU can reach by itself.
 */
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/reboot.h>
#include <linux/suspend.h>

#include "box/catalog.h"
#include "hotplug/pm.h"
#include "hotplug/reader_cpu.h"

/* Tasks still run before, and run again after: they may ask for anything. */
static int machine_sleeps(struct notifier_block *nb, unsigned long event, void *data)
{
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		ucore_readers_sleep();
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		ucore_readers_wake();
		break;
	}
	return NOTIFY_DONE;
}

/* Reboot, halt, power off, kexec: for good. */
static int machine_reboots(struct notifier_block *nb, unsigned long event, void *data)
{
	ucore_readers_sleep();
	return NOTIFY_DONE;
}

static void domain_aborts(struct ucore_domain *domain)
{
	bool seized, used = domain->taken;
	struct ucore_box *box;
	u32 i;

	for (i = 0; i < ucore_catalog.nr_boxes; i++)
		used |= ucore_catalog.boxes[i].domain == domain && ucore_catalog.boxes[i].dirty;
	if (!used)
		return;
	seized = ucore_domain_panic_freeze(domain);
	for (i = 0; i < ucore_catalog.nr_boxes; i++) {
		box = &ucore_catalog.boxes[i];
		if (box->domain != domain || !box->dirty || !ucore_domain_box_within_reach(box))
			continue;
		if (!seized)
			ucore_box_freeze(box);	/* it may count */
		ucore_box_restore(box);
	}
	if (seized)
		ucore_domain_panic_restore(domain);
}

/*
 * For the kernel that a crash starts, if it starts after the notifiers (the kernel's
 * parameter crash_kexec_post_notifiers), and for one that firmware starts without a reset.
 */
static int machine_panics(struct notifier_block *nb, unsigned long event, void *data)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_domains; i++)
		domain_aborts(&ucore_catalog.domains[i]);
	return NOTIFY_DONE;
}

static struct notifier_block sleep_block = { .notifier_call = machine_sleeps };
static struct notifier_block reboot_block = { .notifier_call = machine_reboots };
static struct notifier_block panic_block = { .notifier_call = machine_panics };

/**
 * ucore_pm_register() - follow the machine's life
 *
 * The catalog is complete, and there are readers.
 *
 * Return: 0 or -errno.
 */
int ucore_pm_register(void)
{
	int ret = register_pm_notifier(&sleep_block);

	if (ret)
		return ret;
	ret = register_reboot_notifier(&reboot_block);
	if (ret)
		goto unregister_pm;
	ret = atomic_notifier_chain_register(&panic_notifier_list, &panic_block);
	if (ret)
		goto unregister_reboot;
	return 0;

unregister_reboot:
	unregister_reboot_notifier(&reboot_block);
unregister_pm:
	unregister_pm_notifier(&sleep_block);
	return ret;
}

/** ucore_pm_unregister() - follow it no longer */
void ucore_pm_unregister(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_block);
	unregister_reboot_notifier(&reboot_block);
	unregister_pm_notifier(&sleep_block);
}
