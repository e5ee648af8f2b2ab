import Alert from '@mui/material/Alert';
import Snackbar from '@mui/material/Snackbar';
import Stack from '@mui/material/Stack';
import { useEffect, useRef, useState } from 'react';
import { type NotificationPayload, useNotificationContext, useTranslate } from 'react-admin';

/** How long a success is shown, unless someone reads it with the mouse or the focus on it. */
const successMs = 10_000;

/** What is said again has another number, so that readers of the screen say it again, too. */
interface NumberedNotice extends NotificationPayload {
  readonly number: number;
}

/**
 * What came of what was done. A success is shown for a while, and until something else is done; anything else stays
 * until it is dismissed, which takes a button or the Escape key.
 */
export function Notices() {
  const { notifications, takeNotification } = useNotificationContext();
  const [shown, setShown] = useState<readonly NumberedNotice[]>([]);
  const last = useRef(0);
  useEffect(() => {
    const taken = takeNotification();
    if (!taken) return;
    last.current += 1;
    const next = { ...taken, number: last.current };
    setShown((shown) => [...shown.filter((other) => !isSuccess(other) && !isSame(other, next)), next]);
  }, [notifications, takeNotification]);
  return (
    <Stack sx={place}>
      {shown.map((notice) => (
        <Notice
          key={notice.number}
          notice={notice}
          dismiss={() => setShown((shown) => shown.filter((other) => other !== notice))}
        />
      ))}
    </Stack>
  );
}

const isSuccess = ({ type }: NotificationPayload) => type === 'success';
const isSame = (left: NotificationPayload, right: NotificationPayload) => left.message === right.message;

const place = {
  position: 'fixed',
  bottom: 24,
  left: '50%',
  transform: 'translateX(-50%)',
  width: 'max-content',
  maxWidth: 'min(40rem, calc(100vw - 16px))',
  gap: 1,
  alignItems: 'center',
  zIndex: 'snackbar',
  displayPrint: 'none',
} as const;

interface NoticeProps {
  readonly notice: NotificationPayload;
  readonly dismiss: () => void;
}

function Notice({ notice, dismiss }: NoticeProps) {
  const { message, type, notificationOptions } = notice;
  const translate = useTranslate();
  /** What had the focus before the button that dismisses it, which is gone then. */
  const before = useRef<HTMLElement>(null);
  return (
    <Snackbar
      open
      autoHideDuration={isSuccess(notice) ? successMs : null}
      onClose={(_, reason) => (isSuccess(notice) || reason === 'escapeKeyDown') && dismiss()}
      sx={{ position: 'static', transform: 'none' }}
    >
      <Alert
        severity={type}
        variant="filled"
        closeText="Dismiss this message"
        onFocus={({ relatedTarget }) => {
          before.current = relatedTarget as HTMLElement | null;
        }}
        onClose={() => {
          before.current?.focus();
          dismiss();
        }}
        sx={{ whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}
      >
        {typeof message === 'string' ? translate(message, notificationOptions?.messageArgs) : message}
      </Alert>
    </Snackbar>
  );
}
