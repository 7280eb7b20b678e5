// SPDX-License-Identifier: GPL-2.0-only
/*
 * Print the driver's platform tables, one line for each item, whose words are separated by tabs:
 *
 *	type PLATFORM TYPE COUNTERS
 *	constraint PLATFORM TYPE FIRST LAST UMASK MASK
 *	fact PLATFORM TYPE FACT VALUE
 *
 * COUNTERS is 0 if the discovery table defines the number. TYPE is "-" for a fact about the
 * platform. test_constraints.py reads the first two kinds of lines, register_facts.py the third.
 */
#include <linux/kernel.h>

#include "fact_box_type.h"
#include "fact_links.h"
#include "fact_text.h"
#include "find/core_cpuid.h"
#include "find/discovery/discovery.h"
#include "find/static_table.h"
#include "hw/client.h"
#include "hw/discovery.h"
#include "hw/imc_map.h"
#include "platforms/match.h"

static const struct ucore_platform *const with_table[] = {
	&ucore_platform_snbep, &ucore_platform_ivbep, &ucore_platform_hswep, &ucore_platform_bdxep,
	&ucore_platform_bdxde, &ucore_platform_skx,   &ucore_platform_clx,   &ucore_platform_cpx,
	&ucore_platform_icx,   &ucore_platform_snr,   &ucore_platform_snb,   &ucore_platform_ivb,
	&ucore_platform_hsw,   &ucore_platform_bdw,   &ucore_platform_skl,   &ucore_platform_icl,
	&ucore_platform_rkl,   &ucore_platform_tgl,   &ucore_platform_tglh,  &ucore_platform_adl,
	&ucore_platform_mtl,   &ucore_platform_arl,   &ucore_platform_lnl,   &ucore_platform_nhm,
	&ucore_platform_wsm,
};

static const struct ucore_platform *const discovery[] = {
	&ucore_platform_spr, &ucore_platform_emr, &ucore_platform_gnr, &ucore_platform_srf,
	&ucore_platform_grr, &ucore_platform_cwf, &ucore_platform_dmr, &ucore_platform_ptl,
	&ucore_platform_generic,
};

/* Functions to which the tables refer, and which are never called */
int ucore_static_table_find(struct ucore_finder *finder, const struct ucore_platform *platform)
{
	return -1;
}

int ucore_core_find(struct ucore_finder *finder, const struct ucore_platform *platform)
{
	return -1;
}

void ucore_core_drop(void)
{
}

static void print_type(const char *platform, const struct ucore_box_type *type)
{
	const struct ucore_constraint *c;

	printf("type\t%s\t%s\t%u\n", platform, type->name, type->nr_gp);
	for (c = type->constraints; c && c->counters; c++)
		printf("constraint\t%s\t%s\t%u\t%u\t%u\t%u\n", platform, type->name, c->event,
		       c->last, c->umask, c->counters);
	fact_print_type(platform, type);
}

/* ---- facts about platforms ---- */

static void add_status_bits(struct fact_text *text, u64 bits, bool each)
{
	if (bits == ~0ULL) {
		fact_add(text, "any bit");
		return;
	}
	fact_add_bits(text, bits);
	if (each)
		fact_add(text, " + n");
}

static void add_global_bits_of(struct fact_text *text, u64 gp, u64 fixed, bool each)
{
	if (gp)
		add_status_bits(text, gp, each);
	if (!fixed)
		return;
	fact_add(text, gp ? ", fixed counter " : "fixed counter ");
	add_status_bits(text, fixed, each);
}

static void print_global_bits(const char *platform, const char *type, u64 gp, u64 fixed, bool each)
{
	struct fact_text text = {};

	add_global_bits_of(&text, gp, fixed, each);
	fact_print(platform, type, "global status bits", &text);
}

