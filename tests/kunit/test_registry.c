// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the registry of sessions: descriptions of open sessions, the state after one is
 * revoked, and the limit of a user.
 */
#include <linux/cpu.h>
#include <linux/cred.h>

#include "fake_machine.h"
#include "session/session_registry.h"

#define MS	((u64)NSEC_PER_MSEC)

static struct ucore_session *open_session(struct kunit *test)
{
	const struct ucore_create_session config = {
		.ring_size = 4096, .timer_ns = MS, .flags = UCORE_SESSION_F_FULL_READS,
	};
	struct ucore_session *session = ucore_registry_add(&config, true);

	KUNIT_ASSERT_FALSE(test, IS_ERR(session));
	return session;
}

static int choose_cpu(struct ucore_session *session, u32 cpu)
{
	int ret;

	mutex_lock(&session->lock);
	ret = ucore_pmi_cpus_set(session, &cpu, 1);
	mutex_unlock(&session->lock);
	return ret;
}

static void registry_describes_all_sessions(struct kunit *test)
{
	struct ucore_session *a = open_session(test), *b = open_session(test);
	struct ucore_session_info info;

	KUNIT_EXPECT_EQ(test, ucore_registry_count(), 2U);
	KUNIT_ASSERT_EQ(test, choose_cpu(a, 0), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, fake_box(test, 0, "imc", 0), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, fake_box(test, 0, "imc", 0), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, fake_box(test, 1, "cbo", 0), 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);

	KUNIT_ASSERT_TRUE(test, ucore_registry_describe(0, &info));
	KUNIT_EXPECT_EQ(test, info.session, a->id);
	KUNIT_EXPECT_EQ(test, info.state, (u32)UCORE_SESSION_STOPPED);
	KUNIT_EXPECT_EQ(test, info.nr_pinned, 1U);
	KUNIT_EXPECT_EQ(test, info.nr_events, 0U);
	KUNIT_EXPECT_EQ(test, info.nr_boxes, 0U);
	KUNIT_EXPECT_EQ(test, info.uid, 0U);
	KUNIT_EXPECT_STREQ(test, info.comm, a->comm);

	KUNIT_ASSERT_TRUE(test, ucore_registry_describe(info.session, &info));
	KUNIT_EXPECT_EQ(test, info.session, b->id);
	KUNIT_EXPECT_EQ(test, info.state, (u32)UCORE_SESSION_RUNNING);
	KUNIT_EXPECT_EQ(test, info.flags, (u32)UCORE_SESSION_F_FULL_READS);
	KUNIT_EXPECT_EQ(test, info.nr_events, 3U);
	KUNIT_EXPECT_EQ(test, info.nr_boxes, 2U);
	KUNIT_EXPECT_EQ(test, info.nr_domains, 2U);
	KUNIT_EXPECT_EQ(test, info.nr_pinned, 0U);
	KUNIT_EXPECT_EQ(test, info.ring_size, 4096U);
	KUNIT_EXPECT_EQ(test, info.timer_ns, MS);
	KUNIT_EXPECT_FALSE(test, ucore_registry_describe(info.session, &info));

	ucore_registry_del(a);
	KUNIT_ASSERT_TRUE(test, ucore_registry_describe(0, &info));
	KUNIT_EXPECT_EQ(test, info.session, b->id);
	ucore_registry_del(b);
	KUNIT_EXPECT_EQ(test, ucore_registry_count(), 0U);
	KUNIT_EXPECT_FALSE(test, ucore_registry_describe(0, &info));
}

