// SPDX-License-Identifier: GPL-2.0-only
/*
 * KUnit tests of the discovery parser: DVSECs, BARs, and one case for each reason why a table
 * or a unit is not used. A bad record is placed between two good ones.
 *
 * Records are written with bit numbers, not with the driver's own header.
 */
#include <kunit/test.h>

#include "find/discovery/parse_tables.h"
#include "find/discovery/record.h"
#include "find/discovery/register_address_check.h"
#include "find/discovery/unit_check.h"
#include "platforms/match.h"

#define MSR	0ULL
#define MMIO	1ULL
#define PCI	2ULL

#define W0(access, regs, ctl, width, ctr, status) \
	((access) << 62 | (u64)(status) << 32 | (u64)(ctr) << 24 | (u64)(width) << 16 | \
	 (u64)(ctl) << 8 | (regs))
#define W2(type, id)		((u64)(id) << 16 | (type))
#define G0(access, stride, units) \
	((u64)(access) << 62 | (u64)(units) << 16 | (u64)(stride) << 8)
#define DEVFN(slot, function)	((u64)(slot) << 15 | (u64)(function) << 12)
#define BUS(bus)		((u64)(bus) << 20)

/* Plain records of each access type: four counters of 48 bits */
#define MSR_WORD	W0(MSR, 4, 2, 48, 8, 1)
#define IMC_WORD	W0(MMIO, 4, 0x40, 48, 8, 0)
#define PCI_WORD	W0(PCI, 4, 0x38, 48, 8, 4)

#define PHYS_BITS	46
#define RAM_START	0x100000000ULL
#define RAM_END		0x200000000ULL

#define MAX_TABLES	9
#define TABLE_WORDS	(1024 * 3)
#define CONFIG_DWORDS	1024

struct bench {
	struct ucore_disc_env env;
	struct ucore_disc disc;
	struct mem_source {
		struct ucore_disc_source source;
		u64 *word;
	} source[MAX_TABLES];
	struct mem_config {
		struct ucore_disc_config config;
		u32 *dword;
		u32 reads;
	} config;
	struct kunit *test;
};

static bool env_on_ram(const struct ucore_disc_env *env, u64 address, u64 size)
{
	return address < RAM_END && address + size > RAM_START;
}

/* Properties of functions, by function number */
#define HOST_BRIDGE	2
#define DRIVEN		3
#define PORT		4
#define WITH_CAPS	5	/* capabilities at 100h to 13fh */

/* Slots 0 to 9 have functions. Those of slot 9 are not PCI Express. */
static bool env_function(const struct ucore_disc_env *env, u32 segment, u32 bus, u32 devfn,
			 struct ucore_disc_function *function)
{
	static const u32 classes[8] = {
		0, 0x088000, [HOST_BRIDGE] = 0x060000, [DRIVEN] = 0x110100, [PORT] = 0x060400,
	};

	if (segment || bus != 0x7e || devfn >> 3 > 9)
		return false;
	function->size = devfn >> 3 == 9 ? 256 : 4096;
	function->class = classes[devfn & 7];
	function->driven = (devfn & 7) == DRIVEN || (devfn & 7) == PORT;
	if ((devfn & 7) == WITH_CAPS)
		function->taken[1] = 0xffff;
	return true;
}

/* Units at this address do not answer. */
#define SILENT		0x2f80ULL

static bool env_answers(const struct ucore_disc_env *env, const struct ucore_unit *unit)
{
	return unit->word[1] != SILENT;
}

#define ECAM_START	0xb0000000ULL
#define ECAM_END	0xc0000000ULL
#define PORT_START	0xc1000000ULL
#define PORT_END	0xc1001000ULL

static struct ucore_region regions[] = {
	{ 0xfec00000, 0xfef00000 },
	{ ECAM_START, ECAM_END },
	{ PORT_START, PORT_END, .port = true },
};

static void source_copy(const struct ucore_disc_source *source, u64 *to, u64 offset, u32 words)
{
	const struct mem_source *mem = container_of_const(source, struct mem_source, source);

	if (WARN_ON(offset + words * sizeof(u64) > source->size))
		return;
	memcpy(to, (u8 *)mem->word + offset, words * sizeof(u64));
}

static u32 config_read(const struct ucore_disc_config *config, u32 reg)
{
	struct mem_config *mem = container_of((void *)config, struct mem_config, config);

	if (WARN_ON(reg % 4 || reg + 4 > config->size))
		return 0xdeadbeef;
	mem->reads++;
	return mem->dword[reg / 4];
}

static int bench_init(struct kunit *test)
{
	struct bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	fake_kernel_reset();
	test->priv = b;
	b->test = test;
	b->env = (struct ucore_disc_env){
		.phys_bits = PHYS_BITS,
		.foreign = { .region = regions, .nr = ARRAY_SIZE(regions) },
		.on_ram = env_on_ram, .function = env_function, .answers = env_answers,
	};
	b->disc.env = &b->env;
	b->disc.rules = ucore_platform_spr.table;
	b->config.config.read = config_read;
	b->config.config.size = 4 * CONFIG_DWORDS;
	b->config.dword = kunit_kcalloc(test, CONFIG_DWORDS, 4, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, b->config.dword);
	return 0;
}

/* Free all results, and prepare the next discovery. */
static void bench_again(struct bench *b)
{
	ucore_parse_free(&b->disc);
	KUNIT_EXPECT_EQ(b->test, b->disc.nr_units, 0U);
	b->disc.env = &b->env;
	b->disc.rules = ucore_platform_spr.table;
}

static void bench_exit(struct kunit *test)
{
	struct bench *b = test->priv;

	if (b)
		ucore_parse_free(&b->disc);
}

