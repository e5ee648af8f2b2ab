/** A store's account at the parcel provider, opened for one use. Never logged, never stored in clear. */
export interface ShippingAccount {
  readonly apiKey: string;
}

export interface ShippingGateway {
  /** Whether the credentials open the account. Throws ProviderError. */
  checkAccount(account: ShippingAccount, signal?: AbortSignal): Promise<void>;
}
