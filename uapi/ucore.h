/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ucore: Intel uncore performance monitors through /dev/ucore.
 *
 * There are two kinds of file descriptor. /dev/ucore describes the machine (GET_* commands)
 * and creates sessions. A session descriptor owns events. It is started, stopped, read,
 * polled and mapped. A session has one ring of records for each domain.
 *
 * A domain is a set of boxes that share one global control and one reader CPU. For the
 * uncore a domain is a die. For the core monitors a domain is a logical CPU
 * (ucore_domain_info.scope). All counters of a domain are read at one instant. If a freeze
 * takes several writes, skew_ns is an upper bound of the time from the first to the last. It
 * takes several without UCORE_CAP_GLOBAL_FREEZE, because the boxes are then frozen one after the
 * other. It also does with several global controls (Diamond Rapids, Meteor Lake), and with boxes
 * that the global control does not stop (imc of client processors).
 *
 * Rules for every command:
 *
 *  - The argument of command UCORE_X is a struct ucore_x, which starts with its own size.
 *    START, STOP and RESET take a struct ucore_command. A caller that was built against an
 *    older header passes a smaller size. A caller that was built against a newer header
 *    passes a larger size, and the tail that this kernel does not know must be zero
 *    (E2BIG otherwise). A size below the first published layout fails with EINVAL, a size
 *    above UCORE_SIZE_MAX with E2BIG.
 *  - @flags contains only bits that the command defines, and reserved fields are zero.
 *    Other values fail with EINVAL. Output fields are ignored on input.
 *  - Names of flag bits contain _F_. Names of ids do not.
 *  - Layouts are the same for 32-bit and 64-bit callers. Pointers are __aligned_u64.
 *  - For an array the caller passes the capacity in elements. The kernel writes at most that
 *    many elements and returns the number that it wrote. Where the command says so, the
 *    kernel returns the number that is needed.
 *  - Times are nanoseconds of CLOCK_MONOTONIC. Durations are nanoseconds.
 *  - A command either succeeds completely or changes nothing.
 *
 * Every command uses these error codes with these meanings:
 *
 *  EINVAL      malformed argument (size, flags, reserved field, unknown field id, a field
 *              that is given twice), or a value that makes no sense
 *  E2BIG       nonzero bytes beyond the size that this kernel knows
 *  EFAULT      unmapped address, or an output address that is not writable
 *  ENOTTY      command does not exist on this kind of descriptor
 *  ENOMEM      out of memory
 *  ENOBUFS     ring memory of the user would exceed RLIMIT_MEMLOCK and the driver's
 *              allowance
 *  ENOENT      no such box, domain, kind of cores, event, session or CPU
 *  ENXIO       the box has no such field or counter, or the event cannot count on any of
 *              the requested counters
 *  ERANGE      a value does not fit its field, a period does not fit its counter, a period
 *              is too short to be polled, or a timer is too short for its samples
 *  ENOSPC      all counters that the event could use belong to this session already, the
 *              session has the largest number of events, or the buffer of READ or of the
 *              ring is too small
 *  EADDRINUSE  a register that all counters of the box share (filter, match) holds another
 *              value for another event (GET_BOXES names the owner), or the box has filters
 *              that need CAP_PERFMON, and events that were added without it, or OCC_RST
 *  EOPNOTSUPP  the counter has no overflow interrupt and the caller excluded polling, the caller
 *              excluded PMIs and no manual and no trial shows that the overflow freezes the
 *              domain, or the kernel lacks a facility
 *  EBUSY       the session is running, or other sessions hold the counters (for other
 *              events), the box (BOX_FREEZE, UCORE_BOX_SESSIONS_MAX) or the PMI CPUs, or count
 *              on the die so that overflows cannot be tried (UCORE_SESSION_F_NO_PMI,
 *              UCORE_EVENT_F_NO_POLL), or intel_uncore or perf holds the hardware (GET_INFO and
 *              GET_CORE name the cause)
 *  EALREADY    START of a running session
 *  ENODEV      no boxes exist (GET_INFO gives the reason), or the box does not respond
 *  EAGAIN      a CPU went offline during the command, a domain has no CPU online, or the
 *              machine is about to suspend or reboot
 *  EPERM       write access to a read-only page was requested, a PMI CPU is not among the
 *              caller's CPUs, or REVOKE_SESSION lacks CAP_SYS_ADMIN
 *  ESHUTDOWN   the session was revoked (REVOKE_SESSION), so its descriptor can only be
 *              closed
 *  EACCES      CAP_PERFMON is missing for a filter, a core counter, a core trigger or task
 *              records
 *  EDQUOT      the user has as many sessions as UCORE_SESSIONS_MAX allows
 *  EMFILE      the process has as many descriptors as RLIMIT_NOFILE allows
 *  ENFILE      the machine has as many open files as fs.file-max allows
 *  ESRCH       no such thread
 *  EINTR       a fatal signal arrived during the command
 */
#ifndef _UAPI_UCORE_H
#define _UAPI_UCORE_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define UCORE_ABI_VERSION	1
#define UCORE_DEVICE		"/dev/ucore"

#define UCORE_TYPE		0xBD

/* Commands of /dev/ucore */
#define UCORE_GET_INFO		_IO(UCORE_TYPE, 0x00)
#define UCORE_GET_DOMAINS	_IO(UCORE_TYPE, 0x01)
#define UCORE_GET_BOXES		_IO(UCORE_TYPE, 0x02)
#define UCORE_GET_FIELDS	_IO(UCORE_TYPE, 0x03)
#define UCORE_GET_LINKS		_IO(UCORE_TYPE, 0x04)
#define UCORE_GET_TABLES	_IO(UCORE_TYPE, 0x05)
#define UCORE_GET_UNITS		_IO(UCORE_TYPE, 0x06)
#define UCORE_GET_CORE		_IO(UCORE_TYPE, 0x07)
#define UCORE_GET_SELFTEST	_IO(UCORE_TYPE, 0x08)
#define UCORE_GET_SESSIONS	_IO(UCORE_TYPE, 0x09)
#define UCORE_CREATE_SESSION	_IO(UCORE_TYPE, 0x0a)
#define UCORE_REVOKE_SESSION	_IO(UCORE_TYPE, 0x0b)
#define UCORE_GET_PORTS		_IO(UCORE_TYPE, 0x0c)

/* Commands of a session descriptor */
#define UCORE_ADD_EVENT		_IO(UCORE_TYPE, 0x10)
#define UCORE_REMOVE_EVENT	_IO(UCORE_TYPE, 0x11)
#define UCORE_ADD_CORE_TRIGGER	_IO(UCORE_TYPE, 0x12)
#define UCORE_SET_PMI_CPUS	_IO(UCORE_TYPE, 0x13)
#define UCORE_START		_IO(UCORE_TYPE, 0x14)
#define UCORE_STOP		_IO(UCORE_TYPE, 0x15)
#define UCORE_RESET		_IO(UCORE_TYPE, 0x16)
#define UCORE_READ		_IO(UCORE_TYPE, 0x17)
#define UCORE_GET_STATUS	_IO(UCORE_TYPE, 0x18)
#define UCORE_GET_BUDGET	_IO(UCORE_TYPE, 0x19)
#define UCORE_GET_RING		_IO(UCORE_TYPE, 0x1a)

#define UCORE_NAME_LEN		16	/* bytes of a name, with the terminating NUL */
#define UCORE_REASON_LEN	160	/* bytes of a reason, with the terminating NUL */

/* Limits of arguments. Values beyond a limit fail with EINVAL, ERANGE or E2BIG. */
#define UCORE_SIZE_MAX		4096		/* size of an argument, bytes */
#define UCORE_TERMS_MAX		32		/* ucore_add_event.nr_terms */
#define UCORE_TIMER_MIN_NS	10000ULL	/* ucore_create_session.timer_ns, 10 us */
#define UCORE_TIMER_MAX_NS	1000000000000ULL /* 1000 s */
#define UCORE_POLL_MIN_NS	100000ULL	/* ucore_add_event.poll_ns, 100 us */
#define UCORE_POLL_MAX_NS	10000000ULL	/* 10 ms */
#define UCORE_PMI_CPUS_MAX	256		/* ucore_set_pmi_cpus.nr */
#define UCORE_EVENTS_MAX	8192U		/* events of a session */
#define UCORE_CORE_TRIGGERS_MAX	4096		/* core triggers of a session */
#define UCORE_RING_MIN		4096U		/* ucore_create_session.ring_size, bytes */
#define UCORE_RING_MAX		67108864U	/* 64 MiB */
#define UCORE_ROTATE_MIN_NS	1000000ULL	/* ucore_create_session.rotate_ns, 1 ms */
#define UCORE_ROTATE_MAX_NS	1000000000000ULL /* 1000 s */
#define UCORE_GROUP_MAX		63U		/* ucore_add_event.group */
#define UCORE_READERS_MAX	8U		/* ucore_create_session.nr_readers */

/* Sessions with events on a box. ADD_EVENT of a further session fails with EBUSY. */
#define UCORE_BOX_SESSIONS_MAX	256U

/* Sessions of a user. CREATE_SESSION beyond the limit fails with EDQUOT. */
#define UCORE_SESSIONS_MAX	4096U

/*
 * ---- /dev/ucore ---------------------------------------------------------
 */

/* ucore_get_info.state: whether boxes exist, or the reason why not */
#define UCORE_STATE_READY	0	/* sessions can be created */
#define UCORE_STATE_NOT_INTEL	1	/* the processor is not made by Intel */
#define UCORE_STATE_UNKNOWN	2	/* the driver has no table for this Intel processor */
#define UCORE_STATE_HIDDEN	3	/* no box responds: virtual machine or firmware */
#define UCORE_STATE_INTREE	4	/* the kernel's intel_uncore driver holds the boxes */

/* ucore_get_info.caps: capabilities of the platform */
#define UCORE_CAP_GLOBAL_FREEZE	(1U << 0)	/* global controls freeze a whole die (skew_ns) */
#define UCORE_CAP_OVERFLOW_PMI	(1U << 1)	/* overflows of uncore boxes raise a PMI */
#define UCORE_CAP_DISCOVERY	(1U << 2)	/* boxes come from discovery tables (GET_TABLES) */
#define UCORE_CAP_CORE		(1U << 3)	/* CPUs have boxes of their cores (GET_CORE) */
#define UCORE_CAP_PMI_TRIAL	(1U << 4)	/* a trial may add OVERFLOW_PMI (SELFTEST_PMI) */

/* ucore_get_info.cause: cause of the problem in ucore_get_info.reason */
#define UCORE_CAUSE_NONE	0	/* no problem, or none of the following */
#define UCORE_CAUSE_PROCESSOR	1	/* the driver has no boxes for this processor */
#define UCORE_CAUSE_GUEST	2	/* a hypervisor hides boxes from a virtual machine */
#define UCORE_CAUSE_FIRMWARE	3	/* firmware hides boxes or a discovery table */
#define UCORE_CAUSE_CONFIG	4	/* the kernel reaches 256 bytes of PCI config space only */
#define UCORE_CAUSE_ASLEEP	5	/* a PCI function sleeps that may have a missing table */
#define UCORE_CAUSE_TABLE	6	/* a die has no discovery table that can be used */
#define UCORE_CAUSE_OFFLINE	7	/* a socket has no CPU online */
#define UCORE_CAUSE_NODE	8	/* neither registers nor the kernel give a bus's die */
#define UCORE_CAUSE_INTREE	9	/* intel_uncore holds the boxes */
#define UCORE_CAUSE_GUESS	10	/* the dies of discovery tables are a guess */

/**
 * struct ucore_get_info - UCORE_GET_INFO: describe the machine and the driver
 * @size: sizeof(struct ucore_get_info)
 * @flags: 0
 * @abi: out: UCORE_ABI_VERSION of the driver
 * @state: out: UCORE_STATE_*
 * @caps: out: UCORE_CAP_*
 * @nr_domains: out: number of domains with boxes (GET_DOMAINS)
 * @nr_boxes: out: number of boxes in all domains, absent ones included (UCORE_BOX_F_ABSENT)
 * @nr_counters: out: number of counters in all these boxes, fixed counters included
 * @family: out: CPUID family
 * @model: out: CPUID model
 * @stepping: out: CPUID stepping
 * @cause: out: UCORE_CAUSE_* of @reason
 * @platform: out: short platform name ("ivbep"), empty if unknown
 * @reason: out: one sentence on the most important problem and its remedy. Problems are
 *          @state, missing boxes, dies that are a guess, and the first box that failed its
 *          self-test (GET_SELFTEST). Of the trial of overflows only a failed _RESUME is a
 *          problem. Empty if there is no problem
 *
 * With UCORE_CAP_CORE sessions can also be created where the uncore is unknown or hidden.
 * Then @state is UCORE_STATE_READY and @reason describes the uncore's problem. In
 * UCORE_STATE_INTREE such sessions can contain events of cores only.
 *
 * Errors: EINVAL, E2BIG, EFAULT.
 */
