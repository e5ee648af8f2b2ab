import { setTimeout as wait } from 'node:timers/promises';

import Router from '@koa/router';
import type { Context } from 'koa';
import getRawBody from 'raw-body';
import Type, { type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';

import { createEmbedder } from './embed.ts';
import { type EmbeddingsState, freshState, strike } from './faults.ts';

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

/** The one endpoint, and what tests may tell it to do. */
export function embeddingsRoutes(usualDimensions: number): Router {
  const embed = createEmbedder();
  let state: EmbeddingsState = freshState();
  const router = new Router();

  router.post('/v1/embeddings', async (ctx) => {
    const body = await readJson(ctx);
    state.counts.requests += 1;
    if (await misbehave(ctx, state)) return;
    if (!/^Bearer \S+$/.test(ctx.get('authorization'))) {
      return refuse(ctx, 401, 'You did not provide an API key.', null);
    }
    if (!Value.Check(EmbeddingsRequest, body)) {
      const path = Value.Errors(EmbeddingsRequest, body)[0]?.instancePath.split('/')[1] ?? null;
      return refuse(ctx, 400, `Invalid request${path === null ? '' : `: '${path}' is not valid`}.`, path);
    }
    const inputs = typeof body.input === 'string' ? [body.input] : body.input;
    const dimensions = body.dimensions ?? usualDimensions;
    // Four characters to a token, as the rule of thumb has it.
    const tokens = inputs.reduce((sum, input) => sum + Math.ceil(input.length / 4), 0);
    state.counts.answered += 1;
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
    if (!fault) return refuse(ctx, 400, 'This is not a fault.', null);
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
    state = freshState();
    ctx.status = 204;
  });
  return router;
}

/** True when the request has been answered, or never will be. */
async function misbehave(ctx: Ctx, state: EmbeddingsState): Promise<boolean> {
  const fault = strike(state);
  switch (fault?.kind) {
    case 'status':
      if (fault.retry_after !== undefined) ctx.set('Retry-After', String(fault.retry_after));
      refuse(ctx, fault.status ?? 500, 'Simulated fault.', null);
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

function refuse(ctx: Ctx, status: number, message: string, param: string | null): void {
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
    // Whatever it was, it is not a request; the schema will say so.
    return undefined;
  }
}
