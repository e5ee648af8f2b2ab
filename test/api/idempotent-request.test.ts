import anyTest, { type TestFn } from 'ava';
import fc from 'fast-check';

import { pruneRequests } from '#jobs/retention.ts';
import { defineRoute, type Request, toDual } from '#src/api/lib/define-route.ts';
import { created } from '#src/api/lib/reply.ts';
import { read, readOne, transact } from '#src/database/transact.ts';
import { prune } from '#src/domain/backoffice/index.ts';
import { upsertCustomer } from '#src/domain/customers/index.ts';
import {
  type ClaimedRequest,
  claimRequest,
  releaseRequest,
  renewWhile,
  type StoredReply,
  storeReply,
} from '#src/domain/idempotency/index.ts';
import { canonicalJson } from '#src/lib/canonical-json.ts';
import { fromNow } from '#src/lib/clock.ts';
import { sha256 } from '#src/lib/crypto.ts';
import { hours, minutes, seconds } from '#src/lib/duration.ts';
import { DomainError } from '#src/lib/errors.ts';
import { Type } from '#src/lib/schema.ts';
import { sql } from '#src/lib/sql.ts';
import { serveApi, type TestApi } from '#test/support/api.ts';
import { createTestClock } from '#test/support/clock.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildKey } from '#test/support/factories/keys.ts';
import { until } from '#test/support/until.ts';

/* What a repeated request with an Idempotency-Key gets, shown on routes of its own. */
interface RouteContext extends TestContext {
  api: TestApi;
  /** What the handler of an idempotent route does besides its response. */
  onRun: (request: Request<undefined, undefined, { email: string }>) => Promise<void>;
  runs: (string | undefined)[];
}

const test = anyTest as TestFn<RouteContext>;
useContext(test as unknown as TestFn<TestContext>);

test.beforeEach(async (t) => {
  t.context.runs = [];
  t.context.onRun = async () => undefined;
  const route = (idempotent: 'atomic' | 'resumable') =>
    defineRoute({
      operationId: 'test',
      method: 'post',
      path: `/api/v1/${idempotent}`,
      tag: 'guests',
      summary: 'Write a guest into the book.',
      audience: toDual('cart:write'),
      body: Type.Object({ email: Type.String({ minLength: 3 }) }),
      responses: { 201: Type.Object({ guest: Type.String() }) },
      idempotent,
      coalesced: true,
      errors: [
        'version_conflict',
        'module_disabled',
        'payment_provider_unavailable',
        'expired_session',
        'rate_limited',
      ],
      async handle(request) {
        t.context.runs.push(request.idempotencyId);
        const { id } = await transact(request.ctx, (ctx) => upsertCustomer(ctx, request.body));
        await t.context.onRun(request);
        return created({ guest: id });
      },
    });
  t.context.api = await serveApi(t.context.services, { routes: [route('atomic'), route('resumable')] });
});
test.afterEach.always((t) => t.context.api.close());

const send = (
  { api, tenant }: RouteContext,
  mode: string,
  key: string | undefined,
  email = 'ada@example.com',
  authorization?: string,
) =>
  api.call('POST', `/api/v1/${mode}`, {
    tenant: tenant.slug,
    body: { email },
    headers: { ...(key !== undefined && { 'idempotency-key': key }) },
    ...(authorization && { key: authorization }),
  });

const guestsOf = async ({ ctx }: RouteContext) =>
  (await read<{ email: string }>(ctx, sql`select email from customers where tenant_id = ${ctx.tenant.id}`)).map(
    ({ email }) => email,
  );

