import { randomBytes } from 'node:crypto';

import anyTest, { type TestFn } from 'ava';
import { asPlatform, read, transact } from '#src/database/transact.ts';
import type { Context, PlatformContext } from '#src/domain/context.ts';
import { claimRequest, storeReply } from '#src/domain/idempotency/index.ts';
import { callSecretOf } from '#src/domain/integrations/calls.ts';
import { readConnection } from '#src/domain/integrations/connections.ts';
import { acceptCall, completeConnection, createIntegrationState } from '#src/domain/integrations/index.ts';
import { liveWebhookSecrets, openAccount } from '#src/domain/payments/index.ts';
import { inspectSecrets, rewrapSecrets } from '#src/domain/secrets/index.ts';
import { sealedColumns } from '#src/domain/secrets/rewrap-secrets.ts';
import { saveSecondShippingAccount } from '#src/domain/shipping/index.ts';
import { startTotp } from '#src/domain/staff/index.ts';
import { readSessionSecret, readStaffSecret } from '#src/domain/tenants/index.ts';
import { rotateSecret, sign } from '#src/domain/webhooks/index.ts';
import { newId } from '#src/lib/ids.ts';
import { createKeyring } from '#src/lib/keyring.ts';
import { rawSql, sql } from '#src/lib/sql.ts';
import { sources } from '#test/architecture/sources.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { buildStaffSession } from '#test/support/factories/staff.ts';
import { buildEndpoint, receiverFor } from '#test/support/factories/webhooks.ts';

const [older, newer] = [
  ['k1', randomBytes(32)],
  ['k2', randomBytes(32)],
] as const;
const test = anyTest as TestFn<TestContext>;
useContext(test, { environment: { ENCRYPTION_KEYS: `k1:${older[1].toString('base64')}` } });

const ring = (...keys: (typeof older | typeof newer)[]) => createKeyring(keys);
const both = ring(newer, older);

