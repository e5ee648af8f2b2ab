import { settings, storefront } from './api.js';
import { el } from './element.js';
import { errorMessageOf } from './error-message.js';

/** The store's own configuration: its name, currency, delivery and theme. Fetched once. */
export const { storefront: store } = await storefront.getStorefront().catch((error) => {
  // Nothing else is shown without it. The link loads the page again.
  const message = el('p', { role: 'alert' }, errorMessageOf(error));
  document.getElementById('main').append(message, el('a', { class: 'button', href: '' }, 'Try again'));
  throw error;
});

/** An amount in the store's locale. Decimals that are not usual in print are shown only where they are not zero. */
export function money(cents, currency = store.currency) {
  const decimals = settings.unusualDecimals[currency] ?? 2;
  const style = { style: 'currency', currency };
  const printed = new Intl.NumberFormat(store.locale, style).resolvedOptions().maximumFractionDigits;
  const format = new Intl.NumberFormat(store.locale, {
    ...style,
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    trailingZeroDisplay: printed === 0 ? 'stripIfInteger' : 'auto',
  });
  return format.format(cents / 10 ** decimals);
}

/** A date, optionally with the time. */
export function day(timestamp, { withTime = false } = {}) {
  const style = withTime ? { dateStyle: 'medium', timeStyle: 'short' } : { dateStyle: 'long' };
  return new Intl.DateTimeFormat(store.locale, style).format(new Date(timestamp));
}

export const rhythms = { month: 'every month', quarter: 'every three months' };

/** Apply the store's colours to the page. Invalid colours are ignored. */
export function applyTheme() {
  const { accent, background } = store.theme;
  const root = document.documentElement;
  if (CSS.supports('color', accent ?? '')) root.style.setProperty('--accent', accent);
  if (CSS.supports('color', background ?? '')) root.style.setProperty('--paper', background);
}
