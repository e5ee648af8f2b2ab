import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { OrderFile } from '@storefront-commerce/client';

import { Panel } from '../../lib/facts.tsx';
import { formatCode, formatTime } from '../../lib/format.ts';
import { nameOf } from '../../lib/texts.tsx';

/** What happened to an order, the latest first. */
export function TimelinePanel({ order: { timeline } }: { readonly order: OrderFile }) {
  return (
    <Panel title="Timeline">
      <Box component="ol" reversed sx={{ listStyle: 'none', m: 0, p: 0, display: 'grid', gap: 1 }}>
        {timeline
          .map(({ at, type, detail, actor }, index) => (
            <li key={`${at} ${type} ${index}`}>
              <Typography variant="body2">{[nameOfEntry(type), detail].filter(Boolean).join(': ')}</Typography>
              <Typography variant="caption" sx={{ color: 'text.secondary' }}>
                <time dateTime={at}>{formatTime(at)}</time>
                {actor && `, by ${nameOf(actor)}`}
              </Typography>
            </li>
          ))
          .toReversed()}
      </Box>
    </Panel>
  );
}

/** Codes of the API call an email a mail: `mail.sent` is "Email sent". */
const nameOfEntry = (type: string) => formatCode(type.replace(/^mail\./, 'email.'));
