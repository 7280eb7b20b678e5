// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Suggestions for events that are written as in perf, Intel PCM or LIKWID, or without a box.
 */
#include <stdio.h>
#include <stdlib.h>

#include "unit.h"

static struct ucore_device *dev;

/* Open a machine of fake_machine() with or without core boxes */
static void machine_open(const char *name, unsigned int cpus)
{
	ucore_device_close(dev);
	fake_machine(name, 2);
	if (cpus)
		fake_cpus(cpus);
	dev = device_get();
}

static int teardown(void **state)
{
	ucore_device_close(dev);
	dev = NULL;
	return fake_teardown(state);
}

#define TEST_DEV(name)	cmocka_unit_test_setup_teardown(name, fake_setup, teardown)

static int find(const char *text)
{
	struct ucore_events *events;
	int ret = ucore_events_find(dev, text, &events, &err);

	if (!ret)
		ucore_events_free(events);
	return ret;
}

/* Expect that the device accepts each event of "'A', 'B' or 'C'?)", with a number for N */
static unsigned int assert_accepted(const char *list)
{
	unsigned int nr = 0;

	for (const char *at = list; *at == '\''; nr++) {
		const char *end = strchr(at + 1, '\'');
		char text[UCORE_SPEC_LEN], why[UCORE_ERROR_LEN], *open;

		assert_non_null(end);
		snprintf(text, sizeof(text), "%.*s", (int)(end - at - 1), at + 1);
		while ((open = strstr(text, "=N")))
			open[1] = '0';
		snprintf(why, sizeof(why), "%s", err.text);
		if (find(text))
			fail_msg("refused: %s, suggested by: %s", err.text, why);
		at = strchr("?", end[1]) ? end + 1 : strchr(end + 1, '\'');
		snprintf(err.text, sizeof(err.text), "%s", why);
		assert_non_null(at);
	}
	return nr;
}

/* Expect that @text is refused with @suggestion, all of which is accepted */
static void assert_suggests(const char *text, const char *suggestion)
{
	static const char words[] = "did you mean ";
	const char *list;
	char copy[UCORE_ERROR_LEN];

	memset(err.text, 'x', sizeof(err.text));
	assert_int_equal(find(text), -ENOENT);
	list = strstr(err.text, words);
	if (!list || strncmp(list + strlen(words), suggestion, strlen(suggestion)) ||
	    list[strlen(words) + strlen(suggestion)] != '?')
		fail_msg("not %s in: %s", suggestion, err.text);
	snprintf(copy, sizeof(copy), "%s", list + strlen(words));
	assert_true(assert_accepted(copy));
}

struct suggested {
	const char *text;
	const char *suggestion;
};

static void all_suggest(const struct suggested *cases, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		assert_suggests(cases[i].text, cases[i].suggestion);
}

/* ---- perf -------------------------------------------------------------- */

