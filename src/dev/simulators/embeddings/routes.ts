import { setTimeout as wait } from 'node:timers/promises';
import Router from '@koa/router';
import type { Context } from 'koa';
import getRawBody from 'raw-body';
import Type, { type Static } from 'typebox';
import { Value } from 'typebox/value';

import { Faults } from '../faults.ts';
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

const EmbeddingsFault = Type.Object({
  kind: Type.Enum(['status', 'delay', 'hang', 'reset']),
  /** The response status; the default is 500. */
  status: optional(Type.Integer({ minimum: 200, maximum: 599 })),
  /** Sent as `Retry-After`. */
  retry_after: optional(Type.Number({ minimum: 0 })),
  /** How long to wait. */
  ms: optional(Type.Number({ minimum: 0 })),
  /** How many requests it affects; the default is one. */
  times: optional(Type.Integer({ minimum: 1 })),
});
export type EmbeddingsFault = Static<typeof EmbeddingsFault>;

/** The embeddings endpoint and the control API. */
export function embeddingsRoutes(defaultDimensions: number): Router {
  const embed = createEmbedder();
  const faults = new Faults<EmbeddingsFault>();
  let counts = { ...noCounts };
  const router = new Router();

  router.post('/v1/embeddings', async (ctx) => {
    const body = await readJson(ctx);
    counts.requests += 1;
    const fault = faults.take(() => true);
    if (fault && (await applyFault(ctx, fault))) return;
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
    counts.succeeded += 1;
    counts.inputs += inputs.length;
    counts.tokens += tokens;
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
    const fault = await readJson(ctx);
    if (!Value.Check(EmbeddingsFault, fault)) return reject(ctx, 400, 'Invalid fault.', null);
    faults.add(fault, 1);
    ctx.status = 204;
  });
  router.delete('/_control/faults', (ctx) => {
    faults.clear();
    ctx.status = 204;
  });
  router.get('/_control/counts', (ctx) => {
    ctx.body = counts;
  });
  router.post('/_control/reset', (ctx) => {
    faults.clear();
    counts = { ...noCounts };
    ctx.status = 204;
  });
  return router;
}

/** True when the response is sent, or never will be. */
async function applyFault(ctx: Ctx, fault: EmbeddingsFault): Promise<boolean> {
  switch (fault.kind) {
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
  }
}

function reject(ctx: Ctx, status: number, message: string, param: string | null): void {
  ctx.status = status;
  const type = status === 429 ? 'rate_limit_error' : status >= 500 ? 'server_error' : 'invalid_request_error';
  ctx.body = { error: { message, type, param, code: null } };
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

export interface EmbeddingsCounts {
  requests: number;
  /** Requests that returned vectors. */
  succeeded: number;
  /** Texts embedded. */
  inputs: number;
  tokens: number;
}

const noCounts: EmbeddingsCounts = { requests: 0, succeeded: 0, inputs: 0, tokens: 0 };
