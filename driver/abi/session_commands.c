// SPDX-License-Identifier: GPL-2.0-only
/*
 * File operations of session descriptors: commands, poll, mmap of rings. Owns the table of
 * session commands and the layout of mmap offsets. Process context.
 */
#include <linux/bits.h>
#include <linux/module.h>
#include <linux/mm.h>
#include <linux/poll.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "abi/ioctl.h"
#include "abi/session_commands.h"
#include "box/catalog.h"
#include "session/budget_admission.h"
#include "session/core_triggers.h"
#include "session/pmi_cpus.h"
#include "session/prepare_contexts.h"
#include "session/session_and_events.h"
#include "session/session_registry.h"
#include "session/snapshot.h"
#include "session/start_stop_reset.h"

/* Distance between the mmap offsets of two rings (bytes); domain i has offset i * RING_WINDOW */
#define RING_WINDOW	BIT_ULL(28)

/*
 * ---- commands of session descriptors ----
 */

static struct ucore_session *call_session(const struct ucore_ioctl_call *call)
{
	return call->file->private_data;
}

/* Copy an array of @nr elements from user memory to @call->more, which stays NULL on failure. */
static int fetch_array(struct ucore_ioctl_call *call, u64 user, u32 nr, size_t size)
{
	void *array = memdup_user(u64_to_user_ptr(user), array_size(nr, size));

	if (IS_ERR(array))
		return PTR_ERR(array);
	call->more = array;
	return 0;
}

static int fetch_add_event(struct ucore_ioctl_call *call)
{
	const struct ucore_add_event *add = &call->arg.add;

	if (add->nr_terms > UCORE_TERMS_MAX || add->reserved)
		return -EINVAL;
	return add->nr_terms ? fetch_array(call, add->terms, add->nr_terms,
					   sizeof(struct ucore_term)) : 0;
}

static int cmd_add_event(struct ucore_ioctl_call *call)
{
	return ucore_session_add_event(call_session(call), &call->arg.add, call->more);
}

static void undo_add_event(struct ucore_ioctl_call *call)
{
	ucore_session_remove_event(call_session(call), call->arg.add.event);
}

static int cmd_remove_event(struct ucore_ioctl_call *call)
{
	if (call->arg.remove.reserved)
		return -EINVAL;
	return ucore_session_remove_event(call_session(call), call->arg.remove.event);
}

static int fetch_pmi_cpus(struct ucore_ioctl_call *call)
{
	const struct ucore_set_pmi_cpus *set = &call->arg.cpus;

	if (set->reserved || !set->nr || set->nr > UCORE_PMI_CPUS_MAX)
		return -EINVAL;
	return fetch_array(call, set->cpus, set->nr, sizeof(u32));
}

static int cmd_set_pmi_cpus(struct ucore_ioctl_call *call)
{
	return ucore_pmi_cpus_set(call_session(call), call->more, call->arg.cpus.nr);
}

static int cmd_add_core_trigger(struct ucore_ioctl_call *call)
{
	return ucore_core_triggers_add(call_session(call), &call->arg.trigger);
}

static int cmd_start(struct ucore_ioctl_call *call)
{
	return ucore_counting_start(call_session(call));
}

static int cmd_stop(struct ucore_ioctl_call *call)
{
	ucore_counting_stop(call_session(call));
	return 0;
}

static int cmd_reset(struct ucore_ioctl_call *call)
{
	return ucore_counting_reset(call_session(call));
}

static int cmd_read(struct ucore_ioctl_call *call)
{
	struct ucore_session *session = call_session(call);
	struct ucore_read *read = &call->arg.read;
	u32 nr_values = read->nr_values, nr_domains = read->nr_domains;

	if (!session->nr_events)
		return -ENOENT;
	read->nr_values = session->nr_events;
	read->nr_domains = session->nr_domains;
	if (nr_values < read->nr_values || nr_domains < read->nr_domains)
		return -ENOSPC;
	ucore_snapshot_take(session, read->flags & UCORE_READ_F_NO_FREEZE);
	read->skew_ns = session->skew_ns;
	return 0;
}

/*
 * Copy the snapshot of READ to user memory. The arrays @values, @ran_ns and @domains of the
 * session stay valid, because session->caller excludes other commands and a revoke does not
 * free the arrays.
 */
static int deliver_read(struct ucore_ioctl_call *call)
{
	const struct ucore_session *session = call_session(call);
	const struct ucore_read *read = &call->arg.read;

	if (copy_to_user(u64_to_user_ptr(read->values), session->values,
			 array_size(read->nr_values, sizeof(*session->values))) ||
	    (read->running &&
	     copy_to_user(u64_to_user_ptr(read->running), session->ran_ns,
			  array_size(read->nr_values, sizeof(*session->ran_ns)))) ||
	    copy_to_user(u64_to_user_ptr(read->domains), session->domains,
			 array_size(read->nr_domains, sizeof(*session->domains))))
		return -EFAULT;
	return 0;
}

static void undo_read(struct ucore_ioctl_call *call)
{
	ucore_snapshot_undo(call_session(call));
}

static int cmd_get_status(struct ucore_ioctl_call *call)
{
	struct ucore_get_status *status = &call->arg.status;

	*status = (struct ucore_get_status){ .size = status->size };
	ucore_session_get_status(call_session(call), status);
	return 0;
}

static int cmd_get_budget(struct ucore_ioctl_call *call)
{
	struct ucore_get_budget *budget = &call->arg.budget;

	if (budget->reserved)
		return -EINVAL;
	*budget = (struct ucore_get_budget){ .size = budget->size };
	return ucore_admit_budget(call_session(call), budget);
}

