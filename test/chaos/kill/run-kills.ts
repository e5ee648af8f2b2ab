import { hours } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { Random } from '#test/support/random.ts';
import { openLab } from './lab.ts';
import { newCustomer, type Scenario, scenarios } from './scenarios.ts';

export interface KillOptions {
  /** An environment that a process can start with, on services of its own. */
  readonly environment: Record<string, string>;
  /** Chooses some of the works and one moment of each to die at; without it, it is every one of all. */
  readonly random?: Random;
  readonly report: (line: string) => void;
}

/** So many works are chosen by chance, and every one has so many moments. */
const someMax = 4;
const fewestMoments = 10;

/**
 * Kill a process (SIGKILL) at every moment of every piece of work by which money comes in or goes out, a new process
 * and a new customer each time; let it heal, and look. Answers what does not hold, which is nothing.
 */
export async function runKills({ environment, random, report }: KillOptions): Promise<string[]> {
  const lab = await openLab(environment);
  const breaches: string[] = [];
  let customers = 0;

  async function dieOnce({ prepare, findings }: Scenario, name: string, fatal: number): Promise<number | 'died'> {
    const customer = await newCustomer(lab, (customers += 1));
    const end = await lab.die(await prepare(lab, customer), fatal);
    await lab.heal();
    breaches.push(...(await findings(lab, customer)).map((finding) => `${name}, moment ${fatal}: ${finding}`));
    return end;
  }

  /** At rising moments, until it outlives them all. */
  async function dieEverywhere(scenario: Scenario, name: string): Promise<number> {
    for (let moment = 1; ; moment += 1) if ((await dieOnce(scenario, name, moment)) !== 'died') return moment - 1;
  }

  try {
    for (const [name, scenario] of random ? chosen(random) : Object.entries(scenarios)) {
      if (random) {
        const moment = 1 + random.below(fewestMoments);
        report(`${name}: killed at moment ${moment}`);
        if ((await dieOnce(scenario, name, moment)) !== 'died') breaches.push(`${name} has no moment ${moment}`);
      } else {
        report(`${name}: killed at each of ${await dieEverywhere(scenario, name)} moments, ${breaches.length} findings so far`);
      }
    }
    lab.clock.pass(hours(24));
    await lab.heal();
    const [left] = await lab.ask<{ count: number }>(sql`
      select count(*)::int as count from holds where tenant_id = ${lab.ctx.tenant.id} and state = 'held'`);
    if (left?.count !== 0) breaches.push(`${left?.count} holds are left when every session has expired`);
    return breaches;
  } finally {
    await lab.close();
  }
}

function chosen(random: Random): [string, Scenario][] {
  const left = Object.entries(scenarios);
  return Array.from({ length: someMax }, () => left.splice(random.below(left.length), 1)).flat();
}
