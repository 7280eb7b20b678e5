// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tracepoints' own code, made by the kernel's macros.  It needs nothing of the
 * driver's, and any layer may need it.
 */
#define CREATE_TRACE_POINTS
#include "ucore_trace.h"
