import { defineRoute, scopesOf, staffOf, toOwnPages } from '#src/api/lib/define-route.ts';
import { accepted, ok } from '#src/api/lib/reply.ts';
import { clearedStaffCookie, staffCookie } from '#src/api/lib/staff-cookie.ts';
import { requireSecondFactor } from '#src/domain/second-factor.ts';
import {
  consumeStaffLink,
  findSessionOwner,
  listStaffSessions,
  presentSignedIn,
  presentStaffSession,
  requestStaffLink,
  revokeStaffSession,
  SignedInView,
  StaffSessionView,
  signOutStaff,
} from '#src/domain/staff/index.ts';
import { covers } from '#src/domain/tenants/index.ts';
import { notFound } from '#src/lib/errors.ts';
import { clientNetworkOf } from '#src/lib/network-of.ts';
import { Done, Email, Id, Text, Type } from '#src/lib/schema.ts';
import { insufficientScope } from '../lib/authenticate.ts';
import { ownSession } from './audience.ts';

export const postSignInRequest = defineRoute({
  operationId: 'admin.requestSignInLink',
  method: 'post',
  path: '/api/v1/admin/sign-in/request',
  tag: ownSession.tag,
  summary:
    'Email a sign-in link if the address belongs to the staff of the store. The response is the same either way.',
  audience: toOwnPages,
  emails: 'staff_links',
  body: Type.Object({ email: Email }),
  responses: { 202: Done },
  async handle({ ctx, caller: { clientIp }, body: { email }, limitEmail }) {
    return limitEmail(email, async (mayEmail) => {
      if (mayEmail) await requestStaffLink(ctx, { email, clientNetwork: clientIp && clientNetworkOf(clientIp) });
      return { value: accepted({ ok: true }), causesEmail: true };
    });
  },
});

export const postSignIn = defineRoute({
  operationId: 'admin.signIn',
  method: 'post',
  path: '/api/v1/admin/sign-in/consume',
  tag: ownSession.tag,
  summary: 'Sign in with the token of an emailed link, which works once. Sets the cookie of the session.',
  audience: toOwnPages,
  limit: 'consume',
  body: Type.Object({ token: Text(200) }),
  errors: ['invalid_or_expired_token'],
  responses: { 200: SignedInView },
  async handle({ ctx, body }) {
    const { session, token } = await consumeStaffLink(ctx, body);
    const reply = ok(presentSignedIn(ctx, session));
    return { ...reply, headers: { 'set-cookie': staffCookie(ctx.settings, token, session) } };
  },
});

export const getSession = defineRoute({
  ...ownSession,
  operationId: 'admin.getSession',
  method: 'get',
  path: '/api/v1/admin/session',
  summary: 'Read who is signed in and what they may do.',
  responses: { 200: SignedInView },
  async handle({ ctx, caller }) {
    return ok(presentSignedIn(ctx, staffOf(caller)));
  },
});

export const postSignOut = defineRoute({
  ...ownSession,
  operationId: 'admin.signOut',
  method: 'post',
  path: '/api/v1/admin/session/sign-out',
  summary: 'Sign out. The session ends at once.',
  responses: { 204: Type.Null() },
  async handle({ ctx, caller }) {
    await signOutStaff(ctx, staffOf(caller));
    return { status: 204, body: undefined, headers: { 'set-cookie': clearedStaffCookie(ctx.settings) } };
  },
});

export const getSessions = defineRoute({
  ...ownSession,
  operationId: 'admin.listSessions',
  method: 'get',
  path: '/api/v1/admin/sessions',
  summary: "List one's own open sessions, or with `admin.staff:read` those of a member, newest first.",
  query: Type.Object({ staff_id: Type.Optional(Id('staff')) }),
  errors: ['insufficient_scope'],
  responses: { 200: Type.Object({ sessions: Type.Array(StaffSessionView) }) },
  async handle({ ctx, caller, query }) {
    const { id } = staffOf(caller).staff;
    const staffId = query.staff_id ?? id;
    if (staffId !== id && !covers(scopesOf(caller), 'admin.staff:read')) throw insufficientScope('admin.staff:read');
    const sessions = await listStaffSessions(ctx, { staffId });
    return ok({ sessions: sessions.map((session) => presentStaffSession(session, ctx.clock.now())) });
  },
});

export const postSessionRevocation = defineRoute({
  ...ownSession,
  operationId: 'admin.revokeSession',
  method: 'post',
  path: '/api/v1/admin/sessions/:id/revoke',
  summary: "End one of one's own sessions, or with `admin.staff:write` one of another member.",
  params: Type.Object({ id: Id('ses') }),
  errors: ['second_factor_required'],
  responses: { 200: Done },
  async handle({ ctx, caller, params: { id: sessionId } }) {
    const staffId = await findSessionOwner(ctx, sessionId);
    const isOwn = staffId === staffOf(caller).staff.id;
    if (!isOwn) {
      if (!covers(scopesOf(caller), 'admin.staff:write')) throw notFound('session');
      requireSecondFactor(ctx);
    }
    await revokeStaffSession(ctx, { staffId, sessionId });
    return ok({ ok: true });
  },
});
