import test, { type ExecutionContext } from 'ava';

import { embeddingsControl } from '#src/dev/simulators/embeddings/control.ts';
import { startEmbeddingsSimulator } from '#src/dev/simulators/embeddings/simulator.ts';

interface Answer {
  data: { index: number; embedding: number[] }[];
  model: string;
  usage: { prompt_tokens: number; total_tokens: number };
}

async function bundle(t: ExecutionContext) {
  const simulator = await startEmbeddingsSimulator();
  t.teardown(() => simulator.close());
  const post = (
    body: object,
    headers: Record<string, string> = { authorization: 'Bearer key' },
    signal?: AbortSignal,
  ) =>
    fetch(`${simulator.url}/v1/embeddings`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  const ask = async (body: object): Promise<Answer> => {
    const answer = await post({ model: 'small', ...body });
    if (!answer.ok) throw new Error(`answered ${answer.status}`);
    return (await answer.json()) as Answer;
  };
  const likeness = async (one: string, other: string) => {
    const { data } = await ask({ input: [one, other] });
    return cosine(data[0]?.embedding ?? [], data[1]?.embedding ?? []);
  };
  return { control: embeddingsControl(simulator.url), post, ask, likeness };
}

function cosine(one: number[], other: number[]): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

test('words that mean the same lie together, others do not', async (t) => {
  const { likeness } = await bundle(t);

  for (const [one, other] of [
    ['mug', 'cup'],
    ['Sofa', 'couches'],
    ['tee', 'T-Shirt'],
    ['bowls', 'dish'],
    ['blanket', 'throw'],
    ['a red mug', 'crimson cups'],
  ] as const) {
    t.true((await likeness(one, other)) > 0.8, `${one} and ${other}`);
  }
  for (const [one, other] of [
    ['mug', 'sofa'],
    ['bowl', 'towel'],
    ['blanket', 'basket'],
    ['lamp', 'notebook'],
  ] as const) {
    t.true((await likeness(one, other)) < 0.5, `${one} and ${other}`);
  }
});

test('a slip of the pen is nearer than another word', async (t) => {
  const { likeness } = await bundle(t);

  t.true((await likeness('terracotta', 'teracotta')) > (await likeness('terracotta', 'porcelain')) + 0.3);
});

test('the product that is meant comes first', async (t) => {
  const { ask } = await bundle(t);
  const products = ['Stoneware mug, 350 ml, hand thrown', 'Linen throw for the couch', 'Oak desk lamp'];
  const nearest = async (query: string) => {
    const { data } = await ask({ input: [query, ...products] });
    const [asked, ...found] = data.map(({ embedding }) => embedding);
    const scores = found.map((embedding) => cosine(asked ?? [], embedding));
    return products[scores.indexOf(Math.max(...scores))];
  };

  t.is(await nearest('ceramic cup'), products[0]);
  t.is(await nearest('blanket for my sofa'), products[1]);
  t.is(await nearest('wooden light'), products[2]);
});

test('vectors are the same every time, of length one, in either encoding', async (t) => {
  const { ask } = await bundle(t);

  const [first, again] = [await ask({ input: 'A mug' }), await ask({ input: ['A mug'] })];
  const coded = await ask({ input: 'A mug', encoding_format: 'base64', dimensions: 64 });
  const plain = await ask({ input: 'A mug', encoding_format: 'float', dimensions: 64 });

  t.deepEqual(again, first);
  const vector = first.data[0]?.embedding ?? [];
  t.is(vector.length, 256);
  t.true(Math.abs(cosine(vector, vector) - 1) < 1e-5);
  const octets = Buffer.from(String(coded.data[0]?.embedding), 'base64');
  t.is(octets.length, 64 * 4);
  t.deepEqual(
    Array.from({ length: 64 }, (_, at) => octets.readFloatLE(at * 4)),
    plain.data[0]?.embedding,
  );
  t.is(first.model, 'small');
  t.deepEqual(first.usage, { prompt_tokens: 2, total_tokens: 2 });
});

test('a request without a key, or without sense, is refused as the API refuses it', async (t) => {
  const { post } = await bundle(t);

  t.is((await post({ model: 'small', input: 'x' }, {})).status, 401);
  const empty = await post({ model: 'small', input: '' });
  t.is(empty.status, 400);
  t.like(await empty.json(), { error: { type: 'invalid_request_error', param: 'input' } });
  t.is((await post({ input: 'x' })).status, 400);
  t.is((await post({ model: 'small', input: [] })).status, 400);
});

test('the simulator fails, dawdles or hangs up when it is told to, and counts', async (t) => {
  const { control, post, ask } = await bundle(t);

  await control.fault({ kind: 'status', status: 429, retry_after: 3 });
  const busy = await post({ model: 'small', input: 'x' });
  t.deepEqual([busy.status, busy.headers.get('retry-after')], [429, '3']);
  await control.fault({ kind: 'reset' });
  await t.throwsAsync(ask({ input: 'x' }));
  await control.fault({ kind: 'hang' });
  const patience = new AbortController();
  const unanswered = post({ model: 'small', input: 'x' }, {}, patience.signal);
  while ((await control.counts()).requests < 3);
  patience.abort();
  await t.throwsAsync(unanswered, { name: 'AbortError' });
  await control.fault({ kind: 'delay', ms: 30 });
  await ask({ input: ['one', 'two'] });

  t.deepEqual(await control.counts(), { requests: 4, succeeded: 1, inputs: 2, tokens: 2 });
  await control.fault({ kind: 'status', times: 5 });
  await control.clearFaults();
  await ask({ input: 'x' });
  await control.reset();
  t.is((await control.counts()).requests, 0);
});
