// SPDX-License-Identifier: GPL-2.0-only
/*
 * Commands: copy in, check, call down, copy out.
 *
 * One table row for each command.  This file alone knows user memory and the
 * uapi structs; below it there are sessions and boxes.  Process context.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/pci.h>
#include <linux/pid.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "abi/describe.h"
#include "abi/ioctl.h"
#include "box/catalog.h"
#include "session/event.h"
#include "session/run.h"
#include "session/session.h"

/* A command's argument, whichever it is; copied in whole, copied out whole. */
union argument {
	struct {
		u32 size;
		u32 flags;
	};
	struct ucore_info info;
	struct ucore_get_domains domains;
	struct ucore_get_boxes boxes;
	struct ucore_get_fields fields;
	struct ucore_get_tables tables;
	struct ucore_get_units units;
	struct ucore_create_session create;
	struct ucore_event_add add;
	struct ucore_event_remove remove;
	struct ucore_set_pmi_cpu cpu;
	struct ucore_command command;
	struct ucore_read read;
	struct ucore_status status;
	struct ucore_ring_info ring;
};

/**
 * struct call - one ioctl under way
 * @file: the descriptor
 * @arg: its argument
 * @new: descriptor to be installed once the answer has reached the caller
 */
struct call {
	struct file *file;
	union argument arg;
	struct file *new;
};

/**
 * struct command - one row of a command table
 * @cmd: ioctl number
 * @size: size of its argument as first published, the least accepted
 * @flags: flags it defines
 * @answers: its argument is copied back
 * @run: does it
 * @undo: undoes it when the answer does not reach the caller, NULL if nothing
 *        was changed
 */
struct command {
	unsigned int cmd;
	u32 size;
	u32 flags;
	bool answers;
	int (*run)(struct call *call);
	void (*undo)(struct call *call);
};

/*
 * ---- /dev/ucore ----
 */

static int cmd_info(struct call *call)
{
	struct ucore_info *info = &call->arg.info;
	u32 state = ucore_describe_state();

	if (info->reserved)
		return -EINVAL;
	*info = (struct ucore_info){
		.size = info->size,
		.abi = UCORE_ABI_VERSION,
		.state = state,
		.nr_domains = ucore_catalog.nr_domains,
		.nr_boxes = ucore_catalog.nr_boxes,
		.nr_counters = ucore_catalog_counters(NULL),
		.family = boot_cpu_data.x86,
		.model = boot_cpu_data.x86_model,
		.stepping = boot_cpu_data.x86_stepping,
	};
	info->caps = ucore_catalog.caps;
	if (ucore_catalog.platform)
		strscpy(info->platform, ucore_catalog.platform->name, sizeof(info->platform));
	strscpy(info->reason, ucore_describe_reason(state), sizeof(info->reason));
	return 0;
}

static int cmd_get_domains(struct call *call)
{
	struct ucore_domain_info __user *domains = u64_to_user_ptr(call->arg.domains.domains);
	u32 n = min(call->arg.domains.nr, ucore_catalog.nr_domains);
	struct ucore_domain_info out;
	u32 i;

	for (i = 0; i < n; i++) {
		ucore_describe_domain(&ucore_catalog.domains[i], &out);
		if (copy_to_user(&domains[i], &out, sizeof(out)))
			return -EFAULT;
	}
	call->arg.domains.nr = n;
	call->arg.domains.total = ucore_catalog.nr_domains;
	return 0;
}

static int cmd_get_boxes(struct call *call)
{
	struct ucore_box_info __user *boxes = u64_to_user_ptr(call->arg.boxes.boxes);
	u32 total = ucore_catalog.nr_boxes, first = call->arg.boxes.first;
	bool admin = ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
	struct ucore_box_info out;
	u32 i, n = 0;

	if (call->arg.boxes.reserved)
		return -EINVAL;
	if (first < total)
		n = min(call->arg.boxes.nr, total - first);
	for (i = 0; i < n; i++) {
		ucore_describe_box(ucore_catalog_box(first + i), admin, &out);
		if (copy_to_user(&boxes[i], &out, sizeof(out)))
			return -EFAULT;
		cond_resched();
	}
	call->arg.boxes.nr = n;
	call->arg.boxes.total = total;
	return 0;
}

