import type { Config } from '#src/config.ts';
import type { Ports } from '#src/domain/ports/index.ts';
import type { Log } from '#src/lib/log.ts';
import { createEasypostConnection } from './easypost/easypost-connection.ts';
import { createOpenAiEmbedder } from './embeddings/openai-embedder.ts';
import type { CircuitBreaker } from './lib/circuit-breaker.ts';
import { createShippoGateway } from './shippo/shippo-gateway.ts';
import { createSmtpMailer, type MailAttempt } from './smtp/smtp-mailer.ts';
import { createStripePaymentGateway } from './stripe/payment-gateway.ts';

interface PortOptions {
  readonly log: Log;
  readonly breaker: CircuitBreaker;
  /** Called with what each attempt to send an email says of the mail server. */
  readonly countMailAttempt: (attempt: MailAttempt) => void;
}

/** The gateways of the real providers. */
export function createPorts(
  config: Config,
  { log, breaker, countMailAttempt }: PortOptions,
): Omit<Ports, 'cache' | 'http'> {
  return {
    payments: createStripePaymentGateway({ apiBase: config.stripeApiBase, log, breaker }),
    shipping: createShippoGateway({ baseUrl: config.shippoApiBase, log, breaker }),
    secondShipping: createEasypostConnection({ log }),
    mailer: createSmtpMailer(config.smtpUrl, { log, countAttempt: countMailAttempt }),
    embedder: config.embeddings && createOpenAiEmbedder({ ...config.embeddings, log, breaker }),
    integrations: new Map(),
  };
}
