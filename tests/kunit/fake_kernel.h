/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Fakes of the kernel functions that the driver calls: clock, timers, MSRs, local APIC, PCI
 * functions, ACPI, CPU topology, CPU hotplug, memory allocation and mappings. A timer fires
 * only when a test fires it, and a test selects the allocation that fails.
 *
 * The driver sees two CPUs, 0 and 1, on each machine, and the CPUs that a test invents
 * (fake_kernel.more_cpus).
 *
 * Kbuild includes this header before every file of the test module, so that the driver needs
 * no test hooks. Locks, IPIs and memory are the kernel's own. irq_work is, too, except that a
 * test can delay it. A test can also delay one CPU of a call to two CPUs.
 */
#if !defined(UCORE_KUNIT_FAKE_KERNEL_H) && !defined(UCORE_OF_KUNIT)
#define UCORE_KUNIT_FAKE_KERNEL_H

#include <linux/acpi.h>
#include <linux/capability.h>
#include <linux/cpufeature.h>
#include <linux/cpuhotplug.h>
#include <linux/cred.h>
#include <linux/device/driver.h>
#include <linux/hrtimer.h>
#include <linux/io.h>
#include <linux/ioport.h>
#include <linux/irq_work.h>
#include <linux/kobject.h>
#include <linux/mm.h>
#include <linux/nmi.h>
#include <linux/module.h>
#include <linux/nodemask.h>
#include <linux/panic_notifier.h>
#include <linux/pci.h>
#include <linux/printk.h>
#include <linux/platform_device.h>
#include <linux/processor.h>
#include <linux/reboot.h>
#include <linux/sched/isolation.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/suspend.h>
#include <linux/topology.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <asm/apic.h>
#include <asm/e820/api.h>
#include <asm/x86_init.h>

#include "compat.h"

/* Linux 6.1 lacks this macro */
#ifndef abs_diff
#define abs_diff(a, b)	((a) > (b) ? (a) - (b) : (b) - (a))
#endif

#define FAKE_REAL_CPUS	(BIT(0) | BIT(1))	/* CPUs of the machine that the driver sees */
#define FAKE_CPUS	4
#define FAKE_MSRS	64
#define FAKE_FUNCTIONS	24
#define FAKE_BUSES	3
#define FAKE_PCI_DWORDS	1024
#define FAKE_MEMORIES	8
#define FAKE_CALLS	8
#define FAKE_PAGES	4

/* How calls of smp_call_function_single_async() are executed. */
enum fake_calls {
	FAKE_CALLS_PROMPT,	/* before the caller continues */
	FAKE_CALLS_HELD,	/* when the test calls fake_calls_deliver() */
	FAKE_CALLS_REAL,	/* by the kernel, and the caller waits for @until if set */
	FAKE_CALLS_BUSY,	/* never: the call fails with -EBUSY */
};

/**
 * struct fake_call - a call to another CPU
 * @csd: the kernel's call data
 * @func: function to call
 * @info: argument of @func
 * @cpu: target CPU
 * @done: @func has returned
 */
struct fake_call {
	call_single_data_t csd;
	smp_call_func_t func;
	void *info;
	int cpu;
	bool done;
};

/**
 * struct fake_rendezvous - delay of one CPU in calls to two CPUs
 * @on: on_each_cpu_mask() delays a CPU
 * @late: the CPU that is delayed
 * @late_ns: delay, in the time of fake_clock()
 * @begun: time of the last call of on_each_cpu_mask()
 * @ended: time at which the function of the other CPU returned before the late one began, or 0
 * @on_call: called before the functions
 * @on_arrival: called on the late CPU before its function
 * @state: progress of the functions
 */
struct fake_rendezvous {
	bool on;
	int late;
	u64 late_ns;
	u64 begun;
	u64 ended;
	void (*on_call)(void);
	void (*on_arrival)(void);
	atomic_t state;
};

