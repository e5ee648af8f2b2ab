import test from 'ava';

import { redact } from '#src/lib/redact.ts';

test('what is secret is struck out of a line, as deep as a line goes', (t) => {
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

test('a line without secrets, and the error in a line, are left as they are', (t) => {
  const line = {
    method: 'GET',
    ms: 1.5,
    tenant: undefined,
    err: Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }),
  };
  t.is(redact(line), line);
});
