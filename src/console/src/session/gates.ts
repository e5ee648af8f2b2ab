import { useSyncExternalStore } from 'react';

import { findStoreOfPage, storeHeader } from './store.ts';

/** What stands between a request and the API: a session that has expired, or a second factor that is required. */
export type Gate = 'sign-in' | 'second-factor';

interface OpenGate {
  readonly gate: Gate;
  readonly passed: Promise<boolean>;
  /** With true when the requests behind the gate can be repeated, with false when they were given up. */
  readonly close: (isPassed: boolean) => void;
}

let open: OpenGate | undefined;
const listeners = new Set<() => void>();

/** The gate that a dialog shows at the moment. */
export function useOpenGate(): OpenGate | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => open,
  );
}

/** A `fetch` that waits at a gate, and then sends the same request again: input and idempotency key stay. */
export const fetchThroughGates: typeof fetch = async (input, init) => {
  const request = new Request(input);
  const store = findStoreOfPage();
  if (store) request.headers.set(storeHeader, store);
  const response = await fetch(request.clone(), init);
  const gate = await gateOf(response);
  if (!gate) return response;
  // The deadline of the first attempt may pass at the gate, after which no more of its response can be read.
  const rejected = new Response(await response.arrayBuffer(), response);
  if (!(await passGate(gate))) return rejected;
  return fetchThroughGates(request);
};

/** The body of a response, where it is JSON: something before the service, such as a proxy, may have sent another. */
export const readJson = (response: Response) => response.json().catch(() => undefined);

async function gateOf(response: Response): Promise<Gate | undefined> {
  if (response.status === 401) return 'sign-in';
  if (response.status !== 403) return undefined;
  const body = await readJson(response.clone());
  return body?.error === 'second_factor_required' ? 'second-factor' : undefined;
}

async function passGate(gate: Gate): Promise<boolean> {
  if (open && open.gate !== gate) await open.passed;
  if (!open) {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const close = (isPassed: boolean) => {
      show(undefined);
      resolve(isPassed);
    };
    show({ gate, passed: promise, close });
  }
  return open?.passed ?? false;
}

function show(gate: OpenGate | undefined): void {
  open = gate;
  for (const listener of listeners) listener();
}
