// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Output of the discovery tables as the driver read them.  list --rejected prints rejected
 * units and tables with the reason.  info --discovery decodes all tables for a bug report.
 */
#include <stdio.h>
#include <stdlib.h>

#include "cli.h"
#include "output/table.h"
#include "output/address.h"
#include "discovery_dump.h"

struct discovery_view {
	const struct ucore_table_info *tables;
	size_t nr_tables;
	const struct ucore_unit_info *units;
	size_t nr_units;
};

static void view_make(const struct ucore_discovery *discovery, struct discovery_view *view)
{
	view->tables = ucore_discovery_tables(discovery, &view->nr_tables);
	view->units = ucore_discovery_units(discovery, &view->nr_units);
}

/* Print the reason why there are no tables: the driver's, or the platform has none */
static void no_tables_print(FILE *stream, const struct ucore_device *dev)
{
	const struct ucore_get_info *info = ucore_device_info(dev);

	if (info->caps & UCORE_CAP_DISCOVERY)
		fprintf(stream, "discovery tables: none: %s\n",
			*info->reason ? info->reason : "see 'ucoretool doctor'");
	else
		fputs("discovery tables: none on this platform. The driver has tables of its boxes\n",
		      stream);
}

/*
 * Return true if the driver uses no unit of @table.  With UCORE_TABLE_DUPLICATE the driver uses
 * the units of the table, and ignores only the global record of the table.
 */
static bool table_unused(const struct ucore_table_info *table)
{
	return table->reason != UCORE_TABLE_OK && table->reason != UCORE_TABLE_DUPLICATE;
}

/* ---- list --rejected --------------------------------------------------- */

enum {
	REJECTED_TABLE,
	REJECTED_RECORD,
	REJECTED_DIE,
	REJECTED_TYPE,
	REJECTED_TYPE_ID,
	REJECTED_INSTANCE,
	REJECTED_ACCESS,
	REJECTED_CODE,
	REJECTED_OTHER,
	REJECTED_REASON,
	NR_REJECTED,
};

static const struct column rejected_columns[NR_REJECTED] = {
	[REJECTED_TABLE] = { "table", "TABLE", 5 },
	[REJECTED_RECORD] = { "record", "RECORD", 6 },
	[REJECTED_DIE] = { "die", "DIE", 3 },
	[REJECTED_TYPE] = { "type", "TYPE", -8 },
	[REJECTED_TYPE_ID] = { "type_id", "(ID)", 5 },
	[REJECTED_INSTANCE] = { "instance", "NO", 5 },
	[REJECTED_ACCESS] = { "access", "ACCESS", -6 },
	[REJECTED_CODE] = { "code", "", 0, true },
	[REJECTED_OTHER] = { "conflict", "WITH", 5 },
	[REJECTED_REASON] = { "reason", "REASON", -40 },
};

static struct cell die_cell(int32_t die)
{
	return die < 0 ? cell_none() : cell_number((uint32_t)die);
}

/*
 * Write the number of the record that @unit duplicates or overlaps: "6" in the same table,
 * "1:6" (TABLE:RECORD) in another table.
 */
static void conflict_text(const struct ucore_unit_info *unit, char *text, size_t size)
{
	if (unit->other_table == unit->table)
		snprintf(text, size, "%u", unit->other);
	else
		snprintf(text, size, "%u:%u", unit->other_table, unit->other);
}

static void rejected_unit(struct out *out, const struct ucore_unit_info *unit)
{
	char with[24];

	conflict_text(unit, with, sizeof(with));

	const struct cell cells[NR_REJECTED] = {
		[REJECTED_TABLE] = cell_number(unit->table),
		[REJECTED_RECORD] = cell_number(unit->record),
		[REJECTED_DIE] = die_cell(unit->die),
		[REJECTED_TYPE] = cell_text(unit->name),
		[REJECTED_TYPE_ID] = cell_number(unit->type),
		[REJECTED_INSTANCE] = cell_number(unit->id),
		[REJECTED_ACCESS] = cell_text(access_name(unit->access)),
		[REJECTED_CODE] = cell_number(unit->reason),
		[REJECTED_OTHER] = !unit->other ? cell_none() :
				   unit->other_table == unit->table ? cell_number(unit->other) :
								      cell_text(with),
		[REJECTED_REASON] = cell_text(ucore_unit_reason(unit->reason)),
	};

	out_row(out, rejected_columns, NR_REJECTED, cells);
}