static void print_global(const char *platform, const struct ucore_global *global)
{
	const struct ucore_global *next;
	struct fact_text text = {};

	if (!global)
		return;
	fact_add(&text, "MSR %#x", global->ctl);
	for (next = global->next; next; next = next->next)
		fact_add(&text, " and %#x", next->ctl);
	fact_add(&text, ": ");
	if (global->run_level) {
		fact_add(&text, "all boxes count while %s ",
			 global->unfreeze & (global->unfreeze - 1) ? "bits" : "bit");
		fact_add_bits(&text, global->unfreeze);
		fact_add(&text, global->unfreeze & (global->unfreeze - 1) ? " are set" : " is set");
	} else {
		fact_add(&text, "freeze ");
		fact_add_bits(&text, global->freeze);
		fact_add_named_bits(&text, "unfreeze", global->unfreeze);
	}
	fact_add_named_bits(&text, "an overflow freezes with", global->on_overflow);
	fact_add_named_bits(&text, "wake", global->wake);
	fact_add_named_bits(&text, global->sel_untried ? "PMI select" : "pmi_core_sel",
			    global->core_sel);
	fact_add_named_bits(&text, "kept", global->keep);
	if (global->level)
		fact_add(&text, ", each write sets the state");
	fact_print(platform, "-", "global control", &text);
	text = (struct fact_text){};
	if (global->nr_status)
		fact_add(&text, "%u words from MSR %#x, %u apart", global->nr_status,
			 global->status, global->status_stride);
	if (global->clear) {
		fact_add(&text, ", cleared through %#x bits ", global->clear);
		fact_add_bits(&text, global->clear_mask);
	}
	fact_add_named_bits(&text, "overflows", global->overflows);
	if (global->wraps)
		fact_add(&text, ", a mere wrap may set one");
	if (global->clear_untried)
		fact_add(&text, ", cleared by ones or by 0");
	if (global->clear_other)
		fact_add(&text, " or by ones to MSR %#x", global->clear_other);
	fact_print(platform, "-", "global status", &text);
	if (global->core_sel)
		fact_printf(
			platform, "-", "interrupt",
			"NMI through LVTPC on the selected cores; IA32_DEBUGCTL bit 13 is set there");
}

static void print_ubox(const char *platform, const struct ucore_ubox_map *ubox)
{
	if (ubox && ubox->device)
		fact_printf(
			platform, "-", "socket of a PCI bus",
			"8086:%04x CPUNODEID %#x, GIDNIDMAP %#x; other buses belong to the next %s one",
			ubox->device, ubox->nodeid, ubox->gidnidmap,
			ubox->lower ? "lower" : "higher");
}

/* ---- static tables ---- */

static void print_msr_rows(const char *platform, const struct ucore_static_table *table)
{
	u32 i, n;

	for (i = 0; i < table->nr_msr; i++) {
		const struct ucore_static_msr *row = &table->msr[i];
		const struct ucore_layout *layout = ucore_static_layout(row, 0);
		struct fact_text text = {};

		print_type(platform, row->type);
		if (ucore_static_base(row, 0))
			fact_add(&text, "MSR %#x", ucore_static_base(row, 0));
		for (n = 1; row->bases && n < row->max; n++)
			fact_add(&text, " %x", row->bases[n]);
		if (!row->bases && row->max > 1)
			fact_add(&text, " + %#x n", row->stride);
		if (row->each)
			fact_add(&text, ", own offsets for each box");
		fact_print(platform, row->type->name, "place", &text);
		text = (struct fact_text){};
		fact_add(&text, "up to %u", row->max);
		if (row->per_core)
			fact_add(&text, ", one for each core or slice");
		if (row->by_chop)
			fact_add(&text, ", %u on the smallest die", row->small);
		fact_print(platform, row->type->name, "number", &text);
		fact_print_layout(platform, row->type, layout);
		if (row->type->status_global)
			fact_printf(platform, row->type->name, "global status bits",
				    "counter i is bit i + %u", row->type->status_gp_shift);
		else
			print_global_bits(platform, row->type->name, row->global_gp,
					  row->global_fixed, row->max > 1 && !row->one_bit);
	}
}

