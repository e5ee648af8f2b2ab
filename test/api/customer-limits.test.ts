import anyTest, { type TestFn } from 'ava';

import { bearer, buildSession } from '#test/support/factories/sessions.ts';
import { createTestRedis } from '#test/support/redis.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test, { environment: { RATE_LIMIT_SCALE: '1', REDIS_URL: (await createTestRedis()).url } });

test('a signed-in customer is limited per customer, as one server may send requests for many', async (t) => {
  const { api, ctx } = t.context;
  const [ada, grace] = [await buildSession(ctx), await buildSession(ctx)];
  const refresh = async (token: string, times: number) => {
    const statuses: number[] = [];
    for (let count = 0; count < times; count += 1)
      statuses.push((await api.call('POST', '/api/v1/customer/refresh', { headers: bearer(token) })).status);
    return statuses;
  };
  t.deepEqual(new Set(await refresh(ada.token, 30)), new Set([200]));
  t.deepEqual(await refresh(ada.token, 1), [429]);
  t.deepEqual(await refresh(grace.token, 5), [200, 200, 200, 200, 200]);
});
