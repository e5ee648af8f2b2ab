import { stripTypeScriptTypes } from 'node:module';

import { type Node, parse } from 'acorn';
import test from 'ava';

import { testSources } from './sources.ts';

/** The fields of acorn's nodes that a call, or an array, has. */
interface Written extends Node {
  readonly callee?: { readonly property?: { readonly name?: string } };
  readonly arguments?: readonly Written[];
  readonly elements?: readonly unknown[];
}

test('no selector of t.like has an array, beyond which it would ignore what a list has', (t) => {
  const arrays = testSources
    .filter(({ text }) => text.includes('t.like('))
    .flatMap(({ path, text }) =>
      nodesIn(parse(stripTypeScriptTypes(text), { ecmaVersion: 'latest', sourceType: 'module' }))
        .filter(({ type, callee }) => type === 'CallExpression' && callee?.property?.name === 'like')
        .flatMap((call) => nodesIn(call.arguments?.[1]))
        .filter(({ elements = [] }) => elements.length > 0)
        .map(({ start }) => `${path}:${text.slice(0, start).split('\n').length}`),
    );
  t.deepEqual(arrays, [], 'write only(…) of test/support/only.ts');
});

/** A limit of a test, of a condition, or of what is done in a page. */
const ownLimit = /\bt\.timeout\(\d|\buntil\([^;]*\bwithinMs: \d|\.setDefault\w*Timeout\(|\.\w+\([^;()]*\{ timeout: \d/;
/** They measure, or say it once. */
const saysLimits = /^test\/(bench|screenshots|support)\//;

test('no test has a time limit of its own, which a busy machine may exceed', (t) => {
  const own = testSources.filter(({ path, text }) => !saysLimits.test(path) && ownLimit.test(text));
  t.deepEqual(
    own.map(({ path, text }) => `${path}: ${ownLimit.exec(text)?.[0]}`),
    [],
    'wait with until or in a page for as long as everywhere (test/support/until.ts)',
  );
});

function nodesIn(value: unknown): Written[] {
  if (typeof value !== 'object' || value === null) return [];
  const within = Object.values(value).flatMap(nodesIn);
  return 'type' in value ? [value as Written, ...within] : within;
}