/**
 * struct fake_timer - an hrtimer that only tests fire, in the memory of the driver's hrtimer
 * @function: callback, NULL before the timer is set up
 * @queued: started, and neither fired nor cancelled since
 * @expires: expiry time
 * @cpu: CPU on which the timer was started
 */
struct fake_timer {
	enum hrtimer_restart (*function)(struct hrtimer *timer);
	bool queued;
	ktime_t expires;
	int cpu;
};

/**
 * struct fake_function - a PCI function
 * @pdev: the device that the driver sees
 * @config: config space
 * @refs: references that the driver holds
 */
struct fake_function {
	struct pci_dev pdev;
	u32 config[FAKE_PCI_DWORDS];
	int refs;
};

/**
 * struct fake_memory - memory-mapped registers
 * @start: physical address
 * @size: size (bytes)
 * @bytes: contents
 */
struct fake_memory {
	phys_addr_t start;
	u32 size;
	u8 *bytes;
};

/*
 * An access of a PCI function (config cycle or ECAM) or of memory. 'R' and 'W' access 32
 * bits, 'L' and 'S' (load and store) 64 bits.
 */
struct fake_dword {
	char op;
	u32 reg;
	u64 val;
};

/**
 * struct fake_kernel - the state of all fakes
 * @timer_misuse: a queued timer was forwarded, of which the kernel would warn
 * @printed_in_irq: a line was printed with interrupts off
 * @fail_in: number of the allocation to fail, counted from 1, or 0
 * @on_kzalloc: called once before the next kzalloc(), may be NULL
 * @missing_caps: mask of capabilities that the caller does not have
 * @memlock: the caller's RLIMIT_MEMLOCK
 * @kv_arrays: arrays from kvcalloc() and kvmalloc_array() not yet freed by kvfree()
 * @vmalloc_gfp: GFP flags of the last ring allocation
 * @pages: pages that were mapped, in order
 * @nr_pages: number of entries in @pages
 * @no_page: countdown to the page that cannot be mapped
 * @delayed: last delayed work that was scheduled
 * @delay: its delay (jiffies)
 * @no_probe: countdown to the tracepoint that cannot be registered
 * @nr_dies: number of dies (CPU n belongs to die n % nr_dies)
 * @one_package: all dies are in one package, otherwise each die is a package
 * @leaving: mask of CPUs that are going offline
 * @isolated: mask of isolated CPUs
 * @nohz_full: mask of nohz_full CPUs
 * @more_cpus: additional CPUs below FAKE_CPUS that appear to be online (CPU 1 executes calls to
 *	them)
 * @calls: how asynchronous calls are executed
 * @until: flag that the caller waits for with FAKE_CALLS_REAL
 * @call: delayed calls
 * @nr_calls: number of entries in @call
 * @called: number of calls by CPU
 * @rendezvous: delay of one CPU in on_each_cpu_mask()
 * @hold_work: delay the next irq_work that is queued until irq_work_sync()
 * @work: the delayed irq_work
 * @work_cpu: CPU on which @work will run
 * @before_work: called on that CPU before @work
 * @work_arg: argument of @before_work
 * @core_id: core id of each CPU
 * @nr_cores: number of cores in a package
 * @msr: MSRs that exist (all others fault)
 * @nr_msrs: number of entries in @msr
 * @debugctl: IA32_DEBUGCTL of each CPU
 * @debugctl_faults: IA32_DEBUGCTL does not exist
 * @port61: value of port 61h (NMI status)
 * @cpuid: EAX, EBX, ECX and EDX of CPUID.0AH on each CPU
 * @cpuid_kind: the same of CPUID.1AH
 * @selects: reserved event selects, bit 0 is MSR 186h
 * @counters: reserved general-purpose counters, bit 0 is MSR c1h
 * @lvtpc: LVTPC of each CPU
 * @lvtpc_writes: number of writes to the LVTPC by CPU
 * @lvtpc_hook: called at each write to an LVTPC, may be NULL
 * @nmi: registered handler of NMI_LOCAL
 * @unknown_nmi: registered handler of NMI_UNKNOWN
 * @cpu_up: hotplug callback
 * @cpu_down: hotplug callback
 * @module_notifier: registered notifier of module loads
 * @suspend_notifier: registered notifier of suspend and resume
 * @reboot_notifier: registered reboot notifier
 * @panic_notifier: registered panic notifier
 * @refuse_in: countdown to the registration (notifier or NMI handler) that fails
 * @intree: the kernel's uncore driver is registered on the PCI bus
 * @intree_module: the kernel's uncore driver is in the list of modules
 * @intree_pmus: the kernel's uncore PMUs are in the list of devices
 * @functions: PCI functions
 * @nr_functions: number of entries in @functions
 * @log_lines: number of log lines about PCI functions
 * @vanishing: PCI function that will be removed, may be NULL
 * @lookups: number of lookups that still find @vanishing
 * @buses: buses of the functions
 * @rescan_locked: nesting depth of the PCI rescan lock
 * @nr_nodes: number of NUMA nodes (node n is die n)
 * @bus_node: node of each bus plus one, 0 if unknown
 * @memory: memory-mapped registers
 * @nr_memories: number of entries in @memory
 * @ram_start: start of RAM (physical address)
 * @ram_end: end of RAM (physical address)
 * @busy: memory region that a driver holds, unused if its end is 0
 * @special: memory that is not RAM, with the desc of the kernel's resource, unused if its end is 0
 * @e820: start and end of memory that is not RAM, in the firmware's map
 * @e820_type: type of @e820
 * @mcfg: ACPI MCFG table, NULL if there is none
 * @no_acpi: ACPI is off
 * @ecam_base: physical address of bus 0 in the ECAM
 * @ecam_differs: the ECAM mapping shows other contents than config cycles
 * @mapped: number of mappings from ioremap() not yet removed by iounmap()
 * @perf_events: number of perf events not yet released
 * @dwords: accesses of PCI functions and memory
 * @nr_dwords: number of entries in @dwords
 * @high_steps: successive values of a running counter's high dword
 * @nr_high_steps: number of entries in @high_steps
 */
