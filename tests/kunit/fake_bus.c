// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fake register bus. Models what tests need of an E5. The box control and the counter controls
 * have reset bits. Status bits are cleared by writing 1. The global control freezes and
 * unfreezes.
 */
#include "fake_bus.h"

/* Bits of the box control that act when written and read 0 */
#define BOX_RST_CTRL	BIT(0)
#define BOX_RST_CTRS	BIT(1)
#define BOX_FRZ		BIT(8)

static u64 *reg_place(struct fake_window *win, u32 reg)
{
	u32 i;

	for (i = 0; i < win->nr; i++)
		if (win->regs[i].reg == reg)
			return &win->regs[i].val;
	if (WARN_ON(win->nr == FAKE_REGS))
		return &win->regs[0].val;
	win->regs[win->nr].reg = reg;
	win->regs[win->nr].val = 0;
	return &win->regs[win->nr++].val;
}

u64 fake_peek(struct fake_window *win, u32 reg)
{
	unsigned long flags;
	u64 val;

	raw_spin_lock_irqsave(&win->bus->lock, flags);
	val = *reg_place(win, reg);
	raw_spin_unlock_irqrestore(&win->bus->lock, flags);
	return val;
}

void fake_poke(struct fake_window *win, u32 reg, u64 val)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&win->bus->lock, flags);
	*reg_place(win, reg) = val;
	raw_spin_unlock_irqrestore(&win->bus->lock, flags);
}

static void box_control(struct fake_window *win, u64 val)
{
	u32 i;

	if (win->faults && (val & win->absent))
		return;
	val &= ~(u64)win->absent;
	if (win->type->words && !win->type->words->reach) {	/* the type has no reset bits */
		*reg_place(win, win->layout->box_ctl) = val;
		return;
	}
	for (i = 0; i < win->type->nr_gp; i++) {
		if (val & BOX_RST_CTRL)
			*reg_place(win, win->layout->ctl[i]) = 0;
		if (val & BOX_RST_CTRS)
			*reg_place(win, win->layout->ctr[i]) = 0;
	}
	*reg_place(win, win->layout->box_ctl) = val & ~(u64)(BOX_RST_CTRL | BOX_RST_CTRS);
}

static void global_control(struct fake_window *win, u64 val)
{
	if (win->global->level) {	/* level-triggered: the bit is the state and reads back */
		win->frozen = win->global->run_level ? !(val & win->global->unfreeze) :
						       val & win->global->freeze;
		*reg_place(win, win->global->ctl) = val;
		return;
	}
	if (val & win->global->unfreeze && !win->stuck) {
		win->frozen = false;
		if (win->bus->clocked)
			win->bus->clocked->halted = false;
	}
	if (val & win->global->freeze)
		win->frozen = true;
	*reg_place(win, win->global->ctl) = val & ~(win->global->freeze | win->global->unfreeze);
}

static bool is_status(const struct ucore_global *global, u32 reg)
{
	u32 i;

	for (i = 0; i < global->nr_status; i++)
		if (reg == global->status + i * global->status_stride)
			return true;
	return false;
}

/* Emulate the reset bit in a counter's control: clears the counter and reads 0. */
static bool counter_control(struct fake_window *win, u32 reg, u64 val)
{
	u32 i;

	for (i = 0; i < win->type->nr_gp; i++) {
		if (reg != win->layout->ctl[i] || !(val & win->type->ctl_rst))
			continue;
		*reg_place(win, reg) = val & ~(u64)win->type->ctl_rst;
		*reg_place(win, win->layout->ctr[i]) = 0;
		return true;
	}
	for (i = 0; i < win->type->nr_fixed; i++) {
		if (reg != win->layout->fixed_ctl[i] || !(val & win->type->fixed_rst))
			continue;
		*reg_place(win, reg) = val & ~(u64)win->type->fixed_rst;
		*reg_place(win, win->layout->fixed_ctr[i]) = 0;
		return true;
	}
	return false;
}

static bool is_counter(const struct fake_window *win, u32 reg)
{
	u32 i;

	for (i = 0; i < win->type->nr_gp; i++)
		if (reg == win->layout->ctr[i])
			return true;
	return win->type->nr_fixed && reg == win->layout->fixed_ctr[0];
}