/* Add a table. The caller fills in its words. */
static u64 *table_add(struct bench *b, s32 die)
{
	u32 i = b->disc.nr_tables++;

	if (!i)
		b->disc.table = kvcalloc(MAX_TABLES, sizeof(*b->disc.table), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(b->test, b->disc.table);
	b->disc.table[i].die = die;
	b->source[i].word = kunit_kcalloc(b->test, TABLE_WORDS, sizeof(u64), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(b->test, b->source[i].word);
	b->source[i].source.copy = source_copy;
	b->source[i].source.size = TABLE_WORDS * sizeof(u64);
	return b->source[i].word;
}

/* Write a record of three words. */
static void record_set(u64 *word, u32 record, u64 w0, u64 w1, u64 w2)
{
	word[3 * record] = w0;
	word[3 * record + 1] = w1;
	word[3 * record + 2] = w2;
}

static void global_set(u64 *word, u32 units)
{
	record_set(word, 0, G0(MSR, 3, units), 0x2ff0, 0x4008);
}

static u64 *plain_table(struct bench *b, s32 die, u32 units)
{
	u64 *word = table_add(b, die);

	global_set(word, units);
	return word;
}

static int parse_one(struct bench *b, u32 i)
{
	ucore_parse_global(&b->disc, &b->disc.table[i], &b->source[i].source);
	if (b->disc.table[i].reason)
		return 0;
	return ucore_parse_units(&b->disc, i, &b->source[i].source);
}

static void parse(struct bench *b)
{
	u32 i;

	for (i = 0; i < b->disc.nr_tables; i++)
		KUNIT_ASSERT_EQ(b->test, parse_one(b, i), 0);
}

static struct ucore_unit *unit_of(struct bench *b, u32 i)
{
	KUNIT_ASSERT_LT(b->test, i, b->disc.nr_units);
	return &b->disc.unit[i];
}

#define EXPECT_UNIT(b, i, _reason) \
	KUNIT_EXPECT_EQ((b)->test, unit_of(b, i)->reason, (u32)UCORE_UNIT_##_reason)
#define EXPECT_TABLE(b, i, _reason) \
	KUNIT_EXPECT_EQ((b)->test, (b)->disc.table[i].reason, (u32)UCORE_TABLE_##_reason)

/* ---- a record between two good ones ---- */

struct record_case {
	const char *name;
	u64 word[3];
	u32 reason;
	u32 other;
};

#define CASE(_name, w0, w1, w2, _reason) \
	{ .name = (_name), .word = { (w0), (w1), (w2) }, .reason = UCORE_UNIT_##_reason }
#define CONFLICT(_name, w0, w1, w2, _reason, _other) \
	{ .name = (_name), .word = { (w0), (w1), (w2) }, .reason = UCORE_UNIT_##_reason, \
	  .other = (_other) }

/* A CHA has 15 MSRs, the last one is its filter. A unit of type 99 has 12. */
#define UNKNOWN		W2(99, 1)
#define ON_7E(slot, offset)	(BUS(0x7e) | DEVFN(slot, 1) | (offset))
#define ON_FN(function, offset)	(BUS(0x7e) | DEVFN(3, function) | (offset))

static const struct record_case record_cases[] = {
	CASE("all zero", 0, 0, 0, ZERO),
	CASE("word 0 zero", 0, 0x2010, W2(0, 1), ZERO),
	CASE("no address", MSR_WORD, 0, W2(0, 1), ZERO),
	CASE("all ones", ~0ULL, ~0ULL, ~0ULL, ALL_ONES),
	CASE("word 0 ones", ~0ULL, 0x2010, W2(0, 1), ALL_ONES),
	CASE("address ones", MSR_WORD, ~0ULL, W2(0, 1), ALL_ONES),
	CASE("word 2 ones", MSR_WORD, 0x2010, ~0ULL, ALL_ONES),
	CASE("ones before zero", 0, ~0ULL, 0, ALL_ONES),
	CASE("access 3", W0(3ULL, 4, 2, 48, 8, 1), 0x2010, W2(0, 1), ACCESS),
	CASE("no counters", W0(MSR, 0, 2, 48, 8, 1), 0x2010, W2(0, 1), NO_COUNTERS),
	CASE("8 counters", W0(MSR, 8, 1, 48, 9, 0), 0x2100, UNKNOWN, OK),
	CASE("9 counters", W0(MSR, 9, 1, 48, 0x10, 0), 0x2100, UNKNOWN, COUNTERS),
	CASE("255 counters", W0(MSR, 255, 1, 48, 9, 0), 0x2100, UNKNOWN, COUNTERS),
	CASE("width 0", W0(MSR, 4, 2, 0, 8, 1), 0x2010, W2(0, 1), WIDTH),
	CASE("width 1", W0(MSR, 4, 2, 1, 8, 1), 0x2010, W2(0, 1), OK),
	CASE("width 64", W0(MSR, 4, 2, 64, 8, 1), 0x2010, W2(0, 1), OK),
	CASE("width 65", W0(MSR, 4, 2, 65, 8, 1), 0x2010, W2(0, 1), WIDTH),
	CASE("width 255", W0(MSR, 4, 2, 255, 8, 1), 0x2010, W2(0, 1), WIDTH),
	CASE("control offset 0", W0(MSR, 4, 0, 48, 8, 1), 0x2010, W2(0, 1), OFFSET),
	CASE("counter offset 0", W0(MSR, 4, 2, 48, 0, 1), 0x2010, W2(0, 1), OFFSET),

	CASE("counters on controls", W0(MSR, 4, 2, 48, 2, 0), 0x2010, W2(0, 1), SELF_OVERLAP),
	CASE("counters on the last control", W0(MSR, 4, 2, 48, 5, 0), 0x2010, W2(0, 1),
	     SELF_OVERLAP),
	CASE("counters behind the last control", W0(MSR, 4, 2, 48, 6, 0), 0x2010, W2(0, 1), OK),
	CASE("controls on the last counter", W0(MSR, 4, 5, 48, 2, 0), 0x2010, W2(0, 1),
	     SELF_OVERLAP),
	CASE("MMIO: controls in counters", W0(MMIO, 4, 0x24, 48, 8, 0), 0xc8000000, UNKNOWN,
	     SELF_OVERLAP),
	CASE("PCI: controls of 64 bits", W0(PCI, 4, 0x10, 48, 0x2c, 0), ON_7E(1, 0x100), UNKNOWN,
	     SELF_OVERLAP),
	CASE("PCI: and room for them", W0(PCI, 4, 0x10, 48, 0x30, 0), ON_7E(1, 0x100), UNKNOWN,
	     OK),

	CASE("MSR dff", W0(MSR, 4, 1, 48, 5, 0), 0xdff, UNKNOWN, WINDOW),
	CASE("MSR e00: bandwidth of cores", W0(MSR, 4, 1, 48, 5, 0), 0xe00, UNKNOWN, FOREIGN),
	CASE("MSR fff", W0(MSR, 4, 1, 48, 5, 0), 0xfff, UNKNOWN, FOREIGN),
	CASE("MSR of global status", W0(MSR, 4, 1, 48, 6, 0), 0x2ff8, UNKNOWN, FOREIGN),
	CASE("MSR to global status", W0(MSR, 1, 1, 48, 2, 0), 0x2ff6, UNKNOWN, FOREIGN),
	CASE("MSR up to global status", W0(MSR, 1, 1, 48, 2, 0), 0x2ff5, UNKNOWN, OK),
	CASE("MSR of the CHA count", W0(MSR, 1, 1, 48, 2, 0), 0x2ffc, UNKNOWN, FOREIGN),
	CASE("MSR behind the CHA count", W0(MSR, 1, 1, 48, 2, 0), 0x2fff, UNKNOWN, OK),
	CASE("MSR of IIO's free clock", W0(MSR, 1, 1, 48, 2, 0), 0x340d, UNKNOWN, FOREIGN),
	CASE("MSR of IIO's first free port", W0(MSR, 4, 1, 48, 6, 0), 0x3800, UNKNOWN, FOREIGN),
	CASE("MSR of IIO's last free port", W0(MSR, 1, 1, 48, 2, 0), 0x39ff, UNKNOWN, FOREIGN),
	CASE("MSR behind IIO's free ports", W0(MSR, 1, 1, 48, 2, 0), 0x3a00, UNKNOWN, OK),
	CASE("MSR that does not answer", W0(MSR, 4, 1, 48, 5, 0), SILENT, UNKNOWN, NO_ANSWER),
	CASE("MSR 1000", W0(MSR, 4, 1, 48, 5, 0), 0x1000, UNKNOWN, WINDOW),
	CASE("MSR 10: the clock", W0(MSR, 4, 1, 48, 5, 0), 0x10, UNKNOWN, WINDOW),
	CASE("MSR 1ffe", W0(MSR, 4, 1, 48, 5, 0), 0x1fff, UNKNOWN, WINDOW),
	CASE("MSR to ffff", W0(MSR, 4, 1, 48, 5, 0), 0xfff7, UNKNOWN, OK),
	CASE("MSR to 10000", W0(MSR, 4, 1, 48, 5, 0), 0xfff8, UNKNOWN, WINDOW),
	CASE("MSR 10000", W0(MSR, 4, 1, 48, 5, 0), 0x10000, UNKNOWN, WINDOW),
	CASE("MSR of 33 bits", W0(MSR, 4, 1, 48, 5, 0), 0x100002000ULL, UNKNOWN, WINDOW),
	CASE("MSR that wraps", W0(MSR, 4, 1, 48, 0x20, 0), ~0ULL - 8, UNKNOWN, WINDOW),
	CASE("MSR: counters that wrap", W0(MSR, 4, 1, 48, 0xf0, 0), ~0ULL - 0xf1, UNKNOWN, WINDOW),
	CASE("MSR: far counters", W0(MSR, 4, 1, 48, 0xff, 0), 0xff00, UNKNOWN, WINDOW),
	CASE("MMIO to the end", W0(MMIO, 4, 0x28, 48, 8, 0), (1ULL << PHYS_BITS) - 0x38, UNKNOWN,
	     OK),
	CASE("MMIO beyond the end", W0(MMIO, 4, 0x28, 48, 8, 0), (1ULL << PHYS_BITS) - 0x30,
	     UNKNOWN, WINDOW),
	CASE("MMIO at the end", IMC_WORD, 1ULL << PHYS_BITS, UNKNOWN, WINDOW),
	CASE("MMIO of 64 bits", IMC_WORD, ~0ULL - 7, UNKNOWN, WINDOW),
	CASE("PCI 3c: in the header", PCI_WORD, ON_7E(1, 0x3c), UNKNOWN, WINDOW),
	CASE("PCI 40", PCI_WORD, ON_7E(1, 0x40), UNKNOWN, OK),
	CASE("PCI to 1000", PCI_WORD, ON_7E(1, 0x1000 - 0x58), UNKNOWN, OK),
	CASE("PCI beyond 1000", PCI_WORD, ON_7E(1, 0x1000 - 0x54), UNKNOWN, WINDOW),
	CASE("PCI to 100 of 100", PCI_WORD, ON_7E(9, 0x100 - 0x58), UNKNOWN, OK),
	CASE("PCI beyond 100 of 100", PCI_WORD, ON_7E(9, 0x100 - 0x54), UNKNOWN, WINDOW),
	CASE("PCI of 33 bits", PCI_WORD, ON_7E(1, 0x100) | 1ULL << 32, UNKNOWN, WINDOW),
	CASE("PCI: no such slot", PCI_WORD, ON_7E(10, 0x100), UNKNOWN, FUNCTION),
	CASE("PCI: no such bus", PCI_WORD, BUS(0x7f) | DEVFN(1, 1) | 0x100, UNKNOWN, FUNCTION),
	CASE("PCI: no such segment", PCI_WORD, ON_7E(1, 0x100) | 1ULL << 28, UNKNOWN, FUNCTION),

	CASE("PCI: a host bridge", PCI_WORD, ON_FN(HOST_BRIDGE, 0x60), UNKNOWN, FOREIGN),
	CASE("PCI: a driver is bound", PCI_WORD, ON_FN(DRIVEN, 0x200), UNKNOWN, FOREIGN),
	CASE("PCI: a port", PCI_WORD, ON_FN(PORT, 0x200), UNKNOWN, FOREIGN),
	CASE("PCI: a port's own unit", PCI_WORD, ON_FN(PORT, 0x200), W2(10, 1), OK),
	CASE("PCI: up to capabilities", PCI_WORD, ON_FN(WITH_CAPS, 0x100 - 0x58), UNKNOWN, OK),
	CASE("PCI: to capabilities", PCI_WORD, ON_FN(WITH_CAPS, 0x100 - 0x54), UNKNOWN, FOREIGN),
	CASE("PCI: on the last one", PCI_WORD, ON_FN(WITH_CAPS, 0x13c), UNKNOWN, FOREIGN),
	CASE("PCI: behind capabilities", PCI_WORD, ON_FN(WITH_CAPS, 0x140), UNKNOWN, OK),

	CASE("MMIO: the local APIC", IMC_WORD, 0xfee00000, UNKNOWN, FOREIGN),
	CASE("MMIO: up to config space", IMC_WORD, ECAM_START - 0x50, UNKNOWN, OK),
	CASE("MMIO: to config space", IMC_WORD, ECAM_START - 0x48, UNKNOWN, FOREIGN),
	CASE("MMIO: inside config space", IMC_WORD, ECAM_START + 0x100060, UNKNOWN, FOREIGN),
	CASE("MMIO: the end of config space", IMC_WORD, ECAM_END - 8, UNKNOWN, FOREIGN),
	CASE("MMIO: behind config space", IMC_WORD, ECAM_END, UNKNOWN, OK),
	CASE("MMIO: a port's BAR", IMC_WORD, PORT_START, UNKNOWN, FOREIGN),
	CASE("MMIO: a memory controller in it", IMC_WORD, PORT_START, W2(6, 1), FOREIGN),
	CASE("MMIO: a CXL box in it", W0(MMIO, 4, 0x48, 48, 8, 0), PORT_START, W2(12, 1), OK),
	CASE("MMIO at 2", IMC_WORD, 0xc8000002, UNKNOWN, ALIGN),
	CASE("MMIO: counters at 4", IMC_WORD, 0xc8000004, UNKNOWN, ALIGN),
	CASE("MMIO: counters at 8", W0(MMIO, 4, 0x40, 48, 0xc, 0), 0xc8000004, UNKNOWN, OK),
	CASE("MMIO: controls at 2", W0(MMIO, 4, 0x42, 48, 8, 0), 0xc8000000, UNKNOWN, ALIGN),
	CASE("MMIO: counter offset 4", W0(MMIO, 4, 0x40, 48, 0xc, 0), 0xc8000000, UNKNOWN, ALIGN),
	CASE("PCI: control at 2", PCI_WORD, ON_7E(1, 0x102), UNKNOWN, ALIGN),
	CASE("PCI: controls at 1", W0(PCI, 4, 0x39, 48, 8, 0), ON_7E(1, 0x100), UNKNOWN, ALIGN),
	CASE("PCI: counters at 2", W0(PCI, 4, 0x38, 48, 0xa, 0), ON_7E(1, 0x100), UNKNOWN, ALIGN),
	CASE("PCI: counters at 4", W0(PCI, 4, 0x38, 48, 0xc, 0), ON_7E(1, 0x100), UNKNOWN, OK),
	CASE("MSRs need no alignment", W0(MSR, 4, 3, 48, 9, 1), 0x2101, UNKNOWN, OK),

	CASE("on RAM", IMC_WORD, RAM_START + 0x1000, UNKNOWN, RAM),
	CASE("counters reach into RAM", IMC_WORD, RAM_START - 0x48, UNKNOWN, RAM),
	CASE("up to RAM", IMC_WORD, RAM_START - 0x50, UNKNOWN, OK),
	CASE("behind RAM", IMC_WORD, RAM_END, UNKNOWN, OK),

	CONFLICT("name of the first", MSR_WORD, 0x2100, W2(0, 0), DUPLICATE, 1),
	CASE("same id, another type", MSR_WORD, 0x2100, W2(1, 0), OK),
	CASE("same type, another id", MSR_WORD, 0x2100, W2(0, 7), OK),
	CONFLICT("registers of the first", MSR_WORD, 0x2000, W2(0, 1), OVERLAP, 1),
	CONFLICT("last register of the first", MSR_WORD, 0x200e, W2(0, 1), OVERLAP, 1),
	CASE("behind the last register of the first", MSR_WORD, 0x200f, W2(0, 1), OK),
	CONFLICT("box control of the first", W0(MSR, 4, 2, 48, 8, 0), 0x1000 + 0x1000 - 0xb + 0xb,
		 UNKNOWN, OVERLAP, 1),
	CONFLICT("a gap of the first", W0(MSR, 1, 1, 48, 2, 0), 0x200c, UNKNOWN, OVERLAP, 1),
	CASE("inside a gap of the first", W0(MSR, 1, 1, 48, 0x20, 0), 0x200c, UNKNOWN, OK),
	CONFLICT("global control: its box control", MSR_WORD, 0x2ff0, UNKNOWN, OVERLAP, 0),
	CONFLICT("global control: a control", MSR_WORD, 0x2fee, UNKNOWN, OVERLAP, 0),
	CONFLICT("global control: the last counter", MSR_WORD, 0x2fe5, UNKNOWN, OVERLAP, 0),
	CASE("behind global control", MSR_WORD, 0x2ff1, UNKNOWN, OK),
	CASE("as an MMIO address that is no MSR", IMC_WORD, 0x2000, UNKNOWN, OK),
};

static void record_name(const struct record_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(record, record_cases, record_name);

/* The record in the middle is checked. Its neighbours must be boxes in any case. */
static void bad_record_does_not_affect_its_neighbours(struct kunit *test)
{
	const struct record_case *c = test->param_value;
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 3);

	record_set(word, 1, MSR_WORD, 0x2000, W2(0, 0));
	record_set(word, 2, c->word[0], c->word[1], c->word[2]);
	record_set(word, 3, MSR_WORD, 0x2040, W2(0, 2));
	parse(b);
	KUNIT_ASSERT_EQ(test, b->disc.nr_units, 3U);
	EXPECT_TABLE(b, 0, OK);
	EXPECT_UNIT(b, 0, OK);
	KUNIT_EXPECT_EQ(test, unit_of(b, 1)->reason, c->reason);
	KUNIT_EXPECT_EQ(test, unit_of(b, 1)->other, c->other);
	KUNIT_EXPECT_EQ(test, unit_of(b, 1)->record, 2U);
	KUNIT_EXPECT_EQ(test, unit_of(b, 1)->box, UCORE_NO_BOX);
	EXPECT_UNIT(b, 2, OK);
}

/* A refused record reserves neither its name nor its registers: the next one may use them. */
static void refused_record_frees_name_and_registers(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 4);

	record_set(word, 1, MSR_WORD, 0x2000, W2(0, 0));
	record_set(word, 2, MSR_WORD, 0x2004, W2(0, 5));	/* overlaps the first */
	record_set(word, 3, MSR_WORD, 0x2100, W2(0, 5));
	/* on registers of the refused record */
	record_set(word, 4, MSR_WORD, 0x2010, W2(0, 6));
	parse(b);
	EXPECT_UNIT(b, 1, OVERLAP);
	EXPECT_UNIT(b, 2, OK);
	EXPECT_UNIT(b, 3, OK);
}

/* A unit that does not answer reserves neither its name nor its registers. */
static void silent_record_frees_name_and_registers(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 3);

	record_set(word, 1, W0(MSR, 8, 1, 48, 9, 0), SILENT, W2(99, 0));
	record_set(word, 2, MSR_WORD, SILENT + 1, W2(99, 1));
	record_set(word, 3, MSR_WORD, 0x2100, W2(99, 0));
	parse(b);
	EXPECT_UNIT(b, 0, NO_ANSWER);
	EXPECT_UNIT(b, 1, OK);
	EXPECT_UNIT(b, 2, OK);
}

/*
 * Granite Rapids and later: the free-running ports have other MSRs, and no MSR has the CHA
 * count.
 */
static void free_running_registers_of_gnr_are_reserved(struct kunit *test)
{
	static const u32 taken[] = { 0x290e, 0x29fe, 0x2e0e, 0x35fe, 0x360e, 0x3dfe };
	static const u32 none[] = { 0x28fe, 0x2a0e, 0x3e0e, 0x2908 };
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, ARRAY_SIZE(taken) + ARRAY_SIZE(none));
	u32 i;

	b->disc.rules = ucore_platform_gnr.table;
	for (i = 0; i < ARRAY_SIZE(taken); i++)
		record_set(word, 1 + i, W0(MSR, 1, 1, 48, 2, 0), taken[i] - 2, W2(99, i));
	for (; i < ARRAY_SIZE(taken) + ARRAY_SIZE(none); i++)
		record_set(word, 1 + i, W0(MSR, 1, 1, 48, 2, 0),
			   none[i - ARRAY_SIZE(taken)] - 2, W2(99, i));
	parse(b);
	for (i = 0; i < ARRAY_SIZE(taken); i++)
		EXPECT_UNIT(b, i, FOREIGN);
	for (; i < ARRAY_SIZE(taken) + ARRAY_SIZE(none); i++)
		EXPECT_UNIT(b, i, OK);
}

/* ---- capabilities ---- */

#define TAKEN(function, reg)	(!!((function)->taken[(reg) / 256] & BIT_ULL((reg) / 4 % 64)))

static struct ucore_disc_function caps_of(struct bench *b)
{
	struct ucore_disc_function function = { };

	ucore_validate_caps(&b->config.config, &function);
	return function;
}

/* Power management at 80h, then PCI Express at 40h. DVSECs at 100h and 140h. */
static void capability_registers_are_reserved(struct kunit *test)
{
	struct bench *b = test->priv;
	u32 *dword = b->config.dword;
	struct ucore_disc_function function;

	dword[1] = 0x10 << 16;
	dword[0x34 / 4] = 0x80;
	dword[0x80 / 4] = 0x01 | 0x40 << 8;
	dword[0x40 / 4] = 0x10;
	dword[0x100 / 4] = 0x23 | 1 << 16 | 0x140 << 20;
	dword[0x140 / 4] = 0x7f | 1 << 16;
	function = caps_of(b);
	KUNIT_EXPECT_EQ(test, function.taken[0], GENMASK_ULL(20, 16) | GENMASK_ULL(33, 32));
	KUNIT_EXPECT_EQ(test, function.taken[1], GENMASK_ULL(3, 0) | BIT_ULL(16));
	KUNIT_EXPECT_TRUE(test, TAKEN(&function, 0x50));
	KUNIT_EXPECT_FALSE(test, TAKEN(&function, 0x54));
	/* MSI-X has 12 bytes */
	dword[0x40 / 4] = 0x11;
	function = caps_of(b);
	KUNIT_EXPECT_EQ(test, function.taken[0], GENMASK_ULL(18, 16) | GENMASK_ULL(33, 32));
	/* no capability list, whatever the pointer is */
	dword[1] = 0;
	KUNIT_EXPECT_EQ(test, caps_of(b).taken[0], 0ULL);
}

/* A list ends at a pointer back, into the header, or beyond the config space. */
static void capability_loop_ends(struct kunit *test)
{
	struct bench *b = test->priv;
	u32 *dword = b->config.dword;

	dword[1] = 0x10 << 16;
	dword[0x34 / 4] = 0x40;
	dword[0x40 / 4] = 0x01 | 0x60 << 8;
	dword[0x60 / 4] = 0x05 | 0x40 << 8;
	dword[0x100 / 4] = 0x23 | 1 << 16 | 0xffc << 20;
	dword[0xffc / 4] = 0x01 | 1 << 16 | 0x100 << 20;
	KUNIT_EXPECT_EQ(test, caps_of(b).taken[0], GENMASK_ULL(17, 16) | GENMASK_ULL(29, 24));
	KUNIT_EXPECT_EQ(test, caps_of(b).taken[15], BIT_ULL(63));
	dword[0x60 / 4] = ~0U;
	dword[0x100 / 4] = 0x23 | 1 << 16 | 0x10 << 20;
	KUNIT_EXPECT_EQ(test, caps_of(b).taken[0], GENMASK_ULL(17, 16));
	b->config.config.size = 256;
	KUNIT_EXPECT_EQ(test, caps_of(b).taken[1], 0ULL);
}

/* ---- the global record ---- */

struct table_case {
	const char *name;
	u64 word[3];
	u32 size;
	u32 reason;
};

#define TABLE(_name, w0, w1, w2, _reason) \
	{ .name = (_name), .word = { (w0), (w1), (w2) }, .size = 4096, \
	  .reason = UCORE_TABLE_##_reason }

static const struct table_case table_cases[] = {
	TABLE("plain", G0(MSR, 3, 0), 0x2ff0, 0, OK),
	TABLE("word 2 zero or not", G0(MSR, 4, 0), 0x2ff0, 0x4008, OK),
	{ "no room for a record", { G0(MSR, 3, 0), 0x2ff0, 0 }, 23, UCORE_TABLE_OUTSIDE },
	{ "no bytes", { G0(MSR, 3, 0), 0x2ff0, 0 }, 0, UCORE_TABLE_OUTSIDE },
	{ "room for one record", { G0(MSR, 3, 0), 0x2ff0, 0 }, 24, UCORE_TABLE_OK },
	TABLE("all ones", ~0ULL, ~0ULL, ~0ULL, ALL_ONES),
	TABLE("one word of ones", G0(MSR, 3, 0), 0x2ff0, ~0ULL, ALL_ONES),
	TABLE("all zero", 0, 0, 0, EMPTY),
	TABLE("no address", G0(MSR, 3, 0), 0, 0, EMPTY),
	TABLE("stride 0", G0(MSR, 0, 5), 0x2ff0, 0, STRIDE),
	TABLE("stride 2", G0(MSR, 2, 0), 0x2ff0, 0, STRIDE),
	TABLE("stride 255", G0(MSR, 255, 0), 0x2ff0, 0, OK),
	TABLE("access 3", G0(3, 3, 0), 0x2ff0, 0, GLOBAL),
	TABLE("an MSR that is not uncore", G0(MSR, 3, 0), 0x1a0, 0, GLOBAL),
	TABLE("an MSR of 33 bits", G0(MSR, 3, 0), 0x100002ff0ULL, 0, GLOBAL),
	TABLE("an MSR of cores", G0(MSR, 3, 0), 0xe00, 0, GLOBAL),
	TABLE("the last MSR", G0(MSR, 3, 0), 0xffff, 0, OK),
	TABLE("memory", G0(MMIO, 3, 0), 0xc8000000, 0, OK),
	TABLE("an APIC", G0(MMIO, 3, 0), 0xfee00000, 0, GLOBAL),
	TABLE("misaligned memory", G0(MMIO, 3, 0), 0xc8000004, 0, GLOBAL),
	TABLE("RAM", G0(MMIO, 3, 0), RAM_START, 0, GLOBAL),
	TABLE("no memory", G0(MMIO, 3, 0), 1ULL << PHYS_BITS, 0, GLOBAL),
	TABLE("config space", G0(PCI, 3, 0), ON_7E(1, 0x100), 0, OK),
	TABLE("misaligned config space", G0(PCI, 3, 0), ON_7E(1, 0x102), 0, GLOBAL),
	TABLE("a BAR", G0(PCI, 3, 0), ON_7E(1, 0x10), 0, GLOBAL),
	TABLE("half outside", G0(PCI, 3, 0), ON_7E(1, 0xffc), 0, GLOBAL),
	TABLE("a host bridge", G0(PCI, 3, 0), ON_FN(HOST_BRIDGE, 0x60), 0, GLOBAL),
	TABLE("no function", G0(PCI, 3, 0), ON_7E(20, 0x100), 0, GLOBAL),
};

static void table_name(const struct table_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(table, table_cases, table_name);

/* A second table on another die is not affected. */
static void global_record_is_validated(struct kunit *test)
{
	const struct table_case *c = test->param_value;
	struct bench *b = test->priv;
	u64 *word;

	record_set(table_add(b, 0), 0, c->word[0], c->word[1], c->word[2]);
	b->source[0].source.size = c->size;
	word = plain_table(b, 1, 1);
	record_set(word, 1, MSR_WORD, 0x2000, W2(0, 0));
	parse(b);
	KUNIT_EXPECT_EQ(test, b->disc.table[0].reason, c->reason);
	KUNIT_EXPECT_EQ(test, b->disc.table[0].nr, 0U);
	EXPECT_TABLE(b, 1, OK);
	KUNIT_ASSERT_EQ(test, b->disc.nr_units, 1U);
	EXPECT_UNIT(b, 0, OK);
	KUNIT_EXPECT_EQ(test, unit_of(b, 0)->die, 1);
	KUNIT_EXPECT_EQ(test, unit_of(b, 0)->table, 1U);
}

/* The units of a second table are used, because the same global control freezes them. */
static void second_table_with_same_global_control_is_used(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 1);

	record_set(word, 1, MSR_WORD, 0x2000, W2(0, 0));
	word = plain_table(b, 0, 3);
	record_set(word, 1, MSR_WORD, 0x2010, W2(0, 1));
	record_set(word, 2, MSR_WORD, 0x2020, W2(0, 0));
	record_set(word, 3, MSR_WORD, 0x2ff0, W2(0, 9));
	parse(b);
	EXPECT_TABLE(b, 0, OK);
	EXPECT_TABLE(b, 1, DUPLICATE);
	KUNIT_EXPECT_EQ(test, b->disc.table[1].first, 1U);
	KUNIT_EXPECT_EQ(test, b->disc.table[1].nr, 3U);
	EXPECT_UNIT(b, 1, OK);
	EXPECT_UNIT(b, 2, DUPLICATE);
	KUNIT_EXPECT_EQ(test, unit_of(b, 2)->other, 1U);
	KUNIT_EXPECT_EQ(test, unit_of(b, 2)->other_table, 0U);
	EXPECT_UNIT(b, 3, OVERLAP);	/* overlaps the first table's global control */
}

/* A die has up to three global controls. The units of a fourth table would not be frozen. */
static void fourth_global_control_of_a_die_is_refused(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word;
	u32 i;

	for (i = 0; i < 4; i++) {
		word = plain_table(b, 0, 1);
		word[1] = 0x3ff0 + i;
		record_set(word, 1, MSR_WORD, 0x2000 + 0x10 * i, W2(0, i));
	}
	parse(b);
	for (i = 0; i < 3; i++)
		EXPECT_TABLE(b, i, OK);
	EXPECT_TABLE(b, 3, CONFLICT);
	KUNIT_EXPECT_EQ(test, b->disc.nr_units, 3U);
}

/* All tables together have a limit. Tables below the limit are used. */
static void tables_beyond_unit_limit_are_refused(struct kunit *test)
{
	struct bench *b = test->priv;
	u32 i;

	for (i = 0; i < 9; i++) {
		plain_table(b, i, 1023);
		b->source[i].source.size = 24;
	}
	parse(b);
	for (i = 0; i < 8; i++)
		EXPECT_TABLE(b, i, OK);
	EXPECT_TABLE(b, 8, LIMIT);
	KUNIT_EXPECT_EQ(test, b->disc.nr_units, 8U * 1023);
}

/* Number of status bits, or 0 if not all of them are reachable */
static void global_status_must_be_reachable(struct kunit *test)
{
	static const struct {
		u64 word[3];
		u32 bits;
		u32 stride;
		u32 size;
	} cases[] = {
		{ { G0(MSR, 3, 0), 0x2ff0, 70 << 8 | 2 }, 70, 1, 4 },
		{ { G0(MSR, 3, 0), 0x2ff0, 70 << 8 | 1 }, 70, 1, 3 },
		{ { G0(MSR, 3, 0), 0x2ff0, 70 << 8 }, 0 },	/* on the control */
		{ { G0(MSR, 3, 0), 0x2ff0, 2 }, 0 },
		{ { G0(MSR, 3, 0), 0x2ff0, 1024 << 8 | 2 }, 1024, 1, 18 },
		{ { G0(MSR, 3, 0), 0x2ff0, 1025 << 8 | 2 }, 0 },
		{ { G0(MSR, 3, 0), 0xfffe, 64 << 8 | 1 }, 64, 1, 2 },
		{ { G0(MSR, 3, 0), 0xfffe, 65 << 8 | 1 }, 0 },	/* ffffh is the last MSR */
		{ { G0(MMIO, 3, 0), 0xc8000000, 65 << 8 | 8 }, 65, 8, 24 },
		{ { G0(MMIO, 3, 0), 0xc8000000, 65 << 8 | 4 }, 0 },
		{ { G0(MMIO, 3, 0), 0xc8000000, 65 << 8 | 12 }, 0 },
		{ { G0(MMIO, 3, 0), RAM_START - 24, 65 << 8 | 8 }, 65, 8, 24 },
		{ { G0(MMIO, 3, 0), RAM_START - 24, 129 << 8 | 8 }, 0 },
	};
	struct bench *b = test->priv;
	struct ucore_disc_table *t;
	u64 *word = table_add(b, 0);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		memcpy(word, cases[i].word, sizeof(cases[i].word));
		t = b->disc.table;
		ucore_parse_global(&b->disc, t, &b->source[0].source);
		KUNIT_EXPECT_EQ(test, t->reason, (u32)UCORE_TABLE_OK);
		KUNIT_EXPECT_EQ_MSG(test, t->nr_status, cases[i].bits, "case %u", i);
		if (!t->nr_status)
			continue;
		KUNIT_EXPECT_EQ(test, t->status_stride, cases[i].stride);
		KUNIT_EXPECT_EQ(test, t->global_size, cases[i].size);
	}
}

/* All known tables have 0 there. */
static void global_record_type_is_ignored(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 1);

	word[0] |= 0xff;
	record_set(word, 1, MSR_WORD, 0x2000, W2(0, 0));
	parse(b);
	EXPECT_TABLE(b, 0, OK);
	KUNIT_ASSERT_EQ(test, b->disc.nr_units, 1U);
	EXPECT_UNIT(b, 0, OK);
}

/* An unusable first table does not make the next one a second table. */
static void table_after_unusable_one_is_used(struct kunit *test)
{
	struct bench *b = test->priv;

	record_set(table_add(b, 0), 0, 0, 0, 0);
	plain_table(b, 0, 0);
	parse(b);
	EXPECT_TABLE(b, 0, EMPTY);
	EXPECT_TABLE(b, 1, OK);
}

/* Each die has its own MSRs. Memory is common to all dies. */
static void global_control_in_memory_belongs_to_one_die(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word;

	record_set(table_add(b, 0), 0, G0(MMIO, 3, 0), 0xc8000000, 0);
	word = table_add(b, 1);
	record_set(word, 0, G0(MMIO, 3, 1), 0xc8000000, 0);
	record_set(word, 1, MSR_WORD, 0x2000, W2(0, 0));
	plain_table(b, 2, 0);
	parse(b);
	EXPECT_TABLE(b, 0, OK);
	EXPECT_TABLE(b, 1, GLOBAL);
	EXPECT_TABLE(b, 2, OK);
	/* a die without global control has no boxes */
	KUNIT_EXPECT_EQ(test, b->disc.nr_units, 0U);
}

static void global_control_on_other_dies_unit_is_refused(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 1);

	record_set(word, 1, IMC_WORD, 0xc8000000, W2(6, 0));
	record_set(table_add(b, 1), 0, G0(MMIO, 3, 0), 0xc8000008, 0);
	parse(b);
	EXPECT_UNIT(b, 0, OK);
	EXPECT_TABLE(b, 1, GLOBAL);
}

