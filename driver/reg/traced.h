/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Register operations with the tracepoint ucore_reg. Part of the reg layer.
 *
 * A tracepoint after an access needs the address and the value, which the compiler would keep in
 * CPU registers at each access. Therefore each operation exists twice, with and without the
 * tracepoint, expanded from one function NAME_do(io, reg, traced). While tracing is off, the
 * cost of an operation is one jump that is not taken.
 */
#ifndef UCORE_TRACED_H
#define UCORE_TRACED_H

#include <linux/compiler.h>

#include "reg/reg.h"
#include "ucore_trace.h"

#define UCORE_READ_OP(name)						\
static noinline u64 name##_traced(const struct ucore_io *io, u32 reg)	\
{									\
	return name##_do(io, reg, true);				\
}									\
									\
static u64 name(const struct ucore_io *io, u32 reg)			\
{									\
	if (trace_ucore_reg_enabled())					\
		return name##_traced(io, reg);				\
	return name##_do(io, reg, false);				\
}

#define UCORE_WRITE_OP(name)						\
static noinline void name##_traced(const struct ucore_io *io, u32 reg, u64 val) \
{									\
	name##_do(io, reg, val, true);					\
}									\
									\
static void name(const struct ucore_io *io, u32 reg, u64 val)		\
{									\
	if (trace_ucore_reg_enabled())					\
		name##_traced(io, reg, val);				\
	else								\
		name##_do(io, reg, val, false);				\
}

#endif /* UCORE_TRACED_H */