/* A revoked session holds nothing, its registers are restored, and its memory is not charged. */
static void revoked_session_releases_everything(struct kunit *test)
{
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);
	struct ucore_session *s = open_session(test);
	atomic_long_t *locked = &s->user->locked_vm;
	long before = atomic_long_read(locked);
	struct ucore_session_info info;
	u64 id = s->id;

	KUNIT_ASSERT_EQ(test, choose_cpu(s, 0), 0);
	KUNIT_ASSERT_EQ(test, fake_add(s, imc, 4, BIT(0), 100, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(s), 0);
	KUNIT_EXPECT_NE(test, fake_peek(fake_window(imc), 0xd8), 0ULL);
	KUNIT_EXPECT_EQ(test, ucore_registry_revoke(id), 0);
	KUNIT_EXPECT_TRUE(test, s->revoked);
	KUNIT_EXPECT_FALSE(test, s->running);
	KUNIT_EXPECT_TRUE(test, list_empty(&imc->claims));
	KUNIT_EXPECT_FALSE(test, imc->dirty);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(imc), 0xd8), 0ULL);
	KUNIT_EXPECT_FALSE(test, fake_global(0)->frozen);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].pins, 0U);
	KUNIT_EXPECT_NULL(test, ucore_session_ring(s, 0));
	KUNIT_EXPECT_EQ(test, atomic_long_read(locked), before);
	KUNIT_EXPECT_FALSE(test, ucore_session_readable(s));

	/* the descriptor is still open: another revoke succeeds and releases nothing twice */
	KUNIT_ASSERT_TRUE(test, ucore_registry_describe(id - 1, &info));
	KUNIT_EXPECT_EQ(test, info.state, (u32)UCORE_SESSION_REVOKED);
	KUNIT_EXPECT_EQ(test, info.nr_events, 0U);
	KUNIT_EXPECT_EQ(test, info.nr_boxes, 0U);
	KUNIT_EXPECT_EQ(test, info.nr_pinned, 0U);
	KUNIT_EXPECT_EQ(test, ucore_registry_revoke(id), 0);
	KUNIT_EXPECT_EQ(test, ucore_catalog.domains[0].pins, 0U);
	ucore_registry_del(s);
	KUNIT_EXPECT_EQ(test, ucore_registry_revoke(id), -ENOENT);
	KUNIT_EXPECT_EQ(test, ucore_registry_count(), 0U);
}

static void revoke_leaves_other_sessions_running(struct kunit *test)
{
	struct ucore_session *a = open_session(test), *b = open_session(test);
	struct ucore_box *imc = fake_box(test, 0, "imc", 0);

	KUNIT_ASSERT_EQ(test, fake_add(a, imc, 4, 0, 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_add(b, fake_box(test, 0, "cbo", 0), 4, 0, 0, NULL), 0);
	/* the sessions share this box */
	KUNIT_ASSERT_EQ(test, fake_add(b, imc, 5, BIT(1), 0, NULL), 0);
	KUNIT_ASSERT_EQ(test, fake_start(a), 0);
	KUNIT_ASSERT_EQ(test, fake_start(b), 0);
	KUNIT_EXPECT_EQ(test, ucore_registry_revoke(a->id + b->id + 1), -ENOENT);
	KUNIT_EXPECT_EQ(test, ucore_registry_revoke(0), -ENOENT);
	KUNIT_EXPECT_EQ(test, ucore_registry_revoke(a->id), 0);
	KUNIT_EXPECT_TRUE(test, b->running);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(imc), 0xd8), 0ULL);
	KUNIT_EXPECT_EQ(test, fake_peek(fake_window(imc), 0xdc), 0x400005ULL);
	KUNIT_EXPECT_TRUE(test, ucore_session_ctx(b, 0)->running);
	KUNIT_EXPECT_EQ(test, fake_add(b, imc, 4, 0, 0, NULL), -EBUSY);	/* the session is running */
	fake_stop(b);
	KUNIT_EXPECT_EQ(test, fake_add(b, imc, 4, 0, 0, NULL), 0);
	ucore_registry_del(b);
	ucore_registry_del(a);
}

static void registry_add_with_intel_uncore_loaded_fails(struct kunit *test)
{
	const struct ucore_create_session config = { };

	fake_kernel.intree = true;
	KUNIT_EXPECT_EQ(test, PTR_ERR(ucore_registry_add(&config, true)), (long)-EBUSY);
	KUNIT_EXPECT_EQ(test, ucore_registry_count(), 0U);
}

/* ---- number of sessions of a user ---- */

/* Run as an ordinary user; the caller restores the credentials with run_as_before(). */
static const struct cred *run_as(struct kunit *test, u32 uid)
{
	struct cred *cred = prepare_creds();

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cred->uid = KUIDT_INIT(uid);
	fake_kernel.missing_caps = BIT_ULL(CAP_SYS_RESOURCE);
	return override_creds(cred);
}

static void run_as_before(const struct cred *before)
{
	const struct cred *cred = current_cred();

	revert_creds(before);
	put_cred(cred);
	fake_kernel.missing_caps = 0;
}

