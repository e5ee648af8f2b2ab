import anyTest, { type TestFn } from 'ava';

import { listLeads } from '#src/domain/leads/index.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

test('text that PostgreSQL cannot store is rejected anywhere in a body', async (t) => {
  const { api, ctx, tenant } = t.context;
  const headers = { 'content-type': 'application/json' };
  const post = (path: string, body: string) => api.call('POST', path, { tenant: tenant.slug, body, headers });
  for (const text of ['\\u0000', 'a\\u0000b', '\\ud800', 'x\\uDC00', '\\ude00\\ud83d']) {
    t.like(await post('/api/v1/leads', `{"email":"ada@example.com","name":"${text}"}`), {
      status: 400,
      body: { error: 'invalid_json' },
    });
    t.like(await post('/api/v1/wholesale', `{"email":"ada@example.com","${text}":1}`), {
      status: 400,
      body: { error: 'invalid_json' },
    });
  }
  t.is((await post('/api/v1/leads', '{"email":"ada@example.com","name":"\\ud83d\\ude00 \\\\u0000"}')).status, 201);
  t.is((await listLeads(ctx, {})).rows[0]?.name, '😀 \\u0000');
});

test('NUL in a URL is rejected with its path', async (t) => {
  const { api, tenant } = t.context;
  for (const path of ['/api/v1/products?q=a%00b', '/api/v1/search?q=%00', '/api/v1/products?q=a&q=%00']) {
    t.like(
      await api.call('GET', path, { tenant: tenant.slug }),
      { status: 400, body: { error: 'invalid_request', errors: [{ path: '/q' }] } },
      path,
    );
  }
  t.is((await api.call('GET', '/api/v1/content/a%00b', { tenant: tenant.slug })).status, 404);
});