struct ucore_get_info {
	__u32 size;
	__u32 flags;
	__u32 abi;
	__u32 state;
	__u32 caps;
	__u32 nr_domains;
	__u32 nr_boxes;
	__u32 nr_counters;
	__u32 family;
	__u32 model;
	__u32 stepping;
	__u32 cause;
	char platform[UCORE_NAME_LEN];
	char reason[UCORE_REASON_LEN];
};

/* ucore_domain_info.scope: the part of the machine that a domain covers */
#define UCORE_SCOPE_DIE		0	/* a die, for the uncore */
#define UCORE_SCOPE_CPU		1	/* a logical CPU, for the core monitors */

/**
 * struct ucore_domain_info - description of a domain, element of GET_DOMAINS
 * @domain: domain id, index in the list from 0, stable while the module is loaded
 * @scope: UCORE_SCOPE_*
 * @die: the kernel's logical die number
 * @package: physical package (socket)
 * @cpu: CPU number of a UCORE_SCOPE_CPU domain, -1 for a die
 * @reader: CPU that accesses the domain's boxes and takes its PMI, together with the CPUs of
 *          SET_PMI_CPUS. -1 if no CPU of the domain is online, or while the machine
 *          suspends or reboots
 * @nr_boxes: number of boxes in the domain, absent ones included (UCORE_BOX_F_ABSENT)
 * @nr_counters: number of counters of those boxes, fixed counters included
 * @nr_sessions: number of sessions that run on the domain now
 * @reserved: 0
 * @pmis: number of overflow interrupts (PMIs) serviced since the module was loaded
 * @recovered: number of times since load that the watchdog serviced an overflow whose PMI did
 *             not arrive
 * @throttled: number of times since load that the domain was throttled, because its PMIs came
 *             too fast or used too much CPU time. A throttled counter drops samples for some
 *             milliseconds
 * @frozen_ns: total time for which ucore froze the domain since load (ns)
 * @skew_max_ns: longest time between the first and the last write of a freeze since load (ns),
 *               0 if one write freezes the domain
 */
struct ucore_domain_info {
	__u32 domain;
	__u32 scope;
	__u32 die;
	__u32 package;
	__s32 cpu;
	__s32 reader;
	__u32 nr_boxes;
	__u32 nr_counters;
	__u32 nr_sessions;
	__u32 reserved;
	__u64 pmis;
	__u64 recovered;
	__u64 throttled;
	__u64 frozen_ns;
	__u64 skew_max_ns;
};

/**
 * struct ucore_get_domains - UCORE_GET_DOMAINS: list the domains
 * @size: sizeof(struct ucore_get_domains)
 * @flags: 0
 * @nr: capacity of @domains (in), number of elements written (out)
 * @total: out: number of domains
 * @domains: array of struct ucore_domain_info
 *
 * Errors: EINVAL, E2BIG, EFAULT.
 */
struct ucore_get_domains {
	__u32 size;
	__u32 flags;
	__u32 nr;
	__u32 total;
	__aligned_u64 domains;
};

/* ucore_box_info.access: address space of the registers */
#define UCORE_ACCESS_MSR	0	/* model-specific registers */
#define UCORE_ACCESS_PCI	1	/* PCI config space, by the kernel's accessors */
#define UCORE_ACCESS_ECAM	2	/* memory-mapped PCI config space */
#define UCORE_ACCESS_MMIO	3	/* memory-mapped registers */

/*
 * ucore_box_info.flags
 *
 * OVERFLOW, FIXED_OVERFLOW: an overflow can end a period. With UCORE_CAP_OVERFLOW_PMI, and always
 * for the box of a CPU, it interrupts. In a session with UCORE_SESSION_F_NO_PMI it freezes the die,
 * and the driver polls the global status. Such a session may have no period on the box of a CPU
 * (EOPNOTSUPP). Without UCORE_CAP_OVERFLOW_PMI, sessions without NO_PMI poll the counter. On a
 * box without the flag sessions poll the counter, and a period with NO_PMI fails (EOPNOTSUPP).
 *
 * With UCORE_CAP_DISCOVERY or UCORE_CAP_PMI_TRIAL, the box of a die gets OVERFLOW when its trial
 * has passed (UCORE_SELFTEST_OVERFLOW_ENABLE and the next bits). The clock of client processors has
 * no general counters, and gets FIXED_OVERFLOW instead. No other box of these platforms gets it,
 * nor does the clock of Nehalem and Westmere. The first ADD_EVENT of a session with NO_PMI on the
 * box makes the trial, if no session runs on the die. E5-2600 v1 and Snow Ridge have no trial, and
 * only the box of a CPU has the flags there.
 *
 * With UCORE_CAP_PMI_TRIAL the first ADD_EVENT with a period makes the trial in other sessions,
 * too. If it passes, a trial of the interrupt follows on the box (UCORE_SELFTEST_PMI). If that
 * passes, GET_INFO has UCORE_CAP_OVERFLOW_PMI from then on. No trial is made while a session runs
 * on the die, or while a stopped session has programmed the box. Then the period is polled, or
 * refused with UCORE_EVENT_F_NO_POLL (EBUSY).
 */
#define UCORE_BOX_F_OVERFLOW	(1U << 0)	/* general counters report overflows */
#define UCORE_BOX_F_FIXED_OVERFLOW (1U << 1)	/* fixed counters report overflows */
#define UCORE_BOX_F_FREEZE	(1U << 2)	/* the box control has a freeze bit */
#define UCORE_BOX_F_DEAD	(1U << 3)	/* the box reads all ones, or its registers fault */
#define UCORE_BOX_F_FREE_RUNNING (1U << 4)	/* no freeze stops the fixed counters of the box */
#define UCORE_BOX_F_SHARED	(1U << 5)	/* several sessions hold counters of the box now */
#define UCORE_BOX_F_ABSENT	(1U << 6)	/* no response since ucore was loaded */

/**
 * struct ucore_box_info - description of a box, element of GET_BOXES
 * @box: box id, stable while the module is loaded
 * @domain: domain id
 * @die: the kernel's logical die number
 * @cpu: CPU number of a core's box (UCORE_SCOPE_CPU), -1 for other boxes
 * @instance: number of the box among the boxes of its type in the domain
 * @access: UCORE_ACCESS_*
 * @nr_counters: number of general counters, numbered from 0
 * @nr_fixed: number of fixed counters, numbered from UCORE_COUNTER_FIXED
 * @width: width of a general counter (bits). The self-test of the first ADD_EVENT on the box
 *         lowers this value if the hardware has fewer bits than the manual states
 * @fixed_width: width of a fixed counter (bits). The self-test may lower this value, too
 * @flags: UCORE_BOX_F_*
 * @owner_pid: process that created the session @owner, in the caller's pid namespace. 0 if
 *             the box is free, or if the process has no number in that namespace
 * @owner: id of a session that holds counters of the box (ucore_get_status.session). If
 *         sessions share the box (UCORE_BOX_F_SHARED), the one that set the filter and match
 *         registers, else the oldest. 0 if the box is free
 * @location: address of the box control register. An MSR number, a physical address, or for
 *            PCI segment << 32 | bus << 20 | device << 15 | function << 12 | offset. 0 for
 *            callers without CAP_SYS_ADMIN
 * @type: name of the box type ("imc", "cbo" ...)
 * @owner_comm: name of the process @owner_pid, empty if the box is free
 */
struct ucore_box_info {
	__u32 box;
	__u32 domain;
	__u32 die;
	__s32 cpu;
	__u32 instance;
	__u32 access;
	__u32 nr_counters;
	__u32 nr_fixed;
	__u32 width;
	__u32 fixed_width;
	__u32 flags;
	__u32 owner_pid;
	__u64 owner;
	__u64 location;
	char type[UCORE_NAME_LEN];
	char owner_comm[UCORE_NAME_LEN];
};

/**
 * struct ucore_get_boxes - UCORE_GET_BOXES: list the boxes
 * @size: sizeof(struct ucore_get_boxes)
 * @flags: 0
 * @first: id of the first box to list
 * @nr: capacity of @boxes (in), number of elements written (out)
 * @total: out: number of boxes, whose ids run from 0 to @total - 1
 * @reserved: 0
 * @boxes: array of struct ucore_box_info
 *
 * A unit of a discovery table may not respond when ucore is loaded. If its type is known, and its
 * registers are in memory or PCI config space, it is listed as a box with UCORE_BOX_F_ABSENT and
 * UCORE_BOX_F_DEAD. It may be a link in low power, or may never respond. Programs should not count
 * it among the boxes of the machine. GET_BOXES probes such a box by a read of its first register,
 * and of a counter if that is not all ones. It probes a box at most once in a second, and not
 * while ucore exceeds its CPU budget. ADD_EVENT probes the box, too. When the box
 * responds, both flags end, and the box can be used. ABSENT ends for good. DEAD may return as on
 * any box. The box id does not change.
 *
 * Errors: EINVAL, E2BIG, EFAULT.
 */
struct ucore_get_boxes {
	__u32 size;
	__u32 flags;
	__u32 first;
	__u32 nr;
	__u32 total;
	__u32 reserved;
	__aligned_u64 boxes;
};

/*
 * Event fields. An event is a list of (field, value) pairs. GET_FIELDS lists the fields of a
 * box. The names are Intel's. The numbers are part of this ABI. v2, v3 and v4 are the versions
 * of the Xeon E5-2600.
 */
#define UCORE_FIELD_EVENT	1	/* event select, bit 8: extension (QPI, PCU, E5 v3 R3QPI) */
#define UCORE_FIELD_UMASK	2	/* unit mask */
#define UCORE_FIELD_EDGE	3	/* count rising edges, needs thresh >= 1 except in cores */
#define UCORE_FIELD_INVERT	4	/* count cycles with fewer than thresh (>= 1) events */
#define UCORE_FIELD_THRESH	5	/* count cycles with at least thresh events (core: cmask) */
#define UCORE_FIELD_TID_EN	6	/* C-Box: count only the thread of filter_tid */
#define UCORE_FIELD_OCC_SEL	7	/* PCU occupancy: C-state, 1 for C0, 2 for C3, 3 for C6 */
#define UCORE_FIELD_OCC_INVERT	8	/* PCU occupancy: count cycles below thresh */
#define UCORE_FIELD_OCC_EDGE	9	/* PCU occupancy: count rising edges */
#define UCORE_FIELD_OCC_RST	10	/* HA of E5 v2: START clears the occupancy counter */
#define UCORE_FIELD_FILTER_TID	11	/* C-Box, CHA and UBox: thread to count */
#define UCORE_FIELD_FILTER_LINK	12	/* C-Box of E5 v3 and v4, CHA: IDI link to count */
#define UCORE_FIELD_FILTER_STATE 13	/* C-Box, CHA: mask of cache line states to count */
#define UCORE_FIELD_FILTER_NID	14	/* C-Box: target node to count */
#define UCORE_FIELD_FILTER_OPC	15	/* C-Box: opcode to count */
#define UCORE_FIELD_FILTER_C6	16	/* C-Box: count C6 transactions */
#define UCORE_FIELD_FILTER_NC	17	/* C-Box, CHA: count non-coherent transactions */
#define UCORE_FIELD_FILTER_ISOC	18	/* C-Box, CHA: count isochronous transactions */
#define UCORE_FIELD_BAND0	19	/* PCU: frequency of band 0, in units of 100 MHz */
#define UCORE_FIELD_BAND1	20	/* PCU: frequency of band 1, in units of 100 MHz */
#define UCORE_FIELD_BAND2	21	/* PCU: frequency of band 2, in units of 100 MHz */
#define UCORE_FIELD_BAND3	22	/* PCU: frequency of band 3, in units of 100 MHz */
#define UCORE_FIELD_ADDR_MATCH	23	/* HA: physical address to count (bits 45 to 6) */
#define UCORE_FIELD_OPC_MATCH	24	/* HA: opcode to count */
#define UCORE_FIELD_MATCH0	25	/* QPI: packet match, low half */
#define UCORE_FIELD_MATCH1	26	/* QPI: packet match, high half */
#define UCORE_FIELD_MASK0	27	/* QPI: mask of match0 */
#define UCORE_FIELD_MASK1	28	/* QPI: mask of match1 */
#define UCORE_FIELD_UMASK_EXT	29	/* extended unit mask, within bits 63:32 of the control */
#define UCORE_FIELD_CH_MASK	30	/* IIO: mask of ports to count (PortMask) */
#define UCORE_FIELD_FC_MASK	31	/* IIO: mask of completion flow classes to count (FCMask) */
#define UCORE_FIELD_USR		32	/* core: count in user mode (both modes if usr, os unset) */
#define UCORE_FIELD_OS		33	/* core: count in kernel mode */
#define UCORE_FIELD_ANY		34	/* core: count for both threads of the core */
#define UCORE_FIELD_FILTER_CID	35	/* UBox: core of the thread to count */
/* CHA of Skylake-SP to Cooper Lake. TOR events need one bit of rem/loc and one of nm/not_nm. */
#define UCORE_FIELD_FILTER_REM	36	/* CHA: count addresses homed on a remote socket */
#define UCORE_FIELD_FILTER_LOC	37	/* CHA: count addresses homed on this socket */
#define UCORE_FIELD_FILTER_ALL_OP 38	/* CHA: count all opcodes */
#define UCORE_FIELD_FILTER_NM	39	/* CHA: count addresses in near memory */
#define UCORE_FIELD_FILTER_NOT_NM 40	/* CHA: count addresses outside near memory */
#define UCORE_FIELD_FILTER_OPC_0 41	/* CHA: first of two opcodes to count */
#define UCORE_FIELD_FILTER_OPC_1 42	/* CHA: second of two opcodes to count */
#define UCORE_FIELD_MAX		UCORE_FIELD_FILTER_OPC_1

