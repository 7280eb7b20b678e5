/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types of the model and the calls between its files.
 *
 * The big QEMU lock protects everything here, except per-CPU counters that
 * only their own vCPU thread writes (marked in UcoreCpu).
 *
 *   platforms/           boxes, addresses and bits, as const data
 *   unit.c               addresses and registers of the units of a table
 *   table.c              the discovery table, its PCI function, forgeries
 *   engine.c             time: counting, overflow, freeze, the next deadline
 *   box_freeze.c         freezes by box controls
 *   box.c, global.c      register semantics and the strict-mode checks
 *   rates.c              rates of events
 *   msr.c, pci.c, mmio.c accesses of the guest
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
#define UCORE_MAX_FREE          5       /* MSRs that only count */
#define UCORE_MAX_STATUS_WORDS  16      /* maximum of 1024 units in a table */
#define UCORE_MAX_GLOBALS       2       /* of a socket */
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
    UCORE_REG_BOX_STATUS,
    UCORE_REG_CTL,              /* index: counter; the fixed one comes last */
    UCORE_REG_CTR,              /* 8 bytes on PCI, low dword first */
    UCORE_REG_FILTER,           /* index: into UcoreBox.filter */

    /* of a socket */
    UCORE_REG_GLOBAL_CTL,       /* index: which */
    UCORE_REG_GLOBAL_STATUS,    /* index: word, of the first, then the second */
    UCORE_REG_GLOBAL_CONFIG,
    UCORE_REG_CPU_BUSES,        /* root bus of each IIO stack */
    UCORE_REG_TABLE,            /* where the second table is */
    UCORE_REG_FREE,             /* only counts, UcoreTarget.rate */
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

/* an event's allowed counters; an event not listed may use all of them */
typedef struct UcoreConstraint {
    uint16_t first, last;
    uint8_t counters;
} UcoreConstraint;

/* an event that runs at a clock's rate, or increments by more than one */
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

    uint64_t ctl_legal, fixed_legal;
    uint64_t ctl_rst, fixed_rst;
    uint64_t ctl_wo;            /* written, never read back, besides rst */
    uint64_t ov_en;             /* in a control, 0: cannot overflow */
    uint64_t ov_en_doubtful;    /* ... unless [model] cbox-ov-en is set */
    uint64_t event_ext;         /* ninth event bit */
    uint64_t thresh;
    uint64_t invert;            /* threshold counts the other cycles */
    uint16_t clock_event;       /* event of all cycles, required by invert */
    uint64_t umask_ext;         /* any further selection */

    bool box_ctl, box_status;   /* has the register */
    uint32_t box_ctl_reserved;  /* bits that only other types have */
    bool box_ctl_stepwise;      /* #GP if a write sets more than one bit */
    uint32_t status_legal;
    uint8_t status_shift;       /* general counter 0's bit in BOX_STATUS */
    int8_t status_fixed;        /* the fixed counter's bit, -1: none */

    uint8_t nr_filters;
    uint64_t filter_legal[UCORE_MAX_FILTERS];

    const UcoreReg *regs;       /* ends with offset UINT16_MAX */
    const UcoreReg *filter_regs;    /* registers of a PCI filter function */
    const UcoreConstraint *constraints;
    const UcoreEventTrait *traits;

    /* rate that filters and special fields leave of @rate; NULL: all of it */
    uint64_t (*filter_rate)(const UcoreBox *box, unsigned ctr,
                            unsigned event, unsigned umask, uint64_t rate);
};

typedef enum {
    UCORE_PCI_PMON,
    UCORE_PCI_FILTER,
    UCORE_PCI_SOCKET_MAP,
    UCORE_PCI_FILLER,           /* a slot needs its function 0 */
    UCORE_PCI_OTHER,            /* shows, and is nothing of ours */
    UCORE_PCI_CAPS,             /* PCU capabilities: CAPID4, CAPID6 */
    UCORE_PCI_IMC_MAP,          /* where memory controllers are in memory */
    /* number of the IIO stack of its bus: instance */
    UCORE_PCI_STACK,
    UCORE_PCI_TABLE,            /* the discovery table */
} UcorePciRole;

/* the buses of a socket; args.py makes them */
typedef enum {
    UCORE_BUS_UNCORE,
    UCORE_BUS_IIO,
    UCORE_BUS_ABOVE,            /* the uncore bus */
} UcorePciBus;