static void perf_uncore_events_suggest_boxes(void **state)
{
	static const struct suggested ivbep[] = {
		{ "uncore_imc_0/cas_count_read/", "'imc0/CAS_COUNT.RD/'" },
		{ "uncore_imc/cas_count_write/", "'imc/CAS_COUNT.WR/'" },
		{ "uncore_imc_3/clockticks/", "'imc3/DCLOCKTICKS/'" },
		{ "uncore_imc*/cas_count_read/", "'imc/CAS_COUNT.RD/'" },
		{ "imc0/cas_count_read/", "'imc0/CAS_COUNT.RD/'" },
		{ "imc0/cas_count_read,die=1/", "'imc0/CAS_COUNT.RD,die=1/'" },
		{ "uncore_cbox_1/event=0x35,umask=0x3/", "'cbo1/event=0x35,umask=0x3/'" },
		{ "uncore_cbox_1/event=0x35,umask=0x1,filter_opc=0x182/",
		  "'cbo1/event=0x35,umask=0x1,filter_opc=0x182/'" },
		{ "uncore_qpi_0/drs_data/", "'qpi0/event=0x102,umask=0x08/'" },
		{ "uncore_pcu/event=0x80,occ_sel=1/", "'pcu/event=0x80,occ_sel=1/'" },
		{ "uncore_r3qpi_0/clockticks/", "'r3qpi0/CLOCKTICKS/'" },
		{ "llc_misses.mem_read", "'imc/CAS_COUNT.RD/'" },
		{ "qpi_data_bandwidth_tx", "'qpi/TxL_FLITS_G0.DATA/'" },
	};
	static const struct suggested spr[] = {
		{ "uncore_cha/event=0x35,umask=0xc817fe01/", "'cha/event=0x35,umask=0xc817fe01/'" },
		{ "uncore_cha_59/event=0x35,umask=0xc817fe01,name=x/",
		  "'cha59/event=0x35,umask=0xc817fe01,name=x/'" },
		{ "uncore_m2pcie_1/clockticks/", "'m2pcie1/CLOCKTICKS/'" },
		{ "uncore_iio_free_running_2/bw_in_port3/",
		  "'iio_free2/BANDWIDTH_IN.PART3_FREERUN/'" },
		{ "upi_data_bandwidth_tx", "'upi/TxL_FLITS.ALL_DATA/'" },
	};
	static const struct suggested gnr[] = {
		/* each subchannel has an event */
		{ "uncore_imc_0/cas_count_read/",
		  "'imc0/CAS_COUNT_SCH0.RD/' or 'imc0/CAS_COUNT_SCH1.RD/'" },
		{ "uncore_imc_1/cas_count_read_sch1/", "'imc1/CAS_COUNT_SCH1.RD/'" },
	};
	static const struct suggested icx[] = {
		{ "uncore_imc_free_running_0/ddrt_read/", "'imc_free0/PMM_READ_FREERUN/'" },
		{ "uncore_imc_free_running/dclk/", "'imc_free/CLOCKTICKS_FREERUN/'" },
	};
	static const struct suggested skl[] = {
		{ "uncore_imc/data_reads/", "'imc_free/READ_FREERUN/'" },
		{ "uncore_imc/ia_requests/", "'imc_free/IA_REQUESTS_FREERUN/'" },
		{ "uncore_clock/clockticks/", "'clock/CLOCK.SOCKET/'" },
		{ "uncore_cbox_0/clockticks/", "'clock0/CLOCK.SOCKET/'" },
		{ "uncore_cbox_1/unc_cbo_cache_lookup.any_mesi/", "'cbo1/CACHE_LOOKUP.ANY_MESI/'" },
		{ "uncore_arb/event=0x81,umask=0x1/", "'arb/event=0x81,umask=0x1/'" },
	};
	static const struct suggested tgl[] = {
		{ "uncore_imc_free_running_1/data_read/", "'imc_free1/RDCAS_COUNT_FREERUN/'" },
		{ "uncore_imc_free_running_0/data_total/", "'imc_free0/TOTAL_REQCOUNT_FREERUN/'" },
		{ "UNC_MC0_WRCAS_COUNT_FREERUN", "'UNC_M_WRCAS_COUNT_FREERUN'" },
	};

	(void)state;
	machine_open("ivbep", 0);
	all_suggest(ivbep, NR(ivbep));
	machine_open("spr", 0);
	all_suggest(spr, NR(spr));
	machine_open("gnr", 0);
	all_suggest(gnr, NR(gnr));
	machine_open("icx", 0);
	all_suggest(icx, NR(icx));
	machine_open("skl", 0);
	all_suggest(skl, NR(skl));
	machine_open("tgl", 0);
	all_suggest(tgl, NR(tgl));
}

/* A translation that this machine does not accept is named, with the reason */
static void perf_event_of_another_machine_names_the_field(void **state)
{
	(void)state;
	machine_open("ivbep", 0);
	assert_fails(find("uncore_cha_3/event=0x35,umask=0xc817fe01/"), ERANGE,
		     "'cbo3/event=0x35,umask=0xc817fe01/'|Use at most 0xff");
}

static void perf_core_events_suggest_core_boxes(void **state)
{
	static const struct suggested cases[] = {
		{ "cycles", "'core/UNHALTED_CORE_CYCLES/'" },
		{ "CYCLES", "'core/UNHALTED_CORE_CYCLES/'" },
		{ "cycles:u", "'core/UNHALTED_CORE_CYCLES,usr/'" },
		{ "instructions:k", "'core/INSTRUCTIONS_RETIRED,os/'" },
		{ "instructions:uk", "'core/INSTRUCTIONS_RETIRED/'" },
		{ "cache-references", "'core/LLC_REFERENCES/'" },
		{ "branch-misses", "'core/BRANCH_MISSES_RETIRED/'" },
		{ "ref-cycles", "'core/CPU_CLK_UNHALTED.REF_TSC/'" },
		{ "cpu/event=0xc4,umask=0x20/", "'core/event=0xc4,umask=0x20/'" },
		{ "cpu/event=0xc4,cmask=1,inv/", "'core/event=0xc4,cmask=1,inv/'" },
		{ "INSTR_RETIRED_ANY:FIXC0", "'core/INST_RETIRED.ANY/'" },
	};

	(void)state;
	machine_open("ivbep", 2);
	all_suggest(cases, NR(cases));
	/* CPUID.0AH of the fake machine lacks this event */
	assert_fails(find("cache-misses"), ENXIO, "'core/LLC_MISSES/': box type 'core' does not");
}