static void unit_on_global_control_is_refused(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = table_add(b, 0);

	record_set(word, 0, G0(MMIO, 3, 2), 0xc8000080, 0);
	record_set(word, 1, IMC_WORD, 0xc8000040, UNKNOWN);
	record_set(word, 2, IMC_WORD, 0xc8000088, W2(99, 2));
	word = table_add(b, 1);
	record_set(word, 0, G0(PCI, 3, 2), ON_7E(3, 0x100), 0);
	record_set(word, 1, PCI_WORD, ON_7E(3, 0xc8), UNKNOWN);
	record_set(word, 2, PCI_WORD, ON_7E(4, 0xd0), W2(99, 2));
	parse(b);
	EXPECT_UNIT(b, 0, OVERLAP);
	EXPECT_UNIT(b, 1, OK);
	EXPECT_UNIT(b, 2, OVERLAP);
	EXPECT_UNIT(b, 3, OK);
}

static void same_msr_on_two_dies_is_no_overlap(struct kunit *test)
{
	struct bench *b = test->priv;
	u32 die;

	for (die = 0; die < 2; die++)
		record_set(plain_table(b, die, 1), 1, MSR_WORD, 0x2000, W2(0, 0));
	parse(b);
	EXPECT_UNIT(b, 0, OK);
	EXPECT_UNIT(b, 1, OK);
}