typedef struct UcorePciSite {
    uint8_t role;
    uint8_t slot, function;
    uint8_t bus;                /* UcorePciBus */
    uint16_t device_id;
    const UcoreBoxType *type;   /* PMON, FILTER */
    uint8_t instance;           /* STACK: as address decoders count */
} UcorePciSite;

/* Where units of a discovery table are; offsets from the box control. */
typedef struct UcoreUnitSite {
    uint16_t number;            /* the table's box type */
    uint8_t access;
    uint8_t ctl, ctl_stride, ctr, status;
    uint8_t fixed_ctl, fixed_ctr, filter;
    bool wide_ctl;

    unsigned nr;                /* so many are here, others in unit.c's space */
    uint64_t base;              /* MSR; offset in the window; config offset */
    uint32_t stride;            /* MSR, MMIO */
    uint32_t pair_stride;       /* MMIO: from every second unit to the next */
    uint8_t slot, function;     /* PCI: unit i is in slot + i */
    uint16_t device_id;
    bool pointed;               /* in the table that an MSR points to */
} UcoreUnitSite;

typedef struct UcoreBoxSite {
    const UcoreBoxType *type;
    UcoreUnitSite unit;         /* platforms with a discovery table */
    uint32_t msr;               /* MSR of instance 0; PCI boxes: 0 */
    uint32_t msr_stride;
    const uint16_t *msrs;       /* MSR of each instance if there is no stride */
    /* a channel; the address is in UcorePlatform.imc */
    bool in_memory;
    int8_t global_bit[12];      /* GLOBAL_STATUS bit of instance i, -1: none */
    int8_t global_bit0;         /* ... or consecutive from here, when >= 0 */
    uint8_t global_nr;          /* ... number of instances with a bit; 0: all */
    int8_t global_fixed;        /* the fixed counter's own bit, -1: the box's */
} UcoreBoxSite;

typedef struct UcorePlatform {
    /* absent MSRs inside raise #GP */
    struct {
        uint32_t first, last;
    } msrs[2];
    uint32_t msr_global_ctl, msr_global_status, msr_global_config;
    uint32_t msr_cpu_buses;         /* 0: none */
    uint64_t frz_all;               /* 0: there are no global registers */
    uint64_t unfrz_all;             /* 0: frz_all written 0 */
    bool frz_readable;
    uint64_t wk_on_pmi, core_sel;
    uint64_t private_wk_on_pmi, private_core_sel;   /* [model] pmi = private */
    uint64_t global_status_legal;   /* discovery: by the number of units */
    /* number of words by the number of units; 0: one */
    unsigned global_status_words;
    struct {
        uint8_t first, last;
    /* bits whose order differs between sources */
    } status_doubtful;

    /* BOX_CTL */
    uint32_t box_rst_ctrl, box_rst_ctrs;
    uint32_t box_frz, box_frz_en;   /* frz_en 0: frz needs nothing */
    /* required for overflow messages; 0: none */
    uint32_t box_ov_en;
    uint32_t box_must_be_one, box_readable, box_legal;
    bool box_enables_doubtful;      /* [model] box-enables: as on v2 */

    /* counter control; any bit of ctl_en, fixed_en lets it count */
    uint64_t ctl_en, fixed_en, ctl_ev_sel, ctl_umask, ctl_edge;

    const UcoreBoxSite *boxes;      /* ends with type NULL */
    const UcorePciSite *pci;        /* ends with device_id 0 */

    bool discovery;                 /* there is a table */
    uint16_t table_device;          /* its function; 0: the usual device id */
    /* MSR with the address of a second table; 0: none */
    uint32_t msr_table;
    const UcoreBoxSite *unknown;    /* templates of type_N, by access */
    uint16_t map_cpunodeid, map_gidnidmap;  /* config offsets */
    /* registers of UPI links; 0: none */
    uint16_t link_peer, link_status;
    uint16_t capid4;                /* config offset, with CAPS */
    uint32_t capid4_chop;
    uint8_t chop0_sboxes;           /* more than so many: not chop 0 */
    uint16_t capid6;                /* the same: one bit for each CHA */
    uint64_t capid6_slices;         /* bits 63:32 are the next register's */

    /* memory controllers in memory, and their free-running counters */
    struct {
        unsigned controllers, channels;
        uint32_t channel, channel_stride;
        bool persistent;            /* counts persistent memory, too */
    } imc;

    /* free-running counters of IIO stacks; ports 0: none; width 0: all bits */
    struct {
        uint32_t clock, clock_stride;
        /* registers of each stack, instead of strides */
        const uint16_t *clocks, *ins;
        uint32_t in, out, stack_stride, port_stride;
        /* utilisation in, out of each port; 0: none */
        uint32_t util;
        unsigned ports, width;
    } iio_free;

    /* MSRs that only count: rate per socket 0, in increments per second */
    struct {
        uint32_t msr;
        uint64_t rate;
    } free_running[UCORE_MAX_FREE];
} UcorePlatform;

