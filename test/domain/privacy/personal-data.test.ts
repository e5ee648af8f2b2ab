import { randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import anyTest, { type TestFn } from 'ava';
import { type TSchema, Type } from 'typebox';
import type { Route } from '#src/api/lib/define-route.ts';
import { routes } from '#src/api/routes.ts';
import { asPlatform, read, readOne, transact } from '#src/database/transact.ts';
import { EventInput } from '#src/domain/analytics/event-input.ts';
import { listAudit } from '#src/domain/audit/index.ts';
import { correctEmail, resendReceipt } from '#src/domain/backoffice/index.ts';
import { changeKindOf, importKindOf, previewChange, receiveImport } from '#src/domain/bulk/index.ts';
import { createCart } from '#src/domain/cart/index.ts';
import { submitReview } from '#src/domain/catalog/index.ts';
import { createCheckoutSession, createGiftCheckout } from '#src/domain/checkout/index.ts';
import type { Context } from '#src/domain/context.ts';
import { linkPaymentCustomer, upsertCustomer } from '#src/domain/customers/index.ts';
import { callSecretOf } from '#src/domain/integrations/calls.ts';
import { acceptCall } from '#src/domain/integrations/index.ts';
import { joinWaitlist, submitInquiry } from '#src/domain/leads/index.ts';
import { readOrder } from '#src/domain/orders/index.ts';
import { applyAsPartner, trackReferral } from '#src/domain/partners/index.ts';
import { mentionPattern } from '#src/domain/personal-data.ts';
import {
  erasePersonalData,
  exportPersonalData,
  requestErasure,
  requestPersonalExport,
} from '#src/domain/privacy/index.ts';
import { personalData } from '#src/domain/privacy/registry.ts';
import { rejectReturn, requestReturn } from '#src/domain/returns/index.ts';
import { searchDocuments } from '#src/domain/search/index.ts';
import { revokeStaff } from '#src/domain/staff/index.ts';
import { scopes } from '#src/domain/tenants/api-key.ts';
import { sign } from '#src/domain/webhooks/index.ts';
import { exampleOf } from '#src/lib/example-of.ts';
import { createKeyring } from '#src/lib/keyring.ts';
import { lowerCase, rawSql, type Sql, sql } from '#src/lib/sql.ts';
import { fits } from '#src/lib/validation.ts';
import { recordEvent } from '#src/outbox/enqueue.ts';
import { send } from '#test/support/every-route.ts';
import { aggregateAll, sendEvents } from '#test/support/factories/analytics.ts';
import { buildCart } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { buildPaidOrder } from '#test/support/factories/orders.ts';
import { buildPartner } from '#test/support/factories/partners.ts';
import { orderOf, sessionOf } from '#test/support/factories/payments.ts';
import { buildPromo } from '#test/support/factories/promotions.ts';
import { buildRemindedCart } from '#test/support/factories/reminders.ts';
import { buildReturnableOrder } from '#test/support/factories/returns.ts';
import { buildSession } from '#test/support/factories/sessions.ts';
import { buildStaff, buildStaffSession } from '#test/support/factories/staff.ts';
import { buildSubscription, subscriptionsOf } from '#test/support/factories/subscriptions.ts';
import { buildEndpoint } from '#test/support/factories/webhooks.ts';
import { startReceiver } from '#test/support/receiver.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { type StripeContext, useStripe } from '#test/support/use-stripe.ts';

const test = anyTest as TestFn<StripeContext>;
await useStripe(test);

/* All her personal data contains the word quill, so that it is found wherever it is stored. */
const email = 'ada+books@quill.example';
/** The address of another mailbox of hers, with which she does not order. */
const otherEmail = 'office@quill.example';
const address = { line1: '77 Quill Lane', city: 'Quillton', state: 'NY', postal_code: '10010', country: 'US' };

/** Columns whose names sound personal but that hold no personal data, each with the reason. */
const notPersonal: Readonly<Record<string, string>> = {
  'analytics_batches.events': 'waits for half a second to be folded, under a row that no query reads',
  'analytics_batches.visitor': 'the same',
  'api_keys.name': 'what an owner calls a key',
  'api_keys.scopes': 'what a key may do',
  'audit_log.after': 'never holds an address: see AuditedChange.logged',
  'audit_log.before': 'the same',
  'bulk_batches.items': 'waits for minutes at most to be imported; ids for a bulk change',
  'bulk_changed_items.values': 'prices, tags, status and stock of products',
  'customer_names.customer_id': 'deleted with the customer',
  'customer_names.word': 'the same',
  'customers.name_words': 'the words of customers.name, deleted with it',
  'erasures.blockers': 'numbers of orders and returns, and ids of subscriptions',
  'erasures.erased': 'numbers of rows',
  'erasures.found': 'the same',
  'erasures.payment_customer_ids': 'what to delete at the payment provider, for 30 days',
  'erasures.requested_by': 'a key or a member',
  'bulk_operations.changes': 'names and fields of what a dry run compared',
  'bulk_operations.options': 'how a file is imported, or products are changed',
  'bulk_operations.requested_by': 'an API key',
  'entries.author': 'who signs what the store publishes',
  'entries.body': 'what the store publishes',
  'entries.image': 'what the store publishes',
  'integration_calls.message_id': "the caller's own number of what it tells",
  'integration_connections.return_url': "a page of the store's",
  'integration_connections.received_sealed': "what opens the owner's account elsewhere",
  'labels.rate': 'what a carrier asks for a parcel',
  'mails.message_id': 'the number of a mail',
  'orders.labels': 'carriers and numbers of parcels',
  'orders.reported_refunds': 'ids of refunds at the payment provider',
  'order_items.name': 'what was bought',
  'outbox.payload': 'ids alone, as a test of the jobs demands',
  'outbox.trace': 'numbers of traces',
  'partners.name': 'a business that the store publishes',
  'payment_drift_reports.unpaid_here': 'ids of orders',
  'payment_drift_reports.unpaid_there': 'ids of orders',
  'payment_drift_reports.unmade_renewals': 'ids of invoices',
  'payment_webhook_secrets.secret_sealed': "the owner's",
  'product_tags.tag': 'of the catalogue',
  'product_tags.sort_name': 'of the catalogue',
  'products.images': 'of the catalogue',
  'products.name': 'of the catalogue',
  'products.sort_name': 'of the catalogue',
  'promo_codes.products': 'of the catalogue',
  'reminder_settings.quiet_hours': "the store's hours",
  'reminder_settings.steps_ms': "the store's hours",
  'return_items.name': 'what was bought',
  'search_documents.body': 'of the catalogue',
  'search_documents.keywords': 'of the catalogue',
  'search_documents.names': 'of the catalogue',
  'shipping_accounts.carriers': "the store's terms",
  'shipping_accounts.countries': "the store's terms",
  'shipping_accounts.options': "the store's terms",
  'shipping_accounts.origin': 'the address of the store',
  'shipping_accounts.parcel': "the store's box",
  'tenants.allowed_origins': "the store's own",
  'tenants.links': "the store's own",
  'tenants.mail_from': "the store's own",
  'tenants.modules': "the store's own",
  'tenants.name': "the store's own",
  'tenants.owner_email': "the owner's, who is no shopper",
  'tenants.theme': "the store's own",
  'trackings.carrier_name': 'a carrier',
  'variants.name': 'of the catalogue',
  'variants.options': 'of the catalogue',
  'webhook_endpoints.events': 'event types',
  'migrations.name': 'of the schema',
};

test('every column with a personal-sounding name is in the registry or listed as not personal', async (t) => {
  const columns = await t.context.services.execute<{ name: string }>(sql`
    select c.table_name || '.' || c.column_name as name
    from information_schema.columns c join pg_class k on k.relname = c.table_name and not k.relispartition
      and k.relnamespace = 'public'::regnamespace
    where c.table_schema = 'public' and (c.data_type in ('json', 'jsonb')
      or c.data_type = 'text'
      and c.column_name ~ '(mail|address|name|phone|street|recipient|author|message|note|body|company|website|visitor|anonymous|session_id|customer|answers|landing|redirect|response|label_url|birth|ip$)')
    order by 1`);
  const covered = new Set(personalData.flatMap(({ columns }) => columns));
  const silent = columns.filter(({ name }) => !covered.has(name) && !(name in notPersonal) && !isAnId(name));
  t.deepEqual(
    silent.map(({ name }) => name),
    [],
  );

  const known = new Set(
    (
      await t.context.services.execute<{ name: string }>(sql`
    select table_name || '.' || column_name as name from information_schema.columns where table_schema = 'public'`)
    ).map(({ name }) => name),
  );
  t.deepEqual(
    [...covered].filter((name) => !known.has(name)),
    [],
    'what is registered is there',
  );
  t.deepEqual(
    Object.keys(notPersonal).filter((name) => covered.has(name)),
    [],
  );
});

/** Ids of this service: an id identifies no one once its row is deleted. */
const isAnId = (name: string) =>
  /^(refresh_tokens\.session_id|payment_sessions\.provider_session_id|reminder_steps\.mail_id)$/.test(name);

test.serial('a customer is exported and erased completely, and the totals of orders still add up', async (t) => {
  const { ctx, services } = t.context;
  await visitAda(t.context);
  await transact(ctx, async (ctx) => {
    const { id: customerId } = await upsertCustomer(ctx, { email: 'grace@example.com' });
    await linkPaymentCustomer(ctx, { customerId, paymentCustomerId: 'cus_of_another' });
  });
  const total = await turnoverOf(ctx);
  t.true((await placesOf(ctx, 'quill')).length > 15);

  const { held } = await exportPersonalData(ctx, { email: ` ${email.toUpperCase()} ` });
  t.deepEqual(
    personalData.map(({ name }) => name).filter((name) => !held[name]),
    [],
    'there is something of every part',
  );
  const reported = JSON.stringify(held).toLowerCase();
  for (const word of [email, '77 quill lane', 'quill works', 'for the quill', 'quillnote', '2125550177'])
    t.true(reported.includes(word), word);

  const { erased, blockers, paymentCustomerIds } = await erasePersonalData(ctx, { email });
  t.deepEqual(blockers, []);
  t.true(Object.keys(erased).length >= personalData.length - 3, Object.keys(erased).join());
  t.is(paymentCustomerIds.length, 1);
  t.deepEqual(await placesOf(ctx, 'quill'), []);
  t.deepEqual(await placesOf(ctx, '2125550177'), []);
  t.is(await turnoverOf(ctx), total);

  t.deepEqual((await exportPersonalData(ctx, { email })).held, {});
  t.deepEqual((await erasePersonalData(ctx, { email })).erased, {});
  const { rows } = await listAudit(ctx, { limit: 50, subjectKind: 'person' });
  t.deepEqual(
    rows.map(({ action }) => action),
    ['person.exported', 'person.erased', 'person.exported', 'person.exported'],
  );
  t.is(new Set(rows.map(({ subjectId }) => subjectId)).size, 1);

  t.context.clock.pass(4 * 24 * 3_600_000);
  const outcomes = await runJobs(services, { rounds: 60 });
  t.deepEqual(
    outcomes.filter((outcome) => !outcome.endsWith(': done')),
    [],
    'the jobs enqueued for her end quietly',
  );
  t.deepEqual(await placesOf(ctx, 'quill'), []);
});

test.serial('an email is erased from whatever field of a request it was sent in', async (t) => {
  const { ctx, services, stripe, tenant } = t.context;
  const { slug, variant } = await buildProduct(ctx, { variants: [{ stock: 100, ships: false }] });
  const cart = await buildCart(ctx, [variant.id]);
  const known: Readonly<Record<string, unknown>> = {
    slug,
    product_slug: slug,
    variant_id: variant.id,
    variantId: variant.id,
    code: (await buildPartner(ctx)).code,
    id: cart.id,
    itemId: cart.lines[0]?.id,
    cart_id: cart.id,
    return_url: `${tenant.storefrontUrl}?email=${encodeURIComponent(email)}`,
    cancel_url: `${tenant.storefrontUrl}?email=${email}`,
    type: undefined,
    cursor: undefined,
    events: [
      exampleWithin(EventInput, { event_id: undefined, type: 'page_viewed', occurred_at: null, currency: null }),
    ],
    ...Object.fromEntries(
      ['promo_code', 'gift_card_code', 'partner_code', 'purchase_type'].map((name) => [name, null]),
    ),
  };
  const store = { ...t.context, key: await buildKey(ctx, scopes), session: (await buildSession(ctx)).token };
  const shoppers = ({ path, audience }: Route) => !path.includes('/admin/') && audience.kind !== 'inbound';
  for (const route of routes.filter(shoppers)) {
    const { params = {}, query, body } = route;
    const sent = new URLSearchParams(JSON.parse(JSON.stringify(query ? exampleWithin(query, known) : {})));
    const response = await send({ ...store, staff: { cookie: '', origin: '' } }, route, {
      params: exampleWithin(params, known) as Record<string, string>,
      ...(query && { query: `?${sent}` }),
      ...(body && { body: exampleWithin(body, known) }),
    });
    const { sessionId } = response.body?.order_id ? await sessionOf(ctx, response.body.order_id) : {};
    if (sessionId) await stripe.pay(sessionId, { email, outcome: 'paid' });
  }
  t.true(await stripe.idle());
  await aggregateAll(services);
  await runJobs(services);
  t.true((await placesOf(ctx, 'quill')).length > 15);
  t.deepEqual((await erasePersonalData(ctx, { email })).blockers, []);
  t.deepEqual(await placesOf(ctx, 'quill'), []);
});

test.serial('an email is erased from a cart and a checkout without any other link to it', async (t) => {
  const { ctx, services, stripe } = t.context;
  await createCart(ctx, { session_id: `shopper:${email.toUpperCase()}` });
  await createCart(ctx, { customer_id: email.toUpperCase() });
  const { id, orderNumber } = await beginNamelessCheckout(ctx);
  const { blockers } = await erasePersonalData(ctx, { email });
  t.deepEqual(blockers, [`${orderNumber} may still be paid: wait until it has expired`]);
  await stripe.expire((await sessionOf(ctx, id)).sessionId ?? '');
  t.true(await stripe.idle());
  await runJobs(services);
  t.deepEqual(new Set(await placesOf(ctx, 'quill')), new Set(['carts', 'orders', 'payment_sessions']));
  t.deepEqual((await erasePersonalData(ctx, { email })).blockers, []);
  t.deepEqual(await placesOf(ctx, 'quill'), []);
  t.is((await readOrder(ctx, id))?.metadata['engraving'], 'For Grace');
});

test.serial('an email with an international domain is erased also where it stands as people write it', async (t) => {
  const { ctx, services } = t.context;
  const written = 'ada@quillmühle.example';
  const { code } = await buildPartner(ctx);
  for (const landingUrl of [`https://shop.example/?email=${written}`, `/?email=${encodeURIComponent(written)}`])
    await trackReferral(ctx, { code, sessionId: landingUrl, landingUrl });
  await sendEvents(ctx, [{ type: 'page_viewed', session_id: 'one', properties: { email: written.toUpperCase() } }]);
  await aggregateAll(services);
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`
    insert into analytics_quarantine (tenant_id, id, received_at, source, bot, event_count, events, reason,
      quarantined_at)
    values (${ctx.tenant.id}, 'bat_1', ${ctx.clock.now()}, 'client', false, 1, ${`[{"type":"${written}"}]`}, '22P05',
      ${ctx.clock.now()})`),
  );
  t.is((await placesOf(ctx, 'quillm')).length, 3);
  await erasePersonalData(ctx, { email: written });
  t.deepEqual(await placesOf(ctx, 'quillm'), []);
});

