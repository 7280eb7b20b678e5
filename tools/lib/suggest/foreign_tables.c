// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Tables of the names that perf, Intel PCM and LIKWID use.  A row is only a proposal: whoever
 * uses it must check that the machine accepts the result.
 */
#include <stddef.h>

#include "suggest/foreign_tables.h"

const struct ucore_foreign_type ucore_foreign_types[] = {
	{ "cbox", "cbo" },
	{ "cbox", "cha" },
	{ "cbo", "cha" },
	{ "cha", "cbo" },
	{ "qpi", "upi" },
	{ "upi", "qpi" },
	{ "xpi", "upi" },
	{ "xpi", "qpi" },
	{ "r3qpi", "m3upi" },
	{ "m3upi", "r3qpi" },
	{ "sbo", "sbox" },
	{ "hbm", "mchbm" },
	{ "mdf_sbo", "mdf" },
	{ "d2d_ula", "ula" },
	{ "d2d_dda", "dda" },
	{ "d2d_sb2ucie", "sb2ucie" },
	{ "iio_free_running", "iio_free" },
	{ "imc_free_running", "imc_free" },
	{ "cpu", "core" },
	{ "cpu_core", "core" },
	{ NULL, NULL }
};

/*
 * One letter has several meanings: SBOX is QPI of the first two E5-2600, the ring box of the next
 * two, and UPI of Skylake-SP.  The event's name decides.
 */
const struct ucore_foreign_unit ucore_foreign_units[] = {
	{ "MBOX", "imc" },
	{ "MBOX", "imc_free" },
	{ "HBM", "mchbm" },
	{ "CBOX", "cbo" },
	{ "CBOX", "cha" },
	{ "SBOX", "sbox" },
	{ "SBOX", "qpi" },
	{ "SBOX", "upi" },
	{ "QBOX", "qpi" },
	{ "QBOX", "upi" },
	{ "BBOX", "ha" },
	{ "BBOX", "m2m" },
	{ "RBOX", "r3qpi" },
	{ "RBOX", "m3upi" },
	{ "PBOX", "r2pcie" },
	{ "PBOX", "m2pcie" },
	{ "IBOX", "irp" },
	{ "IBOX", "iio" },
	{ "TCBOX", "iio" },
	{ "IIO", "iio" },
	{ "MDF", "mdf" },
	{ "WBOX", "pcu" },
	{ "UBOX", "ubox" },
	{ "FIXC", "core" },
	{ "PMC", "core" },
	{ NULL, NULL }
};

const struct ucore_foreign_event ucore_foreign_events[] = {
	/* Granite Rapids and later count the two subchannels with an event each */
	{ "imc", "cas_count_read", "CAS_COUNT.RD" },
	{ "imc", "cas_count_read", "CAS_COUNT_SCH0.RD" },
	{ "imc", "cas_count_read", "CAS_COUNT_SCH1.RD" },
	{ "imc", "cas_count_write", "CAS_COUNT.WR" },
	{ "imc", "cas_count_write", "CAS_COUNT_SCH0.WR" },
	{ "imc", "cas_count_write", "CAS_COUNT_SCH1.WR" },
	{ "imc", "unc_m_cas_count.rd", "CAS_COUNT_SCH0.RD" },
	{ "imc", "unc_m_cas_count.rd", "CAS_COUNT_SCH1.RD" },
	{ "imc", "unc_m_cas_count.wr", "CAS_COUNT_SCH0.WR" },
	{ "imc", "unc_m_cas_count.wr", "CAS_COUNT_SCH1.WR" },
	{ "imc", "cas_count.rd", "CAS_COUNT_SCH0.RD" },
	{ "imc", "cas_count.rd", "CAS_COUNT_SCH1.RD" },
	{ "imc", "cas_count.wr", "CAS_COUNT_SCH0.WR" },
	{ "imc", "cas_count.wr", "CAS_COUNT_SCH1.WR" },
	{ "imc", "cas_count_read_sch0", "CAS_COUNT_SCH0.RD" },
	{ "imc", "cas_count_read_sch1", "CAS_COUNT_SCH1.RD" },
	{ "imc", "cas_count_write_sch0", "CAS_COUNT_SCH0.WR" },
	{ "imc", "cas_count_write_sch1", "CAS_COUNT_SCH1.WR" },
	{ "imc", "llc_misses.mem_read", "CAS_COUNT.RD" },
	{ "imc", "llc_misses.mem_read", "CAS_COUNT_SCH0.RD" },
	{ "imc", "llc_misses.mem_read", "CAS_COUNT_SCH1.RD" },
	{ "imc", "llc_misses.mem_write", "CAS_COUNT.WR" },
	{ "imc", "llc_misses.mem_write", "CAS_COUNT_SCH0.WR" },
	{ "imc", "llc_misses.mem_write", "CAS_COUNT_SCH1.WR" },
	{ "imc", "clockticks", "DCLOCKTICKS" },
	{ "imc", "dram_clockticks", "fixed" },
	{ "imc", "dram_clocks", "fixed" },
	{ "imc_free", "read", "READ_FREERUN" },
	{ "imc_free", "write", "WRITE_FREERUN" },
	{ "imc_free", "ddrt_read", "PMM_READ_FREERUN" },
	{ "imc_free", "ddrt_write", "PMM_WRITE_FREERUN" },
	{ "imc_free", "dclk", "CLOCKTICKS_FREERUN" },
	{ "iio_free", "ioclk", "CLOCKTICKS_FREERUN" },
	{ "iio_free", "bw_in_port#", "BANDWIDTH_IN.PART#_FREERUN" },
	{ "iio_free", "bw_out_port#", "BANDWIDTH_OUT.PART#_FREERUN" },
	{ "qpi", "txl_flits_active", "event=0x00,umask=0x06" },
	{ "qpi", "drs_data", "event=0x102,umask=0x08" },
	{ "qpi", "ncb_data", "event=0x103,umask=0x04" },
	{ "qpi", "qpi_data_bandwidth_tx", "TxL_FLITS_G0.DATA" },
	{ "upi", "upi_data_bandwidth_tx", "TxL_FLITS.ALL_DATA" },
	{ "ubox", "uncore_clock", "fixed" },
	{ NULL, NULL, NULL }
};

