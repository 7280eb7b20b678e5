/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers that drop the permissions of root */
#ifndef UAPI_USER_H
#define UAPI_USER_H

#include "harness.h"
#include <grp.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include "ucore.h"

#define USER		1000

static inline void become(uid_t user, uint64_t capabilities)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = {
		{ .effective = capabilities, .permitted = capabilities },
		{ .effective = capabilities >> 32, .permitted = capabilities >> 32 },
	};

	must(!prctl(PR_SET_KEEPCAPS, 1), "prctl: %m");
	must(!setgroups(0, NULL), "setgroups: %m");
	must(!setresgid(user, user, user) && !setresuid(user, user, user), "setresuid: %m");
	must(!syscall(SYS_capset, &header, data), "capset: %m");
}

static inline void become_user(uint64_t capabilities)
{
	become(USER, capabilities);
}

static inline void everybody_may_count(void)
{
	must(!chmod(UCORE_DEVICE, 0666), "chmod: %m");
}

/* End everybody_may_count(), for the next test on the machine */
static inline void only_root_may_count(void)
{
	must(!chmod(UCORE_DEVICE, 0600), "chmod: %m");
}

#endif
