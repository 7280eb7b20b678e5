// SPDX-License-Identifier: GPL-2.0-only
/*
 * Register window, read-back and status of one global control. Part of the box layer.
 * domain_global_ctl.c writes global controls, because a domain may have several. The functions
 * run with the domain's lock held, on a CPU of the domain, unless a function says otherwise.
 */
#include "box/global_ctl_window.h"

/**
 * ucore_global_ctl_window() - open the register window of a global control
 * @global: description of the global control
 * @io: register window to be initialized
 *
 * Process context, without a lock.
 *
 * Return: 0 or -ENOMEM.
 */
int ucore_global_ctl_window(const struct ucore_global *global, struct ucore_io *io)
{
	if (global->size)
		return ucore_mmio_init(io, global->phys, global->size);
	if (global->pdev)
		ucore_pci_init(io, global->pdev);
	else
		ucore_msr_init(io, 0);
	return 0;
}

/**
 * ucore_global_ctl_found() - read the bits of a global control that ucore must restore later
 * @global: description of the global control
 * @io: register window of the global control
 *
 * Return: value of the bits of @global->keep, 0 if the register reads all ones or faults.
 */
u64 ucore_global_ctl_found(const struct ucore_global *global, const struct ucore_io *io)
{
	u64 found = io->ops->read64(io, global->ctl);

	return found == UCORE_REG_DEAD ? 0 : found & global->keep;
}

/**
 * ucore_global_ctl_changed() - check whether a global control differs from the value written
 * @global: description of the global control
 * @io: register window of the global control
 * @word: value last written
 *
 * Compares only the bits of @global->keep, because the other bits may not read back.
 *
 * Return: true if a bit differs; false if no bit differs or the register does not answer.
 */
bool ucore_global_ctl_changed(const struct ucore_global *global, const struct ucore_io *io,
			      u64 word)
{
	u64 val = io->ops->read64(io, global->ctl);

	return val != UCORE_REG_DEAD && ((val ^ word) & global->keep);
}

/* Return the register offset of word @i of the global status. */
static u32 status_reg(const struct ucore_global *global, u32 i)
{
	return global->status + i * global->status_stride;
}

/**
 * ucore_global_ctl_status() - read all words of the status of a global control
 * @global: description of the global control
 * @io: register window of the global control
 * @word: array that receives the status words
 *
 * Return: bitwise OR of the status words, without bits that show no overflow.
 */
u64 ucore_global_ctl_status(const struct ucore_global *global, const struct ucore_io *io,
			    u64 *word)
{
	u64 status, all = 0;
	u32 i;

	for (i = 0; i < global->nr_status; i++) {
		status = io->ops->read64(io, status_reg(global, i));
		if (status == UCORE_REG_DEAD)
			status = 0;
		word[i] = global->clear ? status & global->clear_mask : status;
		all |= ucore_global_ctl_overflows(global, word[i]);
	}
	return all;
}

/**
 * ucore_global_ctl_clear() - clear the status of a global control
 * @global: description of the global control
 * @io: register window of the global control
 * @word: status words as last read
 * @how: what clears the status
 */
void ucore_global_ctl_clear(const struct ucore_global *global, const struct ucore_io *io,
			    const u64 *word, enum ucore_clear how)
{
	u32 clear = how == UCORE_CLEAR_OTHER ? global->clear_other : global->clear;
	u32 i;

	for (i = 0; i < global->nr_status; i++)
		if (word[i])
			io->ops->write64(io, clear ?: status_reg(global, i),
					 how == UCORE_CLEAR_ZERO ? 0 : word[i]);
}
