import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

import type { TestFn } from 'ava';
import anyTest from 'ava';

import { ensureConsole } from '#src/console/build/ensure-built.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';

const test = anyTest as TestFn<ApiContext>;
useApi(test, { isRecorded: false });

test.before(async () => {
  await ensureConsole();
});

const built = new URL('../../src/console/dist/', import.meta.url);

interface Chunk {
  readonly file: string;
  readonly isEntry?: true;
  readonly imports?: readonly string[];
  readonly css?: readonly string[];
}

const manifest = (): Record<string, Chunk> => JSON.parse(readFileSync(new URL('manifest.json', built), 'utf8'));
const entryFile = () => Object.values(manifest()).find(({ isEntry }) => isEntry)?.file ?? '';

test('GET /admin returns the page of the console, whose policy allows the styles of this response alone', async (t) => {
  const page = () => fetch(`${t.context.api.url}/admin`);
  const [first, second] = await Promise.all([page(), page()]);
  t.is(first.status, 200);
  t.is(first.headers.get('content-type'), 'text/html; charset=utf-8');
  t.is(first.headers.get('cache-control'), 'no-store');
  const policy = first.headers.get('content-security-policy') ?? '';
  const [, nonce = ''] = /style-src 'self' 'nonce-([\w-]{22})'/.exec(policy) ?? [];
  t.regex(policy, /default-src 'none'; script-src 'self'; .*frame-ancestors 'none'/);
  const text = await first.text();
  t.true(text.includes(`nonce="${nonce}"`));
  t.false(text.includes('{nonce}'));
  t.notRegex(text, /<script(?![^>]* src=)/);
  t.not(second.headers.get('content-security-policy'), policy);
});

test('GET /admin/assets/:name returns a file for ever, in the best encoding that the browser accepts', async (t) => {
  const url = `${t.context.api.url}/admin/${entryFile()}`;
  const get = (headers: Record<string, string>) => fetch(url, { headers });
  for (const [accepted, encoding] of [
    ['gzip, br', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ] as const) {
    const response = await get({ 'accept-encoding': accepted });
    t.is(response.status, 200);
    t.is(response.headers.get('content-encoding'), encoding);
    t.is(response.headers.get('content-type'), 'text/javascript; charset=utf-8');
    t.is(response.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    t.is(response.headers.get('vary'), 'Accept-Encoding');
    t.deepEqual(Buffer.from(await response.arrayBuffer()), readFileSync(new URL(entryFile(), built)));
  }
  const { headers } = await get({});
  t.is((await get({ 'if-none-match': headers.get('etag') ?? '' })).status, 304);
});

test('GET /admin/assets/:name rejects what is not a file of the console', async (t) => {
  for (const name of ['nothing.js', '..%2Findex.html', '%2e%2e%2fdigest', 'manifest.json', 'index.js%00', '.js']) {
    const response = await fetch(`${t.context.api.url}/admin/assets/${name}`);
    t.is(response.status, 404, name);
    t.like(await response.json(), { error: 'not_found' });
  }
  t.is((await fetch(`${t.context.api.url}/admin`, { method: 'POST' })).status, 405);
});

test('the first page of the console loads at most 350 kB', (t) => {
  const chunks = manifest();
  const files = new Set<string>();
  const add = (name: string) => {
    const { file, imports = [], css = [] } = chunks[name]!;
    if (files.has(file)) return;
    for (const loaded of [file, ...css]) files.add(loaded);
    imports.forEach(add);
  };
  for (const page of ['index.html', 'src/pages/today/today.tsx']) add(page);
  const sizes = [...files].map((file) => gzipSync(readFileSync(new URL(file, built))).length);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  t.log(`${Math.round(total / 1000)} kB in ${sizes.length} files`);
  t.true(total <= 350_000, `${total} bytes`);
});
