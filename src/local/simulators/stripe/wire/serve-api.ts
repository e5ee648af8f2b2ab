import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerResponse } from 'node:http';

import { type Account, apiVersion } from '../account.ts';
import { operations } from '../operations/all.ts';
import type { World } from '../world.ts';
import { authenticate } from './authenticate.ts';
import { checkParameters } from './check-parameters.ts';
import { expand } from './expand.ts';
import type { Fault } from './faults.ts';
import { parseForm } from './form.ts';
import { type Exchange, readBody, send } from './http.ts';
import type { Answer } from './idempotency.ts';
import { faultAnswer } from './fault-answer.ts';
import type { Operation } from './operation.ts';
import { Refusal } from './refusal.ts';
import type { LoggedRequest } from './request-log.ts';
import { Router } from './router.ts';

interface Asked {
  readonly world: World;
  readonly account: Account;
  readonly exchange: Exchange;
  readonly text: string;
  readonly entry: LoggedRequest;
  readonly key: string | undefined;
}

const router = new Router<Operation>(operations.map((operation) => [operation.route, operation]));
const loggedHeaders = ['x-request-id', 'user-agent', 'stripe-version', 'stripe-account', 'traceparent'];

/** Serve one request under /v1, as Stripe would, or as a fault says. */
export async function serveApi(world: World, exchange: Exchange): Promise<void> {
  const { request, response, method, query } = exchange;
  const text = method === 'POST' ? await readBody(request) : query;
  const entry = logEntry(world, exchange, text);
  try {
    const account = authenticate(world, request.headers);
    entry.account = account.key;
    const key = method === 'POST' ? request.headers['idempotency-key'] : undefined;
    const asked = { world, account, exchange, text, entry, key: typeof key === 'string' ? key : undefined };
    const fault = world.faults.take(`${method} ${exchange.path}`, account.key);
    entry.fault = fault?.kind ?? null;
    reply(asked, await answerUnder(fault, asked));
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    entry.status = error.status;
    write(response, refusalAnswer(error, entry.id));
  }
}

/** The answer under a fault; null when there is to be none. */
async function answerUnder(fault: Fault | undefined, asked: Asked): Promise<Answer | null> {
  const { response } = asked.exchange;
  if (!fault) return answer(asked);
  if (fault.kind === 'delay') return answer(asked, fault.ms ?? 0);
  const before = fault.kind === 'reset_before' || (fault.kind !== 'reset_after' && !fault.after);
  if (fault.kind === 'status') {
    const broken = faultAnswer(fault, asked.entry.id);
    if (before) return keepIfServerError(asked, broken);
    await answer(asked, 0, broken.status === 500 ? broken : undefined);
    return broken;
  }
  if (!before) await answer(asked);
  if (fault.kind === 'hang') await untilGone(response);
  else response.destroy();
  return null;
}

/** Serve a request under its idempotency key, if it has one. `kept` is stored instead of the answer. */
async function answer(asked: Asked, delayMs = 0, kept?: Answer): Promise<Answer> {
  const { account, entry, key, text } = asked;
  const work = prepare(asked);
  if (key === undefined) {
    if (delayMs > 0) await sleep(delayMs);
    return perform(asked, work);
  }
  const stored = account.idempotencyKeys.begin(key, fingerprint(asked.exchange, text), account.now);
  if (delayMs > 0) await sleep(delayMs);
  if (stored) {
    entry.replayed = true;
    return {
      ...stored,
      requestId: entry.id,
      headers: { ...stored.headers, 'idempotent-replayed': 'true', 'original-request': stored.requestId },
    };
  }
  let done: Answer | null = null;
  try {
    done = perform(asked, work);
    return done;
  } finally {
    account.idempotencyKeys.finish(key, done && (kept ?? done));
  }
}

interface Work {
  readonly operation: Operation;
  readonly id: string;
  readonly params: { readonly expand?: readonly string[] };
}

/** Find the operation and refuse what is wrong with the request itself. */
function prepare({ account, exchange: { method, path }, text }: Asked): Work {
  const found = router.match(method, path);
  if (!found) {
    const message = `Unrecognized request URL (${method}: ${path}). Please see https://stripe.com/docs.`;
    throw new Refusal(404, message);
  }
  const { value: operation, id } = found;
  const params = checkParameters(operation.route, parseForm(text));
  operation.check?.({ account, id, params });
  return { operation, id, params };
}

/** Do the work in one go; a refusal from here is an answer like any other, and is kept like one. */
function perform({ account, entry, key, world }: Asked, { operation, id, params }: Work): Answer {
  account.request = { id: entry.id, idempotency_key: key ?? null };
  try {
    const result = expand(account, operation.run({ account, id, params }), params.expand);
    return { status: 200, body: JSON.stringify(result, null, 2), requestId: entry.id };
  } catch (error) {
    if (error instanceof Refusal) return refusalAnswer(error, entry.id);
    world.log(`bug in the Stripe simulator: ${error instanceof Error ? error.stack : error}`);
    return refusalAnswer(new Refusal(500, 'The simulator has a bug.', { type: 'api_error' }), entry.id);
  } finally {
    account.request = null;
  }
}

function keepIfServerError({ account, exchange, key, text }: Asked, broken: Answer): Answer {
  if (broken.status !== 500 || key === undefined) return broken;
  const stored = account.idempotencyKeys.begin(key, fingerprint(exchange, text), account.now);
  if (stored) return stored;
  account.idempotencyKeys.finish(key, broken);
  return broken;
}

function reply({ entry, exchange: { response }, key }: Asked, given: Answer | null): void {
  if (!given) return;
  entry.status = given.status;
  write(
    response,
    key === undefined ? given : { ...given, headers: { ...given.headers, 'idempotency-key': key } },
  );
}

function write(response: ServerResponse, { status, body, headers, requestId }: Answer): void {
  send(response, status, body, {
    'content-type': 'application/json',
    'request-id': requestId,
    'stripe-version': apiVersion,
    ...headers,
  });
}

function refusalAnswer(refusal: Refusal, requestId: string): Answer {
  return { status: refusal.status, body: JSON.stringify(refusal.body, null, 2), requestId };
}

function logEntry(world: World, { request, method, path }: Exchange, text: string): LoggedRequest {
  const headers = loggedHeaders.flatMap((name) => {
    const value = request.headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  const key = request.headers['idempotency-key'];
  return world.requests.add({
    id: `req_${world.random.token(14)}`,
    method,
    path,
    params: parsed(text),
    idempotency_key: typeof key === 'string' ? key : null,
    headers: Object.fromEntries(headers),
    account: null,
    status: null,
    fault: null,
    replayed: false,
  });
}

function parsed(text: string): object {
  try {
    return parseForm(text);
  } catch {
    return {};
  }
}

/** Two requests are the same when their method, path and parameters are, in whatever order. */
function fingerprint({ method, path }: Exchange, text: string): string {
  return [method, path, ...text.split('&').sort()].join('&');
}

function untilGone(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    response.once('close', () => resolve());
  });
}
