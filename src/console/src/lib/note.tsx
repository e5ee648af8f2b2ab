import Alert, { type AlertProps } from '@mui/material/Alert';

/** What is to be known before the parts of a page below it. */
export const Note = (props: AlertProps) => <Alert sx={{ mb: 2 }} {...props} />;
