import { Agent, request } from 'undici';
import type { Embedder, EmbedOptions } from '#src/domain/ports/embedder.ts';
import { seconds } from '#src/lib/duration.ts';
import { ProviderError } from '#src/lib/errors.ts';
import type { Log } from '#src/lib/log.ts';
import { type Static, Type } from '#src/lib/schema.ts';
import { signalWithin } from '#src/lib/signal-within.ts';
import { inCall } from '#src/lib/tracing.ts';
import { fits } from '#src/lib/validation.ts';
import type { CircuitBreaker } from '../lib/circuit-breaker.ts';
import { readRetryAfter } from '../lib/retry-after.ts';

export interface EmbedderOptions {
  /** The endpoint, or its base URL: `https://api.openai.com`. */
  readonly url: string;
  readonly key: string | undefined;
  readonly model: string;
  readonly log: Log;
  readonly breaker: CircuitBreaker;
}

/** The largest number of texts in one request. */
const batchSize = 64;

/** Models that support shorter vectors, which save memory at hardly any loss of quality. */
const shortensVectors = /^text-embedding-3-/;
const shortLength = 512;

const EmbeddingsResponse = Type.Object({
  data: Type.Array(
    Type.Object({
      index: Type.Integer({ minimum: 0 }),
      embedding: Type.Union([Type.String(), Type.Array(Type.Number())]),
    }),
  ),
});

/** An embedder for endpoints that are compatible with OpenAI's API, as those of most providers are. */
export function createOpenAiEmbedder({ url, key, model, log, breaker }: EmbedderOptions): Embedder {
  const endpoint = endpointOf(url);
  const agent = new Agent({ connections: 8, connect: { timeout: seconds(5) }, keepAliveTimeout: seconds(30) });

  async function embedBatch(texts: readonly string[], { signal, timeoutMs }: EmbedOptions): Promise<Float32Array[]> {
    const startedAt = performance.now();
    const body = {
      model,
      input: texts,
      encoding_format: 'base64',
      ...(shortensVectors.test(model) && { dimensions: shortLength }),
    };
    let status: number | undefined;
    try {
      const response = await request(endpoint, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(key && { authorization: `Bearer ${key}` }) },
        body: JSON.stringify(body),
        dispatcher: agent,
        signal: signalWithin(timeoutMs, signal),
      });
      status = response.statusCode;
      const text = await response.body.text();
      if (status !== 200) throw classifyStatus(status, response.headers['retry-after']);
      return readVectors(text, texts.length);
    } catch (error) {
      if (error instanceof ProviderError) throw error;
      throw new ProviderError('embeddings', 'away', 'The embeddings endpoint did not respond.', { cause: error });
    } finally {
      log.info(
        {
          provider: 'embeddings',
          operation: 'embeddings.create',
          status,
          texts: texts.length,
          ms: Math.round(performance.now() - startedAt),
        },
        'provider call',
      );
    }
  }

  return {
    model,
    async embed(texts, options) {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += batchSize) {
        vectors.push(
          ...(await breaker.run('embeddings', model, () =>
            inCall('embeddings', 'embeddings.create', () => embedBatch(texts.slice(at, at + batchSize), options)),
          )),
        );
      }
      return vectors;
    },
    close: () => agent.destroy(),
  };
}

function endpointOf(url: string): string {
  const endpoint = new URL(url);
  const path = endpoint.pathname.replace(/(?<!\/)\/+$/, '');
  if (!path.endsWith('/embeddings')) endpoint.pathname = `${path || '/v1'}/embeddings`;
  return endpoint.href;
}

/** Some providers return numbers even when base64 is requested. */
function readVectors(text: string, count: number): Float32Array[] {
  const response = parse(text);
  const vectors =
    response?.data.toSorted((left, right) => left.index - right.index).map(({ embedding }) => toVector(embedding)) ??
    [];
  const length = vectors[0]?.length ?? 0;
  if (vectors.length === count && length > 0 && vectors.every((vector) => vector.length === length)) return vectors;
  throw new ProviderError('embeddings', 'away', 'The embeddings endpoint returned an invalid response.');
}

function parse(text: string): Static<typeof EmbeddingsResponse> | undefined {
  try {
    const response: unknown = JSON.parse(text);
    return fits(EmbeddingsResponse, response) ? response : undefined;
  } catch {
    return undefined;
  }
}

function toVector(embedding: string | readonly number[]): Float32Array {
  if (typeof embedding !== 'string') return Float32Array.from(embedding);
  const bytes = Buffer.from(embedding, 'base64');
  return Float32Array.from({ length: Math.floor(bytes.length / 4) }, (_, index) => bytes.readFloatLE(index * 4));
}

/** Statuses that may be due to the text. An endpoint that returns another one accepts no text at all. */
const ofText: readonly number[] = [400, 413, 422];

/** Classify a status other than 200. The response body may repeat the request, so it is not stored in the error. */
function classifyStatus(status: number, retryAfter: string | string[] | undefined): ProviderError {
  const retryAfterSeconds = readRetryAfter([retryAfter].flat()[0]);
  const error = (failure: ProviderError['failure'], message: string) =>
    new ProviderError('embeddings', failure, message, { code: String(status), retryAfterSeconds });

  if (status === 401 || status === 403) return error('denied', 'The embeddings endpoint rejected the API key.');
  if (status === 429) return error('busy', 'The embeddings endpoint limits the request rate.');
  if (status >= 500 || status === 408) return error('away', `The embeddings endpoint returned status ${status}.`);
  if (ofText.includes(status))
    return error('refused', `The embeddings endpoint rejected a text with status ${status}.`);
  return error('denied', `The embeddings endpoint returned status ${status}: its URL, model or account may be wrong.`);
}
