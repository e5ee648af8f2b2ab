import { randomBytes } from 'node:crypto';
import test, { type ExecutionContext } from 'ava';

import { ConfigError, readConfig } from '#src/config.ts';
import { transact } from '#src/database/transact.ts';
import { issueKey, rotateSessionSecret } from '#src/domain/tenants/index.ts';
import { silentLog } from '#src/lib/log.ts';
import { createServices } from '#src/services.ts';
import { createTestDatabase } from '#test/support/database.ts';
import { testEnvironment } from '#test/support/environment.ts';
import { runEntry } from '#test/support/run-entry.ts';
import { buildTenant } from '#test/support/tenant.ts';

/** A database with two stores and a key of one of them, and the environment with which they were made. */
async function buildInstallation(t: ExecutionContext) {
  const database = await createTestDatabase();
  const environment = testEnvironment({ DATABASE_URL: database.url });
  const services = await createServices(readConfig(environment), 'test', { log: silentLog });
  t.teardown(async () => {
    await services.close();
    await database.drop();
  });
  const ctx = { ...services.context(), tenant: await buildTenant(services) };
  await buildTenant(services);
  await transact(ctx, (ctx) =>
    issueKey(ctx, { name: 'erp', kind: 'secret', scopes: ['orders:read'], expiresAt: null }),
  );
  return { ctx, services, environment };
}

const newKey = () => randomBytes(32).toString('base64');

test("no process starts with encryption keys that open no store's secret, or with another pepper", async (t) => {
  const { environment } = await buildInstallation(t);
  for (const [given, line] of [
    [{ ENCRYPTION_KEYS: `k2:${newKey()}` }, 'ENCRYPTION_KEYS lacks the key k1, with which the secrets of 2 stores are'],
    [
      { ENCRYPTION_KEYS: `k1:${newKey()}` },
      'ENCRYPTION_KEYS has another key as k1 than the one with which the secrets',
    ],
    [{ KEY_PEPPER: newKey() }, 'KEY_PEPPER is another one than that with which all API keys are hashed'],
  ] as const) {
    const others = await createServices(readConfig({ ...environment, ...given }), 'test', { log: silentLog });
    t.teardown(() => others.close());
    const { message = '' } = (await t.throwsAsync(others.proveSecrets(), { instanceOf: ConfigError })) ?? {};
    t.is(message.split('\n').length, 2, message);
    t.true(message.startsWith(`The environment is not fit to start with:\n  ${line}`), message);
  }
  // What a process does with that is the same for each.
  for (const entry of ['src/server.ts', 'workers/all.ts']) {
    const { code, err } = await runEntry(entry, [], { ...environment, KEY_PEPPER: newKey() });
    t.is(code, 1, entry);
    t.regex(err, /^The environment is not fit to start with:\n {2}KEY_PEPPER is another one [^\n]*\n$/, entry);
  }
});

test('a process starts while its keys open the secret of one store, and logs which key others lack', async (t) => {
  const { ctx, services, environment } = await buildInstallation(t);
  await t.notThrowsAsync(services.proveSecrets());
  const logged: object[] = [];
  const log = { ...silentLog, error: (fields: object) => void logged.push(fields) };
  const startWith = async (ENCRYPTION_KEYS: string) => {
    const others = await createServices(readConfig({ ...environment, ENCRYPTION_KEYS }), 'test', { log });
    t.teardown(() => others.close());
    return others;
  };
  const added = `k2:${newKey()}`;
  await t.notThrowsAsync((await startWith(`${added},${environment['ENCRYPTION_KEYS']}`)).proveSecrets());
  const others = await startWith(added);
  await t.throwsAsync(others.proveSecrets(), { message: /lacks the key k1, with which the secrets of 2 stores/ });
  await transact({ ...others.context(), tenant: ctx.tenant }, rotateSessionSecret);
  t.deepEqual(logged, []);
  await t.notThrowsAsync(others.proveSecrets());
  t.is(logged.length, 1);
  t.regex(JSON.stringify(logged), /lacks the key k1, with which the secrets of a store/);
});
