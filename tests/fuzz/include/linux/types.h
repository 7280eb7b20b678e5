/* SPDX-License-Identifier: GPL-2.0-only */
/* <linux/types.h> of user space, with the kernel's additional types. */
#ifndef FUZZ_LINUX_TYPES_H
#define FUZZ_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include_next <linux/types.h>

typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef __u64 u64;
typedef __s64 s64;
typedef u64 phys_addr_t;

#define __iomem
#define __printf(a, b)	__attribute__((format(printf, a, b)))

#endif /* FUZZ_LINUX_TYPES_H */
