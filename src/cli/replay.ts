import { type Replayed, type ReplayWhat, replayPayments } from '#src/domain/payments/index.ts';
import type { Clock } from '#src/lib/clock.ts';
import { columns } from './lib/columns.ts';
import { defineCommand, type Report, UsageError } from './lib/command.ts';
import { readTime, timeHelp } from './lib/read-option.ts';
import { withStore } from './lib/with-services.ts';

const progressEvery = 50;

export const replayCommand = defineCommand({
  name: 'replay',
  summary: 'Ask Stripe about its events again, and bring the orders of a store into line.',
  parameters: { slug: 'The store.' },
  options: {
    since: {
      type: 'string',
      value: 'time',
      description: `What happened since then; beyond the 30 days of Stripe's events, by its objects. ${timeHelp}`,
    },
    until: { type: 'string', value: 'time', description: 'Up to then. With --since; now, unless given.' },
    event: { type: 'string', value: 'id', description: "Only what this event of Stripe's is about: evt_…" },
    session: { type: 'string', value: 'id', description: 'Only this session: cs_…' },
    order: { type: 'string', value: 'order', description: 'Only what this order has at Stripe: ORD-1001 or ord_…' },
    'dry-run': { type: 'boolean', description: 'Say what would change, and change nothing.' },
  },
  async run({ parameters: { slug }, options, terminal }): Promise<Report> {
    const dryRun = options['dry-run'];
    const replayed = await withStore(terminal, slug, async (ctx) => {
      let looked = 0;
      const onReplayed = () => {
        looked += 1;
        if (looked % progressEvery === 0) terminal.progress(`${looked} objects looked at`);
      };
      return replayPayments(ctx, whatOf(ctx.clock, options), { dryRun, onReplayed });
    });
    return report(replayed, dryRun);
  },
});

type Given = Readonly<Record<'since' | 'until' | 'event' | 'session' | 'order', string | undefined>>;

function whatOf(clock: Clock, { since, until, event, session, order }: Given): ReplayWhat {
  const given = [since, event, session, order].filter((value) => value !== undefined);
  if (given.length !== 1) throw new UsageError('replay needs one of --since, --event, --session and --order.');
  if (until !== undefined && since === undefined) throw new UsageError('replay takes --until with --since only.');
  if (event !== undefined) return { eventId: event };
  if (session !== undefined) return { sessionId: session };
  if (order !== undefined) return { order };
  return {
    since: readTime(clock, 'since', since ?? ''),
    until: until === undefined ? undefined : readTime(clock, 'until', until),
  };
}

function report(replayed: readonly Replayed[], dryRun: boolean): Report {
  const troubled = replayed.filter(({ result }) => result === 'failed' || result === 'unknown_order');
  const changes = replayed.flatMap(({ objectId, changes }) =>
    changes.map(({ of, field, before, after }) => [of, field, shown(before), '→', shown(after), objectId]),
  );
  const count = replayed.filter(({ result }) => result === 'changed').length;
  const what = `${replayed.length} ${replayed.length === 1 ? 'object' : 'objects'} looked at`;
  return {
    failed: troubled.length > 0,
    data: {
      dry_run: dryRun,
      checked_at: replayed.length,
      changed: count,
      objects: replayed.map(({ subject, objectId, eventIds, result, changes, failure }) => ({
        subject,
        id: objectId,
        event_ids: eventIds,
        result,
        changes,
        failure: failure ?? null,
      })),
    },
    lines: [
      ...columns(changes),
      ...troubled.map(
        ({ subject, objectId, result, failure }) =>
          `${subject} ${objectId}: ${
            result === 'failed' ? failure : 'it bears our marks, and there is no such order: look for it at Stripe.'
          }`,
      ),
      `${what}${count === 0 ? ': nothing' : `, ${count}`} ${dryRun ? 'would change' : 'changed'}.`,
    ],
  };
}

const shown = (value: unknown) => (value === null ? '–' : String(value));
