# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: static checks of the tree."""
