import anyTest, { type TestFn } from 'ava';
import { captureLead, joinWaitlist, listLeads, saveQuiz, submitInquiry } from '#src/domain/leads/index.ts';
import { minutes } from '#src/lib/duration.ts';
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

test.serial('a lead has the time at which its person decided about consent', async (t) => {
  const { ctx, clock } = t.context;
  const decide = async (consent: boolean | null, options?: { replaces: boolean }) => {
    clock.pass(minutes(1));
    const before = clock.now();
    await captureLead(ctx, { email: 'ada@example.com', source: 'footer', consent }, options);
    const [lead] = (await listLeads(ctx, { source: 'footer' })).rows;
    const at = lead?.consentAt;
    return { consent: lead?.consent, at, isNew: at ? at >= before : undefined };
  };
  t.deepEqual(await decide(null), { consent: null, at: null, isNew: undefined });
  const given = await decide(true);
  t.like(given, { consent: true, isNew: true }, 'who is known without a decision decides later');
  const unchanged = { ...given, isNew: false };
  t.deepEqual(await decide(false), unchanged, 'nobody withdraws it for another person');
  t.deepEqual(await decide(true, { replaces: true }), unchanged);
  t.deepEqual(await decide(null, { replaces: true }), unchanged);
  t.like(await decide(false, { replaces: true }), { consent: false, isNew: true });
});