static void add_place(struct fact_text *text, const struct ucore_static_pci *row)
{
	fact_add(text, "%s%u: 8086:%04x", fact_separator(text), row->instance, row->device);
	if (row->at)
		fact_add(text, " at %u.%u", row->at >> 3, row->at & 7);
	if (row->aux)
		fact_add(text, " and %04x", row->aux);
}

static bool type_seen(const struct ucore_static_table *table, u32 row)
{
	u32 i;

	for (i = 0; i < row; i++)
		if (table->pci[i].type == table->pci[row].type)
			return true;
	return false;
}

/* Print the global status bits of all boxes of the type of row @first. */
static void print_pci_bits(const char *platform, const struct ucore_static_table *table, u32 first)
{
	const struct ucore_static_pci *row = &table->pci[first], *other;
	const char *name = row->type->name;
	struct fact_text text = {};
	bool same = true;

	for (other = row; other < table->pci + table->nr_pci; other++) {
		if (other->type != row->type)
			continue;
		same = same && other->global_gp == row->global_gp &&
		       other->global_fixed == row->global_fixed;
		fact_add(&text, "%sbox %u: ", text.len ? "; " : "", other->instance);
		add_global_bits_of(&text, other->global_gp, other->global_fixed, false);
	}
	if (same)
		print_global_bits(platform, name, row->global_gp, row->global_fixed, false);
	else
		fact_print(platform, name, "global status bits", &text);
}

static void print_pci_type(const char *platform, const struct ucore_static_table *table, u32 first)
{
	const struct ucore_box_type *type = table->pci[first].type;
	struct fact_text places = {};
	u32 i;

	print_type(platform, type);
	for (i = first; i < table->nr_pci; i++)
		if (table->pci[i].type == type)
			add_place(&places, &table->pci[i]);
	fact_print(platform, type->name, "place", &places);
	fact_print_layout(platform, type, table->pci[first].layout);
	print_pci_bits(platform, table, first);
}

static void print_mmio_rows(const char *platform, const struct ucore_static_table *table)
{
	u32 i;

	for (i = 0; i < table->nr_mmio; i++) {
		const struct ucore_static_mmio *row = &table->mmio[i];

		print_type(platform, row->type);
		if (row->nr > 1)
			fact_printf(platform, row->type->name, "place", "controller + %#x + %#x n",
				    row->first, row->stride);
		else
			fact_printf(platform, row->type->name, "place", "controller + %#x",
				    row->first);
		fact_printf(platform, row->type->name, "number",
			    "up to %u for each controller, %#x bytes", row->nr, row->size);
		if (row->apart)
			fact_printf(platform, row->type->name, "global control",
				    "does not stop the boxes");
		fact_print_layout(platform, row->type, row->layout);
		print_global_bits(platform, row->type->name, row->global_gp, row->global_fixed,
				  false);
	}
	if (table->mchbar)
		fact_printf(platform, "-", "memory controllers",
			    "up to %u, address in 00:00.0 %#x bit 0 enable, controller m + %#x m",
			    table->nr_imc, CLIENT_MCHBAR, CLIENT_MC_STRIDE);
	else if (table->nr_imc)
		fact_printf(platform, "-", "memory controllers",
			    "up to %u, 8086:%04x base %#x, offset of controller m %#x + 4 m",
			    table->nr_imc, table->imc_map, IMC_MAP_BASE, IMC_MAP_OFFSET(0));
}

