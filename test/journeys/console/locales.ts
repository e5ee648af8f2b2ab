import { readDecimal } from '#src/console/src/lib/read-decimal.ts';
import { clientsOf } from '#test/support/clients-of.ts';
import { openInConsole } from '#test/support/walk-console.ts';
import { browserTest, button, confirm, dialog, doVerified, openElsewhere } from './fixture.ts';

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
      const subtotal = dialog(page).getByLabel('Minimum subtotal (USD)');
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

/** Where parcels come from, as it is written there. */
const origins = [
  {
    name: 'Padaria São João',
    street1: 'Rua Conceição, 1.234 – Água Rasa',
    city: 'São Paulo',
    state: 'SP',
    zip: '01310-100',
    country: 'BR',
    phone: '+55 (11) 91234-5678',
  },
  {
    name: 'मुंबई हस्तकला',
    street1: '१२, लिंकिंग रोड',
    city: 'मुंबई',
    state: 'महाराष्ट्र',
    zip: '400 050',
    country: 'IN',
    phone: '०९८२०१ २३४५६',
  },
];

browserTest('an owner in Brazil or India enters the origin of parcels as addresses are written there', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const { shipping } = (await admin.getProviders()).providers;
  if (!shipping) throw new Error('The store has no shipping account.');
  const page = await openElsewhere(t, { locale: 'pt-BR', timezoneId: 'America/Sao_Paulo' });
  await openInConsole(page, stack, '/settings/shipping', 'Settings');
  for (const origin of origins) {
    for (const [field, value] of Object.entries({ ...origin, country: 'Brasil' }))
      await page.locator(`[name="origin.${field}"]`).fill(value);
    const rejected = page.getByRole('alert').filter({ hasText: 'Country must be written like US.' });
    await doVerified(page, stack, () => page.locator('main [type=submit]').click(), rejected);
    t.is(await page.locator('[aria-invalid=true]').getAttribute('name'), 'origin.country');
    await page.locator('[name="origin.country"]').fill(origin.country);
    await button(page, 'Try again').click();
    await page.getByText('Shipping saved.').waitFor();
    t.like((await admin.getProviders()).providers.shipping?.origin, origin);
  }
  await page.getByLabel('State or region').waitFor();
  await page.getByLabel('Postal code').waitFor();
  const { provider, carriers, origin, parcel, label_cost_cap_cents, countries, options } = shipping;
  await admin.saveShippingProvider({
    ...{ provider, carriers, origin, parcel, label_cost_cap_cents, countries, options },
  });
});

browserTest('an owner gives the sender of emails a name in their own language, and keeps its address', async (t) => {
  const { stack } = t.context;
  const { admin } = clientsOf(stack);
  const { store } = await admin.getStore();
  const page = await openElsewhere(t, { locale: 'pt-BR', timezoneId: 'America/Sao_Paulo' });
  await openInConsole(page, stack, '/settings/store', 'Settings');
  const sender = page.getByLabel('Sender of emails');
  const said = (text: string) => page.getByRole('alert').filter({ hasText: text });
  const save = () => page.locator('main [type=submit]').click();
  await sender.fill('Padaria São João');
  await doVerified(page, stack, save, said('Sender of emails must be an email address, or "Name <email>".'));
  await sender.fill('Padaria São João <outra@padaria.example>');
  await save();
  await said('Sender of emails must keep its address, which operators set; the name may change.').waitFor();
  for (const name of ['Padaria São João', '"मुंबई, हस्तकला & Co."']) {
    await sender.fill(`${name} <hello@cedar.example>`);
    await save();
    await said('Store saved.').waitFor();
    t.is((await admin.getStore()).store.mail_from, `${name} <hello@cedar.example>`);
    await sender.click();
    await said('Store saved.').waitFor({ state: 'detached' });
  }
  await sender.fill(store.mail_from ?? '');
  await save();
  await said('Store saved.').waitFor();
});