struct fake_kernel {
	bool timer_misuse;
	bool printed_in_irq;
	u32 fail_in;
	void (*on_kzalloc)(void);
	u64 missing_caps;
	unsigned long memlock;
	int kv_arrays;
	gfp_t vmalloc_gfp;
	struct page *pages[FAKE_PAGES];
	u32 nr_pages;
	u32 no_page;
	struct delayed_work *delayed;
	unsigned long delay;
	u32 no_probe;

	u32 nr_dies;
	bool one_package;
	u64 leaving;
	u64 isolated;
	u64 nohz_full;
	u64 more_cpus;
	enum fake_calls calls;
	const bool *until;
	struct fake_call call[FAKE_CALLS];
	u32 nr_calls;
	u32 called[FAKE_CPUS];
	struct fake_rendezvous rendezvous;
	bool hold_work;
	struct irq_work *work;
	int work_cpu;
	void (*before_work)(void *arg);
	void *work_arg;
	u32 core_id[FAKE_CPUS];
	u32 nr_cores;

	struct {
		u32 msr;
		u64 val;
	} msr[FAKE_MSRS];
	u32 nr_msrs;
	u64 debugctl[FAKE_CPUS];
	bool debugctl_faults;
	unsigned char port61;
	u32 cpuid[FAKE_CPUS][4];
	u32 cpuid_kind[FAKE_CPUS][4];
	u64 selects;
	u64 counters;
	u32 lvtpc[FAKE_CPUS];
	u32 lvtpc_writes[FAKE_CPUS];
	void (*lvtpc_hook)(void);
	nmi_handler_t nmi;
	nmi_handler_t unknown_nmi;
	int (*cpu_up)(unsigned int cpu);
	int (*cpu_down)(unsigned int cpu);
	struct notifier_block *module_notifier;
	struct notifier_block *suspend_notifier;
	struct notifier_block *reboot_notifier;
	struct notifier_block *panic_notifier;
	u32 refuse_in;

