/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracepoints, such as ucore:ucore_sample, for perf and tracefs.
 *
 * Arguments are numbers and records of the uapi header, so that all layers may include this
 * file. A disabled tracepoint costs one static branch. Tracepoints are legal in any context,
 * including NMI. The caller passes all values, because a tracepoint does not read registers.
 * Documentation/tracing.md describes the fields for users.
 */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM ucore

#if !defined(UCORE_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define UCORE_TRACE_H

#include <linux/tracepoint.h>

#include "ucore_uapi.h"

/*
 * Argument @by of ucore_freeze: a register write or an overflow froze the domain, or a session
 * froze its boxes one by one (UCORE_SESSION_F_BOX_FREEZE).
 */
#define UCORE_FROZEN_BY_WRITE		0
#define UCORE_FROZEN_BY_OVERFLOW	1
#define UCORE_FROZEN_BOXES		2

#define ucore_show_frozen(what)						\
	__print_symbolic(what,						\
			 { UCORE_FROZEN_BY_WRITE, "write" },		\
			 { UCORE_FROZEN_BY_OVERFLOW, "overflow" },	\
			 { UCORE_FROZEN_BOXES, "boxes" })

#define ucore_show_trigger(trigger)					\
	__print_symbolic(trigger,					\
			 { UCORE_TRIGGER_OVERFLOW, "overflow" },	\
			 { UCORE_TRIGGER_TIMER, "timer" },		\
			 { UCORE_TRIGGER_CORE, "core" })

#define ucore_show_access(access)					\
	__print_symbolic(access,					\
			 { UCORE_ACCESS_MSR, "msr" },			\
			 { UCORE_ACCESS_PCI, "pci" },			\
			 { UCORE_ACCESS_ECAM, "ecam" },			\
			 { UCORE_ACCESS_MMIO, "mmio" })

/* A sample was placed in the ring of its session and domain, after the domain was unfrozen. */
TRACE_EVENT(ucore_sample,
	TP_PROTO(const void *session, const struct ucore_sample *sample),
	TP_ARGS(session, sample),
	TP_STRUCT__entry(
		__field(const void *, session)
		__field(u64, seq)
		__field(u64, time)
		__field(u64, frozen_ns)
		__field(u64, skew_ns)
		__field(u64, late_ns)
		__field(u32, domain)
		__field(u32, trigger)
		__field(u32, trigger_event)
		__field(u32, flags)
		__field(u32, nr_values)
	),
	TP_fast_assign(
		__entry->session = session;
		__entry->seq = sample->hdr.seq;
		__entry->time = sample->time;
		__entry->frozen_ns = sample->frozen_ns;
		__entry->skew_ns = sample->skew_ns;
		__entry->late_ns = sample->late_ns;
		__entry->domain = sample->domain;
		__entry->trigger = sample->trigger;
		__entry->trigger_event = sample->trigger_event;
		__entry->flags = sample->flags;
		__entry->nr_values = sample->nr_values;
	),
	TP_printk("session=%p domain=%u seq=%llu time=%llu trigger=%s event=%d flags=0x%x frozen_ns=%llu skew_ns=%llu late_ns=%llu values=%u",
		  __entry->session, __entry->domain, __entry->seq, __entry->time,
		  ucore_show_trigger(__entry->trigger), (int)__entry->trigger_event,
		  __entry->flags, __entry->frozen_ns, __entry->skew_ns, __entry->late_ns,
		  __entry->nr_values)
);

/*
 * Records were lost, because the ring was full or because trigger periods ended without a
 * sample. @seq is the sequence number of the last lost record. @lost is the number of records
 * lost since the ring was created.
 */
