import type { Rate } from '#src/domain/ports/shipping-gateway.ts';
import { isReasonCode, type Remedy, reasons, type WaitingLabel } from '#src/domain/shipping/index.ts';
import { formatMoney } from '#src/lib/format-money.ts';
import { type Html, html, type Piece } from '#src/lib/html.ts';
import { button, confirmed, moment, outcome, renderPage } from './layout.ts';

export interface LabelPage {
  readonly slug: string;
  readonly label: WaitingLabel;
  /** The rates that were requested, or why there are none. */
  readonly rates: { readonly value: readonly Rate[] } | { readonly message: string } | undefined;
  readonly done?: string | undefined;
  readonly isStill?: boolean;
  readonly problem?: string | undefined;
  /** The input that was rejected. */
  readonly typed?: Readonly<Record<string, string>> | undefined;
}

/** The page of one label: its reason, and every action that an operator can take. */
export function renderLabelPage({ slug, label, rates, done, isStill, problem, typed }: LabelPage): string {
  const url = `/ops/labels/${slug}/${label.id}`;
  const waits = label.state === 'needs_attention';
  return renderPage({
    title: label.orderNumber,
    at: '/ops/labels',
    isMoving: !isStill && (label.isBeingVoided || ['queued', 'rate_chosen', 'buying'].includes(label.state)),
    body: html`
      <p class="soft"><a href="/ops/labels">Labels</a> · ${slug} · label <code>${label.id}</code></p>
      ${outcome({ done, problem })}
      ${renderState(label, url)}
      ${
        waits &&
        html`<section><header><h2>Try again</h2></header>
        <p class="soft">${
          label.isOpen
            ? 'The outcome of a purchase is unknown: it is looked up first.'
            : "Rates are requested again, and the cheapest that the store's settings allow is bought."
        }</p>
        <div class="actions">${button(`${url}/retry`, 'Retry', {}, { kind: kindOf(label, 'retry') })}</div></section>`
      }
      ${waits && !label.isOpen && renderAddress(url, label, typed)}
      ${waits && !label.isOpen && renderRates(url, label, rates)}
      ${waits && renderByHand(url)}
      ${
        !label.isBeingVoided &&
        label.state === 'purchased' &&
        html`<section><header><h2>Void this label</h2></header>
        <p class="soft">Its price is refunded, and the order has no label again. Do not use the printed label.</p>
        <div class="actions">${confirmed(`${url}/void`, 'Void the label', 'Yes, void and refund it')}</div></section>`
      }
      ${
        waits &&
        !label.isOpen &&
        html`<section><header><h2>Buy no label</h2></header>
        <p class="soft">The order leaves this list. A label is bought only if an operator requests one again.</p>
        <div class="actions">${button(`${url}/void`, 'Buy no label')}</div></section>`
      }`,
  });
}

const stateWords: Readonly<Record<WaitingLabel['state'], string>> = {
  queued: 'Queued.',
  rate_chosen: 'Rate chosen.',
  buying: 'Buying.',
  purchased: 'Bought.',
  needs_attention: 'Needs attention.',
  skipped: 'No label is needed.',
  voided: 'Voided.',
};

function renderState(label: WaitingLabel, url: string): Html {
  const reason =
    label.state === 'needs_attention' && isReasonCode(label.reasonCode) ? reasons[label.reasonCode] : undefined;
  const facts: [string, Piece][] = [
    ['Rate', label.rate && `${label.rate.carrierName} ${label.rate.service}, ${money(label.rate)}`],
    [
      'Tracking',
      label.trackingNumber &&
        (label.trackingUrl
          ? html`<a href="${label.trackingUrl}" rel="noreferrer">${label.trackingNumber}</a>`
          : label.trackingNumber),
    ],
    ['Label', label.labelUrl && html`<a href="${url}/file" rel="noreferrer">Print</a>`],
    ['Last error', label.nextAttemptAt && delayOf(label)],
    ['Last attempt', label.nextAttemptAt && moment(label.updatedAt)],
    ['Next attempt', label.nextAttemptAt && moment(label.nextAttemptAt)],
    ['Provider message', label.reasonDetail],
  ];
  return html`<section${reason ? html` class="note"` : ''}>
    <header><h2>${reason?.message ?? stateOf(label)} ${reason && html`<code>${label.reasonCode}</code>`}</h2></header>
    <p>${reason?.next}</p>
    <table class="facts">${facts
      .filter(([, fact]) => fact)
      .map(([name, fact]) => html`<tr><th>${name}</th><td>${fact}</td></tr>`)}</table>
  </section>`;
}