/** The example of a schema, with her email wherever it fits, but for what is known of the store. */
function exampleWithin(schema: TSchema, known: Readonly<Record<string, unknown>>): unknown {
  const { type, properties, items, anyOf } = schema as {
    type?: string;
    properties?: Record<string, TSchema>;
    items?: TSchema;
    anyOf?: TSchema[];
  };
  if (properties) {
    return Object.fromEntries(
      Object.entries(properties).map(([name, field]) => [
        name,
        name in known ? known[name] : exampleWithin(field, known),
      ]),
    );
  }
  if (items) return [exampleWithin(items, known)];
  if (anyOf?.[0]) return exampleWithin(anyOf[0], known);
  const texts = [email, `https://blog.example/?email=${encodeURIComponent(email.toUpperCase())}`];
  if (type === 'object') return { note: texts[1] };
  const fitting = type === 'string' && texts.find((text) => fits(Type.Object({ text: schema }), { text }));
  return fitting || exampleOf(schema);
}

test.serial('the data of other customers and of other stores stays', async (t) => {
  const { ctx } = t.context;
  const theirs = await buildPaidOrder(ctx, { email: 'grace@hopper.example' });
  const longer = 'joann@hopper.example';
  const { id } = await createCart(ctx, { session_id: longer });
  for (const email of ['nobody@quill.example', 'ann@hopper.example']) await erasePersonalData(ctx, { email });
  t.is((await orderOf(ctx, theirs.id)).email, 'grace@hopper.example');
  t.deepEqual(await read(ctx, sql`select session_id from carts where id = ${id}`), [{ session_id: longer }]);
  t.deepEqual((await exportPersonalData(ctx, { email: 'nobody@quill.example' })).held, {});
});

