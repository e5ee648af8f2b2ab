import { Webhook } from 'standardwebhooks';

import { ApiError } from './api-error.ts';
import type { webhooks } from './generated/api.ts';

/** The body of each event, by its type. */
export type WebhookEvents = {
  [Type in keyof webhooks]: webhooks[Type]['post']['requestBody']['content']['application/json'];
};

/** An event of a store; its `type` tells which. */
export type WebhookEvent = WebhookEvents[keyof WebhookEvents];

/**
 * @param body as received, before any parsing: the signature covers its bytes
 * @param secret `whsec_…`, of the endpoint
 * @throws ApiError `invalid_signature`, also for one that is older than five minutes;
 * `invalid_argument` without a secret
 */
export function verifyWebhook(
  body: string | Uint8Array | ArrayBuffer,
  headers: Headers | Readonly<Record<string, string | readonly string[] | undefined>>,
  secret: string,
): WebhookEvent {
  if (!secret) throw new ApiError('invalid_argument', 'The secret is empty.');
  try {
    const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
    const entries = Symbol.iterator in headers ? [...headers] : Object.entries(headers);
    const named = Object.fromEntries(entries.map(([name, value]) => [name, String(value ?? '')]));
    // A valid signature proves that the service wrote the body, and so its type.
    return new Webhook(secret).verify(text, named) as WebhookEvent;
  } catch (cause) {
    throw new ApiError(
      'invalid_signature',
      'The webhook was not signed with this secret within the last five minutes.',
      { cause },
    );
  }
}
