import { setTimeout as pause } from 'node:timers/promises';

import type { Stack } from '#src/dev/stack/start-stack.ts';
import type { Receiver } from './receiver.ts';

/** What a step of the demo works with. */
export interface Journey {
  readonly stack: Stack;
  readonly receiver: Receiver;
  /** Ask the store as its storefront would, with the publishable key, its back end's secret one, or a shopper's session. */
  ask(
    method: string,
    path: string,
    options?: { body?: unknown; key?: 'publishable' | 'secret'; session?: string },
  ): Promise<Answer>;
  /** Say what held. Throws, and so fails the step, when it did not. */
  check(held: boolean, sentence: string): void;
}

export interface Answer {
  status: number;
  headers: Headers;
  // What a route answers is judged by the checks of the step that asked.
  body: any;
}

/** One thing that a shopper, an owner or a provider does, and what must then hold. */
export interface Step {
  readonly title: string;
  run(journey: Journey): Promise<void>;
}

/** Wait until `look` finds something. A minute is far more than the slowest step takes on a busy machine. */
export async function waitFor<Found>(
  what: string,
  look: () => Promise<Found | undefined | false>,
  withinMs = 60_000,
): Promise<Found> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`Waited ${withinMs / 1000} s in vain for ${what}.`);
    await pause(50);
  }
}

/** The steps in their order, each with its time and what was checked. Answers whether all held. */
export async function walk(
  steps: readonly Step[],
  tools: Omit<Journey, 'check'>,
  print: (line: string) => void,
): Promise<boolean> {
  for (const [index, step] of steps.entries()) {
    const checked: string[] = [];
    const check = (held: boolean, sentence: string) => {
      if (!held) throw new Error(`This did not hold: ${sentence}.`);
      checked.push(sentence);
    };
    const startedAt = performance.now();
    const failure = await step.run({ ...tools, check }).then(
      () => undefined,
      (error: unknown) => error,
    );
    const took = `${Math.round(performance.now() - startedAt)} ms`;
    print(`${failure ? '✘' : '✔'} ${String(index + 1).padStart(2)}. ${step.title.padEnd(58)} ${took.padStart(9)}`);
    for (const sentence of checked) print(`       ${sentence}`);
    if (failure) {
      print(`       ${failure instanceof Error ? failure.message : String(failure)}`);
      return false;
    }
  }
  return true;
}
