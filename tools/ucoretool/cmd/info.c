// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * ucoretool info: prints the machine, the driver, the domains and, for root, the addresses of
 * the boxes.  Modifies nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"
#include "output/domain.h"
#include "output/table.h"
#include "output/address.h"
#include "discovery_dump.h"
#include "tool.h"

struct info_args {
	bool discovery;
	struct out out;
};

static const struct option_desc info_options[] = {
	{ OPT_DISCOVERY, "discovery", NULL,
	  "print the decoded discovery tables, for a bug report" },
	{ 'j', "json", NULL, "print one JSON object" },
	{ 0 },
};

static int info_option(struct tool *tool, void *data, int letter, const char *value)
{
	struct info_args *args = data;

	(void)tool;
	(void)value;
	if (letter == OPT_DISCOVERY)
		args->discovery = true;
	else
		args->out.format = OUT_JSON;
	return 0;
}

static int info_finish(struct tool *tool, void *data, int argc, char **argv)
{
	struct info_args *args = data;

	args->out.stream = stdout;
	return argc ? tool_usage(tool, "unexpected argument '%s'", argv[0]) : 0;
}

static const char *state_name(uint32_t state)
{
	static const char *const names[] = {
		[UCORE_STATE_READY] = "ready",
		[UCORE_STATE_NOT_INTEL] = "not an Intel processor",
		[UCORE_STATE_UNKNOWN] = "unknown processor",
		[UCORE_STATE_HIDDEN] = "boxes hidden",
		[UCORE_STATE_INTREE] = "in use by intel_uncore",
	};

	return state < ARRAY_SIZE(names) ? names[state] : "?";
}

static void location_text(const struct ucore_box_info *box, char *text, size_t size)
{
	char where[48];

	place_text(box->access, box->location, where, sizeof(where));
	snprintf(text, size, "%s %s", access_name(box->access), where);
}

static bool locations_known(const struct ucore_box_info *boxes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (boxes[i].location)
			return true;
	return false;
}

/* ---- output as text ---------------------------------------------------- */

/* Write the capabilities of the platform (UCORE_CAP_*) as text */
static void caps_text(const struct ucore_get_info *info, char *text, size_t size)
{
	uint32_t caps = info->caps;

	snprintf(text, size, "%s%s%s",
		 caps & UCORE_CAP_GLOBAL_FREEZE ? "freeze a die at once, " :
		 info->nr_boxes ? "freeze box by box, " : "",
		 caps & UCORE_CAP_OVERFLOW_PMI ? "interrupt at an overflow" :
						 "sample by a timer or by polling",
		 caps & UCORE_CAP_DISCOVERY ? ", discover boxes from firmware's tables" : "");
}

static void info_machine(const struct ucore_device *dev)
{
	const struct ucore_get_info *info = ucore_device_info(dev);
	struct domain_sum sum = domain_sum_device(dev);
	char caps[192], domains[DOMAIN_SUM_LEN];

	domain_sum_text(&sum, domains, sizeof(domains));
	caps_text(info, caps, sizeof(caps));
	printf("state      %s\n", state_name(info->state));
	if (*info->reason)
		printf("reason     %s\n", info->reason);
	printf("platform   %s\n", *info->platform ? info->platform : "unknown");
	printf("processor  family %u, model %u (0x%x), stepping %u\n", info->family, info->model,
	       info->model, info->stepping);
	printf("driver     ABI %u\n", info->abi);
	if (sum.dies || !sum.cpus)	/* info_core() describes a machine with core boxes only */
		printf("can        %s\n", caps);
	printf("boxes      %u on %s, %u counters\n", info->nr_boxes, domains, info->nr_counters);
}

/* ---- core counters ----------------------------------------------------- */

/* Names of architectural events in tools/events/core.csv, indexed by bit in CPUID.0AH:EBX */
static const char *const core_events[] = {
	"UNHALTED_CORE_CYCLES", "INSTRUCTIONS_RETIRED", "UNHALTED_REFERENCE_CYCLES",
	"LLC_REFERENCES", "LLC_MISSES", "BRANCH_INSTRUCTIONS_RETIRED", "BRANCH_MISSES_RETIRED",
};

