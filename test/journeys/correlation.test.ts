import test from 'ava';

import { startReceiver } from '#src/dev/demo/receiver.ts';
import { stripeControl } from '#src/dev/simulators/stripe/control/client.ts';
import { startStack } from '#src/dev/stack/start-stack.ts';
import { clientsOf } from '#test/support/clients-of.ts';
import { startCollector } from '#test/support/collector.ts';
import { until } from '#test/support/until.ts';

interface Line {
  msg: string;
  request_id?: string;
  job?: string;
  route?: string;
  provider?: string;
}

test('one request id and one trace connect a request with its outbox jobs and their provider calls', async (t) => {
  const [receiver, collector] = await Promise.all([startReceiver(), startCollector()]);
  t.teardown(() => receiver.close());
  t.teardown(() => collector.close());
  const stack = await startStack(receiver, {
    workers: 'all',
    // A sweep could find the payment before its webhook comes, and would then be its cause.
    environment: { LOG_LEVEL: 'info', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, SWEEP_INTERVAL: '24h' },
  });
  const linesOf = (name: string) => (stack.processes.get(name)?.logged ?? []).map((line) => JSON.parse(line) as Line);
  try {
    const { storefront } = clientsOf(stack);
    const { product } = await storefront.getProduct('stoneware-mug');
    const { data: session, response } = await storefront.http.POST('/api/v1/checkout/sessions', {
      headers: { 'x-request-id': 'journey-of-one-request' },
      body: { items: [{ product_slug: product.slug, variant_id: product.variants[0]?.id ?? null, quantity: 1 }] },
    });
    t.is(response.headers.get('x-request-id'), 'journey-of-one-request');
    await until(
      () =>
        linesOf('web').some(
          ({ msg, provider, request_id: id }) =>
            msg === 'provider call' && provider === 'stripe' && id === 'journey-of-one-request',
        ),
      { what: 'the line of the call to the provider' },
    );

    await stripeControl(stack.stripeUrl).pay(session?.checkout_url.split('/').at(-1) ?? '', {
      outcome: 'paid',
      email: 'ada@example.com',
    });
    const bought = await until(
      () =>
        linesOf('worker').find(
          ({ msg, provider, job }) =>
            msg === 'provider call' && provider === 'shippo' && job === 'labels.purchase-label',
        ),
      { what: 'a label' },
    );
    await until(
      () =>
        linesOf('web').some(
          ({ route, request_id: id }) => route?.startsWith('/api/webhooks/stripe/') && id === bought.request_id,
        ),
      { what: 'the line of the webhook that caused it' },
    );
    await until(
      () =>
        linesOf('worker').some(
          ({ msg, provider, job, request_id: id }) =>
            msg === 'provider call' &&
            provider === 'stripe' &&
            job === 'payments.reconcile-payment-event' &&
            id === bought.request_id,
        ),
      { what: 'the line of the call about the payment' },
    );

    const trace = () => {
      const { traceId } = collector.spans.find(({ name }) => name === 'work labels.purchase-label') ?? {};
      return collector.spans.filter((span) => span.traceId === traceId);
    };
    const pathTo = (name: string): string[] => {
      const span = trace().find((one) => one.name === name);
      const parent = trace().find(({ spanId }) => spanId === span?.parentSpanId);
      return [...(parent ? pathTo(parent.name) : []), `${span?.process} ${name}`];
    };
    const webhook = 'web POST /api/webhooks/stripe/:tenant_slug';
    // Each process measures its spans by its own clock, and a parent span ends after its children.
    const isReported = (name: string) => pathTo(name)[0] === webhook;
    await until(() => ['shippo transactions.create', 'smtp send', 'endpoint post'].every(isReported), {
      what: 'the spans of the order',
    });
    const reconciled = [webhook, 'worker work payments.reconcile-payment-event'];
    t.deepEqual(pathTo('shippo transactions.create'), [
      ...reconciled,
      'worker work labels.purchase-label',
      'worker shippo transactions.create',
    ]);
    t.deepEqual(pathTo('smtp send'), [...reconciled, 'worker work emails.send-mail', 'worker smtp send']);
    t.deepEqual(pathTo('endpoint post'), [
      ...reconciled,
      'worker work webhooks.drain-endpoint',
      'worker endpoint post',
    ]);
    t.true(trace().some(({ name, kind }) => name.startsWith('stripe ') && kind === 'client'));
    const exported = JSON.stringify(collector.bodies);
    for (const secret of [
      'ada@example.com',
      '@',
      stack.store.publishableKey,
      stack.store.stripeKey,
      stack.store.shippoKey,
      'Market St',
    ])
      t.false(exported.includes(secret), secret);
  } finally {
    await stack.stop();
  }
});
