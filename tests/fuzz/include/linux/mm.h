/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory allocation, which fuzz_alloc() can make fail. */
#ifndef FUZZ_LINUX_MM_H
#define FUZZ_LINUX_MM_H

#include <stdlib.h>

#include <linux/types.h>

#define GFP_KERNEL	0

void *fuzz_alloc(size_t n, size_t size);

#define kvmalloc_array(n, size, gfp)	((void)(gfp), fuzz_alloc(n, size))
#define kvfree(memory)			free(memory)

#endif /* FUZZ_LINUX_MM_H */
