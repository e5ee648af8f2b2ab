import test from 'ava';

import { ForbiddenTransition, follow, mayFollow, type StateTable } from '#src/lib/state-table.ts';

const kettle: StateTable<'cold' | 'hot' | 'broken'> = { cold: ['hot', 'broken'], hot: ['cold', 'broken'], broken: [] };

test('a state is followed by those that the table names', (t) => {
  t.is(follow(kettle, 'cold', 'hot'), 'hot');
  t.true(mayFollow(kettle, 'hot', 'cold'));
});

test('the same state again is no change, so that work can run twice', (t) => {
  t.is(follow(kettle, 'broken', 'broken'), 'broken');
  t.false(mayFollow(kettle, 'broken', 'broken'));
});

test('a state table rejects any other change by name', (t) => {
  t.throws(() => follow(kettle, 'broken', 'hot'), {
    instanceOf: ForbiddenTransition,
    message: 'broken may not become hot.',
  });
});
