import { type Replayed, type ReplayWhat, replayPayments } from '#src/domain/payments/index.ts';
import type { Clock } from '#src/lib/clock.ts';
import { columns } from './lib/columns.ts';
import { defineCommand, type Report, UsageError } from './lib/command.ts';
import { readSince, readUntil, timeHelp } from './lib/read-option.ts';
import { withStore } from './lib/with-services.ts';

const progressEvery = 50;

export const replayCommand = defineCommand({
  name: 'replay',
  summary:
    'Fetch from Stripe again what one of --since, --event, --session and --order names, and reconcile the orders.',
  parameters: { slug: 'The slug of the store.' },
  options: {
    since: {
      type: 'string',
      value: 'time',
      description:
        'Everything since this time. Stripe lists events for 30 days; ' +
        `before that, its objects are scanned. ${timeHelp}`,
    },
    until: { type: 'string', value: 'time', description: 'Up to this time, with --since. Default: now.' },
    event: { type: 'string', value: 'id', description: 'Only the object of this Stripe event: evt_…' },
    session: { type: 'string', value: 'id', description: 'Only this checkout session: cs_…' },
    order: { type: 'string', value: 'order', description: 'Only the Stripe objects of this order: ORD-1001 or ord_…' },
    'dry-run': { type: 'boolean', description: 'Print what would change without changing anything.' },
  },
  async run({ parameters: { slug }, options, terminal }): Promise<Report> {
    const dryRun = options['dry-run'];
    const replayed = await withStore(terminal, slug, async (ctx) => {
      let checked = 0;
      const onReplayed = () => {
        checked += 1;
        if (checked % progressEvery === 0) terminal.progress(`${checked} objects checked`);
      };
      return replayPayments(ctx, whatOf(ctx.clock, options), { dryRun, onReplayed });
    });
    return report(replayed, dryRun);
  },
});

type Given = Readonly<Record<'since' | 'until' | 'event' | 'session' | 'order', string | undefined>>;

function whatOf(clock: Clock, { since, until, event, session, order }: Given): ReplayWhat {
  const given = [since, event, session, order].filter((value) => value !== undefined);
  if (given.length !== 1)
    throw new UsageError('replay requires exactly one of --since, --event, --session and --order.');
  if (until !== undefined && since === undefined) throw new UsageError('--until requires --since.');
  if (event !== undefined) return { eventId: event };
  if (session !== undefined) return { sessionId: session };
  if (order !== undefined) return { order };
  const from = readSince(clock, '--since', since ?? '');
  return { since: from, until: readUntil(clock, until, from) };
}

function report(replayed: readonly Replayed[], dryRun: boolean): Report {
  const failed = replayed.filter(({ result }) => result === 'failed' || result === 'unknown_order');
  const changes = replayed.flatMap(({ objectId, changes }) =>
    changes.map(({ of, field, before, after }) => [of, field, shown(before), '→', shown(after), objectId]),
  );
  const count = replayed.filter(({ result }) => result === 'changed').length;
  const what = `${replayed.length} ${replayed.length === 1 ? 'object' : 'objects'} checked`;
  return {
    failed: failed.length > 0,
    data: {
      dry_run: dryRun,
      checked: replayed.length,
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
      ...failed.map(
        ({ subject, objectId, result, failure }) =>
          `${subject} ${objectId}: ${
            result === 'failed' ? failure : `it has our metadata but there is no such order: ${adviceOf(subject)}`
          }`,
      ),
      `${what}${count === 0 ? ': nothing' : `, ${count}`} ${dryRun ? 'would change' : 'changed'}.`,
    ],
  };
}

/** What to do about an object whose order does not exist. */
const adviceOf = (subject: Replayed['subject']): string =>
  subject === 'subscription'
    ? 'cancel it in the Stripe dashboard, or it charges every period.'
    : 'ship it by hand, or refund it in the Stripe dashboard.';

const shown = (value: unknown) => (value === null ? '–' : String(value));
