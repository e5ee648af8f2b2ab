import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';
import { decideReminder as decideJob } from '#jobs/reminders.ts';
import { read, transact } from '#src/database/transact.ts';
import { markBought, restoreCart, type SavedCartRecord, unsubscribe } from '#src/domain/cart/index.ts';
import type { SavedLine } from '#src/domain/cart/saved-cart.ts';
import { removeProduct, saveProduct } from '#src/domain/catalog/index.ts';
import type { Context } from '#src/domain/context.ts';
import { endOfQuietHours, evaluate, type ReminderFacts } from '#src/domain/reminders/evaluate-reminder.ts';
import {
  decideReminder,
  listReminderDecisions,
  presentReminderDecision,
  ReminderSettingsInput,
  saveReminderSettings,
  stopReminders,
} from '#src/domain/reminders/index.ts';
import {
  defaultReminderSettings,
  issuesOfReminders,
  reminderSettings,
} from '#src/domain/reminders/reminder-settings.ts';
import { rotateSessionSecret } from '#src/domain/tenants/index.ts';
import { fromNow } from '#src/lib/clock.ts';
import { days, hours, minutes, seconds } from '#src/lib/duration.ts';
import { DomainError, ProviderError } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { sql } from '#src/lib/sql.ts';
import { issuesOf } from '#src/lib/validation.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { countStatements } from '#test/support/count-statements.ts';
import { enqueuedJobs } from '#test/support/enqueued-jobs.ts';
import { buildCart, restoreTokenOf, unsubscribeTokenOf } from '#test/support/factories/cart.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { newAddress } from '#test/support/factories/mail.ts';
import { buildRemindedCart, decideAll, decisionsOf, remindAnytime } from '#test/support/factories/reminders.ts';
import { fakeMailer, linkIn } from '#test/support/fakes/mailer.ts';
import { only } from '#test/support/only.ts';
import { runJobs } from '#test/support/run-jobs.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { sendCheckedMail } from '#workers/processors.ts';

const test = anyTest as TestFn<TestContext>;
const mailer = fakeMailer();
useContext(test, { ports: { mailer } });

const saveSettings = (ctx: Context, input: ReminderSettingsInput) =>
  transact(ctx, (ctx) => saveReminderSettings(ctx, input));

test('by default reminders come after an hour, a day and three days, never at night', async (t) => {
  t.deepEqual(await reminderSettings(t.context.ctx), defaultReminderSettings);
});

test('reminder settings are saved, and saving them twice changes nothing', async (t) => {
  const { ctx } = t.context;
  const input: ReminderSettingsInput = {
    steps: ['1h', '24h', '72h'],
    quiet_hours: ['21:00', '08:00'],
    per_address: '16h',
    enabled: true,
  };
  t.like(await saveSettings(ctx, input), { subject: 'reminders', action: 'created' });
  t.like(await saveSettings(ctx, input), { action: 'unchanged', fields: [] });
  t.deepEqual(await reminderSettings(ctx), defaultReminderSettings);

  t.like(await saveSettings(ctx, { steps: ['2s'], quiet_hours: null, per_address: '1h', enabled: false }), {
    action: 'updated',
    fields: only('enabled', 'steps', 'quiet_hours', 'per_address'),
  });
  t.deepEqual(await reminderSettings(ctx), {
    enabled: false,
    stepsMs: [seconds(2)],
    quietHours: null,
    perAddressMs: hours(1),
  });
});

test('steps that are not ascending, too many steps and invalid times are rejected', async (t) => {
  await t.throwsAsync(saveSettings(t.context.ctx, { steps: ['24h', '1h'] }), {
    instanceOf: DomainError,
    code: 'invalid_request',
  });
  const paths = (input: object) => issuesOf(ReminderSettingsInput, input).map(({ path }) => path);
  t.deepEqual(paths({ steps: ['1h', '2h', '3h', '4h'] }), ['/steps']);
  t.true(paths({ quiet_hours: ['21:00', '24:00'] }).includes('/quiet_hours/1'));
  t.deepEqual(paths({ per_address: 'often' }), ['/per_address']);
});

