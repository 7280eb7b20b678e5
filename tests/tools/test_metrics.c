// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Metrics: formulas, all named metrics with their events and values, and the descriptions of
 * events.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "metric/expr.h"
#include "unit.h"

static struct ucore_device *dev;
static struct ucore_session *session;
static struct ucore_metrics *metrics;
static struct ucore_delta *delta;

/* ---- formulas ---------------------------------------------------------- */

/* Names of the tests: a is 6, b is 4, z is 0, n is NaN */
static double letter_value(void *data, uint32_t leaf)
{
	(void)data;
	switch (leaf) {
	case 'a':
		return 6;
	case 'b':
		return 4;
	case 'n':
		return NAN;
	default:
		return 0;
	}
}

static int letter_compile(struct ucore_expr_names *names, struct ucore_expr *expr,
			  const char *name, bool first, struct ucore_error *error)
{
	(void)names;
	if (name[1] || !strchr("abzn", *name))
		return ucore_error_set(error, -ENOENT, "who is '%s'?", name);
	return ucore_expr_leaf(expr, first ? 'z' : (uint32_t)*name, error);
}

static int parse(struct ucore_expr *expr, const char *text)
{
	struct ucore_expr_names names = { .compile = letter_compile };

	*expr = (struct ucore_expr) { 0 };
	return ucore_expr_parse(expr, text, &names, &err);
}

static double value_of(const char *text)
{
	struct ucore_expr expr;
	double value;

	if (parse(&expr, text))
		fail_msg("'%s': %s", text, err.text);
	value = ucore_expr_value(&expr, letter_value, NULL);
	ucore_expr_free(&expr);
	return value;
}

static void formulas_are_computed(void **state)
{
	static const struct { const char *text; double value; } cases[] = {
		{ "1", 1 }, { "  2.5 ", 2.5 }, { ".5", 0.5 }, { "1e9", 1e9 }, { "2E-3", 2e-3 },
		{ "0.1", 0.1 }, { "9.0", 9 }, { "1e+2", 100 }, { "1000000000", 1e9 },
		{ "1e-400", 0 }, { "00012", 12 },
		{ "a+b", 10 }, { "a - b", 2 }, { "a*b", 24 }, { "a/b", 1.5 },
		{ "a-b-1", 1 }, { "a/b/3", 0.5 }, { "a-b*2", -2 }, { "(a-b)*2", 4 },
		{ "-a", -6 }, { "--a", 6 }, { "a - -b", 10 }, { "-a*b", -24 }, { "-(a+b)", -10 },
		{ "min(a,b)", 4 }, { "max(a,b)", 6 }, { "min(7,a,b,9)", 4 }, { "max(a)", 6 },
		{ "max(min(a,b),5)", 5 }, { "min ( a , b ) / 2", 2 }, { "{a}*{b}", 24 },
		{ "a[0]", 0 }, { "b [ 0 ] + 1", 1 }, { "100 * (b + b) / (a + b)", 80 },
		{ "(1000000000 * (a / b) / (a / (b * 2))) * 1", 2e9 },
	};

	(void)state;
	for (size_t i = 0; i < NR(cases); i++)
		if (fabs(value_of(cases[i].text) - cases[i].value) > 1e-12 * fabs(cases[i].value))
			fail_msg("%s is %.17g, not %.17g", cases[i].text, value_of(cases[i].text),
				 cases[i].value);
}

static void undefined_results_are_nan(void **state)
{
	static const char *const cases[] = {
		"a/z", "a/0", "0/0", "1+a/z", "1/(1/z)", "min(a,n)", "max(n,a)", "max(a,b/z)", "n",
		"n*0", "1e300*1e300", "-(a/z)", "a/(b-b)",
	};

	(void)state;
	for (size_t i = 0; i < NR(cases); i++)
		if (!isnan(value_of(cases[i])))
			fail_msg("%s is %g", cases[i], value_of(cases[i]));
}

static void malformed_formulas_are_refused(void **state)
{
	static const struct { const char *text, *words; } cases[] = {
		{ "", "missing number or name|at the end" },
		{ "a+", "'a+': missing|at the end" },
		{ "a b", "missing operator|at 'b'|character 3" },
		{ "(a", "missing ')'|at the end" }, { "a)", "missing operator|at ')'" },
		{ "()", "missing|at ')'" }, { "a**b", "missing|at '*b'" }, { "+a", "missing" },
		{ "min", "who is 'min'" }, { "min(", "missing" }, { "min()", "missing|')'" },
		{ "max(a,)", "missing" }, { "max(a;b)", "missing ')'|at ';b)'" },
		{ "a[1]", "only [0]" }, { "a[0", "only [0]" }, { "a[0][0]", "missing operator" },
		{ "{a", "missing '}'" }, { "12x", "invalid number|at '12x'" }, { "1.2.3", "invalid number" },
		{ "1e999", "invalid number" }, { ".", "invalid number" }, { "1e", "invalid number" },
		{ "who", "who is 'who'?" }, { "a^b", "missing operator|at '^b'" },
		{ "0x10", "invalid number" }, { "a\001", "missing operator" },
	};
	struct ucore_expr expr;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		memset(err.text, 'x', sizeof(err.text));
		if (!parse(&expr, cases[i].text))
			fail_msg("'%s' is taken", cases[i].text);
		assert_words(err.text, cases[i].words);
		ucore_expr_free(&expr);
	}
}

static char *repeat(const char *word, size_t times, const char *middle, const char *back)
{
	char *text = calloc(times + 1, strlen(word) + strlen(back) + strlen(middle) + 1), *at = text;

	for (size_t i = 0; i < times; i++)
		at = stpcpy(at, word);
	at = stpcpy(at, middle);
	for (size_t i = 0; i < times; i++)
		at = stpcpy(at, back);
	return text;
}

/* A formula of any size ends with a value or an error, without exhausting stack or memory */
static void formula_limits_are_enforced(void **state)
{
	static const struct { const char *word, *middle, *back; size_t fits, too_many; } cases[] = {
		{ "(", "a", ")", 60, 100 }, { "-", "a", "", 60, 100 }, { "min(", "a", ")", 60, 100 },
		{ "a+(", "a", ")", 60, 100 }, { "a+", "a", "", 2000, 2048 },
		{ "(", "a", ")", 60, 100000 },
	};
	struct ucore_expr expr;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		char *good = repeat(cases[i].word, cases[i].fits, cases[i].middle, cases[i].back);
		char *bad = repeat(cases[i].word, cases[i].too_many, cases[i].middle,
				   cases[i].back);

		assert_false(isnan(value_of(good)));
		assert_int_equal(parse(&expr, bad), -EINVAL);
		ucore_expr_free(&expr);
		free(good);
		free(bad);
	}
}

/* ---- metrics of a machine ---------------------------------------------- */

static void machine_open(const char *machine, const char *platform, unsigned int dies)
{
	fake_machine(machine, dies);
	strcpy(fake.platform, platform);
	dev = device_get();
	session = session_get(dev, NULL, NULL);
	assert_int_equal(ucore_metrics_create(dev, &metrics, &err), 0);
}

static void machine_close(void)
{
	ucore_metrics_free(metrics);
	ucore_delta_free(delta);
	delta = NULL;
	ucore_session_destroy(session);
	ucore_device_close(dev);
}

static int choose(const char *list)
{
	return ucore_metrics_choose(metrics, list, &err);
}

static int attach(uint32_t level)
{
	return ucore_metrics_attach(metrics, session, level, &err);
}

static void chosen(const char *list, uint32_t level)
{
	if (choose(list) || attach(level))
		fail_msg("%s: %s", list, err.text);
}

