import { invalidRequest } from '#src/lib/errors.ts';
import { Type, Url } from '#src/lib/schema.ts';
import { isUrl, normalizeUrl, urlLengthMax } from '#src/lib/url.ts';
import type { Context } from './context.ts';

/** With literal braces, or percent-encoded as URLSearchParams writes them. */
const orderPlaceholder = /(?:\{|%7[Bb])ORDER_ID(?:\}|%7[Dd])/g;
/** As a normalized URL contains it. The payment provider replaces it by its session's id if the braces are literal. */
const sessionPlaceholder = /%7[Bb]CHECKOUT_SESSION_ID%7[Dd]/g;

/** Where a shopper returns from a payment page. What has literal braces is no URI, as programs check that format. */
export const ReturnUrl = Type.Unsafe<string>({
  ...Url,
  title: 'ReturnUrl',
  format: 'uri-template',
  examples: ['https://shop.example.com/order?id={ORDER_ID}'],
  description:
    'An https URL; in the test environment also http to localhost or 127.0.0.1. A store that lists its allowed ' +
    "origins accepts these and its storefront's only. `{ORDER_ID}` is replaced by the id of the order, " +
    "`{CHECKOUT_SESSION_ID}` by that of the provider's session; the braces may be percent-encoded.",
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
 * Reject a URL to which this store does not send shoppers: an insecure one, or one outside the store's allowed origins.
 * A store that allows any origin (`*`, the default) sends shoppers anywhere.
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
 * Reject a URL whose traffic others could read: allowed are https, http in local mode, and http to the developer's own
 * machine in the test environment.
 * @throws DomainError `invalid_request` that names the field
 */
export function rejectInsecureUrl(ctx: Pick<Context, 'settings'>, field: string, url: string): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : '';
  if (protocol === 'https:') return;
  if (protocol === 'http:' && (ctx.settings.localMode || isDeveloperUrl(ctx, url))) return;
  throw invalidRequest(`${field} must be an https URL.`, {
    path: `/${field}`,
    code: 'format',
    detail: 'must be an https URL',
  });
}

/** In the test environment: a URL on the browser's own machine, where a developer runs a storefront. */
export function isDeveloperUrl({ settings }: Pick<Context, 'settings'>, url: string): boolean {
  if (settings.appMode !== 'test' || !URL.canParse(url)) return false;
  return ['localhost', '127.0.0.1'].includes(new URL(url).hostname);
}
