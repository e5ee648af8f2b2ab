import { createHash } from 'node:crypto';

import type { Faults } from '../faults.ts';
import type { Fault } from './faults.ts';
import type * as wire from './objects.ts';
import type { PendingWork } from './pending-work.ts';

/** One account: all objects of one token. */
export interface Account {
  token: string;
  owner: string;
  test: boolean;
  insufficientFunds: boolean;
  authBroken: boolean;
  carriers: wire.CarrierAccount[];
  shipments: Map<string, wire.Shipment>;
  rates: Map<string, wire.Rate>;
  transactions: Map<string, wire.Transaction>;
  refunds: Map<string, wire.Refund>;
  /** By `carrier/number`. */
  tracks: Map<string, wire.Track>;
  webhooks: Map<string, wire.Webhook>;
  /** Signing secrets by webhook id: Shippo signs only after a request to its support. */
  webhookSecrets: Map<string, string>;
  deliveries: Delivery[];
}

/** Sending one event to one URL. */
export interface Delivery {
  event: wire.WebhookEvent;
  url: string;
  outcome: 'pending' | 'delivered' | 'failed' | 'dropped';
  attempts: { at: string; status: number | null }[];
}

export interface DeliverySettings {
  /** Probabilities from 0 to 1; a reordered event is sent after the next one to the same URL. */
  drop: number;
  duplicate: number;
  reorder: number;
  delay_ms: number;
  /** The wait before a failed attempt is repeated. */
  retry_ms: number;
}

export interface RequestRecord {
  at: string;
  method: string;
  path: string;
  query: Record<string, string>;
  account: string | null;
  body: unknown;
  /** Null while there is no response, and when the connection was cut or left hanging. */
  status: number | null;
  /** The fault that applied to it. */
  fault: Fault | null;
}

/** Everything that one simulator holds in memory. */
export interface SimulatorState {
  url: string;
  now(): Date;
  newId(): string;
  random(): number;
  reseed(seed: number): void;
  accounts: Map<string, Account>;
  faults: Faults<Fault>;
  requests: RequestRecord[];
  deliveries: DeliverySettings;
  /** By URL: the functions that release the webhooks that wait to be reordered. */
  heldBack: Map<string, (() => void)[]>;
  pending: PendingWork;
}

export const defaultDeliveries: DeliverySettings = {
  drop: 0,
  duplicate: 0,
  reorder: 0,
  delay_ms: 0,
  retry_ms: 100,
};

/** The common fields of a new object. */
export function stored(simulator: SimulatorState, account: Account): wire.Stored {
  const now = simulator.now().toISOString();
  return {
    object_id: simulator.newId(),
    object_owner: account.owner,
    object_created: now,
    object_updated: now,
    test: account.test,
  };
}

/** 32 hexadecimal characters, as Shippo's ids are, the same for the same text. */
export function idFor(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}
