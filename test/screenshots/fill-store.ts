import { readConfig } from '#src/config.ts';
import { transact } from '#src/database/transact.ts';
import { mailboxControl } from '#src/dev/simulators/mailbox/control.ts';
import { shippoControl } from '#src/dev/simulators/shippo/control.ts';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import type { Stack } from '#src/dev/stack/start-stack.ts';
import { enqueueMail } from '#src/domain/mail/index.ts';
import type { MailKind } from '#src/domain/mail/kinds.ts';
import { recordDrift } from '#src/domain/payments/drift/drift-reports.ts';
import { requestStaffLink } from '#src/domain/staff/index.ts';
import { days, hours } from '#src/lib/duration.ts';
import { silentLog } from '#src/lib/log.ts';
import { sql } from '#src/lib/sql.ts';
import { createServices } from '#src/services.ts';
import { clientsOf } from '#test/support/clients-of.ts';
import { everyKind } from '#test/support/factories/mail.ts';
import { buildStaff } from '#test/support/factories/staff.ts';
import { seededRandom } from '#test/support/random.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { until } from '#test/support/until.ts';

const kinds = Object.keys(everyKind) as MailKind[];
const requested: readonly MailKind[] = ['magic_link', 'abandoned_cart', 'staff_sign_in', 'staff_invitation'];
const freelySent = kinds.filter((kind) => !requested.includes(kind));
const addressOf = (kind: MailKind) => `${kind.replaceAll('_', '-')}@kinds.example`;
const limits = { withinMs: 120_000 };
const sanFrancisco = { line1: '1 Market St', city: 'San Francisco', state: 'CA', postal_code: '94105', country: 'US' };
const london = { line1: '10 Downing St', city: 'London', postal_code: 'SW1A 2AA', country: 'GB' };

/** A label that needs attention, by a name for its picture. */
interface WaitingLabel {
  readonly id: string;
  readonly name: string;
}

/** Make the store look like one on a busy day: problems of each kind for operators, numbers, an email of each kind. */
export async function fillDemoStore(stack: Stack): Promise<{ labels: readonly WaitingLabel[] }> {
  const labels = await failLabels(stack);
  await failWebhooks(stack);
  const services = await createServices(readConfig({ ...stack.environment }), 'screenshots', { log: silentLog });
  try {
    const tenant = await services.tenants.bySlug(stack.store.slug);
    if (!tenant) throw new Error('The store is not there.');
    const ctx = { ...services.context(), tenant };
    const now = ctx.clock.now().getTime();
    const [first, second] = (await clientsOf(stack).admin.listOrders({ limit: 2 })).orders;
    if (!first || !second) throw new Error('The store has no two orders.');
    await transact(ctx, async ({ tx }) => {
      await tx.execute(sql`
        update orders set attentions = jsonb_build_array(jsonb_build_object('code', 'payment_missing',
          'detail', 'It is paid here, but the payment provider has no such payment.'))
        where tenant_id = ${tenant.id} and id = ${first.id}`);
      const random = seededRandom(7);
      for (let ago = 29; ago > 0; ago -= 1) {
        const [sessions, orders] = [180 + random.below(160), 4 + random.below(14)];
        await tx.execute(sql`
          insert into analytics_days
            (tenant_id, day, events, sessions, viewed, cart, checkout, paid, orders, revenue_cents)
          values (${tenant.id}, ${new Date(now - days(ago)).toISOString().slice(0, 10)}::date,
            ${sessions * 5}, ${sessions}, ${Math.round(sessions * 0.7)}, ${Math.round(sessions * 0.22)},
            ${orders + 8}, ${orders}, ${orders}, ${orders * 6140})`);
      }
      await tx.execute(
        sql`update payment_accounts set silent_since = ${new Date(now - hours(2))} where tenant_id = ${tenant.id}`,
      );
    });
    await recordDrift(
      ctx,
      { from: new Date(now - hours(49)), to: new Date(now - hours(1)) },
      { unpaidHere: [second.id], unpaidThere: [first.id], unmadeRenewals: [] },
    );
    await buildStaff(ctx, { email: addressOf('staff_sign_in') });
    await requestStaffLink(ctx, { email: addressOf('staff_sign_in'), clientNetwork: undefined });
    await transact(ctx, async (ctx) => {
      for (const kind of freelySent) {
        enqueueMail(ctx, { kind, to: addressOf(kind), data: everyKind[kind], subjectId: `sub_${kind}` });
      }
    });
  } finally {
    await services.close();
  }
  await sendRequestedMails(stack);
  for (const kind of kinds) await mailboxControl(stack.mailboxUrl).waitForMessage({ to: addressOf(kind) }, 60_000);
  return { labels };
}