	bool intree;
	bool intree_module;
	bool intree_pmus;
	struct fake_function *functions;
	u32 nr_functions;
	u32 log_lines;
	const struct fake_function *vanishing;
	u32 lookups;
	struct pci_bus *buses;
	int rescan_locked;
	u32 nr_nodes;
	int bus_node[FAKE_BUSES];
	struct fake_memory memory[FAKE_MEMORIES];
	u32 nr_memories;
	u64 ram_start;
	u64 ram_end;
	struct resource busy;
	struct resource special;
	u64 e820[2];
	enum e820_type e820_type;
	struct acpi_table_header *mcfg;
	bool no_acpi;
	phys_addr_t ecam_base;
	bool ecam_differs;
	int mapped;
	int perf_events;
	struct fake_dword dwords[64];
	u32 nr_dwords;
	const u32 *high_steps;
	u32 nr_high_steps;
};

extern struct fake_kernel fake_kernel;
/* what nr_cpu_ids is to the driver and to the kernel's macros in the driver (Kbuild) */
extern unsigned int fake_nr_cpu_ids;
extern struct cpuinfo_x86 fake_boot_cpu;
extern struct apic fake_apic;
extern struct x86_platform_ops fake_x86_platform;

struct kunit;

void fake_kernel_reset(void);
void fake_cpus_need_two(struct kunit *test);
void fake_pci_init(struct kunit *test);
struct fake_function *fake_pci_add(u32 device, u32 bus, u32 slot, u32 func);
void *fake_param(const char *name);
u8 *fake_memory_add(struct kunit *test, phys_addr_t start, u32 size);
struct fake_timer *fake_timer_find(const struct hrtimer *timer);
enum hrtimer_restart fake_timer_fire(struct hrtimer *timer);
u64 *fake_msr(u32 msr);
void fake_msr_add(u32 msr, u64 val);

/* Called before each MSR read. The read returns *val if the hook returns true. May be NULL. */
extern bool (*fake_msr_hook)(u32 msr, u64 *val);

/* Called before each 64-bit read of memory, may be NULL. */
extern void (*fake_load_hook)(void);

/* Access a register of the core PMUs (fake_core.c). Return -ENOENT for other MSRs. */
extern int (*fake_core_read)(u32 msr, u64 *val);
extern int (*fake_core_write)(u32 msr, u64 val);

int fake_call_async(int cpu, struct __call_single_data *csd);
void fake_calls_deliver(void);
void fake_on_each_cpu_mask(const struct cpumask *mask, smp_call_func_t func, void *info,
			   bool wait);
void fake_cpu_relax(void);
bool fake_irq_work_queue(struct irq_work *work);
void fake_irq_work_sync(struct irq_work *work);
void fake_work_deliver(void);
const struct cpumask *fake_online_cpus(void);
int fake_real_cpu(int cpu);

void *fake_kzalloc(size_t size, gfp_t gfp);
void *fake_kvcalloc(size_t n, size_t size, gfp_t gfp);
void *fake_kvmalloc_array(size_t n, size_t size, gfp_t gfp);
void fake_kvfree(const void *p);
void *fake_vmalloc(unsigned long size, gfp_t gfp);
unsigned long *fake_bitmap_zalloc(unsigned int nbits, gfp_t gfp);
void *fake_krealloc_array(void *p, size_t n, size_t size, gfp_t gfp);
int fake_xa_insert(struct xarray *xa, unsigned long index, void *entry, gfp_t gfp);
int fake_insert_page(struct vm_area_struct *vma, unsigned long addr, struct page *page);
int fake_probe_register(struct tracepoint *tp, void *probe, void *data);
u64 fake_clock(void);
void fake_clock_advance(u64 ns);
void fake_hrtimer_setup(struct hrtimer *timer,
			enum hrtimer_restart (*function)(struct hrtimer *timer),
			clockid_t clock, enum hrtimer_mode mode);
