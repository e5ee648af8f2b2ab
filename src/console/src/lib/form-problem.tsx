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
  // With an error of the root, the form was sent: the other ones are explained by the problem.
  const isInvalid = isSubmitted && !errors.root && Object.keys(errors).length > 0;
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
