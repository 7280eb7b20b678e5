// SPDX-License-Identifier: GPL-2.0-only
/*
 * Memory accounting of rings. Part of the sample layer. Runs in process context. Ring memory
 * cannot be swapped. Like the memory of perf buffers, ring memory is charged to the user's
 * locked memory. The limit is RLIMIT_MEMLOCK plus an allowance for each online CPU (mlock_kb).
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>

#include "sample/memlock.h"

/* Allowance (KiB for each CPU), as kernel.perf_event_mlock_kb: 512 KiB of records and two pages */
static unsigned int mlock_kb = 520;
module_param(mlock_kb, uint, 0644);
MODULE_PARM_DESC(mlock_kb,
		 "KiB of rings that a user may have for each CPU beyond RLIMIT_MEMLOCK (520)");

/* Return the number of pages of locked memory that a user of the calling task may have. */
static unsigned long pages_allowed(void)
{
	u64 spare = (u64)READ_ONCE(mlock_kb) * num_online_cpus() >> (PAGE_SHIFT - 10);

	return (rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT) + spare;
}

/**
 * ucore_memlock_charge() - charge memory to the locked memory of a user
 * @charge: charge to be initialized
 * @user: user to whom the memory is charged
 * @bytes: size of the memory (bytes), rounded up to pages
 *
 * RLIMIT_MEMLOCK of the calling task applies. A task with CAP_IPC_LOCK has no limit.
 *
 * Return: 0, or -ENOBUFS if the limit is exceeded.
 */
int ucore_memlock_charge(struct ucore_charge *charge, struct user_struct *user,
			 unsigned long bytes)
{
	unsigned long pages = PAGE_ALIGN(bytes) >> PAGE_SHIFT, limit = pages_allowed();
	long old = atomic_long_read(&user->locked_vm);

	do {
		if (old + pages > limit && !capable(CAP_IPC_LOCK))
			return -ENOBUFS;
	} while (!atomic_long_try_cmpxchg(&user->locked_vm, &old, old + pages));
	*charge = (struct ucore_charge){ .user = get_uid(user), .pages = pages };
	return 0;
}

/**
 * ucore_memlock_uncharge() - subtract charged memory from the locked memory of its user
 * @charge: charge; nothing happens if nothing is charged
 */
void ucore_memlock_uncharge(struct ucore_charge *charge)
{
	if (!charge->user)
		return;
	atomic_long_sub(charge->pages, &charge->user->locked_vm);
	free_uid(charge->user);
	charge->user = NULL;
}
