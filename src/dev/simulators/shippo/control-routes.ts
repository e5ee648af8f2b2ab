import Router from '@koa/router';
import Type from 'typebox';

import { wildcards } from '../faults.ts';
import { accountOf, summaryOf } from './accounts.ts';
import type { RequestState } from './api.ts';
import { carrierAccounts } from './carriers.ts';
import { badRequest, notFound } from './error.ts';
import { Fault } from './faults.ts';
import { resolveLabel } from './labels.ts';
import { refundStatuses, trackingStatuses, webhookEvents } from './objects.ts';
import { resolveRefund } from './refunds.ts';
import { read } from './requests.ts';
import { type Account, defaultDeliveries, type SimulatorState } from './state.ts';
import { moveTrack } from './tracking.ts';
import { registerWebhook } from './webhooks.ts';

const optional = Type.Optional;
const chance = optional(Type.Number({ minimum: 0, maximum: 1 }));
const milliseconds = optional(Type.Number({ minimum: 0 }));

const DeliveriesBody = Type.Object(
  {
    drop: chance,
    duplicate: chance,
    reorder: chance,
    delay_ms: milliseconds,
    retry_ms: milliseconds,
    seed: optional(Type.Integer()),
  },
  { additionalProperties: false },
);
const AccountBody = Type.Object(
  {
    insufficient_funds: optional(Type.Boolean()),
    auth_broken: optional(Type.Boolean()),
    carriers: optional(Type.Array(Type.String())),
  },
  { additionalProperties: false },
);
const TrackBody = Type.Object({
  status: Type.Enum([...trackingStatuses]),
  substatus: optional(Type.String()),
});
const ResolveLabelBody = Type.Object({
  status: Type.Enum(['SUCCESS', 'ERROR']),
  code: optional(Type.String()),
  text: optional(Type.String()),
});
const ResolveRefundBody = Type.Object({ status: Type.Enum([...refundStatuses]) });
const WebhookBody = Type.Object({
  url: Type.String({ maxLength: 199, pattern: '^https?://[^\\s/]+' }),
  event: optional(Type.Enum([...webhookEvents])),
  secret: optional(Type.String()),
});

/** The control API for tests and the demo. */
export function controlRoutes(simulator: SimulatorState): Router<RequestState> {
  const router = new Router<RequestState>({ prefix: '/_control' });

  router.post('/faults', (ctx) => {
    simulator.faults.add(read(Fault, ctx.state.body), 1);
    ctx.status = 204;
  });
  router.delete('/faults', (ctx) => {
    simulator.faults.clear();
    ctx.status = 204;
  });
  router.post('/track/:number', (ctx) => {
    const { status, substatus } = read(TrackBody, ctx.state.body);
    const { account, track } = findTrack(simulator, ctx.params.number ?? '');
    moveTrack(simulator, account, track, status, substatus);
    ctx.body = track;
  });
  router.post('/transactions/:id/settle', (ctx) => {
    const { status, code, text } = read(ResolveLabelBody, ctx.state.body);
    const { account, found } = owned(simulator, (one) => one.transactions.get(ctx.params.id ?? ''));
    const rejected = { source: 'Shippo', code: code ?? '', text: text ?? 'The carrier rejected the label.' };
    resolveLabel(simulator, account, found, status === 'ERROR' ? [rejected] : undefined);
    ctx.body = found;
  });
  router.post('/refunds/:id/settle', (ctx) => {
    const { account, found } = owned(simulator, (one) => one.refunds.get(ctx.params.id ?? ''));
    resolveRefund(simulator, account, found, read(ResolveRefundBody, ctx.state.body).status);
    ctx.body = found;
  });
  router.post('/accounts/:token/webhooks', (ctx) => {
    const account = accountNamed(simulator, ctx.params.token);
    const { secret, url, event = 'track_updated' } = read(WebhookBody, ctx.state.body);
    const webhook = registerWebhook(simulator, account, { url, event });
    if (secret !== undefined) account.webhookSecrets.set(webhook.object_id, secret);
    ctx.status = 201;
    ctx.body = webhook;
  });
  router.post('/accounts/:token', (ctx) => {
    const account = accountNamed(simulator, ctx.params.token);
    const settings = read(AccountBody, ctx.state.body);
    account.insufficientFunds = settings.insufficient_funds ?? account.insufficientFunds;
    account.authBroken = settings.auth_broken ?? account.authBroken;
    if (settings.carriers) account.carriers = carrierAccounts(account.token, account.owner, settings.carriers);
    ctx.body = summaryOf(account);
  });
  router.get('/accounts/:token', (ctx) => {
    ctx.body = summaryOf(accountNamed(simulator, ctx.params.token));
  });
  router.get('/accounts/:token/transactions', (ctx) => {
    ctx.body = [...accountNamed(simulator, ctx.params.token).transactions.values()];
  });
  router.post('/deliveries', (ctx) => {
    const { seed, ...settings } = read(DeliveriesBody, ctx.state.body);
    simulator.deliveries = { ...defaultDeliveries, ...settings };
    if (seed !== undefined) simulator.reseed(seed);
    ctx.body = simulator.deliveries;
  });
  router.get('/idle', async (ctx) => {
    const timeoutMs = Number(new URLSearchParams(ctx.querystring).get('timeout_ms') ?? 10_000);
    const idle = await simulator.pending.idle(timeoutMs);
    ctx.body = { idle, pending: simulator.pending.count() };
  });
  router.get('/requests', (ctx) => {
    const pattern = wildcards(new URLSearchParams(ctx.querystring).get('match') ?? '*');
    ctx.body = simulator.requests.filter(({ method, path }) => pattern.test(`${method} ${path}`));
  });
  router.post('/reset', (ctx) => {
    simulator.accounts.clear();
    simulator.faults.clear();
    simulator.requests.length = 0;
    simulator.deliveries = { ...defaultDeliveries };
    simulator.heldBack.clear();
    simulator.pending.cancel();
    ctx.status = 204;
  });
  return router;
}

function accountNamed(simulator: SimulatorState, token: string | undefined): Account {
  const account = accountOf(simulator, token ?? '');
  if (!account) throw badRequest({ token: ['This is not a token that Shippo could have given.'] });
  return account;
}

function findTrack(simulator: SimulatorState, number: string) {
  const { account, found } = owned(simulator, (one) =>
    [...one.tracks.values()].find((track) => track.tracking_number === number),
  );
  return { account, track: found };
}

function owned<T>(
  simulator: SimulatorState,
  find: (account: Account) => T | undefined,
): { account: Account; found: T } {
  for (const account of simulator.accounts.values()) {
    const found = find(account);
    if (found !== undefined) return { account, found };
  }
  throw notFound();
}
