import { invalidRequest } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';
import { saveLead } from './capture-lead.ts';
import type { QuizInput } from './lead-input.ts';

const levelsMax = 5;

/**
 * Keep what somebody answered to the store's quiz. Newer answers of the same address replace the older ones.
 * @throws DomainError `invalid_request` when the answers are nested too deeply
 */
export async function saveQuiz(ctx: Context, { email, answers }: QuizInput): Promise<{ id: string }> {
  if (isDeeperThan(levelsMax, answers)) {
    throw invalidRequest('The answers are nested too deeply.', {
      path: '/answers',
      code: 'maxDepth',
      detail: `must be at most ${levelsMax} levels deep`,
    });
  }
  return saveLead(ctx, { email, source: 'quiz', answers });
}

function isDeeperThan(levels: number, value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeperThan(levels - 1, inner));
}
