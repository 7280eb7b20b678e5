# SPDX-License-Identifier: GPL-2.0-only
"""README's lines, and what each stage of the tests needs, on a minimal Debian 12."""
