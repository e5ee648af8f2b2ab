import type { Config } from '#src/config.ts';
import type { Ports } from '#src/domain/ports/index.ts';
import type { Log } from '#src/lib/log.ts';
import { createEasypostConnection } from './easypost/easypost-connection.ts';
import { createOpenAiEmbedder } from './embeddings/openai-embedder.ts';
import { CircuitBreaker } from './lib/circuit-breaker.ts';
import { createShippoGateway } from './shippo/shippo-gateway.ts';
import { createSmtpMailer } from './smtp/smtp-mailer.ts';
import { createStripePaymentGateway } from './stripe/payment-gateway.ts';

/** Silences in a row after which a provider is left alone for a while. */
const breakerFailures = 5;

/** The real outside world. */
export function createPorts(config: Config, log: Log): Omit<Ports, 'cache' | 'http'> {
  const breaker = new CircuitBreaker({ openMs: config.settings.breakerOpenMs, failures: breakerFailures });
  return {
    payments: createStripePaymentGateway({ apiBase: config.stripeApiBase, log, breaker }),
    shipping: createShippoGateway({ baseUrl: config.shippoApiBase, log, breaker }),
    secondShipping: createEasypostConnection({ log }),
    mailer: createSmtpMailer(config.smtpUrl),
    embedder: config.embeddings && createOpenAiEmbedder({ ...config.embeddings, log, breaker }),
    integrations: new Map(),
  } as Omit<Ports, 'cache' | 'http'>;
}
