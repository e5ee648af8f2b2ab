import anyTest, { type ExecutionContext, type TestFn } from 'ava';

import type { Route } from '#src/api/lib/define-route.ts';
import { opsRoutes } from '#src/api/ops/index.ts';
import { routes } from '#src/api/routes.ts';
import { issuesOf } from '#src/lib/validation.ts';
import type { ApiResponse } from '#test/support/api.ts';
import { addressOf, keyTo, nameOf, type StoreContext, useStore } from '#test/support/every-route.ts';
import { buildSession } from '#test/support/factories/sessions.ts';
import { fakePaymentGateway } from '#test/support/fakes/payment-gateway.ts';
import {
  type HurtfulRequest,
  hurtfulForms,
  hurtfulHeads,
  hurtfulRequests,
  hurtfulValues,
} from '#test/support/hurtful-requests.ts';

/*
 * No request of an allowed size takes more than 50 ms of processor time, whether it is rejected or accepted. The time
 * of this thread is counted, including the test's own client, not the time of a clock, because other processes use the
 * machine. A slow request is sent again, since the first may have compiled something, and the fastest counts. A busy
 * machine may still double it; quadratic time is many times as much. `npm run fuzz` prints the table, for which it also
 * repeats what is fast enough to pass.
 */
const allowedMs = 50;
const failingMs = 2 * allowedMs;
const triesMax = 5;
const printsTable = process.env['FUZZ_REQUESTS'] !== undefined;
const repeatedMs = printsTable ? allowedMs / 2 : failingMs;

const test = anyTest as TestFn<StoreContext>;
useStore(test, {
  ports: { payments: fakePaymentGateway() },
  isRecorded: false,
  environment: { RATE_LIMIT_SCALE: '1000000' },
});

interface Cost {
  readonly route: string;
  readonly what: string;
  readonly status: number;
  readonly ms: number;
}

test.serial(
  'every route handles each expensive request of an allowed size within 50 ms of processor time',
  async (t) => {
    const dearest: Cost[] = [];
    for (const route of routes) {
      if (route.audience.kind === 'session') t.context.session = (await buildSession(t.context.ctx)).token;
      dearest.push(
        await costsOf(nameOf(route), hurtfulRequests(route), (request) => sendTo(t.context, route, request)),
      );
    }
    report(t, dearest);
  },
);

test.serial('a route of each audience handles each expensive header within 50 ms of processor time', async (t) => {
  const dearest: Cost[] = [];
  const byAudience = Map.groupBy(routes, ({ audience, method, idempotent }) =>
    [audience.kind, method, idempotent].join(' '),
  );
  for (const [route] of byAudience.values()) {
    if (route)
      dearest.push(await costsOf(nameOf(route), hurtfulHeads(), (request) => sendTo(t.context, route, request)));
  }
  report(t, dearest);
});

test.serial(
  'every ops page handles each expensive request of an allowed size within 50 ms of processor time',
  async (t) => {
    const dearest: Cost[] = [];
    for (const { method, path } of opsPages(t)) {
      const requests =
        method === 'GET' ? [{ what: 'a long query', query: `?${'&a=1'.repeat(3000)}` }] : hurtfulForms(16 * 1024);
      dearest.push(
        await costsOf(`${method} ${path}`, requests, ({ query = '', headers = {}, body }) =>
          t.context.api.call(method, path.replaceAll(/:\w+/g, t.context.tenant.slug) + query, {
            headers,
            ...(body !== undefined && { body }),
          }),
        ),
      );
    }
    report(t, dearest);
  },
);

test.serial('the schema of every body validates each expensive value within 50 ms of processor time', async (t) => {
  const dearest: Cost[] = [];
  // A field that several bodies share is filled in the first of them.
  const known = new Set<string>();
  for (const route of routes) {
    const { body } = route;
    if (body)
      dearest.push(
        await costsOf(nameOf(route), hurtfulValues(body, known), ({ value }) => ({
          status: issuesOf(body, value).length,
        })),
      );
  }
  report(t, dearest);
});

function sendTo(
  { api, tenant, ...store }: StoreContext,
  route: Route,
  { parameter, query = '', headers, body }: HurtfulRequest,
): Promise<ApiResponse> {
  const key = keyTo(route, { api, tenant, ...store });
  const params =
    parameter === undefined
      ? {}
      : Object.fromEntries(Object.keys(route.params?.properties ?? {}).map((name) => [name, parameter]));
  return api.call(route.method.toUpperCase(), addressOf(route, tenant.slug, params) + query, {
    headers: { ...(key ? { authorization: `Bearer ${key}` } : { 'x-tenant-slug': tenant.slug }), ...headers },
    ...(body !== undefined && route.method !== 'get' && { body }),
  });
}

function opsPages(t: ExecutionContext<StoreContext>): { method: string; path: string }[] {
  const routers = opsRoutes(t.context.services).flatMap((middleware) =>
    'router' in middleware ? [middleware.router as { stack: { methods: string[]; path: string }[] }] : [],
  );
  const pages = routers.flatMap(({ stack }) =>
    stack.flatMap(({ methods, path }) =>
      methods.filter((method) => method === 'GET' || method === 'POST').map((method) => ({ method, path })),
    ),
  );
  t.true(pages.length > 10);
  return pages;
}

/** The most expensive of these requests. */
async function costsOf<Hurtful extends { readonly what: string }>(
  route: string,
  all: Iterable<Hurtful>,
  send: (hurtful: Hurtful) => Promise<{ status: number }> | { status: number },
): Promise<Cost> {
  let dearest: Cost = { route, what: '', status: 0, ms: 0 };
  for (const hurtful of all) {
    let ms = Infinity;
    let status = 0;
    for (let tries = 0; tries < triesMax && ms > repeatedMs; tries += 1) {
      const before = process.threadCpuUsage();
      ({ status } = await send(hurtful));
      const { user, system } = process.threadCpuUsage(before);
      ms = Math.min(ms, (user + system) / 1000);
    }
    if (ms > dearest.ms) dearest = { route, what: hurtful.what, status, ms };
  }
  return dearest;
}

function report(t: ExecutionContext<StoreContext>, costs: readonly Cost[]): void {
  const table = costs.toSorted((left, right) => right.ms - left.ms);
  const lineOf = ({ route, what, status, ms }: Cost) =>
    `${ms.toFixed(1).padStart(6)} ms  ${route}: ${what} (${status})`;
  if (printsTable) t.log(['', ...table.map(lineOf)].join('\n'));
  t.deepEqual(table.filter(({ ms }) => ms > failingMs).map(lineOf), []);
}
