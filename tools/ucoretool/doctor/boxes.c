// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Checks of the driver's boxes, domains, discovery tables and self-tests, for `ucoretool doctor`.
 */
#include <string.h>

#include "doctor/doctor.h"
#include "output/address.h"
#include "output/domain.h"

/* Return the advice for a cause of missing boxes (UCORE_CAUSE_*), NULL if there is none */
static const char *cause_advice(uint32_t cause)
{
	static const char *const advice[] = {
		[UCORE_CAUSE_PROCESSOR] =
			"use ucore on a supported processor, or on one with discovery tables",
		[UCORE_CAUSE_GUEST] =
			"run ucore on the host: guests rarely have access to uncore registers",
		[UCORE_CAUSE_FIRMWARE] =
			"change BIOS options that hide uncore devices or PMON discovery, or update the BIOS, and reboot",
		[UCORE_CAUSE_CONFIG] =
			"boot without pci=nommconf; if dmesg says that the kernel rejects the MMCONFIG (ECAM) area of the BIOS, update the BIOS or the kernel",
		[UCORE_CAUSE_ASLEEP] =
			"echo on > /sys/bus/pci/devices/FUNCTION/power/control, then modprobe -r ucore; modprobe ucore",
		[UCORE_CAUSE_TABLE] =
			"update the BIOS; send 'ucoretool info --discovery' with a bug report",
		[UCORE_CAUSE_OFFLINE] =
			"echo 1 > /sys/devices/system/cpu/cpuN/online, then modprobe -r ucore; modprobe ucore",
		[UCORE_CAUSE_NODE] =
			"update the BIOS, so that ACPI gives the node (_PXM) of each PCI root bus",
		[UCORE_CAUSE_GUESS] =
			"modprobe -r intel_uncore ucore; modprobe ucore: the driver then tries the freeze of each die. A NUMA node for each PCI root bus (_PXM in ACPI, no numa=off) avoids this",
	};

	return cause < ARRAY_SIZE(advice) ? advice[cause] : NULL;
}

/* Return the verdict on a machine whose driver reports a problem with boxes */
static enum verdict boxes_verdict(const struct ucore_get_info *info, unsigned int dies)
{
	if (info->state != UCORE_STATE_READY)
		return VERDICT_PROBLEM;
	if (!*info->reason)
		return VERDICT_OK;
	/* the user of a guest, or of an unknown processor, cannot get more than the core boxes */
	return dies || info->cause == UCORE_CAUSE_GUEST || info->cause == UCORE_CAUSE_PROCESSOR ?
	       VERDICT_WARNING : VERDICT_PROBLEM;
}

void doctor_check_boxes(struct doctor *doctor)
{
	const struct ucore_get_info *info = doctor->info;
	struct domain_sum sum = domain_sum_device(doctor->dev);
	const char *advice = cause_advice(info->cause);
	const struct ucore_box_info *boxes;
	char domains[DOMAIN_SUM_LEN];
	unsigned int dead = 0;
	size_t nr;

	domain_sum_text(&sum, domains, sizeof(domains));
	boxes = ucore_device_boxes(doctor->dev, &nr);
	for (size_t i = 0; i < nr; i++)
		dead += boxes[i].flags & UCORE_BOX_F_DEAD && !(boxes[i].flags & UCORE_BOX_F_ABSENT);
	if (info->state == UCORE_STATE_READY && nr)
		doctor_report(doctor, boxes_verdict(info, sum.dies), "boxes",
			      !*info->reason ? NULL :
			      advice ? advice : "'ucoretool list' shows the boxes that were found",
			      "%u boxes on %s, platform %s%s%s", info->nr_boxes, domains,
			      *info->platform ? info->platform : "unknown",
			      *info->reason ? ": " : "", info->reason);
	else if (info->state != UCORE_STATE_INTREE)
		doctor_report(doctor, VERDICT_PROBLEM, "boxes",
			      advice ? advice : "see dmesg", "no boxes: %s",
			      *info->reason ? info->reason : "the driver reports no reason");
	if (dead)
		doctor_report(doctor, VERDICT_WARNING, "boxes",
			      "reload the module (modprobe -r ucore; modprobe ucore); if they stay dead, reboot",
			      "%u boxes no longer respond: 'ucoretool list' marks them DEAD", dead);
}

