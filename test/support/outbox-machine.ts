import { type Job, Worker } from 'bullmq';
import { queuePrefix } from '#jobs/queues.ts';
import { drainEndpoint } from '#jobs/webhooks.ts';
import { completeJob, read, transact } from '#src/database/transact.ts';
import type { Context } from '#src/domain/context.ts';
import { minutes } from '#src/lib/duration.ts';
import { ManualActionRequired, Snooze } from '#src/lib/errors.ts';
import { sql } from '#src/lib/sql.ts';
import { claimDue, claimStale, returnClaims } from '#src/outbox/claim-jobs.ts';
import { enqueue, recordEvent } from '#src/outbox/enqueue.ts';
import { closeFailed, retryFailed, startJob } from '#src/outbox/job-state.ts';
import type { Services } from '#src/services.ts';
import type { TestClock } from '#test/support/clock.ts';
import { addToQueues, openQueues } from '#workers/relay/relay-queues.ts';
import { processor } from '#workers/runtime/processor.ts';
import { recordOutcome } from '#workers/runtime/record-outcome.ts';
import { type Envelope, runJob } from '#workers/runtime/run-job.ts';

/** How an execution of a job ends; `nothing` writes no outcome, `late-error` fails after its outcome was committed. */
export type Ending = 'done' | 'nothing' | 'snooze' | 'retry' | 'fail' | 'late-error';
/** Where the process is killed: after the start was counted, or after the row was written and before the queue was. */
export type Death = 'never' | 'after-start' | 'before-queue';

/** An execution whose process is frozen. Its queue hands the job out again meanwhile. */
interface FrozenRun {
  readonly jobId: string;
  /** Whether an operator has retried the job since. */
  isRetried: boolean;
  /** It ends in this way, and its queue does not listen to it any more. */
  end(ending: Ending): Promise<void>;
}

export interface Row {
  readonly key: string;
  readonly state: string;
}

/**
 * The outbox on real PostgreSQL and Redis, one step at a time: what relays, workers, operators and failures do to it.
 */
export class OutboxMachine {
  readonly #services: Services;
  readonly #ctx: Context;
  readonly #clock: TestClock;
  readonly #queues: ReturnType<typeof openQueues>;
  readonly #worker: Worker<Envelope>;
  /** Jobs that are active in their queue although their process has died. */
  #orphans: Job<Envelope>[] = [];
  #frozen: FrozenRun[] = [];
  #ending: Ending | Promise<Ending> = 'done';
  #onBegun = () => {};

