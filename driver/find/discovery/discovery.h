/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMON discovery: shared structures of the path from firmware tables to box descriptions.
 *
 * fetch.c reads config space and tables, with other_devices.c for facts about other devices.
 * parse.c interprets tables, unit.c judges each unit record, validate.c checks its registers
 * against other devices, and ranges.c against other units. These four are pure, so that unit
 * tests and a user-space fuzzer reach all of them. probe.c reads registers to see whether they
 * exist. find.c builds box descriptions, and freerunning.c those of boxes that no table lists.
 *
 * A unit is one record of a table. An accepted unit becomes a box. Process context, at module
 * load.
 */
#ifndef UCORE_DISCOVERY_H
#define UCORE_DISCOVERY_H

#include "find/finder.h"
#include "find/iomem_resources.h"
#include "find/upi_iio_links.h"

/* Config space of a PCI Express function (bytes) */
#define UCORE_DISC_CONFIG_BYTES	4096

#define UCORE_DISC_MAX_UNITS	1023		/* per table: max_units has ten bits */
#define UCORE_DISC_MAX_TOTAL	8192		/* for all tables together */
#define UCORE_DISC_MAX_BYTES	((UCORE_DISC_MAX_UNITS + 1) * 255 * 8)
#define UCORE_DISC_MAX_STATUS	1024		/* bits of global status */

/* ---- platform data about units that the table lacks ---- */

/**
 * struct ucore_disc_type - one box type
 * @id: type number in the table
 * @type: the driver's description of the type: event fields, counter constraints and control
 *        bits. The record of each unit gives the number and width of its counters
 * @port: true if the registers may be in a PCI Express or CXL port. The port's driver does not
 *        use them
 * @access: access to which @fixed_ctl, @fixed_ctr and @filter apply, UCORE_ACCESS_*
 * @ctl_stride: distance between MMIO controls (bytes), 0 for the default of ctl_stride()
 * @fixed_ctl: control of the fixed counter, relative to the box control; 0 for none
 * @fixed_ctr: fixed counter, relative to the box control
 * @filter: filter register, relative to the box control; 0 for none
 */
struct ucore_disc_type {
	u32 id;
	const struct ucore_box_type *type;
	bool port;
	u8 access;
	u8 ctl_stride;
	u8 fixed_ctl;
	u8 fixed_ctr;
	u8 filter;
};

/**
 * struct ucore_disc_place - PCI location of units whose table records are unreliable
 * @type: type number
 * @device: PCI device id of the units' functions
 * @slot: PCI slot of unit 0; unit n is n slots further
 * @function: function number in the slot
 * @nr: largest number of units
 * @word0: correct word 0 of the record
 * @offset: config offset of the box control
 */
struct ucore_disc_place {
	u32 type;
	u16 device;
	u8 slot;
	u8 function;
	u32 nr;
	u64 word0;
	u32 offset;
};

/**
 * struct ucore_disc_free_msr - free-running MSR boxes, one per unit of a type
 * @type: box type
 * @layout: registers of unit 0's box
 * @unit: type number of the units
 * @msr: base MSR for unit 0
 * @stride: distance between the bases of two units' boxes (MSRs)
 * @extra_stride: further distance per unit of all fixed counters except the first (MSRs)
 * @max: number of units with a box, from id 0
 */
struct ucore_disc_free_msr {
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	u32 unit;
	u32 msr;
	u32 stride;
	u32 extra_stride;
	u32 max;
};

/**
 * struct ucore_disc_free_mmio - memory-mapped free-running boxes
 * @type: box type
 * @layout: registers
 * @unit: type number of the units
 * @units_each: number of units per box
 * @device: PCI device id of the function with the boxes' addresses
 * @first: offset of the first register from that address (bytes)
 * @size: size from the first register to the end of the last one (bytes)
 */
struct ucore_disc_free_mmio {
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	u32 unit;
	u32 units_each;
	u16 device;
	u32 first;
	u32 size;
};