function stateOf({ isBeingVoided, nextAttemptAt, state }: WaitingLabel): string {
  if (isBeingVoided) return 'Being voided.';
  return nextAttemptAt ? 'Waits for its next attempt.' : stateWords[state];
}

/** Why a label waits for its next attempt. */
export function delayOf({ isOpen, reasonCode }: WaitingLabel): string | undefined {
  if (isOpen) return reasons.outcome_unknown.message;
  return isReasonCode(reasonCode) ? reasons[reasonCode].message : undefined;
}

const addressFields = [
  ['name', 'Name'],
  ['street1', 'Street'],
  ['street2', 'Street, second line'],
  ['city', 'City'],
  ['state', 'State'],
  ['zip', 'Postal code'],
  ['country', 'Country, two letters'],
  ['phone', 'Phone'],
] as const;

/** Only the button of the action that helps stands out. */
function kindOf({ reasonCode, isOpen }: WaitingLabel, action: Remedy): 'main' | 'quiet' {
  const remedy = !isOpen && isReasonCode(reasonCode) ? reasons[reasonCode].remedy : 'retry';
  return action === remedy ? 'main' : 'quiet';
}

function renderAddress(url: string, label: WaitingLabel, typed: LabelPage['typed']): Html {
  return html`<section id="address"><header><h2>Address</h2></header>
    <form method="post" action="${url}/address">
      <div class="fields">${addressFields.map(
        ([field, name]) =>
          html`<label>${name}<input name="${field}" value="${typed?.[field] ?? label.shippingAddress?.[field] ?? ''}"
            autocomplete="off"></label>`,
      )}</div>
      <button class="${kindOf(label, 'address')}">Save and retry</button>
    </form></section>`;
}

function renderRates(url: string, label: WaitingLabel, rates: LabelPage['rates']): Html {
  return html`<section id="rates"><header><h2>Choose a rate</h2></header>
    ${
      rates === undefined &&
      html`<p class="soft">Any rate can be bought here, also to other countries and above the store's cost cap.</p>
      <div class="actions"><form method="get" action="${url}#rates"><input type="hidden" name="rates" value="1">
        <button class="${kindOf(label, 'rate')}">Show rates</button></form></div>`
    }
    ${rates && 'message' in rates && html`<p>${rates.message}</p>`}
    ${
      rates &&
      'value' in rates &&
      (rates.value.length === 0
        ? html`<p>No carrier offers a rate. Check the address, or ship it by hand.</p>`
        : html`<table>
      <thead><tr><th>Carrier</th><th>Service</th><th>Days in transit</th><th>Price</th><th></th></tr></thead>
      <tbody>${rates.value.map(
        (rate) => html`<tr>
        <td>${rate.carrierName}</td><td>${rate.service}</td><td>${rate.estimatedDays ?? '–'}</td><td>${money(rate)}</td>
        <td>${button(`${url}/rate`, 'Buy', { rate_id: rate.id }, { about: `${rate.carrierName} ${rate.service}` })}</td></tr>`,
      )}</tbody></table>`)
    }
  </section>`;
}

function renderByHand(url: string): Html {
  return html`<section><header><h2>Ship by hand</h2></header>
    <p class="soft">If the parcel was sent without a label from here: the order is marked as shipped, and the shopper gets
      an email. With carrier and tracking number, the parcel can be tracked.</p>
    <form method="post" action="${url}/fulfil">
      <div class="fields"><label>Carrier<input name="carrier" placeholder="USPS" autocomplete="off"></label>
        <label>Tracking number<input name="tracking_number" autocomplete="off"></label></div>
      <button>Mark fulfilled</button>
    </form></section>`;
}

const money = ({ amountCents, currency }: Pick<Rate, 'amountCents' | 'currency'>) =>
  formatMoney(amountCents, currency, 'en-US');
