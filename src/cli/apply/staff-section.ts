import type { Change } from '#src/domain/change.ts';
import {
  listStaff,
  mailInvitation,
  revokeStaff,
  roles,
  StaffInput,
  saveStaff,
  subjectOf,
} from '#src/domain/staff/index.ts';
import { normaliseEmail } from '#src/lib/email-address.ts';
import { readAll } from '../lib/read-all.ts';
import { many } from './section.ts';

/** The staff of the store, identified by email. A new member is emailed an invitation. */
export const staffSection = many({
  name: 'staff',
  kind: 'staff',
  schema: StaffInput,
  keyOf: ({ email }) => normaliseEmail(email),
  keyField: 'email',
  async save({ ctx }, input) {
    const { member, change } = await saveStaff(ctx, input, roles.owner);
    if (change.action === 'created') await mailInvitation(ctx, member);
    return change;
  },
  /** Owners first: one of them may take the place of the last owner, whom the file gives another role. */
  async saveAll(_run, members, saveOne) {
    const rank = ({ role }: StaffInput) => (role === 'owner' ? 0 : 1);
    const ordered = [...members.entries()].toSorted(([, left], [, right]) => rank(left) - rank(right));
    const changes: Change[] = [];
    for (const [index, member] of ordered) changes[index] = await saveOne(member, index);
    return changes;
  },
  /** A store is never without an owner. */
  prunesLast: true,
  async prune({ ctx, report }, named) {
    for (const member of await readAll((page) => listStaff(ctx, page))) {
      if (member.revokedAt || named.has(member.email)) continue;
      // It writes its own line of the audit log.
      await revokeStaff(ctx, member, roles.owner);
      report({ subject: subjectOf(member), action: 'removed', fields: [] });
    }
  },
});
