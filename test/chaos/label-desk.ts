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

/** Where the stores are, and what brings their labels on. */
export interface LabelSimulation {
  readonly services: Services;
  readonly shippoUrl: string;
  /** The address of our API, which the provider tells what happens. */
  readonly hooks: string;
  /** Let something happen: whoever works the labels gets a chance to. */
  goOn(): Promise<void>;
}

/** What people do about one order. All of it is tried again until it is done: others are at work too. */
export interface Desk {
  until(state: string): Promise<void>;
  /** Until somebody has to act, or nobody has to. */
  untilAtRest(): Promise<void>;
  /** One more order of the store. */
  another(): Promise<Desk>;
  chooseRate(): Promise<void>;
  void(): Promise<void>;
  requestAgain(): Promise<void>;
  retry(): Promise<void>;
  refund(): Promise<void>;
  pay(): Promise<void>;
  giveBackElsewhere(): Promise<void>;
  moveParcel(): Promise<void>;
  letHoursPass(): Promise<void>;
  /** The account does not open for the next quote. */
  closeAccount(): Promise<void>;
}

export async function openLabelStore(
  { services, shippoUrl, hooks }: LabelSimulation,
  { account, isDeaf }: Partial<Recipe> = {},
): Promise<LabelStore> {
  const tenant = await buildTenant(services);
  const ctx = { ...services.context(), tenant };
  const { api_key: token, webhook_token: secret } = await buildShippingAccount(ctx, account);
  const control = shippoControl(shippoUrl);
  if (isDeaf) await control.account(token);
  else
    await control.registerWebhook(token, {
      url: `${hooks}/api/webhooks/shippo/${tenant.slug}?token=${secret}`,
      event: 'all',
    });
  return { ctx, token };
}

/** Let this happen to one order of the store, until its label is bought and nothing more is to be done about it. */
export async function follow(
  world: LabelSimulation,
  store: LabelStore,
  recipe: Recipe,
  isOver: () => boolean = () => false,
): Promise<void> {
  const control = shippoControl(world.shippoUrl);
  for (const fault of recipe.faults) await control.fault({ ...fault, account: store.token });
  const { order } = await request(store.ctx);
  const desk = deskOf(world, store, order.id, recipe, isOver);
  await recipe.people?.(desk);
  await desk.until('purchased');
}

function deskOf(
  world: LabelSimulation,
  store: LabelStore,
  orderId: string,
  recipe: Recipe,
  isOver: () => boolean,
): Desk {
  const { shippoUrl, goOn } = world;
  const { ctx, token } = store;
  const { decides = 'SUCCESS' } = recipe;
  const control = shippoControl(shippoUrl);
  const label = () => labelOf(ctx, orderId);
  const labelId = async () => (await label()).id;

  async function decide(): Promise<void> {
    const queued = (await control.transactions(token)).filter(({ status }) => status === 'QUEUED');
    for (const { object_id: id } of queued)
      await control.resolveTransaction(id, decides, { text: 'The carrier API timed out.' });
  }

  async function waitUntil(isSo: () => Promise<boolean>): Promise<void> {
    while (!isOver() && !(await isSo())) {
      await goOn();
      await decide();
    }
  }

  /** Whoever is refused, because somebody else is at work on it, tries again. */
  const insist = (act: () => Promise<void>) =>
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
      return deskOf(world, store, order.id, recipe, isOver);
    },
    chooseRate: () =>
      insist(async () => {
        if ((await label()).state === 'purchased') return;
        const [cheapest] = await quoteOrder(ctx, { orderId });
        await chooseRate(ctx, { orderId, rateId: cheapest?.id ?? '' });
      }),
    async void() {
      const id = await labelId();
      // He presses once: what he was told may be that it goes on by itself.
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
      insist(async () => {
        if ((await label()).state !== 'purchased') await retryLabel(ctx, { labelId: await labelId() });
      }),
    async refund() {
      await changeOrder('refunded');
      await waitUntil(is('voided'));
    },
    pay: () => changeOrder('paid'),
    async giveBackElsewhere() {
      const { purchaseId } = await label();
      const headers = { authorization: `ShippoToken ${token}`, 'content-type': 'application/json' };
      await waitUntil(async () => {
        const body = JSON.stringify({ transaction: purchaseId, async: false });
        const asked = await fetch(`${shippoUrl}/refunds`, {
          method: 'POST',
          headers,
          body,
          signal: AbortSignal.timeout(exitDelayMs),
        }).catch(() => undefined);
        return asked !== undefined && asked.status < 429;
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
    letHoursPass: forceLookup,
    closeAccount: () => control.fault({ match: 'POST /shipments', kind: 'status', status: 401, account: token }),
  };

  /** Its turn to be asked about has come: six hours have passed, so to speak. */
  async function forceLookup(): Promise<void> {
    await transact(ctx, (ctx) =>
      ctx.tx.execute(sql`
      update trackings set next_poll_at = ${ctx.clock.now()}
      where tenant_id = ${ctx.tenant.id} and order_id = ${orderId} and next_poll_at is not null`),
    );
    await waitUntil(async () => (await lookupsDue()) === 0);
    for (let time = 0; time < lookupTurns; time += 1) await goOn();
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

/** So long somebody waits for the provider's own pages. */
const exitDelayMs = 3000;

/** What a look that was promised takes until it was made. */
const lookupTurns = 4;

/** For a world in which others work: there is nothing to do but wait. */
export const waitAWhile = () => pause(500);