/* Run the session for one second of the fake's clock */
static void run(void)
{
	struct ucore_snapshot snap;

	if (!delta) {
		assert_int_equal(ucore_delta_create(session, &delta, &err), 0);
		assert_int_equal(ucore_session_start(session, &err), 0);
	}
	assert_int_equal(ucore_session_read(session, 0, &snap, &err), 0);
	ucore_delta_update(delta, &snap);
	ucore_metrics_evaluate(metrics, delta);
}

static double value_at(size_t i)
{
	assert_non_null(ucore_metrics_value(metrics, i));
	return ucore_metrics_value(metrics, i)->value;
}

#define assert_value(i, wanted) \
	do { \
		double value_ = value_at(i); \
		if (!(fabs(value_ - (wanted)) <= 1e-9 * fabs(wanted))) \
			fail_msg("value %zu is %.12g, not %.12g", (size_t)(i), value_, \
				 (double)(wanted)); \
	} while (0)

/* Sum the deltas of an event on all dies or one, and all boxes or one */
static double moved(uint32_t index, uint32_t domain, uint32_t instance)
{
	const struct ucore_slot *slots;
	double sum = 0;
	size_t nr;

	slots = ucore_session_slots(session, &nr);
	for (size_t i = 0; i < nr; i++)
		for (unsigned int e = 0; e < fake.nr_events; e++)
			if (fake.events[e].id == slots[i].event && slots[i].index == index &&
			    (domain == UCORE_ANY || slots[i].domain == domain) &&
			    (instance == UCORE_ANY || slots[i].instance == instance))
				sum += (double)fake_step(&fake.events[e]);
	return sum;
}

/* The fake's counters run for nine tenths of the time */
#define SECONDS	0.9

static void bandwidth_has_values_at_each_level(void **state)
{
	static const struct { uint32_t level; size_t values; } cases[] = {
		{ UCORE_LEVEL_SYSTEM, 1 }, { UCORE_LEVEL_SOCKET, 2 }, { UCORE_LEVEL_BOX, 8 },
	};

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		machine_open("ivbep", "ivbep", 2);
		chosen("memory_bandwidth_read", cases[i].level);
		for (unsigned int round = 0; round < 3; round++) {
			run();
			assert_null(ucore_metrics_value(metrics, cases[i].values));
			for (size_t v = 0; v < cases[i].values; v++) {
				const struct ucore_metric_value *value;
				uint32_t domain = UCORE_ANY, instance = UCORE_ANY;

				value = ucore_metrics_value(metrics, v);
				assert_int_equal(value->level, cases[i].level);
				if (cases[i].level != UCORE_LEVEL_SYSTEM)
					domain = value->package;
				if (cases[i].level == UCORE_LEVEL_BOX) {
					instance = value->instance;
					assert_string_equal(value->type, "imc");
					assert_int_equal(value->die, domain);
					assert_int_equal(instance, v % 4);
				}
				assert_value(v, moved(0, domain, instance) * 64 / 1e6 / SECONDS);
			}
		}
		machine_close();
	}
}

static void shared_event_is_counted_once(void **state)
{
	(void)state;
	machine_open("ivbep", "ivbep", 1);
	chosen("memory_bandwidth_read,memory_bandwidth_total,memory_read_share,MEMORY_BANDWIDTH_READ",
	       UCORE_LEVEL_SYSTEM);
	assert_non_null(ucore_session_event(session, 1));
	assert_null(ucore_session_event(session, 2));
	run();
	assert_non_null(ucore_metrics_value(metrics, 2));
	assert_null(ucore_metrics_value(metrics, 3));
	assert_value(1, (moved(0, UCORE_ANY, UCORE_ANY) + moved(1, UCORE_ANY, UCORE_ANY)) * 64 /
		     1e6 / SECONDS);
	machine_close();
}

/* Each evaluation needs one READ, independent of the number of metrics */
static void evaluation_needs_one_read(void **state)
{
	(void)state;
	machine_open("spr", "spr", 2);
	chosen("memory_bandwidth_read,upi_data_transmit_bw,uncore_frequency,io_bandwidth_read",
	       UCORE_LEVEL_BOX);
	run();
	run();
	assert_int_equal(fake.calls[_IOC_NR(UCORE_READ)], 2);
	assert_int_equal(fake.calls[_IOC_NR(UCORE_CREATE_SESSION)], 1);
	machine_close();
}

/* ---- Sapphire Rapids with HBM ------------------------------------------- */

/* Set up a Sapphire Rapids without the boxes of one type */
static void machine_open_without(const char *type)
{
	fake_machine("spr", 2);
	fake_without(type);
	dev = device_get();
	session = session_get(dev, NULL, NULL);
	assert_int_equal(ucore_metrics_create(dev, &metrics, &err), 0);
}

/* A command of DDR is 64 bytes, of HBM 32; both are counted once for all metrics */
static void memory_bandwidth_adds_ddr_and_hbm(void **state)
{
	double ddr, hbm;

	(void)state;
	machine_open("spr", "spr", 2);
	chosen("memory_bandwidth_read,ddr_bandwidth_read,hbm_bandwidth_read", UCORE_LEVEL_SYSTEM);
	assert_non_null(ucore_session_event(session, 1));
	assert_null(ucore_session_event(session, 2));
	run();
	ddr = moved(0, UCORE_ANY, UCORE_ANY) * 64 / 1e6 / SECONDS;
	hbm = moved(1, UCORE_ANY, UCORE_ANY) * 32 / 1e6 / SECONDS;
	assert_true(ddr > 0 && hbm > 0);
	assert_value(0, ddr + hbm);
	assert_value(1, ddr);
	assert_value(2, hbm);
	machine_close();
}

/* imc0 and mchbm0 of a die have the same number */
static void memory_bandwidth_of_a_box_is_of_one_memory(void **state)
{
	const struct ucore_metric_value *value;
	unsigned int nr_ddr = 0, nr_hbm = 0;

	(void)state;
	machine_open("spr", "spr", 2);
	chosen("memory_bandwidth_read", UCORE_LEVEL_BOX);
	run();
	for (size_t i = 0; (value = ucore_metrics_value(metrics, i)); i++) {
		bool hbm = !strcmp(value->type, "mchbm");

		nr_ddr += !hbm;
		nr_hbm += hbm;
		assert_string_equal(value->type, hbm ? "mchbm" : "imc");
		assert_value(i, moved(hbm, value->die, value->instance) * (hbm ? 32 : 64) / 1e6 /
				SECONDS);
	}
	assert_int_equal(nr_ddr, 16);
	assert_int_equal(nr_hbm, 4);
	machine_close();
}

static void memory_bandwidth_needs_one_kind_of_memory(void **state)
{
	(void)state;
	machine_open_without("imc");
	chosen("memory_bandwidth_total", UCORE_LEVEL_SYSTEM);
	run();
	assert_value(0, (moved(0, UCORE_ANY, UCORE_ANY) + moved(1, UCORE_ANY, UCORE_ANY)) * 32 /
			1e6 / SECONDS);
	machine_close();

	machine_open_without("imc");
	assert_int_equal(choose("ddr_bandwidth_total"), 0);
	assert_fails(attach(UCORE_LEVEL_SYSTEM), ENOENT, "this machine has no imc");
	machine_close();

	machine_open_without("mchbm");
	chosen("memory_bandwidth_total", UCORE_LEVEL_SYSTEM);
	run();
	assert_value(0, (moved(0, UCORE_ANY, UCORE_ANY) + moved(1, UCORE_ANY, UCORE_ANY)) * 64 /
			1e6 / SECONDS);
	machine_close();

	/* without memory at all the box type is named */
	machine_open_without("mchbm");
	assert_int_equal(choose("x=a; a=UNC_MCHBM_CAS_COUNT.RD[optional]"), 0);
	assert_fails(attach(UCORE_LEVEL_SYSTEM), ENOENT, "this machine has no mchbm");
	machine_close();
}

