import { request } from 'node:http';

import anyTest, { type TestFn } from 'ava';

import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test);

test('in local mode /ops needs no password, but rejects a host name that resolves to this machine', async (t) => {
  const { api } = t.context;
  t.is((await api.call('GET', '/ops/labels')).status, 200);
  const status = await new Promise((resolve, reject) => {
    request(`${api.url}/ops/labels`, { headers: { host: 'rebound.example' } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on('error', reject)
      .end();
  });
  t.is(status, 403);
});