static void perf_other_events_name_perf(void **state)
{
	static const char *const cases[] = {
		"LLC-load-misses", "L1-dcache-loads", "page-faults", "context-switches",
		"power/energy-pkg/", "msr/tsc/", "sched:sched_switch", "dTLB-load-misses:u",
	};

	(void)state;
	machine_open("skx", 2);
	for (size_t i = 0; i < NR(cases); i++) {
		assert_fails(find(cases[i]), ENOENT, "perf counts it: perf stat -e ");
		assert_non_null(strstr(err.text, cases[i]));
	}
}

/* Without core boxes the reason of the driver is in the error */
static void core_events_without_core_boxes_give_the_reason(void **state)
{
	static const char *const cases[] = {
		"cycles", "core/LLC_MISSES/", "core0/event=1/", "LLC_MISSES", "INSTR_RETIRED_ANY:FIXC0",
	};

	(void)state;
	machine_open("ivbep", 0);
	assert_fails(find("core/LLC_MISSES/"), ENOENT, "the cores' counters are not available.");
	fake.core.version = 4;
	fake.core.state = UCORE_CORE_DISABLED;
	strcpy(fake.core.reason, "the module was loaded with core_pmu=0");
	for (size_t i = 0; i < NR(cases); i++)
		assert_fails(find(cases[i]), ENOENT,
			     "not available (the module was loaded with core_pmu=0)");
}

/* ---- Intel PCM and LIKWID ---------------------------------------------- */

static void pcm_config_suggests_fields(void **state)
{
	static const struct suggested ivbep[] = {
		{ "imc/config=0x400304,name=rd/", "'imc/event=0x4,umask=0x3,name=rd/'" },
		{ "imc/config=0x304/", "'imc/event=0x4,umask=0x3/'" },
		{ "cbo/config=0x480134,config1=0/", "'cbo/event=0x34,umask=0x1,tid_en/'" },
		{ "pcu/config=0x4080/", "'pcu/event=0x80,occ_sel=0x1/'" },
		{ "upi/config=0x14/", "'qpi/event=0x14/'" },
	};
	static const struct suggested skx[] = {
		{ "core/config=0x4300c5,name=B/", "'core/event=0xc5,usr,os,name=B/'" },
		{ "core/config=0x10510003/", "'core/event=0x3,usr,thresh=0x10/'" },
		{ "qpi/config=0x1400401/", "'upi/event=0x1,umask=0x4,thresh=0x1/'" },
	};
	static const struct suggested icx[] = {
		{ "iio/config=0x7001000400183/", "'iio/event=0x83,umask=0x1,ch_mask=0x1,fc_mask=0x7/'" },
		{ "cha/config=0xc817fe00400135/", "'cha/event=0x35,umask=0x1,umask_ext=0xc817fe/'" },
	};

	(void)state;
	machine_open("ivbep", 0);
	all_suggest(ivbep, NR(ivbep));
	machine_open("skx", 2);
	all_suggest(skx, NR(skx));
	machine_open("icx", 0);
	all_suggest(icx, NR(icx));
	/* a bit that no field has, a filter, and no number */
	assert_fails(find("imc/config=0x8000000400304/"), ENOENT, "no field 'config'");
	assert_fails(find("imc/config=0x400304,config1=3/"), ENOENT, "config1");
	assert_fails(find("imc/config=x/"), ENOENT, "no field 'config'");
}

/* Skylake-SP has a channel mask of 8 bits, with the class mask next to it */
static void pcm_config_of_a_narrow_channel_mask_is_split(void **state)
{
	struct ucore_field_info *fields;
	const struct ucore_field_info *read;
	const struct ucore_box_info *boxes;
	size_t nr;

	(void)state;
	machine_open("skx", 0);
	boxes = ucore_device_boxes(dev, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (strcmp(boxes[i].type, "iio") || boxes[i].instance)
			continue;
		assert_int_equal(ucore_device_fields(dev, boxes[i].box, &read, &nr, &err), 0);
		break;
	}
	fields = (struct ucore_field_info *)ucore_field_by_id(read, nr, UCORE_FIELD_CH_MASK);
	fields->max = 0xff;
	fields->mask = 0xff;
	assert_suggests("iio/config=0x701000400183/",
			"'iio/event=0x83,umask=0x1,ch_mask=0x1,fc_mask=0x7/'");
}

