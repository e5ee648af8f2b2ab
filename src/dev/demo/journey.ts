import { setTimeout as pause } from 'node:timers/promises';

import { type Admin, ApiError, type Storefront } from '#src/client/src/index.ts';
import type { Stack } from '#src/dev/stack/start-stack.ts';
import type { Receiver } from './receiver.ts';

/** What a step of the demo can use. */
export interface Journey {
  readonly stack: Stack;
  readonly receiver: Receiver;
  /** The store as its pages see it. */
  readonly storefront: Storefront;
  /** The same with the secret key, as the store's own server sees it. */
  readonly server: Storefront;
  readonly admin: Admin;
  /** Record a check. Throws, which fails the step, when the condition is false. */
  check(condition: boolean, statement: string): void;
}

/** One action of a shopper, an owner or a provider, and the checks of its result. */
export interface Step {
  readonly title: string;
  run(journey: Journey): Promise<void>;
}

/** The error with which the API rejects a request. */
export async function errorOf(request: Promise<unknown>): Promise<ApiError> {
  try {
    await request;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
  throw new Error('The request should have been rejected.');
}

/** Poll until `find` returns something. A minute is far more than the slowest step takes on a busy machine. */
export async function waitFor<Found>(
  what: string,
  find: () => Promise<Found | undefined | false>,
  withinMs = 60_000,
): Promise<Found> {
  const deadline = performance.now() + withinMs;
  for (;;) {
    const found = await find();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`Timed out after ${withinMs / 1000} s, waiting for ${what}.`);
    await pause(50);
  }
}

/** Run the steps in order, and print each with its duration and its checks. Returns whether all passed. */
export async function runSteps(
  steps: readonly Step[],
  tools: Omit<Journey, 'check'>,
  print: (line: string) => void,
): Promise<boolean> {
  for (const [index, step] of steps.entries()) {
    const checked: string[] = [];
    const check = (condition: boolean, statement: string) => {
      if (!condition) throw new Error(`Check failed: ${statement}.`);
      checked.push(statement);
    };
    const startedAt = performance.now();
    const failure = await step.run({ ...tools, check }).then(
      () => undefined,
      (error: unknown) => error,
    );
    const took = `${Math.round(performance.now() - startedAt)} ms`;
    print(`${failure ? '✘' : '✔'} ${String(index + 1).padStart(2)}. ${step.title.padEnd(58)} ${took.padStart(9)}`);
    for (const statement of checked) print(`       ${statement}`);
    if (failure) {
      print(`       ${failure instanceof Error ? failure.message : String(failure)}`);
      return false;
    }
  }
  return true;
}