/* Print a row for a rejected table; in CSV and JSON the row has no record number */
static void rejected_table(struct out *out, const struct ucore_table_info *table)
{
	const char *reason = ucore_table_reason(table->reason);
	const struct cell cells[NR_REJECTED] = {
		[REJECTED_TABLE] = cell_number(table->table),
		[REJECTED_DIE] = die_cell(table->die),
		[REJECTED_CODE] = cell_number(table->reason),
		[REJECTED_REASON] = cell_text(reason),
	};
	char where[48];

	if (out->format != OUT_TABLE) {
		out_row(out, rejected_columns, NR_REJECTED, cells);
		return;
	}
	table_place_text(table, where, sizeof(where));
	fprintf(out->stream, "table %u (%s)%s: %s\n", table->table, where,
		table_unused(table) ? " is not used" : "", reason);
}

/* Return true if the die of a table that the driver uses is a guess */
static bool table_guessed(const struct ucore_table_info *table)
{
	return !table_unused(table) && table->die_by == UCORE_DIE_BY_ORDER;
}

/* Print the tables whose die is a guess, and return their number */
static size_t guesses_print(const struct discovery_view *view, const struct out *out)
{
	size_t nr = 0;

	for (size_t i = 0; i < view->nr_tables; i++) {
		const struct ucore_table_info *table = &view->tables[i];
		char where[48];

		if (!table_guessed(table))
			continue;
		nr++;
		table_place_text(table, where, sizeof(where));
		if (out->format == OUT_TABLE)
			fprintf(out->stream, "table %u (%s): its die, %d, is a guess\n",
				table->table, where, table->die);
	}
	return nr;
}

static void rejected_summary(const struct discovery_view *view, struct out *out,
			     size_t nr_rejected, size_t nr_unused)
{
	size_t nr_guessed = guesses_print(view, out);

	if (out->format == OUT_JSON) {
		json_line_begin(out);
		json_begin(out, "summary", '{');
		json_number(out, "tables", view->nr_tables);
		json_number(out, "tables_unused", nr_unused);
		json_number(out, "tables_guessed", nr_guessed);
		json_number(out, "units", view->nr_units);
		json_number(out, "units_rejected", nr_rejected);
		json_end(out, '}');
		json_line_end(out);
		return;
	}
	fprintf(out->format == OUT_CSV ? stderr : out->stream,
		"# %zu of %zu units rejected, %zu of %zu tables not used\n", nr_rejected,
		view->nr_units, nr_unused, view->nr_tables);
}

static void rejected_print(const struct discovery_view *view, struct out *out,
			   const char *pattern)
{
	size_t nr_rejected = 0, nr_unused = 0;
	bool head = out->format == OUT_CSV;

	if (head)
		out_head(out, rejected_columns, NR_REJECTED);
	for (size_t i = 0; i < view->nr_tables; i++) {
		nr_unused += table_unused(&view->tables[i]);
		if (!pattern && view->tables[i].reason != UCORE_TABLE_OK)
			rejected_table(out, &view->tables[i]);
	}
	for (size_t i = 0; i < view->nr_units; i++) {
		if (view->units[i].reason == UCORE_UNIT_OK)
			continue;
		nr_rejected++;
		if (!pattern_matches(pattern, view->units[i].name))
			continue;
		if (!head)
			out_head(out, rejected_columns, NR_REJECTED);
		head = true;
		rejected_unit(out, &view->units[i]);
	}
	rejected_summary(view, out, nr_rejected, nr_unused);
}

int discovery_rejected(struct tool *tool, struct ucore_device *dev, const struct out *how,
		       const char *pattern)
{
	struct ucore_discovery *discovery;
	struct discovery_view view;
	struct out out = *how;
	int ret = ucore_discovery_get(dev, &discovery, &tool->err);

	if (ret) {
		tool_fail(tool, ret);
		return EXIT_FAILURE;
	}
	view_make(discovery, &view);
	if (!view.nr_tables && out.format == OUT_TABLE)
		no_tables_print(out.stream, dev);
	else
		rejected_print(&view, &out, pattern);
	ucore_discovery_free(discovery);
	return 0;
}

/* ---- info --discovery -------------------------------------------------- */

static void table_print(const struct ucore_table_info *table)
{
	char where[48], global[48];

	table_place_text(table, where, sizeof(where));
	unit_place_text(table->access, table->global, global, sizeof(global));
	printf("\ntable %u: %s", table->table, where);
	if (!table->msr && table->dvsec)
		printf(" + 0x%x, DVSEC at 0x%x (vendor 0x%04x, revision %u)", table->offset,
		       table->dvsec, table->dvsec_header & 0xffff,
		       table->dvsec_header >> 16 & 0xf);
	if (table->address)
		printf(", at 0x%llx", (unsigned long long)table->address);
	if (table->die >= 0)
		printf(", die %d%s%s%s", table->die, table->die_by ? " (" : "",
		       ucore_table_die_by(table->die_by), table->die_by ? ")" : "");
	printf("\n  %s%s\n", table_unused(table) ? "not used: " : "used",
	       table_unused(table) ? ucore_table_reason(table->reason) : "");
	if (table->reason == UCORE_TABLE_DUPLICATE)
		printf("  %s\n", ucore_table_reason(table->reason));
	if (!table->stride)
		return;
	printf("  global record: type %u, access %s, control %s, stride %u bytes, max_units %u, num_status %u, status_offset 0x%x\n",
	       table->type, access_name(table->access), table->global ? global : "hidden",
	       table->stride, table->max_units, table->num_status, table->status_offset);
}

