import anyTest, { type TestFn } from 'ava';
import { TOTP } from 'otpauth';
import { applyBatches as applyBatchesJob } from '#jobs/bulk.ts';
import { decideReminder as decideReminderJob } from '#jobs/reminders.ts';
import { mailLink as mailLinkJob } from '#jobs/sessions.ts';
import { mailStaffLink as mailStaffLinkJob } from '#jobs/staff.ts';
import { read, transact } from '#src/database/transact.ts';
import { removeStore } from '#src/domain/backoffice/index.ts';
import { applyBatches, changeKindOf, previewChange, runChange, undoChange } from '#src/domain/bulk/index.ts';
import { unsubscribe } from '#src/domain/cart/index.ts';
import { requestCode, useCode } from '#src/domain/confirmations/index.ts';
import type { Context } from '#src/domain/context.ts';
import { linkPaymentCustomer } from '#src/domain/customers/index.ts';
import { replaceWebhookSecret } from '#src/domain/payments/accounts/save-account.ts';
import { refundsOf, requestRefund } from '#src/domain/payments/index.ts';
import { erasePersonalData, exportPersonalData } from '#src/domain/privacy/index.ts';
import {
  disableGiftCard,
  redeemGiftCard,
  redeemPromo,
  returnGiftCard,
  saveGiftCard,
} from '#src/domain/promotions/index.ts';
import { decideReminder } from '#src/domain/reminders/index.ts';
import { approveReturn, receiveReturn, refundReturn, rejectReturn, requestReturn } from '#src/domain/returns/index.ts';
import { indexDocument } from '#src/domain/search/index.ts';
import { mailLink, requestLink, rotateSession } from '#src/domain/sessions/index.ts';
import {
  confirmTotp,
  mailStaffLink,
  requestStaffLink,
  startTotp,
  verifyStaffSession,
} from '#src/domain/staff/index.ts';
import { closeStore, deriveCode, findKey, saveKey } from '#src/domain/tenants/index.ts';
import { fromNow } from '#src/lib/clock.ts';
import { randomText } from '#src/lib/crypto.ts';
import { minutes } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { rawSql, sql } from '#src/lib/sql.ts';
import type { Services } from '#src/services.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildSavedCart, unsubscribeTokenOf } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildCustomer } from '#test/support/factories/customers.ts';
import { newAddress } from '#test/support/factories/mail.ts';
import { balanceOf, buildGiftCard, buildPromo, usesOf } from '#test/support/factories/promotions.ts';
import { buildRemindedCart, remindAnytime } from '#test/support/factories/reminders.ts';
import { buildReturn, buildReturnableOrder, returnedOf } from '#test/support/factories/returns.ts';
import { buildSession, linkRequest, sessionsOf } from '#test/support/factories/sessions.ts';
import { buildStaff, buildStaffSession } from '#test/support/factories/staff.ts';
import { interleave } from '#test/support/interleave.ts';
import { meets } from '#test/support/meets.ts';
import { buildTenant } from '#test/support/tenant.ts';

/*
 * What may be done twice at once: by a shopper who clicks twice, by two members of the staff, by two workers that run
 * the same job. The second runs in turn before each statement of the first that may meet it, as far as it gets; both
 * together have the effect that they have one after the other, and another of the same store is as it was.
 */

const test = anyTest as TestFn<TestContext>;
useContext(test);

interface Operation {
  /** `turn` is 0 for the first and 1 for the second. */
  readonly run: (turn: number) => Promise<unknown>;
  /** What both have done. */
  readonly effect: () => Promise<unknown>;
}

const countMails = async (ctx: Context, email: string) =>
  (await read(ctx, sql`select from mails where tenant_id = ${ctx.tenant.id} and recipient = ${email}`)).length;

/** A one-time password, and what tries a code for it. */
async function buildCode(ctx: Context) {
  const confirmed = { id: newId('otp'), purpose: 'test' };
  await transact(ctx, (ctx) => requestCode(ctx, { ...confirmed, staff: { id: newId('staff'), email: newAddress() } }));
  return {
    id: confirmed.id,
    codeOf: () => deriveCode(ctx, confirmed.purpose, confirmed.id),
    use: (code: string) => transact(ctx, (ctx) => useCode(ctx, { ...confirmed, code })),
  };
}

