import test from 'ava';

import { ApiError, verifyWebhook, type WebhookEvent } from '#src/client/src/index.ts';
import { newSecret, sign } from '#src/domain/webhooks/signing.ts';

const secret = newSecret();
const body = JSON.stringify({
  id: 'evt_1',
  type: 'order.paid',
  data: { object: { order_number: 'ORD-1001' }, object_version: 3 },
});
const headers = sign([newSecret(), secret], 'evt_1', new Date(), body);

/** Compiles only while the event is a union by type. */
function orderNumberOf(event: WebhookEvent): string | undefined {
  return event.type === 'order.paid' ? event.data.object.order_number : undefined;
}

test('verifyWebhook returns the event of a signed body, in each form in which runtimes have it', (t) => {
  const bytes = new TextEncoder().encode(body);
  const given = { host: 'shop.example', 'x-forwarded-for': ['203.0.113.7'], 'x-absent': undefined, ...headers };
  for (const [text, named] of [
    [body, headers],
    [bytes, new Headers(headers)],
    [bytes.buffer, given],
    [Buffer.from(body), given],
  ] as const)
    t.is(orderNumberOf(verifyWebhook(text, named, secret)), 'ORD-1001');
});

test('verifyWebhook rejects another body, another secret, an old signature and none', (t) => {
  const old = sign([secret], 'evt_1', new Date(Date.now() - 10 * 60_000), body);
  for (const [text, named, key] of [
    [body.replace('1001', '1002'), headers, secret],
    [body, headers, newSecret()],
    [body, headers, 'no secret'],
    [body, old, secret],
    [body, {}, secret],
  ] as const) {
    const error = t.throws(() => verifyWebhook(text, named, key), { instanceOf: ApiError });
    t.is(error.code, 'invalid_signature');
  }
});

test('verifyWebhook says that the secret is empty, and rejects a request without headers', (t) => {
  t.like(
    t.throws(() => verifyWebhook(body, headers, '')),
    { name: 'ApiError', code: 'invalid_argument' },
  );
  for (const absent of [undefined, null])
    t.like(
      t.throws(() => verifyWebhook(body, absent as unknown as Headers, secret)),
      { name: 'ApiError', code: 'invalid_signature' },
    );
});
