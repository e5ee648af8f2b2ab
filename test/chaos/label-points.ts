import type { Pool } from 'pg';

import type { ShippingGateway } from '#src/domain/ports/shipping-gateway.ts';
import { type Correlation, currentCorrelation } from '#src/lib/correlation.ts';

/*
 * A point of the protocol is a moment before or after a statement or a call of the provider, in its place: which job, which
 * call of the provider came last, which transaction since, which statement of it. So the same code has the same points.
 */

/** Hears where a run is, or the process outside of any run. Says whether the run is to stop there, and never go on. */
export type At = (point: string, isInRun: boolean) => boolean;

/** Where the run of a job stands. */
interface Stand {
  readonly job: string;
  /** The call of the provider that it made last. */
  since: string;
  /** How many transactions it has begun since then. */
  transactions: number;
  /** It does not go on, as if its process were dead already. */
  isHalted: boolean;
}

/** An open transaction: its place, and how often each statement was sent in it. */
interface Open {
  readonly place: string;
  readonly sent: Map<string, number>;
}

/** Say where this process is, at every point that it passes. Answers the gateway to use instead. */
export function watchProtocol(pool: Pool, gateway: ShippingGateway, at: At): ShippingGateway {
  const stands = new WeakMap<Correlation, Stand>();

  function standNow(): Stand | undefined {
    const correlation = currentCorrelation();
    if (!correlation?.job) return undefined;
    const stand = stands.get(correlation) ?? {
      job: correlation.job.replace('labels.', ''),
      since: '',
      transactions: 0,
      isHalted: false,
    };
    stands.set(correlation, stand);
    return stand;
  }

  watchStatements(pool, standNow, at);
  return watchCalls(gateway, standNow, at);
}

function watchStatements(pool: Pool, standNow: () => Stand | undefined, at: At): void {
  const watched = new WeakSet<object>();
  pool.on('acquire', (client: { query: Function }) => {
    if (watched.has(client)) return;
    watched.add(client);
    const query = client.query;
    let open: Open | undefined;
    client.query = (...given: unknown[]) => {
      const text = textOf(given[0]);
      const stand = standNow();
      if (text.startsWith('begin') && stand) {
        stand.transactions += 1;
        open = { place: `${placeOf(stand)}, transaction ${stand.transactions}`, sent: new Map() };
      }
      const point = pointOf(text, stand, open);
      if (text === 'commit' || text === 'rollback') open = undefined;
      const stops = (when: string) =>
        halts(stand, () => at(`${point.place}: ${when} ${point.name}`, stand !== undefined));
      const done = given.at(-1);
      if (typeof done === 'function') {
        if (stops('before')) return;
        return query.apply(client, [
          ...given.slice(0, -1),
          (...answer: unknown[]) => stops('after') || done(...answer),
        ]);
      }
      if (stops('before')) return never();
      return query.apply(client, given).then((answer: unknown) => (stops('after') ? never() : answer));
    };
  });
}

/** A run that stopped sends nothing any more, also what it had made ready besides. */
function halts(stand: Stand | undefined, stops: () => boolean): boolean {
  if (stand?.isHalted) return true;
  const isHalted = stops();
  if (stand && isHalted) stand.isHalted = true;
  return isHalted;
}

const never = () => new Promise<never>(() => undefined);

const placeOf = ({ job, since }: Stand) => (since ? `${job}, after ${since}` : job);

/** What is done before a run begins, after it has ended, and to know the stores, is the runtime's. */
function pointOf(text: string, stand: Stand | undefined, open: Open | undefined): { place: string; name: string } {
  const name = nameOf(text);
  if (!stand || name === 'select tenants') return { place: 'runtime', name: text.slice(0, 40) };
  if (!open)
    return {
      place: stand.transactions > 0 ? `${placeOf(stand)}, past transaction ${stand.transactions}` : placeOf(stand),
      name,
    };
  const times = (open.sent.get(name) ?? 0) + 1;
  open.sent.set(name, times);
  return { place: open.place, name: times > 1 ? `${name} (${times})` : name };
}

/** The statement's text without values and blanks that mean nothing. */
function textOf(statement: unknown): string {
  const text = typeof statement === 'string' ? statement : (statement as { text: string }).text;
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

function watchCalls(gateway: ShippingGateway, standNow: () => Stand | undefined, at: At): ShippingGateway {
  return new Proxy(gateway, {
    get(target, name: keyof ShippingGateway) {
      const call: Function = target[name];
      return async (...given: unknown[]) => {
        const stand = standNow();
        const place = stand ? placeOf(stand) : 'runtime';
        const stops = (when: string) =>
          halts(stand, () => at(`${place}: ${when} ${name} at the provider`, stand !== undefined));
        if (stops('before')) return never();
        const [outcome] = await Promise.allSettled([call.apply(target, given)]);
        if (stops('after')) return never();
        if (stand) Object.assign(stand, { since: name, transactions: 0 });
        if (outcome.status === 'rejected') throw outcome.reason;
        return outcome.value;
      };
    },
  });
}