/** A member with an app, the code that it shows, and one that it does not show. */
async function buildTotp(ctx: Context) {
  const session = await buildStaffSession(ctx);
  const { secret } = await startTotp(ctx, session);
  const codeAt = (steps: number) =>
    new TOTP({ secret }).generate({ timestamp: ctx.clock.now().getTime() + steps * 30_000 });
  await confirmTotp(ctx, session, codeAt(-1));
  const shown = [-2, -1, 0, 1, 2].map(codeAt);
  const wrongCode = ['000000', '111111', '222222', '333333', '444444', '555555'].find((code) => !shown.includes(code));
  return { session, code: codeAt(0), wrongCode: wrongCode ?? '' };
}

/** A store of its own that can be removed, and how many of its refunds were accepted although it was. */
async function buildClosedStore(ctx: Context, services: Services) {
  const own: Context = { ...ctx, tenant: await buildTenant(services) };
  const { id: orderId } = await buildReturnableOrder(own, { paymentId: newId('pay') });
  const closedAt = fromNow(ctx.clock, -minutes(5));
  await transact({ ...own, clock: { now: () => closedAt } }, closeStore);
  return {
    refund: () => outcomeOf(requestRefund(own, { orderId })),
    remove: () => outcomeOf(removeStore(own, 'ada@desk')),
    async effect() {
      const removed = await services.execute(sql`select from removed_stores where id = ${own.tenant.id}`);
      return removed.length > 0 ? (await refundsOf(own, orderId)).length : 0;
    },
  };
}

