// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Default table of the system calls that the library makes on /dev/ucore.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "internal.h"

static int sys_open(const char *path, int flags)
{
	return open(path, flags);
}

static int sys_ioctl(int fd, unsigned long command, void *arg)
{
	return ioctl(fd, command, arg);
}

static void *sys_mmap(size_t length, int prot, int fd, uint64_t offset)
{
	return mmap(NULL, length, prot, MAP_SHARED, fd, (off_t)offset);
}

const struct ucore_sys *ucore_sys_default(void)
{
	static const struct ucore_sys real = {
		.open = sys_open,
		.close = close,
		.ioctl = sys_ioctl,
		.mmap = sys_mmap,
		.munmap = munmap,
		.poll = poll,
	};

	return &real;
}
