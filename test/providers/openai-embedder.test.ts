import anyTest, { type TestFn } from 'ava';
import type { Listening } from '#src/dev/listen.ts';
import { type EmbeddingsControl, embeddingsControl } from '#src/dev/simulators/embeddings/control.ts';
import { startEmbeddingsSimulator } from '#src/dev/simulators/embeddings/simulator.ts';
import { ProviderError } from '#src/lib/errors.ts';
import { silentLog } from '#src/lib/log.ts';
import { createOpenAiEmbedder } from '#src/providers/embeddings/openai-embedder.ts';
import { CircuitBreaker } from '#src/providers/lib/circuit-breaker.ts';
import { startReceiver } from '#test/support/receiver.ts';

interface Given {
  simulator: Listening;
  control: EmbeddingsControl;
}

const test = anyTest as TestFn<Given>;

// Serial, because an injected fault affects the next request.
test.serial.before(async (t) => {
  const simulator = await startEmbeddingsSimulator();
  t.context = { simulator, control: embeddingsControl(simulator.url) };
});
test.serial.beforeEach((t) => t.context.control.reset());
test.after.always((t) => t.context.simulator.close());

const options = { timeoutMs: 5000 };

function build(
  { simulator }: Given,
  given: { url?: string; key?: string | undefined; model?: string; failures?: number } = {},
) {
  const { url = simulator.url, model = 'simulated-1', failures = 50 } = given;
  const key = 'key' in given ? given.key : 'sk-simulated';
  return createOpenAiEmbedder({
    url,
    key,
    model,
    log: silentLog,
    breaker: new CircuitBreaker({ openMs: 60_000, failures }),
  });
}

async function failureOf(work: Promise<unknown>): Promise<{ failure: string; retryAfterSeconds: number | undefined }> {
  const error = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(error instanceof ProviderError)) throw new Error('The provider did not fail.');
  return { failure: error.failure, retryAfterSeconds: error.retryAfterSeconds };
}

test.serial('embed returns a vector for each text, in order, for any number of texts', async (t) => {
  const embedder = build(t.context);
  const texts = Array.from({ length: 150 }, (_, index) => `mug ${index}`);
  const vectors = await embedder.embed(texts, options);
  t.is(vectors.length, 150);
  t.true(vectors.every((vector) => vector.length === 256));
  const [alone] = await embedder.embed(['mug 149'], options);
  t.deepEqual(vectors[149], alone);
  t.is((await t.context.control.counts()).requests, 4, 'a request for every 64, and the one');
  await embedder.close?.();
});

test.serial(
  "createOpenAiEmbedder completes the endpoint's URL and requests short vectors where supported",
  async (t) => {
    const { simulator } = t.context;
    for (const path of ['', '/', '/v1', '/v1/', '/v1/embeddings']) {
      t.is((await build(t.context, { url: simulator.url + path }).embed(['mug'], options)).length, 1, path);
    }
    const [short] = await build(t.context, { model: 'text-embedding-3-small' }).embed(['mug'], options);
    t.is(short?.length, 512);
  },
);

test.serial('embed reads vectors that are numbers and in any order', async (t) => {
  const receiver = await startReceiver();
  const reply = (body: object) =>
    receiver.behave({ status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
  const embedder = build(t.context, { url: `${receiver.url}/embeddings`, key: undefined });
  reply({
    data: [
      { index: 1, embedding: [0, 1] },
      { index: 0, embedding: [1, 0] },
    ],
  });
  t.deepEqual(await embedder.embed(['a', 'b'], options), [Float32Array.of(1, 0), Float32Array.of(0, 1)]);
  t.false('authorization' in (receiver.requests[0]?.headers ?? {}));
  for (const body of [
    {},
    { data: [] },
    { data: [{ index: 0, embedding: [1] }] },
    {
      data: [
        { index: 0, embedding: [1] },
        { index: 1, embedding: [1, 2] },
      ],
    },
  ]) {
    reply(body);
    t.is((await failureOf(embedder.embed(['a', 'b'], options))).failure, 'away');
  }
  await receiver.close();
});

test.serial('embed classifies each failure', async (t) => {
  const { control } = t.context;
  const embedder = build(t.context);
  const after = async (status: number, more = {}) => {
    await control.fault({ kind: 'status', status, ...more });
    return failureOf(embedder.embed(['mug'], options));
  };
  t.deepEqual(await after(429, { retry_after: 7 }), { failure: 'busy', retryAfterSeconds: 7 });
  t.is((await after(500)).failure, 'away');
  t.is((await after(401)).failure, 'denied');
  t.is((await after(400)).failure, 'refused');
  t.is((await after(404)).failure, 'denied');
  await control.fault({ kind: 'reset' });
  t.is((await failureOf(embedder.embed(['mug'], options))).failure, 'away');
  await control.fault({ kind: 'hang' });
  t.is((await failureOf(embedder.embed(['mug'], { timeoutMs: 50 }))).failure, 'away');
  // On a busy machine that one was not sent in time, and the next would hang.
  await control.reset();
  t.is((await failureOf(build(t.context, { key: undefined }).embed(['mug'], options))).failure, 'denied');
});

test.serial('embed opens the breaker for an endpoint that does not respond', async (t) => {
  const embedder = build(t.context, { failures: 2 });
  await t.context.control.fault({ kind: 'status', status: 503, times: 2 });
  for (let time = 0; time < 2; time += 1) await failureOf(embedder.embed(['mug'], options));
  t.is((await failureOf(embedder.embed(['mug'], options))).failure, 'busy');
  t.is((await t.context.control.counts()).requests, 2);
});

test('a Retry-After that is no time to come is ignored, and a fraction of a second is one', async (t) => {
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  const embedder = build(t.context, { url: receiver.url });
  for (const [header, retryAfterSeconds] of [
    ['Infinity', undefined],
    ['-5', undefined],
    ['0.2', 1],
  ] as const) {
    receiver.behave({ status: 429, headers: { 'retry-after': header } });
    t.deepEqual(await failureOf(embedder.embed(['mug'], options)), { failure: 'busy', retryAfterSeconds }, header);
  }
});
