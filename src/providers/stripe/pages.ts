import type Stripe from 'stripe';

import type { PageRequest } from '#src/domain/ports/payment-gateway.ts';

/** The parameters of a page of a list: the time range rounded outwards to whole seconds, and where the page begins. */
export const pageParams = ({ from, to, next }: PageRequest) => ({
  created: { gte: Math.floor(from.getTime() / 1000), lte: Math.ceil(to.getTime() / 1000) },
  limit: 100,
  ...(next && { starting_after: next }),
});

/** Where the next page begins; null after the last one. */
export const nextOf = ({ data, has_more: hasMore }: Stripe.ApiList<{ readonly id?: string }>): string | null =>
  hasMore ? (data.at(-1)?.id ?? null) : null;