static int cmd_get_ring(struct ucore_ioctl_call *call)
{
	struct ucore_get_ring *info = &call->arg.ring;
	struct ucore_domain *domain = ucore_catalog_domain(info->domain);
	struct ucore_session *session = call_session(call);
	struct ucore_domain_ctx *ctx;
	int ret;

	if (!domain)
		return -ENOENT;
	ctx = ucore_session_ctx(session, domain->id);
	ret = ctx ? ucore_prepare_ring(session, ctx) : 0;
	if (ret)
		return ret;
	if (!ctx || !ctx->ring)
		return -ENOENT;
	info->data_size = ctx->ring->size;
	info->consumer = domain->id * RING_WINDOW;
	info->producer = info->consumer + PAGE_SIZE;
	return 0;
}

static const struct ucore_ioctl_cmd session_commands[] = {
	{ UCORE_ANSWER(UCORE_ADD_EVENT, struct ucore_add_event, poll_ns, cmd_add_event),
	  .flags = UCORE_EVENT_F_NO_POLL, .fetch = fetch_add_event, .undo = undo_add_event },
	{ UCORE_ACTION(UCORE_REMOVE_EVENT, struct ucore_remove_event, reserved, cmd_remove_event) },
	{ UCORE_ACTION(UCORE_SET_PMI_CPUS, struct ucore_set_pmi_cpus, cpus, cmd_set_pmi_cpus),
	  .works = true, .moves = true, .fetch = fetch_pmi_cpus },
	{ UCORE_ACTION(UCORE_ADD_CORE_TRIGGER, struct ucore_add_core_trigger, period,
		       cmd_add_core_trigger),
	  .flags = UCORE_CORE_TRIGGER_F_USER },
	{ UCORE_ACTION(UCORE_START, struct ucore_command, flags, cmd_start), .works = true },
	{ UCORE_ACTION(UCORE_STOP, struct ucore_command, flags, cmd_stop) },
	{ UCORE_ACTION(UCORE_RESET, struct ucore_command, flags, cmd_reset), .works = true },
	{ UCORE_ANSWER(UCORE_READ, struct ucore_read, skew_ns, cmd_read),
	  .flags = UCORE_READ_F_NO_FREEZE, .works = true, .deliver = deliver_read,
	  .undo = undo_read },
	{ UCORE_ANSWER(UCORE_GET_STATUS, struct ucore_get_status, writes, cmd_get_status) },
	{ UCORE_ANSWER(UCORE_GET_RING, struct ucore_get_ring, producer, cmd_get_ring) },
	{ UCORE_ANSWER(UCORE_GET_BUDGET, struct ucore_get_budget, delayed, cmd_get_budget) },
};

static int session_enter(struct ucore_ioctl_call *call, bool killable)
{
	struct ucore_session *session = call_session(call);

	if (!killable)
		mutex_lock(&session->lock);
	else if (mutex_lock_killable(&session->lock))
		return -EINTR;
	if (!session->revoked)
		return 0;
	mutex_unlock(&session->lock);
	return -ESHUTDOWN;
}

static void session_leave(struct ucore_ioctl_call *call)
{
	struct ucore_session *session = call_session(call);

	mutex_unlock(&session->lock);
}

/*
 * Run one command of a session at a time. A command may block for any time while it copies
 * from or to user memory, because the caller controls that memory (userfaultfd, FUSE).
 */
static long run_serialized(const struct ucore_ioctl_cmd *command, struct ucore_ioctl_call *call,
			   unsigned long arg)
{
	struct ucore_session *session = call_session(call);
	long ret;

	if (mutex_lock_killable(&session->caller))
		return -EINTR;
	ret = ucore_ioctl_run(command, call, (void __user *)arg);
	mutex_unlock(&session->caller);
	return ret;
}

static long session_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	const struct ucore_ioctl_cmd *command = ucore_ioctl_find(session_commands,
						     ARRAY_SIZE(session_commands), cmd);
	struct ucore_session *session = file->private_data;
	struct ucore_ioctl_call call = {
		.file = file, .enter = session_enter, .leave = session_leave,
	};
	long ret;

	if (!command)
		return -ENOTTY;
	if (!command->works)
		return run_serialized(command, &call, arg);
	ret = ucore_admit_begin(session, command->moves);
	if (ret)
		return ret;
	ret = run_serialized(command, &call, arg);
	ucore_admit_end(session);
	return ret;
}

/*
 * ---- file operations of session descriptors ----
 */

static int session_release(struct inode *inode, struct file *file)
{
	ucore_registry_del(file->private_data);
	return 0;
}

static __poll_t session_poll(struct file *file, poll_table *wait)
{
	struct ucore_session *session = file->private_data;

	poll_wait(file, &session->sink.wait, wait);
	if (READ_ONCE(session->revoked))
		return EPOLLHUP | EPOLLERR;
	return ucore_session_readable(session) ? EPOLLIN | EPOLLRDNORM : 0;
}

static int session_mmap(struct file *file, struct vm_area_struct *vma)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	struct ucore_ring *ring = ucore_session_ring(file->private_data, offset / RING_WINDOW);
	int ret = -EINVAL;

	if (!ring)
		return -ENOENT;
	switch (offset % RING_WINDOW) {
	case 0:
		ret = ucore_ring_mmap(ring, vma, true);
		break;
	case PAGE_SIZE:
		ret = ucore_ring_mmap(ring, vma, false);
		break;
	}
	ucore_ring_put(ring);
	return ret;
}

const struct file_operations ucore_session_fops = {
	.owner = THIS_MODULE,
	.release = session_release,
	.unlocked_ioctl = session_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = session_poll,
	.mmap = session_mmap,
};
