// SPDX-License-Identifier: GPL-2.0-only
/*
 * PMON discovery: checks that a unit's registers can be uncore registers and do not belong to
 * another device.
 *
 * Pure functions, also built in user space (tests/fuzz). Their input are the facts about the
 * machine in struct ucore_disc_env. Process context, at module load.
 */
#include <linux/bitfield.h>
#include <linux/kernel.h>

#include "find/discovery/register_address_check.h"
#include "find/static_table_desc.h"
#include "hw/discovery.h"

/*
 * Range of the uncore MSRs on processors with discovery (MSR_FIRST to MSR_LAST). Earlier
 * generations had uncore MSRs from E00h on (MSR_OLD_*), where current CPUs have
 * IA32_QOS_CORE_BW_THRTL, the bandwidth control of cores. All other MSRs control the processor.
 * The driver must not write them because of a wrong record.
 */
#define MSR_OLD_FIRST	0xe00
#define MSR_OLD_LAST	0xfff
#define MSR_FIRST	0x2000
#define MSR_LAST	0xffff

/* First config offset at which a box can be: the standard PCI header is below. */
#define PCI_FIRST	0x40
#define PCI_HEADER_STATUS	0x4		/* dword whose upper half is the status */
#define PCI_HEADER_HAS_LIST	(0x10U << 16)
#define PCI_HEADER_LIST		0x34

#define CLASS_BASE	GENMASK_ULL(23, 16)
#define CLASS_SUB	GENMASK_ULL(23, 8)
#define CLASS_PORT	0x0604

/*
 * ---- config space ----
 */

/**
 * struct cap - size of a PCI capability in config space
 * @id: capability id
 * @size: size of the capability (bytes)
 */
struct cap {
	u16 id;
	u16 size;
};

/*
 * Capabilities with writable registers, whose whole size is protected. Of all other capabilities
 * only the header is protected.
 */
static const struct cap caps[] = {
	{ 0x01, 8 },		/* power management */
	{ 0x05, 24 },		/* MSI */
	{ 0x0d, 8 },		/* subsystem */
	{ 0x10, 20 },		/* PCI Express */
	{ 0x11, 12 },		/* MSI-X */
};

static const struct cap extended_caps[] = {
	{ 0x01, 56 },		/* error reporting */
	{ 0x03, 12 },		/* serial number */
	{ 0x0d, 8 },		/* access control */
	{ 0x0f, 8 },		/* address translation */
	{ 0x10, 64 },		/* virtual functions */
	{ DISC_EXT_CAP_ID_DVSEC, DISC_DVSEC_SIZE },
};

static u32 cap_size(const struct cap *cap, u32 nr, u32 id)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (cap[i].id == id)
			return cap[i].size;
	return sizeof(u32);
}

static bool is_taken(const struct ucore_disc_function *function, u32 reg)
{
	return function->taken[reg / 256] & BIT_ULL(reg / 4 % 64);
}

static void mark_taken(struct ucore_disc_function *function, u32 reg, u32 size)
{
	u32 end = min(reg + size, (u32)UCORE_DISC_CONFIG_BYTES);

	for (; reg < end; reg += sizeof(u32))
		function->taken[reg / 256] |= BIT_ULL(reg / 4 % 64);
}

static void mark_standard_caps(const struct ucore_disc_config *config,
			       struct ucore_disc_function *function)
{
	u32 at, header;

	if (!(config->read(config, PCI_HEADER_STATUS) & PCI_HEADER_HAS_LIST))
		return;
	at = config->read(config, PCI_HEADER_LIST) & 0xfc;
	/* the walk of a circular list ends at a dword that is marked already */
	while (at >= PCI_FIRST && !is_taken(function, at)) {
		header = config->read(config, at);
		if (header == ~0U)
			break;
		mark_taken(function, at, cap_size(caps, ARRAY_SIZE(caps), header & 0xff));
		at = header >> 8 & 0xfc;
	}
}

static void mark_extended_caps(const struct ucore_disc_config *config,
			       struct ucore_disc_function *function)
{
	u32 at = DISC_EXT_CAP_FIRST, header;

	while (at >= DISC_EXT_CAP_FIRST && at + sizeof(header) <= config->size &&
	       !is_taken(function, at)) {
		header = config->read(config, at);
		if (header == 0 || header == ~0U)
			break;
		mark_taken(function, at, cap_size(extended_caps, ARRAY_SIZE(extended_caps),
						  FIELD_GET(DISC_EXT_CAP_ID, header)));
		at = FIELD_GET(DISC_EXT_CAP_NEXT, header) & ~3U;
	}
}

