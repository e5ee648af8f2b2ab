import Router, { type RouterContext } from '@koa/router';

import type { Context } from '#src/domain/context.ts';
import {
  acknowledgeDuplicate,
  chooseRate,
  editAddress,
  labelsForOperators,
  linkToLabelFile,
  markFulfilled,
  quoteOrder,
  retryLabel,
  ShippingAddressInput,
  voidLabel,
  type WaitingLabel,
  waitingLabel,
} from '#src/domain/shipping/index.ts';
import { DomainError, found, invalidRequest } from '#src/lib/errors.ts';
import { ungrouped } from '#src/lib/typed-code.ts';
import { fits } from '#src/lib/validation.ts';
import type { Services } from '#src/services.ts';
import { renderLabelPage } from './label-page.ts';
import { renderLabelsPage } from './labels-page.ts';
import { contextIn, contextOf, doneOf, formOf, isStill, orMessage, redirect, show, slugsOf } from './respond.ts';

/** How many labels of a reason are shown, and one request retries. */
const shownMax = 200;

/** The pages where operators see the labels of every store that need attention, and act on them. */
export function labelPages(services: Services): Router {
  const router = new Router({ prefix: '/ops/labels' });

  router.get('/', async (koa) => {
    const shown = await labelsForOperators(services.context(), shownMax);
    const stores = await slugsOf(services, [...shown.labels, ...shown.delayed, ...shown.duplicates]);
    show(koa, renderLabelsPage({ ...shown, stores, now: services.clock.now(), done: doneOf(koa) }));
  });

  router.post('/retry', async (koa) => {
    const { reason = '' } = await formOf(koa);
    const { labels } = await labelsForOperators(services.context(), shownMax);
    let retried = 0;
    for (const { id, tenantId } of labels.filter(({ reasonCode }) => reasonCode === reason)) {
      const ctx = await contextIn(services, tenantId);
      if (!ctx) continue;
      await retryLabel(ctx, { labelId: id }).then(() => {
        retried += 1;
      }, unlessBusy);
    }
    redirect(koa, '/ops/labels', retried === 1 ? 'One label will be retried.' : `${retried} labels will be retried.`);
  });

  router.post('/:slug/duplicates/:purchaseId', async (koa) => {
    const ctx = await contextOf(services, koa);
    const { order_id: orderId = '' } = await formOf(koa);
    await acknowledgeDuplicate(ctx, { purchaseId: koa.params['purchaseId'] ?? '', orderId });
    redirect(koa, '/ops/labels', 'The second label is acknowledged.');
  });

  router.get('/:slug/:id', async (koa) => {
    const { ctx, label } = await labelOf(services, koa);
    const rates =
      koa.query['rates'] === undefined ? undefined : await orMessage(quoteOrder(ctx, { orderId: label.orderId }));
    show(koa, renderLabelPage({ slug: ctx.tenant.slug, label, rates, done: doneOf(koa), isStill: isStill(koa) }));
  });

  router.get('/:slug/:id/file', async (koa) => {
    const { ctx, label } = await labelOf(services, koa);
    koa.redirect(await linkToLabelFile(ctx, { labelId: label.id }));
  });

  for (const [name, act] of Object.entries(actions)) {
    router.post(`/:slug/:id/${name}`, async (koa) => {
      const { ctx, label } = await labelOf(services, koa);
      const form = await formOf(koa);
      const result = await orMessage(act(ctx, label, form));
      if ('message' in result) {
        koa.status = 409;
        return show(
          koa,
          renderLabelPage({ slug: ctx.tenant.slug, label, rates: undefined, problem: result.message, typed: form }),
        );
      }
      redirect(koa, `/ops/labels/${ctx.tenant.slug}/${label.id}`, result.value);
    });
  }
  return router;
}

type Action = (ctx: Context, label: WaitingLabel, form: Readonly<Record<string, string>>) => Promise<string>;

/** The actions on a label. Each returns a message for the operator. */
const actions: Readonly<Record<string, Action>> = {
  async address(ctx, label, form) {
    const address = Object.fromEntries(
      Object.entries(form).map(([name, text]) => [name, text.trim() === '' ? null : text.trim()]),
    );
    if (!fits(ShippingAddressInput, address))
      throw invalidRequest('The address needs a name, a street, a city and a country of two letters.');
    await editAddress(ctx, { orderId: label.orderId, address });
    await retryLabel(ctx, { labelId: label.id });
    return 'The address is saved and the label will be retried.';
  },
  async retry(ctx, label) {
    await retryLabel(ctx, { labelId: label.id });
    return 'The label will be retried.';
  },
  async rate(ctx, label, { rate_id: rateId = '' }) {
    await chooseRate(ctx, { orderId: label.orderId, rateId });
    return 'The label will be bought at this rate.';
  },
  async fulfil(ctx, label, { carrier, tracking_number: trackingNumber }) {
    await markFulfilled(ctx, {
      orderId: label.orderId,
      carrier: carrier?.trim() || undefined,
      trackingNumber: ungrouped(trackingNumber ?? '') || undefined,
    });
    return 'The order is marked as shipped.';
  },
  async void(ctx, label) {
    await voidLabel(ctx, { labelId: label.id });
    return 'The label is voided.';
  },
};

async function labelOf(services: Services, koa: RouterContext): Promise<{ ctx: Context; label: WaitingLabel }> {
  const ctx = await contextOf(services, koa);
  const label = found(await waitingLabel(ctx, koa.params['id'] ?? ''), 'label');
  return { ctx, label };
}

/** A label that an attempt holds needs no retry. */
function unlessBusy(error: unknown): void {
  if (!(error instanceof DomainError)) throw error;
}
