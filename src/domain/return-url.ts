import { invalidRequest } from '#src/lib/errors.ts';
import { Type, Url } from '#src/lib/schema.ts';
import { fits } from '#src/lib/validation.ts';
import type { Context } from './context.ts';
import { leadsHome, rejectInsecureUrl } from './reject-insecure-url.ts';

const orderPlaceholder = '{ORDER_ID}';
/** The payment provider puts the id of its session in its place. */
const sessionPlaceholder = '{CHECKOUT_SESSION_ID}';

/** Where a shopper returns from a payment page. */
export const ReturnUrl = Type.String({
  format: 'uri-template',
  maxLength: 2048,
  examples: [`https://shop.example.com/order?id=${orderPlaceholder}`],
  description:
    `An https URL; a store that lists its allowed origins accepts these and its storefront's only. \`${orderPlaceholder}\` ` +
    `is replaced by the id of the order, \`${sessionPlaceholder}\` by that of the provider's session.`,
});

/**
 * The URL to which the shopper of this order returns.
 * @throws DomainError `invalid_request` that names the field, for a URL to which no shopper of this store is sent
 */
export function fillReturnUrl(ctx: Context, field: string, template: string, orderId: string): string {
  const url = template.replaceAll(orderPlaceholder, orderId);
  checkReturnUrl(ctx, field, url.replaceAll(sessionPlaceholder, 'cs_1'));
  return url;
}

/**
 * Reject a URL to which no shopper of this store is sent: one that is not secure, or lies outside the origins that the
 * store lists. A store that allows any origin (`*`, the default) sends shoppers to any.
 * @throws DomainError `invalid_request` that names the field
 */
export function checkReturnUrl(ctx: Context, field: string, url: string): void {
  rejectInsecureUrl(ctx, field, fits(Url, url) ? url : '');
  const { allowedOrigins, storefrontUrl } = ctx.tenant;
  const { origin } = new URL(url);
  if (allowedOrigins.includes('*') || [new URL(storefrontUrl).origin, ...allowedOrigins].includes(origin)) return;
  if (leadsHome(ctx, url)) return;
  throw invalidRequest(`${field} must be a URL of the store.`, {
    path: `/${field}`,
    code: 'origin',
    detail: 'must be a URL of the store',
  });
}
