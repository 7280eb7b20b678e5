/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMON discovery: structures that the files of this folder share. Discovery makes box
 * descriptions from the tables in which firmware lists the uncore units.
 *
 * fetch_tables.c finds and maps the tables, and other_pci_devices.c collects facts about other
 * devices. parse_tables.c interprets the tables, and unit_check.c decides for each unit record
 * whether it is a box. register_address_check.c compares the registers of a unit with those of
 * other devices, and range_list.c with those of other units. These four files contain only pure
 * functions, so that unit tests and a user-space fuzzer can run all of them. probe_units.c
 * reads registers to find whether they exist. make_boxes.c makes the box descriptions.
 * freerunning.c makes those of boxes that no table lists.
 *
 * A unit is one record of a table. An accepted unit becomes a box. Process context, at module
 * load.
 */
#ifndef UCORE_DISCOVERY_H
#define UCORE_DISCOVERY_H

#include "find/found_boxes.h"
#include "find/iomem_resources.h"
#include "find/upi_iio_links.h"

struct ucore_static_table;

/* Size of the config space of a PCI Express function (bytes) */
#define UCORE_DISC_CONFIG_BYTES	4096

#define UCORE_DISC_MAX_UNITS	1023		/* units of a table: max_units has ten bits */
#define UCORE_DISC_MAX_TOTAL	8192		/* units of all tables together */
#define UCORE_DISC_MAX_BYTES	((UCORE_DISC_MAX_UNITS + 1) * 255 * 8)
#define UCORE_DISC_MAX_STATUS	1024		/* bits of the global status of a table */

/* ---- platform data about units that the table lacks ---- */

/**
 * struct ucore_disc_type - platform data about the units of one type number
 * @id: type number in the unit records
 * @type: box type of these units: event fields, event constraints and control bits. The record
 *        of each unit contains the number and width of its counters.
 * @port: true if the registers may be in a PCI Express or CXL port, because the port's driver
 *        does not use them
 * @access: kind of register access for which @fixed_ctl, @fixed_ctr and @filter are valid,
 *          UCORE_ACCESS_*
 * @ctl_stride: distance between two controls in MMIO (bytes), 0 for the default of ctl_stride()
 * @fixed_ctl: offset of the fixed counter's control from the box control, 0 for none
 * @fixed_ctr: offset of the fixed counter from the box control
 * @filter: offset of the filter register from the box control, 0 for none
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
 * struct ucore_disc_place - PCI location of units whose records in the table are unreliable
 * @type: type number of the units
 * @device: PCI device id of the functions with the units' registers
 * @slot: PCI slot of unit 0; unit n is in slot @slot + n
 * @function: PCI function number in the slot
 * @nr: largest number of these units on a die
 * @word0: correct value of word 0 of the unit records
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
 * struct ucore_disc_free_msr - boxes of free-running counters in MSRs, one for each unit of a type
 * @type: box type of the free-running boxes
 * @layout: register offsets of the free-running box of unit 0
 * @unit: type number of the units that have a free-running box
 * @msr: base MSR of the free-running box of unit 0
 * @stride: distance between the base MSRs of two free-running boxes
 * @extra_stride: distance (MSRs) that is added to @stride for all fixed counters except the first
 * @max: number of units with a free-running box; their unit ids are 0 to @max - 1
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
 * struct ucore_disc_free_mmio - boxes of free-running counters in memory-mapped registers
 * @type: box type of the free-running boxes
 * @layout: register offsets of a free-running box
 * @unit: type number of the units (memory channels) whose memory controllers have these boxes
 * @units_each: number of these units for each free-running box
 * @device: PCI device id of the function with the addresses of the memory controllers
 * @first: offset of the first register of a box from the address of its controller (bytes)
 * @size: size of a box, from the first register to the end of the last register (bytes)
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
 * struct ucore_disc_msr - MSR with the address of a table on one processor
 * @family: CPUID family of the processor
 * @model: CPUID model of the processor
 * @msr: MSR number
 */
struct ucore_disc_msr {
	u8 family;
	u8 model;
	u32 msr;
};

/**
 * struct ucore_disc_free_fixed - boxes of free-running counters at fixed physical addresses
 * @type: box type of the free-running boxes
 * @layout: register offsets of a free-running box
 * @address: physical addresses of the units with the boxes, in the order of the box numbers
 * @nr: number of entries of @address
 * @first: offset of the first register of a box from the address of its unit (bytes)
 * @size: size of a box, from the first register to the end of the last register (bytes)
 */