/* ucore_field_info.flags */
#define UCORE_FIELD_F_SHARED	(1U << 0)	/* a single value for all counters of the box */
#define UCORE_FIELD_F_PERFMON	(1U << 1)	/* ADD_EVENT needs CAP_PERFMON for the field */

/**
 * struct ucore_field_info - description of an event field, element of GET_FIELDS
 * @field: UCORE_FIELD_*
 * @flags: UCORE_FIELD_F_*
 * @max: largest value of the field
 * @mask: bits that may be set in a value (ADDR_MATCH excludes the low six bits)
 * @name: name for command lines ("event", "filter_opc" ...)
 */
struct ucore_field_info {
	__u32 field;
	__u32 flags;
	__u64 max;
	__u64 mask;
	char name[UCORE_NAME_LEN];
};

/**
 * struct ucore_get_fields - UCORE_GET_FIELDS: list the event fields of one box
 * @size: sizeof(struct ucore_get_fields)
 * @flags: 0
 * @box: box id
 * @nr: capacity of @fields (in), number of elements written (out)
 * @total: out: number of fields
 * @reserved: 0
 * @fields: array of struct ucore_field_info
 *
 * Errors: EINVAL, E2BIG, EFAULT, ENOENT (box).
 */
struct ucore_get_fields {
	__u32 size;
	__u32 flags;
	__u32 box;
	__u32 nr;
	__u32 total;
	__u32 reserved;
	__aligned_u64 fields;
};

/* ucore_link_info.kind: what a box connects to */
#define UCORE_LINK_NONE	0	/* nothing, or no register gives the connection */
#define UCORE_LINK_BUS	1	/* IIO stack: the devices below a PCI root bus */
#define UCORE_LINK_UPI	2	/* UPI link: a link of another die */
#define UCORE_LINK_DOWN	3	/* UPI link: not trained, so not connected */

#define UCORE_NO_DIE	0xffffffffU	/* ucore_link_info.die: unknown */

/*
 * ucore_link_info.flags. UNVERIFIED: the only source calls the statement an assumption, contradicts
 * itself, or does not cover this processor. With UCORE_LINK_BUS, the root bus is a fact, but
 * another box or port may count its traffic. With UCORE_LINK_DOWN, the register shows the lowest
 * speed, which a trained link may have, too.
 */
#define UCORE_LINK_F_UNVERIFIED	(1U << 0)

/**
 * struct ucore_link_info - connection of a box, element of GET_LINKS
 * @box: box id
 * @kind: UCORE_LINK_*
 * @segment: UCORE_LINK_BUS: PCI segment of the root bus
 * @bus: UCORE_LINK_BUS: number of the root bus
 * @flags: UCORE_LINK_F_*
 * @speed: speed of a QPI or UPI link (MT/s), 0 if it is unknown or the link is not trained
 * @die: UCORE_LINK_UPI: the kernel's logical die number of the other side. UCORE_NO_DIE if
 *       it is unknown, or if no CPU of that die was online when the module was loaded
 * @link: UCORE_LINK_UPI: instance of the link on the other side
 * @reserved: 0
 */
struct ucore_link_info {
	__u32 box;
	__u32 kind;
	__u32 segment;
	__u32 bus;
	__u32 flags;
	__u32 speed;
	__u32 die;
	__u32 link;
	__u32 reserved[2];
};

/**
 * struct ucore_get_links - UCORE_GET_LINKS: list what each box connects to
 * @size: sizeof(struct ucore_get_links)
 * @flags: 0
 * @first: id of the first box to list
 * @nr: capacity of @links (in), number of elements written (out)
 * @total: out: number of boxes, whose ids run from 0 to @total - 1
 * @reserved: 0
 * @links: array of struct ucore_link_info
 *
 * The hardware was read when the module was loaded.
 *
 * Errors: EINVAL, E2BIG, EFAULT.
 */
struct ucore_get_links {
	__u32 size;
	__u32 flags;
	__u32 first;
	__u32 nr;
	__u32 total;
	__u32 reserved;
	__aligned_u64 links;
};

#define UCORE_ALL_DEVICES	0xffffffffU	/* ucore_port_info.device: all of the bus */

/* ucore_port_info.flags: the only source contradicts itself about @ports */
#define UCORE_PORT_F_UNVERIFIED	(1U << 0)

/**
 * struct ucore_port_info - PCI function whose traffic a port counts, element of GET_PORTS
 * @ports: mask of the ports (bits of the field ch_mask) that together count the traffic of the
 *         function, and of all functions below it. Functions may have the same ports
 * @flags: UCORE_PORT_F_*
 * @segment: PCI segment of the function
 * @bus: PCI bus of the function. An accelerator may be below another root bus than that of the
 *       stack (ucore_link_info.bus)
 * @device: PCI device number of the function (a root port or an accelerator), or
 *          UCORE_ALL_DEVICES: all functions of @bus that no other element names
 * @function: PCI function number, 0 with UCORE_ALL_DEVICES
 * @reserved: 0
 */
struct ucore_port_info {
	__u32 ports;
	__u32 flags;
	__u32 segment;
	__u32 bus;
	__u32 device;
	__u32 function;
	__u32 reserved[2];
};

/**
 * struct ucore_get_ports - UCORE_GET_PORTS: list the PCI functions of the ports of an IIO stack
 * @size: sizeof(struct ucore_get_ports)
 * @flags: 0
 * @box: box id
 * @nr: capacity of @ports (in), number of elements written (out)
 * @total: out: number of elements; 0 if the box has no ports, if they are unknown, or if none of
 *         the functions exists now
 * @reserved: 0
 * @ports: array of struct ucore_port_info
 *
 * Only functions that exist now are listed. An element with UCORE_ALL_DEVICES is always listed.
 * If the stack has UCORE_LINK_F_UNVERIFIED (GET_LINKS), all its ports are unverified. The command
 * accesses no hardware.
 *
 * Errors: ENOENT (no such box), EINVAL, E2BIG, EFAULT.
 */
struct ucore_get_ports {
	__u32 size;
	__u32 flags;
	__u32 box;
	__u32 nr;
	__u32 total;
	__u32 reserved;
	__aligned_u64 ports;
};

/* ucore_get_selftest.tested, .failed: properties of a box that a self-test checks */
#define UCORE_SELFTEST_WIDTH	(1U << 0)	/* general counters have the documented width */
#define UCORE_SELFTEST_FIXED_WIDTH (1U << 1)	/* fixed counters have the documented width */
#define UCORE_SELFTEST_CONTROL	(1U << 2)	/* controls retain the bits that events need */
#define UCORE_SELFTEST_FIXED_CONTROL (1U << 3)	/* fixed-counter controls retain needed bits */
#define UCORE_SELFTEST_RUN	(1U << 4)	/* an enabled clock event counts */
#define UCORE_SELFTEST_GLOBAL_FREEZE (1U << 5)	/* the global freeze stops the clock event */
#define UCORE_SELFTEST_BOX_FREEZE (1U << 6)	/* the box's freeze bit stops the clock event */
#define UCORE_SELFTEST_OVERFLOW	(1U << 7)	/* trial of a reserved overflow enable */
#define UCORE_SELFTEST_OVERFLOW_ENABLE (1U << 8) /* controls retain the overflow enable */
#define UCORE_SELFTEST_OVERFLOW_STATUS (1U << 9) /* an overflow sets the stated bits, no other */
#define UCORE_SELFTEST_OVERFLOW_FREEZE (1U << 10) /* an overflow freezes the box */
#define UCORE_SELFTEST_OVERFLOW_DIE (1U << 11)	/* an overflow freezes other boxes, too */
#define UCORE_SELFTEST_OVERFLOW_RESUME (1U << 12) /* the freeze by an overflow can be ended */
#define UCORE_SELFTEST_PMI	(1U << 13)	/* an overflow interrupts a CPU */

/* ucore_get_selftest.found: what ucore found before its first write, and conflicts since load */
#define UCORE_FOUND_CONTROL	(1U << 0)	/* a counter control was not zero */
#define UCORE_FOUND_GLOBAL	(1U << 1)	/* the global control was not zero */
#define UCORE_FOUND_HYPERVISOR	(1U << 2)	/* CPUID reports a hypervisor */
#define UCORE_FOUND_CONFLICT	(1U << 3)	/* a control changed while a session counted */
#define UCORE_FOUND_OVERFLOW	(1U << 4)	/* a reserved overflow enable works */

/**
 * struct ucore_get_selftest - UCORE_GET_SELFTEST: report the self-test of a box
 * @size: sizeof(struct ucore_get_selftest)
 * @flags: 0
 * @box: in: box id
 * @tested: out: UCORE_SELFTEST_*, checks that were made
 * @failed: out: UCORE_SELFTEST_*, checks of @tested that failed
 * @found: out: UCORE_FOUND_*
 * @width: out: measured width of a general counter (bits), 0 if not tested
 * @fixed_width: out: measured width of a fixed counter (bits), 0 if not tested
 * @missing: out: mask of bits that a general counter's control did not retain. Only the low 32
 *           bits of controls are tested
 * @reads: out: register reads of the self-test
 * @writes: out: register writes of the self-test
 * @reserved: out: 0
 * @reason: out: one sentence on the most serious failure, empty if nothing failed
 *
 * The first ADD_EVENT on a box runs its self-test. Before that @tested is 0. The boxes of
 * cores have no self-test. Freezes are tested only while no session runs on the die, which
 * may be at a later ADD_EVENT. The driver does not offer a capability whose check failed.
 * Widths are the measured ones, GET_BOXES omits OVERFLOW, FIXED_OVERFLOW or FREEZE, and
 * GET_INFO omits GLOBAL_FREEZE. Values of counters that no freeze stops are flagged UNFROZEN.
 * Values of events that need a missing bit are flagged PARTIAL. ADD_EVENT fails with ENODEV if
 * the counters of the box do not retain a written value.
 *
 * UCORE_SELFTEST_OVERFLOW is made only with the module parameter try_overflow=1. The counters of
 * some boxes have no documented overflow enable, but may have one in a reserved bit. The trial
 * sets the bit and lets a counter overflow, and never fails. @missing has the bit if the control
 * did not retain it, and @found has UCORE_FOUND_OVERFLOW if the global status showed the
 * overflow. The driver does not use the result: periods of these boxes are polled in either case.
 *
 * UCORE_SELFTEST_OVERFLOW_ENABLE to _RESUME are a trial, with UCORE_CAP_DISCOVERY or
 * UCORE_CAP_PMI_TRIAL. The first ADD_EVENT of a session with UCORE_SESSION_F_NO_PMI makes it while
 * no session runs on the die. An event without a period is enough. With UCORE_CAP_PMI_TRIAL an
 * event with a period makes it in other sessions, too. A general counter of the box
 * overflows once, or the fixed counter of a box without general ones. The driver observes the
 * status registers, and the clocks of the box and of up to three other boxes. It takes boxes that
 * no session has programmed, and whose clock control is 0. Boxes without a clock event (cbo, arb,
 * uncore) count memory requests of the trial in place of clocks. If all five checks pass, the box
 * gets its flag.
 * A check is not in @tested if it was impossible: the box has no bit in the global status, no clock
 * event is known, the counter did not overflow, or no other box was free and counted. _ENABLE also
 * fails if the global control does not keep the mode in which overflows freeze the die. _RESUME
 * fails if the status does not clear, or if a clock still stands. If a clock stands although all
 * observed boxes respond, the die counts again after a reboot. The driver then makes no further
 * trial until it is loaded again.
 *
 * UCORE_SELFTEST_PMI is a trial of the interrupt, with UCORE_CAP_PMI_TRIAL. No source states which
 * CPUs a bit of pmi_core_sel interrupts there, or that it interrupts any. The driver enables
 * interrupts on all CPUs of the die and selects no bit, then one bit after the other. A counter of
 * the box overflows twice for each, or up to six times. The die stands still for about 20 ms. Each
 * CPU, also an isolated one, executes an IPI for each of these overflows and two more. The trial
 * fails if no CPU takes an NMI. SET_PMI_CPUS then accepts the CPUs that have taken one. A later
 * ADD_EVENT repeats the trial if another CPU is online, and at most twice after other NMIs have
 * disturbed it.
 *
 * Errors: EINVAL, E2BIG, EFAULT, ENOENT (box).
 */
