/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of the model and the calls between its files.
 *
 * The big QEMU lock protects everything here, except per-CPU counters that
 * only their own vCPU thread writes (marked in UcoreCpu).
 *
 *   platforms/           boxes, addresses and bits, as const data
 *   unit.c               addresses and registers of the units of a table
 *   placement.c          ids and places of units from the scenario
 *   table.c              the discovery table, its PCI function, forgeries
 *   engine.c             time: counting, overflow, freeze, the next deadline
 *   box_freeze.c         freezes by box controls
 *   box.c, global.c      register semantics and the strict-mode checks
 *   rates.c              rates of events
 *   msr.c, pci.c, mmio.c accesses of the guest
 *   port.c               PCI Express root ports with units
 *   target.c             address to register of a box or a socket
 *   pmi.c, corepmu.c     the route to LVTPC, and the core counters
 *   corecpuid.c          version of the core PMU, and its CPUID leaf
 *   cpuid.c              CPUID leaves and the TSC
 *   clock.c              cost of accesses on the clocked machine
 *   oracle.c, scenario.c out of band: results, faults, configuration
 */
#ifndef UCORE_MODEL_H
#define UCORE_MODEL_H

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/timer.h"
#include "cpu.h"
#include "hw/pci/pci.h"
#include "hooks.h"

#ifndef GENMASK
#define GENMASK(h, l)   MAKE_64BIT_MASK(l, (h) - (l) + 1)
#endif
#define GENMASK_ULL     GENMASK

#define UCORE_MAX_SOCKETS       8
#define UCORE_MAX_CPUS          256
#define UCORE_MAX_CTRS          16
#define UCORE_MAX_FILTERS       8
#define UCORE_MAX_FREE          5       /* free-running MSRs */
#define UCORE_MAX_STATUS_WORDS  16      /* maximum of 1024 units in a table */
#define UCORE_MAX_GLOBALS       3       /* of a socket */
#define UCORE_MAX_CORE_SEL      64
#define UCORE_EVENT_FIXED       0x200   /* above any nine-bit event */
#define UCORE_FOREIGN_MSRS      0x10000
#define UCORE_NEVER             INT64_MAX

typedef struct UcoreBox UcoreBox;
typedef struct UcoreBoxType UcoreBoxType;
typedef struct UcoreCounter UcoreCounter;
typedef struct UcoreMachine UcoreMachine;
typedef struct UcoreSocket UcoreSocket;

/* ------------------------------------------------------------- platform */

typedef enum {
    UCORE_REG_BOX_CTL,
    UCORE_REG_TYPE_CTL,         /* resets all boxes of the type */
    UCORE_REG_BOX_STATUS,
    UCORE_REG_CTL,              /* index: counter; the fixed counter is last */
    UCORE_REG_CTR,              /* 8 bytes on PCI, low dword first */
    UCORE_REG_FILTER,           /* index: into UcoreBox.filter */

    /* registers of a socket */
    UCORE_REG_GLOBAL_CTL,       /* index: global control */
    UCORE_REG_GLOBAL_STATUS,    /* index: word, first those of control 0 */
    UCORE_REG_STATUS_CLEAR,     /* a 1 clears a bit of GLOBAL_STATUS */
    UCORE_REG_GLOBAL_CONFIG,
    UCORE_REG_CPU_BUSES,        /* root bus of each IIO stack */
    UCORE_REG_TABLE,            /* address of the second table */
    UCORE_REG_FREE,             /* free-running, at UcoreTarget.rate */
} UcoreRegKind;

typedef struct UcoreReg {
    uint16_t offset;            /* from UcoreBox.base */
    uint8_t kind;
    uint8_t index;
    bool wide;                  /* 8 bytes where addresses are bytes */
} UcoreReg;

#define UCORE_REGS_END          { .offset = UINT16_MAX }
#define UCORE_TRAITS_END        { .event = UINT16_MAX }

/* values as in a discovery table */
typedef enum {
    UCORE_ACCESS_MSR,
    UCORE_ACCESS_MMIO,
    UCORE_ACCESS_PCI,
} UcoreAccess;

/* Counters that a range of events may use. Other events may use all. */
typedef struct UcoreConstraint {
    uint16_t first, last;
    uint8_t counters;
} UcoreConstraint;

/* Event that counts at the rate of a clock, or increments by more than one. */
typedef struct UcoreEventTrait {
    uint16_t event;
    uint16_t depth;             /* largest increment per cycle; 0 means 1 */
    uint64_t clock;             /* increments per second; 0: the rate formula */
} UcoreEventTrait;

struct UcoreBoxType {
    const char *name;
    uint16_t id;                /* enters the rate formula */
    uint8_t nr_gp;
    uint16_t nr_max;            /* instances per socket */
    bool fixed;
    uint8_t width, fixed_width;
    uint8_t fixed_width_most;   /* of any source, which a write may try */

    uint64_t ctl_legal, fixed_legal;
    uint64_t ctl_rst, fixed_rst;
    uint64_t ctl_wo;            /* bits that read 0, in addition to rst */
    uint64_t ov_en;             /* overflow enable in a control; 0: none */
    uint64_t ov_en_doubtful;    /* ... unless [model] cbox-ov-en is set */
    uint64_t ctl_en;            /* instead of the platform's */
    bool apart;                 /* the global control does not stop the box */
    uint64_t event_ext;         /* ninth event bit */
    uint64_t thresh;
    uint64_t invert;            /* count the cycles below the threshold */
    uint16_t clock_event;       /* event of all cycles, which invert requires */
    uint64_t umask_ext;         /* further bits that select events */

    bool box_ctl, box_status;   /* the register exists */
    uint32_t box_ctl_reserved;  /* bits that only other types have */
    bool box_ctl_stepwise;      /* #GP if a write sets more than one bit */
    uint32_t status_legal;
    uint8_t status_shift;       /* general counter 0's bit in BOX_STATUS */
    int8_t status_fixed;        /* the fixed counter's bit, -1: none */

