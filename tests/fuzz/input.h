/* SPDX-License-Identifier: GPL-2.0-only */
/* Format of the fuzzer's input. */
#ifndef FUZZ_INPUT_H
#define FUZZ_INPUT_H

#include <linux/types.h>

#define MAX_TABLES	3
#define MAX_SPOTS	8
#define MAX_INPUT	4096
#define NR_BARS		6

#define BIG		0xb1	/* use max_units; else its low bits (1023 units are slow) */
#define SMALL_UNITS	0x7f

/**
 * struct input - header of an input, followed by config space and tables
 * @platform: index of the platform with its rules
 * @phys_bits: number of physical address bits, minus 36
 * @fail_in: number of the allocation that fails (0: none)
 * @count: number of CHAs (0: unknown)
 * @nr_tables: number of tables, all of the same size
 * @functions: size of config space, two bits for each of four kinds of PCI functions
 * @nr_spots: number of units at known addresses
 * @big: BIG to accept the table's number of units
 * @ram_page: number of the first RAM page
 * @ram_pages: number of RAM pages
 * @die: die of each table
 * @config_dwords: size of extended config space in dwords
 * @spot: unit at a known address, packed into one byte: address, id, bus, die
 * @bar: BARs of the PCI function
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

/* Functions of libFuzzer and for libFuzzer */
size_t LLVMFuzzerMutate(u8 *data, size_t size, size_t max);
size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max, unsigned int seed);

#endif /* FUZZ_INPUT_H */
