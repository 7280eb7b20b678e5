/* SPDX-License-Identifier: GPL-2.0-only */
/* Error numbers, from user space. */
#ifndef FUZZ_LINUX_ERRNO_H
#define FUZZ_LINUX_ERRNO_H

#include_next <linux/errno.h>

#endif /* FUZZ_LINUX_ERRNO_H */
