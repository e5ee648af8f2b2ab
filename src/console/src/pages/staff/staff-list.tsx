import { ApiError, type Body, type Staff } from '@storefront-commerce/client';
import { email, required } from 'react-admin';
import { useWatch } from 'react-hook-form';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Buttons } from '../../lib/buttons.tsx';
import { choicesOf, formatCode, formatTime } from '../../lib/format.ts';
import { SelectInput, TextInput } from '../../lib/inputs.tsx';
import { Listing } from '../../lib/listing.tsx';
import { State } from '../../lib/texts.tsx';
import { VersionedAction } from '../../lib/versioned-form.tsx';
import { useSession } from '../../session/session.ts';
import { roles } from './roles.ts';

export function StaffList() {
  return (
    <Listing<Staff>
      title="Staff"
      empty="People who work for the store and sign in here appear here. Add the first one with Invite."
      actions={<Invite />}
      columns={[
        { label: 'Name', show: ({ name, email }) => name || email },
        { label: 'Email', show: ({ email }) => email },
        { label: 'Role', show: ({ role }) => formatCode(role) },
        { label: 'Since', show: ({ created_at }) => formatTime(created_at) },
        { label: 'Change', show: (member) => <MemberActions member={member} /> },
      ]}
    />
  );
}

function Invite() {
  return (
    <Action<Body<'admin.inviteStaff'>>
      label="Invite"
      title="Invite a member"
      variant="contained"
      scope="admin.staff:write"
      text="They get an email with a link to sign in, which is valid for three days."
      run={async (input, options) => {
        await rejectOtherRole(input);
        return admin.inviteStaff(input, options);
      }}
      done="The invitation is on its way."
    >
      <TextInput source="email" label="Email" type="email" validate={[required(), email()]} />
      <TextInput source="name" label="Name" validate={required()} />
      <RoleInput />
    </Action>
  );
}

/** Who is invited again gets another link. The API would also give them this role. */
async function rejectOtherRole({ email, role }: Body<'admin.inviteStaff'>): Promise<void> {
  const wanted = email.trim().toLowerCase();
  for await (const { email, role: current, revoked_at } of admin.listStaff({ limit: 100 })) {
    if (email === wanted && !revoked_at && current !== role)
      throw new ApiError(
        'invalid_argument',
        `${email} is a member already, with the role ${formatCode(current)}. To change the role, edit the member.`,
      );
  }
}

function MemberActions({ member }: { readonly member: Staff }) {
  const { id, email, name, revoked_at } = member;
  const isSelf = useSession()?.staff.id === id;
  if (revoked_at) return <State code="revoked" />;
  return (
    <Buttons>
      <VersionedAction<Staff, Body<'admin.updateStaff'>>
        title={`Edit ${name || email}`}
        scope="admin.staff:write"
        thing={member}
        inputOf={({ name, role }) => ({ name, role })}
        read={() => readMember(member)}
        replace={async (input) => (await admin.updateStaff(id, input)).staff}
        done="Member saved."
      >
        <TextInput source="name" label="Name" validate={required()} />
        <RoleInput />
      </VersionedAction>
      {!isSelf && (
        <Action
          label="Revoke"
          title={`Revoke ${name || email}`}
          color="error"
          scope="admin.staff:write"
          text="Their sessions end immediately. They can be invited again."
          run={() => admin.revokeStaff(id)}
          done="Member revoked."
        />
      )}
    </Buttons>
  );
}

/** The API lists staff, and does not read one. */
async function readMember(member: Staff): Promise<Staff> {
  for await (const found of admin.listStaff({ limit: 100 })) if (found.id === member.id) return found;
  return member;
}

function RoleInput() {
  const role: keyof typeof roles | null | undefined = useWatch({ name: 'role' });
  return (
    <SelectInput
      source="role"
      label="Role"
      choices={choicesOf(Object.keys(roles))}
      helperText={role ? roles[role] : 'Choose one to see what it allows'}
      validate={required()}
    />
  );
}