/** These emails are sent only to who requested a link, left a cart or was invited. */
async function sendRequestedMails(stack: Stack): Promise<void> {
  const mailbox = mailboxControl(stack.mailboxUrl);
  const email = addressOf('magic_link');
  await sell(stack, 'board-oil', { address: sanFrancisco, email });
  await mailbox.waitForMessage({ to: email, subject: 'Your order' }, 60_000);
  const { storefront } = clientsOf(stack);
  await storefront.requestMagicLink({ email });
  await mailbox.waitForMessage({ to: email, subject: 'Sign in' }, 60_000);
  const items = [
    { product_slug: 'oak-bowl', name: 'Oak bowl', quantity: 1 },
    { product_slug: 'board-oil', name: 'Board oil', quantity: 2 },
  ];
  await storefront.saveCart({ email: addressOf('abandoned_cart'), items });
  await clientsOf(stack).admin.inviteStaff({ email: addressOf('staff_invitation'), name: 'Grace', role: 'support' });
}

/** One label to another country, one for a parcel that is too heavy, and one without any rate. */
async function failLabels(stack: Stack): Promise<readonly WaitingLabel[]> {
  const shippo = shippoControl(stack.shippoUrl);
  const international = await sellUntilFlagged(stack, 'stoneware-mug', { address: london });
  const heavy = await sellUntilFlagged(stack, 'oak-bench', { address: sanFrancisco, quantity: 4 });
  await shippo.fault({ match: 'POST /shipments', kind: 'no_rates', times: 10 });
  const noRates = await sellUntilFlagged(stack, 'linen-towels', { address: sanFrancisco });
  await shippo.clearFaults();
  return [
    { id: international, name: 'international' },
    { id: heavy, name: 'heavy' },
    { id: noRates, name: 'no-rates' },
  ];
}

/** Returns the id of the label that needs attention since this sale. */
async function sellUntilFlagged(stack: Stack, slug: string, sale: Sale): Promise<string> {
  const flagged = async (): Promise<{ id: string }[]> =>
    (await clientsOf(stack).admin.listLabels({ state: 'needs_attention' })).labels;
  const earlier = new Set((await flagged()).map(({ id }) => id));
  await sell(stack, slug, sale);
  const label = await until(async () => (await flagged()).find(({ id }) => !earlier.has(id)), limits);
  return label.id;
}

interface Sale {
  readonly address: object;
  readonly quantity?: number;
  readonly email?: string;
}

async function sell(
  stack: Stack,
  slug: string,
  { address, quantity = 1, email = 'grace@shopper.example' }: Sale,
): Promise<void> {
  const { storefront } = clientsOf(stack);
  const { product } = await storefront.getProduct(slug);
  const session = await storefront.createCheckoutSession({
    items: [{ product_slug: slug, variant_id: product.variants[0]?.id ?? null, quantity }],
  });
  await stripeControl(stack.stripeUrl).pay(session.checkout_url.split('/').at(-1) ?? '', {
    outcome: 'paid',
    email,
    name: 'Grace Shopper',
    phone: '4155550100',
    address,
  });
}

/** An endpoint that responds 503 until its deliveries fail. */
async function failWebhooks(stack: Stack): Promise<void> {
  const system = await startReceiver();
  system.behave({ status: 503 });
  const { admin } = clientsOf(stack);
  const {
    webhook_endpoint: { id },
  } = await admin.createWebhookEndpoint({ url: system.url, events: ['order.paid'] });
  for (let count = 0; count < 3; count += 1) await admin.testWebhookEndpoint(id);
  await until(async () => (await admin.listWebhookDeliveries(id, { state: 'failed' })).deliveries.length === 3, limits);
  await system.close();
}
