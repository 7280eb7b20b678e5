/* SPDX-License-Identifier: GPL-2.0-only */
/* What the parser returns. */
#ifndef FUZZ_LINUX_ERRNO_H
#define FUZZ_LINUX_ERRNO_H

#include_next <linux/errno.h>

#endif /* FUZZ_LINUX_ERRNO_H */
