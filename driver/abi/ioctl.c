// SPDX-License-Identifier: GPL-2.0-only
/*
 * Execution of ioctl commands: copy the argument in, check it, run the command, copy the answer
 * out.
 *
 * Contains the steps that all commands of the device and of sessions share. Only the files of
 * the abi layer access user memory. Process context.
 */
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "abi/ioctl.h"

/**
 * ucore_ioctl_find() - find a command by its number
 * @table: commands of this kind of descriptor
 * @n: length of @table
 * @cmd: ioctl number
 *
 * Return: the command, or NULL if the table has none with this number.
 */
const struct ucore_ioctl_cmd *ucore_ioctl_find(const struct ucore_ioctl_cmd *table, size_t n,
					       unsigned int cmd)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (table[i].cmd == cmd)
			return &table[i];
	return NULL;
}

static int run_locked(const struct ucore_ioctl_cmd *command, struct ucore_ioctl_call *call)
{
	int ret = call->enter ? call->enter(call, true) : 0;

	if (ret)
		return ret;
	ret = command->run(call);
	if (call->leave)
		call->leave(call);
	return ret;
}

static void undo_locked(const struct ucore_ioctl_cmd *command, struct ucore_ioctl_call *call)
{
	if (!command->undo || (call->enter && call->enter(call, false)))
		return;
	command->undo(call);
	if (call->leave)
		call->leave(call);
}

/*
 * Copy the answer of a command to user memory. @ret is the result of the command. With -ENOSPC
 * the argument is also copied, because it contains the required sizes. After any other error
 * the argument in user memory stays unchanged.
 */
static int answer(const struct ucore_ioctl_cmd *command, struct ucore_ioctl_call *call,
		  void __user *user, u32 usize, int ret)
{
	int failed = 0;

	if (ret && ret != -ENOSPC)
		return ret;
	if (!ret && command->deliver)
		failed = command->deliver(call);
	if (!failed && command->answers &&
	    copy_to_user(user, &call->arg, min(usize, command->known)))
		failed = -EFAULT;
	if (failed && !ret)
		undo_locked(command, call);
	return failed ?: ret;
}

/**
 * ucore_ioctl_run() - execute an ioctl command
 * @command: row of the command table
 * @call: the call, with its descriptor and lock functions set
 * @user: address of the argument in user memory
 *
 * Return: 0 or -errno, as documented in uapi/ucore.h.
 */
int ucore_ioctl_run(const struct ucore_ioctl_cmd *command, struct ucore_ioctl_call *call,
		    void __user *user)
{
	u32 usize;
	int ret;

	if (get_user(usize, (u32 __user *)user))
		return -EFAULT;
	if (usize < command->size)
		return -EINVAL;
	if (usize > UCORE_SIZE_MAX)
		return -E2BIG;
	ret = copy_struct_from_user(&call->arg, command->known, user, usize);
	if (ret)
		return ret;
	call->arg.size = usize;	/* may have changed in user memory since get_user() */
	if (call->arg.flags & ~command->flags)
		return -EINVAL;

	ret = command->fetch ? command->fetch(call) : 0;
	if (ret)
		return ret;
	ret = answer(command, call, user, usize, run_locked(command, call));
	kfree(call->more);
	return ret;
}
