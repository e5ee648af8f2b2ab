import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

import { sendMail } from '#jobs/emails.ts';
import { drainEndpoint } from '#jobs/webhooks.ts';
import { readConfig } from '#src/config.ts';
import { transact } from '#src/database/transact.ts';
import { saveProducts } from '#src/domain/catalog/index.ts';
import type { Context } from '#src/domain/context.ts';
import { createEndpoint, removeEndpoint } from '#src/domain/webhooks/index.ts';
import { newId } from '#src/lib/ids.ts';
import { silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { createServices } from '#src/services.ts';
import { stonewareInputs } from '#test/support/factories/catalog.ts';
import { fillOutbox } from '#test/support/fill-outbox.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { until } from '#test/support/until.ts';

/** A store that takes more than its share, in each way that there is. */
export interface MisbehavingStore {
  readonly floods: readonly Flood[];
  /** Its jobs that are not completed, as rows and in the queues. */
  left(): Promise<{ due: number; relayed: number }>;
  /** Remove its jobs and what they were about. */
  clear(): Promise<void>;
  close(): Promise<void>;
}

export interface Flood {
  readonly name: string;
  /** @returns what ends it, beside `clear` */
  begin(): Promise<() => Promise<void>>;
}

export interface FloodSizes {
  /** Jobs of each kind. */
  readonly due: number;
  /** Deliveries at an endpoint that hangs. */
  readonly hanging: number;
  /** Products of its catalogue. */
  readonly products: number;
  /** Connections that search in it without a pause. */
  readonly searching: number;
}

/** @param environment of the processes that it burdens, of which `url` is the web process */
export async function openMisbehavingStore(
  environment: Readonly<Record<string, string>>,
  url: string,
  { due, hanging, products, searching }: FloodSizes,
): Promise<MisbehavingStore> {
  const services = await createServices(readConfig({ ...environment }), 'bench', { log: silentLog });
  const receiver = start('webhook-receiver');
  const [port] = await once(receiver.stdout as NodeJS.ReadableStream, 'data');
  const ctx: Context = { ...services.context(), tenant: await buildTenant(services) };
  const { tenant } = ctx;
  const now = () => ctx.clock.now();
  let catalogue: Promise<void> | undefined;

  /** Deliveries that are due at one endpoint, and jobs that wake it. */
  async function deliver(path: string, many: number, wakes: number): Promise<() => Promise<void>> {
    const target = `http://127.0.0.1:${Number(String(port))}${path}`;
    const { id } = (await createEndpoint(ctx, { url: target, events: ['order.paid'] })).endpoint;
    const prefix = newId('evt').slice(4, -6);
    await transact(ctx, ({ tx }) =>
      tx.execute(sql`
        with event as (
          insert into events (tenant_id, id, type, object_id, created_at)
          select ${tenant.id}, 'evt_' || ${prefix}::text || lpad(number::text, 6, '0'), 'webhook.test', ${id}, ${now()}
          from generate_series(1, ${many}::int) number returning id)
        insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, state, next_attempt_at, created_at)
        select ${tenant.id}, replace(id, 'evt_', 'whd_'), ${id}, id, 'pending', ${now()}, ${now()} from event`),
    );
    const payload = sql`jsonb_build_object('endpointId', ${id}::text, 'causeId', number::text)`;
    await fillOutbox(services, { store: tenant.id, count: wakes, dueAt: now(), job: drainEndpoint.name, payload });
    return () => removeEndpoint(ctx, { id });
  }

  async function email(): Promise<() => Promise<void>> {
    const prefix = newId('mail');
    const data = JSON.stringify({ url: 'https://erp.example', failing_since: null, disabled: null });
    await transact(ctx, ({ tx }) =>
      tx.execute(sql`
        insert into mails (tenant_id, id, kind, recipient, data, subject_id, message_id, state, next_attempt_at,
          created_at, updated_at)
        select ${tenant.id}, ${prefix} || number, 'endpoint_warning', 'owner' || number || '@shop.example',
          ${data}::jsonb, 'whe_1', '<' || ${prefix}::text || number || '@shop.example>', 'queued', ${now()},
          ${now()}, ${now()}
        from generate_series(1, ${due}::int) number`),
    );
    const { queue, name: job } = sendMail;
    const payload = sql`jsonb_build_object('mailId', ${prefix}::text || number, 'attempt', 1)`;
    await fillOutbox(services, { store: tenant.id, count: due, dueAt: now(), queue, job, payload });
    return async () => undefined;
  }

  /** Searches whose words many products have, on many connections. */
  async function search(): Promise<() => Promise<void>> {
    await (catalogue ??= fillCatalogue());
    const shoppers = start('searching-shoppers', url, tenant.slug, String(searching));
    const ended = once(shoppers, 'exit');
    return async () => {
      shoppers.kill();
      await ended;
    };
  }

  async function fillCatalogue(): Promise<void> {
    const inputs = stonewareInputs(products).map((input) => ({ ...input, status: 'published' as const }));
    for (let from = 0; from < inputs.length; from += 250)
      await transact(ctx, (ctx) => saveProducts(ctx, inputs.slice(from, from + 250), {}));
    await until(async () => (await left()).due + (await left()).relayed === 0, {
      withinMs: 600_000,
      everyMs: 200,
      what: 'the products to be indexed',
    });
  }

  async function left() {
    const [open = { due: 0, relayed: 0 }] = await services.execute<{ due: number; relayed: number }>(sql`
      select count(*) filter (where relays = 0)::int as due, count(*) filter (where relays > 0)::int as relayed
      from outbox where tenant_id = ${tenant.id} and next_relay_at is not null`);
    return open;
  }

  return {
    floods: [
      { name: `${due} deliveries and jobs due`, begin: () => deliver('/quick', due, due) },
      { name: `${due} emails due`, begin: email },
      { name: `${hanging} deliveries due at an endpoint that hangs`, begin: () => deliver('/hang', hanging, 8) },
      { name: `${searching} connections that search among ${products} products`, begin: search },
    ].map(({ name, begin }) => ({
      name,
      async begin() {
        const end = await begin();
        // As autovacuum leaves a store that is in use. PostgreSQL takes tables without statistics for small ones.
        await services.execute(sql`analyze outbox, mails, events, webhook_deliveries, search_documents`);
        return end;
      },
    })),
    left,
    async clear() {
      await services.execute(sql`delete from outbox where tenant_id = ${tenant.id}`);
      await transact(ctx, ({ tx }) =>
        tx.execute(sql`
          with deliveries as (delete from webhook_deliveries where tenant_id = ${tenant.id})
          delete from mails where tenant_id = ${tenant.id}`),
      );
    },
    async close() {
      receiver.kill();
      await services.close();
    },
  };
}

const endWithParent = fileURLToPath(new URL('../../../src/dev/stack/end-with-parent.ts', import.meta.url));

/** Start another script of this folder, in a process of its own, which ends when this one does. */
function start(name: string, ...args: string[]) {
  const script = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  return spawn(process.execPath, ['--import', endWithParent, script, ...args], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
}