test('an email is exported and erased also where a call was encrypted with a key that is lost', async (t) => {
  const { ctx } = t.context;
  const someone = { email: 'lost@quill.example' };
  await transact(ctx, (ctx) => upsertCustomer(ctx, someone));
  const body = JSON.stringify(someone);
  const signed = sign([await callSecretOf(ctx, 'bookkeeper')], 'msg_1', ctx.clock.now(), body);
  await acceptCall(ctx, {
    provider: 'bookkeeper',
    messageId: 'msg_1',
    rawBody: Buffer.from(body),
    timestamp: signed['webhook-timestamp'] ?? '',
    signature: signed['webhook-signature'] ?? '',
  });
  const later = { ...ctx, keyring: createKeyring([['k9', randomBytes(32)]]) };
  t.deepEqual(Object.keys((await exportPersonalData(later, someone)).held), ['customers']);
  t.like(await erasePersonalData(later, someone), { blockers: [], erased: { customers: 1 } });
});

test.serial(
  'the emails about an order and its returns are erased also where they went to a mistyped email',
  async (t) => {
    const { ctx } = t.context;
    const mistyped = 'ada@qiull.example';
    const order = await buildReturnableOrder(ctx, { email: mistyped });
    await moveOrder(ctx, order.id, { fulfillmentStatus: 'delivered' });
    await resendReceipt(ctx, order.id);
    const items = order.items.map(({ id }) => ({ order_item_id: id, quantity: 1 }));
    const { id: returnId } = await requestReturn(ctx, { orderNumber: order.order_number, email: mistyped, items });
    await rejectReturn(ctx, { returnId, note: 'no' });
    await correctEmail(ctx, { orderId: order.id, email });
    t.deepEqual(await placesOf(ctx, 'qiull'), ['mails']);
    t.deepEqual((await erasePersonalData(ctx, { email })).blockers, []);
    t.deepEqual(await placesOf(ctx, 'qiull'), []);
  },
);

