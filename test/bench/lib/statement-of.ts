import type { Services } from '#src/services.ts';
import { serveApi } from '#test/support/api.ts';
import { interceptStatements, type Statement } from '#test/support/intercept-statements.ts';

/** One statement as PostgreSQL is sent it. */
export type SentStatement = Pick<Statement, 'text' | 'values'>;

/** The statement that an address is read with, once its store is known: what the bare server is given to send, too. */
export async function statementOf(
  services: Services,
  path: string,
  headers: Record<string, string>,
): Promise<SentStatement> {
  const sent: SentStatement[] = [];
  let end = () => {};
  const api = await serveApi(services, { isRecorded: false });
  try {
    await api.call('GET', `${path}?warm=1`, { headers });
    end = interceptStatements(services.context().database.pool, () => ({ text, values, send }) => {
      sent.push({ text, values });
      return send();
    });
    const { status } = await api.call('GET', path, { headers });
    const [statement, ...more] = sent.filter(({ text }) => !/\bfrom tenants\b/.test(text));
    if (status !== 200 || !statement || more.length > 0)
      throw new Error(`${path}: ${status} with ${sent.length} statements.`);
    return statement;
  } finally {
    end();
    await api.close();
  }
}