static void likwid_counters_suggest_boxes(void **state)
{
	static const struct suggested ivbep[] = {
		{ "CAS_COUNT_RD:MBOX0C0", "'imc0/CAS_COUNT.RD/'" },
		{ "CAS_COUNT_RD:MBOX3C1", "'imc3/CAS_COUNT.RD/'" },
		{ "LLC_LOOKUP_DATA_READ:CBOX1C0", "'cbo1/LLC_LOOKUP.DATA_READ/'" },
		{ "TOR_INSERTS_OPCODE:CBOX0C1:OPCODE=0x182:EDGEDETECT:THRESHOLD=0x1",
		  "'cbo0/TOR_INSERTS.OPCODE,filter_opc=0x182,edge,thresh=0x1/'" },
		{ "TOR_INSERTS_OPCODE:CBOX0C1", "'cbo0/TOR_INSERTS.OPCODE,filter_opc=N/'" },
		{ "TXL_FLITS_G0_DATA:SBOX0C0", "'qpi0/TxL_FLITS_G0.DATA/'" },
		{ "TXL_FLITS_G0_DATA:QBOX1C0", "'qpi1/TxL_FLITS_G0.DATA/'" },
		{ "DRAM_CLOCKTICKS:MBOX0FIX", "'imc0/fixed/'" },
		{ "FREQ_MAX_POWER_CYCLES:WBOX0", "'pcu/FREQ_MAX_POWER_CYCLES/'" },
		{ "UNCORE_CLOCK:UBOXFIX", "'ubox/fixed/'" },
	};
	static const struct suggested skx[] = {
		{ "TXL_FLITS_ALL_DATA:SBOX0C0", "'upi0/TxL_FLITS.ALL_DATA/'" },
		{ "LLC_LOOKUP_DATA_READ:CBOX1C0", "'cha1/LLC_LOOKUP.DATA_READ/'" },
	};
	static const struct suggested hswep[] = {
		{ "RING_BOUNCES_AD_CACHE:SBOX1C0", "'sbox1/RING_BOUNCES.AD_CACHE/'" },
	};
	static const struct suggested spr[] = {
		{ "CAS_COUNT_RD:HBM1C0", "'mchbm1/CAS_COUNT.RD/'" },
	};

	(void)state;
	machine_open("ivbep", 0);
	all_suggest(ivbep, NR(ivbep));
	assert_fails(find("NO_SUCH:MBOX0C0"), ENOENT, "LIKWID|list events imc");
	assert_fails(find("CAS_COUNT_RD:MBOX0C0:NOOPTION"), ENOENT, "LIKWID|list events imc");
	machine_open("skx", 0);
	all_suggest(skx, NR(skx));
	machine_open("hswep", 0);
	all_suggest(hswep, NR(hswep));
	machine_open("spr", 0);
	all_suggest(spr, NR(spr));
}

/* ---- names without a box ----------------------------------------------- */

