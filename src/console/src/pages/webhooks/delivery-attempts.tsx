import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import Typography from '@mui/material/Typography';
import type { WebhookAttempt, WebhookDelivery } from '@storefront-commerce/client';
import { useId, useState } from 'react';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { formatTime } from '../../lib/format.ts';
import { Loaded } from '../../lib/loaded.tsx';

/** A delivery with each attempt, and sending it again. */
export function DeliveryAttempts({ delivery: { id, type } }: { readonly delivery: WebhookDelivery }) {
  const [isOpen, setOpen] = useState(false);
  const titleId = useId();
  return (
    <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
      <Button size="small" onClick={() => setOpen(true)}>
        Attempts
      </Button>
      <Action
        label="Send again"
        scope="admin.webhooks:write"
        text={`${type} is sent now, and its schedule starts over.`}
        run={(_, options) => admin.redeliverWebhook(id, options)}
        done="The event is on its way."
      />
      <Dialog open={isOpen} fullWidth maxWidth="md" onClose={() => setOpen(false)} aria-labelledby={titleId}>
        <DialogTitle id={titleId}>{type}</DialogTitle>
        <DialogContent>
          <Loaded queryKey={['delivery', id]} load={(signal) => admin.getWebhookDelivery(id, { signal })}>
            {({ delivery, attempts }) => (
              <>
                <Typography variant="body2">Event {delivery.event_id}</Typography>
                {attempts.length === 0 && <Typography>It was not sent yet.</Typography>}
                {attempts.map((attempt) => (
                  <Attempt key={attempt.number} attempt={attempt} />
                ))}
              </>
            )}
          </Loaded>
        </DialogContent>
        <DialogActions>
          <Button onClick={() => setOpen(false)}>Close</Button>
        </DialogActions>
      </Dialog>
    </Box>
  );
}

function Attempt({
  attempt: { number, at, status, failure, duration_ms: ms, response },
}: {
  readonly attempt: WebhookAttempt;
}) {
  return (
    <Box component="section" sx={{ mt: 2 }}>
      <Typography variant="subtitle2" component="h3">
        {number}. {formatTime(at)}: {failure ?? status} after {ms} ms
      </Typography>
      {response && (
        <Box component="pre" sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', m: 0, fontSize: 13 }}>
          {response}
        </Box>
      )}
    </Box>
  );
}
