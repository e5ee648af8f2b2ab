import { isDeepStrictEqual } from 'node:util';
import anyTest, { type TestFn } from 'ava';

import { applyStore } from '#src/cli/apply/apply-store.ts';
import { RejectedInput } from '#src/cli/apply/section.ts';
import { sections } from '#src/cli/apply/sections.ts';
import type { Context } from '#src/domain/context.ts';

import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildEntry } from '#test/support/factories/content.ts';
import { buildPartner } from '#test/support/factories/partners.ts';
import { buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildGiftCard, buildPromo } from '#test/support/factories/promotions.ts';
import { buildShippingAccount, shippingAccountInput } from '#test/support/factories/shipping.ts';
import { buildStaff, buildStaffSession, verify } from '#test/support/factories/staff.ts';
import { interleave } from '#test/support/interleave.ts';
import { loadFileOf } from '#test/support/load-file-of.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { type ApiContext, useApi } from '#test/support/use-api.ts';
import { resultOf } from '#test/support/use-owner.ts';

/*
 * An operator applies a store file while a member of the staff saves the same thing in the console. Each is forced into
 * every gap between the statements of the other: both have the results, and leave the thing, as one after the other.
 */

const test = anyTest as TestFn<ApiContext>;
useApi(test, { isRecorded: false });

/** A thing that a store file and the console save. */
interface Thing {
  /** In the words of the store file. */
  readonly file: object;
  /** `apply --prune`, and `--set-stock`. */
  readonly options?: { readonly prune?: boolean; readonly setStock?: boolean };
  readonly request: readonly [method: string, path: string, body?: object];
  /** The list, or the thing, that shows what was saved. */
  readonly shownBy: string;
}

const paymentAccount = (name: string) => ({
  provider: 'stripe',
  mode: 'direct',
  secret_key: `sk_test_${name}`,
  publishable_key: `pk_test_${name}`,
  webhook_secret: `whsec_${name}`,
});

const endpointUrl = 'https://shop.example/hooks';