static void formula_constants_are_evaluated(void **state)
{
	(void)state;
	/* the mean clock of all slices and both sockets, not their sum */
	machine_open("ivbep", "ivbep", 2);
	chosen("uncore_frequency", UCORE_LEVEL_SYSTEM);
	run();
	assert_value(0, moved(0, UCORE_ANY, UCORE_ANY) / 8 / 1e9 / SECONDS);
	machine_close();
	machine_open("ivbep", "ivbep", 2);
	chosen("uncore_frequency", UCORE_LEVEL_SOCKET);
	run();
	assert_value(1, moved(0, 1, UCORE_ANY) / 4 / 1e9 / SECONDS);
	machine_close();
	machine_open("ivbep", "ivbep", 2);
	chosen("uncore_frequency", UCORE_LEVEL_BOX);
	run();
	assert_value(7, moved(0, 1, 3) / 1e9 / SECONDS);
	machine_close();
	/* cores of both sockets, divided by the clock of one: SOCKET_COUNT is 2 */
	machine_open("ivbep", "ivbep", 2);
	chosen("cores_in_c0", UCORE_LEVEL_SYSTEM);
	run();
	assert_value(0, moved(0, UCORE_ANY, UCORE_ANY) / moved(1, UCORE_ANY, UCORE_ANY) * 2);
	machine_close();
}

static void cores_per_socket_is_evaluated(void **state)
{
	(void)state;
	machine_open("ivbep", "ivbep", 2);
	chosen("core_c6_residency", UCORE_LEVEL_SYSTEM);
	run();
	assert_true(isnan(value_at(0)));
	ucore_metrics_cores(metrics, 12);
	run();
	assert_value(0, 100 * moved(0, UCORE_ANY, UCORE_ANY) / (moved(1, UCORE_ANY, UCORE_ANY) * 12));
	machine_close();
}

/* "a[0]" is the first of five units of each socket; b has all units */
/* The fake's link 0 has 16 GT/s, the speed of link 1 is unknown, and further links are down */
static void link_speed_gives_utilization(void **state)
{
	const struct ucore_metric_value *value;

	(void)state;
	machine_open("spr", "spr", 2);
	chosen("upi_data_transmit_utilization", UCORE_LEVEL_BOX);
	run();
	for (size_t i = 0; (value = ucore_metrics_value(metrics, i)); i++)
		if (value->instance)
			assert_true(isnan(value->value));
		else
			assert_value(i, 100 * moved(0, value->die, 0) / SECONDS / (0.3125 * 16e9));
	machine_close();
	/* a sum without an unknown speed has no value either */
	machine_open("spr", "spr", 2);
	chosen("upi_data_transmit_utilization", UCORE_LEVEL_SOCKET);
	run();
	assert_true(isnan(ucore_metrics_value(metrics, 0)->value));
	machine_close();
}

static void first_index_selects_one_box_per_socket(void **state)
{
	(void)state;
	machine_open("gnr", "gnr", 2);
	chosen("cpu_cstate_c0", UCORE_LEVEL_SYSTEM);
	run();
	/* operands are in the order of the formula: b, then a on each socket */
	assert_value(0, moved(0, UCORE_ANY, UCORE_ANY) /
		     (moved(1, 0, 0) + moved(2, 1, 0)) * 2);
	assert_null(ucore_session_event(session, 3));
	machine_close();
	/* "[one]" is the mean of the first units */
	machine_open("hswep", "hswep", 2);
	chosen("Info_System_Uncore_Frequency", UCORE_LEVEL_SYSTEM);
	run();
	assert_value(0, (moved(0, 0, 0) + moved(1, 1, 0)) / 2 / 1e9 / SECONDS);
	machine_close();
}

/* A metric without values for a box or socket has values for the next larger level */
static void unsupported_level_is_raised(void **state)
{
	(void)state;
	machine_open("gnr", "gnr", 2);
	chosen("Info_System_Socket_CLKS,memory_bandwidth_read", UCORE_LEVEL_BOX);
	assert_int_equal(ucore_metrics_value(metrics, 0)->level, UCORE_LEVEL_SYSTEM);
	assert_int_equal(ucore_metrics_value(metrics, 1)->level, UCORE_LEVEL_BOX);
	machine_close();
	machine_open("gnr", "gnr", 2);
	chosen("cpu_cstate_c0", UCORE_LEVEL_BOX);
	assert_int_equal(ucore_metrics_value(metrics, 1)->level, UCORE_LEVEL_SOCKET);
	assert_null(ucore_metrics_value(metrics, 2));
	machine_close();
	/* a metric of the user: its events decide */
	machine_open("ivbep", "ivbep", 2);
	chosen("x={imc/CAS_COUNT.RD/}/{imc/CAS_COUNT.WR/}", UCORE_LEVEL_BOX);
	assert_int_equal(ucore_metrics_value(metrics, 7)->level, UCORE_LEVEL_BOX);
	machine_close();
	machine_open("ivbep", "ivbep", 2);
	chosen("x={imc/CAS_COUNT.RD/}/{ha/CLOCKTICKS/}", UCORE_LEVEL_BOX);
	assert_int_equal(ucore_metrics_value(metrics, 0)->level, UCORE_LEVEL_SOCKET);
	machine_close();
}

/* ---- definitions of the user ------------------------------------------ */

static void definitions_are_evaluated(void **state)
{
	static const struct { const char *text; const char *unit; } cases[] = {
		{ "hit=1-UNC_M_CAS_COUNT.WR/UNC_M_CAS_COUNT.RD", "" },
		{ "hit = 1 - {imc/CAS_COUNT.WR/} / {imc/CAS_COUNT.RD/}", "" },
		{ "hit=1-A/B; A=imc/CAS_COUNT.WR/; B=imc/CAS_COUNT.RD/; unit=%", "%" },
		{ "hit=1-A/B;A=UNC_M_CAS_COUNT.WR;B=imc/event=0x04,umask=0x03/;text=a few words", "" },
		{ "hit=(B-A)/B; A = memory_bandwidth_write ;B=memory_bandwidth_read", "" },
		{ "hit=1-memory_bandwidth_write/memory_bandwidth_read", "" },
	};

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		machine_open("ivbep", "ivbep", 2);
		chosen(cases[i].text, UCORE_LEVEL_SYSTEM);
		run();
		assert_string_equal(ucore_metrics_value(metrics, 0)->metric->name, "hit");
		assert_string_equal(ucore_metrics_value(metrics, 0)->metric->unit, cases[i].unit);
		/* the order of the slots does not matter here, because all have counted */
		if (i == 4)
			assert_value(0, 1 - moved(1, UCORE_ANY, UCORE_ANY) /
				     moved(0, UCORE_ANY, UCORE_ANY));
		else
			assert_value(0, 1 - moved(0, UCORE_ANY, UCORE_ANY) /
				     moved(1, UCORE_ANY, UCORE_ANY));
		machine_close();
	}
}

/* The only similar name is the metric that is being defined */
static void unknown_name_does_not_suggest_its_own_metric(void **state)
{
	(void)state;
	machine_open("ivbep", "ivbep", 1);
	assert_int_equal(choose("a=b"), 0);
	assert_fails(attach(UCORE_LEVEL_SYSTEM), ENOENT, "'b' is no alias");
	assert_null(strstr(err.text, "did you mean"));
	machine_close();
}

