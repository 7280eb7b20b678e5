// SPDX-License-Identifier: GPL-2.0-only
/* Facts about box types and their registers, as lines that platform_tables.c describes. */
#include <linux/kernel.h>

#include "fact_box_type.h"
#include "fact_text.h"

static const char *field_name(u32 field)
{
	static const char *const names[] = {
#define UCORE_FIELD(id, name, ...) [UCORE_FIELD_##id] = (name),
#include "hw/fields.h"
	};

	return field < ARRAY_SIZE(names) && names[field] ? names[field] : "?";
}

/* ---- facts about a box type ---- */

static void print_words(const char *platform, const struct ucore_box_type *type)
{
	const struct ucore_box_words *words = type->words;
	struct fact_text text = {};
	u32 i;

	if (!words)
		return;
	if (words->enable)
		fact_add(&text, "%#x enables freezes", words->enable);
	fact_add(&text, "%s%#x freezes", fact_separator(&text), words->freeze);
	if (words->reach)
		fact_add(&text, ", %#x resets %s%s%s", words->reset,
			 words->reach & UCORE_RESET_CTL ? "controls" : "",
			 words->reach == (UCORE_RESET_CTL | UCORE_RESET_CTR) ? " and " : "",
			 words->reach & UCORE_RESET_CTR ? "counters" : "");
	for (i = 0; words->steps && words->steps[i]; i++)
		fact_add(&text, "%s%#x", i ? ", " : " after ", words->steps[i]);
	fact_add(&text, ", %#x runs", words->run);
	if (words->tried) {
		fact_add(&text, ", bits ");
		fact_add_bits(&text, words->tried);
		fact_add(&text, " only if they read back");
	}
	fact_print(platform, type->name, "box control values", &text);
}

static void print_fields(const char *platform, const struct ucore_box_type *type)
{
	struct fact_text text = {};
	u32 i, p;

	for (i = 0; i < type->nr_fields; i++) {
		const struct ucore_field_desc *field = &type->fields[i];

		fact_add(&text, "%s%s", fact_separator(&text), field_name(field->field));
		for (p = 0; p < ARRAY_SIZE(field->piece) && field->piece[p].mask; p++) {
			fact_add(&text, p ? " + " : " ");
			if (field->piece[p].slot != UCORE_SLOT_CTL)
				fact_add(&text, "filter %u bits ", field->piece[p].slot - 1);
			fact_add_bits(&text, field->piece[p].mask);
			if (field->piece[p].shift)
				fact_add(&text, " (value from bit %u)", field->piece[p].shift);
		}
	}
	fact_print(platform, type->name, "event fields", &text);
}

static void print_enables(const char *platform, const struct ucore_box_type *type)
{
	const struct ucore_fixed_bit *bit;
	struct fact_text text = {};

	fact_add_named_bits(&text, "enable", type->ctl_en);
	fact_add_named_bits(&text, "overflow enable", type->ctl_ov_en);
	fact_add_named_bits(&text, "tried as overflow enable", type->ctl_ov_try);
	fact_add_named_bits(&text, "reset", type->ctl_rst);
	fact_add_named_bits(&text, "set by default", type->ctl_default);
	fact_print(platform, type->name, "control bits", &text);

	text = (struct fact_text){};
	fact_add_named_bits(&text, "enable", type->fixed_en);
	fact_add_named_bits(&text, "overflow enable", type->fixed_ov_en);
	fact_add_named_bits(&text, "reset", type->fixed_rst);
	for (bit = type->fixed_bits; bit && bit->ctl; bit++) {
		fact_add(&text, "%sbit ", fact_separator(&text));
		fact_add_bits(&text, bit->ctl);
		fact_add(&text, " of a general control is bit ");
		fact_add_bits(&text, bit->field);
	}
	if (type->fixed_step)
		fact_add(&text, "%s%u bits for each counter in one control", fact_separator(&text),
			 type->fixed_step);
	if (type->nr_fixed || type->fixed_step)
		fact_print(platform, type->name, "fixed control bits", &text);
}

static void add_width(struct fact_text *text, u32 width, u32 least)
{
	if (width)
		fact_add(text, " of %u bits", width);
	if (least)
		fact_add(text, ", or %u", least);
}

static void print_widths(const char *platform, const struct ucore_box_type *type)
{
	struct fact_text text = {};

	if (type->nr_gp) {
		fact_add(&text, "%u", type->nr_gp);
		add_width(&text, type->width, type->least_width);
		fact_print(platform, type->name, "general counters", &text);
	}
	text = (struct fact_text){};
	if (type->nr_fixed) {
		fact_add(&text, "%u", type->nr_fixed);
		add_width(&text, type->fixed_width, type->least_fixed_width);
		fact_print(platform, type->name, "fixed counters", &text);
	}
}

/* Add the event selects whose largest increment is that of @first. */
static void add_increment(struct fact_text *text, const struct ucore_increment *first)
{
	const struct ucore_increment *inc;

	fact_add(text, "%s%u for", fact_separator(text), first->max);
	for (inc = first; inc->max; inc++) {
		if (inc->max != first->max)
			continue;
		fact_add(text, inc->event == inc->last ? " %#x" : " %#x-%#x", inc->event,
			 inc->last);
	}
}

