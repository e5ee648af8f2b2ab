import test from 'ava';

import { redact } from '#src/lib/redact.ts';

test('secrets are removed from a log line at every depth', (t) => {
  const at = new Date(0);
  t.deepEqual(
    redact({
      tenant: 'cedar',
      email: 'ada@example.com',
      at,
      job: { id: 1, token: 't' },
      calls: [{ url: '/v1', headers: { authorization: 'x' } }],
    }),
    {
      tenant: 'cedar',
      email: '[redacted]',
      at,
      job: { id: 1, token: '[redacted]' },
      calls: [{ url: '/v1', headers: { authorization: '[redacted]' } }],
    },
  );
});

test('a log line without secrets, and an error in it, are unchanged', (t) => {
  const line = {
    method: 'GET',
    ms: 1.5,
    tenant: undefined,
    err: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
  };
  t.is(redact(line), line);
});
