/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Compatibility with older kernels (6.1 and later). The only file that depends on kernel
 * versions.
 *
 * The driver uses the interfaces of the newest kernel. This file defines these for older
 * kernels. Each entry states the first version that does not need it.
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
/*
 * Since 7.3, processor.h does not include the declaration of cpuid(). The outer condition is for
 * sparse, which does not support __has_include.
 */
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

/*
 * Read an MSR without paravirtual operations, and return -EIO if the access faults. Only Xen
 * guests need these operations, and no Xen guest can access an uncore.
 */
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

/*
 * Without UCORE_RESERVES (Kbuild) the kernel does not export the functions that reserve MSRs of
 * core counters. The replacements below reserve nothing.
 */
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
