import { readDecimal } from '#src/console/src/lib/read-decimal.ts';
import { clientsOf } from '#test/support/clients-of.ts';
import { openInConsole } from '#test/support/walk-console.ts';
import { browserTest, button, confirm, dialog, openElsewhere } from './fixture.ts';

/** Where an owner may be, what they type there, and the times that they mean. */
const places = [
  {
    place: { locale: 'de-DE', timezoneId: 'Pacific/Auckland' },
    typed: ['7,5', '1.234,50 $'],
    startsAt: '2026-05-31T12:30:00.000Z',
    endsAt: '2027-01-31T10:59:00.000Z',
  },
  {
    place: { locale: 'ar-EG', timezoneId: 'Asia/Tokyo' },
    typed: ['٧٫٥٪', '١٬٢٣٤٫٥٠'],
    startsAt: '2026-05-31T15:30:00.000Z',
    endsAt: '2027-01-31T14:59:00.000Z',
  },
  {
    place: { locale: 'hi-IN', timezoneId: 'Pacific/Pago_Pago' },
    typed: ['७.५', '१,२३४.५०'],
    startsAt: '2026-06-01T11:30:00.000Z',
    endsAt: '2027-02-01T10:59:00.000Z',
  },
  {
    place: { locale: 'ja-JP', timezoneId: 'Europe/Berlin' },
    typed: ['７．５％', '１，２３４．５０'],
    startsAt: '2026-05-31T22:30:00.000Z',
    endsAt: '2027-01-31T22:59:00.000Z',
  },
  {
    place: { locale: 'fa-IR', timezoneId: 'Asia/Tehran' },
    typed: ['۷٫۵', '۱٬۲۳۴٫۵۰'],
    startsAt: '2026-05-31T21:00:00.000Z',
    endsAt: '2027-01-31T20:29:00.000Z',
  },
] as const;

const numbersIn = (text: string) => (text.match(/\p{Nd}+/gu) ?? []).map((digits) => readDecimal(digits, 0));

for (const { place, typed, startsAt, endsAt } of places)
  browserTest(
    `times and numbers are those that were typed, in ${place.locale} and ${place.timezoneId}, which is said`,
    async (t) => {
      t.timeout(180_000);
      const { stack } = t.context;
      const { admin } = clientsOf(stack);
      const page = await openElsewhere(t, place);
      await openInConsole(page, stack, '/promo-codes', 'Promo codes');
      t.regex(
        await page.getByText('Times are in').innerText(),
        /^Times are in the time zone of this computer: \p{L}+/u,
      );
      const code = place.locale.replace('-', '').toUpperCase();
      await button(page, 'New promo code').click();
      await dialog(page).getByLabel('Code').fill(code);
      const subtotal = dialog(page).getByLabel('From a subtotal of (USD)');
      await dialog(page).getByLabel('Percent').fill(typed[0]);
      await subtotal.fill('1.2.3');
      await dialog(page).getByLabel('From', { exact: true }).fill('2026-06-01T00:30');
      await dialog(page).getByLabel('Until').fill('2027-01-31T23:59');
      await confirm(page, 'Create the promo code');
      await dialog(page).getByText('Write it like').waitFor();
      await subtotal.fill(typed[1]);
      await confirm(page, 'Create the promo code');
      const row = page.getByRole('row', { name: code });
      await row.waitFor();
      t.like((await admin.listPromoCodes({ limit: 1 })).promo_codes[0], {
        code,
        value: 7.5,
        min_subtotal_cents: 123_450,
        starts_at: startsAt,
        ends_at: endsAt,
      });
      const shown = numbersIn(await row.getByRole('cell').nth(4).innerText());
      for (const number of [1, 2026, 30]) t.true(shown.includes(number), `${number} is among ${shown}`);
      await row.getByRole('button', { name: 'Edit' }).click();
      t.is(await dialog(page).getByLabel('From', { exact: true }).inputValue(), '2026-06-01T00:30');
      await confirm(page, 'Save');
      await dialog(page).waitFor({ state: 'detached' });
      t.like((await admin.listPromoCodes({ limit: 1 })).promo_codes[0], { starts_at: startsAt, ends_at: endsAt });
    },
  );

/** Evaluated in a page: where the numbers of a date begin on the screen, in the order in which it has them. */
const leftsOfDate = `(() => {
  const text = document.querySelector('figure .MuiTypography-caption').firstChild;
  return [...text.data.matchAll(/\\d+/g)].map(({ index, 0: part }) => {
    const range = document.createRange();
    range.setStart(text, index);
    range.setEnd(text, index + part.length);
    return range.getBoundingClientRect().left;
  });
})()`;

browserTest('a date in Arabic is in its own order beside English, and days are said to be those of UTC', async (t) => {
  t.timeout(180_000);
  const page = await openElsewhere(t, { locale: 'ar-AE', timezoneId: 'Pacific/Auckland' });
  await openInConsole(page, t.context.stack, '/analytics', 'Analytics');
  const lefts = await page.evaluate<number[]>(leftsOfDate);
  t.is(lefts.length, 3);
  t.deepEqual(
    lefts,
    lefts.toSorted((left, right) => right - left),
  );
  await page.getByLabel('From (UTC)').waitFor();
  await page.getByLabel('To (UTC)').waitFor();
  await page.getByText('by days in UTC', { exact: false }).waitFor();
});