static const char *core_state_name(uint32_t state)
{
	static const char *const names[] = {
		[UCORE_CORE_READY] = "ready",
		[UCORE_CORE_NONE] = "none",
		[UCORE_CORE_UNKNOWN] = "unknown kind",
		[UCORE_CORE_VERSION] = "unknown version",
		[UCORE_CORE_BAD_CPUID] = "wrong CPUID",
		[UCORE_CORE_KERNEL] = "unsupported kernel",
		[UCORE_CORE_BUSY] = "in use by perf",
		[UCORE_CORE_DISABLED] = "off",
	};

	return state < ARRAY_SIZE(names) ? names[state] : "?";
}

/* Return the box type of a kind of cores; "other" for cores without boxes, which have none */
static const char *core_kind_name(const struct ucore_get_core *core)
{
	return *core->type ? core->type : "other";
}

/* Print the architectural events that the processor has, or (@has false) those that it lacks */
static void core_events_print(const struct ucore_get_core *core, const char *title, bool has)
{
	const char *separator = "";

	for (size_t i = 0; i < ARRAY_SIZE(core_events); i++) {
		if (!(core->events & 1U << i) == has)
			continue;
		printf("%s%s", *separator ? separator : title, core_events[i]);
		separator = " ";
	}
	if (*separator)
		putchar('\n');
}

static void core_counters_print(const struct ucore_get_core *core)
{
	printf("  version %u: %u counters of %u bits", core->version, core->nr_counters,
	       core->width);
	if (core->nr_fixed)
		printf(", %u fixed ones of %u bits", core->nr_fixed, core->fixed_width);
	putchar('\n');
	printf("  periods up to 2^%u%s%s\n",
	       core->caps & UCORE_CORE_CAP_FULL_WIDTH ? core->width : 31,
	       core->caps & UCORE_CORE_CAP_GLOBAL ? "" :
	       ", no global control: no overflow interrupt",
	       core->caps & UCORE_CORE_CAP_ANY ? ", events can count for both threads (any)" : "");
	core_events_print(core, "  has ", true);
	core_events_print(core, "  lacks ", false);
}

/* Print which cores a kind is, if the processor is hybrid: "atom, 8 CPUs of type 0x20: " */
static void core_kind_print(const struct ucore_get_core *core)
{
	if (core->nr_kinds > 1 || core->cpu_type)
		printf("%s, %u CPUs of type 0x%x: ", core_kind_name(core), core->nr_cpus,
		       core->cpu_type);
}

static void info_core(const struct ucore_device *dev)
{
	struct ucore_get_core core;

	for (uint32_t kind = 0; !ucore_device_core(dev, kind, &core, NULL); kind++) {
		printf("cores      ");
		core_kind_print(&core);
		printf("%s%s%s\n", core_state_name(core.state), *core.reason ? ": " : "",
		       core.reason);
		if (core.version) {
			core_counters_print(&core);
			printf("  CPUID.0AH: eax 0x%08x, ebx 0x%08x, ecx 0x%08x, edx 0x%08x\n",
			       core.eax, core.ebx, core.ecx, core.edx);
		}
	}
}

enum {
	DOMAIN_SCOPE,
	DOMAIN_DIE,
	DOMAIN_CPU,
	DOMAIN_SOCKET,
	DOMAIN_READER,
	DOMAIN_BOXES,
	DOMAIN_COUNTERS,
	DOMAIN_SESSIONS,
	DOMAIN_PMIS,
	DOMAIN_RECOVERED,
	DOMAIN_THROTTLED,
	DOMAIN_FROZEN,
	DOMAIN_SKEW,
	NR_DOMAIN_COLUMNS,
};

static const struct column domain_columns[NR_DOMAIN_COLUMNS] = {
	[DOMAIN_SCOPE] = { "scope", "SCOPE", -5 },
	[DOMAIN_DIE] = { "die", "DIE", 3 },
	[DOMAIN_CPU] = { "cpu", "CPU", 4 },
	[DOMAIN_SOCKET] = { "socket", "SOCKET", 6 },
	[DOMAIN_READER] = { "reader", "READER", 6 },
	[DOMAIN_BOXES] = { "boxes", "BOXES", 5 },
	[DOMAIN_COUNTERS] = { "counters", "COUNTERS", 8 },
	[DOMAIN_SESSIONS] = { "sessions", "SESSIONS", 8 },
	[DOMAIN_PMIS] = { "pmis", "PMIS", 10 },
	[DOMAIN_RECOVERED] = { "recovered", "RECOVERED", 9 },
	[DOMAIN_THROTTLED] = { "throttled", "THROTTLED", 9 },
	[DOMAIN_FROZEN] = { "frozen_ns", "FROZEN (s)", 14 },
	[DOMAIN_SKEW] = { "skew_max_ns", "SKEW (s)", 12 },
};

