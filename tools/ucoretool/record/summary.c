// SPDX-License-Identifier: LGPL-2.1-or-later
/* Summary of `ucoretool record`: number of samples, cost, delays and losses. */
#include <stdio.h>

#include "cli.h"
#include "output/domain.h"
#include "record/record.h"

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

static struct domain_sum sources_domains(const struct record *record)
{
	struct domain_sum sum = { 0 };

	for (size_t i = 0; i < record->nr_sources; i++) {
		uint32_t id = ucore_ring_domain(record->sources[i].ring);
		const struct ucore_domain_info *domain = ucore_device_domain(record->count.dev, id);

		domain_sum_add(&sum, domain ? domain->scope : UCORE_SCOPE_DIE);
	}
	return sum;
}

/*
 * Return the other kind of samples at periods, if there is one: a platform without an overflow
 * interrupt either polls the counters, or lets overflows freeze the die
 */
static const char *alternative(const struct record *record)
{
	const struct ucore_get_info *info = ucore_device_info(record->count.dev);

	if (info->caps & UCORE_CAP_OVERFLOW_PMI ||
	    !(info->caps & (UCORE_CAP_DISCOVERY | UCORE_CAP_PMI_TRIAL)))
		return "";
	if (record->flags & UCORE_SESSION_F_NO_PMI)
		return ", but exact: each overflow froze the die until a poll. "
		       "Without --no-pmi nothing stands still";
	return ". With --no-pmi samples are exact, but each overflow freezes the die until a poll";
}

/* Print the number of polls and the largest delay of a polled sample */
static void summary_polls(const struct record *record, const struct ucore_get_status *status)
{
	const struct ucore_slot *slots;
	uint64_t longest = 0;
	size_t nr;

	slots = ucore_session_slots(record->count.session, &nr);
	for (size_t i = 0; i < nr; i++)
		if (slots[i].poll_ns > longest)
			longest = slots[i].poll_ns;
	if (longest)
		fprintf(stderr,
			"%llu of %llu periods were found by polling (%llu polls); samples are at most %.0f us late%s\n",
			(unsigned long long)status->polled, (unsigned long long)status->overflows,
			(unsigned long long)status->polls, (double)longest / NSEC_PER_USEC,
			alternative(record));
}

/*
 * Print how many periods and records were lost, and why: CPU time budget, or a full ring. @cost is
 * the mean cost of the samples (ns).
 */
static void summary_lost(const struct record *record, const struct ucore_get_status *status,
			 const struct ucore_get_budget *budget, double cost)
{
	if (budget->dropped)
		fprintf(stderr,
			"%llu periods of %s%s%s were dropped%s: a sample took %.2f us on average. Use a longer period or fewer events\n",
			(unsigned long long)budget->dropped, record->timer ? "the timer" : "",
			record->timer && record->others ? " and " : "",
			record->others ? record->others : "",
			budget->delayed ? " because the CPU time limit was reached" : "",
			cost / NSEC_PER_USEC);
	if (status->lost > budget->dropped)
		fprintf(stderr, "records were lost because a ring was full. Use a larger ring (--ring-size) or a longer period\n");
}

void record_summary(const struct record *record, const struct ucore_get_status *status,
		    const struct ucore_get_budget *budget, uint64_t ns, const char *path)
{
	struct domain_sum sum = sources_domains(record);
	uint64_t taken = status->samples - budget->dropped;
	double cost = share(status->cost_ns, taken);
	char domains[DOMAIN_SUM_LEN];

	domain_sum_text(&sum, domains, sizeof(domains));
	fprintf(stderr, "%llu samples of %s in %.3f s (%.1f/s)",
		(unsigned long long)record->samples, domains, (double)ns / NSEC_PER_SEC,
		share(record->samples * NSEC_PER_SEC, ns));
	if (record->file)
		fprintf(stderr, " written to %s", path);
	else
		fprintf(stderr, ", %llu of them written to %u files",
			(unsigned long long)record->flight.written, record->flight.nr_files);
	fprintf(stderr, ", %llu records lost\n", (unsigned long long)status->lost);
	fprintf(stderr,
		"cost: %.2f us and %.1f register accesses a sample, %s frozen %.4f %% of the time\n",
		cost / NSEC_PER_USEC,
		share(status->reads + status->writes, taken),
		domain_sum_words(&sum), 100 * share(status->frozen_ns, ns * record->nr_sources));
	summary_polls(record, status);
	if (record->nr_readers > 1)
		fprintf(stderr, "helper CPUs: %.1f of %u took part in a sample on average\n",
			share(status->parallel_reads, taken), record->nr_readers - 1);
	if (status->recovered)
		fprintf(stderr, "%llu of %llu overflow interrupts were lost; a timer found the overflows\n",
			(unsigned long long)status->recovered,
			(unsigned long long)status->overflows);
	summary_lost(record, status, budget, cost);
	if (record->damaged)
		fprintf(stderr, "rings: %llu inconsistent records. This is a bug in the driver; report it\n",
			(unsigned long long)record->damaged);
}
