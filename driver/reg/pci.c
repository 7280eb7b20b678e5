// SPDX-License-Identifier: GPL-2.0-only
/*
 * Access to PCI config space, memory-mapped (ECAM) where possible. Part of the reg layer.
 *
 * For offsets below 100h in segment 0, pci_read_config_dword() uses the ports CF8h and CFCh.
 * This takes two port accesses under a global lock for each dword. A load from ucore's own
 * mapping of the function's config page takes half the time and no lock. The physical address of
 * the config page comes from the ACPI MCFG table. The mapping is used only if it shows the same
 * config header as the kernel's accessors.
 *
 * Memory and port accesses are legal in hard-irq context. Port accesses are not legal in an
 * NMI, because the interrupted code may hold the lock.
 */
#include <linux/acpi.h>
#include <linux/io.h>
#include <linux/pci.h>

#include "reg/reg.h"
#include "reg/traced.h"
#include "ucore_uapi.h"

#define ECAM_PAGE	4096

/*
 * Offset of the high dword of a counter. A counter consists of two dwords, the low dword at the
 * lower offset, and can change between the reads of the two dwords.
 */
#define HIGH(reg)	((reg) + 4)

/* Number of attempts to read a running counter whose high dword does not change */
#define RUNNING_TRIES	8

static u64 join(u32 lo, u32 hi)
{
	return (u64)hi << 32 | lo;
}

/*
 * Return the address of a register for the tracepoint: segment, bus, device, function and
 * offset, encoded as in ECAM. Accesses by ECAM and by config cycles have the same address.
 */
static u64 traced_address(const struct ucore_io *io, u32 reg)
{
	const struct pci_bus *bus = io->pdev->bus;

	return (u64)pci_domain_nr(io->pdev->bus) << 28 | (u64)bus->number << 20 |
	       io->pdev->devfn << 12 | reg;
}

/* Trace one dword access. Not inlined, because each operation below calls this function. */
static noinline void trace_dword(const struct ucore_io *io, bool write, u32 reg, u32 val)
{
	trace_ucore_reg(io->ops->access, write, traced_address(io, reg), val);
}

static __always_inline u32 ecam_dword(const struct ucore_io *io, u32 reg, bool traced)
{
	u32 val;

	io->tally->reads++;
	val = readl(io->config + reg);
	if (traced)
		trace_dword(io, false, reg, val);
	return val;
}

static __always_inline void ecam_set_dword(const struct ucore_io *io, u32 reg, u32 val,
					   bool traced)
{
	io->tally->writes++;
	writel(val, io->config + reg);
	if (traced)
		trace_dword(io, true, reg, val);
}

static __always_inline u32 conf_dword(const struct ucore_io *io, u32 reg, bool traced)
{
	u32 val;

	io->tally->reads++;
	if (pci_read_config_dword(io->pdev, reg, &val))
		val = ~0U;
	if (traced)
		trace_dword(io, false, reg, val);
	return val;
}

static __always_inline void conf_set_dword(const struct ucore_io *io, u32 reg, u32 val,
					   bool traced)
{
	io->tally->writes++;
	pci_write_config_dword(io->pdev, reg, val);
	if (traced)
		trace_dword(io, true, reg, val);
}

static unsigned long ecam_address_of(const struct ucore_io *io, u32 reg)
{
	return (unsigned long)io->config + reg;
}

static void ecam_read_many(const unsigned long *address, u64 *val, u32 nr)
{
	void __iomem *low;
	u32 i, lo;

	for (i = 0; i < nr; i++) {
		low = (void __iomem *)address[i];
		lo = readl(low);
		val[i] = join(lo, readl(HIGH(low)));
	}
}

static void ecam_read_many_low(const unsigned long *address, u64 *val, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		val[i] = readl((void __iomem *)address[i]);
}

/* No bulk reads by config cycles, because a config cycle takes longer than a bulk read saves. */
#define conf_address_of		NULL
#define conf_read_many		NULL
#define conf_read_many_low	NULL

/*
 * Define the operations (struct ucore_io_ops) of one kind of access: ECAM or config cycles. The
 * kinds differ only in the access to a dword. Each kind has its own functions, so that the read
 * of a counter needs only one indirect call.
 */
#define PCI_OPS(kind, _access)							\
static __always_inline u64							\
kind##_read_do(const struct ucore_io *io, u32 reg, bool traced)			\
{										\
	u32 val = kind##_dword(io, reg, traced);				\
										\
	return val == ~0U ? UCORE_REG_DEAD : val;				\
}										\
										\
static __always_inline void							\
kind##_write_do(const struct ucore_io *io, u32 reg, u64 val, bool traced)	\
{										\
	kind##_set_dword(io, reg, val, traced);					\
}										\
										\
