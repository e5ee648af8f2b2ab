import { invalidRequest } from '#src/lib/errors.ts';
import type { Context } from './context.ts';

/** What is wrong with a provider's key for this environment; `undefined` where it is of its kind, or does not say of which. */
export function wrongKindOf(ctx: Context, key: string): string | undefined {
  const [, kind] = /^[a-z]+_(test|live)_/.exec(key) ?? [];
  const { appMode } = ctx.settings;
  return kind === undefined || kind === appMode ? undefined : `This is a ${kind} key, and here is the ${appMode} environment.`;
}

/**
 * A live key in the test environment would charge people, and buy real labels for orders that nobody paid. A test key in
 * the live one moves no money: a look at the account says so.
 *
 * @throws DomainError `invalid_request` that names the field
 */
export function refuseLiveKeyInTest(ctx: Context, field: string, key: string | null | undefined): void {
  const wrong = key && ctx.settings.appMode === 'test' ? wrongKindOf(ctx, key) : undefined;
  if (!wrong) return;
  throw invalidRequest(wrong, {
    path: `/${field}`, code: 'wrong_environment', detail: 'is a live key, and here is the test environment',
  });
}
