import test from 'ava';
import fc from 'fast-check';
import type { SavedCartRecord } from '#src/domain/cart/index.ts';
import type { SavedLine } from '#src/domain/cart/saved-cart.ts';
import { endOfQuietHours, evaluate, type ReminderFacts } from '#src/domain/reminders/evaluate-reminder.ts';
import { defaultReminderSettings } from '#src/domain/reminders/reminder-settings.ts';
import { days, hours } from '#src/lib/duration.ts';

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
  isOutdated: false,
  isUnsubscribed: false,
  lines: [bowl],
  ...given,
});
const facts = (given: Partial<ReminderFacts> = {}): ReminderFacts => ({
  settings: defaultReminderSettings,
  cart: cart(),
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
  t.is(decisionOn({ settings: { ...defaultReminderSettings, enabled: false } }), 'skip: switched_off');
  t.is(decisionOn({ cart: undefined }), 'skip: expired');
  t.is(decisionOn({ cart: cart({ expiresAt: noon }) }), 'skip: expired');
  t.is(decisionOn({ cart: cart({ convertedAt: ago(1000) }) }), 'skip: purchased');
  t.is(decisionOn({ cart: cart({ isOutdated: true }) }), 'skip: newer_cart');
  t.is(decisionOn({ cart: cart({ consent: false }) }), 'skip: no_consent');
  t.is(decisionOn({ cart: cart({ isUnsubscribed: true }) }), 'skip: unsubscribed');
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
    '2026-03-08T07:30:00.000Z',
    'a time that is left out',
  );
  t.is(end('2026-11-20T12:30:00Z', 'UTC', ['12:00', '14:00']), '2026-11-20T14:00:00.000Z');
  t.is(end('2026-11-20T12:30:00Z', 'Asia/Kathmandu'), undefined);
  t.is(end('2026-11-20T12:30:00Z', 'UTC', ['12:00', '12:00']), undefined, 'from and until alike are no hours');
  t.is(endOfQuietHours(null, 'UTC', noon), undefined);
});

test('endOfQuietHours is within a day and outside quiet hours, whatever the settings', (t) => {
  const minute = fc.integer({ min: 0, max: 1439 });
  const written = (at: number) => `${String(Math.floor(at / 60)).padStart(2, '0')}:${String(at % 60).padStart(2, '0')}`;
  const zones = fc.constantFrom(
    'UTC',
    'America/New_York',
    'Europe/London',
    'Australia/Lord_Howe',
    'Asia/Kathmandu',
    'America/St_Johns',
  );
  t.notThrows(() =>
    fc.assert(
      fc.property(minute, minute, zones, fc.integer({ min: 0, max: days(366) }), (from, until, zone, offset) => {
        const hoursOf = [written(from), written(until)] as const;
        const now = new Date(Date.parse('2026-01-01T00:00:00Z') + offset);
        const end = endOfQuietHours(hoursOf, zone, now);
        if (!end) return true;
        const waited = end.getTime() - now.getTime();
        return waited > 0 && waited <= days(1) + hours(2) && endOfQuietHours(hoursOf, zone, end) === undefined;
      }),
      { numRuns: 500 },
    ),
  );
});