    uint8_t nr_filters;
    uint64_t filter_legal[UCORE_MAX_FILTERS];

    const UcoreReg *regs;       /* last element: offset UINT16_MAX */
    const UcoreReg *filter_regs;    /* registers of a PCI filter function */
    const UcoreConstraint *constraints;
    const UcoreEventTrait *traits;

    /* Reduce @rate by filters and special fields. NULL: no reduction */
    uint64_t (*filter_rate)(const UcoreBox *box, unsigned ctr,
                            unsigned event, unsigned umask, uint64_t rate);
};

typedef enum {
    UCORE_PCI_PMON,
    UCORE_PCI_FILTER,
    UCORE_PCI_SOCKET_MAP,
    UCORE_PCI_FILLER,           /* function 0 of a slot without other use */
    UCORE_PCI_OTHER,            /* function without PMON registers */
    UCORE_PCI_CAPS,             /* PCU capabilities: CAPID4, CAPID6 */
    UCORE_PCI_IMC_MAP,          /* addresses of the memory controllers */
    UCORE_PCI_STACK,            /* number of the IIO stack of the bus */
    UCORE_PCI_TABLE,            /* the discovery table */
    UCORE_PCI_BUSES,            /* root buses of the package's stacks */
    UCORE_PCI_VARIANT,          /* die variant of spr: CAPID4 */
    UCORE_PCI_SPEED,            /* speed of a UPI link */
    UCORE_PCI_DEVICE,           /* accelerator behind a stack */
} UcorePciRole;

/* Buses of a socket. args.py creates them. */
typedef enum {
    UCORE_BUS_UNCORE,
    UCORE_BUS_IIO,
    UCORE_BUS_ABOVE,            /* bus above the uncore bus */
} UcorePciBus;

typedef struct UcorePciSite {
    uint8_t role;
    uint8_t slot, function;
    uint8_t bus;                /* UcorePciBus */
    uint16_t device_id;
    const UcoreBoxType *type;   /* PMON, FILTER */
    uint8_t instance;           /* STACK: number in the address decoders */
} UcorePciSite;

/* Registers of the units of a type; offsets are relative to the box control. */
typedef struct UcoreUnitSite {
    uint16_t number;            /* the table's box type */
    uint8_t access;
    uint8_t ctl, ctl_stride, ctr, status;
    uint8_t fixed_ctl, fixed_ctr, filter;
    bool wide_ctl;

    unsigned nr;                /* units here; unit.c places the others */
    uint64_t base;              /* MSR; offset in the window; config offset */
    uint32_t stride;            /* MSR, MMIO */
    uint32_t pair_stride;       /* MMIO: distance of pairs of units */
    uint8_t slot, function;     /* PCI: unit i is in slot + i */
    uint16_t device_id;
    bool pointed;               /* listed in the second table */
    bool port;                  /* PCI: in root ports of the IIO bus */
    const GArray *devfns;       /* PCI: places in order (uint8_t), or NULL */
} UcoreUnitSite;

typedef struct UcoreBoxSite {
    const UcoreBoxType *type;
    UcoreUnitSite unit;         /* platforms with a discovery table */
    uint32_t msr;               /* MSR of instance 0; PCI boxes: 0 */
    uint32_t msr_stride;
    const uint16_t *msrs;       /* MSR of each instance if there is no stride */
    bool in_memory;             /* channel at an address of UcorePlatform.imc */
    uint8_t tile;               /* client: the global control of the box */
    uint8_t second_tile;        /* that of instance 1; 0: the same */
    bool bit_per_counter;       /* GLOBAL_STATUS: counter i has global_bit + i */
    int8_t global_bit[12];      /* GLOBAL_STATUS bit of instance i, -1: none */
    int8_t global_bit0;         /* if >= 0: bit of instance 0, others follow */
    uint8_t global_nr;          /* number of instances with a bit; 0: all */
    int8_t global_fixed;        /* bit of the fixed counter, -1: box's bit */
} UcoreBoxSite;