for (const mode of ['atomic', 'resumable']) {
  test(`${mode}: a repeated request gets the same response, byte for byte, and does not run again`, async (t) => {
    const first = await send(t.context, mode, 'one');
    const second = await send(t.context, mode, 'one');
    t.is(first.status, 201);
    t.is(second.status, 201);
    t.deepEqual(second.body, first.body);
    t.is(first.headers.get('idempotent-replayed'), null);
    t.is(second.headers.get('idempotent-replayed'), 'true');
    t.is(second.headers.get('content-type'), first.headers.get('content-type'));
    t.is(second.headers.get('cache-control'), 'no-store');
    t.is(t.context.runs.length, 1);
  });

  test(`${mode}: of many concurrent requests one runs, and the others get 409 with Retry-After`, async (t) => {
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    t.context.onRun = () => gate;
    const refused: Awaited<ReturnType<typeof send>>[] = [];
    const statuses = Promise.all(
      Array.from({ length: 8 }, async () => {
        const response = await send(t.context, mode, 'race');
        if (response.status === 409) refused.push(response);
        return response.status;
      }),
    );
    await until(() => refused.length === 7);
    open();
    t.deepEqual((await statuses).toSorted(), [201, ...Array.from({ length: 7 }, () => 409)]);
    for (const { body, headers } of refused) {
      t.is(body.error, 'idempotency_in_progress');
      t.is(headers.get('retry-after'), '1');
    }
    t.is(t.context.runs.length, 1);
    t.is((await send(t.context, mode, 'race')).headers.get('idempotent-replayed'), 'true');
  });

  test(`${mode}: a key with a different body is rejected`, async (t) => {
    await send(t.context, mode, 'one');
    const other = await send(t.context, mode, 'one', 'grace@example.com');
    t.is(other.status, 422);
    t.is(other.body.error, 'idempotency_key_reused');
    t.is(t.context.runs.length, 1);
  });

  test(`${mode}: a repeated request may be written differently and is the same`, async (t) => {
    const { api, tenant } = t.context;
    const post = (path: string, body: string) =>
      api.call('POST', path, {
        tenant: tenant.slug,
        body,
        headers: { 'idempotency-key': 'one', 'content-type': 'application/json' },
      });
    const path = `/api/v1/${mode}`;
    await post(path, '{"email":"ada@example.com","note":{"a":1,"b":[1,2]}}');
    const same = [
      [path, '{ "note": {"b": [1, 2.0], "a": 1}, "email": "\\u0061da@example.com" }\n'],
      [`${path}/`, '{"email":"ada@example.com","note":{"a":1,"b":[1,2]}}'],
      [path.toUpperCase(), '{"email":"ada@example.com","note":{"a":1,"b":[1,2]}}'],
    ] as const;
    for (const [spelled, body] of same) {
      const { status, headers } = await post(spelled, body);
      t.deepEqual([status, headers.get('idempotent-replayed')], [201, 'true'], `${spelled} ${body}`);
    }
    for (const note of ['{"a":1,"b":[2,1]}', '{"a":1}', '{"a":"1","b":[1,2]}'])
      t.is((await post(path, `{"email":"ada@example.com","note":${note}}`)).status, 422, note);
    t.is(t.context.runs.length, 1);
  });

  test(`${mode}: an error is stored, and its writes are rolled back`, async (t) => {
    t.context.onRun = async () => {
      if (mode === 'atomic') throw new DomainError('conflict', 'version_conflict', 'It has changed.');
    };
    const email = mode === 'atomic' ? 'ada@example.com' : '';
    const first = await send(t.context, mode, 'no', email);
    const second = await send(t.context, mode, 'no', email);
    t.deepEqual([first.status, second.status], mode === 'atomic' ? [409, 409] : [400, 400]);
    t.deepEqual(second.body, first.body);
    t.is(second.headers.get('idempotent-replayed'), 'true');
    t.deepEqual(await guestsOf(t.context), []);
  });

  test(`${mode}: a request in progress stays so while others of its store end, well or badly`, async (t) => {
    let end = (): void => undefined;
    const gate = new Promise<void>((resolve) => (end = resolve));
    t.context.onRun = ({ body }) => (body.email === 'ada@example.com' ? gate : Promise.resolve());
    const first = send(t.context, mode, 'one');
    await until(() => t.context.runs.length === 1);
    const completed = await send(t.context, mode, 'two', 'grace@example.com');
    t.context.onRun = () => Promise.reject(new Error('broken'));
    const failed = await send(t.context, mode, 'three', 'joan@example.com');
    const repeated = await send(t.context, mode, 'one');
    end();
    t.deepEqual([completed.status, failed.status, repeated.body.error], [201, 500, 'idempotency_in_progress']);
    t.is((await first).status, 201);
    t.deepEqual((await send(t.context, mode, 'one')).body, (await first).body);
    t.is(t.context.runs.length, 3);
  });

  test(`${mode}: an error that may pass is not stored, and the next attempt has the same id`, async (t) => {
    const failures = [
      new DomainError('unavailable', 'payment_provider_unavailable', 'Not now.', { retryAfterSeconds: 3 }),
      new DomainError('forbidden', 'module_disabled', 'Not here.'),
      new DomainError('unauthenticated', 'expired_session', 'Not any more.'),
      new DomainError('too_many', 'rate_limited', 'Not so fast.', { retryAfterSeconds: 1 }),
      new Error('broken'),
    ];
    t.context.onRun = async () => {
      const failure = failures.shift();
      if (failure) throw failure;
    };
    const statuses = [(await send(t.context, mode, 'later')).status];
    t.deepEqual(await guestsOf(t.context), mode === 'atomic' ? [] : ['ada@example.com']);
    while (statuses.length < 6) statuses.push((await send(t.context, mode, 'later')).status);
    t.deepEqual(statuses, [503, 403, 401, 429, 500, 201]);
    t.is(new Set(t.context.runs).size, 1);
    t.regex(t.context.runs[0] ?? '', /^idem_/);
  });

  test.serial(`${mode}: an error of a request without a key is not stored`, async (t) => {
    const failures = [new DomainError('conflict', 'version_conflict', 'It has changed.')];
    t.context.onRun = async () => {
      const failure = failures.shift();
      if (failure) throw failure;
    };
    t.is((await send(t.context, mode, undefined)).status, 409);
    await t.context.clock.standStill(async () => {
      t.like(await send(t.context, mode, undefined), { status: 201 });
      t.is((await send(t.context, mode, undefined)).headers.get('idempotent-replayed'), 'true');
    });
    t.is(t.context.runs.length, 2);
  });

  for (const code of ['53200', '57014'])
    test.serial(
      `${mode}: a caller gets the response also where an error ${code} keeps it from being stored`,
      async (t) => {
        const { ctx, clock } = t.context;
        // The lease of what could not be stored lasts for fifteen seconds.
        clock.stop();
        const name = `fail_${mode}_${code}`;
        await ctx.database.pool.query(`
        create function ${name}() returns trigger language plpgsql as $$
          begin raise exception 'not now' using errcode = '${code}'; end $$;
        create trigger ${name} before update on idempotency_keys for each row
          when (new.tenant_id = '${ctx.tenant.id}') execute function ${name}()`);
        t.context.onRun = async ({ body }) => {
          if (body.email !== 'ada@example.com')
            throw new DomainError('conflict', 'version_conflict', 'It has changed.');
        };
        t.is((await send(t.context, mode, 'one')).status, mode === 'atomic' ? 503 : 201);
        t.is((await send(t.context, mode, 'two', 'grace@example.com')).body.error, 'version_conflict');
        t.is((await send(t.context, mode, 'two', 'grace@example.com')).body.error, 'idempotency_in_progress');
      },
    );

  test(`${mode}: after a crash the request runs again once its lease has ended, with the same id`, async (t) => {
    let crashed = false;
    t.context.onRun = () =>
      crashed
        ? Promise.resolve()
        : new Promise((_resolve, reject) =>
            setImmediate(() => {
              crashed = true;
              reject(Object.assign(new Error('gone'), { code: 'ECONNRESET' }));
            }),
          );
    const { ctx } = t.context;
    t.is((await send(t.context, mode, 'crash')).status, 503);
    // As after a killed process: the lease is still running.
    await transact(ctx, (ctx) =>
      ctx.tx.execute(sql`
      update idempotency_keys set leased_until = ${fromNow(ctx.clock, hours(1))}
      where tenant_id = ${ctx.tenant.id}`),
    );
    t.is((await send(t.context, mode, 'crash')).status, 409);
    await transact(ctx, (ctx) =>
      ctx.tx.execute(sql`
      update idempotency_keys set leased_until = ${ctx.clock.now()} where tenant_id = ${ctx.tenant.id}`),
    );
    t.is((await send(t.context, mode, 'crash')).status, 201);
    t.is(t.context.runs.length, 2);
    t.is(t.context.runs[0], t.context.runs[1]);
  });
}

