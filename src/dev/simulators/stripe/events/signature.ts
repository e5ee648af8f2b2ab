import { createHmac } from 'node:crypto';

/** The `Stripe-Signature` header: HMAC-SHA256 of `t.body` with the whole secret, `whsec_` included. */
export function signatureHeader(body: string, secret: string, nowSeconds: number): string {
  const signature = createHmac('sha256', secret).update(`${nowSeconds}.${body}`).digest('hex');
  return `t=${nowSeconds},v1=${signature}`;
}
