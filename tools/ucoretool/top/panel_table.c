// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * The table of all panels of `ucoretool top`. Each column has a metric of the platform, or formulas
 * over events for platforms without the metric.
 */
#include "top/panel.h"

/* Data reads of cores at the last-level cache of the E5-2600: misses, and all reads */
#define TOR_MISS	"UNC_C_TOR_INSERTS.MISS_OPCODE/filter_opc=0x182/"
#define TOR_ALL		"UNC_C_TOR_INSERTS.OPCODE/filter_opc=0x182/"
#define LINES(name, event) \
	name "=a*64/1000000/seconds; a=" event "; unit=MB/s"
#define SHARE(name, part, all) \
	name "=100*a/b; a=" part "; b=" all "; unit=%"
/* Data reads at the last-level cache on platforms with small cores, which have other event names */
#define OPT_ALL		"UNC_CHA_TOR_INSERTS.IA_DRD_OPT"
#define OPT_MISS	"UNC_CHA_TOR_INSERTS.IA_MISS_DRD_OPT"
/* Mean latency of a cache miss in ns, from queue occupancy, inserts and the clock of the boxes */
#define LATENCY(occupancy, inserts, clock, boxes) \
	"llc_miss_latency=1000000000*(a/b)/(c/(d*SOCKET_COUNT))*seconds; a=" occupancy \
	"; b=" inserts "; c=" clock "; d=" boxes "; unit=ns"
#define CLOCK(clock, boxes) \
	"uncore_frequency=a/(b*SOCKET_COUNT)/1000000000/seconds; a=" clock "; b=" boxes \
	"; unit=GHz"
/* Mean number of cores in a C-state, from the PCU's occupancy event and clock */
#define IN_STATE(name, event) \
	name "=b/a*SOCKET_COUNT; a=UNC_P_CLOCKTICKS; b=" event