struct ucore_get_selftest {
	__u32 size;
	__u32 flags;
	__u32 box;
	__u32 tested;
	__u32 failed;
	__u32 found;
	__u32 width;
	__u32 fixed_width;
	__u32 missing;
	__u32 reads;
	__u32 writes;
	__u32 reserved;
	char reason[UCORE_REASON_LEN];
};

/*
 * Discovery tables. Sapphire Rapids and later processors describe their boxes in tables. A
 * DVSEC of a PCI function, or an MSR, gives the address of a table. GET_TABLES and GET_UNITS
 * show the tables and how the driver used each record. Without UCORE_CAP_DISCOVERY both
 * return no elements.
 */

/* ucore_table_info.reason: reason for which a table is not used */
#define UCORE_TABLE_OK		0	/* the table is used */
#define UCORE_TABLE_CHAIN	1	/* the capability list of the function is broken or loops */
#define UCORE_TABLE_BAR		2	/* the BAR does not exist or is no memory BAR */
#define UCORE_TABLE_UNASSIGNED	3	/* the BAR has no address */
#define UCORE_TABLE_DISABLED	4	/* memory decoding of the function is off */
#define UCORE_TABLE_OUTSIDE	5	/* the table begins outside its BAR */
#define UCORE_TABLE_RAM		6	/* the table's address is RAM or above physical memory */
#define UCORE_TABLE_ALL_ONES	7	/* the table reads all ones: hidden or powered down */
#define UCORE_TABLE_EMPTY	8	/* the first record, which describes the die, is zero */
#define UCORE_TABLE_STRIDE	9	/* records have fewer than three 64-bit words */
#define UCORE_TABLE_GLOBAL	10	/* the global control of the die cannot be accessed */
#define UCORE_TABLE_DIE		11	/* the table belongs to no die that is online */
#define UCORE_TABLE_DUPLICATE	12	/* another table has the same global control */
#define UCORE_TABLE_CONFLICT	13	/* the die would have too many global controls */
#define UCORE_TABLE_LIMIT	14	/* the table has more units than the driver supports */
#define UCORE_TABLE_UNMAPPED	15	/* the kernel refuses to map the table */
#define UCORE_TABLE_MSR		16	/* the MSR for the table's address faults or holds none */
#define UCORE_TABLE_FOREIGN	17	/* the table's address belongs to another device */
#define UCORE_TABLE_CONFIG	18	/* the kernel reaches 256 bytes of the config space only */
#define UCORE_TABLE_ASLEEP	19	/* the PCI function sleeps, and was not read */

/* ucore_table_info.die_by: how the driver found the die of a table */
#define UCORE_DIE_BY_NONE	0	/* not found: @die is -1 */
#define UCORE_DIE_BY_BUS	1	/* by the NUMA node of the function's bus, or the UBoxes */
#define UCORE_DIE_BY_MSR	2	/* an MSR of the die gives the address of the table */
#define UCORE_DIE_BY_ONLY	3	/* only one die has an online CPU */
#define UCORE_DIE_BY_FREEZE	4	/* only the freeze of this die stops a box of the table */
#define UCORE_DIE_BY_ORDER	5	/* a guess: in the order of the PCI buses */

/**
 * struct ucore_table_info - description of a discovery table, element of GET_TABLES
 * @table: index of the table
 * @die: logical number of the die that the table describes, -1 if it is unknown or offline
 * @segment: PCI segment of the function with the DVSEC. The PCI fields are 0 if an MSR gives
 *           the address of the table
 * @bus: PCI bus of that function
 * @device: PCI device number of that function
 * @function: PCI function number of that function
 * @dvsec: offset of the DVSEC in config space (bytes)
 * @dvsec_header: second dword of the DVSEC: vendor (15:0), revision (19:16), length (31:20).
 *                The driver ignores it
 * @type: type of the global record, which the driver ignores. All known tables have 0
 * @bar: number of the BAR that contains the table
 * @offset: offset of the table in the BAR (bytes)
 * @stride: distance between records (bytes)
 * @max_units: number of units that the global record states, which is the first record of the
 *             table and describes the die
 * @nr_units: number of units that GET_UNITS lists
 * @nr_rejected: number of rejected units among @nr_units, absent ones included
 * @access: UCORE_ACCESS_* of the global registers, 0xffffffff if invalid
 * @num_status: number of global status bits
 * @status_offset: distance from the global control to the first global status register (MSR
 *                 numbers or bytes, according to @access). 0 without CAP_SYS_ADMIN
 * @reason: UCORE_TABLE_*
 * @msr: number of the MSR that gives the address of the table, 0 if a DVSEC does
 * @die_by: UCORE_DIE_BY_*. With UCORE_DIE_BY_ORDER, boxes in memory and in PCI config space may
 *          belong to another die. Boxes in MSRs are those of @die in any case, because a CPU of
 *          the die accesses them
 * @reserved: 0
 * @address: physical address of the table, 0 without CAP_SYS_ADMIN
 * @global: second 64-bit word of the global record, which is the address of the global control.
 *          0 without CAP_SYS_ADMIN
 *
 * With UCORE_TABLE_DUPLICATE only the global record is ignored, the units are used.
 */
struct ucore_table_info {
	__u32 table;
	__s32 die;
	__u32 segment;
	__u32 bus;
	__u32 device;
	__u32 function;
	__u32 dvsec;
	__u32 dvsec_header;
	__u32 type;
	__u32 bar;
	__u32 offset;
	__u32 stride;
	__u32 max_units;
	__u32 nr_units;
	__u32 nr_rejected;
	__u32 access;
	__u32 num_status;
	__u32 status_offset;
	__u32 reason;
	__u32 msr;
	__u32 die_by;
	__u32 reserved;
	__u64 address;
	__u64 global;
};

/**
 * struct ucore_get_tables - UCORE_GET_TABLES: list the discovery tables
 * @size: sizeof(struct ucore_get_tables)
 * @flags: 0
 * @nr: capacity of @tables (in), number of elements written (out)
 * @total: out: number of tables
 * @tables: array of struct ucore_table_info
 *
 * Errors: EINVAL, E2BIG, EFAULT.
 */
struct ucore_get_tables {
	__u32 size;
	__u32 flags;
	__u32 nr;
	__u32 total;
	__aligned_u64 tables;
};

/* ucore_unit_info.reason: reason for which a unit is not a box */
#define UCORE_UNIT_OK		0	/* the unit is a box */
#define UCORE_UNIT_ZERO		1	/* the record is zero, or has no address */
#define UCORE_UNIT_ALL_ONES	2	/* the record is all ones: hidden or powered down */
#define UCORE_UNIT_TRUNCATED	3	/* the record is beyond the end of the BAR */
#define UCORE_UNIT_ACCESS	4	/* the record has access type 3, which is undefined */
#define UCORE_UNIT_NO_COUNTERS	5	/* the unit has no counters */
#define UCORE_UNIT_COUNTERS	6	/* the unit has more counters than a box can have */
#define UCORE_UNIT_WIDTH	7	/* counters have 0 or more than 64 bits */
#define UCORE_UNIT_OFFSET	8	/* counters or controls have offset 0, as the box control */
#define UCORE_UNIT_SELF_OVERLAP	9	/* registers of the unit overlap each other */
#define UCORE_UNIT_WINDOW	10	/* registers are outside of MSRs, config or memory space */
#define UCORE_UNIT_ALIGN	11	/* registers are not aligned */
#define UCORE_UNIT_RAM		12	/* registers are in RAM or other memory */
#define UCORE_UNIT_DUPLICATE	13	/* another unit of the die has this type and id */
#define UCORE_UNIT_OVERLAP	14	/* registers overlap another unit or the global control */
#define UCORE_UNIT_FUNCTION	15	/* the PCI function does not exist */
#define UCORE_UNIT_NO_ANSWER	16	/* the box control reads all ones or faults, so far */
#define UCORE_UNIT_BEYOND_COUNT	17	/* the CHA count MSR reports fewer units */
#define UCORE_UNIT_RELOCATED	18	/* the record is known to state a wrong address */
#define UCORE_UNIT_FOREIGN	19	/* the registers belong to another device */
#define UCORE_UNIT_BROKEN	20	/* units of this type are known not to work */

#define UCORE_NO_BOX		0xffffffffU	/* no box id */

/**
 * struct ucore_unit_info - record of a unit in a discovery table, element of GET_UNITS
 * @table: index of the table. Units that no table contains, but that have a known address,
 *         are listed with the table of their die
 * @record: number of the record, 1 is the first unit, 0 if no table contains the unit
 * @die: logical number of the unit's die, -1 if none
 * @reason: UCORE_UNIT_*
 * @box: box id, UCORE_NO_BOX if the unit is rejected. With NO_ANSWER, a unit that has a box id may
 *       respond later (UCORE_BOX_F_ABSENT). Its @reason then becomes UCORE_UNIT_OK
 * @type: number of the unit's type in the record
 * @id: unit id, which becomes the instance of the box
 * @access: UCORE_ACCESS_MSR, UCORE_ACCESS_MMIO or UCORE_ACCESS_PCI, 0xffffffff if invalid
 * @other: number of the record with which the unit conflicts (DUPLICATE, OVERLAP). 0 for the
 *         global control, or for a unit that no table contains
 * @other_table: index of the table of the record @other
 * @word: the three words of the record as read from the table. With @record 0 the words that
 *        the record of the unit would have. 0 without CAP_SYS_ADMIN
 * @name: name of the box type
 */
struct ucore_unit_info {
	__u32 table;
	__u32 record;
	__s32 die;
	__u32 reason;
	__u32 box;
	__u32 type;
	__u32 id;
	__u32 access;
	__u32 other;
	__u32 other_table;
	__u64 word[3];
	char name[UCORE_NAME_LEN];
};

/**
 * struct ucore_get_units - UCORE_GET_UNITS: list the units of all tables
 * @size: sizeof(struct ucore_get_units)
 * @flags: 0
 * @first: index of the first unit to list, counted over all tables
 * @nr: capacity of @units (in), number of elements written (out)
 * @total: out: number of units
 * @reserved: 0
 * @units: array of struct ucore_unit_info
 *
 * Errors: EINVAL, E2BIG, EFAULT.
 */
struct ucore_get_units {
	__u32 size;
	__u32 flags;
	__u32 first;
	__u32 nr;
	__u32 total;
	__u32 reserved;
	__aligned_u64 units;
};

/*
 * Core monitors: "architectural performance monitoring". Where CPUID leaf 0AH describes them
 * consistently, each CPU that was online when the module was loaded has a box of its core
 * (UCORE_SCOPE_CPU).
 *
 * A processor that is not hybrid has one kind of cores, with boxes of the type "core". A hybrid
 * processor (CPUID leaf 07H, EDX[15]) has several, which differ in counters and events. The boxes
 * of its performance cores (CPUID leaf 1AH, EAX[31:24] = 40H) have the type "core", those of its
 * efficient cores (20H) the type "atom". Its CPUs of another type have no box. A CPU whose
 * counters differ from those of the first CPU of its kind has none either.
 *
 * The kernel's perf uses the same counters, first come, first served. While a session has
 * events on a core, hardware events of perf fail with EBUSY. While perf uses the counters of
 * a core, its NMI watchdog included, ADD_EVENT fails with EBUSY.
 */

