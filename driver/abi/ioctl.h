/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands: what those of /dev/ucore and of sessions have in common. */
#ifndef UCORE_IOCTL_H
#define UCORE_IOCTL_H

#include <linux/fs.h>
#include <linux/stddef.h>

#include "ucore_uapi.h"

/* A command's argument, whichever it is; copied in whole, copied out whole. */
union ucore_ioctl_arg {
	struct {
		u32 size;
		u32 flags;
	};
	struct ucore_get_info info;
	struct ucore_get_domains domains;
	struct ucore_get_boxes boxes;
	struct ucore_get_fields fields;
	struct ucore_get_links links;
	struct ucore_get_selftest selftest;
	struct ucore_get_tables tables;
	struct ucore_get_units units;
	struct ucore_get_core core;
	struct ucore_create_session create;
	struct ucore_get_sessions sessions;
	struct ucore_revoke_session end;
	struct ucore_add_event add;
	struct ucore_remove_event remove;
	struct ucore_set_pmi_cpus cpus;
	struct ucore_add_core_trigger trigger;
	struct ucore_command command;
	struct ucore_read read;
	struct ucore_get_status status;
	struct ucore_get_budget budget;
	struct ucore_get_ring ring;
};

/**
 * struct ucore_ioctl_call - one ioctl under way
 * @file: the descriptor
 * @arg: its argument
 * @new: descriptor to be installed once the answer has reached the caller
 * @more: what @fetch of its command copied in, freed in the end
 * @enter: locks what the command works on, NULL if nothing; fails if that is no more, or,
 *         if it is killable, if the caller is dying
 * @leave: unlocks it
 */
struct ucore_ioctl_call {
	struct file *file;
	union ucore_ioctl_arg arg;
	struct file *new;
	void *more;
	int (*enter)(struct ucore_ioctl_call *call, bool killable);
	void (*leave)(struct ucore_ioctl_call *call);
};

/**
 * struct ucore_ioctl_cmd - one row of a command table
 * @cmd: ioctl number
 * @size: size of its argument as first published, the least accepted
 * @known: its size today
 * @flags: flags it defines
 * @answers: its argument is copied back
 * @works: it makes readers work, and waits for their time: those of its session
 * @moves: those of all dies, for it may move them to other CPUs
 * @fetch: checks what the argument says of more memory and copies that in; NULL: none
 * @run: does it, locked if there is @enter: then user memory, which may never come, is for
 *       the others
 * @deliver: copies out what does not stand in the argument; NULL: nothing
 * @undo: undoes it, locked, when the answer does not reach the caller, NULL if
 *        nothing was changed
 */
struct ucore_ioctl_cmd {
	unsigned int cmd;
	u32 size;
	u32 known;
	u32 flags;
	bool answers;
	bool works;
	bool moves;
	int (*fetch)(struct ucore_ioctl_call *call);
	int (*run)(struct ucore_ioctl_call *call);
	int (*deliver)(struct ucore_ioctl_call *call);
	void (*undo)(struct ucore_ioctl_call *call);
};

/* A command that acts, and one that answers, too. */
#define UCORE_ACTION(_cmd, type, last, _run) \
	.cmd = (_cmd), .size = offsetofend(type, last), .known = sizeof(type), \
	.run = (_run)
#define UCORE_ANSWER(_cmd, type, last, _run) \
	UCORE_ACTION(_cmd, type, last, _run), .answers = true

const struct ucore_ioctl_cmd *ucore_ioctl_find(const struct ucore_ioctl_cmd *table, size_t n,
					       unsigned int cmd);
int ucore_ioctl_run(const struct ucore_ioctl_cmd *command, struct ucore_ioctl_call *call,
		    void __user *user);

#endif /* UCORE_IOCTL_H */
