import { readOne } from '#src/database/transact.ts';
import { sql } from '#src/lib/sql.ts';
import type { Context } from '../context.ts';

/** One word with a number and a sign in it, such as BWL-101: nobody asks for a meaning that way. */
const namePattern = /^(?=\S*\d)(?=\S*[-_./])\S+$/;

/** One word with either: a name if something in the store has it, such as oak-bowl, and else a word, such as t-shirt. */
const likeNamePattern = /^(?=\S*[\d\-_./])\S+$/;

/** Whether a slug or a SKU was typed, which means one thing and need not be asked for by meaning. */
export async function isName(ctx: Context, text: string): Promise<boolean> {
  if (namePattern.test(text)) return true;
  if (!likeNamePattern.test(text)) return false;
  const named = await readOne(
    ctx,
    sql`
    select 1 from search_documents where tenant_id = ${ctx.tenant.id} and names @> array[${text.toLowerCase()}::text] limit 1`,
    { replica: true },
  );
  return named !== undefined;
}