test('a mention of an email is found in URLs and JSON, and not within a longer email', async (t) => {
  const { services } = t.context;
  const texts = {
    'ann@x.example': true,
    'to ann@x.example.': true,
    '{"from":"mailto:ann@x.example"}': true,
    [JSON.stringify('hello\nann@x.example\n')]: true,
    'https://x.example/?email%3dann%40x.example%26a=b': true,
    'https://x.example/?note=from+ann%40x.example': true,
    'cart-ann@x.example-1': true,
    'https://x.example/ann@x.example.html': true,
    'joann@x.example': false,
    'jo.ann@x.example': false,
    'ann@x.examples': false,
    'ann@xaexample': false,
  };
  const pattern = mentionPattern('ann@x.example');
  for (const [text, isFound] of Object.entries(texts)) {
    t.is(new RegExp(pattern).test(text), isFound, text);
    t.deepEqual(await services.execute(sql`select ${text}::text ~ ${pattern} as found`), [{ found: isFound }], text);
  }
});

test.serial('nothing is erased while something is in progress, and each blocker says what to do', async (t) => {
  const { ctx } = t.context;
  const open = await buildPaidOrder(ctx, { email });
  const unpaid = await buildPaidOrder(ctx, { email, status: 'pending' });
  const { id: subscriptionId } = await buildSubscription(ctx, { email });
  const { blockers, erased } = await erasePersonalData(ctx, { email });
  t.deepEqual(erased, {});
  t.deepEqual(
    new Set(blockers),
    new Set([
      `${unpaid.orderNumber} may still be paid: wait until it has expired`,
      `${open.orderNumber} was not sent yet: send it or refund it`,
      `the subscription ${subscriptionId} is active: cancel it`,
    ]),
  );
  t.is((await orderOf(ctx, open.id)).email, email);
});

