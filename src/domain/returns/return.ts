import { defineEntity, p } from '@mikro-orm/core';
import { DomainError } from '#src/lib/errors.ts';
import { follow, mayFollow, type StateTable } from '#src/lib/state-table.ts';

export const returnStatuses = ['requested', 'approved', 'rejected', 'received', 'refunded', 'closed'] as const;
export type ReturnStatus = (typeof returnStatuses)[number];

const table: StateTable<ReturnStatus> = {
  requested: ['approved', 'rejected'],
  approved: ['received', 'closed'],
  rejected: [],
  received: ['refunded', 'closed'],
  refunded: ['closed'],
  closed: [],
};

const ReturnSchema = defineEntity({
  name: 'Return',
  tableName: 'returns',
  properties: {
    tenantId: p.string().primary(),
    id: p.string().primary(),
    number: p.bigint('number'),
    orderId: p.string(),
    orderNumber: p.string(),
    email: p.string(),
    status: p.enum(returnStatuses),
    note: p.string().nullable(),
    approvedAt: p.datetime().nullable(),
    releasedAt: p.datetime().nullable(),
    version: p.integer().version(),
    createdAt: p.datetime(),
    updatedAt: p.datetime(),
  },
});

/** A shopper's return of items of one order. */
export class Return extends ReturnSchema.class {
  moveTo(status: ReturnStatus): void {
    this.status = follow(table, this.status, status);
  }

  mayMoveTo(status: ReturnStatus): boolean {
    return mayFollow(table, this.status, status);
  }
}

ReturnSchema.setClass(Return);

/** Why a return was rejected, or cannot change its status. */
export type ReturnRejection =
  | 'not_paid'
  | 'refunded'
  | 'window_closed'
  | 'not_bought'
  | 'quantity_exceeded'
  | 'wrong_status';

/** The error of a return that is not allowed, with its reason, and the field of the request where there is one. */
export function returnNotAllowed(
  reason: ReturnRejection,
  message: string,
  place?: { readonly path: string; readonly detail: string },
): DomainError {
  const errors = place && [{ path: place.path, code: reason, detail: place.detail }];
  return new DomainError('conflict', 'return_not_allowed', message, {
    extensions: { reason, ...(errors && { errors }) },
  });
}