static bool is_control(const struct fake_window *win, u32 reg)
{
	u32 i;

	for (i = 0; i < win->type->nr_gp; i++)
		if (reg == win->layout->ctl[i])
			return true;
	return win->type->nr_fixed && reg == win->layout->fixed_ctl[0];
}

/* Let counter @i overflow, which has just wrapped. */
static void counter_overflow(struct fake_window *win, u32 i)
{
	if (!(*reg_place(win, win->layout->ctl[i]) & win->type->ctl_ov_en) ||
	    win->overflow == FAKE_OVERFLOW_IGNORED)
		return;
	*reg_place(win, win->layout->status) |= win->ov_status;
	if (win->ov_sets)
		*reg_place(win->die, win->die->global->status) |= win->ov_sets;
	win->halted = win->overflow == FAKE_OVERFLOW_FREEZES_BOX;
	win->die->stuck |= win->overflow == FAKE_OVERFLOW_STICKS;
	win->die->frozen |= win->overflow == FAKE_OVERFLOW_FREEZES || win->die->stuck;
	if (win->die->frozen && win->die->global->run_level)
		*reg_place(win->die, win->die->global->ctl) &= ~win->die->global->unfreeze;
}

/* Advance counter @i by some clocks. A counter of a box with overflows has a limited width. */
static void counter_tick(struct fake_window *win, u32 i, u32 clocks)
{
	u64 *ctr = reg_place(win, win->layout->ctr[i]);

	*ctr += clocks;
	if (!win->ov_status || !(*ctr >> win->type->width))
		return;
	*ctr &= GENMASK_ULL(win->type->width - 1, 0);
	counter_overflow(win, i);
}

/* Return the freeze bit of the box control: bit 0 of a type without reset bits. */
static u64 freeze_bit(const struct fake_window *win)
{
	const struct ucore_box_words *words = win->type->words;

	return words && !words->reach ? words->freeze : BOX_FRZ;
}

/* Advance all enabled counters. The selected event is ignored, unless it is the only enable. */
static void clock_tick(struct fake_window *win)
{
	u32 clocks = win->bus->clocks ?: 1;
	const struct ucore_layout *layout = win->layout;
	u64 frozen = layout->box_ctl == UCORE_REG_NONE || win->ignores_freeze ? 0 :
		     *reg_place(win, layout->box_ctl) & freeze_bit(win);
	u32 enable = win->type->ctl_en ?: 0xff;
	u32 i;

	if (frozen || win->halted || (win->die && win->die->frozen))
		return;
	for (i = 0; i < win->type->nr_gp; i++)
		if (*reg_place(win, layout->ctl[i]) & enable)
			counter_tick(win, i, clocks);
	if (win->type->nr_fixed)
		*reg_place(win, layout->fixed_ctr[0]) +=
			*reg_place(win, layout->fixed_ctl[0]) & win->type->fixed_en ? clocks : 0;
}

/* Write the status, or the other register that may clear it. */
static void status_write(struct fake_window *win, u32 reg, u64 val)
{
	u64 *status = reg_place(win, reg == win->global->clear_other ? win->global->status : reg);
	bool other = reg == win->global->clear_other;

	if (win->clears == FAKE_CLEARED_BY_ZERO && !other && !val)
		*status = 0;
	else if (win->clears == (other ? FAKE_CLEARED_BY_OTHER : FAKE_CLEARED_BY_ONES))
		*status &= ~val;
}

static void reg_write(struct fake_window *win, u32 reg, u64 val)
{
	const struct ucore_layout *layout = win->layout;

	if (win->width && is_counter(win, reg))
		val &= GENMASK_ULL(win->width - 1, 0);
	if (win->drops_values && is_counter(win, reg))
		val = 0;
	if (win->ctl_absent && is_control(win, reg))
		val &= ~win->ctl_absent;

	if (win->dead || (val & win->reserved))
		return;
	if (win->global && reg == win->global->ctl)
		global_control(win, val);
	else if (win->global && win->global->clear && reg == win->global->clear)
		*reg_place(win, win->global->status) &= ~val;
	else if (win->global && (is_status(win->global, reg) ||
				 (win->global->clear_other && reg == win->global->clear_other)))
		status_write(win, reg, val);
	else if (layout && reg == layout->status)
		*reg_place(win, reg) &= ~val;
	else if (layout && reg == layout->box_ctl)
		box_control(win, val);
	else if (!layout || !counter_control(win, reg, val))
		*reg_place(win, reg) = val;
	if (win->ov_try_sets && is_control(win, reg) && val & win->type->ctl_ov_try &&
	    val & win->type->ctl_en)
		*reg_place(win->die, win->die->global->status) |= win->ov_try_sets;
}

