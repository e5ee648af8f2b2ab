import Box from '@mui/material/Box';
import type { AuditEntry } from '@storefront-commerce/client';
import { useContext, useId } from 'react';

import { RowName } from '../../lib/row-button.tsx';

/** The subject before and after a change, on request. */
export function AuditChange({ entry: { before, after } }: { readonly entry: AuditEntry }) {
  const id = useId();
  const rowName = useContext(RowName);
  if (before === null && after === null) return null;
  return (
    <details>
      <summary id={id} aria-labelledby={rowName && `${id} ${rowName}`}>
        Show
      </summary>
      <State name="Before" state={before} />
      <State name="After" state={after} />
    </details>
  );
}

function State({ name, state }: { readonly name: string; readonly state: unknown }) {
  if (state === null) return null;
  return (
    <Box
      component="pre"
      sx={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere', textAlign: 'left', m: 0, fontSize: 13 }}
    >
      {`${name} ${JSON.stringify(state, null, 2)}`}
    </Box>
  );
}
