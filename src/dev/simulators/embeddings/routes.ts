import { setTimeout as wait } from 'node:timers/promises';
import Router from '@koa/router';
import type { Context } from 'koa';
import getRawBody from 'raw-body';
import Type, { type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';

import { createEmbedder } from './embed.ts';

type Ctx = Pick<Context, 'req' | 'get' | 'set' | 'status' | 'body' | 'respond'>;

const optional = Type.Optional;
const inputsMax = 2048;
const EmbeddingsRequest = Type.Object({
  model: Type.String({ minLength: 1 }),
  input: Type.Union([
    Type.String({ minLength: 1 }),
    Type.Array(Type.String({ minLength: 1 }), { minItems: 1, maxItems: inputsMax }),
  ]),
  encoding_format: optional(Type.Enum(['float', 'base64'])),
  dimensions: optional(Type.Integer({ minimum: 1, maximum: 4096 })),
  user: optional(Type.String()),
});
const FaultBody = Type.Object({
  kind: Type.Enum(['status', 'delay', 'hang', 'reset']),
  status: optional(Type.Integer({ minimum: 200, maximum: 599 })),
  retry_after: optional(Type.Number({ minimum: 0 })),
  ms: optional(Type.Number({ minimum: 0 })),
  times: optional(Type.Integer({ minimum: 1 })),
});

/** The embeddings endpoint and the control API. */
export function embeddingsRoutes(defaultDimensions: number): Router {
  const embed = createEmbedder();
  let state: EmbeddingsState = initialState();
  const router = new Router();

  router.post('/v1/embeddings', async (ctx) => {
    const body = await readJson(ctx);
    state.counts.requests += 1;
    if (await applyFault(ctx, state)) return;
    if (!/^Bearer \S+$/.test(ctx.get('authorization'))) {
      return reject(ctx, 401, 'You did not provide an API key.', null);
    }
    if (!Value.Check(EmbeddingsRequest, body)) {
      const path = Value.Errors(EmbeddingsRequest, body)[0]?.instancePath.split('/')[1] ?? null;
      return reject(ctx, 400, `Invalid request${path === null ? '' : `: '${path}' is not valid`}.`, path);
    }
    const inputs = typeof body.input === 'string' ? [body.input] : body.input;
    const dimensions = body.dimensions ?? defaultDimensions;
    // About four characters are a token.
    const tokens = inputs.reduce((sum, input) => sum + Math.ceil(input.length / 4), 0);
    state.counts.succeeded += 1;
    state.counts.inputs += inputs.length;
    state.counts.tokens += tokens;
    const data = inputs.map((input, index) => {
      const vector = embed(input, dimensions);
      const embedding = body.encoding_format === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector];
      return { object: 'embedding', index, embedding };
    });
    ctx.body = {
      object: 'list',
      data,
      model: body.model,
      usage: { prompt_tokens: tokens, total_tokens: tokens },
    };
  });

  router.post('/_control/faults', async (ctx) => {
    const fault = check(FaultBody, await readJson(ctx));
    if (!fault) return reject(ctx, 400, 'Invalid fault.', null);
    state.faults.push({ fault, left: fault.times ?? 1 });
    ctx.status = 204;
  });
  router.delete('/_control/faults', (ctx) => {
    state.faults = [];
    ctx.status = 204;
  });
  router.get('/_control/counts', (ctx) => {
    ctx.body = state.counts;
  });
  router.post('/_control/reset', (ctx) => {
    state = initialState();
    ctx.status = 204;
  });
  return router;
}

/** True when the response is sent, or never will be. */
async function applyFault(ctx: Ctx, state: EmbeddingsState): Promise<boolean> {
  const fault = takeFault(state);
  switch (fault?.kind) {
    case 'status':
      if (fault.retry_after !== undefined) ctx.set('Retry-After', String(fault.retry_after));
      reject(ctx, fault.status ?? 500, 'Simulated fault.', null);
      return true;
    case 'delay':
      await wait(fault.ms ?? 1000);
      return false;
    case 'hang':
      ctx.respond = false;
      return true;
    case 'reset':
      ctx.respond = false;
      ctx.req.socket.resetAndDestroy();
      return true;
    default:
      return false;
  }
}

function reject(ctx: Ctx, status: number, message: string, param: string | null): void {
  ctx.status = status;
  const type = status === 429 ? 'rate_limit_error' : status >= 500 ? 'server_error' : 'invalid_request_error';
  ctx.body = { error: { message, type, param, code: null } };
}

function check<S extends TSchema>(schema: S, value: unknown): Static<S> | undefined {
  return Value.Check(schema, value) ? value : undefined;
}

async function readJson(ctx: Ctx): Promise<unknown> {
  const text = await getRawBody(ctx.req, { limit: '8mb', encoding: true });
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: the schema rejects it.
    return undefined;
  }
}

/** One fault. */
export interface EmbeddingsFault {
  kind: 'status' | 'delay' | 'hang' | 'reset';
  /** The response status; the default is 500. */
  status?: number;
  /** Sent as `Retry-After`. */
  retry_after?: number;
  /** How long to wait. */
  ms?: number;
  /** How many requests it affects; the default is one. */
  times?: number;
}

export interface EmbeddingsCounts {
  requests: number;
  /** Requests that returned vectors. */
  succeeded: number;
  /** Texts embedded. */
  inputs: number;
  tokens: number;
}

/** The faults that are set, and what the simulator has done. */
interface EmbeddingsState {
  faults: { fault: EmbeddingsFault; left: number }[];
  counts: EmbeddingsCounts;
}

function initialState(): EmbeddingsState {
  return { faults: [], counts: { requests: 0, succeeded: 0, inputs: 0, tokens: 0 } };
}

/** The fault of the next request, which counts as one use. */
function takeFault(state: EmbeddingsState): EmbeddingsFault | undefined {
  const [first] = state.faults;
  if (!first) return undefined;
  first.left -= 1;
  if (first.left <= 0) state.faults.shift();
  return first.fault;
}
