import type { Issue } from '#src/lib/validation.ts';
import { checkKnown, checkSender, checkWebAddress } from '../checks.ts';
import type { Settings } from '../settings.ts';
import type { StoreInput } from './save-tenant.ts';

/** The issues of a store beyond its schema. */
export function issuesOfStore(store: StoreInput, settings: Settings): Issue[] {
  const { currency, locale, timezone } = store;
  return [
    ...checkKnown('/currency', 'currency', () => Intl.supportedValuesOf('currency').includes(currency)),
    ...checkKnown('/locale', 'locale', () => Intl.NumberFormat.supportedLocalesOf(locale).length === 1),
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
