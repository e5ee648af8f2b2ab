import { randomUUID } from 'node:crypto';

import type { Body } from '#src/client/src/index.ts';
import { type Step, waitFor } from './journey.ts';

/** How many shoppers reached which step, as the owner sees it. */
export function analytics(): readonly Step[] {
  return [
    {
      title: 'The funnel counts what happened',
      async run({ storefront, admin, check }) {
        const [one, two] = [randomUUID(), randomUUID()];
        const events: Body<'sendAnalyticsEvents'>['events'] = [
          { event_id: randomUUID(), type: 'product_viewed', session_id: one, product_slug: 'oak-bowl' },
          { event_id: randomUUID(), type: 'cart_item_added', session_id: one, product_slug: 'oak-bowl' },
          { event_id: randomUUID(), type: 'product_viewed', session_id: two, product_slug: 'oak-bowl' },
        ];
        const sent = await storefront.sendAnalyticsEvents({ events });
        await storefront.sendAnalyticsEvents({ events });
        check(sent.accepted === 3, 'three events are accepted; the demo sends them twice');
        const sessionsAt = await waitFor('the funnel', async () => {
          const { steps } = await admin.getFunnel();
          const counted = new Map<string, number>(steps.map(({ step, sessions }) => [step, sessions]));
          return (counted.get('viewed') ?? 0) > 0 && counted;
        });
        const paid = sessionsAt.get('paid') ?? 0;
        check(sessionsAt.get('viewed') === 2, 'two sessions viewed a product; the duplicates do not count');
        check(paid >= 1, `${paid} paid, counted from the orders themselves`);
      },
    },
  ];
}
