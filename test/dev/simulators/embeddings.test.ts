import test, { type ExecutionContext } from 'ava';

import { embeddingsControl } from '#src/dev/simulators/embeddings/control.ts';
import { startEmbeddingsSimulator } from '#src/dev/simulators/embeddings/simulator.ts';

interface EmbeddingsResponse {
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
  const embed = async (body: object): Promise<EmbeddingsResponse> => {
    const response = await post({ model: 'small', ...body });
    if (!response.ok) throw new Error(`responded ${response.status}`);
    return (await response.json()) as EmbeddingsResponse;
  };
  const likeness = async (one: string, other: string) => {
    const { data } = await embed({ input: [one, other] });
    return cosine(data[0]?.embedding ?? [], data[1]?.embedding ?? []);
  };
  return { control: embeddingsControl(simulator.url), post, embed, likeness };
}

function cosine(one: number[], other: number[]): number {
  return one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
}

test('embeddings simulator puts synonyms near each other, and other words apart', async (t) => {
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

test('embeddings simulator puts a misspelt word nearer than another word', async (t) => {
  const { likeness } = await bundle(t);

  t.true((await likeness('terracotta', 'teracotta')) > (await likeness('terracotta', 'porcelain')) + 0.3);
});

test('embeddings simulator ranks the meant product first', async (t) => {
  const { embed } = await bundle(t);
  const products = ['Stoneware mug, 350 ml, hand thrown', 'Linen throw for the couch', 'Oak desk lamp'];
  const nearest = async (query: string) => {
    const { data } = await embed({ input: [query, ...products] });
    const [queried, ...found] = data.map(({ embedding }) => embedding);
    const scores = found.map((embedding) => cosine(queried ?? [], embedding));
    return products[scores.indexOf(Math.max(...scores))];
  };

  t.is(await nearest('ceramic cup'), products[0]);
  t.is(await nearest('blanket for my sofa'), products[1]);
  t.is(await nearest('wooden light'), products[2]);
});

test('embeddings simulator returns the same unit vector every time, in both encodings', async (t) => {
  const { embed } = await bundle(t);

  const [first, again] = [await embed({ input: 'A mug' }), await embed({ input: ['A mug'] })];
  const coded = await embed({ input: 'A mug', encoding_format: 'base64', dimensions: 64 });
  const plain = await embed({ input: 'A mug', encoding_format: 'float', dimensions: 64 });

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

test('embeddings simulator rejects a request without a key, and an invalid one, as the API does', async (t) => {
  const { post } = await bundle(t);

  t.is((await post({ model: 'small', input: 'x' }, {})).status, 401);
  const empty = await post({ model: 'small', input: '' });
  t.is(empty.status, 400);
  t.like(await empty.json(), { error: { type: 'invalid_request_error', param: 'input' } });
  t.is((await post({ input: 'x' })).status, 400);
  t.is((await post({ model: 'small', input: [] })).status, 400);
});

test('embeddings simulator fails, delays and disconnects under faults, and counts requests', async (t) => {
  const { control, post, embed } = await bundle(t);

  await control.fault({ kind: 'status', status: 429, retry_after: 3 });
  const busy = await post({ model: 'small', input: 'x' });
  t.deepEqual([busy.status, busy.headers.get('retry-after')], [429, '3']);
  await control.fault({ kind: 'reset' });
  await t.throwsAsync(embed({ input: 'x' }));
  await control.fault({ kind: 'hang' });
  const controller = new AbortController();
  const pending = post({ model: 'small', input: 'x' }, {}, controller.signal);
  while ((await control.counts()).requests < 3);
  controller.abort();
  await t.throwsAsync(pending, { name: 'AbortError' });
  await control.fault({ kind: 'delay', ms: 30 });
  await embed({ input: ['one', 'two'] });

  t.deepEqual(await control.counts(), { requests: 4, succeeded: 1, inputs: 2, tokens: 2 });
  await control.fault({ kind: 'status', times: 5 });
  await control.clearFaults();
  await embed({ input: 'x' });
  await control.reset();
  t.is((await control.counts()).requests, 0);
});
