import Box from '@mui/material/Box';
import type { AuditEntry } from '@storefront-commerce/client';

/** The subject before and after a change, on request. */
export function AuditChange({ entry: { before, after } }: { readonly entry: AuditEntry }) {
  if (before === null && after === null) return null;
  return (
    <details>
      <summary>Show</summary>
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
