import test from 'ava';

import { roles as described } from '#src/console/src/pages/staff/roles.ts';
import { roles } from '#src/domain/staff/roles.ts';

const nameOf = (area: string) => (area === 'catalog' ? 'products' : area);

/** The scopes of a role of some areas in the words of the console. */
function inWords(scopes: readonly string[]): string {
  const areasOf = (access: string) =>
    scopes.filter((scope) => scope.endsWith(access)).map((scope) => nameOf(scope.split(/[.:]/)[1] ?? ''));
  const changed = areasOf(':write');
  const seen = areasOf(':read').filter((area) => !changed.includes(area));
  const listed = (verb: string, areas: string[]) =>
    areas.length > 0 ? [`${verb} ${new Intl.ListFormat('en').format(areas).replace(', and', ' and')}`] : [];
  const text = [...listed('changes', changed), ...listed('sees', seen)].join('; ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

test('what a role may do is said where it is given', (t) => {
  t.deepEqual(Object.keys(described), Object.keys(roles));
  for (const role of ['fulfilment', 'support', 'analyst'] as const) t.is(described[role], inWords(roles[role]));
});
