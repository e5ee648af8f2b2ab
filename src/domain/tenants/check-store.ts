import type { Settings } from '#src/domain/settings.ts';
import type { StoreInput } from '#src/domain/tenants/index.ts';
import type { Issue } from '#src/lib/validation.ts';
import { checkKnown, checkSender, checkWebAddress } from './checks.ts';

/** The issues of the store section beyond its schema. Paths start at the section. */
export function checkStore(store: StoreInput, settings: Settings): Issue[] {
  const { currency, locale, timezone } = store;
  return [
    ...checkKnown('/currency', 'currency', () => Intl.supportedValuesOf('currency').includes(currency)),
    ...checkKnown('/locale', 'locale', () => Intl.getCanonicalLocales(locale).length <= 1),
    ...checkKnown(
      '/timezone',
      'time zone',
      () => new Intl.DateTimeFormat('en', { timeZone: timezone }).format(0) !== '',
    ),
    ...checkWebAddress('/storefront_url', store.storefront_url, settings),
    ...(store.allowed_origins ?? []).flatMap((origin, index) =>
      origin === '*' ? [] : checkWebAddress(`/allowed_origins/${index}`, origin, settings),
    ),
    ...checkSender('/mail_from', store.mail_from),
  ];
}