TRACE_EVENT(ucore_lost,
	TP_PROTO(const void *session, u32 domain, u64 seq, u64 lost),
	TP_ARGS(session, domain, seq, lost),
	TP_STRUCT__entry(
		__field(const void *, session)
		__field(u64, seq)
		__field(u64, lost)
		__field(u32, domain)
	),
	TP_fast_assign(
		__entry->session = session;
		__entry->seq = seq;
		__entry->lost = lost;
		__entry->domain = domain;
	),
	TP_printk("session=%p domain=%u seq=%llu lost=%llu", __entry->session,
		  __entry->domain, __entry->seq, __entry->lost)
);

/*
 * An NMI was identified as a domain's PMI. @pmi is the sequence number of the PMI. @overflows is
 * the number of overflows, 0 if they have already been serviced.
 */
TRACE_EVENT(ucore_pmi,
	TP_PROTO(u32 domain, u64 pmi, u32 overflows),
	TP_ARGS(domain, pmi, overflows),
	TP_STRUCT__entry(
		__field(u64, pmi)
		__field(u32, domain)
		__field(u32, overflows)
	),
	TP_fast_assign(
		__entry->pmi = pmi;
		__entry->domain = domain;
		__entry->overflows = overflows;
	),
	TP_printk("domain=%u pmi=%llu overflows=%u", __entry->domain, __entry->pmi,
		  __entry->overflows)
);

/*
 * Freeze of a domain, or of the boxes of a session, at @time (ns). @by is UCORE_FROZEN_*.
 * @skew_ns is the longest possible time between the freezes of two boxes (ns).
 */
TRACE_EVENT(ucore_freeze,
	TP_PROTO(u32 domain, u32 by, u64 time, u64 skew_ns),
	TP_ARGS(domain, by, time, skew_ns),
	TP_STRUCT__entry(
		__field(u64, time)
		__field(u64, skew_ns)
		__field(u32, domain)
		__field(u32, by)
	),
	TP_fast_assign(
		__entry->time = time;
		__entry->skew_ns = skew_ns;
		__entry->domain = domain;
		__entry->by = by;
	),
	TP_printk("domain=%u by=%s time=%llu skew_ns=%llu", __entry->domain,
		  ucore_show_frozen(__entry->by), __entry->time, __entry->skew_ns)
);

/*
 * Unfreeze of a domain, or with @boxes of the boxes of a session, at @time (ns). @frozen_ns is
 * the duration of the freeze (ns).
 */
TRACE_EVENT(ucore_unfreeze,
	TP_PROTO(u32 domain, bool boxes, u64 time, u64 frozen_ns),
	TP_ARGS(domain, boxes, time, frozen_ns),
	TP_STRUCT__entry(
		__field(u64, time)
		__field(u64, frozen_ns)
		__field(u32, domain)
		__field(bool, boxes)
	),
	TP_fast_assign(
		__entry->time = time;
		__entry->frozen_ns = frozen_ns;
		__entry->domain = domain;
		__entry->boxes = boxes;
	),
	TP_printk("domain=%u boxes=%d time=%llu frozen_ns=%llu", __entry->domain,
		  __entry->boxes, __entry->time, __entry->frozen_ns)
);

/*
 * A register was read or written. @access is UCORE_ACCESS_*. @address is an MSR number, a physical
 * address, or for PCI segment << 28 | bus << 20 | device << 15 | function << 12 | offset.
 */
TRACE_EVENT(ucore_reg,
	TP_PROTO(u32 access, bool write, u64 address, u64 value),
	TP_ARGS(access, write, address, value),
	TP_STRUCT__entry(
		__field(u64, address)
		__field(u64, value)
		__field(u32, access)
		__field(bool, write)
	),
	TP_fast_assign(
		__entry->address = address;
		__entry->value = value;
		__entry->access = access;
		__entry->write = write;
	),
	TP_printk("%s %s 0x%llx 0x%llx", ucore_show_access(__entry->access),
		  __entry->write ? "write" : "read", __entry->address, __entry->value)
);

#endif /* UCORE_TRACE_H */

/* Outside of the include guard, because the kernel's macros include this file several times. */
#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ucore_trace
#include <trace/define_trace.h>
