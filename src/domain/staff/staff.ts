import { readPage } from '#src/database/read-page.ts';
import { readOne } from '#src/database/transact.ts';
import type { Page, PageRequest } from '#src/lib/cursor.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { presentAs, type RowOf } from '#src/lib/present-as.ts';
import { Email, Id, Line, Nullable, type Static, Timestamp, Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';
import { roleNames } from './roles.ts';

/** Someone who works for the store. */
export type StaffMember = Omit<RowOf<typeof StaffView>, 'secondFactor'> & {
  /** Whether an authenticator app is set up. */
  readonly hasTotp: boolean;
};

/** The columns of a `StaffMember`, in a query that calls the table `staff`. */
export const staffColumns = sql`staff.id, staff.email, staff.name, staff.role,
  staff.totp_confirmed_at is not null as "hasTotp", staff.revoked_at as "revokedAt",
  staff.version, staff.created_at as "createdAt"`;

/** The staff of the store, revoked members included, oldest first. */
export async function listStaff(ctx: Context, page: PageRequest): Promise<Page<StaffMember>> {
  return readPage<StaffMember>(
    ctx,
    { name: 'staff', columns: ['id'] },
    page,
    (position) => sql`
    select ${staffColumns}${position} from staff where tenant_id = ${ctx.tenant.id}`,
  );
}

/** The member who is not revoked and has this id or this email address. */
export async function findStaff(ctx: Context, idOrEmail: string): Promise<StaffMember | undefined> {
  return readOne<StaffMember>(
    ctx,
    sql`
    select ${staffColumns} from staff
    where tenant_id = ${ctx.tenant.id} and (id = ${idOrEmail} or email = ${normaliseEmail(idOrEmail)})
      and revoked_at is null`,
  );
}

const RoleName = Type.Enum([...roleNames], { examples: ['support'] });

/** A member in the store file and in the admin API. */
export const StaffInput = Type.Object({
  /** Identifies the member. Another address is another member. */
  email: Email,
  name: Line(200, { examples: ['Ada Lovelace'] }),
  role: RoleName,
});
export type StaffInput = Static<typeof StaffInput>;

export const StaffView = Type.Object(
  {
    id: Id('staff'),
    /** Trimmed, lower case. */
    email: Email,
    name: Type.String({ examples: ['Ada Lovelace'] }),
    role: RoleName,
    second_factor: Type.Enum(['totp', 'email']),
    revoked_at: Nullable(Timestamp),
    version: Type.Integer({ examples: [1] }),
    created_at: Timestamp,
  },
  { title: 'Staff' },
);

export function presentStaff(member: StaffMember): Static<typeof StaffView> {
  return presentAs(StaffView, { ...member, secondFactor: member.hasTotp ? 'totp' : 'email' });
}