static void unit_print(struct out *out, const struct column *columns, size_t nr,
		       const struct ucore_unit_info *unit)
{
	char words[3][24], type[32], offsets[3][8], where[48], with[24], fate[200];
	struct ucore_unit_fields fields;

	ucore_unit_decode(unit, &fields);
	conflict_text(unit, with, sizeof(with));
	for (unsigned int i = 0; i < 3; i++)
		snprintf(words[i], sizeof(words[i]), "%016llx", (unsigned long long)unit->word[i]);
	snprintf(type, sizeof(type), "%u %s", fields.type, unit->name);
	snprintf(offsets[0], sizeof(offsets[0]), "0x%x", fields.ctl_offset);
	snprintf(offsets[1], sizeof(offsets[1]), "0x%x", fields.ctr_offset);
	snprintf(offsets[2], sizeof(offsets[2]), "0x%x", fields.status_offset);
	unit_place_text(unit->access, fields.address, where, sizeof(where));
	if (unit->reason == UCORE_UNIT_OK)
		snprintf(fate, sizeof(fate), "box %s %u", unit->name, unit->id);
	else if (unit->other)
		snprintf(fate, sizeof(fate), "rejected: %s (record %s)",
			 ucore_unit_reason(unit->reason), with);
	else
		snprintf(fate, sizeof(fate), "rejected: %s", ucore_unit_reason(unit->reason));

	const struct cell cells[] = {
		unit->record ? cell_number(unit->record) : cell_text("-"),
		cell_text(words[0]), cell_text(words[1]), cell_text(words[2]),
		cell_text(type), cell_number(fields.id), cell_text(access_name(unit->access)),
		cell_text(fields.address ? where : ""),
		cell_number(fields.num_regs), cell_number(fields.width),
		cell_text(offsets[0]), cell_text(offsets[1]), cell_text(offsets[2]),
		cell_number(fields.status_pos), cell_text(fate),
	};
	out_row(out, columns, nr, cells);
}

static void units_print(const struct discovery_view *view, uint32_t table)
{
	static const struct column columns[] = {
		{ "record", "RECORD", 6 },
		{ "word0", "WORD 0", -16 },
		{ "word1", "WORD 1", -16 },
		{ "word2", "WORD 2", -16 },
		{ "type", "TYPE", -11 },
		{ "id", "ID", 4 },
		{ "access", "ACCESS", -6 },
		{ "address", "ADDRESS", -18 },
		{ "num_regs", "REGS", 4 },
		{ "width", "BITS", 4 },
		{ "ctl_offset", "CTL", 5 },
		{ "ctr_offset", "CTR", 5 },
		{ "status_offset", "STAT", 5 },
		{ "status_pos", "POS", 5 },
		{ "fate", "BECAME", -30 },
	};
	struct out out = { .stream = stdout };
	bool head = false;

	for (size_t i = 0; i < view->nr_units; i++) {
		if (view->units[i].table != table)
			continue;
		if (!head)
			out_head(&out, columns, ARRAY_SIZE(columns));
		head = true;
		unit_print(&out, columns, ARRAY_SIZE(columns), &view->units[i]);
	}
}

/* Return true if no unit has an address: the driver hides addresses without CAP_SYS_ADMIN */
static bool addresses_hidden(const struct discovery_view *view)
{
	for (size_t i = 0; i < view->nr_units; i++)
		if (view->units[i].word[1])
			return false;
	return true;
}

static void dump_print(const struct ucore_get_info *info, const struct discovery_view *view)
{
	size_t nr_rejected = 0;

	for (size_t i = 0; i < view->nr_units; i++)
		nr_rejected += view->units[i].reason != UCORE_UNIT_OK;
	printf("discovery of platform %s, family %u, model %u (0x%x), stepping %u: %zu tables, %zu units, %zu rejected\n",
	       *info->platform ? info->platform : "unknown", info->family, info->model,
	       info->model, info->stepping, view->nr_tables, view->nr_units, nr_rejected);
	if (addresses_hidden(view))
		puts("addresses: hidden, shown as 0. Run as root (CAP_SYS_ADMIN) to see them");
	for (size_t i = 0; i < view->nr_tables; i++) {
		table_print(&view->tables[i]);
		units_print(view, view->tables[i].table);
	}
}