static bool increment_seen(const struct ucore_increment *all, const struct ucore_increment *inc)
{
	for (; all != inc; all++)
		if (all->max == inc->max)
			return true;
	return false;
}

static void print_increments(const char *platform, const struct ucore_box_type *type)
{
	const struct ucore_increment *inc;
	struct fact_text text = {};

	if (type->max_increment)
		fact_add(&text, "%u", type->max_increment);
	for (inc = type->increments; inc && inc->max; inc++)
		if (!increment_seen(type->increments, inc))
			add_increment(&text, inc);
	if (type->fixed_increment)
		fact_add(&text, "%s%u for fixed counters", fact_separator(&text),
			 type->fixed_increment);
	fact_print(platform, type->name, "largest increments", &text);
}

static void print_constraints(const char *platform, const struct ucore_box_type *type)
{
	const struct ucore_constraint *c;
	struct fact_text text = {};

	for (c = type->constraints; c && c->counters; c++) {
		fact_add(&text, c->event == c->last ? "%s%#x" : "%s%#x-%#x", fact_separator(&text),
			 c->event, c->last);
		if (c->umask)
			fact_add(&text, " umask %#x", c->umask);
		fact_add(&text, ": ");
		fact_add_bits(&text, c->counters);
	}
	fact_print(platform, type->name, "counters of events", &text);
}

static void print_caps(const char *platform, const struct ucore_box_type *type)
{
	struct fact_text text = {};

	if (type->caps & UCORE_BOX_F_OVERFLOW)
		fact_add(&text, "general counters");
	if (type->caps & UCORE_BOX_F_FIXED_OVERFLOW)
		fact_add(&text, "%sfixed counters", fact_separator(&text));
	fact_print(platform, type->name, "overflow interrupt", &text);
	if (type->clock & BIT(31))
		fact_printf(platform, type->name, "clock event", "control %#lx",
			    type->clock & ~BIT(31));
	if (type->traffic & BIT(31))
		fact_printf(platform, type->name, "traffic event", "control %#lx",
			    type->traffic & ~BIT(31));
	if (type->caps & UCORE_BOX_F_FREE_RUNNING)
		fact_printf(platform, type->name, "free-running", "read only, never frozen");
	else if (type->name[0] && !(type->caps & UCORE_BOX_F_FREEZE))
		fact_printf(platform, type->name, "box freeze", "none");
	if (type->socket_link)
		fact_printf(platform, type->name, "part of a link",
			    "absent on machines with one socket");
}

void fact_print_type(const char *platform, const struct ucore_box_type *type)
{
	print_widths(platform, type);
	print_words(platform, type);
	print_fields(platform, type);
	print_enables(platform, type);
	print_caps(platform, type);
	print_increments(platform, type);
	print_constraints(platform, type);
}

/* ---- facts about registers ---- */

static void print_status(const char *platform, const struct ucore_box_type *type,
			 const struct ucore_layout *layout)
{
	struct fact_text text = {};

	if (layout->status == UCORE_REG_NONE)
		return;
	fact_add(&text, "%#x, counter i is bit i + %u", layout->status, type->status_gp_shift);
	if (type->nr_fixed && type->status_fixed >= 0)
		fact_add(&text, ", fixed counter bit %d", type->status_fixed);
	if (type->nr_fixed && type->status_fixed == UCORE_STATUS_GLOBAL)
		fact_add(&text, ", fixed counter only in the global status");
	if (type->nr_fixed && type->status_fixed == UCORE_STATUS_VALUE)
		fact_add(&text, ", fixed counter nowhere");
	fact_print(platform, type->name, "box status", &text);
}

void fact_print_layout(const char *platform, const struct ucore_box_type *type,
		       const struct ucore_layout *layout)
{
	struct fact_text text = {};
	u32 i;

	if (layout->box_ctl != UCORE_REG_NONE)
		fact_printf(platform, type->name, "box control", "%#x", layout->box_ctl);
	print_status(platform, type, layout);
	fact_add_offsets(&text, layout->ctl, type->nr_gp);
	if (text.len)
		fact_add(&text, ", %s", layout->wide_ctl ? "64 bits" : "32 bits");
	fact_print(platform, type->name, "controls", &text);
	text = (struct fact_text){};
	fact_add_offsets(&text, layout->ctr, type->nr_gp);
	fact_print(platform, type->name, "counters", &text);
	text = (struct fact_text){};
	fact_add_offsets(&text, layout->fixed_ctr, type->nr_fixed);
	if (type->nr_fixed && layout->fixed_ctl[0] != UCORE_REG_NONE) {
		fact_add(&text, ", controlled by ");
		fact_add_offsets(&text, layout->fixed_ctl, type->nr_fixed);
	}
	fact_print(platform, type->name, "fixed counter registers", &text);
	text = (struct fact_text){};
	for (i = 0; i < layout->nr_shared; i++)
		fact_add(&text, "%s%#x%s", fact_separator(&text), layout->shared[i],
			 layout->shared_aux & BIT(i) ? " of the second function" : "");
	fact_print(platform, type->name, "filters", &text);
}
