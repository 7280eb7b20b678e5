// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The table of metric families that the exporter publishes by default. Metric names follow
 * Prometheus' conventions: base units, and _total for counters.
 */
#include "export/families.h"

const char *const collectors[NR_COLLECTORS] = { "memory", "links", "llc", "io" };

/*
 * A C-Box of the E5-2600 has one opcode filter, and the family of LLC misses uses it. Therefore
 * traffic of devices is counted in IIO boxes only. Opcode 0x182 selects data reads and
 * prefetches. Skylake-SP has no named event for all four ports of a stack, so that
 * DATA_REQ_OF_CPU is used with all bits of the port mask. Client processors have free-running
 * counters of memory controllers, and events of the last-level cache up to Skylake. Nehalem and
 * Westmere count memory traffic of all channels together. No event of client processors counts the
 * cycles of the same misses.
 */
const struct family families[NR_FAMILIES] = {
	{
		"memory", "ucore_memory_read_bytes_total",
		"Bytes read from memory.", "channel", 64,
		{ { "UNC_M_CAS_COUNT.RD", "UNC_MCHBM_CAS_COUNT.RD" },
		  { "UNC_M_CAS_COUNT.RD" },
		  { "UNC_M_CAS_COUNT_SCH0.RD", "UNC_M_CAS_COUNT_SCH1.RD" },
		  { "UNC_MCHBM_CAS_COUNT.RD" },
		  { "UNC_M_READ_FREERUN" },
		  { "UNC_M_RDCAS_COUNT_FREERUN" },
		  { "UNC_QMC_NORMAL_READS.ANY" } },
	}, {
		"memory", "ucore_memory_written_bytes_total",
		"Bytes written to memory.", "channel", 64,
		{ { "UNC_M_CAS_COUNT.WR", "UNC_MCHBM_CAS_COUNT.WR" },
		  { "UNC_M_CAS_COUNT.WR" },
		  { "UNC_M_CAS_COUNT_SCH0.WR", "UNC_M_CAS_COUNT_SCH1.WR" },
		  { "UNC_MCHBM_CAS_COUNT.WR" },
		  { "UNC_M_WRITE_FREERUN" },
		  { "UNC_M_WRCAS_COUNT_FREERUN" },
		  { "UNC_QMC_WRITES.FULL_ANY" } },
	}, {
		"links", "ucore_link_transmit_bytes_total",
		"Bytes of data sent to other sockets.", "link", 64,
		{ { "UNC_Q_TxL_FLITS_G0.DATA" }, { "UNC_UPI_TxL_FLITS.ALL_DATA" } },
	}, {
		"llc", "ucore_llc_read_misses_total",
		"Reads by cores that missed the last-level cache.", NULL, 0,
		{ { "UNC_CHA_TOR_INSERTS.IA_MISS_DRD" },
		  { "UNC_CHA_TOR_INSERTS.IA_MISS_DRD_OPT" },
		  { "UNC_C_TOR_INSERTS.MISS_OPCODE/filter_opc=0x182/" },
		  { "UNC_CBO_CACHE_LOOKUP.READ_I" },
		  { "UNC_LLC_MISS.READ" } },
	}, {
		"llc", "ucore_llc_read_miss_cycles_total",
		"Uncore clock cycles that read misses were outstanding, summed over all misses.",
		NULL, 0,
		{ { "UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD" },
		  { "UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_OPT" },
		  { "UNC_C_TOR_OCCUPANCY.MISS_OPCODE/filter_opc=0x182/" } },
	}, {
		"llc", "ucore_llc_clock_cycles_total",
		"Uncore clock cycles, counted at one box: the first slice of the last-level cache, or the clock of a client processor.",
		NULL, 0,
		{ { "cha0/CLOCKTICKS/" }, { "cbo0/CLOCKTICKS/" }, { "clock0/CLOCK.SOCKET/" },
		  { "clock0/UNHALTED/" } },
	}, {
		"io", "ucore_io_read_bytes_total",
		"Bytes that devices read from memory.", "stack", 4,
		{ { "UNC_IIO_DATA_REQ_OF_CPU.MEM_READ.ALL_PARTS" },
		  { "iio/event=0x83,umask=0x04,ch_mask=0xf,fc_mask=7/" } },
	}, {
		"io", "ucore_io_written_bytes_total",
		"Bytes that devices wrote to memory.", "stack", 4,
		{ { "UNC_IIO_DATA_REQ_OF_CPU.MEM_WRITE.ALL_PARTS" },
		  { "iio/event=0x83,umask=0x01,ch_mask=0xf,fc_mask=7/" } },
	},
};