const operations: Record<string, { build: (ctx: Context, services: Services) => Promise<Operation>; both: unknown }> = {
  'decideReminder twice at once sends one email': {
    async build(ctx) {
      await remindAnytime(ctx);
      const { email } = await buildRemindedCart(ctx);
      const payload = (await enqueuedJobs(ctx, decideReminderJob)).at(-3) ?? { reminderId: '', attempt: 1 };
      return { run: () => decideReminder(ctx, payload), effect: () => countMails(ctx, email) };
    },
    both: 1,
  },
  'decideReminder of two reminders of an address at once sends one email': {
    async build(ctx) {
      await remindAnytime(ctx);
      const { email } = await buildRemindedCart(ctx);
      const payloads = (await enqueuedJobs(ctx, decideReminderJob)).slice(-3);
      const run = (turn: number) => decideReminder(ctx, payloads[turn] ?? { reminderId: '', attempt: 1 });
      return { run, effect: () => countMails(ctx, email) };
    },
    both: 1,
  },
  'mailLink twice at once sends one email': {
    async build(ctx) {
      const { email } = await buildCustomer(ctx);
      await requestLink(ctx, linkRequest(email));
      const payload = (await enqueuedJobs(ctx, mailLinkJob)).at(-1) ?? { linkId: '' };
      return { run: () => mailLink(ctx, payload), effect: () => countMails(ctx, email) };
    },
    both: 1,
  },
  'mailStaffLink twice at once sends one email': {
    async build(ctx) {
      const { email } = await buildStaff(ctx);
      await requestStaffLink(ctx, { email, clientNetwork: undefined });
      const payload = (await enqueuedJobs(ctx, mailStaffLinkJob)).at(-1) ?? { linkId: '' };
      return { run: () => mailStaffLink(ctx, payload), effect: () => countMails(ctx, email) };
    },
    both: 1,
  },
  'verifyStaffSession twice at once accepts a code of an app once': {
    async build(ctx) {
      const { session, code } = await buildTotp(ctx);
      const outcomes: string[] = [];
      return {
        run: async () => outcomes.push(await outcomeOf(verifyStaffSession(ctx, session, code))),
        effect: async () => outcomes.toSorted(),
      };
    },
    both: ['done', 'invalid_or_expired_token'],
  },
  'verifyStaffSession twice at once counts both wrong codes': {
    async build(ctx) {
      const { session, wrongCode } = await buildTotp(ctx);
      const outcomes: string[] = [];
      const counted = sql`
        select wrong_codes as "wrongCodes" from staff
        where tenant_id = ${ctx.tenant.id} and id = ${session.staff.id}`;
      return {
        run: async () => outcomes.push(await outcomeOf(verifyStaffSession(ctx, session, wrongCode))),
        effect: async () => [...outcomes, ...(await read(ctx, counted))],
      };
    },
    both: ['invalid_or_expired_token', 'invalid_or_expired_token', { wrongCodes: 2 }],
  },
  'rotateSession twice at once returns one successor, and the session stays open': {
    async build(ctx) {
      const { refreshToken, customer } = await buildSession(ctx);
      const successors = new Set<string | null>();
      return {
        run: async () => successors.add((await rotateSession(ctx, refreshToken ?? '')).refreshToken),
        effect: async () => [successors.size, await sessionsOf(ctx, customer.id)],
      };
    },
    both: [1, ['open']],
  },
  'requestReturn twice at once takes the last piece of an order once': {
    async build(ctx) {
      const { id, order_number: orderNumber, items } = await buildReturnableOrder(ctx);
      const email = 'ada@example.com';
      const wanted = { orderNumber, email, items: [{ order_item_id: items[0]?.id ?? '', quantity: 1 }] };
      const outcomes: string[] = [];
      return {
        run: async () => outcomes.push(await outcomeOf(requestReturn(ctx, wanted))),
        effect: async () => [outcomes.toSorted(), await returnedOf(ctx, id)],
      };
    },
    both: [['done', 'return_not_allowed'], [1]],
  },
  'requestReturn and erasePersonalData at once erase both the order and its return, or neither': {
    async build(ctx) {
      const email = newAddress();
      const order = await buildReturnableOrder(ctx, { email });
      await transact(ctx, ({ tx }) =>
        tx.execute(sql`
          update orders set fulfillment_status = 'delivered' where tenant_id = ${ctx.tenant.id} and id = ${order.id}`),
      );
      const items = [{ order_item_id: order.items[0]?.id ?? '', quantity: 1 }];
      const orderNumber = order.order_number;
      const count = (table: string) =>
        sql`(select count(*)::int from ${rawSql(table)} where tenant_id = ${ctx.tenant.id} and email = ${email})`;
      return {
        run: async (turn) =>
          turn === 0 ? erasePersonalData(ctx, { email }) : outcomeOf(requestReturn(ctx, { orderNumber, email, items })),
        effect: () => read(ctx, sql`select ${count('orders')} - ${count('returns')} as "ofOne"`),
      };
    },
    both: [{ ofOne: 0 }],
  },
  'rejectReturn twice at once releases its pieces once': {
    async build(ctx) {
      const order = await buildReturnableOrder(ctx, { items: [{ quantity: 2 }] });
      const { id: returnId } = await buildReturn(ctx, order);
      return {
        run: () => outcomeOf(rejectReturn(ctx, { returnId, note: 'worn' })),
        effect: () => returnedOf(ctx, order.id),
      };
    },
    both: [0],
  },
  'refundReturn twice at once requests one refund': {
    async build(ctx) {
      const order = await buildReturnableOrder(ctx, { paymentId: newId('pay') });
      const { id: returnId } = await buildReturn(ctx, order);
      await approveReturn(ctx, { returnId });
      await receiveReturn(ctx, { returnId });
      return {
        run: () => refundReturn(ctx, { returnId }),
        effect: async () => (await refundsOf(ctx, order.id)).length,
      };
    },
    both: 1,
  },
  'requestRefund twice at once refunds no more than was paid': {
    async build(ctx) {
      const { id: orderId } = await buildReturnableOrder(ctx, { paymentId: newId('pay') });
      return {
        run: (turn) => outcomeOf(requestRefund(ctx, { orderId, amountCents: 3000 + turn })),
        effect: async () => (await refundsOf(ctx, orderId)).length,
      };
    },
    both: 1,
  },
  'requestRefund and removeStore at once leave no accepted refund of a removed store': {
    async build(ctx, services) {
      const { refund, remove, effect } = await buildClosedStore(ctx, services);
      return { run: (turn) => (turn === 0 ? refund() : remove()), effect };
    },
    both: 0,
  },
  'removeStore and requestRefund at once leave no accepted refund of a removed store': {
    async build(ctx, services) {
      const { refund, remove, effect } = await buildClosedStore(ctx, services);
      return { run: (turn) => (turn === 0 ? remove() : refund()), effect };
    },
    both: 0,
  },
  'redeemGiftCard twice at once, without a hold, takes no more than is on the card': {
    async build(ctx) {
      const { id: giftCardId } = await buildGiftCard(ctx, { balanceCents: 5000 });
      const paid: boolean[] = [];
      return {
        run: async () =>
          paid.push(
            await transact(ctx, (ctx) =>
              redeemGiftCard(ctx, { giftCardId, amountCents: 3000, orderId: newId('ord'), isHeld: false }),
            ),
          ),
        effect: async () => [paid.toSorted(), await balanceOf(ctx, giftCardId)],
      };
    },
    both: [[false, true], { balance: 2000, held: 0 }],
  },
  'returnGiftCard twice at once returns the amount of an order once': {
    async build(ctx) {
      const { id: giftCardId } = await buildGiftCard(ctx, { balanceCents: 5000 });
      const orderId = newId('ord');
      await transact(ctx, (ctx) => redeemGiftCard(ctx, { giftCardId, amountCents: 3000, orderId, isHeld: false }));
      return {
        run: () => transact(ctx, (ctx) => returnGiftCard(ctx, { orderId })),
        effect: () => balanceOf(ctx, giftCardId),
      };
    },
    both: { balance: 5000, held: 0 },
  },
  'disableGiftCard and returnGiftCard at once disable the card with the amount of the order on it': {
    async build(ctx) {
      const { id: giftCardId } = await buildGiftCard(ctx, { balanceCents: 5000 });
      const orderId = newId('ord');
      await transact(ctx, (ctx) => redeemGiftCard(ctx, { giftCardId, amountCents: 3000, orderId, isHeld: false }));
      return {
        run: (turn) =>
          transact<Context, unknown>(ctx, (ctx) =>
            turn === 0 ? disableGiftCard(ctx, { giftCardId }) : returnGiftCard(ctx, { orderId }),
          ),
        effect: () =>
          read(
            ctx,
            sql`
            select balance_cents as balance, disabled_at is not null as "isDisabled" from gift_cards
            where tenant_id = ${ctx.tenant.id} and id = ${giftCardId}`,
          ),
      };
    },
    both: [{ balance: 5000, isDisabled: true }],
  },
  'erasePersonalData and unsubscribe at once leave nothing of the person': {
    async build(ctx) {
      const { email } = await buildSavedCart(ctx);
      const token = await unsubscribeTokenOf(ctx, email);
      return {
        run: (turn) => (turn === 0 ? erasePersonalData(ctx, { email }) : outcomeOf(unsubscribe(ctx, token))),
        effect: async () => (await exportPersonalData(ctx, { email })).held,
      };
    },
    both: {},
  },
  'erasePersonalData and linkPaymentCustomer at once leave nothing of the person': {
    async build(ctx) {
      const { id: customerId, email } = await buildCustomer(ctx);
      const link = { customerId, paymentCustomerId: `cus_${customerId}` };
      return {
        run: (turn) =>
          turn === 0 ? erasePersonalData(ctx, { email }) : transact(ctx, (ctx) => linkPaymentCustomer(ctx, link)),
        effect: async () => (await exportPersonalData(ctx, { email })).held,
      };
    },
    both: {},
  },
  'indexDocument twice at once counts a new document once in its words': {
    async build(ctx) {
      const word = `w${randomText(8).replaceAll(/[0-9]/g, 'x')}`;
      const { id } = await buildProduct(ctx, { name: word });
      return {
        run: () => indexDocument(ctx, { kind: 'product', id }),
        effect: () =>
          read(
            ctx,
            sql`select documents::int from search_words where tenant_id = ${ctx.tenant.id} and written = ${word}`,
          ),
      };
    },
    both: [{ documents: 1 }],
  },
  'redeemPromo twice at once counts an order once': {
    async build(ctx) {
      const { id: promoId } = await buildPromo(ctx);
      const use = { promoId, customerEmail: newAddress(), orderId: newId('ord'), isHeld: false };
      return { run: () => transact(ctx, (ctx) => redeemPromo(ctx, use)), effect: () => usesOf(ctx, promoId) };
    },
    both: { held: 0, used: 1 },
  },
  'saveGiftCard and redeemGiftCard at once record by how much they change the balance': {
    async build(ctx) {
      const { id: giftCardId, code } = await buildGiftCard(ctx, { balanceCents: 5000 });
      const redemption = { giftCardId, amountCents: 3000, orderId: newId('ord'), isHeld: false };
      return {
        run: (turn) =>
          transact<Context, unknown>(ctx, (ctx) =>
            turn === 0
              ? saveGiftCard(ctx, { code, balance_cents: 6000 }, { setBalance: true })
              : redeemGiftCard(ctx, redemption),
          ),
        effect: () =>
          read(
            ctx,
            sql`
            select balance_cents - coalesce((
                select sum(a.amount_cents) from gift_card_adjustments a
                where a.tenant_id = g.tenant_id and a.gift_card_id = g.id), 0)::int8 as "unadjusted"
            from gift_cards g where g.tenant_id = ${ctx.tenant.id} and g.id = ${giftCardId}`,
          ),
      };
    },
    both: [{ unadjusted: 2000 }],
  },
  'useCode twice at once accepts a code once': {
    async build(ctx) {
      const { use, codeOf } = await buildCode(ctx);
      const accepted: boolean[] = [];
      const code = await codeOf();
      return { run: async () => accepted.push(await use(code)), effect: async () => accepted.toSorted() };
    },
    both: [false, true],
  },
  'useCode twice at once counts no wrong code beyond the limit': {
    async build(ctx) {
      const { use, id } = await buildCode(ctx);
      for (let wrong = 1; wrong < 5; wrong += 1) await use('000000');
      return {
        run: () => use('000000'),
        effect: () =>
          read(
            ctx,
            sql`
            select wrong_codes as "wrongCodes" from one_time_passwords where tenant_id = ${ctx.tenant.id} and id = ${id}`,
          ),
      };
    },
    both: [{ wrongCodes: 5 }],
  },
  'saveKey twice at once says of each from which limit it changed the key': {
    async build(ctx) {
      const name = newId('key');
      const save = (requestsPerMinute: number) =>
        transact(ctx, (ctx) =>
          saveKey(ctx, { name, kind: 'secret', scopes: ['orders:read'], expiresAt: null, requestsPerMinute }),
        );
      await save(100);
      const rises: number[] = [];
      return {
        run: async (turn) => {
          const [from, to] = (await save(200 + turn)).change.values?.['requests_per_minute'] ?? [];
          rises.push(Number(to) - Number(from));
        },
        effect: async () =>
          ((await findKey(ctx, name))?.requestsPerMinute ?? 0) - rises.reduce((sum, rise) => sum + rise, 0),
      };
    },
    both: 100,
  },
  'replaceWebhookSecret twice at once leaves one secret that is current': {
    async build(ctx) {
      const replace = (secret: string) =>
        transact(ctx, (ctx) => replaceWebhookSecret(ctx, { secret, endpointId: null }));
      await replace('whsec_0');
      return {
        run: (turn) => replace(`whsec_${turn + 1}`),
        effect: async () =>
          (
            await read<{ state: string }>(
              ctx,
              sql`
              select state from payment_webhook_secrets
              where tenant_id = ${ctx.tenant.id} and state = 'current'`,
            )
          ).length,
      };
    },
    both: 1,
  },
  'undoChange twice at once undoes a change once': {
    async build(ctx) {
      const { id: productId } = await buildProduct(ctx);
      const kind = changeKindOf({ kind: 'prices' });
      const id = await previewChange(ctx, { kind, ids: [productId], change: { percent: 10 } });
      await runChange(ctx, { id });
      // Those of this store alone: it may have few changes in progress, and each step leaves an undo.
      for (const payload of await enqueuedJobs(ctx, applyBatchesJob)) await applyBatches(ctx, payload);
      const undone = new Set<string>();
      return { run: async () => undone.add(await undoChange(ctx, { id })), effect: async () => undone.size };
    },
    both: 1,
  },
};

/** `done`, or the code with which it was rejected. Other errors are thrown. */
async function outcomeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return 'done';
  } catch (error) {
    if (error instanceof DomainError) return error.code;
    throw error;
  }
}

for (const [title, { build, both }] of Object.entries(operations)) {
  test.serial(title, async (t) => {
    const { ctx, services } = t.context;
    const other = await build(ctx, services);
    const untouched = await other.effect();
    const alone = await build(ctx, services);
    const counts = await meets(services, () => alone.run(1));
    for (let step = 1, isReached = true; isReached; step += 1) {
      const { run, effect } = await build(ctx, services);
      isReached = await interleave(
        services,
        step,
        () => run(0),
        () => run(1),
        { counts },
      );
      if (!isReached) await run(1);
      t.deepEqual(await effect(), both, `before statement ${step}`);
    }
    t.deepEqual(await other.effect(), untouched, 'another of the same store');
  });
}