static __always_inline u64							\
kind##_read64_do(const struct ucore_io *io, u32 reg, bool traced)		\
{										\
	u32 lo = kind##_dword(io, reg, traced);					\
										\
	return join(lo, kind##_dword(io, HIGH(reg), traced));			\
}										\
										\
static __always_inline u64							\
kind##_read_running_do(const struct ucore_io *io, u32 reg, bool traced)		\
{										\
	u32 hi = kind##_dword(io, HIGH(reg), traced);				\
	u32 lo, old;								\
	int i;									\
										\
	for (i = 0; i < RUNNING_TRIES; i++) {					\
		old = hi;							\
		lo = kind##_dword(io, reg, traced);				\
		hi = kind##_dword(io, HIGH(reg), traced);			\
		if (hi == old)							\
			break;							\
	}									\
	return join(lo, hi);							\
}										\
										\
static __always_inline u64							\
kind##_read_low_do(const struct ucore_io *io, u32 reg, bool traced)		\
{										\
	u32 lo = kind##_dword(io, reg, traced);					\
										\
	/* a low dword of ~0 is a count, unless the high dword is ~0, too */	\
	if (lo == ~0U && kind##_dword(io, HIGH(reg), traced) == ~0U)		\
		return UCORE_REG_DEAD;						\
	return lo;								\
}										\
										\
static __always_inline void							\
kind##_write64_do(const struct ucore_io *io, u32 reg, u64 val, bool traced)	\
{										\
	kind##_set_dword(io, HIGH(reg), val >> 32, traced);			\
	kind##_set_dword(io, reg, val, traced);					\
}										\
										\
UCORE_READ_OP(kind##_read)							\
UCORE_READ_OP(kind##_read64)							\
UCORE_READ_OP(kind##_read_running)						\
UCORE_READ_OP(kind##_read_low)							\
UCORE_WRITE_OP(kind##_write)							\
UCORE_WRITE_OP(kind##_write64)							\
										\
static const struct ucore_io_ops kind##_ops = {					\
	.access = _access,							\
	.counter_cost = 2,							\
	.read = kind##_read,							\
	.write = kind##_write,							\
	.read64 = kind##_read64,						\
	.address = kind##_address_of,						\
	.read_many = kind##_read_many,						\
	.read_many_low = kind##_read_many_low,					\
	.read_running = kind##_read_running,					\
	.read_low = kind##_read_low,						\
	.write64 = kind##_write64,						\
}

PCI_OPS(ecam, UCORE_ACCESS_ECAM);
PCI_OPS(conf, UCORE_ACCESS_PCI);

/* Return the physical address of a PCI function's config page, 0 if the MCFG table lacks it. */
static phys_addr_t ecam_address(struct pci_dev *pdev)
{
	struct acpi_mcfg_allocation *entry;
	struct acpi_table_header *table;
	u8 bus = pdev->bus->number;
	phys_addr_t addr = 0;
	void *end;

	if (acpi_disabled || ACPI_FAILURE(acpi_get_table(ACPI_SIG_MCFG, 0, &table)))
		return 0;

	entry = (void *)table + sizeof(struct acpi_table_mcfg);
	end = (void *)table + table->length;
	for (; (void *)(entry + 1) <= end; entry++) {
		if (entry->pci_segment == pci_domain_nr(pdev->bus) &&
		    bus >= entry->start_bus_number && bus <= entry->end_bus_number) {
			/*
			 * the base address is that of bus 0, even if the range of the entry
			 * starts at another bus
			 */
			addr = entry->address + ((phys_addr_t)bus << 20) +
			       ((phys_addr_t)pdev->devfn << 12);
			break;
		}
	}
	acpi_put_table(table);
	return addr;
}

/*
 * Return true if reads by ECAM and by config cycles return the same config header. The values
 * are comparable, because the header contains no counters.
 */
static bool ecam_agrees(void __iomem *config, struct pci_dev *pdev)
{
	u32 reg, val;

	for (reg = 0; reg < PCI_STD_HEADER_SIZEOF; reg += 4) {
		if (pci_read_config_dword(pdev, reg, &val))
			return false;
		if (readl(config + reg) != val)
			return false;
	}
	return true;
}

/**
 * ucore_pci_init() - open a window to the config space of a PCI function, by ECAM if possible
 * @io: window to be initialized
 * @pdev: PCI function; the window takes a reference
 */
void ucore_pci_init(struct ucore_io *io, struct pci_dev *pdev)
{
	phys_addr_t addr = ecam_address(pdev);
	void __iomem *config = addr ? ioremap(addr, ECAM_PAGE) : NULL;

	io->pdev = pci_dev_get(pdev);
	if (config && ecam_agrees(config, pdev)) {
		io->config = config;
		io->ops = &ecam_ops;
		return;
	}
	if (config) {
		pci_info(pdev, "ucore: ECAM differs from config cycles, not used\n");
		iounmap(config);
	}
	io->ops = &conf_ops;
}

/**
 * ucore_io_close() - close a register window of any kind
 * @io: register window
 */
void ucore_io_close(struct ucore_io *io)
{
	if (io->ops == &ecam_ops)
		iounmap(io->config);
	if (io->ops == &ucore_mmio_ops || io->ops == &ucore_mmio32_ops)
		iounmap(io->mmio);
	pci_dev_put(io->pdev);
	io->ops = NULL;
	io->pdev = NULL;
}
