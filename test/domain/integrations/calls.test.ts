import anyTest, { type TestFn } from 'ava';
import { Webhook } from 'standardwebhooks';
import { handleCall as handleCallJob } from '#jobs/integrations.ts';
import { pruneIntegrations } from '#jobs/retention.ts';
import { read } from '#src/database/transact.ts';
import { prune } from '#src/domain/backoffice/index.ts';
import type { Context } from '#src/domain/context.ts';
import { callSecretOf } from '#src/domain/integrations/calls.ts';
import { acceptCall, createIntegrationState, failCall, handleCall } from '#src/domain/integrations/index.ts';
import type { IntegrationCall } from '#src/domain/ports/integration-receiver.ts';
import { days, hours } from '#src/lib/duration.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';

const taken: IntegrationCall[] = [];
const away = new ProviderError('bookkeeper', 'away', 'The bookkeeper does not respond.');
const integrations = new Map([
  [
    'bookkeeper',
    {
      async receive(call: IntegrationCall) {
        taken.push(call);
      },
    },
  ],
  [
    'sleeper',
    {
      async receive() {
        throw away;
      },
    },
  ],
]);

const test = anyTest as TestFn<TestContext>;
useContext(test, { ports: { integrations } });

/** A call as the third party sends it. Returns the id of the stored call. */
async function call(
  ctx: Context,
  provider: string,
  body: object = { invoice: 7 },
  messageId: string = newId('req'),
): Promise<string> {
  const now = ctx.clock.now();
  const rawBody = Buffer.from(JSON.stringify(body));
  const signature = new Webhook(await callSecretOf(ctx, provider)).sign(messageId, now, rawBody.toString());
  const timestamp = String(Math.floor(now.getTime() / 1000));
  await acceptCall(ctx, { provider, messageId, timestamp, signature, rawBody });
  const [call] = await read<{ id: string }>(
    ctx,
    sql`
    select id from integration_calls where tenant_id = ${ctx.tenant.id} and message_id = ${messageId}`,
  );
  return call?.id ?? '';
}

const stateOf = async (ctx: Context, id: string) =>
  (
    await read<{ state: string }>(
      ctx,
      sql`select state from integration_calls where tenant_id = ${ctx.tenant.id} and id = ${id}`,
    )
  )[0]?.state;

test('a call reaches its receiver once, however often the job runs', async (t) => {
  const { ctx } = t.context;
  const callId = await call(ctx, 'bookkeeper', { invoice: 7 });
  t.deepEqual(await enqueuedJobs(ctx, handleCallJob), [{ callId }]);
  await handleCall(ctx, { callId });
  await handleCall(ctx, { callId });
  t.deepEqual(
    taken.filter(({ id }) => id === callId),
    [{ id: callId, tenantId: ctx.tenant.id, body: { invoice: 7 } }],
  );
  t.is(await stateOf(ctx, callId), 'handled');
});

test('a call needs an id of at most 200 characters', async (t) => {
  const { ctx } = t.context;
  t.not(await call(ctx, 'bookkeeper', {}, 'm'.repeat(200)), '');
  for (const messageId of ['', 'm'.repeat(201)])
    await t.throwsAsync(call(ctx, 'bookkeeper', {}, messageId), { code: 'invalid_request' });
});

test('a call of a provider without a receiver is only stored', async (t) => {
  const { ctx } = t.context;
  const callId = await call(ctx, 'constructor');
  await handleCall(ctx, { callId });
  t.is(await stateOf(ctx, callId), 'ignored');
});

test('a failed call can be handled later, even after its job was exhausted', async (t) => {
  const { ctx } = t.context;
  const callId = await call(ctx, 'sleeper');
  await t.throwsAsync(handleCall(ctx, { callId }), { is: away });
  t.is(await stateOf(ctx, callId), 'received');
  await failCall(ctx, { callId });
  await failCall(ctx, { callId });
  t.is(await stateOf(ctx, callId), 'failed');
  await handleCall({ ...ctx, ports: { ...ctx.ports, integrations: new Map() } }, { callId });
  t.is(await stateOf(ctx, callId), 'ignored');
});

test('the table holds nothing of a call in clear text', async (t) => {
  const { ctx } = t.context;
  await call(ctx, 'bookkeeper', { secret: 'swordfish' });
  const rows = await read<object>(ctx, sql`select * from integration_calls where tenant_id = ${ctx.tenant.id}`);
  t.is(rows.length, 1);
  t.notRegex(JSON.stringify(rows), /swordfish/);
});

test('each provider has a different secret at each store', async (t) => {
  const { ctx, services } = t.context;
  const other = { ...ctx, tenant: await buildTenant(services) };
  const secrets = await Promise.all([
    callSecretOf(ctx, 'a'),
    callSecretOf(ctx, 'b'),
    callSecretOf(other, 'a'),
    callSecretOf(ctx, 'a'),
  ]);
  t.is(new Set(secrets).size, 3);
  t.is(secrets[0], secrets[3]);
});

test.serial('old calls and expired connections are deleted, pending ones are not', async (t) => {
  const { ctx, services } = t.context;
  const [done, waiting] = [await call(ctx, 'bookkeeper'), await call(ctx, 'bookkeeper')];
  await handleCall(ctx, { callId: done });
  await createIntegrationState(ctx, { provider: 'bookkeeper', returnUrl: 'https://owner.example/' });
  const after = (ms: number) => ({
    ...services.context(),
    clock: { now: () => new Date(ctx.clock.now().getTime() + ms) },
  });
  const later = after(days(31));

  await prune(after(days(30) - hours(1)), pruneIntegrations);
  t.is(await stateOf(ctx, done), 'handled');
  await prune(later, pruneIntegrations);
  await prune(later, pruneIntegrations);
  t.is(await stateOf(ctx, done), undefined);
  t.is(await stateOf(ctx, waiting), 'received');
  t.deepEqual(await read(ctx, sql`select id from integration_connections where tenant_id = ${ctx.tenant.id}`), []);
});