static int cmd_get_fields(struct call *call)
{
	struct ucore_field __user *fields = u64_to_user_ptr(call->arg.fields.fields);
	const struct ucore_box *box = ucore_catalog_box(call->arg.fields.box);
	struct ucore_field out;
	u32 i, n = 0;

	if (call->arg.fields.reserved)
		return -EINVAL;
	if (!box)
		return -ENOENT;
	for (i = 0; i < box->desc.type->nr_fields; i++) {
		if (!ucore_field_present(box, &box->desc.type->fields[i]))
			continue;
		if (n < call->arg.fields.nr) {
			ucore_field_describe(box, i, &out);
			if (copy_to_user(&fields[n], &out, sizeof(out)))
				return -EFAULT;
		}
		n++;
	}
	call->arg.fields.nr = min(n, call->arg.fields.nr);
	call->arg.fields.total = n;
	return 0;
}

static int cmd_get_tables(struct call *call)
{
	const struct ucore_report *report = ucore_catalog_report();
	struct ucore_table_info __user *tables = u64_to_user_ptr(call->arg.tables.tables);
	bool admin = ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
	u32 total = report ? report->nr_tables() : 0;
	u32 i, n = min(call->arg.tables.nr, total);
	struct ucore_table_info out;

	for (i = 0; i < n; i++) {
		report->table(i, &out);
		if (!admin) {
			out.address = 0;
			out.global = 0;
			out.status_offset = 0;
		}
		if (copy_to_user(&tables[i], &out, sizeof(out)))
			return -EFAULT;
	}
	call->arg.tables.nr = n;
	call->arg.tables.total = total;
	return 0;
}

static int cmd_get_units(struct call *call)
{
	const struct ucore_report *report = ucore_catalog_report();
	struct ucore_unit_info __user *units = u64_to_user_ptr(call->arg.units.units);
	u32 total = report ? report->nr_units() : 0, first = call->arg.units.first;
	bool admin = ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
	struct ucore_unit_info out;
	u32 i, n = 0;

	if (call->arg.units.reserved)
		return -EINVAL;
	if (first < total)
		n = min(call->arg.units.nr, total - first);
	for (i = 0; i < n; i++) {
		report->unit(first + i, &out);
		if (!admin)
			memset(out.word, 0, sizeof(out.word));
		if (copy_to_user(&units[i], &out, sizeof(out)))
			return -EFAULT;
		cond_resched();
	}
	call->arg.units.nr = n;
	call->arg.units.total = total;
	return 0;
}

static int create_check(const struct ucore_create_session *create)
{
	if (create->reserved)
		return -EINVAL;
	if (create->timer_ns && (create->timer_ns < UCORE_TIMER_MIN_NS ||
				 create->timer_ns > UCORE_TIMER_MAX_NS))
		return -ERANGE;
	if (create->ring_size && (!is_power_of_2(create->ring_size) ||
				  create->ring_size < UCORE_RING_MIN ||
				  create->ring_size > UCORE_RING_MAX))
		return -ERANGE;
	if (create->wakeup && create->wakeup >= create->ring_size)
		return -ERANGE;
	return 0;
}

static int cmd_create_session(struct call *call)
{
	struct ucore_create_session *create = &call->arg.create;
	/* what the opener of the device was allowed, not who holds it now */
	bool context = file_ns_capable(call->file, &init_user_ns, CAP_PERFMON) ||
		       file_ns_capable(call->file, &init_user_ns, CAP_SYS_ADMIN);
	struct ucore_session *session;
	struct file *new;
	int fd, ret;

	ret = create_check(create);
	if (ret)
		return ret;
	session = ucore_session_create(create, context);
	if (IS_ERR(session))
		return PTR_ERR(session);
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		ucore_session_destroy(session);
		return fd;
	}
	new = anon_inode_getfile("[ucore]", &ucore_session_fops, session, O_RDWR);
	if (IS_ERR(new)) {
		put_unused_fd(fd);
		ucore_session_destroy(session);
		return PTR_ERR(new);
	}
	create->fd = fd;
	call->new = new;
	return 0;
}

static void undo_create_session(struct call *call)
{
	put_unused_fd(call->arg.create.fd);
	fput(call->new);
	call->new = NULL;
}

