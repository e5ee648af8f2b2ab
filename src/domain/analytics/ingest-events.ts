import { createHash } from 'node:crypto';
import { dayOf } from '#src/lib/calendar.ts';
import { hmacSha256 } from '#src/lib/crypto.ts';
import { DomainError } from '#src/lib/errors.ts';
import { networkOf } from '#src/lib/network-of.ts';
import { findUnwritable } from '#src/lib/unwritable.ts';
import { issuesOf } from '#src/lib/validation.ts';
import type { Context } from '../context.ts';
import { rejectOverBacklog } from './backlog.ts';
import { createClockCorrection } from './correct-clock.ts';
import { claimedType, EventInput, type EventsInput, type EventsReceipt, paidType } from './event-input.ts';
import { type StoredEvent, storeBatch } from './store-batch.ts';

const eventsMax = 500;

/** A request with events: its body, parsed and as received, and its sender. */
export interface EventsRequest {
  readonly input: EventsInput;
  readonly rawBody: Buffer;
  readonly sender: Sender;
}

/**
 * Store a batch of events: the valid ones in one row by one statement, which a worker aggregates a moment later. The
 * invalid ones are returned with their errors.
 *
 * @throws DomainError `too_many_items`; `rate_limited` while more could not be counted in time
 */
export async function ingestEvents(ctx: Context, { input, rawBody, sender }: EventsRequest): Promise<EventsReceipt> {
  if (input.events.length > eventsMax) {
    throw new DomainError(
      'invalid',
      'too_many_items',
      `A batch can have at most ${eventsMax} events, and this one has ${input.events.length}.`,
    );
  }
  await rejectOverBacklog(ctx);
  const { accepted, rejected } = validateEvents(input.events);
  if (accepted.length === 0) return { accepted: 0, rejected };

  const receivedAt = ctx.clock.now();
  const visitor = visitorOf(ctx, sender, receivedAt);
  const correct = createClockCorrection(
    receivedAt,
    input.sent_at,
    accepted.map(({ event }) => event.occurred_at),
  );
  const idAt = createIds(visitor, rawBody);
  const events = accepted.map(({ index, event }) =>
    storable(event, event.event_id ?? idAt(index), correct(event.occurred_at)),
  );
  await storeBatch(ctx, { receivedAt, source: 'client', bot: isBot(sender), visitor }, events);
  return { accepted: events.length, rejected };
}

function storable(event: EventInput, id: string, at: Date): StoredEvent {
  const { event_id, occurred_at, ...fields } = withKnownFields(event);
  const type = fields.type === paidType ? claimedType : fields.type;
  return { ...fields, id, at, type, currency: fields.currency?.toUpperCase() ?? null };
}

const knownFields = Object.keys(EventInput.properties) as (keyof EventInput)[];

/** What else a page sends has no bound, and may be personal data. */
const withKnownFields = (event: EventInput): EventInput =>
  Object.fromEntries(knownFields.map((name) => [name, event[name]])) as EventInput;

/** What a request shows of its sender. Neither part is stored. */
export interface Sender {
  /** Undefined when a storefront's server sends the request and does not name the shopper's IP. */
  readonly clientIp: string | undefined;
  /** Empty when it was not sent. */
  readonly userAgent: string;
}

/**
 * A pseudonym for a visitor without an id: a keyed hash of store, day, network and browser. The network and the browser
 * cannot be derived from it, and visits of different days cannot be linked.
 */
function visitorOf(ctx: Context, { clientIp, userAgent }: Sender, receivedAt: Date): string | null {
  const network = networkOf(clientIp ?? '');
  if (network === '') return null;
  const text = JSON.stringify(['visitor', ctx.tenant.id, dayOf(receivedAt), network, userAgent]);
  return hmacSha256(ctx.settings.keyPepper, text).toString('base64url').slice(0, 22);
}

/**
 * Declared bots and automated browsers. HTTP libraries are not among them, because storefronts' servers send events
 * too.
 */
const botPattern =
  /bot\b|crawl|spider|slurp|headless|lighthouse|pagespeed|facebookexternalhit|preview|pingdom|uptime|phantomjs|prerender/i;

function isBot({ userAgent }: Sender): boolean {
  return botPattern.test(userAgent);
}

/**
 * Ids for events without one, made of a hash of the batch and the event's index: the same visitor who sends the same
 * bytes again on the same day gets the same ids.
 */
function createIds(visitor: string | null, rawBody: Buffer): (index: number) => string {
  let batch: Buffer | undefined;
  return (index) => {
    batch ??= createHash('sha256').update(`${visitor}\n`).update(rawBody).digest();
    const digest = createHash('sha256').update(batch).update(String(index)).digest('hex');
    return digest.slice(0, 32);
  };
}

interface ValidatedEvents {
  /** With their indexes in the batch. */
  readonly accepted: readonly { readonly index: number; readonly event: EventInput }[];
  readonly rejected: EventsReceipt['rejected'];
}

/** Validate each event of a batch separately, so that an invalid one does not affect the others. */
function validateEvents(events: readonly unknown[]): ValidatedEvents {
  const accepted: { index: number; event: EventInput }[] = [];
  const rejected: EventsReceipt['rejected'] = [];
  events.forEach((event, index) => {
    const error = validate(event);
    if (error) rejected.push({ index, ...error });
    else accepted.push({ index, event: event as EventInput });
  });
  return { accepted, rejected };
}

const propertiesCharactersMax = 4096;

function validate(event: unknown): { code: string; detail: string } | undefined {
  // A batch is only parsed during aggregation, so that PostgreSQL would not reject before what it cannot store.
  const [issue = findUnwritable(event)] = issuesOf(EventInput, event, { max: 1 });
  if (issue) return { code: issue.code, detail: `${issue.path || 'the event'} ${issue.detail}` };
  const { properties } = event as EventInput;
  if (!properties || JSON.stringify(properties).length <= propertiesCharactersMax) return undefined;
  return { code: 'too_large', detail: `/properties may have at most ${propertiesCharactersMax} characters` };
}