void doctor_check_domains(struct doctor *doctor)
{
	static const char advice[] =
		"bring a CPU of the die online: echo 1 > /sys/devices/system/cpu/cpuN/online";
	const struct ucore_domain_info *domains;
	unsigned int offline = 0;
	size_t nr;

	domains = ucore_device_domains(doctor->dev, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (domains[i].reader >= 0)
			continue;
		if (domains[i].scope == UCORE_SCOPE_CPU)
			offline++;
		else
			doctor_report(doctor, VERDICT_WARNING, "dies", advice,
				      "die %u has no CPU online: its counters are not read",
				      domains[i].die);
	}
	/* an offline CPU is not a problem of the machine */
	if (offline)
		doctor_report(doctor, VERDICT_OK, "cpus", NULL,
			      "%u CPUs are offline: their own counters are not read", offline);
}

/*
 * Return true if a unit was rejected, but not for an empty record or a known error of firmware, and
 * not because it is powered down
 */
static bool unit_unexpected(const struct ucore_unit_info *unit)
{
	return unit->reason != UCORE_UNIT_OK && unit->reason != UCORE_UNIT_ZERO &&
	       unit->reason != UCORE_UNIT_BEYOND_COUNT && unit->reason != UCORE_UNIT_RELOCATED &&
	       (unit->reason != UCORE_UNIT_NO_ANSWER || unit->box == UCORE_NO_BOX);
}

static void check_units(struct doctor *doctor, const struct ucore_discovery *discovery)
{
	const struct ucore_unit_info *units;
	size_t nr, rejected = 0, unexpected = 0;

	units = ucore_discovery_units(discovery, &nr);
	for (size_t i = 0; i < nr; i++) {
		rejected += units[i].reason != UCORE_UNIT_OK;
		unexpected += unit_unexpected(&units[i]);
	}
	if (unexpected)
		doctor_report(doctor, VERDICT_WARNING, "units",
			      "'ucoretool list --rejected' shows the units and reasons; add 'ucoretool info --discovery' to a bug report",
			      "%zu of %zu units in the discovery tables cannot be used",
			      unexpected, nr);
	else
		doctor_report(doctor, VERDICT_OK, "units", NULL,
			      "%zu units in the discovery tables; %zu of them are empty, powered down or known table errors",
			      nr, rejected);
}

/* Return true if each die with an online CPU has its discovery table */
static bool tables_complete(const struct ucore_get_info *info)
{
	switch (info->cause) {
	case UCORE_CAUSE_GUEST:
	case UCORE_CAUSE_FIRMWARE:
	case UCORE_CAUSE_CONFIG:
	case UCORE_CAUSE_ASLEEP:
	case UCORE_CAUSE_TABLE:
		return false;
	}
	return true;
}

/* Return the advice for a table that is not used */
static const char *table_advice(uint32_t reason)
{
	switch (reason) {
	case UCORE_TABLE_CONFIG:
		return cause_advice(UCORE_CAUSE_CONFIG);
	case UCORE_TABLE_ASLEEP:
		return cause_advice(UCORE_CAUSE_ASLEEP);
	case UCORE_TABLE_DIE:
		return cause_advice(UCORE_CAUSE_OFFLINE);
	}
	return cause_advice(UCORE_CAUSE_TABLE);
}

/* Return true if a table that is not used may be that of a GPU or an offline die */
static bool may_be_of_no_die(const struct ucore_table_info *table)
{
	return table->die < 0 || table->reason == UCORE_TABLE_ASLEEP ||
	       table->reason == UCORE_TABLE_ALL_ONES || table->reason == UCORE_TABLE_DIE;
}

/* Return true if the die of a table is a guess, and the table has boxes that it may misplace */
static bool guess_matters(const struct ucore_discovery *discovery,
			  const struct ucore_table_info *table)
{
	const struct ucore_unit_info *units;
	size_t nr;

	units = ucore_discovery_units(discovery, &nr);
	for (size_t i = 0; i < nr && table->die_by == UCORE_DIE_BY_ORDER; i++)
		if (units[i].table == table->table && units[i].reason == UCORE_UNIT_OK &&
		    units[i].access != UCORE_ACCESS_MSR)
			return true;
	return false;
}

/* Warn about tables whose die is a guess */
static void check_guesses(struct doctor *doctor, const struct ucore_discovery *discovery)
{
	const struct ucore_table_info *tables;
	unsigned int guessed = 0;
	size_t nr;

	tables = ucore_discovery_tables(discovery, &nr);
	for (size_t i = 0; i < nr; i++)
		guessed += guess_matters(discovery, &tables[i]);
	if (guessed)
		doctor_report(doctor, VERDICT_WARNING, "discovery",
			      cause_advice(UCORE_CAUSE_GUESS),
			      "the dies of %u discovery tables are a guess: boxes in memory and PCI config space may be on the wrong die",
			      guessed);
}