typedef struct UcorePlatform {
    /* ranges in which absent MSRs raise #GP */
    struct {
        uint32_t first, last;
    } msrs[6];
    uint32_t msr_global_ctl, msr_global_status, msr_global_config;
    uint32_t msr_status_clear;      /* 0: none */
    uint32_t msr_cpu_buses;         /* 0: none */
    /* 0, and run_en, too: no global registers */
    uint64_t frz_all;
    /* client: the boxes count while the bit is set; an overflow clears it if
       frz_on_ov is set */
    uint64_t run_en, frz_on_ov;
    bool run_each;              /* run_en: a bit for each counter, as its status */
    bool status_read_only;      /* only msr_status_clear clears it */
    uint64_t status_extra;      /* bits that every overflow sets, too */
    bool status_of_wraps;       /* a wrap without a PMI sets its bit, too */
    bool run_at_reset;
    uint32_t msr_second_ctl;        /* client: control of the last tile; 0: none */
    /* client: offset of tile 1's control in the window; frz_all stops the tile.
       It belongs to the table of msr_table; 0: none */
    uint32_t second_ctl_at;
    unsigned count_extra;           /* GLOBAL_CONFIG: above the number of CBOs */
    uint64_t unfrz_all;             /* 0: clearing frz_all unfreezes */
    bool frz_readable;
    uint64_t wk_on_pmi, core_sel;
    uint64_t global_status_legal;   /* discovery: from the number of units */
    /* number of words by the number of units; 0: one */
    unsigned global_status_words;
    struct {
        uint8_t first, last;
    /* bits whose order differs between manuals */
    } status_doubtful;

    /* BOX_CTL */
    uint32_t box_rst_ctrl, box_rst_ctrs;
    uint32_t box_frz, box_frz_en;   /* frz_en 0: frz needs no enable */
    /* required for overflow messages; 0: none */
    uint32_t box_ov_en;
    uint32_t box_must_be_one, box_readable, box_legal;
    /* bits with [model] box-enables, as on v2; 0: none */
    uint32_t box_frz_en_doubtful, box_ov_en_doubtful;

    /* counter control; any bit of ctl_en or fixed_en enables the counter */
    uint64_t ctl_en, fixed_en, ctl_ev_sel, ctl_umask, ctl_edge;

    const UcoreBoxSite *boxes;      /* last element: type NULL */
    const UcorePciSite *pci;        /* last element: device_id 0 */

    bool discovery;                 /* a discovery table exists */
    uint16_t table_device;          /* device id of the table; 0: default */
    /* MSR with the address of a second table; 0: none */
    uint32_t msr_table;
    const UcoreBoxSite *unknown;    /* templates of type_N, by access */
    uint16_t map_cpunodeid, map_gidnidmap;  /* config offsets */
    /* registers of UPI links; 0: none */
    uint16_t link_peer, link_status;
    uint16_t capid4;                /* config offset, with CAPS */
    uint32_t capid4_chop;
    uint8_t chop0_sboxes;           /* largest number of SBOXes of chop 0 */
    uint16_t capid6;                /* config offset; a bit for each CHA */
    uint64_t capid6_slices;         /* bits 63:32 are in the next register */

    /* memory-mapped memory controllers, and their free-running counters */
    struct {
        unsigned controllers, channels;
        uint32_t channel, channel_stride;
        bool persistent;            /* with counters of persistent memory */
    } imc;

    /* free-running counters of IIO stacks; ports 0: none; width 0: all bits */
    struct {
        uint32_t clock, clock_stride;
        /* registers of each stack, instead of strides */
        const uint16_t *clocks, *ins;
        uint32_t in, out, stack_stride, port_stride;
        /* input and output utilisation of each port; 0: none */
        uint32_t util;
        unsigned ports, width;
    } iio_free;

    /*
     * client: counters of a memory controller behind MCHBAR, and the control of
     * its general ones (0: none). The host bridge has its own device id.
     */
    struct {
        uint16_t offset;
        uint8_t width;
        uint64_t rate;
    } mchbar[6];
    unsigned mchbar_controllers;
    uint32_t mchbar_imc;
    uint16_t host_bridge;

    /* free-running MSRs: increments per second of socket 0 */
    struct {
        uint32_t msr;
        uint64_t rate;
    } free_running[UCORE_MAX_FREE];
} UcorePlatform;

#define UCORE_PLATFORM(name, cpuid_family, model, stepping, family) \
    extern const UcorePlatform ucore_##name;
#include "platforms/list.h"

/* ----------------------------------------------------------- live state */

struct UcoreCounter {
    uint64_t ctl;
    uint64_t value;             /* register value at UcoreBox.synced */
    uint64_t frac;              /* fraction of an increment, in 1e-9 */
    uint64_t total;             /* all increments since power-on */
    uint64_t rate;              /* increments per second with this setting */
    bool enabled;
    bool armed;                 /* a carry sends an overflow message */
};

typedef struct UcoreAccesses {
    uint64_t rdmsr, wrmsr, msr_fault;
    uint64_t ecam_read, ecam_write;
    uint64_t cf8_read, cf8_write;
    uint64_t port_io;           /* port accesses of cf8_read, cf8_write */
    uint64_t mmio_read, mmio_write;
} UcoreAccesses;

struct UcoreBox {
    const UcoreBoxType *type;
    const UcoreBoxSite *site;
    UcoreSocket *socket;
    unsigned index;             /* in UcoreSocket.boxes */
    unsigned instance;
    char name[24];
    UcoreAccess access;
    uint64_t base;              /* base of the register offsets */
    uint8_t devfn;              /* PCI units */
    uint8_t bus;                /* PCI units: UcorePciBus */
    const UcoreReg *regs;       /* last element: offset UINT16_MAX */
    int global_bit, global_fixed;

    /* values of the type, changed by scenario options */
    uint64_t ctl_legal, ov_en;
    unsigned width, fixed_width;
    uint32_t box_ctl;
    uint32_t box_written;       /* last box control as written */
    uint32_t status;
    uint64_t filter[UCORE_MAX_FILTERS];
    UcoreCounter ctr[UCORE_MAX_CTRS];
    unsigned nr_ctrs;           /* general and fixed */
    bool running;               /* neither the box nor the socket is frozen */
    bool halted;                /* its own overflow has frozen it */
    int64_t word_time;          /* last freeze or unfreeze by box_ctl */
    int64_t synced;
    int64_t deadline;           /* time of its next armed carry */

    UcoreAccesses accesses;
    bool dead;                  /* fault: reads all ones, ignores writes */
    bool ecam_wrong;            /* fault: only CF8h/CFCh access works */
    uint32_t held;              /* fault: counters with a pending carry */
    uint32_t stuck;             /* fault: counters with a constant value */
    bool faults;                /* fault: its MSRs raise #GP */
    bool unreported;            /* fault: its overflows set no global status bit */
};

struct UcoreSocket {
    UcoreMachine *machine;
    unsigned id;
    UcoreBox **boxes;
    unsigned nr_boxes;
    GHashTable *msrs;           /* MSR -> UcoreTarget */
    GHashTable *mmio;           /* dword of the window -> UcoreTarget */
    struct {
        uint64_t base;          /* in the space of access */
        UcoreAccess access;
        UcoreReg *regs;
        uint64_t ctl;           /* readable bits, except the freeze */
        uint64_t route;         /* pmi_core_sel that unfreezes must keep */
        uint64_t enabled;       /* bits of run_en, unless the tile stands */
    } global[UCORE_MAX_GLOBALS];
    uint32_t frz;               /* mask of freezing global controls */
    int64_t tile_time[UCORE_MAX_GLOBALS];   /* last stop or start of a tile */
    unsigned extra_msr, extra_mmio, extra_pci;      /* unit.c: used places */