static void print_counts(const char *platform, const struct ucore_static_table *table)
{
	struct fact_text text = {};

	if (table->global_config) {
		fact_add(&text, "MSR %#x bits ", table->global_config);
		fact_add_bits(&text, table->num_cbo);
		if (table->cbo_extra)
			fact_add(&text, ": number of CBOs + %u", table->cbo_extra);
		if (table->cbo_exact)
			fact_add(&text, ", but %u means %u", table->cbo_exact, table->cbo_exact);
		if (!table->cbo_by_register)
			fact_add(&text, table->fuses ? "" : ", or the number of cores");
	}
	if (table->fuses) {
		fact_add(&text, "%s8086:%04x %#x bits ", fact_separator(&text), table->fuse_device,
			 table->fuse_reg);
		fact_add_bits(&text, table->fuses);
		if (table->fuse_above)
			fact_add(&text, " on the bus %u above the UBox", table->fuse_above);
	}
	fact_print(platform, "-", "number of slices", &text);
	text = (struct fact_text){};
	if (table->chop) {
		fact_add(&text, "8086:%04x %#x bits ", table->chop_device, table->chop_reg);
		fact_add_bits(&text, table->chop);
	}
	fact_print(platform, "-", "die variant", &text);
}

static void print_static_table(const char *platform, const struct ucore_static_table *table)
{
	u32 i;

	print_global(platform, table->global);
	print_ubox(platform, &table->ubox);
	print_counts(platform, table);
	fact_print_links(platform, table->links);
	print_msr_rows(platform, table);
	for (i = 0; i < table->nr_pci; i++)
		if (!type_seen(table, i))
			print_pci_type(platform, table, i);
	print_mmio_rows(platform, table);
}

static void print_static(const struct ucore_platform *platform)
{
	const struct ucore_static_table *table = platform->table;

	print_static_table(platform->name, table->uncertain ?: table);
}

/* ---- platforms with discovery tables ---- */

static void print_disc_type(const char *platform, const struct ucore_disc_type *rule)
{
	struct ucore_box_type type = *rule->type;
	const char *name = type.name;

	type.nr_fixed = !!rule->fixed_ctl;
	print_type(platform, &type);
	fact_printf(platform, name, "type number", "%u%s", rule->id,
		    rule->port ? ", may be in a port" : "");
	if (rule->ctl_stride)
		fact_printf(platform, name, "distance of MMIO controls", "%u bytes",
			    rule->ctl_stride);
	if (rule->fixed_ctl)
		fact_printf(platform, name, "fixed counter registers",
			    "box control + %#x, controlled by + %#x, if access is %s",
			    rule->fixed_ctr, rule->fixed_ctl,
			    rule->access == UCORE_ACCESS_MSR ? "MSR" : "MMIO");
	if (rule->filter)
		fact_printf(platform, name, "filters", "box control + %#x", rule->filter);
}

static void print_disc_places(const char *platform, const struct ucore_disc_rules *rules)
{
	u32 i, t;

	for (i = 0; i < rules->nr_places; i++) {
		const struct ucore_disc_place *place = &rules->places[i];
		const char *name = "-";

		for (t = 0; t < rules->nr_types; t++)
			if (rules->types[t].id == place->type)
				name = rules->types[t].type->name;
		fact_printf(
			platform, name, "place",
			"8086:%04x function %u of slot %u + n, n = 0..%u, box control %#x, record word 0 %#llx",
			place->device, place->function, place->slot, place->nr - 1, place->offset,
			(unsigned long long)place->word0);
	}
}

static void print_disc_free(const char *platform, const struct ucore_disc_rules *rules)
{
	const struct ucore_disc_free_msr *msr = rules->free_msr;
	const struct ucore_disc_free_mmio *mmio = rules->free_mmio;
	const struct ucore_disc_free_fixed *fixed = rules->free_fixed;
	struct fact_text text = {};
	u32 i;

	if (msr) {
		print_type(platform, msr->type);
		fact_printf(
			platform, msr->type->name, "place",
			"MSR %#x + %#x n, n = 0..%u; all but the first + %#x n more; for units of type %u",
			msr->msr, msr->stride, msr->max - 1, msr->extra_stride, msr->unit);
		fact_print_layout(platform, msr->type, msr->layout);
	}
	if (mmio) {
		print_type(platform, mmio->type);
		fact_printf(platform, mmio->type->name, "place",
			    "8086:%04x: controller + %#x, %#x bytes, one for %u units of type %u",
			    mmio->device, mmio->first, mmio->size, mmio->units_each, mmio->unit);
		fact_print_layout(platform, mmio->type, mmio->layout);
	}
	if (!fixed)
		return;
	print_type(platform, fixed->type);
	for (i = 0; i < fixed->nr; i++)
		fact_add(&text, "%s%#llx", fact_separator(&text),
			 (unsigned long long)fixed->address[i]);
	fact_add(&text, " + %#x, %#x bytes", fixed->first, fixed->size);
	fact_print(platform, fixed->type->name, "place", &text);
	fact_print_layout(platform, fixed->type, fixed->layout);
}

