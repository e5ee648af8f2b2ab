import type { Services } from '#src/services.ts';
import { serveApi } from '#test/support/api.ts';

/** One statement as PostgreSQL is sent it. */
export interface SentStatement {
  readonly text: string;
  readonly values: readonly unknown[];
}

/** The statement that an address is read with, once its store is known: what the bare server is given to send, too. */
export async function statementOf(
  services: Services,
  path: string,
  headers: Record<string, string>,
): Promise<SentStatement> {
  const { pool } = services.context().database;
  const sent: SentStatement[] = [];
  const restores: (() => void)[] = [];
  const watch = (client: { query: Function }) => {
    const { query } = client;
    client.query = (...given: [SentStatement]) => {
      sent.push(given[0]);
      return query.apply(client, given);
    };
    restores.push(() => void (client.query = query));
  };
  const api = await serveApi(services, { isRecorded: false });
  try {
    await api.call('GET', `${path}?warm=1`, { headers });
    pool.on('acquire', watch);
    const { status } = await api.call('GET', path, { headers });
    const [statement, ...more] = sent.filter(({ text }) => !/\bfrom tenants\b/.test(text));
    if (status !== 200 || !statement || more.length > 0)
      throw new Error(`${path}: ${status} with ${sent.length} statements.`);
    return { text: statement.text, values: statement.values };
  } finally {
    pool.off('acquire', watch);
    for (const restore of restores.toReversed()) restore();
    await api.close();
  }
}
