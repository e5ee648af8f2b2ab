import type { UnsentMail } from '#src/domain/mail/index.ts';
import { type Html, html } from '#src/lib/html.ts';
import { ago, button, outcome, renderPage } from './layout.ts';

export interface EmailsPage {
  readonly mails: readonly UnsentMail[];
  readonly total: number;
  /** The slug of each store, by its id. */
  readonly slugs: ReadonlyMap<string, string>;
  readonly now: Date;
  readonly done?: string | undefined;
}

/** Every email to a shopper that was given up, grouped by kind. */
export function renderEmailsPage({ mails, total, slugs, now, done }: EmailsPage): string {
  return renderPage({
    title: 'Emails',
    at: '/ops/emails',
    body: html`
      <p class="lead">${
        total === 0
          ? 'No email to a shopper was given up.'
          : `${total} ${total === 1 ? 'email to a shopper was' : 'emails to shoppers were'} given up.`
      }</p>
      ${outcome({ done })}
      ${[...Map.groupBy(mails, ({ kind }) => kind)].map(([kind, mails]) => renderGroup(kind, mails, slugs, now))}
      ${total > mails.length && html`<p class="soft">${mails.length} are shown.</p>`}`,
  });
}

function renderGroup(kind: string, mails: readonly UnsentMail[], slugs: EmailsPage['slugs'], now: Date): Html {
  return html`<section id="${kind}">
    <header><h2><code>${kind}</code></h2>
      ${mails.length > 1 && button('/ops/emails/retry', `Retry all ${mails.length}`, { kind }, { about: kind })}</header>
    <table class="list aligned">
      <thead><tr><th>About</th><th>Store</th><th>Last error</th><th>Given up</th><th></th></tr></thead>
      <tbody>${mails.map(({ id, tenantId, subjectId, failure, updatedAt }) => {
        const slug = slugs.get(tenantId) ?? '';
        return html`<tr>
          <td class="slug">${subjectId}</td>
          <td class="slug">${slug}</td>
          <td class="soft text">${failure}</td>
          <td data-name="given up">${ago(updatedAt, now)} ago</td>
          <td>${button(`/ops/emails/${slug}/${id}/retry`, 'Retry', {}, { about: `${kind} about ${subjectId}` })}</td>
        </tr>`;
      })}</tbody>
    </table>
  </section>`;
}
