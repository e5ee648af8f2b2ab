import anyTest, { type TestFn } from 'ava';
import { transact } from '#src/database/transact.ts';
import { changeStock } from '#src/domain/catalog/change-stock.ts';
import type { OutgoingMail } from '#src/domain/ports/mailer.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';
import { buildWaiting } from '#test/support/factories/leads.ts';
import { runJobs } from '#test/support/run-jobs.ts';

const sent: OutgoingMail[] = [];

const test = anyTest as TestFn<TestContext>;
useContext(test, {
  ports: {
    mailer: {
      async send(mail) {
        sent.push(mail);
        return { outcome: 'accepted' };
      },
    },
  },
});

test('a restock emails the waitlist once, with a link to the product', async (t) => {
  const { ctx, services, tenant } = t.context;
  const { slug, variant } = await buildProduct(ctx, { name: 'Oak bowl', variants: [{ stock: 0 }] });
  const { email } = await buildWaiting(ctx, { productSlug: slug });
  for (const quantity of [2, 0, 5])
    await transact(ctx, (ctx) => changeStock(ctx, [{ variantId: variant.id, quantity }]));

  const outcomes = await runJobs(services);
  t.deepEqual(
    outcomes.filter((outcome) => outcome.startsWith('leads.')),
    Array<string>(2).fill('leads.notify-restock: done'),
  );
  t.deepEqual(
    sent.map(({ to, subject }) => [to, subject]),
    [[email, 'Oak bowl is back in stock']],
  );
  t.true(sent[0]?.text.includes(`${tenant.storefrontUrl}/products/${slug}`));
  t.deepEqual(
    (await runJobs(services)).filter((outcome) => outcome.startsWith('leads.')),
    [],
  );
});
