# SPDX-License-Identifier: GPL-2.0-only
"""`make fresh`: installation on a minimal Debian 12 with an empty cache."""
