/** Somebody who bought, or whom the owner knows, by address. */
export interface Customer {
  readonly id: string;
  /** Trimmed, lower case: unique in the store. */
  readonly email: string;
  readonly name: string | null;
  /** Null where nobody asked. */
  readonly acceptsMarketing: boolean | null;
  /** What the payment provider calls them in this environment, once it knows them. */
  readonly paymentCustomerId: string | null;
  readonly version: number;
  readonly createdAt: Date;
}