static void access_log(struct fake_window *win, char op, u32 reg, u64 val)
{
	struct fake_bus *bus = win->bus;

	if (bus->nr < FAKE_LOG)
		bus->log[bus->nr] = (struct fake_access){ win, op, reg, val,
							  raw_smp_processor_id() };
	bus->nr++;
	/* first, because an overflow of the other window freezes both */
	if (bus->clocked_too)
		clock_tick(bus->clocked_too);
	if (bus->clocked)
		clock_tick(bus->clocked);
	if (win->dies_after && !--win->dies_after)
		win->dead = true;
}

static u64 bus_read(const struct ucore_io *io, u32 reg)
{
	struct fake_window *win = io->priv;
	unsigned long flags;
	u64 val;

	if (win->bus->hook)
		win->bus->hook();
	io->tally->reads++;
	raw_spin_lock_irqsave(&win->bus->lock, flags);
	val = win->dead || win->ones_left ? UCORE_REG_DEAD : *reg_place(win, reg);
	if (win->write_only && reg == win->layout->box_ctl)
		val = 0;
	win->ones_left -= !!win->ones_left;
	access_log(win, 'R', reg, val);
	raw_spin_unlock_irqrestore(&win->bus->lock, flags);
	return val;
}

static void bus_write(const struct ucore_io *io, u32 reg, u64 val)
{
	struct fake_window *win = io->priv;
	unsigned long flags;

	io->tally->writes++;
	raw_spin_lock_irqsave(&win->bus->lock, flags);
	access_log(win, 'W', reg, val);
	reg_write(win, reg, val);
	raw_spin_unlock_irqrestore(&win->bus->lock, flags);
}

/* Addresses are index + 1 in this list. No test uses as many registers as there are entries. */
static struct fake_address {
	const struct ucore_io *io;
	u32 reg;
} addresses[4096];

static unsigned long fake_address(const struct ucore_io *io, u32 reg)
{
	u32 i;

	for (i = 0; i < ARRAY_SIZE(addresses) && addresses[i].io; i++)
		if (addresses[i].io == io && addresses[i].reg == reg)
			return i + 1;
	if (WARN_ON(i == ARRAY_SIZE(addresses)))
		return 1;
	addresses[i] = (struct fake_address){ io, reg };
	return i + 1;
}

/* Use a private tally, because the caller counts these accesses itself. */
static u64 read_at(unsigned long address, bool low)
{
	const struct fake_address *at = &addresses[address - 1];
	struct ucore_tally tally;
	struct ucore_io io = *at->io;

	io.tally = &tally;
	return low ? (u32)bus_read(&io, at->reg) : io.ops->read64(&io, at->reg);
}

static void fake_read_many(const unsigned long *address, u64 *val, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		val[i] = read_at(address[i], false);
}

static void fake_read_many_low(const unsigned long *address, u64 *val, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		val[i] = read_at(address[i], true);
}

static u64 msr_read_low(const struct ucore_io *io, u32 reg)
{
	u64 val = bus_read(io, reg);

	return val == UCORE_REG_DEAD ? val : (u32)val;
}

const struct ucore_io_ops fake_msr_ops = {
	.access = UCORE_ACCESS_MSR,
	.counter_cost = 1,
	.read = bus_read,
	.write = bus_write,
	.read64 = bus_read,
	.address = fake_address,
	.read_many = fake_read_many,
	.read_running = bus_read,
	.read_low = msr_read_low,
	.write64 = bus_write,
};

/* Control registers are 32 bits wide: drop the upper half. */
static void mmio_write(const struct ucore_io *io, u32 reg, u64 val)
{
	bus_write(io, reg, (u32)val);
}

const struct ucore_io_ops fake_mmio_ops = {
	.access = UCORE_ACCESS_MMIO,
	.counter_cost = 1,
	.read = bus_read,
	.write = mmio_write,
	.read64 = bus_read,
	.address = fake_address,
	.read_many = fake_read_many,
	.read_running = bus_read,
	.read_low = msr_read_low,
	.write64 = bus_write,
};

