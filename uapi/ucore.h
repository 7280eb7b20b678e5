/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ucore: Intel uncore performance monitors through /dev/ucore.
 *
 * Two kinds of file descriptor.  /dev/ucore answers questions (INFO, GET_*)
 * and creates sessions; a session descriptor owns events, is started and
 * stopped, read, polled, and mapped: one ring of records for each domain.
 *
 * A domain is what one global control freezes and one CPU reads: for the uncore
 * a die, for a core's own monitors a logical CPU (ucore_domain_info.scope).  All
 * counters of a domain are read at one instant.  Where there is no global control
 * (INFO: no UCORE_CAP_GLOBAL_FREEZE) a domain's boxes are frozen one after the
 * other, and skew_ns tells how far apart the first and the last one were.
 *
 * Rules that hold for every command:
 *
 *  - The argument is a struct that starts with its own size.  A caller built
 *    against an older header passes a smaller size, one built against a newer
 *    header a larger one, whose unknown tail must be zero (E2BIG otherwise).
 *    A size below the first published layout is EINVAL, one above
 *    UCORE_SIZE_MAX E2BIG.
 *  - @flags holds only bits that the command defines, and reserved fields are
 *    zero: EINVAL otherwise.  Output fields are ignored on input.
 *  - Layouts are the same for 32- and 64-bit callers.  Pointers travel as
 *    __aligned_u64.
 *  - Arrays: the caller gives the capacity in elements, the kernel writes at
 *    most that many and returns the number that it wrote, or the number needed
 *    where the command says so.
 *  - Times are in nanoseconds of CLOCK_MONOTONIC, durations in nanoseconds.
 *  - A command either succeeds as a whole or changes nothing.
 *
 * Errors, one vocabulary for all commands:
 *
 *  EINVAL      malformed: size, flags, reserved field, unknown field id, a
 *              field given twice, a value that makes no sense
 *  E2BIG       the tail beyond the size this kernel knows is not zero
 *  EFAULT      an address is not mapped, or not writable where an answer goes
 *  ENOTTY      no such command on this kind of descriptor
 *  ENOMEM      out of memory
 *  ENOBUFS     the caller's user would have more memory in rings than RLIMIT_MEMLOCK
 *              and the driver's allowance permit
 *  ENOENT      no such box, domain, event or CPU
 *  ENXIO       the box has no such field or counter, or the event cannot count
 *              on any of the counters asked for
 *  ERANGE      a value does not fit its field, or a period its counter, or a
 *              period is too short to be polled, or a timer's for its samples
 *  ENOSPC      the session has every counter that the event could use, or the buffer
 *              for a READ or ring cannot hold the answer
 *  EADDRINUSE  a register that the box's counters share (filter, match) holds
 *              another value for another event, of the session or of another
 *              (GET_BOXES names it)
 *  EOPNOTSUPP  the hardware cannot interrupt at the overflow of this counter, and
 *              the caller does not want it polled
 *  EBUSY       other sessions have the counters that the event could use, or the box
 *              alone (BOX_FREEZE; GET_BOXES names one), the
 *              PMI CPUs are held by another session, the session is running,
 *              the kernel's own intel_uncore driver holds the hardware (INFO),
 *              or its perf the cores' counters (GET_CORE)
 *  EALREADY    START of a running session
 *  ENODEV      there are no boxes here (INFO says why), or the box is gone
 *  EAGAIN      a CPU went away meanwhile, a domain has no CPU online, or the machine
 *              is about to sleep or to reboot
 *  EPERM       a mapping asked for write access to a read-only page, or a PMI CPU is
 *              not one of the caller's, or REVOKE_SESSION without CAP_SYS_ADMIN
 *  ESHUTDOWN   the session was ended (REVOKE_SESSION): its descriptor can only be closed
 *  EACCES      a filter or a CPU's own counters, which show what others do, or a trigger or
 *              records that tell what tasks do, without CAP_PERFMON
 *  EMFILE      the caller has as many descriptors as it may have (RLIMIT_NOFILE)
 *  ENFILE      the machine has as many open files as it may have (fs.file-max)
 *  ESRCH       no such thread
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

#define UCORE_NAME_LEN		16
#define UCORE_REASON_LEN	160

/* Bounds of what commands take: beyond them EINVAL, ERANGE or E2BIG */
#define UCORE_SIZE_MAX		4096		/* bytes of an argument */
#define UCORE_TERMS_MAX		32		/* ucore_add_event.nr_terms */
#define UCORE_TIMER_MIN_NS	10000ULL	/* ucore_create_session.timer_ns: 10 us */
#define UCORE_TIMER_MAX_NS	1000000000000ULL
#define UCORE_POLL_MIN_NS	100000ULL	/* ucore_add_event.poll_ns: 100 us */
#define UCORE_POLL_MAX_NS	10000000ULL
#define UCORE_PMI_CPUS_MAX	256		/* ucore_set_pmi_cpus.nr */
#define UCORE_CORE_TRIGGERS_MAX	4096		/* UCORE_ADD_CORE_TRIGGER: of a session */
#define UCORE_RING_MIN		4096U		/* ucore_create_session.ring_size: bytes */
#define UCORE_RING_MAX		67108864U
#define UCORE_ROTATE_MIN_NS	1000000ULL	/* ucore_create_session.rotate_ns: 1 ms */
#define UCORE_ROTATE_MAX_NS	1000000000000ULL
#define UCORE_GROUP_MAX		63U		/* ucore_add_event.group */
#define UCORE_READERS_MAX		8U		/* ucore_create_session.nr_readers */

/*
 * ---- /dev/ucore ---------------------------------------------------------
 */

/* ucore_get_info.state: why there are boxes, or why not */
#define UCORE_STATE_READY	0	/* sessions can be created */
#define UCORE_STATE_NOT_INTEL	1	/* not an Intel processor */
#define UCORE_STATE_UNKNOWN	2	/* an Intel processor this driver has no table for */
#define UCORE_STATE_HIDDEN	3	/* known, but no box answers: VM, or firmware hides them */
#define UCORE_STATE_INTREE	4	/* the kernel's intel_uncore driver holds them */

/* ucore_get_info.caps: what this platform can do */
#define UCORE_CAP_GLOBAL_FREEZE	(1U << 0)	/* one write freezes a die, not one per box */
#define UCORE_CAP_OVERFLOW_PMI	(1U << 1)	/* overflow in the uncore interrupts a core */
#define UCORE_CAP_DISCOVERY	(1U << 2)	/* boxes come from discovery tables (GET_TABLES) */
#define UCORE_CAP_CORE		(1U << 3)	/* each CPU has a box "core" (GET_CORE) */

/**
 * struct ucore_get_info - UCORE_GET_INFO: the machine and the driver
 * @size: sizeof(struct ucore_get_info)
 * @flags: 0
 * @abi: out: UCORE_ABI_VERSION of the driver
 * @state: out: UCORE_STATE_*
 * @caps: out: UCORE_CAP_*
 * @nr_domains: out: domains with boxes: GET_DOMAINS
 * @nr_boxes: out: boxes of all domains
 * @nr_counters: out: counters of all boxes, fixed ones included
 * @family: out: CPUID family
 * @model: out: CPUID model
 * @stepping: out: CPUID stepping
 * @reserved: 0
 * @platform: out: short platform name ("ivbep"), empty when unknown
 * @reason: out: one sentence on @state and what to do about it, on boxes that should be
 *          there and are not, or on the first box that failed its selftest (GET_SELFTEST); empty
 *          when all is well
 *
 * With UCORE_CAP_CORE sessions can be created also where the uncore is unknown or
 * hidden: then @state is UCORE_STATE_READY and @reason tells of the uncore.  They
 * can be in UCORE_STATE_INTREE, too, and have events of cores alone.
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
	__u32 reserved;
	char platform[UCORE_NAME_LEN];
	char reason[UCORE_REASON_LEN];
};

/* ucore_domain_info.scope: what shares one global control and one reader */
#define UCORE_SCOPE_DIE		0	/* a die: the uncore */
#define UCORE_SCOPE_CPU		1	/* a logical CPU: the core's own monitors */

