import anyTest, { type TestFn } from 'ava';
import { replaceWebhookEndpoint } from '#src/domain/payments/endpoint/webhook-endpoint.ts';
import { liveWebhookSecrets } from '#src/domain/payments/index.ts';
import { type StripeContext, useStripe } from '#test/support/use-stripe.ts';

const test = anyTest as TestFn<StripeContext>;
await useStripe(test);

const endpointsOf = async ({ stripe, account, ctx }: StripeContext) =>
  (await stripe.account(account.secretKey)).webhook_endpoints.filter(({ url }) =>
    String(url).startsWith(ctx.settings.publicUrl),
  );

test.serial(
  'replaceWebhookEndpoint creates a working endpoint and disables the old one, and a repeat changes nothing',
  async (t) => {
    const { ctx, account } = t.context;
    const first = await replaceWebhookEndpoint(ctx, { name: 'first' });
    t.regex(first.secret, /^whsec_/);
    t.deepEqual(await replaceWebhookEndpoint(ctx, { name: 'first' }), first);
    t.deepEqual(
      (await liveWebhookSecrets(ctx, { fresh: true })).toSorted(),
      [account.webhookSecret, first.secret].toSorted(),
    );

    const second = await replaceWebhookEndpoint(ctx, { name: 'second' });
    t.not(second.secret, first.secret);
    const endpoints = await endpointsOf(t.context);
    t.deepEqual(
      endpoints.map(({ id, status }) => [id, status]),
      [
        [first.endpointId, 'disabled'],
        [second.endpointId, 'enabled'],
      ],
    );
    t.true((await liveWebhookSecrets(ctx, { fresh: true })).includes(first.secret));
  },
);

test.serial('replaceWebhookEndpoint deletes an own endpoint whose secret was never stored', async (t) => {
  const { ctx, services, account, tenant } = t.context;
  const url = `${ctx.settings.publicUrl}/api/webhooks/stripe/${tenant.slug}`;
  const lost = await services
    .context()
    .ports.payments.createEndpoint(
      { tenantId: tenant.id, secretKey: account.secretKey },
      { url, ownName: 'lost' },
      'lost',
    );
  const made = await replaceWebhookEndpoint(ctx, { name: 'found' });
  const ids = (await endpointsOf(t.context)).map(({ id }) => id);
  t.deepEqual(ids, [made.endpointId]);
  t.false(ids.includes(lost.endpointId));
});
