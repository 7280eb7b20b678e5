// SPDX-License-Identifier: GPL-2.0-only
/* KUnit tests of coexistence with intel_uncore: the module notifier, called by hand. */
#include <linux/module.h>
#include <linux/notifier.h>

#include "abi/get_answers.h"
#include "box/intel_uncore.h"
#include "fake_machine.h"
#include "platforms/match.h"

static int intree_init(struct kunit *test)
{
	int ret = fake_machine_init(test);

	return ret ?: ucore_intel_uncore_register();
}

/* Let a module enter a state. Return the notifier's result. */
static int module_is(struct kunit *test, const char *name, unsigned long state)
{
	struct module *mod = kunit_kzalloc(test, sizeof(*mod), GFP_KERNEL);
	struct notifier_block *nb = fake_kernel.module_notifier;

	KUNIT_ASSERT_NOT_NULL(test, mod);
	KUNIT_ASSERT_NOT_NULL(test, nb);
	strscpy(mod->name, name, sizeof(mod->name));
	return notifier_to_errno(nb->notifier_call(nb, state, mod));
}

static void other_modules_are_ignored(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, module_is(test, "intel_uncore_frequency", MODULE_STATE_COMING), 0);
	KUNIT_EXPECT_FALSE(test, ucore_intel_uncore_present());
}

/* Present from COMING to GOING, whether its PCI driver is registered or not. */
static void intree_driver_is_present_until_unloaded(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_box *box = fake_box(test, 0, "imc", 0);

	KUNIT_EXPECT_EQ(test, module_is(test, "intel_uncore", MODULE_STATE_COMING), 0);
	KUNIT_EXPECT_TRUE(test, ucore_intel_uncore_present());
	KUNIT_EXPECT_EQ(test, ucore_describe_state(), (u32)UCORE_STATE_INTREE);
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 4, 0, 0, NULL), -EBUSY);
	KUNIT_EXPECT_EQ(test, module_is(test, "intel_uncore", MODULE_STATE_LIVE), 0);
	fake_kernel.intree = true;
	KUNIT_EXPECT_EQ(test, module_is(test, "intel_uncore", MODULE_STATE_GOING), 0);
	KUNIT_EXPECT_TRUE(test, ucore_intel_uncore_present());
	fake_kernel.intree = false;
	KUNIT_EXPECT_FALSE(test, ucore_intel_uncore_present());
	KUNIT_EXPECT_EQ(test, fake_add(s, box, 4, 0, 0, NULL), 0);
}

/* Loaded before ucore, on a platform for which it has no PCI driver */
static void intree_driver_loaded_earlier_is_present(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, ucore_intel_uncore_present());
	fake_kernel.intree_module = true;
	KUNIT_EXPECT_TRUE(test, ucore_intel_uncore_present());
	KUNIT_EXPECT_EQ(test, ucore_describe_state(), (u32)UCORE_STATE_INTREE);
}

/* Built in: PMUs without a module exist when ucore is loaded. */
static void builtin_intree_driver_is_present(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);

	ucore_intel_uncore_unregister();
	fake_kernel.intree_pmus = true;
	KUNIT_ASSERT_EQ(test, ucore_intel_uncore_register(), 0);
	KUNIT_EXPECT_TRUE(test, ucore_intel_uncore_present());
	KUNIT_EXPECT_EQ(test, ucore_describe_state(), (u32)UCORE_STATE_INTREE);
	KUNIT_EXPECT_EQ(test, fake_add(s, fake_box(test, 0, "imc", 0), 4, 0, 0, NULL), -EBUSY);

	/* PMUs of a module disappear with the module */
	ucore_intel_uncore_unregister();
	fake_kernel.intree_module = true;
	KUNIT_ASSERT_EQ(test, ucore_intel_uncore_register(), 0);
	fake_kernel.intree_module = false;
	KUNIT_EXPECT_FALSE(test, ucore_intel_uncore_present());
}

/* A session without boxes does not conflict with intel_uncore. A session with a box does. */
static void intree_driver_is_refused_while_box_is_claimed(struct kunit *test)
{
	struct ucore_session *s = fake_session(test);
	struct ucore_add_event add;

	KUNIT_ASSERT_EQ(test, fake_add(s, fake_box(test, 0, "pcu", 0), 0, 0, 0, &add), 0);
	KUNIT_EXPECT_EQ(test, module_is(test, "intel_uncore", MODULE_STATE_COMING), -EBUSY);
	KUNIT_EXPECT_FALSE(test, ucore_intel_uncore_present());
	mutex_lock(&s->lock);
	KUNIT_EXPECT_EQ(test, ucore_session_remove_event(s, add.event), 0);
	mutex_unlock(&s->lock);
	KUNIT_EXPECT_EQ(test, module_is(test, "intel_uncore", MODULE_STATE_COMING), 0);
	KUNIT_EXPECT_EQ(test, module_is(test, "intel_uncore", MODULE_STATE_GOING), 0);
	KUNIT_EXPECT_FALSE(test, ucore_intel_uncore_present());
}

static struct kunit_case cases[] = {
	KUNIT_CASE(other_modules_are_ignored),
	KUNIT_CASE(intree_driver_is_present_until_unloaded),
	KUNIT_CASE(intree_driver_loaded_earlier_is_present),
	KUNIT_CASE(builtin_intree_driver_is_present),
	KUNIT_CASE(intree_driver_is_refused_while_box_is_claimed),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_intree",
	.init = intree_init,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