/* ucore_get_core.state: whether boxes of cores exist and can be used */
#define UCORE_CORE_READY	0	/* core events can be added, unless perf counts on cores */
#define UCORE_CORE_NONE		1	/* no architectural performance monitoring */
#define UCORE_CORE_UNKNOWN	2	/* a kind of cores that the driver does not know */
#define UCORE_CORE_VERSION	3	/* perfmon version 6 or later is not supported */
#define UCORE_CORE_BAD_CPUID	4	/* CPUID is inconsistent, or registers do not respond */
#define UCORE_CORE_KERNEL	5	/* this kernel cannot share the counters with its perf */
#define UCORE_CORE_BUSY		6	/* perf used the counters at the last ADD_EVENT on a core */
#define UCORE_CORE_DISABLED	7	/* the module was loaded with core_pmu=0 */

/* ucore_get_core.caps */
#define UCORE_CORE_CAP_GLOBAL	(1U << 0)	/* the core has a global control and status */
#define UCORE_CORE_CAP_FULL_WIDTH (1U << 1)	/* general counters can be written in full width */
#define UCORE_CORE_CAP_ANY	(1U << 2)	/* events have the field "any" */

/* ucore_get_core.events: predefined events, with event select and unit mask */
#define UCORE_CORE_EVENT_CYCLES		(1U << 0)	/* unhalted core cycles: 3CH 00H */
#define UCORE_CORE_EVENT_INSTRUCTIONS	(1U << 1)	/* instructions retired: C0H 00H */
#define UCORE_CORE_EVENT_REFERENCE	(1U << 2)	/* unhalted reference cycles: 3CH 01H */
#define UCORE_CORE_EVENT_LLC_REFERENCES	(1U << 3)	/* last-level cache references: 2EH 4FH */
#define UCORE_CORE_EVENT_LLC_MISSES	(1U << 4)	/* last-level cache misses: 2EH 41H */
#define UCORE_CORE_EVENT_BRANCHES	(1U << 5)	/* branches retired: C4H 00H */
#define UCORE_CORE_EVENT_MISPREDICTS	(1U << 6)	/* mispredicted branches retired: C5H 00H */

/**
 * struct ucore_get_core - UCORE_GET_CORE: describe the core monitors of a kind of cores
 * @size: sizeof(struct ucore_get_core)
 * @flags: 0
 * @state: out: UCORE_CORE_*
 * @version: out: version of architectural performance monitoring, 0 if none
 * @nr_counters: out: number of general counters of a core
 * @width: out: width of a general counter (bits)
 * @nr_fixed: out: number of fixed counters of a core
 * @fixed_width: out: width of a fixed counter (bits)
 * @events: out: UCORE_CORE_EVENT_*, predefined events of these cores
 * @caps: out: UCORE_CORE_CAP_*
 * @eax: out: EAX of CPUID leaf 0AH of the kind's first CPU, 0 without that leaf
 * @ebx: out: EBX of this leaf
 * @ecx: out: ECX of this leaf
 * @edx: out: EDX of this leaf
 * @reason: out: one sentence on @state and the remedy, or on CPUs without a box; empty if there
 *          is no problem
 * @kind: number of a kind of cores, below @nr_kinds. Programs with a smaller structure get kind 0,
 *        the performance cores if there are any
 * @nr_kinds: out: number of kinds of cores, at least 1. Without performance cores, kind 0 is the
 *            next kind. Cores of unknown types are one kind, the last one
 * @cpu_type: out: EAX[31:24] of CPUID leaf 1AH of the kind's first CPU, 0 if the processor is not
 *            hybrid. Performance cores have 40H, efficient cores 20H
 * @nr_boxes: out: number of CPUs of this kind that have a box
 * @nr_cpus: out: number of CPUs of this kind that were online when the module was loaded
 * @type: out: type of the boxes ("core", "atom"), empty for cores of unknown types
 *
 * The command does not find out whether perf uses the counters, because events of perf would
 * fail during the check. ADD_EVENT finds out, and fails with EBUSY. @state and @reason then
 * have the cause until an ADD_EVENT on a core succeeds.
 *
 * Errors: EINVAL, E2BIG, EFAULT, ENOENT (no kind @kind).
 */
struct ucore_get_core {
	__u32 size;
	__u32 flags;
	__u32 state;
	__u32 version;
	__u32 nr_counters;
	__u32 width;
	__u32 nr_fixed;
	__u32 fixed_width;
	__u32 events;
	__u32 caps;
	__u32 eax;
	__u32 ebx;
	__u32 ecx;
	__u32 edx;
	char reason[UCORE_REASON_LEN];
	__u32 kind;
	__u32 nr_kinds;
	__u32 cpu_type;
	__u32 nr_boxes;
	__u32 nr_cpus;
	char type[UCORE_NAME_LEN];
};

/*
 * ucore_create_session.flags
 *
 * BOX_FREEZE: START, STOP, RESET, READ and samples freeze the boxes of the session by the box
 * controls, one after the other (skew_ns). The domain is not frozen, so other sessions
 * continue to count, on other boxes. Boxes without UCORE_BOX_F_FREEZE are not stopped
 * (UCORE_VALUE_F_UNFROZEN). An overflow still freezes its whole domain. The boxes of cores
 * are frozen by their global control as usual.
 *
 * TASKS: a TASKS record before each sample lists the task that ran on each CPU of the
 * domain. The list states where and when tasks ran, not which task caused the counts. EACCES
 * unless the device was opened with CAP_PERFMON. While such a session runs, and for five
 * seconds afterwards, each task switch on any CPU costs some ten nanoseconds. The first START
 * and the end of these five seconds interrupt all CPUs, isolated ones, too. Another START
 * before that and samples interrupt none.
 *
 * FULL_READS: always read both dwords of a PCI counter. By default only the low dword is
 * read while it determines the count exactly. The low dword is enough until 2^31 counts can
 * have passed since the last read, at the event's largest increment and 5 GHz. That is 0.43 s
 * for an event that adds at most 1 in a clock, and 1.7 ms if the increment is unknown. Every 256th
 * read and the read by STOP are full in any case.
 *
 * NO_PMI: the overflows of the session need no PMI. An overflow freezes its die in any case.
 * While all running sessions with periods on a die have this flag, pmi_core_sel selects no core,
 * so that the overflow interrupts no CPU. The reader polls the global status instead
 * (ucore_add_event.poll_ns). A poll costs a timer interrupt and one read of each word of the
 * status. The first poll after an overflow takes the sample (UCORE_SAMPLE_F_FROZEN). Its counts
 * are those of the overflow. From the overflow to the poll the die stands still, for all sessions.
 * If another session with periods on the die has not set this flag, PMIs serve all sessions.
 * ADD_EVENT refuses a period with EOPNOTSUPP if the overflow of the counter does not freeze the
 * domain. These are counters that must be polled, and the counters of cores. Without
 * UCORE_CAP_OVERFLOW_PMI a trial shows whether an overflow freezes the die (struct
 * ucore_get_selftest). ADD_EVENT of a period fails with EBUSY for an untried box if a session runs
 * on its die. The same holds if stopped sessions have programmed the box, or all others that the
 * trial could observe. While GET_INFO lacks the capability, periods of sessions without this flag
 * are polled. Core triggers interrupt nevertheless, because perf counts them. A period that would
 * interrupt without a freeze does not exist on the uncore.
 *
 * MULTIPLEX: the session agrees to count in turns with other sessions that have this flag.
 * ADD_EVENT then takes counters that such sessions hold for other events, if no others are free.
 * Sessions that need the same counter of a domain then count in time slices of about 10 ms. All
 * events of a session on the domain count together. The session that has waited longest comes
 * next. A session counts all the time if no other one needs its counters. READ reports in
 * ucore_read.running for how long each event has counted. An estimate of the whole is count *
 * time_running / running. A switch freezes the domain. It costs the accesses of a STOP and a
 * START. Such a session takes no samples: EINVAL with @timer_ns or @ring_size, for an event with a
 * period, and for a core trigger. EINVAL also with BOX_FREEZE.
 */
#define UCORE_SESSION_F_BOX_FREEZE	(1U << 0)
#define UCORE_SESSION_F_TASKS		(1U << 1)
#define UCORE_SESSION_F_FULL_READS	(1U << 2)
#define UCORE_SESSION_F_NO_PMI		(1U << 3)
#define UCORE_SESSION_F_MULTIPLEX	(1U << 4)

/**
 * struct ucore_create_session - UCORE_CREATE_SESSION: create a session
 * @size: sizeof(struct ucore_create_session)
 * @flags: UCORE_SESSION_F_*
 * @timer_ns: period of the timer trigger (ns), UCORE_TIMER_MIN_NS to UCORE_TIMER_MAX_NS, 0
 *            for no timer
 * @ring_size: record data of each domain's ring (bytes), a power of two, UCORE_RING_MIN to
 *             UCORE_RING_MAX, 0 for no rings
 * @wakeup: unread bytes at which poll() wakes, less than @ring_size, 0 for every record
 * @fd: out: the session descriptor, close-on-exec
 * @nr_readers: number of CPUs of a die that read its counters in parallel, the reader
 *              included, at most UCORE_READERS_MAX. With 0 or 1 the reader reads alone
 * @rotate_ns: time slice of each group of events (ns), UCORE_ROTATE_MIN_NS to
 *             UCORE_ROTATE_MAX_NS, 0 for no groups
 *
 * A session with @rotate_ns counts more events than the boxes have counters
 * (ucore_add_event.group). Such a session takes no samples, so @timer_ns and @ring_size must
 * be 0 and @nr_readers at most 1.
 *
 * Parallel reading shortens the freeze of READ and of samples. After the freeze the reader
 * offers some of the session's boxes to @nr_readers - 1 helper CPUs of the die by an IPI. The
 * reader first reads its own boxes, and then the boxes that no helper has begun to read. It
 * therefore never waits for a busy CPU. The first helpers are the CPUs of SET_PMI_CPUS. The
 * others are CPUs that are neither isolated nor nohz_full and on which the creator may run
 * (sched_setaffinity(2)), or any CPU that is not isolated if the creator has CAP_SYS_NICE.
 * There are fewer helpers if the die has fewer such CPUs or the session fewer boxes. The
 * budget of each helper CPU is charged, and a CPU beyond its budget is not used. Polls, START,
 * STOP, READ with UCORE_READ_F_NO_FREEZE and the boxes of cores are never read in parallel.
 *
 * A user can have UCORE_SESSIONS_MAX sessions, with CAP_SYS_RESOURCE any number. A session
 * counts until it ends, also if another user holds its descriptor or it was revoked.
 *
 * A new session holds no hardware. The session ends when its last descriptor (dup(2),
 * fork(2), SCM_RIGHTS) and the last mapping of its rings are gone. A mapped ring keeps the
 * session counting and writing records until munmap(2) or the end of the process. Then its
 * counters stop, and boxes that no other session holds are reset and restored. STOP stops
 * the session at once.
 *
 * Errors: EINVAL (also @nr_readers above 1 with @rotate_ns, see also MULTIPLEX), E2BIG,
 * EFAULT, ERANGE (timer_ns, ring_size, wakeup, nr_readers or rotate_ns), EACCES (TASKS), ENOMEM,
 * EDQUOT, EMFILE, ENFILE, ENODEV (no boxes), EBUSY (intel_uncore is loaded, and there are no
 * boxes of cores).
 */
struct ucore_create_session {
	__u32 size;
	__u32 flags;
	__u64 timer_ns;
	__u32 ring_size;
	__u32 wakeup;
	__s32 fd;
	__u32 nr_readers;
	__u64 rotate_ns;
};

/* ucore_get_status.state, ucore_session_info.state */
#define UCORE_SESSION_STOPPED	0	/* not started, or stopped */
#define UCORE_SESSION_RUNNING	1	/* started and not stopped, also while suspended */
#define UCORE_SESSION_REVOKED	2	/* revoked (REVOKE_SESSION), descriptor still open */

/**
 * struct ucore_session_info - description of a session, element of GET_SESSIONS
 * @session: session id, as in ucore_get_status.session and ucore_box_info.owner
 * @pid: process that created the session, in the caller's pid namespace. The process may be
 *       gone, and another process may hold the descriptor
 * @uid: user who created the session, in the caller's user namespace
 * @state: UCORE_SESSION_STOPPED, _RUNNING or _REVOKED
 * @flags: UCORE_SESSION_F_*
 * @nr_events: number of events of the session
 * @nr_boxes: number of boxes whose counters the session holds
 * @nr_domains: number of domains of those boxes
 * @nr_pinned: number of domains whose PMI CPUs the session has chosen (SET_PMI_CPUS)
 * @ring_size: size of each ring (bytes), one ring for each of @nr_domains
 * @reserved: 0
 * @timer_ns: period of the timer trigger (ns)
 * @comm: name of the process @pid
 */
