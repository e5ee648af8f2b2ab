import Alert from '@mui/material/Alert';
import type { ReactNode } from 'react';
import { useFormState } from 'react-hook-form';

interface FormProblemProps {
  /** Why the last attempt to send the form failed. */
  readonly error: string | undefined;
}

/** Why the form around it is not sent, where nothing of the form is covered. */
export function FormProblem({ error }: FormProblemProps): ReactNode {
  const { errors, isSubmitted } = useFormState();
  const isInvalid = isSubmitted && Object.keys(errors).some((field) => field !== 'root');
  const problem = isInvalid ? 'Correct the fields that are marked.' : error;
  return (
    problem && (
      <Alert ref={scrollTo} severity="error" sx={{ my: 2, whiteSpace: 'pre-line' }}>
        {problem}
      </Alert>
    )
  );
}

/** When it appears, and not again while someone edits. */
const scrollTo = (problem: HTMLElement | null) => problem?.scrollIntoView({ block: 'nearest' });
