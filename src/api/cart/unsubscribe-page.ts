import type { ErrorPage } from '#src/api/lib/define-route.ts';
import { page, type Reply } from '#src/api/lib/reply.ts';
import type { ErrorBody } from '#src/api/lib/reply-to-error.ts';
import { escapeHtml } from '#src/lib/html.ts';

/** The page has no scripts or external resources, and its URL with the token is not sent as a referrer. */
const headers = {
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-robots-tag': 'noindex',
};

/**
 * The page that the unsubscribe link of a reminder opens: the status and, while subscribed, a button to unsubscribe.
 */
export function showPreference({
  storeName,
  status,
  token,
}: {
  storeName: string;
  status: 'subscribed' | 'unsubscribed';
  token: string;
}): Reply {
  const store = escapeHtml(storeName);
  const isSubscribed = status === 'subscribed';
  const title = isSubscribed ? 'Stop reminders?' : 'No more reminders';
  const message = isSubscribed
    ? `${store} sends you email reminders about items left in your cart.`
    : `${store} will not send you reminders about your cart any more.`;
  const button = `
    <form method="post" action="?token=${escapeHtml(encodeURIComponent(token))}">
      <button type="submit">Stop reminders</button>
    </form>`;
  const content = `<p>${message}</p>${isSubscribed ? button : ''}`;
  return { ...page(pageOf({ title: `${title} · ${store}`, heading: title, content })), headers };
}

/** The page in its place where the link is not valid, or the request cannot be served now. */
export function showUnsubscribeError({ detail }: ErrorBody): ErrorPage {
  const heading = 'This did not work';
  return { html: pageOf({ title: heading, heading, content: `<p>${escapeHtml(detail)}</p>` }), headers };
}

const pageOf = ({ title, heading, content }: { title: string; heading: string; content: string }) => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${title}</title>
    <style>${style}</style>
  </head>
  <body>
    <main>
    <h1>${heading}</h1>
    ${content}
    </main>
  </body>
</html>
`;

const style = `
      :root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
      body { display: grid; min-height: 90vh; margin: 0; place-items: center }
      main { max-width: 26rem; padding: 2rem; text-align: center }
      h1 { margin: 0 0 .5rem; font-size: 1.5rem }
      button { margin-top: 1rem; padding: .7rem 1.4rem; border: 1px solid currentColor; border-radius: .4rem;
        font: inherit; cursor: pointer }
      button { background: #1f2937; color: #fff }
      button:focus-visible { outline: 3px solid #60a5fa; outline-offset: 2px }
    `;