/*
 * Set the table cells of a domain.  The reader of a domain without a reader is "none" in a table,
 * and empty in CSV and JSON.
 */
static void domain_cells(const struct ucore_domain_info *domain, struct cell *cells)
{
	cells[DOMAIN_SCOPE] = cell_text(domain->scope == UCORE_SCOPE_CPU ? "cpu" : "die");
	cells[DOMAIN_DIE] = cell_number(domain->die);
	cells[DOMAIN_CPU] = domain_cpu_cell(domain->cpu);
	cells[DOMAIN_SOCKET] = cell_number(domain->package);
	cells[DOMAIN_READER] = domain->reader < 0 ? cell_none() :
			       cell_number((uint32_t)domain->reader);
	cells[DOMAIN_BOXES] = cell_number(domain->nr_boxes);
	cells[DOMAIN_COUNTERS] = cell_number(domain->nr_counters);
	cells[DOMAIN_SESSIONS] = cell_number(domain->nr_sessions);
	cells[DOMAIN_PMIS] = cell_count(domain->pmis);
	cells[DOMAIN_RECOVERED] = cell_count(domain->recovered);
	cells[DOMAIN_THROTTLED] = cell_count(domain->throttled);
	cells[DOMAIN_FROZEN] = cell_ns(domain->frozen_ns);
	cells[DOMAIN_SKEW] = cell_ns(domain->skew_max_ns);
}

/* Return true if no freeze has needed several writes, and the platform may need one only */
static bool skew_is_zero(const struct ucore_device *dev, const struct ucore_domain_info *domains,
			 size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (domains[i].skew_max_ns)
			return false;
	return ucore_device_info(dev)->caps & UCORE_CAP_GLOBAL_FREEZE;
}

static void info_domains(const struct ucore_device *dev)
{
	struct column columns[NR_DOMAIN_COLUMNS];
	const struct ucore_domain_info *domains;
	struct cell cells[NR_DOMAIN_COLUMNS];
	struct out out = { .stream = stdout };
	size_t nr;

	domains = ucore_device_domains(dev, &nr);
	if (!nr)
		return;
	memcpy(columns, domain_columns, sizeof(columns));
	columns[DOMAIN_CPU].hidden = !domain_sum_device(dev).cpus;
	columns[DOMAIN_SKEW].hidden = skew_is_zero(dev, domains, nr);
	putchar('\n');
	out_head(&out, columns, NR_DOMAIN_COLUMNS);
	for (size_t i = 0; i < nr; i++) {
		domain_cells(&domains[i], cells);
		if (cells[DOMAIN_READER].kind == CELL_NONE)
			cells[DOMAIN_READER] = cell_text("none");
		out_row(&out, columns, NR_DOMAIN_COLUMNS, cells);
	}
}

static void info_locations(const struct ucore_device *dev)
{
	const struct ucore_box_info *boxes;
	size_t nr;

	boxes = ucore_device_boxes(dev, &nr);
	if (!locations_known(boxes, nr))
		return;
	printf("\nbox control registers:\n");
	for (size_t i = 0; i < nr; i++) {
		char name[32], domain[UCORE_DOMAIN_NAME_LEN], where[64];

		if (boxes[i].flags & UCORE_BOX_F_ABSENT)
			continue;
		ucore_domain_name(boxes[i].die, boxes[i].cpu, domain, sizeof(domain));
		snprintf(name, sizeof(name), "%s%u", boxes[i].type, boxes[i].instance);
		location_text(&boxes[i], where, sizeof(where));
		printf("  %-7s %-8s %s\n", domain, name, where);
	}
}

/* ---- output as JSON ---------------------------------------------------- */

static void json_domains(struct out *out, const struct ucore_device *dev)
{
	const struct ucore_domain_info *domains;
	struct cell cells[NR_DOMAIN_COLUMNS];
	size_t nr;

	domains = ucore_device_domains(dev, &nr);
	json_begin(out, "domains", '[');
	for (size_t i = 0; i < nr; i++) {
		domain_cells(&domains[i], cells);
		json_begin(out, NULL, '{');
		json_cells(out, domain_columns, NR_DOMAIN_COLUMNS, cells);
		json_end(out, '}');
	}
	json_end(out, ']');
}