/* ---- info --discovery -j ----------------------------------------------- */

static void json_hex(struct out *out, const char *key, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)number);
	json_text(out, key, text);
}

static void unit_json(struct out *out, const struct ucore_unit_info *unit)
{
	struct ucore_unit_fields fields;
	char where[48];

	ucore_unit_decode(unit, &fields);
	json_begin(out, NULL, '{');
	json_number(out, "record", unit->record);
	json_begin(out, "words", '[');
	for (unsigned int i = 0; i < 3; i++)
		json_hex(out, NULL, unit->word[i]);
	json_end(out, ']');
	json_text(out, "name", unit->name);
	json_number(out, "type", fields.type);
	json_number(out, "id", fields.id);
	json_number(out, "num_regs", fields.num_regs);
	json_number(out, "width", fields.width);
	json_number(out, "ctl_offset", fields.ctl_offset);
	json_number(out, "ctr_offset", fields.ctr_offset);
	json_number(out, "status_offset", fields.status_offset);
	json_number(out, "status_position", fields.status_pos);
	json_text(out, "access", access_name(unit->access));
	if (fields.address) {
		unit_place_text(unit->access, fields.address, where, sizeof(where));
		json_text(out, "address", where);
	}
	json_number(out, "code", unit->reason);
	if (unit->reason != UCORE_UNIT_OK)
		json_text(out, "reason", ucore_unit_reason(unit->reason));
	if (unit->other)
		json_number(out, "conflict", unit->other);
	if (unit->other && unit->other_table != unit->table)
		json_number(out, "conflict_table", unit->other_table);
	if (unit->box != UCORE_NO_BOX)
		json_number(out, "box", unit->box);
	json_end(out, '}');
}

static void table_json(struct out *out, const struct discovery_view *view,
		       const struct ucore_table_info *table)
{
	char where[48];

	table_place_text(table, where, sizeof(where));
	json_begin(out, NULL, '{');
	json_number(out, "table", table->table);
	if (table->die >= 0) {
		json_number(out, "die", (uint32_t)table->die);
		json_text(out, "die_by", ucore_table_die_by(table->die_by));
	}
	if (table->msr) {
		json_hex(out, "msr", table->msr);
	} else {
		json_text(out, "function", where);
		json_number(out, "dvsec", table->dvsec);
		json_number(out, "dvsec_vendor", table->dvsec_header & 0xffff);
		json_number(out, "dvsec_revision", table->dvsec_header >> 16 & 0xf);
		json_number(out, "offset", table->offset);
	}
	json_hex(out, "address", table->address);
	json_number(out, "code", table->reason);
	if (table->reason != UCORE_TABLE_OK)
		json_text(out, "reason", ucore_table_reason(table->reason));
	if (table->stride) {
		json_number(out, "type", table->type);
		json_text(out, "access", access_name(table->access));
		json_hex(out, "global_control", table->global);
		json_number(out, "stride", table->stride);
		json_number(out, "max_units", table->max_units);
		json_number(out, "num_status", table->num_status);
		json_number(out, "status_offset", table->status_offset);
	}
	json_begin(out, "units", '[');
	for (size_t i = 0; i < view->nr_units; i++)
		if (view->units[i].table == table->table)
			unit_json(out, &view->units[i]);
	json_end(out, ']');
	json_end(out, '}');
}

static void dump_json(const struct ucore_get_info *info, const struct discovery_view *view)
{
	struct out out = { .stream = stdout };

	json_line_begin(&out);
	json_text(&out, "platform", info->platform);
	json_number(&out, "family", info->family);
	json_number(&out, "model", info->model);
	json_number(&out, "stepping", info->stepping);
	json_flag(&out, "addresses_hidden", view->nr_units && addresses_hidden(view));
	json_begin(&out, "tables", '[');
	for (size_t i = 0; i < view->nr_tables; i++)
		table_json(&out, view, &view->tables[i]);
	json_end(&out, ']');
	json_line_end(&out);
}

int discovery_dump(struct tool *tool, struct ucore_device *dev, bool json)
{
	struct ucore_discovery *discovery;
	struct discovery_view view;
	int ret = ucore_discovery_get(dev, &discovery, &tool->err);

	if (ret) {
		tool_fail(tool, ret);
		return EXIT_FAILURE;
	}
	view_make(discovery, &view);
	if (json)
		dump_json(ucore_device_info(dev), &view);
	else if (!view.nr_tables)
		no_tables_print(stdout, dev);
	else
		dump_print(ucore_device_info(dev), &view);
	ucore_discovery_free(discovery);
	return 0;
}