test.serial('nothing is erased before orders are sent or refunded, and refunds, returns, disputes over', async (t) => {
  const { ctx } = t.context;
  const blockersOf = async () => (await erasePersonalData(ctx, { email })).blockers;
  const { id, orderNumber } = await buildPaidOrder(ctx, { email });
  for (const status of ['paid', 'partially_refunded']) {
    for (const fulfillmentStatus of ['unfulfilled', 'needs_attention', 'label_purchased']) {
      await moveOrder(ctx, id, { status, fulfillmentStatus });
      t.deepEqual(await blockersOf(), [`${orderNumber} was not sent yet: send it or refund it`], fulfillmentStatus);
    }
  }
  await moveOrder(ctx, id, { fulfillmentStatus: 'delivered' });
  const [item] = (await readOrder(ctx, id))?.items ?? [];
  const items = [{ order_item_id: item?.id ?? '', quantity: 1 }];
  const { number } = await requestReturn(ctx, { orderNumber, email, items });
  const set = (assignment: Sql) =>
    transact(ctx, ({ tx }) => tx.execute(sql`update ${assignment} where tenant_id = ${ctx.tenant.id}`));
  for (const status of ['requested', 'approved', 'received']) {
    await set(sql`returns set status = ${status}`);
    t.deepEqual(await blockersOf(), [`RMA-${number} is open: close it`], status);
  }
  await set(sql`returns set status = 'closed'`);
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`
    insert into payment_refunds (tenant_id, id, order_id, state, amount_cents, requested_by, created_at)
    values (${ctx.tenant.id}, 'rfd_1', ${id}, 'requested', 100, 'key_1', ${ctx.clock.now()})`),
  );
  t.deepEqual(await blockersOf(), [`a refund of ${orderNumber} is on its way: wait for it`]);
  await set(sql`payment_refunds set state = 'sent', settled_at = created_at`);
  await set(sql`orders set dispute_status = 'open'`);
  t.deepEqual(await blockersOf(), [`the payment of ${orderNumber} is disputed: wait for the decision`]);
  await set(sql`orders set dispute_status = 'lost'`);
  const customer = await transact(ctx, (ctx) => upsertCustomer(ctx, { email }));
  const { id: subscriptionId } = await buildSubscription(ctx, { email: otherEmail, status: 'paused' });
  await set(sql`subscriptions set customer_id = ${customer.id}`);
  t.deepEqual(await blockersOf(), [`the subscription ${subscriptionId} is paused: cancel it`]);
  await set(sql`subscriptions set status = 'canceled'`);
  const member = await buildStaff(ctx, { email, role: 'support' });
  t.deepEqual(await blockersOf(), ['this email address belongs to the staff of the store: revoke the member']);
  await revokeStaff(ctx, member, ['admin:write']);
  t.deepEqual(await blockersOf(), []);
  t.is((await orderOf(ctx, id)).email, null);
});

