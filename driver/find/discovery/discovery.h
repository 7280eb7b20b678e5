/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * PMON discovery: from the bytes that firmware left to box descriptions.
 *
 * Four steps.  fetch.c reads config space and tables and answers the parser's
 * questions about this machine, with foreign.c, which knows what in it is others'.
 * parse.c decides what the bytes mean, and window.c which registers a unit may have:
 * pure, no hardware, no kernel state, so unit tests and a fuzzer in user space reach
 * all of it.  probe.c asks whether what they describe is there.  find.c makes box
 * descriptions of it, and beside.c of what no table has.
 *
 * A unit (the table's word) that is accepted becomes a box.
 */
#ifndef UCORE_DISCOVERY_H
#define UCORE_DISCOVERY_H

#include "find/links.h"
#include "find/finder.h"
#include "find/regions.h"

/* Config space of a PCI Express function */
#define UCORE_DISC_CONFIG_BYTES	4096

#define UCORE_DISC_MAX_UNITS	1023		/* of a table: max_units has ten bits */
#define UCORE_DISC_MAX_TOTAL	8192		/* of all tables */
#define UCORE_DISC_MAX_BYTES	((UCORE_DISC_MAX_UNITS + 1) * 255 * 8)
#define UCORE_DISC_MAX_STATUS	1024		/* bits of global status */

/*
 * ---- what a platform knows of its units beyond the table ----
 */

/**
 * struct ucore_disc_type - one box type
 * @id: type number in the table
 * @type: fields, constraints, control words; counters and widths come from the
 *        unit's own record
 * @access: UCORE_ACCESS_* that @fixed_* and @filter are true of
 * @ctl_stride: bytes from one MMIO control to the next; 0: see ctl_stride()
 * @fixed_ctl: control of the fixed counter, from the box control; 0: none
 * @fixed_ctr: fixed counter, from the box control
 * @filter: filter register, from the box control; 0: none
 * @port: it may be in a PCI Express or CXL port, beside what the port's driver uses
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
 * struct ucore_disc_place - units whose table entries are not to be trusted
 * @type: their type number
 * @device: PCI device id of their functions
 * @slot: slot of unit 0; unit n is n slots further
 * @function: function in the slot
 * @nr: units at most
 * @word0: word 0 of the record that the table should have
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
 * struct ucore_disc_beside - MSR boxes that no table has, one beside each of a type
 * @type: their type
 * @layout: their registers
 * @unit: type number of the units that have one
 * @msr: base for unit 0
 * @stride: from the base of one unit's box to that of the next
 * @spread: how much more than @stride it is for all fixed counters but the first
 * @max: units that have one, from 0
 */
struct ucore_disc_beside {
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	u32 unit;
	u32 msr;
	u32 stride;
	u32 spread;
	u32 max;
};

/**
 * struct ucore_disc_bank - boxes in memory that no table has, one for some units each
 * @type: their type
 * @layout: their registers
 * @unit: type number of the units
 * @units_each: units that have one together
 * @device: PCI device id of the function that tells where they are
 * @first: bytes from there to the first register
 * @size: bytes from the first register to the end of the last
 */
struct ucore_disc_bank {
	const struct ucore_box_type *type;
	const struct ucore_layout *layout;
	u32 unit;
	u32 units_each;
	u16 device;
	u32 first;
	u32 size;
};

/**
 * struct ucore_disc_rules - what a platform knows beyond its tables
 * @types: box types
 * @nr_types: how many
 * @unknown: box type of numbers that are not among them
 * @places: units that are looked for at known places
 * @nr_places: how many
 * @count_type: type whose units another register counts
 * @count_msr: the MSR that counts them; 0: none
 * @ubox: function that maps a bus to a socket, where NUMA does not
 * @beside: boxes that no table has, by MSR, or NULL
 * @bank: boxes that no table has, in memory, or NULL
 * @ends: how links tell where they lead, or NULL; needs @ubox
 * @table_device: PCI device id of functions with tables, beside the usual one; 0: none
 * @table_msr: MSR of a die that holds the address of a table; 0: none
 * @nr_globals: global controls that a die may have, each with a table; 0: one
 * @broken: types whose units are known not to work, ended by 0
 * @uncertain: the rules with what the sources do not agree on, or leave open, taken as
 *             likely; NULL: the same
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
	const struct ucore_disc_beside *beside;
	const struct ucore_disc_bank *bank;
	const struct ucore_link_regs *ends;
	u16 table_device;
	u32 table_msr;
	u32 nr_globals;
	const u16 *broken;
	const struct ucore_disc_rules *uncertain;
};

/*
 * ---- the parser's view of the machine ----
 */

/**
 * struct ucore_disc_function - a PCI function
 * @size: bytes of config space
 * @class: class code, 24 bits
 * @driven: a driver is bound to it
 * @taken: a bit for each dword of config space that a capability has
 */
struct ucore_disc_function {
	u32 size;
	u32 class;
	bool driven;
	u64 taken[UCORE_DISC_CONFIG_BYTES / sizeof(u32) / 64];
};

struct ucore_unit;

/**
 * struct ucore_disc_env - what only the machine can tell
 * @phys_bits: bits of a physical address
 * @others: memory that is no unit's
 * @on_ram: is any of this RAM?
 * @function: what is there to know of a PCI function; false if there is none of Intel's
 * @answers: do the registers of a unit answer that may be touched?
 */
struct ucore_disc_env {
	u32 phys_bits;
	struct ucore_regions others;
	bool (*on_ram)(const struct ucore_disc_env *env, u64 address, u64 size);
	bool (*function)(const struct ucore_disc_env *env, u32 segment, u32 bus, u32 devfn,
			 struct ucore_disc_function *function);
	bool (*answers)(const struct ucore_disc_env *env, const struct ucore_unit *unit);
};

/**
 * struct ucore_disc_source - the bytes of a table
 * @copy: copy words of 64 bits; never asked for more than there are
 * @size: bytes there are, from the table to the end of its BAR
 */
struct ucore_disc_source {
	void (*copy)(const struct ucore_disc_source *source, u64 *to, u64 offset, u32 words);
	u64 size;
};

/**
 * struct ucore_disc_config - a function's config space
 * @read: read a dword
 * @size: bytes there are
 */
struct ucore_disc_config {
	u32 (*read)(const struct ucore_disc_config *config, u32 reg);
	u32 size;
};

/**
 * struct ucore_disc_dvsec - a DVSEC that points to a table
 * @at: config offset
 * @bar: BAR number
 * @offset: where the table begins in the BAR
 */
struct ucore_disc_dvsec {
	u32 at;
	u32 bar;
	u32 offset;
};

/*
 * ---- what was found ----
 */

/**
 * struct ucore_disc_table - one table
 * @reason: UCORE_TABLE_*
 * @die: logical die, negative if none
 * @segment: PCI segment of the function with the DVSEC
 * @bus: its bus
 * @devfn: its device and function
 * @dvsec: the DVSEC
 * @msr: MSR that told the address; 0: the DVSEC did, and the four before are meant
 * @address: physical address
 * @size: bytes to the end of the BAR
 * @word: the global record
 * @stride: bytes of a record
 * @max_units: units that it claims
 * @nr_status: bits of global status, 0 if they are out of reach
 * @status_stride: registers or bytes from one of its words to the next
 * @global_size: registers or bytes of global control and status
 * @first: its first unit in ucore_disc.unit
 * @nr: how many
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
 * struct ucore_unit - one record of a table, and the box that it became
 * @reason: UCORE_UNIT_*
 * @table: index of its table
 * @record: its number there, 0 if it is not from the table
 * @die: logical die
 * @box: box id, UCORE_NO_BOX if rejected
 * @other: record that it conflicts with
 * @other_table: the table of that record
 * @word: the record
 * @size: registers or bytes from the box control to its last register
 * @rule: what the platform knows of its type, NULL if nothing
 * @type: its box type, with its own numbers
 * @layout: where its registers are
 * @beside: where those of the box beside it are
 * @name: name of the type, if the platform has none
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
	struct ucore_layout beside;
	char name[UCORE_NAME_LEN];
};

/**
 * struct ucore_disc_claim - registers, or a name, that a unit has taken
 * @space: MSRs of a die, memory, a PCI function, or unit names of a die
 * @start: the first that is taken
 * @end: the first behind it that is not
 * @unit: index of the unit, UCORE_NO_BOX for global control, UCORE_DISC_OTHERS for
 *        what is known and no unit's
 */
struct ucore_disc_claim {
	u64 space;
	u64 start;
	u64 end;
	u32 unit;
};

#define UCORE_DISC_OTHERS	(UCORE_NO_BOX - 1)

/* What can be taken */
enum ucore_disc_space {
	UCORE_DISC_MEMORY,
	UCORE_DISC_MSR,
	UCORE_DISC_PCI,
	UCORE_DISC_NAME,
	UCORE_DISC_SPACES,
};

/**
 * struct ucore_disc_claims - all claims of one kind of space
 * @claim: the claims, sorted by space and start; no two of them overlap
 * @nr: how many
 * @max: room for how many
 */
struct ucore_disc_claims {
	struct ucore_disc_claim *claim;
	u32 nr;
	u32 max;
};

/**
 * struct ucore_disc_spot - a unit that sits at a known place
 * @die: logical die
 * @place: which place
 * @id: unit id
 * @address: word 1 of the record that the table should have
 */
struct ucore_disc_spot {
	s32 die;
	const struct ucore_disc_place *place;
	u32 id;
	u64 address;
};

/**
 * struct ucore_disc - everything that discovery found
 * @env: the machine
 * @rules: the platform
 * @table: tables, in order of discovery
 * @nr_tables: how many
 * @max_tables: room for how many
 * @unit: units of all tables, in order
 * @nr_units: how many
 * @max_units: room for how many
 * @spot: units found at known places
 * @nr_spots: how many
 * @max_spots: room for how many
 * @claims: what is taken
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
	struct ucore_disc_spot *spot;
	u32 nr_spots;
	u32 max_spots;
	struct ucore_disc_claims claims[UCORE_DISC_SPACES];
};

/* Fields of a record's words that others than the parser need */
u32 ucore_disc_access(const u64 *word);
u32 ucore_disc_unit_type(const struct ucore_unit *unit);
u32 ucore_disc_unit_id(const struct ucore_unit *unit);

/* Pure, window.c: */
void ucore_validate_caps(const struct ucore_disc_config *config, struct ucore_disc_function *function);
u32 ucore_validate_unit(const struct ucore_disc_env *env, const struct ucore_disc_type *rule,
		      u32 access, u64 address, u32 size);

/* Pure, parse.c: */
u32 ucore_disc_walk(const struct ucore_disc_config *config, struct ucore_disc_dvsec *dvsec,
		    u32 max, bool *broken);
u32 ucore_disc_bar(const struct ucore_disc_config *config, u32 bar, u64 *address);
u32 ucore_disc_pointer(const struct ucore_disc_env *env, u64 value, u64 *address);
u32 ucore_disc_memory(const struct ucore_disc_env *env, u64 address, u64 size);
void ucore_disc_deal(struct ucore_disc *disc, const u32 *dies, u32 nr);
void ucore_disc_parse_global(struct ucore_disc *disc, struct ucore_disc_table *table,
			     const struct ucore_disc_source *source);
int ucore_disc_parse_units(struct ucore_disc *disc, u32 table,
			   const struct ucore_disc_source *source);
int ucore_disc_note_spot(struct ucore_disc *disc, s32 die,
			 const struct ucore_disc_place *place, u32 id, u32 segment, u32 bus);
void ucore_disc_trim(struct ucore_disc *disc, s32 die, u32 count);
void ucore_disc_free(struct ucore_disc *disc);

#endif /* UCORE_DISCOVERY_H */