void fake_hrtimer_start(struct hrtimer *timer, ktime_t expires, enum hrtimer_mode mode);
int fake_hrtimer_cancel(struct hrtimer *timer);
bool fake_hrtimer_is_queued(struct hrtimer *timer);
ktime_t fake_hrtimer_get_expires(const struct hrtimer *timer);
u64 fake_hrtimer_forward(struct hrtimer *timer, ktime_t now, ktime_t interval);
void fake_hrtimer_start_expires(struct hrtimer *timer, enum hrtimer_mode mode);
int fake_logical_die_id(int cpu);
int fake_package_id(int cpu);
u32 fake_core_id(int cpu);
bool fake_housekeeping(int cpu, enum hk_type type);
int fake_rdmsr(u32 msr, u64 *val);
int fake_wrmsr(u32 msr, u64 val);
void fake_cpuid(u32 leaf, u32 *eax, u32 *ebx, u32 *ecx, u32 *edx);
int fake_reserve(u64 *owned, u32 bit);
int fake_register_nmi(unsigned int type, nmi_handler_t handler, unsigned long flags,
		      const char *name);
void fake_unregister_nmi(unsigned int type, const char *name);
int fake_nmi(struct pt_regs *regs);
int fake_cpuhp_setup(enum cpuhp_state state, const char *name, int (*up)(unsigned int cpu),
		     int (*down)(unsigned int cpu));
void fake_cpuhp_remove(enum cpuhp_state state);
struct perf_event;
struct perf_event_attr;
struct perf_sample_data;
struct perf_event *fake_perf_event_create(struct perf_event_attr *attr, int cpu,
					  struct task_struct *task,
					  void (*handler)(struct perf_event *,
							  struct perf_sample_data *,
							  struct pt_regs *),
					  void *context);
int fake_perf_event_release(struct perf_event *event);
int fake_register_module_notifier(struct notifier_block *nb);
int fake_unregister_module_notifier(struct notifier_block *nb);
int fake_notifier_register(struct notifier_block **place, struct notifier_block *nb);
int fake_notifier_unregister(struct notifier_block **place, struct notifier_block *nb);
u32 fake_readl(const void __iomem *addr);
void fake_writel(u32 val, void __iomem *addr);
u64 fake_readq(const void __iomem *addr);
void fake_writeq(u64 val, void __iomem *addr);
int fake_pci_read(struct pci_dev *pdev, int reg, u32 *val);
int fake_pci_write(struct pci_dev *pdev, int reg, u32 val);
int fake_pci_read_word(struct pci_dev *pdev, int reg, u16 *val);
int fake_region_intersects(resource_size_t start, size_t size, unsigned long flags,
			   unsigned long desc);
bool fake_e820_mapped_any(u64 start, u64 end, enum e820_type type);
int fake_walk_iomem(unsigned long desc, unsigned long flags, u64 start, u64 end, void *arg,
		    int (*func)(struct resource *resource, void *arg));
int fake_bus_node(const struct pci_bus *bus);
void fake_pci_rescan_lock(int by);
struct pci_bus *fake_pci_find_bus(int domain, int nr);
struct pci_dev *fake_pci_get_slot(struct pci_bus *bus, u32 devfn);
struct kobject *fake_kset_find_obj(struct kset *kset, const char *name);
void fake_kobject_put(struct kobject *kobj);
void __iomem *fake_ioremap(phys_addr_t addr, size_t size);
void fake_iounmap(void __iomem *addr);
acpi_status fake_acpi_get_table(const char *signature, u32 instance,
				struct acpi_table_header **table);
void fake_acpi_put_table(struct acpi_table_header *table);
struct pci_dev *fake_pci_dev_get(struct pci_dev *pdev);
void fake_pci_dev_put(struct pci_dev *pdev);
__printf(2, 3) void fake_pci_info(const struct pci_dev *pdev, const char *fmt, ...);
struct pci_dev *fake_pci_get_device(u32 vendor, u32 device, struct pci_dev *from);
struct pci_bus *fake_pci_find_next_bus(const struct pci_bus *from);
void *fake_driver_find(const char *name, const void *bus);

