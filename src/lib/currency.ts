import type { Cents } from './money.ts';

/*
 * How the payment provider counts money. Its minor units are not those of ISO 4217 or of `Intl`: 1,500 forints or
 * rupiahs are 150000. https://docs.stripe.com/currencies
 */
const zeroDecimal = [
  'BIF',
  'CLP',
  'DJF',
  'GNF',
  'JPY',
  'KMF',
  'KRW',
  'MGA',
  'PYG',
  'RWF',
  'VND',
  'VUV',
  'XAF',
  'XOF',
  'XPF',
];
const threeDecimal = ['BHD', 'JOD', 'KWD', 'OMR', 'TND'];
/** They have no fraction, and are written with two decimals all the same. */
const wholeOnly = ['ISK', 'UGX'];

/** The currencies whose minor unit is not a hundredth, with how many decimals it is. */
export const unusualDecimals: Readonly<Record<string, number>> = Object.fromEntries([
  ...zeroDecimal.map((currency) => [currency, 0]),
  ...threeDecimal.map((currency) => [currency, 3]),
]);

/** The number of decimals of a currency's minor unit. */
export function decimalsOf(currency: string): number {
  return unusualDecimals[currency] ?? 2;
}

/**
 * The decimals with which an amount is written. Those that a currency has at the payment provider and not in print are
 * written only where they are not zero: 1,500 krónur are `1,500`.
 */
export function writtenDecimals(currency: string): Intl.NumberFormatOptions {
  const decimals = decimalsOf(currency);
  const printed = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;
  return {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    trailingZeroDisplay: printed === 0 ? 'stripIfInteger' : 'auto',
  };
}

/** Every amount that is charged is a multiple of this many minor units. */
export function chargeStepOf(currency: string): Cents {
  if (wholeOnly.includes(currency)) return 100;
  return threeDecimal.includes(currency) ? 10 : 1;
}

/** The least that is charged, in minor units, by currency of settlement. */
const minimums: Readonly<Record<string, Cents>> = {
  AED: 200,
  ARS: 50,
  AUD: 50,
  BRL: 50,
  CAD: 50,
  CHF: 50,
  COP: 50,
  CZK: 1500,
  DKK: 250,
  EUR: 50,
  GBP: 30,
  HKD: 400,
  HUF: 17500,
  IDR: 50,
  ILS: 50,
  INR: 50,
  JPY: 50,
  KRW: 50,
  MXN: 1000,
  MYR: 200,
  NOK: 300,
  NZD: 50,
  PHP: 50,
  PLN: 200,
  RON: 200,
  RUB: 50,
  SEK: 300,
  SGD: 50,
  THB: 1000,
  USD: 50,
  ZAR: 50,
};

/** The least amount that is charged; 0 where the provider names none. */
export function minimumChargeOf(currency: string): Cents {
  return minimums[currency] ?? 0;
}

/**
 * The currency in which a store buys shipping labels: that of the country which parcels leave. Known for the United
 * States, and otherwise taken to be the store's.
 */
export function labelCurrencyOf(originCountry: string, storeCurrency: string): string {
  return originCountry === 'US' ? 'USD' : storeCurrency;
}

/** An amount as a decimal number, exactly: `12.50`. */
export function toDecimal(amount: Cents, currency: string): `${number}` {
  const decimals = decimalsOf(currency);
  const units = String(Math.abs(amount)).padStart(decimals + 1, '0');
  const whole = units.slice(0, units.length - decimals);
  return `${amount < 0 ? '-' : ''}${whole}${decimals > 0 ? `.${units.slice(-decimals)}` : ''}` as `${number}`;
}

/** The minor units of a decimal number that is not negative, rounded half up. */
export function fromDecimal(decimal: string, currency: string): Cents {
  const decimals = decimalsOf(currency);
  const [whole = '0', fraction = ''] = decimal.split('.');
  const digits = fraction.padEnd(decimals + 1, '0');
  return Number(`${whole}${digits.slice(0, decimals)}`) + (Number(digits[decimals]) >= 5 ? 1 : 0);
}