test('sealedColumns lists each column with sealed values, and each file that seals', async (t) => {
  const { services } = t.context;
  const columns = await services.execute<{ name: string }>(sql`
    select c.table_name || '.' || c.column_name as name from information_schema.columns c
    where c.table_schema = 'public' and c.column_name like '%\_sealed' order by 1`);
  t.deepEqual(
    sealedColumns.map(({ table, column }) => `${table}.${column}`).toSorted(),
    columns.map(({ name }) => name),
  );

  const domainsThatSeal = sources
    .filter(({ path, text }) => path.startsWith('src/domain/') && /\.seal\(/.test(text))
    .map(({ path }) => path.split('/')[2])
    .filter((domain) => domain !== 'secrets');
  const registering = sources.flatMap(({ path, text }) =>
    /\bsealedColumn\(/.test(text) ? (/^src\/domain\/([a-z]+)\//.exec(path)?.[1] ?? []) : [],
  );
  t.deepEqual(
    [...new Set(domainsThatSeal)].filter((domain) => !registering.includes(domain ?? '')),
    [],
  );
  const unlabelled = sources.filter(
    ({ path, text }) =>
      !path.startsWith('src/domain/secrets/') &&
      /insert into|update /.test(text) &&
      /keyring\.seal/.test(text) &&
      !/_sealed|secretKeySealed/.test(text),
  );
  t.deepEqual(
    unlabelled.map(({ path }) => path),
    [],
    'sealed values are stored in columns named *_sealed',
  );
});

test.serial('rewrapSecrets makes every secret open with the new key alone, and changes nothing else', async (t) => {
  const { ctx } = t.context;
  const account = await buildPaymentAccount(ctx);
  const connectionId = await sealSomethingEverywhere(t.context, await receiverFor(t));
  const secret = await readSessionSecret(ctx);
  const before = await rowsWithoutSecrets(ctx);
  t.true((await usesOf(ctx, both)).every(({ keyId, state }) => keyId === 'k1' && state === 'stale'));

  const reported: string[] = [];
  const rewrapped = await rewrapSecrets({ ...ctx, keyring: both }, ({ table, column }) =>
    reported.push(`${table}.${column}`),
  );
  t.deepEqual(
    rewrapped.flatMap(({ damaged }) => damaged),
    [],
  );
  for (const { table, column, rewrapped: count } of rewrapped)
    t.true(count > 0 && reported.includes(`${table}.${column}`), `${table}.${column}`);

  const after: Context = { ...ctx, keyring: ring(newer) };
  const uses = await usesOf(after, after.keyring);
  t.deepEqual(
    new Set(uses.map(({ table, column }) => `${table}.${column}`)),
    new Set(sealedColumns.map(({ table, column }) => `${table}.${column}`)),
  );
  t.true(uses.every(({ keyId, state }) => keyId === 'k2' && state === 'current'));
  t.deepEqual(await readSessionSecret(after), secret);
  t.is((await openAccount(after)).secretKey, account.secretKey);
  t.deepEqual(await liveWebhookSecrets(after, { fresh: true }), [account.webhookSecret]);
  t.deepEqual((await readConnection(after, connectionId))?.received, { code: 'abc' });
  t.deepEqual(await rowsWithoutSecrets(ctx), before);

  const again = await rewrapSecrets({ ...ctx, keyring: both });
  t.true(again.every(({ rewrapped }) => rewrapped === 0));
});

test.serial('rewrapSecrets continues after an interruption', async (t) => {
  const { ctx } = t.context;
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    insert into integration_calls (tenant_id, id, provider, message_id, body_sealed, state, received_at)
    select ${ctx.tenant.id}, 'call_' || n, 'bookkeeper', n::text,
      ${ctx.keyring.seal(ctx.tenant.id, 'integration_call', '{}')}, 'received', now()
    from generate_series(1, 450) n`),
  );
  const stopped = new AbortController();
  await t.throwsAsync(
    rewrapSecrets({ ...ctx, keyring: both, signal: stopped.signal }, ({ table }, count) => {
      if (table === 'integration_calls' && count >= 200) stopped.abort();
    }),
    { name: 'AbortError' },
  );
  const left = await countOf(ctx, 'k1');
  t.true(left > 0 && left < 450, `${left} left`);
  const calls = (await rewrapSecrets({ ...ctx, keyring: both })).find(({ table }) => table === 'integration_calls');
  t.is(calls?.rewrapped, left);
  t.is(await countOf(ctx, 'k1'), 0);
});

test.serial('rewrapSecrets does not restore a secret that was replaced meanwhile', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx, { secret_key: 'sk_test_old' });
  const keyring = { ...both, open: (...given: Parameters<typeof both.open>) => both.open(...given) };
  const replaced = buildPaymentAccount({ ...ctx, keyring: both }, { secret_key: 'sk_test_new' });
  await Promise.all([replaced, rewrapSecrets({ ...ctx, keyring })]);
  await rewrapSecrets({ ...ctx, keyring });
  t.is((await openAccount({ ...ctx, keyring: ring(newer) })).secretKey, 'sk_test_new');
});

test.serial('rewrapSecrets reports values that no key opens and rewraps the others', async (t) => {
  const { ctx } = t.context;
  await buildPaymentAccount(ctx);
  const lost = createKeyring([['k0', randomBytes(32)]]).seal(ctx.tenant.id, 'payments.secret_key', 'sk_test_lost');
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`update payment_accounts set secret_key_sealed = ${lost} where tenant_id = ${ctx.tenant.id}`),
  );
  const rewrapped = await rewrapSecrets({ ...ctx, keyring: both });
  t.deepEqual(
    rewrapped.flatMap(({ damaged }) => damaged),
    [{ tenantId: ctx.tenant.id, id: ctx.tenant.id, keyId: 'k0' }],
  );
  const uses = await usesOf(ctx, both);
  t.deepEqual(
    uses.filter(({ state }) => state === 'closed').map(({ table, keyId, count }) => [table, keyId, count]),
    [['payment_accounts', 'k0', 1]],
  );
  const stored = await read<{ sealed: string }>(
    ctx,
    sql`select secret_key_sealed as sealed from payment_accounts where tenant_id = ${ctx.tenant.id}`,
  );
  t.is(stored[0]?.sealed, lost);
});

/**
 * Store a secret in each sealed column.
 * @returns the id of the integration connection
 */
async function sealSomethingEverywhere(
  { ctx }: TestContext,
  receiver: Parameters<typeof buildEndpoint>[1],
): Promise<string> {
  await readStaffSecret(ctx);
  await startTotp(ctx, await buildStaffSession(ctx));
  await buildShippingAccount(ctx, {
    webhook_token: 'a-token-of-twenty-letters',
    webhook_secret: 'whsec_of_the_carrier',
  });
  await transact(ctx, (ctx) => saveSecondShippingAccount(ctx, { provider: 'easypost', api_key: 'EZTK1234567890' }));
  const endpoint = await buildEndpoint(ctx, receiver);
  await rotateSecret(ctx, endpoint);
  const claimed = await claimRequest(ctx, {
    method: 'POST',
    path: '/x',
    credential: 'anonymous',
    key: newId('idem'),
    body: Buffer.from('{}'),
  });
  if ('lease' in claimed) await storeReply(ctx, claimed, { status: 200, body: '{}', headers: {} });
  const rawBody = Buffer.from('{}');
  const signed = sign([await callSecretOf(ctx, 'bookkeeper')], 'msg_1', ctx.clock.now(), '{}');
  await acceptCall(ctx, {
    provider: 'bookkeeper',
    messageId: 'msg_1',
    rawBody,
    timestamp: signed['webhook-timestamp'] ?? '',
    signature: signed['webhook-signature'] ?? '',
  });
  const { state } = await createIntegrationState(ctx, {
    provider: 'bookkeeper',
    returnUrl: `${ctx.tenant.storefrontUrl}/done`,
  });
  await completeConnection(ctx, { provider: 'bookkeeper', state, received: { code: 'abc' } });
  const [connection] = await read<{ id: string }>(
    ctx,
    sql`select id from integration_connections where tenant_id = ${ctx.tenant.id}`,
  );
  return connection?.id ?? '';
}

async function usesOf(ctx: PlatformContext, keyring: Context['keyring']) {
  return inspectSecrets({ ...ctx, keyring });
}

async function countOf(ctx: Context, keyId: string): Promise<number> {
  const [row] = await read<{ count: number }>(
    ctx,
    sql`
    select count(*) as count from integration_calls where tenant_id = ${ctx.tenant.id}
      and split_part(body_sealed, ':', 1) = ${keyId}`,
  );
  return row?.count ?? -1;
}

/** All rows of the tables with sealed columns, without those columns. */
async function rowsWithoutSecrets(ctx: Context): Promise<unknown[]> {
  const tables = [...new Set(sealedColumns.map(({ table }) => table))];
  return asPlatform(ctx, 'a test', async (ctx) => {
    const rows: unknown[] = [];
    for (const table of tables) {
      const hidden = sealedColumns.filter((column) => column.table === table).map(({ column }) => column);
      rows.push(
        await ctx.tx.execute(sql`
        select to_jsonb(t) - ${hidden}::text[] as row from ${rawSql(table)} t
        order by (to_jsonb(t) - ${hidden}::text[])::text`),
      );
    }
    return rows;
  });
}
