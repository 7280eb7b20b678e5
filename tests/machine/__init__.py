# SPDX-License-Identifier: GPL-2.0-only
"""What is tested on the emulated machine; ../lab/README.md tells how to write a test."""
