/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory that cannot be swapped, and whose it is. */
#ifndef UCORE_MEMLOCK_H
#define UCORE_MEMLOCK_H

struct user_struct;

/**
 * struct ucore_charge - pages that were charged to a user
 * @user: the user, NULL if nothing was charged
 * @pages: how many
 */
struct ucore_charge {
	struct user_struct *user;
	unsigned long pages;
};

int ucore_memlock_charge(struct ucore_charge *charge, struct user_struct *user,
			 unsigned long bytes);
void ucore_memlock_uncharge(struct ucore_charge *charge);

#endif /* UCORE_MEMLOCK_H */
