// SPDX-License-Identifier: GPL-2.0-only
/*
 * /dev/ucore: commands that list the hardware, and CREATE_SESSION, which makes a session
 * descriptor. Owns the misc device and the table of device commands. Topmost layer; all
 * functions run in process context.
 */
#include <linux/anon_inodes.h>
#include <linux/capability.h>
#include <linux/file.h>
#include <linux/log2.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "abi/device_commands.h"
#include "abi/get_answers.h"
#include "abi/ioctl.h"
#include "abi/session_commands.h"
#include "box/catalog.h"
#include "event/event.h"
#include "find/iio_ports.h"
#include "irq/dead_box_recovery.h"
#include "session/session_registry.h"

static int cmd_get_info(struct ucore_ioctl_call *call)
{
	struct ucore_get_info *info = &call->arg.info;
	u32 state = ucore_describe_state();

	*info = (struct ucore_get_info){
		.size = info->size,
		.abi = UCORE_ABI_VERSION,
		.state = state,
		.nr_domains = ucore_catalog.nr_domains,
		.nr_boxes = ucore_catalog.nr_boxes,
		.nr_counters = ucore_catalog_counters(),
		.family = boot_cpu_data.x86,
		.model = boot_cpu_data.x86_model,
		.stepping = boot_cpu_data.x86_stepping,
		.cause = ucore_describe_cause(state),
	};
	info->caps = READ_ONCE(ucore_catalog.caps);
	if (ucore_catalog.platform)
		strscpy(info->platform, ucore_catalog.platform->name, sizeof(info->platform));
	strscpy(info->reason, ucore_describe_reason(state), sizeof(info->reason));
	return 0;
}

static int cmd_get_domains(struct ucore_ioctl_call *call)
{
	struct ucore_domain_info __user *domains = u64_to_user_ptr(call->arg.domains.domains);
	u32 n = min(call->arg.domains.nr, ucore_catalog.nr_domains);
	struct ucore_domain_info out;
	u32 i;

	for (i = 0; i < n; i++) {
		ucore_catalog_describe(&ucore_catalog.domains[i], &out);
		if (copy_to_user(&domains[i], &out, sizeof(out)))
			return -EFAULT;
	}
	call->arg.domains.nr = n;
	call->arg.domains.total = ucore_catalog.nr_domains;
	return 0;
}

static int cmd_get_boxes(struct ucore_ioctl_call *call)
{
	struct ucore_box_info __user *boxes = u64_to_user_ptr(call->arg.boxes.boxes);
	u32 total = ucore_catalog.nr_boxes, first = call->arg.boxes.first;
	bool admin = ns_capable_noaudit(&init_user_ns, CAP_SYS_ADMIN);
	struct ucore_box_info out;
	struct ucore_box *box;
	u32 i, n = 0;

	if (call->arg.boxes.reserved)
		return -EINVAL;
	if (first < total)
		n = min(call->arg.boxes.nr, total - first);
	for (i = 0; i < n; i++) {
		box = ucore_catalog_box(first + i);
		ucore_recovery_probe_absent(box);
		ucore_describe_box(box, admin, &out);
		if (copy_to_user(&boxes[i], &out, sizeof(out)))
			return -EFAULT;
		cond_resched();
	}
	call->arg.boxes.nr = n;
	call->arg.boxes.total = total;
	return 0;
}

