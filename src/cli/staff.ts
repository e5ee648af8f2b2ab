import type { Context } from '#src/domain/context.ts';
import {
  disableTotpOf,
  findStaff,
  inviteStaff,
  listStaff,
  presentStaff,
  revokeStaff,
  roleNames,
  roles,
  StaffInput,
  type StaffMember,
} from '#src/domain/staff/index.ts';
import { table } from './lib/columns.ts';
import { defineCommand, Failure } from './lib/command.ts';
import { readAll } from './lib/read-all.ts';
import { readInput } from './lib/read-option.ts';
import { withStore } from './lib/with-services.ts';

const headings = ['EMAIL', 'NAME', 'ROLE', 'SECOND FACTOR', 'STATE'];

export const listStaffCommand = defineCommand({
  name: 'staff list',
  summary: 'List the staff of a store.',
  parameters: { slug: 'The slug of the store.' },
  async run({ parameters, terminal }) {
    const rows = await withStore(terminal, parameters.slug, (ctx) => readAll((page) => listStaff(ctx, page)));
    const cells = rows.map((member) => [
      member.email,
      member.name,
      member.role,
      member.hasTotp ? 'app' : 'email',
      stateOf(member),
    ]);
    return {
      data: { staff: rows.map(presentStaff) },
      lines: table(headings, cells, 'The store has no staff.'),
    };
  },
});

export const inviteStaffCommand = defineCommand({
  name: 'staff invite',
  summary: 'Email a member an invitation to the admin of a store. Repeating it changes name and role.',
  parameters: { slug: 'The slug of the store.', email: 'The email address of the member.' },
  options: {
    name: { type: 'string', value: 'name', description: 'Required. What the member is called.' },
    role: { type: 'string', value: roleNames.join('|'), description: 'Required. What the member may do.' },
  },
  async run({ parameters, options, terminal }) {
    const { slug, email } = parameters;
    const input = readInput('staff invite', StaffInput, { email, name: options.name, role: options.role }, parameters);
    const member = await withStore(terminal, slug, (ctx) => inviteStaff(ctx, input, roles.owner));
    return {
      data: { staff: presentStaff(member) },
      lines: [`${member.email} is invited as ${member.role}. The link in the email is valid for three days.`],
    };
  },
});

export const revokeStaffCommand = defineCommand({
  name: 'staff revoke',
  summary: 'Revoke a member of the staff. Their sessions end at once.',
  parameters: { slug: 'The slug of the store.', member: 'The email address or id of the member.' },
  async run({ parameters, terminal }) {
    const member = await withStore(terminal, parameters.slug, async (ctx) =>
      revokeStaff(ctx, await findActiveMember(ctx, parameters), roles.owner),
    );
    return { data: { staff: presentStaff(member) }, lines: [`${member.email} is revoked.`] };
  },
});

export const removeAppCommand = defineCommand({
  name: 'staff remove-app',
  summary: 'Remove the authenticator app of a member who has lost it and the recovery codes. Codes are emailed again.',
  parameters: { slug: 'The slug of the store.', member: 'The email address or id of the member.' },
  async run({ parameters, terminal }) {
    const { email, hadApp } = await withStore(terminal, parameters.slug, async (ctx) => {
      const named = await findActiveMember(ctx, parameters);
      return { email: named.email, hadApp: await disableTotpOf(ctx, named) };
    });
    const line = hadApp ? `The authenticator app of ${email} is removed.` : `${email} has no authenticator app.`;
    return { data: { email, removed: hadApp }, lines: [`${line} Codes are emailed.`] };
  },
});

async function findActiveMember(
  ctx: Context,
  { slug, member }: { readonly slug: string; readonly member: string },
): Promise<StaffMember> {
  const named = await findStaff(ctx, member);
  if (!named) throw new Failure(`${slug} has no active member "${member}".`);
  return named;
}

const stateOf = ({ revokedAt }: StaffMember) => (revokedAt ? `revoked ${revokedAt.toISOString()}` : 'active');
