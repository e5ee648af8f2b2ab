import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Job } from 'bullmq';
import { jobs } from '#jobs/index.ts';
import { readConfig } from '#src/config.ts';
import { read, runOnPlatformTables } from '#src/database/transact.ts';
import { type StripeControl, stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { startStripeSimulator } from '#src/dev/simulators/stripe/simulator.ts';
import type { Context } from '#src/domain/context.ts';
import { randomText } from '#src/lib/crypto.ts';
import { minutes } from '#src/lib/duration.ts';
import { silentLog } from '#src/lib/log.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { claimDue, claimStale } from '#src/outbox/job-state.ts';
import { createServices } from '#src/services.ts';
import { createTestClock, type TestClock } from '#test/support/clock.ts';
import { type BuiltAccount, buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { processors } from '#workers/processors.ts';
import { type Envelope, runJob } from '#workers/runtime/run-job.ts';
import type { Errand, Task } from './task.ts';

/** A store, its account at the provider, and processes that are sent to die for it. */
export interface Lab {
  readonly ctx: Context;
  readonly clock: TestClock;
  readonly stripe: StripeControl;
  readonly account: BuiltAccount;
  /** Let a process die at this moment of the task (0: never). Answers how many moments there were, if it lived. */
  die(task: Task, fatal: number): Promise<number | 'died'>;
  /** Half a minute later, and again: what is due and what was forgotten is worked, in every lab, as relay and workers would. */
  heal(): Promise<void>;
  /** The newest promise of a job that is not kept yet. */
  outboxJobOf(job: string): Promise<Task>;
  ask<Row>(statement: Sql): Promise<Row[]>;
}

/** One provider, one database and one time for all of them. */
export interface Labs {
  open(): Promise<Lab>;
  close(): Promise<void>;
}

/** What is worked here: the rest has other protocols. */
const worked = jobs.map(({ name }) => name).filter((name) => /^(payments|checkout)\./.test(name));
const healings = 5;
/** All of them together are longer than a request can be continued, so that what is abandoned is over as well. */
const afterMs = minutes(4);

/** @param environment one that a process can start with, on services of its own */
export async function openLabs(environment: Record<string, string>): Promise<Labs> {
  const clock = createTestClock();
  const simulator = await startStripeSimulator({ now: () => clock.now().getTime(), seed: 5 });
  const ownEnvironment = { ...environment, STRIPE_API_BASE: simulator.url };
  const services = await createServices(readConfig(ownEnvironment), 'lab', { clock, log: silentLog });
  const byName = new Map(processors.map((processor) => [processor.job.name, processor]));
  const [now, max] = [() => services.clock.now(), 100];
  let [spare, next] = [startChild(ownEnvironment), startChild(ownEnvironment)];

  async function workAll(): Promise<void> {
    for (let round = 0; round < 20; round += 1) {
      const claims = [
        ...(await claimDue(services.execute, worked, now(), max)),
        ...(await claimStale(services.execute, worked, now(), max)),
      ];
      if (claims.length === 0) return;
      for (const { id, job: name, tenantId, trace } of claims) {
        const job = { id, name, attemptsMade: 0, data: { tenantId, trace } };
        await runJob(services, byName, job as unknown as Job<Envelope>, new AbortController().signal);
      }
    }
  }

  async function heal(): Promise<void> {
    for (let time = 0; time < healings; time += 1) {
      clock.pass(afterMs);
      await workAll();
    }
  }

  return {
    async open() {
      const tenant = await buildTenant(services);
      const ctx: Context = { ...services.context(), tenant };
      const account = await buildPaymentAccount(ctx, { secret_key: `sk_test_${randomText(24)}` });
      return {
        ctx,
        clock,
        account,
        heal,
        stripe: stripeControl(simulator.url),
        async die(task, fatal) {
          const victim = spare;
          [spare, next] = [next, startChild(ownEnvironment)];
          const clockAheadMs = clock.now().getTime() - Date.now();
          return send(victim, { task, tenantId: tenant.id, clockAheadMs, fatal });
        },
        async outboxJobOf(job) {
          const [row] = await runOnPlatformTables<{ id: string }>(
            ctx,
            sql`
            select id from outbox where tenant_id = ${tenant.id} and job = ${job} and finished_at is null order by id desc limit 1`,
          );
          if (!row) throw new Error(`Nothing is promised of ${job}.`);
          return { kind: 'work', job, outboxJobId: row.id };
        },
        ask: (statement) => read(ctx, statement),
      };
    },
    async close() {
      for (const victim of [spare, next]) victim.kill('SIGKILL');
      await services.close();
      await simulator.close();
    },
  };
}

const entry = fileURLToPath(new URL('victim.ts', import.meta.url));

/** It makes itself ready while others die. */
const startChild = (environment: Record<string, string>): ChildProcess =>
  spawn(process.execPath, [entry], { env: environment, stdio: ['pipe', 'pipe', 'pipe'] });

async function send(victim: ChildProcess, errand: Errand): Promise<number | 'died'> {
  const { stdin, stdout, stderr } = victim;
  if (!stdin || !stdout || !stderr) throw new TypeError('A victim without its pipes.');
  stdin.end(JSON.stringify(errand));
  const [out, complaint, [code, signal]] = await Promise.all([text(stdout), text(stderr), once(victim, 'close')]);
  if (signal === 'SIGKILL') return 'died';
  if (code !== 0) throw new Error(`A victim failed otherwise: ${complaint}`);
  return Number(out);
}
