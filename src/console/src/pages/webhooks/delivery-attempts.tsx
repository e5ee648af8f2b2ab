import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Result, WebhookAttempt, WebhookDelivery } from '@storefront-commerce/client';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Buttons } from '../../lib/buttons.tsx';
import { Details } from '../../lib/details.tsx';
import { Facts } from '../../lib/facts.tsx';
import { formatTime } from '../../lib/format.ts';
import { Loaded } from '../../lib/loaded.tsx';

/** A delivery with each attempt, and sending it again. */
export function DeliveryAttempts({ delivery: { id, type } }: { readonly delivery: WebhookDelivery }) {
  return (
    <Buttons>
      <Details label="Attempts" title={type} maxWidth="md">
        <Loaded queryKey={['delivery', id]} load={(signal) => admin.getWebhookDelivery(id, { signal })}>
          {({ delivery, attempts, request }) => (
            <>
              <Typography variant="body2">Event {delivery.event_id}</Typography>
              {attempts.length === 0 && <Typography>Not sent yet.</Typography>}
              {attempts.map((attempt) => (
                <Attempt key={attempt.number} attempt={attempt} eventId={delivery.event_id} />
              ))}
              <SentRequest request={request} />
            </>
          )}
        </Loaded>
      </Details>
      <Action
        label="Send again"
        scope="admin.webhooks:write"
        text={`${type} is sent now, and its schedule starts over.`}
        run={(_, options) => admin.redeliverWebhook(id, options)}
        done="The event is on its way."
      />
    </Buttons>
  );
}

interface AttemptProps {
  readonly attempt: WebhookAttempt;
  readonly eventId: string;
}

function Attempt({ attempt, eventId }: AttemptProps) {
  const { number, at, status, failure, duration_ms: ms, response, object_version: version } = attempt;
  return (
    <Box component="section" sx={{ mt: 2 }}>
      <Typography variant="subtitle2" component="h3">
        {number}. {formatTime(at)}: {failure ?? status} after {ms} ms
      </Typography>
      <Facts
        of={[
          ['webhook-id', eventId],
          ['webhook-timestamp', String(Math.floor(new Date(at).getTime() / 1000))],
          ['object_version', version],
        ]}
      />
      {response && <Code>{response}</Code>}
    </Box>
  );
}

/** What is sent. An attempt sent the object as it was then, so the body is that of an attempt with the same version. */
function SentRequest({ request }: Pick<Result<'admin.getWebhookDelivery'>, 'request'>) {
  return (
    <Box component="section" sx={{ mt: 2 }}>
      <Typography variant="subtitle2" component="h3">
        What is sent now
      </Typography>
      {request ? (
        <>
          <Facts of={[['POST', request.url], ...Object.entries(request.headers)]} />
          <Typography variant="body2" sx={{ color: 'text.secondary', my: 1 }}>
            With each attempt, webhook-signature is the signature of its id, its timestamp and this body. An attempt
            with another object_version sent the object as it was then.
          </Typography>
          <Code>{JSON.stringify(JSON.parse(request.body), null, 2)}</Code>
        </>
      ) : (
        <Typography>None: the subject of the event no longer exists.</Typography>
      )}
    </Box>
  );
}

function Code({ children }: { readonly children: string }) {
  return (
    <Box component="pre" sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', m: 0, fontSize: 13 }}>
      {children}
    </Box>
  );
}
