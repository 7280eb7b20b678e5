/* SPDX-License-Identifier: GPL-2.0-only */
/* Accounting of locked memory. Part of the sample layer. */
#ifndef UCORE_MEMLOCK_H
#define UCORE_MEMLOCK_H

struct user_struct;

/**
 * struct ucore_charge - pages charged to a user's locked memory
 * @user: user to whom the pages are charged, NULL if nothing is charged
 * @pages: number of charged pages
 */
struct ucore_charge {
	struct user_struct *user;
	unsigned long pages;
};

int ucore_memlock_charge(struct ucore_charge *charge, struct user_struct *user,
			 unsigned long bytes);
void ucore_memlock_uncharge(struct ucore_charge *charge);

#endif /* UCORE_MEMLOCK_H */
