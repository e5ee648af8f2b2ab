import { ask, settings } from './api.js';

/** The store's own configuration: its name, money, delivery and looks. Asked for once. */
export const store = (await ask('GET', '/storefront', { isPublic: true })).storefront;

/** An amount as this store's shoppers write it. */
export function money(cents, currency = store.currency) {
  const format = new Intl.NumberFormat(store.locale, { style: 'currency', currency });
  return format.format(cents / 10 ** (settings.unusualDecimals[currency] ?? 2));
}

/** A day in words, or a day and a time. */
export function day(timestamp, { withTime = false } = {}) {
  const style = withTime ? { dateStyle: 'medium', timeStyle: 'short' } : { dateStyle: 'long' };
  return new Intl.DateTimeFormat(store.locale, style).format(new Date(timestamp));
}

export const rhythms = { month: 'every month', quarter: 'every three months' };

/** Dress the page in the store's colours. What is no colour is not used. */
export function dress() {
  const { accent, background } = store.theme;
  const root = document.documentElement;
  if (CSS.supports('color', accent ?? '')) root.style.setProperty('--accent', accent);
  if (CSS.supports('color', background ?? '')) root.style.setProperty('--paper', background);
}