  constructor(services: Services, ctx: Context, clock: TestClock) {
    this.#services = services;
    this.#ctx = ctx;
    this.#clock = clock;
    this.#queues = openQueues(services);
    this.#worker = new Worker<Envelope>('webhooks', null, {
      connection: services.connectBlocking(),
      prefix: queuePrefix('webhooks'),
      lockDuration: minutes(10),
      settings: { backoffStrategy: () => 0 },
    });
  }

  async enqueue(key: string, inMs: number): Promise<void> {
    const dueAt = new Date(this.#clock.now().getTime() + inMs);
    await transact(this.#ctx, async (ctx) =>
      enqueue(ctx, drainEndpoint, { endpointId: key, causeId: 'test' }, { dueAt }),
    );
  }

  /** A relay claims due or stale jobs and adds them to their queue, is killed, or has no Redis. */
  async relay(which: 'due' | 'again', then: 'add' | 'die' | 'return'): Promise<void> {
    const { execute } = this.#services;
    const [jobs, now] = [[drainEndpoint.name], this.#clock.now()];
    const claims =
      which === 'due' ? (await claimDue(execute, jobs, now)).claims : await claimStale(execute, jobs, now, 1000);
    if (then === 'add') await addToQueues(this.#queues, claims, this.#clock.now());
    if (then === 'return')
      await returnClaims(
        execute,
        claims.map(({ id }) => id),
        this.#clock.now(),
      );
  }

  /** Execute the next job of the queue, or one whose process died. Returns whether there was any. */
  async execute(ending: Ending, death: Death, { isOrphan = false } = {}): Promise<boolean> {
    for (const job of (await this.#queues.get('webhooks')?.getDelayed()) ?? []) await job.promote();
    const job = isOrphan ? this.#orphans.shift() : await this.#worker.getNextJob('token', { block: false });
    if (!job) return false;
    this.#ending = ending;
    if (death === 'never') await this.#executeToEnd(job);
    else await this.#executeAndDie(job, death);
    return true;
  }

  async #executeToEnd(job: Job<Envelope>): Promise<void> {
    const outcome = await runJob(this.#services, this.#processors, job, { shutdown: new AbortController().signal });
    try {
      await recordOutcome(this.#services, job, 'token', outcome);
      await job.moveToCompleted(undefined, 'token', false);
    } catch (failure) {
      if (outcome.kind !== 'snooze' && failure instanceof Error) await job.moveToFailed(failure, 'token', false);
    }
  }

  async #executeAndDie(job: Job<Envelope>, death: Death): Promise<void> {
    this.#orphans.push(job);
    if (death === 'after-start')
      return void (await startJob(this.#services.execute, job.id ?? '', this.#services.clock.now()));
    await this.#executeUntold(job);
  }

  /** What the execution writes to its row, without its report to the queue. */
  async #executeUntold(job: Job<Envelope>): Promise<void> {
    const outcome = await runJob(this.#services, this.#processors, job, { shutdown: new AbortController().signal });
    const untold = {
      ...job,
      id: job.id,
      attemptsMade: job.attemptsMade,
      opts: job.opts,
      moveToDelayed: async () => undefined,
    };
    await recordOutcome(this.#services, untold as unknown as Job<Envelope>, 'token', outcome).catch(() => undefined);
  }

  /** Begin to execute the next job of the queue, and freeze. */
  async freeze(): Promise<void> {
    const job = await this.#worker.getNextJob('token', { block: false });
    if (!job) return;
    const [ending, begun] = [Promise.withResolvers<Ending>(), Promise.withResolvers<void>()];
    this.#onBegun = begun.resolve;
    this.#ending = ending.promise;
    const ended = this.#executeUntold(job);
    // What has finished, or has failed, does not begin.
    await Promise.race([begun.promise, ended]);
    this.#orphans.push(job);
    this.#frozen.push({
      jobId: job.id ?? '',
      isRetried: false,
      end: (how) => {
        ending.resolve(how);
        return ended;
      },
    });
  }

  /** Continue the execution that froze first. @returns whether an operator has retried its job meanwhile */
  async thaw(ending: Ending): Promise<boolean> {
    const run = this.#frozen.shift();
    await run?.end(ending);
    return run?.isRetried ?? false;
  }

  readonly #processors = new Map([
    [
      drainEndpoint.name,
      processor(drainEndpoint, async (ctx, { endpointId }) => {
        this.#onBegun();
        const ending = await this.#ending;
        if (ending === 'nothing') return;
        if (ending === 'snooze') throw new Snooze(5, 'busy');
        if (ending === 'fail') throw new ManualActionRequired('An operator has to look at it.');
        await completeJob(ctx, async (ctx) => {
          recordEvent(ctx, 'order.paid', endpointId);
          if (ending === 'retry') throw new Error('It failed before its commit.');
        });
        if (ending === 'late-error') throw new Error('It failed after its commit.');
      }),
    ],
  ]);

  /** An operator retries a failed job, or all of them. */
  async retry(key?: string): Promise<void> {
    const failed = await this.#services.execute<{ id: string }>(sql`
      select id from outbox where failed_at is not null
        and ${key === undefined ? sql`true` : sql`key = ${`${key}:test`}`}`);
    for (const run of this.#frozen) run.isRetried ||= failed.some(({ id }) => id === run.jobId);
    if (key === undefined || failed.length > 0) {
      const which = { queue: 'webhooks', ...(key !== undefined && failed[0]) };
      await retryFailed(this.#services.execute, which, this.#clock.now());
    }
  }

  /** What failed was taken care of in another way. */
  async close(key: string): Promise<void> {
    await closeFailed(
      this.#services.execute,
      { tenantId: this.#ctx.tenant.id, job: drainEndpoint.name, keys: [`${key}:test`] },
      this.#clock.now(),
    );
  }

  async wipeRedis(): Promise<void> {
    this.#orphans = [];
    await this.#services.redis.flushdb();
  }

  /** The rows by their key, as the table's columns say it. */
  async rows(): Promise<Row[]> {
    return this.#services.execute<Row>(sql`
      select split_part(key, ':', 1) as key, concat_ws('+',
        case when next_relay_at is not null then case relays when 0 then 'due' else 'relayed' end end,
        case when finished_at is not null then 'finished' end,
        case when failed_at is not null then 'failed' end) as state
      from outbox order by key`);
  }

  /** How often each job's outcome was written. */
  async outcomes(): Promise<Map<string, number>> {
    const rows = await read<{ key: string; count: number }>(
      this.#ctx,
      sql`
      select object_id as key, count(*)::int as count from events where tenant_id = ${this.#ctx.tenant.id}
      group by object_id`,
    );
    return new Map(rows.map(({ key, count }) => [key, count]));
  }

  async clear(): Promise<void> {
    while (this.#frozen.length > 0) await this.thaw('snooze');
    await this.wipeRedis();
    await this.#services.execute(sql`delete from outbox`);
    await transact(this.#ctx, ({ tx, tenant }) => tx.execute(sql`delete from events where tenant_id = ${tenant.id}`));
  }

  async disconnect(): Promise<void> {
    await Promise.all([this.#worker.close(), ...[...this.#queues.values()].map((queue) => queue.close())]);
  }
}