struct ucore_session_info {
	__u64 session;
	__u32 pid;
	__u32 uid;
	__u32 state;
	__u32 flags;
	__u32 nr_events;
	__u32 nr_boxes;
	__u32 nr_domains;
	__u32 nr_pinned;
	__u32 ring_size;
	__u32 reserved;
	__u64 timer_ns;
	char comm[UCORE_NAME_LEN];
};

/**
 * struct ucore_get_sessions - UCORE_GET_SESSIONS: list all sessions in the order of their ids
 * @size: sizeof(struct ucore_get_sessions)
 * @flags: 0
 * @after: list sessions with higher ids than this, 0 for all
 * @nr: capacity of @sessions (in), number of elements written (out)
 * @total: out: number of sessions
 * @sessions: array of struct ucore_session_info
 *
 * Each element is consistent by itself, but the list is not one snapshot. The command needs
 * no permission other than to open the device.
 *
 * Errors: EINVAL, E2BIG, EFAULT.
 */
struct ucore_get_sessions {
	__u32 size;
	__u32 flags;
	__u64 after;
	__u32 nr;
	__u32 total;
	__aligned_u64 sessions;
};

/**
 * struct ucore_revoke_session - UCORE_REVOKE_SESSION: end the session of another process
 * @size: sizeof(struct ucore_revoke_session)
 * @flags: 0
 * @session: session id
 *
 * The session stops and releases its boxes, rings and PMI CPUs for good. Its descriptor
 * answers valid commands with ESHUTDOWN and poll() with EPOLLHUP and EPOLLERR, and can be
 * closed. Mapped rings stay mapped and get no more records. REVOKE_SESSION does not wait for a
 * command of the session that is blocked in a page fault. Revoking a revoked session succeeds.
 *
 * Errors: EINVAL, E2BIG, EFAULT, EPERM (no CAP_SYS_ADMIN), ENOENT (no such session),
 * EINTR (killed while waiting for a command of the session).
 */
struct ucore_revoke_session {
	__u32 size;
	__u32 flags;
	__u64 session;
};

/*
 * ---- session descriptor -------------------------------------------------
 */

/* Number of the first fixed counter. General counters are numbered from 0. */
#define UCORE_COUNTER_FIXED	32

/**
 * struct ucore_term - a (field, value) pair of an event
 * @field: UCORE_FIELD_*
 * @reserved: 0
 * @value: value of the field, not shifted
 */
struct ucore_term {
	__u32 field;
	__u32 reserved;
	__u64 value;
};

/*
 * ucore_add_event.flags
 *
 * NO_POLL: the period must end by the overflow of the counter. EOPNOTSUPP if the counter would
 * have to be polled. EBUSY if only a trial shows this, and the trial is not possible now (client
 * processors). UCORE_SESSION_F_NO_PMI includes this flag.
 */
#define UCORE_EVENT_F_NO_POLL	(1U << 0)

/**
 * struct ucore_add_event - UCORE_ADD_EVENT: count an event on a counter of a box
 * @size: sizeof(struct ucore_add_event)
 * @flags: UCORE_EVENT_F_*
 * @box: box id
 * @nr_terms: number of elements in @terms, at most UCORE_TERMS_MAX
 * @terms: array of struct ucore_term. USR, OS and ANY for a fixed counter of a core, empty
 *         for other fixed counters
 * @counters: in: mask of general counters that the event may use, 0 for any general counter,
 *            or one fixed counter (bit UCORE_COUNTER_FIXED for the first). EINVAL for more
 *            than one if one is a fixed counter. The driver adds the constraints of the event
 * @period: overflow trigger (counts): one sample for each @period counts, 0 for none.
 *          At most 2^width - 1, or 2^31 for general counters of a core without
 *          UCORE_CORE_CAP_FULL_WIDTH. Any value if the counter is polled
 * @event: out: event id, unique in the session and never used again
 * @counter: out: number of the event's counter. A later ADD_EVENT may move the event to
 *           another counter of @counters. Values are identified by event id, so callers can
 *           ignore the move
 * @poll_ns: out: time from one poll to the next while the session runs (ns), 0 with an
 *           interrupt or without @period. May become non-zero later. With
 *           UCORE_SESSION_F_NO_PMI it is the longest time between two polls of the global status:
 *           an eighth of the shortest time in which @period can end, UCORE_POLL_MIN_NS to _MAX_NS.
 *           The shortest such time of all sessions on the die applies
 * @group: 0 for an event that always counts. 1 to UCORE_GROUP_MAX for an event that counts
 *         in the time slices of its group, without @period (EINVAL, also without
 *         ucore_create_session.rotate_ns)
 * @reserved: 0
 *
 * Groups rotate in the order of their numbers. All domains switch to the next group at
 * the same instants from START on, under a freeze. Events of one group and of group 0 have
 * different counters. Events of different groups may use the same counter. A filter or match
 * register has one value for all groups. ENOSPC if no choice of counters suffices for group 0
 * together with each of the other groups, or if the session has UCORE_EVENTS_MAX events.
 *
 * Sessions share boxes. Each session holds the counters of its events from ADD_EVENT on. Its
 * START, STOP, RESET and close do not affect other sessions. Sessions share a counter if they
 * count the same event (the same control word) in group 0. ADD_EVENT prefers such a counter.
 * Each session has its own count, period, times and flags. A sample is taken in the sessions
 * whose periods have ended. Two equal events of one session have two counters.
 *
 * Filter and match registers have one value for all counters of a box. Sessions whose events
 * use them (a field with UCORE_FIELD_F_SHARED, even if 0, or TID_EN) must agree on all
 * values (EADDRINUSE), where missing fields count as 0. Events that do not use filter and
 * match registers are counted with the values that other events have set. Therefore a box on
 * which an event sets a filter with UCORE_FIELD_F_PERFMON is not shared with events of other
 * sessions that were added without CAP_PERFMON. The second of the two is refused
 * (EADDRINUSE). A filter ends with the last event that sets it. A session with OCC_RST,
 * which changes what others count, has the box alone (EADDRINUSE).
 * Free-running counters (UCORE_BOX_F_FREE_RUNNING) are only read, so that each session uses them.
 * A box has at most UCORE_BOX_SESSIONS_MAX sessions (EBUSY). A session with
 * UCORE_SESSION_F_BOX_FREEZE does not share boxes of a die.
 * A box is released when the last event that any session has on the box is removed.
 *
 * A counter without overflow interrupt is polled (UCORE_BOX_F_OVERFLOW). Polls follow each other
 * so fast that two multiples of @period never pass between two polls, however fast the event
 * counts. The first poll after a multiple freezes the domain and takes the sample
 * (UCORE_SAMPLE_F_POLLED), at most @poll_ns late. Its counts are exact for the instant of the
 * freeze. A period that needs polls more often than UCORE_POLL_MIN_NS is refused (ERANGE). The
 * longest time between polls is UCORE_POLL_MAX_NS.
 *
 * The overflows of a box may reach nobody, because the global status has no bit for the box.
 * The driver finds the first such overflows within about a second (UCORE_SAMPLE_F_RECOVERED,
 * further periods that ended are lost). After the second one, and if the global status has never
 * reported an overflow of the box, the driver polls the running events of the box and clears
 * UCORE_BOX_F_OVERFLOW and UCORE_BOX_F_FIXED_OVERFLOW in GET_BOXES. Later samples have
 * UCORE_SAMPLE_F_POLLED, and later ADD_EVENTs return @poll_ns. Running events that have
 * UCORE_EVENT_F_NO_POLL or a period too short for polls are not polled.
 *
 * Filters by address, opcode, packet, core or thread can reveal what programs of other users
 * do. GET_FIELDS flags them with UCORE_FIELD_F_PERFMON. The same is true for the boxes of
 * cores, whose counters perf and the NMI watchdog also use. EACCES unless the device
 * was opened with CAP_PERFMON or the caller has it.
 *
 * Errors: EINVAL, E2BIG, EFAULT, ENOMEM, EACCES, ENOENT (box), ENXIO, ERANGE (a value,
 * @period), ENOSPC, EADDRINUSE, EOPNOTSUPP (@period with UCORE_EVENT_F_NO_POLL or
 * UCORE_SESSION_F_NO_PMI), EBUSY (running session, counters of others, overflows that cannot be
 * tried now, intel_uncore, perf),
 * ENODEV (box does not respond).
 */
struct ucore_add_event {
	__u32 size;
	__u32 flags;
	__u32 box;
	__u32 nr_terms;
	__aligned_u64 terms;
	__u64 counters;
	__u64 period;
	__u32 event;
	__u32 counter;
	__u64 poll_ns;
	__u32 group;
	__u32 reserved;
};

/**
 * struct ucore_remove_event - UCORE_REMOVE_EVENT: remove an event
 * @size: sizeof(struct ucore_remove_event)
 * @flags: 0
 * @event: event id
 * @reserved: 0
 *
 * Errors: EINVAL, E2BIG, EFAULT, ENOENT (event), EBUSY (running session).
 */
struct ucore_remove_event {
	__u32 size;
	__u32 flags;
	__u32 event;
	__u32 reserved;
};

/**
 * struct ucore_set_pmi_cpus - UCORE_SET_PMI_CPUS: choose the CPUs that take overflow PMIs
 * @size: sizeof(struct ucore_set_pmi_cpus)
 * @flags: 0
 * @nr: number of elements in @cpus, 1 to UCORE_PMI_CPUS_MAX
 * @reserved: 0
 * @cpus: array of __u32, CPU numbers, each once, of one or several dies
 *
 * All listed CPUs of a die take the PMIs of that die. The first of them becomes the reader of
 * the die. Dies without a listed CPU are not changed. The register pmi_core_sel selects
 * cores, so the other threads of these cores receive the PMI, too. One CPU services the PMI. A
 * sample describes the interrupted context of the first CPU that received it
 * (ucore_sample.cpu).
 *
 * A die has one pmi_core_sel for all sessions. EBUSY if another session has made another
 * choice for the die. The choice is valid until the session ends or chooses again. A CPU
 * that goes offline leaves the choice. If it was the reader, the next CPU of the choice
 * becomes the reader, and a GAP record reports it.
 *
 * The caller must be allowed to run on the CPUs (sched_setaffinity(2)) or have CAP_SYS_NICE
 * (EPERM). Without a choice readers are CPUs that are neither isolated nor nohz_full, if the
 * die has one.
 *
 * Errors: EINVAL (also @nr, a CPU given twice), E2BIG, EFAULT, ENOMEM, ENOENT (no such CPU,
 * or a die without boxes), EPERM, EAGAIN (offline), ERANGE (pmi_core_sel cannot select the
 * core), EBUSY (running session, or another session's choice).
 */
struct ucore_set_pmi_cpus {
	__u32 size;
	__u32 flags;
	__u32 nr;
	__u32 reserved;
	__aligned_u64 cpus;
};

/* ucore_add_core_trigger.type, with the values of perf_event_attr.type */
#define UCORE_PERF_HARDWARE	0	/* PERF_TYPE_HARDWARE: cycles, instructions ... */
#define UCORE_PERF_SOFTWARE	1	/* PERF_TYPE_SOFTWARE: task-clock, page-faults ... */
#define UCORE_PERF_RAW		4	/* PERF_TYPE_RAW: event select and unit mask of the core */

/* ucore_add_core_trigger.flags */
#define UCORE_CORE_TRIGGER_F_USER (1U << 0)	/* count in user mode only */

