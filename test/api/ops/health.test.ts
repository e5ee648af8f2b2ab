import anyTest, { type TestFn } from 'ava';

import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test, { environment: { DATABASE_POOL_MAX: '2' } });

test.serial('/readyz returns 200 while every connection of the pool is in use', async (t) => {
  const { pool } = t.context.ctx.database;
  const clients = await Promise.all([pool.connect(), pool.connect()]);
  try {
    const responses = await Promise.all(Array.from({ length: 20 }, () => t.context.api.call('GET', '/readyz')));
    for (const response of responses) t.like(response, { status: 200, body: { ready: true, database: true } });
  } finally {
    for (const client of clients) client.release();
  }
});

test('what machines read rejects other methods with 405 and the supported ones in Allow', async (t) => {
  for (const path of ['/healthz', '/readyz', '/metrics', '/metrics/queues']) {
    const response = await t.context.api.call('POST', path);
    t.like(response, { status: 405, body: { error: 'method_not_allowed' } }, path);
    t.is(response.headers.get('allow'), 'GET, HEAD, OPTIONS', path);
    t.is((await t.context.api.call('HEAD', path)).status, 200, path);
  }
});
