// SPDX-License-Identifier: GPL-2.0-only
/*
 * Files: /dev/ucore and session descriptors.
 */
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/poll.h>

#include "abi/cdev.h"
#include "abi/ioctl.h"
#include "box/catalog.h"
#include "compat.h"
#include "session/run.h"
#include "session/session.h"

static const struct file_operations device_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = ucore_ioctl_device,
	.compat_ioctl = compat_ptr_ioctl,
};

/* Mode and group decide who counts; distributions change them by a udev rule. */
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

static int session_release(struct inode *inode, struct file *file)
{
	struct ucore_session *session = file->private_data;

	mutex_lock(&session->lock);
	ucore_session_stop(session);
	mutex_unlock(&session->lock);
	ucore_session_destroy(session);
	return 0;
}

static __poll_t session_poll(struct file *file, poll_table *wait)
{
	struct ucore_session *session = file->private_data;

	poll_wait(file, &session->sink.wait, wait);
	return ucore_session_readable(session) ? EPOLLIN | EPOLLRDNORM : 0;
}

static int session_mmap(struct file *file, struct vm_area_struct *vma)
{
	u64 offset = (u64)vma->vm_pgoff << PAGE_SHIFT;
	struct ucore_part *part = ucore_session_part(file->private_data,
						     offset / UCORE_RING_WINDOW);

	if (!part || !part->ring)
		return -ENOENT;
	switch (offset % UCORE_RING_WINDOW) {
	case 0:
		return ucore_ring_mmap(part->ring, vma, true);
	case PAGE_SIZE:
		return ucore_ring_mmap(part->ring, vma, false);
	}
	return -EINVAL;
}

const struct file_operations ucore_session_fops = {
	.owner = THIS_MODULE,
	.release = session_release,
	.unlocked_ioctl = ucore_ioctl_session,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = session_poll,
	.mmap = session_mmap,
};
