import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createRawServer } from 'node:net';

import test from 'ava';

import { freePort } from '#src/dev/embedded/free-port.ts';
import { createOutboundHttp } from '#src/platform/outbound-http.ts';
import { pinnedConnector } from '#src/platform/pinned-connector.ts';
import { BlockedAddress, isPublicIp, resolveName } from '#src/platform/public-ip.ts';
import { startReceiver } from '#test/support/receiver.ts';

const strict = createOutboundHttp({ localMode: false });
const local = createOutboundHttp({ localMode: true });
const noHeaders = {};

/** A client whose name server gives these answers, one after the other. */
function withNames(answers: string[][], localMode = false) {
  const resolved: string[] = [];
  const http = createOutboundHttp({
    localMode,
    async resolve(host) {
      resolved.push(host);
      const addresses = answers[Math.min(resolved.length, answers.length) - 1] ?? [];
      return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    },
  });
  return { http, resolved };
}

const notPublic = [
  '127.0.0.1',
  '127.1.2.3',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '100.100.100.200',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '168.63.129.16',
  '::',
  '::1',
  '::ffff:127.0.0.1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '::ffff:0:127.0.0.1',
  'fe80::1',
  'fc00::1',
  'fd00:ec2::254',
  'fec0::1',
  'ff02::1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2001::1',
  '2001:db8::1',
  '100::1',
  '3fff::1',
];

test('only globally reachable IP addresses are public', (t) => {
  for (const address of notPublic) t.false(isPublicIp(address), address);
  for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111', '2a00:1450::1']) {
    t.true(isPublicIp(address), address);
  }
});

/** Every way that we know of to write an address which is not public, by what it relies on. */
const tricks = {
  'private ranges': [
    '10.0.0.1:8443',
    '172.16.0.1',
    '192.168.0.1',
    '100.64.0.1',
    '0.0.0.0',
    '[fd00::1]',
    '[fe80::1]',
    '[fe80::1%25lo]',
    '[::]',
  ],
  loopback: ['127.0.0.1', '127.255.255.254', '[::1]', 'localhost', 'LocalHost', 'anything.localhost'],
  'the metadata of clouds': ['169.254.169.254', '[fd00:ec2::254]', '168.63.129.16', '100.100.100.200', '192.0.0.192'],
  decimal: ['2130706433', '2852039166'],
  octal: ['0177.0.0.1', '017700000001', '0177.0.0.01'],
  hexadecimal: ['0x7f000001', '0x7f.1', '0x7F.0x0.0x0.0x1', '0xa9fea9fe'],
  'left out parts': ['127.1', '127.0.1', '0'],
  'a trailing dot': ['127.0.0.1.', '2130706433.', 'localhost.', 'LOCALHOST.'],
  'IPv4 within IPv6': [
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[0:0:0:0:0:ffff:a9fe:a9fe]',
    '[::127.0.0.1]',
    '[::ffff:0:127.0.0.1]',
  ],
  NAT64: ['[64:ff9b::7f00:1]', '[64:ff9b::10.0.0.1]', '[64:ff9b:1::a9fe:a9fe]'],
  '6to4 and Teredo': ['[2002:7f00:1::]', '[2001:0:7f00:1::]'],
  'other letters for the same': [
    '１２７.０.０.１',
    '127。0。0。1',
    '①②⑦.0.0.1',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
    'ｌｏｃａｌｈｏｓｔ',
    'loc\u00adalhost',
  ],
  percents: ['%31%32%37.0.0.1', '127%2e0%2e0%2e1', '%6cocalhost'],
  'names and passwords before the host': [
    'user:pass@example.com',
    'example.com@127.0.0.1',
    'example.com:443@127.0.0.1',
    'example.com%20@127.0.0.1',
  ],
  'what readers of addresses disagree about': [
    '127.0.0.1\\@example.com',
    '127.0.0.1#@example.com',
    '127.0.0.1?@example.com',
    '127.0.0.1;@example.com',
    '\t127.0.0.1',
    '127.0\n.0.1',
  ],
};
const everyTrick = Object.entries(tricks).flatMap(([trick, hosts]) =>
  hosts.map((host) => ({ trick, url: `https://${host}/hooks` })),
);

test('outbound http rejects a private address in any notation, when it is saved and at every attempt', async (t) => {
  for (const { trick, url } of everyTrick) {
    t.is(typeof (await strict.findUrlProblem(url)), 'string', `${trick}: ${url}`);
    t.is(typeof (await strict.findUrlProblem(url, { resolve: false })), 'string', `${trick}: ${url}`);
    t.like(await strict.post(url, noHeaders, '{}'), { kind: 'failed', reason: 'blocked_address' }, `${trick}: ${url}`);
  }
});

