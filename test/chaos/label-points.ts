import { writeSync } from 'node:fs';

import type { Pool } from 'pg';

import type { ShippingGateway } from '#src/domain/ports/shipping-gateway.ts';

/** Where the process is to die: when it comes to `point`, or at the next point at all when that takes too long. */
export interface Aim {
  readonly point: string;
  /** So many points it passes undisturbed, so that something is done. Counted in points: machines are slow and fast. */
  readonly undisturbed: number;
  /** So many points it is waited for from then on. */
  readonly patience: number;
}

/** Says on standard output where the process is, once for each place, and ends it by kill -9 where it is aimed at. */
export function createPoints(aim: Aim | undefined): (point: string) => void {
  const seen = new Set<string>();
  let passed = 0;

  return (point) => {
    if (!seen.has(point)) {
      seen.add(point);
      tell('seen', point);
    }
    if (!aim) return;
    passed += 1;
    const awaited = passed - aim.undisturbed;
    if (awaited < 0 || (point !== aim.point && awaited < aim.patience)) return;
    tell('died', point);
    process.kill(process.pid, 'SIGKILL');
  };
}

/** Written at once: what is left in a buffer dies with the process. */
const tell = (what: 'seen' | 'died', point: string) => writeSync(1, `${JSON.stringify({ what, point })}\n`);

/** A point before each statement is sent and one after it was answered: what PostgreSQL did in between stands. */
export function watchStatements(pool: Pool, at: (point: string) => void): void {
  const watched = new WeakSet<object>();
  pool.on('acquire', (client: { query: Function }) => {
    if (watched.has(client)) return;
    watched.add(client);
    const query = client.query;
    client.query = (...given: unknown[]) => {
      const name = nameOf(given[0]);
      at(`before ${name}`);
      const done = given.at(-1);
      if (typeof done === 'function') {
        const answered = (...answer: unknown[]) => {
          at(`after ${name}`);
          return done(...answer);
        };
        return query.apply(client, [...given.slice(0, -1), answered]);
      }
      return query.apply(client, given).then((answer: unknown) => {
        at(`after ${name}`);
        return answer;
      });
    };
  });
}

const nameMax = 70;

/** The beginning of the statement's text; values are never part of it. */
function nameOf(statement: unknown): string {
  const text = typeof statement === 'string' ? statement : (statement as { text: string }).text;
  const words = text.replaceAll(/'[^']*'|\b\d+\b/g, '…').replaceAll('"', '').replaceAll(/\s+/g, ' ').trim();
  return words.startsWith('begin') ? 'begin' : words.slice(0, nameMax);
}

/** A point before each call of the provider, and one after its answer has come. */
export function watchCalls(gateway: ShippingGateway, at: (point: string) => void): ShippingGateway {
  return new Proxy(gateway, {
    get(target, name: keyof ShippingGateway) {
      const call: Function = target[name];
      return async (...given: unknown[]) => {
        at(`before ${name} at the provider`);
        const answer: unknown = await call.apply(target, given);
        at(`after ${name} at the provider`);
        return answer;
      };
    },
  });
}
