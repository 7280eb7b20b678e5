// SPDX-License-Identifier: GPL-2.0-only
/*
 * Runs the suites of this module on a kernel that was built without KUnit (linked.h).
 */
#include <linux/notifier.h>

/* suites.lds defines the ends of the section that kunit_test_suites() fills */
extern struct kunit_suite *linked_suites_begin[], *linked_suites_end[];

static struct linked_module this_module = {
	.name = KBUILD_MODNAME,
	.kunit_suites = linked_suites_begin,
};

/* Run the suites: tell KUnit that its own module is loaded. */
int linked_load(struct notifier_block *kunit)
{
	this_module.num_kunit_suites = linked_suites_end - linked_suites_begin;
	kunit->notifier_call(kunit, MODULE_STATE_LIVE, &this_module);
	return 0;
}

/* Free the suites: tell KUnit that its own module is unloaded. */
void linked_unload(struct notifier_block *kunit)
{
	kunit->notifier_call(kunit, MODULE_STATE_GOING, &this_module);
}

/* KUnit's devices, which no suite of ucore uses */
int kunit_bus_init(void)
{
	return 0;
}

void kunit_bus_shutdown(void)
{
}