test('renewWhile renews a lease while its request runs, and one that has ended no more', async (t) => {
  const clock = createTestClock();
  const ctx = { ...t.context.ctx, clock };
  const request = { method: 'POST', path: '/', credential: 'key_1', key: 'one', body: Buffer.from('{}') };
  const expiry = async () =>
    (
      await readOne<{ at: Date }>(
        ctx,
        sql`select leased_until as at from idempotency_keys where tenant_id = ${ctx.tenant.id}`,
      )
    )?.at;
  const isRenewed = async () => Number(await expiry()) === clock.now().getTime() + seconds(15);
  const first = await clock.standStill(async () => {
    const claimed = (await claimRequest(ctx, request)) as ClaimedRequest;
    const work = async () => {
      for (let renewal = 0; renewal < 5; renewal += 1) {
        clock.pass(seconds(10));
        await until(isRenewed);
      }
      await t.throwsAsync(claimRequest(ctx, request), { message: /still in progress/ });
    };
    await renewWhile(ctx, claimed, work, 1);
    return claimed;
  });

  clock.pass(seconds(15));
  const ended = await expiry();
  const readOften = async () => {
    for (let times = 0; times < 50; times += 1) await expiry();
  };
  await renewWhile(ctx, first, readOften, 1);
  t.deepEqual(await expiry(), ended);
  t.deepEqual(await claimRequest(ctx, request), { id: first.id, lease: 2 });
  const taken = await expiry();
  clock.pass(seconds(1));
  await renewWhile(ctx, first, readOften, 1);
  t.deepEqual(await expiry(), taken, 'the lease of another attempt');
});

