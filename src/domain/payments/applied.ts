/**
 * What became of something that the provider told. `unknown_order`: it bears our marks, and we have no such order, or it
 * is not as far (yet).
 */
export type ApplyResult = 'applied' | 'ignored' | 'unknown_order';
