import { hours } from '#src/lib/duration.ts';
import { sql } from '#src/lib/sql.ts';
import type { Random } from '#test/support/random.ts';
import { type Lab, openLabs } from './lab.ts';
import { newCustomer, type Scenario, scenarios } from './scenarios.ts';

export interface KillOptions {
  /** An environment that a process can start with, on services of its own. */
  readonly environment: Record<string, string>;
  /** Chooses some of the works and one moment of each to die at; without it, it is every one of all. */
  readonly random?: Random;
  readonly report: (line: string) => void;
}

/** So many works are chosen by chance, and one of so many moments of each: of those that it has, where it has fewer. */
const someMax = 4;
const momentsMax = 30;

/**
 * Kill a process (SIGKILL) at every moment of every piece of work by which money comes in or goes out, a new process
 * and a new store each time; let it heal, and look. Answers what does not hold, which is nothing.
 */
export async function runKills({ environment, random, report }: KillOptions): Promise<string[]> {
  const labs = await openLabs(environment);
  const breaches: string[] = [];
  const opened: Lab[] = [];

  async function dieOnce({ prepare, findings }: Scenario, name: string, fatal: number): Promise<number | 'died'> {
    const lab = await labs.open();
    opened.push(lab);
    const customer = await newCustomer(lab);
    const end = await lab.die(await prepare(lab, customer), fatal);
    await lab.heal();
    breaches.push(...(await findings(lab, customer)).map((finding) => `${name}, moment ${fatal}: ${finding}`));
    return end;
  }

  /** At rising moments, until it outlives them all. */
  async function dieEverywhere(scenario: Scenario, name: string): Promise<number> {
    for (let moment = 1; ; moment += 1) if ((await dieOnce(scenario, name, moment)) !== 'died') return moment - 1;
  }

  async function dieSomewhere(scenario: Scenario, name: string, random: Random): Promise<number> {
    for (let moments = momentsMax; moments > 0; ) {
      const moment = 1 + random.below(moments);
      const end = await dieOnce(scenario, name, moment);
      if (end === 'died') return moment;
      moments = end;
    }
    throw new Error(`There is no moment at which one could die in ${name}.`);
  }

  try {
    for (const [name, scenario] of random ? chosen(random) : Object.entries(scenarios)) {
      if (random) {
        report(`${name}: killed at moment ${await dieSomewhere(scenario, name, random)}`);
      } else {
        report(
          `${name}: killed at each of ${await dieEverywhere(scenario, name)} moments, ${breaches.length} findings so far`,
        );
      }
    }
    opened[0]?.clock.pass(hours(24));
    await opened[0]?.heal();
    for (const lab of opened) breaches.push(...(await holdsLeft(lab)));
    return breaches;
  } finally {
    await labs.close();
  }
}

async function holdsLeft({ ctx, ask }: Lab): Promise<string[]> {
  const held = await ask(sql`select 1 as one from holds where tenant_id = ${ctx.tenant.id} and state = 'held'`);
  return held.length > 0 ? [`${held.length} holds are left when every session has expired`] : [];
}

function chosen(random: Random): [string, Scenario][] {
  const left = Object.entries(scenarios);
  return Array.from({ length: someMax }, () => left.splice(random.below(left.length), 1)).flat();
}
