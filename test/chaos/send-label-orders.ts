import { setTimeout as pause } from 'node:timers/promises';
import { readOne } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import { request } from '#test/domain/shipping/support.ts';
import { type LabelSimulation, type LabelStore, openLabelStore, runRecipe } from './label-actions.ts';
import type { Recipe } from './label-recipes.ts';
import type { Recording } from './record-label-points.ts';

/** Orders that wait for their labels. */
export interface SentOrders {
  readonly counts: { batch: number; single: number };
  /** Whether every order was sent, and every recipe is finished. */
  readonly isDone: boolean;
  end(): Promise<void>;
}

export interface SendOptions {
  readonly simulation: LabelSimulation;
  readonly orders: number;
  /** Open stores, whose orders come in batches. */
  readonly batch: readonly LabelStore[];
  /** The recipes of single orders; without it, all orders come in batches. */
  readonly recording: Recording | undefined;
  /** The points without a kill. */
  missing(): readonly string[];
  /** Whether points can still be covered: then further orders are sent to reach them. */
  mayGoOn(): boolean;
  opened(store: LabelStore, recipe: Recipe): void;
}

/** Half of the orders come in batches of limited size; the others one at a time per store, in several stores. */
const batchSize = 40;
const lanes = 24;
const pauseMs = 500;

/** Request the labels of orders, and run recipes with single ones that reach points without a kill. */
export function sendLabelOrders({
  simulation,
  orders,
  batch,
  recording,
  missing,
  mayGoOn,
  opened,
}: SendOptions): SentOrders {
  const counts = { batch: 0, single: 0 };
  const singles = recording ? Math.floor(orders / 2) : 0;
  const free = new Map<Recipe, LabelStore[]>();
  const sent = new Map<Recipe, number>();
  let [isOver, isDone] = [false, false];

  async function sendBatches(): Promise<void> {
    while (!isOver && counts.batch < orders - singles) {
      const waiting = await Promise.all(batch.map(unbought));
      const room = batchSize - waiting.reduce((sum, count) => sum + count, 0);
      for (let place = 0; place < room && counts.batch < orders - singles; place += 1) {
        const store = batch[counts.batch % batch.length];
        counts.batch += 1;
        if (store) await request(store.ctx);
      }
      await pause(pauseMs);
    }
  }

  /** The recipe that reaches the most missing points and ran least; when none is missing, the one that ran least. */
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

  async function runLane(recording: Recording): Promise<void> {
    for (let recipe = choose(recording); recipe && !isOver; recipe = choose(recording)) {
      counts.single += 1;
      sent.set(recipe, (sent.get(recipe) ?? 0) + 1);
      let store = free.get(recipe)?.pop();
      if (!store) {
        store = await openLabelStore(simulation, recipe);
        opened(store, recipe);
      }
      await runRecipe(simulation, store, recipe, () => isOver);
      free.set(recipe, [...(free.get(recipe) ?? []), store]);
    }
  }

  const sending = Promise.all([
    sendBatches(),
    ...(recording ? Array.from({ length: lanes }, () => runLane(recording)) : []),
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
