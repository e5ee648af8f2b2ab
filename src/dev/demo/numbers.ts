import { randomUUID } from 'node:crypto';

import { type Step, waitFor } from './journey.ts';

/** What the owner is told of how many came how far. */
export function numbers(): readonly Step[] {
  return [
    {
      title: 'The funnel counts what happened',
      async run({ ask, check }) {
        const [one, two] = [randomUUID(), randomUUID()];
        const events = [
          { event_id: randomUUID(), type: 'product_viewed', session_id: one, product_slug: 'oak-bowl' },
          { event_id: randomUUID(), type: 'cart_item_added', session_id: one, product_slug: 'oak-bowl' },
          { event_id: randomUUID(), type: 'product_viewed', session_id: two, product_slug: 'oak-bowl' },
        ];
        const sent = await ask('POST', '/analytics/events', { body: { events } });
        await ask('POST', '/analytics/events', { body: { events } });
        check(sent.body.accepted === 3, 'three events are accepted, and sent a second time');
        const sessionsAt = await waitFor('the funnel', async () => {
          const { body } = await ask('GET', '/admin/analytics/funnel', { key: 'secret' });
          const counted = new Map<string, number>(body.steps.map(({ step, sessions }: any) => [step, sessions]));
          return (counted.get('viewed') ?? 0) > 0 && counted;
        });
        const paid = sessionsAt.get('paid') ?? 0;
        check(sessionsAt.get('viewed') === 2, 'two sessions viewed a product, counted once');
        check(paid >= 1, `${paid} paid, which comes from the ledger`);
      },
    },
  ];
}