/**
 * struct ucore_disc_rules - platform data that the tables lack
 * @types: box types
 * @nr_types: number of @types
 * @unknown: box type for all other type numbers
 * @places: units that are located by PCI device id
 * @nr_places: number of @places
 * @count_type: type whose number of units @count_msr holds
 * @count_msr: MSR with the number of units of @count_type, 0 for none
 * @ubox: function that maps a bus to a socket, used if NUMA data do not suffice; or NULL
 * @free_msr: free-running MSR boxes, or NULL
 * @free_mmio: memory-mapped free-running boxes, or NULL
 * @links: link registers, or NULL; require @ubox
 * @table_device: further PCI device id of functions with tables, 0 for none
 * @table_msr: MSR of a die with the address of a table, 0 for none
 * @nr_globals: largest number of global controls of a die, each with a table; 0 means 1
 * @broken: types whose units are known not to work, ended by 0
 * @uncertain: rules that include likely facts which the sources leave open or contradict; NULL
 *             if there are none
 */
struct ucore_disc_rules {
	const struct ucore_disc_type *types;
	u32 nr_types;
	const struct ucore_box_type *unknown;
	const struct ucore_disc_place *places;
	u32 nr_places;
	u32 count_type;
	u32 count_msr;
	const struct ucore_ubox_map *ubox;
	const struct ucore_disc_free_msr *free_msr;
	const struct ucore_disc_free_mmio *free_mmio;
	const struct ucore_link_regs *links;
	u16 table_device;
	u32 table_msr;
	u32 nr_globals;
	const u16 *broken;
	const struct ucore_disc_rules *uncertain;
};

/* ---- the machine, as the parser sees it ---- */

/**
 * struct ucore_disc_function - facts about a PCI function
 * @size: size of config space (bytes)
 * @class: class code, 24 bits
 * @driven: true if a driver is bound to the function
 * @taken: bit map of the config dwords that belong to capabilities
 */
struct ucore_disc_function {
	u32 size;
	u32 class;
	bool driven;
	u64 taken[UCORE_DISC_CONFIG_BYTES / sizeof(u32) / 64];
};

struct ucore_unit;

/**
 * struct ucore_disc_env - facts about the machine
 * @phys_bits: width of a physical address (bits)
 * @foreign: memory ranges of other devices
 * @on_ram: return true if the range contains RAM
 * @function: describe a PCI function; return false if there is no Intel function
 * @answers: return true if the registers of a validated unit respond
 */
struct ucore_disc_env {
	u32 phys_bits;
	struct ucore_regions foreign;
	bool (*on_ram)(const struct ucore_disc_env *env, u64 address, u64 size);
	bool (*function)(const struct ucore_disc_env *env, u32 segment, u32 bus, u32 devfn,
			 struct ucore_disc_function *function);
	bool (*answers)(const struct ucore_disc_env *env, const struct ucore_unit *unit);
};

/**
 * struct ucore_disc_source - content of a table
 * @copy: copy 64-bit words from within @size
 * @size: size from the start of the table to the end of its BAR (bytes)
 */
struct ucore_disc_source {
	void (*copy)(const struct ucore_disc_source *source, u64 *to, u64 offset, u32 words);
	u64 size;
};

/**
 * struct ucore_disc_config - config space of a function
 * @read: return a dword
 * @size: size (bytes)
 */
struct ucore_disc_config {
	u32 (*read)(const struct ucore_disc_config *config, u32 reg);
	u32 size;
};

/**
 * struct ucore_disc_dvsec - DVSEC that points to a table
 * @at: config offset of the DVSEC
 * @bar: BAR number
 * @offset: offset of the table in the BAR (bytes)
 */
struct ucore_disc_dvsec {
	u32 at;
	u32 bar;
	u32 offset;
};

/* ---- results ---- */

/**
 * struct ucore_disc_table - one table
 * @reason: UCORE_TABLE_OK, or the reason of the rejection
 * @die: logical die, negative if unknown
 * @segment: PCI segment of the function with the DVSEC
 * @bus: bus of that function
 * @devfn: device and function number
 * @dvsec: the DVSEC
 * @msr: MSR that holds the address; 0 if the DVSEC does. With an MSR, @segment to @dvsec are
 *       unused.
 * @address: physical address
 * @size: size up to the end of the BAR (bytes)
 * @word: global record
 * @stride: size of a record (bytes)
 * @max_units: number of units by the global record
 * @nr_status: number of global status bits, 0 if the status cannot be used
 * @status_stride: distance between status words (registers or bytes)
 * @global_size: size of global control and status (registers or bytes)
 * @first: index of the table's first unit in ucore_disc.unit
 * @nr: number of units in ucore_disc.unit
 */