/**
 * struct ucore_domain_info - one element of GET_DOMAINS
 * @domain: domain id, its place in the list, from 0; stable while the module is
 *          loaded
 * @scope: UCORE_SCOPE_*
 * @die: the kernel's logical die
 * @package: physical package (socket)
 * @cpu: the CPU that the domain is (UCORE_SCOPE_CPU), -1 for others
 * @reader: CPU that touches the domain's boxes and takes its PMI, alone or with
 *          those that SET_PMI_CPUS chose; -1 if none of its CPUs is online, or the
 *          machine is about to sleep or to reboot
 * @nr_boxes: boxes of the domain
 * @nr_counters: counters of those boxes, fixed ones included
 * @nr_sessions: sessions running on the domain now
 * @reserved: 0
 * @pmis: overflow interrupts taken since load
 * @recovered: overflows found by the guard timer because no interrupt came
 * @throttled: times that PMIs came too fast, or took too much of a CPU's time: for some
 *             milliseconds periods ended without one
 * @frozen_ns: time the domain was frozen by ucore since load
 * @skew_max_ns: longest time from the first box's freeze to the last one's since
 *               load; 0 where one write freezes all
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
 * struct ucore_get_domains - UCORE_GET_DOMAINS
 * @size: sizeof(struct ucore_get_domains)
 * @flags: 0
 * @nr: in: capacity of @domains; out: elements written
 * @total: out: domains there are
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

/* ucore_box_info.access: how the driver reaches the registers */
#define UCORE_ACCESS_MSR	0
#define UCORE_ACCESS_PCI	1	/* kernel's PCI config accessors */
#define UCORE_ACCESS_ECAM	2	/* memory-mapped PCI config space */
#define UCORE_ACCESS_MMIO	3

/* ucore_box_info.caps */
#define UCORE_BOX_F_OVERFLOW	(1U << 0)	/* general counters can interrupt */
#define UCORE_BOX_F_FIXED_OVERFLOW (1U << 1)	/* fixed counters can interrupt */
#define UCORE_BOX_F_FREEZE	(1U << 2)	/* has a freeze of its own */
#define UCORE_BOX_F_DEAD		(1U << 3)	/* did not answer when it was asked last */
#define UCORE_BOX_F_FREE_RUNNING	(1U << 4)	/* fixed counters that no freeze stops */
#define UCORE_BOX_F_SHARED	(1U << 5)	/* more than one session has counters of it now */

/**
 * struct ucore_box_info - one element of GET_BOXES
 * @box: box id, stable while the module is loaded
 * @domain: domain id
 * @die: the kernel's logical die
 * @cpu: the CPU whose box it is (UCORE_SCOPE_CPU), -1 for others
 * @instance: number of the box among those of its type in the domain
 * @access: UCORE_ACCESS_*
 * @nr_counters: general counters, numbered from 0
 * @nr_fixed: fixed counters, numbered from UCORE_COUNTER_FIXED
 * @width: bits of a general counter; the first ADD_EVENT on the box finds out whether it
 *         has fewer than the manual says
 * @fixed_width: bits of a fixed counter; the same
 * @caps: UCORE_BOX_*
 * @owner_pid: process that created that session, in the caller's pid namespace; 0 if it
 *             has no number there, or the box is free
 * @owner: id of a session with counters of the box (ucore_get_status.session): the first of
 *         those that say something of its filter and match registers, else of all; 0 if
 *         it is free.  With UCORE_BOX_F_SHARED there are others
 * @location: address of the box control: MSR number, or PCI
 *            segment << 32 | bus << 20 | device << 15 | function << 12 | offset,
 *            or physical address; 0 for callers without CAP_SYS_ADMIN
 * @type: name of the box type: "imc", "cbo" ...
 * @owner_comm: name of that process, empty if the box is free
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
	__u32 caps;
	__u32 owner_pid;
	__u64 owner;
	__u64 location;
	char type[UCORE_NAME_LEN];
	char owner_comm[UCORE_NAME_LEN];
};

/**
 * struct ucore_get_boxes - UCORE_GET_BOXES
 * @size: sizeof(struct ucore_get_boxes)
 * @flags: 0
 * @first: first box id wanted
 * @nr: in: capacity of @boxes; out: elements written
 * @total: out: boxes there are; ids run from 0 to @total - 1
 * @reserved: 0
 * @boxes: array of struct ucore_box_info
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
 * Event fields.  What one counter is asked to count is a list of (field,
 * value) pairs; GET_FIELDS tells which fields a box has.  The names are the
 * manuals', the numbers are ours and will not change.
 */
#define UCORE_FIELD_EVENT	1	/* ev_sel; bit 8: extension bit (QPI, PCU, v3: R3QPI) */
#define UCORE_FIELD_UMASK	2
#define UCORE_FIELD_EDGE	3	/* count rising edges; but in cores needs thresh >= 1 */
#define UCORE_FIELD_INVERT	4	/* count while below thresh, which must be >= 1 */
#define UCORE_FIELD_THRESH	5
#define UCORE_FIELD_TID_EN	6	/* C-Box: apply filter_tid */
#define UCORE_FIELD_OCC_SEL	7	/* PCU: 1 C0, 2 C3, 3 C6 */
#define UCORE_FIELD_OCC_INVERT	8	/* PCU */
#define UCORE_FIELD_OCC_EDGE	9	/* PCU */
#define UCORE_FIELD_OCC_RST	10	/* HA of v2: START empties the event's occupancy counter */
#define UCORE_FIELD_FILTER_TID	16	/* C-Box filter */
#define UCORE_FIELD_FILTER_LINK	17
#define UCORE_FIELD_FILTER_STATE 18
#define UCORE_FIELD_FILTER_NID	19
#define UCORE_FIELD_FILTER_OPC	20
#define UCORE_FIELD_FILTER_C6	21
#define UCORE_FIELD_FILTER_NC	22
#define UCORE_FIELD_FILTER_ISOC	23
#define UCORE_FIELD_BAND0	24	/* PCU frequency bands, units of 100 MHz */
#define UCORE_FIELD_BAND1	25
#define UCORE_FIELD_BAND2	26
#define UCORE_FIELD_BAND3	27
#define UCORE_FIELD_ADDR_MATCH	28	/* HA: physical address, bits 45:6 */
#define UCORE_FIELD_OPC_MATCH	29	/* HA */
#define UCORE_FIELD_MATCH0	30	/* QPI packet match and mask */
#define UCORE_FIELD_MATCH1	31
#define UCORE_FIELD_MASK0	32
#define UCORE_FIELD_MASK1	33
#define UCORE_FIELD_UMASK_EXT	34	/* extended umask: control bits 63:32, or fewer */
#define UCORE_FIELD_CH_MASK	35	/* IIO: ports, a bit each (PortMask) */
#define UCORE_FIELD_FC_MASK	36	/* IIO: completion flow classes, a bit each (FCMask) */

#define UCORE_FIELD_USR		37	/* core: count in user mode; neither USR nor OS: both */
#define UCORE_FIELD_OS		38	/* core: count in the kernel */
#define UCORE_FIELD_ANY		39	/* core: count for both threads */
#define UCORE_FIELD_INV		40	/* core: count where less than cmask; needs cmask >= 1 */
#define UCORE_FIELD_CMASK	41	/* core: count clocks of at least so many */

#define UCORE_FIELD_FILTER_CID	42	/* UBox filter: core, beside filter_tid: its thread */

/*
 * CHA filter of Skylake-SP to Cooper Lake, beside filter_tid, _link, _state, _nc, _isoc.
 * Events of the TOR count nothing unless a bit of each pair is set: filter_rem or _loc,
 * and filter_nm or _not_nm.
 */
#define UCORE_FIELD_FILTER_REM	43	/* homed on a remote socket */
#define UCORE_FIELD_FILTER_LOC	44	/* homed on this socket */
#define UCORE_FIELD_FILTER_ALL_OP 45	/* any opcode */
#define UCORE_FIELD_FILTER_NM	46	/* near memory */
#define UCORE_FIELD_FILTER_NOT_NM 47	/* not near memory */
#define UCORE_FIELD_FILTER_OPC_0 48	/* this opcode, or that of filter_opc_1 */
#define UCORE_FIELD_FILTER_OPC_1 49

