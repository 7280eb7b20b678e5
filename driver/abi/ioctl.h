/* SPDX-License-Identifier: GPL-2.0-only */
/* The command table: the only code that sees user memory. */
#ifndef UCORE_IOCTL_H
#define UCORE_IOCTL_H

#include <linux/bits.h>
#include <linux/fs.h>

struct ucore_session;

long ucore_ioctl_device(struct file *file, unsigned int cmd, unsigned long arg);
long ucore_ioctl_session(struct file *file, unsigned int cmd, unsigned long arg);

/* mmap offsets of a domain's ring: one window for each domain of the catalog */
#define UCORE_RING_WINDOW	BIT_ULL(28)

extern const struct file_operations ucore_session_fops;

#endif /* UCORE_IOCTL_H */
