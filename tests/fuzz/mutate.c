// SPDX-License-Identifier: GPL-2.0-only
/*
 * Mutator that generates meaningful inputs: it changes fields of records and of capabilities.
 * A part of the mutations is left to libFuzzer.
 */
#include <linux/bitfield.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "hw/discovery.h"
#include "input.h"

#define RECORD_BYTES	24
#define MAX_STRIDE	8

static u64 state;

static u32 random_below(u32 n)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (state >> 33) % n;
}

#define ONE_OF(array)	((array)[random_below(ARRAY_SIZE(array))])

static u64 put(u64 word, u64 mask, u64 val)
{
	return (word & ~mask) | FIELD_PREP(mask, val);
}

/*
 * ---- one record ----
 */

/* Types with platform rules, and unknown types */
static const u16 types[] = { 0, 0, 1, 4, 5, 5, 6, 6, 8, 8, 9, 12, 14, 17, 18, 20, 99, 65535 };

static const u64 msr_places[] = {
	0xdf0, 0xdff, 0xe00, 0xff0, 0xffe, 0xfff, 0x1000, 0x1fff, 0x2000, 0x2010, 0x2020, 0x2fd0,
	0x2ff0, 0x3000, 0x3ff0, 0xffe0, 0xfff0, 0xfff8, 0xffff, 0x10000, 0xffffffffULL,
	0x100002000ULL, 0xffffffffffffff80ULL, 0xfffffffffffffff0ULL,
};

static const u64 memory_places[] = {
	0xc8aa2800, 0xc8aaa800, 0xc8b22800, 0xc8aa2804, 0xc8aa2802, 0xc8aa2810, 0xc8aa2860,
	0x0, 0x1000, 0xffffff000ULL, 0xfffffffc0ULL, 0xfffffffffULL, 0x1000000000ULL,
	0xfffffffffff80ULL, 0x10000000000000ULL, 0xffffffffffffff00ULL,
};

static const u16 config_offsets[] = { 0, 0x3c, 0x40, 0x44, 0xa0, 0xf0, 0xf8, 0x100, 0x318, 0xf80,
				      0xfc0, 0xffc, 0x341 };

static u64 pci_place(void)
{
	return (u64)random_below(2) << 28 | random_below(4) << 20 |
	       random_below(10) << 15 | random_below(4) << 12 | ONE_OF(config_offsets) |
	       (random_below(40) ? 0 : 1ULL << (31 + random_below(4)));
}

static u64 any_place(u32 access)
{
	switch (access) {
	case DISC_ACCESS_MSR:
		return ONE_OF(msr_places) + random_below(4) * 0x10;
	case DISC_ACCESS_MMIO:
		return ONE_OF(memory_places) + random_below(4) * 0x100;
	default:
		return pci_place();
	}
}

/* Offsets of real units for each access type */
static u64 plain_word0(u32 access)
{
	u32 ctl = access == DISC_ACCESS_MSR ? 2 : access == DISC_ACCESS_MMIO ? 0x40 : 0x38;
	u32 status = access == DISC_ACCESS_MSR ? 1 : 4;

	return (1 + random_below(8)) | ctl << 8 | 48 << 16 | 8 << 24 | (u64)status << 32 |
	       (u64)access << 62;
}

static void unit_make(u64 *word)
{
	u32 access = random_below(3);

	word[0] = plain_word0(access);
	word[1] = any_place(access);
	word[2] = ONE_OF(types) | random_below(12) << 16 | (u64)random_below(200) << 32;
}

static void global_make(u64 *word, u32 records)
{
	u32 access = random_below(4) ? DISC_ACCESS_MSR : random_below(4);

	word[0] = put(0, DISC_GLOBAL0_STRIDE, random_below(8) ? 3 : 2 + random_below(4));
	word[0] = put(word[0], DISC_GLOBAL0_MAX_UNITS, records + random_below(3));
	word[0] = put(word[0], DISC_WORD0_ACCESS, access);
	word[1] = random_below(4) ? 0x2ff0 : any_place(access);
	word[2] = 0x4008;
}