test('renewWhile renews its own lease only', async (t) => {
  const clock = createTestClock();
  const ctx = { ...t.context.ctx, clock };
  const claimOf = async (key: string) =>
    (await claimRequest(ctx, {
      method: 'POST',
      path: '/',
      credential: 'key_1',
      key,
      body: Buffer.from('{}'),
    })) as ClaimedRequest;
  const leases = async () =>
    new Map(
      (
        await read<{ id: string; at: Date }>(
          ctx,
          sql`select id, leased_until as at from idempotency_keys where tenant_id = ${ctx.tenant.id}`,
        )
      ).map(({ id, at }) => [id, at.getTime()]),
    );
  await clock.standStill(async () => {
    const [one, other] = [await claimOf('one'), await claimOf('other')];
    const before = (await leases()).get(other.id);
    clock.pass(seconds(10));
    const isRenewed = async () => (await leases()).get(one.id) === clock.now().getTime() + seconds(15);
    await renewWhile(ctx, one, () => until(isRenewed), 1);
    t.is((await leases()).get(other.id), before);
  });
});

/** One request, and others that differ from it in one thing each: the last two in having no key, or its substitute. */
const requests = [
  {},
  { method: 'PUT' },
  { path: '/api/v1/returns' },
  { credential: 'key_2' },
  { key: 'two' },
  { key: undefined },
  { key: sha256(canonicalJson({ quantity: 0 })).toString('hex') },
].map((given) => ({ method: 'POST', path: '/api/v1/checkout', credential: 'key_1', key: 'one', ...given }));

/** What callers, attempts and time can do, often with the first request. An attempt is named by how many came since. */
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('claim' as const),
      request: fc.constantFrom(0, 0, 0, 0, 1, 2, 3, 4, 5, 5, 6),
      quantity: fc.constantFrom(0, 0, 0, 1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('store' as const, 'release' as const),
      since: fc.constantFrom(0, 0, 1),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      ms: fc.constantFrom(seconds(3), seconds(15), hours(24) - seconds(3)),
    }),
  },
);

interface Known extends ClaimedRequest {
  readonly at: number;
  readonly quantity: number;
  leasedUntil: number;
  reply?: StoredReply;
}

test('in any order, one attempt at a time executes a request until it has a reply, which repeats get', async (t) => {
  const clock = createTestClock();
  const ctx = { ...t.context.ctx, clock };

  const check = async (steps: (typeof step extends fc.Arbitrary<infer Step> ? Step : never)[]): Promise<void> => {
    await transact(ctx, ({ tx, tenant }) =>
      tx.execute(sql`delete from idempotency_keys where tenant_id = ${tenant.id}`),
    );
    const known = new Map<string, Known>();
    const attempts: ClaimedRequest[] = [];
    for (const step of steps) {
      const now = clock.now().getTime();
      if (step.do === 'pass') {
        clock.pass(step.ms);
      } else if (step.do === 'claim') {
        const { quantity } = step;
        const request = { ...(requests[step.request] as (typeof requests)[number]), body: { quantity } };
        const name = `${step.request} ${request.key ?? quantity}`;
        const before = known.get(name);
        const got = await claimRequest(ctx, request).catch(({ code }: DomainError) => code);
        const isFree = before && !before.reply && before.leasedUntil <= now;
        const isOver = before && now - before.at >= (request.key ? hours(24) : seconds(5)) && (before.reply || isFree);
        if (!before || isOver || (isFree && before.quantity === quantity)) {
          const claimed = got as ClaimedRequest;
          t.is(claimed.lease, (before?.lease ?? 0) + 1);
          t.is(
            attempts.some(({ id }) => id === claimed.id),
            before !== undefined && !isOver,
            'the attempts of a request have one id, and no other has it',
          );
          known.set(name, {
            ...claimed,
            at: before && !isOver ? before.at : now,
            quantity,
            leasedUntil: now + seconds(15),
          });
          attempts.unshift(claimed);
        } else if (before.quantity !== quantity) t.is(got, 'idempotency_key_reused');
        else t.deepEqual(got, before.reply ?? 'idempotency_in_progress');
      } else {
        const attempt = attempts[step.since];
        if (!attempt) continue;
        const holds = [...known.values()].find(
          ({ id, lease, reply }) => id === attempt.id && lease === attempt.lease && !reply,
        );
        if (step.do === 'store') {
          const reply = { status: 201, headers: {}, body: `${attempt.id} ${attempt.lease}` };
          t.is(await storeReply(ctx, attempt, reply), holds !== undefined);
          if (holds) holds.reply = reply;
        } else {
          await releaseRequest(ctx, attempt);
          if (holds) holds.leasedUntil = now;
        }
      }
    }
  };
  await clock.standStill(() =>
    fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25, size: 'max' }), check), { numRuns: 80 }),
  );
});

