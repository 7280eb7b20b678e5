# SPDX-License-Identifier: GPL-2.0-only
"""`make check`: is everything well formed?"""
