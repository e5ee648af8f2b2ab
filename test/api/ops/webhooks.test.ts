import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { listDeliveries } from '#src/domain/webhooks/index.ts';
import { sql } from '#src/lib/sql.ts';
import { buildEndpoint, receiverFor, recordTests } from '#test/support/factories/webhooks.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

const page = '/ops/webhooks';

async function post(
  { api }: ApiContext,
  path: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
) {
  return api.call('POST', path, {
    body: new URLSearchParams(fields).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
  });
}

/** An endpoint that failed until its delivery had no attempts left, and the delivery. */
async function givenUp(t: { context: ApiContext; teardown(close: () => Promise<void>): void }) {
  const { ctx, services } = t.context;
  const receiver = await receiverFor(t);
  receiver.behave({ status: 500, body: 'a secret of the receiver' });
  const endpoint = await buildEndpoint(ctx, receiver, { url: `${receiver.url}?token=hush` });
  await recordTests(ctx, endpoint.id);
  await runJobs(services);
  await change(
    ctx,
    sql`
    update webhook_deliveries set state = 'failed', lease_token = null, next_attempt_at = null,
      finished_at = ${ctx.clock.now()}
    where tenant_id = ${ctx.tenant.id}`,
  );
  const {
    rows: [delivery],
  } = await listDeliveries(ctx, { endpointId: endpoint.id, limit: 1 });
  return { receiver, endpoint, delivery, at: `${page}/${ctx.tenant.slug}` };
}

const change = (ctx: Context, statement: ReturnType<typeof sql>) => transact(ctx, ({ tx }) => tx.execute(statement));
const stateOf = async (ctx: Context, endpointId: string) =>
  (await listDeliveries(ctx, { endpointId, limit: 1 })).rows[0]?.state;

test.serial('/ops/webhooks lists failing endpoints and failed deliveries, without secrets', async (t) => {
  t.true((await t.context.api.call('GET', page)).body.includes('All endpoints are working.'));
  const { endpoint, delivery, at } = await givenUp(t);
  const { status, body } = await t.context.api.call('GET', page);
  t.is(status, 200);
  t.regex(body, /<h2>Failing/);
  t.true(body.includes(`${at}/endpoints/${endpoint.id}/recover`));
  t.true(body.includes(`${at}/deliveries/${delivery?.id}/redeliver`));
  t.regex(body, /webhook\.test[\s\S]+500, 1 attempt/);
  t.notRegex(body, /hush|whsec_|a secret of the receiver|<script|undefined/);
  t.regex((await t.context.api.call('GET', '/ops')).body, /A webhook delivery failed after its last attempt\./);
});

test.serial('the button of a failed delivery sends it again', async (t) => {
  const { ctx } = t.context;
  const { endpoint, delivery, at } = await givenUp(t);
  const response = await post(t.context, `${at}/deliveries/${delivery?.id}/redeliver`);
  t.is(response.status, 303);
  t.regex(
    (await t.context.api.call('GET', response.headers.get('location') ?? '')).body,
    /The webhook will be sent again\./,
  );
  t.is(await stateOf(ctx, endpoint.id), 'pending');
  t.is(
    (await post(t.context, `${at}/deliveries/whd_01m7xfs208fk1sctzyr3afnpz3/redeliver`)).status,
    409,
    'one that is not there is refused in words',
  );
  t.is((await post(t.context, `${page}/nobody/deliveries/${delivery?.id}/redeliver`)).status, 404);
});

test.serial('the form of a failing endpoint sends again what it missed since a day', async (t) => {
  const { ctx, clock } = t.context;
  const { endpoint, at } = await givenUp(t);
  clock.pass(1000);
  t.regex(
    (await post(t.context, `${at}/endpoints/${endpoint.id}/recover`, { since: 'yesterday' })).body,
    /Enter the first day/,
  );
  const since = clock.now().toISOString().slice(0, 10);
  const response = await post(t.context, `${at}/endpoints/${endpoint.id}/recover`, { since });
  t.regex(decodeURIComponent(response.headers.get('location') ?? ''), /One webhook will be sent again\./);
  t.is(await stateOf(ctx, endpoint.id), 'pending');
});

test.serial('a disabled endpoint gets nothing until its button enables it', async (t) => {
  const { ctx } = t.context;
  const { endpoint, delivery, at } = await givenUp(t);
  await change(
    ctx,
    sql`
    update webhook_endpoints set disabled_at = ${ctx.clock.now()}, disabled_reason = 'failing'
    where tenant_id = ${ctx.tenant.id} and id = ${endpoint.id}`,
  );
  t.regex((await t.context.api.call('GET', page)).body, /Disabled after failing for days/);
  const refused = await post(t.context, `${at}/deliveries/${delivery?.id}/redeliver`);
  t.is(refused.status, 409);
  t.regex(refused.body, /role="alert">[^<]+disabled/);

  t.is((await post(t.context, `${at}/endpoints/${endpoint.id}/enable`)).status, 303);
  t.notRegex((await t.context.api.call('GET', page)).body, /Switched off/);
  t.is((await post(t.context, `${at}/deliveries/${delivery?.id}/redeliver`)).status, 303);
});

test.serial('a page of another origin cannot send a webhook again', async (t) => {
  const { ctx } = t.context;
  const { endpoint, delivery, at } = await givenUp(t);
  const foreign = await post(
    t.context,
    `${at}/deliveries/${delivery?.id}/redeliver`,
    {},
    { origin: 'https://evil.example' },
  );
  t.is(foreign.status, 403);
  t.is(await stateOf(ctx, endpoint.id), 'failed');
});
