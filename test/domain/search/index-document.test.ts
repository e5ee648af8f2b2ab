import anyTest, { type TestFn } from 'ava';

import { transact } from '#src/database/transact.ts';
import { indexDocument } from '#src/domain/search/index.ts';
import { sql } from '#src/lib/sql.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildEntry } from '#test/support/factories/content.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

async function bodyOf(
  { ctx }: TestContext,
  body: { format: 'markdown' | 'html' | 'text'; value: string },
): Promise<string> {
  await buildEntry(ctx, { slug: 'care', body, summary: null });
  const [entry] = await transact(ctx, (ctx) =>
    ctx.tx.execute<{ id: string }>(sql`select id from entries where tenant_id = ${ctx.tenant.id}`),
  );
  const id = entry?.id ?? '';
  await indexDocument(ctx, { kind: 'content', id });
  const [document] = await transact(ctx, (ctx) =>
    ctx.tx.execute<{ body: string }>(sql`
    select body from search_documents where tenant_id = ${ctx.tenant.id} and subject_id = ${id}`),
  );
  return document?.body ?? '';
}

test('indexDocument indexes the text of markdown and HTML without markup', async (t) => {
  const markdown = '# Oil\n> See [the **guide**](https://shop.example/guide) and ![a bowl](bowl.png).';
  t.is(await bodyOf(t.context, { format: 'markdown', value: markdown }), 'Oil\n See the guide and a bowl.');
  t.is(await bodyOf(t.context, { format: 'html', value: '<p class="a">Oil it</p>\n<p>twice</p>' }), 'Oil it twice');
});

test('indexDocument indexes 200,000 opening brackets in less than a second of processor time', async (t) => {
  for (const [format, mark] of [
    ['markdown', '['],
    ['markdown', '[]('],
    ['html', '<'],
  ] as const) {
    const before = process.threadCpuUsage();
    await bodyOf(t.context, { format, value: mark.repeat(200_000 / mark.length) });
    const { user, system } = process.threadCpuUsage(before);
    t.true(user + system < 1_000_000, `${format} ${mark}`);
  }
});
