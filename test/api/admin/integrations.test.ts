import anyTest, { type TestFn } from 'ava';
import { Webhook } from 'standardwebhooks';

import { hours } from '#src/lib/duration.ts';
import { newId } from '#src/lib/ids.ts';
import { auditOf, type OwnerContext, pagesOf, placesOf, resultOf, useOwner } from '#test/support/use-owner.ts';

const test = anyTest as TestFn<OwnerContext>;
useOwner(test);

const wish = { provider: 'bookkeeper', return_url: 'https://owner.example/settings?tab=books' };
const consentUrl = 'https://bookkeeper.example/consent?client_id=cedar';

test('a connection is started, completed by the consent, and its data revealed to the owner', async (t) => {
  const { api, ctx, owner } = t.context;
  const begun = await owner.post('/integrations', { ...wish, consent_url: consentUrl });
  t.is(begun.status, 201);
  const { integration, state, callback_url: callbackUrl, open_url: openUrl } = begun.body;
  t.like(integration, { ...wish, status: 'pending', received_at: null });
  t.deepEqual(Object.fromEntries(new URL(openUrl).searchParams), {
    client_id: 'cedar',
    state,
    redirect_uri: callbackUrl,
  });
  t.deepEqual((await owner.post(`/integrations/${integration.id}/reveal`)).body, { integration, received: null });

  const { pathname } = new URL(callbackUrl);
  const back = await api.call('GET', `${pathname}?state=${state}&code=swordfish`);
  t.is(back.status, 302);
  t.is(back.headers.get('location'), wish.return_url);

  const shown = await owner.get(`/integrations/${integration.id}`);
  t.is(shown.body.integration.status, 'answered');
  t.notRegex(JSON.stringify([shown.body, (await owner.get('/integrations')).body]), new RegExp(`swordfish|${state}`));
  t.deepEqual((await owner.post(`/integrations/${integration.id}/reveal`)).body, {
    ...shown.body,
    received: { code: 'swordfish' },
  });
  const log = await auditOf(ctx);
  t.deepEqual(
    log.map(({ action, subject }) => [action, subject.id]),
    [
      ['integration.begun', integration.id],
      ['integration.revealed', integration.id],
    ],
  );
  t.notRegex(JSON.stringify(log), new RegExp(`swordfish|${state}`));
});

test('a third party calls the URL and uses the secret that POST /admin/integrations returned', async (t) => {
  const { api, clock, owner } = t.context;
  const { calls, open_url: openUrl } = (await owner.post('/integrations', wish)).body;
  t.is(openUrl, null);
  const { pathname, search } = new URL(calls.url);
  const now = clock.now();
  const headers = {
    'webhook-id': 'msg-1',
    'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
    'webhook-signature': new Webhook(calls.secret).sign('msg-1', now, '{}'),
  };
  t.is((await api.call('POST', pathname + search, { body: '{}', headers })).status, 202);
});

test.serial(
  'GET /admin/integrations lists connections page by page, newest first, and an unanswered one as expired',
  async (t) => {
    const { clock, owner } = t.context;
    for (const provider of ['a', 'b', 'c']) await owner.post('/integrations', { ...wish, provider });
    clock.pass(hours(1));
    const listed = (await pagesOf(owner, '/integrations', 'integrations')).flat();
    t.deepEqual(
      listed.map(({ provider, status }) => [provider, status]),
      [
        ['c', 'expired'],
        ['b', 'expired'],
        ['a', 'expired'],
      ],
    );
  },
);

test('POST /admin/integrations rejects other than web URLs, and an unknown connection is not found', async (t) => {
  const { owner } = t.context;
  t.deepEqual(placesOf(await owner.post('/integrations', { ...wish, return_url: 'javascript:alert(1)' })), [
    '/return_url',
  ]);
  t.deepEqual(placesOf(await owner.post('/integrations', { ...wish, consent_url: 'ftp://bookkeeper.example/' })), [
    '/consent_url',
  ]);
  t.deepEqual(placesOf(await owner.post('/integrations', { ...wish, provider: 'A B' })), ['/provider']);
  t.is(resultOf(await owner.get(`/integrations/${newId('conn')}`)), '404 not_found');
  t.is(resultOf(await owner.post(`/integrations/${newId('conn')}/reveal`)), '404 not_found');
});
