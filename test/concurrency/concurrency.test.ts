import { isDeepStrictEqual } from 'node:util';
import anyTest, { type TestFn } from 'ava';

import { routes } from '#src/api/routes.ts';
import { nameOf } from '#test/support/every-route.ts';
import { interceptStatements } from '#test/support/intercept-statements.ts';
import { interleave } from '#test/support/interleave.ts';
import { type Random, seededRandom } from '#test/support/random.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';
import { names, type Operation, prepare, routeOf } from './operations.ts';
import { readRows } from './read-rows.ts';
import { requests } from './requests.ts';
import { ports, SharedStore } from './shared-store.ts';

/*
 * Two operations on the same things at once: every request that changes something, jobs, an erasure and store files,
 * with each other and with themselves. One is forced into a gap between two statements of the other. Both end, and
 * leave the store, as if one had come after the other; who is rejected because the other is in progress tries again.
 *
 * In the suite these are some pairs, and a gap of each. With CONCURRENCY_PAIRS so many are tried in every gap, of all
 * pairs or of those whose names match CONCURRENCY_ONLY; CONCURRENCY_SEED chooses others.
 */
const { CONCURRENCY_PAIRS: pairsMax, CONCURRENCY_ONLY: only = '', CONCURRENCY_SEED: seed = '1' } = process.env;
const isLong = pairsMax !== undefined;

const test = anyTest as TestFn<ApiContext>;
useApi(test, { isRecorded: false, ports });

type Pair = readonly [Operation, Operation];

/** How two operations ended, and every row that they left. */
interface Outcome {
  readonly results: readonly string[];
  readonly rows: readonly string[];
}

type Arrange = (runs: readonly [() => Promise<void>, () => Promise<void>]) => Promise<void>;

/** Do both in a new store. */
async function doBoth(context: ApiContext, pair: Pair, arrange: Arrange): Promise<Outcome> {
  const store = await SharedStore.create(context.services);
  const results = ['', ''];
  const runOf = async (operation: Operation, index: 0 | 1) => {
    const run = await prepare(context, store, operation);
    return async () => {
      results[index] = await run().catch(String);
    };
  };
  const runs = [await runOf(pair[0], 0), await runOf(pair[1], 1)] as const;
  // So that what was looked up stays remembered.
  await context.clock.standStill(async () => {
    await arrange(runs);
    for (const [index, run] of runs.entries()) if (isToBeRepeated.test(results[index] ?? '')) await run();
  });
  const statuses = results.map(statusOf);
  return { results: isSame(pair) ? statuses.toSorted() : statuses, rows: await readRows(context.services, store.ctx) };
}

const isToBeRepeated = /in_progress|snooze|version_conflict/;

/** Which of several reasons a rejection names may differ. */
const statusOf = (result: string) => result.replace(/^(4\d\d) .*/, '$1');

const isSame = ([first, second]: Pair) => isDeepStrictEqual(first, second);

/** What the pair does in turn: the one first, and the other. */
async function doInTurn(context: ApiContext, pair: Pair): Promise<{ outcomes: Outcome[]; gaps: [number, number] }> {
  const gaps: [number, number] = [0, 0];
  const outcomes: Outcome[] = [];
  for (const first of isSame(pair) ? ([0] as const) : ([0, 1] as const)) {
    outcomes.push(
      await doBoth(context, pair, async (runs) => {
        gaps[first] = await countSent(context, runs[first]);
        await runs[1 - first]?.();
      }),
    );
  }
  return { outcomes, gaps };
}

async function countSent({ services }: ApiContext, work: () => Promise<void>): Promise<number> {
  let sent = 0;
  const end = interceptStatements(services.context().database.pool, () => ({ send }) => {
    sent += 1;
    return send();
  });
  await work();
  end();
  return sent;
}

/** What is wrong when the pair is done at once: in a gap of each at random, or in all gaps. */
async function findWrong(context: ApiContext, pair: Pair, random: Random | undefined): Promise<string[]> {
  const { outcomes, gaps } = await doInTurn(context, pair);
  const wrong: string[] = [];
  for (const first of isSame(pair) ? ([0] as const) : ([0, 1] as const)) {
    const all = Array.from({ length: gaps[first] }, (_, index) => index + 1);
    for (const gap of random ? [random.pick(all)] : all) {
      const atOnce = await doBoth(context, pair, async (runs) => {
        const isReached = await interleave(context.services, gap, runs[first], runs[first === 0 ? 1 : 0]);
        if (!isReached) await runs[1 - first]?.();
      });
      if (outcomes.some((known) => isDeepStrictEqual(known, atOnce))) continue;
      const [outer, inner] = first === 0 ? pair : [pair[1], pair[0]];
      wrong.push(`${inner.name} before statement ${gap} of ${outer.name}: ${differenceOf(atOnce, outcomes)}`);
    }
  }
  return wrong;
}

/** From the outcome that it differs least from. */
function differenceOf({ results, rows }: Outcome, outcomes: readonly Outcome[]): string {
  const [nearest] = outcomes
    .map((known) => ({
      added: rows.filter((row) => !known.rows.includes(row)),
      missing: known.rows.filter((row) => !rows.includes(row)),
    }))
    .toSorted((left, right) => left.added.length - right.added.length);
  return JSON.stringify({ results, inTurn: outcomes.map((known) => known.results), ...nearest }, undefined, 2);
}