test.serial('nothing is erased while a webhook about the person is being delivered, and others are', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  await buildEndpoint(ctx, receiver, { events: ['order.*'] });
  const { id } = await buildPaidOrder(ctx, { email });
  await moveOrder(ctx, id, { fulfillmentStatus: 'delivered' });
  await transact(ctx, async (ctx) => recordEvent(ctx, 'order.paid', id));
  receiver.behave('hang');
  const delivering = runJobs(services);
  await receiver.received(1);
  t.deepEqual((await erasePersonalData(ctx, { email })).blockers, [
    'a webhook about this person is being delivered: try again in a minute',
  ]);
  const { id: another } = await buildPaidOrder(ctx, { email: otherEmail });
  await moveOrder(ctx, another, { fulfillmentStatus: 'delivered' });
  t.deepEqual((await erasePersonalData(ctx, { email: otherEmail })).blockers, []);
  receiver.behave({ status: 204 });
  receiver.release();
  await delivering;
  t.deepEqual((await erasePersonalData(ctx, { email })).blockers, []);
});

test.serial('receivers of webhooks are notified once of an erasure, with what is left of each object', async (t) => {
  const { ctx, services } = t.context;
  const receiver = await startReceiver();
  t.teardown(receiver.close);
  await buildEndpoint(ctx, receiver, { events: ['customer.*', 'order.*', 'return.*', 'subscription.*'] });
  const customer = await transact(ctx, (ctx) => upsertCustomer(ctx, { email, name: 'Ada Quill' }));
  const order = await buildPaidOrder(ctx, { email });
  const unpaid = await buildPaidOrder(ctx, { email, status: 'pending' });
  await moveOrder(ctx, unpaid.id, { status: 'expired' });
  const { id: others } = await buildPaidOrder(ctx, { email: otherEmail });
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`
      update orders set metadata = jsonb_build_object('gift_for', ${email}::text)
      where tenant_id = ${ctx.tenant.id} and id = ${others}`),
  );
  await moveOrder(ctx, order.id, { fulfillmentStatus: 'delivered' });
  const { id: subscription } = await buildSubscription(ctx, { email, status: 'canceled' });
  const { version } = await orderOf(ctx, order.id);
  for (const _ of [1, 2]) {
    await erasePersonalData(ctx, { email });
    await runJobs(services);
  }
  const sent = receiver.requests.map(({ raw }) => JSON.parse(raw)).filter(({ type }) => type !== 'order.paid');
  t.deepEqual(
    sent.map(({ type, data }) => `${type} ${data.object.id}`).toSorted(),
    [
      `customer.erased ${customer.id}`,
      `order.updated ${order.id}`,
      `order.updated ${others}`,
      `order.updated ${unpaid.id}`,
      `subscription.updated ${subscription}`,
    ].toSorted(),
  );
  t.false(JSON.stringify(sent).includes(email));
  t.deepEqual(sent.find(({ type }) => type === 'customer.erased').data.object, { id: customer.id, erased: true });
  const updated = sent.find(({ data }) => data.object.id === order.id).data;
  t.like(updated.object, { customer: { id: null, email: null } });
  t.true(updated.object_version > version);
});

