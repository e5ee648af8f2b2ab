import { setTimeout as pause } from 'node:timers/promises';
import { Failure, type Terminal } from '#src/cli/lib/command.ts';
import { type Operation, readOperation } from '#src/domain/bulk/index.ts';
import type { Context } from '#src/domain/context.ts';

const pollIntervalMs = 250;
const barCharacters = 20;

/**
 * Wait until a worker has ended an operation, and report its progress.
 * @throws Failure when it failed or was canceled
 */
export async function followOperation(
  ctx: Context,
  terminal: Terminal,
  { type, id }: Pick<Operation, 'type' | 'id'>,
): Promise<Operation> {
  terminal.progress(`The ${type} ${id} continues if this command is interrupted; it is canceled at /ops/bulk.`);
  for (let shown = ''; ; await pause(pollIntervalMs)) {
    const operation = await readOperation(ctx, type, id);
    if (!operation) throw new Failure(`The ${type} ${id} does not exist any more.`);
    const progress = describeProgress(operation);
    if (progress !== shown) terminal.progress((shown = progress));
    if (operation.state === 'completed') return operation;
    if (operation.finishedAt) throw new Failure(operation.failure ?? `The ${type} was ${operation.state}.`);
  }
}

/** `[#####---------------] 25 %, 2,500 of 10,000 rows` */
function describeProgress({ state, rowsDone, rowsRead, rowsTotal }: Operation): string {
  if (rowsTotal === null) return state === 'queued' ? 'Waiting for a worker.' : `Read ${rowsRead} rows.`;
  const part = rowsTotal === 0 ? 1 : rowsDone / rowsTotal;
  const bar = '#'.repeat(Math.floor(part * barCharacters)).padEnd(barCharacters, '-');
  return `[${bar}] ${Math.floor(part * 100)} %, ${rowsDone} of ${rowsTotal} rows`;
}
