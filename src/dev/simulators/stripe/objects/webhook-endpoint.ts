import type { Metadata } from '../wire/check-metadata.ts';
import type { StripeObject } from './stripe-object.ts';

export interface WebhookEndpoint extends StripeObject {
  enabled_events: readonly string[];
  status: 'enabled' | 'disabled';
  url: string;
  metadata: Metadata;
}

/** The signing secret of each endpoint: shown once, in the answer that creates it. */
export const endpointSecrets = new WeakMap<WebhookEndpoint, string>();

export interface StripeEvent extends StripeObject {
  created: number;
  data: { readonly object: StripeObject; readonly previous_attributes?: object };
  pending_webhooks: number;
  type: string;
}
