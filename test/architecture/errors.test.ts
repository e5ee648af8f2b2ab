import test from 'ava';

import { errorCodes, meaningOf } from '#src/api/lib/error-codes.ts';
import { statusOf } from '#src/api/lib/reply-to-error.ts';
import { sources } from './sources.ts';

/** Files that name codes without throwing them. */
const lists = ['src/api/lib/error-codes.ts', 'src/api/lib/documented-errors.ts'];
const product = sources.filter(({ path }) => !path.startsWith('src/dev/') && !lists.includes(path));

const domainError = /new DomainError\(\s*'(\w+)',\s*'(\w+)'/g;
const httpError = /new HttpError\(\s*(\d+),\s*'(\w+)'/g;

test('every error in the code has a listed code and status', (t) => {
  const wrong = product
    .flatMap(({ path, text }) => [
      ...[...text.matchAll(domainError)].map(([, kind = '', code = '']) => ({
        path,
        code,
        status: Object.entries(statusOf).find(([name]) => name === kind)?.[1],
      })),
      ...[...text.matchAll(httpError)].map(([, status, code = '']) => ({ path, code, status: Number(status) })),
    ])
    .filter(({ code, status }) => meaningOf(code)?.status !== status);
  t.deepEqual(wrong, []);
});

test('every listed error code is thrown', (t) => {
  const thrown = product.map(({ text }) => text.replaceAll(/\berrors: \[[^\]]*\]/g, '')).join('\n');
  t.deepEqual(
    Object.keys(errorCodes).filter((code) => !thrown.includes(`'${code}'`)),
    [],
  );
});