struct ucore_disc_free_fixed {
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	const u64 *address;
	u32 nr;
	u32 first;
	u32 size;
};

/**
 * struct ucore_disc_rules - data of a platform that its discovery tables lack
 * @types: platform data about the units of each known type number
 * @nr_types: number of entries of @types
 * @unknown: box type of the units of all other type numbers
 * @places: units that are found by PCI device id, because their records are unreliable
 * @nr_places: number of entries of @places
 * @count_type: type number of the units whose real number @count_msr contains
 * @count_msr: MSR with the real number of units of @count_type on a die, 0 for none
 * @ubox: UBox function, whose registers map a PCI bus to a socket; used if the NUMA node of the
 *        bus does not identify the die. May be NULL.
 * @free_msr: boxes of free-running counters in MSRs, or NULL
 * @free_mmio: boxes of free-running counters in memory-mapped registers, or NULL
 * @free_fixed: boxes of free-running counters at fixed addresses, on the first die with a table; or
 *              NULL
 * @links: registers with the root buses of IIO stacks and the peers of UPI links, or NULL.
 *         If it has registers about peers, @ubox must be set.
 * @table_device: PCI device id of functions that point to tables, in addition to DISC_PCI_DEVICE; 0
 *                for none
 * @table_msr: MSR of a die that contains the address of a table, 0 for none
 * @table_msr_expected: true if each processor of the platform has this MSR. Otherwise no table is
 *                      reported if the MSR faults or contains 0.
 * @other_msrs: processors that have another MSR in place of @table_msr, ended by an entry whose
 *              msr is 0; NULL for none
 * @broken: type numbers of the units that are known not to work, ended by 0
 * @beside: boxes at known places, which no table lists. Their global control is the first one of
 *          each die, and the overflow status of the tables is not used, because an overflow of a
 *          unit does not stop these boxes. NULL if there are none
 * @uncertain: rules that also contain likely facts which the sources contradict or do not
 *             confirm, for the module parameter uncertain=1; NULL if there are none
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
	const struct ucore_disc_free_fixed *free_fixed;
	const struct ucore_link_regs *links;
	u16 table_device;
	u32 table_msr;
	bool table_msr_expected;
	const struct ucore_disc_msr *other_msrs;
	const u16 *broken;
	const struct ucore_static_table *beside;
	const struct ucore_disc_rules *uncertain;
};

/* ---- facts about the machine, as input of the pure functions ---- */

/**
 * struct ucore_disc_function - facts about a PCI function
 * @size: size of its config space (bytes)
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
 * struct ucore_disc_env - facts about the machine, as input of the pure functions
 * @phys_bits: width of a physical address (bits)
 * @foreign: memory ranges of other devices
 * @on_ram: function that returns true if a range of physical addresses contains RAM
 * @function: function that describes a PCI function; returns false if there is no PCI function
 *            of Intel at this location
 * @answers: function that returns true if the registers of a validated unit respond
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
 * struct ucore_disc_source - readable content of a discovery table
 * @copy: function that copies 64-bit words of the table, all within @size
 * @size: number of bytes of the table that can be read
 */
struct ucore_disc_source {
	void (*copy)(const struct ucore_disc_source *source, u64 *to, u64 offset, u32 words);
	u64 size;
};

/**
 * struct ucore_disc_config - config space of a PCI function
 * @read: function that returns a dword of the config space
 * @size: size of the config space (bytes)
 */
struct ucore_disc_config {
	u32 (*read)(const struct ucore_disc_config *config, u32 reg);
	u32 size;
};

/**
 * struct ucore_disc_dvsec - PCI Express capability (DVSEC) that points to a discovery table
 * @at: config offset of the DVSEC
 * @header: second dword of the DVSEC, for GET_TABLES
 * @bar: number of the BAR that contains the table
 * @offset: offset of the table in the BAR (bytes)
 */
struct ucore_disc_dvsec {
	u32 at;
	u32 header;
	u32 bar;
	u32 offset;
};

/* ---- results ---- */