#define UCORE_PLATFORM(name, stepping, family) \
    extern const UcorePlatform ucore_##name;
#include "platforms/list.h"

/* ----------------------------------------------------------- live state */

struct UcoreCounter {
    uint64_t ctl;
    uint64_t value;             /* the register, up to UcoreBox.synced */
    uint64_t frac;              /* fraction of an increment, in 1e-9 */
    uint64_t total;             /* the truth: all increments since power-on */
    uint64_t rate;              /* increments per second with this setting */
    bool enabled;
    bool armed;                 /* a carry sends an overflow message */
};

typedef struct UcoreAccesses {
    uint64_t rdmsr, wrmsr, msr_fault;
    uint64_t ecam_read, ecam_write;
    uint64_t cf8_read, cf8_write;
    uint64_t port_io;           /* CF8h writes and CFCh accesses behind those */
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
    const UcoreReg *regs;       /* ends with offset UINT16_MAX */
    int global_bit, global_fixed;

    /* the type's, changed by scenario options */
    uint64_t ctl_legal, ov_en;
    unsigned width, fixed_width;
    uint32_t box_ctl;
    uint32_t box_written;       /* the last word, as it was written */
    uint32_t status;
    uint64_t filter[UCORE_MAX_FILTERS];
    UcoreCounter ctr[UCORE_MAX_CTRS];
    unsigned nr_ctrs;           /* general and fixed */
    bool running;               /* neither the box nor the socket is frozen */
    int64_t word_time;          /* when its word last froze or unfroze it */
    int64_t synced;
    int64_t deadline;           /* time of its next armed carry */

    UcoreAccesses accesses;
    bool dead;                  /* fault: answers all ones, takes no writes */
    bool ecam_wrong;            /* fault: only CF8h/CFCh reaches it */
    uint32_t held;              /* fault: counters that are to carry */
    uint32_t stuck;             /* fault: counters that keep their value */
    bool faults;                /* fault: its MSRs raise #GP */
};

struct UcoreSocket {
    UcoreMachine *machine;
    unsigned id;
    UcoreBox **boxes;
    unsigned nr_boxes;
    GHashTable *msrs;           /* MSR -> UcoreTarget */
    GHashTable *mmio;           /* dword of the window -> UcoreTarget */
    struct {
        uint64_t base;          /* as access */
        UcoreAccess access;
        UcoreReg *regs;
        uint64_t ctl;           /* readable bits, except the freeze */
    } global[UCORE_MAX_GLOBALS];
    /* global controls that freeze the die, a bit each */
    uint32_t frz;
    unsigned extra_msr, extra_mmio, extra_pci;      /* unit.c: places taken */

    uint64_t global_status[UCORE_MAX_STATUS_WORDS];
    uint64_t status_legal[UCORE_MAX_STATUS_WORDS];
    GPtrArray *status_boxes[UCORE_MAX_STATUS_WORDS];    /* that report there */
    bool frozen;
    bool words_frozen;          /* by the words of its boxes (box_freeze.c) */
    int64_t unfreeze_first;         /* UCORE_NEVER: none has unfrozen yet */
    int64_t frozen_since;       /* either way */
    uint64_t frozen_ns;         /* of ended freezes */
    uint64_t freezes, overflow_freezes, unfreezes;
    uint64_t seq;               /* sequence number of the last freeze */

    GTree *deadlines;           /* boxes, the next armed carry first */
    int64_t deadline;           /* of the first */
    QEMUTimer timer;