static void invalid_names_and_definitions_are_refused(void **state)
{
	static const struct { const char *list; int code; const char *words; } cases[] = {
		{ "memory_bandwith_read", ENOENT, "did you mean 'memory_bandwidth_read'|list metrics" },
		{ "zzz", ENOENT, "'zzz': unknown" }, { "", EINVAL, "a metric is empty" },
		{ "page_hit_rate,,x", EINVAL, "a metric is empty" },
		{ "@oi", ENOENT, "metric category 'oi'|io|memory|power" },
		{ "@memroy", ENOENT, "did you mean '@memory'|Use one of" },
		{ "zz*", ENOENT, "metric 'zz*': no metric of this machine matches" },
		{ "pcie_read_bandwidth", ENXIO, "at one instant|two opcodes" },
		{ "frequency_band1_residency", EINVAL, "frequency_band1_residency:band1=NUMBER" },
		{ "frequency_band1_residency:band0=3", EINVAL, "Write band1=NUMBER" },
		{ "frequency_band1_residency:band1=x", EINVAL, "Write band1=NUMBER" },
		{ "page_hit_rate:band1=3", EINVAL, "has no parameter" },
		{ "=1", EINVAL, "Write NAME=FORMULA" }, { "x=", EINVAL, "no formula" },
		{ "9x=1", EINVAL, "Write NAME=FORMULA" }, { "x=1;y", EINVAL, "'y' is invalid after ';'. Write ALIAS=EVENT" },
		{ "x=1;y=", EINVAL, "Write ALIAS=EVENT" },
	};
	static const struct { const char *list; int code; const char *words; } at_attach[] = {
		{ "x=imc/CAS_COUNT.RD/", ENOENT, "Write it in braces: {imc/CAS_COUNT.RD/}" },
		{ "x=2*(imc0/CAS_COUNT.RD/+cbo/CLOCKTICKS/)", ENOENT,
		  "Write it in braces: {imc0/CAS_COUNT.RD/}" },
		{ "x=imc/NOSUCH/", ENOENT, "'imc' is no alias, event, metric or constant" },
		{ "x=CAS_COUNT.RD*64", ENOENT, "did you mean 'UNC_M_CAS_COUNT.RD'" },
		{ "x={uncore_imc_0/cas_count_read/}", ENOENT, "did you mean 'imc0/CAS_COUNT.RD/'" },
		{ "x=1+1", EINVAL, "metric 'x': no event in the formula" },
		{ "x=A+1", ENOENT, "metric 'x': 'A' is no alias, event, metric or constant" },
		{ "x=UNC_M_CAS_COUNT.DR", ENOENT, "did you mean 'UNC_M_CAS_COUNT." },
		{ "x=memory_bandwith_read", ENOENT, "did you mean 'memory_bandwidth_read'" },
		{ "x=A+1;A=imc/NOSUCH/", ENOENT, "no event or field 'NOSUCH'" },
		{ "x={imc/CAS_COUNT.RD/},1", EINVAL, "missing operator" },
		{ "x={imc/CAS_COUNT.RD/,imc/CAS_COUNT.WR/}", EINVAL, "one event for each alias" },
		{ "x={imc/CAS_COUNT.RD,period=5/}", EINVAL, "do not support period=" },
		{ "x=x+1", EINVAL, "refers to itself" },
		{ "x=pcie_read_bandwidth", ENXIO, "at one instant" },
		{ "x=UNC_M_CAS_COUNT.RD*(1", EINVAL, "missing ')'" },
		{ "x=seconds[0]", ENOENT, "'seconds' is no" },
		{ "x={imc/CAS_COUNT.RD,die=7/}", ENOENT, "no die 7" },
	};

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		machine_open("ivbep", "ivbep", 1);
		assert_fails(choose(cases[i].list), cases[i].code, cases[i].words);
		machine_close();
	}
	for (size_t i = 0; i < NR(at_attach); i++) {
		machine_open("ivbep", "ivbep", 1);
		assert_int_equal(choose(at_attach[i].list), 0);
		assert_fails(attach(UCORE_LEVEL_SYSTEM), at_attach[i].code, at_attach[i].words);
		/* the events that were added for the metric have been removed */
		assert_null(ucore_session_event(session, 0));
		assert_int_equal(fake.nr_events, 0);
		machine_close();
	}
}

static int load(const char *text)
{
	FILE *stream = fmemopen((void *)text, strlen(text), "r");
	int ret;

	assert_non_null(stream);
	ret = ucore_metrics_load(metrics, stream, "my.metrics", &err);
	fclose(stream);
	return ret;
}

static void definitions_are_loaded_from_a_file(void **state)
{
	char *line = repeat("a", 5000, "", ""), *nested = calloc(1, 4096);

	(void)state;
	machine_open("ivbep", "ivbep", 1);
	assert_int_equal(load("# mine\n\n  twice = 2 * reads ; unit=MB/s\n"
			      "reads = memory_bandwidth_read\nlong=a + \\\n b; a=twice; \\\nb=reads"), 0);
	/* the later definition is used, and has precedence over the platform's */
	assert_int_equal(load("page_hit_rate=7*UNC_M_CAS_COUNT.RD"), 0);
	chosen("twice,long,page_hit_rate", UCORE_LEVEL_SYSTEM);
	run();
	assert_value(0, 2 * moved(0, UCORE_ANY, UCORE_ANY) * 64 / 1e6 / SECONDS);
	assert_value(1, 3 * moved(0, UCORE_ANY, UCORE_ANY) * 64 / 1e6 / SECONDS);
	assert_value(2, 7 * moved(0, UCORE_ANY, UCORE_ANY));
	machine_close();

	machine_open("ivbep", "ivbep", 1);
	assert_fails(load("x=1\n\ny 2\n"), EINVAL, "my.metrics, line 3: metric 'y 2'");
	assert_fails(load("x=1+\\\n2;\\\n;y\n"), EINVAL, "my.metrics, line 1");
	assert_fails(load("x=1\\\n"), EINVAL, "line 1: the last line ends with a backslash");
	assert_fails(load(line), EINVAL, "too long");
	assert_int_equal(load("\n"), 0);
	/* nested metrics: the depth is limited, and so is the memory */
	for (unsigned int i = 0; i < 12; i++)
		sprintf(nested + strlen(nested), "n%u=n%u+n%u\n", i + 1, i, i);
	assert_int_equal(load(nested), 0);
	assert_int_equal(load("n0=UNC_M_CAS_COUNT.RD"), 0);
	assert_int_equal(choose("n12"), 0);
	assert_fails(attach(UCORE_LEVEL_SYSTEM), EINVAL, "deeper than 8");
	machine_close();
	free(nested);
	free(line);
}

static void assert_one_value(double times)
{
	assert_int_equal(attach(UCORE_LEVEL_SYSTEM), 0);
	run();
	assert_value(0, times * moved(0, UCORE_ANY, UCORE_ANY));
	assert_null(ucore_metrics_value(metrics, 1));
	machine_close();
}

