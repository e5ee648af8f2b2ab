import { CustomsRequest, read } from './requests.ts';
import type { CustomsDeclaration } from './wire.ts';
import { type Account, type SimulatorState, stored } from './world.ts';

/** What is declared to customs of a shipment, written out; its items are answered by their ids. */
export function declarationOf(world: SimulatorState, account: Account, value: unknown): CustomsDeclaration | null {
  if (value === undefined) return null;
  const { items, ...request } = read(CustomsRequest, value, 'customs_declaration');
  return {
    ...stored(world, account),
    object_state: 'VALID',
    metadata: '',
    ...request,
    items: items.map(() => world.newId()),
  };
}