static void print_disc_platform(const char *platform, const struct ucore_disc_rules *rules)
{
	const struct ucore_disc_msr *other;
	struct fact_text text = {};
	u32 i;

	fact_printf(platform, "-", "global control",
		    "address from the table: freeze %d, each write sets the state",
		    __builtin_ctzll(DISC_GLOBAL_CTL_FRZ_ALL));
	fact_add(&text, "DVSEC of a function of vendor 8086, for example %04x", DISC_PCI_DEVICE);
	if (rules->table_device)
		fact_add(&text, " or %04x", rules->table_device);
	if (rules->table_msr)
		fact_add(&text, "; MSR %#x%s", rules->table_msr,
			 rules->table_msr_expected ? "" : ", if it is not 0");
	for (other = rules->other_msrs; other && other->msr; other++)
		fact_add(&text, "; MSR %#x on family %u model %u", other->msr, other->family,
			 other->model);
	fact_add(&text, "; up to %u tables of a die", DISC_MAX_GLOBALS);
	fact_print(platform, "-", "tables", &text);
	text = (struct fact_text){};
	for (i = 0; rules->broken && rules->broken[i]; i++)
		fact_add(&text, "%s%u", fact_separator(&text), rules->broken[i]);
	fact_print(platform, "-", "types that do not work", &text);
	if (rules->count_msr)
		fact_printf(platform, "-", "number of slices",
			    "MSR %#x, for units of type %u; 0 means the table is right",
			    rules->count_msr, rules->count_type);
	print_ubox(platform, rules->ubox);
	fact_print_links(platform, rules->links);
}

/* Print the properties of the types that a platform does not know. */
static void print_unknown(const char *platform, const struct ucore_box_type *unknown)
{
	struct ucore_box_type type = *unknown;

	type.name = "type_N";
	fact_print_type(platform, &type);
	fact_printf(platform, type.name, "distance of MMIO controls",
		    "8 bytes, or 4 if the controls of 8 bytes do not fit");
}

static void print_discovery(const struct ucore_platform *platform)
{
	const struct ucore_disc_rules *rules = platform->table;
	u32 i;

	if (rules->uncertain)
		rules = rules->uncertain;
	print_disc_platform(platform->name, rules);
	for (i = 0; i < rules->nr_types; i++)
		print_disc_type(platform->name, &rules->types[i]);
	print_disc_places(platform->name, rules);
	print_disc_free(platform->name, rules);
	if (rules->beside)
		print_static_table(platform->name, rules->beside);
	if (!rules->nr_types)
		print_unknown(platform->name, rules->unknown);
}

/* ---- cores ---- */

static void print_core(void)
{
	const struct ucore_core_table *table = ucore_platform_core.table;
	struct ucore_box_type type = *table->type;

	/* CPUID defines the numbers; these are the largest ones */
	type.nr_gp = UCORE_MAX_GP;
	type.nr_fixed = 4;
	fact_print_type("core", &type);
	fact_print_layout("core", &type, table->layout);
	fact_printf("core", "core", "counters that can be written in full", "%#x",
		    table->full_layout->ctr[0]);
}

int main(void)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(with_table); i++)
		print_static(with_table[i]);
	for (i = 0; i < ARRAY_SIZE(discovery); i++)
		print_discovery(discovery[i]);
	print_core();
	return 0;
}