/* The same name on another die is no duplicate. The same memory is an overlap. */
static void same_memory_on_two_dies_is_overlap(struct kunit *test)
{
	struct bench *b = test->priv;
	u32 die;

	for (die = 0; die < 2; die++)
		record_set(plain_table(b, die, 1), 1, IMC_WORD, 0xc8aa2800, W2(6, 0));
	parse(b);
	EXPECT_UNIT(b, 0, OK);
	EXPECT_UNIT(b, 1, OVERLAP);
	KUNIT_EXPECT_EQ(test, unit_of(b, 1)->other, 1U);
	KUNIT_EXPECT_EQ(test, unit_of(b, 1)->other_table, 0U);
}

/* Bit 31 of an encoded PCI address is not part of the address. */
static void pci_address_bit_31_is_ignored(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 3);

	record_set(word, 1, PCI_WORD, ON_7E(1, 0x100), W2(99, 1));
	record_set(word, 2, PCI_WORD, ON_7E(1, 0x100) | BIT_ULL(31), W2(99, 2));
	record_set(word, 3, PCI_WORD, ON_7E(2, 0x100), W2(99, 3));
	parse(b);
	EXPECT_UNIT(b, 0, OK);
	EXPECT_UNIT(b, 1, OVERLAP);
	EXPECT_UNIT(b, 2, OK);
}

/* ---- sizes ---- */

static void records_beyond_table_end_are_truncated(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 4);
	u32 i;

	for (i = 1; i <= 4; i++)
		record_set(word, i, MSR_WORD, 0x2000 + 0x10 * i, W2(0, i));
	/* the last byte of the third record is missing */
	b->source[0].source.size = 4 * 24 - 1;
	parse(b);
	KUNIT_ASSERT_EQ(test, b->disc.nr_units, 4U);
	EXPECT_UNIT(b, 0, OK);
	EXPECT_UNIT(b, 1, OK);
	EXPECT_UNIT(b, 2, TRUNCATED);
	EXPECT_UNIT(b, 3, TRUNCATED);
	KUNIT_EXPECT_EQ(test, unit_of(b, 3)->record, 4U);
}

static void last_record_may_end_with_the_table(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = table_add(b, 0);

	/* the table ends before the next multiple of the stride */
	record_set(word, 0, G0(MSR, 10, 1), 0x2ff0, 0);
	word[10] = MSR_WORD;
	word[11] = 0x2000;
	word[12] = W2(0, 0);
	b->source[0].source.size = 13 * 8;
	parse(b);
	EXPECT_UNIT(b, 0, OK);
}

static void maximum_stride_is_used(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = table_add(b, 0);

	record_set(word, 0, G0(MSR, 255, 2), 0x2ff0, 0);
	memset(&word[3], 0xff, 252 * 8);	/* words between the records are ignored */
	word[255] = MSR_WORD;
	word[256] = 0x2000;
	word[257] = W2(0, 3);
	word[510] = MSR_WORD;
	word[511] = 0x2010;
	word[512] = W2(0, 4);
	parse(b);
	KUNIT_EXPECT_EQ(test, b->disc.table[0].stride, 255U * 8);
	EXPECT_UNIT(b, 0, OK);
	EXPECT_UNIT(b, 1, OK);
	KUNIT_EXPECT_EQ(test, ucore_record_id(unit_of(b, 1)->word), 4U);
}

