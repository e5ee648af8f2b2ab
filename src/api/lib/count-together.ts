import { setImmediate as nextTurn } from 'node:timers/promises';

/** How often a subject was counted at once. */
interface Turn<Answer> {
  times: number;
  readonly answer: Promise<Answer>;
}

/**
 * Count all who come for the same subject in one turn of the event loop with one call. Each is told its answer, and how
 * many of them came later than they did: what was counted without those is what they would have been told alone.
 */
export function countTogether<Answer>(
  count: (subject: string, times: number) => Promise<Answer>,
): (subject: string) => Promise<{ readonly answer: Answer; readonly later: number }> {
  const turns = new Map<string, Turn<Answer>>();

  function begin(subject: string): Turn<Answer> {
    const turn: Turn<Answer> = { times: 0, answer: nextTurn().then(() => end(subject, turn)) };
    turns.set(subject, turn);
    return turn;
  }

  function end(subject: string, { times }: Turn<Answer>): Promise<Answer> {
    turns.delete(subject);
    return count(subject, times);
  }

  return async (subject) => {
    const turn = turns.get(subject) ?? begin(subject);
    const place = (turn.times += 1);
    const answer = await turn.answer;
    return { answer, later: turn.times - place };
  };
}
