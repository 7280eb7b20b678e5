// SPDX-License-Identifier: GPL-2.0-only
/*
 * One global control: its window and its status.  What is written to the control itself
 * domain.c decides, which may have several.  With the domain's lock held, on the domain.
 */
#include "box/global_ctl.h"

/**
 * ucore_global_ctl_window() - the window of a global control that exists
 * @global: what it is
 * @io: the window; process context, without a lock
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
 * ucore_global_ctl_found() - what of a global control is to be put back
 * @global: what it is
 * @io: its window
 *
 * Return: its bits, 0 if it does not answer.
 */
u64 ucore_global_ctl_found(const struct ucore_global *global, const struct ucore_io *io)
{
	u64 found = io->ops->read64(io, global->ctl);

	return found == UCORE_REG_DEAD ? 0 : found & global->keep;
}

/**
 * ucore_global_ctl_changed() - does a global control hold anything but what was written?
 * @global: what it is
 * @io: its window
 * @word: what was written
 *
 * Only bits that read back are compared.
 *
 * Return: true if it does; false, too, if it does not answer.
 */
bool ucore_global_ctl_changed(const struct ucore_global *global, const struct ucore_io *io, u64 word)
{
	u64 val = io->ops->read64(io, global->ctl);

	return val != UCORE_REG_DEAD && ((val ^ word) & global->keep);
}

/* Word @i of global status, as a register of the window. */
static u32 status_reg(const struct ucore_global *global, u32 i)
{
	return global->status + i * global->status_stride;
}

/**
 * ucore_global_ctl_status() - read the words of a global status
 * @global: what it is
 * @io: its window
 * @word: takes them
 *
 * Return: the words, folded into one.
 */
u64 ucore_global_ctl_status(const struct ucore_global *global, const struct ucore_io *io, u64 *word)
{
	u64 status, all = 0;
	u32 i;

	for (i = 0; i < global->nr_status; i++) {
		status = io->ops->read64(io, status_reg(global, i));
		if (status == UCORE_REG_DEAD)
			status = 0;
		word[i] = global->clear ? status & global->clear_mask : status;
		all |= word[i];
	}
	return all;
}

/**
 * ucore_global_ctl_clear() - clear what was read (write 1 to clear)
 * @global: what it is
 * @io: its window
 * @word: the words, as last read
 */
void ucore_global_ctl_clear(const struct ucore_global *global, const struct ucore_io *io,
			 const u64 *word)
{
	u32 i;

	for (i = 0; i < global->nr_status; i++)
		if (word[i])
			io->ops->write64(io, global->clear ?: status_reg(global, i), word[i]);
}
