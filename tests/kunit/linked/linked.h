/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Included before each file of ucore_kunit.ko on a kernel that was built without KUnit.
 *
 * lib/kunit of Linux is then linked into the module (lab/linked_kunit.py). The structures of such a
 * kernel have no members for KUnit, so this file provides a place for each of them.
 */
#ifndef UCORE_LINKED_H
#define UCORE_LINKED_H

#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

#undef CONFIG_KUNIT
#define CONFIG_KUNIT_MODULE 1
#define CONFIG_KUNIT_DEFAULT_ENABLED 1

/* current->kunit_test: file systems use this member, the threads of the suites do not */
#define UCORE_CURRENT_TEST	(*(struct kunit **)&current->journal_info)

struct kunit_suite;

/* Members of struct module that KUnit uses, for this module only */
struct linked_module {
	enum module_state state;
	const char *name;
	struct kunit_suite **kunit_suites;
	int num_kunit_suites;
	struct kunit_suite **kunit_init_suites;
	int num_kunit_init_suites;
};

int linked_load(struct notifier_block *kunit);
void linked_unload(struct notifier_block *kunit);
int kunit_bus_init(void);
void kunit_bus_shutdown(void);

#ifdef UCORE_OF_KUNIT	/* a file of lib/kunit */
/* kthread_exit() is not exported by every kernel */
#undef kthread_exit
#define kthread_exit(code)	kthread_complete_and_exit(NULL, code)
/* KUnit runs the suites of each module that is loaded. Here it has only its own module's. */
#define register_module_notifier(block)		linked_load(block)
#define unregister_module_notifier(block)	linked_unload(block)
#endif

#endif
