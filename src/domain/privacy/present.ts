import { presentAs } from '#src/lib/present-as.ts';
import { Email, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { type Erasure, erasureStates } from './erasure.ts';
import { personalData } from './registry.ts';

const Count = (options: object = {}) => Type.Integer({ minimum: 0, examples: [2], ...options });

/** An erasure as the owner sees it. */
export const ErasureView = Type.Object(
  {
    id: Type.String({ examples: ['era_01m7xfs208fk1sctzyr3afnpz3'] }),
    /** Null once it is completed. */
    email: Nullable(Email),
    /** The person's pseudonym: the id of the subject in the audit log. */
    audit_subject_id: Type.String({ examples: ['p7Qx0WcVJ4m1s8Zt5uKdRg'] }),
    state: Type.Enum([...erasureStates], {
      description: '`blocked`: something is in progress, as `blockers` say. Run it again when that has ended.',
    }),
    /** Why it failed. */
    failure: Nullable(Type.String()),
    /** What is still in progress, each with what to do first. */
    blockers: Type.Array(Type.String({ examples: ['ORD-1001 was not sent yet: send it or refund it'] })),
    parts: Type.Array(
      Type.Object({
        name: Type.String({ examples: ['orders'] }),
        treatment: Type.Enum(['deleted', 'anonymized', 'kept']),
        stays: Nullable(Type.String({ description: 'What of it stays, and why.' })),
        found: Nullable(Count({ description: 'The rows of the person when it was previewed.' })),
        erased: Count({ description: 'The rows that were deleted or anonymized.' }),
      }),
    ),
    payment_customer_ids: Type.Array(Type.String({ examples: ['cus_QvZ8'] }), {
      description: 'The customers at the payment provider, whose own records have to be deleted there.',
    }),
    created_at: Timestamp,
    started_at: Nullable(Timestamp),
    finished_at: Nullable(Timestamp),
  },
  { title: 'Erasure' },
);

export function presentErasure({ found, erased, ...erasure }: Erasure): Static<typeof ErasureView> {
  const parts = personalData
    .filter(({ name }) => found?.[name] || erased[name])
    .map(({ name, treatment, stays }) => ({
      name,
      treatment,
      stays,
      found: found && (found[name] ?? 0),
      erased: erased[name] ?? 0,
    }));
  return presentAs(ErasureView, { ...erasure, parts });
}