/*
 * ---- session descriptor; the session's lock is held ----
 */

static struct ucore_session *call_session(const struct call *call)
{
	return call->file->private_data;
}

static int cmd_event_add(struct call *call)
{
	struct ucore_event_add *add = &call->arg.add;
	struct ucore_term *terms = NULL;
	int ret;

	if (add->nr_terms > UCORE_TERMS_MAX)
		return -EINVAL;
	if (add->nr_terms) {
		terms = memdup_user(u64_to_user_ptr(add->terms),
				    array_size(add->nr_terms, sizeof(*terms)));
		if (IS_ERR(terms))
			return PTR_ERR(terms);
	}
	ret = ucore_session_add(call_session(call), add, terms);
	kfree(terms);
	return ret;
}

static void undo_event_add(struct call *call)
{
	ucore_session_remove(call_session(call), call->arg.add.event);
}

static int cmd_event_remove(struct call *call)
{
	if (call->arg.remove.reserved)
		return -EINVAL;
	return ucore_session_remove(call_session(call), call->arg.remove.event);
}

static int cmd_set_pmi_cpu(struct call *call)
{
	if (call->arg.cpu.reserved)
		return -EINVAL;
	return ucore_session_set_cpu(call_session(call), call->arg.cpu.cpu);
}

static int cmd_start(struct call *call)
{
	return ucore_session_start(call_session(call));
}

static int cmd_stop(struct call *call)
{
	ucore_session_stop(call_session(call));
	return 0;
}

static int cmd_reset(struct call *call)
{
	return ucore_session_reset(call_session(call));
}

static int cmd_read(struct call *call)
{
	struct ucore_session *session = call_session(call);
	struct ucore_read *read = &call->arg.read;
	u32 nr_values = read->nr_values, nr_domains = read->nr_domains;
	int ret;

	if (!session->nr_events)
		return -ENOENT;
	read->nr_values = session->nr_events;
	read->nr_domains = ucore_session_nr_domains(session);
	if (nr_values < read->nr_values || nr_domains < read->nr_domains)
		return -ENOSPC;
	ret = ucore_session_read(session, read->flags & UCORE_READ_LIVE);
	if (ret)
		return ret;
	read->skew_ns = session->skew_ns;
	if (copy_to_user(u64_to_user_ptr(read->values), session->values,
			 array_size(read->nr_values, sizeof(*session->values))) ||
	    copy_to_user(u64_to_user_ptr(read->domains), session->domains,
			 array_size(read->nr_domains, sizeof(*session->domains))))
		return -EFAULT;
	return 0;
}

static int cmd_status(struct call *call)
{
	struct ucore_status *status = &call->arg.status;

	if (status->reserved)
		return -EINVAL;
	*status = (struct ucore_status){ .size = status->size };
	ucore_session_status(call_session(call), status);
	return 0;
}

static int cmd_ring_info(struct call *call)
{
	struct ucore_ring_info *info = &call->arg.ring;
	struct ucore_domain *domain = ucore_catalog_domain(info->domain);
	struct ucore_part *part;

	if (!domain)
		return -ENOENT;
	part = ucore_session_part(call_session(call), domain->id);
	if (!part || !part->ring)
		return -ENOENT;
	info->data_size = part->ring->size;
	info->consumer = domain->id * UCORE_RING_WINDOW;
	info->producer = info->consumer + PAGE_SIZE;
	return 0;
}

/*
 * ---- tables and dispatch ----
 */

/* A command that acts, and one that answers, too. */
#define ACTION(_cmd, type, last, _run) \
	.cmd = (_cmd), .size = offsetofend(type, last), .run = (_run)
#define ANSWER(_cmd, type, last, _run) \
	ACTION(_cmd, type, last, _run), .answers = true

static const struct command device_commands[] = {
	{ ANSWER(UCORE_INFO, struct ucore_info, reason, cmd_info) },
	{ ANSWER(UCORE_GET_DOMAINS, struct ucore_get_domains, domains, cmd_get_domains) },
	{ ANSWER(UCORE_GET_BOXES, struct ucore_get_boxes, boxes, cmd_get_boxes) },
	{ ANSWER(UCORE_GET_FIELDS, struct ucore_get_fields, fields, cmd_get_fields) },
	{ ANSWER(UCORE_GET_TABLES, struct ucore_get_tables, tables, cmd_get_tables) },
	{ ANSWER(UCORE_GET_UNITS, struct ucore_get_units, units, cmd_get_units) },
	{ ANSWER(UCORE_CREATE_SESSION, struct ucore_create_session, reserved,
		 cmd_create_session),
	  .flags = UCORE_SESSION_LOW_DWORD, .undo = undo_create_session },
};

