/* SPDX-License-Identifier: GPL-2.0-only */
/* What a fuzzer's input is made of. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <linux/types.h>

#define MAX_TABLES	3
#define MAX_SPOTS	8
#define MAX_INPUT	4096
#define NR_BARS		6

#define BIG		0xb1	/* max_units as it is; else its low bits: 1023 units take long */
#define SMALL_UNITS	0x7f

/**
 * struct input - beginning of an input; then come config space, then tables
 * @platform: whose rules
 * @phys_bits: bits of a physical address, from 36 on
 * @fail_in: the allocation that fails; 0: none
 * @count: CHAs there are; 0: not known
 * @nr_tables: tables, of equal size
 * @functions: two bits for each of four kinds of PCI functions: bytes of config space
 * @nr_spots: units at known places
 * @big: BIG: as many units as the table claims
 * @ram_page: first page of RAM
 * @ram_pages: how many
 * @die: of each table
 * @config_dwords: extended config space
 * @spot: one byte each: place, id, bus, die
 * @bar: the function's BARs
 */
struct input {
	u8 platform;
	u8 phys_bits;
	u8 fail_in;
	u8 count;
	u8 nr_tables;
	u8 functions;
	u8 nr_spots;
	u8 big;
	u32 ram_page;
	u32 ram_pages;
	u8 die[MAX_TABLES];
	u8 config_dwords;
	u8 spot[MAX_SPOTS];
	u32 bar[NR_BARS];
} __attribute__((packed));

size_t input_tables(const u8 *data, size_t size);

/* libFuzzer's: the second is called by it */
size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed);

#endif /* FUZZ_INPUT_H */
