/** A store's account at the payment provider, opened for one use. Never logged, never stored in clear. */
export interface PaymentAccount {
  readonly secretKey: string;
}

export interface PaymentGateway {
  /** Whether the credentials open the account. Throws ProviderError. */
  checkAccount(account: PaymentAccount, signal?: AbortSignal): Promise<void>;
}