static const struct command session_commands[] = {
	{ ANSWER(UCORE_EVENT_ADD, struct ucore_event_add, counter, cmd_event_add),
	  .undo = undo_event_add },
	{ ACTION(UCORE_EVENT_REMOVE, struct ucore_event_remove, reserved, cmd_event_remove) },
	{ ACTION(UCORE_SET_PMI_CPU, struct ucore_set_pmi_cpu, reserved, cmd_set_pmi_cpu) },
	{ ACTION(UCORE_START, struct ucore_command, flags, cmd_start) },
	{ ACTION(UCORE_STOP, struct ucore_command, flags, cmd_stop) },
	{ ACTION(UCORE_RESET, struct ucore_command, flags, cmd_reset) },
	{ ANSWER(UCORE_READ, struct ucore_read, skew_ns, cmd_read),
	  .flags = UCORE_READ_LIVE },
	{ ANSWER(UCORE_STATUS, struct ucore_status, writes, cmd_status) },
	{ ANSWER(UCORE_RING_INFO, struct ucore_ring_info, producer, cmd_ring_info) },
};

static const struct command *command_find(const struct command *table, size_t n,
					  unsigned int cmd)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (table[i].cmd == cmd)
			return &table[i];
	return NULL;
}

/*
 * Copy the answer out.  -ENOSPC tells how much space is needed; no other
 * failure changes the caller's argument.
 */
static int answer(const struct command *command, struct call *call, void __user *user,
		  u32 usize, int ret)
{
	if (!command->answers || (ret && ret != -ENOSPC))
		return ret;
	if (!copy_to_user(user, &call->arg, min(usize, command->size)))
		return ret;
	if (!ret && command->undo)
		command->undo(call);
	return -EFAULT;
}

static int command_run(const struct command *command, struct call *call, void __user *user)
{
	u32 usize;
	int ret;

	if (get_user(usize, (u32 __user *)user))
		return -EFAULT;
	if (usize < command->size)
		return -EINVAL;
	if (usize > UCORE_SIZE_MAX)
		return -E2BIG;
	ret = copy_struct_from_user(&call->arg, command->size, user, usize);
	if (ret)
		return ret;
	call->arg.size = usize;	/* it may have changed between the two reads */
	if (call->arg.flags & ~command->flags)
		return -EINVAL;

	return answer(command, call, user, usize, command->run(call));
}

/**
 * ucore_ioctl_device() - a command on /dev/ucore
 * @file: the descriptor
 * @cmd: its number
 * @arg: address of its argument
 *
 * Return: 0 or -errno, as uapi/ucore.h tells.
 */
long ucore_ioctl_device(struct file *file, unsigned int cmd, unsigned long arg)
{
	const struct command *command = command_find(device_commands,
						     ARRAY_SIZE(device_commands), cmd);
	struct call call = { .file = file };
	long ret;

	if (!command)
		return -ENOTTY;
	ret = command_run(command, &call, (void __user *)arg);
	if (call.new)	/* the caller knows its number */
		fd_install(call.arg.create.fd, call.new);
	return ret;
}

/**
 * ucore_ioctl_session() - a command on a session
 * @file: the descriptor
 * @cmd: its number
 * @arg: address of its argument
 *
 * Return: 0 or -errno, as uapi/ucore.h tells.
 */
long ucore_ioctl_session(struct file *file, unsigned int cmd, unsigned long arg)
{
	const struct command *command = command_find(session_commands,
						     ARRAY_SIZE(session_commands), cmd);
	struct ucore_session *session = file->private_data;
	struct call call = { .file = file };
	long ret;

	if (!command)
		return -ENOTTY;
	mutex_lock(&session->lock);
	ret = command_run(command, &call, (void __user *)arg);
	mutex_unlock(&session->lock);
	return ret;
}
