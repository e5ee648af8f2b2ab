import type { CheckoutInput } from '#src/domain/checkout/index.ts';

/** What a process is to die in. */
export type Task =
  | { readonly kind: 'check_out'; readonly input: CheckoutInput; readonly requestKey: string }
  | { readonly kind: 'accept'; readonly body: string; readonly signature: string }
  | { readonly kind: 'work'; readonly job: string; readonly outboxJobId: string };

/** Which task, in which store, at what time by the test's clock; and at which moment to die, 0 for never. */
export interface Errand {
  readonly task: Task;
  readonly tenantId: string;
  readonly clockAheadMs: number;
  readonly fatal: number;
}
