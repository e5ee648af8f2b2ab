import test from 'ava';
import { check } from 'recheck';

import { type Pattern, patterns } from './patterns.ts';

/*
 * A pattern that takes quadratic time can stop a whole process: callers, providers and files may send any text. Every
 * pattern must take linear time.
 */
const characters = 200_000;
const allowedMs = 50;
const triesMax = 5;
const distinct = [...new Map(patterns.map((pattern) => [`${pattern.source} ${pattern.flags}`, pattern])).values()];

/** What looks ahead or behind is no automaton, and left to the next test. */
test('every pattern takes linear time: its automaton has no text that makes it take longer', async (t) => {
  t.true(patterns.length > 100);
  const slow: string[] = [];
  for (const { path, source, flags } of distinct) {
    const found = await check(source, flags, { checker: 'automaton', timeout: 20_000 });
    if (found.status === 'vulnerable') slow.push(`${path}: /${source}/${flags} is ${found.complexity.summary}`);
  }
  t.deepEqual(slow, []);
});

test('every pattern takes at most 50 ms of processor time for a hurtful text of 200,000 characters', (t) => {
  const slow = distinct.flatMap((pattern) =>
    [...unitsOf(pattern)].flatMap((unit) => {
      const text = `${unit.repeat(characters / unit.length)}\u0001`;
      const ms = timeOf(pattern, text);
      return ms > allowedMs ? [`${pattern.path}: /${pattern.source}/ took ${ms} ms for ${JSON.stringify(unit)}`] : [];
    }),
  );
  t.deepEqual(slow, []);
});

/**
 * Repetitions that may be slow for a pattern: each character that it names, each two in their order, and some of every
 * kind.
 */
function unitsOf({ source }: Pattern): Set<string> {
  const named = source.replaceAll(/\\./g, '').match(/[^\\^$*+?(){}|]/g) ?? [];
  return new Set([
    ...' a0-_.<[(@/"\n',
    ...named,
    ...named.slice(1).map((character, index) => `${named[index]}${character}`),
  ]);
}

/** The processor time to find all that it matches, as the fastest of several tries took. */
function timeOf({ source, flags }: Pattern, text: string): number {
  const pattern = new RegExp(source, flags.includes('g') ? flags : `${flags}g`);
  let fastest = Infinity;
  for (let tries = 0; tries < triesMax && fastest > allowedMs; tries += 1) {
    const before = process.threadCpuUsage();
    text.replaceAll(pattern, '');
    const { user, system } = process.threadCpuUsage(before);
    fastest = Math.min(fastest, (user + system) / 1000);
  }
  return fastest;
}
