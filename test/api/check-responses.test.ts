import anyTest, { type TestFn } from 'ava';
import { createResponseCheck } from '#src/api/lib/check-responses.ts';
import { defineRoute, toPublic } from '#src/api/lib/define-route.ts';
import type { Reply } from '#src/api/lib/reply.ts';
import { DomainError } from '#src/lib/errors.ts';
import { Timestamp, Type } from '#src/lib/schema.ts';

/* The check that compares the responses of every test with the API document, shown on a route of its own. */
const test = anyTest as TestFn<{
  drifts: string[];
  reportResponse: (reply: Reply) => void;
  reportError: (error: unknown) => void;
}>;

test.beforeEach((t) => {
  const drifts: string[] = [];
  const check = createResponseCheck((drift) => drifts.push(drift));
  const route = defineRoute({
    operationId: 'test',
    method: 'get',
    path: '/api/v1/clock',
    tag: 'test',
    summary: 'Read the clock on the wall.',
    audience: toPublic,
    responses: { 200: Type.Object({ clock: Type.Object({ now: Timestamp }) }) },
    errors: ['version_conflict', 'return_not_allowed'],
    handle: async () => ({ status: 200, body: undefined }),
  });
  t.context = {
    drifts,
    reportResponse: (reply) => check.checkResponse(route, reply),
    reportError: (error) => check.checkError(route, error),
  };
});

test('checkResponses reports nothing for a response that matches its documentation', (t) => {
  const { drifts, reportResponse, reportError } = t.context;
  reportResponse({ status: 200, body: { clock: { now: new Date(0) } } });
  reportError(new DomainError('conflict', 'version_conflict', 'Late.'));
  reportError(new DomainError('not_found', 'unknown_tenant', 'Nowhere.'));
  reportError(new Error('broken'));
  t.deepEqual(drifts, []);
});

test('checkResponses reports an undocumented field, page, status or error, and an error without its fields', (t) => {
  const { drifts, reportResponse, reportError } = t.context;
  reportResponse({ status: 200, body: { clock: { now: 'noon' } } });
  reportResponse({ status: 200, body: { clock: {} } });
  reportResponse({ status: 200, body: { clock: { now: new Date(0), alarm: true } } });
  reportResponse({ status: 200, body: '<p>noon</p>' });
  reportResponse({ status: 201, body: {} });
  reportError(new DomainError('conflict', 'insufficient_stock', 'None left.'));
  reportError(new DomainError('conflict', 'return_not_allowed', 'Too late.'));
  t.deepEqual(drifts, [
    'GET /api/v1/clock returns 200 whose /clock/now must be a time such as 2026-11-20T12:00:00Z',
    'GET /api/v1/clock returns 200 whose /clock/now is required',
    'GET /api/v1/clock returns 200 whose /clock/alarm is not known here',
    'GET /api/v1/clock returns 200 as a page, which it does not declare',
    'GET /api/v1/clock returns 201 which its `responses` do not list',
    'GET /api/v1/clock rejects with 409 insufficient_stock, which its `errors` do not list',
    'GET /api/v1/clock rejects with 409 return_not_allowed, whose /reason is required',
  ]);
});
