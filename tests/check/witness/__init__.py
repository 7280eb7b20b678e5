# SPDX-License-Identifier: GPL-2.0-only
"""Witnesses of the event tables and metrics: what Intel's files and Linux's files say of them."""
