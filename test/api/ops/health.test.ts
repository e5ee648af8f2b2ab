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
