import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { type DataSubject, mentionPattern, type PersonalData } from '../personal-data.ts';
import { bodyField } from './calls.ts';

const batchSize = 500;

interface OpenedCall {
  readonly id: string;
  readonly provider: string;
  readonly received_at: Date;
  readonly body: unknown;
}

/** Bodies of calls are encrypted, so each is decrypted and searched for the email address. */
export const integrationPersonalData: readonly PersonalData[] = [
  {
    name: 'integration_calls',
    columns: ['integration_calls.body_sealed'],
    treatment: 'deleted',
    stays: null,
    find: callsThatName,
    count: async (ctx, subject) => (await callsThatName(ctx, subject)).length,
    async erase(ctx, subject) {
      const ids = (await callsThatName(ctx, subject)).map(({ id }) => id);
      await ctx.tx.execute(sql`delete from integration_calls where tenant_id = ${ctx.tenant.id} and id = any(${ids})`);
      return ids.length;
    },
  },
];

async function callsThatName(ctx: InTransaction, { email }: DataSubject): Promise<OpenedCall[]> {
  if (email === null) return [];
  const mention = new RegExp(mentionPattern(email));
  const found: OpenedCall[] = [];
  for (let after = ''; ; ) {
    const calls = await ctx.tx.execute<Omit<OpenedCall, 'body'> & { sealed: string }>(sql`
      select id, provider, received_at, body_sealed as sealed from integration_calls
      where tenant_id = ${ctx.tenant.id} and id > ${after} order by id limit ${batchSize}`);
    for (const { sealed, ...call } of calls) {
      // Nobody reads any more what a lost key sealed, and it is deleted after its retention.
      if (!ctx.keyring.knows(sealed)) continue;
      const body: unknown = JSON.parse(ctx.keyring.open(ctx.tenant.id, bodyField, sealed));
      // Serialized again, because the sender may have escaped any character.
      const text = JSON.stringify(body).toLowerCase();
      if (mention.test(text)) found.push({ ...call, body });
    }
    const last = calls.at(-1);
    if (!last || calls.length < batchSize) return found;
    after = last.id;
  }
}
