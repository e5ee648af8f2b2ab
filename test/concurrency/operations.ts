import type { Route } from '#src/api/lib/define-route.ts';
import { routes } from '#src/api/routes.ts';
import { applyStore } from '#src/cli/apply/apply-store.ts';
import { RejectedInput } from '#src/cli/apply/section.ts';
import { erasePersonalData } from '#src/domain/privacy/index.ts';
import { sql } from '#src/lib/sql.ts';
import { nameOf, send } from '#test/support/every-route.ts';
import { loadFileOf } from '#test/support/load-file-of.ts';
import { runOnce } from '#test/support/run-jobs.ts';
import type { ApiContext } from '#test/support/use-api.ts';
import { resultOf } from '#test/support/use-owner.ts';
import { requests } from './requests.ts';
import * as the from './shared-store.ts';
import { adasEmail, type SharedStore } from './shared-store.ts';

/** An operation by its name. */
export interface Operation {
  readonly name: string;
  /** With other values than the first, where it can have some. */
  readonly isSecond?: boolean;
  /** Only for a request. */
  readonly idempotencyKey?: string;
}

/** Do it. Returns how it ended, in one line. */
export type Run = () => Promise<string>;

/** Build what is needed first. */
export type Prepare = (context: ApiContext, store: SharedStore, operation: Operation) => Promise<Run>;

/** What is done with a store other than by a request: jobs, and what operators do at the command line. */
const others: Readonly<Record<string, Prepare>> = {
  'the job of a sign-in link': runJobOf(the.requestedLink, 'sessions.mail-link'),
  'the job of a label': runJobOf(the.requestedLabel, 'labels.purchase-label'),
  'the job of a purchased label': runJobOf(the.label, 'labels.purchase-label'),
  'the job of a reminder': runJobOf(the.savedCart, 'reminders.decide-reminder'),
  'the job of a bulk change': runJobOf(the.queuedChange, 'bulk.apply-batches'),
  'the job of an import': runJobOf(the.openImport, 'bulk.read-import'),
  'the job of an export': runJobOf(the.openExport, 'bulk.write-export'),
  'the job of a payment': runJobOf(the.payment, 'payments.reconcile-payment-event'),
  'the job of a refund': runJobOf(the.requestedRefund, 'payments.issue-refund'),
  "the job of a refund in the provider's dashboard": runJobOf(the.foreignRefund, 'payments.reconcile-payment-event'),
  'the job of a delivery': runJobOf(the.delivery, 'webhooks.drain-endpoint'),
  'the job of a product in the search': runJobOf(the.product, 'search.index-document'),
  'the erasure of a person': async (_, store) => {
    const email = await adasEmail(store);
    return async () => ((await erasePersonalData(store.ctx, { email })).blockers.length > 0 ? 'blocked' : 'erased');
  },
  'a store file that changes things': async ({ services }, store) => {
    const { slug, variant } = await store.the(the.product);
    const variants = [{ sku: variant.sku, price_cents: 1, stock: 8 }];
    return applyFile(services, store, {
      products: [{ slug, name: 'In the file', variants }],
      content: [{ type: 'article', slug: 'care', title: 'In the file' }],
      partners: [{ code: 'maker', name: 'In the file' }],
    });
  },
  'a store file that changes promo codes and gift cards': async ({ services }, store) => {
    const [{ code }] = await Promise.all([store.the(the.giftCard), store.the(the.promo)]);
    return applyFile(services, store, {
      promo_codes: [{ code: 'ONCE', type: 'percent', value: 5 }],
      gift_cards: [{ code, balance_cents: 7000 }],
    });
  },
  'a store file that removes things': async ({ services }, store) => {
    await store.the(the.product);
    return applyFile(services, store, { products: [], content: [], partners: [] });
  },
};

/** Every operation by its name. */
export const names: readonly string[] = [...Object.keys(requests), ...Object.keys(others)];

export const prepare: Prepare = (context, store, operation) =>
  (others[operation.name] ?? prepareRequest)(context, store, operation);

export const routeOf = (name: string): Route | undefined => routes.find((route) => nameOf(route) === name);

/** An API key alone may not change staff or stored credentials. */
const isByStaff = (name: string) => /^PUT .*\/providers\/|\/webhook-secret\/|\/admin\/staff/.test(name);

const prepareRequest: Prepare = async (context, store, { name, isSecond = false, idempotencyKey }) => {
  const route = routeOf(name);
  const build = requests[name];
  if (!route || !build) throw new Error(`There is no ${name}.`);
  const { api } = context;
  const { tenant } = store.ctx;
  const sending = await build(store, isSecond);
  const { kind } = route.audience;
  const staff = kind === 'staff' || isByStaff(name) ? (await store.the(the.staff)).headers : {};
  const key = kind === 'session' ? (await store.the(the.session)).token : 'cookie' in staff ? '' : store.callersKey;
  const headers = {
    origin: api.url,
    ...staff,
    ...sending.headers,
    ...(idempotencyKey && { 'idempotency-key': idempotencyKey }),
  };
  // Looked up once and remembered, as in `SharedStore.create`.
  await api.call('GET', '/api/v1/admin/overview', { key, headers: { origin: api.url, ...staff } });
  await api.call('GET', '/api/v1/storefront', { tenant: tenant.slug });
  const caller = { ...context, tenant, key, session: key, staff: { cookie: '', origin: '' } };
  return async () => resultOf(await send(caller, route, { ...sending, headers }));
};

/** The first such job that the store has once a thing is built, as if it were due. */
export function runJobOf(build: (store: SharedStore) => Promise<unknown>, name: string): Prepare {
  return async ({ services }, store) => {
    await store.the(build);
    const [job] = await services.execute<{ id: string }>(sql`
      update outbox set due_at = ${services.clock.now()} where id = (
        select min(id) from outbox
        where tenant_id = ${store.ctx.tenant.id} and job = ${name} and next_relay_at is not null)
      returning id`);
    if (!job) throw new Error(`There is no ${name}.`);
    return () => runOnce(services, { id: job.id, name });
  };
}

/** Apply a store file, which removes what it does not have. */
function applyFile(services: ApiContext['services'], { ctx: { tenant } }: SharedStore, sections: object): Run {
  const file = loadFileOf(services, tenant, sections);
  const options = { dryRun: false, prune: true, setStock: true };
  return async () => {
    try {
      await applyStore(services.context(), file, options, () => undefined);
      return 'applied';
    } catch (error) {
      if (error instanceof RejectedInput) return error.issues.map(({ detail }) => detail).join();
      throw error;
    }
  };
}
