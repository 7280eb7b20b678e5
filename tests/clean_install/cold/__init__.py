# SPDX-License-Identifier: GPL-2.0-only
"""`make fresh`: installation on minimal Debians with an empty cache."""