static const u8 offsets[] = { 0, 1, 2, 3, 4, 7, 8, 0xd, 0xe, 0xf, 0x10, 0x1c, 0x38, 0x40, 0x54,
			      0x58, 0x60, 0x80, 0xf8, 0xfc, 0xff };

/* Change one field of a unit */
static void field_edit(u64 *word)
{
	static const u8 widths[] = { 0, 1, 32, 48, 63, 64, 65, 255 };
	static const u8 counters[] = { 0, 1, 2, 4, 7, 8, 9, 255 };

	switch (random_below(10)) {
	case 0:
		word[0] = put(word[0], DISC_UNIT0_NUM_REGS, ONE_OF(counters));
		break;
	case 1:
		word[0] = put(word[0], DISC_UNIT0_CTL_OFFSET, ONE_OF(offsets));
		break;
	case 2:
		word[0] = put(word[0], DISC_UNIT0_CTR_OFFSET, ONE_OF(offsets));
		break;
	case 3:
		word[0] = put(word[0], DISC_UNIT0_STATUS_OFFSET, ONE_OF(offsets));
		break;
	case 4:
		word[0] = put(word[0], DISC_UNIT0_WIDTH, ONE_OF(widths));
		break;
	case 5:
		word[0] = put(word[0], DISC_WORD0_ACCESS, random_below(4));
		break;
	case 6:
		word[1] = any_place(word[0] >> 62);
		break;
	case 7:
		word[1] += random_below(0x80);
		break;
	case 8:
		word[2] = put(word[2], DISC_UNIT2_TYPE, ONE_OF(types));
		break;
	default:
		word[2] = put(word[2], DISC_UNIT2_ID, random_below(16));
	}
}

static void word_spoil(u64 *word)
{
	word[random_below(3)] = random_below(2) ? ~0ULL : 0;
}

/*
 * ---- tables ----
 */

struct table {
	u8 *bytes;
	size_t size;
	u32 stride;
	u32 records;	/* Return the number of records that fit, including the global one */
};

static struct table table_pick(u8 *data, size_t size)
{
	const struct input *in = (const struct input *)data;
	size_t at = input_tables(data, size);
	u32 nr = in->nr_tables % MAX_TABLES + 1;
	struct table t = { .size = (size - at) / nr };

	t.bytes = data + at + random_below(nr) * t.size;
	t.stride = RECORD_BYTES;
	if (t.size >= RECORD_BYTES && t.bytes[1] >= 3 && t.bytes[1] <= MAX_STRIDE)
		t.stride = t.bytes[1] * 8;
	t.records = t.size >= RECORD_BYTES ? (t.size - RECORD_BYTES) / t.stride + 1 : 0;
	return t;
}

static void record_edit(const struct table *t)
{
	u8 *record = t->bytes + (size_t)random_below(t->records) * t->stride;
	u8 *other = t->bytes + (size_t)random_below(t->records) * t->stride;
	u64 word[3];

	memcpy(word, record, sizeof(word));
	switch (random_below(8)) {
	case 0:
	case 1:
	case 2:
		unit_make(word);
		break;
	case 3:
	case 4:
		field_edit(word);
		break;
	case 5:			/* copy of another record with one change */
		memcpy(word, other, sizeof(word));
		field_edit(word);
		break;
	case 6:			/* next instance of another unit */
		memcpy(word, other, sizeof(word));
		word[1] += 0x10 << random_below(8);
		word[2] += 1 << 16;
		break;
	default:
		word_spoil(word);
	}
	memcpy(record, word, sizeof(word));
}

static void tables_edit(u8 *data, size_t size)
{
	struct table t = table_pick(data, size);
	u32 i, edits = 1 + random_below(4);
	u64 word[3];

	if (!t.records)
		return;
	if (!random_below(6)) {
		memcpy(word, t.bytes, sizeof(word));
		if (random_below(4))
			global_make(word, t.records - 1);
		else
			word_spoil(word);
		memcpy(t.bytes, word, sizeof(word));
		return;
	}
	for (i = 0; i < edits; i++)
		record_edit(&t);
}