static void json_locations(struct out *out, const struct ucore_device *dev)
{
	const struct ucore_box_info *boxes;
	size_t nr;

	boxes = ucore_device_boxes(dev, &nr);
	if (!locations_known(boxes, nr))
		return;
	json_begin(out, "locations", '[');
	for (size_t i = 0; i < nr; i++) {
		char where[64];

		if (boxes[i].flags & UCORE_BOX_F_ABSENT)
			continue;
		location_text(&boxes[i], where, sizeof(where));
		json_begin(out, NULL, '{');
		if (boxes[i].cpu < 0)
			json_number(out, "die", boxes[i].die);
		else
			json_number(out, "cpu", (uint32_t)boxes[i].cpu);
		json_text(out, "type", boxes[i].type);
		json_number(out, "instance", boxes[i].instance);
		json_text(out, "location", where);
		json_end(out, '}');
	}
	json_end(out, ']');
}

static void json_core(struct out *out, const struct ucore_get_core *core)
{
	json_begin(out, core_kind_name(core), '{');
	json_text(out, "state", core_state_name(core->state));
	json_text(out, "reason", core->reason);
	json_number(out, "version", core->version);
	json_number(out, "counters", core->nr_counters);
	json_number(out, "width", core->width);
	json_number(out, "fixed", core->nr_fixed);
	json_number(out, "fixed_width", core->fixed_width);
	json_flag(out, "global_control", core->caps & UCORE_CORE_CAP_GLOBAL);
	json_flag(out, "full_width_writes", core->caps & UCORE_CORE_CAP_FULL_WIDTH);
	json_flag(out, "any_thread", core->caps & UCORE_CORE_CAP_ANY);
	json_number(out, "events", core->events);
	json_number(out, "eax", core->eax);
	json_number(out, "ebx", core->ebx);
	json_number(out, "ecx", core->ecx);
	json_number(out, "edx", core->edx);
	json_number(out, "cpu_type", core->cpu_type);
	json_number(out, "boxes", core->nr_boxes);
	json_number(out, "cpus", core->nr_cpus);
	json_end(out, '}');
}

static void json_cores(struct out *out, const struct ucore_device *dev)
{
	struct ucore_get_core core;

	for (uint32_t kind = 0; !ucore_device_core(dev, kind, &core, NULL); kind++)
		json_core(out, &core);
}

static void info_json(const struct info_args *args, const struct ucore_device *dev)
{
	const struct ucore_get_info *info = ucore_device_info(dev);
	struct out out = args->out;

	json_line_begin(&out);
	json_text(&out, "state", state_name(info->state));
	json_text(&out, "reason", info->reason);
	json_text(&out, "platform", info->platform);
	json_number(&out, "family", info->family);
	json_number(&out, "model", info->model);
	json_number(&out, "stepping", info->stepping);
	json_number(&out, "abi", info->abi);
	json_flag(&out, "global_freeze", info->caps & UCORE_CAP_GLOBAL_FREEZE);
	json_flag(&out, "overflow_pmi", info->caps & UCORE_CAP_OVERFLOW_PMI);
	json_flag(&out, "discovery", info->caps & UCORE_CAP_DISCOVERY);
	json_number(&out, "boxes", info->nr_boxes);
	json_number(&out, "counters", info->nr_counters);
	json_cores(&out, dev);
	json_domains(&out, dev);
	json_locations(&out, dev);
	json_line_end(&out);
}

static int info_run(struct tool *tool, const void *data)
{
	const struct info_args *args = data;
	struct ucore_device *dev;
	int ret = ucore_device_open(tool->device, tool->sys, &dev, &tool->err);

	if (ret) {
		tool_fail(tool, ret);
		return EXIT_FAILURE;
	}
	if (args->discovery) {
		ret = discovery_dump(tool, dev, args->out.format == OUT_JSON);
	} else if (args->out.format == OUT_JSON) {
		info_json(args, dev);
	} else {
		info_machine(dev);
		info_core(dev);
		info_domains(dev);
		info_locations(dev);
	}
	ucore_device_close(dev);
	return ret;
}

const struct command command_info = {
	.name = "info",
	.summary = "show the machine, the driver, and the dies and CPUs with boxes",
	.options = { info_options },
	.args_size = sizeof(struct info_args),
	.option = info_option,
	.finish = info_finish,
	.run = info_run,
};
