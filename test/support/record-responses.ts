import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

import type Koa from 'koa';
import type { Pool } from 'pg';

import type { Services } from '#src/services.ts';
import { isFrame } from './count-statements.ts';

/*
 * If TEST_ROUTE_RECORDS names a folder, every response of the tested application is recorded there. `test/routes`
 * compares the records with what the routes document.
 */

/** How often a route gave one kind of response during a test, and its statements. */
export interface RecordedResponse {
  /** `GET /api/v1/products/:slug` */
  readonly route: string;
  readonly status: number;
  /** The error code; '' without an error. */
  readonly code: string;
  /** Another store had an object at this URL, and this one got a 404. */
  readonly isForeign: boolean;
  /** What PostgreSQL was sent, without the frame of transactions and the look-up of store and key. */
  readonly statements: number;
}

const folder = process.env['TEST_ROUTE_RECORDS'];

/** The first middleware of a request: records its response. Returns what writes the rest. */
export function recordResponses(app: Koa, services: Services): () => void {
  if (!folder) return () => undefined;
  watch(services.context().database.pool);
  const responses: RecordedResponse[] = [];
  const addresses = new Addresses();
  app.middleware.unshift(async (koa, next) => {
    const counter = { statements: 0 };
    await counting.run(counter, next);
    const route = koa['_matchedRoute'];
    if (typeof route !== 'string') return;
    const method = koa.method === 'HEAD' ? 'GET' : koa.method;
    const code = codeOf(koa);
    const isForeign = addresses.visit(`${method} ${koa.path}`, String(koa.state['tenant']), koa.status, code);
    // A response under an idempotency key costs its storage, too.
    const statements = koa.get('idempotency-key') === '' ? counter.statements : -1;
    responses.push({ route: `${method} ${route}`, status: koa.status, code, isForeign, statements });
  });
  return () => {
    if (responses.length === 0) return;
    const lines = new Set(responses.splice(0).map((response) => JSON.stringify(response)));
    appendFileSync(join(folder, `${process.pid}-${threadId}.ndjson`), `${[...lines].join('\n')}\n`);
  };
}

/** Operators' pages say in HTML why not. */
function codeOf({ status, body, type }: { status: number; body?: unknown; type: string }): string {
  return status >= 400 && typeof body === 'string' && type.includes('json') ? String(JSON.parse(body).error) : '';
}

/** Records which stores found an object at a URL and which did not. */
class Addresses {
  readonly #found = new Map<string, Set<string>>();
  readonly #missed = new Map<string, Set<string>>();

  /** Whether one store has found an object where another one got a 404. */
  visit(address: string, tenant: string, status: number, code: string): boolean {
    const isFound = status < 400 || status === 409 || status >= 502;
    const side = isFound ? this.#found : code === 'not_found' ? this.#missed : undefined;
    if (!side) return false;
    side.set(address, (side.get(address) ?? new Set()).add(tenant));
    const missed = [...(this.#missed.get(address) ?? [])];
    const found = [...(this.#found.get(address) ?? [])];
    return found.some((finder) => missed.some((other) => other !== finder));
  }
}

const counting = new AsyncLocalStorage<{ statements: number }>();
const watched = new WeakSet<object>();

/**
 * The directories of stores and keys cache their results for a moment, and a lease is renewed while a request takes
 * long; a staff session is read for each request.
 */
const notCounted =
  /\bfrom (?:tenants\s+where (?:slug|id) = |api_keys\s+where hash = )|update idempotency_keys set leased_until|\bsession\.token_hash = |update staff_sessions set idle_expires_at/;

/** Count what this pool is sent for the request that sends it, also where several are served at once. */
function watch(pool: Pool): void {
  if (watched.has(pool)) return;
  watched.add(pool);
  const count = (first: unknown) => {
    const text = typeof first === 'string' ? first : (first as { text: string }).text;
    const counter = counting.getStore();
    if (counter && !isFrame(text) && !notCounted.test(text)) counter.statements += 1;
  };
  const wrap = (sender: { query: Function }, counts: (given: unknown[]) => boolean) => {
    const { query } = sender;
    sender.query = (...given: unknown[]) => {
      if (counts(given)) count(given[0]);
      return query.apply(sender, given);
    };
  };
  wrap(pool, () => true);
  pool.on('acquire', (client) => {
    if (watched.has(client)) return;
    watched.add(client);
    // With a callback, the pool itself calls this for a statement that is already counted.
    wrap(client, (given) => typeof given.at(-1) !== 'function');
  });
}
