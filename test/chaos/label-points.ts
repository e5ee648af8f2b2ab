import type { Pool } from 'pg';
import type { ShippingGateway } from '#src/domain/ports/shipping-gateway.ts';
import { type Correlation, currentCorrelation } from '#src/lib/correlation.ts';
import { interceptStatements } from '#test/support/intercept-statements.ts';

/*
 * A point of the protocol is before or after a statement or a call of the provider, with its place: the job, the last
 * call of the provider, the transaction since then and the statement in it. So the same code has the same points.
 */

/** Called at each point of a run, or of the process outside any run. Returns whether the run has to stop there. */
export type OnPoint = (point: string, isInRun: boolean) => boolean;

/** The position of a job's run. */
interface RunPosition {
  readonly job: string;
  /** The call of the provider that it made last. */
  since: string;
  /** How many transactions it has begun since then. */
  transactions: number;
  /** It does not continue, as if its process had been killed. */
  isHalted: boolean;
}

/** An open transaction: its place, and how often each statement was sent in it. */
interface OpenTransaction {
  readonly place: string;
  readonly sent: Map<string, number>;
}

/** Call `at` at every point that this process passes. Returns the gateway to use instead. */
export function watchProtocol(pool: Pool, gateway: ShippingGateway, at: OnPoint): ShippingGateway {
  const positions = new WeakMap<Correlation, RunPosition>();

  function currentPosition(): RunPosition | undefined {
    const correlation = currentCorrelation();
    if (!correlation?.job) return undefined;
    const position = positions.get(correlation) ?? {
      job: correlation.job.replace('labels.', ''),
      since: '',
      transactions: 0,
      isHalted: false,
    };
    positions.set(correlation, position);
    return position;
  }

  watchStatements(pool, currentPosition, at);
  return watchCalls(gateway, currentPosition, at);
}

function watchStatements(pool: Pool, currentPosition: () => RunPosition | undefined, at: OnPoint): void {
  interceptStatements(pool, () => {
    let open: OpenTransaction | undefined;
    return ({ text: sent, given, send }) => {
      const text = withoutValues(sent);
      const position = currentPosition();
      if (text.startsWith('begin') && position) {
        position.transactions += 1;
        open = { place: `${placeOf(position)}, transaction ${position.transactions}`, sent: new Map() };
      }
      const point = pointOf(text, position, open);
      if (text === 'commit' || text === 'rollback') open = undefined;
      const stops = (when: string) =>
        halts(position, () => at(`${point.place}: ${when} ${point.name}`, position !== undefined));
      const done = given.at(-1);
      if (typeof done === 'function') {
        if (stops('before')) return;
        return send([...given.slice(0, -1), (...results: unknown[]) => stops('after') || done(...results)]);
      }
      if (stops('before')) return never();
      return send().then((result: unknown) => (stops('after') ? never() : result));
    };
  });
}

/** A run that has stopped sends nothing more, also not what it had prepared concurrently. */
function halts(position: RunPosition | undefined, stops: () => boolean): boolean {
  if (position?.isHalted) return true;
  const isHalted = stops();
  if (position && isHalted) position.isHalted = true;
  return isHalted;
}

const never = () => new Promise<never>(() => undefined);

const placeOf = ({ job, since }: RunPosition) => (since ? `${job}, after ${since}` : job);

/** What is done before a run, after it and to load the stores belongs to the runtime. */
function pointOf(
  text: string,
  position: RunPosition | undefined,
  open: OpenTransaction | undefined,
): { place: string; name: string } {
  const name = nameOf(text);
  if (!position || name === 'select tenants') return { place: 'runtime', name: text.slice(0, 40) };
  if (!open)
    return {
      place:
        position.transactions > 0
          ? `${placeOf(position)}, past transaction ${position.transactions}`
          : placeOf(position),
      name,
    };
  const times = (open.sent.get(name) ?? 0) + 1;
  open.sent.set(name, times);
  return { place: open.place, name: times > 1 ? `${name} (${times})` : name };
}

/** A statement's text without values and superfluous blanks. */
function withoutValues(text: string): string {
  const words = text
    .replaceAll(/'[^']*'|\b\d+\b/g, '…')
    .replaceAll('"', '')
    .replaceAll(/\s+/g, ' ')
    .trim()
    .toLowerCase();
  return words.startsWith('begin') ? 'begin' : words;
}

/** What a statement does to which tables. */
function nameOf(text: string): string {
  const [verb = ''] = text.split(' ');
  const tables = [...text.matchAll(/\b(?:from|into|update|join) ([a-z_]+)/g)].map(([, table = '']) => table);
  const own = [...new Set(tables)].filter(
    (table) => !['set_config', 'lateral', 'select', 'unnest', 'skip', 'jsonb_to_recordset'].includes(table),
  );
  return [verb, own.slice(0, 2).join(', ')].filter(Boolean).join(' ');
}

function watchCalls(
  gateway: ShippingGateway,
  currentPosition: () => RunPosition | undefined,
  at: OnPoint,
): ShippingGateway {
  return new Proxy(gateway, {
    get(target, name: keyof ShippingGateway) {
      const call: Function = target[name];
      return async (...given: unknown[]) => {
        const position = currentPosition();
        const place = position ? placeOf(position) : 'runtime';
        const stops = (when: string) =>
          halts(position, () => at(`${place}: ${when} ${name} at the provider`, position !== undefined));
        if (stops('before')) return never();
        const [outcome] = await Promise.allSettled([call.apply(target, given)]);
        if (stops('after')) return never();
        if (position) Object.assign(position, { since: name, transactions: 0 });
        if (outcome.status === 'rejected') throw outcome.reason;
        return outcome.value;
      };
    },
  });
}
