import { randomUUID } from 'node:crypto';

import { type Step, waitFor } from './journey.ts';

/** How many shoppers reached which step, as the owner sees it. */
export function analytics(): readonly Step[] {
  return [
    {
      title: 'The funnel counts what happened',
      async run({ call, check }) {
        const [one, two] = [randomUUID(), randomUUID()];
        const events = [
          { event_id: randomUUID(), type: 'product_viewed', session_id: one, product_slug: 'oak-bowl' },
          { event_id: randomUUID(), type: 'cart_item_added', session_id: one, product_slug: 'oak-bowl' },
          { event_id: randomUUID(), type: 'product_viewed', session_id: two, product_slug: 'oak-bowl' },
        ];
        const sent = await call('POST', '/analytics/events', { body: { events } });
        await call('POST', '/analytics/events', { body: { events } });
        check(sent.body.accepted === 3, 'three events are accepted; the demo sends them twice');
        const sessionsAt = await waitFor('the funnel', async () => {
          const { body } = await call('GET', '/admin/analytics/funnel', { key: 'secret' });
          const counted = new Map<string, number>(body.steps.map(({ step, sessions }: any) => [step, sessions]));
          return (counted.get('viewed') ?? 0) > 0 && counted;
        });
        const paid = sessionsAt.get('paid') ?? 0;
        check(sessionsAt.get('viewed') === 2, 'two sessions viewed a product; the duplicates do not count');
        check(paid >= 1, `${paid} paid, counted from the orders themselves`);
      },
    },
  ];
}
