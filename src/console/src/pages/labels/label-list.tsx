import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import type { Label } from '@storefront-commerce/client';
import { useState } from 'react';
import { useNotify, useRefresh } from 'react-admin';

import { admin } from '../../admin.ts';
import { messageOf } from '../../lib/errors.ts';
import { Panel } from '../../lib/facts.tsx';
import { formatTime } from '../../lib/format.ts';
import { Loaded } from '../../lib/loaded.tsx';
import { PageHeading } from '../../lib/page-heading.tsx';
import { Rows } from '../../lib/rows.tsx';
import { useScope } from '../../session/session.ts';

/** More than anyone retries by hand. */
const shownMax = 500;

/** Labels that need attention, by reason. */
export function LabelList() {
  return (
    <>
      <PageHeading title="Labels that wait" />
      <Loaded queryKey={['labels', 'waiting']} load={readWaitingLabels}>
        {(labels) =>
          labels.length === 0 ? (
            <Typography>No label needs attention.</Typography>
          ) : (
            [...Map.groupBy(labels, ({ reason_code }) => reason_code ?? '')].map(([code, labels]) => (
              <ReasonPanel key={code} labels={labels} />
            ))
          )
        }
      </Loaded>
    </>
  );
}

async function readWaitingLabels(signal: AbortSignal): Promise<Label[]> {
  const labels: Label[] = [];
  for await (const label of admin.listLabels({ state: 'needs_attention', limit: 100 }, { signal })) {
    labels.push(label);
    if (labels.length === shownMax) break;
  }
  return labels;
}

/** The labels that wait for the same reason, and what to do about it. */
function ReasonPanel({ labels }: { readonly labels: readonly Label[] }) {
  const [first] = labels;
  return (
    <Panel title={`${first?.reason ?? 'Unknown'} (${labels.length})`} actions={<RetryAll labels={labels} />}>
      <Typography sx={{ mb: 1 }}>{first?.next}</Typography>
      <Rows
        label="Labels"
        rows={labels}
        keyOf={({ id }) => id}
        linkOf={({ order_id }) => `/orders/${order_id}/show`}
        columns={[
          { label: 'Order', show: ({ order_number }) => order_number },
          { label: 'Since', show: ({ updated_at }) => formatTime(updated_at) },
          { label: 'Tries', align: 'right', show: ({ tries }) => tries },
        ]}
      />
    </Panel>
  );
}

/** One after another, so that the carrier's account is not overrun. What failed keeps its place in the list. */
function RetryAll({ labels }: { readonly labels: readonly Label[] }) {
  const [finished, setFinished] = useState<number>();
  const notify = useNotify();
  const refresh = useRefresh();
  if (!useScope('admin.labels:write')) return null;

  const retryAll = async () => {
    const failures: unknown[] = [];
    for (const [index, { id }] of labels.entries()) {
      setFinished(index);
      await admin.retryLabel(id).catch((error: unknown) => failures.push(error));
    }
    setFinished(undefined);
    refresh();
    if (failures.length === 0) notify('All are tried again.', { type: 'success' });
    else notify(`${failures.length} of ${labels.length} failed. ${messageOf(failures[0])}`, { type: 'error' });
  };
  if (finished !== undefined)
    return (
      <Box sx={{ width: 160 }}>
        <LinearProgress
          variant="determinate"
          value={(100 * finished) / labels.length}
          aria-label={`${finished} of ${labels.length} retried`}
        />
      </Box>
    );
  return (
    <Button size="small" variant={labels[0]?.remedy === 'retry' ? 'contained' : 'outlined'} onClick={retryAll}>
      Retry all
    </Button>
  );
}
