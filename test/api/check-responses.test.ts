import anyTest, { type TestFn } from 'ava';
import { createResponseCheck } from '#src/api/lib/check-responses.ts';
import { defineRoute, toPublic } from '#src/api/lib/define-route.ts';
import type { Reply } from '#src/api/lib/reply.ts';
import { DomainError } from '#src/lib/errors.ts';
import { Timestamp, Type } from '#src/lib/schema.ts';

/* What holds the answers of every test to their documentation, shown on a route of its own. */
const test = anyTest as TestFn<{ drifts: string[]; answer: (reply: Reply) => void; refuse: (error: unknown) => void }>;

test.beforeEach((t) => {
  const drifts: string[] = [];
  const check = createResponseCheck((drift) => drifts.push(drift));
  const route = defineRoute({
    method: 'get',
    path: '/api/v1/clock',
    tag: 'test',
    summary: 'Read the clock on the wall.',
    audience: toPublic,
    responses: { 200: Type.Object({ clock: Type.Object({ now: Timestamp }) }) },
    errors: ['version_conflict'],
    handle: async () => ({ status: 200, body: undefined }),
  });
  t.context = { drifts, answer: (reply) => check.answer(route, reply), refuse: (error) => check.refusal(route, error) };
});

test('an answer as it is documented is no drift', (t) => {
  const { drifts, answer, refuse } = t.context;
  answer({ status: 200, body: { clock: { now: new Date(0) } } });
  answer({ status: 200, body: '<p>noon</p>' });
  refuse(new DomainError('conflict', 'version_conflict', 'Late.'));
  refuse(new DomainError('not_found', 'unknown_tenant', 'Nowhere.'));
  refuse(new Error('broken'));
  t.deepEqual(drifts, []);
});

test('a field, a status or a refusal that nobody documented is drift', (t) => {
  const { drifts, answer, refuse } = t.context;
  answer({ status: 200, body: { clock: { now: 'noon' } } });
  answer({ status: 200, body: { clock: {} } });
  answer({ status: 200, body: { clock: { now: new Date(0), alarm: true } } });
  answer({ status: 201, body: {} });
  refuse(new DomainError('conflict', 'insufficient_stock', 'None left.'));
  t.deepEqual(drifts, [
    'GET /api/v1/clock answers 200 whose /clock/now must be a time such as 2026-11-20T12:00:00Z',
    'GET /api/v1/clock answers 200 whose /clock/now is required',
    'GET /api/v1/clock answers 200 whose /clock/alarm is not known here',
    'GET /api/v1/clock answers 201 which its `responses` do not name',
    'GET /api/v1/clock refuses with 409 insufficient_stock, which its `errors` do not name',
  ]);
});