    UcoreAccesses accesses;     /* accesses to the global registers */
    uint64_t pmis;              /* PMI messages of the UBox */
    unsigned lose_pmis;         /* fault: the next ones vanish */
    unsigned double_pmis;       /* fault: the next ones are sent again, */
    int64_t double_after;       /* ... so much later */
    int64_t delay_pmis;         /* fault: all come so late */
    unsigned pmi_epoch;         /* messages of an older one are void */
    bool held;                  /* faults wait, here or in a box (fault.c) */
    bool held_freeze;
    uint64_t held_status[UCORE_MAX_STATUS_WORDS];
};

#define UCORE_DEBUGCTL_PMI  BIT_ULL(13)     /* uncore PMIs enabled */

/* counter i: general, from UCORE_CORE_MAX_GP on fixed */
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
    unsigned lose_core_pmis;    /* fault: the next ones vanish */

    /* uncore PMIs: sent = delivered + masked + debugctl + asleep */
    uint64_t pmi_sent, pmi_delivered, pmi_masked, pmi_debugctl, pmi_asleep;
    uint64_t core_pmi, core_pmi_masked;
    /* accesses of the core PMU, DEBUGCTL excepted */
    uint64_t core_rdmsr, core_wrmsr, core_rdpmc;

    uint64_t ipis, ipi_targets;
    uint64_t ipi_vector[256];   /* fixed delivery; NMI counts as vector 2 */
    uint64_t rdmsr, wrmsr;      /* all MSRs; written by the own vCPU only */
    uint64_t pmon;              /* accesses of uncore registers, of any kind */
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
    unsigned width, fixed_width;
    unsigned ctl_absent;        /* bits of its controls */
    const UcoreReg *regs;
} UcorePlan;

typedef struct UcoreForgery UcoreForgery;       /* table.c */

/* The configured core PMU; CPUID may describe another one. */
typedef struct UcoreCoreConfig {
    /* version of architectural performance monitoring */
    unsigned version;
    unsigned gp, width, fixed, fixed_width;
    bool full_width;            /* IA32_A_PMCx are there */
    bool any;                   /* events can count for both threads */
    bool hybrid;
    bool uncore_bit;            /* an uncore PMI sets GLOBAL_STATUS[61] */
    unsigned unavailable;       /* predefined events that count nothing */
    unsigned events;            /* length of their vector */
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
    UCORE_COST_IPI,             /* a CPU that is interrupted */
    UCORE_COST_IRQ,
    UCORE_COST_NMI,
    UCORE_COST_SYSCALL,
    UCORE_COST_PAUSE,
    UCORE_COSTS
} UcoreCost;

typedef struct UcoreConfig {
    const UcorePlatform *platform;
    unsigned sockets, cores, threads;
    bool uncore;                /* false: no box, no uncore MSR, no function */
    GArray *plans;              /* of UcorePlan */
    unsigned global_config;
    unsigned chop;              /* a field of CAPID4 */
    uint64_t fuses;             /* a field of CAPID6 */
    unsigned status_shift;      /* by so many, around, in status_doubtful */
    unsigned nodes;             /* NUMA nodes; 0: not reported */
    uint64_t wk_on_pmi, core_sel;
    uint32_t box_ov_en, box_must_be_one, box_readable;  /* the platform's */
    unsigned global_access;     /* UcoreAccess */
    unsigned globals;           /* number per socket; each has a table, and: */
    unsigned status_offset, status_words;
    unsigned status_bits[UCORE_MAX_GLOBALS];
    bool firmware_freeze, frz_all, log_counters;
    UcoreForgery *forgery[UCORE_MAX_SOCKETS];
    bool cbox_ov_en, debugctl_gate, hlt_sleeps, ov_needs_box_en;
    bool box_enables, sbox_steps, box_freeze;
    bool ignored;               /* uncore MSRs read 0, writes are dropped */
    bool strict, core_pmu, insns, clocked;
    unsigned price[UCORE_COSTS];        /* ns */
    UcoreCoreConfig core;
    uint64_t scale;             /* in 1e-6 */
    GArray *rates;              /* UcoreRate entries; the last match is used */
    unsigned nr_rates;          /* the scenario's; others came by command */
    GHashTable *hidden, *dead, *ecam_wrong;     /* "box" or "socket:box" */
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
    bool record_cores;          /* core PMUs are logged and judged */
    FILE *log;
    GArray *violations, *markers;
    uint64_t nr_violations;
    uint64_t paid[UCORE_COSTS]; /* how often, on a clocked machine */
    struct {
        uint32_t reads, writes;
    } foreign[UCORE_FOREIGN_MSRS];      /* accesses of MSRs that are not ours */
};

