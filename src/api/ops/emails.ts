import Router from '@koa/router';

import { retryMail, unsentMails } from '#src/domain/mail/index.ts';
import type { Services } from '#src/services.ts';
import { renderEmailsPage } from './emails-page.ts';
import { contextIn, contextOf, doneOf, formOf, redirect, show, slugsOf } from './respond.ts';

const path = '/ops/emails';
/** How many emails of a kind are shown, and one request retries. */
const shownMax = 200;

/** The page where operators see the emails of every store that were given up, and have them sent after all. */
export function emailPages(services: Services): Router {
  const router = new Router({ prefix: path });

  router.get('/', async (koa) => {
    const unsent = await unsentMails(services.context(), shownMax);
    const slugs = await slugsOf(services, unsent.mails);
    show(koa, renderEmailsPage({ ...unsent, slugs, now: services.clock.now(), done: doneOf(koa) }));
  });

  router.post('/retry', async (koa) => {
    const { kind = '' } = await formOf(koa);
    const { mails } = await unsentMails(services.context(), shownMax);
    let retried = 0;
    for (const { id: mailId, tenantId } of mails.filter((mail) => mail.kind === kind)) {
      const ctx = await contextIn(services, tenantId);
      if (ctx && (await retryMail(ctx, { mailId }))) retried += 1;
    }
    redirect(koa, path, retried === 1 ? 'One email will be sent.' : `${retried} emails will be sent.`);
  });

  router.post('/:slug/:id/retry', async (koa) => {
    const isRetried = await retryMail(await contextOf(services, koa), { mailId: koa.params['id'] ?? '' });
    redirect(
      koa,
      path,
      isRetried
        ? 'The email will be sent.'
        : 'This email was not given up, is retried already, or a later one replaced it.',
    );
  });
  return router;
}
