import { defineRoute, scopesOf } from '#src/api/lib/define-route.ts';
import { created, ok } from '#src/api/lib/reply.ts';
import {
  changeStaff,
  inviteStaff,
  listStaff,
  presentStaff,
  revokeStaff,
  StaffInput,
  StaffPatch,
  StaffView,
} from '#src/domain/staff/index.ts';
import { Id, PageOf, PageQuery, Type } from '#src/lib/schema.ts';
import { reading, writing } from './audience.ts';

const params = Type.Object({ id: Id('staff') });

/** Who may change the staff could allow themselves everything else. */
const changing = { ...writing('staff'), verified: true } as const;

const StaffResponse = Type.Object({ staff: StaffView });

export const getStaff = defineRoute({
  ...reading('staff'),
  operationId: 'admin.listStaff',
  method: 'get',
  path: '/api/v1/admin/staff',
  summary: 'List the staff of the store, including revoked members, oldest first.',
  query: Type.Object(PageQuery),
  responses: { 200: PageOf('staff', StaffView) },
  async handle({ ctx, query }) {
    const { rows, cursor } = await listStaff(ctx, query);
    return ok({ staff: rows.map(presentStaff), cursor });
  },
});

export const postStaff = defineRoute({
  ...changing,
  operationId: 'admin.inviteStaff',
  method: 'post',
  path: '/api/v1/admin/staff',
  idempotent: 'atomic',
  coalesced: true,
  summary: 'Invite a member, or invite one again. They are emailed a link to sign in, which is valid for three days.',
  body: StaffInput,
  errors: ['last_owner', 'rate_limited'],
  responses: { 201: StaffResponse },
  async handle({ ctx, caller, body }) {
    return created({ staff: presentStaff(await inviteStaff(ctx, body, scopesOf(caller))) });
  },
});

export const patchStaff = defineRoute({
  ...changing,
  operationId: 'admin.updateStaff',
  method: 'patch',
  path: '/api/v1/admin/staff/:id',
  summary: 'Change the name or the role of a member. Omitted fields do not change.',
  params,
  body: StaffPatch,
  errors: ['version_conflict', 'last_owner'],
  responses: { 200: StaffResponse },
  async handle({ ctx, caller, params, body }) {
    return ok({ staff: presentStaff(await changeStaff(ctx, { ...body, ...params }, scopesOf(caller))) });
  },
});

export const postStaffRevocation = defineRoute({
  ...changing,
  operationId: 'admin.revokeStaff',
  method: 'post',
  path: '/api/v1/admin/staff/:id/revoke',
  summary: 'Revoke a member. Their sessions end at once.',
  params,
  errors: ['last_owner'],
  responses: { 200: StaffResponse },
  async handle({ ctx, caller, params }) {
    return ok({ staff: presentStaff(await revokeStaff(ctx, params, scopesOf(caller))) });
  },
});