#undef kzalloc
#define kzalloc			fake_kzalloc
#undef kvcalloc
#define kvcalloc		fake_kvcalloc
#undef kvmalloc_array
#define kvmalloc_array		fake_kvmalloc_array
#undef kvfree
#define kvfree			fake_kvfree
#undef __vmalloc
#define __vmalloc		fake_vmalloc
#undef bitmap_zalloc
#define bitmap_zalloc		fake_bitmap_zalloc
#undef krealloc_array
#define krealloc_array		fake_krealloc_array
#define xa_insert		fake_xa_insert

/* A vm_area_struct of a test belongs to no mm, so that its flags change without a lock. */
#define vm_flags_set(vma, flags)	(*(vm_flags_t *)&(vma)->vm_flags |= (flags))
#define vm_flags_clear(vma, flags)	(*(vm_flags_t *)&(vma)->vm_flags &= ~(flags))
#define vm_insert_page			fake_insert_page
#define tracepoint_probe_register	fake_probe_register

/* The kernel's own delayed work, whose delay is recorded. A test can end the delay. */
#define schedule_delayed_work(work, delay_)			\
	(fake_kernel.delayed = (work), fake_kernel.delay = (delay_),	\
	 schedule_delayed_work(work, delay_))

/* Record a print with interrupts off, where a slow console would delay interrupts. */
#undef printk
#define printk			fake_printk
#define fake_printk(fmt, ...)						\
	(fake_kernel.printed_in_irq |= irqs_disabled(), _printk(fmt, ##__VA_ARGS__))

#define capable(cap)		(!(fake_kernel.missing_caps & BIT_ULL(cap)))
#define perfmon_capable()	(capable(CAP_PERFMON) || capable(CAP_SYS_ADMIN))
#define rlimit(limit)		((void)(limit), fake_kernel.memlock)

#define ktime_get_mono_fast_ns	fake_clock
#undef hrtimer_setup
#define hrtimer_setup		fake_hrtimer_setup
#define hrtimer_start		fake_hrtimer_start
#define hrtimer_cancel		fake_hrtimer_cancel
#define hrtimer_is_queued	fake_hrtimer_is_queued
#define hrtimer_get_expires	fake_hrtimer_get_expires
#define hrtimer_forward		fake_hrtimer_forward
#define hrtimer_start_expires	fake_hrtimer_start_expires

#undef topology_logical_die_id
#define topology_logical_die_id	fake_logical_die_id
#undef topology_physical_package_id
#define topology_physical_package_id	fake_package_id
#undef topology_core_id
#define topology_core_id	fake_core_id
#define housekeeping_test_cpu	fake_housekeeping
#undef cpu_online_mask
#define cpu_online_mask		fake_online_cpus()
#undef cpu_online
#define cpu_online(cpu)		cpumask_test_cpu(cpu, fake_online_cpus())
#undef num_online_cpus
#define num_online_cpus()	cpumask_weight(fake_online_cpus())
#undef for_each_online_cpu
#define for_each_online_cpu(cpu)	for_each_cpu(cpu, fake_online_cpus())
#undef per_cpu_ptr
#define per_cpu_ptr(ptr, cpu)	SHIFT_PERCPU_PTR(ptr, per_cpu_offset(fake_real_cpu(cpu)))
#define smp_call_function_single_async	fake_call_async
#define on_each_cpu_mask	fake_on_each_cpu_mask
#define cpu_relax		fake_cpu_relax
#define irq_work_queue		fake_irq_work_queue
#define irq_work_sync		fake_irq_work_sync
#define cpu_active(cpu)		(!(fake_kernel.leaving & BIT_ULL(cpu)))
#define topology_num_cores_per_package()	(fake_kernel.nr_cores)
#define boot_cpu_data		fake_boot_cpu

#undef rdmsrq_safe
#define rdmsrq_safe		fake_rdmsr
#undef native_rdmsrq_safe
#define native_rdmsrq_safe	fake_rdmsr
#undef wrmsrq_safe
#define wrmsrq_safe		fake_wrmsr
#undef cpuid
#define cpuid(leaf, eax, ebx, ecx, edx)	fake_cpuid(leaf, eax, ebx, ecx, edx)

#undef reserve_evntsel_nmi
#define reserve_evntsel_nmi(msr)	fake_reserve(&fake_kernel.selects, (msr) - 0x186)
#undef release_evntsel_nmi
#define release_evntsel_nmi(msr)	(fake_kernel.selects &= ~BIT_ULL((msr) - 0x186))
#undef reserve_perfctr_nmi
#define reserve_perfctr_nmi(msr)	fake_reserve(&fake_kernel.counters, (msr) - 0xc1)
#undef release_perfctr_nmi
#define release_perfctr_nmi(msr)	(fake_kernel.counters &= ~BIT_ULL((msr) - 0xc1))

#define apic			(&fake_apic)
#define x86_platform		fake_x86_platform
#undef register_nmi_handler
#define register_nmi_handler	fake_register_nmi
#define unregister_nmi_handler	fake_unregister_nmi
#define cpuhp_setup_state	fake_cpuhp_setup
#define cpuhp_remove_state_nocalls	fake_cpuhp_remove

/* real perf events, whose number is counted */
#define perf_event_create_kernel_counter	fake_perf_event_create
#define perf_event_release_kernel		fake_perf_event_release

#define register_module_notifier	fake_register_module_notifier
#define unregister_module_notifier	fake_unregister_module_notifier
#undef register_pm_notifier
#define register_pm_notifier(nb)	fake_notifier_register(&fake_kernel.suspend_notifier, nb)
#undef unregister_pm_notifier
#define unregister_pm_notifier(nb)	fake_notifier_unregister(&fake_kernel.suspend_notifier, nb)
#define register_reboot_notifier(nb)	fake_notifier_register(&fake_kernel.reboot_notifier, nb)
#define unregister_reboot_notifier(nb)	fake_notifier_unregister(&fake_kernel.reboot_notifier, nb)
#define atomic_notifier_chain_register(chain, nb)				\
	((void)(chain), fake_notifier_register(&fake_kernel.panic_notifier, nb))
#define atomic_notifier_chain_unregister(chain, nb)				\
	((void)(chain), fake_notifier_unregister(&fake_kernel.panic_notifier, nb))

#undef readl
#define readl			fake_readl
#undef writel
#define writel			fake_writel
#undef readq
#define readq			fake_readq
#undef writeq
#define writeq			fake_writeq
#undef ioremap
#define ioremap			fake_ioremap
#undef iounmap
#define iounmap			fake_iounmap
#define pci_read_config_dword	fake_pci_read
#define pci_write_config_dword	fake_pci_write
#define pci_read_config_word	fake_pci_read_word
#define pci_lock_rescan_remove()	fake_pci_rescan_lock(1)
#define pci_unlock_rescan_remove()	fake_pci_rescan_lock(-1)
#define pci_find_bus		fake_pci_find_bus
#define pci_get_slot		fake_pci_get_slot
#define region_intersects	fake_region_intersects
#define walk_iomem_res_desc	fake_walk_iomem
#define e820__mapped_any	fake_e820_mapped_any
#undef pcibus_to_node
#define pcibus_to_node		fake_bus_node
#undef cpu_to_node
#define cpu_to_node		fake_logical_die_id
#undef num_online_nodes
#define num_online_nodes()	(fake_kernel.nr_nodes)
#define kset_find_obj		fake_kset_find_obj
#define kobject_put		fake_kobject_put
#define acpi_get_table		fake_acpi_get_table
#define acpi_put_table		fake_acpi_put_table
#undef acpi_disabled
#define acpi_disabled		(fake_kernel.no_acpi)
#define pci_dev_get		fake_pci_dev_get
#define pci_dev_put		fake_pci_dev_put
#define pci_get_device		fake_pci_get_device
#define pci_find_next_bus	fake_pci_find_next_bus
#define driver_find		fake_driver_find
#undef pci_info
#define pci_info		fake_pci_info

#endif
