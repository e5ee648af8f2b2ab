import anyTest, { type TestFn } from 'ava';
import { captureLead, joinWaitlist, saveQuiz, submitInquiry } from '#src/domain/leads/index.ts';
import { type TestContext, useContext } from '#test/support/context.ts';
import { buildProduct } from '#test/support/factories/catalog.ts';

const test = anyTest as TestFn<TestContext>;
useContext(test);

test('concurrent requests with one email address are one lead of each source', async (t) => {
  const { ctx } = t.context;
  const { slug } = await buildProduct(ctx);
  for (let round = 0; round < 20; round += 1) {
    const email = `ada-${round}@example.com`;
    const capture = [
      () => captureLead(ctx, { email }),
      () => saveQuiz(ctx, { email, answers: {} }),
      () => submitInquiry(ctx, { email }).then(({ leadId: id }) => ({ id })),
      () => joinWaitlist(ctx, { email, product_slug: slug }),
    ];
    const leads = await Promise.all([...capture, ...capture, ...capture].map((leave) => leave()));
    t.is(new Set(leads.map(({ id }) => id)).size, capture.length);
  }
});