static void maximum_number_of_units_is_used(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 1023);
	u32 i, n = 0;

	for (i = 1; i <= 1023; i++)
		record_set(word, i, W0(MSR, 1, 1, 48, 2, 0), 0x8000 + 4 * i, W2(99, i));
	parse(b);
	KUNIT_ASSERT_EQ(test, b->disc.nr_units, 1023U);
	for (i = 0; i < 1023; i++)
		n += unit_of(b, i)->reason == UCORE_UNIT_OK;
	KUNIT_EXPECT_EQ(test, n, 1023U);
	/*
	 * and the global control, its status, the CHA count, and IIO free-running counters in
	 * 33 ranges
	 */
	KUNIT_EXPECT_EQ(test, b->disc.ranges[UCORE_DISC_MSR].nr, 1023U * 3 + 3 + 33);
	KUNIT_EXPECT_EQ(test, b->disc.ranges[UCORE_DISC_NAME].nr, 1023U);
}

/* The table announces the maximum number of units and contains none. */
static void units_of_empty_table_are_truncated(struct kunit *test)
{
	struct bench *b = test->priv;
	u32 i;

	plain_table(b, 0, 1023);
	b->source[0].source.size = 24;
	parse(b);
	KUNIT_ASSERT_EQ(test, b->disc.nr_units, 1023U);
	for (i = 0; i < 1023; i++)
		EXPECT_UNIT(b, i, TRUNCATED);
}

/* ---- register ranges ---- */

static void overlap_is_found_in_any_order(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 200);
	const struct ucore_disc_range *a, *c;
	u32 i;

	for (i = 0; i < 100; i++)	/* 37 and 100 are coprime */
		record_set(word, 1 + i, W0(MSR, 4, 2, 48, 8, 0),
			   0x3000 + 0x10 * (i * 37 % 100), W2(99, i * 37 % 100));
	for (i = 0; i < 100; i++)	/* on the last counter of another unit */
		record_set(word, 101 + i, W0(MSR, 2, 1, 48, 3, 0),
			   0x300b + 0x10 * (i * 63 % 100), W2(98, i));
	parse(b);
	for (i = 0; i < 100; i++) {
		EXPECT_UNIT(b, i, OK);
		EXPECT_UNIT(b, 100 + i, OVERLAP);
		KUNIT_EXPECT_EQ(test, unit_of(b, unit_of(b, 100 + i)->other - 1)->word[1],
				unit_of(b, 100 + i)->word[1] - 0xb);
	}
	for (i = 1; i < b->disc.ranges[UCORE_DISC_MSR].nr; i++) {
		a = &b->disc.ranges[UCORE_DISC_MSR].range[i - 1];
		c = &b->disc.ranges[UCORE_DISC_MSR].range[i];
		KUNIT_EXPECT_TRUE(test, a->space < c->space ||
				  (a->space == c->space && a->end <= c->start));
	}
}

/* A register inside another unit's range, around it, and at both of its ends */
static void overlap_of_any_kind_is_found(struct kunit *test)
{
	static const u32 at[] = { 0x3012 - 0xb, 0x3012 - 2, 0x3012, 0x3014, 0x301b };
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 1 + ARRAY_SIZE(at));
	u32 i;

	record_set(word, 1, W0(MSR, 4, 2, 48, 8, 0), 0x3010, W2(99, 0));
	for (i = 0; i < ARRAY_SIZE(at); i++)
		record_set(word, 2 + i, W0(MSR, 8, 1, 48, 9, 0), at[i], W2(99, 1 + i));
	parse(b);
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		EXPECT_UNIT(b, 1 + i, OVERLAP);
		KUNIT_EXPECT_EQ(test, unit_of(b, 1 + i)->other, 1U);
	}
}

/*
 * If one register of a free-running row is in use already, the rest of the row is still
 * reserved.
 */
static void reserved_row_with_taken_register_stays_reserved(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 4);
	u32 i;

	record_set(word, 0, G0(MSR, 3, 4), 0x3804, 0);
	for (i = 0; i < 3; i++)		/* a counter at 3803, 3804 and 3805 */
		record_set(word, 1 + i, W0(MSR, 1, 1, 48, 0x83 - 0xf * i, 0), 0x3780 + 0x10 * i,
			   W2(99, i));
	record_set(word, 4, W0(MSR, 1, 1, 48, 2, 0), 0x39ff, W2(99, 3));
	parse(b);
	EXPECT_UNIT(b, 0, FOREIGN);
	EXPECT_UNIT(b, 1, OVERLAP);
	EXPECT_UNIT(b, 2, FOREIGN);
	EXPECT_UNIT(b, 3, FOREIGN);
}

/* A unit in the gap between another unit's registers, and one across the gap */
static void unit_in_gap_of_another_is_no_overlap(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 4);

	record_set(word, 1, W0(MSR, 2, 1, 48, 0x20, 0), 0x3000, W2(99, 0));
	record_set(word, 2, W0(MSR, 2, 1, 48, 3, 0), 0x3010, W2(99, 1));
	record_set(word, 3, W0(MSR, 2, 1, 48, 0x18, 0), 0x300a, W2(99, 2));
	record_set(word, 4, W0(MSR, 2, 6, 48, 0x18, 0), 0x300a, W2(99, 3));
	parse(b);
	EXPECT_UNIT(b, 0, OK);
	EXPECT_UNIT(b, 1, OK);
	EXPECT_UNIT(b, 2, OK);
	EXPECT_UNIT(b, 3, OVERLAP);
	KUNIT_EXPECT_EQ(test, unit_of(b, 3)->other, 3U);
}

/* ---- layouts ---- */

static struct ucore_unit *only_unit(struct bench *b, u64 w0, u64 w1, u64 w2)
{
	record_set(plain_table(b, 0, 1), 1, w0, w1, w2);
	parse(b);
	EXPECT_UNIT(b, 0, OK);
	return unit_of(b, 0);
}

static void expect_steps(struct kunit *test, const u16 *reg, u32 nr, u32 first, u32 step)
{
	u32 i;

	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_EQ(test, (u32)reg[i], first + i * step);
}

static void cha_layout_is_as_listed(struct kunit *test)
{
	struct ucore_unit *unit = only_unit(test->priv, MSR_WORD, 0x2030, W2(0, 3));

	KUNIT_EXPECT_STREQ(test, unit->name, "cha");
	expect_steps(test, unit->layout.ctl, 4, 2, 1);
	expect_steps(test, unit->layout.ctr, 4, 8, 1);
	KUNIT_EXPECT_EQ(test, unit->layout.box_ctl, 0);
	KUNIT_EXPECT_EQ(test, unit->layout.status, 1);
	KUNIT_EXPECT_TRUE(test, unit->layout.wide_ctl);
	KUNIT_EXPECT_EQ(test, unit->layout.nr_shared, 1);
	KUNIT_EXPECT_EQ(test, unit->layout.shared[0], 0xe);
	KUNIT_EXPECT_EQ(test, unit->type.nr_gp, 4);
	KUNIT_EXPECT_EQ(test, unit->type.nr_fixed, 0);
	KUNIT_EXPECT_EQ(test, unit->type.width, 48);
}

/* No known machine has another width than 48 bits. */
static void counters_have_the_width_of_their_record(struct kunit *test)
{
	struct ucore_unit *unit = only_unit(test->priv, W0(MSR, 4, 2, 44, 8, 1), 0x2030, W2(0, 3));

	KUNIT_EXPECT_EQ(test, unit->type.width, 44);
}

static void ubox_layout_has_fixed_counter(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 2);

	record_set(word, 1, W0(MSR, 2, 2, 48, 8, 1), 0x2fd0, W2(5, 0));
	record_set(word, 2, MSR_WORD, 0x2fe0, UNKNOWN);	/* directly behind the fixed counter */
	parse(b);
	KUNIT_EXPECT_EQ(test, unit_of(b, 0)->type.nr_fixed, 1);
	KUNIT_EXPECT_EQ(test, unit_of(b, 0)->layout.fixed_ctl[0], 0xe);
	KUNIT_EXPECT_EQ(test, unit_of(b, 0)->layout.fixed_ctr[0], 0xf);
	EXPECT_UNIT(b, 1, OK);
}

/* Granite Rapids has the fixed control and counter in the opposite order. */
static void gnr_ubox_layout_has_swapped_fixed_counter(struct kunit *test)
{
	struct bench *b = test->priv;
	struct ucore_unit *unit;

	b->disc.rules = ucore_platform_gnr.table;
	unit = only_unit(b, W0(MSR, 2, 2, 48, 8, 1), 0x3fd0, W2(5, 0));
	KUNIT_EXPECT_EQ(test, unit->type.nr_fixed, 1);
	KUNIT_EXPECT_EQ(test, unit->layout.fixed_ctl[0], 0xe);
	KUNIT_EXPECT_EQ(test, unit->layout.fixed_ctr[0], 0xd);
}

/* Records of the eight channels of a socket of a real Sapphire Rapids */
static void imc_layout_is_as_on_real_machine(struct kunit *test)
{
	static const u64 addresses[] = {
		0xc8aa2800, 0xc8aaa800, 0xc8b22800, 0xc8b2a800,
		0xc8ba2800, 0xc8baa800, 0xc8c22800, 0xc8c2a800,
	};
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, ARRAY_SIZE(addresses));
	const struct ucore_layout *layout;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(addresses); i++)
		record_set(word, 1 + i, IMC_WORD, addresses[i], W2(6, i));
	parse(b);
	KUNIT_ASSERT_EQ(test, b->disc.nr_units, (u32)ARRAY_SIZE(addresses));
	for (i = 0; i < ARRAY_SIZE(addresses); i++) {
		EXPECT_UNIT(b, i, OK);
		KUNIT_EXPECT_EQ(test, unit_of(b, i)->word[1], addresses[i]);
		KUNIT_EXPECT_EQ(test, ucore_record_id(unit_of(b, i)->word), i);
		KUNIT_EXPECT_EQ(test, unit_of(b, i)->type.nr_gp, 4);
		KUNIT_EXPECT_EQ(test, unit_of(b, i)->type.width, 48);
		layout = &unit_of(b, i)->layout;
		KUNIT_EXPECT_STREQ(test, unit_of(b, i)->name, "imc");
		expect_steps(test, layout->ctl, 4, 0x40, 4);
		expect_steps(test, layout->ctr, 4, 8, 8);
		KUNIT_EXPECT_FALSE(test, layout->wide_ctl);
		KUNIT_EXPECT_EQ(test, layout->status, UCORE_REG_NONE);
		KUNIT_EXPECT_EQ(test, unit_of(b, i)->type.nr_fixed, 1);
		KUNIT_EXPECT_EQ(test, layout->fixed_ctl[0], 0x54);
		KUNIT_EXPECT_EQ(test, layout->fixed_ctr[0], 0x38);
		KUNIT_EXPECT_EQ(test, unit_of(b, i)->type.fixed_width, 48);
	}
}

static void cxl_layout_has_wide_controls(struct kunit *test)
{
	struct ucore_unit *unit = only_unit(test->priv, W0(MMIO, 8, 0x80, 48, 8, 4), 0xc8000000,
					    W2(12, 0));

	KUNIT_EXPECT_STREQ(test, unit->name, "cxlcm");
	expect_steps(test, unit->layout.ctl, 8, 0x80, 8);
	expect_steps(test, unit->layout.ctr, 8, 8, 8);
	KUNIT_EXPECT_EQ(test, unit->layout.status, 4);
	KUNIT_EXPECT_TRUE(test, unit->layout.wide_ctl);
}

/* A 64-bit access must be aligned: without alignment the upper half is not accessed. */
static void misaligned_controls_are_not_wide(struct kunit *test)
{
	struct ucore_unit *unit = only_unit(test->priv, W0(MMIO, 4, 0x84, 48, 8, 0), 0xc8000000,
					    W2(12, 0));

	expect_steps(test, unit->layout.ctl, 4, 0x84, 8);
	KUNIT_EXPECT_FALSE(test, unit->layout.wide_ctl);
}

