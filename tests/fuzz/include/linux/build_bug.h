/* SPDX-License-Identifier: GPL-2.0-only */
/* static_assert() comes from the C library. */
#ifndef FUZZ_LINUX_BUILD_BUG_H
#define FUZZ_LINUX_BUILD_BUG_H

#include <assert.h>

#endif /* FUZZ_LINUX_BUILD_BUG_H */