/* Report the tables that are not used.  doctor_check_boxes() reports that there are none. */
static void check_tables(struct doctor *doctor, const struct ucore_discovery *discovery)
{
	const struct ucore_table_info *tables;
	size_t nr;

	tables = ucore_discovery_tables(discovery, &nr);
	for (size_t i = 0; i < nr; i++) {
		uint32_t reason = tables[i].reason;
		char where[48];

		if (reason == UCORE_TABLE_OK || reason == UCORE_TABLE_DUPLICATE)
			continue;
		table_place_text(&tables[i], where, sizeof(where));
		if (may_be_of_no_die(&tables[i]) && tables_complete(doctor->info))
			doctor_report(doctor, VERDICT_OK, "discovery", NULL,
				      "discovery table %u (%s) is ignored, because each online die has its table: %s",
				      tables[i].table, where, ucore_table_reason(reason));
		else
			doctor_report(doctor, VERDICT_WARNING, "discovery", table_advice(reason),
				      "discovery table %u (%s) is not used: %s", tables[i].table,
				      where, ucore_table_reason(reason));
	}
}

void doctor_check_discovery(struct doctor *doctor)
{
	struct ucore_discovery *discovery;
	size_t nr;

	if (!(doctor->info->caps & UCORE_CAP_DISCOVERY))
		return;
	if (ucore_discovery_get(doctor->dev, &discovery, &doctor->tool->err)) {
		doctor_report(doctor, VERDICT_PROBLEM, "discovery", "see dmesg", "%s",
			      doctor->tool->err.text);
		return;
	}
	check_tables(doctor, discovery);
	check_guesses(doctor, discovery);
	ucore_discovery_units(discovery, &nr);
	if (nr)
		check_units(doctor, discovery);
	ucore_discovery_free(discovery);
}

/* Checks of trials of overflows and of their interrupt */
#define TRIAL_CHECKS \
	(UCORE_SELFTEST_OVERFLOW_ENABLE | UCORE_SELFTEST_OVERFLOW_STATUS | \
	 UCORE_SELFTEST_OVERFLOW_FREEZE | UCORE_SELFTEST_OVERFLOW_DIE | \
	 UCORE_SELFTEST_OVERFLOW_RESUME | UCORE_SELFTEST_PMI)

/*
 * Return true if a trial may still show that the overflows of a client processor interrupt: no
 * session has needed an interrupt since the driver was loaded, and no trial has failed
 */
static bool interrupt_is_untried(const struct doctor *doctor)
{
	const struct ucore_box_info *boxes;
	struct ucore_get_selftest selftest;
	size_t nr;

	if (!(doctor->info->caps & UCORE_CAP_PMI_TRIAL))
		return false;
	boxes = ucore_device_boxes(doctor->dev, &nr);
	for (size_t i = 0; i < nr; i++)
		if (!ucore_device_selftest(doctor->dev, boxes[i].box, &selftest, NULL) &&
		    selftest.failed & TRIAL_CHECKS)
			return false;
	return true;
}

void doctor_check_overflow(struct doctor *doctor)
{
	uint32_t caps = doctor->info->caps;

	if (!domain_sum_device(doctor->dev).dies)
		return;
	if (caps & UCORE_CAP_OVERFLOW_PMI)
		doctor_report(doctor, VERDICT_OK, "overflow", NULL, "overflow interrupts are available");
	else if (interrupt_is_untried(doctor))
		doctor_report(doctor, VERDICT_OK, "overflow", NULL,
			      "overflow interrupts have not been tried: the first period does, or 'ucoretool verify'");
	else if (caps & (UCORE_CAP_DISCOVERY | UCORE_CAP_PMI_TRIAL))
		doctor_report(doctor, VERDICT_WARNING, "overflow",
			      "sample with a timer ('ucoretool record --timer 1ms'); periods (-c N) are polled, or exact with --no-pmi",
			      "ucore uses no overflow interrupt on this platform");
	else
		doctor_report(doctor, VERDICT_WARNING, "overflow",
			      "sample with a timer ('ucoretool record --timer 1ms'); periods (-c N) are polled",
			      "ucore uses no overflow interrupt on this platform");
}