struct ucore_disc_table {
	u32 reason;
	s32 die;
	u32 segment;
	u32 bus;
	u32 devfn;
	struct ucore_disc_dvsec dvsec;
	u32 msr;
	u64 address;
	u64 size;
	u64 word[3];
	u32 stride;
	u32 max_units;
	u32 nr_status;
	u32 status_stride;
	u32 global_size;
	u32 first;
	u32 nr;
};

/**
 * struct ucore_unit - unit record of a table, and its box
 * @reason: UCORE_UNIT_OK, or the reason of the rejection
 * @table: index of the table
 * @record: number of the record in the table, 0 for a unit located by its PCI function
 * @die: logical die
 * @box: box id, UCORE_NO_BOX if rejected
 * @other: number of the conflicting record
 * @other_table: index of the table with the conflicting record
 * @word: content of the record
 * @size: size from the box control to the last register (registers or bytes)
 * @rule: platform data about the type, NULL if there are none
 * @type: box type, with the unit's numbers and widths of counters
 * @layout: registers
 * @free_layout: registers of the unit's free-running box
 * @name: name of the type, generated if the platform has none
 */
struct ucore_unit {
	u32 reason;
	u32 table;
	u32 record;
	s32 die;
	u32 box;
	u32 other;
	u32 other_table;
	u64 word[3];
	u32 size;
	const struct ucore_disc_type *rule;
	struct ucore_box_type type;
	struct ucore_layout layout;
	struct ucore_layout free_layout;
	char name[UCORE_NAME_LEN];
};

/**
 * struct ucore_disc_range - reserved registers or unit name
 * @space: MSRs of a die, memory, a PCI function, or the unit names of a die
 * @start: first reserved register or name
 * @end: first one after the range
 * @unit: index of the owning unit, UCORE_NO_BOX for global control, UCORE_DISC_FOREIGN for
 *        registers that are not part of a unit
 */
struct ucore_disc_range {
	u64 space;
	u64 start;
	u64 end;
	u32 unit;
};

#define UCORE_DISC_FOREIGN	(UCORE_NO_BOX - 1)

/* Kinds of spaces */
enum ucore_disc_space {
	UCORE_DISC_MEMORY,
	UCORE_DISC_MSR,
	UCORE_DISC_PCI,
	UCORE_DISC_NAME,
	UCORE_DISC_SPACES,
};

/**
 * struct ucore_disc_ranges - all reserved ranges of one kind of space
 * @range: the ranges, sorted by space and start, without overlaps
 * @nr: number of ranges
 * @max: number of ranges that @range has room for
 */
struct ucore_disc_ranges {
	struct ucore_disc_range *range;
	u32 nr;
	u32 max;
};

/**
 * struct ucore_disc_pci_unit - unit located by its PCI function
 * @die: logical die
 * @place: rule that located the unit
 * @id: unit id
 * @address: correct word 1 of the record
 */
struct ucore_disc_pci_unit {
	s32 die;
	const struct ucore_disc_place *place;
	u32 id;
	u64 address;
};

/**
 * struct ucore_disc - all results of discovery
 * @env: facts about the machine
 * @rules: platform data
 * @table: tables, in order of discovery
 * @nr_tables: number of tables
 * @max_tables: number of tables that @table has room for
 * @unit: units of all tables, in order
 * @nr_units: number of units
 * @max_units: number of units that @unit has room for
 * @pci_unit: units located by their PCI functions
 * @nr_pci_units: number of these units
 * @max_pci_units: number of units that @pci_unit has room for
 * @ranges: reserved ranges
 */
struct ucore_disc {
	const struct ucore_disc_env *env;
	const struct ucore_disc_rules *rules;
	struct ucore_disc_table *table;
	u32 nr_tables;
	u32 max_tables;
	struct ucore_unit *unit;
	u32 nr_units;
	u32 max_units;
	struct ucore_disc_pci_unit *pci_unit;
	u32 nr_pci_units;
	u32 max_pci_units;
	struct ucore_disc_ranges ranges[UCORE_DISC_SPACES];
};

#endif /* UCORE_DISCOVERY_H */