/** Ada does everything that a shopper can do here. */
async function visitAda(context: StripeContext): Promise<void> {
  const { ctx, services, stripe } = context;
  const receiver = await startReceiver();
  receiver.behave(({ raw }) => ({ status: 200, body: raw }));
  await buildEndpoint(ctx, receiver, { events: ['order.*', 'subscription.*', 'return.*'] });
  await buildStaffSession(ctx, { role: 'owner' });
  const { staff } = await buildStaffSession(ctx, { email, name: 'Ada Quill' });
  await revokeStaff(ctx, staff, ['admin:write']);
  await previewChange(ctx, {
    kind: changeKindOf({ kind: 'emails' }),
    filter: { email: email.toUpperCase() },
    change: { email: 'receipt' },
  });
  const kind = importKindOf({ kind: 'stock' });
  const file = Readable.from([Buffer.from(`sku,quantity\n${email.toUpperCase()},1\n`)]);
  await receiveImport(ctx, { kind, format: 'csv', mode: 'upsert', dry_run: false }, file);
  await runJobs(services);
  const bowl = await buildProduct(ctx, { variants: [{ stock: 100, ships: false }] });
  const beans = await buildProduct(ctx, {
    purchase_types: ['one_time', 'subscription'],
    subscription_intervals: ['month'],
    variants: [{ stock: 100, ships: false }],
  });
  const promo = await buildPromo(ctx, { per_customer_limit: 3 });
  const pay = async (orderId: string) => {
    const { sessionId } = await sessionOf(ctx, orderId);
    await stripe.pay(sessionId ?? '', { email, name: 'Ada Quill', phone: '2125550177', address, outcome: 'paid' });
    if (!(await stripe.idle())) throw new Error('Webhooks are stuck.');
    await runJobs(services);
  };
  const cart = await createCart(ctx, {
    customer_id: (await transact(ctx, (ctx) => upsertCustomer(ctx, { email, name: 'Ada Quill' }))).id,
  });
  const { order_id: bought } = await createCheckoutSession(ctx, {
    items: [{ product_slug: bowl.slug, quantity: 2 }],
    customer_email: email,
    promo_code: promo.code,
    cart_id: cart.id,
    metadata: { engraving: 'for the Quill' },
    return_url: `${ctx.tenant.storefrontUrl}?email=${encodeURIComponent(email)}`,
  });
  await pay(bought);
  const { order_id: subscribed } = await createCheckoutSession(ctx, {
    items: [
      {
        product_slug: beans.slug,
        variant_id: beans.variant.id,
        quantity: 1,
        purchase_type: 'subscription',
        subscription_interval: 'month',
      },
    ],
    customer_email: email,
  });
  await pay(subscribed);
  const [subscription] = await subscriptionsOf(ctx);
  await stripe.cancel(subscription?.paymentSubscriptionId ?? '');
  await stripe.idle();
  const { order_id: given } = await createGiftCheckout(ctx, {
    product_slug: beans.slug,
    variant_id: beans.variant.id,
    months: 3,
    recipient_email: email,
    recipient_name: 'Ada Quill',
    message: 'For the Quill.',
  });
  await stripe.pay((await sessionOf(ctx, given)).sessionId ?? '', {
    email: 'grace@hopper.example',
    name: 'Grace',
    outcome: 'paid',
  });
  await stripe.idle();
  await runJobs(services);

  await requestErasure(ctx, { email });
  await requestPersonalExport(ctx, { email });
  await buildRemindedCart(ctx, { email, session_id: 'session-quill', cart_id: cart.id });
  await buildSession(ctx, { email, name: 'Ada Quill' });
  await submitInquiry(ctx, { email, company: 'Quill Works', phone: '2125550177', message: 'Quillnote.' });
  await joinWaitlist(ctx, { email, product_slug: bowl.slug });
  await trackReferral(ctx, {
    code: (await buildPartner(ctx)).code,
    sessionId: 'one',
    landingUrl: `https://shop.example/?email=${encodeURIComponent(email.toUpperCase())}`,
  });
  await searchDocuments(ctx, { q: email });
  await applyAsPartner(ctx, { email, name: 'Ada Quill', website: 'https://quill.example', message: 'I write.' });
  await submitReview(ctx, bowl.slug, {
    rating: 5,
    body: `A fine bowl: https://blog.example/?email=${encodeURIComponent(email)}`,
    author_name: 'Ada Quill',
    email,
  });
  const { id: customerId } = (await readOne<{ id: string }>(
    ctx,
    sql`select id from customers where tenant_id = ${ctx.tenant.id} and email = ${email}`,
  )) ?? { id: '' };
  await sendEvents(ctx, [
    {
      type: 'product_view',
      session_id: 'quill-session',
      anonymous_id: 'quill-visitor',
      customer_id: customerId,
      properties: { from: 'quill' },
    },
    { type: 'search_performed', session_id: 'one', properties: { q: email } },
  ]);
  await aggregateAll(services);
  const body = JSON.stringify({ contact: email.toUpperCase() }).replace('@', '\\u0040');
  const signed = sign([await callSecretOf(ctx, 'bookkeeper')], 'msg_1', ctx.clock.now(), body);
  await acceptCall(ctx, {
    provider: 'bookkeeper',
    messageId: 'msg_1',
    rawBody: Buffer.from(body),
    timestamp: signed['webhook-timestamp'] ?? '',
    signature: signed['webhook-signature'] ?? '',
  });
  await returnSomething(ctx);
  await receiveSomething(ctx);
  const { id: nameless } = await beginNamelessCheckout(ctx);
  await stripe.expire((await sessionOf(ctx, nameless)).sessionId ?? '');
  await stripe.idle();
  await transact(ctx, async ({ tx }) => {
    const { id } = ctx.tenant;
    await tx.execute(sql`update subscriptions set email = ${otherEmail}, customer_id = null where tenant_id = ${id}`);
    await tx.execute(sql`
      update holds set customer_email = ${otherEmail} where tenant_id = ${id} and customer_email is not null`);
  });
  await runJobs(services);
  await receiver.close();
}

/** A checkout without an email, which her storefront names in other fields. */
async function beginNamelessCheckout(ctx: Context): Promise<{ id: string; orderNumber: string }> {
  const { slug } = await buildProduct(ctx, { variants: [{ stock: 100, ships: false }] });
  const { order_id: id, order_number: orderNumber } = await createCheckoutSession(ctx, {
    items: [{ product_slug: slug, quantity: 1 }],
    metadata: { contact: email.toUpperCase(), engraving: 'For Grace' },
    return_url: `${ctx.tenant.storefrontUrl}?email=${encodeURIComponent(email)}`,
  });
  return { id, orderNumber };
}

/** An order of somebody else that was sent to her. */
async function receiveSomething(ctx: Context): Promise<void> {
  const { id } = await buildPaidOrder(ctx, {
    email: 'grace@hopper.example',
    number: 2002,
    address: { name: 'Ada Quill', street1: '77 Quill Lane', email },
  });
  await moveOrder(ctx, id, { fulfillmentStatus: 'delivered' });
}

