import { globSync, readFileSync } from 'node:fs';
import test from 'ava';

/** What an expression may show, without what it compares. */
const textsOf = (expression: string) =>
  [...expression.replaceAll(/=== '[^']*'/g, '').matchAll(/'([^']*)'/g)].map(([, part = '']) => part);

const root = new URL('../../', import.meta.url);
const texts = globSync('src/console/src/**/*.tsx', { cwd: root }).flatMap((file) =>
  [...readFileSync(new URL(file, root), 'utf8').matchAll(/\bempty=(?:"([^"]*)"|\{([^}]*)\})/g)].flatMap(
    ([, text, expression = '']) =>
      (text === undefined ? textsOf(expression) : [text]).map((text) => [file, text] as const),
  ),
);

test('each part of a page says where it is empty what it is for, in words of its own', (t) => {
  t.true(texts.length > 30);
  t.deepEqual(
    texts.filter(([, text]) => text.split(' ').length < 8),
    [],
  );
  t.is(new Set(texts.map(([, text]) => text)).size, texts.length);
});
