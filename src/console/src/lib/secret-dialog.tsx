import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { type ReactNode, useId, useState } from 'react';

interface SecretDialogProps {
  readonly title: string;
  readonly value: string;
  readonly onClose: () => void;
}

/** A secret that the API returns once. */
export function SecretDialog({ title, value, onClose }: SecretDialogProps): ReactNode {
  const titleId = useId();
  const [copyLabel, setCopyLabel] = useState('Copy');
  const copy = () =>
    navigator.clipboard.writeText(value).then(
      () => setCopyLabel('Copied'),
      () => setCopyLabel('Copy failed'),
    );
  return (
    <Dialog open fullWidth maxWidth="sm" aria-labelledby={titleId}>
      <DialogTitle id={titleId}>{title}</DialogTitle>
      <DialogContent>
        <DialogContentText sx={{ mb: 2 }}>It is shown only once. Store it in a safe place.</DialogContentText>
        <code style={{ overflowWrap: 'anywhere', whiteSpace: 'pre-line' }}>{value}</code>
      </DialogContent>
      <DialogActions>
        {/* Browsers give pages no clipboard without HTTPS. */}
        {'clipboard' in navigator && <Button onClick={copy}>{copyLabel}</Button>}
        <Button variant="contained" onClick={onClose}>
          Close
        </Button>
      </DialogActions>
    </Dialog>
  );
}