/* Log the access to a counter's high dword. The low register holds the whole value. */
static void high_half(const struct ucore_io *io, u32 reg, char op)
{
	struct fake_window *win = io->priv;
	unsigned long flags;

	*(op == 'R' ? &io->tally->reads : &io->tally->writes) += 1;
	raw_spin_lock_irqsave(&win->bus->lock, flags);
	access_log(win, op, reg + 4, 0);
	raw_spin_unlock_irqrestore(&win->bus->lock, flags);
}

static u64 pci_read64(const struct ucore_io *io, u32 reg)
{
	u64 val = bus_read(io, reg);

	high_half(io, reg, 'R');
	return val;
}

static u64 pci_read_running(const struct ucore_io *io, u32 reg)
{
	u64 val;

	high_half(io, reg, 'R');
	val = bus_read(io, reg);
	high_half(io, reg, 'R');
	return val;
}

static u64 pci_read_low(const struct ucore_io *io, u32 reg)
{
	u64 val = bus_read(io, reg);

	if ((u32)val == ~0U)
		high_half(io, reg, 'R');
	return val == UCORE_REG_DEAD ? val : (u32)val;
}

static void pci_write64(const struct ucore_io *io, u32 reg, u64 val)
{
	high_half(io, reg, 'W');
	bus_write(io, reg, val);
}

const struct ucore_io_ops fake_pci_ops = {
	.access = UCORE_ACCESS_ECAM,
	.counter_cost = 2,
	.read = bus_read,
	.write = bus_write,
	.read64 = pci_read64,
	.address = fake_address,
	.read_many = fake_read_many,
	.read_many_low = fake_read_many_low,
	.read_running = pci_read_running,
	.read_low = pci_read_low,
	.write64 = pci_write64,
};

void fake_bus_clear(struct fake_bus *bus)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&bus->lock, flags);
	bus->nr = 0;
	raw_spin_unlock_irqrestore(&bus->lock, flags);
}

/**
 * fake_bus_count() - count the logged accesses
 * @bus: the bus
 * @win: count accesses of this window only, or of all windows if NULL
 * @op: 'R', 'W', or 0 for both
 *
 * Return: number of accesses.
 */
u32 fake_bus_count(struct fake_bus *bus, const struct fake_window *win, char op)
{
	u32 i, n = 0;

	for (i = 0; i < min_t(u32, bus->nr, FAKE_LOG); i++)
		if ((!win || bus->log[i].win == win) && (!op || bus->log[i].op == op))
			n++;
	return n;
}

/**
 * fake_bus_count_cpu() - count the logged reads of one CPU
 * @bus: the bus
 * @cpu: the CPU
 *
 * Return: number of reads.
 */
u32 fake_bus_count_cpu(struct fake_bus *bus, u32 cpu)
{
	u32 i, n = 0;

	for (i = 0; i < min_t(u32, bus->nr, FAKE_LOG); i++)
		n += bus->log[i].op == 'R' && bus->log[i].cpu == cpu;
	return n;
}

static bool access_same(const struct fake_access *want, const struct fake_access *got)
{
	return want->win == got->win && want->op == got->op && want->reg == got->reg &&
	       (want->op == 'R' || want->val == got->val);
}

static void access_show(struct kunit *test, const char *what, u32 i,
			const struct fake_access *a)
{
	kunit_info(test, "%s %u: %c %s %#x = %#llx\n", what, i, a->op, a->win->name, a->reg,
		   a->val);
}

/*
 * Accesses to a PCI counter's high dword have no value in the log. The low dword's entry
 * holds it.
 */
void fake_bus_expect(struct kunit *test, struct fake_bus *bus,
		     const struct fake_access *want, u32 nr)
{
	u32 i, got = min_t(u32, bus->nr, FAKE_LOG);

	for (i = 0; i < min(nr, got); i++)
		if (!access_same(&want[i], &bus->log[i]))
			break;
	if (i < nr || i < got) {
		KUNIT_FAIL(test, "accesses differ at %u of %u (%u made)", i, nr, got);
		for (; i < nr; i++)
			access_show(test, "want", i, &want[i]);
		for (i = 0; i < got; i++)
			access_show(test, "made", i, &bus->log[i]);
	}
	fake_bus_clear(bus);
}