/* Offsets are relative to the start of config space. */
static void pci_layout_is_relative_to_config_space(struct kunit *test)
{
	struct ucore_unit *unit = only_unit(test->priv, PCI_WORD, ON_7E(1, 0x318), W2(8, 0));

	KUNIT_EXPECT_STREQ(test, unit->name, "upi");
	KUNIT_EXPECT_EQ(test, unit->layout.box_ctl, 0x318);
	KUNIT_EXPECT_EQ(test, unit->layout.status, 0x31c);
	expect_steps(test, unit->layout.ctl, 4, 0x350, 8);
	expect_steps(test, unit->layout.ctr, 4, 0x320, 8);
	KUNIT_EXPECT_TRUE(test, unit->layout.wide_ctl);
}

/* Without a known stride, controls are as wide as fits before the next register. */
static void control_stride_of_unknown_type_is_as_fits(struct kunit *test)
{
	static const struct {
		u64 w0;
		u32 step;
	} cases[] = {
		{ W0(MMIO, 4, 0x40, 48, 8, 0), 4 },	/* nothing behind */
		{ W0(MMIO, 4, 0x10, 48, 0x30, 0), 8 },	/* 32 bytes to the counters */
		{ W0(MMIO, 4, 0x10, 48, 0x28, 0), 4 },	/* 24 bytes */
		{ W0(MMIO, 4, 0x10, 48, 0x80, 0x2c), 4 },	/* 28 bytes to the status */
		{ W0(MMIO, 4, 0x10, 48, 0x80, 0x30), 8 },
		{ W0(MMIO, 4, 0x60, 48, 8, 0x80), 8 },
		{ W0(MMIO, 1, 0x40, 48, 8, 0), 4 },
	};
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, ARRAY_SIZE(cases));
	const struct ucore_layout *layout;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		record_set(word, 1 + i, cases[i].w0, 0xc8000000 + 0x1000 * i, W2(99, i));
	parse(b);
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		EXPECT_UNIT(b, i, OK);
		layout = &unit_of(b, i)->layout;
		expect_steps(test, layout->ctl, unit_of(b, i)->type.nr_gp, layout->ctl[0],
			     cases[i].step);
		KUNIT_EXPECT_EQ(test, layout->wide_ctl, cases[i].step == 8);
	}
}

/* The same for a known type whose rules give no stride */
static void control_stride_of_known_type_without_rule_is_as_fits(struct kunit *test)
{
	struct ucore_unit *unit = only_unit(test->priv, W0(MMIO, 4, 0x10, 48, 0x80, 0), 0xc8000000,
					    W2(7, 0));

	expect_steps(test, unit->layout.ctl, 4, 0x10, 8);
}

/* The counters of such a unit are still used. */
static void impossible_status_register_is_ignored(struct kunit *test)
{
	static const u64 w0[] = {
		W0(MSR, 4, 2, 48, 8, 0),	/* the box control */
		W0(MSR, 4, 2, 48, 8, 3),	/* a control */
		W0(MSR, 4, 2, 48, 8, 0xb),	/* a counter */
		W0(MMIO, 4, 0x40, 48, 8, 0x5),	/* misaligned */
		W0(MMIO, 4, 0x40, 48, 8, 0x24),
		W0(PCI, 4, 0x38, 48, 8, 0x54),	/* the upper half of a control */
	};
	static const u64 w1[] = { 0x2000, 0x3000, 0x3100, 0xc8000000, 0xc8001000,
				  ON_7E(1, 0x100) };
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, ARRAY_SIZE(w0));
	u32 i;

	for (i = 0; i < ARRAY_SIZE(w0); i++)
		record_set(word, 1 + i, w0[i], w1[i], W2(99, i));
	parse(b);
	for (i = 0; i < ARRAY_SIZE(w0); i++) {
		EXPECT_UNIT(b, i, OK);
		KUNIT_EXPECT_EQ(test, unit_of(b, i)->layout.status, UCORE_REG_NONE);
	}
}

/*
 * A unit with every optional register has the maximum number of register ranges. Its size
 * extends to the last register, whichever that is.
 */
static void unit_size_covers_all_irregular_registers(struct kunit *test)
{
	static struct ucore_disc_type types[] = {
		{ .id = 5, .access = UCORE_ACCESS_MSR, .fixed_ctl = 0x11, .fixed_ctr = 0x12,
		  .filter = 0x10 },
		{ .id = 6, .access = UCORE_ACCESS_MSR, .fixed_ctl = 0x11, .fixed_ctr = 0x10,
		  .filter = 0x14 },
	};
	static struct ucore_disc_rules rules;
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 2);

	rules = *b->disc.rules;
	types[0].type = rules.types->type;
	types[1].type = rules.types->type;
	rules.types = types;
	rules.nr_types = ARRAY_SIZE(types);
	rules.nr_places = 0;
	b->disc.rules = &rules;
	record_set(word, 1, MSR_WORD, 0x2000, W2(5, 0));
	record_set(word, 2, MSR_WORD, 0x2100, W2(6, 0));
	parse(b);
	EXPECT_UNIT(b, 0, OK);
	KUNIT_EXPECT_EQ(test, unit_of(b, 0)->layout.status, 1);
	KUNIT_EXPECT_EQ(test, unit_of(b, 0)->type.nr_fixed, 1);
	KUNIT_EXPECT_EQ(test, unit_of(b, 0)->layout.nr_shared, 1);
	KUNIT_EXPECT_EQ(test, unit_of(b, 0)->size, 0x13U);
	EXPECT_UNIT(b, 1, OK);
	KUNIT_EXPECT_EQ(test, unit_of(b, 1)->size, 0x15U);
}

/* All offsets are relative to the start of config space. No known type has such a box. */
static void irregular_registers_of_pci_box_are_relative(struct kunit *test)
{
	static struct ucore_disc_type types[] = {
		{ .id = 8, .access = UCORE_ACCESS_PCI, .fixed_ctl = 0x60, .fixed_ctr = 0x68,
		  .filter = 0x70 },
	};
	static struct ucore_disc_rules rules;
	struct bench *b = test->priv;
	struct ucore_unit *unit;

	rules = *b->disc.rules;
	types[0].type = rules.types->type;
	rules.types = types;
	rules.nr_types = ARRAY_SIZE(types);
	rules.nr_places = 0;
	b->disc.rules = &rules;
	unit = only_unit(b, PCI_WORD, ON_7E(1, 0x318), W2(8, 0));
	KUNIT_ASSERT_EQ(test, unit->type.nr_fixed, 1);
	KUNIT_EXPECT_EQ(test, unit->layout.fixed_ctl[0], 0x378);
	KUNIT_EXPECT_EQ(test, unit->layout.fixed_ctr[0], 0x380);
	KUNIT_ASSERT_EQ(test, unit->layout.nr_shared, 1);
	KUNIT_EXPECT_EQ(test, unit->layout.shared[0], 0x388);
	KUNIT_EXPECT_EQ(test, unit->size, 0x74U);
}

/* Registers of the unit's own record take precedence. */
static void irregular_registers_on_record_registers_are_dropped(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 3);

	record_set(word, 1, W0(MMIO, 4, 0x50, 48, 8, 0), 0xc8000000, W2(6, 0));
	record_set(word, 2, W0(MMIO, 8, 0x60, 48, 8, 0), 0xc8001000, W2(6, 1));
	record_set(word, 3, W0(MSR, 8, 1, 48, 9, 0), 0x2000, W2(0, 0));
	parse(b);
	EXPECT_UNIT(b, 0, OK);
	KUNIT_EXPECT_EQ(test, unit_of(b, 0)->type.nr_fixed, 0);	/* 54h is a control */
	EXPECT_UNIT(b, 1, OK);
	KUNIT_EXPECT_EQ(test, unit_of(b, 1)->type.nr_fixed, 0);	/* 38h is a counter */
	EXPECT_UNIT(b, 2, OK);
	KUNIT_EXPECT_EQ(test, unit_of(b, 2)->layout.nr_shared, 0);	/* eh is a counter */
}

/* Irregular registers of a type apply to one access type only. */
static void irregular_registers_of_other_access_are_dropped(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 3);

	record_set(word, 1, W0(MSR, 4, 2, 48, 8, 1), 0x2000, W2(6, 0));
	record_set(word, 2, IMC_WORD, 0xc8000000, W2(0, 0));
	record_set(word, 3, PCI_WORD, ON_7E(1, 0x100), W2(5, 0));
	parse(b);
	EXPECT_UNIT(b, 0, OK);
	KUNIT_EXPECT_EQ(test, unit_of(b, 0)->type.nr_fixed, 0);
	EXPECT_UNIT(b, 1, OK);
	KUNIT_EXPECT_EQ(test, unit_of(b, 1)->layout.nr_shared, 0);
	EXPECT_UNIT(b, 2, OK);
	KUNIT_EXPECT_EQ(test, unit_of(b, 2)->type.nr_fixed, 0);
}

static void misaligned_fixed_counter_is_dropped(struct kunit *test)
{
	struct ucore_unit *unit = only_unit(test->priv, W0(MMIO, 4, 0x40, 48, 0xc, 0), 0xc8000004,
					    W2(6, 0));

	KUNIT_EXPECT_EQ(test, unit->type.nr_fixed, 0);
}

static void unknown_types_are_named_by_number(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 3);

	record_set(word, 1, MSR_WORD, 0x2000, W2(19, 0));
	record_set(word, 2, MSR_WORD, 0x2010, W2(65535, 65535));
	record_set(word, 3, W0(MSR, 0, 2, 48, 8, 1), 0x2020, W2(6, 1));
	parse(b);
	KUNIT_EXPECT_STREQ(test, unit_of(b, 0)->name, "type_19");
	EXPECT_UNIT(b, 1, OK);
	KUNIT_EXPECT_STREQ(test, unit_of(b, 1)->name, "type_65535");
	KUNIT_EXPECT_EQ(test, ucore_record_id(unit_of(b, 1)->word), 65535U);
	/* refused units have names as well */
	KUNIT_EXPECT_STREQ(test, unit_of(b, 2)->name, "imc");
}

/* ---- known places, and the count of CHAs ---- */

static const struct ucore_disc_place *place_of(struct bench *b, u32 type)
{
	u32 i;

	for (i = 0; i < b->disc.rules->nr_places; i++)
		if (b->disc.rules->places[i].type == type)
			return &b->disc.rules->places[i];
	KUNIT_ASSERT_TRUE(b->test, false);
	return NULL;
}

static void place_note(struct bench *b, s32 die, u32 type, u32 id)
{
	KUNIT_ASSERT_EQ(b->test, ucore_unit_note_pci(&b->disc, die, place_of(b, type), id, 0,
						     0x7e), 0);
}

static void known_place_in_table_adds_no_unit(struct kunit *test)
{
	struct bench *b = test->priv;

	record_set(plain_table(b, 0, 1), 1, PCI_WORD, ON_7E(1, 0x318), W2(8, 0));
	place_note(b, 0, 8, 0);
	parse(b);
	KUNIT_EXPECT_EQ(test, b->disc.nr_units, 1U);
	KUNIT_EXPECT_EQ(test, b->disc.table[0].nr, 1U);
	EXPECT_UNIT(b, 0, OK);
	KUNIT_EXPECT_EQ(test, unit_of(b, 0)->record, 1U);
}

