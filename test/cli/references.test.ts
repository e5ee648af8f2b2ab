import test from 'ava';
import fc from 'fast-check';

import { hideReferences, resolveReferences, showReferences } from '#src/cli/apply/references.ts';

const resolve = (name: string) => `<${name}>`;

test('resolveReferences replaces a reference by its value and an escaped one by its text', (t) => {
  t.is(
    resolveReferences(hideReferences('a ${ONE}${TWO_2} $${THREE} $ {X} ${} ${4}'), resolve),
    'a <ONE><TWO_2> ${THREE} $ {X} ${} ${4}',
  );
});

test('resolveReferences does not resolve references inside values', (t) => {
  t.is(
    resolveReferences(hideReferences('${ONE}'), () => '${TWO}'),
    '${TWO}',
  );
});

test('hidden references have the same length on every line and can be restored', (t) => {
  const part = fc.constantFrom(
    '${A}',
    '$${B}',
    '$$${C}',
    '{ x: ${D_1} }',
    '\n',
    'plain',
    '$',
    '{',
    '}',
    '${',
    '${e f}',
  );
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const text = parts.join('');
      const hidden = hideReferences(text);
      t.deepEqual(
        hidden.split('\n').map(({ length }) => length),
        text.split('\n').map(({ length }) => length),
      );
      t.is(showReferences(hidden), text);
    }),
  );
});