    uint64_t global_status[UCORE_MAX_STATUS_WORDS];
    uint64_t status_legal[UCORE_MAX_STATUS_WORDS];
    GPtrArray *status_boxes[UCORE_MAX_STATUS_WORDS];    /* reporting boxes */
    bool frozen;
    bool words_frozen;          /* by box controls (box_freeze.c) */
    bool stuck;                 /* a write of 0 does not end the freeze */
    int64_t unfreeze_first;         /* UCORE_NEVER: no box is unfrozen */
    int64_t frozen_since;       /* by a global or by box controls */
    uint64_t frozen_ns;         /* sum of all ended freezes */
    uint64_t freezes, overflow_freezes, unfreezes;
    uint64_t seq;               /* sequence number of the last freeze */

    GTree *deadlines;           /* boxes by their next armed carry */
    int64_t deadline;           /* deadline of the first box */
    QEMUTimer timer;

    UcoreAccesses accesses;     /* accesses to the global registers */
    uint64_t pmis;              /* PMI messages of the UBox */
    unsigned lose_pmis;         /* fault: number of PMIs to lose */
    unsigned double_pmis;       /* fault: number of PMIs to send twice */
    int64_t double_after;       /* delay of the second PMI (ns) */
    int64_t delay_pmis;         /* fault: delay of all PMIs (ns) */
    unsigned pmi_epoch;         /* delayed PMIs of older epochs are dropped */
    bool held;                  /* a fault is pending (fault.c) */
    bool held_freeze;
    uint64_t held_status[UCORE_MAX_STATUS_WORDS];
};

#define UCORE_DEBUGCTL_PMI  BIT_ULL(13)     /* uncore PMIs enabled */

/* Index of a counter: general, from UCORE_CORE_MAX_GP on fixed. */
#define UCORE_CORE_MAX_GP       8
#define UCORE_CORE_MAX_FIXED    4
#define UCORE_CORE_CTRS         (UCORE_CORE_MAX_GP + UCORE_CORE_MAX_FIXED)
#define UCORE_CORE_CAP_FULL_WIDTH   BIT_ULL(13)     /* of PERF_CAPABILITIES */

typedef struct UcoreCorePmu {
    uint64_t evtsel[UCORE_CORE_MAX_GP];
    uint64_t fixed_ctrl, global_ctrl, status;
    uint64_t value[UCORE_CORE_CTRS];
    uint64_t frac[UCORE_CORE_CTRS];
    uint64_t total[UCORE_CORE_CTRS];    /* all increments since power-on */
    int64_t synced;
    QEMUTimer *timer;
} UcoreCorePmu;

typedef struct UcoreCpu {
    X86CPU *cpu;
    uint64_t debugctl;
    UcoreCorePmu pmu;
    unsigned lose_core_pmis;    /* fault: number of PMIs to lose */

    /* uncore PMIs: sent = delivered + masked + debugctl + asleep */
    uint64_t pmi_sent, pmi_delivered, pmi_masked, pmi_debugctl, pmi_asleep;
    uint64_t core_pmi, core_pmi_masked;
    /* accesses to the core PMU, except DEBUGCTL */
    uint64_t core_rdmsr, core_wrmsr, core_rdpmc;

    uint64_t ipis, ipi_targets;
    uint64_t ipi_vector[256];   /* fixed delivery mode; [2] is NMI */
    uint64_t rdmsr, wrmsr;      /* all MSRs; only this vCPU writes the counts */
    uint64_t pmon;              /* all accesses to uncore registers */
    uint64_t insns0, syscalls0; /* base of the counts kept in CPUX86State */
} UcoreCpu;

typedef struct UcoreRate {
    char *type;                 /* NULL: any */
    int instance, socket, event, umask;     /* -1: any */
    uint64_t rate;
} UcoreRate;

typedef struct UcorePlan {
    const UcoreBoxSite *site;
    unsigned count;             /* per socket */
    const GArray *ids;          /* instances (unsigned); NULL: from 0 on */
    unsigned width, fixed_width;
    unsigned ctl_absent;        /* absent bits of its controls */
    const UcoreReg *regs;
} UcorePlan;

typedef struct UcoreForgery UcoreForgery;       /* table.c */

/* The configured core PMU; CPUID may describe another one. */
typedef struct UcoreCoreConfig {
    /* version of architectural performance monitoring */
    unsigned version;
    unsigned gp, width, fixed, fixed_width;
    bool full_width;            /* with IA32_A_PMCx */
    bool any;                   /* events can count for both threads */
    bool hybrid;
    unsigned type;              /* CPUID.1AH:EAX[31:24] of a hybrid CPU */
    bool uncore_bit;            /* an uncore PMI sets GLOBAL_STATUS[61] */
    bool metrics;               /* GLOBAL_CTRL[48] may be written */
    unsigned unavailable;       /* mask of predefined events that are absent */
    unsigned events;            /* length of that mask (CPUID.0AH:EAX[31:24]) */
    unsigned eax, ebx, ecx, edx;    /* CPUID.0AH */
} UcoreCoreConfig;

/* operations with a cost on the clocked machine */
typedef enum {
    UCORE_COST_RDMSR,
    UCORE_COST_WRMSR,
    UCORE_COST_ECAM,            /* a dword */
    UCORE_COST_CF8,             /* a dword: both port I/Os */
    UCORE_COST_MMIO,
    UCORE_COST_RDPMC,
    UCORE_COST_IPI,             /* for each interrupted CPU */
    UCORE_COST_IRQ,
    UCORE_COST_NMI,
    UCORE_COST_SYSCALL,
    UCORE_COST_PAUSE,
    UCORE_COSTS
} UcoreCost;

/* What an overflow does on a discovery platform: [model] overflow */
typedef enum UcoreOverflow {
    UCORE_OVERFLOW_FREEZE,
    UCORE_OVERFLOW_IGNORED,
    UCORE_OVERFLOW_BOX,
    UCORE_OVERFLOW_NO_BIT,
    UCORE_OVERFLOW_OTHER_BIT,
    UCORE_OVERFLOW_STUCK,
} UcoreOverflow;

