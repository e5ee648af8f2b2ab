import { type Call, created, type Endpoint, newestFirst, ok } from '../endpoint.ts';
import { notFound } from '../refusal.ts';
import { read, WebhookRequest } from '../requests.ts';
import type { Webhook } from '../wire.ts';
import { type Account, type SimulatorState, stored } from '../world.ts';

export const webhookEndpoints: Endpoint[] = [
  {
    method: 'post',
    path: '/webhooks',
    handle: ({ world, account, body }) => created(registerWebhook(world, account, body)),
  },
  {
    method: 'get',
    path: '/webhooks',
    handle({ account }) {
      const results = newestFirst(account.webhooks);
      return ok({ count: results.length, next: null, previous: null, results });
    },
  },
  { method: 'get', path: '/webhooks/:id', handle: (call) => ok(findWebhook(call)) },
  {
    method: 'put',
    path: '/webhooks/:id',
    handle(call) {
      const webhook = findWebhook(call);
      Object.assign(webhook, read(WebhookRequest, call.body), {
        object_updated: call.world.now().toISOString(),
      });
      return ok(webhook);
    },
  },
  {
    method: 'delete',
    path: '/webhooks/:id',
    handle(call) {
      call.account.webhooks.delete(findWebhook(call).object_id);
      return { status: 204 };
    },
  },
];

/** Listen for an event at an address. */
export function registerWebhook(world: SimulatorState, account: Account, body: unknown): Webhook {
  const { test, ...head } = stored(world, account);
  const webhook: Webhook = { ...head, active: true, is_test: test, ...read(WebhookRequest, body) };
  account.webhooks.set(webhook.object_id, webhook);
  return webhook;
}

function findWebhook({ account, params }: Call): Webhook {
  const webhook = account.webhooks.get(params.id ?? '');
  if (!webhook) throw notFound();
  return webhook;
}
