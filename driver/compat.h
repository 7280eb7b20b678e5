/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The only file that knows kernel versions.
 *
 * The driver speaks the newest kernel's dialect; here old kernels (6.1 and
 * later) learn its words.  Each entry names the version that made it needless.
 */
#ifndef UCORE_COMPAT_H
#define UCORE_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/mm.h>
#include <linux/nmi.h>
#include <linux/processor.h>
#include <linux/topology.h>
#include <linux/version.h>
#include <asm/msr.h>
/* cpuid(): newer kernels (7.3 does) leave it out of processor.h; sparse cannot ask */
#ifdef __has_include
#if __has_include("asm/cpuid/api.h")
#include <asm/cpuid/api.h>
#endif
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 3, 0)
static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
static inline unsigned int topology_num_cores_per_package(void)
{
	return boot_cpu_data.x86_max_cores;
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/* Without the detour that a kernel for Xen takes: nobody has an uncore to himself there. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
static __always_inline int native_rdmsrq_safe(u32 msr, u64 *val)
{
	int err;

	*val = native_read_msr_safe(msr, &err);
	return err;
}
#else
#define native_rdmsrq_safe(msr, val)	native_read_msr_safe(msr, val)
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define rdmsrq_safe(msr, val)	rdmsrl_safe(msr, val)
#define wrmsrq_safe(msr, val)	wrmsrl_safe(msr, val)
#endif

/* Kernels that keep their reservation of performance registers to themselves (Kbuild) */
#ifdef UCORE_RESERVES
#define UCORE_CAN_RESERVE	true
#else
#define UCORE_CAN_RESERVE	false
#define reserve_evntsel_nmi(msr)	((void)(msr), 0)
#define release_evntsel_nmi(msr)	((void)(msr))
#define reserve_perfctr_nmi(msr)	((void)(msr), 0)
#define release_perfctr_nmi(msr)	((void)(msr))
#endif

#endif /* UCORE_COMPAT_H */
