import { issuesOf } from '#src/lib/validation.ts';
import { EventInput, type EventsReceipt } from './event-input.ts';

export interface ValidatedEvents {
  /** With their places in the batch. */
  readonly accepted: readonly { readonly index: number; readonly event: EventInput }[];
  readonly rejected: EventsReceipt['rejected'];
}

/** Judge each event of a batch by itself: one that does not fit takes no other with it. */
export function validateEvents(events: readonly unknown[]): ValidatedEvents {
  const accepted: { index: number; event: EventInput }[] = [];
  const rejected: EventsReceipt['rejected'] = [];
  events.forEach((event, index) => {
    const refusal = refusalOf(event);
    if (refusal) rejected.push({ index, ...refusal });
    else accepted.push({ index, event: event as EventInput });
  });
  return { accepted, rejected };
}

const propertiesCharactersMax = 4096;

function refusalOf(event: unknown): { code: string; detail: string } | undefined {
  const [issue] = issuesOf(EventInput, event, { max: 1 });
  if (issue) return { code: issue.code, detail: `${issue.path || 'the event'} ${issue.detail}` };
  const { properties } = event as EventInput;
  if (!properties || JSON.stringify(properties).length <= propertiesCharactersMax) return undefined;
  return { code: 'too_large', detail: `/properties may have ${propertiesCharactersMax} characters` };
}
