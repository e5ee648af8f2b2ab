import { randomInt } from 'node:crypto';
import test from 'ava';
import pg from 'pg';
import { runChaos } from './run-chaos.ts';

const one = `id = (select id from orders where paid_at is not null and payment_status = 'paid' order by id limit 1)`;

/** What would be lost or done twice, how it is undone, and the invariant that must notice. */
const harms: readonly (readonly [harm: string, undo: string, expected: RegExp])[] = [
  [
    `update orders set total_cents = total_cents + 1 where ${one}`,
    `update orders set total_cents = total_cents - 1 where ${one}`,
    /the provider collected the total/,
  ],
  [
    `update orders set refunded_cents = refunded_cents + 1 where ${one}`,
    `update orders set refunded_cents = refunded_cents - 1 where ${one}`,
    /cents of ord_\w+ are refunded/,
  ],
  [
    `update variants set stock = stock + 1 where stock is not null`,
    `update variants set stock = stock - 1 where stock is not null`,
    /a variant has what the owner stocked/,
  ],
  [
    `update variants set stock_held = stock_held + 1 where stock is not null`,
    `update variants set stock_held = stock_held - 1 where stock is not null`,
    /a variant has what the owner stocked/,
  ],
  [
    `update gift_cards set balance_cents = balance_cents + 1`,
    `update gift_cards set balance_cents = balance_cents - 1`,
    /a gift card has what it was issued with/,
  ],
  [`update promo_codes set used = used + 1`, `update promo_codes set used = used - 1`, /a promo code was used/],
  [
    `update labels set state = 'rate_chosen' where state = 'purchased'`,
    `update labels set state = 'purchased' where state = 'rate_chosen' and purchase_id is not null`,
    /has 0 of 1 labels/,
  ],
  [
    `update events set type = 'webhook.test' where type = 'order.paid'`,
    `update events set type = 'order.paid' where type = 'webhook.test'`,
    /has 0 order.paid/,
  ],
  [
    `update mails set message_id = message_id || '.' where kind = 'receipt'`,
    `update mails set message_id = rtrim(message_id, '.') where kind = 'receipt'`,
    /receipt mail_\w+ is sent and did not arrive/,
  ],
  [
    `update analytics_events set order_id = order_id || '.' where type = 'order_paid'`,
    `update analytics_events set order_id = rtrim(order_id, '.') where type = 'order_paid'`,
    /0 of 1 events of ord_\w+ are counted/,
  ],
  [
    `update outbox set finished_at = null, failed_at = now(), failure = 'lost' where job = 'labels.purchase-label'`,
    `update outbox set finished_at = now(), failed_at = null, failure = null where job = 'labels.purchase-label'`,
    /of labels.purchase-label are not completed: lost/,
  ],
];

test('runChaos with killed processes and failing providers loses nothing and repeats no effect', async (t) => {
  t.timeout(240_000);
  const seed = randomInt(2 ** 31);
  // Half of the runs, since requests with a key continue an order, and those without begin another.
  const withKeys = seed % 2 === 0;
  t.log(`npm run chaos -- --orders 24 --every 1000 --seed ${seed}`, { withKeys });
  const breaches = await runChaos({
    seed,
    orders: 24,
    everyMs: 1000,
    webhooks: { drop: 0.3, duplicate: 0.3, shuffle: true },
    resolveMs: 120_000,
    withKeys,
    neighbour: 0,
    report: (line) => t.log(line),
    async inspect(stack, findBreaches) {
      const client = new pg.Client({ connectionString: stack.databaseUrl, options: '-c app.platform=on' });
      await client.connect();
      try {
        for (const [harm, undo, expected] of harms) {
          const { rowCount } = await client.query(harm);
          t.true((rowCount ?? 0) > 0, harm);
          t.regex((await findBreaches()).join('\n'), expected, harm);
          await client.query(undo);
          t.notRegex((await findBreaches()).join('\n'), expected, undo);
        }
      } finally {
        await client.end();
      }
    },
  });
  t.deepEqual(breaches, []);
});
