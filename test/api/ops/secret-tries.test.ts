import anyTest, { type TestFn } from 'ava';

import { createTestRedis } from '#test/support/redis.ts';
import { until } from '#test/support/until.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
const { url: redisUrl } = await createTestRedis();
const environment = {
  OPS_USER: 'ops',
  OPS_PASSWORD: 'a long password',
  METRICS_TOKEN: 'a long token',
  REDIS_URL: redisUrl,
  RATE_LIMIT_SCALE: '1',
  TRUSTED_PROXY_HOPS: '1',
};
useApi(test, { environment });
test.beforeEach((t) => until(() => t.context.services.redis.status === 'ready'));

const login = (password: string) => `Basic ${Buffer.from(`ops:${password}`).toString('base64')}`;
const right = login(environment.OPS_PASSWORD);
const wrong = login('a long guess');

function callerFrom({ api }: ApiContext, client: string) {
  return (path: string, authorization = '') =>
    api.call('GET', path, { headers: { 'x-forwarded-for': client, ...(authorization && { authorization }) } });
}

test.serial(
  'ops pages reject a client network after ten wrong passwords, and the operator elsewhere gets in',
  async (t) => {
    const guesser = callerFrom(t.context, '2001:db8:0:7::1');
    for (let count = 0; count < 20; count += 1)
      t.is((await guesser('/ops/labels')).status, 401, 'to be asked for a password is no try');
    for (let count = 0; count < 10; count += 1) t.is((await guesser('/ops/labels', wrong)).status, 401);
    const rejected = await guesser('/ops/labels', wrong);
    t.like(rejected, { status: 429, body: { error: 'rate_limited' } });
    t.is(Number(rejected.headers.get('retry-after')), rejected.body.retry_after);
    t.true(rejected.body.retry_after > 60 && rejected.body.retry_after <= 900);
    t.is((await guesser('/ops/labels', right)).status, 429, 'a guess that is right is none the wiser');
    t.is(
      (await callerFrom(t.context, '2001:db8:0:7:ffff::2')('/ops/queues', right)).status,
      429,
      'an address of the same network',
    );
    t.is((await callerFrom(t.context, '2001:db8:0:8::1')('/ops/labels', right)).status, 200);
  },
);

test.serial('wrong tokens at /metrics count with wrong passwords at /ops', async (t) => {
  const guesser = callerFrom(t.context, '192.0.2.1');
  for (let count = 0; count < 5; count += 1) {
    t.is((await guesser('/metrics', 'Bearer a long guess')).status, 401);
    t.is((await guesser('/ops', wrong)).status, 401);
  }
  for (const path of ['/metrics', '/metrics/queues']) t.is((await guesser(path, 'Bearer a long token')).status, 429);
  t.is((await guesser('/ops', right)).status, 429);
  t.is((await callerFrom(t.context, '192.0.2.2')('/metrics', 'bearer  a long token')).status, 200);
});

test.serial('guesses from many networks leave each of them three, and the operator elsewhere gets in', async (t) => {
  for (let count = 0; count < 100; count += 1) await callerFrom(t.context, `198.51.100.${count}`)('/ops', wrong);
  const late = callerFrom(t.context, '203.0.113.1');
  for (let count = 0; count < 2; count += 1) t.is((await late('/ops', wrong)).status, 401);
  t.is((await late('/ops/labels', right)).status, 200, 'an operator may mistype the password twice');
  t.is((await late('/ops', wrong)).status, 401);
  const rejected = await late('/ops', right);
  t.is(rejected.status, 429);
  t.regex(rejected.body.detail, /^Too many wrong passwords\. Try again in \d+ minutes\.$/);
  t.is(rejected.headers.get('ratelimit-reset'), rejected.headers.get('retry-after'));
  t.is((await callerFrom(t.context, '203.0.113.2')('/ops/labels', right)).status, 200);
});
