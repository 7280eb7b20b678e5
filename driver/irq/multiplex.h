/* SPDX-License-Identifier: GPL-2.0-only */
/* Multiplexing: sessions that agree use the counters of a domain in turns. */
#ifndef UCORE_MULTIPLEX_H
#define UCORE_MULTIPLEX_H

struct ucore_domain;
struct ucore_domain_ctx;

void ucore_multiplex_init(struct ucore_domain *domain);

/* Under the domain's lock, on a CPU of the domain: */
void ucore_multiplex_program(struct ucore_domain_ctx *ctx);
void ucore_multiplex_start(struct ucore_domain *domain);
void ucore_multiplex_end(struct ucore_domain_ctx *ctx);

#endif /* UCORE_MULTIPLEX_H */
