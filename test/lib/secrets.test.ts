import { randomBytes } from 'node:crypto';
import test from 'ava';
import { createKeyring } from '#src/lib/keyring.ts';
import { redact } from '#src/lib/redact.ts';

const older = ['k1', randomBytes(32)] as const;
const newer = ['k2', randomBytes(32)] as const;

test('sealed text opens only for its owner and field', (t) => {
  const keyring = createKeyring([older]);
  const sealed = keyring.seal('ten_a', 'api_key', 'sk_live_secret');
  t.false(sealed.includes('secret'));
  t.is(keyring.open('ten_a', 'api_key', sealed), 'sk_live_secret');
  t.throws(() => keyring.open('ten_b', 'api_key', sealed));
  t.throws(() => keyring.open('ten_a', 'webhook_secret', sealed));
});

test('sealed text does not open after any bit was changed', (t) => {
  const keyring = createKeyring([older]);
  const [id, body = ''] = keyring.seal('ten_a', 'api_key', 'sk').split(':');
  const bytes = Buffer.from(body, 'base64');
  for (let index = 0; index < bytes.length; index += 1) {
    const changed = Buffer.from(bytes);
    changed[index] = (changed[index] ?? 0) ^ 1;
    t.throws(() => keyring.open('ten_a', 'api_key', `${id}:${changed.toString('base64')}`), undefined, `byte ${index}`);
  }
  t.throws(() => keyring.open('ten_a', 'api_key', `${id}:${bytes.subarray(0, 10).toString('base64')}`));
  t.throws(() => keyring.open('ten_a', 'api_key', ''));
});

test('the same text is sealed differently each time', (t) => {
  const keyring = createKeyring([older]);
  t.not(keyring.seal('ten_a', 'api_key', 'sk'), keyring.seal('ten_a', 'api_key', 'sk'));
});

test('after a rotation the new key seals, and the old one opens until it is removed', (t) => {
  const before = createKeyring([older]).seal('ten_a', 'api_key', 'sk');
  const rotated = createKeyring([newer, older]);
  t.is(rotated.open('ten_a', 'api_key', before), 'sk');
  t.deepEqual(rotated.ids, ['k2', 'k1']);
  t.true(rotated.isStale(before));

  const after = rotated.seal('ten_a', 'api_key', rotated.open('ten_a', 'api_key', before));
  t.false(rotated.isStale(after));
  t.is(createKeyring([newer]).open('ten_a', 'api_key', after), 'sk');
  t.throws(() => createKeyring([newer]).open('ten_a', 'api_key', before), {
    message: 'No encryption key has the id "k1". Add it to ENCRYPTION_KEYS again.',
  });
});

test('another key with the same id does not open, and the error says so', (t) => {
  const sealed = createKeyring([older]).seal('ten_a', 'api_key', 'sk');
  t.throws(() => createKeyring([['k1', newer[1]]]).open('ten_a', 'api_key', sealed), {
    message:
      'The encryption key "k1" does not decrypt this: it is another key with that id, or the secret was changed.',
  });
});

test('a keyring requires a key', (t) => {
  t.throws(() => createKeyring([]), { instanceOf: TypeError });
});

test('a keyring rejects two keys with the same id, of which it could use only one', (t) => {
  t.throws(() => createKeyring([newer, ['k2', older[1]]]), { instanceOf: TypeError });
});

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

test('what is too deep in a log line to be searched for secrets is left out', (t) => {
  const line = { order: { lines: [{ buyer: { email: 'ada@example.com' } }], paid: { by: { card: { code: '123' } } } } };
  t.notRegex(JSON.stringify(redact(line)), /ada@example|123/);
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