/* ucore_field_info.flags */
#define UCORE_FIELD_F_SHARED	(1U << 0)	/* one value for all counters of the box */

/**
 * struct ucore_field_info - one element of GET_FIELDS
 * @field: UCORE_FIELD_*
 * @flags: UCORE_FIELD_F_SHARED
 * @max: largest value the field takes
 * @mask: bits of a value that may be set (for ADDR_MATCH the low six cannot)
 * @name: name used on command lines: "event", "filter_opc" ...
 */
struct ucore_field_info {
	__u32 field;
	__u32 flags;
	__u64 max;
	__u64 mask;
	char name[UCORE_NAME_LEN];
};

/**
 * struct ucore_get_fields - UCORE_GET_FIELDS: the event fields of one box
 * @size: sizeof(struct ucore_get_fields)
 * @flags: 0
 * @box: box id
 * @nr: in: capacity of @fields; out: elements written
 * @total: out: fields there are
 * @reserved: 0
 * @fields: array of struct ucore_field_info
 *
 * Errors: EINVAL, E2BIG, EFAULT, ENOENT (no such box).
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

/* ucore_link_info.kind: what is at the other end of a box */
#define UCORE_LINK_NONE	0	/* nothing, or nobody tells: there is the box's number */
#define UCORE_LINK_BUS	1	/* of an IIO stack: the devices below a PCI root bus */
#define UCORE_LINK_UPI	2	/* of a UPI link: a link of another die */
#define UCORE_LINK_DOWN	3	/* of a UPI link: nothing, it is not trained */

#define UCORE_NO_DIE	0xffffffffU

/**
 * struct ucore_link_info - one element of GET_LINKS
 * @box: box id
 * @kind: UCORE_LINK_*
 * @segment: BUS: PCI segment
 * @bus: BUS: number of the root bus
 * @nr_ports: BUS: ports of the stack whose places on the bus are known: port p is the
 *            root port there that is device @port0 + p, function 0
 * @port0: BUS: see @nr_ports
 * @die: LINK: the kernel's logical die, UCORE_NO_DIE if none of its CPUs was online
 *       when the module was loaded, or nobody tells
 * @link: LINK: instance of the link there
 * @reserved: 0
 */
struct ucore_link_info {
	__u32 box;
	__u32 kind;
	__u32 segment;
	__u32 bus;
	__u32 nr_ports;
	__u32 port0;
	__u32 die;
	__u32 link;
	__u32 reserved[2];
};

/**
 * struct ucore_get_links - UCORE_GET_LINKS: where stacks and links of the machine lead
 * @size: sizeof(struct ucore_get_links)
 * @flags: 0
 * @first: first box id wanted
 * @nr: in: capacity of @ends; out: elements written
 * @total: out: boxes there are; ids run from 0 to @total - 1
 * @reserved: 0
 * @ends: array of struct ucore_link_info
 *
 * What the hardware told when the module was loaded.
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
	__aligned_u64 ends;
};

/* ucore_get_selftest.tried, .failed: what is believed of a box, and can be tried */
#define UCORE_SELFTEST_WIDTH	(1U << 0)	/* general counters have the bits they should */
#define UCORE_SELFTEST_FIXED_WIDTH	(1U << 1)	/* fixed counters, too */
#define UCORE_SELFTEST_CONTROL	(1U << 2)	/* controls keep the bits that events want */
#define UCORE_SELFTEST_FIXED_CONTROL (1U << 3)	/* fixed counters' controls, too */
#define UCORE_SELFTEST_RUN		(1U << 4)	/* a clock counts when it is let */
#define UCORE_SELFTEST_GLOBAL_FREEZE (1U << 5)	/* the die's freeze stops it */
#define UCORE_SELFTEST_BOX_FREEZE	(1U << 6)	/* the box's own freeze stops it */

/* ucore_get_selftest.found: what was there before ucore touched the box, and since load */
#define UCORE_FOUND_CONTROL	(1U << 0)	/* a control was not zero: somebody else's */
#define UCORE_FOUND_GLOBAL	(1U << 1)	/* nor was global control */
#define UCORE_FOUND_HYPERVISOR	(1U << 2)	/* CPUID tells of a hypervisor */
#define UCORE_FOUND_CONFLICT	(1U << 3)	/* a control changed while a session counted */

/**
 * struct ucore_get_selftest - UCORE_GET_SELFTEST: what trying a box has shown
 * @size: sizeof(struct ucore_get_selftest)
 * @flags: 0
 * @box: in: box id
 * @tried: out: UCORE_SELFTEST_*: checks that were made
 * @failed: out: of these, those that failed; the others held
 * @found: out: UCORE_FOUND_*
 * @width: out: bits that the general counters showed; 0: not tried, or none
 * @fixed_width: out: the same of the fixed counters
 * @missing: out: bits of a general control that did not read back; its lower half is tried
 * @reads: out: register reads that the selftest took
 * @writes: out: register writes
 * @reserved: out: 0
 * @reason: out: one sentence on the worst that failed; empty if all held
 *
 * A box is tried once, by the first ADD_EVENT that has it; until then @tried is 0, as it
 * is for boxes of cores.  Freezes are tried only while no session runs on the die: else by
 * the first ADD_EVENT later that has the box while none does.  What fails is claimed no
 * longer: widths are those that were shown, GET_BOXES lacks OVERFLOW, FIXED_OVERFLOW or
 * FREEZE, INFO GLOBAL_FREEZE; counts that no freeze stops are flagged UNFROZEN, those of
 * events that want a missing bit REFUSED.  A box whose counters keep nothing is refused
 * with ENODEV.
 *
 * Errors: EINVAL, E2BIG, EFAULT, ENOENT (no such box).
 */