/**
 * struct ucore_add_core_trigger - UCORE_ADD_CORE_TRIGGER: sample at the overflow of a core event
 * @size: sizeof(struct ucore_add_core_trigger)
 * @flags: UCORE_CORE_TRIGGER_F_*
 * @type: UCORE_PERF_*
 * @cpu: CPU on which perf counts the event, -1 with @tid
 * @tid: thread for which perf counts the event, in the caller's pid namespace, 0 with @cpu
 * @reserved: 0
 * @config: event, as in perf_event_attr.config
 * @period: counts for each sample, 1 to 2^63 - 1
 *
 * The kernel's perf counts the event while the session runs, like any other perf event, but not
 * in KVM guests. After @period counts the die of the CPU is frozen and sampled, if the session
 * has events there (UCORE_TRIGGER_CORE). The sample contains the context of the overflow. It is
 * some microseconds late (ucore_sample.late_ns), because perf reports the overflow in an NMI.
 * Overflows during a sample or beyond the budget have no sample and count as lost
 * (ucore_get_budget.dropped, LOST records). perf throttles events that interrupt too often
 * (kernel.perf_event_max_sample_rate).
 *
 * On a hybrid processor perf has a PMU for each kind of cores (cpu_core, cpu_atom). For a CPU, perf
 * takes the PMU of this CPU, but refuses UCORE_PERF_RAW on efficient cores. For a thread, perf
 * counts on performance cores only, unless bits 63:32 of @config have the type of the other PMU
 * (UCORE_PERF_HARDWARE). Add a trigger for each PMU.
 *
 * A session may have many core triggers. They exist until the session ends. The trigger of an
 * exited thread, or of a CPU that has been offline, stays silent. New threads are not
 * followed.
 *
 * Errors: EINVAL (also @type, both or neither of @cpu and @tid, a session with groups or
 * MULTIPLEX, or arguments that perf refuses), E2BIG, EFAULT, ENOMEM, EACCES (without
 * CAP_PERFMON), ERANGE (@period), ENOENT (CPU), EAGAIN (offline), ESRCH, ENOSPC (more than
 * UCORE_CORE_TRIGGERS_MAX), EOPNOTSUPP (perf cannot count the event, or not interrupt),
 * EBUSY (running session, or the core counters are not available to perf).
 */
struct ucore_add_core_trigger {
	__u32 size;
	__u32 flags;
	__u32 type;
	__s32 cpu;
	__u32 tid;
	__u32 reserved;
	__u64 config;
	__u64 period;
};

/**
 * struct ucore_command - argument of UCORE_START, UCORE_STOP and UCORE_RESET
 * @size: sizeof(struct ucore_command)
 * @flags: 0
 *
 * START programs the boxes of the session under a freeze and starts all domains at the same
 * instant. Counts continue from the values at STOP. The first group of events gets the first
 * time slice. START allocates rings that GET_RING has not allocated. Errors: ENOENT (no
 * events), ENOSPC (a ring cannot hold two samples), ERANGE (samples or group switches would
 * exceed the budget, see struct ucore_get_budget), ENOMEM, ENOBUFS, EALREADY, EOPNOTSUPP
 * (UCORE_SESSION_F_TASKS on a kernel without the scheduler's tracepoints), EBUSY
 * (intel_uncore), ENODEV (a box does not respond), EAGAIN (no CPU online, or about to
 * suspend).
 *
 * STOP reads the last counts under a freeze. It stops the boxes, or only the session's
 * counters where other sessions count. A timer that is due takes a last sample. STOP of a
 * stopped session succeeds.
 *
 * RESET clears counts and times, also of a running session. Periods start again under a
 * freeze. EAGAIN if the session runs and one of its domains has no CPU online, or the machine
 * is about to suspend.
 *
 * A running session survives suspend (to RAM, to idle, hibernation). Before suspend its last
 * counts are read and its boxes are restored to the state in which they were found. After
 * resume the boxes are programmed again, periods start again, and counts continue. The same
 * happens on a domain whose CPUs are all offline. Events in between are not counted, and the
 * time is neither enabled nor running. GAP_SUSPEND and GAP_RESUME (_OFFLINE and _ONLINE)
 * records give the times. UCORE_SAMPLE_F_GAP and UCORE_VALUE_F_GAP mark the data.
 *
 * The two _F_GAP flags and a GAP_FROZEN record also report a spurious overflow, which is an
 * overflow that no session armed and that froze the domain. The cause is a box that was dead when
 * it should have been stopped, or a counter that firmware left armed. Without an overflow trigger
 * the watchdog finds the overflow within one second. The time since the previous scan is enabled,
 * but not running.
 *
 * Errors of START, STOP and RESET: EINVAL, E2BIG, EFAULT.
 */
struct ucore_command {
	__u32 size;
	__u32 flags;
};

/* ucore_value.flags. The rate of an UNFROZEN count is relative to time_enabled. */
#define UCORE_VALUE_F_OVERFLOW	(1U << 0)	/* the event's period ended at this sample */
#define UCORE_VALUE_F_DEAD	(1U << 1)	/* the box does not respond, count is not current */
#define UCORE_VALUE_F_OFFLINE	(1U << 2)	/* domain suspended or without an online CPU */
#define UCORE_VALUE_F_UNFROZEN	(1U << 3)	/* no freeze stops the counter */
#define UCORE_VALUE_F_PARTIAL	(1U << 4)	/* the box did not accept all fields of the event */
#define UCORE_VALUE_F_GAP	(1U << 5)	/* READ: the domain did not count for some time */
#define UCORE_VALUE_F_MAYBE_WRAPPED (1U << 6)	/* the counter may have wrapped unnoticed */
#define UCORE_VALUE_F_CONFLICT	(1U << 7)	/* another program changed the counter's controls */

/**
 * struct ucore_value - the count of one event
 * @event: event id
 * @flags: UCORE_VALUE_F_*
 * @count: counts since the first START or the last RESET, exact, 64 bits
 *
 * GAP is set by the first READ after the domain had no CPU online, was suspended, or was
 * found frozen by a spurious overflow. Events during that time were not counted. It is also set
 * when a box of the session responds again. Then only events of this box were not counted.
 *
 * MAYBE_WRAPPED stays set until RESET. The machine was paused, or the reader had interrupts
 * disabled, for longer than the counter takes to wrap at the event's highest rate. Multiples
 * of 2^width may therefore be missing from @count.
 *
 * CONFLICT means that another program (Intel PCM, LIKWID, VTune) or firmware wrote a control
 * while the session ran: that of the counter, its box or its domain. Later counts are
 * unreliable. The watchdog scans the controls every ten seconds, does not repair them, and
 * writes a GAP_CONFLICT record. The flag stays until RESET, and returns if the control still
 * differs. STOP and START program the control again.
 *
 * DEAD is set while the box does not respond. The driver tries the box again about once a second.
 * When it responds, its counts continue from their last values, and the next READ has GAP. A
 * session that was stopped and started in between keeps DEAD until RESET.
 */
struct ucore_value {
	__u32 event;
	__u32 flags;
	__u64 count;
};

/**
 * struct ucore_read_domain - a domain of a READ
 * @domain: domain id
 * @cpu: CPU that read the domain
 * @time: instant of the freeze, or of the first read with NO_FREEZE (ns)
 * @frozen_ns: duration of the freeze for this READ (ns), 0 with NO_FREEZE
 * @skew_ns: upper bound of the time from the first write of the freeze, at @time, to the last
 *           (ns). 0 with NO_FREEZE, and if one write freezes the domain. After STOP that of the
 *           freeze by STOP. After each freeze the boxes also begin to count one after the other.
 *           Over many READs and samples their counting times differ by more than the skew of one
 *           freeze
 * @time_enabled: time since START on this domain (ns), without times in which the domain had
 *                no CPU online or the machine was suspended
 * @time_running: part of @time_enabled in which the domain was not frozen for this or another
 *                session, as far as the driver knows (ns)
 *
 * An overflow of any session freezes the domain in hardware. The driver learns of it by the PMI,
 * and nothing records the instant of the freeze. Therefore @time_running includes the time from
 * each freeze by an overflow to its PMI, in which the counters stand still. It has no upper bound
 * but the time since the previous unfreeze. ucore_domain_info.pmis is the number of these times
 * on the domain. With UCORE_SESSION_F_NO_PMI a poll takes the place of the PMI, and
 * ucore_sample.late_ns bounds the time. A count divided by the count of a clock of the same domain
 * has no such error.
 */
struct ucore_read_domain {
	__u32 domain;
	__u32 cpu;
	__u64 time;
	__u64 frozen_ns;
	__u64 skew_ns;
	__u64 time_enabled;
	__u64 time_running;
};

/* ucore_read.flags */
#define UCORE_READ_F_NO_FREEZE	(1U << 0)	/* read while the counters count */

/**
 * struct ucore_read - UCORE_READ: read all counters of the session in one coherent snapshot
 * @size: sizeof(struct ucore_read)
 * @flags: UCORE_READ_F_*
 * @nr_values: capacity of @values (in), number of events (out, also with ENOSPC)
 * @nr_domains: capacity of @domains (in), number of domains (out, also with ENOSPC)
 * @values: array of struct ucore_value, in the order of event ids
 * @domains: array of struct ucore_read_domain, in the order of domain ids
 * @skew_ns: out: time between the first and the last freeze of all domains, and of all boxes
 *           where boxes freeze one by one (ns); of the freezes by STOP if the session is stopped
 * @running: array of @nr_values __u64 that receives the time in which each event could count
 *           (ns), or a null pointer if these times are not wanted
 *
 * An event of group 0 could count during the time_running of its domain. An event of another
 * group could count during the time slices of its group. With UCORE_SESSION_F_MULTIPLEX, times in
 * which other sessions used the counters are left out. @values are the counts as measured.
 * The estimate for the whole time is count * time_running / running. Count and time
 * are 0 for an event whose group has not had a time slice. A value flagged UNFROZEN has counted in
 * frozen times, too: in a group its @running is the whole time of the slices, in group 0 it has
 * counted for time_enabled, without the times in which it waited for other sessions.
 *
 * All domains freeze at the same instant, are read in parallel and unfreeze. A stopped session
 * returns its last counts. Events of a domain without an online CPU return their last counts,
 * flagged OFFLINE.
 *
 * Errors: EINVAL, E2BIG, EFAULT, ENOMEM, ENOENT (no events), ENOSPC.
 */
struct ucore_read {
	__u32 size;
	__u32 flags;
	__u32 nr_values;
	__u32 nr_domains;
	__aligned_u64 values;
	__aligned_u64 domains;
	__u64 skew_ns;
	__aligned_u64 running;
};

/**
 * struct ucore_get_status - UCORE_GET_STATUS: report state and statistics of the session
 * @size: sizeof(struct ucore_get_status)
 * @flags: 0
 * @session: out: session id, as in ucore_box_info.owner
 * @state: out: UCORE_SESSION_STOPPED, _RUNNING or _REVOKED
 * @nr_events: out: number of events of the session
 * @nr_domains: out: number of domains of those events
 * @conflicts: out: number of watchdog scans that found a control which another program wrote
 *             (UCORE_VALUE_F_CONFLICT). The watchdog scans once in ten seconds
 * @samples: out: number of samples taken or due, lost samples and dropped periods included
 * @lost: out: records lost because a ring was full, and dropped periods
 *        (ucore_get_budget.dropped)
 * @overflows: out: number of overflows serviced
 * @recovered: out: number of overflows in @overflows that the watchdog found because the PMI
 *             was lost
 * @polled: out: number of overflows in @overflows that polling found
 * @polls: out: number of polls of counters without overflow interrupt, and of the global status
 *         (UCORE_SESSION_F_NO_PMI). @cost_ns and @reads include the polls
 * @cost_ns: out: CPU time of samples on all domains (ns)
 * @frozen_ns: out: time for which domains were frozen for samples and READs (ns)
 * @reads: out: number of register reads for samples and READs
 * @writes: out: number of register writes for samples and READs
 * @parallel_reads: out: number of times that a helper CPU read some of the boxes
 *                  (ucore_create_session.nr_readers)
 *
 * Errors: EINVAL, E2BIG, EFAULT.
 */
struct ucore_get_status {
	__u32 size;
	__u32 flags;
	__u64 session;
	__u32 state;
	__u32 nr_events;
	__u32 nr_domains;
	__u32 conflicts;
	__u64 samples;
	__u64 lost;
	__u64 overflows;
	__u64 recovered;
	__u64 polled;
	__u64 polls;
	__u64 cost_ns;
	__u64 frozen_ns;
	__u64 reads;
	__u64 writes;
	__u64 parallel_reads;
};

