// SPDX-License-Identifier: GPL-2.0-only
/* Data that the tables of client processors share. Data only. */
#include "platforms/client.h"

const struct ucore_field_desc ucore_client_fields[CLIENT_NR_FIELDS] = {
	CTL_FIELD(EVENT, CLIENT_CTL_EVENT),
	CTL_FIELD(UMASK, CLIENT_CTL_UMASK),
	CTL_FIELD(EDGE, CLIENT_CTL_EDGE),
	CTL_FIELD(INVERT, CLIENT_CTL_INVERT),
	CTL_FIELD(THRESH, CLIENT_CTL_THRESH),
};

/* An assumption: a slice looks up one line and receives one snoop response in each clock. */
const struct ucore_increment ucore_client_cbo_increments[] = {
	{ 0x22, 0x22, 1 },
	{ 0x34, 0x34, 1 },
	{ }
};

/* An assumption: one request enters the queues in each clock. */
const struct ucore_increment ucore_client_arb_increments[] = {
	{ 0x81, 0x81, 1 },
	{ 0x84, 0x84, 1 },
	{ }
};

/* Occupancies count on counter 0 only (SDM 18.9.6.1). Intel's event list has 85h, too. */
const struct ucore_constraint ucore_client_arb_constraints[] = {
	{ 0x80, 0x80, BIT(0) },
	{ 0x83, 0x83, BIT(0) },
	{ 0x85, 0x85, BIT(0) },
	{ }
};

const struct ucore_box_type ucore_client_cbo = {
	.name = "cbo",
	FIELDS(ucore_client_fields),
	.increments = ucore_client_cbo_increments,
	.traffic = UCORE_CLOCK(CLIENT_CBO_LOOKUPS),
	CLIENT_COUNTERS(2),
};

const struct ucore_box_type ucore_client_arb = {
	.name = "arb",
	FIELDS(ucore_client_fields),
	.constraints = ucore_client_arb_constraints,
	.increments = ucore_client_arb_increments,
	.traffic = UCORE_CLOCK(CLIENT_ARB_REQUESTS),
	CLIENT_COUNTERS(2),
};

/* The uncore's clock, a fixed counter without an event */
const struct ucore_box_type ucore_client_clock = {
	.name = "clock",
	.fixed_en = CLIENT_FIXED_CTL_EN,
	.fixed_ov_en = CLIENT_FIXED_CTL_OV_EN,
	.status_fixed = UCORE_STATUS_GLOBAL,
	.nr_fixed = 1,
	.fixed_width = CLIENT_FIXED_WIDTH,
	.least_fixed_width = CLIENT_FIXED_WIDTH_LEAST,
};

const struct ucore_layout ucore_client_arb_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.ctl = { SNB_ARB_CTL0, SNB_ARB_CTL0 + 1 },
	.ctr = { SNB_ARB_CTR0, SNB_ARB_CTR0 + 1 },
};

const struct ucore_layout ucore_client_clock_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.fixed_ctl = { CLIENT_CLOCK_CTL },
	.fixed_ctr = { CLIENT_CLOCK_CTR },
};

/*
 * Free-running counters of the memory controllers, described as fixed counters: reads, writes, and
 * the requests of graphics, of cores and of devices. A line takes more than one clock, so that one
 * line in each clock of UCORE_MAX_CLOCK_HZ is an upper limit.
 */
const struct ucore_box_type ucore_client_imc_free_32 = {
	.name = "imc_free",
	.caps = UCORE_BOX_F_FREE_RUNNING,
	.nr_fixed = 5,
	.fixed_width = SNB_MC_WIDTH,
};

const struct ucore_layout ucore_client_imc_free_32_layout = {
	.box_ctl = UCORE_REG_NONE,
	.status = UCORE_REG_NONE,
	.fixed_ctl = { [0 ... 4] = UCORE_REG_NONE },
	.fixed_ctr = { SNB_MC_READ - SNB_MC_GT, SNB_MC_WRITE - SNB_MC_GT, 0,
		       SNB_MC_IA - SNB_MC_GT, SNB_MC_IO - SNB_MC_GT },
};

/* The same of one of two memory controllers: reads, writes, both together */
const struct ucore_box_type ucore_client_imc_free_64 = {
	.name = "imc_free",
	.caps = UCORE_BOX_F_FREE_RUNNING,
	.nr_fixed = 3,
	.fixed_width = TGL_MC_WIDTH,
};

/*
 * General counters of a memory controller, from Alder Lake on. Edge detection is left out, because
 * it requires a threshold. The reset bits of the box control are not used, because no source states
 * what they reset.
 */
static const struct ucore_field_desc imc_fields[] = {
	CTL_FIELD(EVENT, CLIENT_CTL_EVENT),
	CTL_FIELD(CH_MASK, ADL_MC_CTL_CHANNELS),
};

/* Clocks, of which a counter counts each once */
const struct ucore_increment ucore_client_imc_increments[] = {
	{ ADL_MC_CLOCK, ADL_MC_CLOCK, 1 },
	{ }
};

static const struct ucore_box_words imc_words = {
	.freeze = ADL_MC_BOX_CTL_FRZ,
	.reset = ADL_MC_BOX_CTL_FRZ,
};

#define GENERAL_IMC \
	.name = "imc", \
	.words = &imc_words, \
	FIELDS(imc_fields), \
	.caps = UCORE_BOX_F_FREEZE, \
	.max_increment = CLIENT_MAX_INCREMENT, \
	.nr_gp = 5, \
	.width = ADL_MC_WIDTH

const struct ucore_box_type ucore_adl_imc = {
	GENERAL_IMC,
	.increments = ucore_client_imc_increments,
	.clock = UCORE_CLOCK(ADL_MC_CLOCK),
};

/* Intel's lists of Meteor Lake and Arrow Lake have no event that counts clocks. */
const struct ucore_box_type ucore_mtl_imc = { GENERAL_IMC };

#define IMC_CTL(i)	(ADL_MC_CTL0 + 4 * (i))
#define IMC_CTR(i)	(ADL_MC_CTR0 + 8 * (i))

const struct ucore_layout ucore_adl_imc_layout = {
	.box_ctl = ADL_MC_BOX_CTL,
	.status = UCORE_REG_NONE,
	.ctl = { IMC_CTL(0), IMC_CTL(1), IMC_CTL(2), IMC_CTL(3), IMC_CTL(4) },
	.ctr = { IMC_CTR(0), IMC_CTR(1), IMC_CTR(2), IMC_CTR(3), IMC_CTR(4) },
};

const struct ucore_layout ucore_adl_imc_free_layout = CLIENT_MC_64_LAYOUT(ADL);