/* A name that is chosen several times is counted once, with its latest definition */
static void redefined_name_is_counted_once(void **state)
{
	(void)state;
	machine_open("ivbep", "ivbep", 1);
	assert_int_equal(choose("x=2*UNC_M_CAS_COUNT.RD"), 0);
	assert_int_equal(choose("x=3*UNC_M_CAS_COUNT.RD"), 0);
	assert_one_value(3);

	machine_open("ivbep", "ivbep", 1);
	assert_int_equal(load("x=2*UNC_M_CAS_COUNT.RD\nx=A*5;A=UNC_M_CAS_COUNT.RD\n"), 0);
	assert_int_equal(choose("x*,X"), 0);
	assert_one_value(5);

	/* a pattern that matches the platform's metric chooses the user's definition */
	for (size_t i = 0; i < 2; i++) {
		machine_open("ivbep", "ivbep", 1);
		assert_int_equal(load("memory_bandwidth_read=7*UNC_M_CAS_COUNT.RD"), 0);
		assert_int_equal(choose(i ? "memory_bandwidth_rea?,memory_bandwidth_read" :
				 "memory_bandwidth_read,memory_bandwidth_rea[d]"), 0);
		assert_one_value(7);
	}

	/* each value of a parameter makes a separate metric */
	machine_open("ivbep", "ivbep", 1);
	assert_int_equal(choose("frequency_band1_residency:band1=12"), 0);
	chosen("frequency_band1_residency:band1=12", UCORE_LEVEL_SYSTEM);
	assert_non_null(ucore_metrics_value(metrics, 0));
	assert_null(ucore_metrics_value(metrics, 1));
	machine_close();
}

/* A truncated alias would be another event */
static void long_alias_is_refused(void **state)
{
	const size_t rest = strlen("imc/event=0x4,umask=3/");
	const struct { size_t zeros; int ret; } cases[] = {
		{ 100, 0 }, { UCORE_SPEC_LEN - 1 - rest, 0 }, { UCORE_SPEC_LEN - rest, -EINVAL },
		{ 1000, -EINVAL },
	};

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		char *zeros = repeat("0", cases[i].zeros, "", ""), *text;

		assert_true(asprintf(&text, "x=A;A=imc/event=0x%s4,umask=3/", zeros) > 0);
		machine_open("ivbep", "ivbep", 1);
		assert_int_equal(choose(text), 0);
		assert_int_equal(attach(UCORE_LEVEL_SYSTEM), cases[i].ret);
		if (cases[i].ret)
			assert_words(err.text, "metric 'x': alias 'A': too long. Use at most 191 characters");
		machine_close();
		free(text);
		free(zeros);
	}
}

static void alias_of_a_suffix_alone_is_refused(void **state)
{
	(void)state;
	machine_open("ivbep", "ivbep", 1);
	assert_int_equal(choose("x=A;A=[one]"), 0);
	assert_int_equal(attach(UCORE_LEVEL_SYSTEM), -EINVAL);
	assert_words(err.text, "metric 'x': alias 'A': names no event");
	machine_close();
}

/* ---- metrics that do not fit ------------------------------------------------- */

static void patterns_choose_metrics_that_fit(void **state)
{
	size_t nr = 0;

	(void)state;
	machine_open("spr", "spr", 1);
	assert_int_equal(choose("@IO"), 0);
	assert_int_equal(attach(UCORE_LEVEL_SYSTEM), 0);
	while (ucore_metrics_left_out(metrics, nr))
		nr++;
	/* more metrics than a CHA has counters for; the first ones fit */
	assert_true(nr > 0);
	assert_non_null(ucore_metrics_value(metrics, 3));
	run();
	for (size_t i = 0; ucore_metrics_value(metrics, i); i++)
		assert_false(isnan(value_at(i)));
	machine_close();

	machine_open("ivbep", "ivbep", 1);
	chosen("memory_bandwidth_*", UCORE_LEVEL_SYSTEM);
	assert_null(ucore_metrics_left_out(metrics, 0));
	assert_non_null(ucore_metrics_value(metrics, 3));
	machine_close();

	/* a metric chosen by name must be counted */
	machine_open("ivbep", "ivbep", 1);
	assert_int_equal(choose("llc_rfo_miss_rate,llc_code_read_miss_rate"), 0);
	assert_fails(attach(UCORE_LEVEL_SYSTEM), EADDRINUSE,
		     "metric 'llc_code_read_miss_rate'|filter_opc");
	machine_close();

	/* without the boxes, no metric of the category can be counted */
	machine_open("bdxde", "bdxep", 1);
	assert_int_equal(choose("@qpi"), 0);
	assert_fails(attach(UCORE_LEVEL_SYSTEM), ENOENT, "none can be counted|has no qpi");
	machine_close();
}

/* A metric chosen by name must be counted, also if a category contains it */
static void named_metric_is_not_left_out(void **state)
{
	char name[64];

	(void)state;
	machine_open("spr", "spr", 1);
	chosen("@IO", UCORE_LEVEL_SYSTEM);
	assert_non_null(ucore_metrics_left_out(metrics, 0));
	snprintf(name, sizeof(name), "%s", ucore_metrics_left_out(metrics, 0));
	machine_close();

	machine_open("spr", "spr", 1);
	assert_int_equal(choose("@IO"), 0);
	assert_int_equal(choose(name), 0);
	assert_fails(attach(UCORE_LEVEL_SYSTEM), ENOSPC, name);
	machine_close();
}

/* Offered metrics are left out for different reasons; other metrics are counted */
static void offered_metric_may_be_left_out(void **state)
{
	static const struct {
		const char *metric;
		int code;
		const char *words;
	} cases[] = {
		{ "llc_rfo_miss_rate", EADDRINUSE, "filter_opc" },
		{ "qpi_data_transmit_bw", EBUSY, "qpi1 of die 0|process 4711 (other)" },
		{ "x={nosuch/event=1/}/seconds", ENOENT, "nosuch" },
		{ "y=1+2", EINVAL, "no event" },
	};

	(void)state;
	machine_open("ivbep", "ivbep", 1);
	fake_own(fake_box("qpi", 1, 0));
	assert_int_equal(choose("llc_code_read_miss_rate"), 0);
	for (size_t i = 0; i < NR(cases); i++)
		assert_int_equal(ucore_metrics_offer(metrics, cases[i].metric, &err), 0);
	assert_int_equal(ucore_metrics_offer(metrics, "uncore_frequency", &err), 0);
	assert_fails(ucore_metrics_offer(metrics, "nosuch", &err), ENOENT, "unknown on this machine");
	assert_int_equal(attach(UCORE_LEVEL_SOCKET), 0);
	for (size_t i = 0; i < NR(cases); i++)
		assert_fails(ucore_metrics_left_out_error(metrics, i, &err), cases[i].code,
			     cases[i].words);
	assert_null(ucore_metrics_left_out(metrics, NR(cases)));
	assert_int_equal(ucore_metrics_left_out_error(metrics, NR(cases), &err), 0);
	run();
	assert_string_equal(ucore_metrics_value(metrics, 1)->metric->name, "uncore_frequency");
	assert_null(ucore_metrics_value(metrics, 2));
	machine_close();
}

/* All metrics were offered: attaching succeeds without values; a second set has its own level */
static void all_offered_metrics_may_be_left_out(void **state)
{
	struct ucore_metrics *others;

	(void)state;
	machine_open("ivbep", "ivbep", 1);
	assert_int_equal(ucore_metrics_offer(metrics, "y=1+2", &err), 0);
	assert_int_equal(attach(UCORE_LEVEL_BOX), 0);
	assert_null(ucore_metrics_value(metrics, 0));
	assert_null(ucore_session_event(session, 0));
	assert_int_equal(ucore_metrics_create(dev, &others, &err), 0);
	assert_int_equal(ucore_metrics_offer(others, "uncore_frequency", &err), 0);
	assert_int_equal(ucore_metrics_attach(others, session, UCORE_LEVEL_SOCKET, &err), 0);
	assert_int_equal(ucore_metrics_value(others, 0)->level, UCORE_LEVEL_SOCKET);
	run();
	ucore_metrics_evaluate(others, delta);
	assert_false(isnan(ucore_metrics_value(others, 0)->value));
	ucore_metrics_free(others);
	machine_close();
}