type Build = (ctx: Context) => Promise<Thing> | Thing;
const things: Record<string, Readonly<Record<string, Build>>> = {
  store: {
    'the settings of a store': ({ tenant }) => ({
      file: {},
      request: ['PUT', '/store', { name: 'In the console', storefront_url: tenant.storefrontUrl, version: 1 }],
      shownBy: '/store',
    }),
  },
  payments: {
    'the first account at the payment provider': () => ({
      file: { payments: paymentAccount('file') },
      request: ['PUT', '/providers/payments', paymentAccount('console')],
      shownBy: '/providers',
    }),
    'the account at the payment provider': async (ctx) => {
      await buildPaymentAccount(ctx);
      return {
        file: { payments: paymentAccount('file') },
        request: ['PUT', '/providers/payments', paymentAccount('console')],
        shownBy: '/providers',
      };
    },
  },
  shipping: {
    'the first account at the shipping provider': () => ({
      file: { shipping: shippingAccountInput({ carriers: ['ups'] }) },
      request: ['PUT', '/providers/shipping', shippingAccountInput({ carriers: ['usps'] })],
      shownBy: '/providers',
    }),
    'the account at the shipping provider': async (ctx) => {
      await buildShippingAccount(ctx);
      return {
        file: { shipping: shippingAccountInput({ carriers: ['ups'] }) },
        request: ['PUT', '/providers/shipping', { ...shippingAccountInput({ carriers: ['usps'] }), version: 1 }],
        shownBy: '/providers',
      };
    },
  },
  second_shipping: {
    'the account at the second shipping provider': () => ({
      file: { second_shipping: { provider: 'easypost', api_key: 'EZTK_file' } },
      request: ['PUT', '/providers/second-shipping', { provider: 'easypost', api_key: 'EZTK_console' }],
      shownBy: '/providers',
    }),
  },
  keys: {
    'a key': () => ({
      file: { keys: [{ name: 'erp', kind: 'secret', scopes: ['orders:read'] }] },
      request: ['POST', '/keys', { name: 'erp', kind: 'secret', scopes: ['customers:read'] }],
      shownBy: '/keys',
    }),
  },
  staff: {
    'a member of the staff': async (ctx) => {
      const { id, email } = await buildStaff(ctx, { role: 'manager' });
      return {
        file: { staff: [{ email, name: 'In the file', role: 'support' }] },
        request: ['PATCH', `/staff/${id}`, { role: 'analyst', version: 1 }],
        shownBy: '/staff',
      };
    },
  },
  products: {
    'a product': async (ctx) => {
      const { slug, variant } = await buildProduct(ctx);
      const variants = [{ sku: variant.sku, price_cents: 1000 }];
      return {
        file: { products: [{ slug, name: 'In the file', variants }] },
        request: ['PUT', `/products/${slug}`, { name: 'In the console', variants, version: 1 }],
        shownBy: '/products',
      };
    },
    'a product that the file removes': async (ctx) => {
      const { slug, variant } = await buildProduct(ctx);
      return {
        file: { products: [] },
        options: { prune: true },
        request: ['PUT', `/products/${slug}`, { name: 'Kept', variants: [{ sku: variant.sku, price_cents: 1000 }] }],
        shownBy: '/products',
      };
    },
  },
  content: {
    'an entry': async (ctx) => {
      const { type, slug } = await buildEntry(ctx);
      return {
        file: { content: [{ type, slug, title: 'In the file' }] },
        request: ['PUT', `/content/${type}/${slug}`, { title: 'In the console', version: 1 }],
        shownBy: '/content',
      };
    },
    'an entry that the file removes': async (ctx) => {
      const { type, slug } = await buildEntry(ctx);
      return {
        file: { content: [] },
        options: { prune: true },
        request: ['PUT', `/content/${type}/${slug}`, { title: 'In the console' }],
        shownBy: '/content',
      };
    },
  },
  promo_codes: {
    'a new promo code': () => ({
      file: { promo_codes: [{ code: 'AUTUMN', type: 'percent', value: 10 }] },
      request: ['POST', '/promo-codes', { code: 'AUTUMN', type: 'free_shipping' }],
      shownBy: '/promo-codes',
    }),
    'a promo code': async (ctx) => {
      const { code } = await buildPromo(ctx);
      return {
        file: { promo_codes: [{ code, type: 'percent', value: 20 }] },
        request: ['PUT', `/promo-codes/${code}`, { type: 'percent', value: 30, version: 1 }],
        shownBy: '/promo-codes',
      };
    },
    'a promo code that the file removes': async (ctx) => {
      const { code } = await buildPromo(ctx);
      return {
        file: { promo_codes: [] },
        options: { prune: true },
        request: ['PUT', `/promo-codes/${code}`, { type: 'percent', value: 30 }],
        shownBy: '/promo-codes',
      };
    },
  },
  gift_cards: {
    'a gift card': async (ctx) => {
      const { id, code } = await buildGiftCard(ctx);
      return {
        file: { gift_cards: [{ code, balance_cents: 7000 }] },
        options: { setStock: true },
        request: ['POST', `/gift-cards/${id}/disable`],
        shownBy: '/gift-cards',
      };
    },
  },
  partners: {
    'a new partner': () => ({
      file: { partners: [{ code: 'maker', name: 'In the file' }] },
      request: ['POST', '/partners', { code: 'maker', name: 'In the console' }],
      shownBy: '/partners',
    }),
    'a partner that the file removes': async (ctx) => {
      const { code } = await buildPartner(ctx);
      return {
        file: { partners: [] },
        options: { prune: true },
        request: ['POST', '/partners', { code, name: 'In the console' }],
        shownBy: '/partners',
      };
    },
  },
  webhook_endpoints: {
    'a new webhook endpoint': () => ({
      file: { webhook_endpoints: [{ url: endpointUrl, events: ['order.paid'] }] },
      request: ['POST', '/webhook-endpoints', { url: endpointUrl, events: ['order.*'] }],
      shownBy: '/webhook-endpoints',
    }),
  },
  reminders: {
    'the settings of reminders': () => ({
      file: { reminders: { steps: ['5h'], quiet_hours: ['21:00', '08:00'] } },
      request: ['PUT', '/reminder-settings', { steps: ['1h', '2h'], enabled: false }],
      shownBy: '/reminder-settings',
    }),
  },
};