/**
 * struct ucore_disc_table - one discovery table
 * @reason: UCORE_TABLE_OK, or the reason why the table was rejected, UCORE_TABLE_*
 * @die: logical die of the table's units, negative if unknown (UCORE_DIE_*)
 * @die_by: how @die was found, UCORE_DIE_BY_*
 * @segment: PCI segment of the function whose DVSEC points to the table
 * @bus: PCI bus of this function
 * @devfn: device and function number of this function
 * @dvsec: DVSEC that points to the table
 * @msr: MSR that contains the address of the table; 0 if a DVSEC points to the table. With an
 *       MSR, @segment, @bus, @devfn and @dvsec are 0.
 * @address: physical address of the table
 * @size: largest possible size of the table, limited by the end of the BAR (bytes)
 * @word: first three words of the global record
 * @stride: size of a record (bytes)
 * @max_units: number of units according to the global record
 * @nr_status: number of bits of the global status, 0 if the global status cannot be used
 * @status_stride: distance between the words of the global status (MSRs or bytes)
 * @global_size: size from the global control to the end of the global status (MSRs or bytes)
 * @first: index of the table's first unit in ucore_disc.unit
 * @nr: number of the table's units in ucore_disc.unit
 */
struct ucore_disc_table {
	u32 reason;
	s32 die;
	u32 die_by;
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
 * struct ucore_unit - one unit record of a discovery table, and the box made from it
 * @reason: UCORE_UNIT_OK, or the reason why the unit was rejected, UCORE_UNIT_*
 * @absent: the registers did not respond at load, but the unit becomes a box in case they respond
 *          later. Until then @reason is UCORE_UNIT_NO_ANSWER.
 * @table: index of the unit's table in ucore_disc.table
 * @record: number of the record in the table, 0 for a unit found by its PCI function
 * @die: logical die of the unit
 * @box: id of the unit's box, UCORE_NO_BOX if the unit was rejected
 * @other: number of the record whose registers or name conflict with this unit
 * @other_table: index of the table that contains this conflicting record
 * @word: first three words of the record
 * @size: size from the box control to the end of the last register (MSRs or bytes)
 * @rule: platform data about the unit's type number, NULL if there are none
 * @type: box type, with the numbers and widths of this unit's counters
 * @layout: register offsets of the unit
 * @free_layout: register offsets of the unit's box of free-running counters
 * @name: name of the box type; "type_N" if the platform has no name for type number N
 */
struct ucore_unit {
	u32 reason;
	bool absent;
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
 * struct ucore_disc_range - range of registers, or a unit name, that no other unit may use
 * @space: address space of the range (SPACE_*): memory, the MSRs of a die, the config space of a
 *         PCI function, or the unit names of a die
 * @start: address of the first register, or number of the name, in this space
 * @end: first address after the range
 * @unit: index of the unit that uses the range, UCORE_NO_BOX for a global control,
 *        UCORE_DISC_FOREIGN for registers that are not part of a unit
 */
struct ucore_disc_range {
	u64 space;
	u64 start;
	u64 end;
	u32 unit;
};

#define UCORE_DISC_FOREIGN	(UCORE_NO_BOX - 1)

/* Kinds of address spaces of reserved ranges */
enum ucore_disc_space {
	UCORE_DISC_MEMORY,
	UCORE_DISC_MSR,
	UCORE_DISC_PCI,
	UCORE_DISC_NAME,
	UCORE_DISC_SPACES,
};

/**
 * struct ucore_disc_ranges - all reserved ranges of one kind of address space
 * @range: array of ranges, sorted by space and start, without overlaps
 * @nr: number of ranges
 * @max: number of ranges that @range has room for
 */
struct ucore_disc_ranges {
	struct ucore_disc_range *range;
	u32 nr;
	u32 max;
};

/**
 * struct ucore_disc_pci_unit - unit that was found by its PCI function
 * @die: logical die of the unit
 * @place: rule by which the unit was found
 * @id: unit id
 * @address: correct value of word 1 of the unit's record: location of the box control
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
 * @rules: data of the platform that the tables lack
 * @table: array of all discovery tables: those of PCI functions in the order of their segments,
 *         buses, devices and functions, then those whose addresses are in MSRs
 * @nr_tables: number of tables
 * @max_tables: number of tables that @table has room for
 * @unit: array of the units of all tables, in the order of the tables
 * @nr_units: number of units
 * @max_units: number of units that @unit has room for
 * @pci_unit: array of the units that were found by their PCI functions
 * @nr_pci_units: number of entries of @pci_unit
 * @max_pci_units: number of entries that @pci_unit has room for
 * @ranges: lists of reserved ranges, one for each kind of address space
 * @short_config: true if the kernel reaches only the first 256 bytes of the config space of all PCI
 *                Express functions
 * @may_write: true if no other driver uses the uncore, so that a trial may write registers
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
	bool short_config;
	bool may_write;
};

#endif /* UCORE_DISCOVERY_H */
