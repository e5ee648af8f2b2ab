import { randomInt } from 'node:crypto';
import test from 'ava';
import pg from 'pg';
import type { WebhookEvent } from '#src/client/src/index.ts';
import { runChaos } from './run-chaos.ts';

const one = `id = (select id from orders where paid_at is not null and payment_status = 'paid' order by id limit 1)`;

/** One more row, with other values. */
const copyOf = (table: string, values: string): string =>
  `insert into ${table} select (jsonb_populate_record(row, '${values}')).* from ${table} as row limit 1`;

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
    `update orders set email = '.' || email where ${one}`,
    `update orders set email = ltrim(email, '.')`,
    /who paid, is paid by \.shopper/,
  ],
  [
    `update labels set state = 'rate_chosen' where state = 'purchased'`,
    `update labels set state = 'purchased' where state = 'rate_chosen' and purchase_id is not null`,
    /has 0 of 1 labels/,
  ],
  [
    copyOf('labels', `{"id": "lab_second", "state": "voided", "purchase_id": null}`),
    `delete from labels where id = 'lab_second'`,
    /has 2 labels/,
  ],
  [
    `update labels set purchase_id = purchase_id || '.'`,
    `update labels set purchase_id = rtrim(purchase_id, '.')`,
    /is active and belongs to no order\nlabel \w+\. is not active at the provider/,
  ],
  [
    `update labels set amount_cents = amount_cents + 1`,
    `update labels set amount_cents = amount_cents - 1`,
    /of label_costs, and the carrier/,
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
    `update mails set recipient = '.' || recipient where kind = 'receipt'`,
    `update mails set recipient = ltrim(recipient, '.')`,
    /has 0 receipts\n(.*\n)*receipt mail_\w+ is sent and did not arrive/,
  ],
  [
    `insert into mails select (jsonb_populate_record(row, jsonb_build_object('id', 'mail_' || number,
        'kind', 'abandoned_cart', 'subject_id', 'a cart', 'data', '{"step": 1}'::jsonb))).*
      from mails as row, generate_series(1, 2) as number where row.id = (select min(id) from mails)`,
    `delete from mails where subject_id = 'a cart'`,
    /step a cart 1 was emailed 2 times/,
  ],
  [
    `update mails set state = 'failed' where kind = 'receipt'`,
    `update mails set state = 'sent' where state = 'failed'`,
    /of the emails are not completed/,
  ],
  [
    `update webhook_deliveries set state = 'failed' where state = 'delivered'`,
    `update webhook_deliveries set state = 'delivered' where state = 'failed'`,
    /of the deliveries are not completed/,
  ],
  [
    `insert into sign_in_links (tenant_id, id, email, token_hash, secret_number, expires_at, used_at, created_at)
      select tenant_id, 'link', email, '', 1, now(), now(), now() from customers limit 1`,
    `delete from sign_in_links where id = 'link'`,
    /has (\d) sessions of (?!\1)\d links/,
  ],
  [
    `update mails set recipient = '.' || recipient where kind = 'magic_link'`,
    `update mails set recipient = ltrim(recipient, '.') where kind = 'magic_link'`,
    /visit-\d+ requested a link for \S+, who was not emailed one/,
  ],
  [
    `update analytics_events set order_id = order_id || '.' where type = 'order_paid'`,
    `update analytics_events set order_id = rtrim(order_id, '.') where type = 'order_paid'`,
    /0 of 1 events of ord_\w+ are counted/,
  ],
  [
    `update analytics_events set session_id = '.' || session_id`,
    `update analytics_events set session_id = ltrim(session_id, '.')`,
    /3 of 0 events of \.visit-1 are counted/,
  ],
  [
    `update analytics_hours set events = events + 1`,
    `update analytics_hours set events = events - 1`,
    /of (\d+) events, (?!\1 )\d+ are in the hours and \1 in the days/,
  ],
  [
    `update analytics_days set revenue_cents = revenue_cents + 1`,
    `update analytics_days set revenue_cents = revenue_cents - 1`,
    /of (\d+) cents of revenue, \1 are in the hours and (?!\1$)\d+ in the days/m,
  ],
  [
    `insert into analytics_quarantine select tenant_id, 'batch', now(), 'client', false, null, 1, '[]', 'lost', now()
      from orders limit 1`,
    `delete from analytics_quarantine`,
    /1 of the batches of analytics are not completed: lost/,
  ],
  [
    `update outbox set finished_at = null, failed_at = now(), failure = 'lost' where job = 'labels.purchase-label'`,
    `update outbox set finished_at = now(), failed_at = null, failure = null where job = 'labels.purchase-label'`,
    /of labels.purchase-label are not completed: lost/,
  ],
  [
    `update outbox set finished_at = null, failed_at = now(), failure = 'lost'
      where id = (select id from outbox where finished_at is not null and job like '%.sweep-%' limit 1)`,
    `update outbox set finished_at = now(), failed_at = null, failure = null where failed_at is not null`,
    /1 of \w+\.sweep-[\w-]+ are not completed: lost/,
  ],
];

test('runChaos with killed processes and failing providers loses nothing and repeats no effect', async (t) => {
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
    async inspect(stack, receiver, findBreaches) {
      const client = new pg.Client({ connectionString: stack.databaseUrl, options: '-c app.platform=on' });
      await client.connect();
      try {
        // They would act on what is harmed, such as refund a label that belongs to no order.
        const workers = [...stack.processes].filter(([name]) => name !== 'web');
        await Promise.all(workers.map(([, worker]) => worker.stop()));
        await client.query(`update outbox set due_at = due_at + interval '1 day' where finished_at is null`);
        for (const [harm, undo, expected] of harms) {
          const { rowCount } = await client.query(harm);
          t.true((rowCount ?? 0) > 0, harm);
          t.regex((await findBreaches()).join('\n'), expected, harm);
          await client.query(undo);
        }
        t.deepEqual(await findBreaches(), [], 'each harm is undone');
      } finally {
        await client.end();
      }
      const received = receiver.events as WebhookEvent[];
      const events = received.splice(0);
      const stale = events.map((event) => structuredClone(event));
      for (const { data } of stale) Object.assign(data.object, { payment_status: 'unpaid' });
      for (const [damaged, expected] of [
        [[], /order\.paid evt_\w+ was not received/],
        [stale, /the newest state received of ord_\w+ is older than its order\.paid/],
        [[...events, ...stale], /ord_\w+ in version \d+ has two states/],
      ] as const) {
        received.splice(0, Infinity, ...damaged);
        t.regex((await findBreaches()).join('\n'), expected);
      }
    },
  });
  t.deepEqual(breaches, []);
});
