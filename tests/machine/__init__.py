# SPDX-License-Identifier: GPL-2.0-only
"""Tests on the emulated machine; ../lab/README.md describes how to write one."""