const struct ucore_foreign_core ucore_foreign_cores[] = {
	{ "cycles", "UNHALTED_CORE_CYCLES" },
	{ "cpu-cycles", "UNHALTED_CORE_CYCLES" },
	{ "instructions", "INSTRUCTIONS_RETIRED" },
	{ "ref-cycles", "CPU_CLK_UNHALTED.REF_TSC" },
	{ "bus-cycles", "UNHALTED_REFERENCE_CYCLES" },
	{ "cache-references", "LLC_REFERENCES" },
	{ "cache-misses", "LLC_MISSES" },
	{ "branches", "BRANCH_INSTRUCTIONS_RETIRED" },
	{ "branch-instructions", "BRANCH_INSTRUCTIONS_RETIRED" },
	{ "branch-misses", "BRANCH_MISSES_RETIRED" },
	{ "slots", "TOPDOWN.SLOTS" },
	{ "inst_retired.any_p", "INSTRUCTIONS_RETIRED" },
	{ "cpu_clk_unhalted.thread_p", "UNHALTED_CORE_CYCLES" },
	{ "instr_retired_any", "INST_RETIRED.ANY" },
	{ "cpu_clk_unhalted_core", "CPU_CLK_UNHALTED.THREAD" },
	{ "cpu_clk_unhalted_ref", "CPU_CLK_UNHALTED.REF_TSC" },
	{ "alignment-faults", NULL },
	{ "branch-loads", NULL },
	{ "branch-load-misses", NULL },
	{ "cgroup-switches", NULL },
	{ "context-switches", NULL },
	{ "cpu-clock", NULL },
	{ "cpu-migrations", NULL },
	{ "cs", NULL },
	{ "dTLB-loads", NULL },
	{ "dTLB-load-misses", NULL },
	{ "dTLB-stores", NULL },
	{ "dTLB-store-misses", NULL },
	{ "duration_time", NULL },
	{ "emulation-faults", NULL },
	{ "faults", NULL },
	{ "iTLB-loads", NULL },
	{ "iTLB-load-misses", NULL },
	{ "L1-dcache-loads", NULL },
	{ "L1-dcache-load-misses", NULL },
	{ "L1-dcache-stores", NULL },
	{ "L1-icache-loads", NULL },
	{ "L1-icache-load-misses", NULL },
	{ "LLC-loads", NULL },
	{ "LLC-load-misses", NULL },
	{ "LLC-stores", NULL },
	{ "LLC-store-misses", NULL },
	{ "major-faults", NULL },
	{ "mem-loads", NULL },
	{ "mem-stores", NULL },
	{ "migrations", NULL },
	{ "minor-faults", NULL },
	{ "node-loads", NULL },
	{ "node-load-misses", NULL },
	{ "node-stores", NULL },
	{ "node-store-misses", NULL },
	{ "page-faults", NULL },
	{ "stalled-cycles-backend", NULL },
	{ "stalled-cycles-frontend", NULL },
	{ "system_time", NULL },
	{ "task-clock", NULL },
	{ "topdown-bad-spec", NULL },
	{ "topdown-be-bound", NULL },
	{ "topdown-fe-bound", NULL },
	{ "topdown-retiring", NULL },
	{ "user_time", NULL },
	{ NULL, NULL }
};

const struct ucore_foreign_option ucore_foreign_options[] = {
	{ "EDGEDETECT", "edge" },
	{ "INVERT", "invert" },
	{ "THRESHOLD", "thresh" },
	{ "OPCODE", "filter_opc" },
	{ "STATE", "filter_state" },
	{ "NID", "filter_nid" },
	{ "TID", "filter_tid" },
	{ "MATCH0", "match0" },
	{ "MASK0", "mask0" },
	{ "MATCH1", "match1" },
	{ "MASK1", "mask1" },
	{ "OCCUPANCY", "occ_sel" },
	{ "KERNEL", "os" },
	{ NULL, NULL }
};

/*
 * The first row takes the bits whose field the box type has, and whose value fits into the field.
 * Skylake-SP has a narrower ch_mask and a wider thresh in the IIO than later processors.
 */
const struct ucore_foreign_bits ucore_foreign_config[] = {
	{ 0, 8, "event" },
	{ 8, 8, "umask" },
	{ 14, 2, "occ_sel" },
	{ 16, 1, "usr" },
	{ 17, 1, "os" },
	{ 18, 1, "edge" },
	{ 19, 1, "tid_en" },
	{ 20, 1, NULL },
	{ 21, 1, "any" },
	{ 22, 1, NULL },
	{ 23, 1, "invert" },
	{ 24, 12, "thresh" },
	{ 24, 8, "thresh" },
	{ 36, 12, "ch_mask" },
	{ 36, 8, "ch_mask" },
	{ 44, 3, "fc_mask" },
	{ 48, 3, "fc_mask" },
	{ 32, 32, "umask_ext" },
	{ 0, 0, NULL }
};

const char *const ucore_foreign_pmus[] = {
	"breakpoint", "cpu_atom", "cstate_core", "cstate_pkg", "i915", "intel_bts", "intel_pt",
	"kprobe", "msr", "power", "software", "tracepoint", "uprobe", NULL
};
