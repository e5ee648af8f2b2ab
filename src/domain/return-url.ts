import { invalidRequest } from '#src/lib/errors.ts';
import { Type, Url } from '#src/lib/schema.ts';
import { isUrl, normalizeUrl, urlLengthMax } from '#src/lib/url.ts';
import type { Context } from './context.ts';

/** Both as written by hand, and as URLSearchParams writes them. */
const orderPlaceholder = /(?:\{|%7[Bb])ORDER_ID(?:\}|%7[Dd])/g;
/** In a normal form. The payment provider puts the id of its session in its place, where the braces are literal. */
const sessionPlaceholder = /%7[Bb]CHECKOUT_SESSION_ID%7[Dd]/g;

/** Where a shopper returns from a payment page. */
export const ReturnUrl = Type.Unsafe<string>({
  ...Url,
  examples: ['https://shop.example.com/order?id={ORDER_ID}'],
  description:
    'An https URL; in the test environment also http to localhost or 127.0.0.1. A store that lists its allowed origins ' +
    "accepts these and its storefront's only. `{ORDER_ID}` is replaced by the id of the order, `{CHECKOUT_SESSION_ID}` by " +
    "that of the provider's session; the braces may be percent-encoded.",
});

/**
 * The URL to which the shopper of this order returns, for the payment provider.
 * @throws DomainError `invalid_request` that names the field, for a URL to which no shopper of this store is sent
 */
export function fillReturnUrl(ctx: Context, field: string, template: string, orderId: string): string {
  const url = checkReturnUrl(ctx, field, template.replaceAll(orderPlaceholder, orderId));
  return url.replaceAll(sessionPlaceholder, '{CHECKOUT_SESSION_ID}');
}

/**
 * Reject a URL to which no shopper of this store is sent: one that is not secure, or lies outside the origins that the
 * store lists. A store that allows any origin (`*`, the default) sends shoppers to any.
 * @returns the URL in its normal form
 * @throws DomainError `invalid_request` that names the field
 */
export function checkReturnUrl(ctx: Context, field: string, written: string): string {
  rejectInsecureUrl(ctx, field, written);
  if (!isUrl(written))
    throw rejectUrl(field, 'maxLength', `may have at most ${urlLengthMax} characters once it is filled in`);
  const url = normalizeUrl(written);
  const { allowedOrigins, storefrontUrl } = ctx.tenant;
  const { origin } = new URL(url);
  if (allowedOrigins.includes('*') || [new URL(storefrontUrl).origin, ...allowedOrigins].includes(origin)) return url;
  if (isDeveloperUrl(ctx, url)) return url;
  throw rejectUrl(field, 'origin', "must be on the storefront or on one of the store's allowed origins");
}

const rejectUrl = (field: string, code: string, detail: string) =>
  invalidRequest(`${field} ${detail}.`, { path: `/${field}`, code, detail });

/**
 * A browser is only led to where nobody on the way reads along: https, or http in local mode, or to the developer's own
 * machine in the test environment.
 * @throws DomainError `invalid_request` that names the field
 */
export function rejectInsecureUrl(ctx: Pick<Context, 'settings'>, field: string, address: string): void {
  const protocol = URL.canParse(address) ? new URL(address).protocol : '';
  if (protocol === 'https:') return;
  if (protocol === 'http:' && (ctx.settings.localMode || isDeveloperUrl(ctx, address))) return;
  throw invalidRequest(`${field} must be an https URL.`, {
    path: `/${field}`,
    code: 'format',
    detail: 'must be an https URL',
  });
}

/** In the test environment: a URL of the very machine on which the browser runs, where a developer tries a storefront. */
function isDeveloperUrl({ settings }: Pick<Context, 'settings'>, url: string): boolean {
  return settings.appMode === 'test' && ['localhost', '127.0.0.1'].includes(new URL(url).hostname);
}