struct ucore_get_selftest {
	__u32 size;
	__u32 flags;
	__u32 box;
	__u32 tried;
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
 * Discovery tables.  Processors from Sapphire Rapids on describe their boxes in
 * tables that a DVSEC of a PCI function points to.  These two commands show
 * what was found there and what became of it; without UCORE_CAP_DISCOVERY both
 * answer with nothing.
 */

/* ucore_table_info.reason: why a table is not used */
#define UCORE_TABLE_OK		0
#define UCORE_TABLE_CHAIN	1	/* the function's capability list is broken or loops */
#define UCORE_TABLE_BAR		2	/* no such BAR, or not a memory BAR */
#define UCORE_TABLE_UNASSIGNED	3	/* the BAR has no address */
#define UCORE_TABLE_DISABLED	4	/* the function does not decode memory */
#define UCORE_TABLE_OUTSIDE	5	/* the table begins outside its BAR */
#define UCORE_TABLE_RAM		6	/* it is on RAM, or beyond physical addresses */
#define UCORE_TABLE_ALL_ONES	7	/* it reads all ones: hidden or asleep */
#define UCORE_TABLE_EMPTY	8	/* the global record is zero */
#define UCORE_TABLE_STRIDE	9	/* records of less than three words */
#define UCORE_TABLE_GLOBAL	10	/* the global registers cannot be reached */
#define UCORE_TABLE_DIE		11	/* it belongs to no die that is online */
#define UCORE_TABLE_DUPLICATE	12	/* its die has another table with these global registers */
#define UCORE_TABLE_CONFLICT	13	/* its die has another table with other global registers */
#define UCORE_TABLE_LIMIT	14	/* more units than the driver takes */
#define UCORE_TABLE_UNMAPPED	15	/* the kernel refuses to map it */
#define UCORE_TABLE_MSR		16	/* the MSR that tells its address faults, or holds none */
#define UCORE_TABLE_FOREIGN	17	/* by that address it is another device's memory */

/**
 * struct ucore_table_info - one element of GET_TABLES
 * @table: index of the table
 * @die: die that it describes, -1 if none
 * @segment: PCI segment of the function with the DVSEC; 0, as all of its place, if an
 *           MSR tells where the table is
 * @bus: PCI bus
 * @device: PCI device
 * @function: PCI function
 * @dvsec: config offset of the DVSEC
 * @bar: BAR number
 * @offset: of the table in the BAR, bytes
 * @stride: of its records, bytes
 * @max_units: units that it claims to have
 * @nr_units: units that GET_UNITS shows
 * @nr_rejected: of these, rejected ones
 * @access: UCORE_ACCESS_* of the global registers; 0xffffffff if
 *          invalid
 * @num_status: global status bits
 * @status_offset: of the first global status register from global control; 0
 *                 without CAP_SYS_ADMIN
 * @reason: UCORE_TABLE_*
 * @msr: the MSR that tells where the table is; 0: a DVSEC does
 * @address: physical address of the table; 0 without CAP_SYS_ADMIN
 * @global: word 1 of the global record, address of global control; 0 without
 *          CAP_SYS_ADMIN
 *
 * UCORE_TABLE_DUPLICATE speaks of the global record alone: the units are used.
 */
struct ucore_table_info {
	__u32 table;
	__s32 die;
	__u32 segment;
	__u32 bus;
	__u32 device;
	__u32 function;
	__u32 dvsec;
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
	__u64 address;
	__u64 global;
};

/**
 * struct ucore_get_tables - UCORE_GET_TABLES
 * @size: sizeof(struct ucore_get_tables)
 * @flags: 0
 * @nr: in: capacity of @tables; out: elements written
 * @total: out: tables there are
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

/* ucore_unit_info.reason: why a unit is no box */
#define UCORE_UNIT_OK		0
#define UCORE_UNIT_ZERO		1	/* all zero, or no address: a hole */
#define UCORE_UNIT_ALL_ONES		2	/* all ones: asleep or hidden */
#define UCORE_UNIT_TRUNCATED	3	/* beyond the end of the BAR */
#define UCORE_UNIT_ACCESS	4	/* access type 3 does not exist */
#define UCORE_UNIT_NO_COUNTERS	5	/* it has no counters */
#define UCORE_UNIT_COUNTERS	6	/* more counters than a box can have */
#define UCORE_UNIT_WIDTH	7	/* counters of 0 or more than 64 bits */
#define UCORE_UNIT_OFFSET	8	/* control or counter offset 0: the box control's own */
#define UCORE_UNIT_SELF_OVERLAP		9	/* its registers overlap each other */
#define UCORE_UNIT_WINDOW	10	/* registers outside the MSRs, config or memory space */
#define UCORE_UNIT_ALIGN	11	/* registers that are not aligned */
#define UCORE_UNIT_RAM		12	/* registers on RAM */
#define UCORE_UNIT_DUPLICATE	13	/* type and id of another unit of the die */
#define UCORE_UNIT_OVERLAP	14	/* registers of another unit, or of global control */
#define UCORE_UNIT_FUNCTION	15	/* no such PCI function */
#define UCORE_UNIT_NO_ANSWER	16	/* its box control reads all ones, or faults */
#define UCORE_UNIT_BEYOND_COUNT	17	/* the CHA count MSR says there are fewer */
#define UCORE_UNIT_RELOCATED	18	/* its registers are known to be elsewhere */
#define UCORE_UNIT_FOREIGN	19	/* registers that are known to be another device's */
#define UCORE_UNIT_BROKEN	20	/* units of this type are known not to work */

#define UCORE_NO_BOX		0xffffffffU

/**
 * struct ucore_unit_info - one element of GET_UNITS
 * @table: index of the table; units that no table has, but whose place is
 *         known, are shown with the table of their die
 * @record: number of the record, 1 is the first unit; 0: not from the table
 * @die: die, -1 if none
 * @reason: UCORE_UNIT_*
 * @box: box id, UCORE_NO_BOX if rejected
 * @type: box type number
 * @id: unit id: the box's instance
 * @access: UCORE_ACCESS_MSR, UCORE_ACCESS_MMIO or UCORE_ACCESS_PCI; 0xffffffff
 *          if invalid
 * @other: record that it conflicts with (DUPLICATE, OVERLAP); 0: with global
 *         control, or a unit that is not from a table
 * @other_table: the table of that record
 * @word: the record as it is in the table, or as it should be (@record 0); 0
 *        without CAP_SYS_ADMIN
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
 * struct ucore_get_units - UCORE_GET_UNITS: units of all tables, in order
 * @size: sizeof(struct ucore_get_units)
 * @flags: 0
 * @first: first unit wanted, counted over all tables
 * @nr: in: capacity of @units; out: elements written
 * @total: out: units there are
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
 * The cores' own monitors: "architectural performance monitoring".  Where
 * CPUID.0AH describes them so that it can be believed, each CPU that was online when
 * the driver was loaded has a box of type "core" (UCORE_SCOPE_CPU).
 *
 * The kernel's perf uses the same counters.  Whoever comes first keeps them: while
 * a session has events on a core, hardware events of perf fail with EBUSY; while
 * perf has any, its NMI watchdog's among them, ADD_EVENT does.
 */

/* ucore_get_core.state: are there such boxes, and can they be had? */
#define UCORE_CORE_READY	0
#define UCORE_CORE_NONE		1	/* the processor has no such monitors */
#define UCORE_CORE_HYBRID	2	/* its CPUs are of more than one kind */
#define UCORE_CORE_VERSION	3	/* a version that the driver does not know */
#define UCORE_CORE_BAD_CPUID		4	/* CPUID makes no sense, or registers do not answer */
#define UCORE_CORE_KERNEL	5	/* this kernel cannot share the counters with its perf */
#define UCORE_CORE_BUSY	6	/* perf has them, now */
#define UCORE_CORE_DISABLED		7	/* the module's parameter "cores" says no */

/* ucore_get_core.caps */
#define UCORE_CORE_CAP_GLOBAL	(1U << 0)	/* global control and status: version 2 */
#define UCORE_CORE_CAP_FULL_WIDTH	(1U << 1)	/* general counters can be written whole */
#define UCORE_CORE_CAP_ANY		(1U << 2)	/* events have "any" */

/* ucore_get_core.events: predefined events, by event and umask */
#define UCORE_CORE_EVENT_CYCLES		(1U << 0)	/* 3CH 00H */
#define UCORE_CORE_EVENT_INSTRUCTIONS	(1U << 1)	/* C0H 00H */
#define UCORE_CORE_EVENT_REFERENCE	(1U << 2)	/* 3CH 01H */
#define UCORE_CORE_EVENT_LLC_REFERENCES	(1U << 3)	/* 2EH 4FH */
#define UCORE_CORE_EVENT_LLC_MISSES	(1U << 4)	/* 2EH 41H */
#define UCORE_CORE_EVENT_BRANCHES	(1U << 5)	/* C4H 00H */
#define UCORE_CORE_EVENT_MISPREDICTS	(1U << 6)	/* C5H 00H */

/**
 * struct ucore_get_core - UCORE_GET_CORE: CPUID.0AH, and what became of it
 * @size: sizeof(struct ucore_get_core)
 * @flags: 0
 * @state: out: UCORE_CORE_*
 * @version: out: of architectural performance monitoring, 0: none
 * @nr_counters: out: general counters of a core
 * @width: out: bits of one
 * @nr_fixed: out: fixed counters of a core
 * @fixed_width: out: bits of one
 * @events: out: predefined events that the processor has, UCORE_CORE_EVENT_*
 * @caps: out: UCORE_CORE_CAP_GLOBAL, UCORE_CORE_CAP_FULL_WIDTH, UCORE_CORE_CAP_ANY
 * @eax: out: CPUID.0AH as the processor gives it; 0 if it has no such leaf
 * @ebx: out: the same
 * @ecx: out: the same
 * @edx: out: the same
 * @reason: out: one sentence on @state and what to do; empty when all is well
 *
 * Errors: EINVAL, E2BIG, EFAULT.
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
};

/*
 * ucore_create_session.flags
 *
 * Of PCI counters, two dwords each, only the low one is read while that is provably exact:
 * while less time has passed since the last read than 2^31 counts take, at the most that the
 * event adds in a clock and at 5 GHz (0.43 s for an event that adds one, 1.7 ms for one of
 * which nothing is known).  One read in 256 is whole, and the one of STOP.
 * WHOLE: PCI counters are read whole, always.
 *
 * BOX_FREEZE: START, STOP, RESET, READ and samples freeze the session's boxes, by
 * their own controls one after the other (skew_ns), and not their domains: other
 * sessions count on, but on none of these boxes.  Boxes without UCORE_BOX_F_FREEZE count on, too
 * (UCORE_VALUE_F_UNFROZEN).  An overflow freezes its whole domain all the same.  Boxes
 * of cores are frozen as ever: their domains have no other boxes.
 *
 * TASKS: a record TASKS before each sample says which task ran on each CPU of the domain.
 * That is where and when, and not who caused the counts.  EACCES unless the device was
 * opened with CAP_PERFMON.  While such a session runs, each switch of tasks on any CPU
 * costs some ten nanoseconds; START interrupts all CPUs once, samples interrupt none.
 */
#define UCORE_SESSION_F_BOX_FREEZE	(1U << 0)
#define UCORE_SESSION_F_TASKS		(1U << 1)
#define UCORE_SESSION_F_FULL_READS	(1U << 2)

/**
 * struct ucore_create_session - UCORE_CREATE_SESSION
 * @size: sizeof(struct ucore_create_session)
 * @flags: UCORE_SESSION_*
 * @timer_ns: timer trigger: period in ns, UCORE_TIMER_MIN_NS to
 *            UCORE_TIMER_MAX_NS; 0 for none
 * @ring_size: bytes of record data per domain, a power of two, UCORE_RING_MIN to
 *             UCORE_RING_MAX; 0: no rings
 * @wakeup: poll() wakes when this many bytes are unread, less than @ring_size;
 *          0: at every record
 * @fd: out: the session, close-on-exec
 * @nr_readers: CPUs of a die that read its counters together, at most UCORE_READERS_MAX; 0 or 1: its
 *        reader reads them alone
 * @rotate_ns: how long each group of events counts before the next one does,
 *             UCORE_ROTATE_MIN_NS to UCORE_ROTATE_MAX_NS; 0: there are no groups
 *
 * A session that rotates counts more events than there are counters
 * (ucore_add_event.group), and takes no samples: @timer_ns and @ring_size are 0, and @nr_readers
 * is at most 1.
 *
 * With a crew the reader of a die offers some of the session's boxes to each of @nr_readers - 1
 * other CPUs of the die, once the die is frozen, by an IPI, for READ and for samples: the
 * die is frozen for a shorter time.  What one of them has not begun when the reader has
 * read its own boxes the reader reads itself, so nothing waits for a CPU that is busy.
 * CPUs that the session chose (SET_PMI_CPUS) help first, then those that are neither
 * isolated nor nohz_full and that the creator may run on (sched_setaffinity(2)), any of
 * these if it has CAP_SYS_NICE; fewer help if there are not so many, or fewer boxes.  Each
 * is charged the time that it helps, and is not asked while it is beyond its budget.
 * Boxes of cores, looks at polled periods, READ with UCORE_READ_F_NO_FREEZE, and what START and
 * STOP read have no crew.
 *
 * The session holds nothing until events are added.  It ends with its last descriptor
 * (of dup(2), fork(2) and SCM_RIGHTS) and the last mapping of its rings, which keeps it as
 * a descriptor does: until munmap(2) or the end of the process it goes on to count, and to
 * write records.  Then its counters stop, and boxes that nobody else has are reset and given
 * back.  STOP stops it at once.
 *
 * Errors: EINVAL (also @nr_readers above 1 with @rotate_ns), E2BIG, EFAULT, ERANGE (timer_ns,
 * ring_size, wakeup, nr_readers or rotate_ns), EACCES (TASKS), ENOMEM, EMFILE, ENFILE, ENODEV (no boxes),
 * EBUSY (intel_uncore is loaded, and there are no boxes of cores).
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
#define UCORE_SESSION_STOPPED	0
#define UCORE_SESSION_RUNNING	1
#define UCORE_SESSION_REVOKED	2	/* by REVOKE_SESSION; its descriptor is still there */

/**
 * struct ucore_session_info - one element of GET_SESSIONS
 * @session: id of the session, as in ucore_get_status.session and ucore_box_info.owner
 * @pid: process that created it, in the caller's pid namespace; it may be gone, the
 *       descriptor with another, or on its way to another in a socket
 * @uid: user who created it, in the caller's user namespace
 * @state: UCORE_SESSION_*
 * @flags: of ucore_create_session
 * @nr_events: events
 * @nr_boxes: boxes that it has counters of: GET_BOXES tells which, unless they are shared
 * @nr_domains: domains that those are on
 * @nr_pinned: domains whose PMI CPUs it has chosen (SET_PMI_CPUS), with events or without
 * @ring_size: bytes of each of its rings, one for each of @nr_domains
 * @reserved: 0
 * @timer_ns: timer trigger
 * @comm: name of the process
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
 * struct ucore_get_sessions - UCORE_GET_SESSIONS: all sessions, by id
 * @size: sizeof(struct ucore_get_sessions)
 * @flags: 0
 * @after: only sessions with higher ids; 0: all
 * @nr: in: capacity of @sessions; out: elements written
 * @total: out: sessions there are
 * @sessions: array of struct ucore_session_info
 *
 * A moment's view of each.  Whoever may open the device may ask.
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
 * struct ucore_revoke_session - UCORE_REVOKE_SESSION: end somebody's session
 * @size: sizeof(struct ucore_revoke_session)
 * @flags: 0
 * @session: id of the session
 *
 * The session stops, gives its boxes, rings and PMI CPUs back, and stays ended: its
 * descriptor answers ESHUTDOWN to all commands whose arguments are right, polls EPOLLHUP
 * and EPOLLERR, and can be closed.  Rings that are mapped stay so, and get no more
 * records.  A command that waits for its caller's memory is not waited for.  A session
 * that has ended is no error.
 *
 * Errors: EINVAL, E2BIG, EFAULT, EPERM (no CAP_SYS_ADMIN), ENOENT (no such session),
 * EINTR (killed while a command of the session was under way).
 */
struct ucore_revoke_session {
	__u32 size;
	__u32 flags;
	__u64 session;
};

/*
 * ---- session descriptor -------------------------------------------------
 */

/* Counters: general ones are 0, 1, ...; fixed ones start here. */
#define UCORE_COUNTER_FIXED	32

/**
 * struct ucore_term - one (field, value) pair of an event
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
 * INTERRUPT: the period must end by the hardware's interrupt: EOPNOTSUPP where it
 * would be polled.
 */
#define UCORE_EVENT_F_NO_POLL	(1U << 0)

/**
 * struct ucore_add_event - UCORE_ADD_EVENT: take a counter of a box
 * @size: sizeof(struct ucore_add_event)
 * @flags: UCORE_EVENT_*
 * @box: box id
 * @nr_terms: elements of @terms, at most UCORE_TERMS_MAX
 * @terms: array of struct ucore_term; for a fixed counter of a core USR, OS and ANY,
 *         for other fixed counters none
 * @counters: in: counters the event may use, a bit each (bit
 *            UCORE_COUNTER_FIXED for the first fixed one); 0: any general
 *            counter.  The driver's own constraints for the event apply too.
 * @period: overflow trigger: a sample every @period counts, 1 to 2^width - 1 (any where the
 *          counter is looked at), for general counters of a core without
 *          UCORE_CORE_CAP_FULL_WIDTH at most 2^31;
 *          0: the event only counts.  Where the counter cannot interrupt (no
 *          UCORE_BOX_F_OVERFLOW or _FIXED_OVERFLOW) the driver looks at it every
 *          @poll_ns.
 * @event: out: event id, unique within the session and never used again
 * @counter: out: counter taken.  An event that was not asked to sit on one
 *           counter may be moved when later events need its place; STATUS is
 *           not needed to read it, values carry the event id.
 * @poll_ns: out: how often the counter is looked at while the session runs; 0 if it
 *           interrupts, or without @period
 * @group: 0: the event always counts; 1 to UCORE_GROUP_MAX: it counts when it is its
 *         group's turn, and has no @period (EINVAL; also without
 *         ucore_create_session.rotate_ns)
 * @reserved: 0
 *
 * Groups take turns, in the order of their numbers: all domains switch at the same
 * instants of one grid, from START on, on the frozen die.  The events of one group, and
 * those of group 0, have counters of their own; events of different groups may have the
 * same counter.  A filter or match register is one for all groups.  ENOSPC if the counters
 * do not suffice for group 0 together with one of the groups; which counters group 0 has
 * is found group by group, so it is best added first.
 *
 * Sessions share boxes: each has the counters of its events, from ADD_EVENT on, and its
 * START, STOP, RESET and end leave those of others as they are.  Filter and match registers
 * are one for all counters.  Sessions with events that say something of them (a field with
 * UCORE_FIELD_F_SHARED, be it 0, or TID_EN) must want the same values of all of them, fields
 * that are left out being 0: else EADDRINUSE.  Events that say nothing of them count under
 * whatever others want there.  Counters that run freely (UCORE_BOX_F_FREE_RUNNING) are
 * anybody's, but a box has no more sessions than counters.  A session with
 * UCORE_SESSION_F_BOX_FREEZE shares no box of a die.  The last event that goes, of whatever
 * session, gives the box back.
 *
 * A polled period: the counter is read so often that it cannot pass two multiples of
 * @period between two looks, as fast as the event can count at all; the first look
 * that finds it past one freezes the domain and takes the sample
 * (UCORE_SAMPLE_F_POLLED), late by @poll_ns at most, with the exact counts of that
 * instant.  A period that needs looks more often than every UCORE_POLL_MIN_NS is
 * refused (ERANGE): the looks would take too much of the reader's time.  Longer
 * periods are looked at every UCORE_POLL_MAX_NS at least.
 *
 * The first on a domain makes its ring, which counts as memory that the session's user
 * has locked; removing the last unmakes it, once it is not mapped.
 *
 * Filters by address, opcode, packet, core or thread (ADDR_MATCH, OPC_MATCH, MATCH0 and 1,
 * MASK0 and 1, FILTER_OPC, _OPC_0 and _1, TID_EN, FILTER_TID, FILTER_CID) can show what other
 * users' programs do, and so can boxes of a CPU (UCORE_SCOPE_CPU), whose counters are perf's
 * and the watchdog's besides: EACCES unless the device was opened, or the caller is, with
 * CAP_PERFMON.
 *
 * Errors: EINVAL, E2BIG, EFAULT, ENOMEM, ENOBUFS, EACCES, ENOENT (box), ENXIO, ERANGE (a value,
 * @period), ENOSPC, EADDRINUSE, EOPNOTSUPP (@period, with UCORE_EVENT_F_NO_POLL),
 * EBUSY (running session, counters of others, intel_uncore, perf), ENODEV (the box is gone).
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
 * struct ucore_remove_event - UCORE_REMOVE_EVENT
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
 * struct ucore_set_pmi_cpus - UCORE_SET_PMI_CPUS: who takes the overflow interrupt
 * @size: sizeof(struct ucore_set_pmi_cpus)
 * @flags: 0
 * @nr: elements of @cpus, 1 to UCORE_PMI_CPUS_MAX
 * @reserved: 0
 * @cpus: array of __u32: CPUs, each once, of one die or of several
 *
 * The CPUs of a die that are in the array take the overflow PMI of that die, all of
 * them, and the first of them reads the die's boxes; other dies are left as they
 * are.  pmi_core_sel names cores, so the other threads of theirs see the interrupt,
 * too.  Each CPU sees it, one serves it: interrupted-context fields of a sample
 * speak of the one that was first (ucore_sample.cpu).
 *
 * pmi_core_sel is one register per die, so sessions share it: EBUSY when another
 * session has chosen differently for a die.  The choice holds until the session
 * closes or chooses anew; a CPU that goes offline drops out of it, and if it was the
 * reader the next one reads (a gap record tells).
 *
 * The CPUs must be among those that the caller may run on (sched_setaffinity(2)), unless
 * it has CAP_SYS_NICE: EPERM.  Where nobody has chosen, readers are CPUs that are neither
 * isolated nor nohz_full, if the die has any.
 *
 * Errors: EINVAL (also @nr, a CPU given twice), E2BIG, EFAULT, ENOMEM, ENOENT (no such
 * CPU, or a die without boxes), EPERM, EAGAIN (offline), ERANGE (pmi_core_sel cannot name a
 * core), EBUSY (running session, or held by another).
 */
struct ucore_set_pmi_cpus {
	__u32 size;
	__u32 flags;
	__u32 nr;
	__u32 reserved;
	__aligned_u64 cpus;
};

/* ucore_add_core_trigger.type: the numbers are perf's (perf_event_attr.type) */
#define UCORE_PERF_HARDWARE	0	/* PERF_TYPE_HARDWARE: cycles, instructions ... */
#define UCORE_PERF_SOFTWARE	1	/* PERF_TYPE_SOFTWARE: task-clock, page-faults ... */
#define UCORE_PERF_RAW		4	/* PERF_TYPE_RAW: event and umask of the core */

/* ucore_add_core_trigger.flags */
#define UCORE_CORE_TRIGGER_F_USER		(1U << 0)	/* count in user mode only */

/**
 * struct ucore_add_core_trigger - UCORE_ADD_CORE_TRIGGER: sample when a core has counted so many
 * @size: sizeof(struct ucore_add_core_trigger)
 * @flags: UCORE_CORE_TRIGGER_F_USER
 * @type: UCORE_PERF_*
 * @cpu: CPU on which it is counted, or -1
 * @tid: thread that it is counted for, wherever that runs, in the caller's pid namespace;
 *       or 0.  Either this or @cpu
 * @reserved: 0
 * @config: which event: perf_event_attr.config
 * @period: a sample every so many counts: 1 to 2^63 - 1
 *
 * The kernel's perf counts it while the session runs, as one of its own events, beside
 * those of others; when so many have been counted the die on which that happened is
 * frozen and sampled, if the session has events there: UCORE_TRIGGER_CORE, with the
 * context that the count ended in.  The sample comes a few microseconds later, for perf
 * tells in an NMI (@late_ns of the sample); overflows within the making of a sample, or
 * beyond the budget, have none, and are counted as lost (ucore_get_budget.dropped, records
 * LOST).  perf slows events down that interrupt too often (kernel.perf_event_max_sample_rate).
 *
 * A session may have many: one for each thread or CPU.  They stay until the session's end;
 * that of a thread which has exited is silent, and so is that of a CPU which has been
 * offline.  New threads are not followed.
 *
 * Errors: EINVAL (also @type, both of or neither @cpu and @tid, a session whose groups take
 * turns, or what perf does not understand), E2BIG, EFAULT, ENOMEM, EACCES (without
 * CAP_PERFMON), ERANGE (@period), ENOENT (CPU), EAGAIN (offline), ESRCH, ENOSPC (more than
 * UCORE_CORE_TRIGGERS_MAX), EOPNOTSUPP (perf cannot count the event, or not interrupt),
 * EBUSY (running session, or perf cannot have the cores' counters).
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
 * struct ucore_command - argument of UCORE_START, UCORE_STOP, UCORE_RESET
 * @size: sizeof(struct ucore_command)
 * @flags: 0
 *
 * START programs the session's boxes under a frozen domain and lets all domains
 * count from the same moment; counts go on from where STOP left them.  Where there are
 * groups the first one has its turn.
 * Errors: ENOENT (no events), ENOSPC (a ring cannot hold two samples), ERANGE (samples
 * would take too much of the timer's period, or switches of the groups' turns:
 * struct ucore_get_budget), ENOMEM, EALREADY,
 * EOPNOTSUPP (UCORE_SESSION_F_TASKS: a kernel without the scheduler's tracepoints),
 * EBUSY (intel_uncore), ENODEV (a box is gone), EAGAIN (no CPU, or about to sleep).
 *
 * STOP reads the last counts under a frozen domain and stops the boxes, or, where other
 * sessions count on, the session's counters.  Where the timer is due it is a sample, too.
 * Stopping a stopped session is no error.
 *
 * RESET sets counts and times to zero, of a running session too: with the
 * domains frozen, periods begin anew.  EAGAIN if one of its domains has no CPU, or
 * the machine is about to sleep.
 *
 * A running session sleeps with the machine (suspend to RAM or to idle, hibernation):
 * its last counts are read and its boxes given back as they were found; afterwards
 * they are programmed again, periods begin anew, and counts go on from where they
 * were.  The same happens on a domain whose CPUs all go offline, until one comes
 * back.  Nothing that happens meanwhile is counted, and the time counts neither as
 * enabled nor as running.  Records GAP_SUSPEND and GAP_RESUME (_OFFLINE and _ONLINE)
 * tell when, UCORE_SAMPLE_F_GAP and UCORE_VALUE_F_GAP that it has happened.  They tell, too,
 * that an overflow which no session armed (of a box that was dead when it was to be
 * stopped, or of what firmware left) froze the domain: GAP_FROZEN, found within a second
 * where a session has no overflow trigger; the time since it was looked for before is
 * enabled, not running.
 *
 * Errors of all: EINVAL, E2BIG, EFAULT.
 */
struct ucore_command {
	__u32 size;
	__u32 flags;
};

/* ucore_value.flags; the rate of an UNFROZEN count is by time_enabled */
#define UCORE_VALUE_F_OVERFLOW	(1U << 0)	/* its period ended the interval */
#define UCORE_VALUE_F_DEAD	(1U << 1)	/* its box stopped answering: last count read */
#define UCORE_VALUE_F_OFFLINE	(1U << 2)	/* no CPU of the domain is online, or asleep */
#define UCORE_VALUE_F_UNFROZEN	(1U << 3)	/* no freeze reaches its counter: read counting */
#define UCORE_VALUE_F_PARTIAL	(1U << 4)	/* its box did not take all of its fields */
#define UCORE_VALUE_F_GAP		(1U << 5)	/* READ: since the last it did not always count */
#define UCORE_VALUE_F_MAYBE_WRAPPED	(1U << 6)	/* not read for too long: it may have wrapped */
#define UCORE_VALUE_F_CONFLICT	(1U << 7)	/* somebody else wrote a control of it meanwhile */

/**
 * struct ucore_value - the count of one event
 * @event: event id
 * @flags: UCORE_VALUE_F_*
 * @count: counts since the first START or the last RESET, 64 bits exact
 *
 * GAP is set by the first READ after the domain had no CPU online, the machine slept, or
 * the domain was found frozen: what happened then was not counted.  UNSURE stays until
 * RESET: the machine stood still, or kept the reader's interrupts off, for longer than
 * the counter needs to wrap at the event's fastest, so a multiple of its whole range may
 * be missing.
 * CHANGED: another program (Intel PCM, LIKWID, VTune) or firmware wrote the counter's
 * control, its box's or the global one while the session ran; what was counted since is
 * anybody's.  The driver looks every ten seconds, puts nothing right, and says it in a record,
 * GAP_CONFLICT.  It stays until RESET, and comes again if the control is still another:
 * STOP and START program it anew.
 * A box that was DEAD and answers again counts from the next START on; its values are
 * DEAD until RESET, for what it did meanwhile is missing.
 */
struct ucore_value {
	__u32 event;
	__u32 flags;
	__u64 count;
};

/**
 * struct ucore_read_domain - one domain of a READ
 * @domain: domain id
 * @cpu: CPU that read it
 * @time: instant the domain was frozen (LIVE: reading began)
 * @frozen_ns: how long it stayed frozen for this READ; 0 for LIVE
 * @skew_ns: at most this long after the first box's freeze, at @time, came the last
 *           one's; 0 where one write freezes all, and for LIVE
 * @time_enabled: ns the session has been started on this domain, but for the time in
 *                which the domain had no CPU online or the machine slept
 * @time_running: ns of @time_enabled in which its counters could count: the
 *                domain was not frozen, for this or any other session
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
#define UCORE_READ_F_NO_FREEZE		(1U << 0)	/* do not freeze */

/**
 * struct ucore_read - UCORE_READ: one coherent snapshot of all the session's
 * counters on all its domains
 * @size: sizeof(struct ucore_read)
 * @flags: UCORE_READ_*
 * @nr_values: in: capacity of @values; out: number of events, also with ENOSPC
 * @nr_domains: in: capacity of @domains; out: number of domains, also with ENOSPC
 * @values: array of struct ucore_value, in the order of event ids
 * @domains: array of struct ucore_read_domain, in the order of domain ids
 * @skew_ns: out: time between the first and the last freeze, of domains and, where
 *           these freeze one by one, of boxes
 * @running: array of __u64, as many as @values: ns in which each event could count; 0:
 *           not wanted
 *
 * An event of group 0 could count in all of its domain's time_running
 * (struct ucore_read_domain), another one in its group's turns.  The counts of @values are
 * what was counted: count * time_running / running is what the event would have counted
 * at the same rate in all the time.  An event whose group had no turn as yet has 0 of both.
 *
 * All domains freeze at the same moment, are read in parallel and unfrozen.  A
 * stopped session gives its last counts.  Events on a domain without a CPU give
 * their last counts, flagged OFFLINE.
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
 * struct ucore_get_status - UCORE_GET_STATUS: where the session stands
 * @size: sizeof(struct ucore_get_status)
 * @flags: 0
 * @session: out: session id, as in ucore_box_info.owner
 * @state: out: UCORE_SESSION_*
 * @nr_events: out: events
 * @nr_domains: out: domains those events are on
 * @changed: out: looks, one in ten seconds, that found a control which somebody else has
 *           written (UCORE_VALUE_F_CONFLICT)
 * @samples: out: samples taken or due: lost ones and dropped periods included
 * @lost: out: records that found no room in a ring, or were never made: of dropped
 *        periods (ucore_get_budget.dropped)
 * @overflows: out: overflows handled
 * @recovered: out: of these, found by the guard timer, their PMI lost
 * @polled: out: of these, found by polling
 * @polls: out: looks at counters whose periods are polled; their time is in @cost_ns,
 *         their reads are in @reads
 * @cost_ns: out: CPU time spent to take samples, all domains together
 * @frozen_ns: out: time domains were frozen for this session's samples and READs
 * @reads: out: register reads for this session's samples and READs
 * @writes: out: register writes for the same
 * @parallel_reads: out: how often another CPU than the reader has read some of the boxes
 *          (ucore_create_session.nr_readers)
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
	__u32 changed;
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
 * struct ucore_get_budget - UCORE_GET_BUDGET: what the session may take of its readers' time
 * @size: sizeof(struct ucore_get_budget)
 * @flags: 0
 * @percent: out: share of a CPU's time that ucore takes at most, 100: no limit
 * @reserved: 0
 * @sample_ns: out: what a sample of the session's events is charged, an estimate, on the
 *             domain where it takes longest; 0 without events
 * @timer_min_ns: out: the shortest ucore_create_session.timer_ns that START takes with
 *                these events: @sample_ns is @percent of it at most, and, with @percent
 *                below 100, others have 10 us between two samples; so with rotate_ns
 * @busy_ns: out: what ucore has taken of the readers of the session's domains since load,
 *           for all sessions together
 * @wait_ns: out: how long START, RESET or READ would have to wait now, or ADD_EVENT that
 *           has a box tried
 * @dropped: out: periods in which there was no sample: of the timer, known when the next
 *           one is taken, or at STOP; of counters that were throttled, known when that is
 *           over; and overflows of UCORE_CORE_TRIGGERs
 * @delayed: out: times that the timer, or a look at polled periods, was put off, or that
 *           an overflow of a UCORE_ADD_CORE_TRIGGER had no sample because of the budget
 *
 * All that ucore does on a CPU with interrupts off, for all domains that it reads and
 * all sessions, is charged to the CPU: services of overflows, samples of timers, looks,
 * START, STOP, RESET and READ.  Beyond its share in some 10 ms: counters that overflow
 * count on for a while without a PMI (UCORE_SAMPLE_F_THROTTLED), and timers skip periods;
 * LOST records count the periods that end without a sample; looks are put off
 * (UCORE_SAMPLE_F_DELAYED); START, RESET, READ, SET_PMI_CPUS and an ADD_EVENT that has a
 * box tried sleep before they begin.  A period may also be dropped because the timer came
 * late.
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
 * struct ucore_get_ring - UCORE_GET_RING: where to map one domain's ring
 * @size: sizeof(struct ucore_get_ring)
 * @flags: 0
 * @domain: in: domain id
 * @data_size: out: bytes of record data
 * @consumer: out: mmap offset of the consumer page (one page, PROT_READ |
 *            PROT_WRITE, MAP_SHARED): struct ucore_ring_consumer
 * @producer: out: mmap offset of the producer page, directly followed by the
 *            data (one page + @data_size, PROT_READ, MAP_SHARED): struct
 *            ucore_ring_producer
 *
 * Errors: EINVAL, E2BIG, EFAULT, ENOENT (no such domain, or no rings).
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
 * @head and @tail count bytes and never wrap; a record starts at data +
 * (position & (data_size - 1)), is 8-byte aligned and contiguous: where it
 * would cross the end a PAD record fills the rest.
 *
 *   reader:  head = load_acquire(&producer->head);
 *            while (tail != head) { use record; tail += record->size; }
 *            store_release(&consumer->tail, tail);
 *
 * The kernel never overwrites unread records: what finds no room is counted
 * in @lost, as are periods of a timer that were dropped, and a LOST record precedes
 * the next one that is written.  A tail that makes no sense counts as a full ring.
 */

/**
 * struct ucore_ring_consumer - written by user space
 * @tail: bytes consumed
 */
struct ucore_ring_consumer {
	__u64 tail;
};

/**
 * struct ucore_ring_producer - written by the kernel, read-only in user space
 * @head: bytes produced
 * @lost: records lost since the session was created, those of dropped periods included
 */
struct ucore_ring_producer {
	__u64 head;
	__u64 lost;
};

/* PAD: skip @size bytes; with 8 bytes there are only type and size. */
#define UCORE_RECORD_PAD	0
#define UCORE_RECORD_SAMPLE	1
#define UCORE_RECORD_LOST	2
#define UCORE_RECORD_GAP	3
#define UCORE_RECORD_TASKS	4

/**
 * struct ucore_record - head of every record
 * @type: UCORE_RECORD_*; unknown ones are to be skipped
 * @size: bytes, this head included; a multiple of 8
 * @seq: number of the record in its ring; lost ones count.  Absent in PAD.
 */
struct ucore_record {
	__u32 type;
	__u32 size;
	__u64 seq;
};

/* ucore_sample.trigger */
#define UCORE_TRIGGER_OVERFLOW	0
#define UCORE_TRIGGER_TIMER	1
#define UCORE_TRIGGER_CORE	2	/* UCORE_ADD_CORE_TRIGGER */

/*
 * ucore_sample.flags
 *
 * CONTEXT: ip, pid and tid are of the interrupted context of @cpu: who ran there, not
 * who caused the counts; of UCORE_TRIGGER_CORE: who counted the period's last.
 * USER: ip is a user address.  RECOVERED: the PMI was lost, the
 * guard timer found the domain frozen, @time is late.  THROTTLED: overflows came too
 * fast, or took too much of a CPU's time: from here on, for some milliseconds, periods of
 * counters that have overflowed end without a sample, and are told as lost.  Where none of
 * them can be the reason the domain stays frozen instead.  POLLED: no
 * interrupt, the driver looked and found the period over; @time is late by @late_ns at
 * most, counts are of @time.  GAP: since the last sample there was a time in which
 * nothing was counted: the domain had no CPU online or the machine slept.  STRETCHED:
 * since the last sample the timer, or a look, was put off, for ucore had taken its share
 * of the CPU's time (struct ucore_get_budget).
 */
#define UCORE_SAMPLE_F_CONTEXT	(1U << 0)
#define UCORE_SAMPLE_F_USER	(1U << 1)
#define UCORE_SAMPLE_F_RECOVERED	(1U << 2)
#define UCORE_SAMPLE_F_THROTTLED	(1U << 3)
#define UCORE_SAMPLE_F_POLLED	(1U << 4)
#define UCORE_SAMPLE_F_GAP	(1U << 5)
#define UCORE_SAMPLE_F_DELAYED	(1U << 6)

#define UCORE_EVENT_NONE	0xffffffffU

/**
 * struct ucore_sample - RECORD_SAMPLE: all counters of one domain at one instant
 * @hdr: type, size, sequence number
 * @time: instant: PMI taken, or domain frozen by the timer or for a polled period
 * @time_enabled: as in struct ucore_read_domain
 * @time_running: as in struct ucore_read_domain
 * @frozen_ns: from @time until the domain ran again, or could have, if it stays frozen
 *             (UCORE_SAMPLE_F_THROTTLED)
 * @skew_ns: as in struct ucore_read_domain
 * @late_ns: POLLED: time since the look before, which found the period not over.
 *           UCORE_TRIGGER_CORE: time from the core event's overflow to @time.  RECOVERED:
 *           the overflow froze the domain so long before @time at most, 20 ms or so: as
 *           much of @time_running may have been frozen; 0 where it had frozen nothing.
 *           Else 0
 * @ip: instruction interrupted; 0 without CAP_PERFMON, as are @pid and @tid
 * @pid: process interrupted (initial pid namespace)
 * @tid: thread interrupted (initial pid namespace)
 * @cpu: CPU that took the PMI or the timer
 * @domain: domain id
 * @trigger: UCORE_TRIGGER_*
 * @trigger_event: lowest id of the events whose periods ended, or UCORE_EVENT_NONE
 * @flags: UCORE_SAMPLE_F_*
 * @nr_values: elements of @values
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
 * struct ucore_lost - RECORD_LOST: records that found no room, or were never made: a
 * period of the timer, or of a throttled counter, was dropped
 * @hdr: type, size, sequence number
 * @lost: how many since the last record that did; they have the numbers before
 *        @hdr.seq, which is the LOST record's own
 * @time: when the ring had room again, or the next sample was taken
 */
struct ucore_lost {
	struct ucore_record hdr;
	__u64 lost;
	__u64 time;
};

/* ucore_gap.reason */
#define UCORE_GAP_READER_MOVED	0	/* @cpu_from went offline, @cpu_to took over */
#define UCORE_GAP_OFFLINE	1	/* the domain's last CPU went; counting stopped */
#define UCORE_GAP_ONLINE	2	/* @cpu_to came; counting resumed */
#define UCORE_GAP_BOX_DEAD	3	/* @box stopped answering */
#define UCORE_GAP_SUSPEND	4	/* the machine is about to sleep; counting stopped */
#define UCORE_GAP_RESUME		5	/* it is awake, @cpu_to reads; counting resumed */
#define UCORE_GAP_FROZEN	6	/* an overflow that no session armed froze the domain */
#define UCORE_GAP_CONFLICT	7	/* a control of @box is not as the session left it */

/**
 * struct ucore_gap - RECORD_GAP: something interrupted the series
 * @hdr: type, size, sequence number
 * @time: when
 * @domain: domain id
 * @reason: UCORE_GAP_*
 * @cpu_from: CPU that was the reader, or -1
 * @cpu_to: CPU that is the reader, or -1
 * @box: box id, or 0xffffffff
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

/* ucore_task.flags */
#define UCORE_TASK_F_KNOWN	(1U << 0)	/* else the CPU was offline, or is switching */

/**
 * struct ucore_task - the task that ran on a CPU
 * @cpu: the CPU
 * @flags: UCORE_TASK_*
 * @pid: process (initial pid namespace); 0: the CPU was idle
 * @tid: thread (initial pid namespace)
 * @since: when it began to run there last; at the earliest the START of the first session
 *         with UCORE_SESSION_F_TASKS
 * @comm: its name, ends with a zero
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
 * struct ucore_tasks - RECORD_TASKS: who ran where when the next sample was taken
 * @hdr: type, size, sequence number
 * @time: instant: that of the sample, whose number follows unless one of them was lost
 * @domain: domain id
 * @nr_tasks: elements of @tasks
 * @tasks: one for each CPU of the domain that was online at START, in their order
 */
struct ucore_tasks {
	struct ucore_record hdr;
	__u64 time;
	__u32 domain;
	__u32 nr_tasks;
	struct ucore_task tasks[];
};

#endif /* _UAPI_UCORE_H */
