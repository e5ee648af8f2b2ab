import Router from '@koa/router';
import Koa from 'koa';
import pg from 'pg';
import getRawBody from 'raw-body';

/*
 * The floor that the web process is compared with, in a process of its own: Koa and a router with nothing else, one
 * prepared statement, one transaction. FLOOR_STATEMENTS has statements by name; the rest of the environment is the
 * same.
 */

const { PORT, DATABASE_URL, FLOOR_TENANT = '', FLOOR_STATEMENTS = '{}' } = process.env;
const statements: Record<string, { text: string; values: unknown[] }> = JSON.parse(FLOOR_STATEMENTS);
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 5, options: '-c app.platform=on' });
const router = new Router();

router.get('/hello', (koa) => {
  koa.body = { hello: 'world' };
});

/** A statement that is named, prepared, and its rows as they come. */
router.get('/statements/:name', async (koa) => {
  const { name = '' } = koa.params;
  const { text, values } = statements[name] ?? koa.throw(404);
  koa.body = (await pool.query({ name: `given ${name}`, text, values })).rows;
});

/** The writes of a line that is added to a cart: the same rows, by their keys, without reads. */
router.post('/lines', async (koa) => {
  const { cartId, lineId, variantId } = JSON.parse((await getRawBody(koa.req)).toString());
  await inTransaction(async (client) => {
    await client.query({
      name: 'lock',
      text: 'select id from carts where tenant_id = $1 and id = $2 for update',
      values: [FLOOR_TENANT, cartId],
    });
    await client.query({
      name: 'line',
      text: `insert into cart_lines as known (tenant_id, id, cart_id, variant_id, variant_named, quantity,
          purchase_type, seen_price_cents)
        values ($1, $2, $3, $4, true, 1, 'one_time', 3800)
        on conflict (tenant_id, cart_id, variant_id, purchase_type, subscription_interval) do update
          set quantity = known.quantity + 1`,
      values: [FLOOR_TENANT, lineId, cartId, variantId],
    });
    await client.query({
      name: 'cart',
      text: 'update carts set version = version + 1, updated_at = now() where tenant_id = $1 and id = $2',
      values: [FLOOR_TENANT, cartId],
    });
  });
  koa.status = 201;
  koa.body = { ok: true };
});

/** An event as it comes, inserted and committed. */
router.post('/events', async (koa) => {
  const { id, type, created, data } = JSON.parse((await getRawBody(koa.req)).toString());
  await inTransaction(async (client) => {
    await client.query({
      name: 'event',
      text: `insert into payment_events (tenant_id, id, type, subject, object_id, source, state, occurred_at,
          received_at)
        values ($1, $2, $3, 'session', $4, 'webhook', 'pending', to_timestamp($5), now()) on conflict do nothing`,
      values: [FLOOR_TENANT, id, type, data.object.id, created],
    });
  });
  koa.body = { received: true };
});

async function inTransaction(work: (client: pg.PoolClient) => Promise<void>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    await work(client);
    await client.query('commit');
  } catch (error) {
    await client.query('rollback');
    throw error;
  } finally {
    client.release();
  }
}

new Koa().use(router.routes()).listen(Number(PORT), '127.0.0.1', () => console.log('"listening"'));
