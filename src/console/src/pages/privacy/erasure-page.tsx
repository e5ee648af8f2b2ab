import Alert from '@mui/material/Alert';
import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import type { Erasure } from '@storefront-commerce/client';

import { admin } from '../../admin.ts';
import { Action } from '../../lib/action.tsx';
import { Panel } from '../../lib/facts.tsx';
import { formatCode, formatCount, formatTime } from '../../lib/format.ts';
import { Note } from '../../lib/note.tsx';
import { RecordPage } from '../../lib/record-page.tsx';
import { Rows } from '../../lib/rows.tsx';
import { isOpen, OperationPage } from '../files/operation-page.tsx';

export function ErasurePage() {
  return <RecordPage<Erasure>>{(found) => <ErasureParts of={found} />}</RecordPage>;
}

interface Props {
  readonly of: Erasure;
}

/** Whether the preview found something to erase, and nothing that has to end first. */
const isReady = ({ state, parts, blockers }: Erasure) =>
  state === 'previewed' && parts.length > 0 && blockers.length === 0;

function ErasureParts({ of: found }: Props) {
  const { email, created_at: createdAt, started_at: startedAt, finished_at: finishedAt } = found;
  return (
    <OperationPage
      title={email ? `Erasure of ${email}` : 'Erasure'}
      of={found}
      note={isReady(found) && 'Nothing is erased yet. Check the parts below, then erase them.'}
      warnings={
        <>
          <Blockers of={found} />
          <LeftElsewhere of={found} />
        </>
      }
      actions={<ErasureActions of={found} />}
      facts={[
        ['Requested', formatTime(createdAt)],
        ['Started', startedAt && formatTime(startedAt)],
        ['Finished', finishedAt && formatTime(finishedAt)],
        ['In the audit log', found.audit_subject_id],
      ]}
    >
      <Panel title={finishedAt ? 'What was erased, and what stays' : 'What will be erased, and what stays'}>
        <Parts of={found} />
      </Panel>
    </OperationPage>
  );
}

function Blockers({ of: { blockers } }: Props) {
  if (blockers.length === 0) return null;
  return (
    <Note severity="warning">
      Something is in progress that has to end first:
      <Box component="ul" sx={{ m: 0, pl: 2.5 }}>
        {blockers.map((blocker) => (
          <li key={blocker}>{blocker}</li>
        ))}
      </Box>
    </Note>
  );
}

/** Nothing here reaches these records. */
function LeftElsewhere({ of: { payment_customer_ids: ids, finished_at: finishedAt } }: Props) {
  if (ids.length === 0 || !finishedAt) return null;
  return (
    <Alert severity="warning" sx={{ mb: 2, overflowWrap: 'anywhere' }}>
      Stripe has its own records. Delete there: {ids.join(', ')}.
    </Alert>
  );
}

function Parts({ of: found }: Props) {
  if (found.parts.length === 0)
    return (
      <Typography sx={{ color: 'text.secondary' }}>
        {found.state === 'queued' ? 'Counting what is stored.' : 'Nothing is stored about this email.'}
      </Typography>
    );
  return (
    <Rows
      label="Parts"
      rows={found.parts}
      keyOf={({ name }) => name}
      columns={[
        { label: 'What', show: ({ name }) => formatCode(name) },
        { label: 'Rows', align: 'right', show: (part) => part.found !== null && formatCount(part.found) },
        { label: 'Erased', align: 'right', show: ({ erased }) => erased > 0 && formatCount(erased) },
        { label: 'How', show: ({ treatment }) => formatCode(treatment) },
        { label: 'What stays', show: ({ stays }) => stays ?? 'Nothing' },
      ]}
    />
  );
}

function ErasureActions({ of: found }: Props) {
  const { id, email, state } = found;
  if (!email || isOpen(found)) return null;
  return (
    <>
      {state !== 'blocked' && (
        <Action
          label="Preview again"
          scope="admin:write"
          text="This counts again what is stored, and checks what is in progress."
          run={() => admin.previewErasure({ email })}
          done="Preview requested."
        />
      )}
      {(state === 'blocked' || isReady(found)) && (
        <Action
          label={state === 'blocked' ? 'Continue' : 'Erase'}
          title={`Erase the personal data of ${email}`}
          submit="Erase"
          color="error"
          variant="contained"
          scope="admin:write"
          text="This cannot be undone. It runs in the background: you can leave the page."
          run={() => admin.runErasure(id)}
          done="It is being erased."
        />
      )}
    </>
  );
}
