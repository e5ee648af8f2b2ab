import { setTimeout as pause } from 'node:timers/promises';
import { readOne, transact } from '#src/database/transact.ts';
import { shippoControl } from '#src/dev/simulators/shippo/control.ts';
import type { Context } from '#src/domain/context.ts';
import { lockOrder, saveOrder } from '#src/domain/orders/index.ts';
import {
  chooseRate,
  enqueueLabelRefund,
  quoteOrder,
  requestLabelAgain,
  retryLabel,
  voidLabel,
} from '#src/domain/shipping/index.ts';
import { DomainError } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import type { Services } from '#src/services.ts';
import { labelOf, orderOf, request } from '#test/domain/shipping/support.ts';
import { buildShippingAccount } from '#test/support/factories/shipping.ts';
import { buildTenant } from '#test/support/tenant.ts';
import type { Recipe } from './label-recipes.ts';

/** A store with an account of its own at the provider. */
export interface LabelStore {
  readonly ctx: Context;
  readonly token: string;
}

/** The services of the stores, and how their labels advance. */
export interface LabelSimulation {
  readonly services: Services;
  readonly shippoUrl: string;
  /** The URL of our API for the provider's webhooks. */
  readonly hooks: string;
  /** Let the workers of the labels run. */
  advance(): Promise<void>;
}

/** What operators do with one order. Each action is retried until it succeeds, since workers act, too. */
export interface OrderActions {
  until(state: string): Promise<void>;
  /** Until the label is purchased or needs attention. */
  untilAtRest(): Promise<void>;
  /** One more order of the store. */
  another(): Promise<OrderActions>;
  chooseRate(): Promise<void>;
  void(): Promise<void>;
  requestAgain(): Promise<void>;
  retry(): Promise<void>;
  refund(): Promise<void>;
  pay(): Promise<void>;
  refundAtProvider(): Promise<void>;
  moveParcel(): Promise<void>;
  pollLater(): Promise<void>;
  /** The account is denied at the next quote. */
  closeAccount(): Promise<void>;
}

export async function openLabelStore(
  { services, shippoUrl, hooks }: LabelSimulation,
  { account, hasNoWebhooks }: Partial<Recipe> = {},
): Promise<LabelStore> {
  const tenant = await buildTenant(services);
  const ctx = { ...services.context(), tenant };
  const { api_key: token, webhook_token: secret } = await buildShippingAccount(ctx, account);
  const control = shippoControl(shippoUrl);
  if (hasNoWebhooks) await control.account(token);
  else
    await control.registerWebhook(token, {
      url: `${hooks}/api/webhooks/shippo/${tenant.slug}?token=${secret}`,
      event: 'all',
    });
  return { ctx, token };
}

/** Run a recipe with one order of the store, until its label is purchased. */
export async function runRecipe(
  simulation: LabelSimulation,
  store: LabelStore,
  recipe: Recipe,
  isOver: () => boolean = () => false,
): Promise<void> {
  const control = shippoControl(simulation.shippoUrl);
  for (const fault of recipe.faults) await control.fault({ ...fault, account: store.token });
  const { order } = await request(store.ctx);
  const actions = actionsOf(simulation, store, order.id, recipe, isOver);
  try {
    await recipe.operate?.(actions);
    await actions.until('purchased');
  } catch (error) {
    // A run that is over waits for nothing more, so that the next action of a recipe may come too early.
    if (!isOver() || !(error instanceof DomainError)) throw error;
  }
}

