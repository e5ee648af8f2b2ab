import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogContentText from '@mui/material/DialogContentText';
import DialogTitle from '@mui/material/DialogTitle';
import { type ReactNode, useId, useState } from 'react';
import { useBeforeUnload, useBlocker } from 'react-router';

interface SecretDialogProps {
  readonly title: string;
  readonly value: string;
  readonly onClose: () => void;
}

/** A secret that the API returns once. Until it is closed its page cannot be left, with which it would be lost. */
export function SecretDialog({ title, value, onClose }: SecretDialogProps): ReactNode {
  const titleId = useId();
  const [copyLabel, setCopyLabel] = useState('Copy');
  useBlocker(true);
  useBeforeUnload(warnBeforeUnload);
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

/** The browser then asks before it leaves the console. */
const warnBeforeUnload = (event: Event) => event.preventDefault();