/* ---- boxes that cannot count ------------------------------------------- */

/* A ratio is over the boxes that count both events; the value says how many are missing */
static void metric_counts_boxes_that_have_all_its_events(void **state)
{
	const struct ucore_metric_value *value;

	(void)state;
	machine_open("ivbep", "ivbep", 2);
	ucore_session_set_partial(session, true);
	fake.boxes[fake_box("imc", 2, 1)].flags |= UCORE_BOX_F_DEAD;
	/* imc1 of die 0 refuses the second event of the metric */
	fake.refused_box = fake_box("imc", 1, 0);
	fake.refused_counter = 1;
	chosen("ratio=a/b; a=imc/CAS_COUNT.RD/; b=imc/CAS_COUNT.WR/", UCORE_LEVEL_SOCKET);
	run();
	for (size_t i = 0; i < 2; i++) {
		value = ucore_metrics_value(metrics, i);
		assert_int_equal(value->package, i);
		assert_int_equal(value->nr_boxes, 3);
		assert_int_equal(value->max_boxes, 4);
		assert_string_equal(value->boxes_type, "imc");
		assert_false(isnan(value->value));
	}
	machine_close();
}

static void box_without_all_events_has_no_value(void **state)
{
	size_t nr = 0;

	(void)state;
	machine_open("ivbep", "ivbep", 1);
	ucore_session_set_partial(session, true);
	fake.refused_box = fake_box("imc", 1, 0);
	fake.refused_counter = 1;
	chosen("sum=a+b; a=imc/CAS_COUNT.RD/; b=imc/CAS_COUNT.WR/", UCORE_LEVEL_BOX);
	run();
	for (; ucore_metrics_value(metrics, nr); nr++) {
		assert_int_not_equal(ucore_metrics_value(metrics, nr)->instance, 1);
		assert_int_equal(ucore_metrics_value(metrics, nr)->max_boxes, 1);
		assert_int_equal(ucore_metrics_value(metrics, nr)->nr_boxes, 1);
	}
	assert_int_equal(nr, 3);
	machine_close();
}

/* A box that dies while counting is missing until it responds again */
static void dying_box_is_missing_in_its_interval(void **state)
{
	static const uint32_t counted[] = { 4, 3, 4 };

	(void)state;
	machine_open("ivbep", "ivbep", 1);
	fake.dies = fake_box("imc", 2, 0);
	fake.dies_from = 2;
	fake.dies_to = 3;
	chosen("memory_bandwidth_total", UCORE_LEVEL_SYSTEM);
	for (size_t i = 0; i < NR(counted); i++) {
		run();
		assert_int_equal(ucore_metrics_value(metrics, 0)->nr_boxes, counted[i]);
		assert_int_equal(ucore_metrics_value(metrics, 0)->max_boxes, 4);
	}
	machine_close();
}

/* The clock of "[0]" comes from the next box if the first one cannot count */
static void first_box_that_can_count_is_used(void **state)
{
	const struct ucore_slot *slots;
	size_t nr;

	(void)state;
	machine_open("ivbep", "ivbep", 2);
	ucore_session_set_partial(session, true);
	fake.boxes[fake_box("cbo", 0, 1)].flags |= UCORE_BOX_F_DEAD;
	chosen("clock=a[0]/seconds; a=cbo/CLOCKTICKS/", UCORE_LEVEL_SOCKET);
	slots = ucore_session_slots(session, &nr);
	assert_int_equal(nr, 2);
	assert_int_equal(slots[0].instance, 0);
	assert_int_equal(slots[1].instance, 1);
	ucore_session_omissions(session, &nr);
	assert_int_equal(nr, 0);
	machine_close();
}

/* The local die's filter is set for each die separately; a die without a free box is omitted */
static void die_without_counters_is_omitted(void **state)
{
	const struct ucore_omission *omissions;
	size_t nr;

	(void)state;
	machine_open("ivbep", "ivbep", 2);
	ucore_session_set_partial(session, true);
	for (uint32_t i = 0; i < fake.nr_boxes; i++)
		if (!strcmp(fake.boxes[i].type, "cbo") && fake.boxes[i].die == 1)
			fake_own(i);
	chosen("local={cbo/TOR_INSERTS.NID_ALL,filter_nid=LOCAL_NODE/}", UCORE_LEVEL_SOCKET);
	run();
	assert_non_null(ucore_metrics_value(metrics, 0));
	assert_null(ucore_metrics_value(metrics, 1));
	omissions = ucore_session_omissions(session, &nr);
	assert_true(nr > 1);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(omissions[i].die, 1);
		assert_string_equal(omissions[i].text, "in use by process 4711 (other)");
	}
	machine_close();
}

/* A category leaves out what another session has, or what needs a permission */
static void category_leaves_out_what_cannot_be_counted(void **state)
{
	static const int codes[] = { EBUSY, EACCES, ENODEV };

	(void)state;
	for (size_t i = 0; i < NR(codes); i++) {
		size_t nr = 0;

		machine_open("ivbep", "ivbep", 1);
		assert_int_equal(choose("memory_bandwidth_total,@llc"), 0);
		fake.refused_type = "cbo";
		fake.refused_code = codes[i];
		assert_int_equal(attach(UCORE_LEVEL_SYSTEM), 0);
		assert_string_equal(ucore_metrics_value(metrics, 0)->metric->name,
				    "memory_bandwidth_total");
		while (ucore_metrics_left_out(metrics, nr))
			nr++;
		assert_true(nr > 1);
		assert_int_equal(ucore_metrics_left_out_error(metrics, 0, &err), -codes[i]);
		machine_close();
	}
}

/* If all are left out, each cause is named once */
static void all_left_out_names_each_cause_once(void **state)
{
	(void)state;
	machine_open("ivbep", "ivbep", 1);
	fake.refused_type = "qpi";
	fake.refused_code = EBUSY;
	assert_int_equal(choose("qpi_*"), 0);
	assert_fails(attach(UCORE_LEVEL_SYSTEM), EBUSY, "none can be counted");
	assert_non_null(strstr(err.text, "moment ago"));
	assert_null(strstr(strstr(err.text, "moment ago") + 1, "moment ago"));
	machine_close();
}

/* ---- all of them ------------------------------------------------------- */

static const struct {
	const char *platform, *machine;
	unsigned int dies;
	size_t nr;
} platforms[] = {
	{ "snbep", "ivbep", 2, 105 }, { "ivbep", "ivbep", 2, 109 }, { "hswep", "hswep", 2, 19 },
	{ "bdxep", "hswep", 2, 19 }, { "bdxde", "bdxde", 2, 17 }, { "skx", "skx", 2, 27 },
	{ "clx", "skx", 1, 30 }, { "cpx", "skx", 1, 30 }, { "spr", "spr", 1, 52 },
	{ "emr", "spr", 1, 42 }, { "gnr", "gnr", 1, 42 }, { "srf", "gnr", 1, 30 },
	{ "cwf", "gnr", 1, 32 }, { "grr", "gnr", 1, 12 },
	{ "icx", "icx", 2, 43 }, { "snr", "snr", 1, 17 },
	{ "snb", "skl", 1, 13 }, { "ivb", "skl", 1, 13 }, { "hsw", "skl", 1, 13 },
	{ "bdw", "skl", 1, 13 }, { "skl", "skl", 1, 16 }, { "icl", "icl", 1, 10 },
	{ "rkl", "skl", 1, 10 }, { "tgl", "tgl", 1, 7 }, { "tglh", "tgl", 1, 7 },
	{ "adl", "adl", 1, 8 }, { "mtl", "mtl", 1, 8 }, { "arl", "mtl", 1, 8 },
	{ "lnl", "mtl", 1, 4 }, { "ptl", "ptl", 1, 5 }, { "nhm", "nhm", 2, 8 },
	{ "wsm", "nhm", 1, 8 },
};

