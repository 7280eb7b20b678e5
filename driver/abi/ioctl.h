/* SPDX-License-Identifier: GPL-2.0-only */
/* Execution of commands of /dev/ucore and of sessions. */
#ifndef UCORE_IOCTL_H
#define UCORE_IOCTL_H

#include <linux/fs.h>
#include <linux/stddef.h>

#include "ucore_uapi.h"

/* Argument of any command. Copied in and out as a whole. */
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
	struct ucore_revoke_session revoke;
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
 * struct ucore_ioctl_call - an ioctl in progress
 * @file: the descriptor
 * @arg: argument of the command
 * @new: file to install once the answer has reached user space
 * @more: memory that @fetch of the command copied in; freed at the end
 * @enter: locks the object of the command; fails if the object is gone, or, if killable, if
 *         the caller is being killed. NULL if there is no object to lock.
 * @leave: unlocks the object
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
 * struct ucore_ioctl_cmd - a row of a command table
 * @cmd: ioctl number
 * @size: size of the argument in the first published version, the minimum accepted
 * @known: present size of the argument
 * @flags: flags that the command defines
 * @answers: the argument is copied back
 * @works: the command uses CPU time of the session's readers and waits for admission
 * @moves: the command may move the readers of all dies, so that it waits for all of them
 * @fetch: validates references to further user memory and copies it in; NULL if there is none
 * @run: executes the command, with the lock held if the call has @enter; must not access user
 *       memory, because a page fault may block forever
 * @deliver: copies results out that are not part of the argument; NULL if there are none
 * @undo: reverts the command, with the lock held, if the answer cannot be copied out; NULL if
 *        the command changed nothing
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

/* Rows for a command without an answer and for a command with one. */
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
