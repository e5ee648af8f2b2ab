import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { applyItems, type ItemWork } from '#src/domain/bulk/apply-items.ts';
import { DomainError } from '#src/lib/errors.ts';
import { type TestContext, useContext } from '#test/support/context.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

const items = [2, 3, 4].map((row) => ({ row, cells: [] }));

/** Work whose value of row 3 fails, read or saved. */
const workThatFails = (when: 'read' | 'saved', error: Error): ItemWork<number> => ({
  valueOf({ row }) {
    if (when === 'read' && row === 3) throw error;
    return row;
  },
  save(_, rows) {
    if (when === 'saved' && rows.includes(3)) return Promise.reject(error);
    return Promise.resolve(rows.map((row) => ({ id: `${row}`, subject: `${row}`, action: 'created', fields: [] })));
  },
});

for (const when of ['read', 'saved'] as const) {
  test(`applyItems rejects an item alone that cannot be ${when}, and applies the others`, async (t) => {
    const work = workThatFails(when, new DomainError('invalid', 'invalid_request', 'Wrong.'));
    const outcomes = await transact(t.context.ctx, (ctx) => applyItems(ctx, work, items));
    t.deepEqual(
      outcomes
        .toSorted((one, other) => one.item.row - other.item.row)
        .map((outcome) => ('problem' in outcome ? outcome.problem : outcome.change.action)),
      ['created', 'Wrong.', 'created'],
    );
  });

  test(`applyItems rejects no item for another error when it is ${when}, so that all are tried again`, async (t) => {
    const work = workThatFails(when, new Error('away'));
    for (const some of [items, items.slice(1, 2)]) {
      await t.throwsAsync(
        transact(t.context.ctx, (ctx) => applyItems(ctx, work, some)),
        { message: 'away' },
      );
    }
  });
}
