import http from 'node:http';

import type pg from 'pg';

import { DomainError } from '#src/lib/errors.ts';
import type { Services } from '#src/services.ts';
import { interceptStatements } from '#test/support/intercept-statements.ts';

/** What a checkout sends, statement by statement and call by call. */
export interface CheckoutFloor {
  readonly databaseUrl: string;
  readonly providerUrl: string;
  readonly secretKey: string;
  readonly statements: readonly { readonly text: string; readonly values: readonly unknown[] }[];
  readonly calls: readonly { readonly path: string; readonly body: string }[];
}

/**
 * Check out and return what is sent to PostgreSQL and to the provider. Nothing is stored, each commit is a rollback: so
 * the last statement finds no session to write the provider's response to, which the shopper does not notice.
 */
export async function recordCheckout(
  services: Services,
  work: () => Promise<unknown>,
): Promise<Pick<CheckoutFloor, 'statements' | 'calls'>> {
  const statements: { text: string; values: readonly unknown[] }[] = [];
  const calls: { path: string; body: string }[] = [];
  const end = interceptStatements(services.context().database.pool, () => ({ text, values, send }) => {
    const isCommit = /^\s*commit/i.test(text);
    statements.push({ text: isCommit ? 'rollback' : text, values });
    if (!isCommit) return send();
    return send(['rollback']).then((response: pg.QueryResult) => ({ ...response, command: 'COMMIT' }));
  });
  const { write } = http.ClientRequest.prototype;
  http.ClientRequest.prototype.write = function writeRecorded(this: http.ClientRequest, ...given: unknown[]) {
    calls.push({ path: this.path, body: String(given[0]) });
    return Reflect.apply(write, this, given);
  };
  try {
    await work().catch((error: unknown) => {
      if (!(error instanceof DomainError && error.code === 'payment_provider_unavailable')) throw error;
    });
    return { statements, calls };
  } finally {
    end();
    http.ClientRequest.prototype.write = write;
  }
}
