# SPDX-License-Identifier: GPL-2.0-or-later
# The devices of our qemu-system-x86_64: one machine and what a test guest uses.
CONFIG_Q35=y
CONFIG_PXB=y
CONFIG_PCIE_PORT=y
CONFIG_CXL=y
CONFIG_CXL_MEM_DEVICE=y
CONFIG_ISA_DEBUG=y
CONFIG_VIRTIO_PCI=y
CONFIG_VIRTIO_SERIAL=y
CONFIG_VIRTIO_BLK=y
CONFIG_VIRTIO_RNG=y
# Somebody else's registers, for machines that have them ([machine] extras)
CONFIG_E1000E_PCI_EXPRESS=y
CONFIG_NVME_PCI=y
