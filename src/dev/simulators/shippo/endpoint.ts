import type { Fault } from './faults.ts';
import type { Account, SimulatorState } from './world.ts';

/** One authenticated request. */
export interface Call {
  world: SimulatorState;
  account: Account;
  params: Record<string, string>;
  /** The address as the caller wrote it, for its query and for links to other pages. */
  address: URL;
  body: unknown;
  fault: Fault | undefined;
}

export interface Answer {
  status: number;
  body?: unknown;
}

export interface Endpoint {
  method: 'get' | 'post' | 'put' | 'delete';
  path: string;
  handle(call: Call): Answer;
}

export const ok = (body: unknown): Answer => ({ status: 200, body });
export const created = (body: unknown): Answer => ({ status: 201, body });

/** The newest first, as every list of Shippo's is. */
export function newestFirst<T>(objects: Map<string, T>): T[] {
  return [...objects.values()].reverse();
}
