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
        const funnel = await waitFor('the funnel', async () => {
          const { body } = await ask('GET', '/admin/analytics/funnel', { key: 'secret' });
          return body.steps.some(({ sessions }: any) => sessions > 0) && body;
        });
        const viewed = funnel.steps.find(({ step }: any) => step === 'viewed').sessions;
        const paid = funnel.steps.find(({ step }: any) => step === 'paid').sessions;
        check(viewed === 2, 'two sessions viewed a product, counted once');
        check(paid >= 1, `${paid} paid, which comes from the ledger`);
      },
    },
  ];
}