const noon = new Date('2026-11-20T17:00:00Z');
const ago = (milliseconds: number) => new Date(noon.getTime() - milliseconds);
const timezone = 'America/New_York';

const bowl: SavedLine = {
  productSlug: 'oak-bowl',
  variantId: 'var_1',
  name: 'Oak bowl',
  productName: 'Oak bowl',
  variantName: 'Small',
  quantity: 1,
  unitPriceCents: 3800,
  purchaseType: null,
  subscriptionInterval: null,
  currentUnitPriceCents: 3800,
  variantCount: 1,
  stock: 4,
  stockHeld: 0,
  lowStockAt: null,
  backorder: false,
};

const cart = (given: Partial<SavedCartRecord> = {}): SavedCartRecord => ({
  id: 'scart_1',
  email: 'ada@example.com',
  currency: 'USD',
  consent: true,
  savedAt: ago(hours(1)),
  expiresAt: new Date(noon.getTime() + days(29)),
  convertedAt: null,
  isBeingPaid: false,
  isOutdated: false,
  lines: [bowl],
  ...given,
});

const facts = (given: Partial<ReminderFacts> = {}): ReminderFacts => ({
  isClosed: false,
  settings: defaultReminderSettings,
  cart: cart(),
  isUnsubscribed: false,
  isBounced: false,
  remindedAt: null,
  ...given,
});

const decisionOn = (given: Partial<ReminderFacts>, at = noon) => {
  const decision = evaluate(facts(given), timezone, at);
  return decision.action === 'send' ? 'send' : `${decision.action}: ${decision.reason}`;
};

test('a reminder is sent when every condition holds, and each failed condition is the reason', (t) => {
  t.is(decisionOn({}), 'send');
  t.is(decisionOn({ isClosed: true }), 'skip: store_closed');
  t.is(decisionOn({ settings: { ...defaultReminderSettings, enabled: false } }), 'skip: switched_off');
  t.is(decisionOn({ cart: undefined }), 'skip: expired');
  t.is(decisionOn({ cart: cart({ expiresAt: noon }) }), 'skip: expired');
  t.is(decisionOn({ cart: cart({ convertedAt: ago(1000) }) }), 'skip: purchased');
  t.is(decisionOn({ cart: cart({ isBeingPaid: true }) }), 'skip: purchased');
  t.is(decisionOn({ cart: cart({ isOutdated: true }) }), 'skip: newer_cart');
  t.is(decisionOn({ cart: cart({ consent: false }) }), 'skip: no_consent');
  t.is(decisionOn({ isUnsubscribed: true }), 'skip: unsubscribed');
  t.is(decisionOn({ isBounced: true }), 'skip: bounced');
  t.is(decisionOn({ remindedAt: ago(hours(15.9)) }), 'skip: recently_reminded');
  t.is(decisionOn({ remindedAt: ago(hours(16)) }), 'send');
  const night = new Date('2026-11-20T06:00:00Z');
  t.is(decisionOn({}, night), 'wait: quiet_hours');
  // By the morning, sixteen hours may have passed.
  t.is(decisionOn({ remindedAt: new Date(night.getTime() - hours(15)) }, night), 'wait: quiet_hours');
  t.is(decisionOn({ remindedAt: ago(hours(1)), isBounced: true }, night), 'skip: bounced');
});

test('a reminder is skipped when no item is on sale any more; one is enough', (t) => {
  const discontinued = { ...bowl, variantCount: 0, currentUnitPriceCents: null };
  const soldOut = { ...bowl, stock: 2, stockHeld: 2 };
  t.is(decisionOn({ cart: cart({ lines: [discontinued, soldOut] }) }), 'skip: items_gone');
  t.is(decisionOn({ cart: cart({ lines: [discontinued, { ...soldOut, backorder: true }] }) }), 'send');
  t.is(
    decisionOn({ cart: cart({ lines: [discontinued, { ...bowl, variantCount: 3, currentUnitPriceCents: null }] }) }),
    'send',
  );
});

