import type { Cache } from './cache.ts';
import type { Embedder } from './embedder.ts';
import type { IntegrationReceivers } from './integration-receiver.ts';
import type { Mailer } from './mailer.ts';
import type { OutboundHttp } from './outbound-http.ts';
import type { PaymentGateway } from './payment-gateway.ts';
import type { ShippingConnection, ShippingGateway } from './shipping-gateway.ts';

/** The outside world, in the domain's words. Only `services.ts` knows who stands behind each. */
export interface Ports {
  readonly payments: PaymentGateway;
  readonly shipping: ShippingGateway;
  readonly secondShipping: ShippingConnection;
  readonly mailer: Mailer;
  readonly http: OutboundHttp;
  readonly cache: Cache;
  /** Where an embeddings endpoint is configured. */
  readonly embedder: Embedder | undefined;
  readonly integrations: IntegrationReceivers;
}
