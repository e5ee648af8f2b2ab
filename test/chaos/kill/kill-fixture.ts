import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { jobs } from '#jobs/index.ts';
import { readConfig } from '#src/config.ts';
import { read, runOnPlatformTables } from '#src/database/transact.ts';
import { type StripeControl, stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { startStripeSimulator } from '#src/dev/simulators/stripe/simulator.ts';
import type { CheckoutInput } from '#src/domain/checkout/index.ts';
import type { Context } from '#src/domain/context.ts';
import { sweepSessions } from '#src/domain/payments/index.ts';
import { randomText } from '#src/lib/crypto.ts';
import { minutes } from '#src/lib/duration.ts';
import { silentLog } from '#src/lib/log.ts';
import { type Sql, sql } from '#src/lib/sql.ts';
import { claimDue, claimStale } from '#src/outbox/claim-jobs.ts';
import { createServices } from '#src/services.ts';
import { createTestClock, type TestClock } from '#test/support/clock.ts';
import { type BuiltAccount, buildPaymentAccount } from '#test/support/factories/payments.ts';
import { buildTenant } from '#test/support/tenant.ts';
import { processors } from '#workers/processors.ts';
import { runJob } from '#workers/runtime/run-job.ts';

/** A store, its account at the provider, and child processes that are killed while they work for it. */
export interface KillFixture {
  readonly ctx: Context;
  readonly clock: TestClock;
  readonly stripe: StripeControl;
  readonly account: BuiltAccount;
  /** Run a task in a process that is killed at this point (0: never). Returns the number of points if it survived. */
  runAndKill(task: Task, killPoint: number): Promise<number | 'killed'>;
  /** Let time pass and run due and stale jobs of every fixture, as relay and workers would, several times. */
  recover(): Promise<void>;
  /** The newest open outbox job of this name. */
  outboxJobOf(job: string): Promise<Task>;
  query<Row>(statement: Sql): Promise<Row[]>;
}

/** One provider, one database and one clock for all fixtures. */
export interface KillFixtures {
  open(): Promise<KillFixture>;
  close(): Promise<void>;
}

/** The jobs that run here; the others have other protocols. */
const testedJobs = jobs.map(({ name }) => name).filter((name) => /^(payments|checkout)\./.test(name));
const recoveryRounds = 5;
/** All rounds together are longer than an idempotent request can be continued, so that abandoned ones expire, too. */
const afterMs = minutes(4);

/** @param environment one that a process can start with, on services of its own */
export async function openKillFixtures(environment: Record<string, string>): Promise<KillFixtures> {
  const clock = createTestClock();
  const simulator = await startStripeSimulator({ now: () => clock.now().getTime(), seed: 5 });
  const ownEnvironment = { ...environment, STRIPE_API_BASE: simulator.url };
  const services = await createServices(readConfig(ownEnvironment), 'kill-fixture', { clock, log: silentLog });
  const byName = new Map(processors.map((processor) => [processor.job.name, processor]));
  const [now, max] = [() => services.clock.now(), 100];
  let [ready, next] = [startChild(ownEnvironment), startChild(ownEnvironment)];

  async function runDueJobs(): Promise<void> {
    for (let round = 0; round < 20; round += 1) {
      await sweepSessions(services.context());
      const claims = [
        ...(await claimDue(services.execute, testedJobs, now())).claims,
        ...(await claimStale(services.execute, testedJobs, now(), max)),
      ];
      if (claims.length === 0) return;
      for (const { id, job: name } of claims) {
        const job = { id, name, attemptsMade: 0, opts: {} };
        await runJob(services, byName, job, { shutdown: new AbortController().signal });
      }
    }
  }

  async function recover(): Promise<void> {
    for (let time = 0; time < recoveryRounds; time += 1) {
      clock.pass(afterMs);
      await runDueJobs();
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
        recover,
        stripe: stripeControl(simulator.url),
        async runAndKill(task, killPoint) {
          const child = ready;
          [ready, next] = [next, startChild(ownEnvironment)];
          const clockAheadMs = clock.now().getTime() - Date.now();
          return send(child, { task, tenantId: tenant.id, clockAheadMs, killPoint });
        },
        async outboxJobOf(job) {
          await sweepSessions(services.context());
          const [row] = await runOnPlatformTables<{ id: string }>(
            ctx,
            sql`
            select id from outbox where tenant_id = ${tenant.id} and job = ${job} and finished_at is null
            order by id desc limit 1`,
          );
          if (!row) throw new Error(`There is no open ${job}.`);
          return { kind: 'work', job, outboxJobId: row.id };
        },
        query: (statement) => read(ctx, statement),
      };
    },
    async close() {
      for (const child of [ready, next]) child.kill('SIGKILL');
      await services.close();
      await simulator.close();
    },
  };
}

const entry = fileURLToPath(new URL('child.ts', import.meta.url));

/** It starts up while earlier ones are killed. */
const startChild = (environment: Record<string, string>): ChildProcess =>
  spawn(process.execPath, [entry], { env: environment, stdio: ['pipe', 'pipe', 'pipe'] });

async function send(child: ChildProcess, childTask: ChildTask): Promise<number | 'killed'> {
  const { stdin, stdout, stderr } = child;
  if (!stdin || !stdout || !stderr) throw new TypeError('A child process without pipes.');
  stdin.end(JSON.stringify(childTask));
  const [out, errors, [code, signal]] = await Promise.all([text(stdout), text(stderr), once(child, 'close')]);
  if (signal === 'SIGKILL') return 'killed';
  if (code !== 0) throw new Error(`A child process failed: ${errors}`);
  return Number(out);
}

/** The task of a child process. */
export type Task =
  | { readonly kind: 'check_out'; readonly input: CheckoutInput; readonly requestKey: string }
  | { readonly kind: 'accept'; readonly body: string; readonly signature: string }
  | { readonly kind: 'work'; readonly job: string; readonly outboxJobId: string };

/** The task, its store, the test's clock and the point at which to be killed (0: never). */
export interface ChildTask {
  readonly task: Task;
  readonly tenantId: string;
  readonly clockAheadMs: number;
  readonly killPoint: number;
}