function actionsOf(
  simulation: LabelSimulation,
  store: LabelStore,
  orderId: string,
  recipe: Recipe,
  isOver: () => boolean,
): OrderActions {
  const { shippoUrl, advance } = simulation;
  const { ctx, token } = store;
  const { resolvesTo = 'SUCCESS' } = recipe;
  const control = shippoControl(shippoUrl);
  const label = () => labelOf(ctx, orderId);
  const labelId = async () => (await label()).id;

  async function decide(): Promise<void> {
    const queued = (await control.transactions(token)).filter(({ status }) => status === 'QUEUED');
    for (const { object_id: id } of queued)
      await control.resolveTransaction(id, resolvesTo, { text: 'The carrier API timed out.' });
  }

  async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
    while (!isOver() && !(await isSo())) {
      await advance();
      await decide();
    }
  }

  /** Retry an action that was rejected because a worker acted at the same time. */
  const requestUntilAccepted = (act: () => Promise<void>) =>
    waitUntil(async () => {
      try {
        await act();
        return true;
      } catch (error) {
        if (error instanceof DomainError) return false;
        throw error;
      }
    });

  const is =
    (...states: string[]) =>
    async () =>
      states.includes((await label()).state);
  const changeOrder = (status: 'refunded' | 'paid') =>
    transact(ctx, async (ctx) => {
      const order = await lockOrder(ctx, orderId);
      if (!order) throw new Error('The order is gone.');
      order.moveTo(status);
      if (status === 'refunded') await enqueueLabelRefund(ctx, order);
      await saveOrder(ctx, order);
    });

  return {
    until: (state) => waitUntil(is(state)),
    untilAtRest: () => waitUntil(is('needs_attention', 'purchased')),
    async another() {
      const { order } = await request(ctx);
      return actionsOf(simulation, store, order.id, recipe, isOver);
    },
    chooseRate: () =>
      requestUntilAccepted(async () => {
        if ((await label()).state === 'purchased') return;
        const [cheapest] = await quoteOrder(ctx, { orderId });
        await chooseRate(ctx, { orderId, rateId: cheapest?.id ?? '' });
      }),
    async void() {
      const id = await labelId();
      // Pressed once: the response may be that it continues without it.
      await waitUntil(async () =>
        voidLabel(ctx, { labelId: id }).then(
          () => true,
          (error: unknown) => {
            if (!(error instanceof DomainError)) throw error;
            return error.code === 'shipping_provider_unavailable';
          },
        ),
      );
      await waitUntil(is('voided'));
    },
    async requestAgain() {
      await requestLabelAgain(ctx, { orderId });
      await waitUntil(is('purchased'));
    },
    retry: () =>
      requestUntilAccepted(async () => {
        if ((await label()).state !== 'purchased') await retryLabel(ctx, { labelId: await labelId() });
      }),
    async refund() {
      await changeOrder('refunded');
      await waitUntil(is('voided'));
    },
    pay: () => changeOrder('paid'),
    async refundAtProvider() {
      const { purchaseId } = await label();
      const headers = { authorization: `ShippoToken ${token}`, 'content-type': 'application/json' };
      await waitUntil(async () => {
        const body = JSON.stringify({ transaction: purchaseId, async: false });
        const requested = await fetch(`${shippoUrl}/refunds`, {
          method: 'POST',
          headers,
          body,
          signal: AbortSignal.timeout(providerPageTimeoutMs),
        }).catch(() => undefined);
        return requested !== undefined && requested.status < 429;
      });
      await forceLookup();
      await waitUntil(async () => (await label()).purchaseId !== purchaseId || (await label()).state !== 'purchased');
    },
    async moveParcel() {
      await waitUntil(async () => {
        const { trackingNumber } = await label();
        if (!trackingNumber) return false;
        await control.moveTrack(trackingNumber, 'TRANSIT');
        return true;
      });
      await forceLookup();
      await waitUntil(async () => (await orderOf(ctx, orderId)).fulfillment === 'shipped');
    },
    pollLater: forceLookup,
    closeAccount: () => control.fault({ match: 'POST /shipments', kind: 'status', status: 401, account: token }),
  };

  /** Make the tracking due, as after six hours. */
  async function forceLookup(): Promise<void> {
    await transact(ctx, (ctx) =>
      ctx.tx.execute(sql`
      update trackings set next_poll_at = ${ctx.clock.now()}
      where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and next_poll_at is not null`),
    );
    await waitUntil(async () => (await lookupsDue()) === 0);
    for (let time = 0; time < lookupRounds; time += 1) await advance();
  }

  async function lookupsDue(): Promise<number> {
    const row = await readOne<{ due: number }>(
      ctx,
      sql`
      select count(*)::int as due from trackings
      where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and next_poll_at <= ${ctx.clock.now()}`,
    );
    return row?.due ?? 0;
  }
}

/** The timeout of the provider's own pages. */
const providerPageTimeoutMs = 3000;

/** How many rounds a scheduled lookup takes. */
const lookupRounds = 4;

/** For a simulation with its own workers: only wait. */
export const waitAWhile = () => pause(500);