/* Try to create a session; return 0 or -errno. */
static int try_create(struct ucore_session **session)
{
	const struct ucore_create_session config = { };

	*session = ucore_registry_add(&config, false);
	return PTR_ERR_OR_ZERO(*session);
}

static u32 create_sessions(struct ucore_session **sessions, u32 nr)
{
	u32 i;

	for (i = 0; i < nr && !try_create(&sessions[i]); i++)
		;
	return i;
}

static void delete_sessions(struct ucore_session **sessions, u32 nr)
{
	while (nr--)
		ucore_registry_del(sessions[nr]);
}

static void session_beyond_user_limit_is_refused(struct kunit *test)
{
	struct ucore_session **all = kunit_kcalloc(test, UCORE_SESSIONS_MAX, sizeof(*all),
						   GFP_KERNEL);
	const struct cred *before = run_as(test, 1000), *first;
	struct ucore_session *one;
	u32 step = 1, nr;

	/* a creation that fails at any step is not counted */
	for (fake_kernel.fail_in = step; try_create(&all[0]); fake_kernel.fail_in = ++step)
		KUNIT_EXPECT_EQ(test, PTR_ERR(all[0]), (long)-ENOMEM);
	fake_kernel.fail_in = 0;
	KUNIT_EXPECT_GT(test, step, 3U);
	nr = 1 + create_sessions(all + 1, UCORE_SESSIONS_MAX - 1);
	KUNIT_EXPECT_EQ(test, nr, UCORE_SESSIONS_MAX);
	KUNIT_EXPECT_EQ(test, try_create(&one), -EDQUOT);
	KUNIT_EXPECT_EQ(test, ucore_registry_count(), UCORE_SESSIONS_MAX);

	/* another user has a limit of its own */
	first = run_as(test, 1001);
	KUNIT_EXPECT_EQ(test, try_create(&one), 0);
	ucore_registry_del(one);
	run_as_before(first);

	/* with CAP_SYS_RESOURCE there is no limit, and the session counts */
	fake_kernel.missing_caps = 0;
	KUNIT_EXPECT_EQ(test, try_create(&one), 0);
	fake_kernel.missing_caps = BIT_ULL(CAP_SYS_RESOURCE);
	ucore_registry_del(all[--nr]);
	all[nr] = one;
	KUNIT_EXPECT_EQ(test, nr + 1, UCORE_SESSIONS_MAX);
	KUNIT_EXPECT_EQ(test, try_create(&one), -EDQUOT);

	/* a revoked session counts until its descriptor is closed */
	KUNIT_EXPECT_EQ(test, ucore_registry_revoke(all[0]->id), 0);
	KUNIT_EXPECT_EQ(test, try_create(&one), -EDQUOT);
	ucore_registry_del(all[0]);
	KUNIT_EXPECT_EQ(test, try_create(&all[0]), 0);
	KUNIT_EXPECT_EQ(test, try_create(&one), -EDQUOT);
	delete_sessions(all, nr + 1);
	KUNIT_EXPECT_EQ(test, ucore_registry_count(), 0U);
	run_as_before(before);
}

static void registry_lists_ids_in_ascending_order(struct kunit *test)
{
	struct ucore_session *s[3] = { };
	struct ucore_session_info info;

	KUNIT_ASSERT_EQ(test, create_sessions(s, 3), 3U);
	ucore_registry_del(s[1]);
	KUNIT_ASSERT_TRUE(test, ucore_registry_describe(0, &info));
	KUNIT_EXPECT_EQ(test, info.session, s[0]->id);
	KUNIT_ASSERT_TRUE(test, ucore_registry_describe(info.session, &info));
	KUNIT_EXPECT_EQ(test, info.session, s[2]->id);
	KUNIT_EXPECT_FALSE(test, ucore_registry_describe(info.session, &info));
	KUNIT_EXPECT_FALSE(test, ucore_registry_describe(U64_MAX, &info));
	ucore_registry_del(s[2]);
	ucore_registry_del(s[0]);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(registry_describes_all_sessions),
	KUNIT_CASE(revoked_session_releases_everything),
	KUNIT_CASE(revoke_leaves_other_sessions_running),
	KUNIT_CASE(registry_add_with_intel_uncore_loaded_fails),
	KUNIT_CASE(session_beyond_user_limit_is_refused),
	KUNIT_CASE(registry_lists_ids_in_ascending_order),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_registry",
	.init = fake_machine_init_2,
	.exit = fake_machine_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
