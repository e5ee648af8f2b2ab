/**
 * The items of a list and no more, for the selector of `t.like`, which would ignore what a list has beyond an array:
 * `t.like(change, { fields: only('name', 'tags') })`.
 */
export const only = <Item>(...items: Item[]): { [index: number]: Item; length: number } => ({
  ...items,
  length: items.length,
});