/* What clears GLOBAL_STATUS on client processors: [model] status-clear */
typedef enum UcoreStatusClear {
    UCORE_CLEAR_ONES,           /* a 1 clears the bit */
    UCORE_CLEAR_ZERO,           /* a 0 clears the bit */
    UCORE_CLEAR_OTHER,          /* a 1 in UCORE_REG_STATUS_CLEAR */
    UCORE_CLEAR_NEVER,
} UcoreStatusClear;

typedef struct UcoreStacks UcoreStacks;

typedef struct UcoreConfig {
    const UcorePlatform *platform;
    unsigned sockets, cores, threads;
    bool uncore;                /* false: no box, no uncore MSR, no function */
    GArray *plans;              /* of UcorePlan */
    unsigned global_config;
    unsigned chop;              /* field of CAPID4 */
    uint64_t fuses;             /* field of CAPID6 */
    unsigned status_shift;      /* rotation of the bits of status_doubtful */
    unsigned nodes;             /* NUMA nodes; 0: not reported */
    bool iio_buses;             /* discovery: each socket has an IIO bus */
    bool imc_map;               /* spr: function with free-running counters */
    uint64_t wk_on_pmi, core_sel;
    uint32_t box_ov_en, box_must_be_one, box_readable;  /* of the platform */
    unsigned global_access;     /* UcoreAccess */
    unsigned globals;           /* number per socket, each with a table */
    /* MSR with the address of a table; 0: none. Without a platform's MSR, the
       table is that of all units */
    uint32_t table_msr;
    bool second_own;            /* the second table has a global control */
    unsigned status_offset, status_words;
    unsigned status_bits[UCORE_MAX_GLOBALS];
    bool firmware_freeze, frz_all, log_counters;
    UcoreForgery *forgery[UCORE_MAX_SOCKETS];
    bool cbox_ov_en, debugctl_gate, hlt_sleeps, ov_needs_box_en;
    unsigned overflow;          /* UcoreOverflow */
    unsigned status_clear;      /* UcoreStatusClear */
    bool pmi, mchbar;
    bool freeze_with_pmi;       /* no freeze by an overflow that selects no core */
    bool width_faults;          /* #GP for counter bits beyond the width */
    bool box_enables, sbox_steps, box_freeze;
    bool ignored;               /* uncore MSRs read 0, writes are dropped */
    bool strict, core_pmu, insns, clocked;
    unsigned price[UCORE_COSTS];        /* ns */
    UcoreCoreConfig core;
    UcoreCoreConfig atom;       /* of the CPUs whose bits are set in @atoms */
    unsigned atoms;
    uint64_t scale;             /* in 1e-6 */
    GArray *rates;              /* UcoreRate entries; the last match is used */
    unsigned nr_rates;          /* of the scenario; commands added the others */
    GHashTable *hidden, *dead, *ecam_wrong;     /* "box" or "socket:box" */
    UcoreStacks *stacks;        /* NULL: all ports have traffic */
    int core_map[UCORE_MAX_CORE_SEL];   /* pmi_core_sel bit -> core, -1: none */
} UcoreConfig;

typedef struct UcoreViolation {
    int64_t time;
    int cpu;
    const char *rule;
    char *text;
} UcoreViolation;

typedef struct UcoreMarker {
    int64_t time;
    unsigned value;
} UcoreMarker;

struct UcoreMachine {
    UcoreConfig config;
    UcoreSocket socket[UCORE_MAX_SOCKETS];
    UcoreCpu cpu[UCORE_MAX_CPUS];
    /* sequence number of freezes, over all sockets */
    uint64_t seq;
    int64_t epoch;              /* virtual time of the last reset */
    bool cf8;                   /* a CFCh access is being forwarded */
    bool record_cores;          /* log and check the core PMUs */
    FILE *log;
    GArray *violations, *markers;
    uint64_t nr_violations;
    uint64_t paid[UCORE_COSTS]; /* number of operations, on a clocked machine */
    struct {
        uint32_t reads, writes;
    } foreign[UCORE_FOREIGN_MSRS];      /* accesses to other MSRs */
};

extern UcoreMachine *ucore;     /* NULL: the machine has no ucore device */

/* ------------------------------------------------------------ engine.c */

/* Process due events and return the present time. Must be called first. */
int64_t ucore_sync(UcoreMachine *m);
/* Count until @now. Return a mask of the counters that carried. */
uint32_t ucore_box_advance(UcoreBox *box, int64_t now);
/* End the freezes of single boxes by their overflows. */
void ucore_boxes_resume(UcoreSocket *s, int64_t now);
/* Recompute rates and deadlines after a register write. The box is advanced. */
void ucore_box_update(UcoreBox *box);
void ucore_tile_changed(UcoreSocket *s, int64_t now);
void ucore_socket_freeze(UcoreSocket *s, int64_t now, const char *reason,
                         const char *cause);
void ucore_socket_unfreeze(UcoreSocket *s, int64_t now);
/* Find the next deadline after a change that affects overflows. */
void ucore_socket_rearm(UcoreSocket *s);
/* Process the time @now: due carries and faults that are possible now. */
void ucore_socket_play(UcoreSocket *s, int64_t now);
void ucore_engine_init(UcoreMachine *m);
void ucore_engine_reset(UcoreMachine *m);
/* Set the registers and the faults of the scenario. */
void ucore_engine_power_on(UcoreMachine *m, int64_t now);

/* ------------------------------------------------------------- clock.c */

extern const char *const ucore_cost_names[UCORE_COSTS];
/* Read the prices of the scenario. */
bool ucore_clock_load(UcoreConfig *cfg, GKeyFile *kf, Error **errp);
/* Advance the virtual time by @times the price, only on a clocked machine. */
void ucore_pay(UcoreCost cost, unsigned times);
/* Return the virtual time, which is monotonic. */
int64_t ucore_now(void);

/* ------------------------------------------------------------- box_freeze.c */

/* Update the die after a write to the control of a box. */
void ucore_words_written(UcoreBox *box, bool was_running, int64_t now);
/* Return true if a freeze of the die by box controls includes this box. */
bool ucore_words_count(const UcoreBox *box);

