import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { sendMail } from '#jobs/emails.ts';
import { readOptions } from '#src/cli/lib/script-options.ts';
import { readConfig } from '#src/config.ts';
import { transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { createEndpoint, removeEndpoint } from '#src/domain/webhooks/index.ts';
import { newId } from '#src/lib/ids.ts';
import { silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { createServices } from '#src/services.ts';
import { fillOutbox } from '#test/support/fill-outbox.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';
import { percentile } from './lib/numbers.ts';
import { openOrderFixture } from './lib/order-fixture.ts';

/*
 * What a store feels of another one that has a great many jobs due: orders are bought one by one in the first, through
 * real processes, quiet and while each kind of flood is being worked off.
 */

const {
  due,
  hanging,
  orders: count,
} = readOptions(
  'How long a label and the delivery of order.paid take while another store has many jobs due.',
  'npm run bench -- neighbours',
  {
    due: { default: 100_000, description: 'Jobs of each kind that are due in the other store.' },
    hanging: { default: 10_000, description: 'Deliveries that are due at an endpoint that hangs.' },
    orders: { default: 20, description: 'Orders to buy, quiet and beside each flood.' },
  },
  '5000 1000 5',
);
const warmUp = 10;
const deadlineMs = 180_000;

const fixture = await openOrderFixture(['worker']);
const services = await createServices(readConfig(fixture.environment), 'bench', { log: silentLog });
const receiver = spawn(process.execPath, [fileURLToPath(new URL('./lib/webhook-receiver.ts', import.meta.url))], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [port] = await once(receiver.stdout, 'data');
const other: Context = { ...services.context(), tenant: await buildTenant(services) };

try {
  await buyOneByOne(warmUp);
  await fixture.settled();
  const quiet = await buyOneByOne(count);
  await fixture.settled();
  console.log(`nothing else: ${describe(quiet)}`);

  await beside(`${due} due fan-outs`, quiet, () => events('/quick', due));
  await beside(`${due} due emails`, quiet, () => emails(due));
  await beside(`${hanging} deliveries due at an endpoint that hangs`, quiet, () => events('/hang', hanging));
} finally {
  receiver.kill();
  await services.close();
  await fixture.close();
}

interface Felt {
  readonly label: readonly number[];
  readonly delivered: readonly number[];
}

/** Measure beside a flood, which is ended afterwards. */
async function beside(name: string, quiet: Felt, flood: () => Promise<() => Promise<void>>): Promise<void> {
  const end = await flood();
  const [first, ...rest] = await buyOneByOne(count).then(({ label, delivered }) =>
    label.map((value, index) => ({ label: value, delivered: delivered[index] ?? Infinity })),
  );
  const left = await services.execute<{ due: number; relayed: number }>(sql`
    select count(*) filter (where relays = 0)::int as due, count(*) filter (where relays > 0)::int as relayed
    from outbox where tenant_id = ${other.tenant.id} and next_relay_at is not null`);
  const felt = { label: rest.map(({ label }) => label), delivered: rest.map(({ delivered }) => delivered) };
  const ratio = (kind: keyof Felt) => (percentile(felt[kind], 0.95) / percentile(quiet[kind], 0.95)).toFixed(2);
  console.log(`${name}: ${describe(felt)}`);
  console.log(
    `  p95 against quiet: label ${ratio('label')} ×, order.paid ${ratio('delivered')} × (aim 1.5 ×); the first order: label ${format(first?.label)}, order.paid ${format(first?.delivered)}`,
  );
  console.log(`  jobs left: ${left[0]?.due} as rows, ${left[0]?.relayed} in the queues`);
  await services.execute(sql`delete from outbox where tenant_id = ${other.tenant.id}`);
  await end();
  await fixture.settled();
}

/** Each order is bought when the label of the last one is purchased and its event is delivered. */
async function buyOneByOne(times: number): Promise<Felt> {
  const felt: { label: number; delivered: number }[] = [];
  for (let order = 0; order < times; order += 1) {
    const since = new Date();
    await fixture.buy();
    felt.push(
      await until(
        async () => {
          const [followed] = await fixture.followedAfterMs(since);
          const { label = null, delivered = null } = followed ?? {};
          return label !== null && delivered !== null ? { label, delivered } : undefined;
        },
        { withinMs: deadlineMs, everyMs: 25, what: 'the label and the delivery of an order' },
      ),
    );
  }
  return { label: felt.map(({ label }) => label), delivered: felt.map(({ delivered }) => delivered) };
}

/** Events that are due to be sent to one endpoint of the other store. */
async function events(path: string, many: number): Promise<() => Promise<void>> {
  const url = `http://127.0.0.1:${Number(String(port))}${path}`;
  const { id } = (await createEndpoint(other, { url, events: ['order.paid'] })).endpoint;
  const prefix = newId('evt');
  await transact(other, ({ tx, tenant, clock }) =>
    tx.execute(sql`
      insert into events (tenant_id, id, type, object_id, created_at)
      select ${tenant.id}, ${prefix} || number, 'webhook.test', ${id}, ${clock.now()}
      from generate_series(1, ${many}::int) number`),
  );
  const payload = sql`jsonb_build_object('eventId', ${prefix}::text || number)`;
  await fillOutbox(services, { store: other.tenant.id, count: many, dueAt: other.clock.now(), payload });
  return () => removeEndpoint(other, { id });
}

/** Emails of the other store that are due to be sent. */
async function emails(many: number): Promise<() => Promise<void>> {
  const prefix = newId('mail');
  const data = JSON.stringify({ url: 'https://erp.example', failing_since: null, disabled: null });
  await transact(other, ({ tx, tenant, clock }) =>
    tx.execute(sql`
      insert into mails (tenant_id, id, kind, recipient, data, subject_id, message_id, state, next_attempt_at,
        created_at, updated_at)
      select ${tenant.id}, ${prefix} || number, 'endpoint_warning', 'owner' || number || '@shop.example',
        ${data}::jsonb, 'whe_1', '<' || ${prefix}::text || number || '@shop.example>', 'queued', ${clock.now()},
        ${clock.now()}, ${clock.now()}
      from generate_series(1, ${many}::int) number`),
  );
  const { queue, name: job } = sendMail;
  const payload = sql`jsonb_build_object('mailId', ${prefix}::text || number, 'attempt', 1)`;
  await fillOutbox(services, { store: other.tenant.id, count: many, dueAt: other.clock.now(), queue, job, payload });
  return async () => undefined;
}

function describe({ label, delivered }: Felt): string {
  return `label p50 ${format(percentile(label, 0.5))} p95 ${format(percentile(label, 0.95))}, order.paid p50 ${format(percentile(delivered, 0.5))} p95 ${format(percentile(delivered, 0.95))}`;
}

function format(milliseconds = 0): string {
  return `${(milliseconds / 1000).toFixed(2)} s`;
}