test("quiet hours end in the store's time zone, also when daylight saving time changes", (t) => {
  const quiet = ['21:00', '08:00'] as const;
  const end = (at: string, zone = timezone, hours: readonly [string, string] = quiet) =>
    endOfQuietHours(hours, zone, new Date(at))?.toISOString();
  t.is(end('2026-11-20T17:00:00Z'), undefined);
  t.is(end('2026-11-21T02:00:00Z'), '2026-11-21T13:00:00.000Z', '21:00 in New York');
  t.is(end('2026-11-21T12:59:59.999Z'), '2026-11-21T13:00:00.000Z');
  t.is(end('2026-11-21T13:00:00Z'), undefined);
  t.is(end('2026-03-08T04:30:30Z'), '2026-03-08T12:00:00.000Z', 'an hour is left out');
  t.is(end('2026-11-01T03:30:00Z'), '2026-11-01T13:00:00.000Z', 'an hour comes twice');
  t.is(
    end('2026-03-08T06:00:00Z', timezone, ['00:00', '02:30']),
    '2026-03-08T07:00:00.000Z',
    'a time that is left out',
  );
  t.is(
    end('2026-03-29T00:59:59.999Z', 'Europe/London', ['00:01', '01:00']),
    '2026-03-29T01:00:00.000Z',
    'the first that is left out is the end',
  );
  t.is(
    end('2026-03-29T00:30:00Z', 'Europe/London', ['01:30', '01:00']),
    '2026-03-30T00:00:00.000Z',
    'the only time that is not quiet is left out',
  );
  t.is(
    end('2026-03-28T22:00:00Z', 'Europe/London', ['08:30', '08:00']),
    '2026-03-29T07:00:00.000Z',
    'what is quiet again after an hour less ended before',
  );
  t.is(
    end('2026-11-01T05:02:00Z', timezone, ['01:02', '04:01']),
    '2026-11-01T06:00:00.000Z',
    'an hour that comes twice is not quiet before they begin again',
  );
  t.is(end('2026-03-29T00:30:00Z', 'Antarctica/Troll', ['00:00', '02:30']), '2026-03-29T01:00:00.000Z', 'by two hours');
  for (const [at, expected] of [
    ['11:59:59', undefined],
    ['12:00:00', '2026-11-20T14:00:00.000Z'],
    ['13:59:59', '2026-11-20T14:00:00.000Z'],
    ['14:00:00', undefined],
  ] as const) {
    t.is(end(`2026-11-20T${at}Z`, 'UTC', ['12:00', '14:00']), expected, at);
  }
  t.is(end('2026-11-20T12:30:00Z', 'Asia/Kathmandu'), undefined);
  t.is(end('2026-11-20T12:30:00Z', 'UTC', ['12:00', '12:00']), undefined, 'from and until alike are no hours');
  t.is(endOfQuietHours(null, 'UTC', noon), undefined);
});

