import { DomainError } from '#src/lib/errors.ts';
import type { Context } from '../context.ts';

/** What is wrong with a key for this environment; `undefined` where it is of its kind, or does not say what kind it is. */
export function wrongKindOf(ctx: Context, apiKey: string): string | undefined {
  const [, kind] = /^shippo_(test|live)_/.exec(apiKey) ?? [];
  const { appMode } = ctx.settings;
  return kind === undefined || kind === appMode ? undefined : `This is a ${kind} key, and here is the ${appMode} environment.`;
}

/**
 * A live key in the test environment would buy real labels for orders that nobody paid. A test key in the live one buys
 * nothing that a carrier takes, and costs nothing: a look at the account says so.
 *
 * @throws DomainError `invalid_request`
 */
export function refuseLiveKeyInTest(ctx: Context, apiKey: string | undefined): void {
  const wrong = apiKey !== undefined && ctx.settings.appMode === 'test' ? wrongKindOf(ctx, apiKey) : undefined;
  if (!wrong) return;
  const errors = [{ path: '/api_key', code: 'wrong_environment', detail: 'is a live key, and here is the test environment' }];
  throw new DomainError('invalid', 'invalid_request', wrong, { extensions: { errors } });
}
