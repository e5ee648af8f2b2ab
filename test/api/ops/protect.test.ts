import anyTest, { type TestFn } from 'ava';
import { until } from '#test/support/until.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test, { environment: { OPS_USER: 'ops', OPS_PASSWORD: 'a long password' } });

const login = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
const right = login('ops:a long password');
const paths = ['/ops', '/ops/labels', '/OPS/LABELS', '/ops/queues', '/ops/queues/api/queues', '/ops/nothing'];

test("every ops page requires the operator's name and password", async (t) => {
  const { api } = t.context;
  for (const path of paths) {
    for (const headers of [
      {},
      login('ops:wrong'),
      login('ops:'),
      login('wrong:a long password'),
      { authorization: 'Bearer a long password' },
    ]) {
      const response = await api.call('GET', path, { headers });
      t.is(response.status, 401, path);
      t.regex(response.headers.get('www-authenticate') ?? '', /^Basic /);
    }
  }
  t.is((await api.call('GET', '/ops/labels', { headers: right })).status, 200);
  t.is((await api.call('GET', '/healthz')).status, 200);
});

test('a change that a page of another origin requests is rejected, even with the password', async (t) => {
  const { api } = t.context;
  const retry = (headers: Record<string, string>) =>
    api.call('POST', '/ops/labels/retry', { headers: { ...right, ...headers }, body: '' });
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: api.url, 'sec-fetch-site': 'cross-site' },
  ]) {
    t.like(await retry(headers as Record<string, string>), { status: 403, body: { error: 'origin_not_allowed' } });
  }
  t.is((await retry({ origin: api.url })).status, 303);
  t.is((await retry({})).status, 303);
  t.is(
    (
      await api.call('PUT', '/ops/queues/api/queues/labels/1/retry', {
        headers: { ...right, origin: 'https://evil.example' },
      })
    ).status,
    403,
  );
});

test('ops pages cannot be cached or framed', async (t) => {
  const { headers } = await t.context.api.call('GET', '/ops/labels', { headers: right });
  t.is(headers.get('cache-control'), 'no-store');
  t.regex(headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/);
});

test('a retry at a URL that the board does not have is 404', async (t) => {
  const { api, services } = t.context;
  await until(() => services.redis.status === 'ready');
  const board = '/ops/queues/api/queues';
  for (const [method, path] of [
    ['PUT', `${board}/labels/1/retry/failed`],
    ['PUT', `${board}/nothing/1/retry`],
    ['PUT', `${board}/labels/nobody/retry`],
    ['GET', '/ops/queues/api/nothing'],
  ] as const) {
    // On a busy machine the board may find no response of Redis in time.
    const status = await until(async () => {
      const { status } = await api.call(method, path, { headers: right });
      return status !== 503 && status;
    });
    t.is(status, 404, path);
  }
});

test('requests of the board are counted by the path of the board', async (t) => {
  const { api, services } = t.context;
  await until(async () => (await api.call('GET', '/ops/queues', { headers: right })).status === 200);
  await api.call('PUT', '/ops/queues/api/queues/nothing/retry/failed', { headers: right });
  const counted = [...(await services.metrics.series()).keys()].join('\n');
  t.regex(counted, /method="GET",route="\/ops\/queues",status="200"/);
  t.regex(counted, /method="PUT",route="\/ops\/queues",status="404"/);
  t.notRegex(counted, /route="\/"/);
});