/* The second record says unit 0 again, instead of unit 1 */
static void repeated_record_is_replaced_by_the_known_place(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 2);

	record_set(word, 1, PCI_WORD, ON_7E(1, 0x318), W2(8, 0));
	record_set(word, 2, PCI_WORD, ON_7E(1, 0x318), W2(8, 0));
	place_note(b, 0, 8, 0);
	place_note(b, 0, 8, 1);
	parse(b);
	KUNIT_ASSERT_EQ(test, b->disc.nr_units, 3U);
	EXPECT_UNIT(b, 0, OK);
	EXPECT_UNIT(b, 1, RELOCATED);
	EXPECT_UNIT(b, 2, OK);
	KUNIT_EXPECT_EQ(test, unit_of(b, 2)->record, 0U);
	KUNIT_EXPECT_EQ(test, unit_of(b, 2)->word[1], (u64)ON_7E(2, 0x318));
}

/* Records with a wrong address or id are refused, and the known places are used. */
static void known_places_replace_wrong_records(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 3);

	record_set(word, 1, PCI_WORD, ON_7E(1, 0x300), W2(8, 0));
	record_set(word, 2, PCI_WORD, ON_7E(2, 0x318), W2(8, 3));
	record_set(word, 3, PCI_WORD, ON_7E(3, 0x318), W2(7, 0));	/* no place is known */
	place_note(b, 0, 8, 0);
	place_note(b, 0, 8, 1);
	parse(b);
	KUNIT_ASSERT_EQ(test, b->disc.nr_units, 5U);
	EXPECT_UNIT(b, 0, RELOCATED);
	EXPECT_UNIT(b, 1, RELOCATED);
	EXPECT_UNIT(b, 2, OK);
	EXPECT_UNIT(b, 3, OK);
	EXPECT_UNIT(b, 4, OK);
	KUNIT_EXPECT_EQ(test, unit_of(b, 3)->record, 0U);
	KUNIT_EXPECT_EQ(test, unit_of(b, 4)->record, 0U);
	KUNIT_EXPECT_STREQ(test, unit_of(b, 4)->name, "upi");
	KUNIT_EXPECT_EQ(test, unit_of(b, 4)->word[1], (u64)ON_7E(2, 0x318));
	KUNIT_EXPECT_EQ(test, unit_of(b, 4)->layout.box_ctl, 0x318);
	KUNIT_EXPECT_EQ(test, unit_of(b, 4)->layout.ctl[0], 0x350);
	KUNIT_EXPECT_EQ(test, unit_of(b, 4)->layout.ctr[3], 0x338);
	KUNIT_EXPECT_EQ(test, unit_of(b, 4)->type.nr_gp, 4);
}

/* M3UPI has another device id and place. */
static void known_place_of_m3upi_is_used(struct kunit *test)
{
	struct bench *b = test->priv;

	plain_table(b, 0, 0);
	place_note(b, 0, 9, 2);
	parse(b);
	KUNIT_ASSERT_EQ(test, b->disc.nr_units, 1U);
	EXPECT_UNIT(b, 0, OK);
	KUNIT_EXPECT_STREQ(test, unit_of(b, 0)->name, "m3upi");
	KUNIT_EXPECT_EQ(test, unit_of(b, 0)->word[1], (u64)ON_7E(7, 0xa0));
	KUNIT_EXPECT_EQ(test, unit_of(b, 0)->layout.ctl[0], 0xd8);
	KUNIT_EXPECT_EQ(test, unit_of(b, 0)->layout.ctr[0], 0xa8);
}

/* Known places of another die do not affect this die. */
static void known_places_of_other_die_are_ignored(struct kunit *test)
{
	struct bench *b = test->priv;

	record_set(plain_table(b, 0, 1), 1, PCI_WORD, ON_7E(4, 0x300), W2(8, 0));
	plain_table(b, 1, 0);
	place_note(b, 1, 8, 0);
	parse(b);
	EXPECT_UNIT(b, 0, OK);
	KUNIT_ASSERT_EQ(test, b->disc.nr_units, 2U);
	KUNIT_EXPECT_EQ(test, unit_of(b, 1)->die, 1);
	KUNIT_EXPECT_EQ(test, unit_of(b, 1)->table, 1U);
}

/* A known place on registers of another unit is reported with its reason. */
static void known_place_on_another_unit_is_refused(struct kunit *test)
{
	struct bench *b = test->priv;

	record_set(plain_table(b, 0, 1), 1, PCI_WORD, ON_7E(1, 0x300), W2(7, 0));
	place_note(b, 0, 8, 0);
	parse(b);
	KUNIT_ASSERT_EQ(test, b->disc.nr_units, 2U);
	EXPECT_UNIT(b, 0, OK);
	EXPECT_UNIT(b, 1, OVERLAP);
	KUNIT_EXPECT_EQ(test, unit_of(b, 1)->other, 1U);
}

static u32 surplus(struct bench *b)
{
	u32 i, ids = 0;

	for (i = 0; i < b->disc.nr_units; i++)
		if (unit_of(b, i)->reason == UCORE_UNIT_BEYOND_COUNT)
			ids |= BIT(ucore_record_id(unit_of(b, i)->word));
	return ids;
}

static void chas_beyond_count_are_refused(struct kunit *test)
{
	static const u32 ids[] = { 5, 0, 3, 9, 1 };
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 7);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(ids); i++)
		record_set(word, 1 + i, MSR_WORD, 0x2000 + 0x10 * ids[i], W2(0, ids[i]));
	record_set(word, 6, MSR_WORD, 0x3000, W2(1, 11));	/* not a CHA */
	record_set(word, 7, MSR_WORD, 0x2000, W2(0, 2));	/* refused already, not counted */
	record_set(plain_table(b, 1, 1), 1, MSR_WORD, 0x2000, W2(0, 8));
	parse(b);
	EXPECT_UNIT(b, 6, OVERLAP);
	ucore_unit_limit(&b->disc, 0, 5);
	KUNIT_EXPECT_EQ(test, surplus(b), 0U);
	ucore_unit_limit(&b->disc, 0, 3);
	KUNIT_EXPECT_EQ(test, surplus(b), (u32)(BIT(5) | BIT(9)));
	EXPECT_UNIT(b, 5, OK);
	EXPECT_UNIT(b, 6, OVERLAP);
	EXPECT_UNIT(b, 7, OK);		/* of another die */
	ucore_unit_limit(&b->disc, 2, 0);
	KUNIT_EXPECT_EQ(test, surplus(b), (u32)(BIT(5) | BIT(9)));
}

/* ---- memory ---- */

/* Each allocation fails in turn. The partial result can always be freed. */
static void parse_without_memory_fails(struct kunit *test)
{
	struct bench *b = test->priv;
	u64 *word = plain_table(b, 0, 100);
	u32 i, fail, failures = 0;
	int ret;

	for (i = 1; i <= 100; i++)
		record_set(word, i, MSR_WORD, 0x3000 + 0x10 * i, W2(99, i));
	for (fail = 1; fail < 50; fail++) {
		fake_kernel.fail_in = fail;
		ret = ucore_unit_note_pci(&b->disc, 0, place_of(b, 8), 0, 0, 0x7e) ?:
		      parse_one(b, 0);
		fake_kernel.fail_in = 0;
		if (!ret)
			break;
		KUNIT_EXPECT_EQ(test, ret, -ENOMEM);
		failures++;
		bench_again(b);
		b->disc.nr_tables = 1;
		b->disc.table = kvcalloc(1, sizeof(*b->disc.table), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, b->disc.table);
	}
	/* places, all units at once, ranges of MSRs from 64 to 512, names, the PCI function */
	KUNIT_EXPECT_EQ(test, failures, 1U + 1 + 4 + 2 + 1);
	KUNIT_EXPECT_EQ(test, b->disc.nr_units, 101U);
}

static void discovery_after_free_can_be_repeated(struct kunit *test)
{
	struct bench *b = test->priv;
	u32 i;

	for (i = 0; i < 2; i++) {
		record_set(plain_table(b, 0, 1), 1, MSR_WORD, 0x2000, W2(0, 0));
		place_note(b, 0, 8, 0);
		parse(b);
		KUNIT_EXPECT_EQ(test, b->disc.nr_units, 2U);
		bench_again(b);
	}
}

/* ---- the list of capabilities ---- */

#define DVSEC_ID	0x23

/* Write a DVSEC: its place, the next one, its entry id, its BAR and offset. */
static void dvsec_put(struct bench *b, u32 at, u32 next, u32 entry, u32 table)
{
	u32 *dword = &b->config.dword[at / 4];

	dword[0] = next << 20 | 1 << 16 | DVSEC_ID;
	dword[1] = 0x0108086;
	dword[2] = entry;
	dword[3] = table;
}

static u32 walk(struct bench *b, struct ucore_disc_dvsec *dvsec, bool broken)
{
	bool found_broken = !broken;
	u32 n = ucore_parse_dvsecs(&b->config.config, dvsec, 4, &found_broken);

	KUNIT_EXPECT_EQ(b->test, found_broken, broken);
	KUNIT_EXPECT_LE(b->test, b->config.reads, 3U * 1024);
	return n;
}

static void walk_without_capabilities_finds_none(struct kunit *test)
{
	static const u32 sizes[] = { 0, 64, 256, 256 + 4, 4096 };
	struct ucore_disc_dvsec dvsec[4];
	struct bench *b = test->priv;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		b->config.config.size = sizes[i];
		KUNIT_EXPECT_EQ(test, walk(b, dvsec, false), 0U);
	}
	b->config.dword[0x40] = ~0U;
	KUNIT_EXPECT_EQ(test, walk(b, dvsec, false), 0U);
}

static void walk_finds_single_dvsec(struct kunit *test)
{
	struct ucore_disc_dvsec dvsec[4];
	struct bench *b = test->priv;

	dvsec_put(b, 0x100, 0, 1, 0x12345 << 3 | 5);
	/* the status word says that there is no list of capabilities */
	KUNIT_EXPECT_EQ(test, b->config.dword[1] >> 16, 0U);
	KUNIT_ASSERT_EQ(test, walk(b, dvsec, false), 1U);
	KUNIT_EXPECT_EQ(test, dvsec[0].at, 0x100U);
	KUNIT_EXPECT_EQ(test, dvsec[0].bar, 5U);
	KUNIT_EXPECT_EQ(test, dvsec[0].offset, 0x12345U << 3);
}

/* Other capabilities are between them: a vendor-specific one, and a DVSEC of another kind */
static void walk_finds_dvsecs_between_others(struct kunit *test)
{
	struct ucore_disc_dvsec dvsec[4];
	struct bench *b = test->priv;

	dvsec_put(b, 0x100, 0x300, 2, 0);
	dvsec_put(b, 0x300, 0x200, 1, 0);
	dvsec_put(b, 0x200, 0x400, 1, 1);
	b->config.dword[0x80] = 0x400 << 20 | 1 << 16 | 0xb;	/* 200h: vendor specific */
	dvsec_put(b, 0x400, 0x180, 1, 2);
	dvsec_put(b, 0x180, 0, 1, 0x1000 | 3);
	KUNIT_ASSERT_EQ(test, walk(b, dvsec, false), 3U);
	KUNIT_EXPECT_EQ(test, dvsec[0].at, 0x300U);
	KUNIT_EXPECT_EQ(test, dvsec[1].at, 0x400U);
	KUNIT_EXPECT_EQ(test, dvsec[1].bar, 2U);
	KUNIT_EXPECT_EQ(test, dvsec[2].at, 0x180U);
	KUNIT_EXPECT_EQ(test, dvsec[2].offset, 0x1000U);
}