test('outbound http opens no connection to a rejected address', async (t) => {
  const listener = createRawServer();
  let connections = 0;
  listener.on('connection', () => (connections += 1));
  const port = String(await listen(listener));
  t.teardown(() => listener.close());
  const connect = pinnedConnector({ mayReach: isPublicIp, resolve: resolveName, timeoutMs: 1000 });
  const connecting = (hostname: string) =>
    new Promise<unknown>((resolve) => {
      connect({ hostname, port, protocol: 'http:' }, (...[error]) => resolve(error));
    });
  for (const url of [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '[::1]',
    '[::ffff:127.0.0.1]',
    'localhost',
    'LOCALHOST.',
    'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  ].map((host) => new URL(`http://${host}:${port}`))) {
    t.true((await connecting(url.hostname)) instanceof BlockedAddress, url.href);
    t.like(
      await strict.post(url.href.replace('http:', 'https:'), noHeaders, '{}'),
      { kind: 'failed', reason: 'blocked_address' },
      url.href,
    );
  }
  const rebinding = withNames([
    ['127.0.0.1'],
    ['::1'],
    ['::ffff:7f00:1'],
    ['64:ff9b::7f00:1'],
    ['8.8.8.8', '127.0.0.1'],
  ]);
  for (const count of [1, 2, 3, 4, 5]) {
    const outcome = await rebinding.http.post(`https://innocent.example:${port}/`, noHeaders, '{}');
    t.like(outcome, { kind: 'failed', reason: 'blocked_address' }, `lookup ${count}`);
  }
  t.is(connections, 0);
});

test('outbound http accepts only https URLs without passwords', async (t) => {
  for (const url of [
    'http://example.com/',
    'ftp://example.com/',
    'file:///etc/passwd',
    'https://user:pass@example.com/',
    'https://user@example.com/',
    'nonsense',
    '',
  ]) {
    t.is(typeof (await strict.findUrlProblem(url, { resolve: false })), 'string', url);
    t.like(await strict.post(url, noHeaders, '{}'), { kind: 'failed', reason: 'blocked_address' }, url);
  }
  t.is(await strict.findUrlProblem('https://example.com/hooks', { resolve: false }), undefined);
});

test('outbound http rejects a host name with any private address', async (t) => {
  for (const addresses of [
    ['10.0.0.1'],
    ['8.8.8.8', '127.0.0.1'],
    ['fd00::1'],
    ['::ffff:10.0.0.1'],
    ['64:ff9b::a9fe:a9fe'],
    ['169.254.169.254'],
    ['2606:4700::1', '::1'],
  ]) {
    const { http } = withNames([addresses]);
    t.is(typeof (await http.findUrlProblem('https://innocent.example/')), 'string', addresses.join());
    t.like(
      await http.post('https://innocent.example/', noHeaders, '{}'),
      { kind: 'failed', reason: 'blocked_address' },
      addresses.join(),
    );
  }
  const unknown = withNames([[]]);
  t.is(await unknown.http.findUrlProblem('https://not-yet.example/'), undefined);
});

test('outbound http resolves a host name once per connection', async (t) => {
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  const { port } = new URL(receiver.url);
  const rebinding = withNames([['127.0.0.1'], ['10.0.0.1']], true);
  const first = await rebinding.http.post(`http://rebind.example:${port}/`, noHeaders, '{}');
  t.like(first, { kind: 'responded', status: 204 });
  t.deepEqual(rebinding.resolved, ['rebind.example']);

  // The reverse: public when it was saved, private when it is called.
  const late = withNames([['8.8.8.8'], ['127.0.0.1']]);
  t.is(await late.http.findUrlProblem('https://rebind.example/'), undefined);
  t.like(await late.http.post(`https://rebind.example:${port}/`, noHeaders, '{}'), {
    kind: 'failed',
    reason: 'blocked_address',
  });
});

test('local mode allows loopback addresses, and no other private ones', async (t) => {
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  for (const host of ['127.0.0.1', 'localhost']) {
    t.like(await local.post(receiver.url.replace('127.0.0.1', host), { 'x-a': 'b' }, '{"a":1}'), {
      kind: 'responded',
      status: 204,
    });
  }
  t.deepEqual(
    receiver.requests.map(({ raw, headers }) => [raw, headers['x-a']]),
    [
      ['{"a":1}', 'b'],
      ['{"a":1}', 'b'],
    ],
  );
  for (const url of [
    'http://10.0.0.1/',
    'http://169.254.169.254/',
    'http://[fd00::1]/',
    'http://[::ffff:127.0.0.1]/',
  ]) {
    t.like(await local.post(url, noHeaders, ''), { kind: 'failed', reason: 'blocked_address' }, url);
  }
});

test('outbound http does not follow redirects', async (t) => {
  const [receiver, elsewhere] = [await startReceiver(), await startReceiver()];
  t.teardown(receiver.close);
  t.teardown(elsewhere.close);
  for (const status of [301, 302, 303, 307, 308]) {
    receiver.behave({ status, headers: { location: elsewhere.url } });
    t.like(await local.post(receiver.url, noHeaders, '{}'), { kind: 'responded', status });
  }
  t.is(elsewhere.requests.length, 0);
});

test('outbound http stores the first 4 KB of a response and reads at most 16 KB', async (t) => {
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  receiver.behave({ status: 200, body: 'é'.repeat(3000) });
  const long = await local.post(receiver.url, noHeaders, '{}');
  t.true(long.kind === 'responded' && long.status === 200 && long.body === 'é'.repeat(2048));

  // One that would never end.
  const endless = createRawServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const pour = () => {
        while (!socket.destroyed && socket.write(`400\r\n${'x'.repeat(1024)}\r\n`));
      };
      socket.on('drain', pour);
      pour();
    });
  });
  const port = await listen(endless);
  t.teardown(() => endless.close());
  const outcome = await local.post(`http://127.0.0.1:${port}/`, noHeaders, '{}');
  t.true(outcome.kind === 'responded' && outcome.status === 200 && outcome.body.length === 4096);
});

