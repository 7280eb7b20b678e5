# SPDX-License-Identifier: GPL-2.0-only
"""The emulated machine. README.md describes the package and its parts."""