/** What may end otherwise than one after the other. */
const accepted: readonly (readonly [one: RegExp, other: RegExp, reason: string])[] = [
  [/sign-?out$/, /sign-?out$/, 'both have ended the session'],
  [/checkout\/sessions$/, /checkout\/sessions$/, 'one that takes longer than three seconds is abandoned'],
  [
    /endpoints\/:id\/disable$/,
    /endpoints\/:id\/test$/,
    'its delivery may be left pending until the endpoint is enabled',
  ],
  [
    /(imports|exports|bulk-changes)\/:id\/cancel$/,
    /the job of an? (import|export|bulk change)$/,
    'it ends in the middle',
  ],
  [/^the job of an export$/, /^the job of an export$/, 'one that comes upon a chunk of the other is retried'],
  [/checkout\/sessions$/, /promo codes and gift cards$/, 'a checkout reads its code and its card one after the other'],
  [
    /(cart\/save|checkout\/sessions)$/,
    /^the erasure of a person$/,
    'what is new meanwhile stays, and is anonymised in part',
  ],
  [
    /(leads\/waitlist|wholesale|billing-portal)$/,
    /^the erasure of a person$/,
    'what is new meanwhile goes with its lead or its customer, and is not counted',
  ],
];

const isAccepted = (one: string, other: string) =>
  accepted.some(([first, second]) => first.test(one) && second.test(other));

/** The pairs of operations that are about the same thing. Each has to succeed alone. */
class Pairs {
  readonly #context: ApiContext;
  readonly #things = new Map<string, ReadonlySet<unknown>>();

  constructor(context: ApiContext) {
    this.#context = context;
  }

  async all(): Promise<Pair[]> {
    const pairs = names.flatMap(twice);
    for (const [index, one] of names.entries()) {
      for (const other of names.slice(index + 1)) if (await this.#share(one, other)) pairs.push(pairOf(one, other));
    }
    return pairs;
  }

  async pick(random: Random): Promise<Pair> {
    for (;;) {
      const one = random.pick(names);
      const other = random.chance(0.2) ? one : random.pick(names);
      const same = one === other ? twice(one) : [];
      if (same.length > 0) return random.pick(same);
      if (one !== other && (await this.#share(one, other))) return pairOf(one, other);
    }
  }

  async #share(one: string, other: string): Promise<boolean> {
    if (isAccepted(one, other) || isAccepted(other, one)) return false;
    const things = await this.#thingsOf(other);
    return [...(await this.#thingsOf(one))].some((thing) => things.has(thing));
  }

  async #thingsOf(name: string): Promise<ReadonlySet<unknown>> {
    const known = this.#things.get(name);
    if (known) return known;
    const store = await SharedStore.create(this.#context.services);
    const run = await prepare(this.#context, store, { name });
    const result = await run();
    if (!isSuccess.test(result)) throw new Error(`${name} is not valid: ${result}`);
    this.#things.set(name, store.things);
    return store.things;
  }
}

const isSuccess = /^(2\d\d|done|erased|applied)$/;

const pairOf = (one: string, other: string): Pair => [{ name: one }, { name: other, isSecond: true }];

/** The same, with the same values and with others, and with one Idempotency-Key where that is supported. */
function twice(name: string): Pair[] {
  const keyed = { name, idempotencyKey: 'one' };
  if (isAccepted(name, name)) return [];
  return [pairOf(name, name), [{ name }, { name }], ...(routeOf(name)?.idempotent ? [[keyed, keyed] as const] : [])];
}

test('every request that changes something is among the operations', (t) => {
  const changing = routes.filter(({ method }) => method !== 'get').map(nameOf);
  t.deepEqual(Object.keys(requests).toSorted(), changing.toSorted());
});

test.serial('two operations at once leave what they leave one after the other', async (t) => {
  const random = seededRandom(Number(seed));
  const pairs = new Pairs(t.context);
  const left = isLong ? (await pairs.all()).filter((pair) => namesOf(pair).match(only)) : [];
  const count = isLong ? Math.min(Number(pairsMax), left.length) : 30;
  if (isLong) t.timeout(count * 60_000);
  const wrong: string[] = [];
  for (let tried = 0; tried < count; tried += 1) {
    const [pair = await pairs.pick(random)] = left.splice(random.below(left.length), 1);
    wrong.push(...(await findWrong(t.context, pair, isLong ? undefined : random)));
  }
  t.deepEqual(wrong, [], `CONCURRENCY_SEED=${seed}`);
});

test.serial('a checkout and a store file that changes its promo code and its gift card do not deadlock', async (t) => {
  const pair = pairOf('POST /api/v1/checkout/sessions', 'a store file that changes promo codes and gift cards');
  const wrong = await findWrong(t.context, pair, undefined);
  t.deepEqual(
    wrong.filter((each) => each.includes('503')),
    [],
  );
});

const namesOf = (pair: Pair) => pair.map(({ name }) => name).join(' + ');
