import type { Mailer } from './mailer.ts';
import type { OutboundHttp } from './outbound-http.ts';
import type { PaymentGateway } from './payment-gateway.ts';
import type { ShippingGateway } from './shipping-gateway.ts';

/** The outside world, in the domain's words. Only `services.ts` knows who stands behind each. */
export interface Ports {
  readonly payments: PaymentGateway;
  readonly shipping: ShippingGateway;
  readonly mailer: Mailer;
  readonly http: OutboundHttp;
}