/* Entry id and revision share a dword with other fields. */
static void walk_compares_entry_id_only(struct kunit *test)
{
	struct ucore_disc_dvsec dvsec[4];
	struct bench *b = test->priv;

	dvsec_put(b, 0x100, 0, 0x08010001, 0);	/* a single entry of 8 dwords */
	b->config.dword[0x41] = 0x1234abcd;	/* any vendor */
	KUNIT_EXPECT_EQ(test, walk(b, dvsec, false), 1U);
	KUNIT_EXPECT_EQ(test, dvsec[0].header, 0x1234abcdU);	/* reported, not used */
	dvsec_put(b, 0x100, 0, 0x10001 << 1, 0);
	KUNIT_EXPECT_EQ(test, walk(b, dvsec, false), 0U);
}

static void walk_stops_when_array_is_full(struct kunit *test)
{
	struct ucore_disc_dvsec dvsec[4];
	struct bench *b = test->priv;
	u32 i;

	for (i = 0; i < 6; i++)
		dvsec_put(b, 0x100 + 0x10 * i, i < 5 ? 0x110 + 0x10 * i : 0, 1, i);
	KUNIT_ASSERT_EQ(test, walk(b, dvsec, false), 4U);
	KUNIT_EXPECT_EQ(test, dvsec[3].at, 0x130U);
}

static void walk_with_broken_next_pointer_stops(struct kunit *test)
{
	static const u32 next[] = { 0x4, 0x40, 0xfc, 0xff4, 0xff8, 0xffc, 0x800 };
	struct ucore_disc_dvsec dvsec[4];
	struct bench *b = test->priv;
	u32 i;

	/* into the header, without room for a DVSEC, and to all zeros */
	for (i = 0; i < ARRAY_SIZE(next); i++) {
		dvsec_put(b, 0x100, next[i], 1, 0);
		KUNIT_EXPECT_EQ(test, walk(b, dvsec, true), 1U);
	}
	b->config.dword[0x200] = ~0U;
	KUNIT_EXPECT_EQ(test, walk(b, dvsec, true), 1U);
}

/* The two low bits of a next pointer are reserved. */
static void walk_ignores_low_bits_of_next_pointer(struct kunit *test)
{
	struct ucore_disc_dvsec dvsec[4];
	struct bench *b = test->priv;

	dvsec_put(b, 0x100, 0x203, 0, 0);
	dvsec_put(b, 0x200, 3, 1, 4);
	KUNIT_ASSERT_EQ(test, walk(b, dvsec, false), 1U);
	KUNIT_EXPECT_EQ(test, dvsec[0].at, 0x200U);
}

static void walk_in_a_loop_ends(struct kunit *test)
{
	static const u32 back_to[] = { 0x100, 0x200, 0x300 };
	struct ucore_disc_dvsec dvsec[4];
	struct bench *b = test->priv;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(back_to); i++) {
		dvsec_put(b, 0x100, 0x200, 0, 0);
		dvsec_put(b, 0x200, 0x300, 1, 0);
		dvsec_put(b, 0x300, back_to[i], 1, 0);
		KUNIT_EXPECT_EQ(test, walk(b, dvsec, true), 2U);
	}
	dvsec_put(b, 0x100, 0x100, 1, 0);
	KUNIT_EXPECT_EQ(test, walk(b, dvsec, true), 1U);
}

/* A capability at every place: a long list, but no loop */
static void walk_of_longest_list_ends(struct kunit *test)
{
	struct ucore_disc_dvsec dvsec[4];
	struct bench *b = test->priv;
	u32 at;

	for (at = 0x100; at < 0xff0; at += 4)
		b->config.dword[at / 4] = (at + 4) << 20 | 0xb;
	dvsec_put(b, 0xff0, 0, 1, 0);
	KUNIT_ASSERT_EQ(test, walk(b, dvsec, false), 1U);
	KUNIT_EXPECT_EQ(test, dvsec[0].at, 0xff0U);
}

static void walk_finds_dvsec_at_the_end(struct kunit *test)
{
	struct ucore_disc_dvsec dvsec[4];
	struct bench *b = test->priv;

	dvsec_put(b, 0x100, 0x1f0, 0, 0);
	dvsec_put(b, 0x1f0, 0, 1, 0);
	b->config.config.size = 0x200;
	KUNIT_EXPECT_EQ(test, walk(b, dvsec, false), 1U);
	b->config.config.size = 0x1fc;	/* too short for a DVSEC, long enough for a capability */
	KUNIT_EXPECT_EQ(test, walk(b, dvsec, false), 0U);
	b->config.config.size = 0x1f0;
	KUNIT_EXPECT_EQ(test, walk(b, dvsec, true), 0U);
}

/* ---- BARs ---- */

struct bar_case {
	const char *name;
	u32 bar;
	u32 low;
	u32 high;
	u32 reason;
	u64 address;
};

static const struct bar_case bar_cases[] = {
	{ "32 bits", 0, 0xfe000000, 0xdead, UCORE_TABLE_OK, 0xfe000000 },
	{ "32 bits, the last", 5, 0xfe000000, 0, UCORE_TABLE_OK, 0xfe000000 },
	{ "32 bits, prefetchable", 2, 0xfe000008, 0, UCORE_TABLE_OK, 0xfe000000 },
	{ "64 bits", 1, 0xfe000004, 0x23, UCORE_TABLE_OK, 0x23fe000000ULL },
	{ "64 bits, prefetchable", 4, 0xfe00000c, 0x23, UCORE_TABLE_OK, 0x23fe000000ULL },
	{ "64 bits, low half zero", 0, 0x4, 0x23, UCORE_TABLE_OK, 0x2300000000ULL },
	{ "64 bits from the last BAR", 5, 0xfe000004, 0x23, UCORE_TABLE_BAR, 0 },
	{ "a port", 0, 0xe001, 0, UCORE_TABLE_BAR, 0 },
	{ "below 1 MB", 0, 0xc0002, 0, UCORE_TABLE_BAR, 0 },
	{ "of type 3", 0, 0xfe000006, 0, UCORE_TABLE_BAR, 0 },
	{ "all ones", 0, 0xffffffff, 0xffffffff, UCORE_TABLE_BAR, 0 },
	{ "no BAR 6", 6, 0xfe000000, 0, UCORE_TABLE_BAR, 0 },
	{ "no BAR 7", 7, 0xfe000000, 0, UCORE_TABLE_BAR, 0 },
	{ "unassigned", 3, 0, 0, UCORE_TABLE_UNASSIGNED, 0 },
	{ "unassigned, 64 bits", 3, 0xc, 0, UCORE_TABLE_UNASSIGNED, 0 },
};

static void bar_name(const struct bar_case *c, char *name)
{
	strscpy(name, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(bar, bar_cases, bar_name);

static void bar_address_is_decoded(struct kunit *test)
{
	const struct bar_case *c = test->param_value;
	struct bench *b = test->priv;
	u64 address = 0;

	b->config.dword[4 + c->bar] = c->low;
	b->config.dword[5 + c->bar] = c->high;
	KUNIT_EXPECT_EQ(test, ucore_parse_bar(&b->config.config, c->bar, &address), c->reason);
	if (!c->reason)
		KUNIT_EXPECT_EQ(test, address, c->address);
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(bad_record_does_not_affect_its_neighbours, record_gen_params),
	KUNIT_CASE(refused_record_frees_name_and_registers),
	KUNIT_CASE(silent_record_frees_name_and_registers),
	KUNIT_CASE(free_running_registers_of_gnr_are_reserved),
	KUNIT_CASE(capability_registers_are_reserved),
	KUNIT_CASE(capability_loop_ends),
	KUNIT_CASE_PARAM(global_record_is_validated, table_gen_params),
	KUNIT_CASE(second_table_with_same_global_control_is_used),
	KUNIT_CASE(fourth_global_control_of_a_die_is_refused),
	KUNIT_CASE(tables_beyond_unit_limit_are_refused),
	KUNIT_CASE(global_status_must_be_reachable),
	KUNIT_CASE(global_record_type_is_ignored),
	KUNIT_CASE(table_after_unusable_one_is_used),
	KUNIT_CASE(global_control_in_memory_belongs_to_one_die),
	KUNIT_CASE(global_control_on_other_dies_unit_is_refused),
	KUNIT_CASE(unit_on_global_control_is_refused),
	KUNIT_CASE(same_msr_on_two_dies_is_no_overlap),
	KUNIT_CASE(same_memory_on_two_dies_is_overlap),
	KUNIT_CASE(pci_address_bit_31_is_ignored),
	KUNIT_CASE(records_beyond_table_end_are_truncated),
	KUNIT_CASE(last_record_may_end_with_the_table),
	KUNIT_CASE(maximum_stride_is_used),
	KUNIT_CASE(maximum_number_of_units_is_used),
	KUNIT_CASE(units_of_empty_table_are_truncated),
	KUNIT_CASE(overlap_is_found_in_any_order),
	KUNIT_CASE(overlap_of_any_kind_is_found),
	KUNIT_CASE(reserved_row_with_taken_register_stays_reserved),
	KUNIT_CASE(unit_in_gap_of_another_is_no_overlap),
	KUNIT_CASE(cha_layout_is_as_listed),
	KUNIT_CASE(counters_have_the_width_of_their_record),
	KUNIT_CASE(ubox_layout_has_fixed_counter),
	KUNIT_CASE(gnr_ubox_layout_has_swapped_fixed_counter),
	KUNIT_CASE(imc_layout_is_as_on_real_machine),
	KUNIT_CASE(cxl_layout_has_wide_controls),
	KUNIT_CASE(misaligned_controls_are_not_wide),
	KUNIT_CASE(pci_layout_is_relative_to_config_space),
	KUNIT_CASE(control_stride_of_unknown_type_is_as_fits),
	KUNIT_CASE(control_stride_of_known_type_without_rule_is_as_fits),
	KUNIT_CASE(impossible_status_register_is_ignored),
	KUNIT_CASE(unit_size_covers_all_irregular_registers),
	KUNIT_CASE(irregular_registers_of_pci_box_are_relative),
	KUNIT_CASE(irregular_registers_on_record_registers_are_dropped),
	KUNIT_CASE(irregular_registers_of_other_access_are_dropped),
	KUNIT_CASE(misaligned_fixed_counter_is_dropped),
	KUNIT_CASE(unknown_types_are_named_by_number),
	KUNIT_CASE(known_place_in_table_adds_no_unit),
	KUNIT_CASE(repeated_record_is_replaced_by_the_known_place),
	KUNIT_CASE(known_places_replace_wrong_records),
	KUNIT_CASE(known_place_of_m3upi_is_used),
	KUNIT_CASE(known_places_of_other_die_are_ignored),
	KUNIT_CASE(known_place_on_another_unit_is_refused),
	KUNIT_CASE(chas_beyond_count_are_refused),
	KUNIT_CASE(parse_without_memory_fails),
	KUNIT_CASE(discovery_after_free_can_be_repeated),
	KUNIT_CASE(walk_without_capabilities_finds_none),
	KUNIT_CASE(walk_finds_single_dvsec),
	KUNIT_CASE(walk_finds_dvsecs_between_others),
	KUNIT_CASE(walk_compares_entry_id_only),
	KUNIT_CASE(walk_stops_when_array_is_full),
	KUNIT_CASE(walk_with_broken_next_pointer_stops),
	KUNIT_CASE(walk_ignores_low_bits_of_next_pointer),
	KUNIT_CASE(walk_in_a_loop_ends),
	KUNIT_CASE(walk_of_longest_list_ends),
	KUNIT_CASE(walk_finds_dvsec_at_the_end),
	KUNIT_CASE_PARAM(bar_address_is_decoded, bar_gen_params),
	{ }
};

static struct kunit_suite suite = {
	.name = "ucore_discovery",
	.init = bench_init,
	.exit = bench_exit,
	.test_cases = cases,
};

kunit_test_suites(&suite);