/* Set a value for the parameter of a metric */
static void filled_name(const struct ucore_metric_desc *desc, char *name, size_t size)
{
	const char *open = strstr(desc->where, "band");

	snprintf(name, size, "%s", desc->name);
	if (open && strstr(open, "=N/"))
		snprintf(name, size, "%s:band%c=12", desc->name, open[4]);
}

static void metric_is_counted(size_t p, const struct ucore_metric_desc *desc, uint32_t level)
{
	char name[128];

	filled_name(desc, name, sizeof(name));
	machine_open(platforms[p].machine, platforms[p].platform, platforms[p].dies);
	ucore_metrics_cores(metrics, 4);
	chosen(name, level);
	run();
	for (size_t i = 0; ucore_metrics_value(metrics, i); i++) {
		const struct ucore_metric_value *value = ucore_metrics_value(metrics, i);

		/* the fake does not have the speed of all links */
		if ((isnan(value->value) && !strstr(desc->where, "LINK_SPEED")) ||
		    !(value->level & desc->levels) || value->flags)
			fail_msg("%s of %s: %g at level %u", desc->name, platforms[p].platform,
				 value->value, value->level);
	}
	assert_non_null(ucore_metrics_value(metrics, 0));
	machine_close();
}

/* Check that a metric with an Omitted text really cannot be counted */
static void metric_does_not_fit(size_t p, const struct ucore_metric_desc *desc)
{
	char text[1024];
	int ret;

	machine_open(platforms[p].machine, platforms[p].platform, 1);
	assert_fails(choose(desc->name), ENXIO, desc->omitted);
	snprintf(text, sizeof(text), "x=%s;%s", desc->formula, desc->where);
	assert_int_equal(choose(text), 0);
	ret = attach(UCORE_LEVEL_SYSTEM);
	if (ret != -ENOSPC && ret != -EADDRINUSE)
		fail_msg("%s of %s can be counted (%d)", desc->name, platforms[p].platform, ret);
	machine_close();
}

static void metric_check(size_t p, const struct ucore_metric_desc *desc)
{
	assert_true(*desc->text && *desc->category && *desc->formula);
	assert_true(desc->levels & UCORE_LEVEL_SYSTEM);
	if (*desc->omitted) {
		metric_does_not_fit(p, desc);
		return;
	}
	for (uint32_t level = UCORE_LEVEL_SYSTEM; level <= UCORE_LEVEL_BOX; level <<= 1)
		metric_is_counted(p, desc, level);
}

static void table_metrics_are_countable_or_omitted(void **state)
{
	struct ucore_metric_desc desc;

	(void)state;
	for (size_t p = 0; p < NR(platforms); p++) {
		size_t i;

		for (i = 0; ucore_metric_at(platforms[p].platform, i, &desc); i++)
			metric_check(p, &desc);
		assert_int_equal(i, platforms[p].nr);
	}
	assert_false(ucore_metric_at("nosuch", 0, &desc));
}

/* The mask of the local node differs on each die */
static void local_node_mask_differs_per_die(void **state)
{
	(void)state;
	machine_open("ivbep", "snbep", 2);
	chosen("numa_reads_addressed_to_local_dram", UCORE_LEVEL_SYSTEM);
	for (unsigned int e = 0; e < fake.nr_events; e++)
		for (unsigned int t = 0; t < fake.events[e].nr_terms; t++)
			if (fake.events[e].terms[t].field == UCORE_FIELD_FILTER_NID)
				assert_int_equal(fake.events[e].terms[t].value,
						 1 << fake.boxes[fake.events[e].box].die);
	run();
	assert_value(0, 100 * (moved(0, 0, UCORE_ANY) + moved(1, 1, UCORE_ANY)) /
		     moved(2, UCORE_ANY, UCORE_ANY));
	machine_close();
}

/* FILTER_VALUE of a CHA of Skylake-SP is split into fields */
static void cha_filter_value_is_split(void **state)
{
	static const struct { const char *metric; uint32_t filter1; } cases[] = {
		{ "llc_data_read_demand_plus_prefetch_miss_latency", 0x40433 },
		{ "llc_data_read_demand_plus_prefetch_miss_latency_for_local_requests", 0x40432 },
		{ "llc_data_read_demand_plus_prefetch_miss_latency_for_remote_requests", 0x40431 },
		{ "Info_System_MEM_Read_Latency", 0x40433 },
	};
	static const struct { uint32_t field; unsigned int shift; } fields[] = {
		{ UCORE_FIELD_FILTER_REM, 0 }, { UCORE_FIELD_FILTER_LOC, 1 },
		{ UCORE_FIELD_FILTER_ALL_OP, 3 }, { UCORE_FIELD_FILTER_NM, 4 },
		{ UCORE_FIELD_FILTER_NOT_NM, 5 }, { UCORE_FIELD_FILTER_OPC_0, 9 },
		{ UCORE_FIELD_FILTER_OPC_1, 19 },
	};

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		unsigned int filtered = 0;

		machine_open("skx", "skx", 1);
		chosen(cases[i].metric, UCORE_LEVEL_SYSTEM);
		for (unsigned int e = 0; e < fake.nr_events; e++) {
			const struct fake_event *event = &fake.events[e];
			uint32_t word = 0;

			for (unsigned int t = 0; t < event->nr_terms; t++)
				for (size_t f = 0; f < NR(fields); f++)
					if (event->terms[t].field == fields[f].field)
						word |= (uint32_t)event->terms[t].value <<
							fields[f].shift;
			/* the clock event has no filter */
			filtered += word != 0;
			if (word && word != cases[i].filter1)
				fail_msg("%s: %#x", cases[i].metric, word);
		}
		assert_int_equal(filtered, 2 * 28);
		machine_close();
	}
}

/* One event covers all four ports of each stack */
static void stack_traffic_covers_all_ports(void **state)
{
	(void)state;
	machine_open("skx", "skx", 2);
	chosen("io_bandwidth_read,io_bandwidth_write", UCORE_LEVEL_SOCKET);
	assert_non_null(ucore_session_event(session, 1));
	assert_null(ucore_session_event(session, 2));
	for (unsigned int e = 0; e < fake.nr_events; e++)
		for (unsigned int t = 0; t < fake.events[e].nr_terms; t++)
			if (fake.events[e].terms[t].field == UCORE_FIELD_CH_MASK)
				assert_int_equal(fake.events[e].terms[t].value, 0xf);
	run();
	assert_value(1, moved(0, 1, UCORE_ANY) * 4 / 1e6 / SECONDS);
	assert_value(2, moved(1, 0, UCORE_ANY) * 4 / 1e6 / SECONDS);
	machine_close();
}

static void second_attach_is_refused(void **state)
{
	(void)state;
	/* the same metrics cannot be attached to a second session */
	machine_open("ivbep", "ivbep", 1);
	chosen("page_hit_rate", UCORE_LEVEL_SYSTEM);
	assert_fails(attach(UCORE_LEVEL_SYSTEM), EALREADY, "already attached");
	machine_close();
	ucore_metrics_free(NULL);
	ucore_delta_free(NULL);
}