test('every section of a store file that the console saves, too, is tried beside it', (t) => {
  const onlyOperators = ['modules'];
  const saved = sections.map(({ name }) => name).filter((name) => !onlyOperators.includes(name));
  t.deepEqual(Object.keys(things).toSorted(), ['store', ...saved].toSorted());
});

/** A store with the thing in it, and what is done to it. */
async function prepare({ services, api }: ApiContext, build: Build) {
  const ctx = { ...services.context(), tenant: await buildTenant(services) };
  const { tenant } = ctx;
  const session = await buildStaffSession(ctx);
  await verify(ctx, session);
  const headers = { ...session.headers, origin: api.url };
  const { file, options, request, shownBy } = await build(ctx);
  const call = ([method, path, body]: Thing['request']) =>
    api.call(method, `/api/v1/admin${path}`, { headers, ...(body && { body }) });
  const stored = loadFileOf(services, tenant, file);
  // What is asked once and remembered: a request that waits for another's question would wait for ever.
  await call(['GET', shownBy]);
  return {
    apply: async () => {
      const given = { dryRun: false, prune: false, setStock: false, ...options };
      const work = applyStore(services.context(), stored, given, () => undefined);
      return work.then(() => 'applied').catch(codeOf);
    },
    request: async () => resultOf(await call(request)),
    shown: async () => withoutIds((await call(['GET', shownBy])).body),
  };
}

const codeOf = (error: unknown): string => {
  if (error instanceof RejectedInput) return error.issues.map(({ detail }) => detail).join();
  throw error;
};

/** What is shown, without what differs from one store to the next. */
function withoutIds(shown: unknown): unknown {
  const differing = /(^|_)(id|at|code|slug|sku|email|hint|url|last4)$/;
  return JSON.parse(JSON.stringify(shown, (key, value) => (differing.test(key) ? undefined : value)));
}

type Side = 'apply' | 'request';
const orders: readonly (readonly [Side, Side])[] = [
  ['apply', 'request'],
  ['request', 'apply'],
];

for (const [title, build] of Object.values(things).flatMap((builds) => Object.entries(builds))) {
  test.serial(`apply and the console save ${title} at once as one after the other`, async (t) => {
    const { services } = t.context;
    /** Both of a new store, as `work` has them done: their results, and what is shown then. */
    const both = async (work: (run: (side: Side) => Promise<void>) => Promise<unknown>) => {
      const sides = await prepare(t.context, build);
      const results = { apply: '', request: '' };
      await work(async (side) => void (results[side] = await sides[side]()));
      return { ...results, shown: await sides.shown() };
    };
    const inTurn: Awaited<ReturnType<typeof both>>[] = [];
    for (const order of orders) {
      inTurn.push(
        await both(async (run) => {
          for (const side of order) await run(side);
        }),
      );
    }
    for (const [first, second] of orders) {
      for (let step = 1, isReached = true; isReached; step += 1) {
        const atOnce = await both(async (run) => {
          isReached = await interleave(
            services,
            step,
            () => run(first),
            () => run(second),
          );
          if (!isReached) await run(second);
        });
        t.true(
          inTurn.some((known) => isDeepStrictEqual(known, atOnce)),
          `${second} before statement ${step} of ${first}: ${JSON.stringify(atOnce)}`,
        );
      }
    }
  });
}