/**
 * struct ucore_get_budget - UCORE_GET_BUDGET: report the CPU time that the session may use
 * @size: sizeof(struct ucore_get_budget)
 * @flags: 0
 * @percent: out: largest share of a CPU's time that ucore uses (%), 100 for no limit
 * @reserved: 0
 * @sample_ns: out: estimated CPU time of the samples of one period, on the reader where they
 *             take longest (ns), 0 without events. A CPU that reads its die and its own core
 *             counters takes two samples
 * @timer_min_ns: out: shortest ucore_create_session.timer_ns that START accepts for these
 *                events (ns). @sample_ns is at most @percent of @timer_min_ns. With @percent below
 *                100 at least 10 us remain between two samples. The same limit holds for rotate_ns
 * @busy_ns: out: CPU time that ucore has used on the readers of the session's domains since
 *           load, for all sessions (ns)
 * @wait_ns: out: time for which START, RESET, READ, or an ADD_EVENT with self-test, would wait
 *           now (ns)
 * @dropped: out: periods without a sample. Periods of the timer are known at the next sample or
 *           at STOP, those of throttled counters when throttling ends. Overflows of core
 *           triggers without a sample are included
 * @delayed: out: number of times that the budget delayed a timer or a poll, or prevented the
 *           sample of a core trigger
 *
 * The time that ucore spends on a CPU with interrupts disabled is charged to that CPU, for all
 * domains and sessions. This includes overflow services, timer samples, polls, START, STOP,
 * RESET and READ. A CPU has its share in windows of about 10 ms. Beyond that share
 * counters are throttled (UCORE_SAMPLE_F_THROTTLED), timers skip periods, and polls are
 * delayed (UCORE_SAMPLE_F_DELAYED). LOST records count the periods without a sample. START,
 * RESET, READ, SET_PMI_CPUS and an ADD_EVENT with self-test sleep before they begin. A period
 * is also dropped when its timer came late.
 *
 * Errors: EINVAL, E2BIG, EFAULT, ENOMEM.
 */
struct ucore_get_budget {
	__u32 size;
	__u32 flags;
	__u32 percent;
	__u32 reserved;
	__u64 sample_ns;
	__u64 timer_min_ns;
	__u64 busy_ns;
	__u64 wait_ns;
	__u64 dropped;
	__u64 delayed;
};

/**
 * struct ucore_get_ring - UCORE_GET_RING: give the mmap offsets of one domain's ring
 * @size: sizeof(struct ucore_get_ring)
 * @flags: 0
 * @domain: in: domain id
 * @data_size: out: size of the record data (bytes)
 * @consumer: out: mmap offset of the consumer page, a struct ucore_ring_consumer (one page,
 *            PROT_READ | PROT_WRITE, MAP_SHARED)
 * @producer: out: mmap offset of the producer page, a struct ucore_ring_producer, directly
 *            followed by the data (one page + @data_size, PROT_READ, MAP_SHARED)
 *
 * Allocates the ring, unless it exists. The ring counts as locked memory of the user who created
 * the session. The removal of the last event on the domain frees the ring when it is not mapped.
 *
 * Errors: EINVAL, E2BIG, EFAULT, ENOENT (no such domain, no events on it, or no rings), ENOMEM,
 * ENOBUFS.
 */
struct ucore_get_ring {
	__u32 size;
	__u32 flags;
	__u32 domain;
	__u32 data_size;
	__u64 consumer;
	__u64 producer;
};

/*
 * ---- ring ---------------------------------------------------------------
 *
 * The positions @head (producer page) and @tail (consumer page) count bytes and never wrap. A
 * record starts at data + (position & (data_size - 1)), is aligned to 8 bytes and contiguous. A PAD
 * record fills the end of the data where a record would not fit.
 *
 *   user space:  head = load_acquire(&producer->head);
 *                while (tail != head) { use record; tail += record->size; }
 *                store_release(&consumer->tail, tail);
 *
 * The kernel never overwrites unread records. Records that do not fit and dropped periods are
 * counted in @lost, and a LOST record precedes the next record. An invalid tail counts as a
 * full ring.
 */

/**
 * struct ucore_ring_consumer - page that user space writes
 * @tail: position after the last record that user space has consumed (bytes since creation)
 */
struct ucore_ring_consumer {
	__u64 tail;
};

/**
 * struct ucore_ring_producer - page that the kernel writes, read-only in user space
 * @head: position after the last record that the kernel has written (bytes since creation)
 * @lost: number of records lost since the ring was created, dropped periods included
 */
struct ucore_ring_producer {
	__u64 head;
	__u64 lost;
};

/* ucore_record.type */
#define UCORE_RECORD_PAD	0	/* filler at the end of the data, without seq */
#define UCORE_RECORD_SAMPLE	1	/* struct ucore_sample */
#define UCORE_RECORD_LOST	2	/* struct ucore_lost */
#define UCORE_RECORD_GAP	3	/* struct ucore_gap */
#define UCORE_RECORD_TASKS	4	/* struct ucore_tasks */

/**
 * struct ucore_record - head of every record
 * @type: UCORE_RECORD_*. User space must skip records of unknown types
 * @size: size of the record, this head included (bytes), a multiple of 8
 * @seq: sequence number of the record in its ring, from 0. Lost records have numbers, too. A
 *       PAD record has no @seq and may consist of @type and @size only
 */
struct ucore_record {
	__u32 type;
	__u32 size;
	__u64 seq;
};

/* ucore_sample.trigger */
#define UCORE_TRIGGER_OVERFLOW	0	/* the period of an event ended */
#define UCORE_TRIGGER_TIMER	1	/* the session's timer expired (timer_ns) */
#define UCORE_TRIGGER_CORE	2	/* a core trigger overflowed (ADD_CORE_TRIGGER) */

/*
 * ucore_sample.flags
 *
 * CONTEXT: ip, pid and tid describe the interrupted context of @cpu, which did not
 * necessarily cause the counts. With UCORE_TRIGGER_CORE they describe the context that
 * reached the period.
 * USER: ip is a user address.
 * RECOVERED: the PMI was lost. The watchdog found the domain frozen, so @time is late. Or the
 * overflow reached nobody, and the watchdog found that the counter had wrapped.
 * THROTTLED: overflows came too fast or used too much CPU time. For some milliseconds from
 * now, periods that end have no sample and count as lost. If no counter can be throttled the
 * domain stays frozen instead.
 * POLLED: polling found the end of the period, at most @late_ns before @time. The counts are
 * those of @time.
 * FROZEN: with POLLED, the overflow froze the domain. The counters stood still from the overflow
 * to @time, so that the counts are also those of the overflow (UCORE_SESSION_F_NO_PMI).
 * GAP: nothing was counted for some time since the last sample, because the domain had no
 * CPU online, the machine was suspended, or a spurious overflow froze the domain.
 * DELAYED: the budget delayed the timer or a poll since the last sample (struct
 * ucore_get_budget).
 */
#define UCORE_SAMPLE_F_CONTEXT	(1U << 0)
#define UCORE_SAMPLE_F_USER	(1U << 1)
#define UCORE_SAMPLE_F_RECOVERED (1U << 2)
#define UCORE_SAMPLE_F_THROTTLED (1U << 3)
#define UCORE_SAMPLE_F_POLLED	(1U << 4)
#define UCORE_SAMPLE_F_GAP	(1U << 5)
#define UCORE_SAMPLE_F_DELAYED	(1U << 6)
#define UCORE_SAMPLE_F_FROZEN	(1U << 7)

#define UCORE_EVENT_NONE	0xffffffffU	/* no event id */

/**
 * struct ucore_sample - RECORD_SAMPLE: all counters of one domain at one instant
 * @hdr: type, size, sequence number
 * @time: instant of the PMI, or of the freeze by the timer or by polling (ns)
 * @time_enabled: time since START on this domain (ns), as in struct ucore_read_domain
 * @time_running: part of @time_enabled in which the domain was not frozen (ns), as in struct
 *                ucore_read_domain. It includes the time from the overflow of this sample to @time,
 *                in which the counters stood still
 * @frozen_ns: time from @time until the domain was unfrozen, or could have been unfrozen while
 *             UCORE_SAMPLE_F_THROTTLED keeps it frozen (ns)
 * @skew_ns: upper bound of the time from the first box freeze to the last (ns), as in struct
 *           ucore_read_domain
 * @late_ns: upper bound of the delay of @time (ns). UCORE_SAMPLE_F_POLLED: time since the previous
 *           poll. With UCORE_SAMPLE_F_FROZEN the domain was frozen for a part of this time, which
 *           @time_running includes. UCORE_TRIGGER_CORE: time since the overflow of the core event.
 *           UCORE_SAMPLE_F_RECOVERED: time since the overflow froze the domain, about 20 ms, so
 *           that @time_running may include up to @late_ns of frozen time. If the overflow reached
 *           nobody (struct ucore_add_event), time since it could have occurred, up to about two
 *           seconds, in which nothing was frozen. 0 for other samples. For an overflow with a
 *           PMI, 0 means that the delay of the PMI is unknown
 * @ip: interrupted instruction, 0 without CAP_PERFMON, like @pid and @tid
 * @pid: interrupted process (initial pid namespace)
 * @tid: interrupted thread (initial pid namespace)
 * @cpu: CPU that took the PMI or the timer interrupt
 * @domain: domain id
 * @trigger: UCORE_TRIGGER_*
 * @trigger_event: lowest id of the events whose periods ended, or UCORE_EVENT_NONE
 * @flags: UCORE_SAMPLE_F_*
 * @nr_values: number of elements in @values
 * @values: the session's events on this domain, in the order of event ids
 */
struct ucore_sample {
	struct ucore_record hdr;
	__u64 time;
	__u64 time_enabled;
	__u64 time_running;
	__u64 frozen_ns;
	__u64 skew_ns;
	__u64 late_ns;
	__u64 ip;
	__u32 pid;
	__u32 tid;
	__u32 cpu;
	__u32 domain;
	__u32 trigger;
	__u32 trigger_event;
	__u32 flags;
	__u32 nr_values;
	struct ucore_value values[];
};

/**
 * struct ucore_lost - RECORD_LOST: records that found no room, or dropped periods
 * @hdr: type, size, sequence number
 * @lost: number of records lost since the last LOST record. They have the sequence numbers
 *        before @hdr.seq
 * @time: instant at which the ring had room again, or of the next sample (ns)
 *
 * Dropped periods are periods of the timer or of a throttled counter.
 */
struct ucore_lost {
	struct ucore_record hdr;
	__u64 lost;
	__u64 time;
};

/* ucore_gap.reason */
#define UCORE_GAP_READER_MOVED	0	/* the domain's reader is another CPU, ucore_gap.cpu_to */
#define UCORE_GAP_OFFLINE	1	/* the domain's last CPU went offline, counting stopped */
#define UCORE_GAP_ONLINE	2	/* a CPU of the domain came online, counting resumed */
#define UCORE_GAP_BOX_DEAD	3	/* a box (ucore_gap.box) stopped responding */
#define UCORE_GAP_SUSPEND	4	/* the machine suspends, counting stopped */
#define UCORE_GAP_RESUME	5	/* the machine resumed, counting resumed */
#define UCORE_GAP_FROZEN	6	/* an overflow that no session armed froze the domain */
#define UCORE_GAP_CONFLICT	7	/* another program changed a control of ucore_gap.box */

/**
 * struct ucore_gap - RECORD_GAP: counting stopped, resumed or failed, or the reader changed
 * @hdr: type, size, sequence number
 * @time: instant (ns) of the change that @reason states, or at which the driver found it
 * @domain: domain id
 * @reason: UCORE_GAP_*
 * @cpu_from: CPU number of the previous reader, or -1
 * @cpu_to: CPU number of the current reader, or -1
 * @box: id of the box that did not count or has a conflict, UCORE_NO_BOX for the whole domain
 * @reserved: 0
 */
struct ucore_gap {
	struct ucore_record hdr;
	__u64 time;
	__u32 domain;
	__u32 reason;
	__s32 cpu_from;
	__s32 cpu_to;
	__u32 box;
	__u32 reserved;
};

/* ucore_task.flags. KNOWN is unset if the CPU was offline or was switching tasks. */
#define UCORE_TASK_F_KNOWN	(1U << 0)	/* the other members describe the task */

/**
 * struct ucore_task - the task that ran on a CPU
 * @cpu: CPU number
 * @flags: UCORE_TASK_F_*
 * @pid: process (initial pid namespace), 0 if the CPU was idle
 * @tid: thread (initial pid namespace)
 * @since: instant of the last switch to this task (ns), not before the START of the first
 *         session with UCORE_SESSION_F_TASKS
 * @comm: name of the task, NUL-terminated
 */
struct ucore_task {
	__u32 cpu;
	__u32 flags;
	__u32 pid;
	__u32 tid;
	__u64 since;
	char comm[16];
};

/**
 * struct ucore_tasks - RECORD_TASKS: the tasks that ran when the next sample was taken
 * @hdr: type, size, sequence number
 * @time: instant of the sample (ns). The sample's record has the next sequence number, unless
 *        one of both records was lost
 * @domain: domain id
 * @nr_tasks: number of elements in @tasks
 * @tasks: element for each CPU of the domain that was online at START, by CPU number
 */
struct ucore_tasks {
	struct ucore_record hdr;
	__u64 time;
	__u32 domain;
	__u32 nr_tasks;
	struct ucore_task tasks[];
};

#endif /* _UAPI_UCORE_H */