static int cmd_get_fields(struct ucore_ioctl_call *call)
{
	struct ucore_field_info __user *fields = u64_to_user_ptr(call->arg.fields.fields);
	const struct ucore_box *box = ucore_catalog_box(call->arg.fields.box);
	struct ucore_field_info out;
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

static int cmd_get_links(struct ucore_ioctl_call *call)
{
	struct ucore_link_info __user *links = u64_to_user_ptr(call->arg.links.links);
	u32 total = ucore_catalog.nr_boxes, first = call->arg.links.first;
	struct ucore_link_info out;
	u32 i, n = 0;

	if (call->arg.links.reserved)
		return -EINVAL;
	if (first < total)
		n = min(call->arg.links.nr, total - first);
	for (i = 0; i < n; i++) {
		ucore_describe_link(ucore_catalog_box(first + i), &out);
		if (copy_to_user(&links[i], &out, sizeof(out)))
			return -EFAULT;
		cond_resched();
	}
	call->arg.links.nr = n;
	call->arg.links.total = total;
	return 0;
}

static int cmd_get_ports(struct ucore_ioctl_call *call)
{
	struct ucore_port_info __user *ports = u64_to_user_ptr(call->arg.ports.ports);
	const struct ucore_box *box = ucore_catalog_box(call->arg.ports.box);
	struct ucore_port_info out;
	struct ucore_port_walk walk;
	u32 n = 0;
	int ret = 0;

	if (call->arg.ports.reserved)
		return -EINVAL;
	if (!box)
		return -ENOENT;
	ucore_port_walk_begin(&walk, &box->desc);
	while (!ret && ucore_port_walk_next(&walk, &out)) {
		if (n < call->arg.ports.nr && copy_to_user(&ports[n], &out, sizeof(out)))
			ret = -EFAULT;
		n++;
	}
	ucore_port_walk_end(&walk);
	call->arg.ports.nr = min(n, call->arg.ports.nr);
	call->arg.ports.total = n;
	return ret;
}

static int cmd_get_selftest(struct ucore_ioctl_call *call)
{
	struct ucore_box *box = ucore_catalog_box(call->arg.selftest.box);

	if (!box)
		return -ENOENT;
	ucore_describe_selftest(box, &call->arg.selftest);
	return 0;
}

static int cmd_get_tables(struct ucore_ioctl_call *call)
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

static int cmd_get_units(struct ucore_ioctl_call *call)
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

static int cmd_get_core(struct ucore_ioctl_call *call)
{
	return ucore_describe_core(&call->arg.core);
}

static int create_check(const struct ucore_create_session *create)
{
	bool multiplex = create->flags & UCORE_SESSION_F_MULTIPLEX;

	if (create->timer_ns && (create->timer_ns < UCORE_TIMER_MIN_NS ||
				 create->timer_ns > UCORE_TIMER_MAX_NS))
		return -ERANGE;
	if (create->ring_size && (!is_power_of_2(create->ring_size) ||
				  create->ring_size < UCORE_RING_MIN ||
				  create->ring_size > UCORE_RING_MAX))
		return -ERANGE;
	if (create->wakeup && create->wakeup >= create->ring_size)
		return -ERANGE;
	if (create->nr_readers > UCORE_READERS_MAX)
		return -ERANGE;
	if (create->rotate_ns && (create->rotate_ns < UCORE_ROTATE_MIN_NS ||
				  create->rotate_ns > UCORE_ROTATE_MAX_NS))
		return -ERANGE;
	/*
	 * A session whose events do not always count takes no samples. A record has no room for the
	 * times in which the single events counted.
	 */
	if ((create->rotate_ns || multiplex) && (create->timer_ns || create->ring_size))
		return -EINVAL;
	if (multiplex && create->flags & UCORE_SESSION_F_BOX_FREEZE)
		return -EINVAL;
	/* a helper CPU cannot write the controls of the next group */
	return create->rotate_ns && create->nr_readers > 1 ? -EINVAL : 0;
}

static int cmd_create_session(struct ucore_ioctl_call *call)
{
	struct ucore_create_session *create = &call->arg.create;
	/*
	 * Permission to see the interrupted contexts (IP, PID, TID) of samples, and the tasks of
	 * TASKS records. The capability of the task that opened the device decides, not that of the
	 * present holder of the descriptor.
	 */
	bool context = file_ns_capable(call->file, &init_user_ns, CAP_PERFMON) ||
		       file_ns_capable(call->file, &init_user_ns, CAP_SYS_ADMIN);
	struct ucore_session *session;
	struct file *new;
	int fd, ret;

	ret = create_check(create);
	if (ret)
		return ret;
	if (create->flags & UCORE_SESSION_F_TASKS && !context)
		return -EACCES;
	session = ucore_registry_add(create, context);
	if (IS_ERR(session))
		return PTR_ERR(session);
	fd = get_unused_fd_flags(O_CLOEXEC);
	if (fd < 0) {
		ucore_registry_del(session);
		return fd;
	}
	new = anon_inode_getfile("[ucore]", &ucore_session_fops, session, O_RDWR);
	if (IS_ERR(new)) {
		put_unused_fd(fd);
		ucore_registry_del(session);
		return PTR_ERR(new);
	}
	create->fd = fd;
	call->new = new;
	return 0;
}

static void undo_create_session(struct ucore_ioctl_call *call)
{
	put_unused_fd(call->arg.create.fd);
	fput(call->new);
	call->new = NULL;
}

static int cmd_get_sessions(struct ucore_ioctl_call *call)
{
	struct ucore_session_info __user *sessions =
		u64_to_user_ptr(call->arg.sessions.sessions);
	struct ucore_session_info out = { .session = call->arg.sessions.after };
	u32 n;

	for (n = 0; n < call->arg.sessions.nr && ucore_registry_describe(out.session, &out); n++) {
		if (copy_to_user(&sessions[n], &out, sizeof(out)))
			return -EFAULT;
		cond_resched();
	}
	call->arg.sessions.nr = n;
	call->arg.sessions.total = ucore_registry_count();
	return 0;
}

static int cmd_revoke_session(struct ucore_ioctl_call *call)
{
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	return ucore_registry_revoke(call->arg.revoke.session);
}

static const struct ucore_ioctl_cmd device_commands[] = {
	{ UCORE_ANSWER(UCORE_GET_INFO, struct ucore_get_info, reason, cmd_get_info) },
	{ UCORE_ANSWER(UCORE_GET_DOMAINS, struct ucore_get_domains, domains, cmd_get_domains) },
	{ UCORE_ANSWER(UCORE_GET_BOXES, struct ucore_get_boxes, boxes, cmd_get_boxes) },
	{ UCORE_ANSWER(UCORE_GET_FIELDS, struct ucore_get_fields, fields, cmd_get_fields) },
	{ UCORE_ANSWER(UCORE_GET_LINKS, struct ucore_get_links, links, cmd_get_links) },
	{ UCORE_ANSWER(UCORE_GET_SELFTEST, struct ucore_get_selftest, reason, cmd_get_selftest) },
	{ UCORE_ANSWER(UCORE_GET_TABLES, struct ucore_get_tables, tables, cmd_get_tables) },
	{ UCORE_ANSWER(UCORE_GET_UNITS, struct ucore_get_units, units, cmd_get_units) },
	{ UCORE_ANSWER(UCORE_GET_CORE, struct ucore_get_core, reason, cmd_get_core) },
	{ UCORE_ANSWER(UCORE_CREATE_SESSION, struct ucore_create_session, nr_readers,
		 cmd_create_session),
	  .flags = UCORE_SESSION_F_BOX_FREEZE | UCORE_SESSION_F_TASKS |
		   UCORE_SESSION_F_FULL_READS | UCORE_SESSION_F_NO_PMI |
		   UCORE_SESSION_F_MULTIPLEX,
	  .undo = undo_create_session },
	{ UCORE_ANSWER(UCORE_GET_SESSIONS, struct ucore_get_sessions, sessions,
		       cmd_get_sessions) },
	{ UCORE_ACTION(UCORE_REVOKE_SESSION, struct ucore_revoke_session, session,
		       cmd_revoke_session) },
	{ UCORE_ANSWER(UCORE_GET_PORTS, struct ucore_get_ports, ports, cmd_get_ports) },
};

static long device_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	const struct ucore_ioctl_cmd *command = ucore_ioctl_find(device_commands,
						     ARRAY_SIZE(device_commands), cmd);
	struct ucore_ioctl_call call = { .file = file };
	long ret;

	if (!command)
		return -ENOTTY;
	ret = ucore_ioctl_run(command, &call, (void __user *)arg);
	if (call.new)	/* user space has received the descriptor number */
		fd_install(call.arg.create.fd, call.new);
	return ret;
}

/*
 * ---- device node /dev/ucore ----
 */

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = device_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

/*
 * Misc device /dev/ucore. Mode and group of the node control access. Distributions change them
 * with a udev rule.
 */
static struct miscdevice device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "ucore",
	.fops = &device_fops,
	.mode = 0600,
};

int ucore_cdev_register(void)
{
	return misc_register(&device);
}

void ucore_cdev_unregister(void)
{
	misc_deregister(&device);
}
