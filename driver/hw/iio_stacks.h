/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * IIO stacks of Sapphire Rapids to Grand Ridge: PCI root buses, boxes and ports. Speed of QPI and
 * UPI links.
 *
 * Source: Intel PCM, pcm-iio-topology.cpp, utils.cpp and cpucounters.cpp. It is the only source, so
 * that all maps of this file are UNCERTAIN(iio-map). ucore marks the parts that the source itself
 * assumes or contradicts (UCORE_LINK_F_UNVERIFIED, UCORE_PORT_F_UNVERIFIED).
 */
#ifndef UCORE_HW_IIO_STACKS_H
#define UCORE_HW_IIO_STACKS_H

#include <linux/bits.h>

/*
 * Bus table of a package, in config space of a PCI function (MSM). Bit i of the mask marks root bus
 * i as valid. Byte i % 4 of a dword is its number. A function with the mask 0 is a spare.
 */
#define MSM_PCI_TABLE			0x09a6
#define MSM_BUS_MASK			0x1a0
#define MSM_BUS_LOW			0x190	/* root buses 0 to 15 */
#define MSM_BUS_HIGH			0x1c0	/* root buses 16 to 31 */
#define MSM_NR_BUSES			32

/* Package number, in config space of device 0, function 0 of any root bus of an IIO stack */
#define STACK_SAD_CONTROL_CFG		0x3f4
#define STACK_SAD_CONTROL_CFG_PACKAGE	GENMASK(3, 0)
#define STACK_SAD_CONTROL_CFG_ID	GENMASK(6, 4)
#define STACK_PCI			0x09a2	/* Grand Ridge: one for each stack */

/* Die variant of Sapphire Rapids: CAPID4 of device 30, function 3 */
#define SPR_PCI_CAPS			0x325b
#define SPR_PCI_CAPS_SLOT		30
#define SPR_PCI_CAPS_FUNCTION		3
#define SPR_CAPS_CAPID4			0x94
#define SPR_CAPS_CAPID4_CHOP		GENMASK(7, 6)
#define SPR_CHOP_MCC			1
#define SPR_CHOP_XCC			3

/* PCI device ids of accelerators, and of the root ports of Grand Ridge's stack 0 */
#define ACCEL_PCI_DSA			0x0b25
#define ACCEL_PCI_IAX			0x0cfe
#define ACCEL_PCI_HQM			0x2710
#define ACCEL_PCI_QAT			0x4940
#define GRR_PCI_HQM			0x2714

/* PCI device number of port 0 of a PCIe stack, whose ports are consecutive devices */
#define SPR_PORT0_DEVICE		1
#define GNR_PORT0_DEVICE		2
#define DMI_PORT			7

/*
 * Granite Rapids and Sierra Forest: root buses that are no stacks. Two belong to the accelerators
 * of the next lower id (9, 10, 13, 14, 17, 18, 21, 22), and two are buses of the UBox (30, 31).
 */
#define GNR_OTHER_BUSES			(BIT(9) | BIT(10) | BIT(13) | BIT(14) | BIT(17) | \
					 BIT(18) | BIT(21) | BIT(22) | BIT(30) | BIT(31))

/* CPUID models that the source does not map: Granite Rapids-D, Clearwater Forest */
#define GNR_D_MODEL			174
#define CWF_MODEL			221

/*
 * Number of the IIO box of Grand Ridge's stacks, in the order of their ids: stack 0 has the DMI,
 * stack 1 the HQM, stack 2 network and QAT
 */
#define GRR_STACK_OF_SAD		{ 2, 1, 0 }
#define GRR_STACK_DMI			2
#define GRR_NIS_DEVICE			4	/* root port of the network */
#define GRR_QAT_DEVICE			5	/* root port of the QAT */

/*
 * Speed of a UPI link in function 2 of its PCI device. MT/s by value; 0 for values without a
 * meaning. The source does not say whether Emerald Rapids has the register.
 */
#define UPI_SPEED_FUNCTION		2
#define UPI_SPEED			0x2e0
#define SPR_UPI_SPEED_FIELD		GENMASK(2, 0)
#define SPR_UPI_SPEEDS			{ 2500, 12800, 14400, 16000, 20000 }
#define GNR_UPI_SPEED_FIELD		GENMASK(8, 5)
#define GNR_UPI_SPEEDS			{ 2500, 12800, 14400, 16000, 0, 0, 0, 0, 20000, 24000 }

/* Speed of a QPI link in function 0 of its PCI device: value n > 0 stands for 4.0 + 0.8 n GT/s */
#define QPI_SPEED_FUNCTION		0
#define QPI_SPEED			0xd4
#define QPI_SPEED_FIELD			GENMASK(2, 0)
#define QPI_SPEEDS			{ 0, 4800, 5600, 6400, 7200, 8000, 8800, 9600 }

#endif /* UCORE_HW_IIO_STACKS_H */
