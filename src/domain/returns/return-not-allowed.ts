import { DomainError } from '#src/lib/errors.ts';

/** Why something cannot be returned, or a return cannot become what it should. */
export type ReturnRejection =
  | 'not_paid'
  | 'refunded'
  | 'window_closed'
  | 'not_bought'
  | 'quantity_exceeded'
  | 'wrong_status';

/** The refusal of a return, with its reason, and the place in the request where there is one. */
export function returnNotAllowed(
  reason: ReturnRejection,
  sentence: string,
  place?: { readonly path: string; readonly detail: string },
): DomainError {
  const errors = place && [{ path: place.path, code: reason, detail: place.detail }];
  return new DomainError('conflict', 'return_not_allowed', sentence, {
    extensions: { reason, ...(errors && { errors }) },
  });
}
