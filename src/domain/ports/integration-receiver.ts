/** What a third party told a store. */
export interface IntegrationCall {
  /** The same at every try: what names the work to whoever does it outside. */
  readonly id: string;
  readonly tenantId: string;
  /** The JSON that it sent, signed with the store's secret for it. */
  readonly body: unknown;
}

/**
 * What knows one third party and acts on what it tells. It may be given the same call twice.
 * @throws ProviderError when it cannot
 */
export interface IntegrationReceiver {
  receive(call: IntegrationCall, signal?: AbortSignal): Promise<void>;
}

/** Who is known, by the name in the address that they call. What others tell is kept, and nothing more. */
export type IntegrationReceivers = ReadonlyMap<string, IntegrationReceiver>;
