import Router from '@koa/router';
import type { Context } from 'koa';
import getRawBody from 'raw-body';
import Type, { type Static, type TSchema } from 'typebox';
import { Value } from 'typebox/value';

import type { Faults } from '../faults.ts';
import { MailFault } from './faults.ts';
import { inboxPage, mailDocument, messagePage } from './pages.ts';
import type { MailReceiver } from './smtp.ts';
import type { MessageFilter, MessageStore } from './store.ts';

interface Parts {
  store: MessageStore;
  faults: Faults<MailFault>;
  receiver: MailReceiver;
}

const DownBody = Type.Object({ down: Type.Boolean() });

// Links open in a new tab; no script in an email may run.
const mailPolicy = "sandbox allow-same-origin allow-popups allow-popups-to-escape-sandbox; script-src 'none'";
const waitMsMax = 60_000;

/** The pages, their JSON and the control API. */
export function mailboxRoutes({ store, faults, receiver }: Parts): Router {
  const router = new Router();

  router.get('/', (ctx) => {
    ctx.type = 'html';
    ctx.body = inboxPage(store.find({}).reverse());
  });
  router.get('/messages/:id', (ctx) => {
    const message = store.get(ctx.params.id ?? '');
    if (!message) return;
    ctx.type = 'html';
    ctx.body = messagePage(message);
  });
  router.get('/messages/:id/html', (ctx) => {
    const html = store.get(ctx.params.id ?? '')?.html;
    if (html == null) return;
    ctx.type = 'html';
    ctx.set('Content-Security-Policy', mailPolicy);
    ctx.body = mailDocument(html);
  });
  router.get('/messages/:id/source', (ctx) => {
    const source = store.source(ctx.params.id ?? '');
    if (!source) return;
    ctx.type = 'text/plain; charset=utf-8';
    ctx.body = source;
  });

  router.get('/api/messages', async (ctx) => {
    const query = new URLSearchParams(ctx.querystring);
    const waitMs = Math.min(Number(query.get('wait_ms') ?? 0), waitMsMax);
    const filter = filterFrom(query);
    ctx.body = waitMs > 0 ? await store.waitFor(filter, waitMs) : store.find(filter);
  });

  router.post('/_control/faults', async (ctx) => {
    faults.add(await readBody(ctx, MailFault), Number.POSITIVE_INFINITY);
    ctx.status = 204;
  });
  router.delete('/_control/faults', (ctx) => {
    faults.clear();
    ctx.status = 204;
  });
  router.post('/_control/down', async (ctx) => {
    await receiver.setDown((await readBody(ctx, DownBody)).down);
    ctx.status = 204;
  });
  router.get('/_control/counts', (ctx) => {
    ctx.body = { ...receiver.counts, stored: store.find({}).length, down: receiver.down };
  });
  router.post('/_control/reset', async (ctx) => {
    await receiver.setDown(false);
    faults.clear();
    store.clear();
    receiver.resetCounts();
    ctx.status = 204;
  });
  return router;
}

function filterFrom(query: URLSearchParams): MessageFilter {
  const filter: MessageFilter = {};
  for (const name of ['to', 'subject', 'since'] as const) {
    const value = query.get(name);
    if (value !== null) filter[name] = value;
  }
  return filter;
}

async function readBody<S extends TSchema>(ctx: Pick<Context, 'req' | 'throw'>, schema: S): Promise<Static<S>> {
  const body: unknown = JSON.parse((await getRawBody(ctx.req, { limit: '100kb', encoding: true })) || '{}');
  if (Value.Check(schema, body)) return body;
  return ctx.throw(400, JSON.stringify(Value.Errors(schema, body).map(({ message }) => message)));
}
