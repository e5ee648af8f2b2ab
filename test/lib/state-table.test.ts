import test from 'ava';

import { ForbiddenTransition, follow, mayFollow, type StateTable } from '#src/lib/state-table.ts';

const kettle: StateTable<'cold' | 'hot' | 'broken'> = { cold: ['hot', 'broken'], hot: ['cold', 'broken'], broken: [] };

test('a state table allows the transitions that it lists', (t) => {
  t.is(follow(kettle, 'cold', 'hot'), 'hot');
  t.true(mayFollow(kettle, 'hot', 'cold'));
});

test('a state table allows the same state again, so that a job can run twice', (t) => {
  t.is(follow(kettle, 'broken', 'broken'), 'broken');
  t.false(mayFollow(kettle, 'broken', 'broken'));
});

test('a state table rejects any other transition and names it', (t) => {
  t.throws(() => follow(kettle, 'broken', 'hot'), {
    instanceOf: ForbiddenTransition,
    message: 'broken may not become hot.',
  });
});