async function moveOrder(
  ctx: Context,
  id: string,
  { status, fulfillmentStatus }: { status?: string; fulfillmentStatus?: string },
): Promise<void> {
  await transact(ctx, ({ tx }) =>
    tx.execute(sql`
    update orders set status = coalesce(${status ?? null}, status),
      fulfillment_status = coalesce(${fulfillmentStatus ?? null}, fulfillment_status)
    where tenant_id = ${ctx.tenant.id} and id = ${id}`),
  );
}

/** A parcel that arrived and came back in part: the rest of what a store may know. */
async function returnSomething(ctx: Context): Promise<void> {
  const order = await buildPaidOrder(ctx, {
    email,
    number: 2001,
    address: { name: 'Ada Quill', street1: '77 Quill Lane', email, phone: '2125550177' },
  });
  const items = (await readOrder(ctx, order.id))?.items ?? [];
  const returned = await requestReturn(ctx, {
    orderNumber: order.orderNumber,
    email,
    items: items.map(({ id }) => ({
      order_item_id: id,
      quantity: 1,
      reason: 'other',
      note: 'Too small for my quills.',
    })),
  });
  await rejectReturn(ctx, { returnId: returned.id, note: 'Dear Ada Quill, no.' });
  await transact(ctx, async (ctx) => {
    const { id } = ctx.tenant;
    const now = ctx.clock.now();
    await ctx.tx.execute(sql`
      update orders set fulfillment_status = 'delivered',
        attentions = '[{"code": "disputed", "detail": "Ada Quill was not at home."}]',
        metadata = '{"engraving": "Quill"}' where tenant_id = ${id} and id = ${order.id}`);
    await ctx.tx.execute(sql`
      insert into labels (tenant_id, id, order_id, order_number, state, latest_attempt, failed_attempts,
        chosen_manually, buy_number, rechecks, purchase_id, label_url, reason_detail, created_at, updated_at)
      values (${id}, 'lbl_1', ${order.id}, ${order.orderNumber}, 'purchased', 1, 1, false, 1, 0, 'transaction_1',
        'https://labels.example/quill.pdf', 'No 77 Quill Lane', ${now}, ${now})`);
    await ctx.tx.execute(sql`
      insert into trackings (tenant_id, id, order_id, carrier, carrier_name, tracking_number, status, followed, polls,
        created_at, updated_at)
      values (${id}, 'trk_1', ${order.id}, 'usps', 'USPS', '9400', 'delivered', true, 1, ${now}, ${now})`);
    await ctx.tx.execute(sql`
      insert into payment_refunds (tenant_id, id, order_id, state, amount_cents, reason, requested_by, created_at,
        settled_at)
      values (${id}, 'rfd_1', ${order.id}, 'sent', 100, 'Ada Quill called', 'key_1', ${now}, ${now})`);
    await ctx.tx.execute(sql`
      insert into analytics_quarantine (tenant_id, id, received_at, source, bot, event_count, events, reason,
        quarantined_at)
      values (${id}, 'bat_1', ${now}, 'client', false, 1, ${`[{"type":"search","properties":"\\u0000 ${email}"}]`},
        '22P05', ${now})`);
    await ctx.tx.execute(
      sql`insert into mail_suppressions (tenant_id, address, reason, created_at)
        values (${id}, ${email}, 'bounced', ${now})`,
    );
    await ctx.tx.execute(
      sql`insert into mail_preferences (tenant_id, email, unsubscribed_at) values (${id}, ${email}, ${now})`,
    );
    await ctx.tx.execute(
      sql`insert into unsubscribe_links (tenant_id, token_hash, email, created_at)
        values (${id}, 'x', ${email}, ${now})`,
    );
  });
}

/** What all orders of the store come to. */
async function turnoverOf(ctx: Context): Promise<number | undefined> {
  const row = await readOne<{ total: number }>(
    ctx,
    sql`
    select sum(total_cents)::int8 + sum(refunded_cents)::int8 as total from orders where tenant_id = ${ctx.tenant.id}`,
  );
  return row?.total;
}

/** Every table of the database in which a word stands, sealed text opened. */
async function placesOf(ctx: Context, word: string): Promise<string[]> {
  return asPlatform(ctx, 'a test', async (platform) => {
    const tables = await platform.tx.execute<{ name: string }>(sql`
      select relname as name from pg_class where relkind in ('r', 'p') and not relispartition
        and relnamespace = 'public'::regnamespace`);
    const places: string[] = [];
    for (const { name } of tables) {
      const found = await platform.tx.execute(
        sql`select t::text from ${rawSql(name)} t where strpos(${lowerCase(sql`t::text`)}, ${word}) > 0 limit 1`,
      );
      if (found.length > 0) places.push(name);
    }
    const calls = await platform.tx.execute<{ id: string; sealed: string }>(sql`
      select id, body_sealed as sealed from integration_calls where tenant_id = ${ctx.tenant.id}`);
    const named = calls.some(({ sealed }) =>
      ctx.keyring.open(ctx.tenant.id, 'integration_call', sealed).toLowerCase().includes(word),
    );
    return named ? [...places, 'integration_calls, opened'] : places;
  });
}
