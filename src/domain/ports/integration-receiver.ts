/** A call from a third party to a store. */
export interface IntegrationCall {
  /** The same for every attempt, to be used as an idempotency key. */
  readonly id: string;
  readonly tenantId: string;
  /** The verified JSON body. */
  readonly body: unknown;
}

/**
 * Handles the calls of one third party. It may get the same call twice.
 * @throws ProviderError when it fails
 */
export interface IntegrationReceiver {
  receive(call: IntegrationCall, signal?: AbortSignal): Promise<void>;
}

/** The receivers by provider, as named in the callback URL. Calls of other providers are only stored. */
export type IntegrationReceivers = ReadonlyMap<string, IntegrationReceiver>;