/* ------------------------------------------------------------- fault.c */

/* Return true if a pending fault is possible now. */
bool ucore_fault_possible(const UcoreSocket *s);
/*
 * Append pending carries that are possible to boxes[] and counters[]. Return
 * the new length.
 */
unsigned ucore_fault_carries(UcoreSocket *s, UcoreBox **boxes,
                             uint32_t *counters, unsigned nr);
/* Apply the other pending faults that are possible, after the carries. */
void ucore_fault_others(UcoreSocket *s, int64_t now);
void ucore_fault_forget(UcoreSocket *s);

/* Return a * b / c without overflow; *rest is the remainder unless NULL. */
uint64_t ucore_muldiv(uint64_t a, uint64_t b, uint64_t c, uint64_t *rest);

static inline bool ucore_is_fixed(const UcoreBox *box, unsigned ctr)
{
    return ctr >= box->type->nr_gp;
}

static inline unsigned ucore_width(const UcoreBox *box, unsigned ctr)
{
    return ucore_is_fixed(box, ctr) ? box->fixed_width : box->width;
}

/* Return true if the control word @ctl enables the counter. */
static inline bool ucore_ctl_enables(const UcoreBox *box, unsigned ctr,
                                     uint64_t ctl)
{
    const UcorePlatform *p = box->socket->machine->config.platform;

    return ctl & (ucore_is_fixed(box, ctr) ? p->fixed_en
                  : box->type->ctl_en ?: p->ctl_en);
}

/* Return the bit of the counter in GLOBAL_STATUS, -1: none */
static inline int ucore_global_bit(const UcoreBox *box, unsigned ctr)
{
    if (box->site->bit_per_counter) {
        return box->global_bit + ctr;
    }
    return ucore_is_fixed(box, ctr) && box->global_fixed >= 0
           ? box->global_fixed : box->global_bit;
}

/* Return the bit of the counter in BOX_STATUS, -1: none */
static inline int ucore_status_bit(const UcoreBox *box, unsigned ctr)
{
    if (!box->type->box_status) {
        return -1;
    }
    return ucore_is_fixed(box, ctr) ? box->type->status_fixed
                                    : box->type->status_shift + (int)ctr;
}

static inline bool ucore_global_is_set(const UcoreSocket *s, int bit)
{
    return s->global_status[bit / 64] & BIT_ULL(bit % 64);
}

/* Return true if the die is frozen, by a global or by all box controls. */
static inline bool ucore_socket_is_frozen(const UcoreSocket *s)
{
    return s->frozen ||
           (s->words_frozen && s->unfreeze_first == UCORE_NEVER);
}

/* Return the index of the unit's global registers. */
static inline unsigned ucore_global_of(const UcoreConfig *cfg,
                                       const UcoreUnitSite *unit)
{
    if (cfg->second_own) {
        return unit->access == UCORE_ACCESS_MMIO;
    }
    return cfg->globals > 1 && unit->pointed;
}

/* Return true if the only table is found by an MSR, not by a PCI function. */
static inline bool ucore_table_by_msr(const UcoreConfig *cfg)
{
    return cfg->table_msr && !cfg->platform->msr_table;
}

/* Return true if each of several tiles has a global control. */
static inline bool ucore_has_tiles(const UcorePlatform *p)
{
    return p->msr_second_ctl || p->second_ctl_at;
}

/* Return the tile whose global control stops a box. */
static inline unsigned ucore_box_tile(const UcoreBox *box)
{
    return box->instance == 1 && box->site->second_tile
           ? box->site->second_tile : box->site->tile;
}

static inline bool ucore_has_global(const UcorePlatform *p)
{
    return p->frz_all || p->run_en;
}

/* Return true if this value of a box control freezes the box. */
static inline bool ucore_word_freezes(const UcorePlatform *p, uint32_t word)
{
    return (word & p->box_frz) && (word & p->box_frz_en) == p->box_frz_en;
}

/* Append the counter's name: "imc0.2", "imc0.fixed". */
void ucore_counter_name(const UcoreBox *box, unsigned ctr, GString *out);
UcoreBox *ucore_box_find(UcoreMachine *m, unsigned socket, const char *name);

/* --------------------------------------------------- box.c and global.c */

uint64_t ucore_box_read(UcoreBox *box, const UcoreReg *reg, int64_t now);
/* Write the bits of @mask. */
void ucore_box_write(UcoreBox *box, const UcoreReg *reg, uint64_t val,
                     uint64_t mask, int64_t now);

uint64_t ucore_global_read(UcoreSocket *s, const UcoreReg *reg);
void ucore_global_write(UcoreSocket *s, const UcoreReg *reg, uint64_t val,
                        uint64_t mask, int64_t now);

/* Return true if the write raises #GP. */
bool ucore_box_refuses(const UcoreBox *box, const UcoreReg *reg, uint64_t val);

/* ------------------------------------------------------------ target.c */

/* Target of an MSR, or of a dword of config space or memory. */
typedef struct UcoreTarget {
    UcoreSocket *socket;
    UcoreBox *box;              /* NULL: a register of the socket */
    const UcoreReg *reg;
    unsigned shift;             /* position of the dword in the register */
    uint64_t rate;              /* UCORE_REG_FREE */
    unsigned width;             /* width of UCORE_REG_FREE; 0: all bits */
} UcoreTarget;

/* Maps addresses to targets: MSRs by number, memory and config by dword. */
GHashTable *ucore_map_new(void);
void ucore_map_msrs(GHashTable *map, UcoreSocket *s, UcoreBox *box,
                    const UcoreReg *regs, uint64_t base);
void ucore_map_dwords(GHashTable *map, UcoreSocket *s, UcoreBox *box,
                      const UcoreReg *regs, uint64_t base);
/*
 * Map a free-running counter in memory, of two dwords if it has more than 32
 * bits, unless the address is in use.
 */
