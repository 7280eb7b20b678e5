// SPDX-License-Identifier: GPL-2.0-only
/*
 * Suspend, reboot and panic: owns the notifiers of these events. Part of the hotplug layer.
 *
 * The notifiers of suspend and reboot stop the counters and restore the registers
 * (reader_cpu.c). They run in process context.
 *
 * The panic notifier runs in any context. The other CPUs are stopped, perhaps while they hold
 * locks of ucore. The notifier therefore takes no lock, sends no IPI, changes no list, and
 * accesses only registers that this CPU reaches by itself.
 */
#include <linux/notifier.h>
#include <linux/panic_notifier.h>
#include <linux/reboot.h>
#include <linux/suspend.h>

#include "box/catalog.h"
#include "box/freeze.h"
#include "hotplug/reader_cpu.h"
#include "hotplug/suspend_reboot_panic.h"

/*
 * Stop the counters before a suspend, and start them again after it. User tasks still run
 * between this notifier and the freezing of tasks. Their commands find domains without a
 * reader and fail with -EAGAIN.
 */
static int suspend_notify(struct notifier_block *nb, unsigned long event, void *data)
{
	switch (event) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
	case PM_RESTORE_PREPARE:
		ucore_readers_suspend();
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
	case PM_POST_RESTORE:
		ucore_readers_resume();
		break;
	}
	return NOTIFY_DONE;
}

/*
 * Stop everything and restore the registers before a reboot, halt, power-off or kexec. There
 * is no resume.
 */
static int reboot_notify(struct notifier_block *nb, unsigned long event, void *data)
{
	ucore_readers_suspend();
	return NOTIFY_DONE;
}

static void domain_panic(struct ucore_domain *domain)
{
	bool frozen, used = domain->acquired;
	struct ucore_box *box;

	ucore_for_each_box(box, domain)
		used |= box->dirty;
	if (!used)
		return;
	frozen = ucore_freeze_panic(domain);
	ucore_for_each_box(box, domain) {
		if (!box->dirty || !ucore_freeze_panic_reaches(box))
			continue;
		if (!frozen)
			ucore_box_freeze(box);	/* the box's counters may be running */
		ucore_box_restore(box);
	}
	if (frozen)
		ucore_unfreeze_panic(domain);
}

/*
 * Restore the registers for the next kernel. For a crash kernel this has an effect only if the
 * kernel starts after the notifiers (crash_kexec_post_notifiers). For any other kernel it has an
 * effect only if firmware does not reset the machine.
 */
static int panic_notify(struct notifier_block *nb, unsigned long event, void *data)
{
	u32 i;

	for (i = 0; i < ucore_catalog.nr_domains; i++)
		domain_panic(&ucore_catalog.domains[i]);
	return NOTIFY_DONE;
}

static struct notifier_block suspend_block = { .notifier_call = suspend_notify };
static struct notifier_block reboot_block = { .notifier_call = reboot_notify };
static struct notifier_block panic_block = { .notifier_call = panic_notify };

/**
 * ucore_power_register() - register the notifiers of suspend, reboot and panic
 *
 * The caller has built the catalog and elected the readers.
 *
 * Return: 0 or -errno.
 */
int ucore_power_register(void)
{
	int ret = register_pm_notifier(&suspend_block);

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
	unregister_pm_notifier(&suspend_block);
	return ret;
}

/** ucore_power_unregister() - unregister the notifiers of suspend, reboot and panic */
void ucore_power_unregister(void)
{
	atomic_notifier_chain_unregister(&panic_notifier_list, &panic_block);
	unregister_reboot_notifier(&reboot_block);
	unregister_pm_notifier(&suspend_block);
}
