import { setTimeout as pause } from 'node:timers/promises';

import { readOne } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import { request } from '#test/domain/shipping/support.ts';
import { follow, type LabelSimulation, type LabelStore, openLabelStore } from './label-desk.ts';
import type { Recipe } from './label-recipes.ts';
import type { Recording } from './record-label-points.ts';

/** Orders on their way to their labels. */
export interface SentOrders {
  readonly counts: { crowd: number; single: number };
  /** Whether every order was sent, and every person is done. */
  readonly isDone: boolean;
  end(): Promise<void>;
}

export interface SendOptions {
  readonly world: LabelSimulation;
  readonly orders: number;
  /** Stores that are already open, which sell in crowds. */
  readonly crowd: readonly LabelStore[];
  /** What is to happen to single orders; without it, all come in crowds. */
  readonly recording: Recording | undefined;
  /** The points at which nobody died yet. */
  missing(): readonly string[];
  /** Whether points may still be struck: then more orders are sent than were asked for, to where one is missing. */
  mayGoOn(): boolean;
  opened(store: LabelStore, recipe: Recipe): void;
}

/** Half of the orders come in crowds, so many at once at most; the others one at a time for each store, in so many stores. */
const crowdSize = 40;
const lanes = 24;
const pauseMs = 500;

/** Ask for the labels of so many orders, and let happen to single ones what leads to where nobody died yet. */
export function sendLabelOrders({
  world,
  orders,
  crowd,
  recording,
  missing,
  mayGoOn,
  opened,
}: SendOptions): SentOrders {
  const counts = { crowd: 0, single: 0 };
  const singles = recording ? Math.floor(orders / 2) : 0;
  const free = new Map<Recipe, LabelStore[]>();
  const sent = new Map<Recipe, number>();
  let [isOver, isDone] = [false, false];

  async function sendCrowd(): Promise<void> {
    while (!isOver && counts.crowd < orders - singles) {
      const waiting = await Promise.all(crowd.map(unbought));
      const room = crowdSize - waiting.reduce((sum, count) => sum + count, 0);
      for (let place = 0; place < room && counts.crowd < orders - singles; place += 1) {
        const store = crowd[counts.crowd % crowd.length];
        counts.crowd += 1;
        if (store) await request(store.ctx);
      }
      await pause(pauseMs);
    }
  }

  /** What leads to the most points that are missing, and happened least; while none is, what happened least. */
  function choose({ points, recipes }: Recording): Recipe | undefined {
    const lacking = missing();
    if (counts.single >= singles && (lacking.length === 0 || !mayGoOn())) return undefined;
    const leads = new Map<Recipe, number>(recipes.map((recipe) => [recipe, 0]));
    for (const point of lacking)
      for (const recipe of points.get(point) ?? []) leads.set(recipe, (leads.get(recipe) ?? 0) + 1);
    const worth = (recipe: Recipe) =>
      ((leads.get(recipe) ?? 0) + 1 / (points.size + 1)) / (1 + (sent.get(recipe) ?? 0));
    return [...leads.keys()].toSorted((left, right) => worth(right) - worth(left))[0];
  }

  async function liveLane(recording: Recording): Promise<void> {
    for (let recipe = choose(recording); recipe && !isOver; recipe = choose(recording)) {
      counts.single += 1;
      sent.set(recipe, (sent.get(recipe) ?? 0) + 1);
      let store = free.get(recipe)?.pop();
      if (!store) {
        store = await openLabelStore(world, recipe);
        opened(store, recipe);
      }
      await follow(world, store, recipe, () => isOver);
      free.set(recipe, [...(free.get(recipe) ?? []), store]);
    }
  }

  const sending = Promise.all([
    sendCrowd(),
    ...(recording ? Array.from({ length: lanes }, () => liveLane(recording)) : []),
  ]);
  const done = sending.then(() => {
    isDone = true;
  });
  return {
    counts,
    get isDone() {
      return isDone;
    },
    async end() {
      isOver = true;
      await done;
    },
  };
}

async function unbought({ ctx }: LabelStore): Promise<number> {
  const row = await readOne<{ count: number }>(
    ctx,
    sql`
    select count(*)::int as count from labels where tenant_id = ${ctx.tenant.id} and state <> 'purchased'`,
  );
  return row?.count ?? 0;
}
