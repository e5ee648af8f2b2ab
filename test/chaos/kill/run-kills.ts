import { hours } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import { readBooks } from '#test/support/money-books.ts';
import { brokenMoneyRules } from '#test/support/money-rules.ts';
import type { Random } from '#test/support/random.ts';
import { type KillFixture, openKillFixtures } from './kill-fixture.ts';
import { newCustomer, type Scenario, scenarios } from './scenarios.ts';

export interface KillOptions {
  /** The environment of a process, with separate services. */
  readonly environment: Record<string, string>;
  /** Chooses some of the operations and one point of each; the default is every point of all. */
  readonly random?: Random;
  readonly report: (line: string) => void;
}

/** How many operations are chosen at random, and the maximum point of each, if it has as many. */
const someMax = 4;
const pointsMax = 30;

/**
 * Kill a process (SIGKILL) at every point of every operation that moves money, with a new process and a new store each
 * time; let it recover, and check.
 *
 * @returns the violated invariants
 */
export async function runKills({ environment, random, report }: KillOptions): Promise<string[]> {
  const fixtures = await openKillFixtures(environment);
  const breaches: string[] = [];
  const opened: KillFixture[] = [];

  async function killOnce(
    { prepare, findings }: Scenario,
    name: string,
    killPoint: number,
  ): Promise<number | 'killed'> {
    const fixture = await fixtures.open();
    opened.push(fixture);
    const customer = await newCustomer(fixture);
    const end = await fixture.runAndKill(await prepare(fixture, customer), killPoint);
    await fixture.recover();
    const found = await findings(fixture, customer);
    const broken = await brokenMoneyRules(await readBooks(customer.store), customer.store);
    breaches.push(...[...found, ...broken].map((finding) => `${name}, point ${killPoint}: ${finding}`));
    return end;
  }

  /** At each point in turn, until the process survives. */
  async function killAtEveryPoint(scenario: Scenario, name: string): Promise<number> {
    for (let point = 1; ; point += 1) if ((await killOnce(scenario, name, point)) !== 'killed') return point - 1;
  }

  async function killAtRandomPoint(scenario: Scenario, name: string, random: Random): Promise<number> {
    for (let points = pointsMax; points > 0; ) {
      const point = 1 + random.below(points);
      const end = await killOnce(scenario, name, point);
      if (end === 'killed') return point;
      points = end;
    }
    throw new Error(`${name} has no point to be killed at.`);
  }

  try {
    for (const [name, scenario] of random ? chosen(random) : Object.entries(scenarios)) {
      if (random) {
        report(`${name}: killed at point ${await killAtRandomPoint(scenario, name, random)}`);
      } else {
        report(
          `${name}: killed at each of ${await killAtEveryPoint(scenario, name)} points, ` +
            `${breaches.length} findings so far`,
        );
      }
    }
    opened[0]?.clock.pass(hours(24));
    await opened[0]?.recover();
    for (const fixture of opened) breaches.push(...(await holdsLeft(fixture)));
    return breaches;
  } finally {
    await fixtures.close();
  }
}

async function holdsLeft({ ctx, query }: KillFixture): Promise<string[]> {
  const held = await query(sql`select 1 as one from holds where tenant_id = ${ctx.tenant.id} and state = 'held'`);
  return held.length > 0 ? [`${held.length} holds are left when every session has expired`] : [];
}

function chosen(random: Random): [string, Scenario][] {
  const left = Object.entries(scenarios);
  return Array.from({ length: someMax }, () => left.splice(random.below(left.length), 1)).flat();
}