const struct panel_desc panel_descs[] = {
	{ "memory", "Memory", UCORE_LEVEL_BOX, {
		{ "READ", "MB/s", NUMBER_BAR, .metrics = { "memory_bandwidth_read",
			LINES("memory_bandwidth_read", "UNC_M_CAS_COUNT.RD") } },
		{ "WRITE", "MB/s", NUMBER_BAR, .metrics = { "memory_bandwidth_write",
			LINES("memory_bandwidth_write", "UNC_M_CAS_COUNT.WR") } },
		{ "TOTAL", "MB/s", NUMBER_TOTAL, .metrics = { "memory_bandwidth_total" } },
		{ "BUSY", "%", NUMBER_MEAN, .metrics = { "memory_bus_utilization",
			/* share of clocks with data: a cache line occupies the bus for 4 clocks */
			"memory_bus_utilization=100*4*(a+b)/c; a=UNC_M_CAS_COUNT.RD; "
			"b=UNC_M_CAS_COUNT.WR; c=UNC_M_DCLOCKTICKS; unit=%" } },
		{ "PEAK", "MB/s", NUMBER_PEAK, .metrics = { "memory_bandwidth_peak",
			"memory_bandwidth_peak=a*16/1000000/seconds; a=UNC_M_DCLOCKTICKS; "
			"unit=MB/s" } },
		/* by source, on client processors */
		{ "CORES", "MB/s", .metrics = { "memory_bandwidth_cores" } },
		{ "GRAPHICS", "MB/s", .metrics = { "memory_bandwidth_graphics" } },
		{ "DEVICES", "MB/s", .metrics = { "memory_bandwidth_io" } },
	} },
	{ "llc", "Last-level cache", UCORE_LEVEL_SOCKET, {
		{ "MISS", "MB/s", NUMBER_BAR, .metrics = {
			LINES("llc_read_miss_bandwidth", TOR_MISS),
			LINES("llc_read_miss_bandwidth", "UNC_CHA_TOR_INSERTS.IA_MISS_DRD"),
			LINES("llc_read_miss_bandwidth", OPT_MISS), "llc_miss_bandwidth" } },
		{ "MISS", "ns", NUMBER_MEAN, .metrics = { "llc_miss_latency",
			LATENCY("UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD",
				"UNC_CHA_TOR_INSERTS.IA_MISS_DRD", "UNC_CHA_CLOCKTICKS",
				"CHAS_PER_SOCKET"),
			LATENCY("UNC_CHA_TOR_OCCUPANCY.IA_MISS_DRD_OPT", OPT_MISS,
				"UNC_CHA_CLOCKTICKS", "CHAS_PER_SOCKET"),
			LATENCY("UNC_C_TOR_OCCUPANCY.MISS_OPCODE/filter_opc=0x182/", TOR_MISS,
				"UNC_C_CLOCKTICKS", "CBOXES_PER_SOCKET") } },
		{ "MISS", "%", NUMBER_MEAN, .metrics = { "llc_demand_read_miss_rate",
			SHARE("llc_demand_read_miss_rate", TOR_MISS, TOR_ALL),
			SHARE("llc_demand_read_miss_rate", "UNC_CHA_TOR_INSERTS.IA_MISS_DRD",
			      "UNC_CHA_TOR_INSERTS.IA_DRD"),
			SHARE("llc_demand_read_miss_rate", OPT_MISS, OPT_ALL), "llc_miss_rate" } },
		{ "CLOCK", "GHz", NUMBER_MEAN, .metrics = { "uncore_frequency",
			/* Skylake has both event names, so that the first is used */
			CLOCK("UNC_CHA_CLOCKTICKS", "CHAS_PER_SOCKET"),
			CLOCK("UNC_C_CLOCKTICKS", "CBOXES_PER_SOCKET") } },
	} },
	{ "links", "Links", UCORE_LEVEL_BOX, {
		{ "SENT", "MB/s", NUMBER_BAR, .metrics = { "qpi_data_transmit_bw",
			"upi_data_transmit_bw",
			"upi_data_transmit_bw=a*64/9/1000000/seconds; "
			"a=UNC_UPI_TxL_FLITS.ALL_DATA; unit=MB/s" } },
		{ "RECEIVED", "MB/s", NUMBER_BAR, .metrics = { "qpi_data_receive_bw",
			"upi_data_receive_bw",
			"upi_data_receive_bw=a*64/9/1000000/seconds; "
			"a=UNC_UPI_RxL_FLITS.ALL_DATA; unit=MB/s" } },
		/* Xeon E5 v3 and v4 have no event for all data flits: add two events */
		{ "RECEIVED", "MB/s", NUMBER_BAR, .metrics = {
			"qpi_data_receive_bw=(a+b)*8/1000000/seconds; "
			"a=UNC_Q_RxL_FLITS_G1.DRS_DATA; b=UNC_Q_RxL_FLITS_G2.NCB_DATA; "
			"unit=MB/s" } },
		{ "TOTAL", "MB/s", NUMBER_TOTAL, .metrics = { "link_bandwidth_total" } },
		{ "BUSY", "%", NUMBER_MEAN, .metrics = { "qpi_data_transmit_utilization",
			"upi_data_transmit_utilization" } },
	} },
	{ "io", "IO", UCORE_LEVEL_BOX, {
		/* group 0: memory reads and writes of PCI devices, for each IIO stack */
		{ "READ", "MB/s", NUMBER_BAR, .metrics = { "iio_bandwidth_read" } },
		{ "WRITE", "MB/s", NUMBER_BAR, .metrics = { "iio_bandwidth_write" } },
		{ "TOTAL", "MB/s", NUMBER_TOTAL, .metrics = { "io_bandwidth_total" } },
		/* group 1: all traffic of an IIO stack, in both directions */
		{ "IN", "MB/s", NUMBER_BAR, 1, {
			"iio_bandwidth_in=(a+b+c+d)*4/1000000/seconds; a=UNC_IIO_BW_IN.PORT0; "
			"b=UNC_IIO_BW_IN.PORT1; c=UNC_IIO_BW_IN.PORT2; d=UNC_IIO_BW_IN.PORT3; "
			"unit=MB/s" } },
		{ "OUT", "MB/s", NUMBER_BAR, 1, {
			"iio_bandwidth_out=(a+b+c+d)*4/1000000/seconds; a=UNC_IIO_BW_OUT.PORT0; "
			"b=UNC_IIO_BW_OUT.PORT1; c=UNC_IIO_BW_OUT.PORT2; d=UNC_IIO_BW_OUT.PORT3; "
			"unit=MB/s" } },
		{ "TOTAL", "MB/s", NUMBER_TOTAL, 1, { "iio_bandwidth_total" } },
		/* group 2: requests of PCI devices, on platforms without events that count bytes */
		{ "READS", "/s", NUMBER_BAR, 2, { "irp_reads",
			"irp_reads=a/seconds; a=UNC_I_TRANSACTIONS.READS; unit=/s" } },
		{ "WRITES", "/s", NUMBER_BAR, 2, { "irp_writes",
			"irp_writes=a/seconds; a=UNC_I_TRANSACTIONS.WRITES; unit=/s" } },
		/* group 3: memory traffic of PCI devices, counted at the last-level cache */
		{ "READ", "MB/s", NUMBER_BAR | NUMBER_SOCKET, 3, { "io_bandwidth_read" } },
		{ "WRITE", "MB/s", NUMBER_BAR | NUMBER_SOCKET, 3, { "io_bandwidth_write" } },
	} },
	{ "power", "Power", UCORE_LEVEL_SOCKET, {
		{ "C0 CORES", "", NUMBER_BAR, .metrics = { "cores_in_c0", "cpu_cstate_c0",
			IN_STATE("cores_in_c0", "UNC_P_POWER_STATE_OCCUPANCY.CORES_C0") } },
		{ "C6 CORES", "", .metrics = { "cores_in_c6", "cpu_cstate_c6",
			IN_STATE("cores_in_c6", "UNC_P_POWER_STATE_OCCUPANCY.CORES_C6") } },
		{ "P-LIMIT", "%", NUMBER_MEAN, .metrics = { "frequency_limited_power",
			SHARE("frequency_limited_power", "UNC_P_FREQ_MAX_POWER_CYCLES",
			      "UNC_P_CLOCKTICKS") } },
		{ "T-LIMIT", "%", NUMBER_MEAN, .metrics = { "frequency_limited_thermal",
			SHARE("frequency_limited_thermal", "UNC_P_FREQ_MAX_LIMIT_THERMAL_CYCLES",
			      "UNC_P_CLOCKTICKS") } },
	} },
	{ 0 },
};