test('outbound http ends a response with endless headers', async (t) => {
  const server = createRawServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(`HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(40_000)}\r\n`));
  });
  const port = await listen(server);
  t.teardown(() => server.close());
  t.like(await local.post(`http://127.0.0.1:${port}/`, noHeaders, '{}'), { kind: 'failed', reason: 'too_large' });
});

test('outbound http skips an interim response, but an interim 100 that was not requested is a failure', async (t) => {
  let interim = '103 Early Hints';
  const server = createRawServer((socket) => {
    socket.once('data', () => socket.end(`HTTP/1.1 ${interim}\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n`));
  });
  const port = await listen(server);
  t.teardown(() => server.close());
  const post = () => local.post(`http://127.0.0.1:${port}/`, noHeaders, '{}');
  t.like(await post(), { kind: 'responded', status: 204 });
  interim = '100 Continue';
  t.like(await post(), { kind: 'failed', reason: 'reset' });
});

test('outbound http returns network failures as values that name the cause', async (t) => {
  t.like(await local.post(`http://127.0.0.1:${await freePort()}/`, noHeaders, '{}'), {
    kind: 'failed',
    reason: 'connect',
  });

  const receiver = await startReceiver();
  t.teardown(receiver.close);
  receiver.behave('reset');
  t.like(await local.post(receiver.url, noHeaders, '{}'), { kind: 'failed', reason: 'reset' });
  t.like(await local.post(receiver.url.replace('http:', 'https:'), noHeaders, '{}'), { kind: 'failed', reason: 'tls' });

  for (const code of ['ENOTFOUND', 'ETIMEOUT', 'ECONNREFUSED']) {
    const noName = createOutboundHttp({
      localMode: false,
      resolve: () => Promise.reject(Object.assign(new Error(`queryA ${code}`), { code, syscall: 'queryA' })),
    });
    t.like(await noName.post('https://nowhere.example/', noHeaders, '{}'), { kind: 'failed', reason: 'dns' }, code);
  }
});

test('outbound http rejects an untrusted certificate', async (t) => {
  const server = createTlsServer({}, (_request, response) => void response.end());
  const port = await listen(server);
  t.teardown(() => server.close());
  t.like(await local.post(`https://127.0.0.1:${port}/`, noHeaders, '{}'), { kind: 'failed', reason: 'tls' });
});

test('Retry-After is read as seconds and as a date', async (t) => {
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  const retryAfterOf = async (value: string) => {
    receiver.behave({ status: 503, headers: { 'retry-after': value, date: 'Fri, 20 Nov 2026 12:00:00 GMT' } });
    const outcome = await local.post(receiver.url, noHeaders, '{}');
    return outcome.kind === 'responded' ? outcome.retryAfterSeconds : undefined;
  };
  t.is(await retryAfterOf('120'), 120);
  t.is(await retryAfterOf('Fri, 20 Nov 2026 12:01:30 GMT'), 90);
  t.is(await retryAfterOf('Fri, 20 Nov 2026 11:00:00 GMT'), 0);
  t.is(await retryAfterOf('soon'), undefined);
});

test('outbound http aborts a request that hangs before or within its response after the total time', async (t) => {
  const withTimeout = createOutboundHttp({ localMode: true, timeoutMs: 300 });
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  receiver.behave('hang');
  t.like(await withTimeout.post(receiver.url, noHeaders, '{}'), { kind: 'failed', reason: 'timeout' });

  const dripping = createRawServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n');
      const drip = setInterval(() => socket.write('1\r\nx\r\n'), 20);
      socket.once('close', () => clearInterval(drip));
    });
  });
  const port = await listen(dripping);
  t.teardown(() => dripping.close());
  const outcome = await withTimeout.post(`http://127.0.0.1:${port}/`, noHeaders, '{}');
  t.like(outcome, { kind: 'failed', reason: 'timeout' });
  t.true(outcome.durationMs >= 290 && outcome.durationMs < 14_000);
});

test('outbound http aborts a request when its signal does', async (t) => {
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  receiver.behave('hang');
  const stop = new AbortController();
  const post = local.post(receiver.url, noHeaders, '{}', stop.signal);
  await receiver.received(1);
  stop.abort();
  await t.throwsAsync(post, { name: 'AbortError' });
});

async function listen(server: {
  listen(port: number, host: string, done: () => void): unknown;
  address(): unknown;
}): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}