static void names_without_a_box_suggest_boxes(void **state)
{
	static const struct suggested ivbep[] = {
		{ "CAS_COUNT.RD", "'imc/CAS_COUNT.RD/'" },
		{ "cas_count.rd", "'imc/CAS_COUNT.RD/'" },
		{ "CAS_COUNT_RD", "'imc/CAS_COUNT.RD/'" },
		{ "CAS_COUNT.RD/die=1/", "'imc/CAS_COUNT.RD,die=1/'" },
		{ "UNC_M_CAS_COUNT_RD", "'UNC_M_CAS_COUNT.RD'" },
		{ "UNC_M_CAS_COUNT_RD/die=1/", "'UNC_M_CAS_COUNT.RD/die=1/'" },
		{ "TOR_INSERTS.OPCODE", "'cbo/TOR_INSERTS.OPCODE,filter_opc=N/'" },
		{ "CAS_COUNT.RDD", "'imc/CAS_COUNT.RD/'" },
		{ "UNC_M_CAS_COUNT.RDD", "'UNC_M_CAS_COUNT.RD'" },
		{ "CLOCKTICKS", "'cbo/CLOCKTICKS/', 'ha/CLOCKTICKS/' or 'irp/CLOCKTICKS/'" },
	};
	static const struct suggested spr[] = {
		{ "CAS_COUNT.WR", "'imc/CAS_COUNT.WR/' or 'mchbm/CAS_COUNT.WR/'" },
		{ "qpi/CLOCKTICKS/", "'upi/CLOCKTICKS/'" },
		{ "cbo3/CLOCKTICKS/", "'cha3/CLOCKTICKS/'" },
	};
	static const struct suggested gnr[] = {
		{ "CAS_COUNT.RD", "'imc/CAS_COUNT_SCH0.RD/' or 'imc/CAS_COUNT_SCH1.RD/'" },
		{ "UNC_M_CAS_COUNT.WR", "'imc/CAS_COUNT_SCH0.WR/' or 'imc/CAS_COUNT_SCH1.WR/'" },
	};

	(void)state;
	machine_open("ivbep", 0);
	all_suggest(ivbep, NR(ivbep));
	assert_int_equal(find("unc_m_cas_count.rd"), 0);
	assert_fails(find("xyz"), ENOENT, "'xyz' is not a box type or full event name");
	assert_null(strstr(err.text, "did you mean"));
	assert_fails(find("icm/CAS_COUNT.RD/"), ENOENT, "did you mean 'imc'");
	machine_open("spr", 0);
	all_suggest(spr, NR(spr));
	machine_open("gnr", 0);
	all_suggest(gnr, NR(gnr));
}

/* Whatever is suggested for a platform's names, in all of its spellings, is accepted */
static void suggestions_of_all_names_are_accepted(void **state)
{
	static const char *const machines[] = {
		"ivbep", "hswep", "bdxde", "skx", "icx", "snr", "spr", "gnr",
	};

	(void)state;
	for (size_t m = 0; m < NR(machines); m++) {
		const struct ucore_platform *platform = ucore_platform_find(machines[m]);
		struct ucore_event_desc desc;
		unsigned int nr = 0;

		machine_open(machines[m], 2);
		for (size_t i = m; i < ucore_platform_nr_events(platform); i += 97) {
			char copy[UCORE_ERROR_LEN], name[UCORE_SPEC_LEN], *point;
			const char *list;

			ucore_platform_event_at(platform, i, &desc);
			snprintf(name, sizeof(name), "%s%s", ucore_event_desc_short(&desc),
				 i % 2 ? "" : ":CBOX0C0");
			while (i % 3 && (point = strchr(name, '.')))
				*point = '_';
			if (!find(name))
				continue;
			list = strstr(err.text, "did you mean ");
			/* a list that is longer than the text has no end */
			if (!list || !strstr(list, "'?)"))
				continue;
			snprintf(copy, sizeof(copy), "%s", strchr(list, '\''));
			nr += assert_accepted(copy);
		}
		assert_true(nr > 2);
	}
}

/* ---- boxes that firmware hides ----------------------------------------- */

static void hidden_boxes_give_the_reason(void **state)
{
	static const char reason[] = "a BIOS option may hide boxes: qpi, r3qpi";

	(void)state;
	fake_machine("ivbep", 2);
	fake_without("qpi");
	fake_without("r3qpi");
	strcpy(fake.reason, reason);
	dev = device_get();
	assert_fails(find("qpi/CLOCKTICKS/"), ENOENT, reason);
	assert_fails(find("qpi0/event=0x14/"), ENOENT, reason);
	assert_fails(find("UNC_Q_CLOCKTICKS"), ENOENT, reason);
	assert_null(strstr(err.text, "did you mean"));
	/* a type that the reason does not name */
	strcpy(fake.reason, "die 1: r3qpi");
	assert_int_equal(ucore_device_refresh(dev, &err), 0);
	assert_fails(find("qpi/CLOCKTICKS/"), ENOENT, "this machine has no qpi. See");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST_DEV(perf_uncore_events_suggest_boxes),
		TEST_DEV(perf_event_of_another_machine_names_the_field),
		TEST_DEV(perf_core_events_suggest_core_boxes),
		TEST_DEV(perf_other_events_name_perf),
		TEST_DEV(core_events_without_core_boxes_give_the_reason),
		TEST_DEV(pcm_config_suggests_fields),
		TEST_DEV(pcm_config_of_a_narrow_channel_mask_is_split),
		TEST_DEV(likwid_counters_suggest_boxes),
		TEST_DEV(names_without_a_box_suggest_boxes),
		TEST_DEV(suggestions_of_all_names_are_accepted),
		TEST_DEV(hidden_boxes_give_the_reason),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
