import { sql } from '#src/lib/sql.ts';
import type { InTransaction } from '../context.ts';
import { mentionPattern, type PersonalData } from '../personal-data.ts';
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
    async find(ctx, { email }) {
      const found: object[] = [];
      for await (const call of callsThatName(ctx, email)) found.push(call);
      return found;
    },
    async erase(ctx, { email }) {
      const ids: string[] = [];
      for await (const { id } of callsThatName(ctx, email)) ids.push(id);
      await ctx.tx.execute(sql`delete from integration_calls where tenant_id = ${ctx.tenant.id} and id = any(${ids})`);
      return ids.length;
    },
  },
];

async function* callsThatName(ctx: InTransaction, email: string): AsyncGenerator<OpenedCall> {
  const mention = new RegExp(mentionPattern(email));
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
      if (mention.test(text)) yield { ...call, body };
    }
    const last = calls.at(-1);
    if (!last || calls.length < batchSize) return;
    after = last.id;
  }
}