extern UcoreMachine *ucore;     /* NULL: the machine has no ucore device */

/* ------------------------------------------------------------ engine.c */

/* Process due events and return the present time. Must be called first. */
int64_t ucore_sync(UcoreMachine *m);
/* Counts up to @now; returns the counters that carried, one bit each. */
uint32_t ucore_box_advance(UcoreBox *box, int64_t now);
/* After any change of registers: box advanced before. */
void ucore_box_update(UcoreBox *box);
void ucore_socket_freeze(UcoreSocket *s, int64_t now, const char *reason,
                         const char *cause);
void ucore_socket_unfreeze(UcoreSocket *s, int64_t now);
/* Find the next deadline after a change that affects overflows. */
void ucore_socket_rearm(UcoreSocket *s);
/* Process the time @now: due carries and faults that are possible now. */
void ucore_socket_play(UcoreSocket *s, int64_t now);
void ucore_engine_init(UcoreMachine *m);
void ucore_engine_reset(UcoreMachine *m);
/* Only the registers, and the faults of the scenario. */
void ucore_engine_power_on(UcoreMachine *m, int64_t now);

/* ------------------------------------------------------------- clock.c */

extern const char *const ucore_cost_names[UCORE_COSTS];
/* The prices of the scenario. */
bool ucore_clock_load(UcoreConfig *cfg, GKeyFile *kf, Error **errp);
/* Virtual time passes, @times the price; nothing on other machines. */
void ucore_pay(UcoreCost cost, unsigned times);
/* virtual time, which never goes back */
int64_t ucore_now(void);

/* ------------------------------------------------------------- box_freeze.c */

/* After a write to a box that was @running before. */
void ucore_words_written(UcoreBox *box, bool was_running, int64_t now);
/* A box that a freeze of its die is made of. */
bool ucore_words_count(const UcoreBox *box);

/* ------------------------------------------------------------- fault.c */

/* Whether a fault that waits could happen now. */
bool ucore_fault_possible(const UcoreSocket *s);
/* Adds the carries that can be to boxes[] and counters[], returns their number. */
unsigned ucore_fault_carries(UcoreSocket *s, UcoreBox **boxes,
                             uint32_t *counters, unsigned nr);
/* The other faults that can be; after the carries. */
void ucore_fault_others(UcoreSocket *s, int64_t now);
void ucore_fault_forget(UcoreSocket *s);

/* a * b / c without overflow, the remainder in *rest unless NULL */
uint64_t ucore_muldiv(uint64_t a, uint64_t b, uint64_t c, uint64_t *rest);

static inline bool ucore_is_fixed(const UcoreBox *box, unsigned ctr)
{
    return ctr >= box->type->nr_gp;
}

static inline unsigned ucore_width(const UcoreBox *box, unsigned ctr)
{
    return ucore_is_fixed(box, ctr) ? box->fixed_width : box->width;
}

/* whether control @ctl lets counter @ctr count */
static inline bool ucore_ctl_enables(const UcoreBox *box, unsigned ctr,
                                     uint64_t ctl)
{
    const UcorePlatform *p = box->socket->machine->config.platform;

    return ctl & (ucore_is_fixed(box, ctr) ? p->fixed_en : p->ctl_en);
}

