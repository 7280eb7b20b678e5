/* SPDX-License-Identifier: GPL-2.0-only */
/* Empty: nothing is needed. */
#ifndef FUZZ_LINUX_OVERFLOW_H
#define FUZZ_LINUX_OVERFLOW_H

#include <linux/types.h>

#endif /* FUZZ_LINUX_OVERFLOW_H */