/**
 * ucore_validate_caps() - mark the config dwords that belong to PCI capabilities
 * @config: config space of the PCI function
 * @function: facts about the PCI function; its member taken, which must be zero before the call,
 *            receives the marks
 */
void ucore_validate_caps(const struct ucore_disc_config *config,
			 struct ucore_disc_function *function)
{
	mark_standard_caps(config, function);
	mark_extended_caps(config, function);
}

/*
 * Return true if a PCI function cannot contain uncore registers. Functions with uncore registers
 * have no driver. Their class is system peripheral, signal processing (performance counters) or
 * undefined. A PCI Express port is accepted if the platform data permit it.
 */
static bool function_is_foreign(const struct ucore_disc_function *function,
				const struct ucore_disc_type *rule)
{
	if (FIELD_GET(CLASS_SUB, function->class) == CLASS_PORT)
		return !rule || !rule->port;
	if (function->driven)
		return true;
	switch (FIELD_GET(CLASS_BASE, function->class)) {
	case 0x00:
	case 0x08:
	case 0x11:
	case 0xff:
		return false;
	default:
		return true;
	}
}

static u32 check_config(const struct ucore_disc_env *env, const struct ucore_disc_type *rule,
			u64 address, u32 size)
{
	u32 first = FIELD_GET(DISC_PCI_OFFSET, address), reg;
	struct ucore_disc_function function = { };
	u32 devfn = FIELD_GET(DISC_PCI_SLOT, address) << 3 |
		    FIELD_GET(DISC_PCI_FUNCTION, address);

	if (address >> 32)
		return UCORE_UNIT_WINDOW;
	if (!env->function(env, FIELD_GET(DISC_PCI_SEGMENT, address),
			   FIELD_GET(DISC_PCI_BUS, address), devfn, &function))
		return UCORE_UNIT_FUNCTION;
	if (first < PCI_FIRST || first + size > function.size)
		return UCORE_UNIT_WINDOW;
	if (function_is_foreign(&function, rule))
		return UCORE_UNIT_FOREIGN;
	for (reg = first & ~3U; reg < first + size; reg += sizeof(u32))
		if (is_taken(&function, reg))
			return UCORE_UNIT_FOREIGN;
	return UCORE_UNIT_OK;
}

/*
 * ---- MSRs and memory ----
 */

static u32 check_msrs(u64 address, u32 size)
{
	if (address >= MSR_OLD_FIRST && address <= MSR_OLD_LAST)
		return UCORE_UNIT_FOREIGN;
	if (address < MSR_FIRST || address > MSR_LAST || address + size - 1 > MSR_LAST)
		return UCORE_UNIT_WINDOW;
	return UCORE_UNIT_OK;
}

static u32 check_memory(const struct ucore_disc_env *env, const struct ucore_disc_type *rule,
			u64 address, u32 size)
{
	if (address >> env->phys_bits || (address + size - 1) >> env->phys_bits)
		return UCORE_UNIT_WINDOW;
	if (env->on_ram(env, address, size))
		return UCORE_UNIT_RAM;
	return ucore_resource_overlaps(&env->foreign, address, size, rule && rule->port) ?
	       UCORE_UNIT_FOREIGN : UCORE_UNIT_OK;
}

/**
 * ucore_validate_unit() - check whether ucore may access the registers of a record
 * @env: facts about the machine
 * @rule: platform data about the unit's type number; NULL if there are none, or for global
 *        registers
 * @access: kind of register access, UCORE_ACCESS_*
 * @address: address of the first register, in the format of word 1 of a record
 * @size: size from the first to the end of the last register (MSRs or bytes)
 *
 * Return: UCORE_UNIT_OK, or the reason why the registers must not be accessed.
 */
u32 ucore_validate_unit(const struct ucore_disc_env *env, const struct ucore_disc_type *rule,
			u32 access, u64 address, u32 size)
{
	switch (access) {
	case UCORE_ACCESS_MSR:
		return check_msrs(address, size);
	case UCORE_ACCESS_MMIO:
		return check_memory(env, rule, address, size);
	default:
		return check_config(env, rule, address, size);
	}
}

/**
 * ucore_is_global_beside() - find a global control of the boxes that no table lists
 * @rules: rules of the processor
 * @access: UCORE_ACCESS_*
 * @address: address of a global control in a table
 *
 * Return: true if the register controls boxes beside the tables.
 */
bool ucore_is_global_beside(const struct ucore_disc_rules *rules, u32 access, u64 address)
{
	const struct ucore_global *global = rules->beside ? rules->beside->global : NULL;

	while (global && global->ctl != address)
		global = global->next;
	return global && access == UCORE_ACCESS_MSR;
}