/* the GLOBAL_STATUS bit a counter reports in, -1: none */
static inline int ucore_global_bit(const UcoreBox *box, unsigned ctr)
{
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

/* frozen, by the global freeze or by the words of all its boxes */
static inline bool ucore_socket_is_frozen(const UcoreSocket *s)
{
    return s->frozen ||
           (s->words_frozen && s->unfreeze_first == UCORE_NEVER);
}

/* the global registers that a unit belongs to */
static inline unsigned ucore_global_of(const UcoreConfig *cfg,
                                       const UcoreUnitSite *unit)
{
    return cfg->globals > 1 && unit->pointed;
}

static inline bool ucore_has_global(const UcorePlatform *p)
{
    return p->frz_all;
}

/* whether a box control holds the box */
static inline bool ucore_word_freezes(const UcorePlatform *p, uint32_t word)
{
    return (word & p->box_frz) && (word & p->box_frz_en) == p->box_frz_en;
}

/* "imc0.2", "imc0.fixed" */
void ucore_counter_name(const UcoreBox *box, unsigned ctr, GString *out);
UcoreBox *ucore_box_find(UcoreMachine *m, unsigned socket, const char *name);

/* --------------------------------------------------- box.c and global.c */

uint64_t ucore_box_read(UcoreBox *box, const UcoreReg *reg, int64_t now);
/* Writes the bits of @mask. */
void ucore_box_write(UcoreBox *box, const UcoreReg *reg, uint64_t val,
                     uint64_t mask, int64_t now);

uint64_t ucore_global_read(UcoreSocket *s, const UcoreReg *reg);
void ucore_global_write(UcoreSocket *s, const UcoreReg *reg, uint64_t val,
                        uint64_t mask, int64_t now);

/* whether silicon answers the write with #GP */
bool ucore_box_refuses(const UcoreBox *box, const UcoreReg *reg, uint64_t val);

/* ------------------------------------------------------------ target.c */

/* Target of an MSR, or of a dword of config space or memory. */
typedef struct UcoreTarget {
    UcoreSocket *socket;
    UcoreBox *box;              /* NULL: a register of the socket */
    const UcoreReg *reg;
    unsigned shift;             /* the dword's place in the register */
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
 * Map a free-running counter of two dwords in memory, unless the address is in
 * use.
 */
void ucore_map_free_msr(GHashTable *map, UcoreSocket *s, uint32_t msr,
                        uint64_t rate, unsigned width);
void ucore_map_free_dwords(GHashTable *map, UcoreSocket *s, uint64_t base,
                           uint64_t rate, unsigned width);
const UcoreTarget *ucore_map_find(GHashTable *map, uint64_t key);

bool ucore_reg_is_wide(const UcoreReg *reg);
UcoreAccesses *ucore_target_accesses(const UcoreTarget *t);
uint64_t ucore_target_read(const UcoreTarget *t, int64_t now);
/* @val and @mask in the register's own bits */
void ucore_target_write(const UcoreTarget *t, uint64_t val, uint64_t mask,
                        int64_t now);

/* ------------------------------------------------------------- rates.c */

/* free-running counters of an IIO stack: increments per second of stack 0 */
#define UCORE_FREE_CLOCK    500000000ULL
#define UCORE_FREE_IN       20000000ULL
#define UCORE_FREE_OUT      40000000ULL
#define UCORE_FREE_UTIL_IN  60000000ULL
#define UCORE_FREE_UTIL_OUT 80000000ULL
#define UCORE_FREE_PORT     1000000ULL      /* more for each further port */

/* the same of memory controller 0 */
#define UCORE_FREE_READ         90000000ULL
#define UCORE_FREE_WRITE        70000000ULL
#define UCORE_FREE_PMM_READ     30000000ULL
#define UCORE_FREE_PMM_WRITE    10000000ULL
#define UCORE_FREE_DCLK         1600000000ULL

uint64_t ucore_rate_raw(const UcoreBox *box, unsigned event, unsigned umask);
uint64_t ucore_rate(const UcoreBox *box, unsigned ctr);
bool ucore_counter_allows(const UcoreBox *box, unsigned ctr, unsigned event);
unsigned ucore_event_depth(const UcoreBoxType *type, unsigned event);
/* 64..1024 of 1024: what a filter value lets through */
uint64_t ucore_share(uint64_t rate, uint64_t filter);
uint64_t ucore_free_running(const UcoreSocket *s, uint64_t rate, int64_t now);
unsigned ucore_ctl_event(const UcoreBox *box, uint64_t ctl);

/* --------------------------------------------------- unit.c and table.c */

/* PCI functions of the discovery platforms */
#define UCORE_SLOT_SYSTEM       0       /* socket map, table, global control */
#define UCORE_FUNCTION_MAP      0
#define UCORE_FUNCTION_TABLE    4
#define UCORE_FUNCTION_GLOBAL   5
#define UCORE_GLOBAL_CONFIG_BASE 0x400  /* global control by PCI access */

const UcoreReg *ucore_unit_regs(const UcoreBoxSite *site);
/* Where the unit's registers are: access, base, devfn. */
void ucore_unit_place(UcoreBox *box);
void ucore_unit_place_global(UcoreSocket *s, unsigned global);
/* Create a box type "type_N" for tables with unknown type numbers. */
UcoreBoxSite *ucore_unit_unknown(const UcorePlatform *p, unsigned number,
                                 UcoreAccess access, unsigned counters,
                                 unsigned width, unsigned ctl_stride);
/* The same units reached in another way. */
UcoreBoxSite *ucore_unit_move(const UcorePlatform *p, const UcoreBoxSite *site,
                              UcoreAccess access);
bool ucore_msr_is_extra(uint32_t msr);

bool ucore_table_load(UcoreConfig *cfg, GKeyFile *kf, Error **errp);
/* Capabilities and BARs of the function that has the table. */
void ucore_table_attach(PCIDevice *pd, UcoreSocket *s, Error **errp);
/* The table that an MSR points to, into memory; what the MSR holds. */
void ucore_table_map(UcoreSocket *s);
bool ucore_table_pointer(const UcoreSocket *s, uint64_t *val);
/* A write to a command register, as the scenario wants it. */
uint32_t ucore_table_filter_command(UcoreSocket *s, uint32_t val);

/* ------------------------------------------------ msr.c, pci.c, mmio.c */

void ucore_msr_init(UcoreMachine *m);
bool ucore_pci_init(UcoreMachine *m, Error **errp);
uint64_t ucore_pci_cpu_buses(const UcoreSocket *s);
void ucore_mmio_init(UcoreMachine *m);
/* The window of a socket's MMIO units in physical memory. */
#define UCORE_MMIO_BASE         0xf000000000ULL
#define UCORE_MMIO_SIZE         0x100000000ULL
uint64_t ucore_mmio_window(const UcoreSocket *s);
/*
 * Return the offset in the window of a memory controller without a table entry.
 */
uint64_t ucore_mmio_imc(unsigned controller);

/* ---------------------------------------- pmi.c, corepmu.c, corecpuid.c */

void ucore_pmi_broadcast(UcoreSocket *s, unsigned global, int64_t now);
void ucore_pmi_send(UcoreCpu *c, bool wake, int64_t now, uint64_t seq);

UcoreMsrResult ucore_core_rdmsr(UcoreCpu *c, uint32_t msr, uint64_t *val);
UcoreMsrResult ucore_core_wrmsr(UcoreCpu *c, uint32_t msr, uint64_t val);
bool ucore_core_owns_msr(uint32_t msr);
/* An uncore PMI is delivered: DEBUGCTL may stop the core counters for it. */
void ucore_core_uncore_pmi(UcoreCpu *c);
/* Counts up to now. */
void ucore_core_sync(UcoreCpu *c);
/* Control word, or field of it, and increments per second of counter @i. */
uint64_t ucore_core_ctl(const UcoreCorePmu *p, unsigned i);
uint64_t ucore_core_rate(const UcoreCorePmu *p, unsigned i);
/*
 * Set bits of GLOBAL_STATUS without an overflow; false: there is no register.
 */
bool ucore_core_raise(UcoreCpu *c, uint64_t bits);

bool ucore_core_load(UcoreConfig *cfg, GKeyFile *kf, Error **errp);
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
/* Read a value out of @names (ends with NULL); return its index. */
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
/* A box's own word froze or unfroze it. */
void ucore_log_box(const UcoreBox *box, int64_t now);
/* The die is frozen, or runs, by the words of boxes that began at @first. */
void ucore_log_words_freeze(UcoreSocket *s, int64_t first, int64_t now);
void ucore_log_words_unfreeze(UcoreSocket *s, int64_t first, int64_t now,
                              uint64_t frozen);
/* A fault that has to wait. */
void ucore_log_held(UcoreSocket *s, int64_t now, const char *fault);
/* Carries that ended at a status bit which was set. */
void ucore_log_blocked(UcoreSocket *s, int64_t now, const char *cause);
void ucore_log_pmi(UcoreCpu *c, int64_t now, uint64_t seq, const char *result);
void ucore_log_pmi_lost(UcoreSocket *s, int64_t now);
/* A core's counters stopped or started: @event, and by what. */
void ucore_log_core(UcoreCpu *c, int64_t now, const char *event,
                    const char *reason);
/* @cause: its counters that carried, a bit each */
void ucore_log_core_pmi(UcoreCpu *c, int64_t now, uint32_t cause,
                        const char *result);
void ucore_marker(UcoreMachine *m, unsigned value);
/* Only in strict mode; @rule is a name of README.md's list. */
void ucore_violation(UcoreMachine *m, const char *rule, const char *fmt, ...)
    G_GNUC_PRINTF(3, 4);

#endif