void ucore_map_free_msr(GHashTable *map, UcoreSocket *s, uint32_t msr,
                        uint64_t rate, unsigned width);
void ucore_map_free_dwords(GHashTable *map, UcoreSocket *s, uint64_t base,
                           uint64_t rate, unsigned width);
const UcoreTarget *ucore_map_find(GHashTable *map, uint64_t key);

bool ucore_reg_is_wide(const UcoreReg *reg);
UcoreAccesses *ucore_target_accesses(const UcoreTarget *t);
uint64_t ucore_target_read(const UcoreTarget *t, int64_t now);
/* @val and @mask have the bit positions of the whole register. */
void ucore_target_write(const UcoreTarget *t, uint64_t val, uint64_t mask,
                        int64_t now);

/* ------------------------------------------------------------- rates.c */

/* Free-running counters of IIO stack 0: increments per second. */
#define UCORE_FREE_CLOCK    500000000ULL
#define UCORE_FREE_IN       20000000ULL
#define UCORE_FREE_OUT      40000000ULL
#define UCORE_FREE_UTIL_IN  60000000ULL
#define UCORE_FREE_UTIL_OUT 80000000ULL
#define UCORE_FREE_PORT     1000000ULL      /* added for each further port */

/* Free-running counters of memory controller 0: increments per second. */
#define UCORE_FREE_READ         90000000ULL
#define UCORE_FREE_WRITE        70000000ULL
#define UCORE_FREE_PMM_READ     30000000ULL
#define UCORE_FREE_PMM_WRITE    10000000ULL
#define UCORE_FREE_DCLK         1600000000ULL
#define UCORE_FREE_RPQ          110000000ULL
#define UCORE_FREE_WPQ          55000000ULL

/* Traffic of memory controller 0 behind MCHBAR: increments per second. */
#define UCORE_FREE_MC_READ      450000000ULL
#define UCORE_FREE_MC_WRITE     150000000ULL
#define UCORE_FREE_GT           60000000ULL
#define UCORE_FREE_IA           500000000ULL
#define UCORE_FREE_IO           40000000ULL

uint64_t ucore_rate_raw(const UcoreBox *box, unsigned event, unsigned umask);
uint64_t ucore_rate(const UcoreBox *box, unsigned ctr);
bool ucore_counter_allows(const UcoreBox *box, unsigned ctr, unsigned event);
unsigned ucore_event_depth(const UcoreBoxType *type, unsigned event);
/* Return the part of a rate that passes a filter: 64/1024 to 1024/1024. */
uint64_t ucore_share(uint64_t rate, uint64_t filter);
uint64_t ucore_free_running(const UcoreSocket *s, uint64_t rate, int64_t now);
unsigned ucore_ctl_event(const UcoreBox *box, uint64_t ctl);

/* ------------------------------------------------------------ stacks.c */

bool ucore_stacks_load(UcoreConfig *cfg, GKeyFile *kf, Error **errp);
/* Return the mask of the parts of an IIO box that have traffic. */
unsigned ucore_stacks_parts(const UcoreSocket *s, unsigned box);
/* Set the registers of a function; @index: number of the link */
void ucore_stacks_fill(const UcoreSocket *s, UcorePciRole role, unsigned index,
                       uint8_t *config);
typedef bool (*UcoreStackCreate)(const UcoreSocket *s, UcorePciRole role,
                                 unsigned bus, unsigned slot,
                                 uint16_t device_id, unsigned stack,
                                 Error **errp);
bool ucore_stacks_functions(const UcoreSocket *s, UcoreStackCreate create,
                            Error **errp);
/* Return the true stack and parts of each device as JSON. */
char *ucore_stacks_truth(const UcoreMachine *m);

/* --------------------------------------------------- unit.c and table.c */

/* PCI functions of the discovery platforms */
#define UCORE_SLOT_SYSTEM       0       /* socket map, table, global control */
#define UCORE_FUNCTION_MAP      0
#define UCORE_FUNCTION_TABLE    4
#define UCORE_FUNCTION_GLOBAL   5
#define UCORE_FUNCTION_IMC_MAP  1
/* place of the table on the IIO bus, if there is one */
#define UCORE_SLOT_IIO          3
#define UCORE_FUNCTION_IIO_TABLE 1
#define UCORE_GLOBAL_CONFIG_BASE 0x400  /* global control by PCI access */

const UcoreReg *ucore_unit_regs(const UcoreBoxSite *site);
/* Set access, base and PCI place; @nth: position among the units of its type */
void ucore_unit_place(UcoreBox *box, unsigned nth);
void ucore_unit_place_global(UcoreSocket *s, unsigned global);
/* Create a box type "type_N" for tables with unknown type numbers. */
UcoreBoxSite *ucore_unit_unknown(const UcorePlatform *p, unsigned number,
                                 UcoreAccess access, unsigned counters,
                                 unsigned width, unsigned ctl_stride);
/* Copy the units of a type to another kind of access. */
UcoreBoxSite *ucore_unit_move(const UcorePlatform *p, const UcoreBoxSite *site,
                              UcoreAccess access);
bool ucore_msr_is_extra(uint32_t msr);

/*
 * Read the keys of a type about ids and places. May replace *@site by a copy,
 * and set @plan's count and ids.
 */
bool ucore_placement_load(GKeyFile *kf, const UcoreBoxSite **site,
                          UcorePlan *plan, Error **errp);

bool ucore_table_load(UcoreConfig *cfg, GKeyFile *kf, Error **errp);
/* Add capabilities and BARs to the function that has the table. */
void ucore_table_attach(PCIDevice *pd, UcoreSocket *s, Error **errp);
/* Map the second table into memory. */
void ucore_table_map(UcoreSocket *s);
/* Set *@val to the MSR with the second table's address; false if absent. */
bool ucore_table_pointer(const UcoreSocket *s, uint64_t *val);
/* Return the value to store for a write to a PCI command register. */
uint32_t ucore_table_filter_command(UcoreSocket *s, uint32_t val);

/* ------------------------------------------------ msr.c, pci.c, mmio.c */

