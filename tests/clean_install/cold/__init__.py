# SPDX-License-Identifier: GPL-2.0-only
"""The same with nothing cached: `make fresh`."""