/* ---- deltas ------------------------------------------------------------ */

static void older_deltas_give_no_values(void **state)
{
	struct ucore_snapshot snap;

	(void)state;
	machine_open("ivbep", "ivbep", 1);
	assert_int_equal(ucore_delta_create(session, &delta, &err), 0);
	chosen("memory_bandwidth_read", UCORE_LEVEL_SYSTEM);
	assert_int_equal(ucore_session_start(session, &err), 0);
	assert_int_equal(ucore_session_read(session, 0, &snap, &err), 0);
	ucore_delta_update(delta, &snap);
	ucore_metrics_evaluate(metrics, delta);
	assert_true(isnan(value_at(0)));
	machine_close();
}

static void deltas_are_differences(void **state)
{
	const struct ucore_delta_value *values;
	struct ucore_snapshot snap;
	size_t nr;

	(void)state;
	machine_open("ivbep", "ivbep", 2);
	ucore_session_destroy(session);
	session = session_get(dev, NULL, "imc/CAS_COUNT.RD/", NULL);
	assert_int_equal(ucore_delta_create(session, &delta, &err), 0);
	assert_int_equal(ucore_session_start(session, &err), 0);
	for (unsigned int round = 0; round < 3; round++) {
		assert_int_equal(ucore_session_read(session, 0, &snap, &err), 0);
		ucore_delta_update(delta, &snap);
		values = ucore_delta_values(delta, &nr);
		assert_int_equal(nr, 8);
		for (size_t i = 0; i < nr; i++) {
			assert_int_equal(values[i].count, fake_step(&fake.events[i]));
			assert_int_equal(values[i].enabled, 1000000000);
			assert_int_equal(values[i].running, 900000000);
		}
	}
	/* with the flag set they count all the time, and no time goes backwards */
	fake.value_flags = UCORE_VALUE_F_UNFROZEN;
	assert_int_equal(ucore_session_read(session, 0, &snap, &err), 0);
	ucore_delta_update(delta, &snap);
	assert_int_equal(values[0].running, 1300000000);
	assert_int_equal(values[0].flags, UCORE_VALUE_F_UNFROZEN);
	fake.value_flags = 0;
	assert_int_equal(ucore_session_read(session, 0, &snap, &err), 0);
	ucore_delta_update(delta, &snap);
	assert_int_equal(values[0].running, 500000000);
	machine_close();
}

/* ---- what events count ------------------------------------------------- */

static const char *text_of(const char *platform, const char *name, bool *whole)
{
	static char text[UCORE_EVENT_TEXT_LEN];
	struct ucore_event_desc desc;

	if (!ucore_platform_event(ucore_platform_find(platform), NULL, name, &desc))
		fail_msg("no event %s", name);
	*whole = ucore_event_desc_text(&desc, text, sizeof(text));
	return text;
}

static void events_are_described(void **state)
{
	static const struct { const char *platform, *name, *words; } cases[] = {
		{ "spr", "UNC_M_CAS_COUNT.RD", "Cache lines read from DRAM, 64 bytes each" },
		{ "core", "LLC_MISSES", "Requests of the core that missed" },
		{ "spr", "UNC_CHA_TOR_INSERTS.IA_MISS_RFO_LOCAL",
		  "(TOR): of cores, that missed the last-level cache, reads for ownership (stores), this socket" },
		{ "ivbep", "UNC_M_RD_CAS_RANK3.BANK5", "reads of rank 3: bank 5" },
		{ "ivbep", "UNC_M_DCLK", "on its fixed counter" },
	};
	bool whole;

	(void)state;
	for (size_t i = 0; i < NR(cases); i++) {
		assert_words(text_of(cases[i].platform, cases[i].name, &whole), cases[i].words);
		assert_true(whole);
	}
	/* unknown parts are copied literally, and the result is false */
	assert_words(text_of("ivbep", "UNC_M_WRONG_MM", &whole), "WRONG, MM");
	assert_false(whole);
}

/* A text that is longer than the buffer is truncated */
static void long_description_is_truncated(void **state)
{
	struct ucore_event_desc desc;
	char text[16];

	(void)state;
	assert_true(ucore_platform_event(ucore_platform_find("spr"), NULL,
					 "UNC_CHA_TOR_INSERTS.IA_MISS_RFO_LOCAL", &desc));
	ucore_event_desc_text(&desc, text, sizeof(text));
	assert_int_equal(strlen(text), sizeof(text) - 1);
}

/* All events have a text that is not truncated; nine tenths of each platform are complete */
static void most_descriptions_are_complete(void **state)
{
	const struct ucore_platform *platform;
	char text[UCORE_EVENT_TEXT_LEN];
	struct ucore_event_desc desc;

	(void)state;
	for (size_t p = 0; (platform = ucore_platform_at(p)); p++) {
		size_t whole = 0, nr = ucore_platform_nr_events(platform);

		for (size_t i = 0; i < nr; i++) {
			ucore_platform_event_at(platform, i, &desc);
			whole += ucore_event_desc_text(&desc, text, sizeof(text));
			if (strlen(text) < 2 || strlen(text) > sizeof(text) - 2)
				fail_msg("%s: %s", desc.name, text);
		}
		if (10 * whole < 9 * nr)
			fail_msg("%s: %zu of %zu", ucore_platform_name(platform), whole, nr);
	}
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test(formulas_are_computed),
	cmocka_unit_test(undefined_results_are_nan),
	cmocka_unit_test(malformed_formulas_are_refused),
	cmocka_unit_test(formula_limits_are_enforced),
	TEST(bandwidth_has_values_at_each_level),
	TEST(shared_event_is_counted_once),
	TEST(evaluation_needs_one_read),
	TEST(memory_bandwidth_adds_ddr_and_hbm),
	TEST(memory_bandwidth_of_a_box_is_of_one_memory),
	TEST(memory_bandwidth_needs_one_kind_of_memory),
	TEST(formula_constants_are_evaluated),
	TEST(cores_per_socket_is_evaluated),
	TEST(link_speed_gives_utilization),
	TEST(first_index_selects_one_box_per_socket),
	TEST(unsupported_level_is_raised),
	TEST(definitions_are_evaluated),
	TEST(unknown_name_does_not_suggest_its_own_metric),
	TEST(invalid_names_and_definitions_are_refused),
	TEST(definitions_are_loaded_from_a_file),
	TEST(redefined_name_is_counted_once),
	TEST(long_alias_is_refused),
	TEST(alias_of_a_suffix_alone_is_refused),
	TEST(patterns_choose_metrics_that_fit),
	TEST(named_metric_is_not_left_out),
	TEST(offered_metric_may_be_left_out),
	TEST(all_offered_metrics_may_be_left_out),
	TEST(metric_counts_boxes_that_have_all_its_events),
	TEST(box_without_all_events_has_no_value),
	TEST(dying_box_is_missing_in_its_interval),
	TEST(first_box_that_can_count_is_used),
	TEST(die_without_counters_is_omitted),
	TEST(category_leaves_out_what_cannot_be_counted),
	TEST(all_left_out_names_each_cause_once),
	TEST(table_metrics_are_countable_or_omitted),
	TEST(local_node_mask_differs_per_die),
	TEST(cha_filter_value_is_split),
	TEST(stack_traffic_covers_all_ports),
	TEST(second_attach_is_refused),
	TEST(older_deltas_give_no_values),
	TEST(deltas_are_differences),
	TEST(events_are_described),
	TEST(long_description_is_truncated),
	TEST(most_descriptions_are_complete),
};

UNIT_MAIN(tests)
