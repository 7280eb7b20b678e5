/* SPDX-License-Identifier: GPL-2.0-only */
/* CPU time budgets: limit the share of each CPU's time that ucore uses. Part of the cpu layer. */
#ifndef UCORE_BUDGET_H
#define UCORE_BUDGET_H

#include <linux/smp.h>
#include <linux/types.h>

struct cpumask;
struct hrtimer;
struct ucore_domain;

/* On the CPU whose budget is charged, with interrupts off: */
u64 ucore_budget_entered_at(const struct hrtimer *timer);
void ucore_budget_enter(u64 since);
u64 ucore_budget_leave(void);
bool ucore_budget_leave_timer(struct hrtimer *timer, u64 period);
u64 ucore_budget_pause_ns(u64 now);

/* Process context: */
void ucore_budget_run(struct ucore_domain *domain, smp_call_func_t func, void *arg);
void ucore_budget_run_on(const struct cpumask *cpus, smp_call_func_t func, void *arg);
int ucore_budget_sleep(u64 ns);
int ucore_budget_await(const struct ucore_domain *domain);

/* Any context, any CPU: */
u64 ucore_budget_wait_ns(int cpu, u64 now);
u64 ucore_budget_busy_ns(int cpu);
u32 ucore_budget_percent(void);
u64 ucore_budget_charge_ns(u64 ns);
u64 ucore_budget_period_ns(u64 ns);

#endif /* UCORE_BUDGET_H */
