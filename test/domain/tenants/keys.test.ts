import anyTest, { type TestFn } from 'ava';
import { runOnPlatformTables, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { newKey, publishableScopes, scopes } from '#src/domain/tenants/api-key.ts';
import { issueKey, listKeys, revokeKey, saveKey } from '#src/domain/tenants/index.ts';
import type { KeyToIssue } from '#src/domain/tenants/manage-keys.ts';
import { minutes, seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildTenant } from '#test/support/tenant.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const backend: KeyToIssue = { name: 'backend', kind: 'secret', scopes: ['orders:read'], expiresAt: null };
const issue = (ctx: Context, key: Partial<KeyToIssue> = {}) =>
  transact(ctx, (ctx) => issueKey(ctx, { ...backend, ...key }));
const save = (ctx: Context, key: Partial<KeyToIssue> = {}) =>
  transact(ctx, (ctx) => saveKey(ctx, { ...backend, ...key }));
const revoke = (ctx: Context, id: string) => transact(ctx, (ctx) => revokeKey(ctx, { id }));

test('a key opens its own store with the scopes that it was given', async (t) => {
  const { ctx, services, tenant } = t.context;
  const { key, value } = await issue(ctx);
  t.deepEqual(await services.keys.open(value), {
    id: key.id,
    tenantId: tenant.id,
    kind: 'secret',
    scopes: ['orders:read'],
    requestsPerMinute: null,
  });
});

test('the characters of a key are nowhere in the database', async (t) => {
  const { ctx } = t.context;
  const { key, value } = await issue(ctx);
  const [row] = await runOnPlatformTables<{ row: string }>(
    ctx,
    sql`select k::text as row from api_keys k where id = ${key.id}`,
  );
  t.false(row?.row.includes(value));
  t.false(row?.row.includes(value.slice(8, 30)));
  t.false(row?.row.includes(Buffer.from(value).toString('hex')));
});

test('a key that was never issued is rejected', async (t) => {
  await t.throwsAsync(t.context.services.keys.open(newKey('secret', 'test')), {
    instanceOf: DomainError,
    code: 'invalid_key',
  });
  await t.throwsAsync(t.context.services.keys.open('sk_test_mistyped'), {
    instanceOf: DomainError,
    code: 'invalid_key',
  });
});

test('a live key is rejected in the test environment', async (t) => {
  await t.throwsAsync(t.context.services.keys.open(newKey('secret', 'live')), {
    instanceOf: DomainError,
    code: 'wrong_environment',
  });
});

test('a revoked key stops working within five seconds, though it was in use', async (t) => {
  const { ctx, clock, services } = t.context;
  const { key, value } = await issue(ctx);
  await services.keys.open(value);
  const { revokedAt } = await revoke(ctx, key.id);
  t.truthy(revokedAt);

  clock.pass(seconds(5));
  await t.throwsAsync(services.keys.open(value), { instanceOf: DomainError, code: 'revoked_key' });
});

test('revoking twice is revoking once', async (t) => {
  const { ctx } = t.context;
  const { key } = await issue(ctx);
  const first = await revoke(ctx, key.id);
  t.deepEqual(await revoke(ctx, key.id), first);
});

test('another store cannot revoke a key, nor see it', async (t) => {
  const { ctx, services } = t.context;
  const { key, value } = await issue(ctx);
  const otherStore = { ...ctx, tenant: await buildTenant(services) };
  await t.throwsAsync(revoke(otherStore, key.id), { instanceOf: DomainError, code: 'not_found' });
  t.deepEqual((await listKeys(otherStore)).rows, []);
  await t.notThrowsAsync(services.keys.open(value));
});

test.serial('a key stops working when it expires, although it is cached', async (t) => {
  const { ctx, services, clock } = t.context;
  const { value } = await issue(ctx, { expiresAt: new Date(clock.now().getTime() + minutes(5)) });
  await services.keys.open(value);
  clock.pass(minutes(5));
  await t.throwsAsync(services.keys.open(value), { instanceOf: DomainError, code: 'expired_key' });
});

test('a publishable key may hold no more than a shopper may do', async (t) => {
  const { ctx } = t.context;
  for (const scope of scopes) {
    const key = { name: scope, kind: 'publishable', scopes: [scope] } as const;
    if (publishableScopes.includes(scope)) await t.notThrowsAsync(issue(ctx, key), scope);
    else await t.throwsAsync(issue(ctx, key), { instanceOf: DomainError, code: 'invalid_request' }, scope);
  }
});

test('saveKey rejects an expiry in the past and leaves a key that has expired since unchanged', async (t) => {
  const { ctx } = t.context;
  const now = ctx.clock.now().getTime();
  const wanted = (name: string, expiresAt: number) =>
    ({ name, kind: 'secret', scopes: ['orders:read'], expiresAt: new Date(expiresAt) }) as const;
  const past = { message: 'expires_at must be in the future.' };
  await t.throwsAsync(
    transact(ctx, (ctx) => issueKey(ctx, wanted('till', now - 1000))),
    past,
  );
  await t.throwsAsync(
    transact(ctx, (ctx) => saveKey(ctx, wanted('till', now))),
    past,
  );
  await transact(ctx, (ctx) => saveKey(ctx, wanted('till', now + 60_000)));
  const later = { ...ctx, clock: { ...ctx.clock, now: () => new Date(now + 120_000) } };
  const { change } = await transact(later, (ctx) => saveKey(ctx, wanted('till', now + 60_000)));
  t.is(change.action, 'unchanged');
  await t.throwsAsync(
    transact(later, (ctx) => saveKey(ctx, wanted('till', now + 90_000))),
    past,
  );
});

test('a name is taken until its key is revoked', async (t) => {
  const { ctx } = t.context;
  const { key, value } = await issue(ctx);
  await t.throwsAsync(issue(ctx), { instanceOf: DomainError, code: 'invalid_request', message: /"backend" already/ });
  await revoke(ctx, key.id);
  const successor = await issue(ctx);
  t.not(successor.value, value);
  t.deepEqual(
    (await listKeys(ctx)).rows.map(({ id, revokedAt }) => [id, revokedAt !== null]),
    [
      [key.id, true],
      [successor.key.id, false],
    ],
  );
});

test('two askers for the same name get one key', async (t) => {
  const { ctx } = t.context;
  const results = await Promise.allSettled([issue(ctx), issue(ctx), issue(ctx)]);
  t.is(results.filter(({ status }) => status === 'fulfilled').length, 1);
});

test('saveKey changes the scopes of an existing key and leaves its value', async (t) => {
  const { ctx, services, clock } = t.context;
  const made = await save(ctx);
  t.is(made.change.action, 'created');
  t.like(await save(ctx), { change: { subject: 'key backend', action: 'unchanged', fields: [] } });

  const expiresAt = new Date(clock.now().getTime() + minutes(60));
  const saved = await save(ctx, { scopes: ['products:read', 'orders:read'], expiresAt });
  t.like(saved, { change: { subject: 'key backend', action: 'updated', fields: ['scopes', 'expires_at'] } });
  const limited = await save(ctx, { scopes: ['products:read', 'orders:read'], expiresAt, requestsPerMinute: 90 });
  t.deepEqual(limited.change.fields, ['requests_per_minute']);
  const unlimited = await save(ctx, { scopes: ['products:read', 'orders:read'], expiresAt });
  t.deepEqual(unlimited.change.fields, ['requests_per_minute'], 'what is left out has its default');
  const reordered = await save(ctx, { scopes: ['orders:read', 'products:read'], expiresAt });
  t.is(reordered.change.action, 'unchanged', 'the order of scopes says nothing');
  t.deepEqual((await services.keys.open(made.issued?.value ?? '')).scopes, ['products:read', 'orders:read']);
});

test('saveKey rejects another kind, and scopes that a publishable key may not have', async (t) => {
  const { ctx } = t.context;
  await save(ctx, { kind: 'publishable', scopes: ['products:read'] });
  await t.throwsAsync(save(ctx, { kind: 'secret' }), {
    instanceOf: DomainError,
    message: /is publishable; revoke it first/,
  });
  await t.throwsAsync(save(ctx, { kind: 'publishable', scopes: ['admin:write'] }), {
    instanceOf: DomainError,
    code: 'invalid_request',
  });
});

test('keys are listed page by page, oldest first', async (t) => {
  const { ctx } = t.context;
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) ids.push((await issue(ctx, { name })).key.id);
  const first = await listKeys(ctx, { limit: 2 });
  t.deepEqual(
    first.rows.map(({ id }) => id),
    ids.slice(0, 2),
  );
  const second = await listKeys(ctx, { limit: 2, cursor: first.cursor ?? '' });
  t.deepEqual(
    second.rows.map(({ id }) => id),
    ids.slice(2),
  );
  t.is(second.cursor, null);
});
