# SPDX-License-Identifier: GPL-2.0-only
"""README's commands, and the packages of each test stage, on minimal Debians."""