static void core_kind_check(struct doctor *doctor, const struct ucore_get_core *core)
{
	static const char advice[] =
		"stop perf; turn off the NMI watchdog: sysctl kernel.nmi_watchdog=0";
	char watchdog[8], cores[UCORE_NAME_LEN + 32] = "the cores' own counters";

	if (core->nr_kinds > 1)
		snprintf(cores, sizeof(cores), "the counters of type %s",
			 *core->type ? core->type : "other");
	doctor_file_read(doctor, "/proc/sys/kernel/nmi_watchdog", watchdog, sizeof(watchdog));
	if (core->state == UCORE_CORE_BUSY)
		doctor_report(doctor, VERDICT_WARNING, "cores", advice,
			      "%s are in use by perf: core events are refused", cores);
	else if (core->state != UCORE_CORE_READY)
		doctor_report(doctor, VERDICT_OK, "cores", NULL, "%s: %s", cores, core->reason);
	else if (*watchdog == '1')
		doctor_report(doctor, VERDICT_WARNING, "cores", advice,
			      "the NMI watchdog uses %s: core events are refused", cores);
	else if (*core->reason)
		doctor_report(doctor, VERDICT_WARNING, "cores", NULL, "%s: %s", cores,
			      core->reason);
	else
		doctor_report(doctor, VERDICT_OK, "cores", NULL,
			      "%s are available, unless perf uses them (version %u)", cores,
			      core->version);
}

void doctor_check_core(struct doctor *doctor)
{
	struct ucore_get_core core;

	for (uint32_t kind = 0; !ucore_device_core(doctor->dev, kind, &core, NULL); kind++)
		core_kind_check(doctor, &core);
}

/* ---- self-tests -------------------------------------------------------- */

/**
 * struct oddities - boxes for which the self-test or the watchdog found the same problem
 * @first: first box with the finding
 * @nr: number of boxes
 */
struct oddities {
	const struct ucore_box_info *first;
	unsigned int nr;
};

static void oddity_add(struct oddities *o, const struct ucore_box_info *box)
{
	o->first = o->first ? o->first : box;
	o->nr++;
}

static void oddities_find(struct doctor *doctor, const struct oddities *o, const char *what,
			  const char *hint, const char *text)
{
	if (o->first)
		doctor_report(doctor, VERDICT_WARNING, what, hint, "%u box%s: %s%u of die %u%s: %s",
			      o->nr, o->nr > 1 ? "es" : "", o->first->type, o->first->instance,
			      o->first->die, o->nr > 1 ? " and others" : "", text);
}

/* Report problems that self-tests and watchdog found in the boxes used since module load */
void doctor_check_selftests(struct doctor *doctor)
{
	struct oddities failed = { 0 }, global = { 0 }, control = { 0 }, changed = { 0 };
	const struct ucore_box_info *boxes;
	char reason[UCORE_REASON_LEN] = "";
	struct ucore_get_selftest selftest;
	size_t nr;

	boxes = ucore_device_boxes(doctor->dev, &nr);
	for (size_t i = 0; i < nr; i++) {
		if (ucore_device_selftest(doctor->dev, boxes[i].box, &selftest, NULL))
			return;
		if (*selftest.reason) {
			if (!failed.nr)
				memcpy(reason, selftest.reason, sizeof(reason));
			oddity_add(&failed, &boxes[i]);
		}
		if (selftest.found & UCORE_FOUND_GLOBAL)
			oddity_add(&global, &boxes[i]);
		if (selftest.found & UCORE_FOUND_CONTROL)
			oddity_add(&control, &boxes[i]);
		if (selftest.found & UCORE_FOUND_CONFLICT)
			oddity_add(&changed, &boxes[i]);
	}
	oddities_find(doctor, &failed, "self-tests",
		      "'ucoretool verify' tests all boxes, and writes a report", reason);
	oddities_find(doctor, &global, "owners",
		      "stop other programs that use the boxes (Intel PCM, LIKWID, VTune); ignore this if firmware is the cause",
		      "the global control was not zero when ucore acquired the boxes");
	oddities_find(doctor, &control, "owners", "stop other programs that use the boxes (Intel PCM, LIKWID, VTune)",
		      "a control was not zero when ucore acquired the box: another program uses or used the box");
	oddities_find(doctor, &changed, "owners",
		      "stop the program that writes the controls (Intel PCM, LIKWID, VTune, wrmsr); discard counts marked 'conflict'",
		      "another program or firmware wrote controls while sessions counted");
}
