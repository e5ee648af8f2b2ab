/** Which state may follow which. */
export type StateTable<State extends string> = Readonly<Record<State, readonly State[]>>;

/** A state change that the table does not allow: a bug or a lost race in this service, never the caller's fault. */
export class ForbiddenTransition extends Error {
  override readonly name = 'ForbiddenTransition';
}

/** The next state, when `table` allows it from here. Equal state is a no-op, so that work can run twice. */
export function follow<State extends string>(table: StateTable<State>, from: State, to: State): State {
  if (from === to || table[from].includes(to)) return to;
  throw new ForbiddenTransition(`${from} may not become ${to}.`);
}

export function mayFollow<State extends string>(table: StateTable<State>, from: State, to: State): boolean {
  return table[from].includes(to);
}
