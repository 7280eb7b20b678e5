/* SPDX-License-Identifier: GPL-2.0-only */
/* See mm.h. */
#ifndef FUZZ_LINUX_SLAB_H
#define FUZZ_LINUX_SLAB_H

#include <linux/mm.h>

#endif /* FUZZ_LINUX_SLAB_H */
