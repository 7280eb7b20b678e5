/* SPDX-License-Identifier: GPL-2.0-only */
/* Execution of the ioctl commands of /dev/ucore and of session descriptors. */
#ifndef UCORE_IOCTL_H
#define UCORE_IOCTL_H

#include <linux/fs.h>
#include <linux/stddef.h>

#include "ucore_uapi.h"

/* Argument of any command, copied from and to user memory as a whole. */
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
	struct ucore_get_ports ports;
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
 * @file: open file of the descriptor on which the command was called
 * @arg: argument of the command, a copy in kernel memory
 * @new: file of a new session; installed once the answer has been copied to user memory
 * @more: array that the argument points to, copied in by @fetch of the command; freed at the
 *        end of the call
 * @enter: function that locks the session. Fails with -ESHUTDOWN if the session was revoked,
 *         and with -EINTR if @killable and the caller is being killed. NULL for /dev/ucore.
 * @leave: function that unlocks the session; NULL for /dev/ucore
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
 * struct ucore_ioctl_cmd - a command, one row of a command table
 * @cmd: ioctl number
 * @size: size of the argument in the first published version (bytes), the minimum accepted
 * @known: size of the argument in this version of the driver (bytes)
 * @flags: mask of the flags that the command defines
 * @answers: the argument is copied back to user memory
 * @works: the command uses CPU time of the session's readers and waits for admission
 * @moves: the command may make other CPUs the readers of the dies. Its admission waits for the
 *         CPU budgets of the readers of all dies
 * @fetch: function that copies in the array that the argument points to; NULL if there is none
 * @run: function that executes the command, for a session command with the session locked. @run
 *       must not access user memory, because a page fault may block forever.
 * @deliver: function that copies out results that are not part of the argument; NULL if there
 *           are none
 * @undo: function that reverts the command, with the session locked, if the answer cannot be
 *        copied out; NULL if the command changed nothing
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

/*
 * Initializers of a row of a command table, for a command without and with an answer. @last is
 * the last member of the argument in its first published version.
 */
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
