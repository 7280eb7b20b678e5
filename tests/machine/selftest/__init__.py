# SPDX-License-Identifier: GPL-2.0-only
"""What the runner must notice."""
