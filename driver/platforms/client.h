/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Data that client processors have in common: event fields, box types, and macros for the tables of
 * snb.c, icl.c and mtl.c.
 */
#ifndef UCORE_PLATFORMS_CLIENT_H
#define UCORE_PLATFORMS_CLIENT_H

#include <linux/bits.h>
#include <linux/kernel.h>

#include "find/static_table.h"
#include "hw/client.h"
#include "platforms/fields.h"
#include "platforms/match.h"

#define CLIENT_NR_FIELDS	5

extern const struct ucore_field_desc ucore_client_fields[CLIENT_NR_FIELDS];
extern const struct ucore_increment ucore_client_cbo_increments[];
extern const struct ucore_increment ucore_client_arb_increments[];
extern const struct ucore_increment ucore_client_imc_increments[];
extern const struct ucore_constraint ucore_client_arb_constraints[];
extern const struct ucore_box_type ucore_client_cbo;
extern const struct ucore_box_type ucore_client_arb;
extern const struct ucore_box_type ucore_client_clock;
extern const struct ucore_box_type ucore_client_imc_free_32;
extern const struct ucore_box_type ucore_client_imc_free_64;
extern const struct ucore_box_type ucore_adl_imc;
extern const struct ucore_box_type ucore_mtl_imc;
extern const struct ucore_layout ucore_client_arb_layout;
extern const struct ucore_layout ucore_client_clock_layout;
extern const struct ucore_layout ucore_client_imc_free_32_layout;
extern const struct ucore_layout ucore_adl_imc_free_layout;
extern const struct ucore_layout ucore_adl_imc_layout;

/* Largest increment of a general counter (counts per clock), if no source states it */
#define CLIENT_MAX_INCREMENT	256	/* an assumption; exceeds the length of every queue */

/*
 * Members of struct ucore_box_type for general counters. A trial shows what an overflow does,
 * because no manual states how the status is cleared.
 */
#define CLIENT_COUNTERS(_nr) \
	.max_increment = CLIENT_MAX_INCREMENT, \
	.ctl_en = CLIENT_CTL_EN, \
	.ctl_ov_en = CLIENT_CTL_OV_EN, \
	.nr_gp = (_nr), \
	.width = CLIENT_WIDTH

/* Rows of a static table. Boxes of a type share a bit of the global status. */
#define CLIENT_CBO_ROW(_type, _layout, _nr) \
	.type = &(_type), .layout = &(_layout), .max = (_nr), .per_core = true, \
	.global_gp = CLIENT_STATUS_CBO, .one_bit = true
#define CLIENT_ARB_ROW(_type, _layout, _msr) \
	.type = &(_type), .layout = &(_layout), .base = (_msr), .max = 1, \
	.global_gp = CLIENT_STATUS_ARB, .one_bit = true
#define CLIENT_CLOCK_ROW(_msr) \
	{ .type = &ucore_client_clock, .layout = &ucore_client_clock_layout, .base = (_msr), \
	  .max = 1, .global_fixed = CLIENT_STATUS_CLOCK }

/* Counters of the memory controllers of Sandy Bridge to Rocket Lake */
#define CLIENT_MC_32_ROW \
	{ .type = &ucore_client_imc_free_32, .layout = &ucore_client_imc_free_32_layout, \
	  .first = SNB_MC_GT, .nr = 1, .size = SNB_MC_WRITE + sizeof(u32) - SNB_MC_GT }

/*
 * Counters of each memory controller from Tiger Lake on. The first register is the total, and has
 * offset 0 in the layout.
 */
#define CLIENT_MC_64_LAYOUT(_gen) { \
	.box_ctl = UCORE_REG_NONE, \
	.status = UCORE_REG_NONE, \
	.fixed_ctl = { [0 ... 2] = UCORE_REG_NONE }, \
	.fixed_ctr = { _gen##_MC_READ - _gen##_MC_TOTAL, _gen##_MC_WRITE - _gen##_MC_TOTAL, 0 }, \
}

#define CLIENT_MC_64_ROW(_layout, _gen) \
	{ .type = &ucore_client_imc_free_64, .layout = &(_layout), .first = _gen##_MC_TOTAL, \
	  .nr = 1, .size = _gen##_MC_WRITE + sizeof(u64) - _gen##_MC_TOTAL }

/* General counters of each memory controller from Alder Lake on */
#define GENERAL_MC_ROW(_type) \
	{ .type = &(_type), .layout = &ucore_adl_imc_layout, .first = ADL_MC_PMON, \
	  .nr = 1, .size = ADL_MC_PMON_SIZE, .apart = true }

/*
 * Initializer of the global control. Firmware or Linux may have set any of its bits, which are
 * restored after ucore's use.
 */
#define CLIENT_GLOBAL(_gen) { \
	.ctl = _gen##_MSR_GLOBAL_CTL, \
	.status = _gen##_MSR_GLOBAL_STATUS, \
	.nr_status = 1, \
	.unfreeze = CLIENT_GLOBAL_CTL_EN, \
	.on_overflow = CLIENT_GLOBAL_CTL_FREEZE, \
	.wake = CLIENT_GLOBAL_CTL_WAKE, \
	.core_sel = _gen##_GLOBAL_CTL_PMI_SEL, \
	.sel_untried = true, \
	.keep = CLIENT_GLOBAL_CTL_PMI_SEL | CLIENT_GLOBAL_CTL_EN | CLIENT_GLOBAL_CTL_WAKE | \
		CLIENT_GLOBAL_CTL_FREEZE, \
	.level = true, \
	.run_level = true, \
	.untried = true, \
	.clear_untried = true, \
	.clear_other = _gen##_MSR_STATUS_CLEAR, \
}

#define CLIENT_BOXES(_global, _msr, _mmio, _nr_mc) \
	.global = &(_global), \
	.msr = (_msr), \
	.nr_msr = ARRAY_SIZE(_msr), \
	.mmio = (_mmio), \
	.nr_mmio = ARRAY_SIZE(_mmio), \
	.nr_imc = (_nr_mc), \
	.mchbar = true

#define CLIENT_TABLE(_global, _msr, _mmio, _nr_mc) \
	CLIENT_BOXES(_global, _msr, _mmio, _nr_mc), \
	.global_config = CLIENT_MSR_CBO_CONFIG, \
	.num_cbo = CLIENT_CBO_CONFIG_NUM, \
	.cbo_by_register = true

/* @_trial: UCORE_CAP_PMI_TRIAL, or 0 */
#define CLIENT_PLATFORM(_name, _intree, _table, _trial) \
	.name = (_name), \
	.intree = (_intree), \
	.find = ucore_static_table_find, \
	.table = &(_table), \
	.caps = UCORE_CAP_GLOBAL_FREEZE | (_trial)

#endif /* UCORE_PLATFORMS_CLIENT_H */