test('quiet hours last until their end and no longer, whatever the settings and the day', (t) => {
  const minute = fc.integer({ min: 0, max: 1439 });
  const written = (at: number) => `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;
  const anyTime = fc
    .integer({ min: 0, max: days(366) })
    .map((offset) => new Date(Date.parse('2026-01-01T00:00:00Z') + offset));
  /** On the days on which daylight saving time changes in one of the zones. */
  const aroundChange = fc
    .tuple(
      fc.constantFrom('2026-03-08T06:00:00Z', '2026-03-29T01:00:00Z', '2026-10-03T15:30:00Z', '2026-11-01T05:00:00Z'),
      fc.integer({ min: -hours(6), max: hours(6) }),
    )
    .map(([change, offset]) => new Date(Date.parse(change) + offset));
  const zones = fc.constantFrom(
    'UTC',
    'America/New_York',
    'Europe/London',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'America/St_Johns',
    'Antarctica/Troll',
  );
  const share = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  t.notThrows(() =>
    fc.assert(
      fc.property(minute, minute, zones, fc.oneof(anyTime, aroundChange), share, (from, until, zone, now, share) => {
        const hoursOf = [written(from), written(until)] as const;
        const end = endOfQuietHours(hoursOf, zone, now);
        if (!end) return true;
        const waited = end.getTime() - now.getTime();
        const isQuiet = (at: number) => endOfQuietHours(hoursOf, zone, new Date(at)) !== undefined;
        const between = now.getTime() + Math.floor(share * waited);
        return (
          waited > 0 && waited <= days(2) && isQuiet(between) && isQuiet(end.getTime() - 1) && !isQuiet(end.getTime())
        );
      }),
      { numRuns: 2000 },
    ),
  );
});

const later = (ctx: Context, milliseconds: number): Context => {
  const now = new Date(ctx.clock.now().getTime() + milliseconds);
  return { ...ctx, clock: { now: () => now } };
};

const buy = (
  ctx: Context,
  { orderId = newId('ord'), ...given }: { email?: string; cartId?: string; sessionId?: string; orderId?: string },
) =>
  transact(ctx, async (ctx) => {
    const bought = await markBought(ctx, { email: null, cartId: null, sessionId: null, ...given });
    await stopReminders(ctx, { orderId, paidAt: ctx.clock.now() }, bought.savedCarts);
    return bought.sessionId;
  });

/** The ids of the emails that were enqueued for an address, in order. */
const mailsTo = async (ctx: Context, email: string) =>
  (
    await read<{ id: string }>(
      ctx,
      sql`select id from mails where tenant_id = ${ctx.tenant.id} and recipient = ${email} order by id`,
    )
  ).map(({ id }) => id);

/** Decide what is due, and send what was decided on. */
async function remind(ctx: Context, email: string): Promise<void> {
  await decideAll(ctx);
  for (const mailId of await mailsTo(ctx, email)) await sendCheckedMail(ctx, { mailId });
}

test('a saved cart gets a reminder after an hour, a day and three days, each once', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx);
  const { email, cart, reminders } = await buildRemindedCart(ctx);
  t.is(reminders, 'scheduled');
  const dues = (await listReminderDecisions(ctx, { email })).rows.map(
    ({ dueAt }) => dueAt.getTime() - cart.savedAt.getTime(),
  );
  t.deepEqual(dues.toReversed(), [hours(1), hours(24), hours(72)]);

  const jobs = await enqueuedJobs(ctx, decideJob);
  t.is(jobs.length, 3);
  for (const [index, payload] of jobs.entries()) {
    const now = later(ctx, dues.toReversed()[index] ?? 0);
    for (const _ of [1, 2]) await decideReminder(now, payload);
    for (const _ of [1, 2]) for (const mailId of await mailsTo(ctx, email)) await sendCheckedMail(now, { mailId });
    t.is(mailer.to(email).length, index + 1);
  }
  t.deepEqual(await decisionsOf(ctx, email), ['sent', 'sent', 'sent']);
  t.is(new Set(mailer.to(email).map(({ subject }) => subject)).size, 3);
  t.like(presentReminderDecision((await listReminderDecisions(ctx, { email })).rows[0] as never), {
    step: 3,
    state: 'sent',
    reason: null,
    mail_state: 'sent',
    email,
  });
});

test('a reminder of the longest step is sent, although quiet hours of nearly a day postpone it', async (t) => {
  const { ctx: base, services } = t.context;
  const ctx = { ...base, tenant: await buildTenant(services, { timezone: 'UTC' }) };
  const issuesOfStep = (step: string) => issuesOfReminders({ steps: [step] }, { ...ctx.settings, localMode: false });
  t.deepEqual(issuesOfStep('29d'), []);
  t.like(issuesOfStep('30d'), only({ path: '/steps/0', detail: 'must be from 5m to 29d' }));

  const timeOf = (at: Date) => at.toISOString().slice(11, 16);
  const [from, until] = [-1, -2].map((offset) => timeOf(fromNow(ctx.clock, minutes(offset)))) as [string, string];
  await remindAnytime(ctx, { steps: ['29d'], quiet_hours: [from, until] });
  const { email } = await buildRemindedCart(ctx);
  await remind(later(ctx, days(29)), email);
  t.deepEqual(await decisionsOf(ctx, email), ['scheduled: quiet_hours']);
  const [{ dueAt } = { dueAt: new Date(0) }] = (await listReminderDecisions(ctx, { email })).rows;
  await remind({ ...ctx, clock: { now: () => dueAt } }, email);
  t.deepEqual(await decisionsOf(ctx, email), ['sent']);
  t.is(mailer.to(email).length, 1);
});

test.serial('workers send a scheduled reminder when it is due', async (t) => {
  const { ctx, clock, services } = t.context;
  await remindAnytime(ctx);
  const { email } = await buildRemindedCart(ctx);
  await runJobs(services);
  t.is(mailer.to(email).length, 0);
  clock.pass(hours(1));
  const outcomes = await runJobs(services);
  t.deepEqual(outcomes, ['reminders.decide-reminder: done', 'emails.send-mail: done']);
  t.is(mailer.to(email).length, 1);
});

test('a reminder takes names and prices from the catalogue and links to the cart', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx);
  const bowl = await buildProduct(ctx, { name: 'Oak bowl', variants: [{ name: 'Small', price_cents: 3800 }] });
  const gone = await buildProduct(ctx, { name: 'Old cup' });
  const { email, cart } = await buildRemindedCart(ctx, {
    items: [
      { product_slug: bowl.slug, quantity: 2, unit_price_cents: 1, name: 'Win a prize at evil.example' },
      { product_slug: gone.slug, quantity: 3 },
      { product_slug: 'never-was', quantity: 3, name: 'Another prize' },
    ],
  });
  await transact(ctx, (ctx) => removeProduct(ctx, gone.slug));
  await transact(ctx, (ctx) =>
    saveProduct(ctx, {
      slug: bowl.slug,
      name: 'Oak bowl',
      variants: [{ sku: bowl.variant.sku, name: 'Small', price_cents: 4000 }],
    }),
  );
  await remind(later(ctx, hours(1)), email);

  const [mail] = mailer.to(email);
  t.regex(mail?.text ?? '', /Oak bowl, Small \(Quantity 2\) +\$80\.00/);
  t.notRegex(`${mail?.text}${mail?.html}${mail?.subject}`, /prize|Old cup/);
  t.is(mail?.text.match(/Quantity/g)?.length, 1, 'nothing of what is gone');
  const restore = linkIn(mail ?? { text: '' }, '/cart/restore');
  t.is(restore.origin, ctx.tenant.storefrontUrl);
  t.is((await restoreCart(ctx, restore.searchParams.get('token') ?? '')).id, cart.id);
  const out = linkIn(mail ?? { text: '' }, '/api/v1/cart/unsubscribe');
  t.is(out.origin, ctx.settings.publicUrl);
  t.deepEqual(mail?.headers['List-Unsubscribe'], `<${out.href}>`);
  t.is(mail?.headers['List-Unsubscribe-Post'], 'List-Unsubscribe=One-Click');
  t.is(await unsubscribe(ctx, out.searchParams.get('token') ?? ''), 'unsubscribed');
});

test('a purchase one second before a reminder is due skips it with the reason', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx);
  const { email } = await buildRemindedCart(ctx);
  await buy(later(ctx, hours(1) - seconds(1)), { email: ` ${email.toUpperCase()}` });
  await remind(later(ctx, hours(1)), email);
  t.deepEqual(mailer.to(email), []);
  t.deepEqual(await decisionsOf(ctx, email), ['skipped: purchased', 'skipped: purchased', 'skipped: purchased']);
});

test('a purchase after the first reminder stops the others, and the first stays recorded as sent', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx);
  const { email } = await buildRemindedCart(ctx);
  const [first = { reminderId: '', attempt: 1 }] = await enqueuedJobs(ctx, decideJob);
  await decideReminder(later(ctx, hours(1)), first);
  await buy(later(ctx, hours(2)), { email });
  t.deepEqual(await decisionsOf(ctx, email), ['sent', 'skipped: purchased', 'skipped: purchased']);
});

test('a purchase stops reminders by email address, by cart and by session, and no others', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx);
  const cart = await buildCart(ctx, [], { session_id: 'visit-1' });
  const ofCart = await buildRemindedCart(ctx, { cart_id: cart.id });
  const ofSession = await buildRemindedCart(ctx, { session_id: 'visit-1' });
  const other = await buildRemindedCart(ctx, { session_id: 'visit-2', cart_id: newId('cart') });
  t.is(await buy(ctx, { email: newAddress(), cartId: cart.id }), 'visit-1');
  t.is(await buy(ctx, { email: newAddress(), cartId: cart.id }), null);
  t.is((await decisionsOf(ctx, ofCart.email))[0], 'skipped: purchased');
  t.is((await decisionsOf(ctx, ofSession.email))[0], 'skipped: purchased');
  t.is((await decisionsOf(ctx, other.email))[0], 'scheduled');
});

test('a purchase or unsubscribe between the decision and the email suppresses it', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx);
  const [buyer, leaver, stayer] = [
    await buildRemindedCart(ctx),
    await buildRemindedCart(ctx),
    await buildRemindedCart(ctx),
  ];
  const now = later(ctx, hours(1));
  await decideAll(now);
  const away = {
    ...now,
    ports: { ...ctx.ports, mailer: { send: () => Promise.reject(new ProviderError('smtp', 'busy', 'Down.')) } },
  };
  for (const { email } of [buyer, leaver, stayer])
    for (const mailId of await mailsTo(ctx, email)) await sendCheckedMail(away, { mailId });
  await buy(now, { email: buyer.email });
  await unsubscribe(now, await unsubscribeTokenOf(ctx, leaver.email));
  const back = later(ctx, hours(3));
  for (const { email } of [buyer, leaver, stayer])
    for (const mailId of await mailsTo(ctx, email)) await sendCheckedMail(back, { mailId });

  t.deepEqual(
    [buyer, leaver, stayer].map(({ email }) => mailer.to(email).length),
    [0, 0, 1],
  );
  t.is((await decisionsOf(ctx, buyer.email))[0], 'skipped: purchased');
  t.is((await decisionsOf(ctx, leaver.email))[0], 'skipped: unsubscribed');
});

test('quiet hours postpone a reminder until the morning, when it is evaluated again', async (t) => {
  const { ctx } = t.context;
  const evening: Context = { ...ctx, clock: { now: () => new Date('2026-11-21T01:30:00Z') } };
  const { email } = await buildRemindedCart(evening);
  const night: Context = { ...ctx, clock: { now: () => new Date('2026-11-21T02:30:00Z') } };
  const [first = { reminderId: '', attempt: 0 }] = await enqueuedJobs(ctx, decideJob);
  for (const _ of [1, 2]) await decideReminder(night, first);
  const [put] = (await listReminderDecisions(ctx, { email })).rows.toReversed();
  t.like(put, { state: 'scheduled', reason: 'quiet_hours' });
  t.is(put?.dueAt.toISOString(), '2026-11-21T13:00:00.000Z');
  t.deepEqual(
    (await enqueuedJobs(ctx, decideJob))
      .filter(({ reminderId }) => reminderId === first.reminderId)
      .map(({ attempt }) => attempt),
    [1, 2],
  );

  const morning: Context = { ...ctx, clock: { now: () => new Date('2026-11-21T13:00:00Z') } };
  await decideReminder(morning, first);
  t.is(mailer.to(email).length, 0);
  await decideReminder(morning, { ...first, attempt: 2 });
  for (const mailId of await mailsTo(ctx, email)) await sendCheckedMail(morning, { mailId });
  t.is(mailer.to(email).length, 1);
});

test('a reminder delayed into quiet hours by an outage waits for the morning', async (t) => {
  const { ctx } = t.context;
  const at = (time: string): Context => ({ ...ctx, clock: { now: () => new Date(time) } });
  const { email } = await buildRemindedCart(at('2026-11-20T23:00:00Z'));
  const [first = { reminderId: '', attempt: 0 }] = await enqueuedJobs(ctx, decideJob);
  await decideReminder(at('2026-11-21T00:00:00Z'), first);
  const [held = ''] = await mailsTo(ctx, email);
  await sendCheckedMail(at('2026-11-21T03:00:00Z'), { mailId: held });
  t.deepEqual(await decisionsOf(ctx, email), ['scheduled: quiet_hours', 'scheduled', 'scheduled']);
  await decideReminder(at('2026-11-21T13:00:00Z'), { ...first, attempt: 2 });
  for (const mailId of await mailsTo(ctx, email)) await sendCheckedMail(at('2026-11-21T13:00:00Z'), { mailId });
  t.is(mailer.to(email).length, 1);
});

test('only the newest cart of an email gets reminders, at most one in sixteen hours, also concurrently', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx);
  const { email, cart } = await buildRemindedCart(ctx);
  await Promise.all([decideAll(later(ctx, hours(1))), decideAll(later(ctx, hours(1)))]);
  t.deepEqual(await decisionsOf(ctx, email), ['sent', 'skipped: recently_reminded', 'skipped: recently_reminded']);
  const second = await buildRemindedCart(later(ctx, hours(2)), { email });
  await decideAll(later(ctx, hours(3)));
  t.is((await decisionsOf(ctx, email))[3], 'skipped: recently_reminded');
  t.not(second.cart.id, cart.id);

  const other = newAddress();
  await buildRemindedCart(ctx, { email: other });
  await buildRemindedCart(later(ctx, minutes(1)), { email: other });
  await decideAll(later(ctx, hours(1.5)));
  t.deepEqual((await decisionsOf(ctx, other)).filter((decision) => decision === 'sent').length, 1);
  t.is((await decisionsOf(ctx, other))[0], 'skipped: newer_cart');
});

test('a reminder is skipped for a bounced address and for items that are gone', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx);
  const bounced = await buildRemindedCart(ctx);
  await transact(ctx, (ctx) =>
    ctx.tx.execute(sql`
    insert into mail_suppressions (tenant_id, address, reason, created_at)
    values (${ctx.tenant.id}, ${bounced.email}, 'bounced', ${ctx.clock.now()})`),
  );
  const [draft, removed] = [await buildProduct(ctx), await buildProduct(ctx)];
  const gone = await Promise.all(
    ['never-was', draft.slug, removed.slug].map((slug) =>
      buildRemindedCart(ctx, { items: [{ product_slug: slug, quantity: 1 }] }),
    ),
  );
  await buildProduct(ctx, { slug: draft.slug, status: 'draft' });
  await transact(ctx, (ctx) => removeProduct(ctx, removed.slug));
  await decideAll(later(ctx, hours(1)));
  t.is((await decisionsOf(ctx, bounced.email))[0], 'skipped: bounced');
  for (const { email } of gone) t.is((await decisionsOf(ctx, email))[0], 'skipped: items_gone');
});

test('nothing is scheduled without consent or with reminders disabled, and scheduled ones are skipped', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx);
  const without = await buildRemindedCart(ctx, { consent: false });
  t.is(without.reminders, 'not_scheduled');
  t.deepEqual(await decisionsOf(ctx, without.email), []);
  const before = await buildRemindedCart(ctx);
  await remindAnytime(ctx, { enabled: false });
  t.is((await buildRemindedCart(ctx)).reminders, 'not_scheduled');
  await decideAll(later(ctx, hours(1)));
  t.is((await decisionsOf(ctx, before.email))[0], 'skipped: switched_off');

  const unsubscribed = newAddress();
  await remindAnytime(ctx, { enabled: true });
  await buildRemindedCart(ctx, { email: unsubscribed });
  await unsubscribe(ctx, await unsubscribeTokenOf(ctx, unsubscribed));
  t.is(
    (await buildRemindedCart(ctx, { email: unsubscribed })).reminders,
    'scheduled',
    'the result does not reveal who has unsubscribed',
  );
});

test('a purchase within a week of opening a saved cart counts as recovered, once', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx);
  const [soon, late, never] = [
    await buildRemindedCart(ctx),
    await buildRemindedCart(ctx),
    await buildRemindedCart(ctx),
  ];
  for (const { cart } of [soon, late]) await restoreCart(ctx, await restoreTokenOf(ctx, cart.id));
  const orderId = newId('ord');
  await buy(later(ctx, days(6.9)), { email: soon.email, orderId });
  await buy(later(ctx, days(6.9)), { email: soon.email });
  await buy(later(ctx, days(7.1)), { email: late.email });
  await buy(later(ctx, days(1)), { email: never.email });
  const recovered = async (email: string) => (await listReminderDecisions(ctx, { email })).rows[0]?.recoveredOrderId;
  t.deepEqual(
    [await recovered(soon.email), await recovered(late.email), await recovered(never.email)],
    [orderId, null, null],
  );
});

test('reminders sent after a secret rotation have working links, and older unsubscribe links still work', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx);
  const { email, cart } = await buildRemindedCart(ctx);
  const oldWayOut = await unsubscribeTokenOf(ctx, email);
  await transact(ctx, rotateSessionSecret);
  await remind(later(ctx, hours(1)), email);
  const [mail = { text: '' }] = mailer.to(email);
  t.is((await restoreCart(ctx, linkIn(mail, '/cart/restore').searchParams.get('token') ?? '')).id, cart.id);
  const newWayOut = linkIn(mail, '/api/v1/cart/unsubscribe').searchParams.get('token') ?? '';
  t.not(newWayOut, oldWayOut);
  for (const token of [newWayOut, oldWayOut]) t.is(await unsubscribe(ctx, token), 'unsubscribed');
});

test('listReminderDecisions lists page by page, also without an email address', async (t) => {
  const { ctx } = t.context;
  await remindAnytime(ctx);
  const [one, two] = [await buildRemindedCart(ctx), await buildRemindedCart(ctx)];
  const first = await listReminderDecisions(ctx, { limit: 4 });
  const second = await listReminderDecisions(ctx, { limit: 4, cursor: first.cursor ?? '' });
  t.deepEqual([first.rows.length, second.rows.length, second.cursor], [4, 2, null]);
  t.deepEqual(
    [...new Set([...first.rows, ...second.rows].map(({ email }) => email))].toSorted(),
    [one.email, two.email].toSorted(),
  );
});

test.serial(
  'saving a cart with its reminders takes five statements, and stopping them two, or one where there are none',
  async (t) => {
    const { ctx, services } = t.context;
    await remindAnytime(ctx);
    const saving = await countStatements(services, () =>
      buildRemindedCart(ctx, { items: [{ product_slug: 'x', quantity: 1 }] }),
    );
    t.is(saving.statements.length, 5, saving.statements.join('\n'));
    const { email } = saving.result;
    t.is((await countStatements(services, () => buy(ctx, { email }))).statements.length, 2);
    t.is((await countStatements(services, () => buy(ctx, { email }))).statements.length, 1);
  },
);