/* Generate many valid units */
static size_t tables_make(u8 *data, size_t size, size_t max)
{
	size_t at = input_tables(data, size);
	u32 records = 2 + random_below(24), i;
	u64 word[3];

	if (at + records * RECORD_BYTES > max)
		return size;
	((struct input *)data)->nr_tables = 0;
	for (i = 0; i < records; i++) {
		if (i)
			unit_make(word);
		else
			global_make(word, records - 1);
		if (!i)
			word[0] = put(word[0], DISC_GLOBAL0_STRIDE, 3);
		memcpy(data + at + i * RECORD_BYTES, word, sizeof(word));
	}
	return at + records * RECORD_BYTES;
}

/*
 * ---- header and config space ----
 */

static void head_edit(struct input *in)
{
	switch (random_below(8)) {
	case 0:
		in->platform = random_below(3);
		break;
	case 1:
		in->fail_in = random_below(3) ? 0 : 1 + random_below(40);
		break;
	case 2:
		in->nr_tables = random_below(MAX_TABLES);
		in->die[0] = 0;
		in->die[1] = random_below(2);
		break;
	case 3:
		in->functions = random_below(2) ? 0xff : random_below(256);
		break;
	case 4:
		in->nr_spots = random_below(MAX_SPOTS + 1);
		in->spot[random_below(MAX_SPOTS)] = random_below(256);
		break;
	case 5:
		in->ram_page = random_below(2) ? 0 : 0xc8aa2 + random_below(4);
		in->ram_pages = random_below(2) ? 0x10 : 1;
		break;
	case 6:
		in->count = random_below(6);
		break;
	default:
		in->bar[random_below(NR_BARS)] = random_below(16) | random_below(2) << 20;
	}
}

/* Write a capability at a random offset with a random next pointer */
static void config_edit(u8 *data, size_t size)
{
	struct input *in = (struct input *)data;
	size_t bytes = input_tables(data, size) - sizeof(*in);
	u32 dwords[4], at;

	if (bytes < sizeof(dwords))
		return;
	at = random_below(3) ? random_below(bytes / 16) * 16 : random_below(bytes / 4 - 3) * 4;
	dwords[0] = (random_below(4) ? DISC_EXT_CAP_ID_DVSEC : 0xb) | 1 << 16 |
		    (random_below(8) ? 0x100 + random_below(bytes / 16 + 2) * 16 :
				       random_below(0x1000)) << 20;
	if (!random_below(4))
		dwords[0] &= 0xfffff;
	dwords[1] = 0x01008086;
	dwords[2] = random_below(4) ? DISC_DVSEC_ENTRY_PMON : random_below(4);
	dwords[3] = random_below(8) | (random_below(2) ? 0 : random_below(0x1000) << 3);
	memcpy(data + sizeof(*in) + at, dwords, sizeof(dwords));
}

/* Change the size of the config space before the tables */
static size_t config_resize(u8 *data, size_t size, size_t max)
{
	struct input *in = (struct input *)data;
	size_t at = input_tables(data, size), tables = size - at;
	u32 dwords = random_below(4) ? random_below(24) : random_below(256);
	size_t to = sizeof(*in) + 4 * dwords;

	if (to + tables > max)
		return size;
	memmove(data + to, data + at, tables);
	if (to > at)
		memset(data + at, 0, to - at);
	in->config_dwords = dwords;
	return to + tables;
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed)
{
	struct input *in = (struct input *)data;

	state = seed;
	if (max < sizeof(*in))
		return LLVMFuzzerMutate(data, size, max);
	if (size < sizeof(*in)) {
		memset(data + size, 0, sizeof(*in) - size);
		in->functions = 0xff;
		return tables_make(data, sizeof(*in), max);
	}
	switch (random_below(16)) {
	case 0:
	case 1:
	case 2:
		return LLVMFuzzerMutate(data, size, max);
	case 3:
		return tables_make(data, size, max);
	case 4:
	case 5:
		head_edit(in);
		break;
	case 6:
		config_edit(data, size);
		break;
	case 7:
		return config_resize(data, size, max);
	default:
		tables_edit(data, size);
	}
	return size;
}
