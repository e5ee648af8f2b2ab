import type { Fault, FaultList } from './faults.ts';
import type { PendingWork } from './pending.ts';
import type * as wire from './wire.ts';

/** One account: whatever one token has made. */
export interface Account {
  token: string;
  owner: string;
  test: boolean;
  insufficientFunds: boolean;
  authBroken: boolean;
  carriers: wire.CarrierAccount[];
  addresses: Map<string, wire.Address>;
  parcels: Map<string, wire.Parcel>;
  shipments: Map<string, wire.Shipment>;
  rates: Map<string, wire.Rate>;
  transactions: Map<string, wire.Transaction>;
  refunds: Map<string, wire.Refund>;
  /** By `carrier/number`. */
  tracks: Map<string, wire.Track>;
  webhooks: Map<string, wire.Webhook>;
  /** Signing secrets by webhook id: Shippo signs only when its support has been asked to. */
  webhookSecrets: Map<string, string>;
  deliveries: Delivery[];
}

/** One webhook on its way to one address. */
export interface Delivery {
  event: wire.WebhookEvent;
  url: string;
  outcome: 'pending' | 'delivered' | 'failed' | 'dropped';
  attempts: { at: string; status: number | null }[];
}

export interface DeliverySettings {
  /** Chances, each from 0 to 1; what is reordered comes after the next one to the same address. */
  drop: number;
  duplicate: number;
  reorder: number;
  delay_ms: number;
  /** How long after a refused attempt the next one comes. */
  retry_ms: number;
}

export interface RequestRecord {
  at: string;
  method: string;
  path: string;
  query: Record<string, string>;
  account: string | null;
  body: unknown;
  /** Null while there is no answer: not yet, or never, the connection being cut or left hanging. */
  status: number | null;
  /** The fault that struck it. */
  fault: Fault | null;
}

/** All there is, and the few things that it depends on. */
export interface SimulatorState {
  url: string;
  now(): Date;
  newId(): string;
  random(): number;
  reseed(seed: number): void;
  accounts: Map<string, Account>;
  faults: FaultList;
  requests: RequestRecord[];
  deliveries: DeliverySettings;
  /** By address: the webhooks that wait to be overtaken, each with the way to let it go. */
  heldBack: Map<string, (() => void)[]>;
  pending: PendingWork;
}

export const deliveriesAsUsual: DeliverySettings = {
  drop: 0,
  duplicate: 0,
  reorder: 0,
  delay_ms: 0,
  retry_ms: 100,
};

/** The head of a new object. */
export function stored(world: SimulatorState, account: Account): wire.Stored {
  const now = world.now().toISOString();
  return {
    object_id: world.newId(),
    object_owner: account.owner,
    object_created: now,
    object_updated: now,
    test: account.test,
  };
}