test('a request without a key that outlasts a double click is not executed again beside itself', async (t) => {
  const clock = createTestClock();
  const ctx = { ...t.context.ctx, clock };
  const request = { method: 'POST', path: '/', credential: 'key_1', key: undefined, body: {} };
  await clock.standStill(async () => {
    const first = (await claimRequest(ctx, request)) as ClaimedRequest;
    clock.pass(seconds(6));
    await t.throwsAsync(claimRequest(ctx, request), { message: /still in progress/ });
    t.true(await storeReply(ctx, first, { status: 201, headers: {}, body: '{}' }));
    const { id, lease } = (await claimRequest(ctx, request)) as ClaimedRequest;
    t.not(id, first.id);
    t.is(lease, 2);
  });
});

test('an attempt that lost its lease commits nothing', async (t) => {
  const { ctx } = t.context;
  t.context.onRun = async () => {
    await transact(ctx, (ctx) =>
      ctx.tx.execute(sql`update idempotency_keys set lease = lease + 1 where tenant_id = ${ctx.tenant.id}`),
    );
  };
  const late = await send(t.context, 'atomic', 'late');
  t.is(late.status, 409);
  t.is(late.body.error, 'idempotency_in_progress');
  t.deepEqual(await guestsOf(t.context), []);
});

test('an Idempotency-Key is separate for each path, credential and store', async (t) => {
  const key = await buildKey(t.context.ctx, ['cart:write']);
  await send(t.context, 'atomic', 'same');
  await send(t.context, 'resumable', 'same');
  await send(t.context, 'atomic', 'same', undefined, key);
  t.is(t.context.runs.length, 3);
  t.is(new Set(t.context.runs).size, 3);
});

test('an Idempotency-Key over 255 characters, of blanks or empty is rejected', async (t) => {
  t.is((await send(t.context, 'atomic', 'k'.repeat(255))).status, 201);
  for (const key of ['k'.repeat(256), '', ' '])
    t.like(await send(t.context, 'atomic', key), {
      status: 400,
      body: {
        error: 'invalid_request',
        detail: 'An Idempotency-Key must have 1 to 255 characters. Omit it for none.',
      },
    });
  t.is(t.context.runs.length, 1);
});

test('stored replies cannot be read without the keyring', async (t) => {
  const { ctx } = t.context;
  const { body } = await send(t.context, 'atomic', 'secret');
  const [row] = await read<{ reply: string }>(
    ctx,
    sql`
    select reply_sealed as reply from idempotency_keys where tenant_id = ${ctx.tenant.id}`,
  );
  t.false(Buffer.from(row?.reply.split(':')[1] ?? '', 'base64').includes(body.guest));
  t.false(row?.reply.includes(body.guest));
});

test.serial('an Idempotency-Key expires after a day, and pruneRequests removes its row', async (t) => {
  const { ctx, clock, services } = t.context;
  await send(t.context, 'atomic', 'daily');
  await send(t.context, 'atomic', 'other');
  clock.pass(hours(24) - minutes(1));
  t.is((await send(t.context, 'atomic', 'daily')).headers.get('idempotent-replayed'), 'true');
  clock.pass(minutes(2));
  const again = await send(t.context, 'atomic', 'daily', 'grace@example.com');
  t.is(again.status, 201);
  t.is(again.headers.get('idempotent-replayed'), null);
  t.is(new Set(t.context.runs).size, 3);

  const count = async () =>
    (await read(ctx, sql`select id from idempotency_keys where tenant_id = ${ctx.tenant.id}`)).length;
  t.is(await count(), 2);
  await prune(services.context(), pruneRequests);
  await prune(services.context(), pruneRequests);
  t.is(await count(), 1);
});
