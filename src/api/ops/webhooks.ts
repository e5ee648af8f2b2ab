import Router, { type RouterContext } from '@koa/router';

import type { Context } from '#src/domain/context.ts';
import { enableEndpoint, recoverDeliveries, redeliver, webhooksNeedingAttention } from '#src/domain/webhooks/index.ts';
import { parseDay, startOfDay } from '#src/lib/calendar.ts';
import { invalidRequest } from '#src/lib/errors.ts';
import type { Services } from '#src/services.ts';
import { contextOf, doneOf, formOf, orMessage, redirect, show, slugsOf } from './respond.ts';
import { renderWebhooksPage } from './webhooks-page.ts';

const pageUrl = '/ops/webhooks';
const shownMax = 200;

/** The page on which operators see failing endpoints and failed deliveries, and send them again. */
export function webhookPages(services: Services): Router {
  const router = new Router({ prefix: pageUrl });

  const showAll = async (koa: RouterContext, problem?: string) => {
    const found = await webhooksNeedingAttention(services.context(), shownMax);
    const stores = await slugsOf(services, [...found.endpoints, ...found.deliveries]);
    show(koa, renderWebhooksPage({ ...found, stores, now: services.clock.now(), done: doneOf(koa), problem }));
  };

  router.get('/', (koa) => showAll(koa));
  for (const [path, act] of Object.entries(actions)) {
    router.post(path, async (koa) => {
      const ctx = await contextOf(services, koa);
      const result = await orMessage(act(ctx, koa.params['id'] ?? '', await formOf(koa)));
      if ('value' in result) return redirect(koa, pageUrl, result.value);
      koa.status = 409;
      await showAll(koa, result.message);
    });
  }
  return router;
}

type Action = (ctx: Context, id: string, form: Readonly<Record<string, string>>) => Promise<string>;

/** The actions of the page by their path. Each returns the message to show afterwards. */
const actions: Readonly<Record<string, Action>> = {
  async '/:slug/deliveries/:id/redeliver'(ctx, id) {
    await redeliver(ctx, { id });
    return 'The webhook will be sent again.';
  },
  async '/:slug/endpoints/:id/enable'(ctx, id) {
    await enableEndpoint(ctx, { id });
    return 'The endpoint is enabled.';
  },
  async '/:slug/endpoints/:id/recover'(ctx, id, { since = '' }) {
    const { recovered } = await recoverDeliveries(ctx, { id, since: startOf(since) });
    return recovered === 1 ? 'One webhook will be sent again.' : `${recovered} webhooks will be sent again.`;
  },
};

function startOf(text: string): Date {
  const day = parseDay(text);
  if (day === undefined) throw invalidRequest('Enter the first day as YYYY-MM-DD, such as 2026-11-20.');
  return startOfDay(day);
}