void ucore_msr_init(UcoreMachine *m);
bool ucore_pci_init(UcoreMachine *m, Error **errp);
/* Return the number of a bus of the socket. */
unsigned ucore_pci_bus_number(const UcoreSocket *s, UcorePciBus which);
/* Access a register of a PCI function. @lost: a write has no effect. */
uint32_t ucore_pci_read_reg(const UcoreTarget *t, uint32_t addr, int len);
void ucore_pci_write_reg(const UcoreTarget *t, uint32_t addr, uint32_t val,
                         int len, bool lost);
/* Create the root port with a unit on a bus. */
bool ucore_port_create(PCIBus *bus, UcoreBox *box, Error **errp);
uint64_t ucore_pci_cpu_buses(const UcoreSocket *s);
void ucore_mmio_init(UcoreMachine *m);
/* Windows of the sockets' MMIO units in physical memory. */
#define UCORE_MMIO_BASE         0xf000000000ULL
#define UCORE_MMIO_SIZE         0x100000000ULL
uint64_t ucore_mmio_window(const UcoreSocket *s);
/* Window of the memory controllers of client processors, and of units. */
#define UCORE_MCHBAR            0xfedc0000ULL
#define UCORE_MCHBAR_SIZE       0x40000ULL
#define UCORE_MCHBAR_STRIDE     0x10000ULL      /* of controllers */
/* Return the offset in the window of a memory controller's registers. */
uint64_t ucore_mmio_imc(const UcoreMachine *m, unsigned controller);

/* ---------------------------------------- pmi.c, corepmu.c, corecpuid.c */

void ucore_pmi_broadcast(UcoreSocket *s, unsigned global, int64_t now);
void ucore_pmi_send(UcoreCpu *c, bool wake, int64_t now, uint64_t seq);

UcoreMsrResult ucore_core_rdmsr(UcoreCpu *c, uint32_t msr, uint64_t *val);
UcoreMsrResult ucore_core_wrmsr(UcoreCpu *c, uint32_t msr, uint64_t val);
bool ucore_core_owns_msr(uint32_t msr);
/* Handle an uncore PMI, which freezes core counters if DEBUGCTL is set so. */
void ucore_core_uncore_pmi(UcoreCpu *c);
/* Count until now. */
void ucore_core_sync(UcoreCpu *c);
/* Return the control word of counter @i, of a fixed counter its 4-bit field. */
bool ucore_core_has(const UcoreCorePmu *p, unsigned i);
uint64_t ucore_core_ctl(const UcoreCorePmu *p, unsigned i);
/* Return the increments per second of counter @i. */
uint64_t ucore_core_rate(const UcoreCorePmu *p, unsigned i);
/*
 * Set bits of GLOBAL_STATUS without an overflow; return false if the register
 * does not exist.
 */
bool ucore_core_raise(UcoreCpu *c, uint64_t bits);

bool ucore_core_load(UcoreConfig *cfg, GKeyFile *kf, Error **errp);
const UcoreCoreConfig *ucore_core_config(int cpu);
bool ucore_core_capabilities(void);
void ucore_core_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t *eax,
                      uint32_t *ebx, uint32_t *ecx, uint32_t *edx);

/* ---------------------------------------------------------- scenario.c */

bool ucore_scenario_load(UcoreMachine *m, const char *file, Error **errp);
bool ucore_scenario_names(GHashTable *set, const UcoreBox *box);
/* Parse a line of [rates], except scale */
bool ucore_scenario_rate(UcoreRate *r, const char *key, const char *text);
bool ucore_scenario_uint(GKeyFile *kf, const char *group, const char *key,
                         unsigned max, unsigned *val, Error **errp);
bool ucore_scenario_bool(GKeyFile *kf, const char *group, const char *key,
                         bool *val, Error **errp);
/* Read a value of @names (last element: NULL) into *@val, as an index. */
bool ucore_scenario_choice(GKeyFile *kf, const char *group, const char *key,
                           const char *const *names, unsigned *val,
                           Error **errp);
extern const char *const ucore_access_names[];
bool ucore_scenario_names_site(GHashTable *set, unsigned socket,
                               const char *name);

/* ------------------------------------------------------------ oracle.c */

void ucore_oracle_init(UcoreMachine *m);
bool ucore_log_open(UcoreMachine *m, const char *file, Error **errp);
void ucore_log_freeze(UcoreSocket *s, int64_t now, const char *reason,
                      const char *cause);
void ucore_log_unfreeze(UcoreSocket *s, int64_t now, uint64_t frozen);
/* Log a freeze or unfreeze of a box by its control. */
void ucore_log_box(const UcoreBox *box, int64_t now);
/* Log that all box controls freeze the die, or unfreeze it, since @first. */
void ucore_log_words_freeze(UcoreSocket *s, int64_t first, int64_t now);
void ucore_log_words_unfreeze(UcoreSocket *s, int64_t first, int64_t now,
                              uint64_t frozen);
/* Log a fault that is not possible yet. */
void ucore_log_held(UcoreSocket *s, int64_t now, const char *fault);
/* Log carries that sent no message because the status bit was set. */
void ucore_log_blocked(UcoreSocket *s, int64_t now, const char *cause);
void ucore_log_pmi(UcoreCpu *c, int64_t now, uint64_t seq, const char *result);
void ucore_log_pmi_lost(UcoreSocket *s, int64_t now);
/* Log that the counters of a core stop or start (@event), and the reason. */
void ucore_log_core(UcoreCpu *c, int64_t now, const char *event,
                    const char *reason);
/* @cause: mask of the counters that carried */
void ucore_log_core_pmi(UcoreCpu *c, int64_t now, uint32_t cause,
                        const char *result);
void ucore_marker(UcoreMachine *m, unsigned value);
/* Log a violation, only in strict mode; @rule is a name from README.md. */
void ucore_violation(UcoreMachine *m, const char *rule, const char *fmt, ...)
    G_GNUC_PRINTF(3, 4);

#endif
