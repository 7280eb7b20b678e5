// SPDX-License-Identifier: GPL-2.0-only
/*
 * How much memory may a user's rings have?  It cannot be swapped, so it counts as perf's
 * buffers do: with all that the user has locked, up to RLIMIT_MEMLOCK and an allowance
 * for each CPU.  Process context.
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

/* As kernel.perf_event_mlock_kb: 512 KiB of records for each CPU, and a ring's two pages */
static unsigned int mlock_kb = 520;
module_param(mlock_kb, uint, 0644);
MODULE_PARM_DESC(mlock_kb,
		 "KiB of rings that a user may have for each CPU beyond RLIMIT_MEMLOCK (520)");

static unsigned long pages_allowed(void)
{
	u64 spare = (u64)READ_ONCE(mlock_kb) * num_online_cpus() >> (PAGE_SHIFT - 10);

	return (rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT) + spare;
}

/**
 * ucore_memlock_charge() - may so much memory be had?
 * @charge: remembers what is to be given back; nothing is charged as yet
 * @user: whose memory it is
 * @bytes: how much
 *
 * The limit is the caller's, who needs none with CAP_IPC_LOCK.
 *
 * Return: 0, or -ENOBUFS.
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
 * ucore_memlock_uncharge() - the memory is free again
 * @charge: what was charged, if anything
 */
void ucore_memlock_uncharge(struct ucore_charge *charge)
{
	if (!charge->user)
		return;
	atomic_long_sub(charge->pages, &charge->user->locked_vm);
	free_uid(charge->user);
	charge->user = NULL;
}
