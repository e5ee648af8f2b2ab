import type { Config } from '#src/config.ts';
import type { Ports } from '#src/domain/ports/index.ts';
import type { Log } from '#src/lib/log.ts';
import { onFirstUse } from '#src/lib/on-first-use.ts';
import { createEasypostConnection } from './easypost/easypost-connection.ts';
import { createOpenAiEmbedder } from './embeddings/openai-embedder.ts';
import type { CircuitBreaker } from './lib/circuit-breaker.ts';
import { createShippoGateway } from './shippo/shippo-gateway.ts';

/**
 * The gateways of the real providers. Heavy modules are loaded on first use: most processes need one of them, or none.
 */
export function createPorts(config: Config, log: Log, breaker: CircuitBreaker): Omit<Ports, 'cache' | 'http'> {
  return {
    payments: onFirstUse(async () => {
      const { createStripePaymentGateway } = await import('./stripe/payment-gateway.ts');
      return createStripePaymentGateway({ apiBase: config.stripeApiBase, log, breaker });
    }),
    shipping: createShippoGateway({ baseUrl: config.shippoApiBase, log, breaker }),
    secondShipping: createEasypostConnection({ log }),
    mailer: onFirstUse(async () => {
      const { createSmtpMailer } = await import('./smtp/smtp-mailer.ts');
      return createSmtpMailer(config.smtpUrl);
    }),
    embedder: config.embeddings && createOpenAiEmbedder({ ...config.embeddings, log, breaker }),
    integrations: new Map(),
  };
}
